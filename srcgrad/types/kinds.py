"""What is known of a value before it exists: abstract values.

Python's ``bool int float complex``, NumPy scalars, 0-d arrays and arrays are distinct kinds:
promotion, in-place updates, division by zero and integer wrap-around all depend on them.
"""

from __future__ import annotations

import enum
from typing import Any, Final

import numpy as np

from .dataclasses import dataclass
from .dims import Atom, Dim, symbols


class Kind(enum.Enum):
    """The kinds of run-time objects."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    COMPLEX = "complex"
    SCALAR = "scalar"  # NumPy scalar of a dtype
    NUMBER = "number"  # some scalar, Python's or NumPy's: which one is known at run time only
    ARRAY = "array"  # numpy.ndarray of known rank, 0-d included
    ANY = "any"  # a number or an array whose rank (or kind) is known at run time only
    LIST = "list"  # Python list of like elements whose length is known at run time only
    RECORD = "record"  # what a called function keeps for its backward part
    OPAQUE = "opaque"  # any other object, only known at run time, never active
    NONE = "none"

    __hash__ = object.__hash__  # members are single objects; Enum's hash is Python code


PYTHON_SCALARS = frozenset({Kind.BOOL, Kind.INT, Kind.FLOAT, Kind.COMPLEX})
OF_PYTHON = PYTHON_SCALARS | {Kind.NUMBER}  # certainly, or perhaps
SCALARS = OF_PYTHON | {Kind.SCALAR}
NUMERIC = SCALARS | {Kind.ARRAY, Kind.ANY}

_DTYPES = {Kind.BOOL: np.dtype(bool), Kind.INT: np.dtype(np.int64),
           Kind.FLOAT: np.dtype(np.float64), Kind.COMPLEX: np.dtype(np.complex128)}


_SAME: Any = object()  # a field that does not change


def same_dtype(a: np.dtype[Any] | None, b: np.dtype[Any] | None) -> bool:
    """Are two dtypes equal, or both unknown?

    >>> same_dtype(np.dtype(float), None), np.dtype(float) == None
    (False, True)
    """
    return a is b or (a is not None and b is not None and a == b)


@dataclass(slots=True)
class Aval:
    """An abstract value, which never changes.

    ``dtype`` is None where unknown (and for LIST, OPAQUE, NONE).  ``shape`` is ``()`` for
    scalars, a tuple of dims for arrays, None where even the rank is unknown (ANY).  ``expr``
    is the symbolic number of an INT.  ``elem`` is the element of a LIST.  ``optional`` says
    that the object may be ``None`` (or unbound) instead.  ``members`` is the enumeration that an
    OPAQUE value is a member of.  ``least`` is set where paths that gave numbers of different
    dtypes have met: ``dtype`` is the widest that the value may have, ``least`` the narrowest
    (for an OPAQUE value: it is such a dtype itself).
    """

    kind: Final[Kind]
    dtype: Final[np.dtype[Any] | None] = None
    shape: Final[tuple[Dim, ...] | None] = ()
    expr: Final[Dim | None] = None
    elem: Final[Aval | None] = None
    optional: Final[bool] = False
    members: Final[type[enum.Enum] | None] = None
    least: Final[np.dtype[Any] | None] = None

    def __eq__(self, other: object) -> bool:
        """Equal in all parts; for NumPy the dtype of floats equals None."""
        if type(other) is not Aval:
            return NotImplemented
        return self is other or (
            self.kind is other.kind and same_dtype(self.dtype, other.dtype)
            and self.shape == other.shape and self.expr == other.expr and self.elem == other.elem
            and self.optional == other.optional and self.members is other.members
            and same_dtype(self.least, other.least))

    @property
    def ndim(self) -> int | None:
        """The rank, None where unknown."""
        return None if self.shape is None else len(self.shape)

    @property
    def is_array(self) -> bool:
        return self.kind is Kind.ARRAY

    @property
    def is_numeric(self) -> bool:
        return self.kind in NUMERIC

    @property
    def is_inexact(self) -> bool:
        """Can the value carry a derivative?  (Real or complex floating point.)"""
        if self.kind is Kind.LIST:
            return self.elem is None or self.elem.is_inexact
        if self.kind is Kind.RECORD:
            return True
        return self.is_numeric and (self.dtype is None or self.dtype.kind in "fc")

    @property
    def symbols(self) -> tuple[Atom, ...]:
        """The symbols of its sizes and of its number."""
        return tuple(a for dim in (*(self.shape or ()), self.expr) for a in symbols(dim))

    def __hash__(self) -> int:
        return hash((self.kind, self.dtype, self.shape, self.expr, self.elem))

    def but(self, *, kind: Kind = _SAME, dtype: np.dtype[Any] | None = _SAME,
            shape: tuple[Dim, ...] | None = _SAME, expr: Dim | None = _SAME,
            elem: Aval | None = _SAME, optional: bool = _SAME,
            members: type[enum.Enum] | None = _SAME,
            least: np.dtype[Any] | None = _SAME) -> Aval:
        """A copy with fields changed; ``dataclasses.replace`` takes four times as long."""
        return Aval(self.kind if kind is _SAME else kind,
                    self.dtype if dtype is _SAME else dtype,
                    self.shape if shape is _SAME else shape,
                    self.expr if expr is _SAME else expr,
                    self.elem if elem is _SAME else elem,
                    self.optional if optional is _SAME else optional,
                    self.members if members is _SAME else members,
                    self.least if least is _SAME else least)

    def __str__(self) -> str:
        text = self.kind.value
        if self.kind in (Kind.SCALAR, Kind.NUMBER, Kind.ANY) and self.dtype is not None:
            text = f"{self.kind.value}:{short(self.dtype)}"
        if self.kind is Kind.ARRAY:
            sizes = ",".join(map(str, self.shape)) if self.shape is not None else "..."
            text = f"{short(self.dtype)}[{sizes}]"
        if self.kind is Kind.LIST:
            text = f"list[{self.elem}]"
        if self.kind is Kind.INT and self.expr is not None:
            text = f"int({self.expr})"
        return text + ("?" if self.optional else "")


_NOUNS = {Kind.BOOL: "a bool", Kind.INT: "an int", Kind.FLOAT: "a float",
          Kind.COMPLEX: "a complex", Kind.NUMBER: "a number", Kind.NONE: "None",
          Kind.ANY: "a number or array", Kind.OPAQUE: "an object known at run time only",
          Kind.RECORD: "a record"}


def in_words(aval: Aval) -> str:
    """An abstract value as error messages name it.

    >>> in_words(array("f8", (3, 2))), in_words(scalar("f4")), in_words(FLOAT)
    ('an array of float64 with shape (3, 2)', 'a NumPy float32', 'a float')
    """
    if aval.kind is Kind.ARRAY:
        sizes = ", ".join(map(str, aval.shape or ())) + ("," if aval.ndim == 1 else "")
        text = f"an array of {aval.dtype or 'numbers'} with shape ({sizes})"
    elif aval.kind is Kind.SCALAR:
        text = f"a NumPy {aval.dtype or 'number'}"
        if aval.least is not None:
            text += f" (on some paths a {aval.least})"
    elif aval.kind is Kind.LIST:
        text = "a list" if aval.elem is None else f"a list whose items are {in_words(aval.elem)}"
    else:
        text = _NOUNS[aval.kind]
    return f"{text} or None" if aval.optional else text


def short(dtype: np.dtype[Any] | None) -> str:
    """``f8`` for float64; byte order is shown where it is not the machine's."""
    if dtype is None:
        return "?"
    if dtype.kind == "b":
        return "bool"
    return dtype.str.lstrip("=|") if not dtype.isnative else dtype.str[1:]


