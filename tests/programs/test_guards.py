"""A second call never meets code that does not fit it."""

from __future__ import annotations

import copy
import functools
import linecache
import math
import pickle
import threading

import numpy as np
import pytest
from chain import same

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0])
SCALE = 2.0
TABLE = [1.0, 2.0]


def scaled(x):
    return np.sum(x) * SCALE


def test_changed_global_number(monkeypatch):
    gradient = sg.grad(scaled)
    np.testing.assert_array_equal(gradient(X), [2, 2, 2])
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    np.testing.assert_array_equal(gradient(X), [5, 5, 5])
    assert gradient.cache_info().misses == 1  # a number is an input, not a guard


def doubled(v):
    return v * 2


def tripled(v):
    return v * 3


def with_helper(x):
    return np.sum(doubled(x))


def test_changed_helper(monkeypatch):
    gradient = sg.grad(with_helper)
    np.testing.assert_array_equal(gradient(X), [2, 2, 2])
    monkeypatch.setitem(globals(), "doubled", tripled)
    np.testing.assert_array_equal(gradient(X), [3, 3, 3])


def with_table(x):
    return np.sum(x) * np.sum(np.array(TABLE)) + len(TABLE)


def test_changed_list(monkeypatch):
    gradient = sg.value_and_grad(with_table)
    assert gradient(X)[0] == with_table(X)
    monkeypatch.setitem(globals(), "TABLE", [1.0, 5.0])
    assert gradient(X)[0] == with_table(X)
    monkeypatch.setitem(globals(), "TABLE", [1.0, 5.0, 7.0])
    assert gradient(X)[0] == with_table(X)


def test_changed_closure_and_default():
    def make(k):
        def f(x, p=3.0):
            return np.sum(x) * k * p

        def change(value):
            nonlocal k
            k = value

        return f, change

    f, change = make(2.0)
    gradient = sg.grad(f)
    np.testing.assert_array_equal(gradient(X), [6, 6, 6])
    change(4.0)
    np.testing.assert_array_equal(gradient(X), [12, 12, 12])
    np.testing.assert_array_equal(gradient(X, p=1.0), [4, 4, 4])


def kinds(x, n):
    if n > 3:
        return np.sum(x) * n
    return np.sum(x * x)


def test_branch_on_an_int_argument():
    gradient = sg.grad(kinds)
    np.testing.assert_array_equal(gradient(X, 2), 2 * X)
    np.testing.assert_array_equal(gradient(X, 5), [5, 5, 5])


@pytest.mark.parametrize("other", [
    np.arange(5.0), np.ones((2, 3)), X.astype("f4"), X.astype(">f8"), np.asfortranarray(
        np.ones((3, 3))), X[::2], np.broadcast_to(1.5, (3,)), np.array(2.0), 2.0, np.float32(2.0),
    np.ones(1), np.ones((0,))], ids=str)
def test_other_signatures(other):
    def f(x):
        return np.sum(np.tanh(x) * x)

    gradient = sg.value_and_grad(f)
    gradient(X)
    value, slope = gradient(copy.copy(other))
    assert repr(value) == repr(f(other))
    assert np.shape(slope) == np.shape(other)
    np.testing.assert_allclose(slope, np.tanh(other) + other * (1 - np.tanh(other) ** 2),
                               rtol=1e-5)
    if isinstance(other, np.ndarray):
        assert slope.dtype == other.dtype.newbyteorder("=")


def test_one_text_serves_all_sizes():
    def f(x):
        total = 0.0
        for i in range(1, len(x)):
            total += x[i] * x[i - 1]
        return total

    gradient = sg.grad(f)
    for n in (3, 64, 1000):
        x = np.linspace(0, 1, n)
        got = gradient(x)
        want = np.zeros(n)
        want[1:] += x[:-1]
        want[:-1] += x[1:]
        np.testing.assert_allclose(got, want)
    assert gradient.cache_info().misses == 1


