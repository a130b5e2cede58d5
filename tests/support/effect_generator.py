"""Random programs of iterators whose items have effects: generators, ``map`` and generator expressions
that count, log and change what others read, taken by tools that call functions in turn, that stop early,
or that take one item more than they give."""

from __future__ import annotations

from generator import Lines


class Effects(Lines):
    """One random ``program(x, a)`` of a vector and a number."""

    growing = False  # does a list grow while its own items are taken, without end?

    def number(self, local: tuple[str, ...] = ()) -> str:
        names = ("st[0]", "st[1]", "a", "c", "out", "x[0]", "0.4", *local, *local)
        first, second = self.pick(*names), self.pick(*names)
        return self.pick(first, f"{first} * {second}", f"({first} + 0.5 * {second})", f"abs({first} - {second})",
                         f"math.sin({first})", f"0.3 * len(log) + {first}")

    def effect(self, local: tuple[str, ...]) -> str:
        """A statement that somebody else may notice."""
        value = self.number(local)
        return self.pick(f"st[0] = 0.6 * st[0] + 0.2 * {value}", f"log.append({value})", f"st[1] += 0.1 * {value}",
                         "c = 0.8 * c + 0.1", f"d['n'] = d.get('n', 0.0) + 0.1 * {value}", "pass", "pass")

    def function(self) -> str:
        """A new function of one number."""
        name = self.fresh("f")
        self.put(f"def {name}(v):")
        self.put("    nonlocal c")
        for _ in range(self.random.randint(0, 2)):
            self.put(f"    {self.effect(('v',))}")
        if self.chance(0.3):
            self.put(f"    if v > {self.pick('0.6', 'c', 'st[0]')}:")
            self.put(f"        return {self.number(('v',))}")
        self.put(f"    return {self.number(('v',))}")
        return name

    def generator(self) -> str:
        name = self.fresh("g")
        self.put(f"def {name}(items):")
        self.put("    nonlocal c")
        self.put("    for v in items:")
        for _ in range(self.random.randint(0, 2)):
            self.put(f"        {self.effect(('v',))}")
        if self.chance(0.2):
            self.put(f"        if v > {self.pick('1.2', 'st[0]', 'c')}:")
            self.put(f"            {self.pick('return', 'continue', 'break')}")
        self.put(f"        yield {self.number(('v',))}")
        if self.chance(0.3):
            self.put(f"    {self.effect(('a',))}")
        return name

    def items(self) -> str:
        """Something that computes its items when they are taken."""
        plain = self.pick("x", "x", "x[:3]", "x[::-1]", "l[1:]", "list(x)", *["l"] * (not self.growing))
        kind = self.random.randrange(6)
        if kind == 0:
            return f"map({self.function()}, {plain})"
        if kind == 1:
            return f"{self.generator()}({plain})"
        if kind == 2:
            return f"({self.function()}(v) for v in {plain})"
        if kind == 3:
            return f"({self.number(('v',))} for v in {plain})"
        if kind == 4:
            return f"filter(lambda v: v > {self.pick('0.5', 'c', 'st[0]')}, {self.items()})"
        return plain

    def taken(self) -> str:
        """A number that is made of all items, or of some."""
        kind = self.random.randrange(18)
        it = self.items()
        if kind in (0, 1):
            return f"{self.pick('max', 'min')}({it}, key={self.function()}, default=0.3)"
        if kind == 2:
            name = self.fresh("r")
            self.put(f"def {name}(p, q):")
            self.put(f"    {self.effect(('p', 'q')).replace('c =', 'k =').replace('* c', '* 0.5')}")
            self.put(f"    return {self.number(('p', 'q'))}")
            return f"functools.reduce({name}, {it}, {self.number()})"
        if kind == 3:
            return f"sum(p * q for p, q in zip({it}, {self.items()}))"
        if kind == 4:
            return f"sum(p - q for p, q in itertools.zip_longest({it}, {self.items()}, fillvalue=0.5))"
        if kind == 5:
            return f"sum(i * v for i, v in enumerate({it}))"
        if kind == 6:
            return f"sorted({it}, key={self.function()})[0]"
        if kind == 7:
            return f"float(any(v > 0.9 for v in {it}))"
        if kind == 8:
            return f"sum(itertools.islice({it}, 2))"
        if kind == 9:
            return f"sum(itertools.accumulate({it}))"
        if kind == 10:
            return f"next(iter({it}), 0.2)"
        if kind == 11:
            return f"sum(len(list(g)) * 0.1 for k, g in itertools.groupby({it}, key=lambda v: v > {self.pick('0.7', 'c')}))"
        if kind == 12:
            return f"np.array([*{it}, 0.1]).sum()"
        if kind == 13:
            return f"sum(map(lambda p, q: p * q + c, {it}, {self.items()}))"
        if kind == 14:
            return f"sum(heapq.merge(sorted({it}), [0.5, 0.7]))"
        if kind == 15:
            return f"math.prod([*itertools.chain({it}, {self.items()})][:4])"
        if kind == 16:
            return f"sum(p * q for p, q in itertools.pairwise({it}))"
        return f"sum({it})"

    def statement(self) -> None:
        kind = self.random.randrange(9)
        if kind == 0:
            name = self.fresh("it")
            self.put(f"{name} = {self.items()}")
            self.put(self.effect(("a",)))
            self.put(f"out += 0.3 * sum({name}) + 0.01 * len(log)")
        elif kind == 1:
            name = self.fresh("it")
            self.put(f"{name} = iter({self.items()})")
            self.put(f"out += next({name}, 0.1) * st[0]")
            self.put(self.effect(("out",)))
            self.put(f"out += sum({name})")
        elif kind == 2:
            self.growing = True
            self.put(self.pick(f"l.extend(l[-1] * {self.number(('v',))} for v in x[:2])", f"l += {self.items()}",
                               f"l[:1] = {self.items()}", f"l.extend({self.items()})"))
            self.growing = False
        elif kind in (3, 4):
            self.put(f"for v in {self.items()}:")
            self.put(f"    out = 0.7 * out + v * {self.pick('st[0]', 'c', 'st[1]', '0.5')}")
            self.put(f"    {self.effect(('v',))}")
            if self.chance(0.3):
                self.put(f"    if out > {self.pick('1.5', '0.5')}:")
                self.put(f"        {self.pick('break', 'continue')}")
        elif kind == 5:
            self.put(f"for k, g in itertools.groupby({self.items()}, key={self.pick('lambda v: v > 0.7', self.function())}):")
            self.put("    for v in g:")
            self.put("        out = 0.8 * out + v")
            self.put(f"    {self.effect(('out',))}")
        else:
            value = self.taken()
            self.put(f"out = 0.6 * out + {value}")

    def text(self) -> str:
        self.put("st = [a, 0.5]")
        self.put("log, d, c, k = [], {}, 0.7, 0.2")
        self.put("l = [x[0], 0.6, x[1]]")
        self.put("out = 0.0")
        for _ in range(self.random.randint(2, 4)):
            self.statement()
        self.put("return out + st[0] + 0.5 * st[1] + 0.1 * c + 0.01 * len(log) + 0.1 * sum(log) + 0.2 * sum(l) + sum(d.values())")
        imports = "import functools\nimport heapq\nimport itertools\nimport math\nimport numpy as np\n"
        return imports + "\n\ndef program(x, a):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> str:
    return Effects(seed).text()