def python_scalar(kind: Kind, expr: Dim | None = None) -> Aval:
    """The abstract value of a Python number."""
    return Aval(kind, _DTYPES[kind], (), expr)


def int_aval(expr: Dim | None = None) -> Aval:
    """A Python int, symbolic where ``expr`` is given."""
    return Aval(Kind.INT, _DTYPES[Kind.INT], (), expr)


def array(dtype: Any, shape: tuple[Dim, ...]) -> Aval:
    """An array of known rank; without a dtype if only a run knows that."""
    return Aval(Kind.ARRAY, None if dtype is None else np.dtype(dtype), shape)


def scalar(dtype: Any) -> Aval:
    """A NumPy scalar; without a dtype if only a run knows that."""
    return Aval(Kind.SCALAR, None if dtype is None else np.dtype(dtype), ())


def any_aval(dtype: Any) -> Aval:
    """A number or array of unknown rank."""
    return Aval(Kind.ANY, None if dtype is None else np.dtype(dtype), None)


def list_of(elem: Aval | None) -> Aval:
    """A list of like elements; ``elem`` is None while it never held one."""
    return Aval(Kind.LIST, None, (), None, elem)


OPAQUE = Aval(Kind.OPAQUE)
RECORD = Aval(Kind.RECORD)
NONE = Aval(Kind.NONE)
BOOL = python_scalar(Kind.BOOL)
INT = python_scalar(Kind.INT)
FLOAT = python_scalar(Kind.FLOAT)
COMPLEX = python_scalar(Kind.COMPLEX)


