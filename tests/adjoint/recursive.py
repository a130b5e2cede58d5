"""Random programs with functions that call themselves: as often as a number, the size of an array
or data says, one another, from branches and loops, with changes of what lies outside of them.

Every value passes through ``np.tanh`` now and then, so that the numbers stay small, and every
call brings the end of the recursion nearer.  The text is deterministic for a seed.
"""

from __future__ import annotations

import linecache
import random
from dataclasses import dataclass

import numpy as np


@dataclass
class Box:
    t: object
    v: object


@dataclass
class Tree:
    value: object
    left: object = None
    right: object = None


def mix(a, b):
    return np.tanh(a) * b + 0.1 * a


KINDS = ("number", "number", "data", "halves", "tree")
RESULTS = ("number", "number", "vector", "pair")


@dataclass
class Called:
    """A function that calls itself: what ends it, what it returns, whom it calls."""

    name: str
    kind: str
    result: str
    partners: list[Called]
    calls: int = 0


class Recursive:
    """One random function of two vectors of four elements, a number and an int."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.depth, self.count = [], 0, 0
        self.vectors, self.numbers = [], []
        self.inside: Called | None = None

    def pick(self, *options):
        return self.random.choice(options)

    def likely(self, chance):
        return self.random.random() < chance

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    # ---- expressions ---------------------------------------------------------------------
    def number(self, depth=0):
        if depth > 1 or not self.vectors:
            return self.pick(*self.numbers)
        a, b, c = self.vector(), self.vector(), self.number(depth + 1)
        return self.pick(
            *self.numbers, f"{a}[0]", f"{a}[-1]", f"np.sum({a}) * 0.3", f"np.tanh({c})",
            f"({a} @ {a}) * 0.2", f"np.max({a})", f"len({a}) * 0.1", f"{c} * 0.5 + {a}[0] * 0.3",
            f"np.mean({a} * {c})", f"({c} if {self.number(2)} > 0.2 else 0.3)",
            f"np.sum({b} ** 2) * 0.1")

    def vector(self):
        return self.pick(*self.vectors)

    def array(self):
        a, b, c = self.vector(), self.vector(), self.number()
        return self.pick(
            f"np.tanh({a})", f"{a} * np.tanh({c})", f"{a} + 0.1", f"np.sin({a}) * 0.8",
            f"{a}[::-1] * 0.9", f"np.where({a} > 0.3, {a}, {c})", f"np.sort({a})",
            f"np.cumsum({a}) * 0.4", f"mix({a}, {a})", f"{a}.copy()", f"np.roll({a}, 1) * {c}",
            *([f"{a} - 0.2 * {b}", f"mix({a}, {b})"] if self.alike() else []))

    def alike(self):
        """Have all vectors in reach one size?"""
        return self.inside is None or self.inside.kind != "halves"

    def test(self):
        return f"{self.number()} > {self.random.uniform(-0.2, 0.7):.2f}"

    # ---- calls ---------------------------------------------------------------------------
    def call(self, called, nearer=None):
        """The text of a call; from inside of the recursion with ``nearer`` the end."""
        array = self.array() if self.vectors else "x"
        if called.kind == "tree":
            return f"{called.name}({nearer or 'tree'})"
        if called.kind == "halves":
            return f"{called.name}({nearer or array})"
        start = {"number": self.pick("n", "2", "n - 1"), "data": f"abs({self.number()}) + 0.2"}
        return f"{called.name}({array}, {nearer or start[called.kind]})"

    def use(self, called, text):
        """A statement that uses the result of a call."""
        t = self.pick("t", "r")
        if called.result == "number":
            self.emit(self.pick(f"{t} += 0.5 * {text}", f"{t} = np.tanh({t} + {text})",
                                f"{t} = {t} * 0.3 + np.tanh({text})"))
        elif called.result == "vector":
            name = self.fresh("b")
            self.emit(f"{name} = {text}")
            if self.alike() or called.kind != "halves":
                self.emit(self.pick(f"{t} += np.sum(np.tanh({name})) * 0.2", f"{t} += {name}[0]"))
            else:
                self.emit(f"{t} += np.sum({name}) * 0.1")
        else:
            name, value = self.fresh("b"), self.fresh("q")
            self.emit(f"{value}, {name} = {text}")
            self.emit(f"{t} += {value} * 0.5 + np.sum(np.tanh({name})) * 0.1")

    def nearer(self):
        """The argument of a recursive call that decides how often there is another one."""
        kind = self.inside.kind
        if kind == "number":
            return self.pick("k - 1", "k - 1", "k // 2", "k - 2")
        if kind == "data":
            return self.pick("c * 1.6 + 0.2", "c + 0.4 + c * c", "c * 1.5 + abs(np.tanh(t)) + 0.2")
        if kind == "tree":
            return self.pick("node.left", "node.right")
        return self.pick("a[:h]", "a[h:]", "np.tanh(a[:h])", "a[h:] * 0.7")

    def again(self):
        """A call of the function itself, or of its partner."""
        if self.inside.calls >= 2:
            return
        self.inside.calls += 1
        called = self.pick(self.inside, *self.inside.partners)
        if self.likely(0.15) and self.inside.kind != "tree":
            self.emit("for _ in range(2):")
            self.inside.calls += 1
            self.depth += 1
            self.use(called, self.call(called, self.nearer()))
            self.depth -= 1
            return
        self.use(called, self.call(called, self.nearer()))

    # ---- statements ----------------------------------------------------------------------
    def statement(self, depth=0):
        kinds = [self.scalar, self.scalar, self.assign, self.write, self.outside, self.outside]
        if self.inside is not None:
            kinds += [self.again, self.again]
        if depth < 2:
            kinds += [lambda: self.branch(depth), lambda: self.loop(depth)]
        self.pick(*kinds)()

    def block(self, depth, most=2):
        self.depth += 1
        for _ in range(self.random.randint(1, most)):
            self.statement(depth + 1)
        self.emit("pass")
        self.depth -= 1

    def scalar(self):
        t = self.pick("t", "r")
        self.emit(self.pick(f"{t} = np.tanh({self.number()})", f"{t} += 0.1 * {self.number()}",
                            f"{t} *= {self.number()}"))

    def assign(self):
        if self.vectors:
            self.emit(f"{self.pick(*self.vectors[:2])} = {self.array()}")

    def write(self):
        if not self.vectors:
            return
        a, c = self.pick(*self.vectors[:2]), self.number()
        if self.inside is not None and a == "a" and self.likely(0.7):
            self.emit("a = a.copy()")  # else it is the caller's
        self.emit(self.pick(f"{a}[0] = {c}", f"{a} *= 0.9", f"{a}[-1] += {c}", f"{a}[:2] *= {c}",
                            f"{a}[{a} > 0.8] = 0.5", f"{a} += 0.1 * {c}"))

    def outside(self):
        """A change of what lives outside of the recursive functions."""
        c = self.number()
        place = "k % 4" if self.inside is not None and self.inside.kind == "number" else "1"
        self.emit(self.pick(
            f"out.append(np.tanh({c}))", f"box.t = box.t * 0.9 + 0.2 * {c}",
            f"grid[{place}] += 0.3 * {c}", "grid[:] *= 0.95", f"box.v = np.tanh(box.v + {c})",
            f"r += 0.1 * grid[{place}]", "t += 0.1 * box.t", "r += 0.05 * np.sum(box.v)",
            "t += 0.02 * len(out)"))

    def branch(self, depth):
        self.emit(f"if {self.test()}:")
        self.block(depth)
        if self.inside is not None and self.likely(0.2):
            self.depth += 1
            self.returned()
            self.depth -= 1
        if self.likely(0.5):
            self.emit("else:")
            self.block(depth)

    def loop(self, depth):
        i = self.fresh("i")
        self.emit(self.pick(f"for {i} in range(2):", f"for {i} in range(n):"))
        self.numbers.append(f"{i} * 0.2")
        before = 2 if self.inside is None else self.inside.calls
        if self.inside is not None:
            self.inside.calls = max(before, 1)  # at most one call in a loop
        self.block(depth)
        self.numbers.pop()

    def returned(self):
        inside = self.inside
        if inside.result == "number":
            self.emit(f"return {self.pick('t', 'np.tanh(t) + 0.2 * r', 't * 0.5 + ' + self.number())}")
        elif inside.kind == "tree":
            vector = "np.tanh(box.v)"
            self.emit(f"return {vector}" if inside.result == "vector" else f"return t, {vector}")
        else:
            array = "np.tanh(a)" if inside.kind == "halves" else self.array()
            self.emit(f"return {array}" if inside.result == "vector" else f"return t, {array}")

    # ---- functions -----------------------------------------------------------------------
    def function(self, called):
        """The definition of a function that calls itself."""
        self.inside = called
        parameters, ends, numbers = {
            "number": ("a, k", "k <= 0", ["k * 0.1"]),
            "data": ("a, c", f"c > {self.random.uniform(1.0, 3.0):.1f}", ["c"]),
            "halves": ("a", "len(a) <= 1", ["len(a) * 0.1"]),
            "tree": ("node", "node is None", []),
        }[called.kind]
        self.vectors = ["a"] if called.kind != "tree" else []
        self.numbers = ["t", "r", "s", *numbers]
        self.emit(f"def {called.name}({parameters}):")
        self.depth += 1
        self.emit(self.pick("t, r = 0.1, s * 0.5", "t, r = s, 0.2"))
        if self.likely(0.3):
            self.emit("nonlocal total")
            self.emit(f"total = total * 0.9 + 0.1 * {self.number()}")
        if self.likely(0.2) and called.kind == "number":
            self.outside()
        self.emit(f"if {ends}:")
        self.depth += 1
        self.returned()
        self.depth -= 1
        if called.kind == "tree":
            self.numbers.append("node.value")
        elif called.kind == "halves":
            self.emit("h = len(a) // 2")
        for _ in range(self.random.randint(0, 2)):
            self.statement()
        self.again()
        for _ in range(self.random.randint(0, 2)):
            self.statement()
        self.returned()
        self.depth -= 1
        self.inside = None

    def functions(self):
        """One or two recursive functions, or two that call each other."""
        made = []
        for _ in range(self.random.randint(1, 2)):
            kind = self.pick(*KINDS)
            called = Called(self.fresh("f"), kind, self.pick(*RESULTS), [])
            group = [called]
            if self.likely(0.3):
                partner = Called(self.fresh("f"), kind, self.pick(*RESULTS), [called])
                called.partners.append(partner)
                group.append(partner)
            for one in group:
                self.function(one)
            made += group
        return made

    def text(self):
        self.depth = 1
        self.emit("tree = Tree(x[0], Tree(x[1], None, Tree(s)), Tree(y[0] * x[2]))")
        self.emit("box, grid = Box(s * 0.5, y * 0.3), x * y")
        self.emit("out, total = [s], 0.0")
        made = self.functions()
        self.vectors, self.numbers = ["u", "v", "x", "y"], ["s", "t", "r"]
        self.emit("u, v = np.tanh(x * y), x - 0.5 * y")
        self.emit("t, r = 0.0, s * 0.5")
        for called in made:
            if self.likely(0.3):
                self.statement(1)
            if self.likely(0.4):
                self.emit(self.pick("for i in range(n):", f"if {self.test()}:"))
                self.depth += 1
                self.use(called, self.call(called))
                self.depth -= 1
            else:
                self.use(called, self.call(called))
        self.emit("return (np.tanh(t) + np.tanh(r) + np.sum(np.tanh(u) * y) + np.sum(np.tanh(v) * x)")
        self.emit("        + np.tanh(total) + sum(out) * 0.2 + np.tanh(box.t)")
        self.emit("        + np.sum(np.tanh(box.v)) + np.sum(np.tanh(grid)))")
        return "def program(x, y, s, n):\n" + "\n".join(self.lines) + "\n"


def recursive_program(seed):
    """The function of a seed, and its text."""
    text = Recursive(seed).text()
    filename = f"<recursive program {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {"__name__": __name__, "np": np, "Box": Box, "Tree": Tree, "mix": mix}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"], text


def recursive_arguments(seed):
    """Arguments for the program of a seed."""
    stream = np.random.RandomState(seed)
    return (stream.rand(4) + 0.2, stream.rand(4) - 0.3, float(stream.rand()), 3)
