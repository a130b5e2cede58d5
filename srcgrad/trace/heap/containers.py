"""Lists, dicts, sets and deques while tracing: journaled mutations, lists of unknown length."""

from __future__ import annotations

import collections
import functools
import operator
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...stage.machine import NORMAL
from ...types.dataclasses import dataclass
from ...types.dims import evaluate, is_of_call
from ...types.operators import INPLACE
from ...types.spelling import Method
from ...types.subclasses import content_of, item_step, make, native_class
from ..boundary.identity import equal_if_one
from ..calls.refused import endless_container
from ..collaborator import Args, Collaborator, Kwargs
from ..iteration.elements import NdIter
from ..iteration.iteration import (
    Numbers,
    Range,
    Rows,
    Staged,
    cursor_of,
    length,
    staged_iterable,
)
from ..numpy.written_out import Flat
from ..objects.special_methods import (
    CONTAINERS,
    is_asked,
    is_subscripted,
    python_method,
)
from ..record.journal import Content
from ..record.scopes import during, on_top
from ..record.tracers import ArrayTracer, Choice, ScalarTracer, is_tracer
from .rows import Row
from .tables import SPREAD
from .written_out import check_count, insert_at, pop_at

TAKING = frozenset({"extendleft", "update", "union", "intersection", "difference", "issubset",
                    "symmetric_difference", "issuperset", "isdisjoint", "intersection_update",
                    "difference_update", "symmetric_difference_update"})
READS = frozenset({"copy", "count", "index", "get", "items", "keys", "values", "union",
                   "intersection", "difference", "issubset", "issuperset", "isdisjoint",
                   "symmetric_difference", "__len__", "__contains__", "__getitem__"})
AT_PLACE = {"insert": insert_at, "pop": pop_at}  # where only a run knows the place
MOST_ITEMS = 500  # of an iterator of a user's class
MOST_SUBSCRIPTS = 10_000

# what is no container, whatever class it poses as
_LEAVES = frozenset({ArrayTracer, ScalarTracer, int, float, complex, bool, type(None)})


@dataclass(frozen=True, slots=True)
class SpreadList:
    """A list of unknown length whose items go into a list display."""

    items: list[Any]


