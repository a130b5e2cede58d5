"""Where arrays from outside lie: which share memory, and which are in C order."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ...errors import AliasError
from ...types.guards import Path, overlap
from ..assumptions import GuardedLayout, KnownLengths
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
                    raise Restart(self.assumed.one_object(str(first), str(second)))
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

    def layout_of(self, tracer: ArrayTracer) -> bool | None:
        """Is an array C-contiguous?  Known for arrays the function made and the parts of them
        that lie in one piece; for those from outside it is guarded once it matters."""
        if not all(keeps_c_order(step) for step in tracer.steps):
            return None
        known = self._root_layout(tracer)
        return known if known or not tracer.steps else None

    def _root_layout(self, tracer: ArrayTracer) -> bool | None:
        for path, known, obj in self.sources.outside_arrays:
            if known.home is tracer.home:
                if GuardedLayout(str(path)) not in self.assumed:
                    return None
                self.sources.guard("contiguous", path, bool(obj.flags.c_contiguous))
                return bool(obj.flags.c_contiguous)
        return tracer.home.contiguous

    def want_layout(self, home: Home) -> None:
        """Start again with the layout of an array from outside as a guarded fact."""
        for source in (*home.made_from, *(() if home.layout_of is None else (home.layout_of,))):
            self.want_layout(source)
        for path, known, obj in self.sources.outside_arrays:
            if known.home is home and GuardedLayout(str(path)) not in self.assumed and (
                    obj.flags.c_contiguous):
                raise Restart(GuardedLayout(str(path)))
