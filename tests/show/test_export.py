"""Exported modules run where srcgrad cannot be imported, with the same bits."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad as sg

Pair = namedtuple("Pair", ["a", "b"])
SCALE = 1.5
TABLE = np.linspace(0.1, 0.9, 6)


@dataclass
class Params:
    w: np.ndarray
    b: float


class Layer:
    def __init__(self, W):
        self.W = W

    def loss(self, x):
        return np.sum(np.tanh(self.W @ x))


def heat(u0, alpha, steps):
    u = u0.copy()
    cost = 0.0
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        cost += np.sum(u * u)
    return cost


def broadcast(x, y):
    return np.sum(np.sin(x * y) ** 2)


def contained(params, x):
    return np.sum(np.tanh(params["W"] @ x + params["b"][0])) * params["b"][1]


def dataclassed(p, x):
    return np.sum(p.w * x) + p.b ** 2


def paired(p, x):
    return np.sum(p.a * x) * p.b


def captured(x):
    return np.sum(x * TABLE) * SCALE


def chosen(x, mode="fast"):
    if mode == "fast":
        return np.sum(x)
    return np.sum(x * x)


def variadic(x, *rest, power=2):
    total = np.sum(x ** power)
    for r in rest:
        total = total + np.sum(r)
    return total


def products(x):
    return np.prod(x) + np.max(np.cumprod(x))


def scattered(x, index):
    y = np.zeros(4)
    y[index] = x * 2.0
    return np.sum(y * y)


def springs(items, x):
    total = 0.0
    for one in items:
        total += one["k"] * (one["ends"].a - one["ends"].b) ** 2 * len(one["kind"]) + one["n"]
    return total * np.sum(x)


def polygons(shapes):
    total = 0.0
    for shape in shapes:
        for i in range(len(shape)):
            total += shape[i][0] * shape[i - 1][1] - shape[i - 1][0] * shape[i][1]
    return 0.5 * total


def smoothed(xs, rows):
    total = 0.0
    for i in range(1, len(xs)):
        total += (xs[i] - xs[i - 1]) ** 2
    for row in rows:
        for v in row:
            total += np.sin(v)
    return total


def some_springs(n):
    return [{"k": 1.5 + i, "kind": "soft", "ends": Pair(0.5 * i, 1.0), "n": i} for i in range(n)]


R = np.random.default_rng(1)
V = R.random(6) + 0.5
CASES = {
    "heat": (heat, (0, 1), (V, 0.2, 4), (R.random(11), 0.1, 7)),
    "broadcast": (broadcast, (0, 1), (V[:, None], V), (R.random((3, 1)), R.random(8))),
    "contained": (contained, 0, ({"W": R.random((3, 6)), "b": [0.5, 2.0]}, V), None),
    "dataclassed": (dataclassed, 0, (Params(V, 2.0), V), None),
    "paired": (paired, 0, (Pair(V, 2.0), V), None),
    "captured": (captured, 0, (V,), None),
    "chosen": (chosen, 0, (V,), (R.random(2), "fast")),
    "variadic": (variadic, 0, (V, V * 2, V * 3), None),
    "products": (products, 0, (V,), (R.random(3),)),
    "scattered": (scattered, 0, (V[:3], np.array([0, 2, 2])), (V[:2], np.array([1, 3]))),
    "springs": (springs, (0, 1), (some_springs(9), V), (some_springs(14), R.random(3))),
    "polygons": (polygons, 0, ([[(1.0, 2.0), (3.0, 1.0), (0.5, 0.25)], [(1.0, 0.0)] * 4] * 6,),
                 ([[(1.0, 2.0)] * 3] * 20,)),
    "smoothed": (smoothed, (0, 1), ([1.0, 2.5] * 10, [[1.0, 2.0]] * 9),
                 ([0.5, 1.0] * 12, [[0.1, 0.2, 0.3]] * 11)),
    "method": (Layer(R.random((3, 6))).loss, 0, (V,), None),
}

SCRIPT = """
import pickle, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("srcgrad", "astor", "test_export", "scipy"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv[1])
import importlib
results = {}
for name, function, calls in pickle.load(open(sys.argv[2], "rb")):
    module = importlib.import_module(name)
    results[name] = [getattr(module, function)(*args) for args in calls]
