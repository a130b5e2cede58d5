"""Nodes as statements.

Every node that is not part of an expression becomes a statement at its place: an assignment,
a write in place, a branch or a loop (:mod:`srcgrad.emit.control`).  Values that a loop keeps
are stored right after their definition.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Sequence

import numpy as np

from srcgrad.emit.comments import Comments
from srcgrad.emit.expressions import Expressions, at_places, inverted, negated, without_whole
from srcgrad.emit.fold import Folding
from srcgrad.emit.literals import BINARY, COMPARE, INPLACE, call, if_any, keyword_arguments, name
from srcgrad.emit.naming import Naming
from srcgrad.emit.sizes import Sizes
from srcgrad.emit.trees import copied, copy_in, names_in, renamed
from srcgrad.graph.ir import Index, Node, Ref, Steps, Value, is_adjoint
from srcgrad.graph.raising import may_raise
from srcgrad.graph.records import add_records
from srcgrad.types.identifiers import is_name
from srcgrad.types.kinds import SCALARS, Aval, Kind
from srcgrad.types.spelling import (
    Attribute,
    Method,
    raise_exception,
    raise_from,
    require_bound,
    unbound_message,
)

Stmts = list[ast.stmt]


def _only_slices(key: object) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return all(p is None or p is Ellipsis or isinstance(p, slice) for p in parts)


class Store:
    """The duty to keep an element: ``sequence[places] = v``, or ``sequence.append(v)`` if there are
    no places.  ``copied``: an array is copied into a list, as it would be into a row; ``stack``: an
    iteration that keeps nothing has no place."""

    def __init__(self, sequence: str, places: Sequence[ast.expr], copied: bool = False,
                 optional: bool = False, stack: bool = False) -> None:
        self.sequence, self.places, self.copied = sequence, places, copied
        self.optional, self.stack = optional, stack

    def statement(self, value: ast.expr) -> ast.stmt:
        if self.copied and not isinstance(value, ast.Constant) and not _copies(value):
            copied = call(ast.Attribute(value, "copy", ast.Load()))
            value = if_any(value, copied) if self.optional and _may_be_none(value) else copied
        if not self.places:
            append = ast.Attribute(name(self.sequence), "append", ast.Load())
            return ast.Expr(call(append, value))
        return ast.Assign([at_places(name(self.sequence), self.places, ast.Store())], value)


def _copies(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and (
        value.func.attr == "copy")


def _may_be_none(value: ast.expr) -> bool:
    """May an expression be None?  A calculation, or a part of an array, is not."""
    if isinstance(value, ast.Subscript):
        keys = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        return not any(isinstance(key, ast.Slice) for key in keys)
    return not isinstance(value, ast.BinOp | ast.UnaryOp | ast.Call)


def _id(expression: ast.expr) -> str | None:
    return expression.id if isinstance(expression, ast.Name) else None


def assign(target: str, value: ast.expr) -> ast.stmt:
    """``target = value``."""
    return ast.Assign([ast.Name(target, ast.Store())], value)


def augment(target: ast.expr, op: ast.operator, value: ast.expr) -> ast.stmt:
    """``target op= value``."""
    stored = ast.Name(target.id, ast.Store()) if isinstance(target, ast.Name) else place(target)
    return ast.AugAssign(stored, op, value)


def place(target: ast.expr) -> ast.Subscript | ast.Attribute:
    """An array, or a part of one, as the target of a store."""
    if isinstance(target, ast.Attribute) and target.attr not in ("T", "mT"):  # not settable
        return ast.Attribute(target.value, target.attr, ast.Store())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Store())
    return ast.Subscript(target, ast.Constant(...), ast.Store())  # x.reshape(-1) = e is no Python


def parallel(moves: Sequence[tuple[str, ast.expr]]) -> Stmts:
    """Assignments that happen at once: in order where none disturbs another, else as one
    tuple assignment.

    >>> (swap,) = parallel([("a", name("b")), ("b", name("a"))])
    >>> ast.unparse(ast.fix_missing_locations(swap))
    'a, b = (b, a)'
    """
    real = [(t, v) for t, v in moves if t != "_" and not (
        isinstance(v, ast.Name) and v.id == t)]
    reads = [names_in(v) for _, v in real]
    disturbed = any(real[i][0] in reads[j] for i in range(len(real))
                    for j in range(i + 1, len(real)))
    if not disturbed:
        return [assign(t, v) for t, v in real]
    if all(real[j][0] not in reads[i] for i in range(len(real)) for j in range(i)):
        return [assign(t, v) for t, v in reversed(real)]
    targets: list[ast.expr] = [ast.Name(t, ast.Store()) for t, _ in real]
    return [ast.Assign([ast.Tuple(targets, ast.Store())],
                       ast.Tuple([v for _, v in real], ast.Load()))]


def after_moves(value: ast.expr, moves: Sequence[tuple[str, ast.expr]]) -> ast.expr | None:
    """``value``, written for evaluation after ``moves``; None if what it reads is gone by then.

    >>> ast.unparse(after_moves(name("b"), [("a", name("b")), ("b", name("a"))]))
    'a'
    """
    real = [(t, _id(v)) for t, v in moves if t != "_" and _id(v) != t]
    read = names_in(value) & {t for t, _ in real}
    if not read:
        return value
    now = {source: target for target, source in real if source is not None}
    if not read <= now.keys():
        return None
    return renamed(copied(value), {r: now[r] for r in read})


class Plain:
    """Statements of nodes without blocks."""

    def __init__(self, naming: Naming, folding: Folding, sizes: Sizes,
                 expressions: Expressions, comments: Comments) -> None:
        self.naming, self.folding, self.sizes = naming, folding, sizes
        self.e, self.comments = expressions, comments
        self.stores: dict[Value, list[Store]] = {}
        self.moved: set[Value] = set()  # read at the end of a block

    def name_of(self, value: Value) -> str:
        return self.naming.of[value]

    def add(self, stmts: Stmts, node: Node | None, *new: ast.stmt) -> None:
        """Append statements that belong to ``node``, with its comment before them."""
        for s in new:
            pair = copy_in(s)
            if pair is not None and pair[0] == pair[1]:
                continue
            if node is not None:
                self.comments.before(stmts, node)
                self.comments.mark(s, node)
            stmts.append(s)

    def plain(self, node: Node, stmts: Stmts) -> None:
        """The statements of a node without blocks."""
        if self.only_stored(node):
            (store,) = self.stores[node.out]
            self.add(stmts, node, store.statement(self.e.node(node)))
            return
        handler = getattr(self, f"do_{node.op}", self.do_assign)
        handler(node, stmts)
        for v in node.outputs:
            for store in self.stores.get(v, ()):
                self.add(stmts, node, store.statement(self.e.of(v)))

    def only_stored(self, node: Node) -> bool:
        """Is a value kept by a loop and used for nothing else?"""
        return (len(node.outputs) == 1 and node.op in ("apply", "read", "copy", "get")
                and len(self.stores.get(node.out, ())) == 1 and not node.params.get("handle")
                and self.folding.users.get(node.out) == 1 and node.out not in self.moved
                and (node.out.hint is None or node.op == "copy"))

    # ---- assignments -----------------------------------------------------------------
    def do_assign(self, node: Node, stmts: Stmts) -> None:
        if len(node.outputs) == 1 and self.folding.is_repeated(node.out):
            return
        if self.augmented(node, stmts):
            return
        value = self.e.node(node)
        names = [self.name_of(v) for v in node.outputs]
        if names == ["_"] and self.is_idle(node):
            return
        if node.op in ("apply", "call") and (node.params.get("many") or len(names) > 1):
            targets: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
            self.add(stmts, node, ast.Assign([ast.Tuple(targets, ast.Store())], value))
        elif not names or names[0] == "_":
            self.add(stmts, node, ast.Expr(value))
        elif isinstance(value, ast.IfExp) and names[0] in (_id(value.body), _id(value.orelse)):
            keeps = _id(value.body) == names[0]  # one arm leaves the variable alone
            test = inverted(value.test) if keeps else value.test
            chosen = assign(names[0], value.orelse if keeps else value.body)
            self.add(stmts, node, ast.If(test, [chosen], []))
        else:
            self.add(stmts, node, assign(names[0], value))

    def do_unpack(self, node: Node, stmts: Stmts) -> None:
        """``a, b = record``; nothing where no part is used."""
        names = [self.name_of(v) for v in node.outputs]
        if any(n != "_" for n in names):
            targets: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
            self.add(stmts, node, ast.Assign([ast.Tuple(targets, ast.Store())],
                                             self.e.node(node)))

    def is_idle(self, node: Node) -> bool:
        """Is a node whose value is not used without any effect?  (A slice whose step is
        not zero cannot fail, nor can an index inside, or another order of the axes.)"""
        if node.op in ("dim", "copy", "list", "list_len") or is_adjoint(node):
            return True
        if node.op == "apply":
            return self.cannot_fail(node) or _only_turns(node)
        steps = node.params.get("steps", ())
        return node.op == "read" and not may_raise(node) and all(isinstance(s, Index) and (
            _only_slices(s.key) or (s.basic and len(steps) == 1)) for s in steps)

    def cannot_fail(self, node: Node) -> bool:
        """Is it arithmetic on Python's numbers that neither raises nor warns?"""
        if not all(v.aval.kind in (Kind.INT, Kind.FLOAT, Kind.BOOL) for v in node.inputs):
            return False
        fn, args = node.params["fn"], node.params["args"]
        if node.params.get("kwargs") or not all(
                isinstance(a, Ref) or type(a) in (int, float, bool) for a in args):
            return False
        floats = any(v.aval.kind is Kind.FLOAT for v in node.inputs) or any(
            type(a) is float for a in args)
        if fn in COMPARE or fn in _HARMLESS:
            wide = any(v.aval.kind is Kind.INT for v in node.inputs)  # it may not fit a float
            return fn in COMPARE or not (floats and wide)
        return (fn in _DIVISIONS and len(args) == 2 and type(args[1]) in (int, float)
                and args[1] != 0 and (fn is not operator.truediv or all(
                    v.aval.kind is Kind.FLOAT for v in node.inputs)))

    def do_alias(self, node: Node, stmts: Stmts) -> None:
        """``r = r_1 = ...`` where the value was just assigned."""
        if node.out not in self.naming.live.last:
            return
        target = self.name_of(node.out)
        value = self.e.of(node.inputs[0])
        if _id(value) == target:
            return
        last = stmts[-1] if stmts else None
        if isinstance(last, ast.Assign) and isinstance(value, ast.Name) and any(
                isinstance(t, ast.Name) and t.id == value.id for t in last.targets):
            last.targets.append(ast.Name(target, ast.Store()))
        else:
            self.add(stmts, node, assign(target, value))

    def augmented(self, node: Node, stmts: Stmts) -> bool:
        """``x op= e`` as the user wrote it."""
        if node.op != "apply" or len(node.outputs) != 1 or len(node.params["args"]) != 2:
            return False
        fn = node.params["fn"]
        try:
            op = INPLACE.get(fn) or BINARY.get(fn)
        except TypeError:
            return False
        # a number may become an array by ``c *= y``; an array is never written to in this way
        marked = fn in INPLACE or (
            node.origin is not None and node.origin.augmented and bool(node.inputs)
            and node.inputs[0].aval.kind in SCALARS) or (
            is_adjoint(node) and all(
                v.aval.kind in SCALARS for v in (node.out, *node.inputs)))
        if op is None or not marked:
            return False
        left, right = (self.e.template(a, node.inputs) for a in node.params["args"])
        target = self.name_of(node.out)
        if not isinstance(left, ast.Name) or left.id != target:
            if fn not in INPLACE:
                return False
            self.add(stmts, node, assign(target, left))
            left = name(target)
        minus = negated(right) if is_adjoint(node) and op is ast.Sub else None
        self.add(stmts, node, augment(left, op(), right) if minus is None else (
            augment(left, ast.Add(), minus)))
        return True

    def do_effect(self, node: Node, stmts: Stmts) -> None:
        if node.params["fn"] in (raise_exception, raise_from):
            cls, *args = (self.e.template(a, node.inputs) for a in node.params["args"])
            cause = None
            if node.params["fn"] is raise_from:
                cause, cls, args = cls, args[0], args[1:]
            keywords = keyword_arguments({k: self.e.template(v, node.inputs)
                                          for k, v in node.params["kwargs"].items()})
            made = ast.Call(cls, args, keywords) if args or keywords else cls
            self.add(stmts, node, ast.Raise(made, cause))
            return
        if node.params["fn"] is require_bound:
            said = ast.Constant(unbound_message(node.params["args"][1]))
            raised = call("UnboundLocalError", said)
            absent = ast.Compare(self.e.of(node.inputs[0]), [ast.Is()], [ast.Constant(None)])
            self.add(stmts, node, ast.If(absent, [ast.Raise(raised, None)], []))
            return
        if node.params["fn"] is operator.setitem:
            base, key, item = node.params["args"]
            base, item = (self.e.template(a, node.inputs) for a in (base, item))
            target = ast.Subscript(base, self.e.key(key, node.inputs), ast.Store())
            self.add(stmts, node, ast.Assign([target], item, lineno=0))
            return
        if node.params["fn"] is setattr and is_name(str(node.params["args"][1])):
            base, _, held = (self.e.template(a, node.inputs) for a in node.params["args"])
            attribute = ast.Attribute(base, node.params["args"][1], ast.Store())
            self.add(stmts, node, ast.Assign([attribute], held, lineno=0))
            return
        value = self.e.node(node)
        if node.outputs and self.name_of(node.outputs[0]) != "_":
            self.add(stmts, node, assign(self.name_of(node.outputs[0]), value))
        else:
            self.add(stmts, node, ast.Expr(value))

    def do_undef(self, node: Node, stmts: Stmts) -> None:
        """Nothing is assigned."""

    do_const = do_undef

    def do_read(self, node: Node, stmts: Stmts) -> None:
        if not node.params.get("handle"):
            self.do_assign(node, stmts)

    # ---- writes ----------------------------------------------------------------------
    def target(self, node: Node) -> ast.expr:
        """What a write stores to: through the view that the user named, if there is one."""
        base, steps = self.base(node), node.params["steps"]
        found = self.naming.live.through.get(node)
        if found is not None:
            base, steps = self.e.of(found[0]), steps[found[1]:]
        return self.e.steps(base, without_whole(steps) if is_adjoint(node) else steps, node.inputs)

    def base(self, node: Node) -> ast.expr:
        return name(self.name_of(self.naming.live.alias.get(node.inputs[0], node.inputs[0])))

    def rename(self, node: Node, stmts: Stmts) -> None:
        """The new version is the same object: nothing to do if the name is the same."""
        out = self.name_of(node.outputs[0])
        base = self.base(node)
        if isinstance(base, ast.Name) and base.id != out and out != "_":
            self.add(stmts, node, assign(out, base))

    def do_write(self, node: Node, stmts: Stmts) -> None:
        target = self.target(node)
        value = self.e.of(node.inputs[1])
        self.add(stmts, node, self.stored(node, target, value))
        self.rename(node, stmts)

    def stored(self, node: Node, target: ast.expr, value: ast.expr) -> ast.stmt:
        """``target = value``; ``target += e`` where a number is added to what is there; in the
        adjoint part an array, too, but not to one in a list, which may be shared."""
        aval = node.inputs[1].aval
        plain = not aval.optional and (
            aval.kind in SCALARS or (is_adjoint(node) and node.op != "put"))
        if plain and isinstance(value, ast.BinOp) and isinstance(value.op, _AUGMENTED) and (
                ast.dump(place(value.left)) == ast.dump(place(target))
                if isinstance(value.left, ast.Subscript) else False):
            return augment(target, value.op, value.right)
        return ast.Assign([place(target)], value)

    def do_update(self, node: Node, stmts: Stmts) -> None:
        target = self.target(node)
        value = self.e.of(node.inputs[1])
        op = INPLACE[node.params["fn"]]()
        minus = negated(value) if is_adjoint(node) and isinstance(op, ast.Sub) else None
        self.add(stmts, node, augment(target, op, value) if minus is None else (
            augment(target, ast.Add(), minus)))
        self.rename(node, stmts)

    def do_acc(self, node: Node, stmts: Stmts) -> None:
        steps: Steps = node.params["steps"]
        value = self.e.of(node.inputs[1])
        if not steps:
            old = self.naming.live.alias.get(node.inputs[0], node.inputs[0])
            whole = self.base(node) if old in self.naming.of else self.e.of(old)
            self.add_whole(node, whole, value, stmts)
            return
        base = self.base(node)
        last = steps[-1]
        as_written = not is_adjoint(node)  # it also writes to what is read-only
        if isinstance(last, Index) and (as_written or not (
                last.basic or _is_mask(last.key, node))):
            part = self.e.steps(base, steps[:-1], node.inputs)
            key = self.e.template(last.key, node.inputs)
            at = self.e.space.function(np.add.at)
            self.add(stmts, node, ast.Expr(call(at, part, key, value)))
        else:
            target = self.e.steps(base, steps, node.inputs)
            self.add(stmts, node, self.added(target, value))
        self.rename(node, stmts)

    def add_whole(self, node: Node, base: ast.expr, value: ast.expr, stmts: Stmts) -> None:
        out = self.name_of(node.outputs[0])
        if node.out.aval.kind is Kind.RECORD or node.inputs[1].aval.optional:
            records = call(self.e.space.function(add_records), base, value)
            self.add(stmts, node, assign(out, records))
            return
        mutable = node.inputs[0].aval.kind is Kind.ARRAY and node.inputs[0].aval.shape != ()
        if isinstance(base, ast.Name) and base.id == out:
            self.add(stmts, node, self.added(base, value))
        elif mutable:
            self.add(stmts, node, self.added(base, value))
            self.rename(node, stmts)
        else:
            minus = negated(value)
            op: ast.operator = ast.Add() if minus is None else ast.Sub()
            total: ast.expr = ast.BinOp(base, op, minus or value)
            if node.out.aval.kind is Kind.ARRAY:  # of no axes: NumPy gives a number
                total = call(self.e.space.function(np.asarray), total)
            self.add(stmts, node, assign(out, total))

    def added(self, target: ast.expr, value: ast.expr) -> ast.stmt:
        minus = negated(value)
        if minus is not None:
            return augment(target, ast.Sub(), minus)
        return augment(target, ast.Add(), value)

    # ---- lists -----------------------------------------------------------------------
    def method(self, node: Node, method: str, *args: ast.expr) -> ast.expr:
        return call(ast.Attribute(self.base(node), method, ast.Load()), *args)

    def do_append(self, node: Node, stmts: Stmts) -> None:
        path = node.inputs[2:]
        base = self.item(node, path, ast.Load()) if path else self.base(node)
        self.add(stmts, node, ast.Expr(call(ast.Attribute(base, "append", ast.Load()),
                                            self.e.of(node.inputs[1]))))
        self.rename(node, stmts)

    def do_insert(self, node: Node, stmts: Stmts) -> None:
        value, index = (self.e.of(v) for v in node.inputs[1:3])
        self.add(stmts, node, ast.Expr(self.method(node, "insert", index, value)))
        self.rename(node, stmts)

    def do_pop(self, node: Node, stmts: Stmts) -> None:
        base, places = self.base(node), [self.e.of(v) for v in node.inputs[1:]]
        element, rest = self.name_of(node.outputs[1]), self.name_of(node.outputs[0])
        if isinstance(base, ast.Name) and base.id == element and rest not in ("_", element):
            self.add(stmts, node, assign(rest, base))  # the element takes the list's name
            popped = call(ast.Attribute(name(rest), "pop", ast.Load()), *places)
            self.add(stmts, node, assign(element, popped))
            return
        value = self.method(node, "pop", *places)
        self.add(stmts, node, ast.Expr(value) if element == "_" else assign(element, value))
        self.rename(node, stmts)

    def item(self, node: Node, path: Sequence[Value], ctx: ast.expr_context) -> ast.Subscript:
        """The element of a list, or of a list in it, at an index or a path of them."""
        base: ast.expr = self.base(node)
        for index in path[:-1]:
            base = ast.Subscript(base, self.e.of(index), ast.Load())
        return ast.Subscript(base, self.e.of(path[-1]), ctx)

    def do_put(self, node: Node, stmts: Stmts) -> None:
        if "in_place" not in node.params:  # it lies there
            target = self.item(node, node.inputs[2:], ast.Store())
            self.add(stmts, node, self.stored(node, target, self.e.of(node.inputs[1])))
        self.rename(node, stmts)

    def do_list_acc(self, node: Node, stmts: Stmts) -> None:
        """Elements that are arrays may be shared: in place is added to those only of which it is
        known that they are not."""
        path, value = node.inputs[2:], self.e.of(node.inputs[1])
        old = self.item(node, path, ast.Load())
        elem: Aval | None = node.inputs[0].aval
        for _ in path:
            elem = None if elem is None else elem.elem
        if "in_place" in node.params or (
                elem is not None and elem.kind in SCALARS and not elem.optional):
            self.add(stmts, node, self.added(old, value))
        else:
            part = elem is not None and (elem.optional or elem.kind is Kind.RECORD)
            total = (call(self.e.space.function(add_records), old, value)
                     if part or node.inputs[1].aval.optional else ast.BinOp(old, ast.Add(), value))
            self.add(stmts, node, ast.Assign([self.item(node, path, ast.Store())], total))
        self.rename(node, stmts)


