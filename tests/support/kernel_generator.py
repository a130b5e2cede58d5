"""Random kernels as scientists write them: nested loops over ragged slices and masks, names that
only some paths bind, a name that is a number on one path and an array on another, lists filled
in loops and branches, helpers that return early, steps of ``range``, reductions of what comes out
of it.  A program may end by an exception of plain Python, and many do for some arguments.

Values have sorts: ``number``, ``array`` (one axis, any length), ``either`` (a number or an
array), ``list`` (of such).  What is made in a block may be read after it, bound or not.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from generator import made

PRELUDE = "import math\nimport numpy as np\n"


class Writer:
    """Writes the lines of one function."""

    def __init__(self, stream: random.Random, helpers: Sequence[str] = ()) -> None:
        self.stream, self.helpers = stream, helpers
        self.lines: list[str] = []
        self.depth = 1
        self.loops = 0
        self.count = 0
        self.left = 9
        self.indices: list[str] = []
        self.names: dict[str, list[str]] = {"number": [], "array": [], "either": [], "list": []}
        self.fixed: set[str] = set()  # what may not be written to in place

    # ---- choices -----------------------------------------------------------------------------

    def pick(self, *options: Any) -> Any:
        return self.stream.choice(options)

    def chance(self, p: float) -> bool:
        return self.stream.random() < p

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def bound(self, sort: str, stem: str) -> str:
        """A name to bind: a fresh one, or one that has been used for this sort."""
        olds = [n for n in self.names[sort] if n not in self.fixed]
        if olds and self.chance(0.5):
            return str(self.pick(*olds))
        self.count += 1
        return f"{stem}{self.count}"

    def known(self, sort: str, name: str) -> None:
        if name not in self.names[sort]:
            self.names[sort].append(name)

    def constant(self) -> str:
        return f"{self.stream.uniform(-0.9, 1.3):.2f}"

    # ---- expressions -------------------------------------------------------------------------

    def index(self) -> str:
        return str(self.pick(*self.indices, "0", "0", "-1", "n")) if self.chance(0.9) else "1"

    def array(self) -> str:
        """A name or a slice or a mask of one."""
        name = self.pick(*self.names["array"])
        kind = self.stream.random()
        if kind < 0.5:
            return str(name)
        i = self.pick(*self.indices, "1", "n")
        if kind < 0.8:
            return str(self.pick(f"{name}[{i}:]", f"{name}[:{i} + 1]", f"{name}[:{i}]",
                                 f"{name}[::-1]", f"{name}[::2]", f"{name}[-{i} - 1:]"))
        return f"{name}[{name} {self.pick('>', '<')} {self.constant()}]"

    def like(self, name: str) -> str:
        """An expression of the shape of a name."""
        return str(self.pick(name, f"np.sin({name})", f"{name} * {self.number()}", f"{name} ** 2",
                             f"np.tanh({name} + {self.number()})", f"{name} * {name}",
                             f"np.where({name} > {self.constant()}, {name}, {name} * 0.5)",
                             f"np.exp(-{name} * {name})", f"np.maximum({name}, {self.constant()})",
                             f"np.cumsum({name})", f"{name} - np.mean({name})"))

    def reduced(self, text: str) -> str:
        """A number made of an array."""
        whole = ["np.sum({})", "np.sum({})", "np.mean({})", "np.dot({0}, {0})", "np.max({})",
                 "np.min({})", "np.sum(np.asarray({}) ** 2)", "np.matmul({0}, {0})",
                 "np.linalg.norm({})", "np.prod(np.cos({}))", "float(len({}))", "np.std({})"]
        return str(self.pick(*whole)).format(text)

    def whatever(self) -> str:
        """A number made of what is a number or an array."""
        name = self.pick(*self.names["either"])
        return str(self.pick(
            f"np.sum({name})", f"np.mean({name})", f"np.max({name})", f"np.dot({name}, {name})",
            f"np.sum(np.asarray({name}) * 0.5)", f"np.sum(np.maximum({name}, {self.constant()}))",
            f"np.sum({name} * {name})", f"np.linalg.norm({name})", f"np.size({name}) * 0.5",
            f"np.sum(np.where({name} > {self.constant()}, {name}, 0.0))", f"np.mean({name} ** 2)",
            f"np.sum(np.atleast_1d({name})[0])", f"np.sum(np.ravel({name}))",
            f"np.sum({name} + {self.pick(*self.names['array'])})"))

    def listed(self) -> str:
        """A number made of a list."""
        name = self.pick(*self.names["list"])
        return str(self.pick(
            f"sum({name})", f"np.sum(np.array({name}))", f"np.mean({name})", f"len({name}) * 0.3",
            f"{name}[{self.index()}] * 0.7", f"max({name})", f"np.sum(np.asarray({name}) ** 2)",
            f"sum([v * v for v in {name}])", f"np.dot(np.array({name}), np.array({name}))"))

    def number(self, deep: bool = True) -> str:
        kind = self.stream.random()
        if kind < 0.3:
            return str(self.pick(*self.names["number"]))
        if kind < 0.5:
            return f"{self.pick(*self.names['array'])}[{self.index()}]"
        if kind < 0.6 and self.names["either"]:
            return self.whatever()
        if kind < 0.7 and self.names["list"]:
            return self.listed()
        if kind < 0.8 and self.helpers and deep:
            return self.called()
        if kind < 0.95:
            return self.reduced(self.array())
        return self.constant()

    def called(self) -> str:
        return f"{self.pick(*self.helpers)}({self.array()}, {self.pick(*self.names['number'])})"

    def test(self) -> str:
        return str(self.pick(
            f"{self.number()} > {self.constant()}", f"{self.number()} < {self.constant()}",
            f"{self.pick(*self.names['array'])}[{self.index()}] > {self.constant()}",
            f"len({self.array()}) > {self.pick(0, 1, 2)}", f"n > {self.pick(0, 1, 2)}",
            *[f"{i} {self.pick('>', '==', '%')} {self.pick(1, 2)}" for i in self.indices],
            *[f"np.any({a} > {self.constant()})" for a in self.names["array"][:1]]))

    # ---- statements --------------------------------------------------------------------------

    def block(self, most: int = 3) -> None:
        before = {sort: list(names) for sort, names in self.names.items()}
        self.depth += 1
        for _ in range(self.stream.randint(1, most)):
            self.statement()
        self.depth -= 1
        for sort, names in before.items():  # what the block binds is read after it now and then
            self.names[sort] = [*names, *(v for v in self.names[sort]
                                          if v not in names and self.chance(0.2))]

    def statement(self) -> None:
        self.left -= 1
        simple = [self.sums, self.sums, self.makes, self.makes, self.ragged, self.mixed,
                  self.appends, self.writes]
        nested = [self.loop, self.loop, self.loop, self.branch, self.branch, self.binding,
                  self.binding, self.waiting]
        if self.loops:
            simple += [self.leave]
        deep = self.left > 0 and self.depth < 5
        self.stream.choice(nested if deep and self.chance(0.5) else simple)()

    def sums(self) -> None:
        name = self.bound("number", "a")
        if name in self.names["number"]:
            self.emit(self.pick(f"{name} += 0.3 * {self.number()}",
                                f"{name} = np.tanh({name}) + {self.number()}",
                                f"{name} = {self.number()}"))
        else:
            self.emit(f"{name} = {self.number()}")
        self.known("number", name)

    def makes(self) -> None:
        name, source = self.bound("array", "v"), self.pick(*self.names["array"])
        self.emit(f"{name} = {self.like(source)}")
        self.known("array", name)

    def ragged(self) -> None:
        text = self.array()
        name = self.bound("array", "t")
        self.emit(f"{name} = {text}")
        self.known("array", name)

    def mixed(self) -> None:
        """A number or an array, by a path."""
        name = self.bound("either", "e")
        if name not in self.names["either"]:
            self.emit(f"{name} = {self.pick('0.0', '0.0', self.number())}")
            self.known("either", name)
        self.emit(f"if {self.test()}:")
        self.emit(f"    {name} = {self.pick(self.array(), f'{name} + {self.array()}', self.like(self.pick(*self.names['array'])))}")

    def appends(self) -> None:
        name = self.bound("list", "L")
        if name not in self.names["list"]:
            self.emit(f"{name} = []")
            self.known("list", name)
        self.emit(f"{name}.append({self.number()})")

    def writes(self) -> None:
        free = [a for a in self.names["array"] if a not in self.fixed]
        if not free:
            self.makes()
            return
        w, i = self.pick(*free), self.pick(*self.indices, "0", "-1")
        self.emit(self.pick(
            f"{w}[{i}] = {self.number()}", f"{w}[{i}] += 0.5 * {self.number()}", f"{w} *= 0.9",
            f"{w} += {self.constant()}", f"{w}[1:] += 0.3 * {w}[:-1]", f"{w}[::2] *= 0.7",
            f"{w}[{w} > {self.constant()}] = 0.4", f"{w}[{i}:] *= {self.number()}",
            f"{w} -= 0.1 * {self.pick(*self.names['array'])}"))

    def leave(self) -> None:
        self.emit(f"if {self.test()}:")
        self.emit(f"    {self.pick('break', 'continue', f'return {self.number(False)}')}")

    # ---- control -----------------------------------------------------------------------------

    def branch(self) -> None:
        self.emit(f"if {self.test()}:")
        self.block(2)
        if self.chance(0.2):
            self.emit(f"elif {self.test()}:")
            self.block(1)
        if self.chance(0.5):
            self.emit("else:")
            self.block(2)

    def binding(self) -> None:
        """A loop whose branch binds a name that is read after it."""
        source = self.pick(*self.names["array"])
        i = self.header()
        self.count += 1
        t = f"t{self.count}"
        self.depth += 1
        self.emit(f"{t} = {source}" + self.pick(f"[{i}:]", f"[:{i} + 1]", f"[{source} > {self.constant()}]"))
        self.known("array", t)
        self.emit(f"if {t}[0] > {self.constant()}:" if self.chance(0.7) else f"if {self.test()}:")
        name = self.bound("array", "v")
        self.emit(f"    {name} = {self.like(t)}")
        if self.chance(0.5):
            self.known("array", name)
        if self.chance(0.3):
            self.emit(f"    {self.pick('break', 'continue')}")
        if self.chance(0.4) and self.left > 0 and self.depth < 4:
            self.depth -= 1
            self.block(1)
            self.depth += 1
        self.depth -= 1
        self.names["array"].remove(t)
        self.closed()
        if self.chance(0.8):
            total = self.bound("number", "a")
            self.emit(f"{total} = {self.reduced(name)}")
            self.known("number", total)

    def header(self) -> str:
        """The head of a loop over indices."""
        self.count += 1
        i, a = f"i{self.count}", self.pick(*self.names["array"])
        self.emit(f"for {i} in " + self.pick(
            f"range(len({a}))", f"range(len({a}))", "range(n)", "range(3)", f"range(1, len({a}))",
            f"range(0, len({a}), 2)", f"range(len({a}) - 1, -1, -1)", "range(n, 0, -1)",
            f"range({self.pick(*self.indices, 'n')} + 1)", f"range(0, len({a}), n + 1)",
            f"reversed(range(len({a})))") + ":")
        self.indices.append(i)
        self.loops += 1
        return i

    def closed(self) -> None:
        self.loops -= 1
        self.indices.pop()
        if self.chance(0.15):
            self.emit("else:")
            self.block(1)

    def loop(self) -> None:
        if self.chance(0.2):
            self.count += 1
            v = f"u{self.count}"
            self.emit(f"for {v} in {self.array()}:")
            self.names["number"].append(v)
            self.loops += 1
            self.block()
            self.loops -= 1
            self.names["number"].remove(v)
            return
        self.header()
        self.block()
        self.closed()

    def waiting(self) -> None:
        self.count += 1
        k = f"k{self.count}"
        self.emit(f"{k} = 0")
        self.emit(f"while {k} < {self.pick('3', 'n', f'len({self.array()})')}"
                  + self.pick("", f" and {self.test()}") + ":")
        self.depth += 1
        self.emit(f"{k} += 1")
        self.depth -= 1
        self.loops += 1
        self.indices.append(k)
        self.block()
        self.closed()

    # ---- functions ---------------------------------------------------------------------------

    def helper(self, name: str) -> list[str]:
        """A helper that may return early from its loop: a number."""
        self.names["array"], self.names["number"] = ["w"], ["c"]
        self.fixed = {"w", "c"}
        self.left = 2
        self.lines.append(f"def {name}(w, c, n=2):")
        i = self.header()
        self.depth += 1
        self.emit(f"q = {self.pick(f'w[{i}] * c', f'np.sum(w[{i}:] * c)', f'np.sum(w[:{i} + 1]) + c')}")
        self.known("number", "q")
        self.depth -= 1
        if self.chance(0.5):
            self.block(1)
        self.emit(f"    if q > {self.constant()}:")
        self.emit(f"        {self.pick('return q', 'return q * w[0]', 'c = q')}")
        self.closed()
        self.emit(f"return {self.pick('c * 0.5', 'q', 'np.sum(w) * c', self.number())}")
        return self.lines

    def text(self) -> list[str]:
        self.names["array"], self.names["number"] = ["x", "y"], ["s"]
        self.fixed = {"x", "y", "s", "n"}
        self.lines.append("def program(x, y, s, n):")
        for _ in range(self.pick(3, 4, 5)):
            self.statement()
        parts = [self.pick(*self.names["number"])]
        if self.names["either"]:
            parts.append(self.whatever())
        if self.names["list"]:
            parts.append(self.listed())
        made_here = self.names["array"][2:]
        if made_here:
            parts.append(self.reduced(self.pick(*made_here)))
        parts.append(f"np.sum(x * {self.pick('s', 'x')})")
        self.emit(f"return {' + '.join(parts)}")
        return self.lines


def program(seed: int) -> tuple[Any, str]:
    """The function of a seed, and its text."""
    stream = random.Random(seed)
    names = [f"helper{k}" for k in range(stream.choice((0, 0, 1, 2)))]
    texts = [Writer(stream, names[:k]).helper(name) for k, name in enumerate(names)]
    texts.append(Writer(stream, names).text())
    text = PRELUDE + "".join("\n\n" + "\n".join(lines) + "\n" for lines in texts)
    return made(text, f"kernel{seed}"), text


def arguments(seed: int) -> list[tuple[Any, ...]]:
    """Arguments of one signature: others take other paths, and other lengths."""
    stream = np.random.RandomState(seed)

    def some(length: int, other: int, n: int) -> tuple[Any, ...]:
        return (stream.rand(length) * 2.0 - 0.6, stream.rand(other) + 0.1,
                float(stream.rand()), n)

    return [some(4, 4, 2), some(4, 4, 2), some(3, 5, 3), some(2, 2, 0), some(0, 0, 1)]
