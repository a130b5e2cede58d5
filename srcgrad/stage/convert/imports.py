"""Import statements inside functions."""

from __future__ import annotations

import ast

from .context import Context, Effect, statement


@statement(ast.Import)
def import_(c: Context, node: ast.Import) -> Effect:
    """``import a.b`` binds ``a``; ``import a.b as x`` binds the submodule."""
    for alias in node.names:
        module = c.op("import_module", node, [c.frame, c.unit.text(alias.name),
                                              c.constant(None, node), c.constant(0, node)])
        name = alias.asname or alias.name.partition(".")[0]
        if alias.asname:
            for part in alias.name.split(".")[1:]:
                module = c.op("import_name", node, [module, c.unit.text(part)])
        c.emit(c.store(name, module, node))
    return None


@statement(ast.ImportFrom)
def import_from(c: Context, node: ast.ImportFrom) -> Effect:
    """``from m import a, b as x``; relative imports use the function's own package."""
    names = c.tuple_of([c.unit.text(alias.name) for alias in node.names], node)
    module = c.hold(c.op("import_module", node, [c.frame, c.unit.text(node.module or ""), names,
                                                 c.constant(node.level, node)]), node)
    for alias in node.names:
        value = c.op("import_name", node, [module, c.unit.text(alias.name)])
        c.emit(c.store(alias.asname or alias.name, value, node))
    return None
