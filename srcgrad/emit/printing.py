"""The one place where trees become text.

``astor`` prints the tree, comments are woven in by line, long lines are broken at commas, and
the text is parsed again: it must mean the tree.  Where astor's text does not (its rules for
parentheses around slices and new syntax are older than Python's grammar), ``ast.unparse``
takes over.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import astor
from astor.op_util import Precedence

from srcgrad.emit.comments import place_of, text_of
from srcgrad.emit.wrapping import WIDTH, wrap
from srcgrad.errors import Where


class _Generator(astor.SourceGenerator):  # type: ignore[misc]
    """astor's printer, with subscripts as today's grammar has them."""

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.write(node.value, "[")
        key = node.slice
        if isinstance(key, ast.Tuple) and key.elts and not any(
                isinstance(e, ast.Starred) for e in key.elts):
            for i, item in enumerate(key.elts):
                item._pp = Precedence.Comma  # type: ignore[attr-defined]
                self.write(", " if i else "", item)
            if len(key.elts) == 1:
                self.write(",")
        else:
            key._pp = Precedence.Comma  # type: ignore[attr-defined]
            self.write(key)
        self.write("]")

    def visit_Slice(self, node: ast.Slice) -> None:
        for i, part in enumerate((node.lower, node.upper, node.step)):
            if i == 1 or (i == 2 and part is not None):
                self.write(":")
            if part is not None:
                part._pp = Precedence.Comma  # type: ignore[attr-defined]
                self.write(part)


def _joined(pieces: list[str]) -> str:
    return "".join(pieces)


def print_tree(module: ast.Module) -> str:
    """The text of a module, one statement a line; it means the tree."""
    text: str = astor.to_source(module, pretty_source=_joined,
                                source_generator_class=_Generator)
    expected = ast.dump(module)
    if _dump(text) != expected:
        text = ast.unparse(ast.fix_missing_locations(module)) + "\n"
        if _dump(text) != expected:
            raise AssertionError("generated text does not mean its tree:\n" + text)
    return text


def _dump(text: str) -> str | None:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return None


def weave(module: ast.Module) -> tuple[str, dict[int, Where]]:
    """The text with comments and broken lines, and for each line the user's place."""
    text = print_tree(module)
    statements = list(_in_order(module.body))
    starts = sorted((s.lineno, i) for i, s in enumerate(_in_order(ast.parse(text).body)))
    at = {line: statements[i] for line, i in starts}
    lines: list[str] = []
    places: dict[int, Where] = {}
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        stmt = at.get(number)
        said = text_of(stmt) if stmt is not None else None
        if said is not None:
            said = line[:len(line) - len(line.lstrip())] + "# " + said
            lines.append(said if len(said) <= WIDTH else said[:WIDTH - 4] + " ...")
            continue
        if isinstance(stmt, ast.FunctionDef) and lines:
            while lines and not lines[-1].strip():
                lines.pop()
            lines += [""] * (0 if lines[-1].startswith("#") else 2)
        place = place_of(stmt) if stmt is not None else None
        for part in wrap(line):
            lines.append(part)
            if place is not None:
                places[len(lines)] = place
    woven = "\n".join(lines) + "\n"
    if len(lines) != text.count("\n") and _dump(woven) != _dump(_without_comments(module)):
        raise AssertionError("broken lines do not mean their tree:\n" + woven)
    return woven, places


def _without_comments(module: ast.Module) -> str:
    return ast.unparse(_CommentFree().visit(ast.fix_missing_locations(module)))


class _CommentFree(ast.NodeTransformer):
    """Removes the statements that stand for comments."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if text_of(node) is not None else node


def _in_order(stmts: list[ast.stmt]) -> Iterator[ast.stmt]:
    for stmt in stmts:
        yield stmt
        for part in ("body", "orelse"):
            inner: Any = getattr(stmt, part, None)
            if isinstance(inner, list):
                yield from _in_order(inner)