def test_zero_iterations_and_negative_ranges():
    def f(x, n):
        total = x[0]
        for i in range(n):
            total = total * x[i]
        return total

    gradient = sg.grad(f)
    np.testing.assert_array_equal(gradient(X, 2), [2 * 1 * 2, 1, 0])
    np.testing.assert_array_equal(gradient(X, 0), [1, 0, 0])
    np.testing.assert_array_equal(gradient(X, -3), [1, 0, 0])


def test_same_array_twice():
    gradient = sg.grad(lambda a, b: np.sum(a * b), argnums=(0, 1))
    first, second = gradient(X, X)
    np.testing.assert_array_equal(first, X)
    np.testing.assert_array_equal(second, X)


def test_partly_overlapping_arguments_that_are_written_to_are_refused():
    def f(a, b):
        a[:-1] += b[1:]
        return np.sum(a * b)

    gradient = sg.grad(f)
    gradient(np.ones(3), np.ones(3))
    base = np.arange(4.0)
    with pytest.raises(sg.AliasError, match="shares memory"):
        gradient(base[1:], base[:-1])
    np.testing.assert_array_equal(base, np.arange(4.0))


def test_gradients_alias_nothing():
    def f(x, w):
        return np.sum(x * w)

    w = np.ones(3)
    dx, dw = sg.grad(f, argnums=(0, 1))(X, w)
    dx *= 10
    assert w[0] == 1 and dw[0] == 1
    assert not np.shares_memory(dx, dw)


def test_pullback_runs_twice_and_keeps_its_residuals():
    x = X.copy()
    out, pullback = sg.vjp(lambda x: np.sum(x**3), x)
    x -= 1.0
    for seed in (1.0, 2.0):
        (slope,) = pullback(seed)
        np.testing.assert_allclose(slope, seed * 3 * X**2)
    assert out == 36.0


def test_threads_compile_once():
    gradient = sg.grad(lambda x: np.sum(np.sin(x) * x))
    results, barrier = [], threading.Barrier(8)

    def work():
        barrier.wait()
        results.append(gradient(X))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 8 and gradient.cache_info().misses == 1
    for r in results:
        np.testing.assert_array_equal(r, results[0])


@sg.grad
def module_gradient(x):
    """The gradient of a square."""
    return x * x


class Holder:
    scale = 3.0

    @sg.grad
    def method(self, x):
        return x * x * self.scale


def test_decorated_functions_behave_like_functions():
    assert module_gradient(3.0) == 6.0
    assert module_gradient.__name__ == "module_gradient"
    assert module_gradient.__doc__.startswith("The gradient of a square.\n")
    assert list(module_gradient.__signature__.parameters) == ["x"]
    assert pickle.loads(pickle.dumps(module_gradient)) is module_gradient
    assert "1 signature" in repr(module_gradient)
    other = sg.grad(Holder.method.__wrapped__, argnums="x")
    assert other(Holder(), 2.0) == 12.0


def test_first_call_under_strict_floating_point_errors():
    with np.errstate(all="raise"):
        slope = sg.grad(lambda x: np.sum(np.sqrt(x) * np.log(x)))(X)
    np.testing.assert_allclose(slope, np.log(X) / (2 * np.sqrt(X)) + 1 / np.sqrt(X))


class Settings:
    """Attributes of a class, as many programs keep their settings."""

    rate = 0.5
    weights = np.ones(3)
    mode = "sum"
    powers = {"k": 1.0}


class Sized:
    gain = 2.0

    def __init__(self, offset):
        self.offset = offset

    def value(self, x):
        return self.gain * np.sum(x) + self.offset

    @classmethod
    def first(cls, x):
        return cls.gain * x[0]


class Wider(Sized):
    pass


def by_settings(x):
    if Settings.mode == "sum":
        return Settings.rate * np.sum(Settings.weights * x) * Settings.powers["k"]
    return x[0]


def by_instances_made_inside(x):
    return Sized(x[1]).value(x) + Wider(1.0).value(x) + Wider.first(x)


def by_an_instance(x, sized):
    return sized.value(x) + type(sized).gain * x[2]


@pytest.mark.parametrize(("fn", "args"), [
    (by_settings, ()), (by_instances_made_inside, ()), (by_an_instance, (Wider(0.5),))])
