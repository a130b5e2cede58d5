"""Comprehensions of all kinds and generator expressions.

A list comprehension is a local function that gets its first iterable and runs staged loops;
its variables live in a frame of their own, made anew at each evaluation, so that functions made
in it capture what they should.
"""

from __future__ import annotations

import ast
import sys

from ..machine import BREAK
from ..scopes import COMPREHENSION, Scope, target_names
from .context import CAN_BREAK, Context, expression, refuse
from .loops import target_function

_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_KINDS = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>",
          ast.GeneratorExp: "<listcomp>"}
_FUNCTIONS = ast.Lambda | ast.GeneratorExp
_DEEPEST_LIST_FORM = 2  # of generator expressions in each other: each level doubles the code


@expression(ast.ListComp, ast.SetComp, ast.DictComp)
def comprehension(c: Context, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.expr:
    """``comp(first iterable)``."""
    first = c.expr(node.generators[0].iter)
    return c.call(_collector(c, node), node, [first])


@expression(ast.GeneratorExp)
def generator_expression(c: Context, node: ast.GeneratorExp) -> ast.expr:
    """``generator(first iterable, generator function, list comprehension)``: a machine that
    knows the consumer (``sum``, ``all``, ...) may take the list form."""
    first = c.expr(node.generators[0].iter)
    lazy = _generator(c, node)
    c.unit.depth += 1
    eager: ast.expr = c.constant(None, node)
    if c.unit.depth <= _DEEPEST_LIST_FORM:
        eager = _collector(c, node)
    c.unit.depth -= 1
    return c.op("generator", node, [first, lazy, eager])


def search(c: Context, node: ast.Call, callee: ast.expr) -> ast.expr:
    """``any(... for ...)`` and ``all(... for ...)``: ``search(callee, first iterable, generator
    function, staged search)``.  The search ends where the answer is known."""
    found = node.args[0]
    assert isinstance(found, ast.GeneratorExp) and isinstance(node.func, ast.Name)
    first = c.expr(found.generators[0].iter)
    lazy = _generator(c, found)
    return c.op("search", node, [callee, first, lazy, _searcher(c, found, node.func.id == "any")])


def _searcher(c: Context, node: ast.GeneratorExp, stop: bool) -> ast.expr:
    """The local function that runs the loops until an element's truth is ``stop``."""
    inner = _inner(c, node, native=False)
    frame, slot = c.unit.name(inner.scope.variable), c.unit.text(c.unit.fresh("found"))
    inner.emit(c.op("store", node, [frame, slot, c.constant(not stop, node)]))
    inner.out, head = [], inner.out
    inner.emit(c.op("store", node, [frame, slot, c.constant(stop, node)]))
    inner.emit_return(c.constant(BREAK, node), node)
    hit = inner.add_region("hit", node, [], CAN_BREAK, False)
    inner.out = head
    arms = [hit, c.unit.name("PASS")] if stop else [c.unit.name("PASS"), hit]
    found = c.op("load", node, [frame, slot])
    _search(inner, node, 0, c.unit.name("iterable"), arms, found)
    inner.emit_return(found, node)
    return _finish(c, inner, node, "<listcomp>", inner.out)


def _search(c: Context, node: ast.GeneratorExp, index: int, iterable: ast.expr,
            arms: list[ast.expr], found: ast.expr) -> None:
    generator = node.generators[index]
    at = generator.target
    target = target_function(c, generator.target)
    saved, c.out = c.out, []
    if index + 1 < len(node.generators):
        _search(c, node, index + 1, c.expr(node.generators[index + 1].iter), arms, found)
        c.emit_return(c.op("if_", node, [found, *arms]), node)
    else:
        c.emit_return(c.op("if_", node, [c.expr(node.elt), *arms]), node)
    for condition in reversed(generator.ifs):
        then = c.add_region("then", condition, [], CAN_BREAK, True)
        c.out = []
        c.emit_return(c.op("if_", condition, [c.expr(condition), then, c.unit.name("PASS")]),
                      condition)
    body = c.add_region("body", at, [], CAN_BREAK, True)
    c.out = saved
    c.emit(c.op("for_", generator.iter, [iterable, target, body]))


def _inner(c: Context, node: _Comprehension, native: bool) -> Context:
    scope = Scope(COMPREHENSION, c.unit.fresh("F"), c.scope.children_parent())
    scope.merged = sys.version_info >= (3, 12) and not isinstance(node, ast.GeneratorExp)
    for generator in node.generators:
        scope.bound.update(target_names(generator.target))
        if generator.is_async:
            raise refuse(c.unit, node, "async comprehensions are not supported",
                         "a staged function runs without an event loop", "use an ordinary for")
    return c.inner(scope, native)


def _finish(c: Context, inner: Context, node: _Comprehension, kind: str,
            body: list[ast.stmt]) -> ast.expr:
    parent = c.frame_of(c.scope.children_parent())
    frame = c.call(c.unit.name("SCOPE"), node, [c.unit.name("M"), parent])
    head = inner.assignment(inner.scope.variable, frame, node)
    name = c.define(kind, [head, *inner.definitions, *body], node, "iterable")
    variable = c.unit.fresh(kind)  # so that the function's own name is what the user may see
    c.definitions.append(c.assignment(variable, name, node))
    return c.unit.name(variable)


def _collector(c: Context, node: _Comprehension) -> ast.expr:
    """The local function that runs the loops and collects the elements."""
    inner = _inner(c, node, native=False)
    result = c.unit.name(c.unit.fresh("result"))
    start = {ast.SetComp: "build_set", ast.DictComp: "build_dict"}.get(type(node), "build_list")
    nothing = [c.list_of([], node)] if isinstance(node, ast.DictComp) else []
    inner.emit_assign(result.id, c.op(start, node, list(nothing)), node)
    _loop(inner, node, 0, c.unit.name("iterable"), result)
    inner.emit_return(result, node)
    return _finish(c, inner, node, _KINDS[type(node)], inner.out)


def _loop(c: Context, node: _Comprehension, index: int, iterable: ast.expr,
          result: ast.expr) -> None:
    generator = node.generators[index]
    at = generator.target
    target = target_function(c, generator.target)
    saved, c.out = c.out, []
    if index + 1 < len(node.generators):
        _loop(c, node, index + 1, c.expr(node.generators[index + 1].iter), result)
    else:
        _collect(c, node, result)
    for condition in reversed(generator.ifs):
        c.emit_return(c.constant(0, node), node)
        then = c.add_region("then", condition, [], 0, True)
        c.out = []
        c.emit(c.op("if_", condition, [c.expr(condition), then, c.unit.name("PASS")]))
    outside = set(map(id, ast.walk(node.generators[0].iter)))
    if not any(isinstance(inner, _FUNCTIONS) and inner is not node and id(inner) not in outside
               for inner in ast.walk(node)):  # nothing reads the variables after an iteration
        frame = c.unit.name(c.scope.variable)
        for name in dict.fromkeys(target_names(generator.target)):
            c.emit(c.op("delete", at, [frame, c.unit.text(name)]))
    c.emit_return(c.constant(0, node), node)
    body = c.add_region("body", at, [], 0, True)
    c.out = saved
    c.emit(c.op("for_", generator.iter, [iterable, target, body]))


def _collect(c: Context, node: _Comprehension, result: ast.expr) -> None:
    if isinstance(node, ast.DictComp):
        key = c.hold(c.expr(node.key), node.key)
        value = c.hold(c.expr(node.value), node.value)
        c.emit(c.op("setitem", node, [result, key, value]))
    else:
        method = "add" if isinstance(node, ast.SetComp) else "append"
        element = c.hold(c.expr(node.elt), node.elt)
        c.emit(c.op("call_method", node.elt, [result, c.unit.text(method), element]))


def _generator(c: Context, node: ast.GeneratorExp) -> ast.expr:
    """The local generator function, with Python's own loops."""
    inner = _inner(c, node, native=True)
    element = ast.copy_location(ast.Yield(inner.expr(node.elt)), node.elt)
    body: list[ast.stmt] = [ast.copy_location(ast.Expr(element), node.elt)]
    for index in range(len(node.generators) - 1, -1, -1):
        generator = node.generators[index]
        for condition in reversed(generator.ifs):
            test = c.op("truth", condition, [inner.expr(condition)])
            body = [ast.copy_location(ast.If(test, body, []), condition)]
        iterable: ast.expr = c.unit.name("iterable")
        if index:
            iterable = c.op("iterate", generator.iter, [inner.expr(generator.iter)])
        body = [native_for(inner, generator.target, iterable, body, [], generator.iter)]
    made = _finish(c, inner, node, "<genexpr>", body)
    return made


def native_for(c: Context, target: ast.expr, iterable: ast.expr, body: list[ast.stmt],
               orelse: list[ast.stmt], at: ast.AST) -> ast.stmt:
    """``for item in iterable: target(item); body`` as Python's own loop."""
    item = c.unit.fresh("item")
    store = c.call(target_function(c, target), target, [c.unit.name(item)])
    bind = ast.copy_location(ast.Expr(store), target)
    variable = ast.copy_location(ast.Name(item, ast.Store()), target)
    made = ast.For(variable, iterable, [bind, *body], orelse)
    return ast.copy_location(made, at)
