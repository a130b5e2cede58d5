"""Tracers: the objects that stand for run-time values while staged code runs.

A :class:`ScalarTracer` stands for a number, an :class:`ArrayTracer` for an array object (a
*handle* into a home), an :class:`OpaqueTracer` for anything else that is only known at run
time.  They refuse loudly what would need the number now, and hand operators met in code that
is not staged to their machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...errors import TracingError, UnsupportedOperation
from ...graph.ir import Steps, Value
from ...types.dataclasses import dataclass
from ...types.kinds import Aval, Kind, in_words
from ...types.structure import found_in
from ..assumptions import Assumption


class Home:
    """One array buffer with all its views.

    ``current`` is the value of the newest version, ``obj`` the number of the object that owns
    the buffer.  ``outside`` tells that the buffer belongs to an argument or captured array.
    ``aliases`` lists homes that this one may be identical with on some path, with the version
    that held when the two were joined: a write to either makes the other unreadable, since
    its content then depends on the path.  Two homes that are not linked are two buffers.
    ``lost`` explains why the content is no longer known (None: it is known).  ``region`` is
    where the home was made, ``choice`` says of an array that is one of two which they are (with
    the predicate that decides), ``reads`` counts reads of its content, ``written`` says that it
    was written to in place.  Homes of one ``group`` were made together, at a loop's head or at a
    join: which of them may be one is fully told by their ``aliases``.  ``protected`` says that
    the program has forbidden writes to it.
    """

    __slots__ = ("aliases", "choice", "contiguous", "current", "group", "held", "label",
                 "layout_of", "lies", "loops", "lost", "made_from", "obj", "outcomes", "outside",
                 "protected", "reads", "region", "stored", "written")

    def __init__(self, current: Value, obj: int, label: str = "array", region: Any = None) -> None:
        self.region = region
        self.reads = 0
        self.choice: tuple[Value, Any, Any] | None = None
        self.stored = False
        self.held: frozenset[Any] = frozenset()  # columns of stores that it may lie in
        self.lies: Any = None  # where it lies in one, or has been put on some path
        self.current = current
        self.obj = obj
        self.outside = False
        self.aliases: list[tuple[Home, Value]] = []
        self.outcomes: list[tuple[Any, Home]] = []  # of loops, by site, which may be this one
        self.lost: str | None = None
        self.loops: tuple[Any, ...] = ()  # the sites of those that leave it in doubt
        self.group: object = None
        self.contiguous = False
        self.layout_of: Home | None = None  # a view of that home if it is C-contiguous
        self.made_from: tuple[Home, ...] = ()  # in C order if these homes from outside are
        self.written = False
        self.protected = False
        self.label = label

    def leave_open(self, *sites: Any) -> None:
        """Loops leave open which array it is."""
        self.loops = (*self.loops, *(site for site in sites if site not in self.loops))

    @property
    def place(self) -> Any:
        """Where it surely lies in a column, if it does."""
        return self.lies if self.lies is not None and self.lies.holds else None

    def left_by(self, site: Any, home: Home) -> None:
        """A loop leaves a home that may be this one, as may what other loops have left."""
        for other_site, other in self.outcomes:
            if other_site != site and other is not home and (
                    other.region is not None and other.region.active):
                home.aliases.append((other, other.current))
                other.aliases.append((home, home.current))
        self.outcomes.append((site, home))

    def __repr__(self) -> str:
        return f"<home {self.obj} of {self.label}>"


class Tracer:
    """Base of all tracers; operators are the machine's."""

    __slots__ = ("__weakref__", "machine")
    machine: Any

    @property
    def aval(self) -> Aval:
        raise AttributeError

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse("was handed to a C function that turns its argument into an array")

    def _refuse(self, what: str) -> NoReturn:
        raise self.machine.recorder.of_forms(TracingError(
            f"a traced value ({in_words(self.aval)}) {what}",
            why="its number is only known when the generated code runs",
            fix="call it through ordinary Python or NumPy code that srcgrad can stage, or mark "
                "the value with srcgrad.stop_gradient and compute it outside"))

    def __bool__(self) -> bool:
        return bool(self.machine.truth(self))

    def __float__(self) -> NoReturn:
        self._refuse("was converted by float() in code that is not staged")

    def __complex__(self) -> NoReturn:
        self._refuse("was converted by complex() in code that is not staged")

    def __int__(self) -> int:
        return int(self.machine.escapes.demand(self, "int() in code that is not staged"))

    def __index__(self) -> int:
        return int(self.machine.escapes.demand(self, "an index in code that is not staged"))

    def __hash__(self) -> int:
        if self.aval.kind is Kind.ARRAY:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        if self.aval.kind is not Kind.INT:
            self._refuse("was used as a key of a dict or an item of a set")
        return hash(self.machine.escapes.demand(self, "a hash (dict key or set item)"))

    def __iter__(self) -> Any:
        return iter(self.machine.iterate(self))

    def __len__(self) -> int:
        return int(self.machine.escapes.demand(self.machine.length(self), "len() in unstaged code"))

    def __getitem__(self, key: Any) -> Any:
        return self.machine.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.machine.setitem(self, key, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("machine",):
            raise AttributeError(name)
        return self.machine.getattr(self, name)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return self.machine.call(function, *args, **kwargs)

    def __array_function__(self, fn: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.machine.call(fn, *args, **kwargs)

    def __neg__(self) -> Any:
        return self.machine.unary("-", self)

    def __pos__(self) -> Any:
        return self.machine.unary("+", self)

    def __invert__(self) -> Any:
        return self.machine.unary("~", self)

    def __abs__(self) -> Any:
        return self.machine.call(abs, self)

    def __round__(self, *digits: Any) -> Any:
        return self.machine.call(round, self, *digits)

    def __format__(self, spec: str) -> str:
        return str(self.machine.format(self, "", spec))

    def __repr__(self) -> str:
        return f"<traced {self.aval}>"


def _binary(op: str, reflected: bool) -> Any:
    def method(self: Tracer, other: Any) -> Any:
        left, right = (other, self) if reflected else (self, other)
        return self.machine.binary(op, left, right)

    return method


def _comparison(op: str) -> Any:
    def method(self: Tracer, other: Any) -> Any:
        return self.machine.compare(op, self, other)

    return method


for _name, _op in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//",
                   "mod": "%", "pow": "**", "matmul": "@", "and": "&", "or": "|", "xor": "^",
                   "lshift": "<<", "rshift": ">>"}.items():
    setattr(Tracer, f"__{_name}__", _binary(_op, False))
    setattr(Tracer, f"__r{_name}__", _binary(_op, True))
for _name, _op in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(Tracer, f"__{_name}__", _comparison(_op))


class ScalarTracer(Tracer):
    """A number: one graph value for ever."""

    __slots__ = ("value",)

    def __init__(self, machine: Any, value: Value) -> None:
        self.machine = machine
        self.value = value

    @property
    def aval(self) -> Aval:
        return self.value.aval

    __hash__ = Tracer.__hash__

    @property
    def __class__(self) -> type:
        return _SCALAR_CLASSES.get(self.value.aval.kind) or _scalar_type(self.value.aval)

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError("the class of a traced value cannot be changed")


_SCALAR_CLASSES: dict[Kind, type] = {Kind.BOOL: bool, Kind.INT: int, Kind.FLOAT: float,
                                     Kind.COMPLEX: complex}


def _scalar_type(aval: Aval) -> type:
    return np.float64 if aval.dtype is None else aval.dtype.type


class ArrayTracer(Tracer):
    """An array object: a handle into a home.

    ``steps`` lead from the home's own array to this view (empty: the array itself), ``dyn``
    are the values the steps refer to.  ``first`` is the value that the view object was made as
    (None: no variable holds it, it is read anew).  ``seen`` caches the content: the home's
    version it was read from, the value, and the region where it was read.
    """

    __slots__ = ("_aval", "dyn", "first", "home", "obj", "seen", "steps")

    def __init__(self, machine: Any, aval: Aval, home: Home, steps: Steps,
                 dyn: tuple[Value, ...], obj: int, first: Value | None, region: Any) -> None:
        self.machine = machine
        self._aval = aval
        self.home = home
        self.steps = steps
        self.dyn = dyn
        self.obj = obj
        self.first = first
        self.seen: tuple[Any, Any, Any] = (home.current if first is not None else None, first,
                                           region)

    @property
    def aval(self) -> Aval:
        return self._aval

    __hash__ = Tracer.__hash__

    @property
    def __class__(self) -> type:
        return np.ndarray

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError("the class of a traced value cannot be changed")


class OpaqueTracer(Tracer):
    """An object of unknown type, None-or-something, a run-time string …: never active."""

    __slots__ = ("classes", "type", "value")

    def __init__(self, machine: Any, value: Value, type_: type | None = None) -> None:
        self.machine = machine
        self.value = value
        self.type = type_
        self.classes: list[type] = []  # those it is one of, if it is a class

    @property
    def aval(self) -> Aval:
        return self.value.aval

    __hash__ = Tracer.__hash__


class Poison:
    """A slot whose paths could not be joined: reading it raises ``error``, or has tracing start
    again under one of ``remedies``."""

    __slots__ = ("error", "remedies")

    def __init__(self, error: Any, remedies: tuple[Any, ...] = ()) -> None:
        self.error = error
        self.remedies = remedies


class Choice:
    """One of two objects, decided by a predicate at run time."""

    __slots__ = ("first", "predicate", "second")

    def __init__(self, predicate: Value, first: Any, second: Any) -> None:
        self.predicate = predicate
        self.first = first
        self.second = second


def in_line(flags: Sequence[Any], things: Sequence[Any], last: Any) -> Any:
    """The first of some things whose flag is true, or else the last one."""
    for flag, thing in zip(reversed(flags), reversed(things), strict=True):
        if type(flag) is not bool:
            last = Choice(getattr(flag, "value", flag), thing, last)
        elif flag:
            last = thing
    return last


class Late:
    """A number that is computed where it is needed: ``make`` does, given the machine; or the
    content of one of some ``arrays``."""

    __slots__ = ("arrays", "aval", "make")

    def __init__(self, aval: Aval, make: Any, arrays: tuple[ArrayTracer, ...] = ()) -> None:
        self.aval = aval
        self.make = make
        self.arrays = arrays


def chosen(predicate: Value, first: Any, second: Any, aval: Any) -> Late:
    """One of two numbers, told by a predicate."""
    return Late(aval, lambda machine: machine.branches.choose(
        predicate, lambda: machine.among.computed(first), lambda: machine.among.computed(second)))


def arrays_of(part: Any) -> tuple[ArrayTracer, ...]:
    """The arrays that a part of a state may be."""
    if type(part) is ArrayTracer:
        return (part,)
    return part.arrays if type(part) is Late else ()


class BoundMethod:
    """``obj.name`` before it is called, for tracers and Python containers."""

    __slots__ = ("machine", "name", "owner")

    def __init__(self, machine: Any, owner: Any, name: str) -> None:
        self.machine = machine
        self.owner = owner
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.machine.call_method(self.owner, self.name, *args, **kwargs)


def is_tracer(obj: Any) -> bool:
    """Is the object a tracer?  (``isinstance`` would trust ``__class__``, which poses as the
    traced type, but it also looks at the real type first.)"""
    return issubclass(type(obj), Tracer)


class Whole:
    """Something of the trace that is never taken apart where paths meet."""


class Moved(Whole):
    """The content of a container that is a part of another one now, which is kept elsewhere."""

    __slots__ = ("machine",)

    def __init__(self, machine: Any) -> None:
        self.machine = machine

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.machine.recorder.of_forms(UnsupportedOperation(
            "a container is used by another name after it was put into a dict under a key that "
            "depends on data",
            why="the dict keeps what it holds in lists of its own",
            fix="read the container from the dict where it is used"))


@dataclass(frozen=True, slots=True)
class Site(Whole):
    """Where the program makes containers: an expression with the calls that lead to it; or the
    containers in those that are made at ``outer``."""

    place: Any
    outer: Site | None = None

    @property
    def outermost(self) -> Site:
        """Where the container around all others is made."""
        return self if self.outer is None else self.outer.outermost


class StandIn:
    """Something of the trace that stands for a container of the program, of class ``cls``, made at
    ``site``; or one that is left as it is under an assumption."""

    cls: Any = None
    site: Any
    places: Any
    kept_under: Assumption | None = None


class Above:
    """What ``super()`` gives of an object of class ``cls`` that ``obj`` stands for: attributes of
    the classes behind ``before`` in its order of classes."""

    __slots__ = ("__self__", "__self_class__", "__thisclass__")

    def __init__(self, before: type, obj: Any, cls: type) -> None:
        self.__thisclass__ = before
        self.__self__ = obj
        self.__self_class__ = cls


class ClassedArray:
    """An instance of a class of the user's that derives from ndarray.

    The trace makes a class derived from this one for each class ``cls`` of the user's (see
    :mod:`srcgrad.trace.libraries.ndarray_subclasses.classes`), with the same methods.  The
    array as one of NumPy's own class is ``_array_``; the attributes are those of any instance."""

    __slots__ = ("__dict__", "__weakref__", "_array_")
    cls: Any
    machine: Any
    _array_: Any


POSING = (StandIn, ClassedArray)  # what poses as an object of class ``cls`` of the program


def users_class(cls: Any) -> Any:
    """The class of the program that a class of objects stands for."""
    return cls.cls if issubclass(cls, ClassedArray) else cls


def contains_tracer(structure: Any) -> bool:
    """Is there a tracer anywhere in nested lists, tuples, deques, dicts and slices?"""
    if is_tracer(structure):
        return True
    if not isinstance(structure, (list, tuple, deque, dict, slice)):
        return isinstance(structure, POSING)
    todo, met = [structure], set()
    for one in todo:  # which grows meanwhile
        if is_tracer(one) or isinstance(one, POSING):
            return True
        if not isinstance(one, (list, tuple, deque, dict, slice)) or id(one) in met:
            continue
        met.add(id(one))  # it may contain itself
        todo += (one.start, one.stop, one.step) if isinstance(one, slice) else (
            one.values() if isinstance(one, dict) else one)
    return False


def holds_classed(structure: Any) -> bool:
    """Is there an instance in nested lists, tuples, dicts and slices?"""
    return any(True for _ in found_in(structure, ClassedArray))


class Jump:
    """A jump that is only known at run time.

    ``codes`` are the possible jumps; ``full`` is the traced number, ``leave`` the same with
    CONTINUE counted as NORMAL (what a loop must know), ``back`` with BREAK too (what the
    function must know).  Each is a Value or a static int."""

    __slots__ = ("back", "codes", "full", "leave")

    def __init__(self, codes: frozenset[int], full: Any, leave: Any, back: Any) -> None:
        self.codes = codes
        self.full = full
        self.leave = leave
        self.back = back
