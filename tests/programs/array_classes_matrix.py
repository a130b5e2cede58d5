"""np.matrix: products by ``*``, parts with two axes, and NumPy's functions that ask for it."""

from __future__ import annotations

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([1.5, 2.0])
ROWS = np.matrix([[1.0, 2.0], [3.0, 4.0]])


@case(X)
def products_and_powers(x):
    rows = np.matrix([[x[0], 1.0], [0.5, x[1]]])
    column = np.matrix(x).T
    return (rows * column)[0, 0] + (rows**2)[1, 0] + (x * rows)[0, 1] - (2.0 * rows / 3)[0, 0]


@case(X)
def parts_keep_two_axes(x):
    outer = np.asmatrix(np.outer(x, x))
    total = 0.0
    for i in range(2):
        total += outer[i, :].sum() * outer[:, i][1, 0] + (outer[i] * outer[:, 0])[0, 0]
    for row in outer:
        total += row[0, 1] * row.shape[0]
    return total + outer.A1[1] + outer[1].tolist()[0][0] + outer.flatten()[0, 2]


@case(X)
def sums_along_axes(x):
    m = np.matrix(np.outer(x, x) + np.eye(2))
    return (m.sum(axis=0) * m.mean(axis=1))[0, 0] + m.std() + m.max() + m.argmax() + m.trace()[0, 0]


@case(X)
def functions_that_ask_for_matrices(x):
    m = np.matrix(np.diag(x)) + 0.1
    joined = np.hstack([m, np.vstack([m[0], m[1]])])
    return np.trace(m) + np.linalg.norm(m) + np.linalg.inv(m)[0, 1] + np.linalg.solve(
        m, np.matrix(x).T)[1, 0] + joined.sum() + np.multiply(m, m)[0, 0] + np.dot(m, m.T)[0, 1]


@case(X)
def from_a_text_and_written_to(x):
    m = np.matrix("1.0 2.0; 3 4")
    m[0, 1] = x[0]
    m[1, :] = x * 2
    return np.linalg.det(m) + m[0].sum() + (m.I * m.T)[0, 1]


class Filter:
    def __init__(self, noise):
        self.state, self.spread = np.matrix("0.0 0.0").T, np.matrix(np.eye(2))
        self.step, self.seen = np.matrix([[1.0, 0.1], [0.0, 1.0]]), np.matrix([1.0, 0.0])
        self.noise = np.eye(2) * noise

    def follow(self, measured):
        self.state = self.step * self.state
        self.spread = self.step * self.spread * self.step.T + self.noise
        gain = self.spread * self.seen.T * (self.seen * self.spread * self.seen.T + 0.5).I
        self.state = self.state + gain * (measured - self.seen * self.state)
        self.spread = (np.eye(2) - gain * self.seen) * self.spread


@case(X)
def kalman(x):
    found = Filter(x[0])
    for measured in (0.1, x[1], 0.4, 0.7):
        found.follow(measured)
    return float(found.state[1, 0]) + found.spread[0, 0]


@case(X)
def blocks(x):
    whole = np.bmat([[np.eye(2), np.matrix(x).T], [np.matrix(x), np.matrix([[1.0]])]])
    return (whole * whole)[2, 0]


@case(X)
def from_outside(x):
    return float((ROWS * np.matrix(x).T).sum()) * ROWS[1, 0] + np.sum(ROWS[0])


@case(ROWS)
def as_argument(m):
    return (m * m.T)[0, 1] * m[0, 0]


@case(X)
def columns_of_columns(x):
    """NumPy asks the class for the column that is written to: it has two axes."""
    step = np.matrix(np.outer(x, x) + np.eye(2)) * 0.1
    state, history = np.matrix(x).T, np.matrix(np.zeros((2, 4)))
    for i in range(4):
        state = state - step * state
        history[:, i] = state
    history[0, 0] = x[1]
    history[[0, 1], 3] = step[0, 1]
    history[..., 2] = 2.0 * history[:, 1]
    return np.sum(np.asarray(history) ** 2)
