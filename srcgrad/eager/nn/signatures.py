"""Functions that are defined by a signature and one expression, or checked against theirs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ..dispatch import publish

SHAPES = ("(N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)")
KERNELS = ("K", "kH, kW", "kD, kH, kW")


def defined_in(package: str, space: dict[str, Any], kind: Any = Callable) -> list[str]:
    """The names of what the files of a package define for users: functions, or classes."""
    return [name for name, value in sorted(space.items())
            if isinstance(value, kind) and not name.startswith("_")
            and value.__module__.startswith(package + ".")]


def defined(name: str, parameters: Iterable[inspect.Parameter], expression: str, module: str,
            **space: Any) -> Callable[..., Any]:
    """``def <name>(<parameters>): return <expression>`` in a file of this package, as the places
    that tensors remember are those of the user's calls."""
    heads, star = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not star:
            heads.append("*")
            star = True
        heads.append(p.name if p.default is p.empty else f"{p.name}=default_{p.name}")
        space[f"default_{p.name}"] = p.default
    text = f"def {name}({', '.join(heads)}):\n    return {expression}\n"
    space["__name__"] = module
    exec(compile(text, __file__, "exec"), space)
    made: Callable[..., Any] = space[name]
    made.__annotations__ = {
        p.name: p.annotation for p in parameters if p.annotation is not p.empty} | {"return": "Any"}
    return made


def builtin(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that PyTorch's own parser calls, as operations are called."""
    return publish(function.__name__, function, False)


def family(core: Callable[..., Any], name: str, *decorators: Callable[..., Any],
           counts: tuple[int, ...] = (1, 2, 3)) -> tuple[Callable[..., Any], ...]:
    """``core`` for one, two and three spatial axes: their number is its first argument, and stands
    in the name and the docstring as ``{count}``, like ``{shape}`` and ``{kernel}``."""
    _, *parameters = inspect.signature(core).parameters.values()
    given = ", ".join(p.name for p in parameters)
    functions = []
    for count in counts:
        made = defined(name.format(count=count), parameters, f"core({count}, {given})",
                       core.__module__, core=core)
        made.__doc__ = (core.__doc__ or "").format(
            count=count, shape=SHAPES[count - 1], kernel=KERNELS[count - 1])
        for decorate in decorators:
            made = decorate(made)
        functions.append(made)
    return tuple(functions)
