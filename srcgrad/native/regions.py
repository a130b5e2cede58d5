"""Which statements become kernels: maximal runs of statements that a kernel can hold.

A run begins and ends with a loop: what stands alone is no slower in NumPy.  It may lie within a
loop or branch that stays in NumPy.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from srcgrad.emit.comments import node_of, text_of
from srcgrad.emit.literals import call, name
from srcgrad.emit.module import Function
from srcgrad.emit.order import is_adjoint
from srcgrad.emit.ownership import with_ownership
from srcgrad.graph.ir import Block, Graph, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.native.columns import saved_by, trips_of
from srcgrad.native.facts import Facts
from srcgrad.native.flow import Flow, live_before, names_in
from srcgrad.native.growing import is_mixed
from srcgrad.native.holding import begins, element_type, why_not
from srcgrad.native.integral import integral
from srcgrad.native.numbers import Numbers, Unsure
from srcgrad.native.predicates import outside
from srcgrad.native.rows import any_too_large, flattened
from srcgrad.native.widths import holds_integers, too_wide
from srcgrad.native.write import Kernel, Unwritable
from srcgrad.types.kinds import PYTHON_SCALARS, SCALARS, Aval, Kind, list_of
from srcgrad.types.spelling import Method

Stmts = list[ast.stmt]
CALL = 500.0  # nanoseconds of a call of a kernel
ITEM = 12.0  # and of an item of a list made of what it returns


class Regions:
    """The kernels of one module.  Called by the printer with each function and its statements,
    it returns the statements that are left, and keeps the kernels; ``done`` numbers the loops
    that became part of one.  Where ``facts`` do not hold the text of ``graph`` for NumPy runs.
    ``fast``: arithmetic may be reordered."""

    def __init__(self, facts: Facts, graph: Graph, fast: bool) -> None:
        self.facts, self.graph, self.fast = facts, graph, fast
        self.kernels: list[Kernel] = []
        self.done: set[int] = set()

    def __call__(self, function: Function, body: Stmts) -> tuple[Stmts, Stmts]:
        """The kernels of a function, and what is left of its body."""
        first = len(self.kernels)
        finder = _Finder(self, function, body)
        left = finder.unchecked(_unconverted(finder.block(body, set())))
        parts = [s for k in self.kernels[first:] for s in k.definition()]
        check = self.facts.check(function.parameters)
        rows = {i: target for i, s in enumerate(left) if (target := _flattened(s)) is not None}
        if check is not None or rows:
            graph = self.graph.but(name=f"{self.graph.name}_in_numpy")
            parts += Function(with_ownership(graph), function.parameters, function.space,
                              function.defaults, function.result).statements()
            instead = call(graph.name, *map(name, function.parameters))
            if rows:
                wide: list[ast.expr] = [call(function.space.function(any_too_large), name(target))
                                        for target in rows.values()]
                left.insert(max(rows) + 1, ast.If(
                    wide[0] if len(wide) == 1 else ast.BoolOp(ast.Or(), wide),
                    [ast.Return(instead)], []))
            if check is not None:
                left = [ast.If(check, [ast.Return(instead)], []), *left]
        return parts, left


def _flattened(statement: ast.stmt) -> str | None:
    """The array of the integers of lists of lists, where it is made."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    text = ast.unparse(statement.value)
    made = text.startswith(f"{flattened.__name__}(") and text.endswith(", int)")
    return statement.targets[0].id if made else None


