"""Symbolic sizes: integer polynomials over atoms, in a canonical form.

A *dim* is an ``int`` or a :class:`Poly`.  Atoms are symbols (a size of an argument, an
integer argument, a loop index, a size only known at run time) and opaque functions of dims
(``max``, ``min``, floor division, remainder, the length of a slice or range).  Equality of
canonical forms proves equality of sizes; inequality proves nothing.

>>> n = symbol("n")
>>> (n + 2) - 1 == n + 1
True
>>> maximum(0, n - 2) == slice_length(1, -1, None, n)
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Union

from .dataclasses import dataclass

Dim = Union[int, "Poly"]
Bound = Union[int, "Poly", None]


@dataclass(frozen=True, slots=True)
class Atom:
    """A symbol (``args`` empty) or an opaque function of dims.

    ``serial`` tells symbols of one name apart; ``low``/``high`` are inclusive bounds that hold
    for every run (``None``: unbounded); ``varying`` is true for loop indices and sizes that
    depend on data, false for what is the same during one call; ``not_one`` says that it is
    never 1 (but may be 0).
    """

    name: str
    args: tuple[Any, ...] = ()
    serial: int = 0
    low: Bound = None
    high: Bound = None
    varying: bool = False
    not_one: bool = False

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is Atom and self.name == other.name and self.serial == other.serial
            and self.args == other.args and self.low == other.low and self.high == other.high
            and self.varying == other.varying and self.not_one == other.not_one)

    def __hash__(self) -> int:
        return hash((self.name, self.serial, self.args))  # the rest seldom tells two apart

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.name, self.serial, tuple(str(a) for a in self.args), self.low is None,
                self.varying)

    def __str__(self) -> str:
        if self.args:
            return f"{self.name}({', '.join(map(str, self.args))})"
        return self.name if not self.serial else f"{self.name}_{self.serial}"

    __repr__ = __str__


Monomial = tuple[tuple[Atom, int], ...]


class Poly:
    """A polynomial with integer coefficients; immutable, hashable, canonical."""

    __slots__ = ("_hash", "_ordered", "_symbols", "_text", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms: dict[Monomial, int] = _without_zeros(terms)
        self._hash = hash(frozenset(self.terms.items()))
        self._ordered: list[tuple[Monomial, int]] | None = None  # made when they are asked for
        self._symbols: tuple[Atom, ...] | None = None
        self._text: str | None = None

    def __reduce__(self) -> Any:
        return Poly, (self.terms,)  # hashes of names are another process's

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Poly) and self._hash == other._hash
                                 and self.terms == other.terms)

    def __add__(self, other: Dim) -> Dim:
        return add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Dim) -> Dim:
        return add(self, multiply(-1, other))

    def __rsub__(self, other: Dim) -> Dim:
        return add(other, multiply(-1, self))

    def __mul__(self, other: Dim) -> Dim:
        return multiply(self, other)

    __rmul__ = __mul__

    def __neg__(self) -> Dim:
        return multiply(-1, self)

    def __floordiv__(self, other: Dim) -> Dim:
        return floor_divide(self, other)

    def __rfloordiv__(self, other: Dim) -> Dim:
        return floor_divide(other, self)

    def __mod__(self, other: Dim) -> Dim:
        return remainder(self, other)

    def ordered(self) -> list[tuple[Monomial, int]]:
        """Terms in a deterministic order: higher degree first, the constant last."""
        if self._ordered is None:
            self._ordered = sorted(self.terms.items(), key=_term_order)
        return self._ordered

    def atoms(self) -> list[Atom]:
        """The atoms of the polynomial itself, in deterministic order."""
        found: dict[Atom, None] = {}
        for monomial, _ in self.ordered():
            for atom, _power in monomial:
                found[atom] = None
        return list(found)

    def __str__(self) -> str:
        if self._text is None:
            self._text = self._written()
        return self._text

    def _written(self) -> str:
        text = ""
        for monomial, coefficient in self.ordered():
            factors = [str(a) if p == 1 else f"{a}**{p}" for a, p in monomial]
            size = abs(coefficient)
            if size != 1 or not factors:
                factors.insert(0, str(size))
            sign = "-" if coefficient < 0 else "+"
            body = "*".join(factors)
            text = f"{text} {sign} {body}" if text else (f"-{body}" if sign == "-" else body)
        return text or "0"

    __repr__ = __str__


def _term_order(item: tuple[Monomial, int]) -> tuple[Any, ...]:
    monomial, _ = item
    return (-sum(p for _, p in monomial), tuple((a.key, p) for a, p in monomial))


def _without_zeros(terms: Mapping[Monomial, int]) -> dict[Monomial, int]:
    return dict(terms) if all(terms.values()) else {m: c for m, c in terms.items() if c}


def _normal(terms: Mapping[Monomial, int]) -> Dim:
    kept = _without_zeros(terms)
    if not kept:
        return 0
    if len(kept) == 1 and () in kept:
        return kept[()]
    return Poly(kept)


def _terms(dim: Dim) -> Mapping[Monomial, int]:
    return dim.terms if isinstance(dim, Poly) else {(): dim}


def of_atom(atom: Atom) -> Poly:
    """The dim that is just ``atom``."""
    return Poly({((atom, 1),): 1})


def symbol(name: str, *, serial: int = 0, low: Bound = 0, high: Bound = None,
           varying: bool = False, not_one: bool = False) -> Poly:
    """A named size.  Sizes are at least 0 unless ``low`` says otherwise."""
    return of_atom(Atom(name, (), serial, low, high, varying, not_one))


def add(a: Dim, b: Dim) -> Dim:
    """The sum of two dims."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    total = dict(_terms(a))
    for monomial, coefficient in _terms(b).items():
        total[monomial] = total.get(monomial, 0) + coefficient
    return _normal(total)


