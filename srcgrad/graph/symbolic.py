"""Symbolic NumPy: objects that append nodes when rule bodies compute with them.

A :class:`Sym` behaves like the array or number it stands for, functionally: operators, NumPy
functions, ufuncs, methods and indexing append nodes to a :class:`~srcgrad.graph.ir.Builder`;
item assignment does not exist.  Sizes (``x.shape``) are static ints where known, else integer
``Sym`` over ``dim`` nodes: arithmetic on them works, and they may be arguments of shapes in
functions that also take an array (``np.reshape(x, (n, -1))``, ``np.broadcast_to``).  Functions
that take sizes only need ``like=x`` to be seen here (``np.arange``, ``np.ones``, ``np.full``,
``np.eye``); for zeros write ``np.zeros_like(x, shape=...)``, since ``np.zeros`` looks at its
shape before it looks at ``like``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from ..errors import SrcgradError, TracingError, UnsupportedOperation
from ..types.dims import Atom, Dim, Poly
from ..types.kinds import OF_PYTHON, Aval, Kind, aval_of, int_aval
from ..types.operators import BINARY, UNARY
from ..types.quotients import quotient, raised_to
from ..types.spelling import Attribute, Method
from ..types.structure import mapped
from .generic import Demand, name_of
from .indexing import infer_getitem
from .infer import infer
from .ir import Builder, Index, Value, abstract, avals_in
from .outcome import MISSING, Fresh, Outcome

fresh_size = Fresh("'")  # names sizes that only a run knows, where no tracer is at hand


def infer_fresh(fn: Callable[..., Any], args: tuple[Any, ...],
                kwargs: dict[str, Any] | None = None) -> Outcome:
    """:func:`~srcgrad.graph.infer.infer` with sizes that only a run knows made distinct."""
    try:
        outcome = infer(fn, args, kwargs)
    except Demand as need:
        raise UnsupportedOperation(
            f"the sizes of what {name_of(fn)} returns in a derivative are not known",
            why=f"they follow from numbers that only a run knows: {need}",
            fix="make the sizes static, or wrap the function in srcgrad.custom_vjp") from None
    return outcome.instantiate(fresh_symbol) if outcome.has_placeholders else outcome


def fresh_symbol(name: str) -> Poly:
    """A size that only a run knows, whatever it is called."""
    return fresh_size("size")


def _of_rank(error: SrcgradError) -> SrcgradError:
    """The refusal of what depends on a rank: numbers and arrays that are told apart have one."""
    error.lifted_by = ("NumbersApart",)
    return error


class Sym:
    """A graph value that computes by appending nodes to ``builder``.

    >>> from srcgrad.types.kinds import array
    >>> from srcgrad.types.dims import symbol
    >>> b = Builder()
    >>> x = Sym(b.param(array(float, (symbol("n"), 3))), b)
    >>> print(np.sum(2.0 * x, axis=0).value.aval)
    f8[3]
    >>> [node.params["fn"].__name__ for node in b.nodes]
    ['mul', 'sum']
    """

    __slots__ = ("builder", "value")
    __array_priority__ = 1000.0

    def __init__(self, value: Value, builder: Builder) -> None:
        self.value = value
        self.builder = builder

    # ---- facts ---------------------------------------------------------------------------
    @property
    def aval(self) -> Aval:
        return self.value.aval

    @property
    def ndim(self) -> int:
        """The rank; rule bodies branch on it, so it must be known."""
        if self.aval.shape is None:
            raise _of_rank(UnsupportedOperation(
                f"a derivative needs the rank of a value that is {self.aval}",
                why="its rank is only known at run time",
                fix="give the value one rank on every path"))
        return len(self.aval.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype; complex where only a run knows it (eigenvalues of a real matrix), for
        formulas for complex values hold for real ones too."""
        return self.aval.dtype or np.dtype(np.complex128)

    @property
    def of_python(self) -> bool:
        """Is it a number of Python's, certainly or perhaps?"""
        return self.aval.kind in OF_PYTHON

    @property
    def shape(self) -> tuple[Any, ...]:
        """Sizes: ints where static, else integer symbols."""
        return tuple(self.size_along(axis) for axis in range(self.ndim))

    def size_along(self, axis: int) -> Any:
        """The size along one axis: an int, or an integer symbol over a ``dim`` node."""
        assert self.aval.shape is not None
        extent = self.aval.shape[axis]
        if isinstance(extent, int):
            return extent
        for node in reversed(self.builder.nodes[-8:]):  # the size may just have been asked for
            if node.op == "dim" and node.inputs[0] is self.value and node.params["axis"] == axis:
                return Sym(node.out, self.builder)
        node = self.builder.add("dim", (self.value,), (int_aval(extent),), axis=axis)
        return Sym(node.out, self.builder)

    @property
    def size(self) -> Any:
        total: Any = 1
        for extent in self.shape:
            total = total * extent
        return total

    # ---- computing -----------------------------------------------------------------------
    def apply(self, fn: Callable[..., Any], args: tuple[Any, ...],
              kwargs: Mapping[str, Any]) -> Any:
        """Append ``fn(*args, **kwargs)``; Syms (or tuples or lists of them) for its results."""
        args = self._values(tuple(args))
        named = self._values({k: v for k, v in kwargs.items() if v is not np._NoValue})
        outcome = infer_fresh(fn, avals_in(args), avals_in(named))
        if outcome.static is not MISSING:
            return outcome.static
        if not outcome.many:
            expr = outcome.aval.expr
            if outcome.aval.kind is Kind.INT and isinstance(expr, int):
                return expr
            return Sym(self.builder.apply(fn, args, named, outcome.aval), self.builder)
        values = self.builder.apply_many(fn, args, named, outcome.avals)
        items = [Sym(v, self.builder) for v in values]
        container = outcome.container
        if container is list:
            return items
        return container(*items) if container is not None and hasattr(container, "_fields") \
            else tuple(items)

    def _values(self, structure: Any) -> Any:
        """Syms replaced by their values, array constants by ``const`` nodes."""
        return mapped(structure, (Sym, np.ndarray), lambda part: part.value if type(part) is Sym
                      else self.builder.const(part, aval_of(part)))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is not None:
            raise UnsupportedOperation("`out=` in a derivative rule",
                                       fix="rule bodies compute without side effects")
        fn = ufunc if method == "__call__" else getattr(ufunc, method)
        return self.apply(fn, args, kwargs)

    def __array_function__(self, fn: Callable[..., Any], types: Any, args: tuple[Any, ...],
                           kwargs: Mapping[str, Any]) -> Any:
        if fn in _FACTS and args and isinstance(args[0], Sym) and args[0].aval.shape is not None:
            return _FACTS[fn](*args, **kwargs)
        if fn is quotient and any(isinstance(a, Sym) and a.aval.kind not in OF_PYTHON
                                  for a in args):
            fn = operator.truediv  # NumPy's
        return self.apply(fn, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        inputs: list[Value] = [self.value]
        key = self._values(key)
        found = infer_getitem(self.aval, avals_in(key), fresh=fresh_symbol)
        template = abstract(key, inputs)
        node = self.builder.add("read", tuple(inputs), (found.aval,),
                                steps=(Index(template, found.basic),))
        return Sym(node.out, self.builder)

    def __setitem__(self, key: Any, item: Any) -> NoReturn:
        raise UnsupportedOperation("item assignment in a derivative rule",
                                   fix="use np.where, np.concatenate or scatter_add")

    def __len__(self) -> int:
        if self.aval.kind in (Kind.OPAQUE, Kind.ANY):
            raise _of_rank(UnsupportedOperation(
                "the derivative needs the number of axes of an array that only a run knows",
                why="a variable or the elements of a list are arrays of different ranks",
                fix="use one name for each rank, or give all the same rank (np.atleast_1d)"))
        if not self.ndim:
            raise TypeError("len() of unsized object")
        extent = self.size_along(0)
        return extent if isinstance(extent, int) else self._refuse("len()")

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    # ---- what needs a number ---------------------------------------------------------------
    def _refuse(self, what: str) -> NoReturn:
        error = TracingError(
            f"{what} of a symbolic value ({self.aval}) in a derivative rule",
            why="rule bodies are recorded once for all sizes and values",
            fix="branch on ranks, dtypes and settings only; use np.where for values, and pass "
                "`like=` to NumPy functions that make arrays from sizes")
        raise _of_rank(error) if self.aval.kind is Kind.OPAQUE else error  # of ranks, shapes

    def __bool__(self) -> bool:
        self._refuse("the truth value")

    def __index__(self) -> int:
        self._refuse("the number")

    def __int__(self) -> int:
        self._refuse("int()")

    def __float__(self) -> float:
        self._refuse("float()")

    def __complex__(self) -> complex:
        self._refuse("complex()")

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse("conversion to an array")

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> Any:
        return self._compare(operator.eq, other)

    def __ne__(self, other: object) -> Any:
        return self._compare(operator.ne, other)

    def _compare(self, fn: Callable[..., Any], other: object) -> Any:
        """Comparison; sizes that are equal expressions compare statically."""
        if self.aval.kind is Kind.INT and self.aval.expr is not None:
            theirs = other.aval.expr if isinstance(other, Sym) else other
            if type(theirs) in (int, Poly) and self.aval.expr == theirs:
                return fn(0, 0)
        return self.apply(fn, (self, other), {})

    # ---- methods and attributes ------------------------------------------------------------
    @property
    def T(self) -> Any:
        return self.apply(Attribute("T"), (self,), {})

    @property
    def mT(self) -> Any:
        return self.apply(Attribute("mT"), (self,), {})

    @property
    def real(self) -> Any:
        return self.apply(np.real, (self,), {})

    @property
    def imag(self) -> Any:
        return self.apply(np.imag, (self,), {})

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        return self.apply(np.reshape, (self, shape[0] if len(shape) == 1 else shape), kwargs)

    def transpose(self, *axes: Any) -> Any:
        order = axes[0] if len(axes) == 1 else axes
        return self.apply(np.transpose, (self, order) if axes else (self,), {})

    def __getattr__(self, name: str) -> Any:
        if name in _FUNCTIONS:
            fn = getattr(np, name)
            return lambda *args, **kwargs: self.apply(fn, (self, *args), kwargs)
        if name in _METHODS:
            return lambda *args, **kwargs: self.apply(Method(name), (self, *args), kwargs)
        raise AttributeError(f"{name!r} is not available on symbolic values")

    def __repr__(self) -> str:
        return f"<symbolic {self.aval}>"


# Methods that are spelled as the NumPy function of the same name, and those that are not one.
_FUNCTIONS = frozenset({
    "all", "any", "argmax", "argmin", "argsort", "clip", "compress", "conj", "conjugate", "copy",
    "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "ravel",
    "repeat", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var",
})
_METHODS = frozenset({"astype", "flatten", "item", "tolist", "view"})

_FACTS: dict[Any, Callable[..., Any]] = {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.size_along(axis),
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
}


def _binary(fn: Callable[..., Any], reflected: bool) -> Callable[[Sym, Any], Any]:
    def method(self: Sym, other: Any) -> Any:
        if isinstance(other, str | bytes | None.__class__):
            return NotImplemented
        return self.apply(fn, (other, self) if reflected else (self, other), {})

    return method


def _unary(fn: Callable[..., Any]) -> Callable[[Sym], Any]:
    return lambda self: self.apply(fn, (self,), {})


for _fn in BINARY.values():
    _name = _fn.__name__.rstrip("_")
    setattr(Sym, f"__{_name}__", _binary(_fn, False))
    setattr(Sym, f"__r{_name}__", _binary(_fn, True))


def _power(self: Sym, other: Any) -> Any:
    """``self ** other``.  A negative Python float to a power that is no whole number is complex,
    which no derivative of a real function may become: ``math.pow`` raises.  So does 0 to a negative
    power (not so :func:`raised_to`) and a power that is too large, while quotients are infinite:
    ``x ** p / x`` raises where ``x ** p`` does only."""
    kinds = self.value.aval.kind, other.value.aval.kind if isinstance(other, Sym) else None
    if Kind.NUMBER in kinds and not {*kinds} - {*OF_PYTHON, None} and (
            kinds[1] is not None or other < 0):
        return self.apply(raised_to, (self, other), {})
    if kinds[0] is not Kind.FLOAT:
        return self.apply(operator.pow, (self, other), {})
    fraction = kinds[1] is Kind.FLOAT if isinstance(other, Sym) else (
        type(other) is float and not other.is_integer())
    whole = math.pow if fraction else operator.pow
    if isinstance(other, Sym):
        return self.apply(raised_to if fraction else whole, (self, other), {})
    if other >= 0:
        return self.apply(whole, (self, other), {})
    if other > -1:  # of a root, which 0 has
        return self.apply(quotient, (1.0, self ** -other), {})
    above: Any = 1.0
    if other < -1:
        above = self ** (other + 1) if other > -2 else self.apply(whole, (self, other + 1), {})
    return above / self


setattr(Sym, "__pow__", _power)  # noqa: B010 (as the others)
for _name in ("lt", "le", "gt", "ge"):
    setattr(Sym, f"__{_name}__", _binary(getattr(operator, _name), False))
for _fn in UNARY.values():
    setattr(Sym, f"__{_fn.__name__}__", _unary(_fn))
Sym.__abs__ = _unary(abs)  # type: ignore[attr-defined]


# ---- sizes as values -----------------------------------------------------------------------


def materialise(builder: Builder, dim: Dim, values: Mapping[Atom, Value]) -> Value | int:
    """The number of ``dim`` as a graph value: arithmetic nodes over the values of its symbols.

    KeyError names a symbol that ``values`` does not define.

    >>> from srcgrad.types.dims import symbol
    >>> b, n = Builder(), symbol("n")
    >>> v = materialise(b, 2 * n - 1, {n.atoms()[0]: b.param(int_aval(n), "n")})
    >>> [node.params["fn"].__name__ for node in b.nodes], v.aval.expr
    (['mul', 'sub'], 2*n - 1)
    """
    if not isinstance(dim, Poly):
        return dim
    total: Value | int | None = None
    for monomial, coefficient in dim.ordered():
        term = _monomial(builder, monomial, values)
        size = abs(coefficient)
        if term is None:
            term = size
        elif size != 1:
            term = _integer(builder, operator.mul, size, term)
        if total is None:
            total = term if coefficient > 0 else _integer(builder, operator.neg, term)
        else:
            fn = operator.add if coefficient > 0 else operator.sub
            total = _integer(builder, fn, total, term)
    assert total is not None
    return total


def _integer(builder: Builder, fn: Callable[..., Any], *args: Value | int) -> Value | int:
    if not any(isinstance(a, Value) for a in args):
        return fn(*args)  # type: ignore[no-any-return]
    return builder.apply(fn, args, {}, infer(fn, avals_in(args)).aval)


def _monomial(builder: Builder, monomial: Any, values: Mapping[Atom, Value]) -> Value | int | None:
    product: Value | int | None = None
    for atom, power in monomial:
        factor = _atom(builder, atom, values)
        for _ in range(power):
            product = factor if product is None else _integer(builder, operator.mul, product,
                                                              factor)
    return product


_FUNCTIONS_OF_DIMS: dict[str, Callable[..., Any]] = {
    "max": max, "min": min, "floordiv": operator.floordiv, "mod": operator.mod,
    "pow": operator.pow}


def _atom(builder: Builder, atom: Atom, values: Mapping[Atom, Value]) -> Value | int:
    if atom in values:
        return values[atom]
    if not atom.args:
        raise KeyError(atom)
    args = [None if a is None else materialise(builder, a, values) for a in atom.args]
    if atom.name in _FUNCTIONS_OF_DIMS:
        fn = _FUNCTIONS_OF_DIMS[atom.name]
        numbers = [a for a in args if a is not None]
        return _integer(builder, fn, *numbers)
    exact = int_aval(Poly({((atom, 1),): 1}))
    opaque = Aval(Kind.OPAQUE)
    if atom.name == "range_length":
        items = builder.apply(range, tuple(args), {}, opaque)
    else:
        start, stop, step, size = args
        whole = builder.apply(range, (size,), {}, opaque)
        items = builder.apply(operator.getitem, (whole, slice(start, stop, step)), {}, opaque)
    return builder.apply(len, (items,), {}, exact)


__all__ = ["Sym", "fresh_size", "infer_fresh", "materialise"]
