"""Generated text for any namespace of the Array API standard.

The standard does not say whether a slice is a view, and some libraries have no writes.  So a
write gives a new value to the name, and is refused where another name may share the memory.
What the standard has no function for is refused, too, with the user's line.
"""

from __future__ import annotations

import ast
import builtins
import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

from ..cache.dispatch import Dispatch
from ..cache.link import link
from ..errors import UnsupportedOperation, Where
from ..stage.liveness import read_later
from .namespace import DIRECT, METHODS, NUMBERS, OF_LISTS, SHARING, Namespace, takes

EFFECT = "the arguments that the code sees stand for those of the call"
SIZES = ("shape", "size", "ndim", "dtype")
ASKING = ("np.zeros_like", "np.ones_like", "np.empty_like", "np.shape", "np.size", "np.ndim", "len")
MODULES = ("np", "math", "cmath", "scipy", "operator", "copy")


class Portable:
    """The text of a specialization for any namespace of the standard."""

    def __init__(self, made: Any) -> None:
        emitted = made.emitted
        self.entry, self.line_map = emitted.entry, emitted.line_map
        self.globals = {n: v for n, v in emitted.globals.items() if not n.startswith("__")}
        if "enter_errstate(" in emitted.text:
            raise self.refused(None, "NumPy's error state", "it belongs to NumPy")
        tree = ast.parse(emitted.text)
        functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
        for function in functions:
            _Sharing(self, function).check()
        names = {f.name for f in functions}
        imports = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
        translated = _Translation(self, names, {"math"} & {
            a.name for n in imports for a in n.names})
        tree.body = [translated.visit(n) for n in tree.body if n not in imports]
        self.check_inputs(made)
        self.text = ast.unparse(ast.fix_missing_locations(tree))
        self.linked: dict[Any, tuple[Namespace, Callable[..., Any]]] = {}
        dispatch = Dispatch(made.dispatch.name, made.signature, made.traced, lambda *found: found)
        self.inputs = dispatch.caller.bound(made.anchor, made.signature)

    def bound(self, xp: Any, like: Any) -> tuple[Namespace, Callable[..., Any]]:
        """What ``np`` is for a library and the device of an array, and the entry function."""
        key = xp.__name__, type(like), str(getattr(like, "device", None))
        if key not in self.linked:
            np_ = Namespace(xp, like)
            found = {n: np_.lifted(v) for n, v in self.globals.items()}
            run = link(self.text, self.entry, {**found, "math": math, "np": np_}, {})
            self.linked[key] = np_, run
        return self.linked[key]

    def check_inputs(self, made: Any) -> None:
        """An input is one that the caller gave, or a list of Python's numbers: nothing is made of
        the stand-ins' numbers."""
        for value, source in zip(made.traced.graph.inputs, made.traced.sources, strict=True):
            if not _holds_numbers(value.aval) and any(
                    kind not in ("attr", "item", "slot") for kind, _ in source.path.steps):
                raise self.refused(None, f"the input {source.path}", "it is made of several "
                                   "objects or by a call, which NumPy does for its own arrays")

    def refused(self, node: ast.AST | None, what: str, why: str) -> UnsupportedOperation:
        where = self.place(getattr(node, "lineno", 0))
        return UnsupportedOperation(
            f"{what}, for arrays that are not NumPy's", where=where, why=why,
            fix="call it with NumPy arrays, np.asarray(x), or write the line with functions of "
                "the Array API standard")

    def place(self, line: int) -> Where | None:
        """The user's line of a line of the text, or the nearest one above."""
        found = [n for n in self.line_map if n <= line]
        return self.line_map[max(found)] if found else None