def possible_dtypes(aval: Aval) -> list[np.dtype[Any]]:
    """The dtypes that a NUMBER, an ANY or a value with a ``least`` dtype may turn out to have.

    >>> [d.name for d in possible_dtypes(Aval(Kind.NUMBER, np.dtype("f8")))]
    ['bool', 'int64', 'float32', 'float64']
    """
    found = [np.dtype(t) for t in (bool, int, np.float32, float, np.complex64, complex)
             if (aval.dtype is None or np.can_cast(t, aval.dtype)) and (
                 aval.least is None or np.can_cast(aval.least, t))]
    ends = [d for d in (aval.least, aval.dtype) if d is not None]
    return [*found, *(d for d in ends if d not in found)]


def possible_classes(aval: Aval) -> list[type]:
    """The classes that a NUMBER, an ANY or a value with a ``least`` dtype may be of.

    >>> [c.__name__ for c in possible_classes(Aval(Kind.NUMBER, np.dtype("?")))]
    ['bool', 'bool']
    """
    dtypes = possible_dtypes(aval)
    if aval.kind is Kind.SCALAR:
        return [d.type for d in dtypes]
    found = [t for d in dtypes for t in (d.type, type(np.zeros((), d).item()))]
    return found + ([np.ndarray] if aval.kind is Kind.ANY else [])


def same_dtypes(a: Aval, b: Aval) -> bool:
    """Have two values the same dtype (or both an unknown one), whichever path has given them?"""
    return same_dtype(a.dtype, b.dtype) and same_dtype(a.least, b.least)


def aval_of(value: Any) -> Aval:
    """The abstract value of a concrete object, with concrete sizes."""
    if value is None:
        return NONE
    if isinstance(value, np.ndarray):
        return Aval(Kind.ARRAY, value.dtype, tuple(value.shape))
    if isinstance(value, np.generic):
        return Aval(Kind.SCALAR, value.dtype, ())
    for type_, kind in ((bool, Kind.BOOL), (int, Kind.INT), (float, Kind.FLOAT),
                        (complex, Kind.COMPLEX)):
        if type(value) is type_:
            expr: Any = value if kind is Kind.INT else None
            return Aval(kind, _DTYPES[kind], (), expr)
    if isinstance(value, enum.Enum):
        return OPAQUE if isinstance(value, enum.Flag) else OPAQUE.but(members=type(value))
    if isinstance(value, list):
        elems = [aval_of(v) for v in value]
        joined: Aval | None = None
        for e in elems:
            joined = e if joined is None else join(joined, e)
        return list_of(joined)
    return OPAQUE


def _join_dtype(a: np.dtype[Any] | None, b: np.dtype[Any] | None) -> np.dtype[Any] | None:
    if a is None or b is None:
        return None
    if a == b:
        return a
    if a.kind in "biufc" and b.kind in "biufc":
        return np.promote_types(a, b)
    return None


def _join_least(a: Aval, b: Aval, dtype: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """The narrowest dtype that either may have, if that is not ``dtype``."""
    low, other = (x.dtype if x.least is None else x.least for x in (a, b))
    if dtype is None or low is None or other is None:
        return None
    if low == other:
        return None if low == dtype else low
    if np.can_cast(low, other):
        return low
    return other if np.can_cast(other, low) else np.dtype(bool)


def join(a: Aval, b: Aval) -> Aval:
    """The least abstract value that covers both; OPAQUE if nothing better does.

    Sizes that differ make fresh knowledge impossible here: the result's rank is kept and the
    differing axes must be renamed by the caller (they are marked by ``Poly`` mismatch), so a
    mismatch of sizes gives ANY.
    """
    if a == b:
        return a
    optional = a.optional or b.optional or a.kind is Kind.NONE or b.kind is Kind.NONE
    if a.kind is Kind.NONE:
        return b.but(optional=True, expr=None)  # which number it is nobody knows of None
    if b.kind is Kind.NONE:
        return a.but(optional=True, expr=None)
    if a.kind is Kind.LIST and b.kind is Kind.LIST:
        if a.elem is None or b.elem is None:
            elem = a.elem if b.elem is None else b.elem
        else:
            elem = join(a.elem, b.elem)
        return list_of(elem).but(optional=optional)
    if a.kind is b.kind is Kind.OPAQUE and a.members is b.members:
        return a.but(optional=optional)
    if not (a.is_numeric and b.is_numeric):
        return OPAQUE
    dtype = _join_dtype(a.dtype, b.dtype)
    if a.kind is b.kind and a.shape == b.shape:
        expr = a.expr if a.expr == b.expr else None
        return Aval(a.kind, dtype, a.shape, expr, None, optional,
                    least=_join_least(a, b, dtype))
    kind, shape = (Kind.NUMBER, ()) if a.kind in SCALARS and b.kind in SCALARS else (Kind.ANY, None)
    return Aval(kind, dtype, shape, None, None, optional, least=_join_least(a, b, dtype))


