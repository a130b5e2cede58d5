"""What must hold for every program, one test for each phrase."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from chain import check, run_quietly, same

import srcgrad as sg

HERE = Path(__file__)
X = np.array([1.0, 2.0, 3.0, 4.0])


# ---- names, loops, aliases -------------------------------------------------------------------
def first_bound_in_a_branch_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 1.5:
            found = x[i] * 2
        if i > 1:
            total += found * x[0]
    return total


def loop_variable_reassigned(x):
    total = 0.0
    for i in range(4):
        total += x[i]
        i = 3 - i
        total += x[i] * i
    return total * i


def loop_variable_after_the_loop(x):
    for i in range(2):
        y = x[i]
    for v in x:
        v = v * 2
        y = y + v
    return y * v * i


def alias_then_added_to(x):
    y = x.copy()
    z = y
    z += x[::-1]
    return np.sum(y * z)


def added_to_after_its_square(x):
    y = x * 2
    z = y * y
    w = np.exp(y)
    y += 1.0
    y *= z
    return np.sum(y * w)


def view_of_the_input_written(x):
    v = x[1:3]
    w = v * v
    v[:] = 0.5
    return np.sum(w) + np.sum(x * x)


def deleted_and_bound_again(x):
    y = x * 2
    total = np.sum(y)
    del y
    y = x[0]
    return total * y


@pytest.mark.parametrize("function", [
    first_bound_in_a_branch_in_a_loop, loop_variable_reassigned, loop_variable_after_the_loop,
    alias_then_added_to, added_to_after_its_square, view_of_the_input_written,
    deleted_and_bound_again])
def test_names_and_aliases(function):
    check(function, (X.copy(),))


def test_a_view_of_an_input_is_returned_as_numpy_returns_it():
    def f(x):
        return x[1:], x.T, x.reshape(2, 2), x

    x = X.copy()
    for mine, plain in zip(sg.jit(f)(x), f(x)):
        assert same(mine, plain) and np.shares_memory(mine, x)
    out, pullback = sg.vjp(lambda x: x[1:], x)
    assert np.shares_memory(out, x)
    (slope,) = pullback(np.ones(3))
    assert not np.shares_memory(slope, x) and slope.tolist() == [0, 1, 1, 1]


# ---- arrays of every sort --------------------------------------------------------------------
def polynomial(x):
    return np.sum(x ** 2 * 0.5 + np.sin(x) * x)


def slope_of_polynomial(x):
    return x + np.cos(x) * x + np.sin(x)


ARRAYS = {
    "read-only": np.broadcast_to(np.arange(3.0), (3,)).copy(),
    "zero strides": np.broadcast_to(1.5, (3, 2)), "zero strides on one axis":
    np.broadcast_to(np.arange(3.0), (2, 3)), "reversed": X[::-1], "every second": X[::2],
    "Fortran order": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "big endian": X.astype(">f8"),
    "big endian float32": X.astype(">f4"), "float32": X.astype("f4"), "float16": X.astype("f2"),
    "0-d": np.array(2.0), "empty": np.zeros(0), "one element": np.ones(1), "rank 3":
    np.arange(8.0).reshape(2, 2, 2), "unaligned": np.frombuffer(
        b"\0" + np.arange(3.0).tobytes(), offset=1), "transposed": np.ones((2, 3)).T,
}
ARRAYS["read-only"].flags.writeable = False


@pytest.mark.parametrize("name", ARRAYS)
def test_every_sort_of_array(name):
    x = ARRAYS[name]
    before = x.tobytes()
    df = sg.value_and_grad(polynomial)
    df(X)  # another signature first
    value, slope = df(x)
    assert same(value, polynomial(x))
    tolerance = 1e-2 if x.dtype.itemsize == 2 else 1e-5
    np.testing.assert_allclose(slope, slope_of_polynomial(x), rtol=tolerance)
    assert type(slope) is np.ndarray and slope.shape == x.shape
    assert slope.dtype == x.dtype.newbyteorder("=") or slope.dtype == x.dtype
    assert slope.flags.writeable and not np.shares_memory(slope, x)
    assert len(set(slope.strides)) or slope.size < 2
    slope += 1.0  # no two elements in one place
    np.testing.assert_allclose(slope, slope_of_polynomial(x) + 1.0, rtol=tolerance)
    assert x.tobytes() == before


def test_writes_to_read_only_arguments_raise_as_in_numpy():
    def f(x):
        x[0] = 1.0
        return np.sum(x)

    df = sg.grad(f)
    df(X.copy())
    with pytest.raises(ValueError, match="read-only"):
        df(ARRAYS["read-only"])


@pytest.mark.parametrize("number", [2.0, np.float64(2.0), np.float32(2.0), np.array(2.0),
                                    np.array(2.0, "f4"), 2.0 + 0j][:5], ids=repr)
def test_scalars_and_0d_arrays_keep_their_kind(number):
    value, slope = sg.value_and_grad(lambda x: x * x * 3.0)(number)
    assert type(slope) is type(number) and np.shape(slope) == ()
    assert same(value, number * number * 3.0)
    if not isinstance(number, float) or isinstance(number, np.generic):
        assert slope.dtype == number.dtype


@pytest.mark.parametrize("reduction", [
    np.mean, np.std, np.var, np.max, np.min, np.median, np.ptp, np.linalg.norm,
    lambda x: x.mean() * x.std(), lambda x: np.sum(x / np.max(x)), lambda x: np.prod(x) ** 0.5])
def test_float32_is_kept(reduction):
    x = X.astype(np.float32)
    value, slope = sg.value_and_grad(reduction)(x)
    assert same(value, reduction(x)) and value.dtype == np.float32
    assert slope.dtype == np.float32


def test_squares_of_negative_numbers_and_powers_of_zero():
    x = np.array([-2.0, 0.0, 3.0])
    assert sg.grad(lambda x: np.sum(x ** 2))(x).tolist() == [-4.0, 0.0, 6.0]
    assert sg.grad(lambda x: np.sum(x ** 3))(x).tolist() == [12.0, 0.0, 27.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = sg.grad(lambda x, y: np.sum(x ** y), argnums=(0, 1))(
            np.array([0.0, 2.0]), np.array([2.0, 3.0]))
    assert first.tolist() == [0.0, 12.0]
    np.testing.assert_allclose(second, [0.0, 8 * np.log(2)])
    assert sg.grad(lambda x: x ** 0)(0.0) == 0.0
    assert sg.grad(lambda x: np.sum(x ** np.array([0, 1, 2])))(np.zeros(3)).tolist() == [0, 1, 0]


@pytest.mark.parametrize("operation", [
    lambda a, b: a / b, lambda a, b: a ** b, lambda a, b: b ** a, lambda a, b: b / a - a // b,
    lambda a, b: np.arctan2(a, b), lambda a, b: np.hypot(a, b) % 1.5])
@pytest.mark.parametrize("shapes", [((3, 1), (1, 4)), ((4,), (3, 4)), ((2, 3, 4), (3, 1)),
                                    ((), (3,)), ((1,), (5,))], ids=str)
def test_broadcasting(operation, shapes):
    rng = np.random.default_rng(0)
    args = tuple(rng.random(s) + 0.5 for s in shapes)
    check(lambda a, b: np.sum(operation(a, b)), args, passes=False, staged=False, oracle=False)


# ---- exceptions and warnings -----------------------------------------------------------------
def half_way(x, y):
    x[0] = 9.0
    y *= 2.0
    if np.sum(x) > 3:
        x[1] = 8.0
        raise RuntimeError("half-way")
    return np.sum(x * y)


def half_way_in_a_loop(x, y):
    for i in range(len(x) + 1):
        y[i % 2] += x[i]
        x[i] = -1.0
    return np.sum(x * y)


def half_way_in_numpy(x, y):
    y += 1.0
    z = x.reshape(2, 2)
    z[1] = 5.0
    return np.sum(np.linalg.inv(np.outer(y, y)) @ x)


@pytest.mark.parametrize("function", [half_way, half_way_in_a_loop, half_way_in_numpy])
def test_exceptions_half_way_leave_what_numpy_leaves(function):
    plain, mine = (X.copy(), X.copy()), (X.copy(), X.copy())
    with pytest.raises(Exception) as wanted:
        function(*plain)
    for transform in (sg.value_and_grad, sg.jit):
        mine = (X.copy(), X.copy())
        with pytest.raises(type(wanted.value)) as found:
            transform(function)(*mine)
        assert str(found.value) == str(wanted.value)
        assert [a.tolist() for a in mine] == [a.tolist() for a in plain]
        text = "".join(getattr(found.value, "__notes__", ())) + "".join(
            str(line) for line in _lines(found.value))
        assert "test_must_hold.py" in text


def _lines(error):
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame.f_code.co_filename
        traceback = traceback.tb_next


def test_warnings_are_those_of_numpy():
    def f(x):
        return np.sum(np.log(x) + 1.0 / x)

    x = np.array([0.0, 1.0])

    def caught(call):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            call()
        return [str(w.message) for w in found]

    primal = sg.jit(f)
    caught(lambda: primal(x))
    assert caught(lambda: primal(x)) == caught(lambda: f(x))


@pytest.mark.parametrize("function", [
    polynomial, lambda x: np.linalg.norm(x) / np.prod(x), lambda x: np.mean(np.log(x)) ** 3,
    lambda x: np.sum(np.where(x > 2, np.sqrt(x), 1 / x)), lambda x: np.logaddexp.reduce(x),
    lambda x: np.linalg.solve(np.diag(x), x)[0] * x[1], lambda x: np.sum(np.cumprod(x)[::-1] / x)])
def test_first_call_under_strict_floating_point(function):
    with np.errstate(all="raise"):
        value, slope = sg.value_and_grad(function)(X)
    assert same(value, function(X))
    assert same(slope, sg.value_and_grad(function)(X)[1])


# ---- one text --------------------------------------------------------------------------------
def stencil(x, rate):
    u = x.copy()
    for _ in range(3):
        u[1:-1] += rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    best = u[0]
    for i in range(0, len(u), max(1, len(u) // 3)):
        if u[i] > best:
            best = u[i]
    return best * np.mean(u ** 2)


def test_one_text_for_three_64_and_100_000():
    df = sg.value_and_grad(stencil)
    texts = []
    for n in (3, 64, 100_000):
        x = np.cos(np.arange(float(n)))
        value, slope = df(x, 0.1)
        assert same(value, stencil(x, 0.1)) and slope.shape == (n,)
        texts.append(df.source())
        direction = np.sin(np.arange(float(n)))
        step = 1e-6
        want = (stencil(x + step * direction, 0.1) - stencil(x - step * direction, 0.1)) / (2 * step)
        assert np.isclose(slope @ direction, want, rtol=1e-4, atol=1e-6)
    assert df.cache_info().misses == 1 and len(set(texts)) == 1


def program(x, n, mode):
    state = {"a": x, "b": [x[0], n]}
    for key in sorted(state):
        if key == "a" and mode == "fast":
            state["a"] = np.tanh(state["a"]) * n
    names = {"u", "v", "w"}
    total = sum(len(name) for name in names) * np.sum(state["a"])
    for i in range(n):
        total = total + state["b"][0] * i if i % 2 else total * 0.5
    return total


CALLS = [(X, 2, "fast"), (X, 3, "slow"), (X.astype("f4"), 2, "fast"), (np.ones(1), 2, "slow"),
         (X.astype("f2"), 5, "fast")]


def texts_in_order(order):
    df = sg.value_and_grad(program)
    texts = {}
    for k in order:
        texts[k] = df.source(*CALLS[k])
    return [texts[k] for k in sorted(texts)]


def test_text_does_not_depend_on_the_order_of_calls():
    first = texts_in_order([0, 1, 2, 3, 4])
    for order in ([4, 3, 2, 1, 0], [2, 0, 4, 1, 3], [3, 1, 0, 2, 4]):
        assert texts_in_order(order) == first


def test_text_is_the_same_in_every_process():
    code = (f"import sys; sys.path.insert(0, {str(HERE.parent)!r}); import test_must_hold as t; "
            "print('\\n'.join(t.texts_in_order([2, 0, 1, 4, 3]) + [t.sg.grad(t.stencil).source("
            "t.X, 0.1)]))")
    root = str(HERE.parents[2])
    found = set()
    for seed in ("0", "1", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": seed,
               "PYTHONPATH": os.pathsep.join([root, str(HERE.parents[1] / "support"),
                                             os.environ.get("PYTHONPATH", "")])}
        found.add(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True,
                                 text=True, check=True).stdout)
    assert len(found) == 1 and "def program_value_and_grad" in found.pop()


# ---- threads ---------------------------------------------------------------------------------
def in_threads(count, work):
    barrier, errors = threading.Barrier(count), []

    def run(number):
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []


def test_eight_threads_compile_one_function_once():
    df = sg.value_and_grad(stencil)
    x = np.linspace(0, 1, 30)
    results = [None] * 8

    def work(number):
        results[number] = df(x, 0.1)

    in_threads(8, work)
    assert df.cache_info().misses == 1
    assert all(same(r, results[0]) for r in results)


def test_eight_threads_compile_many_functions_and_signatures():
    functions = [polynomial, stencil, program, loop_variable_reassigned, added_to_after_its_square]
    compiled = [sg.value_and_grad(f) for f in functions]
    arguments = [[(X,), (X.astype("f4"),), (np.ones((2, 2)),)], [(X, 0.1), (X, np.float64(0.1))],
                 CALLS, [(X,)], [(X,), (X.astype("f4"),)]]
    wanted = [[run_quietly(sg.value_and_grad(f), copy.deepcopy(a)) for a in group]
              for f, group in zip(functions, arguments)]

    def work(number):
        for turn in range(3):
            for k in range(len(functions)):
                place = (k + number) % len(functions)
                for a, want in zip(arguments[place], wanted[place]):
                    assert same(compiled[place](*copy.deepcopy(a)), want)

    in_threads(8, work)
    assert [df.cache_info().currsize for df in compiled] == [len(g) for g in arguments]


def test_generated_code_is_re_entrant():
    """A callback that calls the same gradient while it runs."""
    seen = []

    def f(x, depth):
        if depth > 0:
            seen.append(depth)
        return np.sum(x * x) * depth

    df = sg.grad(f)
    outer = sg.grad(lambda x: np.sum(df(x, 2) * x))
    np.testing.assert_allclose(outer(X), 8 * X)
    out, pullback = sg.vjp(lambda x: x * np.sum(x), X)
    other, second = sg.vjp(lambda x: x * np.sum(x), 2 * X)
    first = pullback(np.ones(4))[0]
    second(np.ones(4))
    assert same(pullback(np.ones(4))[0], first)


# ---- bad input -------------------------------------------------------------------------------
BAD = [np.arange(3), 3, "text", None, True, np.ma.array([1.0]),
       np.array([1.0, None]), np.zeros(2, dtype=[("a", float)]), np.array(["a"]), b"x", object()]


@pytest.mark.parametrize("bad", BAD, ids=lambda b: type(b).__name__)
def test_bad_input_leaves_the_cache_and_the_arguments(bad):
    ran = []

    def f(x):
        ran.append(1)
        return np.sum(x)

    df = sg.grad(f)
    df(X)
    ran.clear()
    info, before = df.cache_info(), repr(bad)
    with pytest.raises(sg.SrcgradError) as caught:
        df(bad)
    assert ran == [] and repr(bad) == before
    assert df.cache_info().currsize == info.currsize
    assert "Why:" in str(caught.value) and "Fix:" in str(caught.value)
    assert df(X).tolist() == [1.0] * 4


def test_a_refusal_leaves_objects_as_they_were():
    class Model:
        def __init__(self):
            self.w, self.count, self.log = X.copy(), 0, []

    def f(model, x):
        model.count += 1
        model.log.append(x)
        model.w[0] = 5.0
        return np.array([x, None], dtype=object)[0].sum() * np.sum(model.w)

    model = Model()
    with pytest.raises(sg.SrcgradError):
        sg.grad(f, argnums=1)(model, X)
    assert (model.count, model.log, model.w.tolist()) == (0, [], X.tolist())


def test_error_handling_of_numpy_is_as_it_was_after_an_exception(tmp_path):
    def f(x):
        with np.errstate(all="ignore"):
            y = np.log(x)
            if x[0] > 5:
                raise RuntimeError("too large")
            y = np.linalg.inv(np.outer(y, y) + np.diag(x))
        return np.sum(y)

    before = np.geterr()
    for transform in (sg.value_and_grad, sg.jit):
        df = transform(f)
        df(X)
        with pytest.raises(RuntimeError, match="too large"):
            df(X * 6)
        assert np.geterr() == before
    sg.vjp(f, X)
    with pytest.raises(RuntimeError):
        sg.vjp(f, X * 6)
    assert np.geterr() == before
    file = sg.grad(f).export(tmp_path / "exported_errors.py", X)
    space = {}
    exec(file.read_text(), space)
    with pytest.raises(RuntimeError):
        space["f_grad"](X * 6)
    assert np.geterr() == before


class Rejected(ValueError):
    def __init__(self, code, reason="none"):
        super().__init__(f"{code}: {reason}")
        self.code = code


def raised_with_arguments(x):
    if x[0] > 0.5:
        raise Rejected(3, reason=f"x is {x[0]}")
    return np.sum(x)


def raised_later(x):
    error = Rejected(float(x[1]))
    for v in x:
        if v > 2:
            raise error
    return np.sum(x)


def raised_always(x):
    raise Rejected(len(x), f"{x[0]:.1f}")


@pytest.mark.parametrize("function", [raised_with_arguments, raised_later, raised_always])
def test_exceptions_of_the_users_classes(function):
    for x in (X, X * 3):
        with pytest.raises(Rejected) as wanted:
            function(x)
        for transform in (sg.grad, sg.value_and_grad, sg.jit):
            with pytest.raises(Rejected) as found:
                transform(function)(x)
            assert str(found.value) == str(wanted.value)
            assert found.value.code == wanted.value.code
        with pytest.raises(Rejected):
            sg.vjp(function, x)


def test_a_caught_exception_of_the_users_class():
    def f(x):
        try:
            if x[0] > 0.5:
                raise Rejected(5)
        except Rejected as error:
            return np.sum(x) * error.code
        return np.sum(x * x)

    for x in (X, X / 10):
        try:
            value, slope = sg.value_and_grad(f)(x)
        except sg.SrcgradError:
            continue
        assert value == f(x) and slope[1] == (5.0 if x[0] > 0.5 else 2 * x[1])


def test_what_would_fail_in_a_loop_that_does_not_run():
    def rows(a):
        total = a[0, 0]
        for j in range(1, len(a)):
            total += a[1, j] * a[j, 0]
        return total

    def steps(x, n):
        total = x[0]
        for _ in range(n):
            total += x[9]
        while total > 100:
            total += x[7]
        return total

    df, dg = sg.grad(rows), sg.grad(steps)
    assert df(np.ones((1, 1))).tolist() == [[1.0]]
    assert df(np.ones((2, 2))).tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert dg(np.ones(2), 0).tolist() == [1.0, 0.0]
    for args in ((np.ones(2), 1), (np.full(2, 101.0), 0)):
        with pytest.raises(IndexError) as plain:
            steps(*args)
        with pytest.raises(IndexError) as caught:
            dg(*args)
        assert str(caught.value) == str(plain.value)


def test_a_power_of_a_negative_float_has_no_real_derivative():
    def f(x):
        return (-x) ** 0.5

    assert abs(f(2.0)) == pytest.approx(np.sqrt(2.0))  # plain Python gives a complex number
    with pytest.raises(ValueError, match="math domain error"):
        sg.grad(f)(2.0)
    assert sg.grad(f)(-2.0) == pytest.approx(-0.5 / np.sqrt(2.0))
    # where its absolute value is asked for, there is a derivative: test_complex_powers.py
