"""Lists, dicts, sets and deques while tracing: journaled mutations, lists of unknown length."""

from __future__ import annotations

import collections
import functools
import operator
from typing import Any

import numpy as np

from ..dims import evaluate, is_varying
from ..errors import UnsupportedOperation
from ..kinds import SCALARS
from ..spelling import Method
from ..stage.machine import NORMAL
from ..subclasses import content_of, item_step, native_class
from .elements import NdIter
from .iteration import Range, Rows, Staged, item, length, staged_iterable, static_items
from .journal import Content
from .lists import Lists
from .operators import INPLACE
from .special_methods import python_method
from .tracers import ArrayTracer, Columns, is_tracer
from .written_out import Flat, count_of, is_among, place_of

READS = frozenset({"copy", "count", "index", "get", "items", "keys", "values", "union",
                   "intersection", "difference", "issubset", "issuperset", "isdisjoint",
                   "symmetric_difference", "__len__", "__contains__", "__getitem__"})


MOST_ITEMS = 500  # of an iterator of a user's class


class Containers(Lists):
    """Python's containers."""

    # ---- displays ------------------------------------------------------------------------
    def build_list(self, *items: Any) -> list[Any]:
        result: list[Any] = self.made(list(items))
        return result

    def made(self, obj: Any) -> Any:
        """A container that staged code has just made."""
        self.journal.born(obj)
        return obj

    def born(self, obj: Any) -> None:
        """A frame of a comprehension that has just been made."""
        self.journal.born(obj)
        self.scopes.append((len(self.frames), obj))

    def build_dict(self, pairs: list[tuple[Any, Any]]) -> Any:
        return self.made_dict({self.static_key(k): v for k, v in pairs})

    def build_set(self, *items: Any) -> Any:
        return self.made_set({self.static_key(i) for i in items})

    def repeated_list(self, items: list[Any], times: Any) -> list[Any]:
        made = self.build_list()

        def body() -> int:
            for one in items:
                self.container_method(made, "append", (one,), {})
            return NORMAL

        self.for_(Range(0, times, 1), self._hold, body)
        return made

    def unpack(self, value: Any, before: int, star: bool, after: int) -> tuple[Any, ...]:
        if type(value) is ArrayTracer:
            size = self.length(value)
            if not star and type(size) is not int:
                self.guard_size("eq0", size.aval.expr - before)
                number = None if is_varying(size.aval.expr) else evaluate(
                    size.aval.expr, self.numbers)
                if number is not None and number != before:
                    split_items([None] * number, before, False, 0, value)  # raises Python's error
            count = size if type(size) is int else (
                before if not star else self.demand(size, "unpacking"))
            items = [self.getitem(value, i) for i in range(count)]
        elif is_tracer(value):
            if star:
                value._refuse("is unpacked with a star")
            return tuple(self.getitem(value, i) for i in range(before))
        elif isinstance(value, list) and id(value) in self.symbolic_lists and not star:
            return tuple(self.getitem(value, i) for i in range(before))
        else:
            items = list(self.iterate(value))
        return split_items(items, before, star, after, value)

    def iterate(self, iterable: Any) -> Any:
        """The items of an iterable whose number is known (or demanded) now."""
        if isinstance(iterable, Staged) or is_tracer(iterable):
            return iter(self.all_items(iterable))
        if isinstance(iterable, list) and id(iterable) in self.symbolic_lists:
            self.unroll_maker(iterable)
            raise self.fatal(UnsupportedOperation(
                "a list whose length depends on data is iterated where its length is needed",
                why="the generated code is made before the length is known",
                fix="loop over it with a for statement"))
        return iter(self.outside_items(iterable))

    def delegate(self, iterable: Any) -> Any:
        """The operand of ``yield from``: what is staged is taken item by item."""
        return self.iterate(iterable) if isinstance(iterable, Staged) or is_tracer(iterable) or (
            isinstance(iterable, list) and id(iterable) in self.symbolic_lists) else iterable

    def all_items(self, iterable: Any) -> list[Any]:
        """All items of a staged iterable; its length is demanded."""
        if is_tracer(iterable):
            iterable = Rows(iterable)
        found = static_items(self, iterable)
        if found is not None:
            return found
        self.unroll_makers(iterable)
        size = self.demand(length(self, iterable), "the length of what is iterated here")
        return [item(self, iterable, i) for i in range(size)]

    def content_outside(self, obj: Any) -> Any:
        """The content of a container from outside, by its paths."""
        self.note_container(obj)
        path, step = self.paths[id(obj)], item_step(obj)
        if isinstance(obj, (list, tuple, collections.deque)):
            return [self.outside(x, path.child(step, i)) if not is_tracer(x) else x
                    for i, x in enumerate(content_of(obj))]
        return [x[0] for x in content_of(obj)] if isinstance(obj, dict) else list(content_of(obj))

    def outside_items(self, iterable: Any) -> Any:
        """What Python's iteration over a static iterable yields; items of containers from
        outside are read by their paths, and user-written ``__iter__`` is staged."""
        method = python_method(iterable, "__iter__")
        found = iterable if method is None else self.call(method, iterable)
        if found is not iterable:
            return self.outside_items(found)
        iterable = self.seen(iterable)
        if type(iterable) in (Flat, NdIter):
            iterable = staged_iterable(self, iterable)
        if isinstance(iterable, Staged) or is_tracer(iterable):  # what an __iter__ returned
            return self.iterate(iterable)
        if isinstance(iterable, np.ndarray):
            return iter(iterable)
        if id(iterable) in self.paths and isinstance(iterable, (
                list, tuple, collections.deque, dict, set, frozenset)):
            return self.content_outside(iterable)
        step = python_method(iterable, "__next__")
        if step is not None:
            return self._user_iterator(iterable, step)
        sequence = python_method(iterable, "__getitem__")
        if sequence is not None and not hasattr(type(iterable), "__iter__"):
            return self._user_sequence(iterable)
        if id(iterable) in self.paths and hasattr(type(iterable), "__next__"):
            raise self.fatal(UnsupportedOperation(
                f"an iterator from outside (a {type(iterable).__name__}) is gone through",
                why="it would be used up while the code is generated; at a call it gives other "
                    "items, and how many is not known",
                fix="pass a list or an array, or make the iterator inside of the function"))
        self.check_iterator(iterable)
        return iterable

    def _user_iterator(self, iterator: Any, step: Any) -> Any:
        for _ in range(MOST_ITEMS):
            self.demanding += 1
            try:
                value = self.call(step, iterator)
            except StopIteration:
                return
            finally:
                self.demanding -= 1
            yield value
        raise self.fatal(UnsupportedOperation(
            f"the iterator of {type(iterator).__name__} gives more than {MOST_ITEMS} items, or "
            "ends where data say so",
            why="it is gone through while the code is generated",
            fix="write it as a generator function, or loop over an array"))

    def _user_sequence(self, obj: Any) -> Any:
        i = 0
        while True:
            try:
                value = self.getitem(obj, i)
            except IndexError:
                return
            yield value
            i += 1

    # ---- methods -----------------------------------------------------------------------------
    def container_method(self, obj: Any, name: str, args: tuple[Any, ...],
                         kwargs: dict[str, Any]) -> Any:
        if name in READS:
            obj = self.seen(obj)
        if isinstance(obj, list) and id(obj) in self.symbolic_lists:
            return self.symbolic_method(obj, name, args, kwargs)
        if isinstance(obj, dict) and args and self.open_key(args[0]):
            return self._open_method(obj, name, *args)
        if isinstance(obj, dict):
            args = (self.static_key(args[0]), *args[1:]) if args else args
        elif name in ("insert", "pop") and args:
            args = (self.static_key(args[0]), *args[1:])
        args = tuple(list(self.iterate(a)) if isinstance(a, Staged) else a for a in args)
        if name in ("extend", "extendleft", "update"):
            args = tuple(self.resolved(a) for a in args)
        if name in READS:
            return self._container_read(obj, name, args, kwargs)
        if id(obj) in self.paths:
            return self._change_outside(obj, name, args, kwargs)
        if name == "sort" and isinstance(obj, list):
            ordered = self.call(sorted, list(obj), **kwargs)
            self._replace(obj, ordered)
            return None
        if name == "extend" and args and not isinstance(args[0], (list, tuple, str)):
            args = (list(self.iterate(args[0])),)
        if name == "extend" and args and isinstance(args[0], list) and (
                id(args[0]) in self.symbolic_lists):
            return self.extend_symbolic(obj, args[0])
        if name == "remove" and any(is_tracer(x) for x in obj):
            return self._remove(obj, args[0])
        self.journal.touch(Content(obj, self.symbolic_lists))
        return native_method(obj, name)(*args, **kwargs)

    def _open_method(self, obj: Any, name: str, key: Any, default: Any = None) -> Any:
        """A method of a dict with a key that is known at run time only."""
        if name != "get":
            raise self.fatal(UnsupportedOperation(
                f"dict.{name} with a key that is only known at run time",
                why="which keys a dict has is known while compiling",
                fix="give the dict all its keys from the start, and read and write its items"))
        return self.if_expression(self.compare("in", key, obj), lambda: self.getitem(obj, key),
                                  lambda: default)

    def _change_outside(self, obj: Any, name: str, args: tuple[Any, ...],
                        kwargs: dict[str, Any]) -> Any:
        """A change of a container from outside: an effect at each call; its shadow follows.
        Where the method returns something, the content must be known."""
        if name in ("pop", "popitem", "setdefault", "popleft") and id(obj) not in self.shadows:
            self.note_container(obj)
        shadow = self.shadow_of(obj)
        own = python_method(obj, name) is not None
        self.effect_on(obj, getattr(native_class(type(obj)), name) if own else Method(name),
                       *args, **kwargs)
        if shadow is None:
            return None
        return self.container_method(shadow, name, args, kwargs)

    def _container_read(self, obj: Any, name: str, args: tuple[Any, ...],
                        kwargs: dict[str, Any]) -> Any:
        path = self.paths.get(id(obj))
        if path is None:
            if name in ("index", "count") and isinstance(obj, list) and (
                    any(is_tracer(x) for x in (*obj, *args))):
                return self._search(obj, name, args[0])
            return native_method(obj, name)(*args, **kwargs)
        self.note_container(obj)
        step = item_step(obj)
        if isinstance(obj, dict):
            seen: Any = {k: self.outside(v, path.child(step, k)) for k, v in content_of(obj)}
        elif isinstance(obj, (list, tuple, collections.deque)):
            seen = [self.outside(v, path.child(step, i))
                    for i, v in enumerate(content_of(obj))]
        else:
            seen = obj
        return getattr(seen, name)(*args, **kwargs)

    def _search(self, obj: list[Any], name: str, item: Any) -> Any:
        if name == "count":
            total: Any = 0
            for x in obj:
                total = self.binary("+", total, self.call(int, self.compare("==", x, item)))
            return total
        if obj and obj[0] is item:
            return 0
        if self._are_numbers(obj, item):
            return self.helped(place_of, obj, item)
        raise self.fatal(UnsupportedOperation(
            "list.index of a traced value", why="which item is equal depends on data",
            fix="use np.argmax of a comparison"))

    def _are_numbers(self, obj: list[Any], item: Any) -> bool:
        """Is it a list of numbers, and the item a number?"""
        state = self.symbolic_lists.get(id(obj))
        if type(state) is Columns or not _is_number(item):
            return False
        if state is None:
            return all(map(_is_number, obj))
        elem = state.value.aval.elem
        return elem is None or (elem.kind in SCALARS and not elem.optional)

    def symbolic_method(self, obj: list[Any], name: str, args: tuple[Any, ...],
                        kwargs: dict[str, Any]) -> Any:
        if name in ("index", "count") and len(args) == 1 and self._are_numbers(obj, *args):
            return self.helped(place_of if name == "index" else count_of, obj, *args)
        return super().symbolic_method(obj, name, args, kwargs)

    def contains_number(self, obj: list[Any], item: Any) -> Any:
        """``item in obj`` for a list of unknown length that holds numbers."""
        if not self._are_numbers(obj, item):
            return self._no_method(obj, "a membership test")
        return self.helped(is_among, obj, item)

    def _remove(self, obj: list[Any], item: Any) -> None:
        for i, x in enumerate(obj):
            if x is item:
                self.journal.touch(Content(obj, self.symbolic_lists))
                del obj[i]
                return
        raise self.fatal(UnsupportedOperation(
            "list.remove of a traced value", why="which item is equal depends on data",
            fix="remove it by its index"))

    def _replace(self, obj: list[Any], items: list[Any]) -> None:
        if id(obj) in self.paths:
            self.effect_on(obj, operator.setitem, slice(None), items)
            obj = self.shadow_of(obj)
            if obj is None:
                return
        self.journal.touch(Content(obj, self.symbolic_lists))
        obj[:] = items

    def resolved(self, obj: Any) -> Any:
        if id(obj) in self.symbolic_lists or id(obj) not in self.paths:
            return obj
        if isinstance(obj, (list, tuple, collections.deque)):
            items = list(self.outside_items(obj))
            return tuple(items) if isinstance(obj, tuple) else items
        if isinstance(obj, dict):
            return dict(self.container_method(obj, "items", (), {}))
        if isinstance(obj, (dict, set, frozenset)):
            self.note_container(obj)
        return obj

    def inplace_list(self, op: str, left: list[Any], right: Any) -> Any:
        if op == "+":
            self.container_method(left, "extend", (right,), {})
            return left
        count = self.static_key(right)
        self._replace(left, list(self.outside_items(left)) * count)
        return left

    def inplace_container(self, op: str, left: Any, right: Any) -> Any:
        target = left
        if id(left) in self.paths:
            self.effect_on(left, INPLACE[op], right)
            target = self.shadow_of(left)
        if target is not None:
            self.journal.touch(Content(target, self.symbolic_lists))
            INPLACE[op](target, self.resolved(right))
        return left

    def container_truth(self, value: Any) -> bool | None:
        value = self.seen(value)
        if id(value) in self.symbolic_lists:
            return None
        self.note_container(value)
        return bool(value)

    def predicate(self, value: Any) -> Any:
        value = self.seen(value)
        if isinstance(value, list) and id(value) in self.symbolic_lists:
            return self.compare("!=", self.length(value), 0)
        return super().predicate(value)




def _is_number(obj: Any) -> bool:
    return isinstance(obj, (bool, int, float, complex, np.generic)) or (
        is_tracer(obj) and obj.aval.kind in SCALARS and not obj.aval.optional)


def split_items(items: list[Any], before: int, star: bool, after: int,
                value: Any) -> tuple[Any, ...]:
    """The unpacking of ``before`` names, a star, and ``after`` names; Python's own errors."""
    need = before + after
    if not star:
        if len(items) < before:
            raise ValueError(f"not enough values to unpack (expected {before}, got {len(items)})")
        if len(items) > before:
            raise ValueError(f"too many values to unpack (expected {before})")
        return tuple(items)
    if len(items) < need:
        raise ValueError(
            f"not enough values to unpack (expected at least {need}, got {len(items)})")
    middle = items[before:len(items) - after]
    return (*items[:before], middle, *items[len(items) - after:])


def native_method(obj: Any, name: str) -> Any:
    """A method of a container, by the code of C."""
    base = native_class(type(obj))
    return getattr(obj, name) if base is None else functools.partial(getattr(base, name), obj)
