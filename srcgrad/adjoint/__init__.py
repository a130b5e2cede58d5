"""Derivatives of graphs: reverse mode, closing of residuals, the split form, forward mode."""

from .calls import carrying, pairs
from .close import close
from .forward import jvp
from .reverse import differentiate
from .split import split

__all__ = ["carrying", "close", "differentiate", "jvp", "pairs", "split"]
