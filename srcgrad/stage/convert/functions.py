"""Nested functions, lambdas and classes."""

from __future__ import annotations

import ast

from ..scopes import CELL, CLASS, FUNCTION, Scope, statements_of, yields
from .calls import keyword_mapping
from .context import Context, Effect, Plan, expression, refuse, statement
from .names import items
from .nodes import place


@statement(ast.FunctionDef)
def function(c: Context, node: ast.FunctionDef) -> Effect:
    """Decorators, defaults, annotations, then the function, as Python evaluates them."""
    _refuse_type_parameters(c, node)
    decorators = [c.expr(decorator) for decorator in node.decorator_list]
    line = min([node.lineno, *[d.lineno for d in node.decorator_list]])
    index = plan_function(c, node.name, node.args, node.body, line, "function")
    value = _define(c, index, node.args, node, node.returns)
    _decorate(c, node, decorators, value)
    return None


def _decorate(c: Context, node: ast.FunctionDef | ast.ClassDef, decorators: list[ast.expr],
              value: ast.expr) -> None:
    for decorator, at in zip(reversed(decorators), reversed(node.decorator_list)):
        value = c.op("call", at, [decorator, value])
    c.emit(c.store(node.name, value, _header(node)))


def _header(node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
    """The position of the first line of a definition."""
    keyword = 4 if isinstance(node, ast.FunctionDef) else 6
    return ast.Pass(lineno=node.lineno, col_offset=node.col_offset, end_lineno=node.lineno,
                    end_col_offset=node.col_offset + keyword + len(node.name.encode()))


@expression(ast.Lambda)
def lambda_(c: Context, node: ast.Lambda) -> ast.expr:
    """A lambda is a function whose body is one ``return``."""
    body = ast.Return(node.body, **place(node.body))
    index = plan_function(c, "<lambda>", node.args, [body], node.lineno, "lambda")
    return _define(c, index, node.args, node, None)


def plan_function(c: Context, name: str, arguments: ast.arguments, body: list[ast.stmt],
                  line: int, kind: str) -> int:
    """Queue the function for conversion."""
    unit = c.unit
    scope = Scope(FUNCTION, unit.fresh("F"), c.scope.children_parent())
    scope.take_parameters(arguments)
    scope.bind(body, unit.has_walrus)
    qualname = _qualname(c, name)
    doc = docstring(body) if kind == "function" else None
    return unit.add(Plan(name, qualname, arguments, body, scope, line, kind,
                         unit.has_yield and yields(body), doc))


def _qualname(c: Context, name: str) -> str:
    if name in c.scope.globals:
        return name
    return f"{c.qualname}.{name}" if c.scope.kind == CLASS else f"{c.qualname}.<locals>.{name}"


def docstring(body: list[ast.stmt]) -> str | None:
    """The docstring at the head of a body."""
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        value = body[0].value.value
        return value if isinstance(value, str) else None
    return None


def _define(c: Context, index: int, arguments: ast.arguments, node: ast.expr | ast.stmt,
            returns: ast.expr | None) -> ast.expr:
    at = _header(node) if isinstance(node, ast.FunctionDef) else node
    defaults = c.tuple_of(items(c, arguments.defaults), at)
    values = {a.arg: c.expr(d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)
              if d is not None}
    annotations = _annotations(c, arguments, returns)
    parent = c.frame_of(c.scope.children_parent())
    return c.op("define", at, [c.unit.name(f"S {index}"), parent, defaults, _dict(c, values, at),
                               _dict(c, annotations, at)])


def _dict(c: Context, entries: dict[str, ast.expr], at: ast.AST) -> ast.expr:
    return ast.copy_location(
        ast.Dict([c.unit.text(key) for key in entries], list(entries.values())), at)


def _annotations(c: Context, arguments: ast.arguments,
                 returns: ast.expr | None) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    every = [*arguments.posonlyargs, *arguments.args]
    every += [arguments.vararg] if arguments.vararg else []
    every += arguments.kwonlyargs
    every += [arguments.kwarg] if arguments.kwarg else []
    for argument in every:
        if argument.annotation is not None:
            found[argument.arg] = c.annotation(argument.annotation)
    if returns is not None:
        found["return"] = c.annotation(returns)
    return found


@statement(ast.ClassDef)
def class_(c: Context, node: ast.ClassDef) -> Effect:
    """The body is a staged function whose frame is the class's namespace."""
    _refuse_type_parameters(c, node)
    unit = c.unit
    decorators = [c.expr(decorator) for decorator in node.decorator_list]
    cell = Scope(CELL, unit.fresh("F"), c.scope.children_parent())
    cell.bound.add("__class__")
    scope = Scope(CLASS, unit.fresh("F"), cell)
    scope.bind(node.body, unit.has_walrus)
    qualname = _qualname(c, node.name)
    if any(isinstance(s, ast.AnnAssign) for s in statements_of(node.body)):
        scope.bound.add("__annotations__")
    index = unit.add(Plan(node.name, qualname, None, node.body, scope, node.lineno, "class",
                          doc=docstring(node.body)))
    at = _header(node)
    callee = c.unit.text(node.name)
    bases = c.tuple_of([c.expr(b) for b in node.bases], at)
    keywords = keyword_mapping(c, node.keywords, callee, at)
    parent = c.frame_of(c.scope.children_parent())
    value = c.op("build_class", at, [unit.name(f"S {index}"), parent, callee, bases, keywords])
    _decorate(c, node, decorators, value)
    return None


def _refuse_type_parameters(c: Context, node: ast.FunctionDef | ast.ClassDef) -> None:
    if getattr(node, "type_params", None):
        raise refuse(c.unit, node, "type parameters on a nested definition are not supported",
                     "they open a scope that staged code does not have",
                     "define the generic function or class at module level")
