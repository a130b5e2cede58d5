"""Functions of SciPy that call the user's: one node each, with the function as a callback.

The call is SciPy's own.  What the function reads from around it is handed over as ``args=``, and
the rules of ``srcgrad.rules.scipy.integrate`` and ``optimize`` give the derivative.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ....errors import UnsupportedOperation
from ....types.dataclasses import dataclass
from ....types.kinds import FLOAT, Aval, array, in_words, scalar
from ....types.public_names import advice, is_solver, public_name
from ...calls.callback import Wanted, lifted
from ...calls.handlers import Traced, inlined
from ...record.tracers import contains_tracer, is_tracer
from .ode import solve_ivp
from .written import explicit_solution, half_squares, misfit, nested_integral

Handler = Callable[..., Any]
DOUBLE = scalar(np.float64)


def _bound(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, without those that have their default."""
    found = inspect.signature(function).bind(*args, **kwargs)
    named = dict(found.arguments)
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            named.update(named.pop(name, {}))
        elif name in named and named[name] is parameter.default:
            del named[name]
    return named


def _extra(machine: Any, args: Any) -> tuple[Any, ...]:
    """What a solver hands to the function: ``args=``, where one argument needs no tuple."""
    if type(args) is list:
        return tuple(machine.iterate(args))
    return args if isinstance(args, tuple) else (args,)


def _refuse(machine: Any, function: Any, named: Mapping[str, Any], reasons: Mapping[str, str]
            ) -> None:
    """Refuse the options that no derivative is known for."""
    for name, fix in reasons.items():
        if named.get(name) not in (None, False, 0, ()):
            raise machine.recorder.fatal(UnsupportedOperation(
                f"{public_name(function)} with {name}= in a function that is differentiated",
                why="its result is then one that has no derivative rule", fix=fix))


def calls_back(function: Any) -> Handler | None:
    """What stands for a function of SciPy that takes functions; None for all others."""
    made = CALLING_BACK.get((function.__module__, function.__qualname__))
    if made is not None:
        return made(function)
    return _refused_with_functions(function) if is_solver(function.__name__) else None


def _refused_with_functions(function: Any) -> Handler:
    """Refuses a solver that has no rule, as it would call a function of the user's."""
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        given = next((a for a in (*args, *kwargs.values()) if isinstance(
            a, (types.FunctionType, types.MethodType, functools.partial))), None)
        if given is not None:
            name = public_name(function)
            raise machine.recorder.fatal(UnsupportedOperation(
                f"{name} was called in a function that is differentiated, with a function of the "
                "program", why="it calls that as often as it likes, and no derivative of what it "
                               "finds is known", fix=advice(name)))
        return machine.library_calls.call_library(function, args, kwargs) if not contains_tracer(
            (args, kwargs)) else machine.calls.inline(function, args, kwargs)

    return handler


def _of_number(function: Any, name: str, refused: Mapping[str, str]) -> Handler:
    """A function of a number, the parameter ``name``, between two others, ``a`` and ``b``."""
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        named = _bound(function, args, kwargs)
        _refuse(machine, function, named, refused)
        wanted = Wanted(named.pop(name), [FLOAT], _extra(machine, named.pop("args", ())))
        made = lifted(machine, public_name(function), {name: wanted})
        ends = named.pop("a"), named.pop("b")
        return machine.library_calls.numeric_call(function, (made.callbacks[name], *ends),
                                                  {"args": made.captured, **named})

    return handler


def quad(function: Any) -> Handler:
    """``scipy.integrate.quad``."""
    return _of_number(function, "func", {
        "full_output": "leave it out", "complex_func": "integrate real and imaginary parts"})


def bracketing(function: Any) -> Handler:
    """``brentq`` and the other methods that start from two points."""
    return _of_number(function, "f", {"full_output": "use scipy.optimize.root_scalar"})


