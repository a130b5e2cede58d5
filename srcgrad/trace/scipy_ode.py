"""``scipy.integrate.solve_ivp``: SciPy's own Python source of the explicit methods is staged, so
that what is differentiated are the steps that it takes, with their sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from .tracers import is_tracer

EXPLICIT = ("RK45", "RK23", "DOP853")


def solve_ivp(function: Any) -> Callable[..., Any]:
    """What stands for ``solve_ivp``."""
    def handler(machine: Any, fun: Any, t_span: Any, y0: Any, method: Any = "RK45",
                t_eval: Any = None, dense_output: Any = False, events: Any = None,
                **options: Any) -> Any:
        name = method if isinstance(method, str) else getattr(method, "__name__", method)
        if is_tracer(method) or name not in EXPLICIT:
            raise machine.recorder.fatal(_refused(
                f"method={name!r}", "its steps are solved for by compiled code",
                f"use one of the explicit methods {', '.join(EXPLICIT)}, or write the steps as a "
                "loop with np.linalg.solve"))
        if dense_output or events is not None:
            raise machine.recorder.fatal(_refused(
                "dense_output=" if dense_output else "events=",
                "it keeps an interpolant of every step, whose number depends on data",
                "ask for the values at given times by t_eval=" if dense_output else
                "find the time with scipy.optimize.brentq over the end of t_span"))
        return machine.calls.inline(function, (fun, t_span, machine.call(np.asarray, y0), method,
                                               t_eval),
                              options)

    return handler


def _refused(what: str, why: str, fix: str) -> UnsupportedOperation:
    return UnsupportedOperation(
        f"scipy.integrate.solve_ivp with {what} in a function that is differentiated", why=why,
        fix=fix)
