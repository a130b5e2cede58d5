"""Chunks on threads, processes and a cluster: the same bits, also where a worker dies."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg

RNG = np.random.default_rng(0)
W = {"w": RNG.normal(size=4), "b": 0.3}
X, Y = RNG.normal(size=(203, 4)), RNG.normal(size=203)


def loss(p, x, y, scale=1.0):
    return scale * np.sum(np.log1p((x @ p["w"] + p["b"] - y) ** 2))


def mean_loss(p, x, y):
    return np.mean((x @ p["w"] + p["b"] - y) ** 2)


def weighted(p, x, y, m):
    return np.sum(m * (x @ p["w"] + p["b"] - y) ** 2) / np.sum(m)


class Deadly:
    """Ends the first process, other than the one that made it, that receives it."""

    def __init__(self, flag):
        self.flag, self.home = flag, os.getpid()

    def __setstate__(self, state):
        self.__dict__.update(state)
        if os.getpid() != self.home and not Path(self.flag).exists():
            Path(self.flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)


def with_deadly(p, x, y, deadly):
    return np.sum((x @ p["w"] + p["b"] - y) ** 2)


def same(one, other):
    a, b = sg.tree_flatten(one)[0], sg.tree_flatten(other)[0]
    return len(a) == len(b) and all(np.array_equal(u, v) for u, v in zip(a, b))


def close(one, other):
    a, b = sg.tree_flatten(one)[0], sg.tree_flatten(other)[0]
    return all(np.allclose(u, v, rtol=1e-12) for u, v in zip(a, b))


def chunked(fun, **options):
    return sg.parallel.value_and_grad(fun, over=("x", "y"), **options)


def test_any_number_of_threads_gives_the_same_bits():
    found = [chunked(loss, workers=n)(W, X, Y, 2.0) for n in (1, 2, 5)]
    assert same(found[0], found[1]) and same(found[0], found[2])
    assert close(found[0], sg.value_and_grad(loss)(W, X, Y, 2.0))


@pytest.mark.parametrize("chunk", [1, 7, 203, 1000])
def test_sizes_of_chunks(chunk):
    assert close(chunked(loss, chunk=chunk)(W, X, Y), sg.value_and_grad(loss)(W, X, Y))


def test_means_and_weighted_means():
    assert close(chunked(mean_loss, chunk=10, reduce="mean")(W, X, Y),
                 sg.value_and_grad(mean_loss)(W, X, Y))
    m = RNG.uniform(0.5, 2.0, size=203)
    df = sg.parallel.value_and_grad(weighted, over=("x", "y", "m"), weights="m", reduce="mean")
    assert close(df(W, X, Y, m), sg.value_and_grad(weighted)(W, X, Y, m))


def test_single_precision_stays():
    def single(w, x, y):
        return np.sum((x @ w - y) ** 2)

    value, slope = sg.parallel.value_and_grad(single, over=("x", "y"))(
        np.ones(4, np.float32), X.astype(np.float32), Y.astype(np.float32))
    assert value.dtype == slope.dtype == np.float32


def test_kept_examples_are_those_of_then():
    x = X.copy()
    step = chunked(loss).keep(x=x, y=Y)
    x[:] = 0.0
    assert same(step(W), chunked(loss)(W, X, Y))


def test_what_comes_along_is_listed_chunk_by_chunk():
    def with_aux(w, x, y):
        return loss(w, x, y), {"examples": len(x), "first": y[0]}

    (value, auxs), slope = sg.parallel.value_and_grad(with_aux, over=("x", "y"), has_aux=True, chunk=70)(W, X, Y)
    want, gradient = sg.parallel.value_and_grad(loss, over=("x", "y"), chunk=70)(W, X, Y)
    assert value == want
    np.testing.assert_allclose(slope["w"], gradient["w"], rtol=1e-14)
    assert [aux["examples"] for aux in auxs] == [70] * (len(X) // 70) + [len(X) % 70] * bool(len(X) % 70)
    assert [aux["first"] for aux in auxs] == [*Y[::70]]
    (value, auxs), slope = sg.parallel.value_and_grad(
        lambda w, x: (np.mean(w * np.array(x)), len(x)), over="x", has_aux=True, reduce="mean")(2.0, [1.0, 2.0, 3.0])
    assert value == 4.0 and slope == 2.0 and auxs == [1, 1, 1]


def test_errors_name_the_argument():
    with pytest.raises(sg.StructureError, match="names no parameter of loss"):
        sg.parallel.value_and_grad(loss, over="z")
    with pytest.raises(sg.StructureError, match="names no parameter of loss"):
        sg.parallel.value_and_grad(loss, over=1)
    with pytest.raises(sg.StructureError, match="different or no lengths"):
        chunked(loss)(W, X, Y[:5])
    for weights in ("y", Y):
        with pytest.raises(sg.StructureError, match="do not fit"):
            chunked(loss, weights=weights)
    for argnums in (1, -3, "y", (0, 2)):  # gradients of chunks are added
        with pytest.raises(sg.StructureError, match="argnums and over= both name [xy]"):
            chunked(loss, argnums=argnums)
    with pytest.raises(sg.StructureError, match="the examples are x, y"):
        chunked(loss).keep(x=X)
    for settings, text in (({"client": "gpu"}, "client is 'gpu'"), ({"chunk": 0}, "chunk is 0"),
                           ({"workers": -1}, "workers is -1"), ({"retries": 1.5}, "retries is 1.5")):
        with pytest.raises(sg.StructureError, match=text):
            chunked(loss, **settings)
    with pytest.raises(sg.StructureError, match="takes a function"):
        sg.parallel.value_and_grad(3.0, over="x")
    with pytest.raises(ZeroDivisionError):
        chunked(lambda w, x, y: 1.0 / 0)(W, X, Y)


@pytest.mark.sweep
def test_processes_and_one_that_dies(tmp_path):
    expected = chunked(with_deadly, chunk=60)(W, X, Y, None)
    df = chunked(with_deadly, chunk=60, client="processes", workers=2)
    flag = tmp_path / "died"
    assert same(df(W, X, Y, Deadly(str(flag))), expected)
    assert flag.exists()
    hopeless = chunked(with_deadly, chunk=203, client="processes", workers=1, retries=0)
    with pytest.raises(sg.StructureError, match="chunks were lost 1 times"):
        hopeless(W, X, Y, Deadly(str(tmp_path / "again")))


@pytest.mark.sweep
def test_a_cluster_and_a_worker_that_dies(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        assert same(chunked(loss, client=client)(W, X, Y), chunked(loss)(W, X, Y))
        step = chunked(with_deadly, chunk=40, client=client).keep(x=X, y=Y)
        flag = tmp_path / "died"
        assert same(step(W, Deadly(str(flag))), chunked(with_deadly, chunk=40)(W, X, Y, None))
        assert flag.exists()
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)  # with its chunks
        assert same(step(W, None), chunked(with_deadly, chunk=40)(W, X, Y, None))
