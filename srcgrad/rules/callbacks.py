"""Calls of the functions that library code calls back, and systems with their Jacobians.

A *callback* is a function with a ``pullback``, a callback in its turn
(:class:`srcgrad.graph.callback.Callback`), so that both functions here have rules that use nothing
but themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, sequence, vjp
from srcgrad.rules.broadcast import runtime


@runtime
def evaluated(function: Any, inputs: Any) -> Any:
    """``function(*inputs)``."""
    return function(*inputs)


@vjp(evaluated, "inputs")
def evaluated_inputs(ct: Any, function: Any, inputs: Any) -> list[Any]:
    cts = ct if function.many else (ct,)
    active = [i for i, c in enumerate(cts) if c is not None]
    back = function.pullback(of=active)
    found = evaluated(back, (*inputs, *(cts[i] for i in active)))
    return placed(back.like, found, len(inputs))


sequence(evaluated, "inputs")


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


@vjp(jacobian_solution, "b")
def jacobian_solution_b(ct: Array, back: Any, inputs: Any, transposed: bool) -> Array:
    return jacobian_solution(back, inputs, ct, not transposed)


@vjp(jacobian_solution, "inputs")
def jacobian_solution_inputs(ct: Array, ans: Array, back: Any, inputs: Any, transposed: bool
                             ) -> list[Any]:
    v = jacobian_solution(back, inputs, ct, not transposed)
    seed, other = (ans, v) if transposed else (v, ans)
    second = back.pullback([i for i in back.varying if i < len(inputs)])
    return placed(second.like, evaluated(second, (*inputs, seed, -other)), len(inputs))


sequence(jacobian_solution, "inputs")
