"""Random programs that sort numbers into groups: lists, arrays, or objects with such, that branches
and loops make, put into a list, and change by other names."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from random_gradients import made

PRELUDE = '''
from collections import deque

import numpy as np


class Box:
    def __init__(self, part):
        self.part = part


class Named:
    def __init__(self, weight):
        self.weight = weight
        self.part = []


'''

# the text of a new group that begins with a number, and of its part
NEW = {
    "list": ("[{}]", "{}"),
    "empty": ("[]", "{}"),
    "array": ("np.array([{}, 0.5])", "{}"),
    "zeros": ("np.zeros(2)", "{}"),
    "box": ("Box([{}])", "{}.part"),
    "arrays": ("Box(np.array([{}, 0.5]))", "{}.part"),
    "named": ("Named({})", "{}.part"),
    "window": ("Box(deque([{}], maxlen=4))", "{}.part"),
    "pair": ("(s, [{}])", "{}[1]"),
    "pair of an empty list": ("(s, [])", "{}[1]"),
    "pair of an array": ("(np.array([{}, 0.5]), s)", "{}[0]"),
    "dict": ("{{'weight': s, 'part': [{}]}}", "{}['part']"),
    "dict of an array": ("{{'weight': s, 'part': np.array([{}, 0.5])}}", "{}['part']"),
}
ARRAYS = ("array", "zeros", "arrays", "pair of an array", "dict of an array")


class Writer:
    """Writes one program over groups of one kind."""

    def __init__(self, seed: int) -> None:
        self.stream = random.Random(seed)
        self.kind = self.stream.choice([*NEW])
        self.lines: list[str] = []
        self.depth = 1
        self.loops = 0

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def pick(self, *choices: str) -> str:
        return self.stream.choice(choices)

    def number(self) -> str:
        index = self.pick("k", *(f"i{n}" for n in range(1, self.loops + 1)))
        return self.pick("s", f"x[{index} % n]", f"x[{index} % n] * 0.5", "0.3", f"s * x[{index} % n]")

    def new(self) -> str:
        return NEW[self.kind][0].format(self.number())

    def group(self) -> str:
        return self.pick("cur", "cur", "other", "groups[-1]", "groups[0]", "groups[k % len(groups)]")

    def part(self) -> str:
        return NEW[self.kind][1].format(self.group())

    def change(self) -> None:
        part = self.part()
        if self.kind in ARRAYS:
            self.put(self.pick(f"{part}[0] += {self.number()}", f"{part}[:] *= 0.9",
                               f"{part}[1] = {self.number()}", f"{part}[-1] -= {self.number()}"))
        else:
            self.put(self.pick(*[f"{part}.append({self.number()})"] * 3,
                               f"if {part}: {part}[-1] *= 0.5",
                               f"if len({part}) > 2: {part}.pop()"))

    def test(self) -> str:
        part = self.part()
        size = f"np.sum({part})" if self.kind in ARRAYS else f"len({part})"
        return self.pick(f"{self.number()} > 0.3", f"{size} > 1", f"sum({part}) < 0.6",
                         "cur is other", f"len(groups) < {self.stream.randint(2, 5)}")

    def statement(self, room: int) -> None:
        what = self.stream.randrange(12 if room else 9)
        if what < 3:
            self.change()
        elif what == 3:
            self.put("groups.append(cur)")
        elif what == 4:
            self.put(f"cur = {self.new()}")
        elif what == 5:
            self.put(f"groups.append({self.new()})")
        elif what == 6:
            self.put(self.pick("other = cur", "cur = groups[-1]", f"other = {self.group()}",
                               "cur, other = other, cur"))
        elif what == 7:
            self.put(f"s += 0.1 * sum({self.part()})")
        elif what == 8:
            self.put(f"cur = {self.new()}")
            self.put("groups.append(cur)")
        elif what == 9:
            self.put(f"if {self.test()}:")
            self.block(room)
            if self.stream.random() < 0.4:
                self.put("else:")
                self.block(room)
        else:
            self.loops += 1
            name = f"i{self.loops}"
            self.put(self.pick(f"for {name} in range(n):", f"for {name} in range(1, n):"))
            self.block(room)
            self.loops -= 1

    def block(self, room: int) -> None:
        self.depth += 1
        for _ in range(self.stream.randint(1, 3)):
            self.statement(room - 1)
        self.depth -= 1

    def text(self) -> str:
        self.put("n, s, k = len(x), 0.1, int(abs(x[0]) * 7.0)")
        self.put(f"cur = {self.new()}")
        self.put(self.pick("other = cur", f"other = {self.new()}"))
        self.put(self.pick("groups = [cur]", f"groups = [{self.new()}]", "groups = [cur, other]"))
        for _ in range(self.stream.randint(2, 5)):
            self.statement(2)
        part = NEW[self.kind][1].format("g")
        self.put(f"for g in groups: s += sum({part}) ** 2 * 0.5")
        ends = [NEW[self.kind][1].format(name) for name in ("cur", "other")]
        self.put(f"return s + sum({ends[0]}) * 0.3 + sum({ends[1]}) * len(groups)")
        return PRELUDE + "def program(x):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> tuple[Any, str]:
    text = Writer(seed).text()
    return made(text, f"groups {seed}"), text


def arguments(seed: int) -> list[tuple[np.ndarray]]:
    stream = np.random.default_rng(seed)
    return [(stream.normal(size=n) * 0.5,) for n in (4, 6, 3)]
