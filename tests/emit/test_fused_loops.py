"""Adjoint loops that need nothing of later iterations are part of the loops whose adjoints they
are: nothing is kept for them."""

import tracemalloc

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.show.lines import generated_lines

R = np.random.default_rng(5)
X = R.normal(size=(7, 3))
W = R.normal(size=7)


def pairs(x, w):
    total = 0.0
    for i in range(len(x)):
        d = x[i + 1:] - x[i]
        r = np.sqrt(np.sum(d ** 2, axis=1) + 0.01)
        total += np.sum(w[i] * w[i + 1:] / r)
    return total


def in_range(x, w):
    total = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            d = x[i] - x[j]
            r2 = d @ d
            if 0.1 < r2 < 9.0:
                s = (1.0 / r2) ** 3
                total += w[j] * (s * s - s)
    return total / len(x)


def roots(x, w):
    total = 0.0
    for start in w:
        y, step = 2.0 + start ** 2, 1.0
        while abs(step) > 1e-12:
            f = y ** 3 + x[0, 0] ** 2 * y - x[1, 1]
            step = f / (3 * y ** 2 + x[0, 0] ** 2)
            y = y - step
        total += y
    return total


def errors(x, w):
    total, hits = 0.0, 0
    for row, target in zip(x, w):
        error = np.tanh(row @ row) - target
        if abs(error) < 1.0:
            total += 0.5 * error ** 2
            hits += 1
        else:
            total += abs(error) - 0.5
    return total / len(w) + 0.0 * hits


def in_place(x, w):
    y = x.copy()
    total = 0.0
    for i in range(len(y)):
        y[i] = np.sin(y[i]) * w[i]
        total += np.exp(y[i]) @ y[i]
        y[i] *= 2.0
    return total + np.sum(y ** 2)


def listed(x, w):
    return sum(np.exp(np.sin(row) @ row) * v for row, v in zip(x, w))


def of_the_sum(x, w):
    total = 0.0
    for row in x:
        total += np.exp(np.sin(row) @ row)
    return total ** 2


def carried(x, w):
    y = np.ones(3)
    for row in x:
        y = np.sin(y * row)
    return np.sum(y)


def ending(x, w):
    total = 0.0
    for row, v in zip(x, w):
        if v > 1.5:
            break
        total += np.exp(np.sin(row) @ row)
    return total


FUSED = [pairs, in_range, roots, errors, listed]
APART = [in_place, of_the_sum, carried, ending]


@pytest.mark.parametrize("program", FUSED + APART)
def test_gradient(program):
    for of in (0, 1):
        df = sg.value_and_grad(program, of)
        value, slope = df(X, W)
        assert np.asarray(value).tobytes() == np.asarray(program(X, W)).tobytes()
        given = [X, W]
        direction = R.normal(size=given[of].shape)
        ends = []
        for sign in (1e-6, -1e-6):
            moved = [*given]
            moved[of] = given[of] + sign * direction
            ends.append(program(*moved))
        assert np.sum(slope * direction) == pytest.approx(
            (ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)
        np.testing.assert_allclose(sg.vjp(program, X, W)[1](1.0)[of], slope, rtol=1e-12,
                                   atol=1e-20)
        if program is not roots:
            sg.check_grads(program, (X, W), order=2)


@pytest.mark.parametrize("program", FUSED)
def test_one_loop_does_both(program):
    text = sg.value_and_grad(program).source(X, W)
    assert "# kept" not in text and "\n    # ---- backward" not in text
    if program in (in_range, errors):  # the forward part's branch, and what follows in it
        assert text.count("if ") == 1 and text.count("t1 ** 3") == (program is in_range)
    if program is roots:
        assert "kept.append((y, step))" in text and " in reversed(kept):" in text
    else:
        assert "reversed" not in text


def test_memory_does_not_grow_with_iterations():
    df = sg.value_and_grad(errors)

    def peak(n):
        x, w = R.normal(size=(n, 3)), R.normal(size=n)
        df(x, w)
        tracemalloc.start()
        df(x, w)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found - x.nbytes  # the gradient

    assert peak(2000) < peak(20) + 1000
    assert df.memory(X, W).kept == ()


def test_what_is_written_in_order_stays_in_order(capsys):
    def told(x):
        total = 0.0
        for v in x:
            total += np.exp(v) * v
            print(f"{total:.3f}")
        return total

    value, slope = sg.value_and_grad(told)(W)
    lines = capsys.readouterr().out
    assert value == told(W) and lines == capsys.readouterr().out
    np.testing.assert_allclose(slope, np.exp(W) * (1 + W), rtol=1e-14)


def test_lines_know_their_part():
    emitted = sg.value_and_grad(errors)._entry((X, W), {}, "source").emitted
    lines = generated_lines(emitted.text, emitted.line_map)
    sides = {side: [n.text.strip() for n in lines if n.side == side] for side in ("adjoint", "forward")}
    assert [t[:7] for t in sides["adjoint"]] == ["d_error", "d_error", "d_x[i] "]
    assert "hits += 1" in sides["forward"] and "else:" not in sides["adjoint"]


def test_the_part_of_a_bad_number_is_told():
    def f(x):
        total = 0.0
        for v in x:
            total += np.sqrt(v) * 2.0
        return total

    with pytest.warns(RuntimeWarning), pytest.raises(sg.NonFiniteValue, match="adjoint part"):
        with sg.debug_nans(infs=True):
            sg.grad(f)(np.array([1.0, 0.0]))
