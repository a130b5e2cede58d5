"""Random programs in which names, lists, dicts and objects hold views of arrays that are written to
later: bound in nested loops over ranges, generators and itertools, in functions that call
themselves, in branches; read and written through the array and through the views."""

from __future__ import annotations

from typing import Any

import numpy as np
from generator import Lines, made

PRELUDE = """
import itertools
import math
import numpy as np


def upto(k):
    for item in range(k):
        yield item


def rows(M):
    for row in M:
        yield row


def pairs(M, k):
    for item in upto(k):
        yield item, M[item]


class Box:
    def __init__(self, part):
        self.part = part


def pick(M, t, k):
    if t > 0.4 and k < 3:
        return pick(M, t * 0.5, k + 1)
    return M[k % 3]


def fill(M, t, k, held):
    held.append(M[k % 3])
    if t > 0.4 and k < 3:
        fill(M, t * 0.5, k + 1, held)

"""


class Writer(Lines):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.loops: list[str] = []
        self.count = 0
        self.budget = 11

    def index(self) -> str:
        return self.pick("0", "1", "2", "-1", "q", *(self.loops * 2))

    def array(self) -> str:
        return self.pick("A", "A", "B")

    def view(self) -> str:
        """Something that is (a view of) one of the arrays."""
        i, a = self.index(), self.array()
        return self.pick(f"{a}[{i}]", f"{a}[{i}]", f"{a}[:, {i}]", f"{a}.T[{i}]", f"{a}[{i}][::-1]",
                         "v", "w", "L[0]", "L[-1]", f"L[{i}]", "d['p']", "d.get('p')", "b.part",
                         f"{a}[1]", f"list({a})[{i}]", f"{a}.reshape(-1)[:3]", f"np.diagonal({a})",
                         f"pick({a}, x[{i}], 0)")

    def number(self) -> str:
        i, j = self.index(), self.index()
        return self.pick(f"x[{i}]", f"A[{i}, {j}]", f"v[{i}]", f"w[{i}]", "s", "0.5",
                         f"L[{i}][{j}]", f"d['p'][{i}]", f"b.part[{i}]")

    def loop(self) -> None:
        name = "ijk"[len(self.loops)]
        a, k = self.array(), self.pick("2", "3", "n")
        kind = self.pick("range", "upto", "upto", "chain", "rows", "pairs", "enumerate", "product",
                         "zip", "views", "islice")
        head = {"range": f"for {name} in range({k}):", "upto": f"for {name} in upto({k}):",
                "chain": f"for {name} in itertools.chain(range(2), upto(2)):",
                "rows": f"for {self.pick('v', 'w')} in rows({a}):",
                "views": f"for {self.pick('v', 'w')} in {self.pick(a, f'list({a})', 'L')}:",
                "pairs": f"for {name}, {self.pick('v', 'w')} in pairs({a}, {k}):",
                "enumerate": f"for {name}, {self.pick('v', 'w')} in enumerate({a}):",
                "product": f"for {name}, _ in itertools.product(range(2), range(2)):",
                "islice": f"for {name} in itertools.islice(upto(5), 2):",
                "zip": f"for {name}, {self.pick('v', 'w')} in zip(upto(2), {a}):"}[kind]
        self.put(head)
        named = f" {name}" in head.split(" in ")[0]
        self.loops += [name] if named else []
        self.block()
        if named:
            self.loops.pop()

    def statement(self) -> None:
        self.budget -= 1
        i, a = self.index(), self.array()
        kind = self.random.randrange(20)
        if kind < 5:
            self.put(f"{self.pick('v', 'w')} = {self.view()}")
        elif kind < 7:
            self.put(self.pick(f"{a}[{i}] = {self.pick('x', 'x * 0.5', '0.3', 'x * x')}",
                               f"{a} *= 0.9", f"{a}[{i}, {self.index()}] = {self.number()}",
                               f"{a}[:, {i}] += 0.1 * x", f"{a}[...] = 0.5 * {a}"))
        elif kind < 9:
            self.put(self.pick(f"{self.pick('v', 'w')}[{i}] = {self.number()}",
                               f"{self.pick('v', 'w')} *= 0.8", f"{self.pick('v', 'w')}[:] = x",
                               f"L[{i}] *= 0.7", f"d['p'][{i}] = {self.number()}",
                               f"b.part[{i}] *= 0.6"))
        elif kind == 9:
            self.put(self.pick(f"L.append({self.view()})", f"L[{i}] = {self.view()}",
                               f"L = [{self.view()}, {self.view()}, {self.view()}]",
                               f"L = list({a})", f"L = [r for r in {a}]", f"fill({a}, x[{i}], 0, L)"))
        elif kind == 10:
            self.put(f"d['p'] = {self.view()}")
        elif kind == 11:
            self.put(self.pick(f"b.part = {self.view()}", f"b = Box({self.view()})"))
        elif kind == 12:
            self.put(self.pick("v, w = w, v", "A, B = B, A", f"{a} = {a}.copy()", "v = w",
                               "L = L[::-1]", "B = A", "v = v.copy()", "v = v * 1.0"))
        elif kind < 15:
            self.put(f"s += {self.pick(f'np.sum({self.view()}) * 0.3', f'0.2 * {self.number()}')}")
        elif kind == 15 and self.depth < 4:
            self.put(f"if {self.number()} > {self.pick('0.4', self.number())}:")
            self.block()
            if self.random.random() < 0.4:
                self.put("else:")
                self.block()
        elif kind == 16 and self.depth > 1 and self.loops and self.random.random() < 0.4:
            self.put(f"if {self.number()} > 0.8: {self.pick('break', 'continue')}")
        elif self.depth < 4 and len(self.loops) < 3:
            self.loop()
        else:
            self.put(f"s = 0.9 * s + {self.number()}")

    def block(self) -> None:
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        self.depth -= 1

    def program(self) -> str:
        self.put("n = len(x)")
        self.put("s = 0.1")
        self.put("q = int(abs(x[1]) * 9.0) % 3")
        self.put(self.pick("A = np.outer(x, x)", "A = np.zeros((3, 3))", "A = np.ones((n, n)) * x"))
        self.put(self.pick("B = A + 1.0", "B = np.zeros((3, 3)) + 0.5", "B = A.copy()"))
        self.put(self.pick("A[1] = x", "B[2] = x * x", "A[:, 1] = x"))
        self.put("v = A[0]")
        self.put("w = B[1]")
        self.put(self.pick("L = [A[0], B[1], x * 0.5]", "L = list(A)", "L = [A[i] for i in range(3)]"))
        self.put("d = {'p': A[2]}")
        self.put("b = Box(B[0])")
        while self.budget > 0:
            self.statement()
        self.put("for part in L: s += np.sum(part * x)")
        self.put("return s + np.sum(v * v) + np.sum(A * B) + np.sum(w * A[1]) "
                 "+ np.sum(d['p'] * b.part)")
        return PRELUDE + "\ndef program(x):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> tuple[Any, str]:
    """The function of a seed, and its text."""
    text = Writer(seed).program()
    return made(text, f"views{seed}"), text


def arguments(seed: int) -> tuple[np.ndarray]:
    return (np.round(np.random.default_rng(seed).uniform(-1.2, 1.2, 3), 3),)
