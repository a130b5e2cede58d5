"""Random programs in the style of small numerical methods: closures and helpers with keyword
arguments and defaults, a class that keeps a state, dicts of functions and of numbers, functions
chosen by a string, comprehensions, slices with steps, writes through views, several dtypes
(float32, complex, integers, truth values), NumPy's functions with ``axis``, ``keepdims``, ``out``
and ``where``, early returns.

Every value has a sort, by which it may stand in an expression: ``number``, ``vector`` (as long as
``x``) and ``matrix`` (square), all of double precision, real.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from generator import Lines, made

HEAD = """import math
from functools import partial, reduce

import numpy as np


class State:
    gain = 0.8

    def __init__(self, value, *, rate=0.1):
        self.value, self.rate, self.past = value, rate, []

    @property
    def size(self):
        return np.sqrt(np.sum(self.value * self.value) + 1.0)

    def step(self, force, times=1):
        for _ in range(times):
            self.past.append(self.value)
            self.value = self.value + self.rate * force
        return self

    def __call__(self, t):
        return self.gain * self.value * t

    def mean(self):
        return sum(self.past, self.value * 0.0) / (len(self.past) + 1)


def relax(v, *, rounds=2, weight=0.3, edge="keep"):
    v = v.copy()
    for _ in range(rounds):
        v[1:-1] += weight * (v[2:] - 2.0 * v[1:-1] + v[:-2])
        if edge == "zero":
            v[0] = v[-1] = 0.0
        elif edge == "wrap":
            v[0], v[-1] = v[-1], v[0]
    return v


def bounded(t, low=-1.0, high=1.0):
    if t < low:
        return low
    if t > high:
        return high + 0.01 * (t - high)
    return t