def test_attributes_of_classes_are_those_of_the_call(fn, args, monkeypatch):
    x = np.array([0.5, 1.5, 2.5])
    df = sg.value_and_grad(fn)
    for change in (lambda: None,
                   lambda: monkeypatch.setattr(Settings, "rate", 0.75),
                   lambda: monkeypatch.setattr(Settings, "weights", np.arange(3.0)),
                   lambda: monkeypatch.setitem(Settings.powers, "k", 3.0),
                   lambda: monkeypatch.setattr(Sized, "gain", 5.0),
                   lambda: monkeypatch.setattr(Wider, "gain", 7.0, raising=False),
                   lambda: monkeypatch.setattr(Wider, "value", lambda self, x: x[0] * self.gain,
                                               raising=False),
                   lambda: monkeypatch.setattr(Settings, "mode", "first")):
        change()
        assert np.isclose(df(x, *args)[0], fn(x, *args))


class Tally:
    count = 0


def test_a_counter_in_a_class_counts(monkeypatch):
    monkeypatch.setattr(Tally, "count", 0)

    def counted(x):
        Tally.count += 1
        return np.sum(x) * Tally.count

    df = sg.value_and_grad(counted)
    assert [float(df(np.ones(2))[0]) for _ in range(4)] == [2.0, 4.0, 6.0, 8.0]
    assert Tally.count == 4


def test_classes_of_notebook_cells_keep_their_own_methods():
    """Cells have names in brackets, as generated code has."""
    text = (
        "class Settings(dict):\n"
        "    def __init__(self, **items):\n"
        "        dict.__init__(self, **items)\n"
        "    def __setattr__(self, name, value):\n"
        "        self[name] = 2.0 * value\n"
        "    def __getattr__(self, name):\n"
        "        return self[name]\n"
        "\n"
        "def program(x):\n"
        "    settings = Settings(k=x)\n"
        "    settings.k = settings.k * x\n"
        "    return settings['k'] + settings.k\n")
    name = "<ipython-input-7-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), namespace)
    program = namespace["program"]
    assert sg.value_and_grad(program)(3.0) == (program(3.0), 24.0)


DOUBLED, TRIPLED = np.vectorize(lambda v: v * 2), np.vectorize(lambda v: v * 3)


@functools.cache
def kept_double(v):
    return v * 2


@functools.cache
def kept_triple(v):
    return v * 3


def called(function, *args):
    return function(*args)


def of_object(holder, x):
    return holder["functions"][0](x)


@pytest.mark.parametrize(("functions", "args"), [
    ((np.std, np.var, np.sum, np.prod), (np.array([1.0, 2.0, 5.0]),)),
    ((np.tril, np.triu), (np.arange(9.0).reshape(3, 3),)),
    ((np.linalg.norm, np.linalg.det), (np.eye(3) * 2,)),
    ((np.fft.fft, np.fft.ifft), (np.arange(4.0),)),
    ((np.sin, np.cos), (0.5,)), ((math.sin, math.cos), (0.5,)),
    ((DOUBLED, TRIPLED), (np.array([1.0, 2.0]),)),
    ((kept_double, kept_triple), (2.0,)),
    ((functools.partial(np.std, ddof=1), functools.partial(np.var, ddof=1)), (np.arange(4.0),))])
def test_which_function_is_handed_in_is_guarded(functions, args):
    for compiled, plain, given in ((sg.jit(called), called, lambda f: (f, *args)),
                                   (sg.jit(of_object), of_object,
                                    lambda f: ({"functions": [f]}, *args))):
        for function in (*functions, *functions):
            assert same(compiled(*given(function)), plain(*given(function)))


def test_which_method_of_a_generator_is_handed_in_is_guarded():
    compiled = sg.jit(called)
    for name in ("normal", "uniform", "normal"):
        ours, plain = np.random.RandomState(3), np.random.RandomState(3)
        assert compiled(getattr(ours, name), 0.0, 2.0) == getattr(plain, name)(0.0, 2.0)
