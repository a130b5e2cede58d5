"""Calls of the functions that library code calls back, and systems with their Jacobians.

A *callback* is a function with a ``pullback``, a callback in its turn
(:class:`srcgrad.graph.callback.Callback`), so that both functions here have rules that use nothing
but themselves.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, sequence, vjp
from srcgrad.rules.broadcast import runtime


@runtime
def evaluated(function: Any, inputs: Any) -> Any:
    """``function(*inputs)``."""
    return function(*inputs)


@vjp(evaluated, "inputs", sequence=True)
def evaluated_inputs(ct: Any, function: Any, inputs: Any) -> list[Any]:
    cts = ct if function.many else (ct,)
    active = [i for i, c in enumerate(cts) if c is not None]
    back = function.pullback(of=active)
    found = evaluated(back, (*inputs, *(cts[i] for i in active)))
    return placed(back.like, found, len(inputs))


def placed(places: Any, found: Any, count: int, first: int = 0) -> list[Any]:
    """One item for each input from ``first`` on, from those at ``places``."""
    items = dict(zip(places, found))
    return [items.get(i) for i in range(first, count)]


@runtime
def jacobian_solution(back: Any, inputs: Any, b: Array, transposed: bool) -> Array:
    """The solution ``w`` of ``J @ w = b`` (``J.T @ w = b`` if ``transposed``), where the callback
    ``back`` gives ``(J.T @ seed,)`` for ``(*inputs, seed)``.

    >>> back = lambda x, seed: (2.0 * x * seed,)
    >>> jacobian_solution(back, (np.array([1.0, 2.0]),), np.array([4.0, 4.0]), False)
    array([2., 1.])
    """
    if np.ndim(b) == 0:
        return b / back(*inputs, 1.0)[0]
    units = np.eye(np.size(b)).reshape(-1, *np.shape(b))
    rows = np.stack([np.ravel(back(*inputs, unit)[0]) for unit in units])
    return np.reshape(np.linalg.solve(rows.T if transposed else rows, np.ravel(b)), np.shape(b))


vjp(jacobian_solution,
    b=lambda ct, back, inputs, transposed: jacobian_solution(back, inputs, ct, not transposed))


@vjp(jacobian_solution, "inputs", sequence=True)
def jacobian_solution_inputs(ct: Array, ans: Array, back: Any, inputs: Any, transposed: bool
                             ) -> list[Any]:
    v = jacobian_solution(back, inputs, ct, not transposed)
    seed, other = (ans, v) if transposed else (v, ans)
    second = back.pullback([i for i in back.varying if i < len(inputs)])
    return placed(second.like, evaluated(second, (*inputs, seed, -other)), len(inputs))


@runtime
def settled(condition: Any, back: Any, inputs: Any) -> Array:
    """The root ``inputs[0]`` of ``condition(*inputs)``, whose Jacobian ``back`` gives, by Newton's
    steps from where a search has stopped: a derivative follows from the equation only where it
    holds.

    >>> condition, back = lambda x: x * x - 4.0, lambda x, seed: (2.0 * x * seed,)
    >>> settled(condition, back, (2.0001,))
    2.0
    """
    x, *rest = inputs
    scale, before = max(1.0, np.max(np.abs(x), initial=0.0)), np.inf
    while np.size(x):
        found = condition(x, *rest)
        residual = found[0] if isinstance(found, tuple) else found
        step = jacobian_solution(back, (x, *rest), residual, False)
        length, left = np.max(np.abs(step)), np.max(np.abs(residual))
        if length <= 1e-9 * scale:
            break
        if not (length <= 1e-2 * scale and left <= before / 2):
            raise ValueError(
                "the derivative of a solution where its equation does not hold (the gradient does "
                "not vanish at a minimum, for instance as there is a kink): a search that has not "
                "converged has none; ask for smaller tolerances, or minimise a smooth function")
        x, before = x - step, left
    return x


vjp(settled, sequence=True, inputs=lambda ct, inputs: placed([0], [ct], len(inputs)))


# ---- operators -------------------------------------------------------------------------------
METHODS = ("gmres", "cg", "minres", "bicgstab", "lgmres", "gcrotmk")


def with_item(args: Any, place: int, item: Any) -> tuple[Any, ...]:
    """``args`` with ``item`` before the one at ``place``."""
    return (*args[:place], item, *args[place:])


@runtime
def krylov(function: Any, b: Array, args: Any, place: int, settings: Any) -> Array:
    """The solution ``x`` of ``function(*args) == b`` with ``x`` at ``place`` among the arguments,
    in which the function (or the only one of its results) is linear.

    >>> krylov(lambda v, k: k * v, np.array([2.0, 8.0]), (np.array([1.0, 2.0]),), 0,
    ...        {"method": "cg", "rtol": 1e-12})
    array([2., 4.])
    """
    linalg = importlib.import_module("scipy.sparse.linalg")
    method = settings["method"]
    options = {k: v for k, v in settings.items() if k != "method" and v is not None}
    if method == "minres":  # has one tolerance only
        options.pop("atol", None)
    shape, size = np.shape(b), np.size(b)

    def product(v: Any) -> Any:
        found = function(*with_item(args, place, np.reshape(v, shape)))
        found = found[0] if isinstance(found, tuple) else found
        if np.size(found) != size:
            raise ValueError(f"the operator makes an array of shape {np.shape(found)} of one of "
                             f"shape {shape}, which is that of the right-hand side")
        return np.ravel(found)

    operator = linalg.LinearOperator((size, size), matvec=product, dtype=float)
    x, info = getattr(linalg, method)(operator, np.ravel(b), **options)
    if info != 0:
        left = np.linalg.norm(product(x) - np.ravel(b)) / (np.linalg.norm(b) or 1.0)
        raise np.linalg.LinAlgError(
            f"{method} did not converge: the residual is {left:.3g} times the right-hand side; "
            "allow for more iterations (maxiter=) or a larger residual (rtol=), or use another "
            "method")
    found: Array = np.reshape(x, shape)
    return found


@vjp(krylov, "b", "args")
def krylov_inputs(ct: Array, ans: Array, function: Any, b: Array, args: Any, place: int,
                  settings: Any) -> tuple[Array, list[Any]]:
    inputs = with_item(args, place, ans)
    weights = krylov(function.pullback([place]), ct, inputs, len(inputs), settings)
    moved = function.pullback([i for i in function.varying if i != place and i < len(inputs)])
    found = placed(moved.like, evaluated(moved, (*inputs, -weights)), len(inputs))
    return weights, found[:place] + found[place + 1:]


sequence(krylov, "args")
