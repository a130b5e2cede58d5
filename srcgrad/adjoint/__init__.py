"""Derivatives of graphs: reverse mode, closing of residuals, the split form, forward mode."""

from .calls import pairs
from .close import close
from .forward import jvp
from .reverse import differentiate
from .split import split

__all__ = ["close", "differentiate", "jvp", "pairs", "split"]
