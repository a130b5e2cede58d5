"""Symbolic sizes by example: choose small sizes for symbols, recognise the sizes that come out."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..types.dims import (
    Atom,
    Dim,
    Poly,
    add,
    evaluate,
    floor_divide,
    maximum,
    minimum,
    multiply,
    of_atom,
    substitute,
    symbol,
    symbols,
)

_TABLE = (5, 7, 4, 9, 6, 11, 8, 3, 10, 12)
_LARGE, _SMALL = 16, (3, 4, 2, 5, 6)
_FEW, _ELEMENTS, _PRODUCTS = 1 << 14, 1 << 21, 1 << 34  # of examples, of their outer products


def assignments(dims: Iterable[Any]) -> list[dict[Atom, int]]:
    """Assignments of small sizes to all symbols of ``dims``, within the bounds of each; sizes of
    unequal dims are unequal where possible, and of any two dims each is the larger one in some
    assignment (so that ``min(n, m)`` is not taken for ``n``)."""
    found = _assignments(tuple(dict.fromkeys(dims)))
    return [dict(a) for a in found]


def few_elements(dims: list[Any], shapes: list[tuple[Dim, ...]],
                 usual: list[dict[Atom, int]]) -> list[dict[Atom, int]] | None:
    """Assignments for arrays of so many axes that the usual sizes would make them huge; None if
    they do not.  All sizes are small: two of them are equal in most assignments, but no two in
    all of them, so that a function has to accept every one of these."""
    if all(_fits(shapes, a, _ELEMENTS, _PRODUCTS) for a in usual):
        return None
    return [dict(a) for a in _few_elements(tuple(dims), tuple(shapes))]


def _fits(shapes: Iterable[tuple[Dim, ...]], sizes: dict[Atom, int], each: int,
          both: float = math.inf) -> bool:
    """Has every array, and the outer product of the two largest ones, few elements?"""
    counts = sorted(math.prod(max(evaluate(d, sizes), 1) for d in s) for s in shapes)
    return not counts or (counts[-1] <= each and math.prod(counts[-2:]) <= both)


@functools.lru_cache(4096)
def _few_elements(dims: tuple[Any, ...], shapes: tuple[tuple[Dim, ...], ...],
                  ) -> list[dict[Atom, int]]:
    polys = [d for d in dims if isinstance(d, Poly)]
    atoms = sorted(dict.fromkeys(a for d in polys for a in symbols(d)),
                   key=lambda a: (a.high is not None, a.key))
    least: dict[Atom, int] = {}
    for atom in atoms:
        least[atom] = _within(atom, 2, least)
    for atom in atoms:  # sizes that follow from others are two at least, too
        while least[atom] < 6 and any(evaluate(d, least) < 2 for d in polys
                                      if atom in symbols(d)):
            least[atom] += 1
    draw = random.Random(0)
    chosen: list[dict[Atom, int]] = []
    while len(chosen) < 24 and (len(chosen) < 6 or not _distinct(polys, chosen)):
        values, order = dict(least), draw.sample(atoms, len(atoms))
        for atom in order * 3:
            more = {**values, atom: values[atom] + draw.randint(1, 2)}
            more = {a: _within(a, more[a], more) for a in atoms}
            if _fits(shapes, more, max(_FEW, 4 * _count(shapes, least))):
                values = more
        if values not in chosen:
            chosen.append(values)
    return chosen


def _count(shapes: Iterable[tuple[Dim, ...]], sizes: dict[Atom, int]) -> int:
    return max(int(math.prod(max(evaluate(d, sizes), 1) for d in s)) for s in shapes)


def _distinct(polys: list[Poly], chosen: list[dict[Atom, int]]) -> bool:
    """Does each dim have other sizes than any other, and than any constant?"""
    seen = {tuple(evaluate(p, c) for c in chosen) for p in polys}
    return len(seen) == len(set(polys)) and all(len(set(s)) > 1 for s in seen)


def tells_apart(dims: Iterable[Any], accepted: list[dict[Atom, int]],
                tried: list[dict[Atom, int]]) -> bool:
    """Do the assignments that a function accepted, of those tried, show as many dims to differ,
    from one another and from a constant?"""
    polys = [d for d in dims if isinstance(d, Poly)]

    def seen(chosen: list[dict[Atom, int]]) -> tuple[int, int]:
        rows = [tuple(evaluate(p, c) for c in chosen) for p in polys]
        return len(set(rows)), sum(len(set(row)) > 1 for row in rows)

    return seen(accepted) == seen(tried)


@functools.lru_cache(4096)
def _assignments(dims: tuple[Any, ...]) -> list[dict[Atom, int]]:
    polys = [d for d in dims if isinstance(d, Poly)]
    numbers = [d for d in dims if isinstance(d, int) and 1 < d <= _LARGE]
    found: dict[Atom, None] = {}
    for d in polys:
        found.update(dict.fromkeys(symbols(d)))
    atoms = sorted(found, key=lambda a: (a.high is not None, a.key))
    if not atoms:
        return [{}]
    chosen = [_assignment(atoms, polys)]
    pairs: set[tuple[Any, Any]] = {(a, b) for a in polys for b in (*polys, *numbers) if a != b}
    pairs |= {(b, a) for a, b in pairs}
    limit = 10 + _penalty(polys, chosen[0])  # some sizes are small whatever is chosen
    candidates = [c for c in _extremes(atoms) if _penalty(polys, c) < limit]
    pairs -= _ordered(pairs, chosen[0])
    while candidates and len(chosen) < 6:
        gains = [_ordered(pairs, c) for c in candidates]
        best = max(range(len(candidates)), key=lambda i: len(gains[i]))
        if len(chosen) >= 3 and not gains[best]:
            break
        chosen.append(candidates.pop(best))
        pairs -= gains[best]
    return [c for c in _varied(chosen, candidates, atoms) if _are_defined(polys, c)]


def _are_defined(polys: list[Poly], values: dict[Atom, int]) -> bool:
    """Have all dims a value?  The number of items of ``x[::0]`` has none."""
    try:
        return all(evaluate(p, values) is not None for p in polys)
    except (ValueError, ZeroDivisionError):
        return False


def _varied(chosen: list[dict[Atom, int]], candidates: list[dict[Atom, int]],
            atoms: list[Atom]) -> list[dict[Atom, int]]:
    """Assignments in which each of several symbols has three values (more where there are plain
    integers, on which sizes depend in more ways): a result that is the smaller of two of them
    must not look like a constant."""
    wanted, most = (6, 14) if any(a.low is None for a in atoms) else (3, 8)

    def news(candidate: dict[Atom, int]) -> int:
        seen = [{c[a] for c in chosen} for a in atoms]
        return sum(candidate[a] not in s for a, s in zip(atoms, seen) if len(s) < wanted)

    while len(atoms) > 1 and len(chosen) < most:
        best = max(candidates, key=news, default=None)
        if best is None or not news(best):
            break
        candidates.remove(best)
        chosen.append(best)
    negative = [{**chosen[0], atom: -2} for atom in atoms if atom.low is None]
    return chosen + negative[:3] + _within_bounds(chosen, atoms) + _drawn(atoms)


def _drawn(atoms: list[Atom]) -> list[dict[Atom, int]]:
    """Assignments without any system, so that no sum of sizes is the same in all: plain integers
    are small, as indices are."""
    plain = [a for a in atoms if a.low is None or a.high is not None]
    draw, found = random.Random(len(atoms)), []
    columns = {a: draw.sample(range(3, 13), 7) for a in atoms}
    for column in columns.values():
        column.insert(draw.randrange(5), 2)  # shorter than most windows and kernels
    for k in range(8 if len(plain) > 1 else 5):
        values: dict[Atom, int] = {}
        for atom in atoms:
            number = draw.randint(-2, 3) if atom in plain else columns[atom][k]
            values[atom] = _within(atom, number, values)
        found.append(values)
    return found


def _within_bounds(chosen: list[dict[Atom, int]], atoms: list[Atom]) -> list[dict[Atom, int]]:
    """Assignments with the other values of numbers of a few values (the index of a loop, which
    may be the number of an axis)."""
    found = []
    for atom in atoms:
        if isinstance(atom.high, int) and isinstance(atom.low, int):
            ends = {*range(atom.low, atom.high + 1)[:3], *range(atom.low, atom.high + 1)[-2:]}
            found += [{**chosen[0], atom: v} for v in sorted(ends - {c[atom] for c in chosen})]
    return found


def _ordered(pairs: set[tuple[Any, Any]], values: dict[Atom, int]) -> set[tuple[Any, Any]]:
    """The pairs whose first dim is the smaller one."""
    return {(a, b) for a, b in pairs if evaluate(a, values) < evaluate(b, values)}


def _extremes(atoms: list[Atom]) -> list[dict[Atom, int]]:
    """Assignments where some symbols are large and the others small."""
    found = []
    shifts = range(len(atoms)) if len(atoms) < 6 else range(6)
    rules: list[Callable[[int, int], int]] = [
        lambda k, j: _LARGE + k if k == j else _SMALL[(k + j) % 5],
        lambda k, j: _SMALL[j % 5] if k == j else _TABLE[(k + 3) % 10] + 4,
        lambda k, j: _TABLE[(len(atoms) - k + 2 * j) % 10],
        lambda k, j: 2 if k == j else _TABLE[(k + 5) % 10],
    ]
    for j in shifts:
        for rule in rules:
            values: dict[Atom, int] = {}
            for k, atom in enumerate(atoms):
                values[atom] = _within(atom, rule(k, j), values)
            if values not in found:
                found.append(values)
    return found


def _assignment(atoms: list[Atom], polys: list[Poly]) -> dict[Atom, int]:
    """Moderate sizes, all different."""
    best: tuple[int, dict[Atom, int]] | None = None
    for scale in (0, 3, 8, 1, 17, 40):
        values: dict[Atom, int] = {}
        for k, atom in enumerate(atoms):
            values[atom] = _within(atom, _TABLE[k % 10] + scale * (1 + k // 10), values)
        penalty = _penalty(polys, values)
        if best is None or penalty < best[0]:
            best = (penalty, values)
        if penalty == 0:
            break
    assert best is not None
    return best[1]


def _within(atom: Atom, value: int, known: dict[Atom, int]) -> int:
    low = _bound(atom.low, known)
    high = _bound(atom.high, known)
    if high is not None and value > high:
        value = (2 + value % max(1, high - 1)) if high >= 2 else high
    if low is not None and value < low:
        value = low + value % 3
        value = value if high is None else min(value, high)
    return value


def _bound(bound: Any, known: dict[Atom, int]) -> int | None:
    try:
        return None if bound is None else int(evaluate(bound, known))
    except (KeyError, ZeroDivisionError, ValueError):
        return None


def _penalty(polys: list[Poly], values: dict[Atom, int]) -> int:
    try:
        sizes: list[int] = [evaluate(p, values) for p in polys]
    except (ZeroDivisionError, ValueError):
        return 1000
    small = sum(50 if s < 0 else 10 if s < 2 else 3 if s < 3 else 0 for s in sizes)
    return small + (len(sizes) - len(set(sizes))) + sum(s > 40 for s in sizes)


def equated(a: Dim, b: Dim) -> dict[Atom, Dim] | None:
    """A substitution of one plain symbol that makes two dims equal; None if none is found."""
    for left, right in ((a, b), (b, a)):
        left = _without_clamp(left)
        if not isinstance(left, Poly):
            continue
        for monomial, coefficient in left.ordered():
            if len(monomial) != 1 or monomial[0][1] != 1 or abs(coefficient) != 1:
                continue
            atom = monomial[0][0]
            rest = add(left, multiply(-1, Poly({monomial: coefficient})))
            if atom.args or atom in symbols(rest) or atom in symbols(right):
                continue
            return {atom: multiply(coefficient, add(_without_clamp(right), multiply(-1, rest)))}
    return _divisible(a, b)


def _divisible(a: Dim, b: Dim) -> dict[Atom, Dim] | None:
    """A symbol that makes two dims equal if it is a multiple of what it is divided by: the
    halves ``n // 2`` and ``n - n // 2``."""
    for dim in (a, b):
        for atom in dim.atoms() if isinstance(dim, Poly) else ():
            if atom.name != "floordiv" or not isinstance(atom.args[1], int):
                continue
            for divided in symbols(atom.args[0]):
                trial: dict[Atom, Dim] = {divided: multiply(atom.args[1], of_atom(divided))}
                if substitute(a, trial) == substitute(b, trial):
                    return trial
    return None


