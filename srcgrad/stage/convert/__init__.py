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
from .context import Plan, RegionPlan, Unit
from .driver import convert
from .functions import refuse_async

__all__ = ["Plan", "RegionPlan", "Unit", "convert", "refuse_async"]
