"""Comprehensions of all kinds and generator expressions.

A list comprehension is a local function that gets its first iterable and runs staged loops;
its variables live in a frame of their own, made anew at each evaluation, so that functions made
in it capture what they should.
"""

from __future__ import annotations

import ast
import sys

from ..machine import EXPRESSION
from ..scopes import COMPREHENSION, Scope, target_names
from .context import WITHOUT_LOOP, Context, Plan, expression, refuse
from .loops import target_function

_Collecting = ast.ListComp | ast.SetComp | ast.DictComp
_Comprehension = _Collecting | ast.GeneratorExp
_KINDS = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>"}
_FUNCTIONS = ast.Lambda | ast.GeneratorExp


@expression(ast.ListComp, ast.SetComp, ast.DictComp)
def comprehension(c: Context, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.expr:
    """``comp(first iterable)``."""
    first = c.expr(node.generators[0].iter)
    return c.call(_collector(c, node), node, [first])


@expression(ast.GeneratorExp)
def generator_expression(c: Context, node: ast.GeneratorExp) -> ast.expr:
    """The call of a generator function with the first iterable, as in Python."""
    first = c.expr(node.generators[0].iter)
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    given = "iterable"
    while given in names:
        given += "_"
    body: list[ast.stmt] = [_one_line(ast.Expr(ast.copy_location(ast.Yield(node.elt), node.elt)),
                                      node.elt)]
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            body = [_one_line(ast.If(condition, body, []), condition)]
        at = generator.iter
        iterable = at if generator is not node.generators[0] else ast.copy_location(
            ast.Name(given, ast.Load()), at)
        body = [_one_line(ast.For(generator.target, iterable, body, []), at)]
    arguments = ast.arguments([], [c.parameter(given, node)], None, [], [], None, [])
    scope = _scope(c, node)
    scope.bound.add(given)
    index = c.unit.add(Plan(EXPRESSION, c.qualname, arguments, body,
                            scope, node.lineno, "function", generator=True))
    nothing = ast.copy_location(ast.Dict([], []), node)
    function = c.op("define", node, [
        c.unit.name(f"S {index}"), c.frame_of(c.scope.children_parent()), c.tuple_of([], node),
        nothing, nothing])
    return c.op("call", node, [function, first])


def _one_line(made: ast.stmt, at: ast.expr) -> ast.stmt:
    """A statement that stands for a part of one of the user's, where that begins."""
    made.lineno = made.end_lineno = at.lineno
    made.col_offset = made.end_col_offset = at.col_offset
    if at.end_lineno == at.lineno:
        made.end_col_offset = at.end_col_offset
    return made


def _scope(c: Context, node: _Comprehension) -> Scope:
    scope = Scope(COMPREHENSION, c.unit.fresh("F"), c.scope.children_parent())
    scope.merged = sys.version_info >= (3, 12) and not isinstance(node, ast.GeneratorExp)
    for generator in node.generators:
        scope.bound.update(target_names(generator.target))
        if generator.is_async:
            raise refuse(c.unit, node, "async comprehensions are not supported",
                         WITHOUT_LOOP, "use an ordinary for")
    return scope


def _finish(c: Context, inner: Context, node: _Collecting, kind: str,
            body: list[ast.stmt]) -> ast.expr:
    parent = c.frame_of(c.scope.children_parent())
    frame = c.call(c.unit.name("SCOPE"), node, [c.unit.name("M"), parent])
    head = inner.assignment(inner.scope.variable, frame, node)
    name = c.define(kind, [head, *inner.definitions, *body], node, "iterable")
    variable = c.unit.fresh(kind)  # so that the function's own name is what the user may see
    c.definitions.append(c.assignment(variable, name, node))
    return c.unit.name(variable)


def _collector(c: Context, node: _Collecting) -> ast.expr:
    """The local function that runs the loops and collects the elements."""
    inner = c.inner(_scope(c, node))
    result = c.unit.name(c.unit.fresh("result"))
    start = {ast.SetComp: "build_set", ast.DictComp: "build_dict"}.get(type(node), "begin_list")
    nothing = [c.list_of([], node)] if isinstance(node, ast.DictComp) else []
    inner.emit_assign(result.id, c.op(start, node, list(nothing)), node)
    _loop(inner, node, 0, c.unit.name("iterable"), result)
    finish = {ast.ListComp: "finish_list", ast.DictComp: "finish_dict"}.get(type(node))
    inner.emit_return(inner.op(finish, node, [result]) if finish else result, node)
    return _finish(c, inner, node, _KINDS[type(node)], inner.out)


def _loop(c: Context, node: _Collecting, index: int, iterable: ast.expr,
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
    if not any(isinstance(inner, _FUNCTIONS) and id(inner) not in outside
               for inner in ast.walk(node)):  # nothing reads the variables after an iteration
        frame = c.unit.name(c.scope.variable)
        for name in dict.fromkeys(target_names(generator.target)):
            c.emit(c.op("delete", at, [frame, c.unit.text(name)]))
    c.emit_return(c.constant(0, node), node)
    body = c.add_region("body", at, [], 0, True)
    c.out = saved
    c.emit(c.op("for_", generator.iter, [iterable, target, body]))


def _collect(c: Context, node: _Collecting, result: ast.expr) -> None:
    if isinstance(node, ast.DictComp):
        key = c.hold(c.expr(node.key), node.key)
        value = c.hold(c.expr(node.value), node.value)
        c.emit(c.op("setitem", node, [result, key, value]))
    else:
        method = "add" if isinstance(node, ast.SetComp) else "append"
        element = c.hold(c.expr(node.elt), node.elt)
        c.emit(c.op("call_method", node.elt, [result, c.unit.text(method), element]))


def native_for(c: Context, target: ast.expr, iterable: ast.expr, body: list[ast.stmt],
               orelse: list[ast.stmt], at: ast.AST) -> ast.stmt:
    """``for item in iterable: target(item); body`` as Python's own loop."""
    item = c.unit.fresh("item")
    store = c.call(target_function(c, target), target, [c.unit.name(item)])
    bind = ast.copy_location(ast.Expr(store), target)
    variable = ast.copy_location(ast.Name(item, ast.Store()), target)
    made = ast.For(variable, iterable, [bind, *body], orelse)
    return ast.copy_location(made, at)
