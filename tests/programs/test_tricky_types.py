"""Mechanisms and refusals of :mod:`tricky`: integers, guards, types, calls, effects."""

from __future__ import annotations

import functools
import json
import linecache
import time

import numpy as np
import pytest
import tricky_calls
import tricky_integers
import tricky_types

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0, 4.0])


def guards(df, kind=None):
    """The guards of the latest specialization, without types, arrays and default values."""
    found = df._entries[0].traced.guards
    return [g for g in found if (g.kind == kind if kind else g.kind not in (
        "type", "array", "is", "equals", "missing", "defaults"))]


def misses(df):
    return df.cache_info().misses


# ---- integers, sizes and guards --------------------------------------------------------------
def test_row_05_parity_is_staged():
    df = sg.grad(tricky_integers.parity)
    df(X, 5)
    df(X, 6)
    assert misses(df) == 1 and "%" in df.source()
    assert df(X, 0).tolist() == [0.0] * 4


WEIGHT = np.array([1.0, 2.0, 3.0, 4.0])
HISTORY = [1.0, 2.0]


def with_history(x):
    return np.sum(x * WEIGHT) / len(HISTORY)


def test_row_07_a_captured_array_is_read_again_a_length_is_checked():
    df = sg.grad(with_history)
    assert df(X).tolist() == (WEIGHT / 2).tolist()
    WEIGHT[0] = 9.0
    try:
        assert df(X)[0] == 4.5 and misses(df) == 1
        HISTORY.append(3.0)
        assert df(X)[0] == 3.0
        HISTORY.pop()
        assert df(X)[0] == 4.5
    finally:
        WEIGHT[0] = 1.0
        del HISTORY[2:]


def test_row_08_a_mask_read_twice_has_one_length():
    df = sg.grad(tricky_integers.mask_read_twice, argnums=(0, 1))
    df(X, X)
    assert guards(df) == [] and ".shape" not in df.source()


def test_row_08_lengths_that_meet_by_chance():
    df = sg.grad(tricky_integers.mask_meets_a_given_length, argnums=(0, 1))
    x, b = np.array([1.0, -1.0, 2.0, 3.0]), np.array([0.5, 2.0, 4.0])
    for b in (b, np.array([3.0])):
        for x in (x, np.array([-1.0, 2.0])):
            try:
                want = tricky_integers.mask_meets_a_given_length(x, b)
            except ValueError:
                continue
            first, second = df(x, b)
            for got, of in ((first, x), (second, b)):
                for i in range(len(of)):
                    ends = []
                    for sign in (1e-6, -1e-6):
                        of[i] += sign
                        ends.append(tricky_integers.mask_meets_a_given_length(x, b))
                        of[i] -= sign
                    assert np.isclose(got[i], (ends[0] - ends[1]) / 2e-6, rtol=1e-5)


def test_row_09_equal_expressions_need_no_guard_others_one():
    alone = sg.grad(lambda x: np.sum(x[1:] - x[:-1]))
    alone(X)
    assert guards(alone) == []
    df = sg.grad(tricky_integers.differences_times_weights, argnums=(0, 1))
    df(X, X[1:])
    assert len(guards(df)) == 1
    first, second = df(np.array([1.0, 3.0]), np.array([2.0]))
    assert first.tolist() == [-2.0, 2.0] and second.tolist() == [2.0]
    first, second = df(np.array([1.0, 3.0]), np.array([2.0, 3.0, 4.0]))  # n == 2: broadcasting
    assert first.tolist() == [-9.0, 9.0] and second.tolist() == [2.0] * 3


def test_row_18_the_axis_is_guarded_the_loop_is_not():
    df = sg.grad(tricky_integers.axis_from_an_int)
    a = np.arange(12.0).reshape(3, 4)
    first = df(a, 2)
    np.testing.assert_allclose(first, 8 * np.repeat(a.sum(1)[:, None], 4, 1))
    assert "for " in df.source() and "range(k)" in df.source()
    second = df(a, 1)
    np.testing.assert_allclose(second, 2 * np.repeat(a.sum(0)[None], 3, 0))
    assert misses(df) == 2


