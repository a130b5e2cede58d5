"""Mechanisms and refusals of :mod:`tricky`: homes, control flow, what is kept."""

from __future__ import annotations

import numpy as np
import pytest
import tricky_control
import tricky_homes

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0, 4.0])


def guards(df, kind=None):
    """The guards of the latest specialization, without types, arrays and default values."""
    found = df._entries[0].traced.guards
    return [g for g in found if (g.kind == kind if kind else g.kind not in (
        "type", "array", "is", "equals", "missing", "defaults"))]


def misses(df):
    return df.cache_info().misses


def kept(df):
    """What the header of the generated code says is kept or copied."""
    return [line for line in df.source().splitlines() if line.startswith(("# kept", "# copied"))]


# ---- homes -----------------------------------------------------------------------------------
def test_row_01_the_arm_writes_to_the_adjoint_through_the_view():
    df = sg.grad(tricky_homes.written_in_an_arm)
    df(X.copy())
    backward = df.source(X.copy()).split("# ---- backward")[1]
    assert "if " in backward and "d_x[1:] *= 2" in backward


def moved_between(a, b):
    a[:-1] += b
    return np.sum(a * a) + np.sum(b)


def test_row_10_overlapping_arguments():
    df = sg.grad(moved_between, argnums=(0, 1))
    df(np.arange(4.0), np.arange(3.0))
    base = np.arange(4.0)
    with pytest.raises(sg.AliasError) as caught:
        df(base, base[1:])
    assert "a" in str(caught.value) and "b" in str(caught.value)
    assert base.tolist() == [0.0, 1.0, 2.0, 3.0] and df.cache_info().currsize == 1


def test_row_10_the_same_array_twice():
    def f(a, b):
        a += b
        return np.sum(a * b)

    mine, plain = X.copy(), X.copy()
    value = f(plain, plain)
    got, slope = sg.value_and_grad(f)(mine, mine)
    assert got == value and mine.tolist() == plain.tolist()
    np.testing.assert_allclose(slope, 8 * X)
    for argnums in (1, (0, 1)):  # the two have no separate derivatives
        with pytest.raises(sg.AliasError, match=r"copy\(\)"):
            sg.grad(f, argnums=argnums)(mine, mine)


def test_row_10_overlap_that_is_only_read_is_no_matter():
    df = sg.grad(lambda a, b: np.sum(a[:-1] * b), argnums=(0, 1))
    first, second = df(X, X[1:])
    assert first.tolist() == [2, 3, 4, 0] and second.tolist() == [1, 2, 3]
    assert misses(df) == 1


def reshaped(x):
    y = x.reshape(-1)
    y[0] = 5
    return np.sum(x * x)


def test_row_25_layout_is_a_guard():
    df = sg.grad(reshaped)
    a = np.ones((3, 4))
    slope = df(a.copy())
    assert slope[0, 0] == 0 and slope[2, 3] == 2
    assert guards(df, "contiguous")
    try:
        slope = df(np.asfortranarray(a))  # the reshape copies: x is not written to
    except sg.AliasError as error:
        assert ".copy()" in str(error)
        return
    assert slope[0, 0] == 2 and misses(df) == 2


def test_row_25_a_reshape_of_a_transpose_is_right_or_refused():
    def f(x):
        y = x.T.reshape(-1)
        y[0] = 5
        return np.sum(x * x) + np.sum(y)

    for x in (np.ones((3, 4)), np.asfortranarray(np.ones((3, 4)))):
        try:
            value = sg.value_and_grad(f)(x.copy(order="K"))[0]
        except sg.AliasError as error:
            assert ".copy()" in str(error)
            continue
        assert value == f(x.copy(order="K"))


def test_row_28_buffers_swap_without_copies():
    text = sg.grad(tricky_homes.double_buffering).source(np.ones(6), 3, 0.2)
    forward = text.split("# ---- backward")[0]
    assert forward.count(".copy()") == 2 and "u, un = un, u" in forward


def test_row_29_a_read_of_what_may_have_been_written_is_right_or_refused():
    def f(x, c):
        y = x if c > 0 else x.copy()
        y += 1
        return np.sum(x * x) * np.sum(y)

    for c in (1.0, -1.0):
        mine, plain = X.copy(), X.copy()
        value = f(plain, c)
        try:
            got, slope = sg.value_and_grad(f)(mine, c)
        except sg.AliasError as error:
            assert ".copy()" in str(error)
            assert mine.tolist() == X.tolist()
            continue
        assert got == value and mine.tolist() == plain.tolist()
        step = 1e-6
        for i in range(4):
            high, low = X.copy(), X.copy()
            high[i] += step
            low[i] -= step
            assert np.isclose(slope[i], (f(high, c) - f(low, c)) / (2 * step), rtol=1e-5)