def odeint(function: Any) -> Handler:
    """``scipy.integrate.odeint``, and its solution by steps that can be differentiated."""
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        named = _bound(function, args, kwargs)
        _refuse(machine, function, named, {
            "full_output": "leave it out", "Dfun": "leave it out: LSODA takes differences"})
        func, extra = named.pop("func"), _extra(machine, named.pop("args", ()))
        y0, y = _start(machine, named.pop("y0"), True)
        y0 = machine.call(np.atleast_1d, machine.call(np.asarray, y0, float))
        t = machine.call(np.asarray, named.pop("t"), float)
        times = machine.recorder.as_value(t).aval
        if len(times.shape or ()) != 1 or len(y.shape or ()) != 1:
            raise machine.recorder.fatal(UnsupportedOperation(
                f"{public_name(function)} with {in_words(y)} as y0 and {in_words(times)} as t",
                why="SciPy takes vectors", fix="start from y0.ravel(), at a vector of times"))
        first = bool(named.get("tfirst", False))
        tolerances = {k: v for k, v in named.items() if k in ("rtol", "atol")}
        solver = importlib.import_module("scipy.integrate").solve_ivp
        steps = Traced(lambda y0, t, *extra: machine.calls.inline(explicit_solution, (
            solver, func, y0, t, extra, first, tolerances), {}))
        made = lifted(machine, public_name(function), {
            "func": Wanted(func, [FLOAT, y] if first else [y, FLOAT], extra, 1 if first else 0),
            "steps": Wanted(steps, [y, times], extra, free=True)})
        callback = made.callbacks["func"]
        callback.steps = made.callbacks["steps"]
        return machine.library_calls.numeric_call(function, (callback, y0, t),
                                                  {"args": made.captured, **named})

    return handler


def _start(machine: Any, x0: Any, vector: bool) -> tuple[Any, Aval]:
    """Where a solver starts, and the type that it hands to the function."""
    x0 = machine.library_calls.opened(x0)
    if not is_tracer(x0) and not isinstance(x0, (int, float)):
        x0 = machine.call(np.asarray, x0)
    aval = machine.recorder.as_value(x0).aval
    if aval.shape is None or aval.dtype is None or aval.dtype.kind not in "biuf":
        raise machine.recorder.fatal(UnsupportedOperation(
            "a solver of SciPy starts from what is no array of real numbers",
            why="its derivative is known for real unknowns", fix="give an array of floats"))
    if not aval.shape:
        return x0, array(float, (1,)) if vector else DOUBLE
    dtype = np.result_type(aval.dtype, np.float64)
    return x0, array(dtype, aval.shape)


def from_start(function: Any, vector: bool, kind: str = "root") -> Handler:
    """``newton``, ``fsolve``, ``fixed_point``; of a ``"minimum"`` ``fmin`` and its like, of
    ``"squares"`` ``leastsq``."""
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        named = _bound(function, args, kwargs)
        _refuse(machine, function, named, {"full_output": _INSTEAD[kind], **dict.fromkeys((
            "fprime2", "retall", "callback", "Dfun"), "leave it out")})
        start, aval = _start(machine, named.pop("x0"), vector)
        name, extra = public_name(function), _extra(machine, named.pop("args", ()))
        func = named.pop("func" if "func" in named else "f")
        wanted = {"func": Wanted(func, [aval], extra, 0 if kind == "root" else None,
                                 free=kind == "squares", minimised=kind == "minimum")}
        if kind == "squares":
            wanted["criterion"] = Wanted(_half_squares(machine, func), [aval], extra,
                                         minimised=True)
        if named.get("fprime") is not None:
            wanted["fprime"] = Wanted(named.pop("fprime"), [aval], extra, free=True)
        if name.endswith(".fixed_point"):  # where the difference vanishes
            wanted["criterion"] = Wanted(Traced(lambda x, *rest: machine.binary(
                "-", machine.call(func, x, *rest), x)), [aval], extra, 0)
        made = lifted(machine, name, wanted)
        callbacks = dict(made.callbacks)
        callbacks["func"].criterion = callbacks.pop("criterion", None)
        return machine.library_calls.numeric_call(function, (callbacks.pop("func"), start),
                                    {"args": made.captured, **named, **callbacks})

    return handler


_INSTEAD = {"root": "use scipy.optimize.root or root_scalar",
            "minimum": "use scipy.optimize.minimize",
            "squares": "use scipy.optimize.least_squares"}


# ---- solvers that return an object -------------------------------------------------------------
TOLD = ("success", "status", "message", "nit", "nfev", "njev", "nhev")
TOLD_OF_ROOT = ("converged", "flag", "iterations", "function_calls", "method")
# Further functions that a solver may be given, and how many unknowns each takes.
ROLES = {"jac": 1, "hess": 1, "hessp": 2, "fprime": 1, "fprime2": 1}


