"""What the program can still reach: whether an object that two paths leave in a slot may be
replaced by a joined one, or is known elsewhere and must stay itself."""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ...graph.ir import Block, Node, Origin, Value
from ...stage.defaults import MachineDefaults
from ...stage.function import Staged, definition
from ...stage.machine import Frame
from .homes import reach
from .regions import Region
from .states import Columns, ListTable, Maybe, Partial
from .structures import IMMUTABLE, record_fields
from .tracers import ArrayTracer, Home, is_tracer

# what a generator of the tracer may hold beside things of the program
OF_THE_TRACE = (Value, Node, Block, Origin, Region, Home, Staged, MachineDefaults)


def reachable(roots: Iterable[Any], skip: set[tuple[Any, ...]],
              outside: Callable[[Any], bool], contents: ListTable) -> set[int]:
    """The ids of all objects that can be reached from ``roots`` (frames and objects), and of the
    homes of all arrays there; not through the journal's cells in ``skip``, and not what lies
    below objects from ``outside``.  ``contents`` are those of containers that hide them."""
    found: set[int] = set()
    homes: set[int] = set()
    todo = list(roots)
    while todo:
        obj = todo.pop()
        if type(obj) is ArrayTracer:
            if id(obj.home) not in homes:
                homes.update(id(h) for h in reach(obj.home))
        elif not isinstance(obj, IMMUTABLE) and not is_tracer(obj) and id(obj) not in found:
            found.add(id(obj))
            if not outside(obj):
                state = contents.raw(obj)
                todo.extend(_hidden_parts(obj, skip, state) if type(state) in (Columns, Partial)
                            else _parts(obj, skip))
    return found | homes


def _hidden_parts(obj: Any, skip: set[tuple[Any, ...]],
                  state: Columns | Partial) -> Iterable[Any]:
    if ("content", id(obj)) in skip:
        return ()
    return state.form.held if isinstance(state, Columns) else [v for _, v in state.entries]


def _parts(obj: Any, skip: set[tuple[Any, ...]]) -> Iterable[Any]:
    if isinstance(obj, OF_THE_TRACE):
        return ()
    if isinstance(obj, Frame):
        slots = [v for name, v in obj.slots.items() if ("slot", id(obj), name) not in skip]
        return slots if obj.parent is None else [*slots, obj.parent]
    if isinstance(obj, (list, set, frozenset, deque)):
        return () if ("content", id(obj)) in skip else obj
    if isinstance(obj, dict):
        return () if ("content", id(obj)) in skip else obj.values()
    if isinstance(obj, tuple):
        return obj
    if type(obj) is Maybe:
        return (obj.content,)
    if isinstance(obj, functools.partial):
        return (obj.func, obj.args, obj.keywords)
    if isinstance(obj, types.MethodType):
        return (obj.__self__, obj.__func__)
    if isinstance(obj, types.FunctionType):
        made = definition(obj)
        return () if made is None else (made.parent,)
    if isinstance(obj, types.GeneratorType):
        return () if obj.gi_frame is None else obj.gi_frame.f_locals.values()
    return [object.__getattribute__(obj, n) for n in record_fields(obj) or ()
            if ("field", id(obj), n) not in skip]