def test_row_37_gradients_are_separate_and_writable():
    x, y, w = X.copy(), X * 2, X * 3
    slopes = sg.grad(lambda x, y, w: np.sum((x + y) * w), argnums=(0, 1, 2))(x, y, w)
    everything = [*slopes, x, y, w]
    for i, a in enumerate(everything):
        assert a.flags.writeable
        assert not any(np.shares_memory(a, b) for b in everything[i + 1:])


def test_row_37_containers_and_constants():
    p = {"w": X.copy(), "b": [X.copy(), 2.0]}
    slope = sg.grad(lambda p: np.sum(p["w"] + p["b"][0]) + p["b"][1])(p)
    assert not np.shares_memory(slope["w"], slope["b"][0])
    slope["w"] *= 7
    assert slope["b"][0].tolist() == [1, 1, 1, 1] and p["w"].tolist() == X.tolist()


@pytest.mark.parametrize("function", [
    lambda x: np.sum(x ** 2), lambda x: np.sum(np.exp(x) * x), lambda x: x[0] * x[1],
    lambda x: sum(x[i] * x[i - 1] for i in range(1, 4)),
    lambda x: np.linalg.norm(np.outer(x, x) @ x)])
def test_row_38_a_pullback_runs_twice_and_outlives_changes(function):
    x = X.copy()
    _, pullback = sg.vjp(function, x)
    wanted = sg.grad(function)(X)
    (first,) = pullback(1.0)
    x -= 0.1 * first
    (second,) = pullback(2.0)
    np.testing.assert_allclose(first, wanted)
    np.testing.assert_allclose(second, 2 * wanted)


def appended_then_written(u):
    u = u.copy()
    L = []
    for i in range(3):
        L.append(u)
        u[0] += 1
    return np.sum(np.stack(L) * u)


def test_row_49_elements_that_are_written_to_are_right_or_refused():
    value = appended_then_written(X)
    try:
        got, slope = sg.value_and_grad(appended_then_written)(X)
    except sg.AliasError as error:
        assert ".copy()" in str(error)
        return
    assert got == value
    np.testing.assert_allclose(slope, 6 * (X + [3, 0, 0, 0]))


def test_row_49_in_a_list_of_unknown_length():
    def f(u, n):
        u = u.copy()
        L = []
        for i in range(n):
            L.append(u)
            u[0] += 1
        return np.sum(np.stack(L))

    value = f(X, 3)
    try:
        assert sg.value_and_grad(f)(X, 3)[0] == value
    except sg.AliasError as error:
        assert ".copy()" in str(error)


# ---- control flow, lists, residuals ----------------------------------------------------------
def test_row_02_zero_trips_raise_as_in_numpy():
    df = sg.grad(tricky_control.list_filled_by_a_while)
    df(3.0)
    with pytest.raises(ValueError, match="need at least one array to stack"):
        df(0.05)
    assert misses(df) == 1


def test_row_06_returns_take_every_path_with_one_text():
    df = sg.value_and_grad(tricky_control.return_from_the_inner_loop)
    for place in [(0, 0), (1, 2), (2, 1), None]:
        a = np.full((3, 3), 0.3)
        if place is not None:
            a[place] = 0.9
        assert df(a, 0.5)[0] == tricky_control.return_from_the_inner_loop(a, 0.5)
    assert misses(df) == 1
    assert "return " in df.source().split("# ---- backward")[0] or "break" in df.source()


def swallows(x):
    try:
        return np.histogram2d(x, x)[1].sum()
    except Exception:
        return np.sum(x)


def swallows_everything(x):
    try:
        return np.histogram2d(x, x)[1].sum()
    except:  # noqa: E722
        return np.sum(x)


@pytest.mark.parametrize("function", [swallows, swallows_everything])
def test_row_12_the_users_except_never_takes_a_refusal(function):
    with pytest.raises(sg.SrcgradError):
        sg.grad(function)(X)


def test_row_12_both_outcomes_of_one_text():
    df = sg.value_and_grad(tricky_control.solve_with_a_fallback, argnums=1)
    b = np.array([1.0, 3.0])
    for a in (np.diag([2.0, 4.0]), np.ones((2, 2))):
        assert df(a, b)[0] == tricky_control.solve_with_a_fallback(a, b)
    assert misses(df) == 1


def raised_and_caught(x):
    total = 0.0
    try:
        for v in x:
            if v > 2.5:
                raise ValueError("too large")
            total += v
    except ValueError:
        total = total * 2
    return total


def test_row_12_the_users_own_raise_is_right_or_refused():
    for x in (X, X / 4):
        try:
            value = sg.value_and_grad(raised_and_caught)(x)[0]
        except sg.UnsupportedSyntax as error:
            assert "try" in str(error)
            continue
        assert value == raised_and_caught(x)


def test_row_17_an_iterator_that_ends():
    def f(x, n):
        it = iter(range(n))
        total = 0.0
        while total < 5:
            total = total + x[0] * next(it)
        return total

    df = sg.value_and_grad(f)
    value, slope = df(X, 9)
    assert value == f(X, 9) == 6.0 and slope.tolist() == [6.0, 0, 0, 0]
    with pytest.raises(StopIteration):
        df(X, 2)


