"""Names and the spans of program order in which they are taken."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import count

from srcgrad.graph.ir import Value

Span = tuple[int, int]
TEMPORARY = "<temporary>"  # wanted by values that nobody named: t1, t2, ...
SECOND = "<second>"  # ends the wanted name of a value whose first name was taken


class NameTable:
    """Gives names to values: a name may be reused where the spans do not meet.

    >>> table = NameTable({"np"})
    >>> table.take("x", [(0, 5)]), table.take("x", [(4, 9)]), table.take("x", [(5, 7)])
    ('x', 'x_2', 'x')
    >>> table.take("np", [(0, 1)])
    'np_2'
    """

    def __init__(self, reserved: Iterable[str], hints: Iterable[str] = ()) -> None:
        self.reserved = frozenset(reserved)
        self.hints = frozenset(hints)  # not to be taken by names with numbers
        self.spans: dict[str, list[Span]] = {}
        self.owner: dict[tuple[str, int], Value] = {}
        self.series: dict[str, Series] = {}

    def is_free(self, name: str, spans: Iterable[Span]) -> bool:
        if name in self.reserved:
            return False
        taken = self.spans.get(name)
        if not taken:
            return True
        for start, end in spans:
            i = bisect_left(taken, (start, start))
            if i < len(taken) and taken[i][0] < end:
                return False
            if i and taken[i - 1][1] > start:
                return False
        return True

    def holders(self, name: str, spans: Iterable[Span]) -> list[Value]:
        """The values that have the name somewhere in the spans."""
        found: dict[Value, None] = {}
        taken = self.spans.get(name, [])
        for start, end in spans:
            i = bisect_left(taken, (start, start))
            i -= bool(i and taken[i - 1][1] > start)
            while i < len(taken) and taken[i][0] < end:
                owner = self.owner.get((name, taken[i][0]))
                if owner is not None:
                    found[owner] = None
                i += 1
        return list(found)

    def occupy(self, name: str, spans: Iterable[Span], owner: Value | None = None) -> None:
        taken = self.spans.setdefault(name, [])
        for span in spans:
            insort(taken, span)
            if owner is not None:
                self.owner[name, span[0]] = owner

    def take(self, wanted: str, spans: list[Span], preferred: str | None = None,
             owner: Value | None = None) -> str:
        """A free name for the spans: ``preferred``, ``wanted``, or ``wanted`` with a number."""
        if preferred is not None and self.is_free(preferred, spans):
            self.occupy(preferred, spans, owner)
            return preferred
        name = self.first_free(wanted, spans)
        self.occupy(name, spans, owner)
        return name

    def first_free(self, wanted: str, spans: list[Span]) -> str:
        """The first candidate that is free."""
        if wanted not in self.series:
            self.series[wanted] = Series(candidates(wanted))
        series, start = self.series[wanted], spans[0][0] if spans else 0
        for number in series.open(start):
            name = series.names[number]
            if (name == wanted or name not in self.hints) and self.is_free(name, spans):
                return name
            series.block(number, start, self.end(name, start))
        raise AssertionError("there is always one more")

    def end(self, name: str, start: int) -> int:
        """Where the span of a name ends that holds ``start`` inside; 0 if there is none."""
        taken = self.spans.get(name, [])
        i = bisect_left(taken, (start, start))
        return taken[i - 1][1] if i else 0


class Series:
    """The candidates for a name, in their order.  Those that a span holds which began before are
    passed over until it ends, or somebody asks for an earlier place: thousands live long."""

    def __init__(self, following: Iterator[str]) -> None:
        self.following = following
        self.names: list[str] = []
        self.ready: list[int] = []
        self.blocked: list[tuple[int, int]] = []  # a heap: until when, and which
        self.latest = 0

    def open(self, start: int) -> Iterator[int]:
        """The numbers of candidates that may be free at ``start``."""
        if start < self.latest:
            self.ready, self.blocked = [*range(len(self.names))], []
        self.latest = start
        while self.blocked and self.blocked[0][0] <= start:
            insort(self.ready, heappop(self.blocked)[1])
        yield from [*self.ready]
        for name in self.following:
            self.names.append(name)
            self.ready.append(len(self.names) - 1)
            yield self.ready[-1]

    def block(self, number: int, start: int, end: int) -> None:
        """Candidate ``number`` is not free at ``start``, up to ``end`` if that comes later."""
        if end > start:
            self.ready.remove(number)
            heappush(self.blocked, (end, number))


def candidates(wanted: str) -> Iterator[str]:
    """``x``, ``x_2``, ``x_3``…; for a second name ``x_1``, ``x_2``…

    >>> from itertools import islice
    >>> list(islice(candidates("x"), 3)), list(islice(candidates(TEMPORARY), 2))
    (['x', 'x_2', 'x_3'], ['t1', 't2'])
    """
    if wanted == TEMPORARY:
        yield from (f"t{number}" for number in count(1))
    if wanted.endswith(SECOND):
        base = wanted.removesuffix(SECOND)
        yield from (f"{base}_{number}" for number in count(1))
    yield wanted
    yield from (f"{wanted}_{number}" for number in count(2))
