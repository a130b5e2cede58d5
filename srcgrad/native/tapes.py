"""What an inner loop keeps in a list for each iteration of an outer one lies in one list.

    saved, saved_starts = [], []               in place of     saved = []
    for i in range(n):                                         for i in range(n):
        saved_starts.append(len(saved))                            saved_2 = []
        while ...:                                                 while ...:
            saved.append(t)                                            saved_2.append(t)
                                                                   saved.append(saved_2)

Many short lists would take longer to make than what is put into them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from srcgrad.emit.literals import call, name

Stmts = list[ast.stmt]


def in_one_list(body: Stmts, is_kept: Callable[[ast.stmt], bool]) -> Stmts:
    """The statements of a kernel with such lists in one, where nothing else is done to them;
    ``is_kept`` tells where what loops keep begins (indices of others may count from the end).

    >>> text = '''
    ... xs = []
    ... for i in range(n):
    ...     ys = []
    ...     while ys_grow:
    ...         ys.append(t)
    ...     xs.append(ys)
    ... for i in range(n):
    ...     z = xs[i]
    ...     s += z[0] + z[k]'''
    >>> print(ast.unparse(ast.fix_missing_locations(ast.Module(
    ...     in_one_list(ast.parse(text).body, lambda s: True), []))))
    xs_starts = [0] * 0
    xs = []
    for i in range(n):
        xs_starts.append(len(xs))
        while ys_grow:
            xs.append(t)
    for i in range(n):
        z = xs_starts[i]
        s += xs[z + 0] + xs[z + k]
    """
    for block in _blocks(body):
        for s in [*block]:
            outer = _emptied(s)
            if outer is not None and is_kept(s):
                _Tape(block, s, outer).join()
    return body


class _Tape:
    """A list ``outer`` that a statement of a block makes, until the variable gets another value."""

    def __init__(self, block: Stmts, start: ast.stmt, outer: str) -> None:
        self.block, self.start, self.outer = block, start, outer
        place = next(i for i, s in enumerate(block) if s is start)
        self.span = block[place + 1:]
        for i, s in enumerate(self.span):
            if any(n.id == outer and isinstance(n.ctx, ast.Store) for n in _names(s)):
                self.span = self.span[:i]
                break
        self.parents = {id(child): parent for s in self.span for parent in ast.walk(s)
                        for child in ast.iter_child_nodes(parent)}
        self.uses = [n for s in self.span for n in _names(s) if n.id == outer]

    def join(self) -> None:
        """Puts all that is put into an inner list into the outer one."""
        found = [(block, s, appended[1].id) for block in _blocks(self.span) for s in block
                 if (appended := _appended(s)) is not None and appended[0] == self.outer
                 and isinstance(appended[1], ast.Name)]
        starts = f"{self.outer}_starts"
        if len(found) != 1 or any(n.id == starts for s in self.block for n in _names(s)):
            return
        (block, last, inner), = found
        made = next((s for s in block if _emptied(s) == inner), None)
        if made is None or block is self.span:
            return
        first, end = (next(i for i, s in enumerate(block) if s is t) for t in (made, last))
        uses = [n for s in block[first + 1:end] for n in _names(s) if n.id == inner]
        rows = [n for n in self.uses if n not in [*_names(last)]]
        readers = [*map(self.readers, rows)]
        if first > end or not all(map(self.is_append, uses)) or None in readers or any(
                n.id == inner for s in block[end + 1:] for n in _names(s)):
            return
        for use, items in zip(rows, readers, strict=True):
            for item in items or ():
                item.slice = ast.BinOp(item.value, ast.Add(), item.slice)
                item.value = name(self.outer)
            use.id = starts
        for use in uses:
            use.id = self.outer
        began = call("len", name(self.outer))
        block[first] = ast.Expr(call(ast.Attribute(name(starts), "append", ast.Load()), began))
        del block[end]
        none = ast.BinOp(ast.List([ast.Constant(0)], ast.Load()), ast.Mult(), ast.Constant(0))
        place = next(i for i, s in enumerate(self.block) if s is self.start)
        self.block.insert(place, ast.Assign([ast.Name(starts, ast.Store())], none))

    def is_append(self, use: ast.Name) -> bool:
        """Is it ``use.append(x)``?"""
        method = self.parents.get(id(use))
        return isinstance(method, ast.Attribute) and method.attr == "append"

    def readers(self, use: ast.Name) -> list[ast.Subscript] | None:
        """What reads items of a row where a row is read; None if more is done to it."""
        row = self.parents.get(id(use))
        if not isinstance(row, ast.Subscript) or row.value is not use:
            return None
        reader = self.parents.get(id(row))
        if isinstance(reader, ast.Subscript) and reader.value is row:
            return [reader]
        if not isinstance(reader, ast.Assign) or not isinstance(reader.targets[0], ast.Name):
            return None
        block = next(b for b in _blocks(self.span) if any(s is reader for s in b))
        place = next(i for i, s in enumerate(block) if s is reader)
        found: list[ast.Subscript] = []
        for n in (n for s in block[place + 1:] for n in _names(s)):
            if n.id != reader.targets[0].id:
                continue
            item = self.parents.get(id(n))
            if isinstance(n.ctx, ast.Store) or not isinstance(item, ast.Subscript) or (
                    item.value is not n):
                return None
            found.append(item)
        return found


def _names(tree: ast.AST) -> Iterator[ast.Name]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.Name))


def _blocks(body: Stmts) -> Iterator[Stmts]:
    yield body
    for s in body:
        for part in ("body", "orelse"):
            inner = getattr(s, part, None)
            if isinstance(inner, list) and inner:
                yield from _blocks(inner)


def _emptied(s: ast.stmt) -> str | None:
    """``x`` of ``x = []``, or of ``x = [0.0] * 0``."""
    if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Name):
        return None
    value: ast.expr = s.value
    if isinstance(value, ast.BinOp) and isinstance(value.right, ast.Constant) and (
            value.right.value == 0 and isinstance(value.left, ast.List)):
        return s.targets[0].id
    return s.targets[0].id if isinstance(value, ast.List) and not value.elts else None


def _appended(s: ast.stmt) -> tuple[str, ast.expr] | None:
    """``x`` and ``y`` of ``x.append(y)``."""
    made = s.value if isinstance(s, ast.Expr) else None
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and (
            made.func.attr == "append" and isinstance(made.func.value, ast.Name)):
        return made.func.value.id, made.args[0]
    return None
