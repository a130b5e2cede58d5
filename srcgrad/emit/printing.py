"""The one place where trees become text.

``astor`` prints the tree, comments are woven in by line, long lines are broken at commas, and
the text is parsed again: it must mean the tree.  Where astor's text does not (its rules for
parentheses around slices and new syntax are older than Python's grammar), ``ast.unparse``
takes over.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from typing import Any

import astor
from astor.op_util import Precedence

from srcgrad.emit.comments import place_of, text_of
from srcgrad.errors import Where

WIDTH = 88
_OPEN, _CLOSE = "([{", ")]}"


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
            lines.append(line[:len(line) - len(line.lstrip())] + "# " + said)
            continue
        if isinstance(stmt, ast.FunctionDef) and lines:
            while lines and not lines[-1].strip():
                lines.pop()
            lines += [""] * (0 if lines[-1].startswith("#") else 2)
        place = place_of(stmt) if stmt is not None else None
        for part in broken(line) if len(line) > WIDTH else [line]:
            lines.append(part)
            if place is not None:
                places[len(lines)] = place
    return "\n".join(lines) + "\n", places


def _in_order(stmts: list[ast.stmt]) -> Iterator[ast.stmt]:
    for stmt in stmts:
        yield stmt
        for part in ("body", "orelse"):
            inner: Any = getattr(stmt, part, None)
            if isinstance(inner, list):
                yield from _in_order(inner)


# ---- long lines ------------------------------------------------------------------------------


def broken(line: str) -> list[str]:
    """A logical line in pieces of at most ``WIDTH`` columns, broken after commas and before
    binary operators inside brackets (which are added if there are none)."""
    indent = len(line) - len(line.lstrip())
    tokens = _tokens(line.strip())
    if tokens is None:
        return [line]
    places = _break_places(tokens)
    if not places:
        wrapped = _with_brackets(line)
        return [line] if wrapped is None else broken(wrapped)
    body = line.strip()
    _, column, hang = min(places, key=lambda p: (p[0], -p[1]))
    fitting = [p for p in places if indent + p[1] <= WIDTH]
    if fitting:
        best = min(p[0] for p in fitting)
        _, column, hang = max((p for p in fitting if p[0] == best), key=lambda p: p[1])
    head = " " * indent + body[:column].rstrip()
    rest = " " * (indent + hang) + body[column:].lstrip()
    if len(rest) >= len(line):
        return [line]
    return [head, *_continued(rest)]


def _continued(line: str) -> list[str]:
    """The rest of a broken line: broken again where the brackets that it closes allow."""
    if len(line) <= WIDTH:
        return [line]
    indent = len(line) - len(line.lstrip())
    body, depth, best = line.strip(), 0, None
    quote = ""
    for i, c in enumerate(body):
        if quote:
            quote = "" if c == quote and body[i - 1] != "\\" else quote
        elif c in "\"'":
            quote = c
        elif c in _OPEN:
            depth += 1
        elif c in _CLOSE:
            depth -= 1
        elif c == "," and indent + i + 1 <= WIDTH and (best is None or depth <= best[0]):
            best = (depth, i + 1)
    if best is None or best[1] >= len(body):
        return [line]
    return [" " * indent + body[:best[1]], *_continued(" " * indent + body[best[1]:].strip())]


def _tokens(body: str) -> list[tokenize.TokenInfo] | None:
    try:
        return list(tokenize.generate_tokens(io.StringIO(body).readline))
    except (tokenize.TokenError, IndentationError):
        return None


def _break_places(tokens: list[tokenize.TokenInfo]) -> list[tuple[int, int, int]]:
    """(bracket _, column, hanging indent) of every place where a line may end."""
    places: list[tuple[int, int, int]] = []
    opened: list[int] = []
    for i, token in enumerate(tokens):
        if token.type != tokenize.OP:
            continue
        if token.string in _OPEN:
            opened.append(token.end[1])
        elif token.string in _CLOSE:
            if opened:
                opened.pop()
        elif opened and token.string == ",":
            places.append((len(opened), token.end[1], opened[-1]))
        elif opened and token.string in ("+", "-", "*", "/", "@") and i and (
                tokens[i - 1].type in (tokenize.NAME, tokenize.NUMBER)
                or tokens[i - 1].string in _CLOSE):
            places.append((len(opened) + 10, token.start[1], opened[-1]))
    return places


def _with_brackets(line: str) -> str | None:
    """``a = (…)`` for a long right side without brackets."""
    for sign in (" += ", " -= ", " *= ", " = ", "return "):
        head, found, tail = line.partition(sign)
        if found and not tail.startswith("(") and (sign != "return " or not head.strip()):
            return f"{head}{found}({tail})"
    return None
