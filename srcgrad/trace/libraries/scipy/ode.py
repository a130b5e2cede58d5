"""``scipy.integrate.solve_ivp``: SciPy's own Python source of the explicit methods is staged, so
that what is differentiated are the steps that it takes, with their sizes.  The steps of implicit
methods, and solutions between the steps, have a rule: the adjoint equation."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import UnsupportedOperation
from ....types.kinds import FLOAT, in_words
from ...calls.callback import Wanted, lifted
from ...calls.handlers import Traced
from ...record.tracers import is_tracer

EXPLICIT = ("RK45", "RK23", "DOP853")
IMPLICIT = ("Radau", "BDF", "LSODA")


def solve_ivp(function: Any) -> Callable[..., Any]:
    """What stands for ``solve_ivp``."""
    def handler(machine: Any, fun: Any, t_span: Any, y0: Any, method: Any = "RK45",
                t_eval: Any = None, dense_output: Any = False, events: Any = None,
                **options: Any) -> Any:
        name = method if isinstance(method, str) else getattr(method, "__name__", method)
        if is_tracer(method) or name not in EXPLICIT + IMPLICIT:
            raise machine.recorder.fatal(_refused(
                f"method={name!r}", "it is none of SciPy's methods",
                f"use one of {', '.join(EXPLICIT + IMPLICIT)}"))
        if events is not None:
            raise machine.recorder.fatal(_refused(
                "events=", "it keeps an interpolant of every step, whose number depends on data",
                "find the time with scipy.optimize.brentq over the end of t_span"))
        if name in EXPLICIT and not dense_output:
            return machine.calls.inline(function, (
                fun, t_span, machine.call(np.asarray, y0), method, t_eval), options)
        return _by_rule(machine, fun, t_span, y0, t_eval, dense_output, {"method": name, **options})

    return handler


def _by_rule(machine: Any, fun: Any, t_span: Any, y0: Any, t_eval: Any, dense_output: Any,
             options: dict[str, Any]) -> Any:
    """One node for the whole solution, and the object that ``solve_ivp`` returns."""
    rules = importlib.import_module("srcgrad.rules.scipy.integrate")
    y0 = machine.call(np.atleast_1d, machine.call(np.asarray, y0, float))
    y = machine.recorder.as_value(y0).aval
    if len(y.shape or ()) != 1:
        raise machine.recorder.fatal(_refused(
            f"{in_words(y)} as y0", "SciPy takes vectors", "start from y0.ravel()"))
    if options.pop("vectorized", False):
        raise machine.recorder.fatal(_refused(
            "vectorized=True", "its function is differentiated for one state", "leave it out"))
    args = options.pop("args", None)
    extra = () if args is None else tuple(machine.iterate(args))
    wanted = {"fun": Wanted(fun, [FLOAT, y], extra, 1)}
    if callable(options.get("jac")):
        wanted["jac"] = Wanted(options.pop("jac"), [FLOAT, y], extra, free=True)
    made = lifted(machine, "scipy.integrate.solve_ivp", wanted)
    callback = made.callbacks["fun"]
    settings = {**options, **{k: v for k, v in made.callbacks.items() if k != "fun"}}
    t0, t1 = (machine.call(float, end) for end in machine.iterate(t_span))
    if t_eval is not None:
        t_eval = machine.call(np.asarray, t_eval, float)
    found, *told = machine.library_calls.numeric_call(rules.solved, (
        callback, t0, t1, y0, made.captured, t_eval, settings), {})
    t, values = machine.library_calls.numeric_call(rules.trajectory, (
        callback, found, t0, t1, y0, made.captured, t_eval, settings), {})

    def at(times: Any) -> Any:
        times = machine.call(np.asarray, times, float)
        return machine.library_calls.numeric_call(rules.between, (
            callback, found, times, t0, y0, made.captured, settings), {})

    result = importlib.import_module("scipy.integrate._ivp.ivp").OdeResult
    return machine.construction.construct(result, (), {
        "t": t, "y": values, "sol": Traced(at) if dense_output else None, "t_events": None,
        "y_events": None, **dict(zip(rules.TOLD, told, strict=True))})


def _refused(what: str, why: str, fix: str) -> UnsupportedOperation:
    return UnsupportedOperation(
        f"scipy.integrate.solve_ivp with {what} in a function that is differentiated", why=why,
        fix=fix)
