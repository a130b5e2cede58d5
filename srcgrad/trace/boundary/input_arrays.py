"""Which arrays can be inputs, and which views of them lie in C order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import UnsupportedType
from ...graph.ir import Ref, Step, Through
from ...types.guards import Path
from ...types.spelling import Method
from ...types.subclasses import is_array_class


def keeps_c_order(step: Step) -> bool:
    """Does a step into an array in C order give one in C order?"""
    if isinstance(step, Through):
        if step.fn is np.ascontiguousarray:
            return True
        name = step.fn.name if isinstance(step.fn, Method) else getattr(step.fn, "__name__", "")
        return name in ("reshape", "ravel") and not step.kwargs and not any(
            isinstance(a, str) for a in step.args)
    parts = step.key if isinstance(step.key, tuple) else (step.key,)
    slices = [p for p in parts if isinstance(p, slice)]
    leads = [isinstance(p, int | np.integer | Ref) for p in parts]
    return step.basic and all(leads[:-1]) and (leads[-1:] == [True] or (
        len(slices) == 1 and slices[0] is parts[-1] and slices[0].step in (None, 1)))


def check_array(machine: Any, obj: np.ndarray[Any, Any], path: Path) -> None:
    """Refuse arrays that are not plain numeric ones."""
    found = kind_of_array(obj)
    if found is not None:
        captured = path.root[0] != "arg" and machine.recorder.where() is not None
        raise machine.recorder.fatal(UnsupportedType(
            f"{'the captured array' if captured else 'argument'} {path} is {found[0]}",
            where=None if captured else f"argument {path}",
            why="its operations differ from those of ordinary numeric arrays", fix=found[1]))


def kind_of_array(obj: np.ndarray[Any, Any]) -> tuple[str, str] | None:
    """What an array is that cannot be traced, and what to do; None for plain numeric ones."""
    if type(obj) is not np.ndarray and isinstance(obj, np.ma.MaskedArray):  # imports np.ma
        return "a masked array", "pass .filled(...), or data and mask as two arrays"
    if obj.dtype.kind == "O":
        return "an array of objects", "use an array of numbers, or a list of arrays"
    if obj.dtype.names is not None:
        return "a structured array", "pass its fields as separate arrays"
    if obj.dtype.kind not in "biufc":
        return f"an array of dtype {obj.dtype}", "convert it to numbers"
    if type(obj) is not np.ndarray and not is_array_class(type(obj)):
        return f"a {type(obj).__name__}", "np.asarray(...) makes an ordinary array of it"
    return None