def _without_clamp(dim: Dim) -> Dim:
    if isinstance(dim, Poly) and len(dim.terms) == 1:
        (monomial, coefficient), = dim.terms.items()
        if coefficient == 1 and len(monomial) == 1 and monomial[0][0].name == "max":
            args = monomial[0][0].args
            if 0 in args:
                other = args[0] if args[1] == 0 else args[1]
                return other  # type: ignore[no-any-return]
    return dim


Equations = list[tuple[Dim, Dim]]


def unifications(shapes: list[tuple[Dim, ...]], dims: list[Dim],
                 numbers: list[int]) -> Iterator[tuple[Equations, bool]]:
    """Equations between dims (or with a multiple of a number) that NumPy may insist on, fewest
    first, with whether their number could not be smaller: pairs, multiples, shapes that agree
    along their axes, pairs of pairs; at last all dims, which proves nothing about any two, or one
    where another size is."""
    unequal = list(dict.fromkeys(d for d in dims if isinstance(d, Poly)))
    either: list[Dim] = [*unequal, *dict.fromkeys(d for d in dims if isinstance(d, int) and d > 1)]
    pairs: Equations = [p for p in itertools.combinations(either, 2)
             if isinstance(p[0], Poly) and equated(*p)][:60]
    yield from (([p], True) for p in pairs)
    for factor in dict.fromkeys(numbers):  # before equality: a multiple proves less
        for d in unequal:
            yield [(d, multiply(factor, symbol("quotient", low=1)))], True
    same: Equations = list(itertools.product(unequal, dict.fromkeys(numbers)))[:40]
    yield from (([p], True) for p in same)
    pairs += same
    yield from ((equations, True) for equations in _agreements(shapes))
    for first, second in itertools.islice(itertools.combinations(pairs, 2), 300):
        yield [first, second], True
    for number in dict.fromkeys(d for d in dims if isinstance(d, int) and d > 1):
        yield [(d, number) for d in unequal], False
    yield list(itertools.pairwise(unequal)), False
    if 1 in dims:
        yield [(d, 1) for d in unequal], False


