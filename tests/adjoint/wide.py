"""Random programs for derivatives of higher order: vectors, a matrix, an array whose size changes,
a list of arrays, inner functions, views of all kinds, jumps, repeated and boolean indices.

Every value passes through ``np.tanh`` now and then, so that the numbers stay small.  The text is
deterministic for a seed.
"""

from __future__ import annotations

import linecache
import random

import numpy as np

PRELUDE = '''
import numpy as np


def mix(a, b):
    return np.tanh(a) * b + 0.1 * a


def scaled(a, factor=0.5):
    a *= factor
    return a
'''


class Wide:
    """One random function of two vectors of five elements, a matrix and a number."""

    def __init__(self, seed, size=10):
        self.random = random.Random(seed)
        self.lines, self.depth, self.loops, self.budget = [], 0, 0, size
        self.vectors, self.numbers, self.indices = ["x", "y", "u", "v"], ["s", "t", "r"], []
        self.count = 0

    def pick(self, *options):
        return self.random.choice(options)

    def emit(self, text):
        self.lines.append("    " * (self.depth + 1) + text)

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    # ---- expressions ---------------------------------------------------------------------
    def place(self):
        if self.indices and self.random.random() < 0.6:
            return f"{self.pick(*self.indices)} % 5"
        return str(self.random.randrange(-5, 5))

    def row(self):
        if self.indices and self.random.random() < 0.5:
            return f"{self.pick(*self.indices)} % 3"
        return str(self.random.randrange(-3, 3))

    def vector(self):
        return self.pick(*self.vectors, f"M[{self.row()}]")

    def number(self, depth=0):
        a, b = self.vector(), self.vector()
        if depth > 1:
            return self.pick(*self.numbers)
        c = self.number(depth + 1)
        return self.pick(
            *self.numbers, f"{a}[{self.place()}]", f"np.sum({a} * {b})", f"np.tanh({c})",
            f"{a} @ {b}", f"np.max({a})", "np.sum(w ** 2)", "w[-1]", "len(w) * 0.1",
            f"np.linalg.norm({a} + 2.0)", f"M[{self.row()}, {self.place()}]", "np.sum(L[-1])",
            f"np.prod({a}[:3])", "np.trace(M[:, :3])", f"({c} if {self.number(2)} > 0.2 else 0.3)")

    def array(self):
        a, b, c = self.vector(), self.vector(), self.number()
        return self.pick(
            f"mix({a}, {b})", f"np.tanh({a} - {b})", f"{a} * {c}", f"np.where({a} > {b}, {a}, {c})",
            f"np.sort({a})", f"{a}[::-1] + {b}", f"np.cumsum({a}) * 0.3", f"{a}[[0, 0, 2, 1, 4]]",
            f"np.roll({a}, 1) * 0.9", f"np.maximum({a}, {b})", "(M.T @ M[:, 0]) * 0.2",
            f"np.concatenate([{a}[1:], {b}[:1]])", f"np.outer({a}, {b})[1]", f"{a}.copy()",
            f"np.clip({a}, -0.5, 0.8)", f"np.convolve({a}, {b}, 'same') * 0.3",
            f"np.linalg.solve(np.eye(5) * 4.0 + np.outer({a}, {b}), {b})",
            f"np.interp({a}, [-1, 0, 2], [0.1, 0.5, 0.2]) * {b}",
            f"np.einsum('i,j->i', {a}, {b}) * 0.3", f"np.array([{c}, {c}, 0.1, {c}, 0.2])",
            f"np.diff({a}, append={c})")

    def test(self):
        return self.pick(f"{self.number()} > {self.random.uniform(-0.3, 0.8):.2f}",
                         f"np.any({self.vector()} > 1.0)", "len(w) > 3",
                         *([f"{self.pick(*self.indices)} % 2 == 0"] if self.indices else []))

    # ---- statements ----------------------------------------------------------------------
    def block(self, most=3):
        self.depth += 1
        for _ in range(self.random.randint(1, most)):
            self.statement()
        self.depth -= 1

    def statement(self):
        self.budget -= 1
        kinds = [self.assign, self.assign, self.scalar, self.scalar, self.write, self.write,
                 self.matrix, self.resize, self.listing, self.view]
        if self.depth < 3 and self.budget > 0:
            kinds += [self.branch, self.branch, self.loop, self.loop, self.repeat, self.inner]
        self.pick(*kinds)()

    def assign(self):
        self.emit(f"{self.pick('u', 'v')} = {self.array()}")

    def scalar(self):
        t = self.pick("t", "r")
        self.emit(self.pick(f"{t} = np.tanh({self.number()})", f"{t} += 0.1 * {self.number()}",
                            f"{t} *= {self.number()}", f"{t} -= 0.2 * {self.number()}"))

    def write(self):
        w, a, c = self.pick("u", "v"), self.vector(), self.number()
        self.emit(self.pick(
            f"{w}[{self.place()}] = {c}", f"{w}[1:] = {a}[:-1] * {c}", f"{w}[:3] *= {c}",
            f"{w} += 0.2 * {a}", f"{w}[::2] -= {a}[:3]", f"{w}[{w} > 0.7] = {c}",
            f"np.add.at({w}, [0, 0, 3], {a}[:3])", f"{w}[[4, 1]] = {a}[:2]", f"{w} *= {a}",
            f"{w}[[1, 1, 2]] += 0.1 * {a}[2:]", f"scaled({w}, {c})", f"{w}[::-1][:2] = {a}[:2]",
            f"{w} /= 1.0 + {a} ** 2", f"{w}[{self.place()}] += {c}", f"{w}[...] = {a} * 0.7",
            f"{w}[np.argsort({a})] = {a}"))

    def matrix(self):
        a, c = self.vector(), self.number()
        self.emit(self.pick(
            f"M[{self.row()}] += 0.1 * {a}", f"M[:, {self.place()}] = {a}[:3]",
            f"M[{self.row()}, {self.place()}] = {c}", "M *= 0.7", f"M.T[1:3] += 0.1 * {c}",
            f"M[1:] = np.tanh(M[:-1]) * {c}", f"M = np.tanh(M) + 0.1 * np.outer({a}[:3], {a})",
            f"M[:, ::2] *= {c}", f"M.reshape(-1)[2:6] = {a}[:4]", "M = M[::-1] * 0.9",
            f"np.fill_diagonal(M, {c})", f"M[M > 0.6] *= {c}", f"M.flat[3] = {c}"))

    def resize(self):
        a, c = self.vector(), self.number()
        self.emit(self.pick(
            f"w = np.concatenate([w, {a}[:1]])", "w = w[1:] if len(w) > 2 else w * 1.1",
            f"w = np.append(np.tanh(w), {c})", f"w = np.tanh(w) * {c}", "w = w[::2].copy()",
            f"w[0] = {c}", f"w = {a}[{a} > 0.0]; w = np.append(w, 0.3)", "w = np.repeat(w[:2], 2)",
            f"w = np.tanh(np.convolve(w, {a}[:2]))[:6]", f"w[-1] *= {c}"))

    def listing(self):
        a, c = self.vector(), self.number()
        self.emit(self.pick(
            f"L.append({self.array()})", "u = L.pop() if len(L) > 1 else u * 0.5",
            f"L[-1] = L[-1] * {c}", f"t += 0.1 * sum(np.sum(e * {a}) for e in L)",
            "v = np.tanh(np.sum(np.array(L), axis=0))", f"L.insert(0, {a} * 0.5)",
            "r += 0.05 * len(L)"))

    def view(self):
        name, w = self.fresh("p"), self.pick("u", "v", f"M[{self.row()}]")
        self.emit(f"{name} = {w}[{self.pick('1:4', '::2', '::-1', ':3')}]")
        self.emit(self.pick(f"{name} *= {self.number()}", f"{name}[0] = {self.number()}",
                            f"{name} += 0.3", f"t += np.sum({name})"))

    def branch(self):
        self.emit(f"if {self.test()}:")
        self.block()
        self.depth += 1
        if self.loops and self.random.random() < 0.2:
            self.emit(self.pick("break", "continue"))
        elif self.random.random() < 0.1:
            self.emit(f"return np.tanh({self.number()}) + np.sum({self.vector()})")
        self.depth -= 1
        if self.random.random() < 0.5:
            self.emit("else:")
            self.block()

    def loop(self):
        i = self.fresh("i")
        self.emit(self.pick(f"for {i} in range(3):", f"for {i} in range(n):",
                            f"for {i} in range(3, 0, -1):", f"for {i} in range(len(w)):"))
        self.indices.append(i)
        self.loops += 1
        self.block()
        self.loops -= 1
        self.indices.pop()

    def repeat(self):
        k = self.fresh("k")
        self.emit(f"{k} = 0")
        self.emit(f"while {k} < 3 and {self.number()} < 4.0:")
        self.depth += 1
        self.emit(f"{k} += 1")
        self.depth -= 1
        self.loops += 1
        self.block()
        self.loops -= 1

    def inner(self):
        f = self.fresh("f")
        self.emit(f"def {f}(a, c=0.5):")
        self.depth += 1
        self.emit(self.pick(f"nonlocal_ = np.sum({self.vector()})", "nonlocal_ = c * 0.3"))
        self.emit(self.pick("return np.tanh(a) * nonlocal_ + c", "a = a.copy(); a[0] = c; return a",
                            f"return a * c + {self.pick('u', 'v', 'x')} * nonlocal_"))
        self.depth -= 1
        self.emit(f"{self.pick('u', 'v')} = {f}({self.vector()}, {self.number()})")

    def text(self):
        self.emit("u, v = np.tanh(x * y), x - 0.5 * y")
        self.emit("M = A.copy()")
        self.emit("t, r = 0.0, s * 0.5")
        self.emit("w = x[:2] * 1.0")
        self.emit("L = [y * 0.3]")
        for _ in range(self.random.randint(3, 6)):
            self.statement()
        self.emit("return (np.tanh(t) + np.tanh(r) + np.sum(np.tanh(u) * y) + np.sum(np.tanh(v) * x)")
        self.emit("        + np.sum(np.tanh(M)) + np.sum(np.tanh(w)) + np.sum(np.tanh(L[-1])))")
        return "def program(x, y, A, s, n):\n" + "\n".join(self.lines) + "\n"


def wide_program(seed, size=10):
    """The function of a seed, and its text."""
    return compiled(Wide(seed, size).text(), f"<wide program {seed}>")


def compiled(text, filename):
    """The function of a text, which can be staged."""
    text = PRELUDE + "\n\n" + text
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {"__name__": "wide_program"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"], text


def wide_arguments(seed):
    """Arguments for the program of a seed."""
    stream = np.random.RandomState(seed)
    return (stream.rand(5) + 0.2, stream.rand(5) - 0.3, stream.rand(3, 5) - 0.2,
            float(stream.rand()), 3)
