"""Which variables may still be read once a statement is done.

A backward walk over the user's text.  What it says is an upper bound: a name that it leaves out
is not read before it is bound again, on any path.  So a machine need not follow what a branch or
a loop leaves in that name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from .scopes import bodies, bound_by, children, target_names

Names = frozenset[str]

_NONE: Final[Names] = frozenset()
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
                     ast.GeneratorExp)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_REFLECTION: Final = frozenset({"locals", "vars", "eval", "exec", "dir"})


class Later(NamedTuple):
    """For each statement of a function (by its id) the names that may be read ``after`` it: by
    what follows, by the next round of a loop around it (or of itself), or where a jump out of it
    leads.  For loops also those that may be read from the ``head`` of an iteration on, and those
    that may be read once it has ended (``left``)."""

    after: dict[int, Names]
    head: dict[int, Names]
    left: dict[int, Names]


def read_later(body: list[ast.stmt]) -> Later | None:
    """What may be read after the statements of a function.  None where the function looks at its
    variables by other means (``locals()``).

        >>> tree = ast.parse('''
        ... if p:
        ...     v = 1
        ...     w = 2
        ... u = w
        ... ''')
        >>> sorted(read_later(tree.body).after[id(tree.body[0])])
        ['w']
    """
    nodes: list[ast.AST] = [*body]
    for node in nodes:  # which grows
        nodes += children(node)
    if any(isinstance(n, ast.Name) and n.id in _REFLECTION for n in nodes):
        return None
    walk = _Walk(_captured(nodes))
    walk.block(body, walk.always)
    return Later(walk.found, walk.heads, walk.left)


def _captured(nodes: list[ast.AST]) -> Names:
    """Names that functions inside mention, and those of ``global`` and ``nonlocal``: they may
    be read whenever such a function runs."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.GeneratorExp):  # its first iterable is read at once
            found.update(_free(node, _NONE) if node.generators[1:] else
                         _free(_without_iterable(node), _NONE))
        elif isinstance(node, _FUNCTIONS):
            found.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
            found.update(name for n in ast.walk(node)
                         if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
    return frozenset(found)


def _without_iterable(node: ast.GeneratorExp) -> ast.GeneratorExp:
    """A generator expression without what it goes through."""
    (only,) = node.generators
    nothing = ast.Constant(None)
    return ast.GeneratorExp(node.elt, [ast.comprehension(only.target, nothing, only.ifs, 0)])


def _reads(*nodes: ast.AST | None) -> Names:
    """Names that expressions read (a deleted one too: it must be bound)."""
    return _NONE.union(*(_free(node, _NONE) for node in nodes if node is not None))


def _free(node: ast.AST, local: Names) -> Names:
    """Names that are read in a part of a program, but for the variables of comprehensions."""
    found: list[Names] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _COMPREHENSIONS):
            found.append(_free_in_comprehension(node, local))
        elif type(node) is not ast.Name:
            waiting += children(node)
        elif type(node.ctx) is not ast.Store and node.id not in local:
            found.append(frozenset({node.id}))
    return _NONE.union(*found)


def _free_in_comprehension(node: Any, local: Names) -> Names:
    first = node.generators[0].iter
    inner = local.union(*(target_names(g.target) for g in node.generators))
    return _free(first, local).union(
        *(_free(part, inner) for part in children(node) if part is not node.generators[0]),
        *(_free(part, inner) for part in children(node.generators[0]) if part is not first))


def _bound(node: ast.stmt) -> Names:
    """The names that a for statement binds at the head of each iteration."""
    return frozenset(bound_by(node)) if isinstance(node, ast.For | ast.AsyncFor) else _NONE


class _Walk:
    """The state of one walk: what was found, and the loops and statements around."""

    def __init__(self, always: Names) -> None:
        self.always = always
        self.found: dict[int, Names] = {}
        self.heads: dict[int, Names] = {}
        self.left: dict[int, Names] = {}
        self.loops: list[tuple[Names, Names]] = []  # read after the loop, read at its head
        self.around: list[Names] = []

    def block(self, statements: Iterable[ast.stmt], after: Names) -> Names:
        """The names read from the beginning of a block on."""
        for statement in reversed(list(statements)):
            after = self.statement(statement, after)
        return after

    def inside(self, statements: list[ast.stmt], after: Names, around: Names) -> Names:
        """A block inside a statement after which ``around`` may be read."""
        self.around.append(around)
        found = self.block(statements, after)
        self.around.pop()
        return found

    def note(self, node: ast.stmt, names: Names) -> None:
        self.found[id(node)] = self.found.get(id(node), _NONE).union(names, *self.around)

    def statement(self, node: ast.stmt, after: Names) -> Names:
        self.note(node, after)
        match node:
            case ast.If():
                return _reads(node.test) | self.inside(node.body, after, after) | self.inside(
                    node.orelse, after, after)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node, after)
            case ast.Break() | ast.Continue():
                return self.loops[-1][isinstance(node, ast.Continue)].union(*self.around)
            case ast.Return() | ast.Raise():
                return _reads(node).union(self.always, *self.around)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return after | _reads(node)
            case ast.With() | ast.AsyncWith() | ast.Try() | ast.TryStar() | ast.Match():
                return self._several(node, after)
        return self._simple(node, after)

    def _simple(self, node: ast.stmt, after: Names) -> Names:
        bound: set[str] = set()
        if isinstance(node, ast.Assign):
            bound.update(name for target in node.targets for name in target_names(target))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            bound.update(target_names(node.target))
        reads = _reads(node)
        if isinstance(node, ast.AugAssign):
            reads |= frozenset(bound_by(node))
        return (after - bound) | reads | self.always

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, after: Names) -> Names:
        otherwise = self.inside(node.orelse, after, after) | after
        test = node.test if isinstance(node, ast.While) else None
        # from what an earlier walk through the loop around found: one pass confirms it
        head = otherwise | _reads(test) | self.heads.get(id(node), _NONE)
        self.left[id(node)] = self.left.get(id(node), _NONE).union(otherwise, *self.around)
        while True:
            self.note(node, head)
            self.loops.append((after, head))
            wider = head | (self.inside(node.body, head, after | head) - _bound(node))
            self.loops.pop()
            if wider == head:
                break
            head = wider
        self.heads[id(node)] = self.heads.get(id(node), _NONE).union(head, *self.around)
        return head if isinstance(node, ast.While) else head | _reads(node.iter, node.target)

    def _several(self, node: ast.stmt, after: Names) -> Names:
        """Blocks of which some may be left anywhere: nothing in them ends the use of a name."""
        inner = [s for block in bodies(node) for s in block]
        reads = _reads(*inner)
        for loop in inner:
            reads |= frozenset(n for s in ast.walk(loop) if isinstance(s, ast.AugAssign)
                               for n in bound_by(s))
        for block in bodies(node):
            self.inside(block, after | reads, after | reads)
        return after | reads | _reads(node)
