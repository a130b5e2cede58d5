"""Settings of library functions that are no constants: numbers of arguments, of loops, of data.

Rules are recorded once for all sizes and numbers.  Whatever the tables of expressions call is called
again with each number in the text lifted out of it; the program then has the gradient that it
had, or is refused in the user's terms.  No rule asks for a number that is not known.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import warnings

import numpy as np
import pytest
from compiled import CONSTANTS, OPERANDS, assert_close, copies, function_of, names_in, total
from test_compiled import NUMPY, split
from test_compiled_scipy import EXPRESSIONS, LIBRARY

import srcgrad as sg

LINES = [(line, CONSTANTS) for line in NUMPY] + [(line, LIBRARY) for line in EXPRESSIONS]
_number = itertools.count()


class Lifted(ast.NodeTransformer):
    """The numbers in an expression replaced by names, its operands perhaps cut."""

    def __init__(self, spelling="{}", operand="{}"):
        self.spelling, self.operand, self.numbers = spelling, operand, []

    def visit_Constant(self, node):
        if type(node.value) not in (int, float):
            return node
        name = f"k{len(self.numbers)}"
        self.numbers.append(node.value)
        whole = type(node.value) is int
        return ast.parse(self.spelling.format(name) if whole else name, mode="eval").body

    def visit_Name(self, node):
        value = OPERANDS.get(node.id)
        if isinstance(value, np.ndarray) and value.ndim:
            return ast.parse(self.operand.format(node.id), mode="eval").body
        return node


def of_arguments(tree, lifted):
    return f"return {ast.unparse(lifted.visit(tree))}", tuple(range(len(lifted.numbers)))


def in_loops(tree, lifted):
    """Each whole number is the index of a loop of one iteration."""
    text, lines = ast.unparse(lifted.visit(tree)), ["result = 0.0"]
    whole = [k for k, n in enumerate(lifted.numbers) if type(n) is int]
    for depth, k in enumerate(whole):
        start = lifted.numbers[k]
        lines.append("    " * depth + f"for k{k} in range({start}, {start} + once):")
    lines.append("    " * len(whole) + f"result = result + total({text})")
    return "\n    ".join([*lines, "return result"]), tuple(
        k for k, n in enumerate(lifted.numbers) if type(n) is not int)


def of_unknown_sizes(tree, lifted):
    """The numbers stay; no size of an operand is known, nor equal to another one."""
    lifted.visit_Constant = lambda node: node
    return f"return {ast.unparse(lifted.visit(tree))}", ()


def unknown(a):
    """All of an array, by masks that data decides."""
    for axis in range(np.ndim(a)):
        a = np.compress(np.ravel(np.zeros_like(a))[:np.shape(a)[axis]] == 0, a, axis)
    return a


FORMS = {
    "arguments": (of_arguments, {}),
    "unknown sizes": (of_unknown_sizes, {"operand": "unknown({0})"}),
    "data": (of_arguments, {"spelling": "int({} + 0.25)"}),
    "loops": (in_loops, {}),
    "sizes": (of_arguments, {"operand": "{0}[np.ravel(np.zeros_like({0}))[:len({0})] == 0]"}),
}


def gradients(function, values, *more, summed=False):
    def loss(*operands):
        found = function(*operands, *more)
        return found if summed else total(found)

    return sg.grad(loss, argnums=tuple(range(len(values))))(*copies(values))


def check(line, constants, form):
    text, _ = split(line)
    if "return " in text or not names_in(text):
        return
    write, options = FORMS[form]
    lifted = Lifted(**options)
    body, kept = write(ast.parse(text, mode="eval"), lifted)
    names = names_in(text)
    values, numbers = [OPERANDS[n] for n in names], [lifted.numbers[k] for k in kept]
    parameters = [*names, *(f"k{k}" for k in kept), "once"]
    source = f"def program({', '.join(parameters)}):\n    {body}\n"
    filename = f"<settings {next(_number)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {**constants, "total": total, "unknown": unknown}
    exec(compile(source, filename, "exec"), namespace)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = gradients(function_of(text, constants), values)
        try:
            found = gradients(namespace["program"], values, *numbers, 1, summed=form == "loops")
        except sg.SrcgradError as refusal:
            assert "symbolic value" not in str(refusal), (text, refusal)
            return
        for ours, theirs in zip(found, want, strict=True):
            assert_close(ours, theirs, 1e-7, f"{text}, {form}")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("line", LINES[::80], ids=lambda line: line[0])
def test_settings(line, form):
    check(*line, form)


# settings that must be known while compiling, whose refusals are not their own yet: a path of
# contractions that data decides; sizes that SciPy compares itself, which only a run knows
KNOWN = (("np.einsum('ij,jk,kl->il',A,C,A,optimize=np.einsum_path(", "data"),
         ("sd.cdist(A,B)", "unknown sizes"))


@pytest.mark.sweep
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_every_setting(line, form):
    if not any(line[0].startswith(text) and form == where for text, where in KNOWN):
        check(*line, form)


def test_a_vector_with_one_number_for_each_axis():
    """Its length is no equal of the array's sizes, but of their number."""
    a, by = OPERANDS["A"], np.array([0.3, -0.4])
    shifted = LIBRARY["nd"].shift

    def loss(a, by):
        return np.sum(shifted(a, by, order=1) ** 2)

    found = sg.grad(loss, argnums=1)(a, by)
    for i, unit in enumerate(np.eye(2)):
        step = 1e-6 * unit
        assert_close(found[i], (loss(a, by + step) - loss(a, by - step)) / 2e-6, 1e-6, "shift")