class Containers(Collaborator):
    """Python's containers."""

    speaks_to = ("branches", "effects", "escapes", "foreigners", "found_functions", "keys",
                 "list_methods", "listed_arrays", "lists", "loops", "merges", "operators",
                 "presence", "pushes", "recorder", "references", "searches", "sources", "walks")

    # ---- displays ------------------------------------------------------------------------

    def build_list(self, *items: Any) -> list[Any]:
        if any(type(item) is SpreadList for item in items):
            made = self.made([])
            for item in items:
                whole = type(item) is SpreadList
                self.machine.call_method(made, "extend" if whole else "append",
                                         item.items if whole else item)
            return self.keys.made_list(made)  # type: ignore[no-any-return]
        result: list[Any] = self.keys.made_list(self.made(list(items)))
        return result

    def begin_list(self) -> list[Any]:
        made: list[Any] = self.made([])
        return made

    def finish_list(self, items: list[Any]) -> list[Any]:
        return self.keys.made_list(items)  # type: ignore[no-any-return]

    def finish_dict(self, made: Any) -> Any:
        known = type(made) is dict and self.presence.partial_of(made) is None
        return self.references.owned(made) if known else made

    def made(self, obj: Any) -> Any:
        """A container that staged code has just made."""
        self.journal.born(obj)
        return obj

    def born(self, obj: Any) -> None:
        """A frame of a comprehension that has just been made."""
        self.journal.born(obj)
        self.merges.scopes.append((len(self.merges.frames), obj))

    def build_dict(self, pairs: list[tuple[Any, Any]]) -> Any:
        open_ = [k for k, _ in pairs if k is SPREAD or self.keys.open_key(k)]
        if not open_:
            return self.references.owned(
                self.keys.made({self.keys.static_key(k): v for k, v in pairs}))
        made = self.keys.made({})
        for key, value in pairs:
            if key is SPREAD:
                self.machine.call_method(made, "update", value)
            else:
                self.machine.setitem(made, key, value)
        return made

    def build_set(self, *items: Any) -> Any:
        if not any(self.keys.open_key(i) for i in items):
            return self.keys.made({self.keys.static_key(i) for i in items})
        made = self.keys.made(set())
        for one in items:
            self.machine.call_method(made, "add", one)
        return made

    def repeated_list(self, items: list[Any], times: Any, how: str = "append") -> list[Any]:
        made: list[Any] = self.made([])

        def body() -> int:
            for one in items:
                self.presence.container_method(made, how, (one,), {})
            return NORMAL

        if type(times) is int and how == "extend":
            for _ in range(times):
                body()
        else:
            self.machine.for_(Range(0, times, 1), self.list_methods.hold_item, body)
        return made

    def unpack(self, value: Any, before: int, star: bool, after: int) -> tuple[Any, ...]:
        is_array = type(value) is ArrayTracer
        if is_array or type(value) is Row or (
                isinstance(value, list) and id(value) in self.symbolic_lists):
            size = self._check_count(value, before + after, star)
            last = range(size - after, size) if type(size) is int else range(-after, 0)
            rest = (self.machine.getitem(value, slice(before, -after or None)),) if star else ()
            return (*[self.machine.getitem(value, i) for i in range(before)],
                    *(self.machine.call(list, r) if is_array else r for r in rest),
                    *[self.machine.getitem(value, i) for i in last])
        if is_tracer(value):
            if star:
                value._refuse("is unpacked with a star")
            return tuple(self.machine.getitem(value, i) for i in range(before))
        if self.pushes.fresh_generator(value) is not None:
            return self.unpack(self.pushes.collected(value), before, star, after)
        return split_items(list(self.machine.iterate(value)), before, star, after)

    def _check_count(self, value: Any, need: int, star: bool) -> Any:
        """The number of items to be unpacked; Python's error where it does not fit the names,
        now or (where data decides it) in the run."""
        size = self.machine.call(len, value)
        number = size if type(size) is int else None
        if number is None and not star and is_of_call(size.aval.expr):
            self.sources.guard_size("eq0", size.aval.expr - need)
            number = evaluate(size.aval.expr, self.sources.numbers)
        if number is None:
            self.machine.call(check_count, size, need, star)
        else:
            split_items([None] * number, need, star, 0)
        return size

    def iterate(self, iterable: Any) -> Any:
        """The items of an iterable whose number is known (or demanded) now."""
        if isinstance(iterable, Staged) or is_tracer(iterable):
            return self._each_item(iterable)
        iterable = self.references.seen(iterable)
        if isinstance(iterable, list) and id(iterable) in self.symbolic_lists:
            raise self.recorder.of_forms(UnsupportedOperation(
                "a list whose length depends on data is iterated where its length is needed",
                why="the generated code is made before the length is known",
                fix="loop over it with a for statement"),
                *self.lists.maker_unrolled(iterable))
        return self.walks.watched(self.outside_items(iterable))

    def delegate(self, iterable: Any) -> Any:
        """The operand of ``yield from``: what is staged, or held, is taken item by item."""
        staged = isinstance(iterable, (Staged, Choice, *CONTAINERS)) or is_tracer(iterable)
        return self.machine.iterate(iterable) if staged else iterable

    def _each_item(self, iterable: Any) -> Iterator[Any]:
        """The items of a staged iterable, read one by one; its length is demanded now."""
        if is_tracer(iterable):
            iterable = Rows(iterable)
        if isinstance(iterable, Numbers):
            return iter(iterable.numbers)
        size = length(self.machine, iterable)
        if type(size) is not int:
            self.loops.unroll_makers(iterable)
            size = self.escapes.demand(size, "the length of what is iterated here")
        return self.loops.one_by_one(iterable, size)

    def content_outside(self, obj: Any) -> Any:
        """The content of a container from outside, by its paths; of a dict its keys."""
        self.keys.open_long(obj, whole=True)
        self.sources.note_container(obj)
        path, step = self.found_functions.paths[id(obj)], item_step(obj)
        if isinstance(obj, (list, tuple, collections.deque)):
            items = [self.foreigners.outside(x, path.child(step, i)) if not is_tracer(x) else x
                     for i, x in enumerate(content_of(obj))]
        else:
            items = [x[0] if isinstance(obj, dict) else x for x in content_of(obj)]
        return self.walks.content(items, obj)

    def outside_items(self, iterable: Any) -> Any:
        """What Python's iteration over a static iterable yields; items of containers from
        outside are read by their paths, and user-written ``__iter__`` is staged."""
        method = python_method(iterable, "__iter__")
        if is_subscripted(iterable):
            return self._user_sequence(iterable)
        found = iterable if method is None else self.machine.call(method, iterable)
        if found is not iterable:
            return self.outside_items(found)
        held = self.references.seen(iterable)
        if held is not iterable and id(held) in self.symbolic_lists:  # what stands for a list
            return self.machine.iterate(held)
        iterable = cursor_of(held)
        if type(iterable) in (Flat, NdIter):
            elements = self.machine.call_method(iterable, "elements")
            iterable = staged_iterable(self.machine, elements)
            if iterable is None:
                return self.outside_items(elements)
        if isinstance(iterable, Staged) or is_tracer(iterable):  # what an __iter__ returned
            return self.machine.iterate(iterable)
        if isinstance(iterable, np.ndarray):
            return iter(iterable)
        if id(iterable) in self.found_functions.paths and isinstance(iterable, (
                list, tuple, collections.deque, dict, set, frozenset)):
            return self.content_outside(iterable)
        step = python_method(iterable, "__next__")
        if step is not None:
            return self._user_iterator(iterable, step)
        if id(iterable) in self.found_functions.paths and hasattr(type(iterable), "__next__"):
            raise self.recorder.fatal(UnsupportedOperation(
                f"an iterator from outside (a {type(iterable).__name__}) is gone through",
                why="it would be used up while the code is generated; at a call it gives other "
                    "items, and how many is not known",
                fix="pass a list or an array, or make the iterator inside of the function"))
        self.pushes.check_iterator(iterable)
        path = self.found_functions.paths.get(id(iterable))
        if path is not None and not isinstance(iterable, (str, bytes, range, type)):
            return self.sources.gives(tuple, (iterable,), (path,))  # of a view, a buffer
        return iterable

    def _user_iterator(self, iterator: Any, step: Any) -> Any:
        """The items that ``__next__`` of a class gives, until it raises a StopIteration."""
        for _ in range(MOST_ITEMS):
            try:
                with on_top(self.recorder.trying, self.recorder.region), during(
                        self.branches, demanding=self.branches.demanding + 1):
                    value = self.machine.call(step, iterator)
            except StopIteration:
                return
            yield value
        raise self.recorder.of_forms(UnsupportedOperation(
            f"the iterator of {type(iterator).__name__} gives more than {MOST_ITEMS} items, or "
            "ends where data say so",
            why="it is gone through while the code is generated",
            fix="write it as a generator function, or loop over an array"))

    def _user_sequence(self, obj: Any) -> Any:
        """The items by the class's own ``__getitem__``, until it raises an IndexError: lists that
        it reads have a known length."""
        for i in range(MOST_SUBSCRIPTS):
            try:
                with on_top(self.recorder.trying, self.recorder.region), during(
                        self.lists, subscripting=self.lists.subscripting + 1):
                    value = self.machine.getitem(obj, i)
            except IndexError:
                return
            yield value
        raise self.recorder.fatal(UnsupportedOperation(
            f"more than {MOST_SUBSCRIPTS} items of a {type(obj).__name__} are read one by "
            "one, or none of them raises an IndexError",
            why="a class without __iter__ is gone through while the code is generated",
            fix="give the class an __iter__, as a generator function"))

    # ---- methods -----------------------------------------------------------------------------
    def container_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if name in READS:
            obj = self.references.seen(obj)
        if isinstance(obj, list) and id(obj) in self.symbolic_lists:
            return self.list_methods.symbolic_method(obj, name, args, kwargs)
        own = type(obj) is list and id(obj) not in self.found_functions.paths
        if own and name in AT_PLACE and args and type(args[0]) is ScalarTracer and (
                not is_of_call(args[0].aval.expr)):
            return self.operators.helped(AT_PLACE[name], obj, *args)
        if args and (isinstance(obj, dict) or name in AT_PLACE):
            args = (self.keys.static_key(args[0]), *args[1:])
        if own and name == "extend" and self.list_methods.of_unknown_length(args[0]):
            return self.list_methods.extend_symbolic(obj, args[0])
        args = tuple(list(self.machine.iterate(a)) if isinstance(a, Staged) else a for a in args)
        if name in ("extend", "extendleft", "update"):
            args = tuple(self.resolved(a) for a in args)
        if not isinstance(obj, list):  # whose items are put in, or compared
            args = tuple(list(self.machine.iterate(a)) if id(a) in self.symbolic_lists and name in (
                TAKING) else a for a in args)
        if isinstance(obj, (set, frozenset)) or name in ("index", "count", "remove"):
            for held in (obj, *args):
                self.references.check_copies(*filter(equal_if_one, held if isinstance(
                    held, (list, tuple, set, frozenset)) else (held,)))
        if name in READS:
            return self._container_read(obj, name, args, kwargs)
        if id(obj) in self.found_functions.paths:
            return self._change_outside(obj, name, args, kwargs)
        if name == "sort" and isinstance(obj, list):
            ordered = self.machine.call(sorted, list(obj), **kwargs)
            self.replace(obj, ordered)
            return None
        if name == "extend" and args and not isinstance(args[0], (list, tuple, str)):
            args = (list(self.machine.iterate(args[0])),)
        if name == "extend" and args and isinstance(args[0], list) and (
                id(args[0]) in self.symbolic_lists):
            return self.list_methods.extend_symbolic(obj, args[0])
        if name == "remove" and isinstance(obj, list) and any(map(is_asked, (*obj, *args))):
            return self.searches.remove(obj, args[0])
        if name == "append" and type(obj) is list and self.listed_arrays.begins(obj, args[0]):
            return self.list_methods.symbolic_method(
                self.lists.made_unknown(obj), name, args, kwargs)
        if isinstance(obj, collections.deque) and name != "reverse" and not (
                args and type(args[0]) is list and not args[0]):
            self.walks.changes[id(obj)] += 1
        self.journal.touch(Content(obj, self.symbolic_lists))
        return native_method(obj, name)(*args, **kwargs)

    def _change_outside(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        """A change of a container from outside: an effect at each call; its shadow follows.
        Where the method returns something, the content must be known."""
        if name in ("pop", "popitem", "setdefault",
                    "popleft") and id(obj) not in self.sources.shadows:
            self.sources.note_container(obj)
        shadow = self.references.shadow_of(obj)
        if name == "sort" and id(shadow) in self.symbolic_lists:  # the key is staged
            self.presence.container_method(shadow, name, args, kwargs)
            self.effects.effect_on(obj, operator.setitem, slice(None),
                                   self.machine.call(list, shadow))
            return None
        own = python_method(obj, name) is not None
        self.effects.effect_on(obj, getattr(native_class(type(obj)), name) if own else Method(name),
                       *args, **kwargs)
        if shadow is None:
            return None
        return self.presence.container_method(shadow, name, args, kwargs)

    def _container_read(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        path = self.found_functions.paths.get(id(obj))
        if path is None:
            if name in ("index", "count") and isinstance(obj, list) and (
                    any(map(is_asked, (*obj, *args)))):
                return self.searches.search(obj, name, args[0])
            return native_method(obj, name)(*args, **kwargs)
        seen: Any = self.content_outside(obj)
        if isinstance(obj, dict):
            seen = self.walks.content({k: self.foreigners.outside(
                v, path.child(item_step(obj), k)) for k, v in content_of(obj)}, obj)
        elif not isinstance(obj, (list, tuple, collections.deque)):
            seen = obj
        if name in ("index", "count") and isinstance(seen, list):
            return self.presence.container_method(seen, name, args, kwargs)
        return getattr(seen, name)(*args, **kwargs)

    def replace(self, obj: list[Any], items: list[Any]) -> None:
        if id(obj) in self.found_functions.paths:
            self.effects.effect_on(obj, operator.setitem, slice(None), items)
            obj = self.references.shadow_of(obj)
            if obj is None:
                return
        if id(obj) in self.symbolic_lists:
            self.list_methods.refill(obj, items)
            return
        self.journal.touch(Content(obj, self.symbolic_lists))
        obj[:] = items

    def check_ends(self, obj: Any, above: frozenset[int] = frozenset()) -> None:
        """Refuse a container that is a part of itself, since no walk through it would end."""
        if type(obj) in (list, tuple, dict):
            if id(obj) in above:
                raise self.recorder.fatal(endless_container(obj))
            for part in obj.values() if type(obj) is dict else obj:
                self.check_ends(part, above | {id(obj)})

    def resolved(self, obj: Any, above: frozenset[int] = frozenset()) -> Any:
        if type(obj) in _LEAVES or not isinstance(obj, CONTAINERS):
            return obj
        if id(obj) in above:
            raise self.recorder.fatal(endless_container(obj))
        above = above | {id(obj)}
        obj = self.references.seen(obj)
        if id(obj) in self.symbolic_lists or isinstance(obj, (str, bytes)):
            return obj
        outside = id(obj) in self.found_functions.paths
        if isinstance(obj, (set, frozenset)):
            self.sources.note_container(obj)
            return obj
        if isinstance(obj, dict):
            if not outside and native_class(type(obj)) is not None:
                return obj
            pairs = self.presence.container_method(obj, "items", (), {}) if outside else obj.items()
            found = {k: self.resolved(v, above) for k, v in pairs}
            same = not outside and all(found[k] is v for k, v in pairs)
            return obj if same else found if native_class(type(obj)) is None else make(
                type(obj), found.items(), {}, obj)
        if not isinstance(obj, (list, tuple, collections.deque)) or (
                not outside and native_class(type(obj)) is not None):
            return obj
        items = [self.resolved(i, above) for i in (self.content_outside(obj) if outside else obj)]
        if not outside and all(a is b for a, b in zip(items, obj, strict=True)):
            return obj
        if native_class(type(obj)) is not None or type(obj) is collections.deque:
            return make(type(obj), items, {}, obj)
        return type(obj)(*items) if hasattr(type(obj), "_fields") else type(obj)(items)

    def inplace_list(self, op: str, left: Any, right: Any) -> Any:
        if op == "+":
            if type(right) is types.GeneratorType:  # which may read the list
                self.machine.call_method(left, "extend", right)
            else:
                self.presence.container_method(left, "extend", (right,), {})
            return left
        if id(left) in self.symbolic_lists:
            self.list_methods.refill(left, self.repeated_list([left], right, "extend"))
            return left
        count = self.keys.static_key(right)
        if isinstance(left, collections.deque):
            full = len(list(self.outside_items(left))) == left.maxlen
            for name in ["clear"] * (count < 1) or ["extend"] * (count > 1 and not full):
                items = list(self.outside_items(left)) * (count - 1)
                self.presence.container_method(left, name, (items,) * (count > 1), {})
            return left
        self.replace(left, list(self.outside_items(left)) * count)
        return left

    def inplace_container(self, op: str, left: Any, right: Any) -> Any:
        target = left
        if id(left) in self.found_functions.paths:
            self.effects.effect_on(left, INPLACE[op], right)
            target = self.references.shadow_of(left)
        if target is not left and id(target) in self.symbolic_lists:
            self.machine.inplace(op, target, right)
        elif target is not None:
            self.journal.touch(Content(target, self.symbolic_lists))
            INPLACE[op](target, self.resolved(right))
        return left

    def container_truth(self, value: Any) -> bool | None:
        value = self.references.seen(value)
        if id(value) in self.symbolic_lists:
            return None
        self.sources.note_container(value)
        return bool(value)

    def predicate(self, value: Any) -> Any:
        value = self.references.seen(value)
        if isinstance(value, list) and id(value) in self.symbolic_lists:
            return self.machine.compare("!=", self.machine.length(value), 0)
        return self.next.predicate(value)


def split_items(items: list[Any], before: int, star: bool, after: int) -> tuple[Any, ...]:
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
