"""Where arrays from outside lie: which share memory, and which are in C order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import AliasError
from ...types.guards import Path, overlap
from ..assumptions import KnownLengths, ViewsTold
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.tracers import ArrayTracer, Home
from .input_arrays import keeps_c_order


class Memory(Collaborator):
    """Overlaps and layouts, which are guarded where they matter."""

    speaks_to = ("elements", "recorder", "sources")

    def check_overlaps(self) -> None:
        """Arrays from outside that are written to must not share memory with others, unless
        they are one array under two names (then tracing starts again with that knowledge)."""
        written = [a for a in self.sources.outside_arrays if a[1].home.written]
        for path, _, obj in written:
            for other_path, _, other in self.sources.outside_arrays:
                if other_path == path or not np.may_share_memory(obj, other):
                    if other_path != path:
                        self.sources.guard("overlap", path, other_path)
                    continue
                if obj is other:
                    first, second = sorted((path, other_path), key=self.order_of)
                    raise Restart(self.assumed.known(str(first), str(second)))
                if np.shares_memory(obj, other):
                    raise self.recorder.fatal(AliasError(
                        f"{path} is written to and shares memory with {other_path}",
                        where=f"arguments {path} and {other_path}",
                        why="a write to one changes part of the other, which the derivative "
                            "cannot follow",
                        fix="pass a copy (`.copy()`) of one of them"))
                self.sources.guard("overlap", path, other_path)

        lists = [(path, arrays) for path, arrays, _ in self.sources.array_lists]
        changed = [(path, arrays) for path, arrays, column in self.sources.array_lists
                   if self.elements.is_written(column)]
        everything: list[tuple[Path, Any]] = [
            *lists, *((path, obj) for path, _, obj in self.sources.outside_arrays)]
        pairs: tuple[Any, ...] = (([(path, obj) for path, _, obj in written], lists),
                                  (changed, everything))
        for some, others in pairs:
            for (path, one), (other_path, other) in itertools.product(some, others):
                if overlap(one, other):
                    raise Restart(KnownLengths())
                self.sources.guard("overlap", path, other_path)

    def order_of(self, path: Path) -> int:
        return next(i for i, (p, *_) in enumerate(self.sources.outside_arrays) if p == path)

    def lies_in_c_order(self, tracer: ArrayTracer) -> bool:
        """Is it known that an array is C-contiguous?  Arrays that the function made, and the parts
        of them that lie in one piece, may be; of those from outside it is guarded where views are
        told from copies."""
        if not all(map(keeps_c_order, tracer.steps)):
            return False
        home = tracer.home
        return home.contiguous or (home.made_from != () and self.assumed.of(ViewsTold) != [] and (
            all(map(self._guarded_order, home.made_from))))

    def _guarded_order(self, home: Home) -> bool:
        path, _, obj = next(a for a in self.sources.outside_arrays if a[1].home is home)
        self.sources.guard("contiguous", path, bool(obj.flags.c_contiguous))
        return bool(obj.flags.c_contiguous)

    def made_from(self, tracers: Iterable[ArrayTracer]) -> tuple[Home, ...] | None:
        """The arrays from outside in whose order others lie; None if more than that decides."""
        found: dict[Home, None] = {}
        for tracer in tracers:
            if not all(map(keeps_c_order, tracer.steps)) or not (
                    tracer.home.contiguous or tracer.home.made_from):
                return None
            found.update(dict.fromkeys(tracer.home.made_from))
        return tuple(found)

    def tell_views(self, home: Home) -> None:
        """Start again with views told from copies if an array, or what it is a view of, lies in C
        order in this call because of arrays from outside."""
        made_from = (home.layout_of or home).made_from
        if made_from and not self.assumed.of(ViewsTold) and all(
                obj.flags.c_contiguous for _, known, obj in self.sources.outside_arrays
                if known.home in made_from):
            raise Restart(ViewsTold())
