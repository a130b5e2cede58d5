"""Random programs in which a few names stand for one array after another: assignments from name to
name, new arrays, views, items and attributes, and writes in place, under branches and in loops."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from generator import made

HEAD = """import numpy as np


class Cell:
    def __init__(self, held):
        self.held = held


def program(x, y):
    a, b, c = x * 2.0, y * 1.0, x + y
    d, o, pair = a, Cell(b), [c, y * 0.5]
"""
PLACES = ("a", "b", "c", "d", "o.held", "pair[0]", "pair[1]")


class Writer:
    """One random function of two vectors of four numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0

    def place(self) -> str:
        return self.random.choice(PLACES)

    def statement(self, depth: int, room: int) -> None:
        kinds = ["name"] * 3 + ["new"] * 3 + ["write"] * 4 + ["part", "swap", "last"]
        if room > 1 and depth < 4:
            kinds += ["if"] * 3 + ["for"] * 2 + ["while"]
        getattr(self, f"_{self.random.choice(kinds)}")("    " * depth, depth, room)

    def block(self, depth: int, room: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, room - 1)

    def _name(self, pad: str, *_: int) -> None:
        self.lines.append(f"{pad}{self.place()} = {self.place()}")

    def _new(self, pad: str, *_: int) -> None:
        one = self.place()
        self.lines.append(f"{pad}{self.place()} = " + self.random.choice([
            f"np.sin({one})", f"{one} * 0.9", f"{one} + 0.1 * {self.place()}", f"{one}.copy()"]))

    def _write(self, pad: str, *_: int) -> None:
        one, k = self.place(), self.random.randrange(4)
        self.lines.append(pad + self.random.choice([
            f"{one}[{k}] = {self.place()}[{(k + 1) % 4}] * 0.7", f"{one} *= 0.8",
            f"{one}[1:] += 0.1 * x[:-1]", f"{one}[{k}] += 0.3 * x[{k}]"]))

    def _part(self, pad: str, *_: int) -> None:
        self.lines += [f"{pad}v = {self.place()}[1:3]", f"{pad}v += 0.2 * y[:2]"]

    def _swap(self, pad: str, *_: int) -> None:
        one, other = self.place(), self.place()
        self.lines.append(f"{pad}{one}, {other} = {other}, {one}")

    def _last(self, pad: str, *_: int) -> None:
        one, other = self.place(), self.place()
        self.lines.append(f"{pad}{one} = {other} if x[{self.random.randrange(4)}] > 0.5 else {one}")

    def _if(self, pad: str, depth: int, room: int) -> None:
        test = self.random.choice([f"x[{self.random.randrange(4)}] > 0.5",
                                   f"np.sum({self.place()}) > 1.0"])
        self.lines.append(f"{pad}if {test}:")
        self.block(depth + 1, room)
        if self.random.random() < 0.5:
            self.lines.append(f"{pad}else:")
            self.block(depth + 1, room)

    def _for(self, pad: str, depth: int, room: int) -> None:
        self.loops += 1
        i = f"i{self.loops}"
        self.lines.append(f"{pad}for {i} in range({self.random.choice(['len(x)', 'int(y[3] * 3.0)'])}):")
        if self.random.random() < 0.3:
            self.lines += [f"{pad}    if x[{i} % 4] > 0.8:",
                           f"{pad}        {self.random.choice(['break', 'continue'])}"]
        self.block(depth + 1, room)

    def _while(self, pad: str, depth: int, room: int) -> None:
        self.loops += 1
        k = f"k{self.loops}"
        self.lines += [f"{pad}{k} = 0", f"{pad}while {k} < 3 and np.sum({self.place()}) < 4.0:",
                       f"{pad}    {k} += 1"]
        self.block(depth + 1, room)

    def text(self) -> str:
        self.statement(1, 3)
        self._for("    ", 1, 3)
        for _ in range(self.random.randint(1, 3)):
            self.statement(1, 3)
        return HEAD + "\n".join([*self.lines, "    return np.sum(a * x) + np.sum(b * y) + np.sum("
                                 "c * c) + np.sum(d) + np.sum(o.held * x) + np.sum("
                                 "pair[0] * pair[1])", ""])


def program(seed: int) -> tuple[Any, str]:
    """A function, and its text."""
    text = Writer(seed).text()
    return made(text, f"turn{seed}"), text


def arguments(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 1.0, 4), rng.uniform(0.1, 1.0, 4)
