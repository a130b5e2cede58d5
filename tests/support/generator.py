"""Random programs: whole functions of assignments, aliases, views, in-place updates, branches,
loops with exits, containers, helpers, objects, closures and effects.

A program is text, so that it can be staged; :class:`Writer` draws every decision from one
``random.Random``, which may be one of hypothesis's (:func:`programs`), so that what fails shrinks.
"""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np
from hypothesis import strategies as st

PRELUDE = '''
import numpy as np

LOG = []


class Box:
    def __init__(self, u, k):
        self.u = u
        self.k = k

    def push(self, w):
        self.u[1:] += 0.1 * w[:-1]
        self.k = self.k * 0.9 + w[0]
        return self.k

    def shrink(self, c):
        self.u *= 0.9
        self.u = self.u + c if self.k > 0.5 else self.u
        return self

    def part(self):
        return self.u[1:3]

    def trade(self, other):
        self.u, other.u = other.u, self.u


def bump(w, c):
    w[::2] += c
    return w


def either(a, b):
    return a if np.sum(a) > 0.8 else b


def blend(a, b, t=0.3):
    if np.sum(a) > np.sum(b):
        return t * a + (1 - t) * b
    return t * b


def settle(w, c):
    for _ in range(3):
        if w[0] > c:
            return w
        w[0] += 0.3
    return w.copy()
'''


