"""Lists, dicts, sets and deques while tracing: journaled mutations, lists of unknown length."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..dims import is_varying
from ..errors import UnsupportedOperation
from ..graph.ir import Ref, Value
from ..kinds import Aval, Kind, list_of
from ..spelling import Method
from .calls import Calls
from .control import Restart
from .iteration import Rows, Staged, item, length, static_items
from .joins import list_item_aval
from .journal import Content, Snapshot
from .operators import INPLACE, python_method
from .tracers import ArrayTracer, SymbolicList, is_tracer
from .widening import stable_elem

READS = frozenset({"copy", "count", "index", "get", "items", "keys", "values", "union",
                   "intersection", "difference", "issubset", "issuperset", "isdisjoint",
                   "symmetric_difference", "__len__", "__contains__", "__getitem__"})


class Containers(Calls):
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

    def build_dict(self, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        result: dict[Any, Any] = self.made({self.static_key(k): v for k, v in pairs})
        return result

    def build_set(self, *items: Any) -> set[Any]:
        result: set[Any] = self.made({self.static_key(i) for i in items})
        return result

    def unpack(self, value: Any, before: int, star: bool, after: int) -> tuple[Any, ...]:
        if type(value) is ArrayTracer:
            size = self.length(value)
            if not star and type(size) is not int:
                self.guard_size("eq0", size.aval.expr - before)
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

    def unroll_maker(self, obj: list[Any]) -> None:
        """A list of unknown length is needed with a known one: if a for loop made it, start
        again with that loop unrolled."""
        site = self.list_sites.get(self.symbolic_lists[id(obj)].value)
        if site is not None and site not in self.unrolled:
            raise Restart(("unroll", site, "a list that it fills is needed with its length"))

    def all_items(self, iterable: Any) -> list[Any]:
        """All items of a staged iterable; its length is demanded."""
        if is_tracer(iterable):
            iterable = Rows(iterable)
        found = static_items(self, iterable)
        if found is not None:
            return found
        size = self.demand(length(self, iterable), "the length of what is iterated here")
        return [item(self, iterable, i) for i in range(size)]

    def outside_items(self, iterable: Any) -> Any:
        """What Python's iteration over a static iterable yields; items of containers from
        outside are read by their paths, and user-written ``__iter__`` is staged."""
        iterable = self.seen(iterable)
        if isinstance(iterable, Staged) or is_tracer(iterable):  # what an __iter__ returned
            return self.iterate(iterable)
        if isinstance(iterable, np.ndarray):
            return iter(iterable)
        path = self.paths.get(id(iterable))
        if path is not None and isinstance(iterable, (list, tuple)):
            self.note_container(iterable)
            return [self.outside(x, path.child("item", i)) if not is_tracer(x) else x
                    for i, x in enumerate(iterable)]
        if path is not None and isinstance(iterable, (dict, set, frozenset)):
            self.note_container(iterable)
            return list(iterable)
        method = python_method(iterable, "__iter__")
        if method is not None:
            return self.outside_items(self.call(method, iterable))
        step = python_method(iterable, "__next__")
        if step is not None:
            return self._user_iterator(iterable, step)
        sequence = python_method(iterable, "__getitem__")
        if sequence is not None and not hasattr(type(iterable), "__iter__"):
            return self._user_sequence(iterable)
        return iterable

    def _user_iterator(self, iterator: Any, step: Any) -> Any:
        while True:
            try:
                value = self.call(step, iterator)
            except StopIteration:
                return
            yield value

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
            return self._symbolic_method(obj, name, args)
        if isinstance(obj, dict):
            args = (self.static_key(args[0]), *args[1:]) if args else args
        elif name in ("insert", "pop") and args:
            args = (self.static_key(args[0]), *args[1:])
        args = tuple(list(self.iterate(a)) if isinstance(a, Staged) else a for a in args)
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
            return self._extend_symbolic(obj, args[0])
        if name == "remove" and any(is_tracer(x) for x in obj):
            return self._remove(obj, args[0])
        self.journal.touch(Content(obj, self.symbolic_lists))
        return getattr(obj, name)(*args, **kwargs)

    def _change_outside(self, obj: Any, name: str, args: tuple[Any, ...],
                        kwargs: dict[str, Any]) -> Any:
        """A change of a container from outside: an effect at each call; its shadow follows.
        Where the method returns something, the content must be known."""
        if name in ("pop", "popitem", "setdefault", "popleft") and id(obj) not in self.shadows:
            self.note_container(obj)
        shadow = self.shadow_of(obj)
        self.effect_on(obj, Method(name), *args, **kwargs)
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
            return getattr(obj, name)(*args, **kwargs)
        self.note_container(obj)
        if isinstance(obj, dict):
            seen: Any = {k: self.outside(v, path.child("item", k)) for k, v in obj.items()}
        elif isinstance(obj, list):
            seen = [self.outside(v, path.child("item", i)) for i, v in enumerate(obj)]
        else:
            seen = obj
        return getattr(seen, name)(*args, **kwargs)

    def _search(self, obj: list[Any], name: str, item: Any) -> Any:
        if name == "count":
            total: Any = 0
            for x in obj:
                total = self.binary("+", total, self.call(int, self.compare("==", x, item)))
            return total
        for i, x in enumerate(obj):
            if x is item:
                return i
        raise self.fatal(UnsupportedOperation(
            "list.index of a traced value", why="which item is equal depends on data",
            fix="use np.argmax of a comparison"))

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
            INPLACE[op](target, right)
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

    # ---- lists of unknown length -----------------------------------------------------------
    def _set_list(self, obj: list[Any], value: Value) -> None:
        if id(obj) in self.list_owners:  # the change belongs into the list of lists, too
            self.unroll_maker(self.list_owners[id(obj)][0])
            raise self.fatal(UnsupportedOperation(
                "a list inside of a list whose length depends on data is changed",
                why="the change could not be followed to where the list is read again",
                fix="use an array, such as np.zeros((n, m)), in place of a list of lists"))
        self.journal.touch(Content(obj, self.symbolic_lists))
        value.obj = self.symbolic_lists[id(obj)].obj
        self.symbolic_lists[id(obj)] = SymbolicList(value, value.obj)

    def _list_aval(self, obj: list[Any], item: Any) -> Any:
        current = self.symbolic_lists[id(obj)].value.aval
        aval = list_item_aval(self.join(), item)
        if aval is None:
            raise self.fatal(UnsupportedOperation(
                f"a {type(item).__name__} is put into a list whose length depends on data",
                why="the elements of such a list must be numbers or arrays of one kind",
                fix="keep the parts in separate lists"))
        if current.elem is None:
            return list_of(aval)
        return list_of(stable_elem(self.join(), current.elem, aval))

    def list_item_value(self, item: Any) -> Value:
        if type(item) is list:
            known = self.symbolic_lists.get(id(item))
            return known.value if known is not None else self.list_value(
                Snapshot(list, tuple(item)))
        self.note_stored(item)
        return self.as_value(item)

    list_owners: dict[int, tuple[Any, Any]]

    def list_get(self, obj: Any, key: Any) -> Any:
        symbolic = self.symbolic_lists[id(obj)]
        if isinstance(key, slice):
            (value,) = self.emit("apply", (symbolic.value,), (symbolic.value.aval,),
                                 fn=operator.getitem, args=(Ref(0), self.static_key(key)),
                                 kwargs={}, many=False)
            return self.list_object(value)
        index = self.as_value(key)
        elem = symbolic.value.aval.elem
        if elem is None:
            raise IndexError("list index out of range")
        known = (symbolic.value, key if type(key) is int else index)
        if known not in self.element_sizes:
            self.element_sizes[known] = self.element_aval(elem)
        (value,) = self.emit("get", (symbolic.value, index), (self.element_sizes[known],))
        if elem.kind is Kind.LIST:
            inner = self.list_object(value)
            self.list_owners[id(inner)] = (obj, inner)
            return inner
        return self.element(value)

    def element(self, value: Value) -> Any:
        """An element of a list of unknown length: an array there may be in the list twice."""
        found = self.wrap(value)
        if type(found) is ArrayTracer:
            found.home.stored = True
        return found

    element_sizes: dict[tuple[Value, Any], Aval]

    def element_aval(self, elem: Aval) -> Aval:
        """The facts about one element: what varies in a list may be of any size in each."""
        if elem.kind is not Kind.ARRAY or not any(map(is_varying, elem.shape or ())):
            return elem
        return elem.but(shape=tuple(self.fresh("k") if is_varying(d) else d
                                    for d in elem.shape or ()))

    def list_object(self, value: Value) -> list[Any]:
        """A Python list that stands for a list value."""
        made: list[Any] = self.build_list()
        value.obj = self.new_obj()
        self.journal.touch(Content(made, self.symbolic_lists))
        self.symbolic_lists[id(made)] = SymbolicList(value, value.obj)
        return made

    def list_put(self, obj: Any, key: Any, value: Any) -> None:
        item = self.list_item_value(value)
        aval = self._list_aval(obj, value)
        index = self.as_value(key)
        (new,) = self.emit("put", (self.symbolic_lists[id(obj)].value, item, index), (aval,))
        self._set_list(obj, new)

    def _symbolic_method(self, obj: list[Any], name: str, args: tuple[Any, ...]) -> Any:
        symbolic = self.symbolic_lists[id(obj)]
        if name == "append":
            item = self.list_item_value(args[0])
            aval = self._list_aval(obj, args[0])
            (new,) = self.emit("append", (symbolic.value, item), (aval,))
            self._set_list(obj, new)
            return None
        if name == "insert":
            item = self.list_item_value(args[1])
            aval = self._list_aval(obj, args[1])
            (new,) = self.emit("insert", (symbolic.value, item, self.as_value(args[0])), (aval,))
            self._set_list(obj, new)
            return None
        if name == "pop":
            elem = symbolic.value.aval.elem
            if elem is None:
                raise IndexError("pop from empty list")
            extra = tuple(self.as_value(a) for a in args)
            new, value = self.emit("pop", (symbolic.value, *extra),
                                   (symbolic.value.aval, self.element_aval(elem)))
            self._set_list(obj, new)
            return self.list_object(value) if elem.kind is Kind.LIST else self.element(value)
        if name == "extend":
            items = args[0]
            if isinstance(items, list) and id(items) in self.symbolic_lists:
                return self._extend_symbolic(obj, items)
            for one in self.iterate(items):
                self._symbolic_method(obj, "append", (one,))
            return None
        if name == "copy":
            (value,) = self.emit("apply", (symbolic.value,), (symbolic.value.aval,), fn=list,
                                 args=(Ref(0),), kwargs={}, many=False)
            return self.list_object(value)
        self.unroll_maker(obj)
        raise self.fatal(UnsupportedOperation(
            f"list.{name} on a list whose length depends on data",
            why="only append, insert, pop, extend, copy, indexing and len are staged there",
            fix="keep the values in an array, or make the list's length independent of data"))

    def _extend_symbolic(self, obj: list[Any], items: list[Any]) -> None:
        self.for_(items, lambda one: self._hold(one), lambda: self._append_held(obj))

    held: Any

    def _hold(self, one: Any) -> None:
        self.held = one

    def _append_held(self, obj: list[Any]) -> int:
        self.container_method(obj, "append", (self.held,), {})
        return 0


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
