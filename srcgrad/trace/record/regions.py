"""Regions: the blocks under construction; and small questions about structures of tracers."""

from __future__ import annotations

import enum
import sysconfig
from collections.abc import Iterator
from typing import Any

from ...graph.ir import Builder, Index, Node, Step, Value, shift
from ...types.dataclasses import dataclass
from ...types.structure import found_in, mapped
from .tracers import ArrayTracer


def in_library(filename: str) -> bool:
    """Is a source file one of the standard library or of an installed package?"""
    return "site-packages" in filename or filename.startswith(sysconfig.get_path("stdlib"))


class Region:
    """A block under construction.  ``active`` is false once it has ended: values made in it
    may not be used any more.  ``effects`` counts the effects in it.  ``control`` is the branch,
    loop or function that decides whether it runs: a region that is only kept apart
    (``in_line``) runs whenever the one around it does.  ``given`` is a value whose truth is
    known there; ``told`` has the truths that follow from branches in it of which one arm raises,
    with the moments since when.  ``layer`` is the number of its first layer of
    the journal, 0 if it has none.  ``gone`` says that it is given up, for another round of a
    loop."""

    __slots__ = ("active", "builder", "control", "effects", "given", "gone", "layer", "parent",
                 "told")

    def __init__(self, parent: Region | None, *, in_line: bool = False) -> None:
        self.builder = Builder()
        self.parent = parent
        self.active = True
        self.gone = False
        self.effects = 0
        self.control: Region = parent.control if parent is not None and in_line else self
        self.given: tuple[Value, bool] | None = None
        self.told: dict[Value, tuple[Moment, bool]] = {}
        self.layer = 1 if parent is None else 0

    def around(self) -> Iterator[Region]:
        """The region and those that it lies in, from the inside out."""
        region: Region | None = self
        while region is not None:
            yield region
            region = region.parent

    @property
    def now(self) -> Moment:
        """The moment after its last node."""
        nodes = self.builder.nodes
        return Moment(self, len(nodes), nodes[-1] if nodes else None)


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of the trace, after a node of a region."""

    region: Region
    count: int
    node: Node | None

    def still_holds(self) -> bool:
        """Was nothing undone since then?  What may be caught is recorded again."""
        nodes = self.region.builder.nodes
        return len(nodes) >= self.count and (self.count == 0 or nodes[self.count - 1] is self.node)


def array_tracers(structure: Any) -> list[ArrayTracer]:
    """The array tracers in the arguments of a call."""
    return [*found_in(structure, ArrayTracer)]


class Dead:
    """Stands for a region that has ended."""

    active = False


def shift_step(step: Step, by: int) -> Step:
    """A step whose references are moved by ``by`` places."""
    if not by:
        return step
    if isinstance(step, Index):
        return Index(shift(step.key, by), step.basic)
    return type(step)(step.fn, shift(step.args, by),
                      tuple((k, shift(v, by)) for k, v in step.kwargs))


def plain_numbers(structure: Any) -> Any:
    """Arguments of NumPy with members of number enums as the numbers they are."""
    def plain(member: Any) -> Any:
        return member.value if issubclass(type(member), (int, float)) else member

    return mapped(structure, enum.Enum, plain)
