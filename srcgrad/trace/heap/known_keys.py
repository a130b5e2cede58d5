"""What is known of the keys of dicts on the way through a program.

A key that was looked up or stored is there from then on, until keys are taken away; whether a key
is there, once asked, need not be asked again until the dict changes.
"""

from __future__ import annotations

from typing import Any

from ...graph.ir import Value
from ...types.dataclasses import dataclass
from ..collaborator import Collaborator
from ..record.regions import Moment, Region
from ..record.structures import same_key


@dataclass(frozen=True, slots=True)
class Noted:
    """A key of a dict, and its place, or whether it is there (``asked``: the value that tells)."""

    owner: Any
    keys: tuple[Any, ...]
    key: Any
    place: Any
    asked: Any
    when: Moment
    changes: int


@dataclass(frozen=True, slots=True)
class Altered:
    """A run-time dict has changed; ``moved``: keys may have gone, or have another place."""

    owner: Any
    moved: bool
    when: Moment


def _keys_of(obj: Any) -> tuple[Any, ...]:
    return tuple(obj) if isinstance(obj, dict) else ()


class KnownKeys(Collaborator):
    """What is known of keys."""

    speaks_to = ("keys", "recorder", "truths")

    def __init__(self) -> None:
        self.noted_keys: list[Noted] = []
        self.alterations: list[Altered] = []
        self.own_indexes: set[Value] = set()  # run-time dicts that have no second name

    def note_key(self, obj: Any, key: Any, place: Any = True, asked: Any = None) -> None:
        """A dict has a key from here on, to the end of the region; or a value that was ``asked``
        tells whether it has it now."""
        self.noted_keys.append(Noted(obj, _keys_of(obj), key, place, asked,
                                     self.recorder.region.now, len(self.alterations)))

    def note_change(self, obj: Any, moved: bool) -> None:
        """A run-time dict changes; ``moved``: keys may go, or have another place."""
        self.alterations.append(Altered(obj, moved, self.recorder.region.now))

    def forget_keys(self, since: tuple[int, int]) -> None:
        """Nothing is known that was noted after so many notes and changes."""
        del self.noted_keys[since[0]:]
        del self.alterations[since[1]:]

    def known_place(self, obj: Any, key: Any) -> Any:
        """What was noted of a key; None if it may be a new one."""
        for noted in self._notes(obj, key):
            if noted.place is not None and not self._altered(noted, True):
                return noted.place
        return None

    def asked_before(self, obj: Any, key: Any) -> Any:
        """Whether a run-time dict has a key, if that is known or was asked; else None."""
        if self.known_place(obj, key) is not None:
            return True
        for noted in self._notes(obj, key):
            if noted.asked is not None and not self._altered(noted, False):
                known = self.truths.known_truth(noted.asked.value)
                return noted.asked if known is None else known
        return None

    def _notes(self, obj: Any, key: Any) -> Any:
        if not isinstance(obj, dict) and obj.value not in self.own_indexes:
            return
        for noted in reversed(self.noted_keys):
            when = noted.when
            if noted.owner is obj and noted.keys == _keys_of(obj) and same_key(noted.key, key) and (
                    when.still_holds() and when.region in self.recorder.region.around()):
                yield noted

    def _altered(self, noted: Noted, moves: bool) -> bool:
        """May what was noted have become untrue?  ``moves``: only if keys went away or moved."""
        if isinstance(noted.owner, dict):
            return False
        if not moves or self.keys.may_move(noted.owner):
            for inner in self.recorder.region.around():
                if inner is noted.when.region:
                    break
                if inner.given is None and inner.control is inner:
                    return True  # a loop, whose later iterations come after its own changes
        return any(a.owner is noted.owner and (a.moved or not moves) and a.when.still_holds()
                   and not self._is_other_arm(a.when.region)
                   for a in self.alterations[noted.changes:])

    def _is_other_arm(self, region: Region) -> bool:
        """Is a region in an arm of a branch whose other arm is taken here?"""
        chain = {inner.parent: inner for inner in self.recorder.region.around()}
        for outer in region.around():
            here = chain.get(outer.parent)
            if here is outer:
                return False
            if here is not None:
                return here.given is not None and outer.given is not None and (
                    here.given[0] is outer.given[0] and here.given[1] is not outer.given[1])
        return False
