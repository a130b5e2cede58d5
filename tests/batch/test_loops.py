"""Adjoint loops as operations on whole arrays: the gradient of the loop, for any number of trips."""

from __future__ import annotations

import linecache
import random

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.compile import backends
from srcgrad.compile.requests import Request
from srcgrad.public.compiled import Compiled

READS = ["x[i]", "w[i]", "x[i + 1]", "x[i - 1]", "a", "y[i]", "w[k[i]]", "i", "x[n - 1 - i]", "A[i, 0]",
         "A[j, i]", "A[i, j]", "z[0]", "0.7", "w[j]", "np.sum(w[:i])", "x[1:i + 1].sum()",
         "A[k[i]].sum()", "A[i].sum()", "np.sum(A[k[i]] * A[j])"]
PLAIN = ["x[i]", "w[i]", "a", "y[i]", "w[i]"]
FORMS = ["{p} * {q}", "{p} + {q}", "np.sin({p}) * {q}", "{p} / (1.0 + {q} ** 2)", "np.exp(-{p} * {q})",
         "{p} ** 2 - {q}", "np.maximum({p}, {q})"]
STORES = ["y[i] = {e}", "y[i] += {e}", "s += {e}", "s -= {e}", "y[i + 1] += {e}", "y[k[i]] += {e}",
          "y[i] *= {e}", "B[i, j] = {e}", "B[j, i] += {e}", "z[0] += {e}", "t = {e}\n{pad}s += t * t",
          "if {e} > 0.2:\n{pad}    s += {e}", "y[j] += {e}"]
BOUNDS = ["range(n)", "range(1, n - 1)", "range(1, n)", "range(len(k))", "range(n - 1)"]
COUNT = 24


def program(seed: int) -> str:
    """A function of x, w, a with a loop, or a loop in a loop."""
    draw = random.Random(seed)
    lines = ["def program(x, w, a, k, A):", "    n = len(x)", "    y = x * 0.5", "    z = np.ones(2) * a",
             "    B = A * 0.3", "    s = 0.0", "    j = 1"]
    pad = "    "
    if draw.random() < 0.4:
        lines.append(f"{pad}for j in range(2):")
        pad += "    "
    lines.append(f"{pad}for i in {draw.choice(BOUNDS)}:")
    pad += "    "
    for _ in range(draw.randint(1, 3)):
        p, q = (draw.choice(draw.choice((READS, PLAIN))) for _ in range(2))
        form = draw.choice(FORMS).format(p=p, q=q)
        lines.append(pad + draw.choice(draw.choice((STORES, STORES[:4]))).format(e=form, pad=pad))
    lines.append("    return s + np.sum(y ** 2) + np.sum(B * A) + z[0]")
    return "\n".join(lines) + "\n"


def function_of(text: str, seed: int):
    name = f"<loop program {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    return namespace["program"]


def arguments(n: int):
    draw = np.random.default_rng(n)
    return (draw.uniform(0.2, 0.9, n), draw.uniform(0.2, 0.9, n + 1), 0.6,
            draw.integers(0, max(n, 1), n), draw.uniform(0.2, 0.9, (n, n)))


def outcome(call):
    with np.errstate(all="ignore"):
        try:
            return call()
        except (IndexError, ValueError, ZeroDivisionError, OverflowError) as error:
            return type(error)


class _Looped(Compiled):
    """The same with the loops as they are."""

    def _specialize(self, *args, **kwargs):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(backends, "batch_loops", lambda graph: graph)
            return super()._specialize(*args, **kwargs)


def check(seed: int) -> bool:
    """Does the gradient with batched loops equal that of the loops?  True if any was batched."""
    text = program(seed)
    fun = function_of(text, seed)
    places = (0, 1, 2, 4)
    request = Request("value_and_grad", places, False)
    batched, looped = Compiled(fun, request), _Looped(function_of(text, -1 - seed), request)
    for n in (14, 3, 2, 1, 0):
        found, wanted = (outcome(lambda df=df, n=n: df(*arguments(n))) for df in (batched, looped))
        if isinstance(wanted, type) or isinstance(found, type):
            assert found is wanted, (text, n, found, wanted)
            continue
        assert found[0] == wanted[0] or np.isnan(wanted[0]), (text, n)
        for ours, theirs in zip(found[1], wanted[1], strict=True):
            assert np.asarray(ours).dtype == np.asarray(theirs).dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12, err_msg=f"{text}{n}")
    return batched.source(*arguments(14)) != looped.source(*arguments(14))


def test_random_loops():
    assert sum([check(seed) for seed in range(COUNT)]) >= COUNT // 12


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(COUNT, 400))
def test_many_random_loops(seed):
    check(seed)


def test_the_text_is_what_one_would_write():
    def stencil(x):
        y = np.zeros(len(x))
        for i in range(1, len(x) - 1):
            y[i] = x[i - 1] * x[i + 1] - 2 * x[i] ** 2
        return np.sum(y ** 2)

    backward = sg.grad(stencil).source(np.ones(5)).partition("---- backward")[2]
    assert "for " not in backward
    sg.testing.assert_grad(stencil, np.linspace(0.1, 1.0, 6))


def test_what_may_raise_is_not_run_without_iterations():
    def first(x, n):
        s = 0.0
        for i in range(n):
            s += x[0] * x[i]
        return s

    df = sg.grad(first)
    np.testing.assert_array_equal(df(np.ones(3), 2), [3.0, 1.0, 0.0])
    assert df(np.empty(0), 0).shape == (0,)
