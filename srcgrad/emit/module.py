"""The module around the function: imports, constants, header, border, return."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Any

from srcgrad.emit.comments import BACKWARD, FORWARD, Comments, comment, text_of
from srcgrad.emit.control import Control, End
from srcgrad.emit.expressions import Expressions
from srcgrad.emit.fold import Folding
from srcgrad.emit.gathered import gathered
from srcgrad.emit.handles import Handles
from srcgrad.emit.header import header
from srcgrad.emit.kept_records import Records
from srcgrad.emit.literals import Namespace
from srcgrad.emit.liveness import Liveness
from srcgrad.emit.motion import Motion
from srcgrad.emit.naming import Naming
from srcgrad.emit.nesting import unnested
from srcgrad.emit.one_name import one_name
from srcgrad.emit.order import Order, number
from srcgrad.emit.over_kept import over_kept
from srcgrad.emit.ownership import with_ownership
from srcgrad.emit.printing import weave
from srcgrad.emit.realize import realized
from srcgrad.emit.sizes import Sizes
from srcgrad.emit.split import split_names
from srcgrad.emit.stacks import on_stacks
from srcgrad.emit.together import together
from srcgrad.emit.trees import statements
from srcgrad.emit.trim import trim
from srcgrad.errors import Where
from srcgrad.graph.callback import callbacks
from srcgrad.graph.ir import Block, Graph, Ref, Value, has_plain_arguments
from srcgrad.graph.lift import reachable
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import operations, walk
from srcgrad.types.dataclasses import dataclass, field
from srcgrad.types.kinds import SCALARS, Kind

RESERVED = frozenset(dir(builtins)) | frozenset(
    ("_", "np", "math", "cmath", "operator", "scipy", "copy", "False", "None", "True", "and",
     "as",
     "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
     "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
     "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"))


@dataclass(frozen=True)
class Emitted:
    """Generated source.  ``globals`` must be in the namespace in which ``text`` is executed;
    ``line_map`` maps its lines to places of the user's; ``notes`` say what runs natively;
    ``tree`` is what Python reads in the text, until that is linked."""

    text: str
    entry: str
    line_map: Mapping[int, Where] = field(default_factory=dict)
    globals: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tree: ast.Module | None = field(default=None, repr=False, compare=False)


Outline = Callable[["Function", list[ast.stmt]], tuple[list[ast.stmt], list[ast.stmt]]]
OUTPUTS = object()  # the result of a function: its only output, or the tuple of its outputs


def emit(graph: Graph, *, parameter_names: Sequence[str],
         defaults: Mapping[str, Any] | None = None, result: Any = OUTPUTS,
         outline: Outline | None = None, reserved: Collection[str] = ()) -> Emitted:
    """The Python source of a graph.

    ``parameter_names`` are the names of the graph's inputs (those that hide builtins get an
    underscore); ``defaults`` gives default values of the last ones.  ``result`` is the
    structure to return, with :class:`Ref` at the places of outputs; without it a function
    returns its only output, or the tuple of its outputs.  ``outline`` makes functions of parts
    of the body: it returns these, and what is left of the statements; it calls functions whose
    names are ``reserved``.
    """
    parameter_names = list(map(str, parameter_names))
    new_names = [_parameter(n, parameter_names) for n in parameter_names]
    defaults = {_parameter(str(n), parameter_names): v for n, v in (defaults or {}).items()}
    parameter_names = new_names
    graph = with_ownership(graph)
    space = Namespace({*RESERVED, *parameter_names, graph.name})
    functions: list[ast.stmt] = []
    for callee in map(graph.callees.__getitem__, reachable(graph)):
        names = [str(v.hint or f"a{i}") for i, v in enumerate(callee.inputs)]
        functions += Function(callee, _distinct(names), space, {}, OUTPUTS).statements()
    functions += Function(graph, parameter_names, space, defaults, result,
                          reserved, outline is None).statements(outline)
    functions = [*_called_back(space), *functions]
    body: list[ast.stmt] = []
    for line in sorted(space.imports):
        body.extend(ast.parse(line).body)
    text, places, tree = weave(ast.Module([*body, *functions], []))
    return Emitted(text, graph.name, places, space.globals, tree=tree)


def _called_back(space: Namespace) -> list[ast.stmt]:
    """The functions that are handed to library code, and those that they hand over."""
    found: list[ast.stmt] = []
    written: set[str] = set()
    while len(written) < len(space.callbacks):
        title = next(name for name in space.callbacks if name not in written)
        written.add(title)
        callback = space.callbacks[title]
        graph = with_ownership(callback.graph.but(name=title))
        names = [v.hint or f"a{i}" for i, v in enumerate(graph.inputs)]
        results = tuple(Ref(i) for i in range(len(graph.outputs)))
        found = [*Function(graph, _distinct(names), space, {},
                           results if callback.many else OUTPUTS).statements(), *found]
    return found


def _parameter(name: str, others: Sequence[str]) -> str:
    """A parameter's name; ``len_`` for ``len``, which generated code may have to call."""
    changed = False
    while name in RESERVED or (changed and name in others):
        name, changed = f"{name}_", True
    return name


