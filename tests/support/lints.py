"""Bad habits of generated code, as checks on its text.

``lint`` gives a sentence for each habit it finds; good text gives none.  The checks know
Python only, nothing of graphs, so they hold for any emitter.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator

Finding = str


def lint(text: str) -> list[Finding]:
    """The bad habits in a module's text.

    >>> lint("def f(x):\\n    d = x\\n    d = d + 0\\n    return d\\n")
    ['line 3: adds zero']
    """
    tree = ast.parse(text)
    found: list[Finding] = []
    for check in _CHECKS:
        found.extend(check(tree, text))
    return found


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def _is_number(node: ast.expr, number: float) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and (
        node.value == number)


def _neutral(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``d + 0``, ``1.0 * d``, ``x ** 1``; only in the backward part, the rest is the user's."""
    start = _backward_line(text)
    for node in ast.walk(tree):
        if not isinstance(node, ast.BinOp) or node.lineno < start:
            continue
        sides = (node.left, node.right)
        if isinstance(node.op, ast.Add) and any(_is_number(s, 0) for s in sides):
            yield f"line {node.lineno}: adds zero"
        if isinstance(node.op, ast.Mult) and any(_is_number(s, 1) for s in sides):
            yield f"line {node.lineno}: multiplies by one"
        if isinstance(node.op, ast.Pow) and _is_number(node.right, 1):
            yield f"line {node.lineno}: takes the first power"


def _backward_line(text: str) -> int:
    lines = text.splitlines()
    return next((i for i, line in enumerate(lines, 1) if "# ---- backward" in line), 0)


def _double_transpose(tree: ast.Module, text: str) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "T" and isinstance(
                node.value, ast.Attribute) and node.value.attr == "T":
            yield f"line {node.lineno}: transposes twice"


