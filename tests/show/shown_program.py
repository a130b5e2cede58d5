"""The program whose page and graph are looked at."""

from __future__ import annotations

import numpy as np

X = np.linspace(0.1, 0.9, 5)


def gain(v):
    return np.tanh(v) * 1.1


def rollout(x, n):
    y = np.exp(x)
    for _ in range(n):
        y = np.sin(gain(y)) + x
        if np.sum(y) > 3.0:
            y = y * 0.5
    return np.sum(y * y)
