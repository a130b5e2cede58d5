"""Variables: local, global, free; and how a function ends."""

from __future__ import annotations

import builtins
import functools
import operator
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.ir import Suggested, Value
from ...stage.defaults import free_error
from ...stage.machine import RESULT, UNBOUND, Frame
from ...types.guards import Path
from ...types.spelling import unbound_message
from ..collaborator import Collaborator
from ..heap.queues import Queue
from ..heap.rows import Row
from ..heap.stores import Reference
from ..heap.tables import Numbers, Table
from ..libraries import registry as libraries
from ..record.journal import Field, Slot
from ..record.states import Columns, Maybe, SymbolicList
from ..record.structures import POLYNOMIALS, is_library
from ..record.tracers import ArrayTracer, Jump, Poison, ScalarTracer, is_tracer


def is_nameless(value: Value, name: str) -> bool:
    """May a value be called ``name`` now: has nobody given it a better one?"""
    return value.hint is None or (type(value.hint) is Suggested and type(name) is not Suggested)

# callables of libraries that hold objects of the program
HOLDERS = (functools.partial, functools.partialmethod, operator.itemgetter, np.vectorize,
           *POLYNOMIALS)


def is_of_program(callee: Any) -> bool:
    """Is a function one of the user's, not of the classes that stand for containers?"""
    return callee is not None and not of_tracer(callee)


def of_tracer(thing: Any) -> bool:
    """Is a function or class one of the tracer's own, which is staged?"""
    return (thing.__module__ or "").startswith("srcgrad.trace")