def multiply(a: Dim, b: Dim) -> Dim:
    """The product of two dims."""
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int):
        return a * b if isinstance(a, int) else b and Poly({m: c * b for m, c in a.terms.items()})
    total: dict[Monomial, int] = {}
    for m1, c1 in _terms(a).items():
        for m2, c2 in _terms(b).items():
            powers: dict[Atom, int] = dict(m1)
            for atom, power in m2:
                powers[atom] = powers.get(atom, 0) + power
            monomial = tuple(sorted(powers.items(), key=lambda item: item[0].key))
            total[monomial] = total.get(monomial, 0) + c1 * c2
    return _normal(total)


def _opaque(name: str, *args: Any, low: Bound = None, high: Bound = None) -> Poly:
    varying = any(is_varying(a) for a in args)
    return of_atom(Atom(name, args, 0, low, high, varying))


def floor_divide(a: Dim, b: Dim) -> Dim:
    """``a // b``; exact where every coefficient is divisible."""
    if isinstance(a, int) and isinstance(b, int) and b:
        return a // b
    if isinstance(b, int) and b and all(c % b == 0 for c in _terms(a).values()):
        return _normal({m: c // b for m, c in _terms(a).items()})
    if a == b and proves_positive(a):
        return 1
    quotient = _exact_quotient(a, b)
    if quotient is not None:
        return quotient
    low = 0 if proves_nonnegative(a) and proves_positive(b) else None
    return _opaque("floordiv", a, b, low=low)


def _exact_quotient(a: Dim, b: Dim) -> Dim | None:
    """``a // b`` where ``b`` is one monomial that divides every term of ``a``, and positive."""
    if not isinstance(b, Poly) or len(b.terms) != 1 or not proves_positive(b):
        return None
    (divisor, factor), = b.terms.items()
    result: dict[Monomial, int] = {}
    for monomial, coefficient in _terms(a).items():
        powers = dict(monomial)
        for atom, power in divisor:
            if powers.get(atom, 0) < power:
                return None
            powers[atom] -= power
        if coefficient % factor:
            return None
        left = tuple((x, p) for x, p in powers.items() if p)
        result[tuple(sorted(left, key=lambda item: item[0].key))] = coefficient // factor
    return _normal(result)


def remainder(a: Dim, b: Dim) -> Dim:
    """``a % b``; for a size ``b`` that is not negative it lies below ``b``, else there is none.

    >>> i, n = symbol("i"), symbol("n")
    >>> proves_nonnegative(remainder(i - 1, n)), proves_positive(n - remainder(i - 1, n))
    (True, True)
    """
    if isinstance(a, int) and isinstance(b, int) and b:
        return a % b
    if isinstance(b, int) and b and all(c % b == 0 for c in _terms(a).values()):
        return 0
    if proves_nonnegative(b):
        return _opaque("mod", a, b, low=0, high=add(b, -1))
    return _opaque("mod", a, b)


def power(base: Dim, exponent: Dim) -> Dim:
    """``base ** exponent`` for an exponent that is not negative.

    >>> i = symbol("i")
    >>> power(2, i + 1), power(i, 2)
    (2*pow(2, i), i**2)
    """
    known = exponent if isinstance(exponent, int) else exponent.terms.get((), 0)
    rest = add(exponent, -known)
    if known < 0 or not proves_nonnegative(rest) or known > 64:
        known, rest = 0, exponent
    result: Dim = 1
    for _ in range(known):
        result = multiply(result, base)
    if rest == 0 or base == 1:
        return result
    low = 1 if proves_positive(base) else 0 if proves_nonnegative(base) else None
    return multiply(result, _opaque("pow", base, rest, low=low))


@functools.lru_cache(8192)
def maximum(a: Dim, b: Dim) -> Dim:
    """The larger of two dims; simplified where one provably is."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    if proves_nonnegative(add(a, multiply(-1, b))):
        return a
    if proves_nonnegative(add(b, multiply(-1, a))):
        return b
    first, second = sorted((a, b), key=lambda d: (isinstance(d, Poly), str(d)))
    low = max((x for x in (first, second) if isinstance(x, int)), default=None)
    return _opaque("max", first, second, low=low)


@functools.lru_cache(8192)
def minimum(a: Dim, b: Dim) -> Dim:
    """The smaller of two dims; simplified where one provably is."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    if proves_nonnegative(add(a, multiply(-1, b))):
        return b
    if proves_nonnegative(add(b, multiply(-1, a))):
        return a
    if isinstance(a, int) or isinstance(b, int):
        # min(k, n) is n - max(0, n - k): one form, so that halves of an array add up to it
        number, other = (a, b) if isinstance(a, int) else (b, a)
        return add(other, multiply(-1, maximum(0, add(other, multiply(-1, number)))))
    first, second = sorted((a, b), key=lambda d: (isinstance(d, Poly), str(d)))
    low = 0 if proves_nonnegative(a) and proves_nonnegative(b) else None
    return _opaque("min", first, second, low=low)


def range_length(start: Dim, stop: Dim, step: Dim) -> Dim:
    """``len(range(start, stop, step))``."""
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step:
        return len(range(start, stop, step))
    if step == 1:
        return maximum(0, add(stop, multiply(-1, start)))
    if step == -1:
        return maximum(0, add(start, multiply(-1, stop)))
    return _opaque("range_length", start, stop, step, low=0)


def _clamped(position: Dim | None, default: Dim, size: Dim) -> Dim | None:
    """A slice position of a forward slice, clamped to ``0..size``; None if undecidable."""
    if position is None:
        return default
    if isinstance(position, int) and position < 0:
        return maximum(0, add(size, position))
    if proves_nonnegative(position):
        return minimum(position, size)
    if proves_nonnegative(add(multiply(-1, position), -1)):
        return maximum(0, add(size, position))
    return None


@functools.lru_cache(8192)
def slice_length(start: Dim | None, stop: Dim | None, step: Dim | None, size: Dim) -> Dim:
    """The number of items of ``x[start:stop:step]`` along an axis of ``size`` items.

    >>> slice_length(None, None, 2, symbol("n"))
    floordiv(n + 1, 2)
    """
    bounds: list[Any] = [start, stop, step]
    if all(p is None or isinstance(p, int) for p in bounds) and isinstance(size, int):
        return len(range(size)[slice(*bounds)])
    if step is None or (isinstance(step, int) and step > 0):
        stride = 1 if step is None else step
        whole = _forward_length(start, stop, size)
        if whole is not None:
            return whole if stride == 1 else floor_divide(add(whole, stride - 1), stride)
    if step == -1 and start is None and stop is None:
        return size
    return _opaque("slice_length", start, stop, step, size, low=0)


def _forward_length(start: Dim | None, stop: Dim | None, size: Dim) -> Dim | None:
    if isinstance(start, int) and start >= 0 and isinstance(stop, int) and stop < 0:
        return maximum(0, add(size, stop - start))
    if isinstance(start, int) and start >= 0 and stop is None:
        return maximum(0, add(size, -start))
    low, high = _clamped(start, 0, size), _clamped(stop, size, size)
    if low is None or high is None:
        return None
    return maximum(0, add(high, multiply(-1, low)))


@functools.lru_cache(4096)
def may_raise(dim: Any) -> bool:
    """May arithmetic divide by zero, or the like, where ``dim`` is not asked for?

    >>> n = symbol("n")
    >>> may_raise(n // 2 + 1), may_raise(6 // n)
    (False, True)
    """
    return isinstance(dim, Poly) and any(
        (atom.name in ("floordiv", "mod", "range_length", "slice_length") and not _is_divisor(atom))
        or any(may_raise(a) for a in atom.args) for atom in dim.atoms())


def _is_divisor(atom: Atom) -> bool:
    """Is what an opaque function divides by, or the step of a range, known not to be zero?"""
    divisor = atom.args[1 if atom.name in ("floordiv", "mod") else 2]
    return divisor is None or (isinstance(divisor, int) and divisor != 0) or (
        proves_positive(divisor))


def is_varying(dim: Any) -> bool:
    """Does the dim depend on a loop index or on data (rather than on the call alone)?"""
    return isinstance(dim, Poly) and any(a.varying for a in dim.atoms())


def is_of_call(dim: Any) -> bool:
    """Is it known, and the same during the whole call?"""
    return dim is not None and not is_varying(dim)


@functools.lru_cache(8192)
def proves_nonnegative(dim: Dim, depth: int = 4) -> bool:
    """Can ``dim >= 0`` be shown from the bounds of its atoms?  (``False`` proves nothing.)"""
    if isinstance(dim, int):
        return dim >= 0
    if all(c >= 0 and all(_low(a, depth) for a, _ in m) for m, c in dim.terms.items()):
        return True
    if depth == 0:
        return False
    for monomial, coefficient in dim.terms.items():
        if len(monomial) != 1 or monomial[0][1] != 1:
            continue
        atom = monomial[0][0]
        rest = add(dim, multiply(-1, Poly({monomial: coefficient})))
        if atom.name == ("max" if coefficient < 0 else "min") and all(
                proves_nonnegative(add(rest, multiply(coefficient, arg)), depth - 1)
                for arg in atom.args):  # whichever of the two it is
            return True
        for smaller in _below_multiples(atom, coefficient):
            if proves_nonnegative(add(rest, smaller), depth - 1):
                return True
        for bound in _replacements(atom, coefficient):
            if proves_nonnegative(add(rest, multiply(coefficient, bound)), depth - 1):
                return True
    return False


def _below_multiples(atom: Atom, coefficient: int) -> list[Dim]:
    """Dims that ``coefficient * (a // c)`` is not smaller than, for a negative coefficient:
    ``c * (a // c) <= a``."""
    if atom.name != "floordiv" or coefficient >= 0 or atom.low is None or not (
            isinstance(atom.args[1], int)):
        return []
    a, c = atom.args
    whole, left = divmod(-coefficient, c)
    exact = add(multiply(-whole, a), multiply(-left, of_atom(atom)))
    return [exact, multiply(-whole - 1, a)] if whole and left else [
        exact if whole else multiply(-1, a)]


def _replacements(atom: Atom, coefficient: int) -> list[Dim]:
    """Values that an atom may be replaced by without making ``coefficient * atom`` larger."""
    found: list[Dim] = []
    if coefficient > 0:
        if atom.low is not None:
            found.append(atom.low)
        if atom.name == "max":
            found.extend(atom.args)
    else:
        if atom.high is not None:
            found.append(atom.high)
        if atom.name == "min":
            found.extend(atom.args)
        if atom.name == "floordiv" and atom.low is not None:  # a // b <= a for b >= 1
            found.append(atom.args[0])
    return found


def _low(atom: Atom, depth: int) -> bool:
    if atom.low is None:
        return False
    return atom.low >= 0 if isinstance(atom.low, int) else (
        depth > 0 and proves_nonnegative(atom.low, depth - 1))


def proves_positive(dim: Dim) -> bool:
    """Can ``dim >= 1`` be shown?"""
    return proves_nonnegative(add(dim, -1))


def proves_not_one(dim: Dim) -> bool:
    """Can ``dim != 1`` be shown?  A product is 1 only where all of its factors are."""
    if isinstance(dim, int):
        return dim != 1
    (monomial, coefficient), *more = dim.terms.items()
    return not more and (coefficient not in (1, -1) or any(
        a.not_one and _low(a, 4) for a, _ in monomial))


_FUNCTIONS: dict[str, Callable[..., int]] = {
    "max": max,
    "min": min,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "range_length": lambda a, b, c: len(range(a, b, c)),
    "slice_length": lambda a, b, c, n: len(range(n)[slice(a, b, c)]),
}


def evaluate(dim: Any, values: Mapping[Atom, int]) -> Any:
    """The number of ``dim`` given the numbers of its symbols; KeyError names a missing atom.

    >>> n = symbol("n")
    >>> evaluate(n * 2 + 1, {n.atoms()[0]: 5})
    11
    """
    if not isinstance(dim, Poly):
        return dim
    total = 0
    for monomial, coefficient in dim.terms.items():
        product = coefficient
        for atom, power in monomial:
            if atom.args:
                number = _FUNCTIONS[atom.name](*(evaluate(a, values) for a in atom.args))
            else:
                number = values[atom]
            product *= number**power
        total += product
    return total


def substitute(dim: Any, mapping: Mapping[Atom, Dim]) -> Any:
    """``dim`` with symbols replaced; opaque functions are rebuilt and simplified."""
    if not isinstance(dim, Poly):
        return dim
    total: Dim = 0
    for monomial, coefficient in dim.terms.items():
        product: Dim = coefficient
        for atom, power in monomial:
            replaced = _substitute_atom(atom, mapping)
            for _ in range(power):
                product = multiply(product, replaced)
        total = add(total, product)
    return total


def _substitute_atom(atom: Atom, mapping: Mapping[Atom, Dim]) -> Dim:
    if atom in mapping:
        return mapping[atom]
    if not atom.args:
        return of_atom(atom)
    args = [substitute(a, mapping) for a in atom.args]
    rebuild: dict[str, Callable[..., Dim]] = {
        "max": maximum, "min": minimum, "floordiv": floor_divide, "mod": remainder,
        "pow": power, "range_length": range_length, "slice_length": slice_length,
    }
    return rebuild[atom.name](*args)


def largest(dim: Dim, atom: Atom) -> Dim | None:
    """What ``dim`` is at most, wherever between its bounds ``atom`` lies; None if that is not
    known.

    >>> n = symbol("n")
    >>> i = symbol("i", high=n - 1, varying=True)
    >>> str(largest(n - i, i.atoms()[0])), str(largest(maximum(0, i - 1), i.atoms()[0]))
    ('n', 'max(0, n - 2)')
    """
    if not isinstance(dim, Poly) or atom not in symbols(dim):
        return dim
    total: Dim = 0
    for monomial, coefficient in dim.terms.items():
        term: Dim = Poly({monomial: 1})
        bound: Dim | None = None
        inner = monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else None
        if atom not in symbols(term):
            bound = term
        elif inner == atom:
            bound = atom.high if coefficient > 0 else atom.low
        elif inner is not None and inner.name in ("max", "min") and coefficient > 0:
            args = [a for arg in inner.args if (a := largest(arg, atom)) is not None]
            if len(args) == len(inner.args):
                bound = (maximum if inner.name == "max" else minimum)(*args)
        if bound is None:
            return None
        total = add(total, multiply(coefficient, bound))
    return total


def symbols(dim: Any) -> tuple[Atom, ...]:
    """All plain symbols below a dim, through opaque functions, in deterministic order."""
    if not isinstance(dim, Poly):
        return ()
    if dim._symbols is None:
        dim._symbols = tuple(_symbols(dim))
    return dim._symbols


def _symbols(dim: Poly) -> dict[Atom, None]:
    found: dict[Atom, None] = {}
    for atom in dim.atoms():
        if not atom.args:
            found[atom] = None
        for arg in atom.args:
            found.update(dict.fromkeys(symbols(arg)))
    return found
