"""``globals()`` and ``locals()`` as the traced program sees them."""

from __future__ import annotations

import builtins
import operator
from typing import Any

from ..errors import UnsupportedOperation
from ..guards import Native, Path
from ..stage.machine import UNBOUND, Frame
from .foreign import Foreigners
from .states import Maybe
from .tracers import Poison, Whole


class Globals(Whole):
    """The globals of the function that asked for them: each is read by its name."""

    __slots__ = ("frame",)

    def __init__(self, frame: Frame) -> None:
        self.frame = frame


class Namespaces(Foreigners):
    """Names that the program looks up itself."""

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if function is builtins.globals and not args:
            return Globals(self.frames[-1])
        if function is builtins.locals and not args:
            return self._locals(self.frames[-1])
        if any(type(a) is Globals for a in (*args, *kwargs.values())) or type(
                function) is Globals:
            raise self._refused_whole()
        return super().called(function, args, kwargs)

    def _locals(self, frame: Frame) -> Any:
        """The variables that are bound now, in a dict of their own."""
        inner = any(depth == len(self.frames) for depth, _ in self.scopes)
        if inner or frame.parent is not None or frame.callee.__closure__:
            raise self.fatal(UnsupportedOperation(
                "locals() in a comprehension or a nested function",
                why="its variables are not those of one Python function",
                fix="name the variables that you want"))
        found = {name: frame.slots[name] for name in frame.callee.__code__.co_varnames
                 if frame.slots.get(name, UNBOUND) is not UNBOUND}
        if any(type(value) in (Maybe, Poison) for value in found.values()):
            raise self.fatal(UnsupportedOperation(
                "locals() where only some paths bind a variable",
                why="which names it has depends on data", fix="name the variables that you want"))
        return self.made(found)

    def _has_global(self, names: Globals, name: str) -> bool:
        """Is there such a global?  (Guarded.)"""
        namespace = names.frame.callee.__globals__
        overlay = self.global_overlays.get(id(namespace), {})
        if name in overlay:
            return overlay[name] is not UNBOUND
        step = self.natives.setdefault(("global", id(namespace), name), Native(
            operator.contains, ((Native.Place(0), name), {}), (), True, False, False))
        path = Path(self._pin(namespace, "globals()"), (("native", step),),
                    f"{name!r} in globals()")
        self.guard("equals", path, name in namespace)
        return name in namespace

    def _global(self, names: Globals, key: Any, *default: Any) -> Any:
        name = self.static_key(key)
        if self._has_global(names, name):
            return self.load_global(names.frame, name)
        if default:
            return default[0]
        raise KeyError(name)

    def getitem(self, obj: Any, key: Any) -> Any:
        return self._global(obj, key) if type(obj) is Globals else super().getitem(obj, key)

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        if type(obj) is Globals:
            self.store_global(obj.frame, self.static_key(key), value)
            return
        super().setitem(obj, key, value)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if type(right) is Globals and op in ("in", "not in"):
            return self._has_global(right, self.static_key(left)) is (op == "in")
        return super().compare(op, left, right)

    def getattr(self, obj: Any, name: str) -> Any:
        if type(obj) is Globals:
            raise self._refused_whole()
        return super().getattr(obj, name)

    def iterate(self, iterable: Any) -> Any:
        if type(iterable) is Globals:
            raise self._refused_whole()
        return super().iterate(iterable)

    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        if type(obj) is not Globals:
            return super().call_method(obj, name, *args, **kwargs)
        if name in ("get", "__getitem__") and not kwargs:
            return self._global(obj, args[0], *(args[1:] or (None,) if name == "get" else ()))
        raise self._refused_whole()

    def _refused_whole(self) -> Any:
        return self.fatal(UnsupportedOperation(
            "globals() as a whole in a traced function",
            why="the code relies on what it reads, and would rely on everything in the module",
            fix="look up the names that you want: globals()[name], globals().get(name)"))
