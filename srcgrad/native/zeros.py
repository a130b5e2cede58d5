"""Memory that a loop writes all over before anything is read of it is not set to zero first.

>>> text = '''
... d_x, d_y = 0.0, 0.0
... d_x = np.zeros_like(x)
... d_y = np.zeros(n)
... for i in range(x.shape[0]):
...     d_x[i] = 2.0 * x[i]
... for i in range(n - 1, -1, -1):
...     d_y_i = d_y[i]
...     for j in range(i):
...         d_y_i = d_y_i + x[j]
...     d_y[i] = d_y_i
... '''
>>> print(ast.unparse(ast.Module(without_zeros(ast.parse(text).body, {"d_x": 1, "d_y": 1}), [])))
d_x, d_y = (0.0, 0.0)
d_x = np.empty_like(x)
d_y = np.empty(n)
for i in range(x.shape[0]):
    d_x[i] = 2.0 * x[i]
for i in range(n - 1, -1, -1):
    d_y_i = 0.0
    for j in range(i):
        d_y_i = d_y_i + x[j]
    d_y[i] = d_y_i
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from srcgrad.emit.literals import dotted
from srcgrad.native.flow import names_in

Stmts = list[ast.stmt]


def without_zeros(statements: Sequence[ast.stmt], ranks: Mapping[str, int]) -> Stmts:
    """Statements of a kernel, changed in place; ``ranks`` are the numbers of axes of its arrays
    of float64."""
    for i, s in enumerate(statements):
        for part in ("body", "orelse"):
            without_zeros(getattr(s, part, None) or [], ranks)
        name, extents = _zeros(s, ranks)
        at = next((k for k, t in enumerate(statements[i + 1:], i + 1) if name in _mentioned(t)), i)
        changed = names_in(*statements[i + 1:at + 1], ctx=ast.Store)
        if name is None or at == i or any(
                not changed.isdisjoint(names_in(ast.parse(e))) for e in extents):
            continue
        if _filled(statements[at], name, extents, ()):
            assert isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
            s.value.func = dotted(ast.unparse(s.value.func).replace("zeros", "empty"))
    return [*statements]


def _zeros(s: ast.stmt, ranks: Mapping[str, int]) -> tuple[str | None, list[str]]:
    """The array that a statement makes of zeros, and the texts of its sizes."""
    if not (isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
            and s.targets[0].id in ranks and isinstance(s.value, ast.Call)
            and len(s.value.args) == 1 and not s.value.keywords):
        return None, []
    name, of, given = s.targets[0].id, ast.unparse(s.value.func), s.value.args[0]
    if of == "np.zeros_like":
        return name, [f"{ast.unparse(given)}.shape[{k}]" for k in range(ranks[name])]
    if of != "np.zeros":
        return None, []
    if isinstance(given, ast.Tuple):
        return name, [ast.unparse(e) for e in given.elts]
    text = ast.unparse(given)
    return name, ([f"{text}[{k}]" for k in range(ranks[name])] if text.endswith(".shape")
                  else [text])


def _filled(s: ast.stmt, name: str, extents: Sequence[str], outer: tuple[str, ...]) -> bool:
    """Does a loop go through all of an array, or of one of its rows, and write each element before
    it is read?  What is read, or added to, first is written as the zero that it is."""
    if not (isinstance(s, ast.For) and isinstance(s.target, ast.Name) and extents) or any(
            isinstance(n, (ast.Break, ast.Continue, ast.Return)) for n in ast.walk(s)):
        return False
    if ast.unparse(s.iter) not in (f"range({extents[0]})", f"range({extents[0]} - 1, -1, -1)"):
        return False
    inner = [t for t in s.body if name in _mentioned(t)]
    place = (*outer, s.target.id)
    if names_in(*s.body, ctx=ast.Store) & {*place}:
        return False
    if len(extents) > 1:
        return len(inner) == 1 and _filled(inner[0], name, extents[1:], place)
    text = f"{name}[{', '.join(place)}]"
    reads = sum(isinstance(n, ast.Name) and n.id == name for t in inner for n in ast.walk(t))
    here = sum(isinstance(n, ast.Subscript) and ast.unparse(n) == text
               for t in inner for n in ast.walk(t))
    if reads != here or not inner:
        return False
    first = inner[0]
    if isinstance(first, ast.Assign) and ast.unparse(first.value) == text and isinstance(
            first.targets[0], ast.Name) and len(first.targets) == 1 < len(inner) and (
            _writes(inner[1], text)):
        first.value = ast.Constant(0.0)
        return True
    if isinstance(first, ast.AugAssign) and isinstance(first.op, (ast.Add, ast.Sub)) and (
            ast.unparse(first.target) == text and text not in ast.unparse(first.value)):
        value = first.value if isinstance(first.op, ast.Add) else ast.UnaryOp(
            ast.USub(), first.value)
        made = s.body[s.body.index(first)] = ast.Assign([first.target], value)
        vars(made).update({k: v for k, v in vars(first).items() if k not in first._fields})
        return True
    return _writes(first, text)


def _writes(s: ast.stmt, text: str) -> bool:
    """Does a statement write an element without reading it?"""
    return isinstance(s, ast.Assign) and len(s.targets) == 1 and (
        ast.unparse(s.targets[0]) == text and text not in ast.unparse(s.value))


def stored_where_true(statements: Stmts) -> Stmts:
    """Statements of a kernel, changed in place: a truth value that is kept for the branch that
    follows it is stored in its arm alone, in memory that is zero at first.

    >>> text = '''
    ... kept = np.empty(n, np.bool_)
    ... for i in range(n):
    ...     taken = x[i] > s
    ...     kept[i] = taken
    ...     if taken:
    ...         s = x[i]
    ... '''
    >>> print(ast.unparse(ast.Module(stored_where_true(ast.parse(text).body), [])))
    kept = np.zeros(n, np.bool_)
    for i in range(n):
        taken = x[i] > s
        if taken:
            kept[i] = True
            s = x[i]
    """
    for s in statements:
        if not (isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
                and isinstance(s.value, ast.Call) and ast.unparse(s.value.func) == "np.empty"
                and [*map(ast.unparse, s.value.args[1:])] == ["np.bool_"]):
            continue
        name = s.targets[0].id
        stores = [*_stores(statements, name, ())]
        nodes = [n for t in statements for n in ast.walk(t)]
        elements = sum(isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)
                       and n.value.id == name and isinstance(n.ctx, ast.Load) for n in nodes)
        if None in stores or not stores or elements + len(stores) + 1 != sum(
                isinstance(n, ast.Name) and n.id == name for n in nodes):
            continue
        s.value.func = dotted("np.zeros")
        for block, store in filter(None, stores):
            at = block.index(store)
            block[at + 1].body.insert(0, store)  # type: ignore[attr-defined]
            store.value = ast.Constant(True)
            del block[at]
    return statements


def _stores(block: Stmts, name: str,
            outer: tuple[str, ...]) -> Iterator[tuple[Stmts, ast.Assign] | None]:
    """The stores into an array, with the block of each; None for one to which no branch on what is
    stored follows, or whose place is not that of its iteration alone."""
    for s, following in zip(block, (*block, None)[1:], strict=True):
        for part in ("body", "orelse"):
            inside = (*outer, s.target.id) if isinstance(s, ast.For) and isinstance(
                s.target, ast.Name) else (*outer, "") if isinstance(s, ast.While) else outer
            yield from _stores(getattr(s, part, None) or [], name, inside)
        if not isinstance(s, (ast.Assign, ast.AugAssign)):
            continue
        targets = s.targets if isinstance(s, ast.Assign) else [s.target]
        if any(isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)
               and t.value.id == name for t in targets):
            follows = isinstance(s, ast.Assign) and len(targets) == 1 and isinstance(
                s.value, ast.Name) and isinstance(following, ast.If) and (
                ast.unparse(following.test) == s.value.id) and {*outer} <= names_in(targets[0])
            yield (block, s) if follows and isinstance(s, ast.Assign) else None


def _mentioned(s: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(s) if isinstance(n, ast.Name)}