def _seeds_of_ones(tree: ast.Module, text: str) -> Iterator[Finding]:
    start = _backward_line(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for side in (node.left, node.right):
                if isinstance(side, ast.Call) and node.lineno > start > 0 and ast.unparse(
                        side.func) in ("np.ones", "np.ones_like"):
                    yield f"line {node.lineno}: multiplies with ones"


def _reads(function: ast.FunctionDef) -> Counter[str]:
    return Counter(n.id for n in ast.walk(function)
                   if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _saved_in_vain(tree: ast.Module, text: str) -> Iterator[Finding]:
    """Sequences that are filled but never read."""
    for function in _functions(tree):
        reads = _reads(function)
        filled: Counter[str] = Counter()
        rows = {t.id for n in ast.walk(function) if isinstance(n, ast.Assign)
                and isinstance(n.value, ast.Subscript) for t in n.targets
                if isinstance(t, ast.Name)}  # of an outer loop's array, which is read
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and (
                    call.func.attr == "append" and isinstance(call.func.value, ast.Name)):
                filled[call.func.value.id] += 1
            if isinstance(call, ast.Subscript) and isinstance(call.ctx, ast.Store) and (
                    isinstance(call.value, ast.Name)):
                filled[call.value.id] += 1
        for name, times in sorted(filled.items()):
            if re.search(r"saved(_\d+)?$", name) and reads[name] <= times and name not in rows:
                yield f"{function.name}: {name} is kept but never read"


def _unused(tree: ast.Module, text: str) -> Iterator[Finding]:
    for function in _functions(tree):
        reads = _reads(function)
        written = sorted({n.id for n in ast.walk(function)
                          if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})
        for name in written:
            if not reads[name] and name != "_" and re.match(r"(t\d+|d\d*_\w+|\w+_saved)$", name):
                yield f"{function.name}: {name} is never read"


def _repeated_comments(tree: ast.Module, text: str) -> Iterator[Finding]:
    last = None
    for i, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("# "):
            if line == last:
                yield f"line {i}: the comment repeats the one before"
            last = line
        elif line.strip().endswith(":"):
            last = None


def _long_lines(tree: ast.Module, text: str) -> Iterator[Finding]:
    for i, line in enumerate(text.splitlines(), 1):
        if len(line) > 88:
            yield f"line {i}: longer than 88 columns"


def _self_assignments(tree: ast.Module, text: str) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and any(
                isinstance(t, ast.Name) and t.id == node.value.id for t in node.targets):
            yield f"line {node.lineno}: assigns a variable to itself"


def _same_dtype_casts(tree: ast.Module, text: str) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                node.func.attr == "astype" and node.args):
            if ast.unparse(node.args[0]) == f"{ast.unparse(node.func.value)}.dtype":
                yield f"line {node.lineno}: casts to the same dtype"


def _zeros_only_added_to(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``d = np.zeros(...)`` followed at once by ``d += e``."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for first, second in itertools.pairwise(body) if isinstance(body, list) else ():
            if isinstance(first, ast.Assign) and isinstance(first.value, ast.Call) and (
                    ast.unparse(first.value.func) in ("np.zeros", "np.zeros_like")
                    and isinstance(second, ast.AugAssign)
                    and ast.unparse(second.target) == ast.unparse(first.targets[0])):
                yield f"line {second.lineno}: adds to fresh zeros"


def _same_in_both_arms(tree: ast.Module, text: str) -> Iterator[Finding]:
    """The last statement of both arms of a branch in the backward part, if it is the same."""
    start = _backward_line(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and node.orelse and node.lineno > start > 0 and (
                isinstance(node.body[-1], ast.Assign)
                and isinstance(node.body[-1].value, ast.Name)
                and ast.dump(node.body[-1]) == ast.dump(node.orelse[-1])):
            yield f"line {node.lineno}: both arms end alike"


def _numbers_as_tests(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``if 1 if c else 0``; ``1`` and ``0`` for True and False."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.IfExp) and all(
                isinstance(s, ast.Constant) for s in (node.test.body, node.test.orelse)):
            yield f"line {node.lineno}: tests a number made of a test"


def _unfolded(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``4 * 1.0`` in the backward part."""
    start = _backward_line(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and (
                node.lineno > start > 0 and all(
                    isinstance(s, ast.Constant) and type(s.value) in (int, float)
                    for s in (node.left, node.right))):
            yield f"line {node.lineno}: multiplies two numbers"


_SLOW = ("np.sum", "np.expand_dims", "np.transpose", "np.outer", "np.reshape")


def _detours(tree: ast.Module, text: str) -> Iterator[Finding]:
    """Functions where a method, an attribute or a subscript would do; spread numbers that are
    multiplied.  Functions that take lists, too, are left alone where they get one."""
    start = _backward_line(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and node.lineno > start > 0 and isinstance(
                node.op, ast.Mult) and any(_is_call(s, ("np.broadcast_to",)) for s in (
                    node.left, node.right)):
            yield f"line {node.lineno}: spreads a factor before it multiplies"
        if isinstance(node, ast.BinOp) and node.lineno > start > 0 and any(
                _is_call(s, _SLOW) for s in (node.left, node.right)):
            yield f"line {node.lineno}: takes a detour through a function of NumPy"


def _is_call(node: ast.expr, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in names


def _read_twice(tree: ast.Module, text: str) -> Iterator[Finding]:
    """One value kept in two lists: two names bound at once or in a row to the same read."""
    for function in _functions(tree):
        kept: dict[str, list[str]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
                    node.func.attr == "append" and isinstance(node.func.value, ast.Name)
                    and len(node.args) == 1 and isinstance(node.args[0], ast.Subscript)):
                kept.setdefault(ast.unparse(node.args[0]), []).append(node.func.value.id)
        for what, names in sorted(kept.items()):
            if len(set(names)) > 1 and all(n.startswith("saved") for n in names):
                yield f"{function.name}: {what} is kept in {' and in '.join(sorted(names))}"


def _loops_for_one_expression(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``for item in h: total = total + item``, ``for j in …: d_h[j] += d_total``."""
    start = _backward_line(text)
    for node in ast.walk(tree):
        if not isinstance(node, ast.For) or len(node.body) != 1 or node.orelse:
            continue
        only, index = node.body[0], node.target
        if isinstance(only, ast.Assign) and isinstance(index, ast.Name) and (
                index.id.startswith("item") and isinstance(only.value, ast.BinOp)
                and ast.unparse(only.value.right) == index.id):
            yield f"line {node.lineno}: adds up the items of a list by a loop"
        if isinstance(only, ast.AugAssign) and node.lineno > start > 0 and isinstance(
                only.target, ast.Subscript) and isinstance(only.value, ast.Name) and (
                ast.unparse(only.target.slice) == ast.unparse(index)
                and _is_new_list(tree, only.target.value, node.lineno)):
            yield f"line {node.lineno}: fills a list with one number by a loop"


def _is_new_list(tree: ast.Module, name: ast.expr, line: int) -> bool:
    """Is ``name = [0.0] * n`` the statement before the line (or a comment's before that)?"""
    return any(isinstance(n, ast.Assign) and line - 2 <= n.lineno < line
               and ast.unparse(n.targets[0]) == ast.unparse(name)
               and isinstance(n.value, ast.BinOp) and isinstance(n.value.left, ast.List)
               for n in ast.walk(tree))


def _long_ways_round(tree: ast.Module, text: str) -> Iterator[Finding]:
    """Ranges that are counted or turned twice."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        told = ast.unparse(node)
        if told.startswith("zip(reversed(range(len(range("):
            yield f"line {node.lineno}: counts a range to go back through it"
        if told.startswith("reversed(range(") and told.endswith(", -1))"):
            yield f"line {node.lineno}: turns a range round twice"


def _keeps_nothing(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``x_saved.append(None)``, and names for rows of what is kept."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and re.fullmatch(
                r"\w*saved(_\d+)?\.append\(None\)", ast.unparse(node)):
            yield f"line {node.lineno}: keeps that there is nothing"
        if isinstance(node, ast.Assign) and re.fullmatch(
                r"\w*saved(_\d+)? = \w*saved(_\d+)?\[\w+\]", ast.unparse(node)):
            yield f"line {node.lineno}: names a row of what is kept"


def _signs(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``x -= -y`` in the backward part."""
    start = _backward_line(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub) and isinstance(
                node.value, ast.UnaryOp) and isinstance(node.value.op, ast.USub) and (
                node.lineno > start > 0):
            yield f"line {node.lineno}: takes away a negative"


def _branches_for_one_value(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``if p: x = a`` ``else: x = 0.0`` in the backward part; two tests in each other."""
    start = _backward_line(text)
    for node in ast.walk(tree):
        if not isinstance(node, ast.If) or not node.lineno > start > 0 or len(node.body) != 1:
            continue
        inner = node.body[0]
        if isinstance(inner, ast.If) and not inner.orelse and not node.orelse:
            yield f"line {node.lineno}: tests twice what one test would do"
        if len(node.orelse) == 1 and all(
                isinstance(s, ast.Assign) and isinstance(s.value, ast.Name | ast.Constant)
                for s in (inner, node.orelse[0])) and (
                ast.unparse(inner).split(" = ")[0] == ast.unparse(node.orelse[0]).split(" = ")[0]):
            yield f"line {node.lineno}: branches to assign one variable"


def _idle_statements(tree: ast.Module, text: str) -> Iterator[Finding]:
    """``len(h)`` and ``x`` as statements."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and (isinstance(node.value, ast.Name) or (
                _is_call(node.value, ("len",)))):
            yield f"line {node.lineno}: does nothing"


_CHECKS: tuple[Callable[[ast.Module, str], Iterator[Finding]], ...] = (
    _neutral, _double_transpose, _seeds_of_ones, _saved_in_vain, _unused, _repeated_comments,
    _long_lines, _self_assignments, _same_dtype_casts, _zeros_only_added_to, _same_in_both_arms,
    _numbers_as_tests, _unfolded, _detours, _read_twice, _loops_for_one_expression,
    _long_ways_round, _keeps_nothing, _signs, _branches_for_one_value, _idle_statements)