def _agreements(shapes: list[tuple[Dim, ...]]) -> Iterator[Equations]:
    """Pairs of dims that are equal if all shapes agree from the front or from the back, without
    one axis, or if each shape begins as the one before it ends."""
    ranked = [s for s in shapes if s]
    if len(ranked) < 2:
        return
    neighbours = list(itertools.pairwise(ranked))
    rank = max(map(len, ranked))
    for skipped in (None, *range(rank)):
        yield [p for a, b in neighbours for i, p in enumerate(zip(a, b))
               if i != skipped and 1 not in p]
        yield [p for a, b in neighbours for i, p in enumerate(zip(a[::-1], b[::-1]))
               if i != skipped and 1 not in p]
    yield [(a[-1], b[0]) for a, b in neighbours if 1 not in (a[-1], b[0])]


def all_equated(pairs: Equations) -> dict[Atom, Dim]:
    """One substitution that solves several equations; those it cannot solve are left out."""
    solution: dict[Atom, Dim] = {}
    for a, b in pairs:
        found = equated(substitute(a, solution), substitute(b, solution))
        if found:
            solution = {k: substitute(v, found) for k, v in solution.items()} | found
    return solution


class Matcher:
    """Recognises sizes seen in several runs as expressions of the known dims.  Unless the sizes
    that are equal in the runs are so of necessity, a size that may be any of them is unknown."""

    def __init__(self, dims: Iterable[Any], runs: list[dict[Atom, int]],
                 necessary: bool = True) -> None:
        known = list(dict.fromkeys(d for d in dims if isinstance(d, Poly)))
        self.runs = runs
        self.necessary = necessary
        self.known = [d for d in known if all(_evaluable(d, r) for r in runs)]
        self.values = {d: [evaluate(d, r) for r in runs] for d in self.known}
        atoms = dict.fromkeys(a for d in known for a in symbols(d))
        self.plain: list[Dim] = [of_atom(a) for a in atoms if all(a in r for r in runs)]

    def identify(self, seen: list[int]) -> Dim | None:
        """The dim whose sizes in the runs are ``seen``; None if nothing simple fits."""
        same = [d for d in self.known if self.values[d] == seen]
        if len(self.runs) == 1:
            return seen[0] if not self.known else None
        if same:
            return same[0] if self.necessary or len(same) == 1 else None
        if len(set(seen)) == 1:
            return seen[0]
        if not self.necessary:
            return None
        for candidate in self._candidates(seen):
            if all(_evaluable(candidate, r) for r in self.runs) and \
                    [evaluate(candidate, r) for r in self.runs] == seen:
                return candidate
        return None

    def _candidates(self, seen: list[int]) -> Iterator[Dim]:
        bases = list(dict.fromkeys([*self.known, *self.plain]))
        for d in bases:
            offset = seen[0] - evaluate(d, self.runs[0])
            yield maximum(0, add(d, offset)) if offset < 0 else add(d, offset)
        pairs = list(itertools.combinations(bases, 2))
        for a, b in pairs:
            yield from (minimum(a, b), maximum(a, b))
        for count in range(2, len(bases) + 1):
            for group in itertools.islice(itertools.combinations(bases, count), 60):
                total: Dim = 0
                product: Dim = 1
                for d in group:
                    total, product = add(total, d), multiply(product, d)
                offset = seen[0] - evaluate(total, self.runs[0])
                yield maximum(0, add(total, offset)) if offset < 0 else add(total, offset)
                yield product
        for d in bases:
            yield from self._linear(d, seen)
            for power in (2, 3):
                product = 1
                for _ in range(power):
                    product = multiply(product, d)
                yield product
        for a, b in itertools.permutations(bases, 2):
            difference = add(a, multiply(-1, b))
            offset = seen[0] - evaluate(difference, self.runs[0])
            yield maximum(0, add(difference, offset))
            spread = add(maximum(a, b), multiply(-1, minimum(a, b)))
            yield add(spread, 1)

    def _linear(self, d: Dim, seen: list[int]) -> Iterator[Dim]:
        numbers = [evaluate(d, r) for r in self.runs]
        if len(numbers) < 3 or numbers[0] == numbers[1]:
            return
        rise, run = seen[1] - seen[0], numbers[1] - numbers[0]
        if rise % run == 0:
            slope = rise // run
            yield add(multiply(slope, d), seen[0] - slope * numbers[0])
        for divisor in (2, 3, 4):
            for offset in range(divisor):
                quotient = floor_divide(add(d, offset), divisor)
                yield quotient
                yield add(quotient, 1)
        triangle = multiply(d, add(d, 1))
        yield floor_divide(triangle, 2)
        yield floor_divide(multiply(d, add(d, -1)), 2)


def _evaluable(dim: Dim, run: dict[Atom, int]) -> bool:
    try:
        evaluate(dim, run)
    except (KeyError, ZeroDivisionError, ValueError):
        return False
    return True
