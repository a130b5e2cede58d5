"""Marks in user code: ``stop_gradient``, names, and functions with derivatives of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .errors import StructureError
from .rules.book import entry, nondiff, vjp


def stop_gradient(x: Any) -> Any:
    """``x`` itself, as a constant of differentiation.

    >>> from srcgrad import grad
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return x


nondiff(stop_gradient)


def name(x: Any, label: str) -> Any:
    """``x`` itself; ``label`` names it for checkpoint policies and in generated code.

    >>> name(2.0, "h")
    2.0
    """
    del label
    return x


class custom_vjp:
    """A function whose derivative its author gives (JAX's protocol).

    ``f = custom_vjp(fun); f.defvjp(fwd, bwd)``: ``fwd(*args)`` returns ``(out, residuals)``,
    ``bwd(residuals, ct)`` a tuple with one cotangent per argument (None for zero).  Both are
    NumPy code without branches on array values.

    >>> import numpy as np
    >>> from srcgrad import grad
    >>> @custom_vjp
    ... def clipped(x):
    ...     return np.clip(x, 0.0, 1.0)
    >>> clipped.defvjp(lambda x: (np.clip(x, 0.0, 1.0), x), lambda x, ct: (0.5 * ct,))
    >>> grad(lambda x: clipped(x) * 3.0)(7.0)
    1.5
    """

    def __init__(self, fun: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.names = tuple(inspect.signature(fun).parameters)
        self.defined = False

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Give the forward and backward functions."""
        if self.defined:
            raise StructureError(f"{self.__name__} has a derivative already",
                                 fix="call defvjp once")
        self.defined = True
        count = len(self.names)

        def body(ct: Any, **named: Any) -> Any:
            inputs = [named[n] for n in self.names]
            _, residuals = fwd(*inputs)
            found = bwd(residuals, ct)
            if not isinstance(found, tuple) or len(found) != count:
                raise StructureError(
                    f"the backward function of {self.__name__} must return {count} cotangents",
                    why=f"the function has the parameters {', '.join(self.names)}",
                    fix="return a tuple with one cotangent per argument")
            result = tuple(ct * 0 if f is None else f for f in found)
            return result if count > 1 else result[0]

        parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                      for n in ("ct", *self.names)]
        body.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        entry(self.__name__, self, like=self.fun)
        vjp(self, *self.names)(body)

    __name__: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fun(*args, **kwargs)

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...],
                          kwargs: dict[str, Any]) -> Any:
        """While tracing: one node whose type is that of the function's result."""
        if not self.defined:
            return machine.call(self.fun, *args, **kwargs)
        return machine.opaque_function(self, self.fun, args, kwargs)
