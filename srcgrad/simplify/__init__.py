"""Passes over graphs: each keeps the meaning and can be switched off."""

from .dead import remove_dead
from .pipeline import simplify

__all__ = ["remove_dead", "simplify"]
