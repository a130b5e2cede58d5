"""Writes through windows that overlap: an element that lies in two windows would be written
twice, and which write counts (or whether both do) depends on NumPy's order of work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...errors import SrcgradError, UnsupportedOperation
from ...graph.interpret import select
from ...graph.ir import Index, Steps, Through, Value
from ...types.dims import Atom, evaluate
from ...types.kinds import Aval, Kind
from ...types.spelling import At, Part

# Functions whose views may hold an element twice (and may be written through).
_REPEATING = frozenset({sliding_window_view, np.broadcast_arrays, np.meshgrid})


class _Numbers(dict[Atom, int]):
    """Numbers for symbols; those that only a run knows are taken for small."""

    def __missing__(self, atom: Atom) -> int:
        return 1


def refused_overlap(aval: Aval, steps: Steps, inputs: tuple[Value, ...],
                    numbers: Mapping[Atom, int]) -> SrcgradError | None:
    """The error for a write to ``base[steps]`` that may meet an element twice; None if it does
    not.  ``inputs`` are those of the write: base, value, and what the steps refer to."""
    if not any(isinstance(s, Through) and (s.fn.fn if isinstance(s.fn, Part | At) else s.fn) in (
            _REPEATING) for s in steps):
        return None
    trials = [numbers, {a: n + 1 for a, n in numbers.items()},
              {a: 2 * n + 1 for a, n in numbers.items()}]
    found = [_meets_twice(aval, steps, inputs, _Numbers(t)) for t in trials]
    if True not in found and False in found:
        return None
    return UnsupportedOperation(
        "a write through windows that overlap",
        why="an element that lies in two windows would be written twice",
        fix="write to one window at a time (v[i] = ...), or to the array itself")


def _meets_twice(aval: Aval, steps: Steps, inputs: tuple[Value, ...],
                 numbers: Mapping[Atom, int]) -> bool | None:
    """Does the selection hold an element twice at these sizes?  None if it cannot be made."""
    held: list[Any] = [None, None]
    for value in inputs[2:]:
        if value.aval.kind is not Kind.INT or value.aval.expr is None:
            return None
        held.append(evaluate(value.aval.expr, numbers))
    try:
        shape = tuple(int(evaluate(d, numbers)) for d in aval.shape or ())
        last = steps[-1]
        views = steps if not isinstance(last, Index) or last.basic else steps[:-1]
        places = select(np.arange(int(np.prod(shape))).reshape(shape), views, held)
    except (ValueError, IndexError, TypeError):
        return None
    return bool(len(np.unique(places)) < places.size)
