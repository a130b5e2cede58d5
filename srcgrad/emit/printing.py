"""The one place where trees become text.

``astor`` prints the tree, comments are woven in by line, long lines are broken at commas, and
the text is parsed again: it must mean the tree.  Where astor's text does not (its rules for
parentheses around slices and new syntax are older than Python's grammar), ``ast.unparse``
takes over.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.emit.comments import place_of, text_of
from srcgrad.emit.wrapping import WIDTH, wrap
from srcgrad.errors import Where

with warnings.catch_warnings():  # astor lists nodes that Python 3.12 warns of
    warnings.simplefilter("ignore", DeprecationWarning)
    import astor
    from astor.op_util import Precedence, precedence_data, symbol_data


class _Generator(astor.SourceGenerator):  # type: ignore[misc]
    """astor's printer, with subscripts and f-strings as today's grammar has them."""

    def __init__(self, *settings: Any) -> None:
        self._printers: dict[type, Callable[[ast.AST], None]] = {}
        super().__init__(*settings)
        tree: Any = self
        result, append, visit = tree.result, tree.result.append, self.visit

        def write(*parts: Any) -> None:
            """As astor's, which asks more of texts."""
            for part in parts:
                if type(part) is not str:
                    visit(part) if isinstance(part, ast.AST) else part()
                    continue
                if tree.new_lines:
                    append("\n" * tree.new_lines)
                    tree.colinfo = len(result), 0
                    append(tree.indent_with * tree.indentation)
                    tree.new_lines = 0
                if part:
                    append(part)

        tree.write = write

    def visit(self, node: ast.AST) -> None:
        """As astor's, without making the name of the method each time."""
        printer = self._printers.get(type(node))
        if printer is None:
            printer = self._printers[type(node)] = getattr(self, f"visit_{type(node).__name__}")
        printer(node)

    def visit_Call(self, node: ast.Call) -> None:
        arguments = [*node.args, *[keyword.value for keyword in node.keywords]]
        least = Precedence.Comma if arguments[1:] else Precedence.call_one_arg
        for argument in node.args:
            argument._pp = least  # type: ignore[attr-defined]
        for keyword in node.keywords:
            keyword.value._pp = Precedence.Comma  # type: ignore[attr-defined]
        names = [""] * len(node.args) + [f"{k.arg}=" if k.arg else "**" for k in node.keywords]
        self.visit(node.func)
        self.write("(")
        for i, (name, argument) in enumerate(zip(names, arguments, strict=True)):
            self.write(f", {name}" if i else name, argument)
        self.write(")")

    def visit_BinOp(self, node: ast.BinOp) -> None:
        own, power = precedence_data[type(node.op)], type(node.op) is ast.Pow
        node.left._pp = own + 1 if power else own  # type: ignore[attr-defined]
        node.right._pp = Precedence.PowRHS if power else own + 1  # type: ignore[attr-defined]
        around = own < getattr(node, "_pp", Precedence.highest)
        self.write("(" if around else "", node.left, f" {symbol_data[type(node.op)]} ", node.right,
                   ")" if around else "")

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

    def visit_ListComp(self, node: ast.ListComp) -> None:
        node.elt._pp = Precedence.Comma  # type: ignore[attr-defined]
        super().visit_ListComp(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        for i, part in enumerate((node.lower, node.upper, node.step)):
            if i == 1 or (i == 2 and part is not None):
                self.write(":")
            if part is not None:
                part._pp = Precedence.Comma  # type: ignore[attr-defined]
                self.write(part)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.write("")  # what is due before
        start = len(self.result)
        self._parts(node)
        text = "".join(self.result[start:])
        del self.result[start:]
        self.write(f"f{text!r}")

    def _parts(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            if not isinstance(part, ast.FormattedValue):
                assert isinstance(part, ast.Constant)
                self.write(str(part.value).replace("{", "{{").replace("}", "}}"))
                continue
            part.value._pp = Precedence.FormattedValue  # type: ignore[attr-defined]
            self.write("{", part.value, f"!{chr(part.conversion)}" if part.conversion > 0 else "")
            if isinstance(part.format_spec, ast.JoinedStr):
                self.write(":")
                self._parts(part.format_spec)
            self.write("}")


def _joined(pieces: list[str]) -> str:
    return "".join(pieces)


def weave(module: ast.Module) -> tuple[str, dict[int, Where], ast.Module]:
    """The text with comments and broken lines, for each line the user's place, and the tree that
    Python reads in the text."""
    said = _numbered(module)
    printers: tuple[Callable[[ast.Module], str], ...] = (_by_astor, _by_unparse)
    text = ""
    for printer in printers:
        text = _woven(printer(module), said)
        parsed = _parse(text)
        if parsed is not None and _same_body(module.body, parsed.body):
            return text, _places(module, parsed), parsed
    raise AssertionError("generated text does not mean its tree:\n" + text)


def _by_astor(module: ast.Module) -> str:
    text: str = astor.to_source(module, pretty_source=_joined,
                                source_generator_class=_Generator)
    return text


def _by_unparse(module: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def _numbered(module: ast.Module) -> list[str]:
    """The comments; the statements that stand for them become their numbers."""
    said: list[str] = []
    pending: list[ast.stmt] = [*module.body]
    while pending:
        stmt = pending.pop()
        text = text_of(stmt)
        if text is not None and isinstance(stmt, ast.Expr):
            stmt.value = ast.Name(f"#\0{len(said)}")  # printed as it stands, unlike any text
            said.append(text)
        for part in ("body", "handlers", "orelse", "finalbody") if "body" in vars(stmt) else ():
            pending.extend(getattr(stmt, part, ()))
    return said


def _woven(text: str, comments: list[str]) -> str:
    """Statements that stand for comments made comments, long lines broken."""
    lines: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        said = _COMMENT.match(line)
        if said is not None:
            line = f"{said[1]}# {comments[int(said[2])]}"
            room = max(WIDTH, len(said[1]) + 24)  # however deep, something is said
            lines.append(line if len(line) <= room else line[:room - 4] + " ...")
            continue
        if line.startswith("def ") and lines:
            while lines and not lines[-1].strip():
                lines.pop()
            at = len(lines)
            while at and lines[at - 1].startswith(("#", "@")):
                at -= 1
            while at and not lines[at - 1].strip():
                del lines[at - 1]
                at -= 1
            lines[at:at] = ["", ""] if at else []
        lines.extend(wrap(line) if len(line) > WIDTH else (line,))
    return "\n".join(lines) + "\n"


_COMMENT = re.compile(r"^(\s*)#\0(\d+)$")


def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _places(module: ast.Module, parsed: ast.Module) -> dict[int, Where]:
    places: dict[int, Where] = {}
    for mine, found in zip(_in_order(module.body), _in_order(parsed.body), strict=True):
        place = place_of(mine)
        if place is not None:
            body = getattr(found, "body", None)
            end = body[0].lineno - 1 if body else found.end_lineno or found.lineno
            for line in range(found.lineno, max(found.lineno, end) + 1):
                places.setdefault(line, place)
    return places


def _in_order(stmts: list[ast.stmt]) -> Iterator[ast.stmt]:
    for stmt in stmts:
        if text_of(stmt) is not None:
            continue
        yield stmt
        for part in ("body", "orelse") if "body" in vars(stmt) else ():
            inner: Any = getattr(stmt, part, None)
            if isinstance(inner, list):
                yield from _in_order(inner)


# ---- does the text mean the tree? --------------------------------------------------------------


def _same_body(mine: list[Any], parsed: list[Any]) -> bool:
    if mine and isinstance(mine[0], ast.stmt):
        mine = [m for m in mine if text_of(m) is None]
    return len(mine) == len(parsed) and all(map(_same, mine, parsed))


_UNREAD = frozenset(("ctx", "kind", "type_comment"))


_READERS: dict[type, Callable[[ast.AST], tuple[Any, ...]]] = {}  # of the parts that count


def _parts_of(tree: ast.AST) -> tuple[Any, ...]:
    kind = type(tree)
    if kind not in _READERS:
        fields = [field for field in kind._fields if field not in _UNREAD]
        _READERS[kind] = operator.attrgetter("__class__", *fields) if fields else lambda tree: ()
    try:
        return _READERS[kind](tree)
    except AttributeError:  # of what is not given
        return kind, *[getattr(tree, f, None) for f in kind._fields if f not in _UNREAD]


def _same(mine: Any, parsed: Any) -> bool:
    """Are two trees equal, but for positions and comments?"""
    kind = type(mine)
    if kind is str:
        return kind is type(parsed) and mine == parsed
    if isinstance(mine, ast.AST):
        if kind is not type(parsed):
            return False
        for one, other in zip(_parts_of(mine), _parts_of(parsed)):
            if one is not other and not (
                    one == other if type(one) is str is type(other) else _same(one, other)):
                return False
        return True
    if isinstance(parsed, list):  # a field that is not given is empty
        return isinstance(mine or [], list) and _same_body(mine or [], parsed)
    return type(mine) is type(parsed) and (mine == parsed or mine != mine) and (
        not isinstance(mine, (float, complex)) or repr(mine) == repr(parsed))