class _Translation(ast.NodeTransformer):
    """NumPy's text as text of a :class:`Namespace`."""

    def __init__(self, portable: Portable, names: set[str], modules: set[str]) -> None:
        self.portable, self.names, self.modules = portable, names, modules

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name, receiver = _dotted(node.func), None
        if isinstance(node.func, ast.Attribute) and name is None:
            name, receiver = node.func.attr, node.func.value
        for keyword in node.keywords:
            if keyword.arg in ("out", "where", "order", "casting", "subok"):
                raise self.portable.refused(node, f"{keyword.arg}= of {name}",
                                            "the Array API standard has no such argument")
        if receiver is not None and name not in OF_LISTS:
            if name not in METHODS:
                raise self.unknown(node, f"the method {name}")
            node = ast.copy_location(ast.Call(_of("np", str(name)), [receiver, *node.args],
                                              node.keywords), node)
            self.check_options(node, str(name))
        elif name is not None and name.startswith("np."):
            if name[3:] in NUMBERS and len(node.args) == 1 and not node.keywords:
                node.args.insert(0, ast.copy_location(ast.Constant(name[3:]), node))
                name = "np.number"
            elif name[3:] not in DIRECT:
                raise self.unknown(node, name)
            else:
                self.check_options(node, name[3:])
            node.func = ast.copy_location(_of("np", name[3:].replace(".", "_")), node.func)
        elif name == "sum_to":
            node.func = ast.copy_location(_of("np", name), node.func)
        elif name in ("setattr", "delattr"):
            raise self.portable.refused(node, "a change of an attribute", EFFECT)
        elif isinstance(node.func, ast.Name) and not (
                name in self.names or hasattr(builtins, str(name))):
            raise self.unknown(node, str(name))
        elif name is not None and "." in name and receiver is None and (
                name.partition(".")[0] not in self.modules):
            raise self.unknown(node, name)
        return self.generic_visit(node)

    def check_options(self, node: ast.Call, name: str) -> None:
        keywords = [k.arg for k in node.keywords]
        if None not in keywords and not any(isinstance(a, ast.Starred) for a in node.args) and (
                not takes(name, len(node.args), keywords)):
            raise self.portable.refused(node, f"options of np.{name}",
                                        "the Array API standard does not have all of them")

    def unknown(self, node: ast.AST, name: str) -> UnsupportedOperation:
        return self.portable.refused(node, name, "the Array API standard has no function for it")

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = _dotted(node)
        if name is None and node.attr in ("T", "real", "imag", "size"):
            function = "transpose" if node.attr == "T" else node.attr
            return self.generic_visit(ast.copy_location(
                ast.Call(_of("np", function), [node.value], []), node))
        if name is None and node.attr not in ("shape", "size", "ndim", "dtype", *OF_LISTS):
            raise self.unknown(node, f"the attribute {node.attr}")
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.check_key(node)
        node = self.generic_visit(node)  # type: ignore[assignment]
        return _call("read", node, node.value, _key(node.slice))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node = self.generic_visit(node)  # type: ignore[assignment]
        return _call("operate", node, _operator(node.op), node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node = self.generic_visit(node)  # type: ignore[assignment]
        if len(node.ops) > 1 or isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
            return node
        return _call("operate", node, _operator(node.ops[0]), node.left, node.comparators[0])

    def check_key(self, node: ast.Subscript) -> None:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(p, ast.List) for p in parts):
            raise self.portable.refused(node, "an index that is a list",
                                        "the Array API standard has no such index")

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        rooms = _rooms(node)
        if rooms:
            return [self.visit(room) for room in rooms]
        node.value = self.visit(node.value)
        if any(isinstance(t, ast.Attribute) for t in node.targets):
            raise self.portable.refused(node, "a change of an attribute", EFFECT)
        if not any(isinstance(t, ast.Subscript) for t in node.targets):
            return node
        first, *others = node.targets
        if not others:
            return self.written(node, first, node.value)
        if not isinstance(first, ast.Name):
            raise self.portable.refused(node, "a chain of writes", "it is not translated")
        value = ast.copy_location(ast.Name(first.id, ast.Load()), node)
        return [ast.copy_location(ast.Assign([first], node.value), node), *(
            self.written(node, target, value) for target in others)]

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        return node  # of a list or dict

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        node.value = self.visit(node.value)
        if isinstance(node.target, ast.Name):
            return node
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        for part in ast.walk(read):
            ast.copy_location(part, node)
        return self.written(node, node.target, _call(
            "operate", node, _operator(node.op), self.visit(read), node.value))

    def written(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> ast.AST:
        """A write as a new value of the name that it goes to."""
        while isinstance(target, ast.Subscript):
            self.check_key(target)
            base = ast.parse(ast.unparse(target.value), mode="eval").body
            for part in ast.walk(base):
                ast.copy_location(part, node)
            key = _key(self.visit(target.slice))
            value = _call("written", node, self.visit(base), key, value)
            target = target.value
        if not isinstance(target, ast.Name):
            raise self.portable.refused(node, "a write through a view",
                                        "in the Array API standard views may be copies")
        return ast.copy_location(ast.Assign([ast.Name(target.id, ast.Store())], value), node)


class _Sharing:
    """Which names of a function may share memory.  A statement outside of loops and branches
    that gives a name a value makes a new version of it.  A write is refused where another name,
    that may share the memory, is read later: it sees the write if it is a view only."""

    def __init__(self, portable: Portable, function: ast.FunctionDef) -> None:
        self.portable, self.function = portable, function
        self.version: dict[str, int] = {}
        self.group: dict[tuple[str, int], set[tuple[str, int]]] = {}
        self.writes: list[tuple[tuple[str, int], ast.AST, ast.AST]] = []
        self.later = _content_read_later(function)
        self.masks = _masks(function)
        self.own = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}

    def check(self) -> None:
        for statement in self.function.body:
            self.writes = []
            self.statement(statement, True)
            self.check_writes()

    def check_writes(self) -> None:
        """What another name may see is refused; a name that comes later sees what was written."""
        for name, node, statement in self.writes:
            shared = self.group.get(name, {name})
            if any(n in self.own and not version for n, version in shared):
                raise self.portable.refused(node, f"a write into {name[0]}",
                                            "it belongs to the caller, or may share memory with "
                                            "what does")
            other = next((n for n, version in sorted(shared) if n != name[0] and (
                self.version.get(n, 0) == version and self.is_read_after(statement, n))), None)
            if other is not None:
                raise self.portable.refused(
                    node, f"a write into {name[0]}", f"{other}, which is read later, may share its "
                    "memory, and in the Array API standard views may be copies")

    def is_read_after(self, statement: ast.AST, name: str) -> bool:
        return self.later is None or name in self.later[id(statement)]

    def statement(self, node: ast.AST, outside: bool) -> None:
        if isinstance(node, ast.Assign):
            roots = set(self.roots(node.value))
            names = [n for t in node.targets for n in _names(t)]
            for target in node.targets:
                self.written(target, node)
            if outside:
                for name in names:
                    self.version[name] = self.version.get(name, 0) + 1
            fresh = {self.of(n) for n in names} if len(node.targets) > 1 else set()
            for name in names:
                self.join({self.of(name), *roots, *fresh})
        elif isinstance(node, ast.AugAssign):
            base: ast.expr = node.target
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name):
                self.writes.append((self.of(base.id), node, node))
        elif isinstance(node, ast.For):
            roots = set(self.roots(node.iter))
            for name in _names(node.target):
                self.join({self.of(name), *roots})
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                node.func.attr in ("append", "insert", "extend", "pop")):
            if any(n in self.own and not v for n, v in self.roots(node.func.value)):
                raise self.portable.refused(node, "a change of a list of the caller's", EFFECT)
            self.join({*self.roots(node.func.value), *(r for a in node.args
                                                       for r in self.roots(a))})
        for child in ast.iter_child_nodes(node):
            self.statement(child, False)

    def written(self, target: ast.expr, statement: ast.AST) -> None:
        if isinstance(target, ast.Attribute):
            raise self.portable.refused(statement, "a change of an attribute", EFFECT)
        if isinstance(target, ast.Subscript):
            base: ast.expr = target
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name):
                self.writes.append((self.of(base.id), target, statement))

    def of(self, name: str) -> tuple[str, int]:
        return name, self.version.get(name, 0)

    def join(self, names: set[tuple[str, int]]) -> None:
        merged = set().union(*(self.group.get(n, {n}) for n in names))
        for name in merged:
            self.group[name] = merged

    def roots(self, node: ast.expr | None) -> Iterator[tuple[str, int]]:
        """The names whose memory a value may be."""
        if isinstance(node, ast.Name):
            if node.id not in MODULES:
                yield self.of(node.id)
        elif isinstance(node, ast.Subscript) and _is_mask(node.slice, self.masks):
            return  # a copy
        elif isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
            if not (isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim")):
                yield from self.roots(node.value)
        elif isinstance(node, ast.IfExp):
            yield from self.roots(node.body)
            yield from self.roots(node.orelse)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for part in node.elts:
                yield from self.roots(part)
        elif isinstance(node, ast.Dict):
            for part in node.values:
                yield from self.roots(part)
        elif isinstance(node, ast.NamedExpr):
            yield from self.roots(node.value)
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)):
            yield from (self.of(n.id) for n in ast.walk(node) if isinstance(n, ast.Name))
        elif isinstance(node, ast.Call):
            name = _dotted(node.func) or str(getattr(node.func, "attr", ""))
            own = node.func.value if isinstance(node.func, ast.Attribute) and (
                not name.startswith("np.")) else None
            if name.removeprefix("np.") in SHARING:  # the others are shapes and axes
                yield from self.roots(own or next(iter(node.args), None))
            elif not name.startswith("np.") and name not in METHODS and (
                    name not in ("range", "len", "float", "int")):
                for arg in (*node.args, own):
                    yield from self.roots(arg)


