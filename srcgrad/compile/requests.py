"""What is wanted of a function: the mode, the arguments, and what is refused of them."""

from __future__ import annotations

import inspect
from collections import deque
from typing import Any

import numpy as np

from ..errors import AliasError
from ..trace.entry import Traced
from ..types.dataclasses import dataclass
from ..types.guards import Guard, Path
from ..types.identifiers import plain_name, wrapped_names
from ..types.subclasses import native_class, own_namespace
from ..types.tree import argument_leaves, children
from .backends import NUMPY, Backend
from .refusals import no_parameter, out_of_range, refused_argument
from .templates import Leaves, gradient_tree, may_vary

Wanted = tuple[Path, Any, Leaves]


@dataclass(frozen=True)
class Request:
    """What is wanted of a function.

    ``mode``: ``"jit"`` (the primal), ``"grad"``, ``"value_and_grad"`` or ``"vjp"`` (the
    cotangents for given cotangents of all outputs).  ``argnums``: parameter numbers or names;
    ``single`` says that one was given, not a tuple.  ``without``: passes switched off.
    ``allow_int``: arguments without a derivative have the gradient None.
    ``backend``: what runs the code.
    """

    mode: str
    argnums: tuple[int | str, ...] = (0,)
    single: bool = True
    has_aux: bool = False
    without: tuple[str, ...] = ()
    backend: Backend = NUMPY
    allow_int: bool = False


def wanted_of(function: Any, request: Request, signature: inspect.Signature,
              bound: inspect.BoundArguments) -> list[Wanted]:
    """For each differentiated argument its path, its value, and its leaves with their paths."""
    found = []
    for wanted in request.argnums:
        name = parameter_of(function, wanted, signature, bound)
        if isinstance(name, tuple):
            name, place = name
            path = Path(("arg", name), (("item", place),),
                        place if isinstance(place, str) else f"{name}[{place}]")
            value = bound.arguments[name][place]
        else:
            path, value = Path(("arg", name), (), name), bound.arguments[name]
        leaves = argument_leaves(value, path)
        if not request.allow_int and not any(may_vary(v) for _, v in leaves):
            raise refused_argument(plain_name(function), path, value)
        found.append((path, value, leaves))
    return found


def parameter_of(function: Any, wanted: int | str, signature: inspect.Signature,
                 bound: inspect.BoundArguments) -> str | tuple[str, int | str]:
    """The name of a parameter, or that of ``*args`` or ``**kwargs`` and a place there."""
    if isinstance(wanted, str) and wanted in signature.parameters:
        return wanted
    positional = [p for p in signature.parameters.values()
                  if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variable = next((p for p in signature.parameters.values() if p.kind is p.VAR_POSITIONAL),
                    None)
    count = len(positional) + (len(bound.arguments.get(variable.name, ())) if variable else 0)
    if isinstance(wanted, str):  # of what a wrapper wraps
        for p in signature.parameters.values():
            if p.kind is p.VAR_KEYWORD and wanted in bound.arguments.get(p.name, ()):
                return p.name, wanted
        named = wrapped_names(function)
        if variable is None or wanted not in named[:count]:
            raise no_parameter(function, wanted, signature)
        wanted = named.index(wanted)
    place = wanted + count if wanted < 0 else wanted
    if not 0 <= place < count:
        raise out_of_range(function, wanted, count, signature)
    if place < len(positional):
        return positional[place].name
    assert variable is not None
    return (variable.name, place - len(positional))


def check_separate(leaves: list[Path], traced: Traced) -> None:
    """Refuse derivatives with respect to two arguments that are one array, written to."""
    for path in leaves:
        if traced.inputs.get(path) is None:
            raise AliasError(
                f"{path} is the same array as another argument, and it is written to",
                where=f"argument {path}",
                why="a write through one name changes both, so they have no separate derivatives",
                fix=f"pass a copy ({path}.copy()), or differentiate with respect to one of them")
    for guard in traced.guards:
        place, other = guard.path, guard.data
        if guard.kind != "is_path" or place is None or place.root == other.root:
            continue
        if any(p.leads_through(place) for p in leaves):
            raise AliasError(
                f"{place} is the same object as {other}, and it is changed or compared",
                where=f"argument {place}",
                why="what is done through one name is done to both, so they have no separate "
                    "derivatives",
                fix="pass a copy (copy.deepcopy), or differentiate with respect to the first")


def structure_guards(traced: Traced, wanted: list[Wanted]) -> list[Guard]:
    """What the structures of gradients rely on beyond what the function itself has read: which
    parts there are, and which of them have no derivative."""
    present = {(g.kind, g.path) for g in traced.guards}
    found = []

    def rely(kind: str, path: Path, data: Any) -> None:
        if (kind, path) not in present:
            found.append(Guard(kind, path, data).kept())

    def rely_keys(value: Any, path: Path, levels: int) -> None:
        rely("keys", path, tuple(value))
        for key, inner in value.items() if levels > 1 else ():
            rely_keys(inner, path.child("item", key), levels - 1)

    def visit(value: Any, path: Path) -> None:
        parts = children(value)
        if parts is None:
            if not may_vary(value):
                rely("type", path, type(value))
                if isinstance(value, np.ndarray):
                    rely("equals", path.child("attr", "dtype"), value.dtype)
            return
        if path in traced.columns:
            if isinstance(value, dict):
                rely_keys(value, path, traced.columns[path][2])
            return
        rely("type", path, type(value))
        if isinstance(value, dict):
            rely("keys", path, tuple(value))
        elif isinstance(value, (list, tuple, deque)) and not hasattr(value, "_fields"):
            rely("length", path, len(value))
        elif native_class(type(value)) is None and own_namespace(
                value, None) is not None:
            rely("keys", path.child("attr", "__dict__"), tuple(vars(value)))
        for step, key, part in parts:
            if step != "fixed":
                visit(part, path.child(step, key))

    for path, value, _ in wanted:
        visit(value, path)
    return found


def inputs_of(traced: Traced, wanted: list[Wanted]) -> list[int]:
    """The graph's inputs for the differentiable leaves of the wanted arguments, each once."""
    found: dict[int | None, None] = {}
    for *_, leaves in wanted:
        found.update((traced.inputs.get(path), None) for path, leaf in leaves
                     if may_vary(leaf))
    return [number for number in found if number is not None]


def argument_trees(traced: Traced, wanted: list[Wanted], wrt: list[int]) -> list[Any]:
    """The structures of the wanted arguments over the numbers of their leaves."""
    place = {number: i for i, number in enumerate(wrt)}
    return [gradient_tree(value, path, leaves, traced, place)
            for path, value, leaves in wanted]
