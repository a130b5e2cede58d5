"""What the rule book says about a node: its entry, its arguments by canonical name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ..errors import UnsupportedOperation, Where
from ..graph.generic import DTYPE_OF_VALUES, name_of
from ..graph.ir import Block, Index, Node, Ref, Value, fill
from ..graph.walking import walk
from ..rules.book import Entry
from ..rules.methods import resolve
from ..types.dataclasses import dataclass
from ..types.dims import Dim
from ..types.public_names import name_at, of_scipy, public_name
from ..types.spelling import At, Attribute, Method, Part
from ..types.structure import found_in

# The inputs of array and list operations that carry a derivative, by position.
_DIFFERENTIABLE: dict[str, tuple[int, ...]] = {
    "read": (0,), "write": (0, 1), "acc": (0, 1), "update": (0, 1), "copy": (0,),
    "append": (0, 1), "pop": (0,), "get": (0,), "put": (0, 1), "insert": (0, 1),
    "list_acc": (0, 1),
}


_WITHOUT_VALUES = frozenset({type(None), bool, int, float, complex, str})


@dataclass(frozen=True)
class Bound:
    """An ``apply`` node in the book's terms.  ``named`` holds structures with graph values at
    the leaves; ``entry`` is None if the book does not know the function."""

    entry: Entry | None
    named: dict[str, Any]

    @cached_property
    def values(self) -> dict[str, tuple[Value, ...]]:
        """The graph values in each argument that holds any."""
        found = {name: (part,) if type(part) is Value else tuple(leaves(part))
                 for name, part in self.named.items() if type(part) not in _WITHOUT_VALUES}
        return {name: values for name, values in found.items() if values}


def leaves(structure: Any) -> Iterator[Value]:
    """The graph values in nested tuples, lists, dicts and slices, in order."""
    return found_in(structure, Value)


class Bindings:
    """Memo of :class:`Bound` per node, and the graph's constants.

    Constants are put in the place of their values, so that rule bodies see Python numbers.
    """

    def __init__(self, block: Block) -> None:
        self.constants: dict[Value, Any] = {}
        self.masks: dict[Value, Dim] = {}
        self._bound: dict[Node, Bound] = {}
        self._differentiable: dict[Node, tuple[Value, ...]] = {}
        self.may_be_complex = any(v.aval.is_inexact and (
            v.aval.dtype is None or v.aval.dtype.kind == "c") for v in block.params)
        for node in walk(block):
            if node.op == "const":
                self.constants[node.out] = node.params["value"]
            elif node.op == "read":
                self._note_mask(node)
            if not self.may_be_complex:
                self.may_be_complex = _may_be_complex(node)

    def _note_mask(self, read: Node) -> None:
        """Remember how many elements the mask of ``x[mask]`` selects."""
        last = read.params["steps"][-1] if read.params["steps"] else None
        if isinstance(last, Index) and isinstance(last.key, Ref) and read.out.aval.shape:
            mask = read.inputs[last.key.index]
            if mask.aval.is_array and mask.aval.dtype == bool:
                self.masks.setdefault(mask, read.out.aval.shape[0])

    def of(self, node: Node) -> Bound:
        """The binding of an ``apply`` node."""
        found = self._bound.get(node)
        if found is None:
            found = self._bound[node] = self._bind(node)
        return found

    def _bind(self, node: Node) -> Bound:
        constants = self.constants
        inputs = [constants[v] if v in constants and _plain(constants[v]) else v
                  for v in node.inputs]
        args = fill(node.params["args"], inputs)
        kwargs = fill(node.params["kwargs"], inputs)
        found = resolve(node.params["fn"], args, kwargs)
        if found is None:
            return Bound(None, {f"argument {i + 1}": a for i, a in enumerate(args)} | kwargs)
        return Bound(*found)

    def differentiable(self, node: Node) -> tuple[Value, ...]:
        """The inputs of a node through which a derivative may pass (loops and ifs aside)."""
        found = self._differentiable.get(node)
        if found is None:
            found = self._differentiable[node] = self._find(node)
        return found

    def is_draw(self, node: Node) -> bool:
        """Is the node a random draw whose derivative by its parameters is known?"""
        return node.op == "effect" and len(node.outputs) == 1 and (
            self.of(node).entry is not None)

    def _find(self, node: Node) -> tuple[Value, ...]:
        if node.op in ("list", "call", "pack", "unpack"):
            return node.inputs
        if node.op != "apply" and not self.is_draw(node):
            return tuple(node.inputs[i] for i in _DIFFERENTIABLE.get(node.op, ())
                         if i < len(node.inputs))
        if not any(o.aval.is_inexact for o in node.outputs):
            return ()
        if "derivative" in node.params:
            targets: tuple[Value, ...] = node.params["derivative"].targets(node)
            return targets
        bound = self.of(node)
        if bound.entry is None:
            return node.inputs
        if bound.entry.nondiff:
            return ()
        return tuple([v for name, values in bound.values.items()
                      if name not in bound.entry.inactive for v in values])


def _may_be_complex(node: Node) -> bool:
    """Does a node make a complex value, or one that may be (``np.linalg.eigvals``)?"""
    kinds = [v.aval.dtype.kind if v.aval.dtype is not None else "?"
             for v in (*node.inputs, *node.outputs) if v.aval.is_numeric]
    if "c" in kinds or node.op != "apply" or "?" not in kinds[-len(node.outputs):]:
        return "c" in kinds
    return "?" not in kinds[:-len(node.outputs)] or name_of(node.params["fn"]) in DTYPE_OF_VALUES


def _plain(value: Any) -> bool:
    """Is a constant one that rule bodies should see as itself?"""
    return value is None or isinstance(value, bool | int | float | complex | str | tuple)


def unranked(what: str, where: Where | None = None) -> UnsupportedOperation:
    """The refusal of what cannot do without a rank: numbers and arrays that are told apart have
    one."""
    error = UnsupportedOperation(
        f"{what} needs the number of axes of an array that only a run knows", where=where,
        why="a variable or the elements of a list are arrays of different ranks",
        fix="use one name for each rank, or give all the same rank (np.atleast_1d)")
    error.lifted_by = ("NumbersApart",)
    return error


def no_rule(node: Node, name: str, bound: Bound) -> UnsupportedOperation:
    """The refusal of a function without a derivative for the input ``name``."""
    function = node.params.get("fn", node.op)
    label = getattr(function, "__name__", None) or getattr(function, "name", str(function))
    full = public_name(function) if callable(function) and not isinstance(
        function, Method | Attribute | Part | At) else label
    place = None if node.origin is None else node.origin.where
    if (getattr(function, "__module__", None) or "").startswith("srcgrad.rules."):
        return unranked("a higher or forward derivative", place)
    what = f"{full} has no derivative rule for {name!r}"
    if node.origin is not None and place is not None and of_scipy(place):
        chain = (*node.origin.callers, place)
        first = next(i for i, c in enumerate(chain) if of_scipy(c))
        what = f"{name_at(chain[first])} cannot be differentiated here: {what}"
        place = chain[first - 1] if first else place
    return UnsupportedOperation(
        what, where=place,
        why="the gradient depends on this argument and the rule book has no formula for it",
        fix="declare one with srcgrad.rules.vjp, wrap the call in srcgrad.custom_vjp, or pass the "
            "argument through srcgrad.stop_gradient if its derivative is to be zero",
    )
