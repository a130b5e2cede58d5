"""What inference answers, and where fresh sizes come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal

from ..errors import UnsupportedOperation
from ..types.dataclasses import dataclass, replace
from ..types.dims import Atom, Bound, Dim, Poly, substitute, symbol, symbols
from ..types.kinds import Aval
from ..types.spelling import At, Part
from .ir import Through

View = Literal["fresh", "view", "maybe", "layout", "same"]
Order = Literal["C", "keep"] | None
Guard = tuple[str, Dim]

PLACEHOLDER = "?"  # symbols of this name stand for sizes that each call makes anew


class Fresh:
    """A source of symbols for sizes that only a run knows.

    A tracer owns one, so that the names it gives do not depend on what was traced before; it
    makes all symbols of loop indices, sizes and numbers there, so that no two are one.  ``mark``
    sets the names of another source apart.

    >>> fresh = Fresh()
    >>> fresh("k"), fresh("k"), fresh("m"), Fresh("'")("k")
    (k, k_1, m, k')
    """

    def __init__(self, mark: str = "") -> None:
        self._mark = mark
        self._counts: dict[str, int] = {}

    def counts(self) -> dict[str, int]:
        """How many symbols of each name there are."""
        return dict(self._counts)

    def __call__(self, name: str = "k", *, low: Bound = 0, high: Bound = None,
                 varying: bool = True, not_one: bool = False) -> Poly:
        serial = self._counts.get(name, 0)
        self._counts[name] = serial + 1
        return symbol(name + self._mark, serial=serial, low=low, high=high, varying=varying,
                      not_one=not_one)


class _Missing:
    def __repr__(self) -> str:
        return "<not static>"


MISSING: Any = _Missing()


@dataclass(frozen=True)
class Outcome:
    """The results of an ``apply``.

    ``avals``
        one per output; ``many`` says that the function returns a sequence, of type
        ``container`` (``tuple``, ``list`` or a named tuple's class).
    ``views``
        per output: ``"fresh"`` (a new object), ``"view"`` (of the input ``sources`` names),
        ``"same"`` (that very object), ``"maybe"`` (a view if the input lies in C order, else
        unknown) or ``"layout"`` (depends on the input's layout in another way: ``order="F"``).
    ``sources``
        per output: number of the input among the abstract leaves of ``(args, kwargs)`` in
        order, None for fresh ones.
    ``guards``
        conditions on call-invariant sizes that the result relies on: ``("ne1", expr)`` the
        size is not 1; ``("ge0", expr)`` the number is not negative; ``("eq0", expr)`` it is 0.
    ``uncertain``
        sizes that vary met in a broadcast and either may be 1: adjoints must reduce at run time.
    ``orders``
        per output that is a new array (or empty where nothing is known): ``"C"`` it lies in C
        order, ``"keep"`` it does if all arrays among the inputs do, None unknown.
    ``static``
        the result itself where it is known now (``x.dtype``, ``x.ndim``), else ``MISSING``.
    """

    avals: tuple[Aval, ...]
    many: bool = False
    container: type | None = None
    views: tuple[View, ...] = ("fresh",)
    sources: tuple[int | None, ...] = (None,)
    guards: tuple[Guard, ...] = ()
    uncertain: bool = False
    static: Any = MISSING
    orders: tuple[Order, ...] = ()

    @property
    def aval(self) -> Aval:
        """The only result."""
        (only,) = self.avals
        return only

    @property
    def view(self) -> View:
        """The only result's relation to the inputs."""
        return self.views[0]

    @cached_property
    def has_placeholders(self) -> bool:
        return any(_placeholders(a) for a in self.avals)

    def instantiate(self, fresh: Callable[..., Dim]) -> Outcome:
        """The outcome with every placeholder replaced by a fresh, varying size."""
        mapping: dict[Dim, Dim] = {}
        return replace(self, avals=tuple(_renamed(a, mapping, fresh) for a in self.avals))

    def where(self, sizes: Mapping[Atom, Dim]) -> Outcome:
        """The outcome in other symbols."""
        if not sizes:
            return self
        avals = tuple(a.but(expr=substitute(a.expr, sizes), shape=a.shape and tuple(
            substitute(d, sizes) for d in a.shape)) for a in self.avals)
        guards = tuple((relation, substitute(dim, sizes)) for relation, dim in self.guards)
        return replace(self, avals=avals, guards=guards)

    def step(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any],
             output: int = 0) -> tuple[Any, Through] | None:
        """(base, view step) that makes output number ``output`` from the leaves in ``args``
        and ``kwargs`` (of any type); None if it is fresh.  UnsupportedOperation if its base is
        not an argument by itself (but, say, an item of a list)."""
        source = self.sources[output]
        if self.views[output] == "fresh" or source is None:
            return None
        call: Callable[..., Any] = Part(fn, output) if self.many else fn
        leaves = [i for i, a in enumerate(args) if not _is_setting(a)]
        found = [k for k, v in kwargs.items() if not _is_setting(v) and not isinstance(v, tuple)]
        if not args and len(found) == 1 and not isinstance(kwargs[found[0]], list):
            name = found[0]
            named = tuple((k, v) for k, v in kwargs.items() if k != name)
            return kwargs[name], Through(call, (), named)
        if source >= len(leaves) or any(
                isinstance(args[i], tuple | list) for i in leaves[:source + 1]):
            raise UnsupportedOperation(
                "a view of an array that is not an argument by itself",
                why="a write to either could not be followed to the other",
                fix="copy the result: `.copy()`")
        place = leaves[source]
        rest = (*args[:place], *args[place + 1:])
        call = call if place == 0 else At(call, place)
        return args[place], Through(call, rest, tuple(kwargs.items()))


def _is_setting(value: Any) -> bool:
    """Is an argument certainly not the array that a view is taken of?"""
    return value is None or isinstance(value, str | bool | int | float | slice | type)


def fresh_results(count: int) -> tuple[tuple[View, ...], tuple[int | None, ...]]:
    """``views`` and ``sources`` of as many new objects."""
    view: View = "fresh"
    return (view,) * count, (None,) * count


def _placeholders(aval: Aval) -> bool:
    for dim in (*(aval.shape or ()), aval.expr):
        if isinstance(dim, Poly):
            for atom in symbols(dim):
                if atom.name == PLACEHOLDER:
                    return True
    return aval.elem is not None and _placeholders(aval.elem)


def _renamed(aval: Aval, mapping: dict[Dim, Dim], fresh: Callable[..., Dim]) -> Aval:
    def rename(dim: Any) -> Any:
        if not isinstance(dim, Poly):
            return dim
        found = [a for a in symbols(dim) if a.name == PLACEHOLDER]
        if not found:
            return dim
        if dim not in mapping:
            mapping[dim] = fresh("k")
        return mapping[dim]

    shape = None if aval.shape is None else tuple(rename(d) for d in aval.shape)
    expr = aval.expr
    if isinstance(expr, Poly) and any(a.name == PLACEHOLDER for a in symbols(expr)):
        expr = mapping.get(expr)  # a number of unknown value needs no name of its own
    elem = None if aval.elem is None else _renamed(aval.elem, mapping, fresh)
    if (shape, expr, elem) == (aval.shape, aval.expr, aval.elem):
        return aval
    return aval.but(shape=shape, expr=expr, elem=elem)


def placeholder(number: int, low: int = 0) -> Poly:
    """The size that stands for "unknown number ``number``" inside memoised outcomes."""
    return symbol(PLACEHOLDER, serial=number, low=low, varying=True)
