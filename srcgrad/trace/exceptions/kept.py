"""``try`` in generators that Python runs while tracing.

Such a statement stays Python's: it meets what is raised while tracing.  Where an operation that is
recorded in its body may raise in the run, and a handler would catch that, Python cannot run the
generator; as a loop over it, with its body staged, the program may go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedSyntax
from ...stage.defaults import KeptTry
from ..assumptions import ListedGenerators
from ..record.raising import catches, raising


class Watched(KeptTry):
    """The body of a ``try`` whose handlers are of these ``kinds``: where it began, or went on."""

    def __init__(self, machine: Any, kinds: list[Callable[[], Any]]) -> None:
        self.machine, self.kinds = machine, kinds
        self.start: tuple[Any, int] | None = None

    def __enter__(self) -> Watched:
        self.resumed(None)
        return self

    def __exit__(self, *_: object) -> None:
        self.paused(None)

    def resumed(self, sent: Any) -> Any:
        region = self.machine.recorder.region
        self.start = region, len(region.builder.nodes)
        return sent

    def paused(self, item: Any) -> Any:
        if self.start is not None:
            (region, first), self.start = self.start, None
            if nodes := region.builder.nodes[first:]:
                self._check(nodes)
        return item

    def _check(self, nodes: list[Any]) -> None:
        kinds = [kind() or BaseException for kind in self.kinds]
        if any(catches(error, kind) for _, error in raising(self.machine, nodes, kinds)
               for kind in kinds):
            if ListedGenerators() in self.machine.assumed:  # whose ends an exception tells
                self.machine.items.unroll_list_makers("a generator asks for items until it raises")
            raise self.machine.recorder.of_forms(UnsupportedSyntax(
                "a try statement of a generator whose body may raise in the run",
                why="the generator runs while compiling, because its items are taken one by one",
                fix="take them in a for statement, or test with an if statement"),
                ListedGenerators())
