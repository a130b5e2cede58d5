"""Python's operators on objects that lie in stores."""

from __future__ import annotations

import enum
import functools
import operator
import types
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from ...graph.ir import Value
from ...stage.machine import UNBOUND, Frame
from ...types.dataclasses import is_frozen
from ...types.guards import Path
from ...types.kinds import INT, OPAQUE
from ...types.spelling import Method
from ...types.subclasses import hold, native_class
from ..assumptions import Withdrawn
from ..collaborator import PASSED, Args, Collaborator, Kwargs
from ..flow.control import Restart
from ..objects.special_methods import class_attribute, is_cached_property, python_method
from ..record.states import Columns
from ..record.structures import is_library, record_fields
from ..record.tracers import (
    POSING,
    BoundMethod,
    Choice,
    Poison,
    Tracer,
    Whole,
)
from .forms import Numbered
from .stores import (
    FEW,
    LISTS,
    Link,
    Reference,
    Store,
    are_contents,
    class_key,
    kind_of,
    number_in,
    part_of,
    python_class,
    store_of,
    stored_as,
)
from .written_out import items_at

HEAP_TYPE = 1 << 9  # a class of Python code


class References(Collaborator):
    """Objects that lie in stores."""

    speaks_to = ("among", "attributes", "calls", "class_attributes", "construction", "containers",
                 "effects", "elements", "found_functions", "found_tables",
                 "guarded", "handed_over", "identity",
                 "keys", "lists", "loops", "opening", "pools", "presence", "recorder", "rounds",
                 "sources", "truths", "variables", "whole_lists")

    def __init__(self) -> None:
        self.stores: dict[type, Store] = {}

    # ---- which objects lie in stores -----------------------------------------------------------
    def may_store(self, cls: type, outside: bool = False) -> bool:
        """May objects of a class that the program makes, or finds, lie in a store?"""
        return self.assumed.open_stores(outside) and self.assumed.open(
            stored_as(cls, outside)) and not (
            is_frozen(cls) or is_library(cls.__module__) or native_class(cls) is not None
            or cls.__module__.startswith("srcgrad.trace.")) and (  # it stands for a library's
            cls.__flags__ & HEAP_TYPE) != 0 and not issubclass(python_class(cls), (
                type, enum.Enum, BaseException, Whole, POSING, Tracer, Choice, tuple))

    def lies_in_store(self, cls: type) -> bool:
        """Are objects of a class put into a store as they are made?"""
        return self.assumed.stores(class_key(cls))

    def could_lie_with_found(self, cls: type) -> bool:
        """Could new objects of a class be put into the store of those from outside?"""
        return self.pools.holds(cls) and not self.lies_in_store(cls) and self.may_store(cls)

    def store_instead(self, obj: Any) -> None:
        """Start again with the objects of a class in a store."""
        if id(obj) not in self.found_functions.paths and self.may_store(kind_of(obj)):
            raise Restart(stored_as(kind_of(obj)))

    def instance(self, cls: Any, args: Args, kwargs: Kwargs) -> Any:
        return self.owned(self.construction.instance(cls, args, kwargs))

    def owned(self, made: Any) -> Any:
        """What stands for an object that the program has made."""
        return self.stored(made) if self.lies_in_store(kind_of(made)) else made

    def stored(self, obj: Any) -> Any:
        """A new object, put into the store of its class."""
        fields = names_of(obj) or ()
        cls = kind_of(obj)
        if not fields:
            raise self.attributes.not_stored(cls, f"a {cls.__name__} has no attributes of its own")
        store = self._store_of(cls, fields)
        for name in store.fixed if store.fixed.keys() <= {*fields} else ():
            self.pools.check_fits(store, name, part_of(obj, name))
        if {*store.columns, *store.fixed} != {*fields} or any(
                part_of(obj, n) != held for n, held in store.fixed.items()):
            raise self.attributes.not_stored(
                cls, f"a {cls.__name__} has other attributes than the ones before it")
        if store.found is not None:  # it may be handed to the world outside, as those were
            self.effects.emit_effect(Method("append"), (
                store.found, self.handed_over.given(obj, fields)), {}, None)
        made = self.placed(cls, {name: part_of(obj, name) for name in store.columns})
        moved = Poison(self.attributes.not_stored(
            cls, f"a {cls.__name__} is used by a name that its __init__ has given it").error)
        for name in fields:
            if are_contents(cls):
                obj[name] = moved
            else:
                hold(obj, name, moved)
        return made

    def placed(self, cls: type, parts: dict[str, Any]) -> Reference:
        """A new object of a class with its parts, at the end of its store."""
        store = self._store_of(cls, parts)
        index = self.machine.length(next(iter(store.columns.values())))
        for name, column in store.columns.items():
            value = self.attributes.kept(store, name, parts[name])
            if type(value) is list:
                self.lists.of_unknown_length(column)  # which changes where it lies
            self.variables.unlabel(value, name)
            self.elements.given(store, name, value, functools.partial(
                self.presence.container_method, column, "append", (value,), {}), index)
        return Reference(store, index)

    def _store_of(self, cls: type, fields: Iterable[str]) -> Store:
        """The store of a class; the columns of a new one are older than all that the program
        does."""
        known = self.stores.get(cls) or self.pools.stores.get(cls)
        if known is not None:
            return known
        store = self.stores[cls] = Store(self.machine, cls, {name: [] for name in fields})
        for name, column in store.columns.items():
            if cls is not LISTS:  # which have names of their own
                label = f"{cls.__name__.lower()}_{name}"
                self.variables.container_names[id(column)] = (label, column)
            self.attributes.places[id(column)] = store, name
        self.journal.keep.append(store)
        return store

    # ---- objects from outside ------------------------------------------------------------------

    def seen(self, obj: Any) -> Any:
        if self._is_content(obj):
            return self.content(obj)
        held = self.sources.seen(obj)
        if held is not obj:
            return held
        found = self.pools.list_of_found(obj)
        if found is None:
            found = self.whole_lists.gathered(obj)
        return obj if found is None else found

    def shadow_of(self, obj: Any, place: Any = None) -> Any:
        found = self.pools.list_of_found(obj)
        if found is None:
            found = self.whole_lists.changing(obj, place)
        if found is None:
            self.pools.change(obj)
            return self.guarded.shadow_of(obj)
        self.opening.keep_apart(obj)
        self.sources.check_twin(obj)
        return found

    def outside(self, obj: Any, path: Path) -> Any:
        if self.pools.holds(kind_of(obj)):
            return self.pools.reference(obj, self.sources.canonical(path))
        self.pools.follow(obj, path)
        found = self.sources.outside(obj, path)
        table = self.found_tables.table(found)
        if table is not None:
            return table
        self.pools.list_of_found(found)  # before the program makes more of them
        self.whole_lists.note(found)
        if type(found) is tuple:
            return self.whole_lists.gathered(found) or found
        return found

    def as_found(self, obj: Any, lists: bool = True) -> Any:
        """What other code gets for an object in a store, or (``lists``) a list of such: the object
        itself, if it was found."""
        obj = self.found_tables.given(obj)
        state = self.symbolic_lists.get(id(obj)) if lists and type(obj) is list else None
        if type(state) is Columns:
            form = state.form
            if isinstance(form, Numbered) and not form.optional and form.store.found is not None:
                return self.machine.call(items_at, form.store.found,
                                         self.lists.held_list(state.columns[0]))
        if type(obj) is not Reference or obj.store.found is None:
            return obj
        return self.recorder.computed(
            operator.getitem, OPAQUE, *self.recorder.values_in((obj.store.found, obj.index)))

    def not_gathered(self, obj: Any) -> NoReturn:
        if id(obj) in self.found_functions.paths:
            self.pools.store_instead(obj)
        if self.may_store(kind_of(obj), outside=True):
            raise Restart(stored_as(kind_of(obj), outside=True))
        self.opening.not_gathered(obj)

    def without_found(self, cls: type) -> NoReturn:
        """Start again with the objects of a class from outside taken one by one."""
        raise Restart(Withdrawn(stored_as(cls, outside=True)))

    # ---- links ---------------------------------------------------------------------------------

    def columns(self) -> Iterator[list[Any]]:
        """The columns of all stores: what they hold is known by numbers that may lie anywhere."""
        for store in (*self.stores.values(), *self.pools.stores.values()):
            yield from store.columns.values()

    def linked(self, link: Any) -> Any:
        """What a link stands for: None or an object, told by the sign of its number; or, of one of
        several things, the one that is known to be there."""
        while type(link) is Choice and (
                known := self.truths.known_truth(link.predicate)) is not None:
            link = link.first if known else link.second
        if type(link) is not Link:
            return link
        if type(link.index) is int:
            return None if link.index < 0 else Reference(link.store, link.index)
        told = self.rounds.links_told.get(link.index.value)
        if told is not None:
            return Reference(link.store, link.index) if told else None
        test = self.rounds.link_tests.get(link.index.value)
        if test is None or not test[1].active:
            tested = self.machine.compare(">=", link.index, 0)
            if type(tested) is bool:
                return Reference(link.store, link.index) if tested else None
            test = self.rounds.link_tests[link.index.value] = (tested.value, self.recorder.region)
        return Choice(test[0], Reference(link.store, link.index), None)

    def tells_link(self, predicate: Value, number: Any) -> bool:
        """Does a truth value say that this number is that of an object?"""
        return self.rounds.link_tests.get(number.value, (None,))[0] is predicate

    def as_link(self, value: Any) -> Any:
        """None or an object in a store as one link."""
        store = store_of(value) if type(value) is Choice else None
        return value if store is None else Link(store, self.among.computed(number_in(store, value)))

    def load(self, frame: Frame, name: str) -> Any:
        return self.linked(self.next.load(frame, name))

    def loaded(self, value: Any) -> Any:
        return self.linked(self.variables.loaded(value))

    # ---- attributes ----------------------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        if type(obj) is Link:
            return self.machine.getattr(self.linked(obj), name)
        cls = obj.cls
        if self._is_content(obj):
            if hasattr(cls, "_fields"):
                return self.machine.getattr(self.content(obj), name)
            return cls if name == "__class__" else BoundMethod(self.machine, obj, name)
        found = class_attribute(cls, name)
        if name in obj.store.unread:  # a class may have it, too
            raise self.attributes.no_attribute(obj, name)
        if name in obj.store.columns and (not hasattr(type(found), "__set__")
                                          or type(found) is types.MemberDescriptorType):
            return self.attributes.read(obj, name)
        if name == "__class__":
            return cls
        if name in obj.store.fixed:
            return obj.store.fixed[name]
        if found is UNBOUND or name.startswith("__") or is_cached_property(found) or (
                python_method(obj, "__getattribute__") is not None):
            raise self.attributes.no_attribute(obj, name)
        self.class_attributes.note_class_attribute(cls, name, found)
        if isinstance(found, property) and found.fget is not None:
            return self.machine.call(found.fget, obj)
        if isinstance(found, types.FunctionType):
            return types.MethodType(found, obj)
        if isinstance(found, (staticmethod, classmethod)) or not hasattr(type(found), "__get__"):
            return self.machine.getattr(cls, name)
        raise self.attributes.no_attribute(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if type(obj) is Link:
            self.machine.setattr(self.linked(obj), name, value)
            return
        setter = class_attribute(obj.cls, name)
        if isinstance(setter, property) and setter.fset is not None:
            self.class_attributes.note_class_attribute(obj.cls, name, setter)
            self.machine.call(setter.fset, obj, value)
            return
        plain = not hasattr(type(setter), "__set__") or type(setter) is types.MemberDescriptorType
        if not plain or python_method(obj, "__setattr__") is not None:
            raise self.attributes.no_attribute(obj, name, " is set")
        self.attributes.put(obj, name, value)

    # ---- dicts ---------------------------------------------------------------------------------
    @staticmethod
    def _is_content(obj: Any) -> bool:
        """Is it a dict, a tuple or a list in a store?"""
        return type(obj) is Reference and are_contents(obj.store.cls)

    def content(self, obj: Any) -> Any:
        """A dict or tuple with what one in a store holds now; a list where it lies."""
        if obj.cls is list:
            return self.attributes.read(obj, "items")
        if obj.cls is dict:
            return self.containers.made({
                name: self.getitem(obj, name) for name in obj.store.cls.names})
        parts = [self.getitem(obj, i) for i in range(self.length(obj))]
        return obj.cls(*parts) if hasattr(obj.cls, "_fields") else tuple(parts)

    def getitem(self, obj: Any, key: Any) -> Any:
        if type(obj) is Link:
            return self.machine.getitem(self.linked(obj), key)
        if not self._is_content(obj):
            return PASSED
        store, name = obj.store, key
        if obj.cls is list:
            return self.machine.getitem(self.content(obj), key)
        if type(key) is int and key < 0:
            name = key + self.length(obj)
        if type(name) in (str, int):
            if name in store.columns:
                return self.attributes.read(obj, name)
            if name in store.fixed:
                return store.fixed[name]
            if name in store.unread:
                raise self.attributes.no_attribute(obj, name)
        return self.machine.getitem(self.content(obj), key)

    def setitem(self, obj: Any, key: Any, value: Any) -> Any:
        if type(obj) is Link:
            return self.machine.setitem(self.linked(obj), key, value)
        if obj.cls is not dict:
            return self.machine.setitem(self.content(obj), key, value) if (
                self._is_content(obj)) else PASSED
        return self.attributes.put(obj, self.keys.static_key(key), value)

    def delitem(self, obj: Any, key: Any) -> Any:
        if obj.cls is list:
            return self.machine.delitem(self.content(obj), key)
        if obj.cls is not dict:
            return PASSED
        raise self.attributes.no_attribute(obj, key, " is deleted")

    def length(self, obj: Any) -> Any:
        if obj.cls is list:
            return self.machine.length(self.content(obj))
        return len(obj.cls._fields if hasattr(obj.cls, "_fields") else obj.store.cls.names) if (
            self._is_content(obj)) else PASSED

    def iterate(self, obj: Any) -> Any:
        return self.machine.iterate(self.content(obj)) if self._is_content(obj) else PASSED

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if not self._is_content(obj):
            return self.next.called_method(obj, name, args, kwargs)
        if name == "update":
            for key, value in {**dict(*args), **kwargs}.items():
                self.attributes.put(obj, key, value)
            return None
        if obj.cls is dict and name in ("clear", "pop", "popitem", "setdefault"):
            raise self.attributes.no_attribute(obj, name, " is called")
        made = self.machine.call_method(self.content(obj), name, *args, **kwargs)
        return self.owned(made) if name == "copy" else made

    def mapping_items(self, value: Any) -> Any:
        return self.next.mapping_items(self.content(value) if self._is_content(value) else value)

    def delattr(self, obj: Any, name: str) -> None:
        raise self.attributes.no_attribute(obj, name, " is deleted")

    # ---- identity and truth --------------------------------------------------------------------
    def compare(self, op: str, left: Any, right: Any) -> Any:
        if Link in (type(left), type(right)):
            return self.machine.compare(op, self.linked(left), self.linked(right))
        if op not in ("is", "is not") and any(map(self._is_content, (left, right))):
            return self.machine.compare(op, *(
                self.content(x) if self._is_content(x) else x for x in (left, right)))
        if op not in ("is", "is not", "==", "!=") or (op in ("==", "!=") and any(
                python_method(x, "__eq__") is not None for x in (left, right))) or (
                    Choice in (type(left), type(right))):
            return PASSED
        same = type(left) is type(right) and left.store is right.store and self.machine.compare(
            "==", left.index, right.index)
        return same if op in ("is", "==") else self.machine.not_(same)

    def static_truth(self, value: Any) -> bool | None:
        known = self.content_of(value)
        return True if type(known) is Reference else self.machine.static_truth(self.linked(known))

    def predicate(self, value: Any) -> Any:
        known = self.content_of(value)
        return PASSED if known is value else self.machine.predicate(known)

    def content_of(self, obj: Any) -> Any:
        """The list that stands for one in a store; other things as they are."""
        return self.content(obj) if type(obj) is Reference and obj.cls is list else obj

    def binary(self, op: str, left: Any, right: Any) -> Any:
        known = [self.content_of(left), self.content_of(right)]
        return PASSED if known[0] is left and known[1] is right else (
            self.machine.binary(op, *known))

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        known = [self.content_of(left), self.content_of(right)]
        if known[0] is left:
            return PASSED if known[1] is right else self.machine.inplace(op, *known)
        self.machine.inplace(op, *known)
        return left

    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        return self.next.for_(self.content_of(iterable), target, body, orelse, rest)

    def unpack(self, value: Any, before: int, star: bool, after: int) -> Any:
        return self.next.unpack(self.content_of(value), before, star, after)

    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        if function is id and type(args[0]) is Reference and args[0].store.found is not None:
            return self.recorder.computed(id, INT.but(expr=None), self.as_found(args[0]))
        method = python_method(function, "__call__") if type(function) is Reference else None
        if method is not None:
            return self.machine.call(method, function, *args, **kwargs)
        inlined = is_staged(function)
        change = self.as_link if inlined else self.linked
        args = tuple(map(change, args))
        if not inlined and any(map(self._is_content, args)):
            if (function is isinstance or function is type) and self._is_content(args[0]):
                cls = args[0].cls
                plain = cls if cls in (dict, list) else tuple
                return function(plain.__new__(cls), *args[1:])
            args = tuple([self.content(a) if self._is_content(a) else a for a in args])
            made = self.machine.call(function, *args, **kwargs)
            return self.owned(made) if function is dict else made
        if isinstance(function, types.FunctionType) and is_library(function.__module__) and (
                self.calls.handler(function) is None) and any(type(a) is Reference for a in args):
            # such as pickle.dumps
            raise Restart(next(a.kept_under for a in args if type(a) is Reference))
        return self.next.called(self.linked(function), args, {
            k: change(v) for k, v in kwargs.items()})

    def check_copies(self, *objects: Any) -> None:
        for obj in filter(self.opening.is_gathered, objects):
            self.not_gathered(obj)
        self.identity.check_copies(*objects)

    def refuse_sealed(self, owner: Any) -> None:
        if self.opening.is_gathered(owner):
            self.not_gathered(owner)
        self.store_instead(owner)
        self.handed_over.refuse_sealed(owner)

    # ---- loops ---------------------------------------------------------------------------------
    def run_items(self, items: Any, target: Any, body: Any, orelse: Any, rest: Any) -> Any:
        if isinstance(items, list) and len(items) > FEW and len({type(i) for i in items}) == 1:
            self.store_instead(items[0])
        return self.loops.run_items(items, target, body, orelse, rest)


def names_of(obj: Any) -> tuple[str, ...] | None:
    """The attributes of an instance, or the keys of a dict; None for other objects."""
    return tuple(obj) if type(obj) is dict else record_fields(obj)


def is_staged(function: Any) -> bool:
    """Is it a function or class of the user's, whose variables hold what they are given?"""
    if isinstance(function, types.MethodType):
        function = function.__func__
    return isinstance(function, (types.FunctionType, type)) and not is_library(
        function.__module__)
