"""Random programs of more constructs: classes over containers, enumerations, settings in classes,
kept iterators, functions that call back, random selections; on top of :mod:`generator`."""

from __future__ import annotations

import random
from typing import Any

from generator import PRELUDE, Writer, made

MORE = '''
import enum
import random


class Row(list):
    def __add__(self, other):
        return Row(p + q for p, q in zip(self, other))

    def __getitem__(self, k):
        return super().__getitem__(k) if not isinstance(k, str) else sum(self)

    def push(self, v):
        self.append(0.9 * v)
        return self


class Table(dict):
    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value

    def __missing__(self, key):
        return 0.25


class Stage(enum.Enum):
    LOW = 0.5
    HIGH = 1.5

    def turned(self):
        return Stage.HIGH if self is Stage.LOW else Stage.LOW


class Config:
    rate = 0.3
    offsets = [0.1, 0.2]


clip = np.vectorize(lambda v, top=1.0: top if v > top else v * 1.0, otypes=[float])
'''


class WideWriter(Writer):
    """One random function with the constructs above among the others."""

    def statement(self) -> None:
        if self.chance(0.35):
            self.budget -= 1
            self.pick(self.row, self.settings, self.stage, self.config, self.kept, self.called,
                      self.places)()
        else:
            super().statement()

    def row(self) -> None:
        c = self.scalar()
        self.emit(self.pick(f"R[{self.pick(0, 1, -1)}] = {c}", f"t += 0.1 * R[{self.pick(0, 1)}]",
                            "t += 0.01 * R['sum']", f"R[0] += 0.1 * {c}", "R = R + [t, 0.5, s]"))

    def settings(self) -> None:
        w = self.array()
        self.emit(self.pick(f"T.w = {w} * 0.5", f"T.k = 0.5 * T.k + {self.scalar()}",
                            "t += 0.1 * np.sum(T.w)", f"T['k'] = T.k * {self.number(0, 1)}",
                            "t += T['none']"))

    def stage(self) -> None:
        self.emit(self.pick(f"g = Stage.HIGH if {self.condition()} else g", "g = g.turned()",
                            "t += 0.1 * g.value", "t = t * (0.9 if g is Stage.LOW else 0.8)",
                            f"t += 0.1 * {{Stage.LOW: {self.scalar()}, Stage.HIGH: 0.5}}[g]"))

    def config(self) -> None:
        self.emit(self.pick(f"{self.pick(*self.arrays[2:])} = Config.rate * {self.array()}",
                            "t += Config.offsets[1] * t"))

    def kept(self) -> None:
        it, v = self.fresh("it"), self.fresh("v")
        self.emit(f"{it} = iter({self.array()})")
        self.emit(f"t += 0.1 * next({it})")
        self.emit(f"for {v} in {it}:")
        self.emit(f"    if {v} > {self.number(0, 1)}:")
        self.emit("        break")
        self.emit(f"    t += 0.1 * {v}")
        self.emit(f"t += 0.1 * sum({it})")

    def called(self) -> None:
        w = self.pick(*self.arrays[2:])
        self.emit(self.pick(f"{w} = clip({self.array()})", f"{w} = clip({self.array()}, top=0.7)",
                            f"t += 0.1 * np.sum(np.apply_along_axis(lambda r: r * r[0], 0, M + {w}[0]))"))

    def places(self) -> None:
        w = self.target()
        self.emit(self.pick(f"np.put({w}, [1, -1], [t * 0.1, 0.3])",
                            f"np.putmask({w}, {w} > 0.6, {self.array()} * 0.5)",
                            f"np.fill_diagonal(M, {self.scalar()})"))

    def text(self) -> str:
        head = ["R = Row([0.5, s, 0.3])", "T = Table(w=x * 0.5, k=s)", "g = Stage.LOW"]
        whole = super().text()
        start = "def program(x, y, s, n):\n"
        before, body = whole.split(start)
        added = "".join(f"    {line}\n" for line in head)
        body = body.rstrip() + " + 0.1 * (R[0] + R['all'] + T.k + np.sum(T.w) + g.value)\n"
        return PRELUDE + MORE + before[len(PRELUDE):] + start + added + body


def wide_program(seed: int, size: int = 10) -> tuple[Any, str]:
    """The function of a seed, and its text."""
    text = WideWriter(random.Random(seed), size, True).text()
    return made(text, f"{seed}w"), text
