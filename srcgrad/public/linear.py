"""Linear systems whose matrix is a function: solved by SciPy's iterative methods, differentiated by
the equation that the solution satisfies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compile.frames import without_internal_frames
from ..errors import StructureError
from ..rules.callbacks import METHODS, krylov
from ..trace.calls.callback import Wanted, lifted
from ..trace.calls.handlers import handles

Array = np.ndarray[Any, np.dtype[Any]]


@without_internal_frames
def linear_solve(matvec: Callable[[Array], Array], b: Array, *, method: str = "gmres",
                 rtol: float = 1e-10, atol: float = 0.0, maxiter: int | None = None) -> Array:
    """The array ``x``, of the shape of ``b``, with ``matvec(x) == b``.

    ``matvec`` is linear, from real arrays of the shape of ``b`` to such; it may use whatever is
    around it.  No matrix is formed: ``method`` is one of SciPy's, ``"cg"`` and ``"minres"`` for
    symmetric operators (``cg``: positive definite), ``"gmres"``, ``"bicgstab"``, ``"lgmres"`` and
    ``"gcrotmk"`` for all.  It ends when the residual is below ``max(rtol * norm(b), atol)``.

    Inside of a function that is differentiated it is one step with derivatives of any order, with
    respect to ``b`` and to all that ``matvec`` reads: one more solve, with the transposed operator,
    which is derived (Christianson 1998).  The iterations are not differentiated.

    Raises :class:`StructureError` for other methods and for what is no array of real numbers, and
    ``numpy.linalg.LinAlgError`` where the method does not converge.

    >>> import srcgrad as sg
    >>> def energy(stiffness, load):
    ...     x = sg.linear_solve(lambda v: stiffness * v + 0.1 * np.sum(v), load)
    ...     return 0.5 * np.sum(load * x)
    >>> sg.grad(energy)(np.array([2.0, 4.0]), np.ones(2)).round(6)
    array([-0.108167, -0.027042])
    """
    b = np.asarray(b)
    _check(method, b.dtype)
    found: Array = krylov(matvec, b, (), 0, _settings(method, rtol, atol, maxiter))
    return found


def _settings(method: str, rtol: Any, atol: Any, maxiter: Any) -> dict[str, Any]:
    return {"method": method, "rtol": rtol, "atol": atol, "maxiter": maxiter}


def _check(method: str, dtype: Any) -> None:
    if method not in METHODS:
        raise StructureError(f"there is no method {method!r}", where="method of linear_solve",
                             why="the system is solved by one of SciPy's iterative methods",
                             fix=f"use one of {', '.join(METHODS)}")
    if dtype is None or dtype.kind not in "biuf":
        raise StructureError("the right-hand side is no array of real numbers",
                             where="b of linear_solve",
                             why="the transposed operator is derived for real arrays",
                             fix="give an array of floats; use ravel_tree for containers")


@handles(linear_solve)
def _linear_solve(machine: Any, matvec: Any, b: Any, *, method: str = "gmres", rtol: Any = 1e-10,
                  atol: Any = 0.0, maxiter: Any = None) -> Any:
    b = machine.call(np.asarray, b, float)
    aval = machine.recorder.as_value(b).aval
    try:
        _check(method, aval.dtype)
    except StructureError as error:
        raise machine.recorder.fatal(error) from None
    made = lifted(machine, "srcgrad.linear_solve", {"matvec": Wanted(matvec, [aval], (), 0)})
    return machine.library_calls.numeric_call(
        krylov, (made.callbacks["matvec"], b, made.captured, 0,
                 _settings(method, rtol, atol, maxiter)), {})