KINDS = {"sin": np.sin, "tanh": np.tanh, "square": lambda v: v * v, "soft": lambda v: v / (1.0 + abs(v))}
"""


class Writer(Lines):
    """Writes the lines of one function."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.made = 0
        self.loops: list[str] = []
        self.names = {"number": ["s"], "vector": ["x", "y"], "matrix": ["A"]}

    def new(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    def name(self, sort: str) -> str:
        return self.random.choice(self.names[sort])

    def constant(self) -> str:
        return self.pick("0.5", "-0.3", "1.2", "2", "0.25", "np.float64(0.5)", "3")

    # ---- expressions -------------------------------------------------------------------------

    def number(self, deep: int = 1) -> str:
        if deep <= 0 or self.random.random() < 0.3:
            return self.pick(self.name("number"), self.name("number"), self.constant())
        s, v, m = self.number(deep - 1), self.vector(deep - 1), self.matrix(deep - 1)
        at = self.pick("0", "-1", "1", "len(x) // 2", *(f"{i} % len(x)" for i in self.loops))
        return self.pick(
            f"np.sum({v})", f"({v})[{at}]", f"({m})[{at}, {at}]", f"np.mean({v}, where={v} > -5.0)",
            f"float({s})", f"bounded({s}, high=0.7)", f"bounded({s}, -0.2)", f"({v}) @ ({v}) * 0.1",
            f"np.max({v})", f"np.trace({m})", f"({m}).sum(axis=0)[{at}]", f"np.vdot({v}, {v}) * 0.1",
            f"max({s}, {self.number(deep - 1)})", f"abs({s})", f"math.exp(-({s}) ** 2)",
            f"np.linalg.norm({v})", f"sum(u * {s} for u in {v})", f"np.prod(1.0 + 0.1 * ({v}))",
            f"np.sum({v}, initial={s})", f"np.where({s} > 0.2, {s}, 0.5 * {s})", f"np.std({v}, ddof=1)",
            f"({m}).mean(axis=1, keepdims=True)[{at}, 0]", f"sum([u ** 2 for u in {v} if u > 0.0])",
            f"float(np.sum({v} > 0.1)) * {s}", f"np.abs(({v}) + 1j * ({s})).sum()",
            f"np.real(np.exp(1j * ({s})))", f"({s}) * np.count_nonzero({v} < 0.3)",
            f"np.interp({s}, [-1.0, 0.0, 1.0], [0.2, {s}, 0.4])", f"reduce(lambda a, b: a * 0.5 + b, {v})",
            f"np.median({v})", f"np.ptp({v})", f"np.einsum('i,ij,j->', {v}, {m}, {v}) * 0.1",
            f"np.log1p(np.abs({s}))", f"np.hypot({s}, 0.5)", f"np.dot({v}, ({m})[0])")

    def vector(self, deep: int = 1) -> str:
        if deep <= 0 or self.random.random() < 0.3:
            return self.name("vector")
        s, v, m = self.number(deep - 1), self.vector(deep - 1), self.matrix(deep - 1)
        other = self.vector(deep - 1)
        return self.pick(
            f"({v}) * ({s})", f"({v}) + ({other})", f"np.sin({v})", f"({m}) @ ({v})", f"({v})[::-1]",
            f"np.where({v} > 0.1, {v}, {other})", f"np.cumsum({v})", f"np.roll({v}, 1)",
            f"KINDS['{self.pick('sin', 'tanh', 'square', 'soft')}']({v})", f"np.clip({v}, -0.5, {s})",
            f"relax({v}, rounds={self.pick('1', '3')}, edge='{self.pick('keep', 'zero', 'wrap')}')",
            f"np.concatenate([({v})[::2], ({v})[1::2]])", f"np.array([u * {s} for u in {v}])",
            f"({m}).sum(axis={self.pick('0', '1', '-1')})", f"np.diag({m})", f"({m})[:, {self.pick('0', '-1')}]",
            f"np.maximum({v}, {other})", f"np.subtract({v}, {s})", f"np.sort({v})", f"({v})[np.argsort({other})]",
            f"np.multiply({v}, {other}, where={v} > 0.0, out=np.zeros_like({v}))",
            f"np.fft.ifft(np.fft.fft({v}) * {s}).real", f"np.max({m}, axis=0)", f"({v}).astype(complex).real",
            f"np.add.accumulate({v})", f"(({v}) > 0.2) * ({other})", f"np.outer({v}, {other}).mean(axis=0)",
            f"np.linalg.solve(({m}) * 0.1 + 3.0 * np.eye(len(x)), {v})", f"np.hstack([({v})[1:], {s}])",
            f"np.convolve({v}, [0.2, 0.5, 0.3], mode='same')", f"np.gradient({v})", f"abs({v}) ** 1.5",
            f"np.array([*({v})[:-1], {s}])", f"np.stack([{v}, {other}]).mean(0)", f"np.take({v}, np.arange(len(x))[::-1])",
            f"np.pad(({v})[1:-1], 1, constant_values=0.3)", f"np.exp({v} - np.max({v}))", f"-({v})",
            f"np.diff({v}, append={s})", f"np.tile({v}, 2)[::2]", f"np.repeat({v}, 2)[1::2]",
            f"np.minimum.accumulate({v})", f"({v}) / (1.0 + np.square({other}))")

    def matrix(self, deep: int = 1) -> str:
        if deep <= 0 or self.random.random() < 0.4:
            return self.name("matrix")
        s, v, m = self.number(deep - 1), self.vector(deep - 1), self.matrix(deep - 1)
        return self.pick(
            f"({m}) * ({s})", f"({m}).T", f"np.outer({v}, {self.vector(deep - 1)})", f"({m}) @ ({m}) * 0.2",
            f"({m}) + ({v})", f"({m}) - ({v})[:, None]", f"np.tanh({m})", f"np.diag({v})", f"({m})[::-1]",
            f"({m}) - np.mean({m}, axis=1, keepdims=True)", f"np.triu({m})", f"np.cumsum({m}, axis=0)",
            f"np.vstack([({m})[:-1], {v}])", f"np.where(({m}) > 0.0, {m}, {s})", f"np.array([r * {s} for r in {m}])",
            f"({m})[:, ::-1]", f"({m}).reshape(-1).reshape(len(x), -1)", f"np.flip({m}, 0)", f"np.transpose({m})")

    # ---- statements --------------------------------------------------------------------------

    def bind(self, sort: str, text: str) -> None:
        olds = self.names[sort][2 if sort == "vector" else 1:]
        name = self.pick(*olds) if olds and self.random.random() < 0.4 else self.new(sort[0])
        self.put(f"{name} = {text}")
        if name not in self.names[sort]:
            self.names[sort].append(name)

    def statement(self) -> None:
        kind = self.random.randrange(16)
        if kind < 3:
            self.bind("number", self.number(2))
        elif kind < 6:
            self.bind("vector", self.vector(2))
        elif kind == 6:
            self.bind("matrix", self.matrix(2))
        elif kind < 9:
            self.writes()
        elif kind < 12 and self.depth < 4:
            self.control()
        elif kind == 12:
            self.closure()
        elif kind == 13:
            self.instance()
        elif kind == 14:
            self.dictionary()
        elif self.random.random() < 0.5:
            self.put(f"if {self.number()} > {self.pick('2.5', '4.0')}:")
            self.put(f"    return {self.number(2)}")
        else:
            self.put(f"s = 0.5 * s + {self.number()}")

    def writes(self) -> None:
        w = self.new("w")
        self.put(f"{w} = ({self.vector()}) * 1.0")
        v, view = self.name("vector"), self.new("view")
        self.put(self.pick(
            f"{w}[::2] *= {self.number()}", f"{w}[1:] += 0.5 * {v}[:-1]", f"{w}[{w} > 0.2] = {self.number()}",
            f"{w} -= 0.1 * {v}", f"{w}[[0, -1]] = {v}[[1, 0]]", f"np.sin({w}, out={w})",
            f"np.add({w}, {v}, out={w}, where={v} > 0.0)", f"{w}[::-1][0] = {self.number()}",
            f"{view} = {w}[1::2]; {view} *= {self.number()}", f"{view} = {w}[::-1]; {view}[:2] += {v}[:2]",
            f"{w}.fill({self.number()})", f"np.cumsum({v}, out={w})", f"{w}[:], {view} = {v}[::-1], {w}[0]",
            f"{w}.sort()", f"{w} **= 2", f"np.copyto({w}, {v}, where={v} < 0.1)", f"np.putmask({w}, {w} < 0.0, 0.1)",
            f"{w}[...] = np.where({v} > 0.0, {v}, {w})", f"np.add.at({w}, [0, 0, 1], {self.number()})"))
        self.names["vector"].append(w)

    def control(self) -> None:
        kind, inside = self.random.randrange(5), None
        before = {sort: list(names) for sort, names in self.names.items()}
        if kind == 0:
            self.put(f"if {self.number()} > {self.pick('0.1', '0.5')}:")
        elif kind == 1:
            inside = self.new("i")
            self.put(f"for {inside} in range({self.pick('3', 'len(x)', '0, len(x), 2', 'len(x) - 1, -1, -2')}):")
        elif kind == 2:
            item = self.new("u")
            self.put(f"for {item} in {self.vector()}:")
            self.names["number"].append(item)
        elif kind == 3:
            inside, item = self.new("i"), self.new("u")
            self.put(f"for {inside}, {item} in enumerate({self.matrix()}):")
            self.names["vector"].append(item)
        else:
            item, other = self.new("u"), self.new("u")
            self.put(f"for {item}, {other} in zip({self.vector()}, {self.vector()}):")
            self.names["number"] += [item, other]
        self.loops += [inside] if inside else []
        self.depth += 1
        for _ in range(self.random.randint(1, 2)):
            self.statement()
        self.put(f"s = 0.6 * s + {self.number()}")
        if kind and self.random.random() < 0.25:
            self.put(f"if s > {self.pick('1.0', '3.0')}: {self.pick('break', 'continue')}")
        self.depth -= 1
        self.loops = [i for i in self.loops if i != inside]
        self.names = before

    def closure(self) -> None:
        f, v = self.new("f"), self.name("vector")
        scale, extra = self.number(), self.number()
        self.put(f"{f}_scale = {scale}")
        self.put(f"def {f}(t, *rest, power=2, **options):")
        self.put(f"    if options.get('flip', False):")
        self.put(f"        return np.sum({v} * t) * {f}_scale - sum(rest)")
        self.put(f"    return t ** power * {f}_scale + sum(rest)")
        self.bind("number", self.pick(
            f"{f}({extra})", f"{f}({extra}, 0.1, s)", f"{f}({extra}, flip=True)", f"{f}(*[{extra}, s], power=3)",
            f"partial({f}, power=3)({extra})", f"sum(map({f}, {v}))", f"{f}({f}({extra}) * 0.1, **{{'flip': s > 0}})",
            f"sum({f}(u, k * 0.1) for k, u in enumerate({v}))"))

    def instance(self) -> None:
        o = self.new("o")
        self.put(f"{o} = State({self.vector()}, rate={self.number()})")
        self.put(self.pick(f"{o}.step({self.vector()}, times=2)", f"{o}.step({self.vector()}).step({self.name('vector')})",
                           f"{o}.gain = {self.number()}", f"{o}.value[0] = {self.number()}" if False else f"{o}.rate *= 0.5",
                           f"for _ in range(3): {o}.step({o}({self.number()}))"))
        self.bind("vector", self.pick(f"{o}.value", f"{o}(0.5)", f"{o}.mean()", f"{o}.value * {o}.size"))

    def dictionary(self) -> None:
        d = self.new("d")
        self.put(f"{d} = {{'a': {self.number()}, 'b': {self.vector()}, 'n': 2}}")
        self.put(self.pick(f"{d}['a'] += {self.number()}", f"{d}['b'] = {d}['b'] * {d}['n']",
                           f"{d}.update(a={self.number()}, c=1.0)", f"{d}['c'] = {d}.pop('a'); {d}['a'] = {d}['c'] * 2",
                           f"for key in ('a', 'n'): {d}[key] = {d}[key] * 0.5"))
        self.bind("number", self.pick(f"{d}['a'] * np.sum({d}['b'])", f"sum(np.sum(v) for v in {d}.values())",
                                      f"{d}.get('c', {self.number()}) + {d}['n']",
                                      f"sum(np.mean(v) * len(k) for k, v in sorted({d}.items()))"))

    def text(self) -> str:
        for _ in range(self.random.randint(4, 6)):
            self.statement()
        self.put(f"return s + {self.name('number')} + np.sum({self.name('vector')}) * 0.3 "
                 f"+ np.sum(np.tanh({self.name('matrix')})) + np.sum(x * y)")
        return HEAD + "\n\ndef program(x, y, s, A):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> tuple[Any, str]:
    """The function of a seed, and its text."""
    text = Writer(seed).text()
    return made(text, f"method{seed}"), text


def arguments(seed: int) -> list[tuple[Any, ...]]:
    """Arguments of one signature: others take other paths, and other lengths."""
    stream = np.random.RandomState(seed)

    def some(n: int) -> tuple[Any, ...]:
        return (stream.rand(n) * 2.0 - 0.6, stream.rand(n) + 0.1, float(stream.rand()),
                stream.rand(n, n) - 0.3)

    return [some(4), some(4), some(3), some(6)]
