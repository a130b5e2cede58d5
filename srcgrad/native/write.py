"""A run of statements as a kernel: the one place that knows the target.

The text stays the user's: names, order and comments.  What Numba says otherwise is said so:
ranges are not reversed but run backwards, types are NumPy's, and sums keep NumPy's order.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.emit.comments import comment, node_of, text_of
from srcgrad.emit.counting import moved
from srcgrad.emit.literals import Namespace, call, dotted, name
from srcgrad.native import predicates
from srcgrad.native.chosen import chosen
from srcgrad.native.flow import names_in
from srcgrad.native.numbers import INTS, LISTED, MIXED, NUMPYS, Numbers, asks
from srcgrad.native.parallel import spread
from srcgrad.native.passed_over import passed_over
from srcgrad.native.tapes import in_one_list
from srcgrad.native.unfused import unfused
from srcgrad.native.workspace import allocated_once, handed_in
from srcgrad.native.zeros import stored_where_true, without_zeros
from srcgrad.types.dims import proves_nonnegative
from srcgrad.types.kinds import SCALARS, Aval, Kind

NUMBA = "from numba import njit"
PRANGE = "from numba import prange"
FUNCTIONS = frozenset({"range", "len", "abs", "min", "max", "float", "int", "bool", "list",
                       "slice"})
METHODS = frozenset({"copy", "append", "sum", "reverse", "pop", "insert", "tolist"})
OF_NUMPY = frozenset({
    "zeros_like", "empty_like", "ones_like", "zeros", "empty", "ones", "full", "sum", "exp", "log",
    "log1p", "expm1", "log2", "log10", "exp2", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
    "sinh", "cosh", "tanh", "sqrt", "square", "floor", "ceil", "maximum", "minimum", "abs",
    "negative", "sign", "add", "subtract", "multiply", "divide", "float64", "float32", "int64",
    "array"})
TYPES = {"bool": "np.bool_", "int": "np.int64", "float": "np.float64"}
STATEMENTS = (ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.Expr, ast.Break, ast.Pass,
              ast.Raise)
MAKERS = frozenset({"zeros", "empty", "ones", "full", "zeros_like", "empty_like", "ones_like"})


SUMS = ("reassoc",)  # LLVM may regroup sums of the backward part, and in fast kernels also fuse
FAST = (*SUMS, "arcp", "contract")  # products with sums, and multiply by the inverse of a number
_HEAPS: dict[str | None, Any] = {"heappop": predicates.pop_least, "heapify": predicates.in_order}
WHOLE = ("numpy", "setitem")  # what Numba may not do on threads: whole arrays


def decorated(free: Sequence[str], parallel: bool = False) -> str:
    """The expression that makes a compiled function of a function; ``free`` is what may be done
    to its arithmetic, ``parallel`` that loops of it run on threads."""
    freedom = f", fastmath={{{', '.join(map(repr, free))}}}" if free else ""
    threads = f", parallel={dict.fromkeys(WHOLE, False)}" if parallel else ""
    return f"njit(error_model='numpy', nogil=True{threads}{freedom})"


class Unwritable(Exception):
    """The text of a run has what Numba does not know."""


class Kernel:
    """One kernel: its definition, and the statements that call it."""

    def __init__(self, name: str, statements: Sequence[ast.stmt], parameters: Sequence[str],
                 results: Sequence[str], unset: Sequence[str],
                 avals: Mapping[str, Sequence[Aval]], space: Namespace,
                 numbers: Numbers, fast: bool) -> None:
        self.fast = fast
        self.name, self.results = name, [*results]
        self.avals, self.space = avals, space
        self.first = next(s for s in statements if text_of(s) is None)
        arrays = {n for n, found in avals.items() if all(a.kind is Kind.ARRAY for a in found)}
        writer = _Writer(space, arrays, numbers)
        self.conversions = {r: numbers.type_of(r, statements, r in parameters) for r in results}
        self.body = [_copied(s) for s in statements]
        mixed = [r for r, type_ in self.conversions.items() if type_ == MIXED]
        self.flags: dict[str, str] = {}
        self.ints: dict[str, str] = {}
        ints = [r for r in mixed if r in numbers.ints]
        if ints:
            self.ints, self.body = numbers.flagged(INTS, ints, self.body)
        if mixed or asks(*self.body):
            self.flags, self.body = numbers.flagged(NUMPYS, mixed, self.body)
        self.started = [_assign(r, self.zero(numbers.last(r, statements))) for r in unset]
        self.started += [_assign(flag, r in parameters and numbers.starts(question, r))
                         for question, flags in ((NUMPYS, self.flags), (INTS, self.ints))
                         for r, flag in flags.items() if r in parameters or r in unset]
        self.results += [self.flags[r] for r in mixed]
        self.narrowed = ints
        self.results += [self.ints[r] for r in ints]
        ranks = {n: len(found[0].shape or ()) for n, found in avals.items() if n in arrays
                 and len({len(a.shape or ()) for a in found}) == 1}
        sizes = {n for n, found in avals.items() if all(map(_is_size, found))}
        floats = {n: rank for n, rank in ranks.items()
                  if all(a.dtype == np.float64 for a in avals[n])}
        written = [part for s in self.body for part in _parts(writer.visit(s))]
        body = chosen(without_zeros(in_one_list(written, _keeps), floats))
        body = stored_where_true(body)
        if fast:
            unfused(body, {n for n, found in avals.items() if all(
                a.dtype == np.float64 or a.kind is Kind.FLOAT for a in found)}, space)
        self.parallel = spread(body, self.results, space)
        body = allocated_once(body, ranks, self.results, sizes, floats)
        self.made, self.body = handed_in(body, self.results, parameters, ranks, floats)
        passed_over(self.body, floats, self.results, space)
        handed = names_in(*self.made, ctx=ast.Store)
        self.parameters = sorted({*parameters, *handed})
        self.returned = [r for r in self.results if r not in handed]

    def definition(self) -> list[ast.stmt]:
        """The function, with its decorator."""
        body = [*self.guards(), *self.started, *self.body]
        if self.returned:
            body.append(ast.Return(self.packed()))
        self.space.imports.update(dict.fromkeys([NUMBA, *[PRANGE] * bool(self.parallel)]))
        decorator = ast.parse(decorated(FAST if self.fast else (), bool(self.parallel)),
                              mode="eval").body
        arguments = ast.arguments(
            posonlyargs=[], args=[ast.arg(p) for p in self.parameters], vararg=None,
            kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])
        return [ast.FunctionDef(self.name, arguments, body, [decorator], None)]

    def packed(self) -> ast.expr:
        names: list[ast.expr] = [name(r) for r in self.returned]
        return names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())

    @staticmethod
    def zero(avals: Sequence[Aval]) -> float:
        """A number to return where no path gives one, which nobody reads then."""
        found = {a.kind for a in avals}
        return False if found == {Kind.BOOL} else 0 if found <= {Kind.INT} else 0.0

    def guards(self) -> list[ast.stmt]:
        """Integers from outside fit the machine's, and what is computed of them does."""
        found: list[ast.stmt] = []
        for p in self.parameters:
            avals = self.avals.get(p, ())
            if not any(a.kind is Kind.INT and not _is_size(a) for a in avals):
                continue
            test = call(self.space.function(predicates.too_large), name(p))
            message = f"{p} is too large for native code: leave backend='numba' out"
            error = call("OverflowError", ast.Constant(message))
            found.append(ast.If(test, [ast.Raise(error, None)], []))
        return found

    # ---- the call ------------------------------------------------------------------------
    def call(self) -> list[ast.stmt]:
        """The call, and the types that numbers have in Python where Numba gives others."""
        made: ast.expr = call(self.name, *map(name, self.parameters))
        stmts: list[ast.stmt] = [*self.made]
        types = {r: t for r, t in self.conversions.items() if t is not None}
        if not self.returned:
            stmts.append(ast.Expr(made))
        elif len(self.returned) == 1:
            if types:
                made = _as(types.popitem()[1], made)
                self.space.imports["import numpy as np"] = None
            stmts.append(ast.Assign([ast.Name(self.returned[0], ast.Store())], made))
        else:
            targets: list[ast.expr] = [ast.Name(r, ast.Store()) for r in self.returned]
            stmts.append(ast.Assign([ast.Tuple(targets, ast.Store())], made))
        for r, type_ in types.items():
            converted = _as(type_, name(r))
            s: ast.stmt = ast.Assign([ast.Name(r, ast.Store())], converted)
            stmts.append(ast.If(name(self.flags[r]), [s], []) if type_ == MIXED else s)
            self.space.imports["import numpy as np"] = None
        for r in self.narrowed:
            s = ast.Assign([ast.Name(r, ast.Store())], call("int", name(r)))
            stmts.append(ast.If(name(self.ints[r]), [s], []))
        for s in stmts:
            s.where = getattr(self.first, "where", None)  # type: ignore[attr-defined]
        return stmts