@dataclass(frozen=True)
class Solver:
    """What a solver is asked for: the parameter that holds the function, whether it starts from a
    vector (``start``), and the fields of its result, the solution first.  ``kind`` tells whether
    the function is a ``"root"``'s, a ``"minimum"``'s, or of residuals (``"squares"``)."""

    named: str
    kind: str
    fields: tuple[str, ...]
    start: str | None = None

    def __call__(self, function: Any) -> Handler:
        def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
            return self.solved(machine, function, _bound(function, args, kwargs))

        return handler

    def solved(self, machine: Any, function: Any, named: dict[str, Any]) -> Any:
        """The node of a call, and the object that it returns."""
        _refuse(machine, function, named, {
            "constraints": "solve for fewer unknowns, which need no constraints",
            "callback": "leave it out", "loss": "put the loss into fun",
            "options_callback": "leave it out"})
        if named.get("jac") is True or named.get("fprime") is True:
            raise machine.recorder.fatal(UnsupportedOperation(
                f"{public_name(function)} with a function that returns its derivative as well",
                why="its results are taken apart by compiled code",
                fix="give two functions, or leave the derivative out"))
        starts: tuple[Any, ...] = ()
        aval = FLOAT
        if self.start is not None:
            x0, aval = _start(machine, named.pop(self.start), True)
            if len(aval.shape or ()) > 1:
                raise machine.recorder.fatal(UnsupportedOperation(
                    f"{public_name(function)} starts from an array of several dimensions",
                    why="its unknowns are a vector", fix="start from x0.ravel()"))
            starts = (x0,)
        elif named.get("x0") is not None:
            aval = DOUBLE
        wanted = self.wanted(machine, named, aval, _extra(machine, named.pop("args", ())))
        made = lifted(machine, public_name(function), wanted)
        roles = dict(made.callbacks)
        callback = roles.pop(self.named)
        callback.criterion = roles.pop("criterion", None)
        found = machine.library_calls.numeric_call(
            importlib.import_module("srcgrad.rules.scipy.optimize").solution,
            (callback, function, starts, made.captured, {**named, **roles}, self.fields), {})
        result = importlib.import_module("scipy.optimize").OptimizeResult
        return machine.construction.construct(result, (),
                                              dict(zip(self.fields, found, strict=True)))

    def wanted(self, machine: Any, named: dict[str, Any], aval: Aval, extra: tuple[Any, ...]
               ) -> dict[str, Wanted]:
        """The functions of a call, taken out of its arguments."""
        function = named.pop(self.named)
        root = self.kind == "root"
        found = {self.named: Wanted(function, [aval], extra, 0 if root else None,
                                    free=self.kind == "squares",
                                    minimised=self.kind == "minimum")}
        if self.kind == "squares":
            found["criterion"] = Wanted(_half_squares(machine, function), [aval], extra,
                                        minimised=True)
        for role, count in ROLES.items():
            if named.get(role) is not None and callable(named[role]):
                found[role] = Wanted(named.pop(role), [aval] * count, extra, free=True)
        return found


def _half_squares(machine: Any, function: Any) -> Traced:
    """``0.5 * np.sum(function(x, *args) ** 2)``, which least squares make small."""
    return Traced(lambda *args: machine.calls.inline(half_squares, (
        machine.call(function, *args),), {}))


def curve_fit(function: Any) -> Handler:
    """``scipy.optimize.curve_fit``."""
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        named = _bound(function, args, kwargs)
        _refuse(machine, function, named, {
            "full_output": "leave it out", "nan_policy": "leave out what is NaN",
            "loss": "leave it out"})
        model = named.pop("f")
        xdata = machine.call(np.asarray, named.pop("xdata"), float)
        ydata = machine.call(np.asarray, named.pop("ydata"), float)
        sigma = named.get("sigma")
        sigma = None if sigma is None else machine.call(np.asarray, sigma)
        if sigma is not None and len(sigma.shape) > 1:
            raise machine.recorder.fatal(UnsupportedOperation(
                "scipy.optimize.curve_fit with a matrix of covariances as sigma=",
                why="its derivative is known for one error for each datum",
                fix="multiply the data and the model by the inverse of its Cholesky factor"))
        count = _parameters(machine, model, named.get("p0"))
        own = [machine.recorder.as_value(xdata).aval, *[DOUBLE] * count]
        made_small = Traced(lambda *args: machine.calls.inline(
            misfit, (model, xdata, ydata, sigma, *args), {}))
        wanted = {"f": Wanted(model, own, free=True), "criterion": Wanted(
            made_small, [array(float, (count,))], minimised=True)}
        if callable(named.get("jac")):
            wanted["jac"] = Wanted(named.pop("jac"), own, free=True)
        made = lifted(machine, "scipy.optimize.curve_fit", wanted)
        roles = dict(made.callbacks)
        callback = roles.pop("f")
        callback.criterion = roles.pop("criterion")
        return machine.library_calls.numeric_call(
            importlib.import_module("srcgrad.rules.scipy.optimize").fitted,
            (callback, xdata, ydata, made.captured, {**named, **roles}, count), {})

    return handler