def _is_mask(key: object, node: Node) -> bool:
    """Does the key select by a boolean array, no element twice?"""
    parts = key if isinstance(key, tuple) else (key,)
    arrays = [node.inputs[p.index].aval for p in parts if isinstance(p, Ref)]
    return len(arrays) == 1 and arrays[0].is_array and arrays[0].dtype == np.bool_ and all(
        isinstance(p, Ref | slice) or p is Ellipsis or p is None for p in parts)


def _only_turns(node: Node) -> bool:
    """Is the call one that only looks at an array in another way, whatever its size?"""
    if len(node.inputs) != 1 or not node.inputs[0].aval.is_array:
        return False
    fn, args = node.params["fn"], node.params["args"]
    name = fn.name if isinstance(fn, (Attribute, Method)) else (
        fn.__name__ if any(fn is f for f in _TURNING) else "")
    return name in _TURNS or (name == "reshape" and args[1:] in ((-1,), ((-1,),)))


_AUGMENTED = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_HARMLESS = (operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.not_,
             operator.truth, abs)
_DIVISIONS = (operator.truediv, operator.floordiv, operator.mod)
_TURNING = (np.transpose, np.swapaxes, np.moveaxis, np.ravel, np.reshape)
_TURNS = frozenset(("T", "mT", "real", "imag", "transpose", "swapaxes", "moveaxis", "ravel"))