def _as(type_: str, number: ast.expr) -> ast.expr:
    """A number of NumPy's type, or a list of such, of what a kernel gives."""
    if type_ == LISTED:
        return call("list", call("np.array", number))
    return call(dotted("np.float64" if type_ == MIXED else type_), number)


def _keeps(statement: ast.stmt) -> bool:
    """Does what a loop keeps begin here?"""
    node = node_of(statement)
    return node is not None and node.op == "loop"


def _parts(made: Any) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made]


def _assign(target: str, value: float) -> ast.stmt:
    return ast.Assign([ast.Name(target, ast.Store())], ast.Constant(value))


def _copied(tree: Any) -> Any:
    """A tree of its own, with the comments and places of the statements."""
    if isinstance(tree, list):
        return [_copied(item) for item in tree]
    if not isinstance(tree, ast.AST):
        return tree
    made = type(tree)(**{field: _copied(getattr(tree, field)) for field in tree._fields
                         if hasattr(tree, field)})
    for fact in ("where", "comment", "node"):
        if hasattr(tree, fact):
            setattr(made, fact, getattr(tree, fact))
    return made


class _Writer(ast.NodeTransformer):
    """Rewrites what Numba says otherwise; raises for what it does not know."""

    def __init__(self, space: Namespace, arrays: Container[str],
                 numbers: Numbers) -> None:
        self.space, self.arrays, self.numbers = space, arrays, numbers

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and not isinstance(node, STATEMENTS):
            raise Unwritable(type(node).__name__)
        return super().generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        if text_of(node) is not None:
            return comment(str(text_of(node)))
        func = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(node.value, ast.Call) and isinstance(func, ast.Attribute) and (
                func.attr == "append" and _is_empty(node.value.args[0])):
            node.value.args = [self.row(node.value.args[0], _id(func.value) or "", node)]
        if isinstance(node.value, ast.Call) and func is not None and _id(func) == "heappush":
            heap, item = map(self.visit, node.value.args)
            append = call(ast.Attribute(heap, "append", ast.Load()), item)
            return [ast.Expr(append),
                    ast.Expr(call(self.space.function(predicates.sift), heap))]
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Empty lists of numbers have a type; what is appended to others tells theirs."""
        target = _id(node.targets[0])
        if target is not None and isinstance(node.value, ast.List) and any(
                map(_is_empty, node.value.elts)):
            node.value.elts = [self.row(e, target, node) for e in node.value.elts]
        if target is None or not _is_empty(node.value):
            return self.generic_visit(node)
        node.value = _empty(self.numbers.begun(target, node)) or ast.List([], ast.Load())
        return node

    def row(self, item: ast.expr, base: str, statement: ast.stmt) -> ast.expr:
        """An item of a list of lists: an empty one has a type."""
        aval = self.numbers.begun(base, statement)
        found = _empty(None if aval is None else aval.elem)
        if _is_empty(item) and found is None:
            raise Unwritable("a list of nothing")
        return found if _is_empty(item) and found is not None else item

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if node.value is None or isinstance(node.value, (complex, bytes)):
            raise Unwritable(repr(node.value))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = _forwards(node.iter)
        if not (isinstance(node.iter, ast.Call) and _id(node.iter.func) == "range"):
            raise Unwritable("a loop over what is no range")
        return self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        return node if any(_is_none(p) for p in (node.lower, node.upper, node.step)) else (
            self.generic_visit(node))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        keys = _keys(node)
        visited = [k if _is_none(k) else self.visit(k) for k in keys]
        inner = node.value
        if not keys and not isinstance(inner, ast.Name):
            return inner  # an array without axes is the number in it
        if isinstance(inner, ast.Subscript) and _id(inner.value) in self.arrays and not any(
                isinstance(k, ast.Slice) or _is_none(k) for k in _keys(inner)):
            return ast.Subscript(inner.value, ast.Tuple([*_keys(inner), *visited], ast.Load()),
                                 node.ctx)
        node.slice = ast.Tuple(visited, ast.Load()) if isinstance(
            node.slice, ast.Tuple) else visited[0]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        func = node.func
        if _id(func) == "heap_item":
            place, *key = map(self.visit, node.args)
            return ast.Tuple([*key, place], ast.Load())
        if _id(func) in _HEAPS:
            return call(self.space.function(_HEAPS[_id(func)]), self.visit(node.args[0]))
        if isinstance(func, ast.Attribute) and _id(func.value) not in ("np", "math"):
            if func.attr not in METHODS or node.keywords:
                raise Unwritable(func.attr)
            if func.attr == "sum":
                return self.total(func.value)
            if func.attr == "tolist":
                return call("list", self.visit(func.value))
            return self.generic_visit(node)
        if isinstance(func, ast.Attribute) and _id(func.value) == "np":
            return self.numpys(func, node)
        known = _id(func) in FUNCTIONS or isinstance(func, ast.Attribute) or (
            isinstance(func, ast.Name) and (hasattr(predicates, func.id) or func.id in ERRORS))
        if not known or node.keywords:
            raise Unwritable(ast.dump(func))
        return self.generic_visit(node)

    def numpys(self, func: ast.Attribute, node: ast.Call) -> ast.AST:
        if func.attr not in OF_NUMPY:
            raise Unwritable(func.attr)
        if func.attr == "sum":
            return self.total(node.args[0])
        if func.attr == "sign":
            return call(self.space.function(predicates.sign_of), self.visit(node.args[0]))
        if func.attr == "array":
            type_ = _typed(node.keywords[0].value) if node.keywords else dotted("np.float64")
            return call(self.space.function(predicates.array_of), self.visit(node.args[0]), type_)
        if func.attr in MAKERS:
            node.args = [_typed(a) for a in node.args]
            node.keywords = [ast.keyword(k.arg, _typed(k.value)) for k in node.keywords]
        elif node.keywords:
            raise Unwritable(func.attr)
        return self.generic_visit(node)

    def total(self, summed: ast.expr) -> ast.AST:
        return call(self.space.function(predicates.total), self.visit(summed))


ERRORS = frozenset({"ValueError", "ArithmeticError", "ZeroDivisionError", "OverflowError",
                    "IndexError", "RuntimeError", "AssertionError", "FloatingPointError",
                    "LookupError", "KeyError", "AttributeError", "TypeError"})


def _id(expression: ast.expr) -> str | None:
    return expression.id if isinstance(expression, ast.Name) else None


def _keys(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_empty(expression: ast.expr) -> bool:
    if isinstance(expression, ast.Call) and _id(expression.func) == "list":
        return not expression.args
    return isinstance(expression, ast.List) and not expression.elts


def _empty(aval: Aval | None) -> ast.expr | None:
    """``[0.0] * 0``: an empty list of numbers, or of lists of such, that has a type."""
    elem = None if aval is None or aval.kind is not Kind.LIST else aval.elem
    if elem is None:
        return None
    item = _zero(elem) if elem.kind in (*SCALARS, Kind.NONE) else _empty(elem)
    return None if item is None else ast.BinOp(
        ast.List([item], ast.Load()), ast.Mult(), ast.Constant(0))


def _zero(aval: Aval) -> ast.expr:
    kind = "f" if aval.dtype is None or aval.kind is Kind.FLOAT else aval.dtype.kind
    return ast.Constant(False if kind == "b" or aval.kind in (Kind.BOOL, Kind.NONE) else 0 if (
        kind in "iu" or aval.kind is Kind.INT) else 0.0)


def _is_none(expression: ast.expr | None) -> bool:
    return isinstance(expression, ast.Constant) and expression.value is None


def _typed(argument: ast.expr) -> ast.expr:
    found = TYPES.get(_id(argument) or "")
    return argument if found is None else dotted(found)


def _forwards(iterated: ast.expr) -> ast.expr:
    """A range instead of a reversed one.

    >>> def shown(text):
    ...     return ast.unparse(_forwards(ast.parse(text, mode="eval").body))
    >>> shown("reversed(range(n))"), shown("reversed(range(a, b))")
    ('range(n - 1, -1, -1)', 'range(b - 1, a - 1, -1)')
    """
    if not (isinstance(iterated, ast.Call) and _id(iterated.func) == "reversed"
            and isinstance(iterated.args[0], ast.Call) and _id(iterated.args[0].func) == "range"):
        return iterated
    bounds = iterated.args[0].args
    if len(bounds) == 3:
        first, _, step = bounds
        count = ast.BinOp(call("len", call("range", *bounds)), ast.Sub(), ast.Constant(1))
        last = ast.BinOp(first, ast.Add(), ast.BinOp(count, ast.Mult(), step))
        return call("range", last, ast.BinOp(first, ast.Sub(), step), ast.UnaryOp(ast.USub(), step))
    start = bounds[0] if len(bounds) == 2 else ast.Constant(0)
    back = ast.UnaryOp(ast.USub(), ast.Constant(1))
    return call("range", moved(bounds[-1], -1), moved(start, -1), back)


def _is_size(aval: Aval) -> bool:
    """Is an integer made of sizes?"""
    return aval.expr is not None and proves_nonnegative(aval.expr)