assert "srcgrad" not in sys.modules
pickle.dump(results, open(sys.argv[3], "wb"))
"""


def plain(value):
    """A result with records as dicts and named tuples as tuples."""
    if isinstance(value, Params):
        return {"w": value.w, "b": value.b}
    if isinstance(value, tuple):
        return tuple(plain(v) for v in value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def bits(value):
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [bits(v) for v in value]
    if isinstance(value, dict):
        return [(k, bits(v)) for k, v in value.items()]
    array = np.asarray(value)
    return type(value).__name__, array.dtype.str, array.shape, array.tobytes()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Every case exported, run in another process, and called here."""
    folder = tmp_path_factory.mktemp("exported")
    tasks, wanted = [], {}
    for name, (fn, argnums, args, more) in CASES.items():
        compiled = sg.value_and_grad(fn, argnums=argnums)
        path = compiled.export(folder / f"exported_{name}.py", *args)
        assert path.exists()
        calls = [args] + ([more] if more is not None else [])
        wanted[name] = [compiled(*copy.deepcopy(c)) for c in calls]
        assert compiled.cache_info().currsize == 1
        own = [[plain_argument(a) for a in c] for c in calls]
        tasks.append((f"exported_{name}", compiled.signatures and function_name(fn), own))
    (folder / "tasks").write_bytes(pickle.dumps(tasks))
    subprocess.run([sys.executable, "-c", SCRIPT, str(folder), str(folder / "tasks"),
                    str(folder / "results")], check=True, cwd=folder)
    return wanted, pickle.loads((folder / "results").read_bytes())


def function_name(fn):
    return f"{fn.__name__}_value_and_grad"


def plain_argument(value):
    """Arguments that another process can make: attributes stay readable."""
    if isinstance(value, Params):
        return SimpleNamespace(w=value.w, b=value.b)
    if isinstance(value, Pair):
        return SimpleNamespace(a=value.a, b=value.b)
    if isinstance(value, list):
        return [plain_argument(v) for v in value]
    if isinstance(value, dict):
        return {k: plain_argument(v) for k, v in value.items()}
    return value


@pytest.mark.parametrize("name", CASES)
def test_the_exported_module_gives_the_same_bits(runs, name):
    wanted, got = runs
    assert [bits(plain(w)) for w in wanted[name]] == [bits(g) for g in got[f"exported_{name}"]]


def run_module(path):
    namespace = {"__name__": "exported"}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace


def test_it_imports_numpy_only(tmp_path):
    text = sg.grad(heat).export(tmp_path / "m.py", V, 0.1, 3).read_text()
    imports = [line for line in text.splitlines() if line.startswith(("import", "from"))]
    assert imports == ["import numpy as np"]


def test_it_refuses_what_it_was_not_made_for(tmp_path):
    path = sg.grad(chosen).export(tmp_path / "m.py", V, "fast")
    function = run_module(path)["chosen_grad"]
    assert function(V, "fast").tolist() == [1.0] * 6
    for bad in ((V, "slow"), (V.astype(np.float32),), (V[None],), (list(V),)):
        with pytest.raises(TypeError, match="made for"):
            function(*bad)


def test_captured_values_are_keyword_parameters_with_defaults(tmp_path):
    path = sg.grad(captured).export(tmp_path / "m.py", V)
    function = run_module(path)["captured_grad"]
    assert np.array_equal(function(V), sg.grad(captured)(V))
    assert np.array_equal(function(V, SCALE=3.0), TABLE * 3.0)


def test_large_captured_arrays_are_required(tmp_path):
    big = R.random(5000)

    def weigh(x):
        return np.sum(x * big)

    path = sg.grad(weigh).export(tmp_path / "m.py", np.ones(5000))
    function = run_module(path)["weigh_grad"]
    with pytest.raises(TypeError, match="big"):
        function(np.ones(5000))
    assert np.array_equal(function(np.ones(5000), big=big), big)


def test_the_text_is_the_same_every_time(tmp_path):
    texts = {sg.grad(products).export(tmp_path / f"{i}.py", V).read_text() for i in range(3)}
    assert len(texts) == 1


def test_run_time_functions_are_embedded(tmp_path):
    text = sg.grad(broadcast).export(tmp_path / "m.py", V[:, None], V).read_text()
    text += sg.grad(products).export(tmp_path / "n.py", V).read_text()
    assert "def products_of_others(" in text
    assert "import srcgrad" not in text and "from srcgrad" not in text
