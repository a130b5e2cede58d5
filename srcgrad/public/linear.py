"""Linear systems whose matrix is a function: solved by SciPy's iterative methods, differentiated by
the equation that the solution satisfies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..compile.frames import without_internal_frames
from ..errors import StructureError
from ..rules.callbacks import METHODS, krylov
from ..trace.calls.callback import Wanted, lifted
from ..trace.calls.handlers import handles
from ..trace.calls.nested import opened
from ..trace.record.tracers import is_tracer
from ..types.tree import children, flatten, ravel_tree
from . import transforms

T = TypeVar("T")
Array = np.ndarray[Any, np.dtype[Any]]


@without_internal_frames
def linear_solve(matvec: Callable[[T], Any], b: T, *, method: str = "gmres",
                 rtol: float = 1e-10, atol: float = 0.0, maxiter: int | None = None) -> T:
    """The ``x``, of the shape or structure of ``b``, with ``matvec(x) == b``.

    ``matvec`` is linear, from real arrays of the shape of ``b`` (or containers of its structure) to
    such; it may use whatever is around it.  No matrix is formed: ``method`` is one of SciPy's,
    ``"cg"`` and ``"minres"`` for symmetric operators (``cg``: positive definite), ``"gmres"``,
    ``"bicgstab"``, ``"lgmres"`` and ``"gcrotmk"`` for all.  It ends when the residual is below
    ``max(rtol * norm(b), atol)``.

    Inside of a function that is differentiated it is one step with derivatives of any order, with
    respect to ``b`` and to all that ``matvec`` reads: one more solve, with the transposed operator,
    which is derived (Christianson 1998).  The iterations are not differentiated.

    Raises :class:`StructureError` for other methods, for a matrix in the place of ``matvec`` and
    for what is no array of real numbers, ValueError where ``matvec`` gives another number of them,
    and ``numpy.linalg.LinAlgError`` where the method does not converge.

    See also :func:`linear_least_squares`, :class:`implicit`, :func:`srcgrad.scipy.root`.

    >>> import srcgrad as sg
    >>> def energy(stiffness, load):
    ...     x = sg.linear_solve(lambda v: stiffness * v + 0.1 * np.sum(v), load)
    ...     return 0.5 * np.sum(load * x)
    >>> sg.grad(energy)(np.array([2.0, 4.0]), np.ones(2)).round(6)
    array([-0.108167, -0.027042])
    """
    found: Any
    if _is_tree(b):
        found = of_tree(matvec, b, _settings(method, rtol, atol, maxiter))
        return found  # type: ignore[no-any-return]
    given = np.asarray(b)
    _check(matvec, method, given.dtype)
    found = krylov(matvec, given, (), 0, _settings(method, rtol, atol, maxiter))
    return found  # type: ignore[no-any-return]


@without_internal_frames
def linear_least_squares(matvec: Callable[[Any], Any], b: Any, like: T, *, damp: float = 0.0,
                         rtol: float = 1e-10, maxiter: int | None = None) -> T:
    """The ``x``, of the structure of ``like``, that makes the sum of squares of ``matvec(x) - b``
    plus ``damp`` times that of ``x`` least.

    ``matvec`` is linear, from what looks like ``like`` to what looks like ``b``: arrays of real
    numbers, or containers of them.  No matrix is formed: the normal equations are solved by
    conjugate gradients (Hestenes and Stiefel 1952, section 10), with the transposed operator, which
    is derived.  They have one solution if the columns of ``matvec`` are independent or ``damp`` is
    positive, and lose accuracy where it is badly conditioned.

    Inside of a function that is differentiated it has derivatives of any order, with respect to
    ``b``, ``damp`` and all that ``matvec`` reads.

    Raises ValueError where ``matvec(like)`` is not like ``b``, and ``numpy.linalg.LinAlgError``
    where the method does not converge within ``maxiter`` steps.

    See also :func:`linear_solve`, :func:`srcgrad.scipy.least_squares`.

    >>> import srcgrad as sg
    >>> t = np.linspace(0.0, 1.0, 5)
    >>> def line(p):
    ...     return p["height"] + p["slope"] * t
    >>> found = sg.linear_least_squares(line, 2.0 + 3.0 * t, {"height": 0.0, "slope": 0.0})
    >>> round(found["height"], 6), round(found["slope"], 6)
    (2.0, 3.0)
    """
    start, unravel = ravel_tree(like)

    def forward(v: Any) -> Any:
        return ravel_tree(matvec(unravel(v)))[0]

    made, back = transforms.vjp(forward, start)
    given = ravel_tree(b)[0]
    if made.shape != given.shape:
        raise ValueError("matvec(like) and b do not hold equally many numbers")
    found: T = unravel(linear_solve(
        lambda v: back(forward(v))[0] + damp * v, back(given)[0], method="cg",
        rtol=rtol, maxiter=maxiter))
    return found


def _is_tree(b: Any) -> bool:
    """Is it a container that is no array written as a list of numbers?"""
    if isinstance(b, (list, tuple)):
        return any(np.ndim(leaf) for leaf in flatten(b)[0])
    return children(b) is not None


def _settings(method: str, rtol: Any, atol: Any, maxiter: Any) -> dict[str, Any]:
    return {"method": method, "rtol": rtol, "atol": atol, "maxiter": maxiter}


def _check(matvec: Any, method: str, dtype: Any) -> None:
    if not callable(matvec):
        raise StructureError("the operator is no function", where="matvec of linear_solve",
                             why="it is called with vectors, and no matrix is formed",
                             fix="give a function (lambda v: A @ v for a matrix A), or use "
                             "np.linalg.solve")
    if method not in METHODS:
        raise StructureError(f"there is no method {method!r}", where="method of linear_solve",
                             why="the system is solved by one of SciPy's iterative methods",
                             fix=f"use one of {', '.join(METHODS)}")
    if dtype is None or dtype.kind not in "biuf":
        raise StructureError("the right-hand side is no array of real numbers",
                             where="b of linear_solve",
                             why="the transposed operator is derived for real arrays",
                             fix="give an array of floats, or a container of such")


@handles(linear_solve)
def _linear_solve(machine: Any, matvec: Any, b: Any, *, method: str = "gmres", rtol: Any = 1e-10,
                  atol: Any = 0.0, maxiter: Any = None) -> Any:
    b = opened(machine, b)
    if not is_tracer(b) and _is_tree(b):
        return machine.calls.inline(of_tree, (matvec, b, _settings(method, rtol, atol, maxiter)),
                                    {})
    b = machine.call(np.asarray, b, float)
    aval = machine.recorder.as_value(b).aval
    try:
        _check(matvec, method, aval.dtype)
    except StructureError as error:
        raise machine.recorder.fatal(error) from None
    made = lifted(machine, "srcgrad.linear_solve", {"matvec": Wanted(matvec, [aval], (), 0)})
    return machine.library_calls.numeric_call(
        krylov, (made.callbacks["matvec"], b, made.captured, 0,
                 _settings(method, rtol, atol, maxiter)), {})


# ---- staged, like a user's functions ---------------------------------------------------------
def of_tree(matvec: Any, b: Any, settings: Any) -> Any:
    """A system whose unknowns lie in containers."""
    flat, unravel = ravel_tree(b)
    return unravel(linear_solve(lambda v: ravel_tree(matvec(unravel(v)))[0], flat, **settings))
