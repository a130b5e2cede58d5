"""Random programs over lists and lists of lists of numbers: indices of loops and data, rows
that have names, rows that are swapped, copied and shared, lists that are rebound."""

from __future__ import annotations

import numpy as np
from generator import Lines, made


class Writer(Lines):
    def __init__(self, seed, outside=False):
        super().__init__(seed)
        self.outside = outside
        self.loops = []
        self.rows = []
        self.count = 0

    def index(self):
        found = ["0", "1", "2", "n - 1", "-1", "q"]
        for name in self.loops:
            found += [name] * 3 + [f"n - 1 - {name}", f"({name} + 1) % n", f"{name} - 1"]
        return self.random.choice(found)

    def number(self):
        return self.pick(f"x[{self.index()}]", f"v[{self.index()}]", f"w[{self.index()}]",
                         f"A[{self.index()}][{self.index()}]", f"B[{self.index()}][{self.index()}]",
                         "s", "0.5", "n", *(f"{r}[{self.index()}]" for r in self.rows))

    def value(self):
        return self.pick(f"{self.number()} * {self.number()}", f"0.5 * {self.number()} - {self.number()}",
                         f"math.sin({self.number()})", f"max({self.number()}, {self.number()})",
                         f"abs({self.number()}) * 0.7", self.number(), "0.25", "1")

    def table(self):
        return self.pick("A", "A", "B")

    def statement(self):
        i, j, t = self.index(), self.index(), self.table()
        kind = self.random.randrange(25)
        if self.outside and kind in (13, 15, 16) and self.random.random() < 0.8:
            kind = 9  # what is put into lists from outside is often refused
        if kind < 5:
            self.put(f"{t}[{i}][{j}] = {self.value()}")
        elif kind < 8:
            self.put(f"{t}[{i}][{j}] {self.pick('+', '-', '*')}= {self.value()}")
        elif kind < 10:
            self.put(f"{self.pick('v', 'w')}[{i}] {self.pick('', '+')}= {self.value()}")
        elif kind == 10:
            self.put(f"s += {self.value()}")
        elif kind == 11:
            self.put(f"{t}[{i}], {t}[{j}] = {t}[{j}], {t}[{i}]")
        elif kind == 12:
            self.count += 1
            name = f"r{self.count}"
            self.put(f"{name} = {t}[{i}]")
            if self.depth == 1:
                self.rows.append(name)
            self.put(f"{name}[{j}] = {self.value()}")
        elif kind == 13:
            self.put(f"{t}[{i}] = [0.5 * a for a in {self.table()}[{j}]]")
        elif kind == 14:
            self.put(f"{self.pick('v', 'w')} = [a * {self.number()} for a in {self.pick('v', 'w')}]")
        elif kind == 15:
            self.put(f"{self.pick('v, w = w, v', 'A, B = B, A', 'v = w[:]', 'w = v', 'B = [r[:] for r in A]', 'v = sorted(v)', 'v.reverse()', 'A[0] = A[1][:]', 'v = v[1:] + [v[0]]', 'v = list(A[0])', 'A[1] = w[:]')}")
        elif kind == 16:
            self.put(self.pick("B = A[:]", "A[0] = A[1]", "B[1] = A[2]", "A[2] = v", "v = A[1]", "B = A", "A = [r for r in B]", "A.reverse()"))
        elif kind == 17 and self.random.random() < 0.5:
            self.put(self.pick(f"C[{i}].append({self.value()})", f"s += sum(C[{i}])",
                               f"s += sum(sum(c) for c in C)", f"C[q].append({self.number()})"))
        elif kind == 17:
            self.put(f"s += sum({self.pick('v', 'w', f'A[{i}]', f'B[{j}]')})")
        elif kind == 18:
            self.put(f"s += sum(a * b for a, b in zip({self.pick('v', f'A[{i}]')}, {self.pick('w', f'B[{j}]')}))")
        elif kind == 19 and self.depth < 4:
            self.put(f"if {self.number()} > {self.number()}:")
            self.block()
            if self.random.random() < 0.4:
                self.put("else:")
                self.block()
        elif self.depth < 4:
            name = "ijk"[len(self.loops)] if len(self.loops) < 3 else None
            if name is None:
                self.put(f"s = 0.9 * s + {self.number()}")
                return
            self.put(f"for {name} in {self.pick('range(n)', 'range(n)', 'range(1, n)', 'range(len(v))', 'reversed(range(n))')}:")
            self.loops.append(name)
            self.block()
            self.loops.pop()
        else:
            self.put(f"s = 0.9 * s + {self.number()}")

    def block(self):
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        self.depth -= 1

    def program(self):
        self.put("n = len(x)")
        self.put("s = 0.0")
        self.put("q = int(abs(x[0]) * 7.0) % n")
        if not self.outside:
            self.make_lists()
        self.put("C = [[] for _ in range(n)]")
        for _ in range(self.random.randint(3, 8)):
            self.statement()
        self.put("s += sum(sum(r) for r in A) + sum(v)" if self.random.random() < 0.5 else
                 "for i in range(n):\n        for j in range(n):\n            s += A[i][j] * (i + 2 * j + 1) + B[i][j] * (i - j)\n        s += v[i] * (i + 1) - w[i]")
        self.put("return s")
        given = ", v, w, A, B" * self.outside
        return f"import math\nimport numpy as np\n\n\ndef program(x{given}):\n" + "\n".join(self.lines) + "\n"

    def make_lists(self):
        self.put(self.pick("v = x.tolist()", "v = [a * 0.5 for a in x]", "v = [0.0] * n", "v = [x[0], x[1], x[2]]", "v = list(x)"))
        self.put(self.pick("w = [0.0] * n", "w = [x[i] * i for i in range(n)]", "w = v[:]", "w = [0] * n"))
        self.put(self.pick("A = [[0.0] * n for _ in range(n)]", "A = [[x[i] * x[j] for j in range(n)] for i in range(n)]",
                           "A = [v[:] for _ in range(n)]", "A = [[x[0], 0.0, x[1]], [x[2], x[0], 0.0], [1.0, x[1], x[2]]]",
                           "A = [[x[i] + j for j in range(n)] for i in range(3)]", "A = [v, w, v[:]]", "A = []\n    for i in range(n):\n        row = []\n        for j in range(n):\n            row.append(x[i] - j)\n        A.append(row)",
                           "A = np.outer(x, x).tolist()"))
        self.put(self.pick("B = [[0.5] * n for _ in range(n)]", "B = [row[:] for row in A]", "B = [list(row) for row in A]", "B = [[a * 0.5 for a in row] for row in A]"))


def program(seed, outside=False):
    """The program of a seed; its lists come from ``outside``, or are made in it."""
    source = Writer(seed, outside).program()
    return made(source, f"lists{seed}{'o' * outside}"), source


def arguments(seed):
    return (np.round(np.random.default_rng(seed).uniform(-1.2, 1.2, 3), 3),)


def given(seed, n):
    """Arguments of length ``n`` for the program of a seed whose lists come from outside."""
    numbers = np.random.default_rng((seed, n))

    def floats():
        return np.round(numbers.uniform(-1.2, 1.2, n), 3).tolist()

    x, v, w = np.array(floats()), floats(), floats()
    return x, v, w, [floats() for _ in range(n)], [floats() for _ in range(n)]
