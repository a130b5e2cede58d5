"""Methods of containers by the code of C, for classes that derive from them.

``super().append(v)`` in a class that overrides ``append`` reaches what is here, and so do the
methods that such a class inherits.  They see and change the content of the instance directly.
"""

from __future__ import annotations

import collections
from typing import Any

from ...types.operators import BINARY, COMPARE
from ...types.subclasses import PLAIN, assembled, content_of, native_class, parts_of
from ..collaborator import Args, Collaborator, Kwargs
from ..heap.run_time import check_no_table
from ..record.journal import Content
from .special_methods import DUNDER

OPERATORS = {f"__{DUNDER[op]}__": op for op in (*BINARY, *COMPARE)}
REFLECTED = {f"__r{DUNDER[op]}__": op for op in BINARY}
OF_ITEMS = {"__getitem__": "read_content", "__setitem__": "write_content",
            "__delitem__": "delete_content"}
INPLACE_NAMES = {f"__i{DUNDER[op]}__": op for op in BINARY}


class NativeMethods(Collaborator):
    """Content operators past the methods of the class."""

    speaks_to = ("calls", "containers", "foreigners", "found_functions", "items", "presence",
                 "references", "sources")

    def native_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if name in OF_ITEMS:
            return getattr(self.items, OF_ITEMS[name])(obj, *args)
        special = getattr(self, f"_native{name[:-2]}", None) if name.startswith("__") else None
        if special is not None:
            return special(obj, *args, **kwargs)
        if name in OPERATORS:
            return self._native_operator(OPERATORS[name], self.plainly(obj), args[0])
        if name in REFLECTED:
            return self._native_operator(REFLECTED[name], args[0], self.plainly(obj))
        if name in INPLACE_NAMES:
            return self._native_inplace(INPLACE_NAMES[name], obj, args[0])
        if name.startswith("__"):
            return getattr(native_class(type(obj)) or type(obj), name)(obj, *args, **kwargs)
        return self.presence.container_method(obj, name, args, kwargs)

    def plainly(self, obj: Any) -> Any:
        """The content of an instance as a plain container."""
        base = native_class(type(obj))
        if base is None:
            return obj
        kind = next(k for k in PLAIN if issubclass(base, k))
        made = kind(self.presence.container_method(obj, "items", (), {})) if kind is dict else kind(
            self._native_items(obj))
        return self.calls.adopt(made)

    def _native_items(self, obj: Any) -> Any:
        """The items of the content; of a container from outside by their paths."""
        held = self.references.seen(obj)
        if id(held) in self.found_functions.paths:
            return self.containers.content_outside(held)
        return content_of(held) if not isinstance(held, dict) else tuple(
            k for k, _ in content_of(held))

    def _native_operator(self, op: str, left: Any, right: Any) -> Any:
        return self.machine.compare(op, left, right) if op in COMPARE else self.machine.binary(op,
            left, right)

    def _native_inplace(self, op: str, obj: Any, other: Any) -> Any:
        if isinstance(obj, list):
            return self.containers.inplace_list(op, obj, other)
        if isinstance(obj, (set, dict)):
            return self.containers.inplace_container(op, obj, other)
        self.presence.container_method(obj, "extend", (other,), {})
        return obj

    def _native__new(self, cls: Any, *args: Any, **kwargs: Any) -> Any:
        """``super().__new__(cls, items)``."""
        base = next(k for k in cls.__mro__ if k.__module__ in ("builtins", "collections"))
        if issubclass(base, (tuple, frozenset)):
            made = base.__new__(cls, list(self.machine.iterate(args[0])) if args else ())
        else:
            made = base.__new__(cls, *args, **kwargs)
        self.journal.born(made)
        return made

    def _native__len(self, obj: Any) -> Any:
        held = self.references.seen(obj)
        self.sources.note_container(held)
        return self.machine.length(held) if id(held) in self.symbolic_lists else len(
            content_of(held))

    def _native__iter(self, obj: Any) -> Any:
        return self.machine.call(iter, tuple(self._native_items(obj)))

    def _native__contains(self, obj: Any, item: Any) -> Any:
        return self.machine.compare("in", item, self.plainly(obj))

    def _native__init(self, obj: Any, *args: Any, **kwargs: Any) -> None:
        """The content from the arguments, as the constructor of the container finds it."""
        self.journal.touch(Content(obj, self.symbolic_lists))
        if isinstance(obj, dict):
            rest = args
            if isinstance(obj, collections.defaultdict):
                obj.default_factory, rest = (args[0] if args else None), args[1:]
            self.presence.container_method(obj, "clear", (), {})
            pairs = self.machine.call(dict, *rest, **kwargs)
            check_no_table(self.machine, pairs)  # whose keys only the run knows
            for key, value in pairs.items():
                self.items.write_content(obj, key, value)
            return
        self.presence.container_method(obj, "clear", (), {})
        if isinstance(obj, collections.deque) and (len(args) > 1 or kwargs):
            limit = args[1] if len(args) > 1 else kwargs.get("maxlen")
            collections.deque.__init__(obj, (), limit)
        items = args[0] if args else kwargs.get("iterable", ())
        self.presence.container_method(obj, "update" if isinstance(obj, set) else "extend", (
            items if isinstance(items, list) else list(self.machine.iterate(items)),), {})

    def copied_native(self, obj: Any, change: Any) -> Any:
        """A copy of an instance, with ``change`` applied to its parts."""
        parts = parts_of(obj)
        path = self.found_functions.paths.get(id(obj))
        if path is not None:
            self.sources.note_container(obj)
            parts = [(step, key, self.foreigners.outside(part, path.child(step, key)))
                     for step, key, part in parts]
        made = assembled(type(obj), [k for _, k, _ in parts], [change(p) for *_, p in parts], obj)
        self.journal.born(made)
        return made