def test_row_19_bytes_per_iteration_are_explained():
    df = sg.grad(tricky_control.while_on_floats)
    assert "in each iteration" in df.explain(4.0) and "bytes" in df.explain(4.0)
    df = sg.grad(tricky_control.newton_to_convergence)
    assert "in each iteration" in df.explain(X)


def test_row_31_a_range_that_may_be_left_keeps_a_list():
    text = sg.grad(tricky_control.long_range_left_by_break_with_arrays).source(X)
    assert "np.empty((1000000" not in text and ".append(" in text


def test_row_32_nothing_of_varying_length_is_kept():
    df = sg.grad(tricky_control.cholesky)
    df(tricky_control.SPD)
    assert "append" not in df.source() or kept(df)


def test_row_34_ragged_lists_are_unrolled_and_it_is_said():
    x, Ws, bs = X, [np.ones((4, 3)), np.ones((3, 2))], [np.ones(3), np.ones(2)]
    report = sg.grad(tricky_control.ragged_lists).explain(x, Ws, bs)
    assert "unrolled" in report


def test_row_34_thousands_of_equal_arrays_are_one_loop():
    def total(x, layers):
        for w in layers:
            x = np.tanh(x * w)
        return np.sum(x)

    df = sg.grad(total, argnums=(0, 1))
    many = [np.full(3, 1.0 + i / 2000) for i in range(2000)]
    slope, slopes = df(X[:3], many)
    assert len(slopes) == 2000 and len(df.source().splitlines()) < 60
    df(X[:3], many[:1999])
    assert misses(df) == 1
    few = many[:5]
    for i, want in enumerate(df(X[:3], few)[1]):  # unrolled
        high, low = [w.copy() for w in few], [w.copy() for w in few]
        high[i][1] += 1e-6
        low[i][1] -= 1e-6
        assert np.isclose(want[1], (total(X[:3], high) - total(X[:3], low)) / 2e-6)
    for i in (0, 7, 11):
        part = [w.copy() for w in many[:12]]
        slope = df(X[:3], part)[1][i]
        assert np.allclose(slope, sg.vjp(total, X[:3], part)[1](1.0)[1][i])


def test_row_34_a_list_of_equal_arrays_that_become_unlike():
    df = sg.value_and_grad(lambda ws, x: sum(np.sum(w * x) for w in ws))
    ws = [np.ones(2) * i for i in range(12)]
    for change in (lambda: ws.append(np.ones(1)), lambda: ws.append(2.0),
                   lambda: ws.__setitem__(0, np.ones(2, "f4")), lambda: ws.clear() or
                   ws.extend([np.ones((2, 2))[:, 0] for _ in range(12)])):
        value, slopes = df(ws, np.array([1.0, 2.0]))
        assert value == sum(np.sum(w * np.array([1.0, 2.0])) for w in ws)
        assert [np.shape(s) for s in slopes] == [np.shape(w) for w in ws]
        change()
    value, slopes = df(ws, np.array([1.0, 2.0]))
    assert value == 36.0 and len(slopes) == 12


def test_row_41_one_text_for_every_size_and_count():
    df = sg.value_and_grad(tricky_control.heat)
    for size in (0, 1, 2, 3, 9):
        for steps in (-1, 0, 1, 3):
            u = np.linspace(0, 1, size)
            value, slope = df(u, 0.1, steps)
            assert value == tricky_control.heat(u, 0.1, steps) and slope.shape == u.shape


def test_row_42_inner_loops_are_traced_about_twice_per_level():
    df = sg.grad(tricky_control.six_loops)
    df(X, 2)
    assert df._entries[0].traced.rounds <= 6 + 2 * 6 * 2
    assert df(X, 2).shape == (4,)


def none_for_zero(x, y, n):
    if x.shape[0] != y.shape[0]:
        raise ValueError("x and y differ in length")
    if n == 0:
        return None
    return np.sum(x * y) * n


def test_row_43_checks_stay_and_none_is_refused_when_it_happens():
    df = sg.grad(none_for_zero)
    assert df(X, X, 2).tolist() == (2 * X).tolist()
    with pytest.raises(sg.NonScalarOutput, match="None"):
        df(X, X, 0)
    with pytest.raises(ValueError, match="differ in length"):
        df(X, X[1:], 2)


@pytest.mark.parametrize("function", [
    lambda x: np.sum(np.exp(x) * np.sqrt(x)), lambda x: np.linalg.norm(x) / np.prod(x),
    lambda x: np.sum(np.where(x > 1, np.log(x), x)), lambda x: np.max(x) * np.std(x),
    lambda x: np.sum(x ** x) + np.sum(np.arctan2(x, 2)), lambda x: np.sum(np.abs(x - 1.0))])
def test_row_45_gradients_do_not_raise_where_they_are_finite(function):
    with np.errstate(all="raise"):
        value, slope = sg.value_and_grad(function)(X)
    assert np.isfinite(slope).all() and value == function(X)
