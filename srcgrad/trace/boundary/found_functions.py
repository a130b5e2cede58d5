"""Functions that are found outside: what is guarded of them.

A function of a module, or a method, is that very object.  One from inside of another function may
be made anew from call to call: its code is guarded, and what it reads from around it is read by
its path, like everything else.  Where it matters which function it is, that is guarded as well.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from ...graph.ir import Graph, Ref, Value, has_plain_arguments
from ...graph.walking import walk
from ...rules.book import lookup
from ...types.guards import Path
from ...types.subclasses import own_namespace
from ..collaborator import Collaborator


class FoundFunctions(Collaborator):
    """Guards on functions, and on what transforms returned."""

    speaks_to = ("foreigners", "sources")

    def __init__(self) -> None:
        self.paths: dict[int, Path] = {}  # objects from outside, by id
        self.pinned: dict[int, Any] = {}  # roots of paths, and everything in `paths`
        self.unplaced: set[int] = set()  # functions that run and were found nowhere
        self.anchored: Any = None  # the function that is called
        self.loose: dict[int, Any] = {}  # functions of which others with the same code may be found
        self.cells_change = False  # are variables around functions rebound?
        self.unguarded = False  # was a function run, or asked its identity, that is not guarded?

    def is_loose(self, obj: types.FunctionType, path: Path) -> bool:
        """May a function be made anew, with other variables around it, from call to call?"""
        return ("<locals>" in obj.__qualname__ or obj.__name__ == "<lambda>") and (
            path.steps[-1:] == (("attr", "func"),) or not path.steps
            or path.steps[-1][0] != "attr") and lookup(obj) is None

    def loose_function(self, obj: types.FunctionType, path: Path) -> Any:
        """A function from inside of another one: its code is guarded, and what it reads from
        around it is read at each call."""
        known = self.paths.get(id(obj))
        if known is not None:
            if known != path:
                self.sources.guard("is_path", path, known)
            return obj
        self.lies(obj, path)
        self.loose[id(obj)] = obj
        namespace = obj.__globals__
        self.pinned[id(namespace)] = namespace
        self.sources.guard("type", path, types.FunctionType)
        self.sources.guard("is", path.child("attr", "__code__"), obj.__code__)
        self.sources.guard("is_path", path.child("attr", "__globals__"),
                   Path(("object", id(namespace)), (), "globals()"))
        return obj

    def lies(self, obj: Any, path: Path) -> None:
        """An object lies at a path; it is kept, so that its id stays its own."""
        self.pinned[id(obj)] = obj
        self.paths[id(obj)] = path

    def found_transform(self, obj: Any, path: Path) -> Any:
        """What a transform returned: it does not change, nor do the functions that it holds."""
        self.pinned[id(obj)] = obj
        self.paths.setdefault(id(obj), path)
        self.sources.guard("is", path, obj)
        for name, part in vars(obj).items():
            if isinstance(part, types.FunctionType) or hasattr(type(part), "__srcgrad_trace__"):
                if id(part) not in self.paths:
                    self.pinned[id(part)] = part
                    self.foreigners.outside(part, Path(("object", id(part)), (), f"{path}.{name}"))
        return obj

    def fix(self, obj: Any) -> None:
        """It matters which function it is, not just what its code and variables are."""
        if id(obj) in self.loose:
            self.sources.guard("is", self.paths[id(obj)], obj)
        elif obj is self.anchored:
            self.unguarded = True

    def guard_constants(self, graph: Graph, result: Any) -> None:
        """Functions that are part of the generated code are guarded themselves."""
        wanted = {*self.loose, id(self.anchored)}
        nodes = [n for g in (graph, *graph.callees.values()) for n in walk(g.block)]
        fixed = [*self.loose.values(), self.anchored] if self.cells_change else mentioned(
            [result, *(n.params["fn"] if n.params.keys() == _CALL and has_plain_arguments(n)
                       else n.params for n in nodes)], wanted)
        for obj in fixed:
            self.fix(obj)


_CALL = {"fn", "args", "kwargs", "many"}
_WITHOUT_PARTS = frozenset({Ref, Value, str, int, float, bool, type(None)})


def mentioned(structure: Any, wanted: set[int]) -> list[Any]:
    """The objects with these ids that lie anywhere in a structure."""
    found, seen, pending = [], set(), [structure]
    while pending:
        obj = pending.pop()
        if type(obj) in _WITHOUT_PARTS:
            continue
        if id(obj) in wanted:
            found.append(obj)
        if type(obj) is tuple:
            pending += obj
            continue
        if id(obj) in seen or isinstance(obj, (str, np.ndarray, np.generic, type, Value)):
            continue
        seen.add(id(obj))
        if isinstance(obj, dict):
            pending += obj.values()
            pending += [key for key in obj if type(key) is not str]
        elif isinstance(obj, (list, tuple, set, frozenset)):
            pending += obj
        elif isinstance(obj, types.MethodType):
            pending += [obj.__self__, obj.__func__]
        elif isinstance(obj, functools.partial):
            pending += [obj.func, obj.args, obj.keywords]
        elif not isinstance(obj, (types.FunctionType, types.ModuleType)):
            pending += own_namespace(obj).values()
    return found
