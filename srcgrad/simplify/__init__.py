"""Passes over graphs: each keeps the meaning and can be switched off."""

from .dead import remove_dead
from .independent import batch_loops
from .pipeline import simplify

__all__ = ["batch_loops", "remove_dead", "simplify"]
