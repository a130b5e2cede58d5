"""Graph to Python source that a reviewer would merge."""

from __future__ import annotations

from srcgrad.emit.module import Emitted, emit

__all__ = ["Emitted", "emit"]