class _Finder:
    def __init__(self, regions: Regions, function: Function, body: Stmts) -> None:
        self.regions, self.function = regions, function
        self.whole = body
        self.avals: dict[str, list[Aval]] = {}
        self.exact: dict[Value, Aval] = {}
        self.mixed: set[str] = set()  # lists of numbers of which the run tells the type
        for n in walk(function.graph.block):
            self.mixed |= {str(function.naming.of.get(v)) for v in n.outputs
                           if is_mixed(v.aval) and not is_adjoint(n)}
        self.readers: dict[Value, list[Node]] = {}
        for n in walk(function.graph.block):
            for v in (*n.inputs, *(v for b in n.blocks for v in b.outputs)):
                self.readers.setdefault(v, []).append(n)
        kept = {s: made.aval for n in walk(function.graph.block) if n.op == "loop"
                for s, made in zip(LoopParts(n).sequences, LoopParts(n).produced, strict=True)
                if made.aval.kind in SCALARS}
        for value, variable in function.naming.of.items():
            aval = value.aval
            if aval.kind is Kind.LIST and not _is_complete(aval.elem):
                aval = list_of(self.elem_later(value))
            elif self.may_be_list(value):
                aval = list_of(kept.get(value))  # its rows may be lists or arrays
            elif function.sizes.is_array(value):
                aval = _in_array(aval)
            if aval.kind is Kind.ARRAY and value in kept and kept[value].kind in PYTHON_SCALARS:
                aval = aval.but(elem=kept[value])
            self.avals.setdefault(variable, []).append(aval)
            self.exact[value] = aval
        self.integral = integral(function.graph)
        self.before: set[str] = set(function.parameters)  # assigned for sure

    def elem_later(self, value: Value) -> Aval | None:
        """What the items are of a list that is empty at first, or has empty lists as items."""
        todo, seen = [value], {value}
        while todo:
            one = todo.pop()
            if _is_complete(one.aval.elem):
                return one.aval.elem
            later: list[Value] = []
            for node in self.readers.get(one, ()):
                if node.op == "loop":
                    parts = LoopParts(node)
                    later += [v for values in zip(parts.inits, parts.carried, parts.next,
                                                  parts.results, strict=True)
                              if one in values for v in values]
                elif node.op == "if":
                    later += [out for out, *arms in zip(node.outputs, *(
                        b.outputs for b in node.blocks), strict=True) if one in arms]
                elif node.op in ("append", "put", "insert", "list") and one in (
                        node.inputs if node.op == "list" else node.inputs[1:2]):
                    rows = self.elem_later(node.outputs[0])  # it becomes an item of a list
                    if rows is not None and _is_complete(rows.elem):
                        return rows.elem
                elif node.op in ("append", "insert", "put", "copy", "pop", "alias"):
                    later.append(node.outputs[0])
            todo += [v for v in later if v not in seen]
            seen.update(later)
        return None

    def may_be_list(self, value: Value) -> bool:
        """May a value be a sequence that a loop keeps in a list?"""
        sizes, made = self.function.sizes, self.function.folding.producer.get(value)
        if made is not None and made.op == "loop" and not sizes.may_be_list(value):
            return False
        return any(not sizes.is_array(s) for s in sizes.origins.of(value))

    # ---- what is held --------------------------------------------------------------------
    def is_held(self, statement: ast.stmt) -> bool:
        node = node_of(statement)
        if node is None:
            return False
        if node.op == "loop" and "kernel" not in node.params:
            return False
        return all(why_not(n) is None for n in self.printed(node))

    def is_loop(self, statement: ast.stmt) -> bool:
        node = node_of(statement)
        return isinstance(statement, (ast.For, ast.While)) and node is not None and (
            node.op == "loop")

    def printed(self, node: Node) -> Iterable[Node]:
        """A node, those in its blocks, and those that are printed as part of them."""
        folding = self.function.folding
        seen: set[Node] = set()
        todo = [node]
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            yield one
            read: list[Value] = list(one.inputs)
            for block in one.blocks:
                todo.extend(block.nodes)
                read.extend(block.outputs)
            for value in read:
                made = folding.producer.get(value)
                if made is not None and (made in folding.inlined or made.op == "const"):
                    todo.append(made)

    # ---- runs ------------------------------------------------------------------------------
    def block(self, statements: Stmts, live: set[str]) -> Stmts:
        """The statements with calls of kernels in the place of runs; ``live`` are the variables
        that are read after them."""
        out: Stmts = []
        after = cache(lambda end: live_before(statements[end:], live))
        i = 0
        while i < len(statements):
            end, kernel = i, None
            for end in self.ends(statements, i):
                kernel = self.kernel(statements[i:end], after(end))
                if kernel is not None:
                    break
            if kernel is None:
                out.append(self.nested(statements[i], after(i + 1)))
                self.assign(statements[i:i + 1])
                i += 1
                continue
            self.regions.kernels.append(kernel)
            self.regions.done |= self.numbers(statements[i:end])
            out += kernel.call()
            self.assign(statements[i:end])
            self.before |= {*kernel.results}  # a kernel returns all of them on each path
            i = end
        return out

    def ends(self, statements: Stmts, start: int) -> list[int]:
        """Where a run that begins here may end: after one of its loops, the last one first."""
        ends: list[int] = []
        if not (self.is_held(statements[start]) and self.begins(statements[start])):
            return ends
        for i in range(start, len(statements)):
            if text_of(statements[i]) is not None:
                continue
            if not self.is_held(statements[i]):
                break
            if self.is_loop(statements[i]):
                end = i + 1
                while end < len(statements) and node_of(statements[end]) is node_of(
                        statements[i]):
                    end += 1
                ends.insert(0, end)
        return ends

    def begins(self, statement: ast.stmt) -> bool:
        node = node_of(statement)
        return node is not None and begins(node)

    def numbers(self, statements: Sequence[ast.stmt]) -> set[int]:
        return {node.params["kernel"] for s in statements
                if (node := node_of(s)) is not None and node.op == "loop"
                and node.params["outermost"]}

    def assign(self, statements: Sequence[ast.stmt]) -> None:
        self.before |= Flow([s for s in statements if text_of(s) is None and _binds(s)]).certain

    def nested(self, statement: ast.stmt, live: set[str]) -> ast.stmt:
        """A statement that stays, with kernels in its blocks."""
        if isinstance(statement, (ast.For, ast.While)):
            live = live | Flow([statement]).exposed  # in the next iteration
        for part in ("body", "orelse"):
            inner = getattr(statement, part, None)
            if isinstance(inner, list) and inner and not isinstance(statement, ast.Try):
                kept = set(self.before)
                if isinstance(statement, ast.For):
                    self.before |= names_in(statement.target, ctx=ast.Store)
                setattr(statement, part, self.block(inner, live))
                self.before = kept
        return statement

    def unchecked(self, statements: Stmts) -> Stmts:
        """What stays without questions about indices that NumPy's text asks in the next statement
        itself."""
        kept: Stmts = []
        following: ast.stmt = ast.Pass()
        for s in reversed(statements):
            for part in ("body", "orelse"):
                if isinstance(inner := getattr(s, part, None), list):
                    setattr(s, part, self.unchecked(inner))
            question = _question(s)
            if question is None or not self.is_asked_by(following, question, s):
                kept.insert(0, s)
            following = s if question is None else following
        return kept

    def is_asked_by(self, statement: ast.stmt, question: ast.Call, raised: ast.stmt) -> bool:
        """Does a statement read the element that is asked for, and raise the same error?"""
        index, base = ast.unparse(question.args[0]), names_in(question.args[1]) - {"len"}
        kind = Kind.LIST if "list" in ast.unparse(raised) else Kind.ARRAY
        return not isinstance(statement, (ast.For, ast.While, ast.If, ast.Try)) and any(
            isinstance(n, ast.Subscript) and {ast.unparse(n.value)} == base
            and self.kind(ast.unparse(n.value)) is kind and index in map(
                ast.unparse, n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice])
            for n in ast.walk(statement))

    # ---- one kernel ------------------------------------------------------------------------
    def kernel(self, statements: Stmts, live: set[str]) -> Kernel | None:
        """The kernel of a run, if what goes in and comes out are numbers and arrays."""
        code = [s for s in statements if text_of(s) is None]
        flow = Flow(code)
        stored = set().union(*(names_in(s, ctx=ast.Store) for s in code))
        known = self.avals.keys() | stored | self.extra()
        parameters = (flow.exposed & known) & (self.before | stored)
        missing = parameters - self.before  # read within, but only where it was assigned before
        parameters &= self.before
        if ((flow.exposed & known) - self.before) & self.may_be_assigned(statements):
            return None  # a variable that only some path before assigns
        results = stored & live
        unsure = results - flow.certain
        parameters |= unsure & self.before
        if (unsure - self.before) & self.may_be_assigned(statements):
            return None
        if any(self.kind(n) in (Kind.ARRAY, Kind.LIST)
               for n in results - flow.certain - self.before):
            return None
        numbers = Numbers(self.function.naming.of, self.avals, self.exact, self.integral)
        unfit = (Kind.LIST, Kind.ANY, Kind.OPAQUE)
        if any(self.kind(n) in unfit for n in parameters | missing) or not all(
                _is_given(numbers.last(n, code) or self.avals.get(n, ())) for n in results):
            return None
        if results & self.mixed:
            return None
        if any(self.kind(n) is Kind.ARRAY for n in missing):
            return None
        if too_wide(*self.integers(parameters), *(
                n for s in code if (node := node_of(s)) for n in self.printed(node))):
            return None
        if not self.pays(code, results):
            return None
        title = f"{self.function.graph.name}_kernel_{len(self.regions.kernels) + 1}"
        try:
            return Kernel(title, statements, sorted(parameters), sorted(results),
                          sorted(unsure - self.before), self.avals, self.function.space,
                          numbers, self.regions.fast)
        except (Unwritable, Unsure):
            return None

    def pays(self, code: Stmts, results: set[str]) -> bool:
        """Do loops save more than the call of a kernel takes, and the making of the lists that
        NumPy's text reads?"""
        nodes = {node for s in code if (node := node_of(s)) is not None}
        within = {n for b in nodes for n in walk(Block((), (b,), ()))}
        listed = 0.0
        for value, variable in self.function.naming.of.items():
            if variable in results and value in {v for n in nodes for v in n.outputs}:
                readers = {*self.readers.get(value, ())} - within
                if self.kind(variable) is Kind.LIST or (readers and all(
                        n.params.get("fn") in (list, Method("tolist")) for n in readers)):
                    listed += ITEM
        saved = 0.0
        for loop in filter(lambda n: n.op == "loop", nodes):
            trips, each = next(trips_of(loop), None), saved_by(loop.blocks[-1]) - listed
            if each > 0.0:
                saved += each * (trips if isinstance(trips, int) else math.inf)
        return saved > CALL

    def integers(self, variables: set[str]) -> Iterable[Node]:
        """The arithmetic that integers, and lists of them, come from."""
        todo = [v for v, n in self.function.naming.of.items() if n in variables]
        seen: set[Node] = set()
        while todo:
            value = todo.pop()
            node = self.function.folding.producer.get(value)
            if node and node not in seen and (holds_integers(value.aval) or (
                    value.aval.kind is Kind.INT and node.op == "apply")):
                seen.add(node)
                todo += node.inputs
        return seen

    def extra(self) -> set[str]:
        """The counters of loops."""
        return {n for names in self.function.naming.loops.values()
                for n in (*names.slots, *names.sequences, names.index, names.trips, names.jump,
                          names.count, names.ordinal) if n is not None}

    def kind(self, name: str) -> Kind:
        found = {a.kind for a in self.avals.get(name, ())}
        for unfit in (Kind.LIST, Kind.ARRAY, Kind.OPAQUE):
            if unfit in found:
                return unfit if found == {unfit} else Kind.ANY
        return next(iter(found), Kind.INT)

    def may_be_assigned(self, run: Stmts) -> set[str]:
        """The variables that the rest of the function assigns."""
        return _assigned(self.whole, {id(s) for s in run})


