"""Random programs over lists of lists whose rows have names: what is read by one name is written by
another one in the same statement, in loops over rows, by helpers, and in lists of lists of pairs."""

from __future__ import annotations

from generator import Lines

PRELUDE = '''
import numpy as np


def mixed(r, s, k):
    r[0], s[k] = s[-1] * 0.9, r[k]
    return r[1] - s[0]


def scaled(r, f):
    for i in range(len(r)):
        r[i] *= f
    return r


def ends(r):
    return r[0], r[-1]
'''


class Rows(Lines):
    """One random ``program(m, a)`` of a matrix with at least three columns, and a number."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.rows = ["t[0]", "t[-1]", "t[1]"]
        self.indices = ["0", "1", "-1", "2"]
        self.numbers = ["a", "u", "0.5"]

    def place(self) -> str:
        return f"{self.pick(*self.rows)}[{self.pick(*self.indices)}]"

    def number(self) -> str:
        first = self.pick(self.place(), self.place(), *self.numbers)
        other = self.pick(self.place(), *self.numbers)
        return self.pick(first, first, f"{first} + {other}", f"{first} * 0.7", f"{first} - 0.5 * {other}",
                         f"max({first}, {other})", f"abs({first})")

    def write(self) -> None:
        count = self.random.randint(1, 3)
        targets = [self.pick(self.place(), self.place(), self.place(), "u") for _ in range(count)]
        kind = self.random.randrange(8)
        if kind == 0:
            self.put(f"{self.place()} {self.pick('+=', '-=')} 0.5 * {self.number()}")
        elif kind == 1:
            self.put(f"u = {self.place()} = {self.number()}")
        elif kind == 2:
            self.put(f"u = 0.5 * u + mixed({self.pick(*self.rows)}, {self.pick(*self.rows)}, {self.pick('0', '1', '2')})")
        elif kind == 3:
            self.put(f"{targets[0]}, {self.place()} = ends({self.pick(*self.rows)})")
        elif kind == 4:
            self.put(f"scaled({self.pick(*self.rows)}, {self.pick('0.9', '0.5', 'a')})")
        else:
            self.put(f"{', '.join(targets)} = {', '.join(self.number() for _ in targets)}")

    def statement(self) -> None:
        kind = self.random.randrange(9)
        if kind == 0 and self.depth < 3:
            self.put(f"if {self.number()} > {self.pick('0.8', 'u', 'a')}:")
            self.body()
        elif kind in (1, 2, 3) and self.depth < 3:
            r, s = self.fresh("r"), self.fresh("s")
            head, names, places = self.pick(*(
                f"for {r} in t:|{r}|", f"for {r}, {s} in zip(t, t[1:]):|{r} {s}|", f"for i, {r} in enumerate(t):|{r} t[i]|",
                f"for i in range(len(t)):|t[i] t[i-1]|", f"for j in range(3):||j", f"for i in range(len(t) - 1):|t[i] t[i+1]|",
                f"for {r} in reversed(t):|{r}|", f"for j in range(len(t[0])):||j j-1")).split("|")
            saved = list(self.rows), list(self.indices)
            self.rows += 2 * names.split()
            self.indices += 2 * places.split()
            self.put(head)
            self.body()
            self.rows, self.indices = saved
        elif kind == 4:
            name = self.fresh("p")
            self.put(f"{name} = {self.pick(*self.rows)}")
            self.rows += [name, name]
        elif kind == 5 and self.depth == 1:
            self.put(self.pick("t[0], t[-1] = t[-1], t[0]", "t.append([0.3, a, 0.2, u])", "t.reverse()", "t[1] = t[0][:]"))
        else:
            self.write()

    def body(self) -> None:
        self.depth += 1
        saved = list(self.rows)
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        self.rows = saved
        self.depth -= 1

    def text(self) -> str:
        self.put("u = 0.4")
        self.put(self.pick("t = [list(r) for r in m]", "t = [[v * 2 for v in r] for r in m]", "t = m.tolist()",
                           "t = [list(c) for c in zip(*[list(r) for r in m])]"))
        for _ in range(self.random.randint(3, 6)):
            self.statement()
        self.put("return u + sum(sum(v * (k + 1) for k, v in enumerate(r)) for r in t) * t[0][1]")
        return PRELUDE + "\n\ndef program(m, a):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> str:
    return Rows(seed).text()
