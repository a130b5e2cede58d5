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
from collections.abc import Mapping, Sequence

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


def _mentioned(s: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(s) if isinstance(n, ast.Name)}
