"""From queued functions to one module of staged functions."""

from __future__ import annotations

import ast

from ..scopes import CLASS, Scope
from .context import Context, Plan, Unit


def convert(unit: Unit) -> ast.Module:
    """Convert every queued function, those found on the way too, each into one definition at
    module level, in the order of ``unit.plans``."""
    made: dict[int, ast.stmt] = {}
    while unit.pending:
        index = unit.pending.pop()
        made[index] = _function(unit, unit.plans[index])
    return ast.Module([made[index] for index in sorted(made)], [])


def _function(unit: Unit, plan: Plan) -> ast.stmt:
    context = Context(unit, plan.scope, plan.qualname, plan.generator)
    first, last = plan.body[0], plan.body[-1]
    if plan.scope.kind == CLASS:
        _class_head(context, plan)
        context.block(plan.body, None, "class", first)
        context.emit_return(context.constant(0, first), first)
    elif plan.generator:
        context.out = context.native_block(plan.body, first)
    else:
        end = ast.copy_location(ast.Return(None), last)
        context.block([*plan.body, end], None, "function", first)
    body = [*_prologue(context), *context.definitions, *context.out]
    arguments = ast.arguments(
        posonlyargs=[], args=[context.parameter("M", first),
                              context.parameter(plan.scope.variable, first)],
        kwonlyargs=[], kw_defaults=[], defaults=[])
    made = context.function(plan.name, arguments, body, first)
    made.lineno = plan.line
    return made


def _class_head(context: Context, plan: Plan) -> None:
    first = plan.body[0]
    values = [("__module__", context.load("__name__", first)),
              ("__qualname__", context.constant(plan.qualname, first))]
    if plan.doc is not None:
        values.append(("__doc__", context.constant(plan.doc, first)))
    if "__annotations__" in plan.scope.bound:
        empty = ast.copy_location(ast.Dict([], []), first)
        values.append(("__annotations__", empty))
    for name, value in values:
        text = context.unit.text(name)
        context.emit(context.op("store", first, [context.frame, text, value]))


def _prologue(context: Context) -> list[ast.stmt]:
    """The operators and enclosing frames that the function uses, as local variables."""
    unit, at = context.unit, context.unit.text("")
    made = [context.assignment(operator, ast.Attribute(
                unit.name("M"), operator, ast.Load(), lineno=at.lineno, col_offset=0,
                end_lineno=at.lineno, end_col_offset=0), at)
            for operator in sorted(context.operators)]
    missing = {scope for scope in context.needs if scope is not context.scope}
    scope: Scope = context.scope
    while missing and scope.parent is not None:
        parent = scope.parent
        made.append(context.assignment(parent.variable, ast.Attribute(
            unit.name(scope.variable), "parent", ast.Load(), lineno=at.lineno, col_offset=0,
            end_lineno=at.lineno, end_col_offset=0), at))
        missing.discard(parent)
        scope = parent
    return made
