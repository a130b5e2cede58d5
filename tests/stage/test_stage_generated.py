"""Random programs, heavy on control flow: plain Python and staged code agree."""

# ruff: noqa: E501

from __future__ import annotations

import linecache
from itertools import count

import comparison
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

NAMES = ["a", "b", "c"]
_serial = count()


class Writer:
    """Draws the statements of one function; ``fuel`` bounds its size."""

    def __init__(self, draw):
        self.draw = draw
        self.fuel = draw(st.integers(5, 40))
        self.functions = []
        self.serial = count()

    def pick(self, *options):
        return self.draw(st.sampled_from(options))

    def name(self):
        return self.pick(*NAMES)

    def atom(self):
        return self.pick(*NAMES, "1", "2", "-1", "0", "len(log)", "x", "xs[-1]")

    def expr(self, depth=0):
        if depth > 2:
            return self.atom()
        kind = self.pick("atom", "atom", "sum", "product", "mod", "if", "and", "or", "not", "call",
                         "walrus", "comp", "gen", "chain", "lambda", "tap", "fstring", "dict")
        one, two = (lambda: self.expr(depth + 1)), (lambda: self.expr(depth + 1))
        match kind:
            case "sum":
                return f"({one()} + {two()})"
            case "product":
                return f"({one()} * 2 - {two()})"
            case "mod":
                return f"({one()} % 3)"
            case "if":
                return f"({one()} if {two()} else {self.atom()})"
            case "and" | "or":
                return f"({one()} {kind} {two()})"
            case "not":
                return f"(not {one()})"
            case "call" if self.functions:
                return f"{self.pick(*self.functions)}({one()})"
            case "walrus":
                return f"({self.name()} := {one()})"
            case "comp":
                v = self.pick("v", "a")
                body = self.pick(v, f"{v} + 1", f"tap({v})", f"{v} * x")
                return f"sum([{body} for {v} in range({self.pick(2, 3)}) if {v} != {self.pick(0, 1)}])"
            case "gen":
                v = self.pick("v", "b")
                made = f"(tap({v} + x) for {v} in [1, {self.atom()}])"
                return f"{self.pick('sum', 'any', 'max', 'len')}(list({made}))"
            case "chain":
                return f"({self.atom()} < {one()} <= {two()})"
            case "lambda":
                return f"(lambda q, r={self.atom()}: q + r + {self.name()})({one()})"
            case "tap":
                return f"tap({one()})"
            case "fstring":
                return f"len(f'{{{self.atom()}}}-{{{self.atom()}!r:>4}}')"
            case "dict":
                return f"{{k: k for k in range(3)}}[({one()}) % 3]"
        return self.atom()

    def block(self, indent, depth, loop, nested):
        lines = []
        for _ in range(self.pick(1, 1, 2, 3)):
            lines += self.statement(indent, depth, loop, nested)
        return lines

    def statement(self, indent, depth, loop, nested):
        self.fuel -= 1
        pad = "    " * indent
        kinds = ["assign", "aug", "log", "tuple", "item", "del", "return", "raise", "assert"]
        kinds += ["break", "continue"] if loop else []
        if self.fuel > 0 and depth < 5:
            kinds += ["if", "for", "while", "try", "with", "if", "for", "try", "match", "class"]
            kinds += ["def"] if depth < 3 else []
        kind = self.pick(*kinds)
        method = getattr(self, "_" + kind, None)
        if method is not None:
            return method(pad, indent, depth, loop, nested)
        return [pad + self.simple(kind)]

    def simple(self, kind):
        match kind:
            case "assign":
                return f"{self.name()} = {self.expr()}"
            case "aug":
                return f"{self.name()} {self.pick('+', '-', '*')}= {self.expr()}"
            case "log":
                return f"log.append({self.expr()})"
            case "tuple":
                return f"{self.name()}, {self.pick('xs[0]', 'c')} = {self.expr()}, {self.expr()}"
            case "item":
                return f"xs[{self.expr()} % 3] {self.pick('=', '+=')} {self.expr()}"
            case "del":
                name = self.name()
                return f"del {name}" if self.pick(*range(12)) == 1 else f"{name} = 0; del {name}; {name} = 1"
            case "return":
                return f"return {self.expr()}"
            case "raise":
                return self.pick("raise ValueError(len(log))", "raise KeyError('k')", "1 / 0", "raise")
            case "assert":
                return f"assert {self.expr()}, {self.expr()}"
        return kind

    def _if(self, pad, indent, depth, loop, nested):
        lines = [f"{pad}if {self.expr()}:", *self.block(indent + 1, depth + 1, loop, nested)]
        if self.pick(True, False):
            lines += [f"{pad}elif {self.expr()}:", *self.block(indent + 1, depth + 1, loop, nested)]
        if self.pick(True, False):
            lines += [f"{pad}else:", *self.block(indent + 1, depth + 1, loop, nested)]
        return lines

    def _for(self, pad, indent, depth, loop, nested):
        target = self.pick("i", "a", "xs[1]", "(a, b)")
        items = f"range({self.pick(0, 1, 3)})"
        if target == "(a, b)":
            items = f"enumerate([x, {self.atom()}])"
        lines = [f"{pad}for {target} in {items}:"]
        lines += self.block(indent + 1, depth + 1, True, nested)
        if self.pick(True, False):
            lines += [f"{pad}else:", *self.block(indent + 1, depth + 1, loop, nested)]
        return lines

    def _while(self, pad, indent, depth, loop, nested):
        counter = f"n{next(self.serial)}"
        test = self.pick(f"({counter} := {counter} + 1) < 4", f"tap({counter}) < 3 and not step()")
        lines = [f"{pad}{counter} = 0", f"{pad}while {test}:", f"{pad}    {counter} += 1"]
        lines += self.block(indent + 1, depth + 1, True, nested)
        if self.pick(True, False):
            lines += [f"{pad}else:", *self.block(indent + 1, depth + 1, loop, nested)]
        return lines

    def _try(self, pad, indent, depth, loop, nested):
        lines = [f"{pad}try:", *self.block(indent + 1, depth + 1, loop, nested)]
        handlers = self.pick([], ["ValueError as e"], ["(KeyError, ValueError)"],
                             ["ZeroDivisionError as a"], ["KeyError", "Exception as e"])
        for handler in handlers:
            lines += [f"{pad}except {handler}:", f"{pad}    log.append('handled')",
                      *self.block(indent + 1, depth + 1, loop, nested)]
        if handlers and self.pick(True, False):
            lines += [f"{pad}else:", *self.block(indent + 1, depth + 1, loop, nested)]
        if not handlers or self.pick(True, False):
            lines += [f"{pad}finally:", f"{pad}    log.append('finally')",
                      *self.block(indent + 1, depth + 1, loop, nested)]
        return lines

    def _with(self, pad, indent, depth, loop, nested):
        target = self.pick("", " as a", " as (b, xs[2])")
        return [f"{pad}with Manager({self.pick(True, False)}){target}:",
                *self.block(indent + 1, depth + 1, loop, nested)]

    def _match(self, pad, indent, depth, loop, nested):
        lines = [f"{pad}match ({self.expr()}, {self.atom()}):"]
        for pattern in (self.pick("(0, a)", "(1 | 2 as b, _)"),
                        self.pick("(a, b) if a == b", "[int(), *c]"), "_"):
            lines += [f"{pad}    case {pattern}:", *self.block(indent + 2, depth + 1, loop, nested)]
        return lines

    def _class(self, pad, indent, depth, loop, nested):
        return [f"{pad}class A:", f"{pad}    a = {self.expr()}", f"{pad}    def m(self, x={self.atom()}):",
                f"{pad}        return self.a, x, a", f"{pad}log.append(A().m({self.atom()}))"]

    def _def(self, pad, indent, depth, loop, nested):
        name = f"f{next(self.serial)}"
        generator = self.pick(False, False, True)
        lines = [f"{pad}def {name}(x, k={self.atom()}):", f"{pad}    if not step(): return k"]
        if not generator:
            lines = [f"{pad}def {name}(x, k={self.atom()}):", f"{pad}    if step(): return k"]
        names = [n for n in NAMES if self.pick(True, False)]
        if names:
            lines.append(f"{pad}    nonlocal {', '.join(names)}")
        known = list(self.functions)
        lines += self.block(indent + 1, depth + 1, False, True)
        if generator:
            lines += [f"{pad}    yield x", f"{pad}    yield k",
                      f"{pad}for i in {name}({self.expr()}):", f"{pad}    log.append(i)",
                      f"{pad}    if len(log) > 60: break"]
            self.functions = known
        else:
            self.functions = [*known, name]
            if self.pick(True, False):
                lines.append(f"{pad}log.append({name}({self.expr()}))")
        return lines


