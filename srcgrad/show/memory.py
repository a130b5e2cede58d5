"""``df.memory()``: what a call will keep for its backward part, before anything runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..errors import Where
from ..graph.ir import Block, Graph, Node, Value, is_adjoint
from ..graph.parts import LoopParts
from ..types.dataclasses import dataclass
from ..types.dims import Atom, Dim, Poly, evaluate, range_length, substitute, symbol
from ..types.kinds import SCALARS, Aval, Kind
from .facts import place
from .units import bytes_text


@dataclass(frozen=True)
class Held:
    """A value, or one for each iteration of a loop, that is made in the forward part and read in
    the backward part.  ``bytes`` is None where only a run knows them; ``formula`` says the bytes
    by the sizes of the arguments."""

    name: str
    formula: str
    bytes: int | None
    where: Where | None

    def __str__(self) -> str:
        size = "known at run time only" if self.bytes is None else bytes_text(self.bytes)
        formula = f" = {self.formula}" if self.formula != str(self.bytes) else ""
        at = place(self.where)
        return f"{self.name}: {size}{formula}{f'   ({at})' if at else ''}"


@dataclass(frozen=True)
class Memory:
    """What :meth:`Compiled.memory` returns; prints as text.  ``kept_bytes`` is the sum of what is
    known (``complete`` says whether that is all).  A run may need less: what turns out to be part
    of an argument, or the same buffer twice, needs nothing.  It may need more where a value is
    written to after it was kept: then a copy is made, whose original may still be there.

    It raises nothing.  See also :meth:`srcgrad.Compiled.memory`, :func:`srcgrad.checkpoint`.

    >>> from srcgrad import grad
    >>> found = grad(lambda x: np.sum(np.tanh(x))).memory(np.ones(10))
    >>> found.kept_bytes, found.kept[0].formula
    (80, '8*n')
    """

    title: str
    kept: tuple[Held, ...]
    argument_bytes: int
    kept_bytes: int
    complete: bool

    def data(self) -> dict[str, Any]:
        """Everything as dicts, lists, numbers and texts."""
        return asdict(self)

    def __repr__(self) -> str:
        least = "" if self.complete else "at least "
        lines = [self.title, f"arguments: {bytes_text(self.argument_bytes)}",
                 f"kept for the backward part: {least}{bytes_text(self.kept_bytes)}"]
        return "\n".join([*lines, *(f"  {held}" for held in self.kept)])


def memory(title: str, graph: Graph, inputs: Sequence[Any]) -> Memory:
    """The estimate for a call with these inputs of the graph."""
    sizes = _sizes(graph, inputs)
    kept = sorted(_kept(graph, sizes, _told_apart(graph, sizes)),
                  key=lambda held: -(held.bytes or 0))
    return Memory(title, tuple(kept), sum(_bytes_of(inputs)),
                  sum(held.bytes or 0 for held in kept), all(h.bytes is not None for h in kept))


def _bytes_of(inputs: Sequence[Any]) -> Iterator[int]:
    for value in inputs:
        if isinstance(value, (list, tuple)):
            yield from _bytes_of(value)
        elif isinstance(value, (np.ndarray, np.generic, float, complex)):
            yield np.asarray(value).nbytes


def _sizes(graph: Graph, inputs: Sequence[Any]) -> dict[Atom, int]:
    """The numbers that the symbols of the inputs stand for."""
    found: dict[Atom, int] = {}
    for value, given in zip(graph.inputs, inputs, strict=False):  # seeds have defaults
        aval = value.aval
        pairs: list[tuple[Any, Any]] = []
        if isinstance(given, np.ndarray) and aval.shape is not None:
            pairs = list(zip(aval.shape, given.shape, strict=False))
        elif isinstance(given, int) and aval.expr is not None:
            pairs = [(aval.expr, given)]
        for dim, number in pairs:
            if isinstance(dim, Poly) and len(dim.terms) == 1 and len(dim.atoms()) == 1 and (
                    dim == _alone(dim)):
                found[dim.atoms()[0]] = int(number)
    return found


def _alone(dim: Poly) -> Poly:
    return Poly({((dim.atoms()[0], 1),): 1})


def _told_apart(graph: Graph, sizes: Mapping[Atom, int]) -> dict[Atom, Dim]:
    """Other names for sizes of arrays that print like an int argument, or like each other."""
    count = Counter(map(str, sizes))
    names: dict[Atom, Dim] = {}
    for value in graph.inputs:
        for axis, dim in enumerate(value.aval.shape or ()):
            for atom in dim.atoms() if isinstance(dim, Poly) and dim == _alone(dim) else ():
                if count[str(atom)] > 1:
                    names.setdefault(atom, symbol(f"{value.hint}.shape[{axis}]"))
    return names


def _kept(graph: Graph, sizes: Mapping[Atom, int], names: Mapping[Atom, Dim]) -> Iterator[Held]:
    nodes = graph.block.nodes
    border = len(nodes) if graph.border is None else graph.border
    made = {v: node for node in nodes[:border] if not is_adjoint(node) for v in node.outputs}
    for parts in [LoopParts(n) for n in made.values() if n.op == "loop"]:
        for init, result in zip(parts.inits, parts.results, strict=True):
            if init not in made and init not in graph.inputs:  # a cotangent
                made.pop(result, None)
    read = dict.fromkeys(v for node in nodes[border:] for v in _used(node))
    for value in read:
        node = made.get(value)
        if node is None or node.op in ("const", "dim") or not _is_memory(value.aval):
            continue
        formula = _formula(value.aval, node)
        number = None if formula is None else _number(formula, sizes)
        name = value.hint or f"a result of {_operation(node)}"
        where = None if node.origin is None else node.origin.where
        said = "?" if formula is None else str(substitute(formula, names))
        yield Held(name, said, number, where)


def _used(node: Node) -> Iterator[Value]:
    if node.op == "dim":  # a size outlives the array
        return
    yield from node.inputs
    for block in node.blocks:
        yield from _used_in(block)


def _used_in(block: Block) -> Iterator[Value]:
    for node in block.nodes:
        yield from _used(node)
    yield from block.outputs


def _is_memory(aval: Aval) -> bool:
    if aval.kind is Kind.LIST:
        return aval.elem is None or _is_memory(aval.elem)
    return aval.kind in (Kind.ARRAY, Kind.ANY, Kind.RECORD) or (
        aval.kind in SCALARS and aval.kind not in (Kind.INT, Kind.BOOL))


def _operation(node: Node) -> str:
    fn = node.params.get("fn")
    return str(getattr(fn, "__name__", getattr(fn, "name", node.op)))


def _formula(aval: Aval, node: Node) -> Dim | None:
    """The bytes of a value that a node makes, by the sizes of the arguments."""
    if aval.kind is Kind.LIST:
        trips = _trips(node)
        each = None if aval.elem is None else _formula(aval.elem, node)
        return None if trips is None or each is None else trips * each
    if aval.kind is Kind.ARRAY and aval.shape is not None and aval.dtype is not None:
        return _product([aval.dtype.itemsize, *aval.shape])
    if aval.kind in SCALARS:
        return 8 if aval.dtype is None else aval.dtype.itemsize
    return None


def _product(dims: Iterable[Dim]) -> Dim:
    total: Dim = 1
    for dim in dims:
        total = total * dim
    return total


def _trips(node: Node) -> Dim | None:
    """How often a loop runs, where it counts."""
    if node.op != "loop" or node.loop.kind != "for":
        return None
    start, stop, step = (v.aval.expr for v in node.inputs[:3])
    if start is None or stop is None or step is None:
        return None
    return range_length(start, stop, step)


def _number(formula: Dim, sizes: Mapping[Atom, int]) -> int | None:
    try:
        return int(evaluate(formula, sizes))
    except (KeyError, TypeError):
        return None
