"""Attributes that are read."""

from __future__ import annotations

import enum
import functools
import operator
import types
from typing import Any, NamedTuple

import numpy as np

from ...errors import UnsupportedOperation
from ...stage.machine import UNBOUND
from ...types.dims import Dim
from ...types.guards import Path
from ...types.kinds import INT, OPAQUE, Aval, Kind
from ...types.public_names import of_scipy
from ...types.spelling import Attribute
from ...types.subclasses import (
    bare_attribute,
    decides,
    is_data_descriptor,
    native_class,
    overrides,
    own_namespace,
)
from ..collaborator import Collaborator
from ..heap.stores import Reference
from ..iteration.elements import lies_in_c_order
from ..iteration.iteration import Staged
from ..libraries import registry as libraries
from ..numpy.written_out import Flat, strides_of
from ..record.states import Columns, Maybe
from ..record.structures import IMMUTABLE, is_library
from ..record.tracers import (
    Above,
    ArrayTracer,
    BoundMethod,
    OpaqueTracer,
    ScalarTracer,
    is_tracer,
    users_class,
)
from ..values.state_of_c import is_stream
from .special_methods import (
    WRITING_METHODS,
    class_attribute,
    class_name,
    is_cached_property,
    is_native_method,
    python_method,
)

ARRAY_ATTRIBUTES = frozenset({"T", "mT", "real", "imag", "flat", "size", "nbytes", "itemsize",
                              "strides", "flags", "base", "data", "ctypes"})

# what is asked of an array, and the fact that tells it
FACTS = {"shape": "ndim", "ndim": "ndim", "dtype": "dtype", "itemsize": "dtype"}


class Layout(NamedTuple):
    """The flags of an array, as library code sees them: whether it copies has no meaning here."""

    c_contiguous: bool = True
    f_contiguous: bool = False
    contiguous: bool = True
    fortran: bool = False
    aligned: bool = True
    writeable: bool = True
    owndata: bool = True


