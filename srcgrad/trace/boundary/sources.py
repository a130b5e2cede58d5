"""What a traced function reads from outside: inputs, guards and the paths to them."""

from __future__ import annotations

import collections
import copy
import datetime
import decimal
import enum
import fractions
import functools
import operator
import pathlib
import re
import types
from collections.abc import Container
from typing import Any

import numpy as np

from ...errors import TracingError, UnsupportedType
from ...graph.ir import Value
from ...types import dims
from ...types.dims import Dim, Poly
from ...types.guards import Guard, Path, SizeSource, Source
from ...types.kinds import OPAQUE, Aval, Kind, int_aval, python_scalar
from ...types.subclasses import (
    base_array,
    content_of,
    held_attribute,
    hold,
    is_array_class,
    item_step,
    make,
    native_class,
)
from ...types.tree import blank
from ..assumed import fixed_size
from ..assumptions import GivenText
from ..collaborator import Collaborator
from ..flow.control import Restart, Unroll
from ..libraries import registry as libraries
from ..record.settling import leaves_behind
from ..record.structures import record_fields
from ..record.tracers import ArrayTracer, OpaqueTracer, ScalarTracer, Tracer
from .input_arrays import check_array
from .process_state import note_exact

SIZE_NAMES = ("n", "m", "k", "p", "q", "r", "s")
STATIC_TYPES = (str, bytes, bool, type(None), type(Ellipsis), np.dtype, slice, range)
VALUES = (decimal.Decimal, fractions.Fraction, datetime.date, datetime.time, datetime.timedelta,
          datetime.tzinfo, pathlib.PurePath, re.Pattern)  # equal ones may differ in their texts
# which of these it is, not what it consists of, is guarded: NumPy's functions in C and Cython too
ATOMIC = (operator.itemgetter, operator.attrgetter, operator.methodcaller, types.ModuleType,
          types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, type(np.sum),
          types.MethodType, types.BuiltinMethodType, types.MethodDescriptorType,
          types.WrapperDescriptorType, types.ClassMethodDescriptorType, np.vectorize,
          type(functools.cache(len)), type(np.random.Generator.normal))


def is_fixed_size(value: Value) -> bool:
    """Is a number a size, or made of sizes, that is the same during one call?"""
    return isinstance(value.aval.expr, Poly) and not dims.is_varying(value.aval.expr)


