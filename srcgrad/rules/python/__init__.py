"""Rules of Python's own functions."""

from srcgrad.rules.python import mathematics

__all__ = ["mathematics"]
