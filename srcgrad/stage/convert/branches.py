"""``if`` statements."""

from __future__ import annotations

import ast

from .context import Arm, Context, Control, Effect, statement


@statement(ast.If)
def if_(c: Context, node: ast.If) -> Effect:
    """Both arms become regions.  A long ``elif`` chain is walked in a loop."""
    chain = [node]
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        chain.append(node)
    orelse = c.region("orelse", node.orelse, node)
    while len(chain) > 1:
        orelse = _elif(c, chain.pop(), orelse)
    return _control(c, chain[0], c.expr(chain[0].test), orelse)


def _control(c: Context, node: ast.If, test: ast.expr, orelse: Arm) -> Control:
    then = c.region("then", node.body, node)
    call = c.op("if_", node, [test, then.name, orelse.name])
    return Control(call, then.jumps | orelse.jumps, then.falls or orelse.falls)


def _elif(c: Context, node: ast.If, orelse: Arm) -> Arm:
    """The region that holds one ``elif`` and what comes after it."""
    saved, c.out = c.out, []
    control = _control(c, node, c.expr(node.test), orelse)
    c.emit_return(control.call, node)
    name = c.add_region("elif", node, [node], control.jumps, control.falls)
    c.out = saved
    return Arm(name, control.jumps, control.falls)
