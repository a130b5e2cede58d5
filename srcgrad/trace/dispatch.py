"""Python's operators on what the tracer knows: for each, the parts that are asked, and in which
order; and which part knows each kind of value that is none of Python's own.

What staged code calls is here and in :class:`~srcgrad.stage.defaults.MachineDefaults`.  An operator
is asked of the part in ``KINDS`` for its operand; where there is none, or it returns ``PASSED``, of
the first part in ``LADDERS``, which hands on what it does not know by ``self.next``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from .boundary.found_functions import FoundFunctions
from .boundary.handover import HandedOver
from .boundary.identity import Identity
from .boundary.memory import Memory
from .boundary.namespaces import Globals, Namespaces
from .boundary.sources import Sources
from .boundary.variables import Variables
from .calls.call_nodes import CallNodes
from .calls.calls import Calls
from .calls.library_calls import LibraryCalls
from .calls.method_calls import MethodCalls
from .calls.recursion import Recursion
from .collaborator import PASSED
from .exceptions.escapes import Escapes
from .exceptions.guarded import Guarded
from .exceptions.statements import Statements
from .flow.branches import Branches
from .flow.joined_values import JoinedValues
from .flow.loop_nodes import LoopNodes
from .flow.loops import Loops
from .flow.merges import Merges
from .flow.open_names import OpenNames
from .flow.presence import Presence
from .flow.rounds import Rounds
from .flow.schedules import Schedules
from .heap.among import Among
from .heap.attributes import StoredAttributes
from .heap.containers import Containers
from .heap.contents import Contents
from .heap.elements import Elements
from .heap.found_tables import FoundTables
from .heap.items import Items
from .heap.keys import Keys
from .heap.known_keys import KnownKeys
from .heap.list_methods import ListMethods
from .heap.list_rows import ListRows
from .heap.listed_arrays import ListedArrays
from .heap.lists import Lists
from .heap.long_tuples import LongTuples
from .heap.opening import Opening
from .heap.pools import Pools
from .heap.references import References
from .heap.searches import Searches
from .heap.stored_lists import StoredLists
from .heap.stores import Link, Reference
from .heap.whole_lists import WholeLists
from .iteration.iteration import Cursor
from .iteration.iterators import Iterators
from .iteration.pushes import Pushes
from .iteration.walks import Walks
from .libraries.ndarray_subclasses.classes import ArrayClasses
from .libraries.ndarray_subclasses.results import ArrayResults
from .numpy.selections import Selections
from .objects.access import Access
from .objects.assignment import Assignment
from .objects.classes import ClassAttributes
from .objects.construct import Construction
from .objects.native_methods import NativeMethods
from .objects.protocols import Protocols
from .record.effects import Effects
from .record.recorder import Recorder
from .record.tracers import Choice, OpaqueTracer
from .record.truths import Truths
from .values.choices import Choices
from .values.comparisons import Comparisons
from .values.foreign import Foreign, Foreigners
from .values.operators import Operators
from .values.unions import Unions


class Parts:
    """The parts of the tracer by the names that they call one another."""

    recorder: Recorder
    open_names: OpenNames
    found_functions: FoundFunctions
    sources: Sources
    memory: Memory
    identity: Identity
    comparisons: Comparisons
    operators: Operators
    choices: Choices
    elements: Elements
    truths: Truths
    joined_values: JoinedValues
    merges: Merges
    branches: Branches
    rounds: Rounds
    loop_nodes: LoopNodes
    loops: Loops
    known_keys: KnownKeys
    keys: Keys
    found_tables: FoundTables
    opening: Opening
    whole_lists: WholeLists
    pools: Pools
    attributes: StoredAttributes
    items: Items
    class_attributes: ClassAttributes
    variables: Variables
    access: Access
    assignment: Assignment
    construction: Construction
    library_calls: LibraryCalls
    calls: Calls
    method_calls: MethodCalls
    list_rows: ListRows
    lists: Lists
    listed_arrays: ListedArrays
    tuples: LongTuples
    list_methods: ListMethods
    searches: Searches
    stored_lists: StoredLists
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
    among: Among
    unions: Unions
    protocols: Protocols
    array_results: ArrayResults
    array_classes: ArrayClasses
    presence: Presence
    contents: Contents
    cursors: Iterators
    escapes: Escapes
    pushes: Pushes
    references: References
    foreigners: Foreigners
    namespaces: Namespaces
    walks: Walks


LADDERS: dict[str, tuple[str, ...]] = {
    "and_": ("branches",),
    "assert_": ("statements",),
    "begin_list": ("containers",),
    "binary": ("contents", "protocols", "tuples", "operators"),
    "born": ("containers",),
    "build_class": ("class_attributes",),
    "build_dict": ("contents", "containers"),
    "build_list": ("cursors", "containers"),
    "build_set": ("containers",),
    "called": ("namespaces", "foreigners", "references", "pushes", "cursors", "contents",
               "array_classes", "protocols", "unions", "calls"),
    "called_method": ("namespaces", "foreigners", "references", "pushes", "cursors", "presence",
                      "array_classes", "protocols", "unions", "tuples", "method_calls"),
    "compare": ("contents", "protocols", "comparisons"),
    "condition": ("operators",),
    "container_truth": ("contents", "containers"),
    "delattr": ("assignment",),
    "delegate": ("containers",),
    "delete": ("variables",),
    "delete_global": ("variables",),
    "delitem": ("presence", "protocols", "tuples", "items"),
    "finish": ("variables",),
    "finish_dict": ("containers",),
    "finish_list": ("containers",),
    "for_": ("references", "foreigners", "pushes", "escapes", "cursors", "contents", "unions",
             "schedules", "loops"),
    "format": ("protocols", "statements"),
    "getattr": ("presence", "array_classes", "tuples", "access"),
    "getitem": ("foreigners", "presence", "array_classes", "protocols", "unions",
                "tuples", "items"),
    "if_": ("branches",),
    "if_expression": ("branches",),
    "inplace": ("contents", "array_classes", "protocols", "guarded", "tuples", "operators"),
    "iterate": ("contents", "containers"),
    "join_str": ("statements",),
    "kept_try": ("statements",),
    "length": ("contents", "access"),
    "load": ("references", "variables"),
    "load_enclosing": ("variables",),
    "load_free": ("variables",),
    "load_global": ("variables",),
    "mapping_items": ("references", "contents"),
    "match_each": ("unions",),
    "match_keys": ("contents",),
    "match_mapping": ("contents",),
    "match_rest": ("contents",),
    "match_sequence": ("contents",),
    "not_": ("operators",),
    "or_": ("branches",),
    "predicate": ("contents", "containers", "operators"),
    "push": ("pushes",),
    "push_all": ("pushes",),
    "pushed_result": ("pushes",),
    "raise_": ("statements",),
    "return_": ("recursion", "variables"),
    "setattr": ("cursors", "assignment"),
    "setitem": ("foreigners", "presence", "array_classes", "protocols", "guarded", "items"),
    "static_truth": ("operators",),
    "store": ("cursors", "array_classes", "variables"),
    "store_free": ("variables",),
    "store_global": ("variables",),
    "super_": ("array_classes", "access"),
    "truth": ("operators",),
    "try_": ("statements",),
    "unary": ("operators",),
    "unpack": ("references", "unions", "containers"),
    "while_": ("escapes", "schedules", "loops"),
    "with_": ("statements",),
}

KINDS: dict[type, str] = {
    Choice: "unions",
    Cursor: "cursors",
    Foreign: "foreigners",
    Globals: "namespaces",
    Link: "references",
    OpaqueTracer: "unions",
    Reference: "references",
}


def operators(parts: dict[str, Any]) -> dict[str, Any]:
    """The operators of a machine with these parts, each of which is told who comes next."""
    for part in parts.values():
        part.next = SimpleNamespace()
    found = {}
    for operator, ladder in LADDERS.items():
        for name, after in pairwise(ladder):
            setattr(parts[name].next, operator, getattr(parts[after], operator))
        found[operator] = getattr(parts[ladder[0]], operator)
        if operator in BY_KIND:
            found[operator] = BY_KIND[operator]({  # by id: a class may not be hashable
                id(kind): getattr(parts[name], operator) for kind, name in KINDS.items()
                if name not in ladder and hasattr(type(parts[name]), operator)}, found[operator])
    return found


def _of_first(kinds: dict[int, Any], ladder: Any) -> Any:
    """Asks by the kind of the object that an operator is about."""
    def ask(obj: Any, *given: Any) -> Any:
        known = kinds.get(id(type(obj)))
        found = PASSED if known is None else known(obj, *given)
        return ladder(obj, *given) if found is PASSED else found

    return ask


def _of_operands(kinds: dict[int, Any], ladder: Any) -> Any:
    """Asks by the kinds of the operands, one after the other."""
    def ask(op: str, *operands: Any) -> Any:
        for operand in operands:
            known = kinds.get(id(type(operand)))
            found = PASSED if known is None else known(op, *operands)
            if found is not PASSED:
                return found
        return ladder(op, *operands)

    return ask


BY_KIND: dict[str, Callable[[dict[int, Any], Any], Any]] = {
    **dict.fromkeys(("binary", "compare", "inplace", "unary"), _of_operands),
    **dict.fromkeys(("condition", "delattr", "delitem", "getattr", "getitem", "iterate", "length",
                     "predicate", "raise_", "setattr", "setitem", "static_truth"), _of_first),
}