class Sources(Collaborator):
    """The boundary between the traced function and the world."""

    speaks_to = ("array_classes", "class_attributes", "foreigners", "found_functions", "identity",
                 "items", "keys", "opening", "recorder", "references", "selections")

    def __init__(self) -> None:
        self.inputs: list[tuple[Value, Source]] = []
        self.guards: dict[tuple[Any, ...], Guard] = {}
        self.symbols: list[SizeSource] = []
        self.numbers: dict[Any, int] = {}  # symbol -> its number in the first call
        self.by_path: dict[Path, Any] = {}
        self.arrays: dict[int, tuple[Path, Any]] = {}
        self.leaves: list[Path] = []  # what derivatives are taken for
        self.outside_reads = 0  # of what may be another at the next call
        self.texts: dict[str, Path] = {}  # those that are known
        self.overlays: dict[int, dict[str, Any]] = {}
        self.own: set[Path] = set()  # of functions of srcgrad
        self.shadows: dict[int, Any] = {}  # what an outside container holds while tracing
        self.twins: dict[int, tuple[Path, Path]] = {}  # containers found at two places
        self.twins_of: dict[tuple[int, Any], tuple[Any, Path]] = {}  # those of one argument
        self.blind: set[int] = set()  # outside containers changed before they were read
        self.noted: set[int] = set()  # outside containers whose size is guarded
        self.outside_arrays: list[tuple[Path, ArrayTracer, np.ndarray[Any, Any]]] = []
        # lists of arrays, with the columns that they were copied to
        self.array_lists: list[tuple[Path, list[Any], list[Any] | None]] = []
        # the indices of the loops that are being traced, with the bytes of code of their bodies
        self.loop_atoms: dict[Any, int] = {}
        self.notes: list[str] = []

    # ---- guards ------------------------------------------------------------------------
    def guard(self, kind: str, path: Path | None, data: Any) -> None:
        """Record a fact the code relies on (once)."""
        if kind == "is" and path is not None:  # functions of srcgrad itself do not change
            if _is_own(data):
                self.own.add(path)
                return
            if self.own and Path(path.root, path.steps[:-1]) in self.own:
                return
        key = (kind, path, id(data) if kind in ("is", "type") else repr(data))
        if key not in self.guards:
            self.guards[key] = Guard(kind, path, data, self.recorder.where())

    def gives(self, function: Any, args: tuple[Any, ...], places: tuple[Any, ...]) -> Any:
        """What a function gives for objects found at these places, guarded to give it at each
        call (places that are no paths are the objects themselves)."""
        result = function(*args)
        places = tuple([self._rooted(p) for p in places])
        key = ("gives", function, tuple([p if isinstance(p, Path) else id(p) for p in places]))
        if key not in self.guards:
            self.guards[key] = Guard("gives", None, (function, places, result),
                                     self.recorder.where())
            self.found_functions.pinned[id(places)] = places
        return result

    def _rooted(self, obj: Any) -> Any:
        """A class or function as a place of its own, so that a guard does not keep it alive."""
        if not isinstance(obj, (type, types.FunctionType)):
            return obj
        self.found_functions.pinned[id(obj)] = obj
        return Path(("object", id(obj)), (), obj.__name__)

    def guard_size(self, relation: str, dim: Dim) -> None:
        """A condition on sizes: guarded where the number is fixed during a call, checked
        against the numbers of this call.  ``ne1`` that does not hold bakes the sizes."""
        if isinstance(dim, int) or dims.is_varying(dim):
            return
        number = dims.evaluate(dim, self.numbers)
        if relation == "ne1":
            if number == 1:
                self.bake(dim)
            self.guard("size", None, ("!=", dim, 1))
        elif relation == "ge0":
            self.guard("size", None, (">=" if number >= 0 else "<", dim, 0))
        elif relation == "eq0":
            self.guard("size", None, ("==" if number == 0 else "!=", dim, 0))

    def is_nonnegative(self, number: Dim) -> bool:
        """Is a number not negative: whatever it is, or (guarded) in this call?"""
        if isinstance(number, int):
            return number >= 0
        if dims.is_varying(number) or dims.proves_nonnegative(number):
            return dims.proves_nonnegative(number)
        self.guard_size("ge0", number)
        return bool(dims.evaluate(number, self.numbers) >= 0)

    def equal_sizes(self, a: Dim, b: Dim) -> bool:
        """Are two sizes one number in this call?  Guarded where that is more than algebra."""
        if a == b:
            return True
        if dims.is_varying(a) or dims.is_varying(b) or (
                dims.evaluate(a, self.numbers) != dims.evaluate(b, self.numbers)):
            return False
        self.guard_size("eq0", a - b)
        return True

    def bake(self, dim: Poly) -> None:
        """Start again with all sizes in ``dim`` as plain numbers (their guards follow)."""
        for symbol in dims.symbols(dim):
            for source in self.symbols:
                if source.symbol == dims.of_atom(symbol):
                    raise Restart(fixed_size(str(source.path), source.axis,
                                             self.numbers[symbol]))
        raise self.recorder.fatal(TracingError("tracing does not settle",
                                      why=f"the size {dim} cannot be fixed"))

    def demand(self, tracer: Any, reason: str) -> int:
        """The number of a traced int where code needs it now: call-invariant numbers are
        guarded, loop indices unroll their loop, data is refused."""
        if type(tracer) is int:
            return tracer
        expr = tracer.aval.expr if isinstance(tracer, Tracer) or hasattr(tracer, "aval") else None
        if isinstance(expr, int):
            return expr
        if tracer.aval.kind is not Kind.INT and not (
                tracer.aval.dtype is not None and tracer.aval.dtype.kind in "iu"):
            tracer._refuse(f"is needed as a number now: {reason}")
        if type(tracer) is ScalarTracer and (expr is None or dims.is_varying(expr)):
            for size in leaves_behind(self.recorder.region, tracer.value, is_fixed_size) or ():
                if isinstance(size.aval.expr, Poly):
                    self.bake(size.aval.expr)
        if expr is None:
            self.items.unroll_list_makers("a list that it fills holds numbers that are needed")
            tracer._refuse(f"depends on data, and its number is needed now: {reason}")
        if dims.is_varying(expr):
            for symbol in dims.symbols(expr):
                if symbol in self.loop_atoms:
                    raise Unroll(symbol, reason)
            refusal = self.recorder.of_forms(TracingError(
                f"a number that depends on data is needed while compiling: {reason}",
                why="the generated code is made before the number is known",
                fix="keep what it selects in one array, so that it can be indexed at run time, or "
                    "write an if statement for each case"))
            refusal.varies = True
            raise refusal
        number = dims.evaluate(expr, self.numbers)
        self.guard("size", None, ("==", expr, number))
        self.note_here(f"fixed: {expr} is {int(number)}", reason)
        return int(number)

    def note_here(self, what: str, why: str) -> None:
        """Say something of the user's line in ``explain``."""
        where = self.recorder.where()
        if where is not None:
            file = where.filename.replace("\\", "/").rsplit("/", 1)[-1]
            self.notes.append(f"{what}: {file}:{where.line}: {where.text.strip()}: {why}")

    # ---- reading from outside --------------------------------------------------------------
    def outside(self, obj: Any, path: Path) -> Any:
        """What staged code gets for an object found at ``path``."""
        path = self.canonical(path)
        if not isinstance(obj, (*ATOMIC, *STATIC_TYPES)):
            self.outside_reads += 1
        known = self.by_path.get(path)
        if known is not None:
            return known[0]
        result = self._classify(obj, path)
        self.by_path[path] = (result, obj)
        return result

    def canonical(self, path: Path) -> Path:
        """Of several ways to one place the one that gradients use: fields of named tuples by
        name, items of ``__dict__`` as attributes, places in sequences counted from the start."""
        if len(path.steps) > 1 and path.steps[-2] == ("attr", "__dict__"):
            return Path(path.root, (*path.steps[:-2], ("slot", path.steps[-1][1])), path.label)
        if not path.steps or path.steps[-1][0] not in ("item", "content") or (
                type(path.steps[-1][1]) is not int):
            return path
        known = self.by_path.get(Path(path.root, path.steps[:-1]))
        owner, place = known[1] if known else None, path.steps[-1][1]
        if isinstance(owner, (list, tuple, collections.deque)) and place < 0:
            place += len(owner)
        names = getattr(owner, "_fields", None) if isinstance(owner, tuple) else None
        step = (path.steps[-1][0], place) if names is None else ("attr", names[place])
        return Path(path.root, (*path.steps[:-1], step), path.label)

    def _classify(self, obj: Any, path: Path) -> Any:
        if is_array_class(type(obj)):
            check_array(self.machine, obj, path)
            return self.array_classes.classed_outside(obj, path)
        if type(obj) is np.memmap:  # the content of a file: read as any array
            self.guard("type", path, np.memmap)
            return self.foreigners.outside(base_array(obj), path.child("base", None))
        if isinstance(obj, np.ndarray):
            return self._array(obj, path)
        if libraries.of_constant(obj) is not None:
            self.guard("is", path, obj)
            return obj
        if isinstance(obj, np.generic):
            return self._numpy_scalar(obj, path)
        if type(obj) is int:
            return self._int(obj, path)
        if type(obj) in (float, complex):
            self.guard("type", path, type(obj))
            kind = Kind.FLOAT if type(obj) is float else Kind.COMPLEX
            return ScalarTracer(self.machine, self.input(python_scalar(kind), path, "scalar"))
        if isinstance(obj, STATIC_TYPES) and not isinstance(obj, enum.Enum):
            self.guard("type", path, type(obj))
            if type(obj) is str and GivenText(str(path)) in self.assumed:
                return self.selections.of_class(OpaqueTracer(
                    self.machine, self.input(OPAQUE, path, "object")), str)
            if type(obj) is str:
                self.texts.setdefault(obj, path)
            self.guard("equals", path, obj)
            if type(obj) is range:  # equal ones may stop elsewhere
                self.gives(repr, (obj,), (path,))
            return obj
        if isinstance(obj, VALUES):
            self.guard("type", path, type(obj))
            self.gives(repr, (obj,), (path,))
            return note_exact(self.machine, obj)
        if isinstance(obj, types.FunctionType) and self.found_functions.is_loose(obj, path):
            return self.found_functions.loose_function(obj, path)
        if isinstance(obj, (*ATOMIC, enum.Enum)):
            return self._atomic(obj, path)
        if hasattr(type(obj), "__srcgrad_trace__"):
            return self.found_functions.found_transform(obj, path)
        self.guard("type", path, type(obj))
        self.class_attributes.note_class(type(obj))
        if type(obj) is tuple and not obj:  # Python has one empty tuple, which tells no place
            self.guard("length", path, 0)
            return obj
        known = self.found_functions.paths.get(id(obj))
        if known is not None and known != path:
            return self._found_again(obj, known, path)
        self.found_functions.lies(obj, path)
        return obj

    def _found_again(self, obj: Any, known: Path, path: Path) -> Any:
        """An object that is found at a second place.  Containers that are only read are told
        apart, like arrays: what is read through one place has nothing to do with the other.
        So are the instances of two arguments that hold anything, while nothing asks whether they
        are one.
        Everything else is one object, as long as it is one."""
        two_arguments = path.root != known.root and path.root[0] == known.root[0] == "arg"
        if ((isinstance(obj, (list, dict, tuple)) and obj) or (two_arguments and (
                record_fields(obj)))) and (
                not self.assumed.knows(str(known), str(path))):
            if id(obj) in self.identity.altered:  # before it was found here
                raise Restart(self.assumed.known(str(known), str(path)))
            if (id(obj), path.root) in self.twins_of and two_arguments:
                twin, first = self.twins_of[id(obj), path.root]
                self.guard("is_path", path, first)
                return twin
            twin = _twin(obj)
            self.twins_of[id(obj), path.root] = (twin, path)
            self.found_functions.lies(twin, path)
            self.twins[id(obj)] = self.twins[id(twin)] = (known, path)
            return twin
        self.guard("is_path", path, known)
        return obj

    def check_twin(self, obj: Any, other: Any = None) -> None:
        """Start again with one object for two arguments if it changes, or is asked whether it
        is ``other``."""
        if other is None:
            self.identity.altered.add(id(obj))
        pair = self.twins.get(id(obj))
        if pair is not None and (other is None or (
                obj is not other and self.twins.get(id(other), (None,))[0] == pair[0])):
            raise Restart(self.assumed.known(*map(str, pair)))

    def _atomic(self, obj: Any, path: Path) -> Any:
        if isinstance(obj, types.MethodType):
            self.guard("type", path, types.MethodType)
            self.foreigners.outside(obj.__self__, path.child("attr", "__self__"))
            self.foreigners.outside(obj.__func__, path.child("attr", "__func__"))
            return obj
        if isinstance(obj, types.BuiltinMethodType) and not isinstance(
                obj.__self__, (type(None), types.ModuleType, type)):  # made at each look-up
            if id(obj.__self__) not in self.found_functions.paths:
                self.guard("type", path, types.BuiltinMethodType)
                self.guard("equals", path.child("attr", "__name__"), obj.__name__)
                self.foreigners.outside(obj.__self__, path.child("attr", "__self__"))
            return obj
        self.found_functions.pinned[id(obj)] = obj
        self.guard("is", path, obj)
        if isinstance(obj, type):
            self.class_attributes.note_class(obj)
        if isinstance(obj, types.FunctionType):
            self.guard("is", path.child("attr", "__code__"), obj.__code__)
        if isinstance(obj, (types.FunctionType, types.ModuleType)):
            self.found_functions.lies(obj, path)
        return obj

    def input(self, aval: Aval, path: Path, role: str) -> Value:
        name = _name_of(path)
        value = Value(aval, name)
        self.inputs.append((value, Source(path, role)))
        return value

    def leave_out(self, unused: Container[Value]) -> None:
        """Inputs that nothing reads are none."""
        self.inputs = [one for one in self.inputs if one[0] not in unused]

    def seen(self, obj: Any) -> Any:
        """A container as staged code sees it: one from outside that the trace has changed has
        a shadow with the present content (the object itself is never touched)."""
        shadow = self.shadows.get(id(obj))
        if shadow is not None:
            self.outside_reads += 1
            return shadow
        if id(obj) in self.blind:
            raise Restart(self.assumed.known(str(self.found_functions.paths[id(obj)])))
        return obj

    def shadow_of(self, obj: Any) -> Any:
        """The shadow in which a change of an outside container is made; None if its content has
        not been read so far (then it need not be known)."""
        path = self.found_functions.paths[id(obj)]
        self.opening.keep_apart(obj)
        if id(obj) in self.twins:  # it is changed: both places must show that
            raise Restart(self.assumed.known(*map(str, self.twins[id(obj)])))
        self.identity.altered.add(id(obj))
        if id(obj) in self.shadows:
            return self.shadows[id(obj)]
        if id(obj) not in self.noted and not self.assumed.knows(str(path)):
            self.blind.add(id(obj))
            return None
        self.note_container(obj)
        items: list[Any] = list(content_of(obj))
        step = item_step(obj)
        if isinstance(obj, dict):
            items = [(k, self.foreigners.outside(v, path.child(step, k))) for k, v in items]
        elif isinstance(obj, (list, collections.deque)):
            items = [self.foreigners.outside(v, path.child(step, i)) for i, v in enumerate(items)]
        if native_class(type(obj)) is not None:
            made: Any = make(type(obj), items, {}, obj)
        else:
            made = collections.deque(items, obj.maxlen) if isinstance(
                obj, collections.deque) else type(obj)(items)
        self.shadows[id(obj)] = made
        return made

    def note_container(self, obj: Any) -> None:
        """Guard the size (or the keys) of a container from outside, once."""
        path = self.found_functions.paths.get(id(obj))
        if path is None or id(obj) in self.noted:
            return
        self.references.seen(obj)  # starts again where it was changed before its content was read
        self.keys.open_long(obj)
        self.noted.add(id(obj))
        if isinstance(obj, dict):
            self.guard("keys", path, tuple(k for k, _ in content_of(obj)))
        elif isinstance(obj, (set, frozenset)):
            self.guard("keys", path, content_of(obj))
        elif hasattr(obj, "__len__"):
            self.guard("length", path, len(obj))

    def is_differentiated(self, obj: Any) -> bool:
        """Is an object, or a part of it, what the derivative is taken for?"""
        path = self.found_functions.paths.get(id(obj))
        return path is not None and any(leaf.leads_through(path) for leaf in self.leaves)

    def as_it_is(self, obj: Any) -> Any:
        """An object that code which is not staged looks into: guarded to be the very object."""
        path = self.found_functions.paths.get(id(obj))
        if path is not None and not isinstance(obj, ATOMIC) and path.root[0] != "made":
            self.guard("is", path, obj)
        return obj

    def object_value(self, obj: Any) -> Value:
        """The graph value of an object from outside (for effects on it)."""
        path = self.found_functions.paths[id(obj)]
        for value, source in self.inputs:
            if source.path == path:
                return value
        return self.input(Aval(Kind.OPAQUE), path, "object")

    def _size(self, path: Path, axis: int | None, number: int) -> Dim:
        """A symbol for a size or an int argument, or its number where it is baked."""
        if self.assumed.fixes(str(path), axis):
            return number
        if axis is None:
            symbol = dims.symbol(_name_of(path), low=None)
        else:
            count = sum(1 for s in self.symbols if s.axis is not None)
            turn, place = divmod(count, len(SIZE_NAMES))
            symbol = dims.symbol(SIZE_NAMES[place], serial=turn)
        (atom,) = symbol.atoms()
        if any(s.symbol == symbol for s in self.symbols):
            symbol = dims.symbol(atom.name, serial=len(self.symbols) + 10, low=atom.low)
        self.symbols.append(SizeSource(path, axis, symbol))
        self.numbers[symbol.atoms()[0]] = number
        return symbol

    def _int(self, obj: int, path: Path) -> Any:
        self.guard("type", path, int)
        expr = self._size(path, None, obj)
        if isinstance(expr, int):
            self.guard("equals", path, obj)
            return obj
        return ScalarTracer(self.machine, self.input(int_aval(expr), path, "int"))

    def _numpy_scalar(self, obj: np.generic, path: Path) -> Any:
        if obj.dtype.kind not in "biufc":
            raise self.recorder.fatal(UnsupportedType(
                f"{path} is a NumPy scalar of dtype {obj.dtype}",
                why="srcgrad traces boolean, integer, real and complex numbers",
                fix="convert it to one of these before the call"))
        self.guard("type", path, type(obj))
        return ScalarTracer(self.machine, self.input(Aval(Kind.SCALAR, obj.dtype, ()), path,
                                                     "scalar"))

    def _array(self, obj: np.ndarray[Any, Any], path: Path) -> Any:
        check_array(self.machine, obj, path)
        known = self.arrays.get(id(obj))
        if known is not None and self.assumed.knows(str(known[0]), str(path)):
            self.guard("is_path", *(
                Path(p.root, p.steps[:-1], p.label) if p.steps[-1:] == (("base", None),) else p
                for p in (path, known[0])))
            return known[1]
        shape = self.shape_of(obj, path)
        value = self.input(Aval(Kind.ARRAY, obj.dtype, shape), path, "array")
        value.obj = self.recorder.new_obj()
        tracer: ArrayTracer = self.recorder.wrap(value, str(path))
        tracer.home.outside = True
        tracer.home.region = self.recorder.root
        self.journal.older(tracer.home)
        tracer.seen = (value, value, self.recorder.root)
        tracer.home.label = str(path)
        tracer.home.made_from = (tracer.home,)
        self.found_functions.pinned[id(obj)] = obj
        self.arrays.setdefault(id(obj), (path, tracer))
        self.outside_arrays.append((path, tracer, obj))
        return tracer

    def shape_of(self, obj: np.ndarray[Any, Any], path: Path) -> tuple[Dim, ...]:
        """The sizes of an array from outside, as symbols but for ones; guarded."""
        units = tuple(i for i, size in enumerate(obj.shape) if size == 1)
        self.guard("array", path, (obj.dtype, obj.ndim, units))
        shape = tuple(1 if size == 1 else self._size(path, i, size)
                      for i, size in enumerate(obj.shape))
        for axis, size in enumerate(shape):
            if isinstance(size, int) and size != 1:
                self.guard("extent", path, (axis, size))
        return shape


