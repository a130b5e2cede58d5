"""What every part of the tracer may speak to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..graph.outcome import Fresh
    from .assumptions import Assumptions
    from .journal import Journal
    from .machine import TraceMachine
    from .states import ListTable


class Collaborator:
    """A part of the tracer; the machine sets these, and the other parts that its class names."""

    machine: TraceMachine
    assumed: Assumptions
    journal: Journal
    fresh: Fresh
    symbolic_lists: ListTable
