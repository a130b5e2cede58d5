"""Second derivatives of random programs with a loop that makes no round, or some."""

from __future__ import annotations

import itertools
import linecache
import random

import numpy as np
import pytest

import srcgrad as sg

BODIES = [
    "s = s * np.max(x) * 0.3",
    "y = np.sort(x); s = s + y[0] * y[-1]",
    "y = x * x + s; s = np.sum(y) * 0.1",
    "s = s + np.linalg.norm(x * (j + 1))",
    "M = np.outer(x, x) + np.eye(len(x)); s = s + np.linalg.det(M) * 0.1",
    "x = x * np.sin(x + j)",
    "w = np.cumprod(x[:2]); s = s * w[-1] + np.prod(x)",
    "L.append(np.max(x) * s)",
    "s = s + np.sum(np.where(x > 0.6, x ** 2, x))",
    "y = np.concatenate([x, x[:1] * s]); s = s + np.std(y)",
    "m = np.maximum(x, 0.5 * s); s = np.sum(m * m)",
    "if x[0] > 0.3:\n            y = np.exp(x); s = s + y.mean()",
    "for i in range(j):\n            s = s + np.max(x) * x[i] ** 2",
    "q = x @ x; s = s * q / (1 + q)",
    "y = [v * v for v in x]; s = s + sum(y)",
    "u, v = x[:1].sum(), x.mean(); s = s + u * v ** 2",
    "x = x.copy(); x[0] = x[0] * s",
    "A = np.vander(x, 3); s = s + (A.T @ A).sum() * 0.1",
]
AFTER = [
    "np.sum(np.cumsum(x)) * s",
    "s * np.max(x)",
    "np.sum(x ** 2) * s ** 2",
    "np.sum(x[::-1] * np.arange(len(x))) + s * np.sum(x)",
    "np.linalg.norm(x) * s",
    "np.sum(np.outer(x, x) * s)",
    "np.sum(np.cumsum(x) * s) + sum(L)",
]
LOOPS = [
    "for j in range(k):",
    "j = 0\n    while j < k:",
    "for j, _ in enumerate(N[:k]):",
    "for j in range(k):\n        if s > 100: break",
]
X, ALONG = np.array([0.4, 0.9, 0.7]), np.array([0.3, -0.2, 0.5])
MATRICES = {
    "fwd of grad": lambda f: sg.jacfwd(sg.grad(f)), "rev of grad": lambda f: sg.jacrev(sg.grad(f)), "hessian": sg.hessian,
    "fwd of fwd": lambda f: sg.jacfwd(sg.jacfwd(f)), "rev of fwd": lambda f: sg.jacrev(sg.jacfwd(f)),
}
PRODUCTS = {
    "hvp": lambda f: lambda x, a, k: sg.hvp(f)(x, a, k, ALONG),
    "grad of grad": lambda f: sg.grad(lambda x, a, k: np.sum(sg.grad(f)(x, a, k) * ALONG)),
    "jvp of grad": lambda f: lambda x, a, k: sg.jvp(lambda x: sg.grad(f)(x, a, k), (x,), (ALONG,))[1],
    "vjp of grad": lambda f: lambda x, a, k: sg.vjp(lambda x: sg.grad(f)(x, a, k), x)[1](ALONG)[0],
}


def program(body, after, loop):
    step = "\n        j += 1" if loop.startswith("j = 0") else ""
    text = f"""def program(x, a, k):
    s = a * 2 + np.sum(x) * 0.1
    L = []
    {loop}
        {body}{step}
    return {after}
"""
    linecache.cache[text] = (len(text), None, text.splitlines(True), text)
    namespace = {"np": np, "N": np.ones(5)}
    exec(compile(text, text, "exec"), namespace)
    return namespace["program"]


PROGRAMS = list(itertools.product(BODIES, AFTER, LOOPS))
random.Random(3).shuffle(PROGRAMS)


@pytest.mark.parametrize("body, after, loop", [
    ("s = s * np.max(x) * 0.3", "np.sum(np.cumsum(x)) * s", "for j in range(k):"),
    ("u = x.mean(); s = s + u * x[:1].sum() ** 2", "np.sum(x ** 2) * s ** 2", "for j in range(k):"),
    ("A = np.vander(x, 3); s = s + (A.T @ A).sum() * 0.1", "np.sum(np.outer(x, x) * s)", "j = 0\n    while j < k:"),
    *(pytest.param(*parts, marks=pytest.mark.sweep) for parts in PROGRAMS[:120]),
])
def test_second_derivatives(body, after, loop):
    function = program(body, after, loop)
    gradient, step = sg.grad(function), 1e-5
    for rounds in (0, 2, 0):
        want = np.array([(gradient(X + step * e, 1.5, rounds) - gradient(X - step * e, 1.5, rounds)) / (2 * step)
                         for e in np.eye(3)]).T
        for transform in MATRICES.values():
            np.testing.assert_allclose(transform(function)(X, 1.5, rounds), want, atol=1e-5, rtol=1e-5)
        for transform in PRODUCTS.values():
            np.testing.assert_allclose(transform(function)(X, 1.5, rounds), want @ ALONG, atol=1e-5, rtol=1e-5)
