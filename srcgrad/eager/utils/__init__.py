"""Data loading and checkpointing, under the names PyTorch has for them."""

from . import checkpoint, data

__all__ = ["checkpoint", "data"]
