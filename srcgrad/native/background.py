"""Native code that a thread compiles, while the text for NumPy serves the calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.graph.ir import Graph
from srcgrad.graph.purity import may_probe
from srcgrad.graph.walking import walk

_IMMUTABLE = (bool, int, float, complex, str, type(None))


def is_pure(graph: Graph) -> bool:
    """Has running a graph no effect but on its inputs?"""
    blocks = [graph.block, *(callee.block for callee in graph.callees.values())]
    found = {node.params["fn"] for block in blocks for node in walk(block) if "fn" in node.params}
    return all(may_probe(fn) or getattr(fn, "__module__", "").startswith("srcgrad.")
               for fn in found)


class InBackground:
    """A function that runs ``plain`` until a thread has called ``native`` once, on copies of the
    arguments of the first call: Numba compiles for the types that it meets."""

    def __init__(self, plain: Callable[..., Any], native: Callable[..., Any]) -> None:
        self.plain, self.native = plain, native
        self.run = self._first
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None

    def __call__(self, *args: Any) -> Any:
        return self.run(*args)

    def _first(self, *args: Any) -> Any:
        with self.lock:
            if self.thread is None:
                try:
                    copies = [_copied(a) for a in args]
                except TypeError:  # no array or number, which may be anybody's
                    self.run = self.native
                    return self.native(*args)
                self.thread = threading.Thread(target=self._compile, args=(copies,),
                                               name="srcgrad compiles")
                self.thread.start()
                self.run = self.plain
        return self.plain(*args)

    def _compile(self, copies: list[Any]) -> None:
        try:
            with np.errstate(all="ignore"):
                self.native(*copies)
        except Exception:  # the program's own, which the call it was copied from raises
            pass
        finally:
            self.run = self.native


def _copied(value: Any) -> Any:
    """An argument of the same type, layout and content."""
    if type(value) in _IMMUTABLE or isinstance(value, np.generic):
        return value
    if type(value) is list:
        return [_copied(item) for item in value]
    if type(value) is not np.ndarray or value.dtype.hasobject:
        raise TypeError
    if value.flags.c_contiguous or value.flags.f_contiguous:
        made = value.copy(order="K")
    else:
        made = np.empty((*value.shape, 2), value.dtype)[..., 0]
        made[...] = value
    made.flags.writeable = value.flags.writeable
    return made
