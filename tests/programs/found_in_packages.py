"""Programs in the manner of published packages; each stands for one that once failed."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
from numpy.lib.scimath import arcsin

R = np.random.RandomState(8)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- rotations -----------------------------------------------------------------------------------
@case(R.rand(3, 3))
def unpacked_flat(m):
    a, b, c, d, e, f, g, h, i = m.flat
    return math.atan2(f, i) * a + d * math.hypot(b, c) + g * h * e


@case(R.rand(2, 2), 3.0)
def flat_in_containers(m, s):
    total = sum(v * k for k, v in enumerate(m.flat))
    first, *others = list(m.T.flat)
    return total * s + first * others[1] + max(m.flat)


def turn_about_z(angle):
    return np.array([[math.cos(angle), -math.sin(angle), 0],
                     [math.sin(angle), math.cos(angle), 0],
                     [0, 0, 1]])


def turn_about_x(angle):
    return np.array([[1, 0, 0],
                     [0, math.cos(angle), -math.sin(angle)],
                     [0, math.sin(angle), math.cos(angle)]])


@case(0.3, 0.4, 0.5)
def only_the_turns_that_are_needed(a, b, c):
    turns = []
    if abs(a) > 1e-9:
        turns.append(turn_about_z(a))
    if abs(b) > 0.45:
        turns.append(turn_about_x(b))
    if abs(c) > 1e-9:
        turns.append(turn_about_z(c))
    if not turns:
        return 3.0 * a
    whole = reduce(np.dot, turns[::-1])
    return float(np.sum(whole * np.arange(9.0).reshape(3, 3)))


@case(0.7, 1.3)
def folded(x, y):
    kept = [x * y]
    for i in range(4):
        if i * y > 1.5:
            kept.append(i * x)
    return reduce(lambda a, b: a * b + y, kept, x) + reduce(lambda a, b: a - b * b, kept)


@case(R.rand(3) * 0.5)
def real_part_filled_in(xyz):
    rest = 1.0 - np.dot(xyz, xyz)
    if rest < 0:
        w = 0
    else:
        w = np.sqrt(rest)
    return np.sum(np.r_[w, xyz] * np.arange(1.0, 5.0))


# ---- waves ---------------------------------------------------------------------------------------
@case(1.5, 1.0, 0.4)
def refracted(n1, n2, angle):
    return np.abs(np.cos(arcsin(n1 * np.sin(angle) / n2))) + angle


@case(1.5, 1.0, 1.1)
def totally_reflected(n1, n2, angle):
    inside = arcsin(n1 * np.sin(angle) / n2)
    r = (n1 * np.cos(angle) - n2 * np.cos(inside)) / (n1 * np.cos(angle) + n2 * np.cos(inside))
    return np.imag(r) + 2.0 * np.real(r)


@case(R.rand(4) - 0.5)
def roots_of_any_sign(x):
    root = np.emath.sqrt(x)
    return np.sum(np.abs(root) ** 3 + np.real(root) * np.imag(root) + np.real(root))


# ---- splines -------------------------------------------------------------------------------------
class Hermite:
    matrix = np.array([[2.0, -2, 1, 1], [-3, 3, -2, -1], [0, 0, 1, 0], [1, 0, 0, 0]])

    def __init__(self, x0, x1, v0, v1, t0=0.0, t1=1.0):
        self.ends = t0, t1
        self.coefficients = self.matrix @ [x0, x1, (t1 - t0) * v0, (t1 - t0) * v1]

    def evaluate(self, t):
        t0, t1 = self.ends
        s = (t - t0) / (t1 - t0)
        return s ** np.arange(4)[::-1] @ self.coefficients


@case(R.rand(4), 0.3)
def constant_matrix_and_list(v, t):
    curve = Hermite(v[0], v[1], v[2] * 2, v[3], t1=1.5)
    return curve.evaluate(t) + np.sum(np.array([1.0, 2.0]) / [v[0], t])


# ---- what a number is ----------------------------------------------------------------------------
@case(2.5, 3)
def divisors(x, n):
    found = [1]
    for i in range(1, n):
        found.append(i * x)
    total = 0.0
    for f in found:
        if isinstance(f, int):
            total += 5.0
        if type(f) in (float, np.float64):
            total += f * f
    return total