def _is_given(avals: Sequence[Aval]) -> bool:
    """May a kernel return what is one of these: no list, or one of numbers of one type?"""
    kinds = {a.kind for a in avals}
    types = {element_type(a) for a in avals if a.elem is not None}
    if Kind.OPAQUE in kinds:
        return False
    return (Kind.LIST not in kinds and (Kind.ARRAY not in kinds or len(kinds) == 1)) or (
        len(kinds) == len(types) == 1 and types <= {int, float, bool, np.float64})


def _is_complete(elem: Aval | None) -> bool:
    return elem is not None and (elem.kind is not Kind.LIST or _is_complete(elem.elem))


def _in_array(kept: Aval) -> Aval:
    """An array for what its type says is a list, of lists or arrays, of numbers."""
    axes = 0
    while kept.kind is Kind.LIST and kept.elem is not None:
        kept, axes = kept.elem, axes + 1
    elem = kept if kept.kind in PYTHON_SCALARS else None  # they are read as Python's
    return kept if not axes else Aval(Kind.ARRAY, kept.dtype, (1,) * axes + (kept.shape or ()),
                                      elem=elem)


def _unconverted(statements: Stmts) -> Stmts:
    """Statements without ``x = np.float64(x)`` where all others only read ``float(x)``."""
    nodes = [n for s in statements for n in ast.walk(s)]
    read = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    read.subtract(n.args[0].id for n in nodes if isinstance(n, ast.Call) and isinstance(
        n.func, ast.Name) and n.func.id == "float" and isinstance(n.args[0], ast.Name))
    return [s for s in statements if not (isinstance(s, ast.Assign) and isinstance(
        s.targets[0], ast.Name) and read[s.targets[0].id] == 1 and (
        ast.unparse(s.value) == f"np.float64({s.targets[0].id})"))]


def _question(statement: ast.stmt) -> ast.Call | None:
    """The question whether an index lies outside, if a statement asks it."""
    test = statement.test if isinstance(statement, ast.If) else None
    return test if isinstance(test, ast.Call) and (
        ast.unparse(test.func) == outside.__name__) else None


def _binds(statement: ast.stmt) -> bool:
    """Does an assignment give a variable a value, and not only tell that it has none yet?"""
    value = getattr(statement, "value", None)
    return not isinstance(value, ast.Constant) or value.value is not None


def _assigned(statements: Iterable[ast.stmt], without: set[int]) -> set[str]:
    """The variables that statements assign, but for some of them."""
    found: set[str] = set()
    for s in statements:
        if id(s) in without or not _binds(s):
            continue
        inner = [i for part in ("body", "orelse", "finalbody") for i in getattr(s, part, ())]
        inner += [i for h in getattr(s, "handlers", ()) for i in h.body]
        if inner:
            found |= _assigned(inner, without) | names_in(
                *([s.target] if isinstance(s, ast.For) else []), ctx=ast.Store)
        else:
            found |= names_in(s, ctx=ast.Store)
    return found