class Writer:
    """One random function.  ``rich`` adds containers, objects, closures, callables, ``try``."""

    def __init__(self, source: random.Random, size: int = 12, rich: bool = True) -> None:
        self.random = source
        self.rich = rich
        self.lines: list[str] = []
        self.arrays = ["x", "y", "a"]
        self.scalars = ["s", "t"]
        self.boxes = ["o"]
        self.budget = size
        self.depth = 0
        self.loops = 0
        self.counter = 0
        self.index: list[str] = []

    # ---- parts -------------------------------------------------------------------------------
    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def number(self, low: float, high: float) -> str:
        return f"{low + (high - low) * self.random.randrange(100) / 100:.2f}"

    def array(self) -> str:
        if self.rich and self.chance(0.15):
            return self.pick(f"A[{self.pick(0, 1, -1)}]", "D['p']", "D['q']",
                             f"{self.pick(*self.boxes)}.u")
        return self.pick(*self.arrays)

    def target(self) -> str:
        """An array that may be written to (arguments too, sometimes)."""
        if self.rich and self.chance(0.1):
            return self.pick("x", "A[0]", "A[1]", "D['p']", f"{self.pick(*self.boxes)}.u")
        return self.pick(*self.arrays[2:])

    def scalar(self) -> str:
        kind = self.random.random()
        if kind < 0.5:
            return self.pick(*self.scalars)
        if kind < 0.7:
            return f"{self.array()}[{self.place()}]"
        if kind < 0.85:
            return f"np.sum({self.array()} * {self.array()})"
        return self.number(-1, 1)

    def place(self) -> str:
        if self.index and self.chance(0.5):
            return f"{self.pick(*self.index)} % 4"
        if self.rich and self.chance(0.2):
            return "c % 4"
        return str(self.pick(*range(-4, 4)))

    def array_expression(self) -> str:
        a, b, c = self.array(), self.array(), self.scalar()
        return self.pick(
            f"np.tanh({a} + {b})", f"0.5 * {a} - 0.3 * {b}", f"{a} * np.tanh({c})",
            f"np.sin({a})", f"{a}.copy()", f"np.where({a} > {b}, {a}, 0.5 * {b})",
            f"{a}[::-1] * 0.7", f"blend({a}, {b})", f"np.cumsum({a}) * 0.3",
            f"np.concatenate([{a}[2:], {b}[:2]])")

    def alias_expression(self) -> str:
        a, b = self.array(), self.array()
        return self.pick(
            a, f"{a}[::-1]", f"{a} if {self.condition()} else {b}", f"either({a}, {b})",
            f"{a}.reshape(2, 2).T.reshape(-1)", f"{a}.reshape(2, 2).ravel()", f"{a}[...]",
            f"settle({a}, {self.number(0, 1)})", f"np.asarray({a})")

    def condition(self) -> str:
        return self.pick(f"{self.scalar()} > {self.number(-0.5, 1)}",
                         f"np.sum({self.array()}) < {self.number(0, 3)}",
                         *([f"{self.pick(*self.index)} > 1"] if self.index else []),
                         *(["c % 2 == 0", f"best is None or {self.scalar()} < best"]
                           if self.rich else []))

    def emit(self, text: str) -> None:
        self.lines.append("    " * (self.depth + 1) + text)

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def block(self, most: int = 3) -> None:
        self.depth += 1
        for _ in range(self.pick(*range(1, most + 1))):
            self.statement()
        self.depth -= 1

    # ---- statements --------------------------------------------------------------------------
    def statement(self) -> None:
        self.budget -= 1
        choices = [self.assign, self.assign, self.write, self.write, self.accumulate, self.reduce,
                   self.alias, self.view, self.listing, self.box, self.helper]
        if self.rich:
            choices += [self.swap, self.arrays_list, self.table, self.boxes_change, self.optional,
                        self.integer, self.closure, self.comprehension, self.act, self.zero_rank,
                        self.matrix, self.solve, self.effect, self.previous]
        if self.depth < 3 and self.budget > 0:
            choices += [self.branch, self.branch, self.loop, self.loop, self.while_loop]
            if self.rich:
                choices += [self.branch, self.branch, self.loop, self.while_loop, self.each]
        self.pick(*choices)()

    def assign(self) -> None:
        self.emit(f"{self.pick(*self.arrays[2:])} = {self.array_expression()}")

    def alias(self) -> None:
        source = self.alias_expression() if self.rich else self.array()
        self.emit(f"{self.pick(*self.arrays[2:])} = {source}")

    def swap(self) -> None:
        v, w = self.pick(*self.arrays[2:]), self.pick(*self.arrays[2:])
        self.emit(self.pick(f"{v}, {w} = {w}, {v}", f"{v}, {w} = {w}.copy(), {v}",
                            "A[0], A[1] = A[1], A[0]", f"A[0], {v} = {v}, A[0]",
                            f"D['p'], {w} = {w}, D['q']"))

    def write(self) -> None:
        w, e, c = self.target(), self.array(), self.scalar()
        self.emit(self.pick(
            f"{w}[1:] = {e}[:-1]", f"{w}[{self.place()}] = np.tanh({c})", f"{w}[:2] *= 0.5",
            f"{w} *= 0.8" if "[" not in w and w != "x" else f"{w}[:] *= 0.8",
            f"{w}[1:] += 0.2 * {e}[:-1]",
            f"{w} -= 0.1 * {e}" if "[" not in w and w != "x" else f"{w}[...] -= 0.1 * {e}",
            f"{w}[::2] = np.tanh({c}) * 0.1", f"{w}[{w} > 1.5] = 0.3",
            f"{w}[[0, 2]] += 0.1 * {e}[:2]", f"{w}[::-1][1:] += 0.1 * {e}[1:]",
            f"{w}[-1::-2] *= 0.7", f"{w}.reshape(2, 2).T[0] *= 0.6"))

    def accumulate(self) -> None:
        t = self.pick(*self.scalars[1:])
        self.emit(f"{t} = 0.5 * {t} + {self.scalar()}")

    def reduce(self) -> None:
        t = self.pick(*self.scalars[1:])
        self.emit(f"{t} += 0.1 * np.sum({self.array()} * {self.array()})")

    def view(self) -> None:
        v, w = self.fresh("v"), self.pick(*self.arrays[2:])
        self.emit(f"{v} = " + self.pick(f"{w}[1:3]", f"{w}[::-1][1:3]", f"{w}[1:][:2]",
                                        f"{w}.reshape(2, 2)[0]", f"{w}[::2]",
                                        f"{self.pick(*self.boxes)}.part()"))
        self.emit(self.pick(f"{v} *= 0.7", f"{v} += np.tanh({self.scalar()})", f"{v}[0] = 0.2",
                            f"{v}[::-1][0] += 0.1"))

    def listing(self) -> None:
        if self.chance(0.6):
            self.emit(f"L.append({self.pick(self.array() + '.copy()', self.scalar())})"
                      if self.chance(0.3) else f"L.append({self.scalar()})")
        else:
            self.emit(f"{self.pick(*self.scalars[1:])} += 0.1 * len(L)")

    def box(self) -> None:
        t, w, o = self.pick(*self.scalars[1:]), self.array(), self.pick(*self.boxes)
        self.emit(self.pick(f"{o}.u = 0.5 * {o}.u + {w}", f"{t} += 0.1 * {o}.push({w})",
                            f"{o}.u[:2] *= 0.9", f"{t} = {t} + {o}.u[{self.place()}]"))

    def boxes_change(self) -> None:
        w, o, q = self.array(), self.pick(*self.boxes), self.pick(*self.boxes)
        self.emit(self.pick(
            "q = o", f"q = Box({w}, t)", f"{o}.u = {w}", f"{o}.trade({q})", "o, q = q, o",
            f"q = o if {self.condition()} else Box({w}.copy(), 0.5)", f"{o}.shrink(0.1).k *= 0.5",
            f"{o}.k = {self.scalar()}", f"{self.pick(*self.arrays[2:])} = {o}.u",
            f"{o}.u = {q}.u"))

    def helper(self) -> None:
        w = self.pick(*self.arrays[2:])
        self.emit(self.pick(f"bump({w}, {self.scalar()} * 0.1)", f"{w} = bump({w}.copy(), 0.2)"))

    def arrays_list(self) -> None:
        w, i = self.array(), self.pick(0, 1, -1)
        self.emit(self.pick(
            f"A[{i}] = {w}", f"A[{i}] = {self.array_expression()}", f"A[{i}][1] = {self.scalar()}",
            f"A[{i}] *= 0.9", f"A = [{self.array()}, {w}]", f"A.append({w}.copy())",
            f"A = [w * 0.9 for w in A][:{self.pick(2, 3)}]", "A = A[::-1]"))

    def table(self) -> None:
        w, key = self.array(), self.pick("p", "q")
        self.emit(self.pick(f"D['{key}'] = {w}", f"D['{key}'] = {self.array_expression()}",
                            f"D['{key}'][0] = 0.4", f"D['{key}'] *= 0.8",
                            "D = dict(D)", f"D = {{'p': {w}, 'q': D['p']}}"))

    def optional(self) -> None:
        c = self.scalar()
        self.emit(f"if best is None or {c} < best:")
        self.emit(f"    best = {c}")

    def previous(self) -> None:
        w = self.array()
        self.emit("if last is not None:")
        self.emit(f"    t += 0.1 * np.sum(last * {w})")
        self.emit(f"last = {w}" + self.pick("", ".copy()", " * 0.5"))

    def integer(self) -> None:
        self.emit(self.pick("c += 1", "c = (c * 3 + 1) % 7", "c = c // 2 + n", "c -= 2",
                            *([f"c += {self.pick(*self.index)}"] if self.index else [])))

    def closure(self) -> None:
        f, w = self.fresh("f"), self.pick(*self.arrays[2:])
        self.emit(f"def {f}(p):")
        self.emit(f"    nonlocal t, {w}")
        self.emit("    " + self.pick("t = t * 0.9 + p", f"{w} = {w} * 0.9 + p", f"{w}[1] += p"))
        self.emit("    return p * 0.5")
        self.emit(f"r += {f}({self.scalar()})")

    def comprehension(self) -> None:
        self.emit(self.pick(
            f"t += 0.1 * sum([np.sum(w * {self.array()}) for w in A])",
            f"t += 0.1 * sum(w * w for w in {self.array()})",
            f"t += max([np.tanh(w) for w in {self.array()}])",
            f"r += 0.1 * sum([v for v in {self.array()} if v > 0.3])"))

    def act(self) -> None:
        f = self.fresh("act")
        self.emit(f"{f} = np.tanh if {self.condition()} else np.sin")
        self.emit(f"{self.pick(*self.arrays[2:])} = {f}({self.array()})")

    def zero_rank(self) -> None:
        self.emit(self.pick(f"z += {self.scalar()} * 0.1", "z = np.array(0.3)", "zz = z",
                            "zz *= 0.5", "t += z", "z = z * 0.5", "zz[()] = 0.2 * t"))

    def matrix(self) -> None:
        w = self.array()
        self.emit(self.pick(
            f"M[{self.pick(0, 1)}] = {w}[:2]", f"M.T[0] += 0.1 * {w}[2:]",
            f"t += 0.1 * np.sum(M @ {w}[:2])", f"M = {w}.reshape(2, 2) * 1.0",
            "for row in M:\n" + "    " * (self.depth + 2) + "row *= 0.9", "M = M.T"))

    def solve(self) -> None:
        self.emit("try:")
        self.emit(f"    u = np.linalg.solve(M + 3.0 * np.eye(2), {self.array()}[:2])")
        self.emit("except np.linalg.LinAlgError:")
        self.emit("    u = np.zeros(2)")
        self.emit("t += 0.1 * np.sum(u)")

    def effect(self) -> None:
        self.emit(self.pick(f"LOG.append({self.scalar()})", "print('at', c)"))

    # ---- control -----------------------------------------------------------------------------
    def branch(self) -> None:
        self.emit(f"if {self.condition()}:")
        self.block()
        if self.loops and self.chance(0.2):
            self.depth += 1
            self.emit(self.pick("break", "continue"))
            self.depth -= 1
        elif self.chance(0.1):
            self.depth += 1
            self.emit(f"return {self.scalar()} * 0.5 + np.sum({self.array()})")
            self.depth -= 1
        if self.chance(0.5):
            self.emit("else:")
            self.block()

    def loop(self) -> None:
        i = self.fresh("i")
        self.emit(self.pick(f"for {i} in range(3):", f"for {i} in range(n):",
                            f"for {i} in range(1, 4):"))
        self.index.append(i)
        self.loops += 1
        self.block()
        self.loops -= 1
        self.index.pop()
        if self.rich and self.chance(0.15):
            self.emit("else:")
            self.block(1)

    def each(self) -> None:
        w = self.fresh("w")
        self.emit(self.pick(f"for {w} in A:", f"for {w} in list(D.values()):",
                            f"for {w} in (a, {self.array()}):"))
        self.arrays.append(w)
        self.loops += 1
        self.block(2)
        self.loops -= 1
        self.arrays.remove(w)

    def while_loop(self) -> None:
        k = self.fresh("k")
        self.emit(f"{k} = 0")
        self.emit(f"while {k} < 3 and {self.scalar()} < 5.0:")
        self.depth += 1
        self.emit(f"{k} += 1")
        self.depth -= 1
        self.loops += 1
        self.block()
        self.loops -= 1
        if self.rich and self.chance(0.15):
            self.emit("else:")
            self.block(1)

    def text(self) -> str:
        self.emit("a = x * 0.5 + y")
        self.emit("b = np.zeros(4)")
        self.arrays.append("b")
        self.emit("t = 0.0")
        self.emit("r = s * 1.5")
        self.scalars.append("r")
        self.emit("L = [0.5]")
        self.emit("o = Box(x.copy(), s)")
        tail = "t + r + np.sum(a * b) + np.sum(o.u) + o.k + 0.01 * len(L)"
        if self.rich:
            for line in ("q = Box(a, t)", "A = [a, y * 2.0]", "D = {'p': b, 'q': x * y}",
                         "best, last, c = None, None, 0", "z = zz = np.array(0.5)",
                         "M = np.array([[0.5, s], [0.1, 0.2]])"):
                self.emit(line)
            self.boxes.append("q")
            tail += (" + 0.1 * (np.sum(q.u * y) + q.k + np.sum(A[0] * A[1]) + np.sum(D['p'])"
                     " + np.sum(D['q'] * x) + (0.0 if best is None else best) + z + np.sum(M)"
                     " + 0.1 * c)")
        for _ in range(self.pick(3, 4, 5, 6)):
            self.statement()
        self.emit(f"return {tail}")
        return PRELUDE + "\n\ndef program(x, y, s, n):\n" + "\n".join(self.lines) + "\n"


class Lines:
    """The lines of a function that is being written, and what chance says."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.names_made = 0

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def fresh(self, stem: str) -> str:
        self.names_made += 1
        return f"{stem}{self.names_made}"


def made(text: str, name: str) -> Any:
    """The function of a text, which is entered into linecache so that it can be staged."""
    filename = f"<random program {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "random_program"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"]


def program(seed: int, size: int = 12, rich: bool = False) -> tuple[Any, str]:
    """The function of a seed, and its text."""
    text = Writer(random.Random(seed), size, rich).text()
    return made(text, f"{seed}{'r' if rich else ''}"), text


@st.composite
def programs(draw: Any, size: int = 10) -> str:
    """A strategy of program texts."""
    return Writer(draw(st.randoms(use_true_random=False)), size).text()


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments for the program of a seed."""
    stream = np.random.RandomState(seed)
    return (stream.rand(4) + 0.2, stream.rand(4) - 0.3, float(stream.rand()), 3)
