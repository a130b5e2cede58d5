"""Which names a function binds, and where a name used in it is found.

Python decides this at compile time from the whole body of a function; so does this module.
A :class:`Scope` stands for one frame at run time (:class:`srcgrad.stage.machine.Frame`): a
function, a lambda, a comprehension, a class body, or the little scope between a class body and
its methods that holds ``__class__``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

FUNCTION: Final = "function"
COMPREHENSION: Final = "comprehension"
CLASS: Final = "class"
CELL: Final = "cell"

LOCAL: Final = "local"
ENCLOSING: Final = "enclosing"
FREE: Final = "free"
GLOBAL: Final = "global"

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Scope:
    """The names of one frame.  ``variable`` is the staged code's name for that frame."""

    __slots__ = ("bound", "cache", "first", "free", "globals", "kind", "merged", "nonlocals",
                 "parent", "used", "variable")

    def __init__(self, kind: str, variable: str, parent: Scope | None,
                 free: frozenset[str] = frozenset()) -> None:
        self.kind = kind
        self.variable = variable
        self.parent = parent
        self.free = free  # of the outermost function: names in its own closure
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.cache: dict[str, tuple[str, Scope]] = {}
        self.first: str | None = None  # name of the first parameter, for ``super()``
        self.merged = False  # is it a comprehension that Python runs in the frame around it?
        self.used = False  # whether ``__class__`` of this class is read by a method

    def take_parameters(self, arguments: ast.arguments) -> None:
        """Bind the parameters of the function that this is the scope of."""
        names = parameters(arguments)
        self.bound.update(names)
        self.first = names[0] if arguments.posonlyargs or arguments.args else None

    def resolve(self, name: str) -> tuple[str, Scope]:
        """How ``name`` is found (a constant of this module) and the scope that holds it; for
        ``FREE`` and ``GLOBAL`` the scope is the outermost one."""
        found = self.cache.get(name)
        if found is None:
            found = self.cache[name] = self._search(name)
        return found

    def _search(self, name: str) -> tuple[str, Scope]:
        if name in self.bound:
            return LOCAL, self
        if name in self.globals:
            return GLOBAL, self.root
        scope = self
        while scope.parent is not None:
            scope = scope.parent
            if name in scope.bound:
                return ENCLOSING, scope
            if name in scope.globals:
                return GLOBAL, self.root
        return (FREE if name in scope.free else GLOBAL), scope

    @property
    def root(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def function(self) -> Scope:
        """The scope in which a walrus target of a comprehension lives."""
        scope = self
        while scope.kind == COMPREHENSION and scope.parent is not None:
            scope = scope.parent
        return scope

    def is_part_of(self, outer: Scope) -> bool:
        """Does Python run the code of this scope in the frame of an enclosing one?"""
        scope: Scope | None = self
        while scope is not None and scope is not outer and scope.merged:
            scope = scope.parent
        return scope is outer

    def children_parent(self) -> Scope:
        """The parent of scopes nested in this one: class bodies are skipped."""
        return self.parent if self.kind == CLASS and self.parent is not None else self

    def bind(self, statements: Iterable[ast.stmt], walrus: bool) -> None:
        """Add the names that ``statements`` bind (``walrus``: look into expressions too)."""
        names: set[str] = set()
        for node in statements_of(statements):
            if isinstance(node, ast.Global):
                self.globals.update(node.names)
            elif isinstance(node, ast.Nonlocal):
                self.nonlocals.update(node.names)
            else:
                names.update(bound_by(node))
                if walrus:
                    names.update(_walrus_targets(node))
        self.bound |= names - self.globals - self.nonlocals


def children(node: ast.AST) -> list[ast.AST]:
    """The parts of a node, in no particular order; a third of what ``ast.iter_child_nodes`` takes.
    """
    found: list[ast.AST] = []
    for part in vars(node).values():
        if type(part) is list:
            found += [item for item in part if isinstance(item, ast.AST)]
        elif type(part) not in _LEAVES and isinstance(part, ast.AST):
            found.append(part)
    return found


_LEAVES = frozenset({int, str, type(None), ast.Load})


def bound_by(node: ast.stmt) -> Iterator[str]:
    """The names this one statement binds by itself (not those of statements inside it)."""
    match node:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from target_names(target)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield from target_names(target)
        case ast.For(target=target) | ast.AsyncFor(target=target):
            yield from target_names(target)
        case ast.Delete(targets=targets):
            for target in targets:
                yield from target_names(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is not None:
                    yield from target_names(item.optional_vars)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                yield alias.asname or alias.name.partition(".")[0]
        case ast.Try(handlers=handlers) | ast.TryStar(handlers=handlers):
            for handler in handlers:
                if handler.name:
                    yield handler.name
        case ast.Match(cases=cases):
            for case in cases:
                yield from pattern_names(case.pattern)


def target_names(target: ast.expr) -> Iterator[str]:
    """The plain names in an assignment target."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from target_names(item)
    elif isinstance(target, ast.Starred):
        yield from target_names(target.value)


def pattern_names(pattern: ast.pattern) -> Iterator[str]:
    """The names a ``case`` pattern captures."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest


def parameters(arguments: ast.arguments) -> list[str]:
    """The names of the parameters, in the order of ``co_varnames``."""
    names = [a.arg for a in arguments.posonlyargs]
    names += [a.arg for a in arguments.args]
    names += [a.arg for a in arguments.kwonlyargs]
    if arguments.vararg:
        names.append(arguments.vararg.arg)
    if arguments.kwarg:
        names.append(arguments.kwarg.arg)
    return names


def bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statement lists inside a statement that belong to the same function."""
    match node:
        case ast.If() | ast.For() | ast.While() | ast.AsyncFor():
            yield node.body
            yield node.orelse
        case ast.With() | ast.AsyncWith():
            yield node.body
        case ast.Try() | ast.TryStar():
            yield node.body
            for handler in node.handlers:
                yield handler.body
            yield node.orelse
            yield node.finalbody
        case ast.Match():
            for case in node.cases:
                yield case.body


def statements_of(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of one function, those inside other statements too, in no order."""
    pending = list(statements)
    while pending:
        node = pending.pop()
        yield node
        for body in bodies(node):
            pending.extend(body)


def expressions(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes evaluated by this statement in its own function: not the statements inside it,
    not the bodies of nested functions and classes (their defaults and decorators are)."""
    pending: list[ast.AST] = []
    if isinstance(node, _FUNCTIONS):
        pending += [*node.decorator_list, *node.args.defaults,
                    *[d for d in node.args.kw_defaults if d is not None]]
    elif isinstance(node, ast.ClassDef):
        pending += [*node.decorator_list, *node.bases, *[k.value for k in node.keywords]]
    else:
        pending += [child for child in ast.iter_child_nodes(node)
                    if not isinstance(child, ast.stmt)]
    while pending:
        inner = pending.pop()
        yield inner
        if isinstance(inner, ast.Lambda):
            pending += [*inner.args.defaults,
                        *[d for d in inner.args.kw_defaults if d is not None]]
        else:
            pending += [child for child in ast.iter_child_nodes(inner)
                        if not isinstance(child, ast.stmt)]


def _walrus_targets(node: ast.AST) -> Iterator[str]:
    for inner in expressions(node):
        if isinstance(inner, ast.NamedExpr) and isinstance(inner.target, ast.Name):
            yield inner.target.id


def yields(statements: Iterable[ast.stmt]) -> bool:
    """Whether a function with this body is a generator."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom)
               for node in statements_of(statements) for inner in expressions(node))
