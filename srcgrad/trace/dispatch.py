"""Where Python's operators begin: for each the object of the tracer that is asked first.

An operator is asked of the most particular kind of value first; whoever does not know the kind
hands it on to the next by its name.  What staged code calls is here and in
:class:`~srcgrad.stage.defaults.MachineDefaults`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..stage.defaults import MachineDefaults
from ..stage.function import Staged
from ..stage.machine import Frame
from .access import Access
from .among import Among
from .array_classes import ArrayClasses
from .array_recipes import ArrayRecipes
from .branches import Branches
from .call_nodes import CallNodes
from .calls import Calls
from .choices import Choices
from .classes import ClassAttributes
from .comparisons import Comparisons
from .construct import Construction
from .containers import Containers
from .contents import Contents
from .effects import Effects
from .either import Either
from .escapes import Escapes
from .foreign import Foreigners
from .found_functions import FoundFunctions
from .guarded import Guarded
from .handover import HandedOver
from .identity import Identity
from .items import Items
from .iterators import Iterators
from .joined_values import JoinedValues
from .keys import Keys
from .known_keys import KnownKeys
from .library_calls import LibraryCalls
from .list_methods import ListMethods
from .list_rows import ListRows
from .lists import Lists
from .long_tuples import LongTuples
from .loop_nodes import LoopNodes
from .loops import Loops
from .merges import Merges
from .namespaces import Namespaces
from .native_methods import NativeMethods
from .open_names import OpenNames
from .opening import Opening
from .operators import Operators
from .picks import Picks
from .presence import Presence
from .protocols import Protocols
from .pushes import Pushes
from .recorder import Recorder
from .recursion import Recursion
from .references import References
from .rounds import Rounds
from .schedules import Schedules
from .selections import Selections
from .sources import Sources
from .statements import Statements
from .truths import Truths
from .variables import Variables


class Dispatch(MachineDefaults):
    """Python's operators on what the tracer knows."""

    recorder: Recorder
    open_names: OpenNames
    found_functions: FoundFunctions
    sources: Sources
    identity: Identity
    comparisons: Comparisons
    operators: Operators
    choices: Choices
    truths: Truths
    joined_values: JoinedValues
    merges: Merges
    branches: Branches
    rounds: Rounds
    loop_nodes: LoopNodes
    loops: Loops
    known_keys: KnownKeys
    keys: Keys
    opening: Opening
    items: Items
    class_attributes: ClassAttributes
    variables: Variables
    access: Access
    construction: Construction
    library_calls: LibraryCalls
    calls: Calls
    list_rows: ListRows
    lists: Lists
    tuples: LongTuples
    list_methods: ListMethods
    containers: Containers
    native_methods: NativeMethods
    selections: Selections
    handed_over: HandedOver
    effects: Effects
    guarded: Guarded
    statements: Statements
    call_nodes: CallNodes
    recursion: Recursion
    schedules: Schedules
    either: Either
    among: Among
    picks: Picks
    protocols: Protocols
    array_recipes: ArrayRecipes
    array_classes: ArrayClasses
    presence: Presence
    contents: Contents
    cursors: Iterators
    escapes: Escapes
    pushes: Pushes
    references: References
    foreigners: Foreigners
    namespaces: Namespaces

    def and_(self, first: Any, *rest: Callable[[], Any]) -> Any:
        return self.branches.and_(first, *rest)

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        self.statements.assert_(test, message)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        return self.foreigners.binary(op, left, right)

    def born(self, obj: Any) -> None:
        self.containers.born(obj)

    def build_class(self, body: Staged, frame: Frame, name: str, bases: tuple[Any, ...],
                    keywords: dict[str, Any]) -> Any:
        return self.class_attributes.build_class(body, frame, name, bases, keywords)

    def build_dict(self, pairs: list[tuple[Any, Any]]) -> Any:
        return self.contents.build_dict(pairs)

    def build_list(self, *items: Any) -> list[Any]:
        return self.cursors.build_list(*items)

    def build_set(self, *items: Any) -> Any:
        return self.containers.build_set(*items)

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.called(function, args, kwargs)  # without `*`: that takes room on C's stack

    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        return self.called_method(obj, name, args, kwargs)

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.namespaces.called(function, args, kwargs)

    def called_method(self, obj: Any, name: str, args: tuple[Any, ...],
                      kwargs: dict[str, Any]) -> Any:
        return self.namespaces.called_method(obj, name, args, kwargs)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        return self.namespaces.compare(op, left, right)

    def condition(self, value: Any) -> Any:
        return self.foreigners.condition(value)

    def container_truth(self, value: Any) -> bool | None:
        return self.contents.container_truth(value)

    def define(self, staged: Any, frame: Any, defaults: tuple[Any, ...], kwdefaults: dict[str,
               Any], annotations: dict[str, Any]) -> Any:
        return self.calls.define(staged, frame, defaults, kwdefaults, annotations)

    def delattr(self, obj: Any, name: str) -> None:
        self.references.delattr(obj, name)

    def delegate(self, iterable: Any) -> Any:
        return self.containers.delegate(iterable)

    def delete(self, frame: Frame, name: str) -> None:
        self.variables.delete(frame, name)

    def delete_global(self, frame: Frame, name: str) -> None:
        self.variables.delete_global(frame, name)

    def delitem(self, obj: Any, key: Any) -> None:
        self.presence.delitem(obj, key)

    def finish(self, frame: Frame, jump: Any) -> Any:
        return self.variables.finish(frame, jump)

    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        return self.foreigners.for_(iterable, target, body, orelse, rest)

    def format(self, value: Any, conversion: str, spec: Any) -> Any:
        return self.protocols.format(value, conversion, spec)

    def getattr(self, obj: Any, name: str) -> Any:
        return self.namespaces.getattr(obj, name)

    def getitem(self, obj: Any, key: Any) -> Any:
        return self.namespaces.getitem(obj, key)

    def if_(self, test: Any, then: Callable[[], Any], orelse: Callable[[], Any], rest: Callable[[],
            Any] | None = None) -> Any:
        return self.branches.if_(test, then, orelse, rest)

    def if_expression(self, test: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        return self.branches.if_expression(test, then, orelse)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        return self.foreigners.inplace(op, left, right)

    def iterate(self, iterable: Any) -> Any:
        return self.namespaces.iterate(iterable)

    def join_str(self, *parts: Any) -> Any:
        return self.statements.join_str(*parts)

    def length(self, obj: Any) -> Any:
        return self.foreigners.length(obj)

    def load(self, frame: Frame, name: str) -> Any:
        return self.references.load(frame, name)

    def load_enclosing(self, frame: Frame, name: str) -> Any:
        return self.variables.load_enclosing(frame, name)

    def load_free(self, frame: Frame, name: str) -> Any:
        return self.variables.load_free(frame, name)

    def load_global(self, frame: Frame, name: str) -> Any:
        return self.variables.load_global(frame, name)

    def mapping_items(self, mapping: Any) -> list[tuple[Any, Any]]:
        return self.contents.mapping_items(mapping)

    def match_each(self, frame: Frame, slot: str, test: Callable[[], Any]) -> Any:
        return self.either.match_each(frame, slot, test)

    def match_keys(self, subject: Any, keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
        return self.contents.match_keys(subject, keys)

    def match_mapping(self, subject: Any, length: int) -> bool:
        return self.contents.match_mapping(subject, length)

    def match_rest(self, subject: Any, keys: tuple[Any, ...]) -> dict[Any, Any]:
        return self.contents.match_rest(subject, keys)

    def match_sequence(self, subject: Any, length: int, star: bool) -> bool:
        return self.contents.match_sequence(subject, length, star)

    def not_(self, operand: Any) -> Any:
        return self.operators.not_(operand)

    def or_(self, first: Any, *rest: Callable[[], Any]) -> Any:
        return self.branches.or_(first, *rest)

    def predicate(self, value: Any) -> Any:
        return self.contents.predicate(value)

    def raise_(self, exception: Any, cause: Any, has_cause: bool) -> Any:
        return self.statements.raise_(exception, cause, has_cause)

    def return_(self, frame: Frame, value: Any) -> Any:
        return self.recursion.return_(frame, value)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        self.foreigners.setattr(obj, name, value)

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        self.namespaces.setitem(obj, key, value)

    def static_truth(self, value: Any) -> bool | None:
        return self.foreigners.static_truth(value)

    def store(self, frame: Frame, name: str, value: Any) -> None:
        self.cursors.store(frame, name, value)

    def store_free(self, frame: Frame, name: str, value: Any) -> None:
        self.variables.store_free(frame, name, value)

    def store_global(self, frame: Frame, name: str, value: Any) -> None:
        self.variables.store_global(frame, name, value)

    def super_(self, cls: Any, obj: Any) -> Any:
        return self.array_classes.super_(cls, obj)

    def truth(self, value: Any) -> bool:
        return self.operators.truth(value)

    def try_(self, body: Callable[[], Any], handlers: list[tuple[Callable[[], Any] | None,
             str | None, Callable[[], Any]]], orelse: Callable[[], Any] | None,
            final: Callable[[], Any] | None, frame: Any, rest: Callable[[], Any] |
            None = None) -> Any:
        return self.statements.try_(body, handlers, orelse, final, frame, rest)

    def unary(self, op: str, operand: Any) -> Any:
        return self.foreigners.unary(op, operand)

    def unpack(self, value: Any, before: int, star: bool, after: int) -> tuple[Any, ...]:
        return self.either.unpack(value, before, star, after)

    def while_(self, test: Any, body: Any, orelse: Any = None, rest: Any = None) -> Any:
        return self.escapes.while_(test, body, orelse, rest)

    def with_(self, managers: list[Callable[[], Any]], targets: list[Callable[[Any], None] | None],
              body: Callable[[], Any], rest: Callable[[], Any] | None = None) -> Any:
        return self.statements.with_(managers, targets, body, rest)

    def push(self, item: Any, rest: Any = None) -> Any:
        return self.pushes.push(item, rest)

    def push_all(self, iterable: Any, rest: Any = None) -> Any:
        return self.pushes.push_all(iterable, rest)

    def pushed_result(self) -> Any:
        return self.pushes.pushed_result()
