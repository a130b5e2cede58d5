"""Keys of Python containers: known while compiling, demanded, or told apart by branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dims import is_varying, symbols
from ..errors import UnsupportedOperation
from ..kinds import Kind
from .loops import Loops
from .merges import Box, BoxCell
from .settling import UNKNOWN, alternatives, settled
from .tracers import ArrayTracer, is_tracer

FEW = 16  # more items than this are not told apart by branches
REASON = "an index into a Python container"


class Keys(Loops):
    """What ``d[key]`` means where ``key`` is traced."""

    def static_key(self, key: Any) -> Any:
        """A key whose traced ints are demanded."""
        if is_tracer(key):
            return self.settled_key(key)
        if isinstance(key, slice):
            return slice(*(self.static_key(p) for p in (key.start, key.stop, key.step)))
        if isinstance(key, tuple) and any(is_tracer(k) for k in key):
            return tuple(self.static_key(k) for k in key)
        return key

    def is_data(self, key: Any) -> bool:
        """Is a traced int neither fixed during the call nor made of loop indices?"""
        if key.aval.kind is not Kind.INT:
            return key.aval.dtype is not None and key.aval.dtype.kind in "iu"
        if key.aval.expr is None:
            return True
        return is_varying(key.aval.expr) and not any(
            s in self.loop_atoms for s in symbols(key.aval.expr))

    def settled_key(self, key: Any) -> Any:
        """The number of a traced int, or the text made of such numbers."""
        found = self._settled_text(key)
        return self.demand(key, REASON) if found is UNKNOWN else found

    def _settled_text(self, key: Any) -> Any:
        if type(key) is ArrayTracer or key.aval.kind is Kind.INT:
            return UNKNOWN
        return settled(self.region, key.value, lambda v: self.demand(self.wrap(v), REASON))

    def open_key(self, key: Any) -> bool:
        """Is a key, or a part of a tuple that is one, known at run time only?"""
        if isinstance(key, tuple):
            return any(self.open_key(k) for k in key)
        if not is_tracer(key) or type(key) is ArrayTracer:
            return False
        if key.aval.kind is Kind.INT or (key.aval.dtype is not None and (
                key.aval.dtype.kind in "iu")):
            return self.is_data(key)
        return key.aval.kind in (Kind.OPAQUE, Kind.BOOL) and (
            self._settled_text(key) is UNKNOWN)

    def alternatives(self, key: Any) -> tuple[Any, ...] | None:
        """All keys that a run-time key may be, if the program text tells."""
        if not is_tracer(key) or type(key) is ArrayTracer:
            return None
        return alternatives(self.region, key.value)

    def by_key(self, key: Any, keys: Sequence[Any], act: Callable[[Any], Any],
               missing: Callable[[], Any] | None) -> Any:
        """What ``act`` gives for that one of several keys which a run-time key is equal to.

        Emitted as a chain of branches; ``missing`` is what happens where it is none of them, and
        returns how the branch is left.  Without it the key certainly is one of them.
        """
        if len(keys) > FEW:
            raise self.fatal(UnsupportedOperation(
                f"one of {len(keys)} keys of a dict is chosen by data",
                why=f"the keys are told apart by branches, and at most {FEW} are",
                fix="keep the numbers in one array, and index it by an int"))
        slot = Box()
        self.journal.born(slot)

        def put(value: Any) -> None:
            self.journal.write(BoxCell(slot), value)

        def among(i: int) -> Any:
            if i == len(keys) and missing is not None:
                return missing()
            if i == len(keys) - 1 and missing is None:
                return put(act(keys[i]))
            test = self.compare("==", key, keys[i])
            known = self.static_truth(test)
            if known is not None:
                return put(act(keys[i])) if known else among(i + 1)
            return self.branch(self.value_of(self.predicate(test)),
                               lambda: put(act(keys[i])), lambda: among(i + 1), None)

        among(0)
        return self.loaded(slot.content)
