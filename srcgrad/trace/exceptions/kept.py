"""``try`` in generators that Python runs while tracing.

Such a statement stays Python's: it meets what is raised while tracing.  Where an operation that is
recorded in its body may raise in the run, and a handler would catch that, Python cannot run the
generator; as a loop over it, with its body staged, the program may go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedSyntax
from ...graph.ir import Node
from ...stage.defaults import KeptTry
from ..flow.control import Signal
from ..record.raising import catches, raising


class Watched(KeptTry):
    """The body of a ``try`` whose handlers are of these ``kinds``: where it began, or went on."""

    def __init__(self, machine: Any, kinds: list[Callable[[], Any]]) -> None:
        self.machine, self.kinds = machine, kinds
        self.start: tuple[Any, int] | None = None

    def __enter__(self) -> Watched:
        self.resumed(None)
        return self

    def __exit__(self, *error: Any) -> None:
        nodes = self._left()
        if not isinstance(error[1], Signal):  # it is not the tracer that leaves
            self._check(nodes)

    def resumed(self, sent: Any) -> Any:
        region = self.machine.recorder.region
        self.start = region, len(region.builder.nodes)
        self.machine.recorder.trying.append(region)
        return sent

    def paused(self, item: Any) -> Any:
        self._check(self._left())
        return item

    def _left(self) -> list[Node]:
        """What was recorded since the body began or went on; none while it is paused."""
        if self.start is None:
            return []
        (region, first), self.start = self.start, None
        self.machine.recorder.trying.pop()
        return region.builder.nodes[first:]  # type: ignore[no-any-return]

    def _check(self, nodes: list[Node]) -> None:
        if not nodes:
            return
        kinds = [kind() or BaseException for kind in self.kinds]
        if any(catches(error, kind) for _, error in raising(self.machine, nodes, kinds)
               for kind in kinds):
            self.machine.items.unroll_list_makers("a generator asks for items until it raises")
            raise self.machine.recorder.of_forms(UnsupportedSyntax(
                "a try statement of a generator whose body may raise in the run",
                why="the generator runs while compiling, because its items are taken one by one",
                fix="take them in a for statement, or test with an if statement"))