HEADER = """\
class Manager:
    def __init__(self, swallow):
        self.swallow = swallow
    def __enter__(self):
        return (1, 2)
    def __exit__(self, kind, value, traceback):
        return self.swallow and kind is not None and issubclass(kind, Exception)

def program(x, xs, log):
    fuel = 60
    def step():
        nonlocal fuel
        fuel -= 1
        return fuel < 0
    def tap(value):
        log.append(("tap", value))
        return value
    a, b, c = 1, x, 3
"""


@st.composite
def programs(draw):
    """The text of a module with a function ``program(x, xs, log)``."""
    writer = Writer(draw)
    lines = []
    while writer.fuel > 0:
        lines += writer.statement(1, 0, False, False)
    return HEADER + "\n".join(lines) + "\n    return a, b, c, xs, fuel\n"


def build(text):
    """Compile the text so that its source can be found."""
    filename = f"<generated {next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {"__name__": "generated"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"], filename


@pytest.mark.long
@settings(max_examples=150, deadline=None, derandomize=True,
          suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large,
                                 HealthCheck.large_base_example])
@given(programs(), st.integers(-1, 2))
def test_random_programs(text, x):
    try:
        function, filename = build(text)
    except SyntaxError:
        reject()  # such as a name that is assigned before it is declared nonlocal
    try:
        for deep in (False, True):
            comparison.compare(function, (x, [1, 2, 3], []), deep)
    finally:
        linecache.cache.pop(filename, None)