def test_row_20_an_argument_is_guarded_data_are_looked_up():
    df = sg.grad(tricky_integers.table_of_functions)
    df(X, 0)
    np.testing.assert_allclose(df(X, 1), -np.sin(X))
    assert misses(df) == 2

    def by_data(x):
        return np.sum([np.sin, np.cos][int(x[0])](x))

    def by_key(x):
        return np.sum(x) * {1: 2.0, 2: 3.0}[int(x[0])]

    one = np.array([1.5, 0.5, 0.2])
    np.testing.assert_allclose(sg.grad(by_data)(one), -np.sin(one))
    np.testing.assert_allclose(sg.grad(by_data)(one - 1.0), np.cos(one - 1.0))
    np.testing.assert_allclose(sg.grad(by_key)(one), 2.0)
    np.testing.assert_allclose(sg.grad(by_key)(one + 1.0), 3.0)
    with pytest.raises(KeyError):
        sg.grad(by_key)(one + 5.0)


def test_row_24_python_ints_do_not_wrap_and_numpy_ints_do():
    def f(x, s):
        for _ in range(3):
            s = s * 3037000500
        return x * (s % 1000003)

    df = sg.value_and_grad(f)
    assert df(2.0, 7)[0] == f(2.0, 7)
    with np.errstate(over="ignore"):
        assert df(2.0, np.int64(7))[0] == f(2.0, np.int64(7))


SCALE = {"by": 2.0}


def scaled(v, by=2.0):
    return v * by


def uses_scaled(x):
    return np.sum(scaled(x))


def outer_helper(x):
    return uses_scaled(x) * 2


def other_scaled(v):
    return v * v


def test_row_27_helpers_of_helpers_are_guarded(monkeypatch):
    df = sg.grad(outer_helper)
    assert df(X).tolist() == [4.0] * 4
    monkeypatch.setattr(scaled, "__defaults__", (5.0,))
    assert df(X).tolist() == [10.0] * 4
    monkeypatch.setitem(globals(), "scaled", other_scaled)
    np.testing.assert_array_equal(df(X), 4 * X)
    monkeypatch.undo()
    assert df(X).tolist() == [4.0] * 4


@pytest.mark.parametrize("hidden", ["len", "range", "type", "TypeError", "MISS", "_target"])
def test_a_module_may_hide_what_python_or_we_call_so(hidden):
    space = {"np": np, "size": 2.0}
    text = """def f(x):
    s = 0.0
    for i in range(len(x)):
        s += size * x[i]
    return s
"""
    name = f"<hidden {hidden}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), space)
    df = sg.grad(space["f"])
    assert df(X).tolist() == [2.0] * 4
    space["size"] = 3.0
    assert df(X).tolist() == [3.0] * 4
    space[hidden] = {"len": lambda x: 1, "range": lambda n: [0, 1]}.get(hidden)
    assert df(X).tolist() == {"len": [3.0, 0.0, 0.0, 0.0], "range": [3.0, 3.0, 0.0, 0.0]}.get(hidden, [3.0] * 4)
    del space[hidden]
    assert df(X).tolist() == [3.0] * 4


def test_row_27_code_and_closures_of_helpers():
    def make(power):
        def helper(v):
            return v ** power

        return helper

    helper = make(2)
    df = sg.grad(lambda x: np.sum(helper(x)))
    np.testing.assert_array_equal(df(X), 2 * X)
    helper.__code__ = make(3).__code__
    helper.__closure__[0].cell_contents = 3
    np.testing.assert_array_equal(df(X), 3 * X ** 2)


def test_row_35_numbers_that_leave_for_c_code_are_refused():
    def stored(x):
        out = np.zeros(2)
        out[0] = x[0] * 2
        memo = np.frompyfunc(lambda v: v, 1, 1)
        return out[0] + memo(x)[0]

    def converted(x):
        return np.sum(x) * np.float64(x[0]).__float__()

    for function in (stored, converted):
        try:
            value = sg.value_and_grad(function)(X)[0]
        except sg.SrcgradError:
            continue
        assert value == function(X)


# ---- types -----------------------------------------------------------------------------------
def test_row_04_no_items_raise_as_in_python():
    df = sg.value_and_grad(tricky_types.zero_becomes_an_array, argnums=(0, 1))
    df(X, np.ones((2, 3)))
    with pytest.raises(AttributeError, match="'int' object has no attribute 'sum'"):
        df(np.zeros(0), np.ones((2, 3)))


def test_row_21_kinds_come_back():
    def f(x):
        z = np.array(3.0)
        z += x[0]
        return z, z * 2, x[1], x[1, ...], float(x[2])

    compiled = sg.jit(f)(X)
    assert [type(a) for a in compiled] == [type(a) for a in f(X)]
    assert [np.ndim(a) for a in compiled] == [0] * 5