def _content_read_later(function: ast.FunctionDef) -> dict[int, frozenset[str]] | None:
    """For each statement, by its id, the names whose numbers may be read after it: who asks for a
    shape does not see a write."""
    twin = copy.deepcopy(function)
    for node in ast.walk(twin):
        of: ast.AST | None = None
        if isinstance(node, ast.Attribute) and node.attr in SIZES:
            of = node.value
        elif isinstance(node, ast.Call) and node.args and _dotted(node.func) in ASKING:
            of = node.args[0]
        if isinstance(of, ast.Name):
            of.id = "_"
    later = read_later(twin.body)
    return None if later is None else {
        id(node): later.after[id(other)]
        for node, other in zip(ast.walk(function), ast.walk(twin), strict=True)
        if id(other) in later.after}


def _masks(function: ast.FunctionDef) -> frozenset[str]:
    """Names that hold nothing but arrays of booleans."""
    given: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(
                node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
        else:
            bound = [*node.targets] if isinstance(node, ast.Assign) else [
                getattr(node, "target", None)]
            for name in (n for t in bound if t is not None for n in _names(t)):
                given.setdefault(name, []).append(node)  # type: ignore[arg-type]
    found = frozenset(given)
    while True:
        kept = frozenset(n for n in found if all(_is_mask(v, found) for v in given[n]))
        if kept == found:
            return found
        found = kept


def _is_mask(node: ast.AST, masks: frozenset[str]) -> bool:
    """Is it an array of booleans, or at least no index?"""
    if isinstance(node, ast.Name):
        return node.id in masks
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert) and _is_mask(node.operand, masks)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.BitAnd, ast.BitOr)) and (
            _is_mask(node.left, masks) and _is_mask(node.right, masks))
    return isinstance(node, ast.Compare)


