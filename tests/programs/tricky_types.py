"""Rows of :mod:`tricky` about kinds of values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from tricky import R, X, row


@row(4, X, R.rand(2, 3))
def zero_becomes_an_array(x, W):
    s = 0
    for i in range(len(x)):
        s = s + x[i] * W
    return s.sum()


@row(4, R.rand(3, 2))
def zero_and_one_become_rows(x):
    s, p = 0, 1
    for r in x:
        s = s + r
        p = p * r
    return np.sum(s * p)


@row(21, X)
def zero_dimensional_arrays(x):
    z = np.array(3.0)
    y = z
    z += 1
    return y * x[0] + x[0, ...]


@row(21, X)
def scalars_rebind_and_arrays_do_not(x):
    s = x[0]
    t = s
    s += 1.0
    v = x[1, ...]
    w = v
    v += 1.0
    u = np.float64(2.0)
    q = u
    q *= x[2]
    return s * t + w * u * q + x[1]


@row(22, 3.0, 2.0)
def division_that_may_raise(a, b):
    if b == 0:
        return a / b
    return a / b + a // b + a % b


@row(23, X[0], X)
def polynomial(x, c):
    s = 0.0
    for k in range(4):
        s += c[k] * x**k
    return s


@row(23, 0.0, X)
def polynomial_at_zero(x, c):
    s = 0.0
    for k in range(4):
        s += c[k] * x**k
    return s


@row(23, np.array([-1.5, 0.0, 2.0]))
def powers_of_negative_arrays(x):
    return np.sum(x ** 2.0) + np.sum(x ** 3) * np.sum(x ** 2) + np.sum(np.abs(x) ** 1.5 * x)


@row(26, 2.0)
def accumulated_float(x):
    def acc(s, v):
        s += v
        return s

    s = x
    t = acc(s, 3.0)
    return s * t


@row(26, X)
def accumulated_array(x):
    def acc(s, v):
        s += v
        return s

    s = x.copy()
    t = acc(s, x[0])
    return np.sum(s * t) + acc(x[1], 2.0) * x[1]


@row(30, X)
def best_is_none_at_first(x):
    best = None
    for i in range(4):
        l = (x[i] - 0.7) ** 2
        if best is None or l < best:
            best = l
    return best


@row(30, R.rand(4, 3))
def best_row_is_none_at_first(x):
    best, where, cost = None, None, np.inf
    for i, r in enumerate(x):
        c = np.sum((r - 0.5) ** 2)
        if best is None:
            best, where, cost = r * 2, i, c
        elif c < cost:
            best, where, cost = r * c, i, c
    return np.sum(best) * where if best is not None else 0.0


@row(33, X, 0.5)
def function_chosen_by_data(x, c):
    act = np.tanh if c > 0 else np.sin
    y = act(x)
    return np.sum(y * y)


def square(v):
    return v * v


@row(33, X, -0.5)
def functions_chosen_in_a_loop(x, c):
    total = 0.0
    for i in range(4):
        f = square if x[i] > 0.9 else (lambda v: v * c)
        total += f(x[i])
    return total


@row(40, X)
def string_changes_in_a_loop(x):
    phase = "warm"
    s = 0.0
    for i in range(4):
        r = x[i]
        if phase == "warm" and r < 0.9:
            phase = "cold"
        s += r * r if phase == "warm" else r
    return s


@row(40, X)
def three_states(x):
    state, count = "start", 0
    total = 0.0
    while state != "stop":
        if state == "start":
            state = "middle"
        elif state == "middle" and count >= 2:
            state = "stop"
        total = total + x[count] * len(state)
        count += 1
    return total


@dataclass
class State:
    x: object
    v: object


@row(46, X, X * 0.1)
def new_instance_in_each_iteration(x, v):
    s = State(x, v)
    for i in range(3):
        s = replace(s, x=s.x + 0.1 * s.v)
    return np.sum(s.x**2)


@dataclass(frozen=True)
class Walker:
    place: np.ndarray
    speed: np.ndarray
    energy: float = 0.0

    def moved(self, dt):
        place = self.place + dt * self.speed
        speed = self.speed - dt * np.sin(place)
        return Walker(place, speed, self.energy + np.sum(speed**2))


@row(46, X, X * 0.1, 3)
def new_instance_by_its_own_method(x, v, n):
    walker = Walker(x, v)
    for _ in range(n):
        walker = walker.moved(0.1)
        if walker.energy > 1.0:
            walker = replace(walker, energy=walker.energy * 0.5)
    return walker.energy + np.sum(walker.place)