def quotient(a, b):
    return a / b


def test_row_22_python_raises_and_numpy_does_not():
    df = sg.value_and_grad(quotient, argnums=(0, 1))
    assert df(1.0, 2.0) == (0.5, (0.5, -0.25))
    with pytest.raises(ZeroDivisionError):
        df(1.0, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, (first, second) = df(np.float64(1.0), np.float64(0.0))
    assert value == np.inf and first == np.inf and second == -np.inf


def test_row_23_a_complex_result_is_refused():
    root = sg.value_and_grad(lambda x: x ** 0.5)
    assert root(4.0) == (2.0, 0.25)
    with pytest.raises((TypeError, ValueError)):
        root(-2.0)


def test_row_23_powers_keep_their_bits():
    rng = np.random.default_rng(0)
    for power in (2, 3, 2.0, 3.0, 0.5, -1, -2.0):
        def f(x):
            return np.sum(x ** power)

        for x in rng.random((20, 5)) + 0.1:
            assert sg.value_and_grad(f)(x)[0] == f(x)


def test_row_26_three_behaviours_of_one_helper():
    def acc(s, v):
        s += v
        return s

    def f(s, v):
        t = acc(s, v)
        return np.sum(s * t)

    df = sg.value_and_grad(f)
    for s in (2.0, np.float64(2.0), np.array([2.0, 3.0]), np.array(2.0)):
        mine, plain = np.copy(s) if isinstance(s, np.ndarray) else s, s
        plain = plain.copy() if isinstance(plain, np.ndarray) else plain
        want = f(plain, 1.0)
        value, slope = df(mine, 1.0)
        assert value == want and np.array_equal(mine, plain)
        assert type(slope) is type(s)


def test_row_30_an_empty_loop_leaves_none():
    def f(x, n):
        best = None
        for i in range(n):
            if best is None or x[i] < best:
                best = x[i]
        return best

    df = sg.grad(f)
    assert df(X, 3).tolist() == [1, 0, 0, 0]
    with pytest.raises(sg.NonScalarOutput, match="None"):
        df(X, 0)


def test_row_33_both_functions_in_one_text():
    df = sg.grad(tricky_types.function_chosen_by_data)
    np.testing.assert_allclose(df(X, 1.0), 2 * np.tanh(X) * (1 - np.tanh(X) ** 2))
    np.testing.assert_allclose(df(X, -1.0), 2 * np.sin(X) * np.cos(X))
    assert misses(df) == 1


def halved(x):
    return x if x < 1 else halved(x / 2)


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


# ---- calls, objects and effects --------------------------------------------------------------
def test_row_13_recursion_on_data_is_right_or_refused():
    for x in (3.7, 0.5, 100.0):
        try:
            value, slope = sg.value_and_grad(halved)(x)
        except sg.SrcgradError as error:
            assert "recurs" in str(error) and "Fix:" in str(error)
            continue
        assert value == halved(x) and slope == halved(x) / x


def test_row_13_recursion_on_data_through_another_function():
    def outer(x):
        return halved(x * 2) * x

    try:
        value, slope = sg.value_and_grad(outer)(3.0)
    except sg.SrcgradError as error:
        assert "recurs" in str(error)
        return
    assert value == outer(3.0) and np.isclose(slope, 2 * outer(3.0) / 3.0)


def test_row_50_recursion_on_an_int_argument_is_right_or_refused():
    df = sg.value_and_grad(power)
    for n in (0, 1, 3, 30):
        try:
            value, slope = df(1.5, n)
        except sg.NonScalarOutput:
            assert n == 0
            continue
        except sg.SrcgradError as error:
            assert "recurs" in str(error)
            continue
        assert value == power(1.5, n) and np.isclose(slope, n * 1.5 ** (n - 1))
def test_row_11_objects_from_outside_change_once_per_call():
    class Body:
        pass

    def f(body, n):
        for _ in range(n):
            body.u = body.u + 0.1 * body.v
            body.v[1:] -= body.u[:-1]
        return np.sum(body.u)

    bodies = []
    for run in (f, sg.jit(f)):
        body = Body()
        body.u, body.v = X.copy(), X.copy()
        run(body, 3)
        bodies.append(body)
    assert bodies[0].u.tolist() == bodies[1].u.tolist()
    assert bodies[0].v.tolist() == bodies[1].v.tolist()


def test_row_14_the_users_generator_gives_what_it_gives_to_numpy():
    rng = np.random.default_rng(0)

    def f(x):
        eps = rng.normal(size=x.shape)
        return np.sum(x * eps)

    df = sg.value_and_grad(f)
    values = [df(X)[0] for _ in range(3)]
    rng = np.random.default_rng(0)
    assert values == [f(X) for _ in range(3)]


def test_row_14_shuffle_writes_to_its_argument_or_is_refused():
    order = np.arange(4)
    rng = np.random.default_rng(1)

    def f(x):
        rng.shuffle(order)
        return np.sum(x[order] * np.arange(4.0))

    df = sg.value_and_grad(f)
    try:
        first = df(X)[0]
    except sg.UnsupportedOperation as error:
        assert "permutation" in str(error) and order.tolist() == [0, 1, 2, 3]
        return
    mine = order.copy()
    rng = np.random.default_rng(1)
    order[:] = np.arange(4)
    assert first == f(X) and mine.tolist() == order.tolist()


def test_row_15_effects_of_one_arm(capsys):
    seen = []

    def f(x):
        loss = np.sum(x)
        if loss > 5:
            print("big", float(loss))
            seen.append(1)
        else:
            seen.append(2)
        return loss

    df = sg.grad(f)
    df(X)
    df(X / 10)
    assert capsys.readouterr().out == "big 10.0\n" and seen == [1, 2]


def test_row_16_inner_gradients_are_not_cached():
    df = sg.grad(lambda w, x: np.sum(sg.grad(lambda v: np.sum((v * x) ** 2))(w) ** 2))
    np.testing.assert_allclose(df(X, X), 8 * X ** 5)
    np.testing.assert_allclose(df(X, 2 * X), 8 * 16 * X ** 5)
    assert misses(df) == 1


def test_row_39_clocks_files_and_caches(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"rate": 2.0}))
    calls = []

    @functools.lru_cache
    def table(n):
        calls.append(n)
        return np.arange(float(n))

    def read(x):
        with open(file) as stream:
            rate = json.load(stream)["rate"]
        return np.sum(x) * rate

    def timed(x):
        return np.sum(x) * (time.time() > 0)

    def cached(x):
        return np.sum(x * table(4))

    assert sg.grad(timed)(X).tolist() == [1.0] * 4
    for function in (read, cached):
        df = sg.grad(function)
        try:
            first = df(X)
        except sg.SrcgradError as error:
            assert "Fix:" in str(error)
            continue
        file.write_text(json.dumps({"rate": 3.0}))
        second = df(X)
        want = [2.0, 3.0] if function is read else [0.0, 0.0]
        assert [first[0], second[0]] == want
        file.write_text(json.dumps({"rate": 2.0}))


