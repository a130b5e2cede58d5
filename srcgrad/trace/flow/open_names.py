"""Names that only some paths have bound where they are read.

What a branch or a loop leaves in a variable that was not bound on every path to its end is noted
together with what tells the paths apart.  Reading it where that does not rule out the unbound
ones starts tracing again, and from then on a truth value tells whether the name is bound (see
:mod:`srcgrad.trace.flow.partial`): so the error is raised where plain Python raises it, whether or
not the value is used.  Whether a ``for`` loop has an iteration is a guard, where the call
decides it.
"""

from __future__ import annotations

from typing import Any

from ...errors import JoinError
from ...graph.ir import Ref, Value
from ...stage.machine import BREAK, CONTINUE, NORMAL, RETURN, UNBOUND, Frame
from ...types.dataclasses import dataclass
from ...types.dims import Poly
from ...types.spelling import require_bound
from ..assumptions import FollowedNames
from ..collaborator import Collaborator
from ..record.journal import Cell, Slot
from ..record.structures import is_library
from ..record.tracers import ArrayTracer, Jump, Poison, ScalarTracer
from .control import Restart


@dataclass(frozen=True, slots=True)
class Paths:
    """Two paths, and the value that tells which was taken."""

    predicate: Value
    ends: tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Left:
    """A path that leaves an iteration by a jump, or (``returns``) the function that runs in a
    frame: what follows in the body is not on it, but for what runs as a statement is left (a
    ``finally`` part, an ``__exit__``).  ``rest`` are the paths that do not leave."""

    end: Any
    frame: Frame
    returns: bool
    rest: Any = None


@dataclass(frozen=True, slots=True)
class Iterations:
    """Loops in one another that bind the name in each iteration: their numbers of iterations,
    less one."""

    spares: tuple[Poly, ...]


def code_of(frame: Frame) -> Any:
    """The code of the function that runs in a frame."""
    return getattr(frame.callee, "__code__", None)


class OpenNames(Collaborator):
    """Which variables may be unbound."""

    speaks_to = ("recorder", "sources", "truths")

    def __init__(self) -> None:
        self.opened: dict[tuple[int, str, int], tuple[Frame, Any, Any]] = {}
        self.leaving: list[Frame] = []  # in which what runs as a statement is left is running

    # by the variable and what it holds, which are kept so that their ids stay their own

    def openness(self, cell: Cell, state: Any) -> Any:
        """The paths on which a variable with this state is unbound; None if there are none."""
        if state is UNBOUND:
            return UNBOUND
        if not isinstance(cell, Slot):
            return None
        found = self.opened.get((id(cell.owner), cell.name, id(state)))
        return None if found is None else found[2]

    def note_open(self, cell: Cell, state: Any, paths: Any) -> None:
        if isinstance(cell, Slot) and paths is not None and type(state) is not Poison:
            self.opened[id(cell.owner), cell.name, id(state)] = (cell.owner, state, paths)

    def may_be_unbound(self, paths: Any) -> bool:
        """May one of the paths on which a name is unbound have led here?"""
        if paths is None or paths is UNBOUND:
            return paths is UNBOUND
        if type(paths) is Left:
            return self.may_be_unbound(paths.rest) or (
                any(f is paths.frame for f in self.leaving) and self.may_be_unbound(paths.end))
        if type(paths) is Iterations:
            return not all(map(self.sources.is_nonnegative, paths.spares))
        known = self.truths.known_truth(paths.predicate)
        ends = paths.ends if known is None else paths.ends[:1] if known else paths.ends[1:]
        return any(map(self.may_be_unbound, ends))

    def check_bound(self, frame: Frame, name: str, value: Any) -> bool:
        """Is a variable certainly bound here?  If that is open, whether it is bound is followed
        from the start."""
        paths = self.openness(Slot(frame, name), value)
        module = getattr(frame.callee, "__module__", None) or ""
        if paths is None or not name.isidentifier() or is_library(module) or (
                module.startswith("srcgrad.")) or not self.may_be_unbound(paths):
            return True
        if type(paths) is Iterations:
            return False
        code = code_of(frame)
        if self.assumed.follows(code, name):
            return True
        if self.assumed.open(FollowedNames()):
            raise Restart(FollowedNames(code, name))
        if isinstance(value, (ArrayTracer, ScalarTracer)):
            self._require_bound(name, self.recorder.value_of(value))
        elif isinstance(value, (int, float, complex, str)):
            raise self.recorder.fatal(JoinError(
                f"the variable {name!r} holds {value!r} on some paths, and nothing on others",
                why="which of them was taken cannot be followed in this function",
                fix="bind the name on every path, before the branch or loop"))
        return True

    def _require_bound(self, name: str, value: Value) -> None:
        """The run tells that a variable is bound, where it has not yet told it on the way here."""
        if any(n.op == "effect" and n.params["fn"] is require_bound and n.inputs[0] is value
               for region in self.recorder.region.around() for n in region.builder.nodes):
            return
        self.recorder.region.effects += 1
        self.recorder.emit("effect", (value,), (), fn=require_bound, args=(Ref(0), name), kwargs={})


def in_arm(paths: Any, jump: Any, frame: Frame) -> Any:
    """The paths at the end of an arm that ends with a jump in the function of a frame."""
    codes = jump.codes if isinstance(jump, Jump) else {jump}
    if paths is None or NORMAL in codes or None in codes:
        return paths
    if codes & {BREAK, CONTINUE, RETURN}:
        return Left(paths, frame, codes == {RETURN})
    return None


def after_loop(entry: Any, end: Any, spare: Any) -> Any:
    """The paths after a loop, by those before it and at the end of an iteration; ``spare`` is
    the number of iterations, less one, where the call decides it."""
    inner = after_iteration(end)
    if type(inner) is Left:
        return Left(inner.end, inner.frame, True, after_loop(entry, inner.rest, spare))
    if inner is not None and (type(inner) is not Iterations or spare is None):
        return UNBOUND
    if entry is not UNBOUND or spare is None:
        return entry
    if isinstance(spare, int):
        return UNBOUND if spare < 0 else inner
    return Iterations((spare, *(inner.spares if inner is not None else ())))


def after_iteration(paths: Any) -> Any:
    """The paths where an iteration has ended, and what its tests have told is not known."""
    if type(paths) is Left:
        end, rest = after_iteration(paths.end), after_iteration(paths.rest)
        if end is None or rest is UNBOUND:
            return rest
        return Left(end, paths.frame, True, rest) if paths.returns else UNBOUND
    if type(paths) is Paths:
        ends = [e for e in map(after_iteration, paths.ends) if e is not None]
        if all(type(e) is Left and e.rest is None for e in ends):
            return Left(UNBOUND, ends[0].frame, True) if ends else None
        return UNBOUND
    return paths
