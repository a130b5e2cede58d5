"""Python's operators on objects that lie in stores."""

from __future__ import annotations

import collections
import enum
import functools
import operator
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.ir import Value
from ...stage.machine import UNBOUND, Frame
from ...types.guards import Path
from ...types.kinds import OPAQUE
from ...types.subclasses import native_class
from ..assumptions import HeldObjects, StoredObjects, Withdrawn
from ..collaborator import PASSED, Collaborator
from ..flow.control import Restart
from ..objects.access import is_cached_property
from ..objects.special_methods import class_attribute, python_method
from ..record.states import Maybe
from ..record.structures import is_library, record_fields
from ..record.tracers import ArrayTracer, Choice, ClassedArray, Poison, StandIn, Tracer, Whole
from .columns import list_item_aval
from .gathering import Unlike
from .stores import (
    FEW,
    Link,
    Reference,
    Store,
    Unlinked,
    class_key,
    may_be_none,
    number_in,
    store_of,
    stored_as,
)

if TYPE_CHECKING:
    from .. import dispatch as parts

HEAP_TYPE = 1 << 9  # a class of Python code


class References(Collaborator):
    """Objects that lie in stores."""

    among: parts.Among
    array_classes: parts.ArrayClasses
    calls: parts.Calls
    class_attributes: parts.ClassAttributes
    effects: parts.Effects
    elements: parts.Elements
    found_functions: parts.FoundFunctions
    guarded: parts.Guarded
    handed_over: parts.HandedOver
    identity: parts.Identity
    loops: parts.Loops
    merges: parts.Merges
    opening: parts.Opening
    presence: parts.Presence
    recorder: parts.Recorder
    rounds: parts.Rounds
    sources: parts.Sources
    variables: parts.Variables

    def __init__(self) -> None:
        self.stores: dict[type, Store] = {}
        # lists from outside: what stands for them
        self.stored_lists: dict[int, tuple[Store, list[Any]]] = {}

    # ---- which objects lie in stores -----------------------------------------------------------
    def may_store(self, cls: type, outside: bool = False) -> bool:
        """May objects of a class that the program makes, or finds, lie in a store?"""
        frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
        return self.assumed.open_stores(outside) and self.assumed.open(
            stored_as(cls, outside)) and not (
            frozen or is_library(cls.__module__) or native_class(cls) is not None) and (
            cls.__flags__ & HEAP_TYPE) != 0 and not issubclass(cls, (
                type, enum.Enum, BaseException, Whole, StandIn, Tracer, ClassedArray, tuple))

    def lies_in_store(self, cls: type) -> bool:
        """Are objects of a class put into a store as they are made?"""
        return self.assumed.stores(class_key(cls))

    def store_instead(self, obj: Any) -> None:
        """Start again with the objects of a class in a store."""
        if id(obj) not in self.found_functions.paths and self.may_store(type(obj)):
            raise Restart(StoredObjects(class_key(type(obj))))

    def instance(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = self.array_classes.instance(cls, args, kwargs)
        return self.stored(made) if self.lies_in_store(type(made)) else made

    def stored(self, obj: Any) -> Any:
        """A new object, put into the store of its class."""
        fields = record_fields(obj) or ()
        cls = type(obj)
        store = self.stores.get(cls)
        if store is None:
            store = self.stores[cls] = self._new_store(cls, fields)
        if set(store.columns) != set(fields):
            raise self.not_stored(
                cls, f"a {cls.__name__} has other attributes than the ones before it")
        index = self.machine.length(next(iter(store.columns.values())))
        for name, column in store.columns.items():
            value = self._kept(store, name, object.__getattribute__(obj, name))
            self.elements.given(store, name, value, functools.partial(
                self.presence.container_method, column, "append", (value,), {}))
        moved = Poison(self.not_stored(
            cls, f"a {cls.__name__} is used by a name that its __init__ has given it").error)
        for name in fields:
            object.__setattr__(obj, name, moved)
        return Reference(store, index)

    def _new_store(self, cls: type, fields: tuple[str, ...]) -> Store:
        """A store whose columns are older than all that the program does."""
        columns: dict[str, list[Any]] = {name: [] for name in fields}
        for name, column in columns.items():
            label = f"{cls.__name__.lower()}_{name}"
            self.variables.container_names[id(column)] = (label, column)
        store = Store(self.machine, cls, columns)
        self.journal.keep.append(store)
        return store

    # ---- objects from outside ------------------------------------------------------------------

    def seen(self, obj: Any) -> Any:
        held = self.sources.seen(obj)
        if held is not obj:
            return held
        found = self.list_of_found(obj)
        return obj if found is None else found

    def list_of_found(self, obj: Any) -> Any:
        """What stands for a list from outside whose objects lie in a store; None if they do not."""
        if type(obj) is not list or not obj or not self.opening.may_open() or (
                id(obj) not in self.found_functions.paths):
            return None
        known = self.stored_lists.get(id(obj))
        if known is None and self.assumed.stores(class_key(type(obj[0])), outside=True):
            try:
                known = self.stored_lists[id(obj)] = self.opening.gathered_in_store(obj)
            except Unlike:
                self._without_found()
        return None if known is None else known[1]

    def shadow_of(self, obj: Any) -> Any:
        found = self.list_of_found(obj)
        return self.guarded.shadow_of(obj) if found is None else found

    def outside(self, obj: Any, path: Path) -> Any:
        self.check_not_stored(obj)
        return self.sources.outside(obj, path)

    def check_not_stored(self, obj: Any) -> None:
        if any(type(obj) is store.cls for store, _ in self.stored_lists.values()):
            self._without_found()

    def as_found(self, obj: Any) -> Any:
        """What other code gets for an object in a store: the object itself, if it was found."""
        if type(obj) is not Reference or obj.store.found is None:
            return obj
        return self.recorder.computed(
            operator.getitem, OPAQUE, *self.recorder.values_in((obj.store.found, obj.index)))

    def not_gathered(self, obj: Any) -> NoReturn:
        if self.may_store(type(obj), outside=True):
            raise Restart(stored_as(type(obj), outside=True))
        self.opening.not_gathered(obj)

    def _without_found(self) -> NoReturn:
        """Start again with the objects of lists from outside taken one by one."""
        raise Restart(Withdrawn(StoredObjects(outside=True)))

    # ---- attributes that hold objects ----------------------------------------------------------
    def _kept(self, store: Store, name: str, value: Any) -> Any:
        """What a column holds for the value of an attribute: numbers for objects in stores."""
        if type(value) is Maybe:
            raise self.not_stored(
                store.cls, f"only some paths set {name} of a {store.cls.__name__}")
        if isinstance(value, (dict, set, collections.deque)) or (
                isinstance(value, list) and list_item_aval(self.merges.join(), value) is None):
            raise self.not_stored(
                store.cls, f"{name} of a {store.cls.__name__} is a {type(value).__name__}")
        key = class_key(store.cls)
        known = self.assumed.held_by(key, name)
        if store.found is not None:
            if store_of(value) is not None:
                self._without_found()
            return value
        if not known:
            other = store_of(value)
            if other is not None:
                raise Restart(HeldObjects(key, name, class_key(other.cls)))
            return value
        found = self._store_for(known[0])
        if found is None or len(known) > 1:
            raise self.not_stored(
                store.cls, f"{name} of a {store.cls.__name__} holds objects of two classes")
        optional = HeldObjects(key, name, optional=True)
        if may_be_none(value) and optional not in self.assumed:
            raise Restart(optional)
        try:
            return self.among.computed(number_in(found, value))
        except Unlinked:
            what = f"{name} of a {store.cls.__name__} is another thing than an object"
            raise self.not_stored(store.cls, what) from None

    def columns(self) -> Iterator[list[Any]]:
        """The columns of all stores: what they hold is known by numbers that may lie anywhere."""
        for store in (*self.stores.values(), *(store for store, _ in self.stored_lists.values())):
            yield from store.columns.values()

    def _store_for(self, key: Any) -> Store | None:
        """The one store of the classes of a name, if there is one."""
        found = [store for cls, store in self.stores.items() if class_key(cls) == key]
        return found[0] if len(found) == 1 else None

    def _held(self, store: Store, name: str, value: Any) -> Any:
        """The value of an attribute, from what its column holds."""
        key = class_key(store.cls)
        known = self.assumed.held_by(key, name)
        if not known or store.found is not None:
            return value
        found = self._store_for(known[0])
        assert found is not None  # into which the object was put
        if HeldObjects(key, name, optional=True) in self.assumed:
            return self.linked(Link(found, value))
        return Reference(found, value)

    def linked(self, link: Any) -> Any:
        """What a link stands for: None or an object, told by the sign of its number."""
        if type(link) is not Link:
            return link
        if type(link.index) is int:
            return None if link.index < 0 else Reference(link.store, link.index)
        told = self.rounds.links_told.get(link.index.value)
        if told is not None:
            return Reference(link.store, link.index) if told else None
        known = self.rounds.link_tests.get(link.index.value)
        if known is None or not known[1].active:
            tested = self.machine.compare(">=", link.index, 0)
            if type(tested) is bool:
                return Reference(link.store, link.index) if tested else None
            known = self.rounds.link_tests[link.index.value] = (tested.value, self.recorder.region)
        return Choice(known[0], Reference(link.store, link.index), None)

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

    def not_stored(self, cls: type, what: str) -> Any:
        """The refusal of what a store cannot hold; that class is kept out of them then."""
        found = any(store.cls is cls for store, _ in self.stored_lists.values())
        return self.recorder.fatal(UnsupportedOperation(
            what, why="objects that loops make or go through are kept attribute by attribute",
            fix="set all attributes in __init__, to numbers, arrays of one kind or lists of them"),
            Withdrawn(stored_as(cls, outside=found)))

    # ---- attributes ----------------------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        if type(obj) is Link:
            return self.machine.getattr(self.linked(obj), name)
        cls = obj.cls
        found = class_attribute(cls, name)
        if name in obj.store.columns and (not hasattr(type(found), "__set__")
                                          or type(found) is types.MemberDescriptorType):
            read = self.machine.getitem(obj.store.columns[name], obj.index)
            return self._held(obj.store, name, self.elements.read(
                obj.store, name, obj.index, read))
        if name == "__class__":
            return cls
        if name in obj.store.fixed:
            return obj.store.fixed[name]
        if found is UNBOUND or name.startswith("__") or is_cached_property(found) or (
                python_method(obj, "__getattribute__") is not None):
            raise self.not_stored(cls, f"the attribute {name} of a {cls.__name__}")
        self.class_attributes.note_class_attribute(cls, name, found)
        if isinstance(found, property) and found.fget is not None:
            return self.machine.call(found.fget, obj)
        if isinstance(found, types.FunctionType):
            return types.MethodType(found, obj)
        if isinstance(found, (staticmethod, classmethod)) or not hasattr(type(found), "__get__"):
            return self.machine.getattr(cls, name)
        raise self.not_stored(cls, f"the attribute {name} of a {cls.__name__}")

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
        if not plain or name not in obj.store.columns or python_method(
                obj, "__setattr__") is not None:
            raise self.not_stored(obj.cls, f"the attribute {name} of a {obj.cls.__name__} is set")
        if self.elements.is_in_place(obj.store, name, obj.index, value):
            return
        kept = self._kept(obj.store, name, value)
        if obj.store.found is not None:
            self.effects.emit_effect(setattr, (obj, name, value), {}, None)
            if type(value) is ArrayTracer and self.elements.copies(
                    obj.store, name) in self.assumed:
                kept = self.recorder.apply(np.copy, (value,), {})
        self.elements.given(obj.store, name, value, functools.partial(
            self.machine.setitem, obj.store.columns[name], obj.index, kept), replaces=True)

    def delattr(self, obj: Any, name: str) -> None:
        raise self.not_stored(
            obj.cls, f"the attribute {name} of a {obj.store.cls.__name__} is deleted")

    # ---- identity and truth --------------------------------------------------------------------
    def compare(self, op: str, left: Any, right: Any) -> Any:
        if Link in (type(left), type(right)):
            return self.machine.compare(op, self.linked(left), self.linked(right))
        if op not in ("is", "is not", "==", "!=") or (op in ("==", "!=") and any(
                python_method(x, "__eq__") is not None for x in (left, right))) or (
                    Choice in (type(left), type(right))):
            return PASSED
        same = type(left) is type(right) and left.store is right.store and self.machine.compare(
            "==", left.index, right.index)
        return same if op in ("is", "==") else self.machine.not_(same)

    def static_truth(self, value: Any) -> bool | None:
        return True if type(value) is Reference else self.machine.static_truth(self.linked(value))

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(function, types.FunctionType) and is_library(function.__module__) and (
                self.calls.handler(function) is None) and any(type(a) is Reference for a in args):
            raise Restart(Reference.kept_under)  # such as dataclasses.asdict
        change = self.as_link if is_staged(function) else self.linked
        return self.next.called(self.linked(function), tuple(map(change, args)), {
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


def is_staged(function: Any) -> bool:
    """Is it a function or class of the user's, whose variables hold what they are given?"""
    if isinstance(function, types.MethodType):
        function = function.__func__
    return isinstance(function, (types.FunctionType, type)) and not is_library(
        function.__module__)