def test_row_44_what_may_raise_stays_where_the_value_is_asked_for():
    singular = np.ones((3, 3))
    with pytest.raises(np.linalg.LinAlgError):
        sg.value_and_grad(tricky_calls.unused_inverse)(singular)
    with pytest.raises(np.linalg.LinAlgError):
        sg.jit(tricky_calls.unused_inverse)(singular)
    assert "inv" in sg.value_and_grad(tricky_calls.unused_inverse).source(np.eye(3))


def test_row_44_warnings_stay():
    def f(x):
        y = np.log(x)
        return np.sum(x)

    with pytest.warns(RuntimeWarning, match="divide by zero"):
        sg.value_and_grad(f)(np.array([0.0, 1.0]))


def test_row_47_objects_by_a_traced_key_are_right_or_refused():
    class Item:
        def __init__(self, cost):
            self.cost = cost

    def f(x):
        items = [Item(v * v) for v in x]
        return sum(k * item.cost for k, item in enumerate(sorted(items, key=lambda p: p.cost)))

    x = np.array([3.0, 1.0, 2.0])
    try:
        value = sg.value_and_grad(f)(x)[0]
    except sg.UnsupportedOperation as error:
        assert "argsort" in str(error)
        return
    assert value == f(x)


def test_row_47_a_write_to_a_sorted_array_is_right_or_refused():
    def f(x):
        rows = [x * 3, x * 2]
        low = sorted(rows, key=lambda r: r[0])[0]
        low[:] = 0.0
        return np.sum(rows[1]) + np.sum(rows[0])

    try:
        value = sg.value_and_grad(f)(X)[0]
    except sg.AliasError as error:
        assert ".copy()" in str(error)
        return
    assert value == f(X)
