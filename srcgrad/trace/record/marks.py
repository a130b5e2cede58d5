"""Marks: where a recording was, to which it goes back, or since which all is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...graph.ir import Node

if TYPE_CHECKING:
    from .recorder import Recorder


class Mark:
    """Where a recording was: its region, the nodes there, and the layers of the journal."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder, self.region = recorder, recorder.region
        self.count = len(self.region.builder.nodes)
        self.layers = len(recorder.journal.layers)

    @property
    def made(self) -> list[Node]:
        """The nodes of the region that have been recorded since."""
        return self.region.builder.nodes[self.count:]

    def keep(self) -> None:
        """What has changed since stays changed, in the layer that was the innermost."""
        while len(self.recorder.journal.layers) > self.layers:
            self.recorder.journal.commit()

    def leave(self) -> None:
        """Undo what has changed since, and leave the regions that were begun; the nodes stay."""
        while len(self.recorder.journal.layers) > self.layers:
            self.recorder.journal.pop()
        inner = self.recorder.region
        while inner is not self.region and inner is not None:
            inner.active = False
            inner = inner.parent  # type: ignore[assignment]
        self.recorder.region = self.region

    def undo(self) -> None:
        """Go back, as if nothing had been recorded since."""
        self.leave()
        self.recorder.gone.update(v for n in self.made for v in n.outputs if not any(
            v in again.values for again in self.recorder.echoes))
        del self.region.builder.nodes[self.count:]
