"""Lists that lie in a store: each is a number, and its items are a row of a list of lists.

So are lists that the program puts into others and changes by another name, ``groups.append(group)``
and later ``group.append(v)``: what is changed is the row, and the others hold its number.  A list
that is made at a place of the program lies in a store from the start, if tracing found out that it
must; lists that a name stands for in turn lie in one.
"""

from __future__ import annotations

from typing import Any

from ..assumptions import StoredObjects, Withdrawn
from ..boundary.variables import is_of_program
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.states import Columns
from .forms import Numbered
from .stores import LISTS, Reference, Store, class_key, stores_in
from .written_out import contents


class StoredLists(Collaborator):
    """Which lists lie in a store."""

    speaks_to = ("keys", "merges", "references")

    def __init__(self) -> None:
        self.heirs: dict[int, tuple[Any, list[Any]]] = {}  # what joined lists come from

    def made(self, obj: list[Any], site: Any) -> Any:
        """What stands for a list that the program makes at a place."""
        every = StoredObjects(class_key(LISTS))
        if self._as_one(site) not in self.assumed or not self.assumed.open(every) or not (
                is_of_program(self.merges.frames[-1].callee)):
            return obj
        self.assumed.risk(Withdrawn(every))
        return self.references.placed(LISTS, {"items": obj})

    def inherit(self, new: Any, old: Any) -> None:
        """A list takes the place of another where paths meet."""
        if type(new) is list:
            self.heirs.setdefault(id(new), (new, []))[1].append(old)

    def store_instead(self, obj: Any) -> None:
        """Start again with a list in a store, if the program has made it."""
        for way in self.ways(obj):
            raise Restart(way)

    def ways(self, obj: Any) -> list[StoredObjects]:
        """What may be assumed for a list to lie in a store."""
        found = map(self._as_one, self._sites(obj) if type(obj) is list else ())
        return [way for way in found if self.assumed.open_stores() and self.assumed.open(way)]

    def unite(self, *things: Any) -> None:
        """Start again with some lists in a store if others that a place may hold lie in one."""
        if LISTS in self.references.stores and any(s.cls is LISTS for thing in things
                                                   for s in stores_in(thing) if type(s) is Store):
            for one in things:
                self.store_instead(one)

    def give(self, structure: Any) -> None:
        """The world outside may keep something: the very lists in it, which must change there as
        well, so that they lie in no store."""
        if type(structure) is Reference and structure.cls is list:
            raise Restart(structure.kept_under)
        if isinstance(structure, (tuple, list, dict)) and LISTS in self.references.stores:
            for part in structure.values() if isinstance(structure, dict) else structure:
                self.give(part)

    def given_out(self, obj: Any) -> Any:
        """What the program returns for a list in a store, or a list of such."""
        state = self.symbolic_lists.get(id(obj)) if type(obj) is list else None
        form = state.form if type(state) is Columns else None
        if isinstance(form, Numbered) and form.store.cls is LISTS and not form.optional:
            return self.machine.call(contents, obj)
        return self.references.content_of(obj)

    def _sites(self, obj: Any) -> list[Any]:
        """The places of the program that make a list, or those that it takes the place of."""
        found: dict[Any, None] = {}
        todo, met = [obj], set()
        while todo:
            one = todo.pop()
            if id(one) in met:
                continue
            met.add(id(one))
            if id(one) in self.keys.dict_sites:
                found[self.keys.dict_sites[id(one)][0]] = None
            todo += self.heirs.get(id(one), (None, []))[1]
        return [*found]

    @staticmethod
    def _as_one(site: Any) -> StoredObjects:
        return StoredObjects(class_key(LISTS), site=site)
