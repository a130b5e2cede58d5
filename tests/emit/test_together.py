"""Loops over known numbers stay loops, and neighbouring statements are one: what a text says, and
that it computes what the program does."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import srcgrad as sg


def by_name(theta):
    p = dict(zip(("rate", "gain", "shift"), theta))
    return p["rate"] * np.exp(p["gain"]) - p["shift"] ** 2


def filled_by_name(theta):
    p = {}
    for name, value in zip(["rate", "gain", "shift"], theta):
        p[name] = value
    return p["rate"] * np.exp(p["gain"]) - p["shift"] ** 2


def unpacked(theta, r):
    omega, alpha, beta = theta
    s = total = 0.0
    for t in range(len(r)):
        s = omega + alpha * r[t] ** 2 + beta * s
        total += np.sin(s)
    return total


def neighbours(x, h):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            for ox in (-1, 0, 1):
                for oy in (-1, 0, 1):
                    d = x[i] - x[j] + np.array([ox * h, oy * h])
                    r2 = d @ d
                    if 0.01 < r2 < 9.0:
                        s = (1.0 / r2) ** 3
                        total += s * s - s
    return total ** 2


def surfaces(c, heights):
    indices = (1.0, 1.5, 1.6, 1.0)
    total = 0.0
    for h in heights:
        y, slope, lost = h, 0.0, False
        for k in range(3):
            s = indices[k] / indices[k + 1] * np.sin(np.arctan(slope) + c[k] * y)
            if abs(s) > 0.9:
                lost = True
                break
            slope = np.tan(np.arcsin(s) - c[k] * y)
            y = y + slope
        if not lost:
            total += y * y
    return total


def updated(x, n):
    m = np.ones((n, n))
    for i in range(n):
        for j in range(i):
            m[i, :j] *= x[j]
    return np.sum(m ** 2)


def chosen(x):
    free = np.setdiff1d(np.arange(6), [0, 3])
    return np.sum(x[free] ** 3)


class Panel:
    def __init__(self, a, b):
        self.middle = 0.5 * (a + b)
        self.length = np.sqrt((b - a) @ (b - a))


def panels(points, n):
    made = [Panel(a, b) for a, b in itertools.pairwise(points)]
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += made[j].length * made[i].middle[0]
    return total


def parts(theta, h):
    w, b = theta[:3], theta[3:]
    return np.sum(np.tanh(w) * h) + np.sum(b ** 2)


def padded(x, mode):
    y = np.pad(x, ((1, 2), (0, 1)), mode=mode)
    return np.sum(y[1:] * y[:-1] ** 2)


def advected(u, steps):
    for _ in range(steps):
        u = u - 0.1 * (np.roll(u ** 2, -1) - np.roll(u ** 2, 1))
    return np.sum(u ** 3)


def paired(x, first, second):
    total = 0.0
    for i, c in first:
        for j, d in second:
            a = np.sin(c * x[i] * x[j])
            b = np.exp(d * a * x[j])
            total += a * b
    return np.sin(total)


def drained(k, rain):
    fast, slow, total = 1.0, 2.0, 0.0
    for r in rain:
        fast += 0.7 * r
        slow += 0.3 * r
        total += (k[0] * fast + k[1] * slow) ** 2
        fast -= k[0] * fast
        slow -= k[1] * slow
    return total


def struck(spot, strikes):
    value = [spot[0] * 0.1 * j for j in range(len(strikes))]
    for n in range(len(strikes) - 1, 0, -1):
        for j in range(n):
            value[j] = max(0.5 * (value[j] + value[j + 1]), spot[0] - strikes[j])
    return value[0] ** 2


def crossed(x, n):  # what is added to an element is read before more is added
    y = x.copy()
    for i in range(n):
        y[0] += y[1] * x[i]
        y[1] += y[0] * y[0]
        y[0] += np.sin(y[1] * x[0])
    return y[0] * y[1]


def turns(u, steps):
    before, now = u.copy(), u.copy()
    for _ in range(steps):
        after = 2.0 * now - before
        after[1:-1] += 0.1 * u[1:-1] * (now[2:] + now[:-2])
        before, now = now, after
    return np.sum(now ** 2 * before)


def allowed(x, limit):
    total = 0.0
    for v in x:
        over = v * v - limit
        if over > 0.0:
            total += over ** 3
    return total


def zipped(x, y, z):
    s = total = 0.1
    for a, b in zip(x, y):
        s = np.sin(s * a) + b * s
        total += s
    for s, c in zip(y, z):
        total += s * c * total
    return total


def numbered(x, y):
    total = 1.0
    for i, a in enumerate(x):
        total = total * np.cos(a) + y[i]
    return total


def aligned(d, ends):
    t = np.zeros((4, 5))
    for i in range(1, 4):
        for j in range(1, 5):
            t[i, j] = np.sin(t[i - 1, j] * d[i, j] + t[i, j - 1]) + t[i - 1, j - 1]
    return t[3, 4] + sum(t[e, 1] for e in ends)


def swept(d, n):
    t = np.zeros((4, 4))
    for _ in range(n):
        for i in range(1, 3):
            for j in range(1, 3):
                t[i, j] = np.sin(t[i - 1, j + 1] * d[i, j] + t[i + 1, j] + d[i, j]) * t[i, j - 1]
                t[i, j] += d[j, i]
    return t[2, 2]


def clipped(x, low, high):
    s = total = 0.3
    for v in x:
        u = 3.0 * s + v
        if u > high:
            u = high
        elif u < low:
            u = low
        s = u * v
        total += s * s
    return total


def weighed(x, w):
    e = np.exp(x @ w - (x @ w).max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    q = np.exp(w[0]) / np.sum(np.exp(w[0]))
    return np.sum(p * p[::-1]) + q @ w[0]


def mixed(means, s, x):
    d = (x[:, None] - means) / s
    each = np.sum(-0.5 * d ** 2 - np.log(s), axis=2)
    top = np.max(each, axis=1)
    return -np.sum(top + np.log(np.sum(np.exp(each - top[:, None]), axis=1)))


def recurrent(w, xs):
    h = np.zeros((2, 3))
    for x in xs:
        h = np.tanh(x @ w + h)
    return np.sum(h ** 2)


def on_a_grid(x):
    i, j = np.mgrid[0:2, 0:3]
    return np.sum(np.sin(x[0] * i) * x[1] ** j)


R = np.random.default_rng(3)
THETA = np.array([0.3, 0.4, 0.5])
PROGRAMS = [
    (by_name, (THETA,), ["while", "min("]),
    (filled_by_name, (THETA,), ["while", "min("]),
    (unpacked, (THETA, R.normal(size=6)), ["theta[0]", "zeros_like"]),
    (neighbours, (R.normal(size=(4, 2)), 3.0), ["-1 * h", "range(len("]),
    (surfaces, (np.array([0.3, -0.2, 0.4]), np.linspace(0.1, 1.5, 5)), ["_saved = []"]),
    (updated, (R.uniform(0.5, 1.5, 4), 4), ["m_part ="]),
    (chosen, (R.normal(size=6),), ["np.unique"]),
    (panels, (R.normal(size=(5, 2)), 4), ["b_1"]),
    (parts, (R.normal(size=5), 0.7), ["zeros_like"]),
    (advected, (R.normal(size=6), 3), ["np.roll(-", ", None)"]),
    (paired, (R.normal(size=4), [(0, 0.5), (2, 1.5), (1, 2.5)] * 3, [(3, 0.1), (1, 0.2)] * 5),
     ["append(t", "b +="]),
    (drained, (np.array([0.3, 0.1]), R.uniform(size=6)), ["d_fast -="]),
    (struck, (np.array([2.0]), R.uniform(0.5, 1.5, 5)), ["= 0.0, "]),
    (crossed, (R.normal(size=4), 3), []), (turns, (R.normal(size=6), 3), []),
    (allowed, (R.normal(size=5), 0.1), ["else:"]),
    (zipped, (R.normal(size=4), R.normal(size=5), R.normal(size=3)), []),
    (numbered, (R.normal(size=4), R.normal(size=6)), ["zip("]),
    (aligned, (R.normal(size=(4, 5)), []), ["d_t[i, j] = 0.0"]),
    (aligned, (R.normal(size=(4, 5)), [1, 2]), []), (swept, (R.normal(size=(4, 4)), 2), []),
    (clipped, (R.normal(size=7), -0.6, 0.8), ["elif u < low:\n            d_"]),
    (weighed, (R.normal(size=(3, 2)), R.normal(size=(2, 4))), ["sum_e", "/ t1"]),
    (mixed, (R.normal(size=(3, 2)), np.full((3, 2), 0.7), R.normal(size=(5, 2))), ["-1.0 *", "-(-"]),
    (recurrent, (R.normal(size=(2, 3)), R.normal(size=(3, 2, 2))), ["reshape"]),
    (on_a_grid, (np.array([0.4, 1.2]),), ["__getitem__", "slice("]),
    *((padded, (R.normal(size=(4, 3)), mode), ["scatter_add"])
      for mode in ("edge", "wrap", "reflect", "symmetric")),
]
SAYS = {unpacked: ["omega, alpha, beta = theta", "np.array([d_omega, d_alpha, d_beta])"],
        neighbours: ["in enumerate((-1, 0, 1)):"], parts: ["np.concatenate(["],
        advected: ["d_u += np.roll(t1, -1) * t2 - np.roll(t1, 1) * t2"],
        paired: ["] = np.exp(", "reversed(range(len(second_0)))"],
        surfaces: ["break", "kept.append(("], updated: ["m[i, :j] *= x[j]"],
        drained: ["d_slow * k_1 + t1 * k_1"], struck: ["else:"],
        chosen: ["np.setdiff1d(np.arange(6), [0, 3])"],
        zipped: ["(a, b) in enumerate(zip(x, y)):", "for s, c in zip(y, z):"],
        clipped: [" or "], recurrent: [".T @ "],
        on_a_grid: ["i, j = np.mgrid[0:2, 0:3]"]}


@pytest.mark.parametrize(("program", "args", "avoided"), PROGRAMS)
def test_text(program, args, avoided):
    derivative = sg.value_and_grad(program)
    value, slope = derivative(*args)
    assert np.asarray(value).tobytes() == np.asarray(program(*args)).tobytes()
    direction = R.normal(size=args[0].shape)
    ends = [program(args[0] + s * direction, *args[1:]) for s in (1e-6, -1e-6)]
    assert np.sum(slope * direction) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)
    text = derivative.source(*args).split("\n", 3)[3]
    for said in SAYS.get(program, ()):
        assert said in text
    for said in avoided:
        assert said not in text


def test_sizes_are_guarded():
    derivative = sg.value_and_grad(by_name)
    derivative(THETA)
    longer = np.array([0.3, 0.4, 0.5, 7.0])
    assert derivative(longer)[1].tolist() == [*derivative(THETA)[1], 0.0]
    with pytest.raises(KeyError):
        derivative(THETA[:2])


def normalised(x, k):
    p = np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x)))
    z = x * k
    q = np.exp(z) / np.sum(np.exp(z))
    return np.sum(p * q)


def named(x, k):
    e = np.exp(x)
    f = np.exp(x)
    e *= k
    return np.sum(e * f)


def likelihood(A, y):
    L = np.linalg.cholesky(A @ A.T + np.eye(len(y)))
    a = np.linalg.solve(L, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(L)))


@pytest.mark.parametrize(("program", "args", "what", "times"), [
    (normalised, (R.normal(size=5), 0.7), "np.exp(z)", 1),
    (named, (R.normal(size=5), 0.7), "= np.exp(x)", 2),
    (likelihood, (R.normal(size=(4, 4)), R.normal(size=4)), "np.linalg.solve(", 1),
])
def test_computed_once(program, args, what, times):
    derivative = sg.value_and_grad(program)
    value, slope = derivative(*args)
    assert value == program(*args)
    direction = R.normal(size=args[0].shape)
    ends = [program(args[0] + s * direction, *args[1:]) for s in (1e-6, -1e-6)]
    assert np.sum(slope * direction) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)
    code = [line for line in derivative.source(*args).splitlines() if "# " not in line]
    assert "\n".join(code).count(what) == times
