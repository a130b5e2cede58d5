"""The native backend: loops of generated code as kernels for Numba.

``prepare`` marks the loops of the graph that a kernel can hold (``holding``, ``widths``) and
writes out what Python checks (``checks``, ``predicates``); the printer makes statements of the
graph; ``regions`` chooses runs of them (``flow``), and ``write`` makes kernels of these.
"""

from __future__ import annotations

from srcgrad.native.backend import above, asking, emit_native, linked, require_numba
from srcgrad.native.background import InBackground, is_pure
from srcgrad.native.write import NUMBA, PRANGE

__all__ = ["NUMBA", "PRANGE", "InBackground", "above", "asking", "emit_native", "is_pure", "linked",
           "require_numba"]