class Variables(Collaborator):
    """Loads and stores of names."""

    speaks_to = ("effects", "foreigners", "found_functions", "listed_arrays", "merges",
                 "open_names", "presence", "recorder", "references", "sources")

    def __init__(self) -> None:
        # with the container: its id stays its own
        self.container_names: dict[int, tuple[str, Any]] = {}

    def load(self, frame: Frame, name: str) -> Any:
        return self._load(frame, name, self._unbound)

    def load_enclosing(self, frame: Frame, name: str) -> Any:
        return self._load(frame, name, self._unbound_free)

    def _load(self, frame: Frame, name: str, unbound: Callable[[Frame, str], NoReturn]) -> Any:
        value = frame.slots.get(name, UNBOUND)
        if value is UNBOUND:
            unbound(frame, name)
        if type(value) is Poison:
            raise self.recorder.unjoined(value)
        if type(value) is Maybe:
            found = self.presence.present(value, lambda: unbound(frame, name))
            self.journal.write(Slot(frame, name), found)
            return found
        if not self.open_names.check_bound(frame, name, value):
            unbound(frame, name)
        return value

    def _unbound(self, frame: Frame, name: str) -> NoReturn:
        if frame.callee is not None and name in getattr(frame.function, "assigned", ()):
            raise UnboundLocalError(unbound_message(name))
        self._unbound_free(frame, name)

    @staticmethod
    def _unbound_free(frame: Frame, name: str) -> NoReturn:
        raise free_error(name)

    def loaded(self, value: Any) -> Any:
        if type(value) is Poison:
            raise self.recorder.unjoined(value)
        return value

    def store(self, frame: Frame, name: str, value: Any) -> None:
        if type(value) is Queue and is_of_program(frame.callee):
            self._label_all(frame, name, value.items)
        else:
            self._label_all(frame, name, value)
        self.journal.write(Slot(frame, name), value)

    def _label_all(self, frame: Frame, name: str, value: Any) -> None:
        """Gives what a variable refers to its name."""
        if is_tracer(value):
            self.label(value, name if is_of_program(frame.callee) else Suggested(name))
            self.listed_arrays.named(value, name)
        elif isinstance(value, (list, dict)):
            self.container_names.setdefault(id(value), (name, value))
            self.listed_arrays.named_list(value, name)
            first = next(iter(value), None) if type(value) is list else None
            if type(first) is Reference and first.cls is list:
                self.name_items(first.store.columns["items"], name)
            state = self.symbolic_lists.get(id(value))
            self.listed_arrays.label(state, name)
            if type(state) is Columns and len(state.columns) == 1:
                state = state.columns[0]
            if type(state) is SymbolicList and is_nameless(state.value, name):
                state.value.hint = name
        elif type(value) is Reference:
            if is_tracer(value.index):
                self.label(value.index, name)
            if value.cls is list:
                self.name_items(value.store.columns["items"], name)
        elif is_of_program(frame.callee) and is_tracer(held := libraries.value_in(value)):
            self.label(held, name)
        elif type(value) in (Row, Table) and is_of_program(frame.callee):
            value.places.value.hint = name if type(value) is Row else f"{name}_places"
            if isinstance(value.cells, Numbers):
                held = value.cells.held
                label = f"{name}_items" if type(value) is Row else name
                self.container_names.setdefault(id(held), (label, held))
            if type(value) is Table and value.names is not None:
                names = value.names
                self.container_names.setdefault(id(names), (f"{name}_keys", names))

    def name_of(self, obj: Any) -> str | None:
        """The user's name of a container that the function made."""
        found = self.container_names.get(id(obj))
        return None if found is None else found[0]

    def name_items(self, column: list[Any], name: str) -> str | None:
        """Call a list of the trace after what has its items, if it has no name yet."""
        if id(column) in self.container_names:
            return None
        label = f"{name.rstrip('_')}_items"
        self.container_names[id(column)] = label, column
        state = self.symbolic_lists.get(id(column))
        if state is not None:
            state.value.hint = label
        return label

    def label(self, value: Any, name: str) -> None:
        """Give a traced value the user's name, if it has none yet."""
        target = value.first if type(value) is ArrayTracer else value.value
        if target is not None and is_nameless(target, name) and name.strip("_"):
            target.hint = name
            if type(value) is ArrayTracer and not value.steps:
                value.home.label = name
                if is_nameless(value.home.current, name):
                    value.home.current.hint = name

    def unlabel(self, value: Any, name: str) -> None:
        """A number goes into a list that is called after ``name``: it needs no variable."""
        if type(value) is ScalarTracer and value.value.hint == name:
            value.value.hint = Suggested(name)

    def delete(self, frame: Frame, name: str) -> None:
        self.machine.load(frame, name)
        self.journal.write(Slot(frame, name), UNBOUND)

    def pin(self, obj: Any, label: str) -> tuple[str, Any]:
        """The root of paths that start at an object."""
        self.found_functions.pinned[id(obj)] = obj
        return ("object", id(obj))

    def load_global(self, frame: Frame, name: str) -> Any:
        namespace = frame.callee.__globals__
        cell = self.merges.global_overlays.get(id(namespace))
        if cell is not None and name in cell:
            value = cell[name]
            if value is UNBOUND:
                raise NameError(f"name '{name}' is not defined")
            return value
        if name not in namespace:
            found = getattr(builtins, name, UNBOUND)
            if not is_library(frame.callee.__module__) and (
                    (frame.callee.__module__ or "").split(".")[0] != "srcgrad"):
                self.sources.guard("builtin", Path(self.pin(namespace, name), (), name),
                                   (name, found))
            if found is UNBOUND:
                raise NameError(f"name '{name}' is not defined")
            return found
        value = namespace[name]
        if is_tracer(value):
            return value
        if is_library(frame.callee.__module__) or (
                isinstance(value, types.ModuleType) and is_library(value.__name__)):
            if not isinstance(value, (np.ndarray, int, float)) or isinstance(value, bool):
                return value
        if is_library(getattr(value, "__module__", None)) and callable(value) and not (
                isinstance(value, HOLDERS) or libraries.holds_arrays(value)):
            path = Path(self.pin(namespace, name), (("item", name),), name)
            self.sources.guard("is", path, value)
            self.found_functions.pinned[id(value)] = value
            return value
        return self.foreigners.outside(value, Path(self.pin(namespace, name), (("item", name),),
                                                   name))

    def store_global(self, frame: Frame, name: str, value: Any) -> None:
        namespace = frame.callee.__globals__
        overlay = self.merges.overlay_of(namespace)
        self.found_functions.paths.setdefault(
            id(namespace), Path(self.pin(namespace, "globals"), (), "globals()"))
        self.seed(overlay, name, lambda: self.machine.load_global(frame, name))
        self.effects.effect_on(namespace, operator.setitem, name, value)
        self.journal.write(Field(namespace, name, overlay), value)

    def delete_global(self, frame: Frame, name: str) -> None:
        raise self.recorder.fatal(UnsupportedOperation(
            f"`del {name}` of a global", why="the module would change at every call",
            fix="use a local variable"))

    def load_free(self, frame: Frame, name: str) -> Any:
        callee = frame.callee
        index = callee.__code__.co_freevars.index(name)
        overlay = self.merges.global_overlays.get(id(callee.__closure__[index]))
        if overlay is not None and name in overlay:
            return overlay[name]
        try:
            value = callee.__closure__[index].cell_contents
        except ValueError:
            raise free_error(name) from None
        if is_tracer(value):
            return value
        function = self._path_of(callee)
        return self.foreigners.outside(value, Path(function.root, (*function.steps, ("cell",
            index)), name))

    def _path_of(self, function: Any) -> Path:
        """Where the function that is running was found."""
        known = self.found_functions.paths.get(id(function))
        if known is not None:
            return known
        self.found_functions.unplaced.add(id(function))
        return Path(self.pin(function, ""))

    def store_free(self, frame: Frame, name: str, value: Any) -> None:
        callee = frame.callee
        cell = callee.__closure__[callee.__code__.co_freevars.index(name)]
        overlay = self.merges.overlay_of(cell)
        self.found_functions.pinned[id(cell)] = cell
        function = self._path_of(callee)
        path = Path(function.root, (*function.steps, ("attr", "__closure__"), (
            "item", callee.__code__.co_freevars.index(name))), f"cell {name}")
        self.found_functions.paths.setdefault(id(cell), path)
        self.found_functions.cells_change = True  # which other functions may share
        self.seed(overlay, name, lambda: self.machine.load_free(frame, name))
        self.effects.effect_on(cell, setattr, "cell_contents", value)
        self.journal.write(Field(cell, name, overlay), value)

    def seed(self, overlay: dict[str, Any], name: str, read: Callable[[], Any]) -> None:
        """Before the first write to a place outside, in a branch or a loop: what it holds where
        the write has not happened."""
        if name not in overlay and len(self.journal.layers) > 1:
            try:
                overlay[name] = read()
            except (AttributeError, NameError):
                overlay.pop(name, None)

    def finish(self, frame: Frame, jump: Any) -> Any:
        """The result of a function whose body ended with ``jump``."""
        if isinstance(jump, Jump) and 0 in jump.codes:
            fell = self.machine.compare("==", self.recorder.wrap(jump.full), 0)
            self.machine.if_(fell, lambda: self.journal.write(Slot(frame, RESULT), None), lambda: 0)
        value = frame.slots.get(RESULT, None)
        return self.references.loaded(value)

    def return_(self, frame: Frame, value: Any) -> Any:
        self.journal.write(Slot(frame, RESULT), value)
        return 3
