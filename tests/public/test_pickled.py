"""Compiled functions in other processes, which may lack the module that defines them."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg

ROOT = Path(__file__).parents[2]
X = np.array([1.0, 2.0])

PROGRAM = '''
import functools, math, pickle, sys
import numpy as np
import srcgrad as sg

SCALE = 2.0
TABLE = {"power": 2}

def helper(x, power=2):
    return SCALE * x ** power

@sg.grad
def df(x):
    return np.sum(helper(x, TABLE["power"])) + math.pi * np.sum(x)

def again(x, n):
    return x if n == 0 else again(x * helper(x), n - 1)

def around(c):
    def function(x):
        return np.sum(c * helper(x) + again(x, 1))
    return sg.value_and_grad(function)

inner = around(3.0)
second = sg.hessian(lambda x: np.sum(helper(x, 3)))
both = sg.grad(functools.partial(lambda a, x: a * np.sum(x ** 2), 4.0))
uses = sg.grad(lambda x: np.sum(df(x) ** 2))

def wanted(x):
    return [df(x), *inner(x), both(x), uses(x)]
'''

CALLS = '''
def check(found):
    assert all(np.array_equal(a, b) for a, b in zip(found, wanted(np.array([1.0, 2.0]))))

def everything(x):
    return [df(x), *inner(x), both(x), uses(x)]
'''


def run(text, tmp_path, *args, name="script.py"):
    path = tmp_path / name
    path.write_text(text)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1",
           "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, str(path), *map(str, args)], capture_output=True,
                          text=True, env=env, timeout=300, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("removed", [False, True], ids=["script", "script removed"])
def test_a_process_without_the_program(tmp_path, removed):
    run(PROGRAM + '''
with open("made", "wb") as file:
    pickle.dump(([df, inner, both, uses], wanted(np.array([1.0, 2.0]))), file)
''', tmp_path)
    if removed:
        (tmp_path / "script.py").unlink()
    run('''
import pickle
import numpy as np
with open("made", "rb") as file:
    (df, inner, both, uses), want = pickle.load(file)
x = np.array([1.0, 2.0])
for a, b in zip([df(x), *inner(x), both(x), uses(x)], want, strict=True):
    assert np.array_equal(a, b)
assert "SCALE" in df.source() or "helper" in df.explain()
again = pickle.loads(pickle.dumps(inner))
assert np.array_equal(again(x)[1], want[2])
''', tmp_path, name="reader.py")


@pytest.mark.long
def test_a_cell_of_a_notebook(tmp_path):
    run(f'''
import linecache
text = {PROGRAM!r}
linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
exec(compile(text, "<cell 1>", "exec"), globals())
with open("made", "wb") as file:
    pickle.dump((df, df(np.ones(2))), file)
''', tmp_path)
    run('''
import pickle
import numpy as np
with open("made", "rb") as file:
    df, want = pickle.load(file)
assert np.array_equal(df(np.ones(2)), want)
''', tmp_path, name="reader.py")


POOLS = {
    "spawn": '''
if __name__ == "__main__":
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for f in (df, both, uses):
            assert np.array_equal(pool.map(f, [np.array([1.0, 2.0])])[0], f(np.array([1.0, 2.0])))
''',
    "concurrent.futures": '''
if __name__ == "__main__":
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        for f in (df, both, uses):
            assert np.array_equal(pool.submit(f, np.ones(2)).result(), f(np.ones(2)))
''',
    "joblib": '''
if __name__ == "__main__":
    from joblib import Parallel, delayed
    for f in (df, both, uses, lambda x: df(x) + both(x)):
        (found,) = Parallel(n_jobs=2, backend="loky")(delayed(f)(x) for x in [np.ones(2)])
        assert np.array_equal(found, f(np.ones(2)))
''',
    "dask": '''
if __name__ == "__main__":
    from dask.distributed import Client
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        for f in (df, both, uses, lambda x: df(x) + both(x)):
            assert np.array_equal(client.submit(f, np.ones(2)).result(), f(np.ones(2)))
''',
    "cloudpickle": '''
import cloudpickle
f = pickle.loads(cloudpickle.dumps(lambda x: df(x) + both(x)))
assert np.array_equal(f(np.ones(2)), df(np.ones(2)) + both(np.ones(2)))
''',
}


@pytest.mark.long
@pytest.mark.parametrize("pool", POOLS)
def test_worker_processes(tmp_path, pool):
    if pool not in ("spawn", "concurrent.futures"):
        pytest.importorskip(pool if pool != "dask" else "distributed")
    run(PROGRAM + POOLS[pool], tmp_path)


@sg.grad
def module_level(x):
    return np.sum(x ** 2)


def test_functions_of_modules_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(module_level)) is module_level
    assert b"module_level" in pickle.dumps(module_level) and len(pickle.dumps(module_level)) < 200


def test_functions_of_a_file_that_no_path_leads_to_are_pickled_by_value(tmp_path, monkeypatch):
    path = tmp_path / "apart.py"
    path.write_text("import numpy as np\nimport srcgrad as sg\n\n@sg.grad\ndef df(x):\n    return np.sum(x ** 3)\n")
    spec = importlib.util.spec_from_file_location("loaded_apart", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "loaded_apart", module)
    spec.loader.exec_module(module)
    packed = pickle.dumps(module.df)
    monkeypatch.delitem(sys.modules, "loaded_apart")
    assert np.array_equal(pickle.loads(packed)(X), 3 * X ** 2)


def test_inner_functions_of_modules_share_its_globals():
    inner = pickle.loads(pickle.dumps(sg.grad(lambda x: np.sum(x * X))))
    assert np.array_equal(inner(X), X)
    assert inner.__wrapped__.__globals__ is globals()


def test_damaged_and_older_pickles():
    make, parts = sg.grad(lambda x: np.sum(x * X)).__reduce__()
    assert make(*parts)(X).tolist() == X.tolist()
    for damaged in ((0, *parts[1:]), (parts[0], "cpython-27", *parts[2:]), parts[:3],
                    (*parts[:3], [("", 0) * 5], *parts[4:]),
                    (*parts[:3], [(b"?", *parts[3][0][1:])], *parts[4:]),
                    (*parts[:5], [], *parts[6:])):
        with pytest.raises(sg.SrcgradError, match="pickled function") as caught:
            make(*damaged)
        assert caught.value.why and caught.value.fix
    with pytest.raises(sg.SrcgradError, match="is not there"):
        pickle.loads(pickle.dumps(module_level).replace(b"module_level", b"module_Level"))
