"""One of several things by a number that is known at run time only: ``rows[k]``, the least of some
tuples, items in the order of a traced key."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...graph.ir import Value
from ...types.dims import proves_nonnegative
from ...types.kinds import INT
from ...types.spelling import Method
from ..collaborator import Collaborator
from ..record.journal import Content
from ..record.structures import is_mutable, leaf_aval, rebuilder
from ..record.tracers import Late, is_tracer

PLACES = frozenset({np.argmin, np.argmax, Method("argmin"), Method("argmax"), len})
RECENT = 50  # operations that are looked through for what made a number


class Among(Collaborator):
    """Numbers that choose from several things."""

    speaks_to = ("lists", "merges", "pools", "recorder", "references", "stored_lists")

    def computed(self, content: Any) -> Any:
        """A number that may have to be computed now."""
        return content.make(self.machine) if type(content) is Late else content

    def pick(self, items: list[Any], index: Any) -> Any:
        """The item with a traced number; None if the items have too little in common."""
        first = items[0]
        if all(i is first for i in items):
            return first
        if all(type(i) is int for i in items) and items == list(range(len(items))):
            return index
        if all(leaf_aval(i) is not None for i in items):
            found = self.lists.list_read(items, index)
            return self.lists.one_among(items, index) if found is None else found
        if isinstance(first, tuple) and all(
                type(i) is type(first) and len(i) == len(first) for i in items):
            parts = [self.pick(list(column), index)
                     for column in zip(*map(self.lists.items_seen, items), strict=True)]
            if not any(p is None for p in parts):
                return rebuilder(first)(parts)
        self.stored_lists.unite(*items)
        for one in filter(is_mutable, items):
            self.references.store_instead(one)
            if self.merges.is_outside(one):
                self.pools.store_instead(one)
        return self.lists.one_among(items, index)

    def number_among(self, items: list[Any] | tuple[Any, ...], index: Any) -> Any:
        """The place that an index of a list or tuple names, counted from its beginning."""
        if type(index) is int:
            return range(len(items))[index]
        if (is_tracer(index) and index.aval.expr is not None and proves_nonnegative(
                index.aval.expr)) or self._is_place(index.value):
            return index
        return self.recorder.computed(operator.getitem, INT, places_of(items), index)

    def _is_place(self, value: Value) -> bool:
        """Is a number what a search has found: never negative?"""
        for node in reversed(self.recorder.region.builder.nodes[-RECENT:]):
            if value in node.outputs:
                fn = node.params.get("fn")
                if fn is int or fn is operator.getitem:
                    return fn is int and self._is_place(node.inputs[0])
                return fn in PLACES
        return False

    def put_among(self, obj: list[Any], key: Any, value: Any) -> None:
        """``items[key] = value`` for things that stay themselves, at a traced place."""
        place = self.number_among(obj, key)
        self.journal.touch(Content(obj, self.symbolic_lists))
        for i, old in enumerate(list(obj)):
            test = self.machine.compare("==", place, i)
            obj[i] = self.machine.if_expression(test, lambda: value, lambda old=old: old)


def places_of(items: list[Any] | tuple[Any, ...]) -> list[int] | tuple[int, ...]:
    """The numbers of the items, in what says the same of an index that lies outside."""
    return tuple(range(len(items))) if isinstance(items, tuple) else list(range(len(items)))
