"""Attributes, names, keys and items that only some paths bind, under Python's operators.

Asking for a single key or attribute is a branch on whether it is bound.  A key that is one of a
few constants after branches is each of them in a branch.
"""

from __future__ import annotations

import collections
import functools
import operator
import types
from collections.abc import Callable
from typing import Any

from ...errors import JoinError
from ...graph.ir import Value
from ...stage.machine import NORMAL, UNBOUND
from ...types.spelling import Method
from ...types.subclasses import overrides, own_namespace
from ..collaborator import PASSED, Args, Collaborator, Kwargs
from ..heap.items import raises_key_error
from ..heap.run_time import check_no_table
from ..iteration.iteration import Entries
from ..record.journal import Content
from ..record.states import Maybe, Partial
from ..record.structures import record_fields
from ..record.tracers import StandIn
from .partial import bound_in, content_with

MOST_SPLITS = 4
DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
JOURNALED = frozenset({"clear", "copy", "get", "items", "keys", "move_to_end", "pop", "popitem",
                       "setdefault", "values"})
Act = Callable[[], Any]


class Presence(Collaborator):
    """Operators on what may be unbound."""

    speaks_to = ("access", "assignment", "branches", "calls", "containers", "effects", "foreigners",
                 "found_functions", "items", "keys", "recorder", "references", "sources", "truths",
                 "walks")

    def __init__(self) -> None:
        self.instance_dicts: dict[int, Any] = {}

    # ---- one place -----------------------------------------------------------------------
    def is_bound(self, state: Any) -> Any:
        """Is a place bound: a bool, or a traced one."""
        bound = bound_in(state, {})
        if not isinstance(bound, Value):
            return bound
        known = self.truths.known_truth(bound)
        return self.recorder.wrap(bound) if known is None else known

    def present(self, state: Any, missing: Act) -> Any:
        """What a place holds; where it is unbound, the value of ``missing``."""
        bound = self.is_bound(state)
        content = state.content if type(state) is Maybe else state
        if type(bound) is bool:
            return self.references.loaded(content) if bound else missing()
        return self.branches.choose(self.recorder.value_of(bound),
                                    lambda: self.references.loaded(content), missing)

    def either_way(self, bound: Any, there: Act, missing: Act) -> None:
        """One of two actions."""
        if type(bound) is bool:
            (there if bound else missing)()
        else:
            self.branches.branch(self.recorder.value_of(bound), lambda: _done(there),
                                 lambda: _done(missing), None)

    # ---- contents --------------------------------------------------------------------------

    def getattr(self, obj: Any, name: str) -> Any:
        found = self.next.getattr(obj, name)
        if name == "__dict__" and type(found) is dict and not isinstance(obj, NAMESPACES) and (
                own_namespace(obj, None) is not None):
            self.instance_dicts[id(found)] = obj
        return found

    def _attributes(self, owner: Any) -> Partial:
        """The attributes of an instance as the content of its ``__dict__``."""
        changed = self.sources.overlays.get(id(owner), {})
        if id(owner) in self.found_functions.paths:
            self.sources.note_container(self.next.getattr(owner, "__dict__"))
        names = dict.fromkeys((*owner.__dict__, *changed))
        return Partial(dict, tuple((n, self.own(owner, n)) for n in names), True)

    def names(self, owner: Any) -> tuple[str, ...]:
        """The attributes that an instance may hold itself."""
        if own_namespace(owner, None) is not None and id(owner) in self.found_functions.paths:
            self.sources.note_container(self.next.getattr(owner, "__dict__"))
        changed = self.sources.overlays.get(id(owner), {})
        return tuple(dict.fromkeys((*(record_fields(owner) or ()), *changed)))

    def own(self, owner: Any, name: str) -> Any:
        """What an instance itself holds under a name."""
        found = self.access.maybe_attribute(owner, name)
        path = self.found_functions.paths.get(id(owner))
        if path is None or name in self.sources.overlays.get(id(owner), {}):
            return found
        if found is UNBOUND:
            self.sources.note_container(self.next.getattr(owner, "__dict__"))
            return found
        if name in (own_namespace(owner, None) or ()) and any(
                name in vars(cls) for cls in type(owner).__mro__):
            self.sources.guard("owns", path, name)  # without it, that of the class
        return self.foreigners.outside(found, path.child(
            "held" if overrides(type(owner), name) else "slot", name))

    def partial_of(self, obj: Any) -> Partial | None:
        """The content of a dict or set whose keys depend on data, or of an instance's dict."""
        if not isinstance(obj, (dict, set)):
            return None
        owner = self.instance_dicts.get(id(obj))
        if owner is not None:
            return self._attributes(owner)
        found = self.symbolic_lists.get(id(self.references.seen(obj)))
        return None if found is None else found.keyed

    def entry(self, obj: Any, key: Any) -> Any:
        """What a dict or set has under a key (a :class:`Maybe` where it may be missing)."""
        if id(obj) in self.instance_dicts:
            return self.own(self.instance_dicts[id(obj)], key)
        state = self.partial_of(obj)
        if state is not None:
            return next((v for k, v in state.entries if k == key), UNBOUND)
        obj = self.references.seen(obj)
        if key not in obj:
            return UNBOUND
        return obj[key] if isinstance(obj, dict) else True

    def _fill_entries(self, obj: Any, entries: list[tuple[Any, Any]], ordered: bool) -> None:
        kind = dict if isinstance(obj, dict) else set
        owner = self.instance_dicts.get(id(obj))
        if owner is not None:
            self._reset(owner, dict(entries))
            return
        self.journal.write(Content(obj, self.symbolic_lists),
                           content_with(kind, tuple(entries), ordered))

    def _reset(self, owner: Any, entries: dict[str, Any]) -> None:
        """Give an instance these attributes."""
        for name, before in self._attributes(owner).entries:
            if name not in entries:
                self.either_way(self.is_bound(before), functools.partial(
                    self.assignment.drop, owner, name), do_nothing)
        for name, value in entries.items():
            if self.own(owner, name) is not value:
                self.assignment.set_plain(owner, name, value)

    def put_entry(self, obj: Any, key: Any, value: Any) -> None:
        """Store into a dict (or set) whose keys depend on data.  A key that was there keeps its
        place; one that was not becomes the last."""
        state = self.partial_of(obj)
        assert state is not None
        entries, ordered = list(state.entries), state.ordered
        places = [i for i, (k, _) in enumerate(entries) if k == key]
        bound = self.is_bound(entries[places[0]][1]) if places else False
        if not places:
            entries.append((key, value))
        elif bound is False:
            del entries[places[0]]
            entries.append((key, value))
        else:
            last = places[0] == len(entries) - 1
            ordered = ordered and (bound is True or last)
            entries[places[0]] = (entries[places[0]][0], value)
        self._fill_entries(obj, entries, ordered)

    def drop_entry(self, obj: Any, key: Any) -> None:
        """Take a key away, if it is there."""
        state = self.partial_of(obj)
        assert state is not None
        self._fill_entries(obj, [(k, v) for k, v in state.entries if k != key], state.ordered)

    def decided(self, obj: Any, act: Act) -> Any:
        """An action on a dict or set, for each set of keys that it may have."""
        obj = self.references.seen(obj)
        state = self.partial_of(obj)
        if state is None:
            return act()
        unsure = [(k, v) for k, v in state.entries if type(v) is Maybe]
        if not state.ordered and state.type is dict:
            self.keys.make_table(obj)
            raise self.recorder.fatal(unordered())
        if len(unsure) > MOST_SPLITS:
            self.keys.make_table(obj)
            raise self.recorder.of_forms(JoinError(
                f"a {state.type.__name__} is used as a whole where {len(unsure)} of its keys "
                "depend on data",
                why="the operation would have to be made for each set of keys",
                fix="ask for single keys (`k in d`, `d.get(k)`), or give it all keys before"))
        key, value = unsure[0]

        def there() -> Any:
            self._fill_entries(obj, [(k, value.content if v is value else v)
                               for k, v in state.entries], state.ordered)
            return self.decided(obj, act)

        def missing() -> Any:
            self.drop_entry(obj, key)
            return self.decided(obj, act)

        bound = self.is_bound(value)
        if type(bound) is bool:
            return there() if bound else missing()
        return self.branches.choose(self.recorder.value_of(bound), there, missing)

    def entries(self, obj: Any, what: str) -> Entries:
        """The ``keys``, ``values`` or ``items`` of a dict, one after the other."""
        state = self.partial_of(obj)
        assert state is not None
        ordered = state.ordered and state.type is dict
        found = []
        for key, state_of in state.entries:
            value = state_of.content if type(state_of) is Maybe else state_of
            one = (key, value) if what == "items" else (key if what == "keys" else value)
            found.append((self.is_bound(state_of), one))
        return Entries(found, ordered, obj, what)

    # ---- dicts -----------------------------------------------------------------------------
    def read_dict(self, owner: Any, key: Any) -> Any:
        """``owner[key]`` of a dict of the trace, or of one from outside that has a shadow."""
        obj = self.references.seen(owner)
        if isinstance(owner, collections.defaultdict) and owner.default_factory is not None:
            self.either_way(self.is_bound(self.entry(obj, key)), do_nothing,
                            lambda: self.machine.setitem(owner, key,
                                                         self.machine.call(owner.default_factory)))
        return self.present(self.entry(obj, key), lambda: self._missing(obj, key))

    def _missing(self, obj: Any, key: Any) -> Any:
        custom = getattr(type(obj), "__missing__", None)
        if isinstance(obj, collections.Counter):
            return 0
        if isinstance(custom, types.FunctionType):
            return self.machine.call(custom, obj, key)
        raise KeyError(key)

    def getitem(self, obj: Any, key: Any) -> Any:
        if type(obj) not in DICTS:
            return self.next.getitem(obj, key)
        known = self.keys.known_entry(obj, key)
        if known is not PASSED:
            return known
        self.keys.as_table(obj, key)
        if id(obj) in self.instance_dicts or id(
                self.references.seen(obj)) not in self.found_functions.paths:
            return self.calls.adopt(self.keys.with_key(
                obj, key, lambda k: self.read_dict(obj, k),
                lambda: self.items.absent(obj, key), needed=raises_key_error(obj)))
        return self.keys.with_key(obj, key, lambda k: self.next.getitem(obj, k),
                             lambda: self.items.absent(obj, key), needed=raises_key_error(obj))

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if type(obj) in DICTS:
            self.keys.as_table(obj, key, True)
            if self.keys.open_key(key):
                self.keys.with_own(obj, key, value,
                                   lambda k, given: self.machine.setitem(obj, k, given),
                                   needed=True)
                return
        if self.partial_of(obj) is None:
            self.next.setitem(obj, key, value)
            return
        key = self.keys.static_key(key)
        if id(obj) in self.found_functions.paths and id(obj) not in self.instance_dicts:
            self.effects.effect_on(obj, operator.setitem, key, value)
        self.put_entry(self.references.seen(obj), key, value)

    def delitem(self, obj: Any, key: Any) -> None:
        if type(obj) in DICTS:
            self.keys.as_table(obj, key, True)
            if self.keys.open_key(key):
                self.keys.with_key(obj, key, lambda k: self.machine.delitem(obj, k),
                              lambda: self.items.absent(obj, key))
                return
        if self.partial_of(obj) is None:
            self.next.delitem(obj, key)
            return
        self.container_method(obj, "pop", (key,), {})

    def _no_key(self, obj: Any, name: str, key: Any, *default: Any) -> Any:
        """A method of a dict or set with a key that it does not have."""
        if name in ("get", "pop") and (default or name == "get"):
            return default[0] if default else None
        if name in ("add", "setdefault"):
            self.keys.new_key(obj, key)
        if name == "discard":
            return None
        raise self.machine.call(KeyError, key)

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if type(obj) in DICTS[1:] and name in JOURNALED:
            return self.calls.adopt(self.container_method(obj, name, args, kwargs))
        if type(obj) in DICTS[1:] and name in ("update", "subtract"):
            return self.update(obj, name, args, kwargs)
        return self.next.called_method(obj, name, args, kwargs)

    def update(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> None:
        """``update`` and ``subtract`` of the dicts of ``collections``, key by key."""
        counts = isinstance(obj, collections.Counter)

        def one(key: Any, value: Any) -> None:
            if counts:
                op = "-" if name == "subtract" else "+"
                value = self.machine.binary(op, self.machine.getitem(obj, key), value)
            self.machine.setitem(obj, self.keys.static_key(key), value)

        for source in (*args, *([kwargs] if kwargs else ())):
            if isinstance(source, dict):
                self._each_entry(source, one)
            elif counts:
                for key in self.machine.iterate(source):
                    one(key, 1)
            else:
                for key, value in self.machine.iterate(source):
                    one(key, value)

    def _each_entry(self, source: Any, act: Callable[[Any, Any], None]) -> None:
        state = self.partial_of(source)
        if state is None:
            for key, value in list(self.container_method(source, "items", (), {})):
                act(key, value)
            return
        for bound, (key, value) in self.entries(source, "items").items:
            self.either_way(bound, functools.partial(act, key, value), do_nothing)

    def container_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if any(isinstance(a, StandIn) for a in args) and isinstance(obj, (dict, set)):
            self.keys.make_table(obj)
            for one in args:
                check_no_table(self.machine, one)
        if isinstance(obj, list) and name == "extend" and isinstance(args[0], StandIn):
            args = (self.machine.call(list, args[0]),)
        if isinstance(obj, dict) and name == "update" and args and (
                self.partial_of(args[0]) is not None):
            return self.update(obj, name, args, kwargs)
        if args and isinstance(obj, set) and name in KEYED:
            self.keys.as_marks(obj, args[0])
        if name == "get" and (known := self.keys.known_entry(
                obj, args[0], *(args[1:] or (None,)))) is not PASSED:
            return known
        if args and isinstance(obj, dict) and name in KEYED:
            self.keys.as_table(obj, args[0], name != "get")
        if args and isinstance(obj, (dict, set)) and name in KEYED and self.keys.open_key(args[0]):
            return self.keys.with_own(
                obj, args[0], args[-1], lambda k, last: self.container_method(
                    obj, name, (k, *args[1:-1], *(last,) * (len(args) > 1)), kwargs),
                lambda: self._no_key(obj, name, *args))
        state = self.partial_of(obj)
        if state is None:
            if any(self.partial_of(a) is not None for a in args) and isinstance(obj, set):
                held = next(a for a in args if self.partial_of(a) is not None)
                return self.decided(held, lambda: self.containers.container_method(
                    obj, name, args, kwargs))
            return self.containers.container_method(obj, name, args, kwargs)
        if args and name in KEYED:
            args = (self.keys.static_key(args[0]), *args[1:])
        special = getattr(self, f"partial_{name}", self.drop_entry if name == "discard" else None)
        if special is not None and id(
                obj) in self.found_functions.paths and name not in READING and (
                id(obj) not in self.instance_dicts):
            self.effects.effect_on(obj, Method(name), *args, **kwargs)
        if special is not None:
            return special(self.references.seen(obj), *args, **kwargs)
        return self.decided(obj, lambda: self.container_method(obj, name, args, kwargs))

    def _view(self, obj: Any, what: str) -> Any:
        found = self.entries(obj, "items")
        if found.ordered and all(bound is True for bound, _ in found.items):
            held = self.walks.content(dict(pair for _, pair in found.items), found.source)
            return getattr(held, what)()
        return self.entries(obj, what)

    partial_keys = functools.partialmethod(_view, what="keys")
    partial_values = functools.partialmethod(_view, what="values")
    partial_items = functools.partialmethod(_view, what="items")

    def partial_get(self, obj: Any, key: Any, default: Any = None) -> Any:
        return self.present(self.entry(obj, key), lambda: default)

    def partial_setdefault(self, obj: Any, key: Any, default: Any = None) -> Any:
        self.either_way(self.is_bound(self.entry(obj, key)), do_nothing,
                        lambda: self.put_entry(obj, key, default))
        return self.read_dict(obj, key)

    def partial_pop(self, obj: Any, key: Any, *default: Any) -> Any:
        def missing() -> Any:
            if default:
                return default[0]
            raise KeyError(key)

        found = self.present(self.entry(obj, key), missing)
        self.drop_entry(obj, key)
        return found

    def partial_clear(self, obj: Any) -> None:
        self._fill_entries(obj, [], True)

    def partial_copy(self, obj: Any) -> Any:
        state = self.partial_of(obj)
        made = type(obj)(obj.default_factory) if isinstance(obj, collections.defaultdict) else (
            type(obj)())
        self.journal.born(made)
        assert state is not None
        self.journal.write(Content(made, self.symbolic_lists),
                           content_with(state.type, state.entries, state.ordered))
        return made

    def partial_update(self, obj: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(obj, set):
            for source in args:
                for item in self.machine.iterate(source):
                    self.put_entry(obj, self.keys.static_key(item), True)
        else:
            self.update(obj, "update", args, kwargs)

    # ---- sets ------------------------------------------------------------------------------
    def partial_add(self, obj: Any, item: Any) -> None:
        self.put_entry(obj, item, True)

    def partial_remove(self, obj: Any, item: Any) -> None:
        self.partial_pop(obj, item)


NAMESPACES = (type, types.ModuleType, types.FunctionType)
KEYED = frozenset({"get", "setdefault", "pop", "add", "discard", "remove", "move_to_end"})
READING = frozenset({"get", "keys", "values", "items", "copy"})


def _done(act: Act) -> int:
    act()
    return NORMAL


def do_nothing() -> None:
    """Where there is nothing to be done."""


def unordered() -> JoinError:
    return JoinError(
        "a dict or set is iterated whose keys come in an order that depends on data",
        why="the order in which keys were added differs between paths",
        fix="iterate over sorted(...), or give it all keys before the branch or loop")
