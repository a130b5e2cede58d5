"""What every part of the tracer may speak to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    from ..graph.outcome import Fresh
    from .assumed import Assumptions
    from .dispatch import Parts
    from .machine import TraceMachine
    from .record.journal import Journal
    from .record.states import ListTable
else:
    Parts = object

Args = tuple[Any, ...]  # of a call
Kwargs = dict[str, Any]

PASSED: Final[Any] = object()  # an operator's result where a part does not know the operands


class Collaborator(Parts):
    """A part of the tracer; the machine sets these, and the other parts that its class names in
    ``speaks_to``.  ``next`` has the operators of the parts that are asked after this one."""

    speaks_to: ClassVar[tuple[str, ...]] = ()
    machine: TraceMachine
    next: Any
    assumed: Assumptions
    journal: Journal
    fresh: Fresh
    symbolic_lists: ListTable
