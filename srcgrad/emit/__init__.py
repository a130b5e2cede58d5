"""Graph to Python source that a reviewer would merge."""

from __future__ import annotations

from srcgrad.emit.module import Emitted, emit
from srcgrad.emit.sunk import sunk_in_arms

__all__ = ["Emitted", "emit", "sunk_in_arms"]
