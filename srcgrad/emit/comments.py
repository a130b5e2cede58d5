"""Comments: the user's line at each group of its adjoint, and the border between the parts."""

from __future__ import annotations

import ast

from srcgrad.errors import Where
from srcgrad.graph.ir import Node, is_adjoint

_HEADERS = ("for ", "while ", "if ", "elif ", "else:", "def ", "with ", "try:", "except", "class ",
            "@", "finally:")
FORWARD, BACKWARD = "---- forward", "---- backward"


def comment(text: str) -> ast.stmt:
    """A statement that is printed as the comment ``# text``."""
    stmt = ast.Expr(ast.Constant(f"# {text}"))
    stmt.comment = text  # type: ignore[attr-defined]
    return stmt


class Comments:
    """Knows which line was quoted last."""

    def __init__(self) -> None:
        self.last: str | None = None

    def mark(self, stmt: ast.stmt, node: Node) -> None:
        """Ties a statement to its node, and to the user's place."""
        stmt.node = node  # type: ignore[attr-defined]
        if node.origin is not None and node.origin.where is not None:
            stmt.where = node.origin.where  # type: ignore[attr-defined]

    def before(self, stmts: list[ast.stmt], node: Node) -> None:
        """Quotes the user's line above the first statement of its adjoint."""
        if not is_adjoint(node) or node.origin is None or node.origin.where is None:
            return
        text = line_of(node)
        if text is None or text == self.last:
            return
        self.last = text
        stmts.append(comment(text))


def line_of(node: Node) -> str | None:
    """The user's line of a node, with the function's name if that was inlined."""
    assert node.origin is not None
    where = node.origin.where
    if where is None:
        return None
    text = " ".join((where.statement or where.text).split())
    if not text or text.startswith(_HEADERS):
        return None
    if node.origin.callers and where.function:
        text = f"{_short(where)}: {text}"
    return text


def _short(where: Where) -> str:
    return where.function.replace("<locals>.", "").rsplit(".<lambda>", 1)[0]


def place_of(stmt: ast.stmt) -> Where | None:
    """The user's place that a statement was tied to, or that of the first of its expressions that
    is computed somewhere."""
    own = getattr(stmt, "where", None)
    if isinstance(own, Where):
        return own
    head = stmt
    if isinstance(stmt, (ast.For, ast.If, ast.While)):
        head = stmt.iter if isinstance(stmt, ast.For) else stmt.test  # type: ignore[assignment]
    inner = () if isinstance(stmt, (ast.FunctionDef, ast.Try, ast.With)) else ast.walk(head)
    found = (getattr(node, "where", None) for node in inner)
    return next((where for where in found if isinstance(where, Where)), None)


def tied_like(old: ast.stmt, new: ast.stmt) -> ast.stmt:
    """``new``, tied to what ``old`` was tied to."""
    new.__dict__.update((k, v) for k, v in vars(old).items() if k in ("node", "where"))
    return new


def node_of(stmt: ast.stmt) -> Node | None:
    """The node that a statement was tied to."""
    found: Node | None = getattr(stmt, "node", None)
    return found


def text_of(stmt: ast.AST) -> str | None:
    """The text of a comment made by :func:`comment`."""
    found: str | None = getattr(stmt, "comment", None)
    return found
