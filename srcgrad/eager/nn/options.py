"""Layers that keep the options of a function and call it: what they consist of follows from the
function's signature.

``class ELU(Layer, of=F.elu, shown="alpha")`` has the constructor ``(alpha=1.0, inplace=False)``,
the method ``forward(self, input)``, which calls ``F.elu(input, self.alpha, self.inplace)``, and the
text ``ELU(alpha=1.0)``.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

from .. import basis as torch
from . import functional as F
from .module import Module
from .parameter import Parameter
from .signatures import SHAPES, defined

_Parameters = dict[str, inspect.Parameter]
_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_LEGACY = ("size_average", "reduce")  # say what `reduction` says


def _constructor(owner: type, options: _Parameters) -> Callable[..., Any]:
    given = ", ".join(f"{name}={name}" for name in options)
    made = defined("__init__", [_SELF, *options.values()], f"self._keep({given})", owner.__module__)
    made.__annotations__["return"] = "None"
    return made


def _forward(owner: type, of: Callable[..., Any], takes: list[str], keeps: set[str]) -> Any:
    given = inspect.signature(of).parameters
    call: list[str] = []
    for name in given:
        if name in takes:
            call.append(f"{name}={name}" if len(call) > takes.index(name) else name)
        elif name in keeps and name not in _LEGACY:
            call.append(f"{name}=self.{name}")
    return defined("forward", [_SELF, *(given[name] for name in takes)],
                   f"F.{of.__name__}({', '.join(call)})", owner.__module__, F=F)


class Layer(Module):
    """A layer made from the signature of the function ``of``.

    ``takes`` names the arguments of ``forward``, the function's first one unless given. All others
    but ``training`` are options: those of the constructor, unless the class defines one that
    calls ``_keep`` with them. ``own`` names the layer's parameters that the function is given,
    ``without`` what is neither an option nor given. ``shown`` is the layer's text: names of
    options, and templates for what does not read ``name=value``. What else is given are attributes
    of the class.
    """

    _shown: str = ""

    def __init_subclass__(cls, of: Callable[..., Any] | None = None, takes: str = "",
                          shown: str | None = None, own: str = "", without: str = "",
                          **facts: Any) -> None:
        super().__init_subclass__()
        for name, value in facts.items():
            setattr(cls, name, value)
        if shown is not None:
            cls._shown = ", ".join(part if "{" in part else f"{part}={{self.{part}}}"
                                   for part in shown.split())
        if of is None:
            return
        given = inspect.signature(of).parameters
        inputs = takes.split() or [next(iter(given))]
        out = {*inputs, "training", *without.split()}
        if cls.__init__ is Module.__init__:
            options = {name: p for name, p in given.items() if name not in out}
            if options:
                cls.__init__ = _constructor(cls, options)  # type: ignore[method-assign]
        if "forward" not in vars(cls):
            keeps = {*inspect.signature(cls.__init__).parameters, "training", *own.split()}
            cls.forward = _forward(  # type: ignore[method-assign]
                cls, of, inputs, keeps - set(without.split()))
        for method in (cls.__init__, cls.forward):
            if method.__name__ in vars(cls):
                method.__qualname__ = f"{cls.__qualname__}.{method.__name__}"

    def _keep(self, **options: Any) -> None:
        super().__init__()
        for name, value in options.items():
            setattr(self, name, value)

    def _unusual(self, **usual: Any) -> list[str]:
        """Those of the given options that differ from what they usually are, as text."""
        return [f"{name}={getattr(self, name)}" for name, value in usual.items()
                if getattr(self, name) != value]

    def _register(self, shape: Any, device: Any, dtype: Any, **wanted: bool) -> None:
        """Parameters of one shape that are not filled yet; None for those not wanted."""
        for name, there in wanted.items():
            value = Parameter(torch.empty(shape, device=device, dtype=dtype)) if there else None
            self.register_parameter(name, value)

    @property
    def _biased(self) -> str:
        return f"bias={self.bias is not None}"

    def extra_repr(self) -> str:
        """The options that the layer's text shows."""
        return self._shown.format(self=self)


def layer(name: str, of: Callable[..., Any] | None, base: type[Layer] = Layer, depth: int = 1,
          **facts: Any) -> Any:
    """The class ``name`` whose body would be empty: what it does, ``of`` tells (else its base)."""
    cls = types.new_class(name, (base,), {"of": of, **facts})
    cls.__module__ = sys._getframe(depth).f_globals["__name__"]
    cls.__doc__ = base.__doc__ if of is None else of.__doc__
    return cls


def layers(name: str, of: str, base: type[Layer] = Layer, *, counts: tuple[int, ...] = (1, 2, 3),
           **facts: Any) -> tuple[Any, ...]:
    """:func:`layer` for one, two and three spatial axes: their number is an attribute, and stands
    in the names of class and function as ``{count}``; a docstring of ``base`` may have them, too,
    and ``{axes}``, ``{shape}`` and the facts."""
    made = []
    for count in counts:
        function = getattr(F, of.format(count=count)) if of else None
        cls = layer(name.format(count=count), function, base, 2, count=count, **facts)
        if function is None:
            axes = ("axis", "two axes", "three axes")[count - 1]
            cls.__doc__ = cls.__doc__.format(
                axes=axes, shape=SHAPES[count - 1], count=count, **facts)
        made.append(cls)
    return tuple(made)