def _parameters(machine: Any, model: Any, p0: Any) -> int:
    """How many parameters a model has."""
    if p0 is not None and not isinstance(p0, (int, float)):
        return int(machine.escapes.demand(machine.call(len, p0), "the number of parameters")) if (
            is_tracer(p0)) else len(list(machine.iterate(p0)))
    names = inspect.signature(model).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in names):
        raise ValueError("Unable to determine number of fit parameters.")
    return len(names) - 1


# ---- integrals in several dimensions ---------------------------------------------------------
class NestedError:
    """Stands for the estimated error of a nested integral, which is not known here: SciPy keeps
    it in a place outside of the integrand."""


def nquad(machine: Any, func: Any, ranges: Any, args: Any = None, opts: Any = None,
          full_output: bool = False) -> Any:
    """``scipy.integrate.nquad``: integrals of integrals, as SciPy computes it."""
    ranges = list(machine.iterate(ranges))
    settings = [{}] * len(ranges) if opts is None else [opts] * len(ranges) if isinstance(
        opts, dict) else list(machine.iterate(opts))
    if full_output or any(not isinstance(s, dict) or "points" in s for s in settings):
        raise machine.recorder.fatal(UnsupportedOperation(
            "scipy.integrate.nquad with full_output=, points or functions as opts=",
            why="these settings change from integral to integral",
            fix="write the integral as scipy.integrate.quad of quad"))
    extra = () if args is None else _extra(machine, args)
    quad = importlib.import_module("scipy.integrate").quad
    value = machine.calls.inline(nested_integral, (quad, func, ranges, settings, extra, ()), {})
    return value, NestedError()


CALLING_BACK: dict[tuple[str, str], Callable[[Any], Handler]] = {
    ("scipy.integrate._quadpack_py", "quad"): quad,
    **{("scipy.optimize._zeros_py", name): bracketing
       for name in ("brentq", "brenth", "bisect", "ridder", "toms748")},
    ("scipy.optimize._zeros_py", "newton"): lambda f: from_start(f, False),
    ("scipy.optimize._minpack_py", "fsolve"): lambda f: from_start(f, True),
    ("scipy.optimize._minpack_py", "leastsq"): lambda f: from_start(f, True, "squares"),
    **{("scipy.optimize._optimize", name): lambda f: from_start(f, True, "minimum")
       for name in ("fmin", "fmin_bfgs", "fmin_cg", "fmin_powell")},
    ("scipy.optimize._root_scalar", "root_scalar"): Solver("f", "root", ("root", *TOLD_OF_ROOT)),
    ("scipy.optimize._root", "root"): Solver("fun", "root", ("x", *TOLD), "x0"),
    ("scipy.optimize._minimize", "minimize"): Solver("fun", "minimum", ("x", "fun", *TOLD), "x0"),
    ("scipy.optimize._minimize", "minimize_scalar"): Solver("fun", "minimum",
                                                            ("x", "fun", *TOLD)),
    ("scipy.optimize._lsq.least_squares", "least_squares"): Solver(
        "fun", "squares", ("x", "cost", *TOLD), "x0"),
    ("scipy.optimize._minpack_py", "curve_fit"): curve_fit,
    ("scipy.integrate._ivp.ivp", "solve_ivp"): solve_ivp,
    ("scipy.integrate._odepack_py", "odeint"): odeint,
    ("scipy.integrate._quadpack_py", "dblquad"): inlined,
    ("scipy.integrate._quadpack_py", "tplquad"): inlined,
    ("scipy.integrate._quadpack_py", "nquad"): lambda f: nquad,
    ("scipy.optimize._minpack_py", "fixed_point"): lambda f: from_start(f, False),
}
