"""The names under which users know functions of SciPy, and advice for some of them."""

from __future__ import annotations

import os
import sys
import types
from typing import Any

import numpy as np

from ..errors import Where


def public_name(function: Any, *arguments: Any) -> str:
    """The dotted name by which a function or class of a library is imported: the private parts of
    its module are left out where the function is found without them.  A method of one of
    ``scipy.stats``' distributions, which is the first of the ``arguments``, is named after it.

    >>> public_name(len)
    'len'
    """
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    owner = getattr(function, "__self__", arguments[0] if arguments else None)
    if name is None:  # an instance that is called, or compiled code that has no name
        return public_name(type(function))
    stats = sys.modules.get("scipy.stats")
    own = getattr(owner, "name", None)
    if stats is not None and isinstance(own, str) and getattr(stats, own, None) is owner:
        return f"scipy.stats.{own}.{name.rpartition('.')[2]}"
    module = getattr(function, "__module__", None)
    if isinstance(function, np.ufunc):
        special = getattr(sys.modules.get("scipy.special"), name, None)
        return f"scipy.special.{name}" if special is function else f"numpy.{name}"
    if isinstance(function, types.MethodType) and not isinstance(owner, type):
        name, module = f"{type(owner).__qualname__}.{function.__name__}", type(owner).__module__
    name = name.removesuffix(".__init__").removesuffix(".__call__")
    if not module or module in ("builtins", "_operator"):
        return name.rpartition(".")[2]
    first = name.partition(".")[0]
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        if any(p.startswith("_") for p in parts[:count]):
            break
        if callable(getattr(sys.modules.get(".".join(parts[:count])), first, None)):
            return ".".join((*parts[:count], name))
    return f"{module}.{name}"


def of_scipy(place: Where | None) -> bool:
    """Does a place lie in SciPy's source?"""
    return place is not None and inside_scipy(place) is not None


def inside_scipy(place: Where) -> str | None:
    """A place's file, from SciPy's folder on; None for files of others.

    >>> inside_scipy(Where("program.py", 3)) is None
    True
    """
    scipy: Any = sys.modules.get("scipy")
    if scipy is None:
        return None
    folder = os.path.dirname(scipy.__file__) + os.sep
    if not place.filename.startswith(folder):
        return None
    return place.filename[len(folder):].replace(os.sep, "/")


def name_at(place: Where) -> str:
    """The public name of the function of SciPy that a place lies in."""
    path = inside_scipy(place) or ""
    parts = ["scipy", *path.removesuffix(".py").split("/")]
    while len(parts) > 2 and (parts[-1].startswith("_") or not callable(
            getattr(sys.modules.get(".".join(parts)), place.function, None))):
        parts.pop()
    return ".".join((*parts, place.function))


_SOLVED = ("compute the solution under srcgrad.stop_gradient, or wrap the solver: srcgrad.implicit "
           "gives it the derivative of the equation that the solution satisfies")
_STEPPED = ("write the steps of a method such as Runge-Kutta as a loop over NumPy (it is "
            "differentiated as it stands), or wrap the call in srcgrad.custom_vjp")
_POINTS = ("use scipy.integrate.fixed_quad or a sum over nodes and weights "
           "(np.polynomial.legendre.leggauss)")
_CHOSEN = ("call it outside of the function, and pass in the places that it finds")
ADVICE: dict[str, str] = {
    **dict.fromkeys((
        "minimize", "minimize_scalar", "root", "root_scalar", "fsolve", "brentq", "brenth",
        "bisect", "ridder", "toms748", "newton", "fixed_point", "least_squares", "leastsq",
        "curve_fit", "nnls", "lsq_linear", "fmin", "fmin_bfgs", "fmin_cg", "fmin_l_bfgs_b",
        "fmin_ncg", "fmin_powell", "fmin_slsqp", "fmin_tnc", "fmin_cobyla", "broyden1",
        "broyden2", "anderson", "newton_krylov", "linprog", "milp", "quadratic_assignment",
        "linear_sum_assignment", "differential_evolution", "dual_annealing", "basinhopping",
        "shgo", "direct", "brute", "golden", "brent", "fminbound"), _SOLVED),
    **dict.fromkeys(("solve_ivp", "odeint", "ode", "complex_ode", "solve_bvp", "RK45", "RK23",
                     "DOP853", "Radau", "BDF", "LSODA"), _STEPPED),
    **dict.fromkeys(("quad", "quad_vec", "dblquad", "tplquad", "nquad", "qmc_quad", "cubature",
                     "tanhsinh", "nsum"), _POINTS),
    **dict.fromkeys(("find_peaks", "find_peaks_cwt", "peak_prominences", "peak_widths", "label",
                     "linkage", "fcluster", "kmeans", "kmeans2", "vq"), _CHOSEN),
}


def is_solver(name: str) -> bool:
    """Is it the name of a function of SciPy that takes a function to solve for, or to integrate?

    >>> is_solver("quad_vec"), is_solver("find_peaks")
    (True, False)
    """
    return ADVICE.get(name) in (_SOLVED, _STEPPED, _POINTS)


def advice(name: str) -> str:
    """How to do without a function of SciPy, by its public name."""
    return ADVICE.get(name.rpartition(".")[2], (
        f"write it in NumPy, declare the derivative of {name} with srcgrad.rules.vjp, or wrap the "
        "call in srcgrad.custom_vjp"))
