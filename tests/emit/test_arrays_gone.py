"""Arrays of the forward part that are gone before the backward part ends: those that are cheap to
compute again, and those of which only a size is asked."""

import tracemalloc

import numpy as np
import pytest

import srcgrad as sg

R = np.random.default_rng(7)
X = R.normal(size=(40, 8))
WS = [0.3 * R.normal(size=(4, 4)) for _ in range(5)]


def couplings(ws, x):
    total = 0.0
    for w in ws:
        a, b = x[:, :4], x[:, 4:]
        s = np.tanh(a @ w)
        b = b * np.exp(s) + a
        total = total + np.sum(s)
        x = np.concatenate([b, a], axis=1)
    return np.sum(x ** 2) - total


def dear(ws, x):
    """An exponential is much of all that there is to compute."""
    return np.sum(np.exp(x @ ws)) + 0.0 * np.sum(x)


def overwritten(ws, x):
    s = np.tanh(x[:, :4] @ ws)
    y = x[:, 4:] * np.exp(s)
    s[:] = 0.0
    return np.sum(y ** 2) + np.sum(np.linalg.inv(ws @ ws.T + np.eye(4)) @ ws)


@pytest.mark.parametrize("program, ws", [
    (couplings, WS), (couplings, [w[:, :1] for w in WS[:1]]), (dear, WS[0].repeat(2, 0)),
    (overwritten, WS[0])])
def test_gradient(program, ws):
    value, slope = sg.value_and_grad(program)(ws, X)
    assert value == program(ws, X)
    sg.check_grads(program, (ws, X), order=2)
    many = isinstance(ws, list)
    pulled = sg.vjp(program, ws, X)[1](1.0)[0]
    for one, other in zip(slope if many else [slope], pulled if many else [pulled], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_what_is_cheap_is_computed_where_it_is_read():
    text = sg.value_and_grad(couplings).source(WS, X)
    assert "exp_s" not in text and text.count("* np.exp(s_5)") == 2
    assert "ws_4.shape[1]" in text  # not that of the last b


def test_what_takes_much_or_comes_from_what_changes_is_kept():
    text = sg.value_and_grad(dear).source(WS[0].repeat(2, 0), X)
    assert "t1 = np.exp(x @ ws)\n" in text and "x.T @ t1\n" in text
    assert "exp_s = np.exp(s)\n" in sg.value_and_grad(overwritten).source(WS[0], X)


def test_a_product_of_two_serves_the_product_of_three():
    text = sg.value_and_grad(couplings).source(WS, X)
    _, backward = text.split("# ---- backward")
    assert backward.count("np.exp(s_5)") == 1


def test_peak():
    x = R.normal(size=(2000, 8))
    df = sg.value_and_grad(couplings)
    df(WS, x)

    def peak(f):
        tracemalloc.start()
        f(WS, x)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(df) < 3.6 * peak(couplings)
