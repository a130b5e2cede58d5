"""Random programs of what is made now and read later: generator expressions, generator functions,
closures, lambdas in lists and dicts, ``nonlocal``, defaults, ``partial``, ``map``, ``filter``, ``zip``
and itertools, while the variables, lists and arrays that they read change in between, in branches and
loops that depend on data."""

from __future__ import annotations

from generator import Lines

PRELUDE = '''
import functools
import itertools
import math
import operator
import numpy as np


def scaled(items, f=0.9):
    for v in items:
        yield f * v


def running(items, start):
    for v in items:
        start = 0.5 * start + v
        yield start


def until(items, limit):
    for v in items:
        if v > limit:
            return
        yield v


def both(first, second):
    yield from first
    yield 0.4
    yield from (v * 0.5 for v in second)


def counter(start, step=0.3):
    total = start

    def more(v=0.1):
        nonlocal total
        total = total * 0.8 + step * v
        return total

    return more


def twice(f):
    return lambda v: f(f(v))


def keeping(f, kept=None):
    kept = [] if kept is None else kept

    def call(v):
        kept.append(f(v))
        return kept[-1] + 0.1 * len(kept)

    return call
'''


class Lazy(Lines):
    """One random ``program(x, y, a, k)`` of two vectors of one length, a number and a small integer."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.numbers = ["s", "t", "c"]
        self.functions = ["math.sin", "abs"]
        self.iterators: list[str] = []
        self.lists = ["l"]
        self.budget = self.random.randint(3, 7)
        self.loops = 0

    # ---- expressions -------------------------------------------------------------------------
    def constant(self) -> str:
        return f"{self.random.randint(2, 19) / 10}"

    def number(self, depth: int = 2, local: tuple[str, ...] = ()) -> str:
        names = (*self.numbers, *local, *local)
        if depth == 0 or self.chance(0.3):
            return self.pick(*names, *local, self.constant(), "x[0]", "w[-1]", "a", f"{self.pick(*self.lists)}[0]")
        def inner() -> str:
            return self.number(depth - 1 if self.chance(0.4) else 0, local)

        return self.pick(
            f"({inner()} + {inner()})", f"({inner()} - {inner()})", f"{inner()} * {inner()}",
            f"{self.function()}({inner()})", f"np.tanh({inner()})", f"0.5 * {inner()}",
            f"({inner()} if {self.test(local)} else {inner()})",
            f"math.exp(-abs({inner()}))", self.reduction(depth - 1, local), self.reduction(depth - 1, local))

    def test(self, local: tuple[str, ...] = ()) -> str:
        first = self.pick(*self.numbers, *local, *local)
        return self.pick(f"{first} > {self.constant()}", f"{first} < {self.constant()}", "k > 1",
                         f"any({self.source(0, local)})" if self.chance(0.2) else f"{first} > 0.8",
                         f"all(v < 1.6 for v in {self.source(0, local)})", f"len({self.pick(*self.lists)}) > 3")

    def function(self) -> str:
        return self.pick(*self.functions, *self.functions[2:], "table[0]", "table[-1]", "by['f']")

    def lam(self, depth: int = 1) -> str:
        extra = self.pick("", "", ", u=c", ", u=s", ", *, u=t")
        return f"lambda v{extra}: {self.number(depth, ('v', 'u') if extra else ('v',))}"

    def source(self, depth: int = 2, local: tuple[str, ...] = ()) -> str:
        """Something to go through, of numbers."""
        if depth == 0 or self.chance(0.25):
            if self.iterators and not local and self.depth == 1 and self.chance(0.3):
                return self.iterators.pop(0)
            return self.pick("x", "w", "y", "w[1:]", "x[::-1]", *self.lists, *self.lists, "by2.values()",
                             "w.tolist()")

        def inner() -> str:
            return self.source(depth - 1 if self.chance(0.5) else 0, local)

        v = self.pick("v", "v", "q", "e")
        mine = (*local, v)
        name = v
        return self.pick(
            f"({self.number(1, mine)} for {name} in {inner()})",
            f"({self.number(1, mine)} for {name} in {inner()})",
            f"({self.number(1, mine)} for {name} in {inner()} if {self.test(mine)})",
            f"({self.number(1, (*mine, 'j'))} for j, {name} in enumerate({inner()}))",
            f"({self.number(1, (*mine, 'o'))} for {name}, o in zip({inner()}, {inner()}))",
            f"({self.number(0, (*mine, 'o'))} for {name} in {inner()} for o in (c, {name}, 0.3))",
            f"[{self.number(1, mine)} for {name} in {inner()}]",
            f"map({self.function()}, {inner()})", f"map({self.lam()}, {inner()})",
            f"filter({self.predicate()}, {inner()})",
            f"map(operator.mul, {inner()}, {inner()})",
            f"scaled({inner()})", f"scaled({inner()}, f={self.number(0, local)})",
            f"running({inner()}, {self.number(0, local)})", f"until({inner()}, {self.constant()})",
            f"both({inner()}, {inner()})", f"itertools.chain({inner()}, {inner()})",
            f"itertools.accumulate({inner()})", f"itertools.accumulate({inner()}, lambda p, q: 0.5 * p + q * c)",
            f"itertools.islice({inner()}, {self.pick('2', '3', '1, 3', 'k', 'None')})",
            f"itertools.takewhile({self.predicate()}, {inner()})", f"itertools.dropwhile({self.predicate()}, {inner()})",
            f"itertools.starmap({self.two()}, zip({inner()}, {inner()}))",
            f"(p - q for p, q in itertools.pairwise({inner()}))",
            f"itertools.compress({inner()}, x > 0.8)", f"itertools.repeat({self.number(0, local)}, 2)",
            f"(o[0] * o[1] for o in itertools.zip_longest({inner()}, {inner()}, fillvalue=0.5))",
            f"iter({inner()})", f"tuple({inner()})", f"sorted({inner()}, key={self.key()})",
            f"reversed({self.pick(*self.lists)})", f"(by2[q] for q in by2)")

    def predicate(self) -> str:
        return self.pick(f"lambda v: v > {self.constant()}", f"lambda v: v < {self.constant()}", "lambda v: v > c",
                         "lambda v: v < s + 1.0", "lambda v: abs(v - t) > 0.3")

    def two(self) -> str:
        return self.pick("lambda p, q: p * q + c", "operator.sub", "lambda p, q: p - 0.3 * q * s", "max",
                         "lambda p, q, r=t: p * r + q")

    def key(self) -> str:
        return self.pick("lambda v: -v", "lambda v: abs(v - c)", "abs", "lambda v: (v > s, v)",
                         f"{self.pick('math.sin', 'abs', *self.functions[2:])}")

    def reduction(self, depth: int = 1, local: tuple[str, ...] = ()) -> str:
        it = self.source(max(depth, 0), local)
        return self.pick(
            f"sum({it})", f"sum({it})", f"sum({it}, {self.number(0, local)})", f"max({it}, default=0.2)",
            f"min({it}, default={self.number(0, local)})", f"max({it}, key={self.key()}, default=0.3)",
            f"next(iter({it}), {self.number(0, local)})", f"functools.reduce({self.two()}, {it}, {self.number(0, local)})",
            f"float(len(list({it})))", f"sorted([*{it}, 0.1], key={self.key()})[0]",
            f"next(({self.number(0, ('v',))} for v in {it} if {self.test(('v',))}), {self.constant()})",
            f"math.fsum({it})", f"sum(p * q for p, q in zip({it}, {self.source(0, local)}))",
            f"np.sum(np.fromiter({it}, float))", f"np.array([*{it}, c]).sum()", f"math.prod({it})")

    # ---- statements --------------------------------------------------------------------------
    def statement(self) -> None:
        kind = self.random.random()
        if kind < 0.2:
            self.make()
        elif kind < 0.5:
            self.change()
        elif kind < 0.75:
            self.read()
        elif self.depth < 4:
            self.block()
        else:
            self.change()

    def make(self) -> None:
        kind = self.random.random()
        if kind < 0.45:
            name = self.fresh("g")
            self.put(f"{name} = {self.source(self.random.randint(1, 2))}")
            if self.depth == 1:
                self.iterators.append(name)
            else:
                self.put(f"s = 0.6 * s + 0.1 * sum({name})")
        elif kind < 0.8:
            name = self.fresh("f")
            how = self.pick("lambda", "lambda", "def", "partial", "counter", "twice", "keeping", "default", "method")
            if how == "lambda":
                self.put(f"{name} = {self.lam()}")
            elif how == "def":
                self.put(f"def {name}(v, u={self.pick('c', 's', '0.5')}):")
                self.put(f"    {self.pick('nonlocal c', 'nonlocal s', 'pass')}")
                changed = self.lines[-1].split()[-1]
                if changed != "pass":
                    self.put(f"    {changed} = 0.7 * {changed} + 0.1 * {self.number(0, ('v', 'u'))}")
                if self.chance(0.4):
                    self.put(f"    if {self.test(('v', 'u'))}:")
                    self.put(f"        return {self.number(0, ('v', 'u'))}")
                self.put(f"    return {self.number(1, ('v', 'u'))}")
            elif how == "partial":
                self.put(f"{name} = functools.partial({self.pick('max', 'operator.mul', 'lambda p, q: p * q + c')}, {self.number(0)})")
            elif how == "method":
                self.put(f"{name} = {self.pick('kept.count', 'w.__getitem__', 'by2.get')}")
                self.put(f"{name} = lambda v, m={name}: v * 0.5 + {self.pick('c', 's')}")
            else:
                self.put(f"{name} = {self.pick(f'counter({self.number(0)})', f'twice({self.function()})', f'keeping({self.function()})', 'keeping(math.cos, l)')}")
            if self.depth == 1:
                self.functions.append(name)
            else:
                self.put(f"s = 0.5 * s + 0.2 * {name}({self.number(0)})")
        else:
            self.put(self.pick(f"table.append({self.lam()})", f"by['f'] = {self.lam()}", f"table[0] = {self.function()}",
                               f"by['f'] = {self.function()}", f"table = [{self.lam()} for m in range(2)]",
                               "table += [lambda v, m=m: v * m for m in (c, s)]",
                               f"table = [(lambda v, m=m: v * 0.5 * m + c) for m in {self.pick('l[:2]', 'x[:2]', '(s, t)')}]"))

    def change(self) -> None:
        name = self.pick("s", "t", "c", "c")
        place = self.pick("0", "-1", "1")
        self.put(self.pick(
            f"{name} = {self.number(1)}", f"{name} += 0.3 * {self.number(0)}", f"{name} = 0.5 * {name} + 0.1",
            f"w[{place}] {self.pick('=', '+=', '*=')} {self.number(0)}", "w *= 0.9", "w[1:] += 0.2 * w[:-1]",
            f"w = w * {self.constant()}", "w = x[::-1] * 1.0", f"w[w > {self.constant()}] = {self.number(0)}",
            f"{self.pick(*self.lists)}[0] = {self.number(0)}", f"{self.pick(*self.lists)}.append({self.number(0)})",
            f"l = [{self.number(0)}, {self.number(0)}]", f"l = l + [{self.number(0)}]", "l.reverse()", "l.sort()",
            f"by2['p'] = {self.number(0)}", f"by2['q'] {self.pick('=', '*=')} {self.number(0)}", "s, c = c, s",
            "np.multiply(w, 0.8, out=w)", f"l[:1] = [{self.number(0)}, 0.4]"))

    def read(self) -> None:
        value = self.pick(f"{self.reduction(2)}", f"{self.function()}({self.number(0)})")
        if self.iterators and self.chance(0.45):
            it = self.pick(*self.iterators)
            if self.chance(0.7):
                self.iterators.remove(it)
            value = self.pick(f"sum({it})", f"next(iter({it}), 0.3)", f"sum({it}, s)", f"max({it}, default=c)",
                              f"sum(v * c for v in {it})", f"sum(itertools.islice({it}, 2))", f"functools.reduce({self.two()}, {it}, 0.1)")
        name = self.pick("s", "t")
        self.put(self.pick(f"{name} = 0.6 * {name} + 0.2 * {value}", f"{name} += 0.1 * {value}", f"l.append(0.3 * {value})",
                           f"kept.append({value})"))

    def block(self) -> None:
        kind = self.random.random()
        if kind < 0.35:
            self.put(f"if {self.test()}:")
            self.body()
            if self.chance(0.5):
                self.put("else:")
                self.body()
        elif kind < 0.85:
            self.loops += 1
            if self.loops > 2:
                return self.change()
            item = self.pick("v", "h", "z")
            self.put(self.pick(f"for {item} in {self.source(1)}:", f"for {item} in {self.source(1)}:",
                               f"for j, {item} in enumerate({self.source(1)}):",
                               f"for {item} in w:", f"for j in range(k):", f"for j, {item} in zip(range(3), {self.source(1)}):"))
            head = self.lines[-1]
            saved = list(self.numbers)
            if f"{item} in" in head:
                self.numbers.append(item)
            if "j" in head.split(" in ")[0]:
                self.numbers.append("j")
            self.body()
            if self.chance(0.3):
                self.put(f"    if {self.test()}:")
                self.put(f"        {self.pick('break', 'continue', 'break')}")
                self.put("    s = 0.9 * s")
            self.numbers = saved
            if self.chance(0.15):
                self.put("else:")
                self.body()
        else:
            self.loops += 1
            if self.loops > 2:
                return self.change()
            name = self.fresh("i")
            self.put(f"{name} = 0")
            self.put(f"while {name} < {self.pick('k', '2', 'len(x)')} and {self.pick('s < 4.0', 'True', 't > -2.0')}:")
            self.put(f"    {name} += 1")
            self.body()

    def body(self) -> None:
        self.depth += 1
        saved = list(self.iterators), list(self.functions)
        for _ in range(self.random.randint(1, 2)):
            if self.budget > 0:
                self.budget -= 1
                self.statement()
        if not self.lines[-1].startswith("    " * self.depth):
            self.put("s = 0.95 * s")
        self.iterators, self.functions = saved
        self.depth -= 1

    def text(self) -> str:
        self.put("s, t, c = a, 0.4, 0.8 + 0.1 * x[0]")
        self.put("w = x * 1.0")
        self.put(f"l = {self.pick('[a, x[1], 0.7]', 'list(y)', '[0.5 * v for v in y]', '[c, s]')}")
        self.put("kept = []")
        self.put(f"table = [{self.lam()}, {self.lam()}]")
        self.put(f"by = {{'f': {self.lam()}}}")
        self.put("by2 = {'p': a, 'q': x[1]}")
        self.make()
        while self.budget > 0:
            self.budget -= 1
            self.statement()
        for it in self.iterators:
            self.put(f"s = 0.7 * s + 0.1 * sum({it})" if self.chance(0.5) else f"s += 0.1 * next(iter({it}), 0.2)")
        for f in self.functions[2:]:
            self.put(f"s += 0.1 * {f}(t)")
        end = "return s + t + 0.1 * np.sum(w) + 0.1 * sum(l) + 0.01 * sum(kept) + by['f'](c) + table[-1](0.3)"
        self.put(end)
        return PRELUDE + "\n\ndef program(x, y, a, k):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> str:
    return Lazy(seed).text()
