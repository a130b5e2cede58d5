"""Attributes that are set and deleted."""

from __future__ import annotations

import decimal
import enum
import operator
import types
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.ir import Suggested
from ...stage.machine import UNBOUND
from ...stage.source import is_generated
from ...types.dataclasses import is_frozen
from ...types.kinds import in_words
from ...types.subclasses import is_data_descriptor, overrides, own_namespace
from ...types.tree import blank
from ..boundary.process_state import changed_context
from ..boundary.variables import of_tracer
from ..collaborator import Collaborator
from ..flow.partial import DELETED
from ..numpy.written_out import set_flat, set_in_order
from ..record.homes import reach
from ..record.journal import Field
from ..record.states import Maybe
from ..record.tracers import ArrayTracer, OpaqueTracer, ScalarTracer, is_tracer
from .special_methods import class_attribute, is_native_method, python_method


class Assignment(Collaborator):
    """``obj.name = value`` and ``del obj.name``."""

    speaks_to = ("access", "class_attributes", "effects", "found_functions", "handed_over",
                 "merges", "opening", "pools", "presence", "recorder", "sources", "variables")

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        if is_tracer(obj):
            self._set_traced(obj, name, value)
            return
        if isinstance(obj, types.ModuleType) or (
                isinstance(obj, type) and id(obj) not in self.class_attributes.made_classes):
            self.class_attributes.register_class(obj)
        custom = python_method(obj, "__setattr__")
        native = class_attribute(type(obj), "__setattr__")
        if is_native_method(native) or own_namespace(obj, None) is obj:
            self.machine.setitem(obj, name, value)
            return
        if isinstance(obj, BaseException) and name == "__traceback__":
            return  # where it passes in the trace is nothing of the program's
        if custom is not None and not custom.__qualname__.startswith("__create_fn__") and (
                custom.__module__ not in ("dataclasses",) and not is_generated(custom)):
            self.machine.call(custom, obj, name, value)
            return
        _probe_frozen(obj, name)
        self.set_by_default(obj, name, value)

    def set_by_default(self, obj: Any, name: str, value: Any) -> None:
        """``object.__setattr__(obj, name, value)``: by properties and descriptors."""
        setter = class_attribute(type(obj), name)
        store = getattr(type(setter), "__set__", None)
        if isinstance(setter, property):
            self.class_attributes.note_class_attribute(type(obj), name, setter)
            if setter.fset is None:
                setattr(obj, name, value)  # raises Python's own error
            self.machine.call(setter.fset, obj, value)
        elif hasattr(store, "__code__"):
            self.machine.call(store, self.class_attributes.descriptor(type(obj), name, setter),
                              obj, value)
        elif store is None and is_data_descriptor(setter):
            raise AttributeError("__set__")
        else:
            self.set_plain(obj, name, value)

    def set_plain(self, obj: Any, name: str, value: Any) -> None:
        """Store into the instance itself, journaled; an effect on outside objects."""
        if is_tracer(value):
            self.variables.label(value, Suggested(name) if of_tracer(type(obj)) else name)
        if isinstance(obj, decimal.Context):
            raise self.recorder.fatal(changed_context())
        if isinstance(obj, enum.Enum):
            self.access.register_member(obj)
        if name == "__dict__" and (self.presence.partial_of(value) is not None or not (
                self.found_functions.paths.keys().isdisjoint((id(obj), id(value))))):
            raise self.recorder.fatal(UnsupportedOperation(
                f"assignment to the __dict__ of a {type(obj).__name__}",
                why="the dict would be a second name of all its attributes, which are followed one "
                    "by one for objects from outside, and where data decide which there are",
                fix="set the attributes: obj.__dict__.update(...)"))
        if id(obj) in self.found_functions.paths:
            self.sources.check_twin(obj)
            self.opening.keep_apart(obj)
            self.pools.change(obj)
            overlay = self.overlay_of(obj)
            if name not in overlay:
                self.class_attributes.guard_seeded(obj, name)
            hidden = overrides(type(obj), name)  # in its __dict__, behind a property
            self.variables.seed(overlay, name, lambda: self.machine.getattr(
                obj, name) if isinstance(obj, types.ModuleType) else self._before(obj, name))
            own = python_method(obj, "__setattr__") is not None
            if hidden:
                self.effects.effect_on(self.machine.getattr(obj, "__dict__"), operator.setitem,
                                       name, value)
            else:
                self.effects.effect_on(obj, object.__setattr__ if own else setattr, name, value)
            self.journal.write(_field(obj, name, overlay), value)
            return
        _probe_slots(obj, name)
        self.handed_over.follow(obj, setattr, name, value)
        self.journal.write(Field(obj, name), value)

    def _before(self, obj: Any, name: str) -> Any:
        """What an object from outside holds before it is written to: not what it inherits, which
        is what is read where it is not written."""
        found = class_attribute(type(obj), name)
        if isinstance(obj, type):
            return self.access.instance_attribute(obj, name)
        state = self.presence.own(obj, name)
        if state is not UNBOUND or found is UNBOUND or hasattr(type(found), "__get__") or (
                isinstance(found, type)):
            return state
        return Maybe(False, self.access.instance_attribute(obj, name), inherits=True)

    def _set_traced(self, obj: Any, name: str, value: Any) -> None:
        if type(obj) is OpaqueTracer:
            self.effects.emit_effect(setattr, (obj, name, value), {}, None)
            return
        if type(obj) is ArrayTracer and name == "flat":
            shared = type(value) is ArrayTracer and set(map(id, reach(obj.home))).intersection(
                map(id, reach(value.home)))
            self.machine.call(set_in_order if shared else set_flat, obj, value)
            return
        if type(obj) is ArrayTracer and name in ("real", "imag", "T"):
            view = self.machine.getattr(obj, name)
            self.machine.setitem(view, Ellipsis, value)
            return
        if type(obj) is ArrayTracer and name == "shape" and self._reshape_handle(obj, value):
            return
        if type(obj) is ArrayTracer and name == "shape":
            raise self.recorder.fatal(UnsupportedOperation(
                "assignment to the attribute .shape of a traced array",
                why="it changes the array object under every name it has",
                fix="write x = x.reshape(...) instead"))
        cls = obj.__class__
        if type(obj) in (ArrayTracer, ScalarTracer) and (
                class_attribute(cls, name) is UNBOUND):  # raises as Python does
            setattr(np.zeros(()) if cls is np.ndarray else cls(), name, None)
        raise self.recorder.fatal(UnsupportedOperation(
            f"assignment to the attribute .{name} of {in_words(obj.aval)}",
            why="it changes the array object under every name it has" if name in (
                "dtype", "strides") else (
                "a traced number or array has no settable attribute of this name"),
            fix="write x = x.astype(...) instead" if name == "dtype" else (
                "use an indexed assignment such as x[...] = value")))

    def _reshape_handle(self, obj: ArrayTracer, shape: Any) -> bool:
        """``x.shape = ...`` of an array made in this very block, or of a view outside of all
        blocks: the handle becomes the reshaped view.  False where the array object is known
        elsewhere, or would be copied."""
        if not (obj.steps and self.recorder.region.control.parent is None) and (
                obj.home.outside or not self.journal.is_young(obj.home)):
            return False
        view = self.machine.call(np.reshape, obj, shape)
        if type(view) is not ArrayTracer or view.home is not obj.home:
            return False
        obj.steps, obj.dyn, obj.first, obj.seen, obj.obj = (view.steps, view.dyn, view.first,
                                                            view.seen, view.obj)
        obj._aval = view.aval
        return True

    def delattr(self, obj: Any, name: str) -> None:
        own = python_method(obj, "__delattr__")
        if own is not None:
            self.machine.call(own, obj, name)
            return
        if is_native_method(class_attribute(type(obj), "__delattr__")):
            self.machine.delitem(obj, name)
            return
        self.delete_by_default(obj, name)

    def delete_by_default(self, obj: Any, name: str) -> None:
        """``object.__delattr__(obj, name)``: by properties and descriptors."""
        found = class_attribute(type(obj), name)
        delete = getattr(type(found), "__delete__", None)
        if isinstance(found, property):
            self.class_attributes.note_class_attribute(type(obj), name, found)
            if found.fdel is None:
                delattr(obj, name)  # raises Python's own error
            self.machine.call(found.fdel, obj)
            return
        if hasattr(delete, "__code__"):
            self.machine.call(delete, self.class_attributes.descriptor(type(obj), name, found), obj)
            return
        if delete is None and is_data_descriptor(found):
            raise AttributeError("__delete__")
        self.machine.getattr(obj, name)
        if own_namespace(obj, None) is not None and not isinstance(
                obj, type | types.ModuleType) and not isinstance(found, types.MemberDescriptorType):
            self._demand_own(obj, name)
        self.drop(obj, name)

    def _demand_own(self, obj: Any, name: str) -> None:
        """Raise what Python does where only the class of an instance has an attribute."""
        state = self.presence.own(obj, name)
        if state is UNBOUND:
            delattr(blank(type(obj)), name)
        if type(state) is Maybe:
            self.presence.present(state, lambda: delattr(blank(type(obj)), name))

    def drop(self, obj: Any, name: str) -> None:
        """Take an attribute from what holds it itself: an effect on what is from outside."""
        if id(obj) not in self.found_functions.paths:
            self.handed_over.follow(obj, delattr, name)
            self.journal.write(Field(obj, name), UNBOUND)
            return
        self.sources.check_twin(obj)
        self.opening.keep_apart(obj)
        overlay = self.overlay_of(obj)
        self.variables.seed(overlay, name, lambda: self.machine.getattr(obj, name) if isinstance(
            obj, type | types.ModuleType) else self.presence.own(obj, name))
        if overrides(type(obj), name):
            self.effects.effect_on(self.machine.getattr(obj, "__dict__"), operator.delitem, name)
        else:
            own = python_method(obj, "__delattr__") is not None
            self.effects.effect_on(obj, object.__delattr__ if own else delattr, name)
        self.journal.write(_field(obj, name, overlay), DELETED)

    def overlay_of(self, obj: Any) -> dict[str, Any]:
        """What the trace has written to an object from outside; the attributes of a module are
        the globals of its functions."""
        if isinstance(obj, types.ModuleType):
            self.sources.overlays[id(obj)] = self.merges.overlay_of(vars(obj))
        return self.sources.overlays.setdefault(id(obj), {})


def _field(obj: Any, name: str, overlay: dict[str, Any]) -> Field:
    return Field(vars(obj) if isinstance(obj, types.ModuleType) else obj, name, overlay)


def _probe_frozen(obj: Any, name: str) -> None:
    """Raise what assigning to an attribute of a frozen dataclass raises."""
    cls: Any = type(obj)
    if is_frozen(cls) and cls.__setattr__ is not object.__setattr__:
        cls.__setattr__(obj, name, None)


def _probe_slots(obj: Any, name: str) -> None:
    """Raise what Python raises where there is neither a slot nor a dict for an attribute."""
    cls: Any = type(obj)
    if own_namespace(obj, None) is None and class_attribute(cls, name) is UNBOUND:
        raise AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
