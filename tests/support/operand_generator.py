"""Random sums and products of matrices, columns and numbers, where lists and tuples of numbers (known
or not) and of rows stand beside arrays, and are inverted."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from random_gradients import made

ARRAYS = ("x", "x.T", "y", "(np.eye(2) + y)", "-x", "(2.0 * x)", "s[:, None]", "(x * 2.0)[:, :1]")
LISTS = ("[[1.0, 2.0], [3.0, 5.0]]", "[[1.0, 2.0], [2.0, 5.0]]", "((2.0, 0.5), (a, 1.0))", "[s, 2.0 * s * s]",
         "[2.0, a]", "[0.5, 3.0]")
OPERATIONS = ("np.add({}, {})", "np.subtract({}, {})", "np.multiply({}, {})", "np.divide({}, {})", "({} * {})",
              "({} + {})", "({} - {})", "({} / {})", "({} @ {})", "np.dot({}, {})", "np.matmul({}, {})",
              "np.maximum({}, {})")
MATRICES = ("np.linalg.inv({0})", "np.linalg.solve({0}, s)", "np.linalg.det({0}) * y", "(np.eye(2) @ {0})",
            "np.linalg.eigvals({0}).real")
ENDS = ("u.T @ u", "u + u.T", "u @ v", "v / u", "u")


def expression(stream: random.Random, depth: int) -> str:
    if depth == 0:
        kind = stream.random()
        return stream.choice(ARRAYS) if kind < 0.85 else stream.choice(MATRICES).format(
            stream.choice(LISTS[:4]))
    sides = [expression(stream, depth - 1),
             stream.choice((*LISTS, "s", "2.0", "a", *ARRAYS)) if stream.random() < 0.6
             else expression(stream, depth - 1)]
    stream.shuffle(sides)
    return stream.choice(OPERATIONS).format(*sides)


def program(seed: int) -> tuple[Any, str]:
    stream = random.Random(seed)
    text = ("import numpy as np\n\n\ndef program(x):\n    y, s, a = x * x.T + 0.5, x[0] + 1.1, x[1, 1]\n"
            f"    u = {expression(stream, 2)}\n    v = {expression(stream, 2)}\n"
            "    return np.sum(np.sin(u * 0.3) * np.cos(v * 0.2)) + 0.1 * np.sum("
            f"{stream.choice(ENDS)})\n")
    return made(text, f"operands {seed}"), text


def arguments(seed: int) -> list[tuple[np.ndarray]]:
    stream = np.random.default_rng(seed)
    return [(stream.uniform(0.3, 1.6, size=(2, 2)),) for _ in range(2)]
