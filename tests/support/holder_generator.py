"""Random programs over one object whose attributes hold objects in many places: in lists of one class and of several, in
rows, dicts and tuples, and alone.  Derivatives are taken for all that it holds."""

from __future__ import annotations

import itertools
import linecache
import sys
import types
from typing import Any

import numpy as np

CLASSES = """
import numpy as np

class Line:
    def __init__(self, slope, offset):
        self.slope, self.offset = slope, offset

    def at(self, x):
        return self.slope * x + self.offset

class Square:
    def __init__(self, factor):
        self.factor = factor

    def at(self, x):
        return self.factor * x * x

class Weighted:
    def __init__(self, weights, offset):
        self.weights, self.offset = weights, offset

    def at(self, x):
        return np.sum(self.weights) * x - self.offset

class Holder:
    def __init__(self, **held):
        self.__dict__.update(held)
"""
LISTS = ("lines", "mixed", "weighted")  # of objects
NAMES = itertools.count()

OF_A_LIST = [
    "for k, one in enumerate({held}):\n    total += one.at(x[k % len(x)])",
    "total += {held}[int(abs(x[0]) * 7) % len({held})].at(x[1])",
    "best = {held}[0]\nfor one in {held}:\n    if one.at(x[0]) > best.at(x[0]):\n        best = one\n"
    "total += best.at(x[1])",
    "for one in {held}:\n    if hasattr(one, 'offset'):\n        one.offset = one.offset * x[0]\n    total += one.at(x[1])",
]
OTHERS = {
    "line": "total += {held}.at(x[1]) * 2.0",
    "square": "total += {held}.at(x[1]) * 2.0",
    "array": "total += {held}.at(x[1]) * 2.0",
    "by_name": "for one in {held}.values():\n    total += one.at(x[0]) * {held}['second'].slope",
    "pair": "for one in {held}:\n    total += one.at(x[0]) * 0.5",
    "numbers": "for one in {held}:\n    total += one * x[0]",
    "rows": "for row in {held}:\n    for one in row:\n        total += one.at(x[0])",
}


def program(seed: int) -> tuple[Any, list[str]]:
    """A function of an array and a holder, and the names of what a holder for it holds."""
    rng = np.random.default_rng(seed)
    every = [*LISTS, *OTHERS]
    names = [str(n) for n in rng.choice(every, size=rng.integers(2, 5), replace=False)]
    steps = [(OF_A_LIST[rng.integers(len(OF_A_LIST))] if name in LISTS else OTHERS[name]).format(held=f"holder.{name}")
             for name in names]
    rng.shuffle(steps)
    body = "\n".join(["total = 0.0", *steps, "return total"]).replace("\n", "\n    ")
    text = f"{CLASSES}\n\ndef program(x, holder):\n    {body}\n"
    module = types.ModuleType(f"holders{next(NAMES)}")
    place = f"<random program {module.__name__} {seed}>"
    linecache.cache[place] = (len(text), None, text.splitlines(True), place)
    sys.modules[module.__name__] = module
    exec(compile(text, place, "exec"), module.__dict__)
    return module.program, names  # type: ignore[attr-defined]


def holder(fn: Any, names: list[str], rng: np.random.Generator, count: int) -> Any:
    """An argument for a program, with so many objects in its lists."""
    made = fn.__globals__

    def number() -> float:
        return float(rng.uniform(0.3, 1.5))

    def line() -> Any:
        return made["Line"](number(), number())

    def square() -> Any:
        return made["Square"](number())

    def weighted() -> Any:
        return made["Weighted"](rng.normal(size=2), number())

    ways = {
        "lines": lambda: [line() for _ in range(count)],
        "mixed": lambda: [(line, square)[rng.integers(2)]() for _ in range(count)],
        "weighted": lambda: [weighted() for _ in range(count)],
        "line": line, "square": square, "array": weighted,
        "by_name": lambda: {"first": line(), "second": line()},
        "pair": lambda: (line(), line()),
        "numbers": lambda: [number() for _ in range(count)],
        "rows": lambda: [[line() for _ in range(2)] for _ in range(count)],
    }
    return made["Holder"](**{name: ways[name]() for name in names})