def _is_own(obj: Any) -> bool:
    return isinstance(obj, types.FunctionType) and not obj.__closure__ and (
        obj.__module__ or "").startswith((
        "srcgrad.trace.", "srcgrad.public.nesting", "srcgrad.public.batching",
        "srcgrad.public.custom"))


def _name_of(path: Path) -> str:
    """A variable name for an input: the path's parts joined (``self.layers[0].W`` gives
    ``layers_0_W``)."""
    parts = [key.words if kind == "native" else str(key) for kind, key in path.steps
             if kind not in ("cell", "base")]
    root = path.label.split(".")[0].split("[")[0] if path.label else str(path.root[1])
    if root and root not in ("self",) and not (path.root[0] == "object" and parts):
        parts.insert(0, root)
    text = "_".join(parts) or root or "value"
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in text).strip("_") or "value"
    return f"_{text}" if text[0].isdigit() else text


def _twin(obj: Any) -> Any:
    """Another object with the same parts."""
    if isinstance(obj, tuple):
        return type(obj)(*obj) if hasattr(type(obj), "_fields") else (*obj,)
    if isinstance(obj, (list, dict)):
        return copy.copy(obj)
    new = blank(type(obj))
    for name in record_fields(obj) or ():
        hold(new, name, held_attribute(obj, name))
    return new
