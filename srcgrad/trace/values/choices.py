"""Names whose object depends on the path: ``act = tanh if c else sin``, ``y = x if c else z``.

After a branch a name may stand for one of two things that have no common form.  A
:class:`Choice` remembers the branch's predicate and both things; whatever is done to it is
done in a new branch on the same predicate.  An array that is one of two arrays (and not a new
one) is a joined home with a ``choice``: its content is an ordinary output of the branch, but a
write through it is made on the member that it is, in a branch, so that members and joined
name see each other's writes.
"""

from __future__ import annotations

from typing import Any

from ...graph.ir import Steps, Value
from ...types.kinds import Aval
from ..collaborator import Collaborator
from ..record.homes import members
from ..record.journal import Version
from ..record.regions import shift_step
from ..record.tracers import ArrayTracer, Home


class Choices(Collaborator):
    """Writes through joined arrays, and their contents after writes to a member."""

    speaks_to = ("branches", "elements", "joined_values", "list_rows", "recorder")

    def __init__(self) -> None:
        self.choice_seen: dict[Value, list[Any]] = {}

    def is_part(self, obj: Any) -> bool:
        """Is it a row that was read from a list of lists?"""
        part = self.list_rows.list_owners.get(id(obj))
        return part is not None and part.key is not None and not part.given

    def content(self, tracer: ArrayTracer, sizes_only: bool = False) -> Value:
        if self.elements.columns:
            self.elements.before_read(tracer.home)
        if tracer.home.choice is not None:
            self.refresh_choice(tracer.home)
        return self.recorder.content(tracer, sizes_only)

    def refresh_choice(self, home: Home) -> None:
        """Give a joined home the content its member has now."""
        assert home.choice is not None
        predicate, first, second = home.choice
        now = self.contents_of(home)
        if self.choice_seen.get(home.current) == now:
            return
        aval = home.current.aval
        value = self.joined_values.phi(predicate, lambda: self._member_content(first, aval),
                         lambda: self._member_content(second, aval), aval)
        value.obj, value.hint = home.obj, home.current.hint
        self.choice_seen[value] = now
        self.journal.write(Version(home), value)

    def contents_of(self, home: Home) -> list[Any]:
        """What the content of a choice follows from: versions of all that its members may be."""
        if home.choice is None:
            return [home.current, home.lost, *(h.current for h, _ in home.aliases),
                    self.elements.version(home)]
        return [version for m in members(home) for version in self.contents_of(m)]

    def _member_content(self, member: Any, aval: Aval) -> Value:
        if type(member) is ArrayTracer:
            return self.content(member)
        return self.recorder.const(None) if member is None else self.recorder.emit("undef", (),
            (aval,))[0]

    def write_version(self, tracer: ArrayTracer, op: str, steps: Steps, value: Value,
                      dyn: tuple[Value, ...], **params: Any) -> None:
        choice = tracer.home.choice
        if tracer.home.place is not None:
            self.elements.write(tracer, op, steps, value, dyn, **params)
            return
        if choice is None:
            self.recorder.write_version(tracer, op, steps, value, dyn, **params)
            return
        self.recorder.check_writable(tracer.home)
        predicate, first, second = choice

        def write(member: Any) -> Any:
            if type(member) is not ArrayTracer:
                return self.machine.raise_(_not_an_array(member, tracer.home.label), None, False)
            target = self.same_view(member, tracer)
            self.write_version(target, op, steps, value, dyn, **params)
            return 0

        self.branches.branch(predicate, lambda: write(first), lambda: write(second), None)
        tracer.home.written = True

    def same_view(self, member: ArrayTracer, tracer: ArrayTracer) -> ArrayTracer:
        """The handle into a member that corresponds to a handle into the joined array."""
        if not tracer.steps:
            return member
        content = self.content(member)
        steps = tuple(shift_step(s, 1) for s in tracer.steps)
        (value,) = self.recorder.emit("read", (content, *tracer.dyn), (tracer.aval,), steps=steps)
        return self.recorder.view(member, tracer.steps, tracer.dyn, value, tracer.aval)


def _not_an_array(member: Any, label: str) -> Exception:
    """What Python raises where a name that is written through holds no array."""
    if member is None:
        return TypeError("'NoneType' object does not support item assignment")
    return UnboundLocalError(
        f"cannot access local variable {label!r} where it is not associated with a value")
