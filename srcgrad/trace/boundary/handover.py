"""Objects of the program that are handed to the world outside: put into a list, dict or attribute
that was there before.

What is handed over is printed where it is handed over (``log.append({"loss": loss})``), and made
anew at every call.  If it changes afterwards, tracing starts again, and the object is made by a
statement of its own; its later changes are effects on that, like those of objects from outside.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from ...errors import UnsupportedOperation
from ...graph.ir import Value
from ...rules.python.instances import instance_of
from ...types.guards import Path
from ...types.kinds import OPAQUE
from ...types.spelling import Method
from ...types.subclasses import ARRAY, classed_array, own_namespace
from ..assumptions import ChangedLater
from ..collaborator import Collaborator
from ..flow.control import Refusal, Restart
from ..heap.unlike import things_in
from ..record.structures import record_fields
from ..record.tracers import Choice, ClassedArray, is_tracer
from .leaks import holds_tracer

CONTAINERS = (list, dict, set, deque, defaultdict, OrderedDict, Counter)
OF_ITEMS = frozenset({"extend", "extendleft", "update", "iadd", "ior"})  # the items are kept


def is_like_container(obj: Any) -> bool:
    """Is it of a class whose instances are made of their content alone, as a dict or list is?"""
    base = dict if isinstance(obj, dict) else list
    cls = type(obj)
    return cls not in CONTAINERS and issubclass(cls, base) and cls.__init__ is base.__init__ and (
        cls.__new__ is base.__new__ and not own_namespace(obj, None))


class HandedOver(Collaborator):
    """What becomes of objects that effects keep."""

    speaks_to = ("construction", "effects", "found_functions", "lists", "recorder", "sources")

    def __init__(self) -> None:
        # the object, the region that made it, its value
        self.handed: dict[int, tuple[Any, Any, Value]] = {}
        self.given_out: dict[int, tuple[Any, Any]] = {}  # the object, and where it was handed over

    def object_value(self, obj: Any) -> Value:
        found = self.handed.get(id(obj))
        if found is None:
            return self.sources.object_value(obj)
        if found[1] not in self.recorder.region.around():
            raise self._changed_later(obj)
        return found[2]

    def on_hand_over(self, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The operands of an effect that may keep them."""
        name = fn.name if isinstance(fn, Method) else getattr(fn, "__name__", "")
        if name not in OF_ITEMS:
            return tuple(map(self.given_away, args))
        found: list[Any] = []
        for arg in args:
            if type(arg) in (list, tuple) and id(arg) not in self.symbolic_lists:
                found.append(type(arg)(map(self.given_away, arg)))
            elif type(arg) is dict:
                found.append({k: self.given_away(v) for k, v in arg.items()})
            else:
                found.append(arg)
        return tuple(found)

    def given_away(self, obj: Any) -> Any:
        """What an effect is given for an object: itself, or the value that stands for it."""
        if is_tracer(obj) or id(obj) in self.found_functions.paths:
            return obj
        if type(obj) is Choice:  # what takes it is done for each that it may be
            for one in things_in(obj, {}):
                self.given_away(one)
            return obj
        if isinstance(obj, tuple):
            parts = [self.given_away(o) for o in obj]
            return type(obj)(*parts) if hasattr(type(obj), "_fields") else tuple(parts)
        if id(obj) in self.handed:
            return self.recorder.wrap(self.object_value(obj))
        container = type(obj) in CONTAINERS or is_like_container(obj)
        attributes = None if container else self.fields_of_instance(obj)
        if not container and attributes is None:
            return obj
        where = self.recorder.where()
        site = ChangedLater(None if where is None else (where.filename, where.line, where.column))
        if site in self.assumed and self.journal.is_young(obj):
            return self._made_outside(obj, attributes)
        known = self.given_out.setdefault(id(obj), (obj, site))[1]
        if known != site:  # it is one object at both places
            raise self._changed_later(obj) if known in self.assumed else Restart(known)
        self.journal.seal(obj)
        if attributes is not None:
            return self.given_instance(obj, attributes)
        return self._given_content(obj)

    def fields_of_instance(self, obj: Any) -> tuple[str, ...] | None:
        """The attributes of an instance of a class of the program; None for other things."""
        cls = type(obj)
        if cls.__module__.split(".")[0] in ("srcgrad", "numpy", "scipy") or not hasattr(
                cls, "__dict__") or getattr(cls, "__new__", None) != object.__new__:
            return None
        if isinstance(obj, BaseException) or id(obj) not in self.journal.births:
            return None
        return record_fields(obj)

    def _given_content(self, obj: Any) -> Any:
        """A container with what stands for its items."""
        if id(obj) in self.symbolic_lists:
            return obj
        if type(obj) is list:
            return [self.given_away(o) for o in obj]
        if type(obj) is dict:
            return {k: self.given_away(v) for k, v in obj.items()}
        return self._given_container(obj)

    def _given_container(self, obj: Any) -> Any:
        """A run-time object with the content of a container of the trace."""
        args: tuple[Any, ...]
        if id(obj) in self.symbolic_lists:
            args = (obj,)
        elif isinstance(obj, dict):
            args = ({k: self.given_away(v) for k, v in obj.items()},) if obj else ()
        else:
            args = ([self.given_away(o) for o in obj],) if obj else ()
        if isinstance(obj, defaultdict):
            args = (obj.default_factory, *args)
        elif isinstance(obj, deque) and obj.maxlen is not None:
            args = (args[0] if args else [], obj.maxlen)
        return self.effects.act(type(obj), args, {}, OPAQUE)

    def given(self, obj: Any, names: tuple[str, ...]) -> Any:
        """An instance, or a dict, as what is made at run time."""
        return self._given_container(obj) if type(obj) is dict else self.given_instance(obj, names)

    def given_instance(self, obj: Any, attributes: tuple[str, ...]) -> Any:
        parts = {n: self.given_away(object.__getattribute__(obj, n)) for n in attributes}
        if isinstance(obj, ClassedArray):
            return self.effects.act(classed_array, (obj.cls, parts.pop(ARRAY), parts), {}, OPAQUE)
        return self.effects.act(instance_of, (type(obj),), parts, OPAQUE)

    def as_run_time(self, obj: Any) -> Any:
        """An exception or instance that holds traced values, made at each call; anything else
        unchanged."""
        if is_tracer(obj) or id(obj) in self.found_functions.paths or not holds_tracer(obj):
            return obj
        if isinstance(obj, BaseException):
            _, args, kwargs = self.construction.exceptions.get(id(obj), (None, obj.args, {}))
            return self.effects.act(type(obj), args, kwargs, OPAQUE)
        if id(obj) in self.handed:
            return self.recorder.wrap(self.object_value(obj))
        if is_like_container(obj):
            return self._given_container(obj)
        attributes = self.fields_of_instance(obj)
        return obj if attributes is None else self.given_instance(obj, attributes)

    def _made_outside(self, obj: Any, attributes: tuple[str, ...] | None) -> Any:
        """The object as a value of its own; from now on it is like one from outside."""
        if attributes is not None:
            made = self.given_instance(obj, attributes)
        else:
            made = self._given_container(obj)
            shadow = self.machine.call(list, obj) if id(obj) in self.symbolic_lists else obj.copy()
            self.sources.shadows[id(obj)] = shadow
            self.found_functions.paths[id(obj)] = Path(("made", len(self.handed)), (), "it")
            self.sources.noted.add(id(obj))
        self.handed[id(obj)] = (obj, self.recorder.region, made.value)
        return made

    def follow(self, obj: Any, fn: Any, *args: Any) -> None:
        """The change of an instance that was handed over is an effect as well."""
        if id(obj) in self.handed:
            self.effects.act(fn, (self.recorder.wrap(self.object_value(obj)), *
                                  map(self.given_away, args)), {},
                     None)

    def refuse_sealed(self, owner: Any) -> None:
        if id(owner) not in self.given_out:
            self.lists.refuse_sealed(owner)
        site = self.given_out[id(owner)][1]
        if site in self.assumed:
            raise self._changed_later(owner)
        raise Restart(site)

    def _changed_later(self, obj: Any) -> Refusal:
        return self.recorder.fatal(UnsupportedOperation(
            f"a {type(obj).__name__} changes, or is put somewhere else, after it was put into an "
            "object from outside in a branch or loop",
            why="whether it is the one that is outside depends on the path",
            fix="put it there after its last change, or before the branch or loop"))
