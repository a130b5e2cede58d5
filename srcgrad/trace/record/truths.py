"""What is known to be true in a region, by the branches around it, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...graph.ir import Value
from ...types.dims import Dim, add, evaluate, multiply, proves_nonnegative, symbols
from ...types.kinds import SCALARS, Kind
from ...types.operators import NEGATED
from ..assumptions import DecidedCondition
from ..collaborator import Collaborator
from ..flow.members import Joined
from .regions import Region
from .settling import UNKNOWN, leaves_behind, settled


class Truths(Collaborator):
    """Truth values, and what they tell of one another."""

    speaks_to = ("comparisons", "recorder", "sources")

    def __init__(self) -> None:
        self.implied: dict[tuple[Value, bool], list[tuple[Value, bool]]] = {}
        # truth values that are those of predicates, or not
        self.equals: dict[Value, tuple[Value, bool]] = {}
        self.settled: dict[Value, bool] = {}  # truth values of what a loop's test has told

    def facts(self, value: Value, truth: bool) -> dict[Value, bool]:
        """What follows from the truth of a value for others."""
        found: dict[Value, bool] = {}
        todo = [(value, truth)]
        while todo:
            fact = todo.pop()
            if fact[0] not in found:
                found[fact[0]] = fact[1]
                todo.extend(self.implied.get(fact, ()))
        return found

    def known_truth(self, value: Value) -> bool | None:
        """The truth of a value in this region, where a branch around it has tested it, or a
        loop does."""
        if value in self.settled:
            return self.settled[value]
        for region in self.recorder.region.around():
            if region.given is not None:
                found = self.facts(*region.given).get(value)
                if found is not None:
                    return found
            since, told = region.told.get(value, (None, None))
            if since is not None and since.still_holds():
                return told
        return None

    def tell_items(self, size: Dim) -> bool:
        """Do the branches around tell that a list of this size has items?"""
        conditions = self.comparisons.conditions
        return any(value in conditions and is_at_least_one(size, *conditions[value], truth)
                   for value, truth in self._around())

    def tell_bound(self, value: Value) -> bool:
        """Do the branches around tell that a value is not None?"""
        asked = self.comparisons.asked_for_none
        return any(v in asked and asked[v][0] is value and asked[v][1] is not truth
                   for v, truth in self._around())

    def _around(self) -> Iterator[tuple[Value, bool]]:
        """What the branches around tell."""
        for region in self.recorder.region.around():
            if region.given is not None:
                yield from self.facts(*region.given).items()
            yield from self.told(region).items()

    def not_reached(self) -> list[DecidedCondition]:
        """The conditions on sizes that tell that this call does not come here."""
        fixed = self.comparisons.fixed_condition
        for region in self.recorder.region.around():
            for value, truth in () if region.given is None else self.facts(*region.given).items():
                tested = leaves_behind(region, value, lambda v: fixed(v) is not None)
                if tested and settled(region, value, self._number) == (not truth):
                    return [DecidedCondition(*c) for v in tested if (c := fixed(v)) is not None]
        return []

    def _number(self, size: Value) -> Any:
        """What a size is in this call; unknown if a loop counts it."""
        numbers = self.sources.numbers
        return evaluate(size.aval.expr or 0, numbers) if (
            numbers.keys() >= {*symbols(size.aval.expr or 0)}) else UNKNOWN

    def note_raising(self, predicate: Value, truth: bool) -> None:
        """The branch just recorded goes on only if its predicate has this truth."""
        nodes = self.recorder.region.builder.nodes
        if nodes and nodes[-1].op == "if" and nodes[-1].inputs[0] is predicate:
            for value, told in self.facts(predicate, truth).items():
                self.recorder.region.told[value] = (self.recorder.region.now, told)

    def told(self, region: Region) -> dict[Value, bool]:
        """What the branches in a region tell that have not raised."""
        return {value: truth for value, (since, truth) in region.told.items()
                if since.still_holds()}

    def note_truths(self, predicate: Value, rows: list[Joined], outputs: tuple[Value, ...]) -> None:
        """What the truth of an output tells: where only one arm can have given it, that arm was
        taken."""
        known = (self.facts(predicate, True), self.facts(predicate, False))
        for row, value in zip(rows, outputs, strict=False):
            aval = row.leaf.aval
            if aval.kind is not Kind.BOOL and (aval.kind not in SCALARS or aval.dtype != bool):
                continue
            parts = [facts.get(v, v) if isinstance(v, Value) else v for v, facts in zip(
                (getattr(p, "value", p) for p in row.parts), known, strict=True)]
            if not all(type(p) is bool or isinstance(p, Value) for p in parts):
                continue
            for truth in (True, False):
                possible = [p is truth or isinstance(p, Value) for p in parts]
                if sum(possible) == 1:
                    arm = possible.index(True)
                    told, part = [(predicate, arm == 0)], parts[arm]
                    if isinstance(part, Value):
                        told.append((part, truth))
                    self.implied[value, truth] = told
            if aval.kind is predicate.aval.kind is Kind.BOOL and (
                    type(parts[0]) is type(parts[1]) is bool) and parts[0] is not parts[1]:
                self.equals[value] = (predicate, parts[0] is True)


def is_at_least_one(size: Dim, op: str, left: Dim, right: Dim, truth: bool) -> bool:
    """Does a size that is not negative have to be at least 1 where a condition has this truth?

    >>> from srcgrad.types.dims import symbol
    >>> k = symbol("k", low=0)
    >>> is_at_least_one(k, "==", k, 0, False), is_at_least_one(k, "<", 2, k, True)
    (True, True)
    >>> is_at_least_one(k, "<", k, 2, True)
    False
    """
    op = op if truth else NEGATED[op]
    if op in ("<", "<="):
        op, left, right = {"<": ">", "<=": ">="}[op], right, left
    more = add(left, multiply(-1, right))
    if op == "!=":
        return more in (size, multiply(-1, size))
    if op == "==":
        return proves_nonnegative(add(add(size, -1), more)) or proves_nonnegative(
            add(add(size, -1), multiply(-1, more)))
    return proves_nonnegative(add(add(size, -(op == ">=")), multiply(-1, more)))