class Access(Collaborator):
    """``obj.name``."""

    speaks_to = ("assignment", "choices", "class_attributes", "effects", "foreigners",
                 "found_functions", "merges", "opening", "operators", "presence", "recorder",
                 "references", "sources", "statements", "truths", "variables")

    def getattr(self, obj: Any, name: str) -> Any:
        if name == "__class__" and is_tracer(obj):
            return self.machine.call(type, obj)
        if type(obj) is ArrayTracer:
            return self._array_attribute(obj, name)
        if is_tracer(obj):
            return self._scalar_attribute(obj, name)
        if isinstance(obj, types.ModuleType):
            return self._module_attribute(obj, name)
        if isinstance(obj, enum.Enum) and (held := held_name(obj, name)) is not None:
            return self._member_attribute(obj, name, held)
        if libraries.of_constant(obj) is not None:
            return getattr(obj, name)
        if type(obj) is list and class_attribute(list, name) is UNBOUND:
            return getattr(obj, name)
        if isinstance(obj, (list, dict, set, tuple, str, Staged)):
            if type(obj) in (list, dict, set) and name != "__class__" and (
                    class_attribute(type(obj), name) is not UNBOUND):
                return BoundMethod(self.machine, obj, name)
            if not hasattr(type(obj), "_fields") and native_class(type(obj)) is None:
                return getattr(obj, name)
        return self.instance_attribute(obj, name)

    def _member_attribute(self, obj: enum.Enum, name: str, held: str) -> Any:
        """What a member of an enumeration holds, as it is at each call."""
        self.register_member(obj)
        value, path = vars(obj)[held], self.found_functions.paths.get(id(obj))
        overlay = self.sources.overlays.get(id(obj), {})
        if held in overlay:
            return self.references.loaded(overlay[held])
        if path is None or (held == "_value_" and is_fixed(value)):
            return value
        return self.foreigners.outside(value, path.child("attr", name))

    def register_member(self, obj: enum.Enum) -> None:
        """Give a member of an enumeration a path (those that flags make up have none)."""
        cls = type(obj)
        if id(obj) not in self.found_functions.paths and obj.name in cls.__members__ and (
                id(cls) not in self.class_attributes.made_classes
                and not is_library(cls.__module__)):
            label = f"{cls.__name__}.{obj.name}"
            self.found_functions.pinned[id(obj)] = obj
            self.found_functions.paths[id(obj)] = Path(self.variables.pin(cls, cls.__name__),
                                                       (("attr", obj.name),), label)

    def _module_attribute(self, obj: types.ModuleType, name: str) -> Any:
        if id(vars(obj)) in self.merges.global_overlays and name in self.assignment.overlay_of(obj):
            return self.attribute_by_default(obj, name)
        try:
            value = getattr(obj, name)
        except AttributeError:
            self.class_attributes.register_class(obj)
            self.sources.guard("missing", self.found_functions.paths[id(obj)], name)
            raise
        if is_stream(obj, name):  # that of each call, for it may be redirected
            return self.effects.emit_effect(getattr, (obj, name), {}, OPAQUE)
        if is_library(obj.__name__) and not isinstance(value, (list, dict, set)):
            return value
        path = self.found_functions.paths.get(id(obj))
        if path is None:
            path = Path(self.variables.pin(obj, obj.__name__), (), obj.__name__)
        return self.foreigners.outside(value, path.child("attr", name))

    def _array_attribute(self, obj: ArrayTracer, name: str) -> Any:
        if name in WRITING_METHODS:
            return functools.partial(getattr(operator, name), obj)
        aval = obj.aval
        if aval.kind is Kind.ARRAY:
            other = self.recorder.list_sizes.other_without_items(
                obj.first if obj.steps else obj.home.current, self.truths.tell_items) if (
                    name in FACTS) else None
            if other is not None and getattr(aval, FACTS[name]) != getattr(other, FACTS[name]):
                return self._told_by_run(obj, name, other)
            if name == "shape":
                return self._sizes_of(obj, aval)
            if name == "ndim":
                return aval.ndim
            if name == "dtype" and aval.dtype is not None and aval.least is None:
                return aval.dtype
            if name == "itemsize" and aval.dtype is not None and aval.least is None:
                return aval.dtype.itemsize
        if name == "flat":
            return self.machine.call(Flat, obj)
        if name == "strides" and self.machine.call(lies_in_c_order, obj):
            return self.machine.call(strides_of, obj)
        if name == "flags" and of_scipy(self.recorder.where()):  # asks whether to copy
            return Layout()
        if name in ("base", "flags", "ctypes", "data", "strides"):
            raise self.recorder.fatal(UnsupportedOperation(
                f"the attribute .{name} of a traced array",
                why="it depends on how the array lies in memory",
                fix="use the array's values and shape"))
        if name in ARRAY_ATTRIBUTES or name in ("shape", "ndim", "dtype"):
            if aval.kind is Kind.ANY and name in ("shape", "ndim", "size"):
                self.merges.tell_apart()
                return self.recorder.computed(
                    Attribute(name), OPAQUE if name == "shape" else INT, self.choices.content(obj))
            return self.recorder.apply(Attribute(name), (obj,), {})
        if class_attribute(np.ndarray, name) is UNBOUND:
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        return BoundMethod(self.machine, obj, name)

    def _told_by_run(self, obj: ArrayTracer, name: str, other: Aval) -> Any:
        """A fact about an array of a list that is another array where that has no items."""
        if name == "dtype":
            return self.recorder.computed(Attribute(name), OPAQUE.but(
                dtype=other.dtype, least=obj.aval.dtype), obj)
        if name != "shape":
            return self.recorder.computed(Attribute(name), INT, obj)
        ndim = self.recorder.computed(Attribute("ndim"), INT, obj)
        return self.machine.if_expression(
            self.machine.compare("==", ndim, obj.aval.ndim),
            lambda: self._sizes_of(obj, obj.aval), lambda: self._sizes_of(obj, other))

    def _sizes_of(self, obj: Any, aval: Aval) -> tuple[Any, ...]:
        return tuple(self.size_of(obj, axis, size) for axis, size in enumerate(aval.shape or ()))

    def size_of(self, obj: Any, axis: int, size: Dim | None = None) -> Any:
        """The size along an axis: an int, or a traced int."""
        size = obj.aval.shape[axis] if size is None else size
        if isinstance(size, int):
            return size
        (value,) = self.recorder.emit("dim", (self.choices.content(obj, sizes_only=True),),
                                      (INT.but(expr=size),), axis=axis)
        return ScalarTracer(self.machine, value)

    def length(self, obj: Any) -> Any:
        """``len(obj)`` of a traced array or list."""
        if is_tracer(obj):
            aval = obj.aval
            if aval.kind is Kind.ARRAY:
                if aval.ndim == 0:
                    raise TypeError("len() of unsized object")
                return self.size_of(obj, 0)
            if aval.kind in (Kind.OPAQUE, Kind.LIST, Kind.ANY):
                return self.recorder.computed(len, INT.but(expr=self.fresh("k")), obj)
            raise TypeError(f"object of type '{class_name(obj.__class__)}' has no len()")
        obj = self.references.seen(obj)
        # its length is that of its columns, if it has any
        if id(obj) in self.found_functions.paths:
            obj = self.opening.open_long(obj) or obj
        symbolic = self.symbolic_lists.get(id(obj))
        if symbolic is not None:
            held = symbolic.columns[0] if type(symbolic) is Columns else symbolic
            size = self.recorder.list_sizes.of(held.value)
            (value,) = self.recorder.emit("list_len", (held.value,), (INT.but(expr=size),))
            return ScalarTracer(self.machine, value)
        return len(obj)

    def _scalar_attribute(self, obj: Any, name: str) -> Any:
        aval = obj.aval
        if type(obj) is OpaqueTracer:
            number = aval.least is not None and type(getattr(aval.dtype, name)) is int
            return self.recorder.computed(Attribute(name), INT if number else OPAQUE, obj.value)
        cls = obj.__class__
        if class_attribute(cls, name) is UNBOUND:
            raise AttributeError(f"'{class_name(cls)}' object has no attribute '{name}'")
        if (aval.kind is Kind.NUMBER or aval.least is not None) and name in ("dtype", "itemsize"):
            return self.recorder.apply(Attribute(name), (obj,), {})
        if aval.kind is Kind.NUMBER and name in ("shape", "ndim", "size"):
            return self.recorder.computed(Attribute(name), OPAQUE if name == "shape" else INT, obj)
        if aval.kind is Kind.SCALAR and name in ("shape", "ndim", "dtype", "size", "itemsize"):
            return {"shape": (), "ndim": 0, "dtype": aval.dtype, "size": 1,
                    "itemsize": aval.dtype.itemsize if aval.dtype else None}[name]
        if name in ("real", "imag", "conjugate"):
            self.operators.want_complex((obj,))
        if name in ("real", "imag", "T", "flat", "numerator", "denominator"):
            return self.recorder.apply(Attribute(name), (obj,), {})
        return BoundMethod(self.machine, obj, name)

    def instance_attribute(self, obj: Any, name: str) -> Any:
        if name == "__cause__" and id(obj) in self.statements.causes:
            return self.statements.causes[id(obj)][1]
        if type(obj) in (super, Above):
            return self.class_attributes.super_attribute(obj, name)
        own = python_method(obj, "__getattribute__")
        if own is None or is_library(own.__module__):
            return self.attribute_by_default(obj, name)
        try:
            return self.machine.call(own, obj, name)
        except AttributeError:
            fallback = python_method(obj, "__getattr__")
            if fallback is None:
                raise
            return self.machine.call(fallback, obj, name)

    def attribute_by_default(self, obj: Any, name: str) -> Any:
        """``object.__getattribute__(obj, name)``, or ``__getattr__`` where it finds nothing."""
        held = not decides(type(obj), name)
        value = self.maybe_attribute(obj, name) if held else UNBOUND
        if type(value) is Maybe:
            return self.references.loaded(value.content) if value.inherits else (
                self.presence.present(value, lambda: self.without(obj, name)))
        overlay = self.sources.overlays.get(id(obj))
        if held and overlay is not None and name in overlay:
            self.sources.outside_reads += 1
            return self.references.loaded(overlay[name])
        if name not in own_namespace(obj):
            value = self.class_attributes.inherited(obj, name)
            if value is not UNBOUND:
                return value
        found = class_attribute(type(obj), name) if not isinstance(obj, type) else UNBOUND
        if is_native_method(found):
            return BoundMethod(self.machine, obj, name)
        if isinstance(found, property) and found.fget is not None:
            self.class_attributes.note_class_attribute(type(obj), name, found)
            return self.machine.call(found.fget, obj)
        if isinstance(obj, type) and self.class_attributes.from_outside(obj):
            self.class_attributes.register_class(obj)
        elif found is not UNBOUND and id(obj) not in self.found_functions.paths and not isinstance(
                obj, type) and name not in own_namespace(obj):
            cls = users_class(type(obj))
            self.class_attributes.note_class_attribute(type(obj), name, found)
            if self.class_attributes.is_class_data(cls, found):
                return self.machine.getattr(cls, name)
        path = self.found_functions.paths.get(id(obj))
        fallback = None if found is not UNBOUND or isinstance(obj, type) else (
            class_attribute(type(obj), "__getattr__"))
        if fallback is not UNBOUND and fallback is not None and name not in own_namespace(obj):
            self.note_lack(obj, name)
            if is_native_method(fallback):  # __getattr__ = dict.__getitem__
                return self.machine.getitem(obj, name)
            if python_method(obj, "__getattr__") is not None and not is_library(
                    fallback.__module__):
                return self.machine.call(fallback, obj, name)
        if name == "__dict__" and isinstance(obj, type) and self.class_attributes.from_outside(obj):
            return self.class_attributes.namespace_of(obj)
        if name == "__class__" or (name == "__dict__" and (path is None or isinstance(
                obj, (type, types.ModuleType, types.FunctionType)))):
            return getattr(obj, name)
        getter = getattr(type(found), "__get__", None)
        own = own_namespace(obj)
        if hasattr(getter, "__code__") and not is_cached_property(found) and (
                name not in own or is_data_descriptor(found)):
            if path is not None and not is_data_descriptor(found):
                self.sources.guard("inherited", path, name)
            return self.machine.call(getter, self.class_attributes.descriptor(type(obj), name,
                found), obj, type(obj))
        if path is not None:
            return self._outside_attribute(obj, name, path, found)
        if is_cached_property(found) and name not in own:
            return self._cached(obj, name, found)
        try:
            value = getattr(obj, name)
        except AttributeError:
            fallback = python_method(obj, "__getattr__")
            if fallback is None or isinstance(obj, type):
                raise
            self.note_lack(obj, name)
            return self.machine.call(fallback, obj, name)
        return self.references.loaded(value)

    def maybe_attribute(self, obj: Any, name: str) -> Any:
        """What an instance holds itself under a name, a :class:`Maybe` where that depends on the
        path; UNBOUND where it holds nothing, or is from outside and was not changed."""
        overlay = self.sources.overlays.get(id(obj))
        if overlay is not None and name in overlay:
            return overlay[name]
        own = own_namespace(obj, None) if not is_tracer(obj) else None
        if isinstance(own, dict):
            return own.get(name, UNBOUND)
        member = class_attribute(type(obj), name)
        if not isinstance(member, types.MemberDescriptorType):
            return UNBOUND
        try:
            return member.__get__(obj)
        except AttributeError:
            return UNBOUND

    def without(self, obj: Any, name: str) -> Any:
        """An attribute that an instance or class does not hold itself: that of (another) class."""
        value = self.class_attributes.inherited(obj, name)
        if value is not UNBOUND:
            return value
        lineage = obj.__mro__[1:] if isinstance(obj, type) else type(obj).__mro__
        holder = next((c for c in lineage if name in vars(c)), None)
        if holder is not None and not isinstance(vars(holder)[name], types.MemberDescriptorType):
            found = vars(holder)[name]
            if isinstance(obj, type) or self.class_attributes.is_class_data(holder, found):
                return self.machine.getattr(holder, name)
            if is_cached_property(found):
                return self._cached(obj, name, found)
            self.class_attributes.note_class_attribute(holder, name, found)
            return self.class_attributes.bound_to(obj, found)
        fallback = python_method(obj, "__getattr__")
        if fallback is not None:
            return self.machine.call(fallback, obj, name)
        raise AttributeError(f"{class_name(type(obj))!r} object has no attribute {name!r}")

    def note_lack(self, obj: Any, name: str) -> None:
        """Guard that neither an instance nor its class has an attribute."""
        cls = users_class(type(obj))
        if self.class_attributes.from_outside(cls):
            self.sources.gives(class_attribute, (cls, name), (cls, name))
        path = self.found_functions.paths.get(id(obj))
        if path is not None and not is_native_method(class_attribute(type(obj), "__getattr__")):
            self.sources.guard("inherited", path, name)

    def _cached(self, obj: Any, name: str, found: Any) -> Any:
        """A ``cached_property`` read for the first time."""
        self.class_attributes.descriptor(type(obj), name, found)
        value = self.machine.call(found.func, obj)
        # elsewhere there is none
        if id(obj) in self.found_functions.paths and len(self.journal.layers) > 1:
            self.sources.overlays.setdefault(id(obj), {}).setdefault(name, UNBOUND)
        self.assignment.set_plain(obj, name, value)
        return value

    def cached_above(self, obj: Any, name: str, found: Any) -> Any:
        """``super().name`` where that is a ``cached_property``: what the instance holds under the
        name, whichever class has put it there."""
        state, path = self.presence.own(obj, name), self.found_functions.paths.get(id(obj))
        if type(state) is Maybe:
            return self.presence.present(state, lambda: self._cached(obj, name, found))
        if path is not None and name not in self.sources.overlays.get(id(obj), ()):
            self.sources.guard("inherited" if state is UNBOUND else "owns", path, name)
        return self._cached(obj, name, found) if state is UNBOUND else self.references.loaded(state)

    def _outside_attribute(self, obj: Any, name: str, path: Path, found: Any) -> Any:
        """An attribute of an object from outside: by its path."""
        if isinstance(obj, tuple) and name in ("_asdict", "_replace", "index", "count"):
            cls: Any = type(obj)
            return getattr(cls(*(self.machine.getattr(obj, field) for field in cls._fields)), name)
        if libraries.holds_arrays(obj) and type(getattr(obj, name, None)) is int:
            self.sources.guard("equals", path.child("attr", name), getattr(obj, name))
            return getattr(obj, name)  # a degree, an axis
        own = own_namespace(obj)
        if isinstance(own, dict) and name in own and not decides(type(obj), name):
            if found is not UNBOUND:  # without it, that of the class
                self.sources.guard("owns", path, name)
            step = "held" if overrides(type(obj), name) else self.step_to(obj, "slot")
            return self.foreigners.outside(own[name], path.child(step, name))
        if isinstance(own, dict) and isinstance(found, (types.FunctionType, classmethod)):
            self.sources.guard("inherited", path, name)
        if isinstance(found, types.FunctionType):
            self.foreigners.outside(found, path.child("attr", "__class__").child("attr", name)
                         if not isinstance(obj, type) else path.child("attr", name))
            return types.MethodType(found, obj)
        if isinstance(found, staticmethod):
            return self.foreigners.outside(found.__func__, path.child("attr", name))
        if isinstance(found, classmethod):
            self.class_attributes.note_class_attribute(users_class(type(obj)), name, found)
            return types.MethodType(found.__func__, users_class(type(obj)))
        if is_cached_property(found):
            self.sources.guard("inherited", path, name)
            return self._cached(obj, name, found)
        try:
            value = (getattr if self.step_to(obj, "attr") == "attr" else bare_attribute)(obj, name)
        except AttributeError:
            fallback = python_method(obj, "__getattr__")
            if fallback is not None and not isinstance(obj, type):
                self.note_lack(obj, name)
                return self.machine.call(fallback, obj, name)
            self.sources.guard("missing", path, name)
            raise
        if is_library(type(obj).__module__) and callable(value) and not (
                isinstance(obj, type) and self.class_attributes.from_outside(obj)):
            return value
        return self.foreigners.outside(value, path.child(self.step_to(obj, "attr"), name))

    def step_to(self, obj: Any, kind: str) -> str:
        """The kind of a path's step to an attribute."""
        own = None if isinstance(obj, type) else python_method(obj, "__getattribute__")
        return kind if own is None or is_library(own.__module__) else "bare"

    def super_(self, cls: Any, obj: Any) -> Any:
        return Above(cls, obj, obj.cls) if type(obj) is Reference else super(cls, obj)


def held_name(member: enum.Enum, name: str) -> str | None:
    """Under which name a member of an enumeration holds an attribute that the program sees by
    this name; None where that is something else."""
    if name == "value":
        found = next(c for c in type(member).__mro__ if "value" in vars(c))
        name = "_value_" if found.__module__ == "enum" else name
    return name if name in vars(member) and (name == "_value_" or name[:1] != "_") else None


def is_fixed(value: Any) -> bool:
    """Is it a value that cannot be changed in place?"""
    return all(map(is_fixed, value)) if type(value) in (tuple, frozenset) else isinstance(
        value, IMMUTABLE)
