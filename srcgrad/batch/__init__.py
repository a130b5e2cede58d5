"""Batching: the graph of one example becomes that of a whole batch (:func:`batched`).

Every value that differs from example to example gets a leading axis, one place for each example.
What a function does to such values is declared once (:mod:`.rules`), like derivatives are; ufuncs
need no declaration.  Iterations of a loop that do not depend on each other are examples, too
(:func:`batched_loop`).  What has no batched form raises :class:`NotBatched`.
"""

from .graphs import batched
from .loops import batched_loop
from .rules import NotBatched

__all__ = ["NotBatched", "batched", "batched_loop"]
