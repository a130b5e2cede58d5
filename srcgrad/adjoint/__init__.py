"""Derivatives of graphs: reverse mode, closing of residuals, the split form."""

from .close import close
from .reverse import differentiate
from .split import split

__all__ = ["close", "differentiate", "split"]
