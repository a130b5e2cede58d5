"""AST in, AST out: the staged form of functions, one file per family of constructs."""

from __future__ import annotations

from . import (  # noqa: F401  (imported for the converters they register)
    arithmetic,
    assignments,
    branches,
    calls,
    comprehensions,
    contexts,
    functions,
    generators,
    imports,
    jumps,
    loops,
    matching,
    names,
    places,
    strings,
)
from .context import Plan, Unit, refuse_construct
from .driver import convert

__all__ = ["Plan", "Unit", "convert", "refuse_construct"]
