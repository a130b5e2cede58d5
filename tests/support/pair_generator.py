"""Random programs over matrices of pairs, means taken away, and sums over any axis: what the passes
for sums, symmetric matrices and centred arrays look for."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from generator import made


class Writer:
    """One random function of ``x`` (n, m), ``y`` (n,) and ``w`` (n,)."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.arrays = {"matrix": [], "vector": ["y", "w"], "rows": ["x"], "pairs": []}
        self.lines: list[str] = []

    def of(self, kind: str) -> str:
        """An array of a kind."""
        return self.random.choice(self.arrays[kind])

    def axis(self) -> str:
        return self.random.choice("01")

    def new(self, kind: str, text: str) -> None:
        name = f"a{len(self.lines) + 1}"
        self.lines.append(f"    {name} = {text}")
        self.arrays[kind].append(name)

    def differences(self) -> None:
        self.new("matrix", f"{self.of('vector')}[:, None] - {self.of('vector')}[None, :]")

    def pairs_of_rows(self) -> None:
        self.new("pairs", f"{self.of('rows')}[:, None, :] - {self.of('rows')}[None, :, :]")

    def centred(self) -> None:
        one = self.of("rows")
        self.new("rows", f"{one} - np.mean({one}, axis={self.axis()}, keepdims=True)")

    def rows(self) -> None:
        one = self.of("rows")
        self.new("rows", self.random.choice([
            f"np.sin({one})", f"{one} * {self.of('vector')}[:, None]", f"{one} ** 2",
            f"{one} / np.sqrt(np.mean({one} ** 2, axis={self.axis()}, keepdims=True) + 0.5)",
            f"{one} + {self.of('rows')}"]))

    def products(self) -> None:
        self.new("matrix", f"{self.of('rows')} @ {self.of('rows')}.T")

    def of_matrices(self) -> None:
        one, vector = self.of("matrix"), self.of("vector")
        self.new("matrix", self.random.choice([
            f"np.sin({one})", f"np.tanh({one})", f"np.abs({one})",
            f"{one} {self.random.choice('+-*')} {self.of('matrix')}{self.random.choice(['', '.T'])}",
            f"{one} / (1.5 + {vector} ** 2)", f"{one} * (1.5 + {vector}[:, None] ** 2)"]))

    def sums(self) -> None:
        self.new("vector", f"{self.of('matrix')}.sum(axis={self.axis()})")

    def of_pairs(self) -> None:
        one = self.of("pairs")
        self.new("matrix", self.random.choice([f"np.sum({one} ** 2, axis=-1)",
                                               f"np.sum({one}, axis=2)"]))

    def weighted(self) -> None:
        self.new("rows", f"np.sum({self.of('matrix')}[:, :, None] * {self.of('pairs')}, "
                         f"axis={self.axis()})")

    def text(self) -> str:
        self.differences()
        self.pairs_of_rows()
        steps = [self.differences, self.pairs_of_rows, self.centred, self.rows, self.products,
                 self.of_matrices, self.of_matrices, self.sums, self.of_pairs, self.weighted]
        for _ in range(self.random.randint(4, 9)):
            self.random.choice(steps)()
        told = [self.of(kind) for kind in ("matrix", "matrix", "rows", "rows", "vector")]
        total = " + ".join(f"np.sum(np.tanh({one}) * {self.random.choice(['1.0', '0.3'])})"
                           for one in dict.fromkeys(told))
        return "\n".join(["import numpy as np", "", "", "def program(x, y, w):", *self.lines,
                          f"    return {total}", ""])


def program(seed: int) -> tuple[Any, str]:
    """A function, and its text."""
    text = Writer(seed).text()
    return made(text, f"pairs{seed}"), text


def arguments(seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    n, m = (3, 3) if seed % 3 == 0 else (4, 3)
    return rng.normal(size=(n, m)), rng.normal(size=n), rng.uniform(0.5, 1.5, n)
