"""``globals()`` and ``locals()`` as the traced program sees them."""

from __future__ import annotations

import builtins
import operator
from typing import Any

from ...errors import UnsupportedOperation
from ...stage.machine import UNBOUND, Frame
from ...types.guards import Native, Path
from ..collaborator import PASSED, Args, Collaborator, Kwargs
from ..record.states import Maybe
from ..record.tracers import Poison, Whole


class Globals(Whole):
    """The globals of the function that asked for them: each is read by its name."""

    __slots__ = ("frame",)

    def __init__(self, frame: Frame) -> None:
        self.frame = frame


class Namespaces(Collaborator):
    """Names that the program looks up itself."""

    speaks_to = ("containers", "keys", "library_calls", "merges", "recorder", "sources",
                 "variables")

    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        if function is builtins.globals and not args:
            return Globals(self.merges.frames[-1])
        if function is builtins.locals and not args:
            return self._locals(self.merges.frames[-1])
        if any(type(a) is Globals for a in (*args, *kwargs.values())) or type(function) is Globals:
            raise self._refused_whole()
        return self.next.called(function, args, kwargs)

    def _locals(self, frame: Frame) -> Any:
        """The variables that are bound now, in a dict of their own."""
        inner = any(depth == len(self.merges.frames) for depth, _ in self.merges.scopes)
        if inner or frame.parent is not None or frame.callee.__closure__:
            raise self.recorder.fatal(UnsupportedOperation(
                "locals() in a comprehension or a nested function",
                why="its variables are not those of one Python function",
                fix="name the variables that you want"))
        found = {name: frame.slots[name] for name in frame.callee.__code__.co_varnames
                 if frame.slots.get(name, UNBOUND) is not UNBOUND}
        if any(type(value) in (Maybe, Poison) for value in found.values()):
            raise self.recorder.fatal(UnsupportedOperation(
                "locals() where only some paths bind a variable",
                why="which names it has depends on data", fix="name the variables that you want"))
        return self.containers.made(found)

    def _has_global(self, names: Globals, name: str) -> bool:
        """Is there such a global?  (Guarded.)"""
        namespace = names.frame.callee.__globals__
        overlay = self.merges.global_overlays.get(id(namespace), {})
        if name in overlay:
            return overlay[name] is not UNBOUND
        step = self.library_calls.natives.setdefault(("global", id(namespace), name), Native(
            operator.contains, ((Native.Place(0), name), {}), (), True, False, False))
        path = Path(self.variables.pin(namespace, "globals()"), (("native", step),),
                    f"{name!r} in globals()")
        self.sources.guard("equals", path, name in namespace)
        return name in namespace

    def _global(self, names: Globals, key: Any, *default: Any) -> Any:
        name = self.keys.static_key(key)
        if self._has_global(names, name):
            return self.machine.load_global(names.frame, name)
        if default:
            return default[0]
        raise KeyError(name)

    def getitem(self, obj: Any, key: Any) -> Any:
        return self._global(obj, key)

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        self.machine.store_global(obj.frame, self.keys.static_key(key), value)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if type(right) is Globals and op in ("in", "not in"):
            return self._has_global(right, self.keys.static_key(left)) is (op == "in")
        return PASSED

    def getattr(self, obj: Any, name: str) -> Any:
        raise self._refused_whole()

    def iterate(self, iterable: Any) -> Any:
        raise self._refused_whole()

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if type(obj) is not Globals:
            return self.next.called_method(obj, name, args, kwargs)
        if name in ("get", "__getitem__") and not kwargs:
            return self._global(obj, args[0], *(args[1:] or (None,) if name == "get" else ()))
        raise self._refused_whole()

    def _refused_whole(self) -> Any:
        return self.recorder.fatal(UnsupportedOperation(
            "globals() as a whole in a traced function",
            why="the code relies on what it reads, and would rely on everything in the module",
            fix="look up the names that you want: globals()[name], globals().get(name)"))
