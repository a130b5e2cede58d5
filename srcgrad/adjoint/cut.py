"""Keep or compute again: the cheapest choice for the values that a backward region reads.

A value is at hand in the backward part if it is kept, at a price, or computed again, at another
price and from operands that are at hand as well.  Which choice costs least for all values together
is a minimal cut (Boykov, Veksler & Zabih 2001, energies of pairs of binary variables): each value
has two nodes, *at hand* and *again*, that lie on the side of the sink if they are true.  An edge of
unlimited capacity from the operand's *at hand* to *again* says that it takes the operand; one from
*again* to *at hand* costs what keeping does; one from the source to *again* what computing does.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from ..types.dataclasses import dataclass

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Way(Generic[K]):
    """How a value can be had: the price of keeping it, and that of computing it again from
    ``operands`` (infinite where that is no way)."""

    keep: float
    again: float = math.inf
    operands: tuple[K, ...] = ()


def computed_again(needed: Iterable[K], ways: Mapping[K, Way[K]]) -> set[K]:
    """Those of the values that are computed again where ``needed`` are had at the least price;
    operands without a way cost nothing.

    >>> ways = {"a": Way(8.0), "b": Way(8.0, 1.0, ("a",)), "c": Way(8.0, 9.0, ("b",))}
    >>> sorted(computed_again(["a", "b", "c"], ways))
    ['b']
    """
    order = _reached(needed, ways)
    number = {value: 2 + 2 * place for place, value in enumerate(order)}
    flow = _Flow(2 + 2 * len(order))
    for value in order:
        way, hand = ways[value], number[value]
        flow.add(hand + 1, hand, way.keep)
        if way.again < math.inf:
            flow.add(0, hand + 1, way.again)
            for operand in way.operands:
                if operand in number:
                    flow.add(number[operand], hand + 1, math.inf)
        else:
            flow.add(0, hand + 1, math.inf)
    for value in needed:
        flow.add(number[value], 1, math.inf)
    reached = flow.cut()
    return {value for value, hand in number.items() if hand + 1 not in reached}


def _reached(needed: Iterable[K], ways: Mapping[K, Way[K]]) -> list[K]:
    """The values that may be of use."""
    found: dict[K, None] = {}
    waiting = list(needed)
    while waiting:
        value = waiting.pop()
        if value not in found and value in ways:
            found[value] = None
            waiting.extend(ways[value].operands)
    return list(found)


class _Flow:
    """A network from node 0 to node 1 (Dinic 1970)."""

    def __init__(self, size: int) -> None:
        self.edges: list[list[int]] = [[] for _ in range(size)]
        self.head: list[int] = []
        self.room: list[float] = []

    def add(self, tail: int, head: int, room: float) -> None:
        self.edges[tail].append(len(self.head))
        self.edges[head].append(len(self.head) + 1)
        self.head += head, tail
        self.room += room, 0.0

    def levels(self) -> list[int]:
        """The distance of each node from the source; -1 for those that cannot be reached."""
        level = [-1] * len(self.edges)
        level[0] = 0
        waiting = deque([0])
        while waiting:
            node = waiting.popleft()
            for edge in self.edges[node]:
                if self.room[edge] > 0 and level[self.head[edge]] < 0:
                    level[self.head[edge]] = level[node] + 1
                    waiting.append(self.head[edge])
        return level

    def cut(self) -> set[int]:
        """The nodes on the side of the source after a largest flow."""
        while (level := self.levels())[1] >= 0:
            places = [0] * len(self.edges)
            while self._augment(level, places):
                pass
        return {node for node, distance in enumerate(level) if distance >= 0}

    def _augment(self, level: list[int], places: list[int]) -> bool:
        """Sends what one path can take."""
        path: list[int] = []
        node = 0
        while node != 1:
            edges = self.edges[node]
            while places[node] < len(edges):
                edge = edges[places[node]]
                if self.room[edge] > 0 and level[self.head[edge]] == level[node] + 1:
                    break
                places[node] += 1
            else:
                if not path:
                    return False
                node = self.head[path.pop() ^ 1]
                places[node] += 1
                continue
            path.append(edge)
            node = self.head[edge]
        most = min(self.room[edge] for edge in path)
        assert most < math.inf, "what is needed can be had"
        for edge in path:
            self.room[edge] -= most
            self.room[edge ^ 1] += most
        return True