def _names(target: ast.AST) -> list[str]:
    return [n.id for n in ast.walk(target)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _rooms(node: ast.Assign) -> list[ast.Assign]:
    """``a, b = np.empty((2, n))`` as an array for each name: those of the standard are not gone
    through."""
    target, made = node.targets[0], node.value
    if not isinstance(target, ast.Tuple) or not isinstance(made, ast.Call) or (
            _dotted(made.func) != "np.empty" or not isinstance(made.args[0], ast.Tuple)):
        return []
    room = copy.deepcopy(made)
    assert isinstance(room.args[0], ast.Tuple)
    del room.args[0].elts[0]
    return [ast.copy_location(ast.Assign([name], copy.deepcopy(room)), node)
            for name in target.elts]


def _dotted(node: ast.expr) -> str | None:
    """``np.linalg.solve`` or a name as text; None for what is read from a value."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        if base is not None and base.partition(".")[0] in MODULES:
            return f"{base}.{node.attr}"
    return None


def _of(name: str, attribute: str) -> ast.Attribute:
    return ast.Attribute(ast.Name(name, ast.Load()), attribute, ast.Load())


def _call(name: str, node: ast.AST, *args: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(_of("np", name), list(args), []), node)


def _operator(op: ast.operator | ast.cmpop) -> ast.Constant:
    """The name in :mod:`operator`."""
    name = type(op).__name__.lower()
    return ast.Constant({"mult": "mul", "div": "truediv", "bitand": "and_", "bitor": "or_",
                         "bitxor": "xor", "lte": "le", "gte": "ge", "noteq": "ne",
                         "matmult": "matmul"}.get(name, name))


def _key(node: ast.expr) -> ast.expr:
    """An index as an expression of its own: slices by their constructor."""
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_key(e) for e in node.elts], ast.Load())
    if isinstance(node, ast.Slice):
        none = ast.Constant(None)
        return ast.Call(ast.Name("slice", ast.Load()),
                        [node.lower or none, node.upper or none, node.step or none], [])
    return node


def _holds_numbers(aval: Any) -> bool:
    """Is a value a list of numbers, or of lists of such?"""
    return aval.kind.value == "list" and aval.elem is not None and (
        aval.elem.kind.value in ("bool", "int", "float", "complex", "number")
        or _holds_numbers(aval.elem))
