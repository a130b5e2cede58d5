"""The handle that takes a registered hook out again."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import MutableMapping
from typing import Any

_numbers = itertools.count()


class RemovableHandle:
    """Removes one hook from the dictionaries it was registered in; also a context manager.

    ``extra_dict`` holds side tables keyed by the same id (for instance the set of hooks that
    want keyword arguments).  Dictionaries are referred to weakly, so that a handle never
    keeps a module or optimizer alive.

    >>> from collections import OrderedDict
    >>> hooks = OrderedDict()
    >>> handle = RemovableHandle(hooks)
    >>> hooks[handle.id] = print
    >>> handle.remove(); len(hooks)
    0
    """

    def __init__(self, hooks_dict: MutableMapping[int, Any], *, extra_dict: MutableMapping[
            int, Any] | list[MutableMapping[int, Any]] | None = None) -> None:
        extras = [] if extra_dict is None else extra_dict
        self.id = next(_numbers)
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.extra_dict_ref = tuple(
            weakref.ref(table) for table in (extras if isinstance(extras, list) else [extras]))

    def remove(self) -> None:
        """Take the hook out; calling it again does nothing."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            table = reference()
            if table is not None:
                table.pop(self.id, None)

    def __getstate__(self) -> tuple[int, Any, tuple[Any, ...]]:
        return self.id, self.hooks_dict_ref(), tuple(r() for r in self.extra_dict_ref)

    def __setstate__(self, state: tuple[int, Any, tuple[Any, ...]]) -> None:
        self.id, hooks, extras = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if t is None else t) for t in extras)

    def __repr__(self) -> str:
        return f"<torch.utils.hooks.RemovableHandle object at {id(self):#x}>"

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def registered(table: OrderedDict[int, Any], hook: Any, prepend: bool = False,
               *flags: MutableMapping[int, Any]) -> RemovableHandle:
    """Put a hook into a table, at its beginning if ``prepend``, and its number into ``flags``."""
    handle = RemovableHandle(table, extra_dict=list(flags))
    table[handle.id] = hook
    if prepend:
        table.move_to_end(handle.id, last=False)
    for flag in flags:
        flag[handle.id] = True
    return handle