def _distinct(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for wanted in names:
        name, number_ = wanted, 1
        while name in found or name in RESERVED:
            number_ += 1
            name = f"{wanted}_{number_}"
        found.append(name)
    return found


class Function:
    """One graph as one function."""

    def __init__(self, graph: Graph, parameters: Sequence[str], space: Namespace,
                 defaults: Mapping[str, Any], result: Any,
                 reserved: Collection[str] = (), stacks: bool = True) -> None:
        self.parameters, self.space = parameters, space
        self.defaults, self.result = defaults, result
        self.graph, self.families = realized(trim(graph))
        self.reserved = {*RESERVED, *graph.callees, graph.name, *self.captures(), *reserved}
        order = self.analyse()
        if stacks:
            optional = {v for plan in self.sizes.plans.values() for v in plan.optional}
            graph = on_stacks(self.graph, self.folding, optional)
            if graph is not self.graph:
                self.graph = graph
                order = self.analyse()
        if self.naming.late:
            late = self.naming.late
            self.graph = split_names(self.graph, order, self.folding, late)
            self.analyse(late)
        self.expressions = Expressions(self.naming, self.folding, self.sizes, space)
        self.control = Control(self.naming, self.folding, self.sizes, self.expressions,
                               Comments())

    def analyse(self, avoid: Container[Value] = frozenset()) -> Order:
        """What is folded, kept, alive and called how."""
        order = number(self.graph)
        self.folding = Folding(order, self.graph.border, self.families).run(self.graph)
        self.sizes = Sizes(self.graph, self.folding, avoid)
        live = Liveness(self.graph, order, self.folding, self.sizes, Handles(self.graph))
        self.naming = Naming(self.graph, order, self.folding, live, self.parameters,
                             self.reserved)
        return order

    def captures(self) -> set[str]:
        """Names of objects that the graph mentions: no variable may hide them."""
        found: set[str] = set()
        seen: set[int] = set()
        for node in walk(self.graph.block):
            fn = node.params.get("fn")
            if fn is not None and id(fn) not in seen and self.space.is_captured(fn):
                found.add(self.space.captured(fn, getattr(fn, "__name__", type(fn).__name__)))
            seen.add(id(fn))
            if "args" in node.params and not has_plain_arguments(node):
                found.update([self.space.captured(c, c.title) for c in callbacks(
                    (node.params["args"], node.params["kwargs"]))])
            if node.op == "const":
                literal = self.space.literal(node.params["value"], node.out.hint or "constant")
                if isinstance(literal, ast.Name):
                    found.add(literal.id)
        return found

    def statements(self, outline: Outline | None = None) -> list[ast.stmt]:
        graph, border = self.graph, self.graph.border
        if not border:
            body = self.control.block(graph.block, End())
        else:
            nodes = graph.block.nodes
            forward = Block((), nodes[:border], ())
            self.control.forward = forward if outline is None else None
            body = [comment(FORWARD), *self.control.block(forward, End())]
            self.control.forward = None
            backward = self.control.block(Block((), nodes[border:], ()), End())
            if backward or all(text_of(s) != BACKWARD for s in statements(body)):
                body += [comment(BACKWARD), *backward]
        body.append(ast.Return(self.returned()))
        self.rename(one_name(body, self.parameters, set(self.naming.of.values()) - {
            n for v, n in self.naming.of.items()
            if v.aval.kind is not Kind.ARRAY or not v.aval.shape or v.aval.optional}))
        if outline is not None:
            parts, body = outline(self, body)
            return [*parts, *self.header(self.naming.of), self.finished(self.definition(body))]
        function = self.definition(body)
        names = self.naming.of
        if "loop" in operations(graph.block):
            names = self.with_records(function)
        return [*self.header(names), self.finished(function)]

    def with_records(self, function: ast.FunctionDef) -> dict[Value, str]:
        """Keeps what loops keep in records; the names that there still are."""
        records = Records(function.body, self.sequences(), {*self.parameters, *self.reserved},
                          set(self.naming.of.values()) - {
                              n for v, n in self.naming.of.items() if v.aval.kind not in SCALARS})
        gone = over_kept(records, *self.gone_back_over())
        function.body = records.body
        return {v: leaf for v, name in self.naming.of.items()
                if (leaf := records.leaf(name)) not in gone}

    def rename(self, names: Mapping[str, str]) -> None:
        """Notes other names of variables."""
        self.naming.of = {v: names.get(n, n) for v, n in self.naming.of.items()}

    def finished(self, function: ast.FunctionDef) -> ast.FunctionDef:
        motion = Motion(self.naming.of, self.folding, self.naming.live.uses)
        return unnested(together(function, self.folding.users, motion))

    def sequences(self) -> set[str]:
        """The names of what loops keep."""
        return {self.naming.of[sequence] for node in walk(self.graph.block) if node.op == "loop"
                for _, sequence, _ in LoopParts(node).kept if sequence in self.naming.of}

    def gone_back_over(self) -> tuple[set[str], set[str]]:
        """The names of what loops that go back go through, and of numbers that loops count."""
        consumed = {self.naming.of[source] for node in walk(self.graph.block)
                    if node.op == "loop" and node.loop.reverse
                    for source in LoopParts(node).sources if source in self.naming.of}
        counters = {names.trips for node, names in self.naming.loops.items()
                    if names.trips is not None and (node.loop.exits or node.loop.kind == "while")}
        return consumed, counters

    def returned(self) -> ast.expr:
        outputs = self.graph.outputs
        template = self.result
        if template is OUTPUTS:
            template = Ref(0) if len(outputs) == 1 else tuple(
                Ref(i) for i in range(len(outputs)))
        return self.expressions.template(template, outputs)

    def header(self, names: Mapping[Value, str]) -> list[ast.stmt]:
        lines = header(self.graph, self.parameters, names)
        return [comment(line) for line in (*lines, *self.helpers())]

    def helpers(self) -> list[str]:
        """Where the functions come from that are neither NumPy's nor the user's."""
        found: dict[str, None] = {}
        functions = [n.params["fn"] for n in walk(self.graph.block) if "fn" in n.params]
        for fn in {id(fn): fn for fn in functions}.values():
            module = getattr(fn, "__module__", None) or ""
            if module.startswith("srcgrad.rules") and self.space.is_captured(fn):
                found[f"{self.space.captured(fn, fn.__name__)} of {module}"] = None
        return [f"uses {', '.join(sorted(found))}"] if found else []

    def definition(self, body: list[ast.stmt]) -> ast.FunctionDef:
        given = [self.space.literal(self.defaults[p]) for p in self.parameters
                 if p in self.defaults]
        arguments = ast.arguments(
            posonlyargs=[], args=[ast.arg(p) for p in self.parameters], vararg=None,
            kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=given)
        return gathered(ast.FunctionDef(self.graph.name, arguments, body, [], None))
