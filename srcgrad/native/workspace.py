"""Memory that each iteration of a loop would allocate is allocated once, in front of the loop.

>>> text = '''
... for i in range(n):
...     n_j = 4
...     kept = np.empty((n_j, x.shape[0]))
...     old = x.copy()
...     d = np.zeros(x.shape)
...     for j in range(4):
...         kept[j, 0] = x[j]
...         d[j] += old[j]
... '''
>>> print(ast.unparse(ast.Module(allocated_once(
...     ast.parse(text).body, {"kept": 2, "old": 1, "d": 1}, floats=["d"]), [])))
n_j = 4
kept = np.empty((n_j, x.shape[0]))
old = np.empty_like(x)
d = np.empty(x.shape)
for i in range(n):
    for k in range(x.shape[0]):
        old[k] = x[k]
    d[:] = 0.0
    for j in range(4):
        kept[j, 0] = x[j]
        d[j] += old[j]
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from copy import copy, deepcopy
from textwrap import indent
from typing import Any

from srcgrad.emit.literals import call
from srcgrad.native.flow import Flow, live_before, names_in

Stmts = list[ast.stmt]
_FILLED = {"np.zeros": "0.0", "np.ones": "1.0"}


def allocated_once(statements: Sequence[ast.stmt], ranks: Mapping[str, int],
                   live: Iterable[str] = (), sizes: Iterable[str] = (),
                   floats: Container[str] = ()) -> Stmts:
    """Statements of a kernel with memory made in front of the loops in which its size is the
    same.  ``ranks`` are the numbers of axes of arrays, ``live`` the variables that are read after
    the statements, ``sizes`` integers that are never below zero, ``floats`` arrays of float64."""
    return _Workspace(ranks, sizes, floats).block([*statements], {*live})


def handed_in(statements: Sequence[ast.stmt], results: Iterable[str], parameters: Iterable[str],
              ranks: Mapping[str, int], floats: Container[str] = ()) -> tuple[Stmts, Stmts]:
    """What makes the arrays among the results of a kernel, and its statements without it: NumPy
    makes an array in a fraction of the time in which Numba hands one out.

    >>> text = "n = x.shape[0]\\nd = np.zeros((n, 2))\\nfor i in range(n):\\n    d[i, 0] += 1.0"
    >>> parts = handed_in(ast.parse(text).body, ["d"], ["x"], {"d": 2}, ["d"])
    >>> for part in parts:
    ...     print("; ".join(map(ast.unparse, part[:2])))
    d = np.empty((x.shape[0], 2))
    n = x.shape[0]; d[:] = 0.0
    """
    assigned = Counter(n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name)
                       and isinstance(n.ctx, ast.Store))
    fixed = {p for p in parameters if not assigned[p]}
    taken = {*assigned, *names_in(*statements)}
    known: dict[str, ast.expr] = {}  # sizes, and arrays for those that are like them
    workspace = _Workspace(ranks, (), floats)
    made: Stmts = []
    left: Stmts = []
    for s in statements:
        left.append(s)
        if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Name) or (
                assigned[name := s.targets[0].id] != 1):
            continue
        room: ast.expr | None = s.value if workspace.is_size(s.value) else None
        filled: Stmts = []
        if isinstance(s.value, ast.Call) and _target(s) and name in ranks:
            room, filled = workspace.filled(name, s.value, taken)
        of: Any = room and _Known(known).visit(deepcopy(room))
        if of is None or not names_in(of) <= fixed | {"np"}:
            continue
        if room is s.value and name not in ranks:
            workspace.sizes.add(name)
            known[name] = of
        elif name in results:
            if _called(of).endswith("_like") and ranks[name] == 1 and name in floats:
                of = call("np.empty", call("len", of.args[0]))  # takes half the time
            made.append(copy(s))
            vars(made[-1])["value"] = of
            left[-1:] = filled
        elif _called(of).endswith("_like"):
            known[name] = of.args[0]
    return made, left


class _Known(ast.NodeTransformer):
    """Puts what is known in the place of variables."""

    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return deepcopy(self.known.get(node.id, node))


class _Workspace:
    def __init__(self, ranks: Mapping[str, int], sizes: Iterable[str],
                 floats: Container[str]) -> None:
        self.ranks, self.sizes, self.floats = ranks, {*sizes}, floats

    def block(self, statements: Stmts, live: set[str]) -> Stmts:
        out: Stmts = []
        for i, s in enumerate(statements):
            after = live_before(statements[i + 1:], live)
            if isinstance(s, (ast.For, ast.While)):
                after |= Flow([s]).exposed
            for part in ("body", "orelse"):
                inner = getattr(s, part, None)
                if isinstance(inner, list) and inner:
                    setattr(s, part, self.block(inner, after))
            if isinstance(s, ast.For) and "prange(" not in ast.unparse(s.iter):
                out += self.taken(s, after)  # iterations at the same time have memory of their own
            out.append(s)
        return out

    def taken(self, loop: ast.For, live: set[str]) -> Stmts:
        """What may stand in front of a loop, taken out of it."""
        found: Stmts = []
        assigned = Counter(n.id for n in ast.walk(loop) if isinstance(n, ast.Name)
                           and isinstance(n.ctx, ast.Store))
        kept = {n for n in assigned if n in live}
        for s in [*loop.body]:
            name = _target(s)
            if name is None or assigned[name] != 1 or name in kept:
                continue
            assert isinstance(s, ast.Assign)
            if not names_in(s.value).isdisjoint(assigned):
                continue
            filled: Stmts = []
            if not isinstance(s.value, ast.Call) or _called(s.value) == "len":
                self.sizes.add(name)
            elif not self.is_for_elements(name, loop):
                continue
            else:
                made, filled = self.filled(name, s.value, names_in(loop) | live | {*assigned})
                if made is None:
                    continue
                s = copy(s)
                s.value = made
            at = next(i for i, t in enumerate(loop.body) if _target(t) == name)
            loop.body[at:at + 1] = filled
            found.append(s)
            del assigned[name]
        loop.body = loop.body or [ast.Pass()]
        return found

    def filled(self, name: str, made: ast.Call,
               taken: set[str]) -> tuple[ast.expr | None, Stmts]:
        """How room for an array is made, and what fills it; None if it is left as it is."""
        if isinstance(made.func, ast.Attribute) and made.func.attr == "copy":
            source, letters = made.func.value, [c for c in "ijklpq" if c not in taken]
            rank = self.ranks[name]
            if not isinstance(source, ast.Name) or len(letters) < rank:
                return None, []
            place = ", ".join(letters[:rank])
            text = f"{name}[{place}] = {source.id}[{place}]"
            for k in reversed(range(rank)):
                text = f"for {letters[k]} in range({source.id}.shape[{k}]):\n" + indent(text, " ")
            return call("np.empty_like", source), ast.parse(text).body
        kind, _, like = _called(made).partition("_")
        if not (self.is_size(made.args[0]) or (like and isinstance(made.args[0], ast.Name))):
            return None, []
        if kind == "np.empty":
            return made, []
        if name not in self.floats or made.keywords or not all(
                isinstance(a, ast.Constant) for a in made.args[1:]):
            return None, []
        number = _FILLED.get(kind) if len(made.args) == 1 else (
            ast.unparse(made.args[1]) if kind == "np.full" and len(made.args) == 2 else None)
        if number is None:
            return None, []
        return call(f"np.empty{'_like' if like else ''}", made.args[0]), ast.parse(
            f"{name}[:] = {number}").body

    def is_for_elements(self, name: str, loop: ast.For) -> bool:
        """Are only single elements of an array meant in a loop, so that nothing of it lives on?
        """
        meant = read = 0
        for node in ast.walk(loop):
            if isinstance(node, ast.Name) and node.id == name:
                read += isinstance(node.ctx, ast.Load)
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and (
                    node.value.id == name):
                keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                meant += (len(keys) == self.ranks.get(name) and not any(
                    isinstance(k, ast.Slice) for k in keys)) or (
                    isinstance(node.ctx, ast.Store) and ast.unparse(node.slice) == ":")
        return meant == read

    def is_size(self, e: ast.expr) -> bool:
        """Can a size be asked for where no iteration follows: is it never below zero?"""
        if isinstance(e, ast.Tuple):
            return all(map(self.is_size, e.elts))
        if isinstance(e, ast.Name):
            return e.id in self.sizes
        if isinstance(e, ast.Subscript):
            return isinstance(e.value, ast.Attribute) and e.value.attr == "shape"
        return (isinstance(e, ast.Attribute) and e.attr == "shape") or (
            isinstance(e, ast.Constant))


def _target(s: ast.stmt) -> str | None:
    """The variable that is a known size, or for which memory or the length of a range is asked."""
    if not isinstance(s, ast.Assign) or len(s.targets) != 1 or not isinstance(
            s.targets[0], ast.Name):
        return None
    made = s.value
    if isinstance(made, ast.Constant) and type(made.value) is int and made.value >= 0:
        return s.targets[0].id
    if not isinstance(made, ast.Call):
        return None
    is_length = _called(made) == "len" and isinstance(made.args[0], ast.Call) and (
        _called(made.args[0]) == "range")
    is_array = _called(made).removesuffix("_like") in (
        "np.empty", "np.full", *_FILLED) or (
        isinstance(made.func, ast.Attribute) and made.func.attr == "copy")
    return s.targets[0].id if is_length or is_array else None


def _called(e: ast.Call) -> str:
    return ast.unparse(e.func)
