"""Programs with loops, as people write them; ``CASES`` pairs each with functions of a size that
make its arguments."""

from __future__ import annotations

import math

import numpy as np

CASES = []


def of(*makers, sizes=(0, 1, 2, 3, 7)):
    """Enter a program with what makes its arguments: ``maker(rng, n)``."""
    def entered(fn):
        CASES.append((fn, makers, sizes))
        return fn
    return entered


def vector(rng, n):
    return rng.standard_normal(n)


def positive(rng, n):
    return rng.random(n) + 0.5


def longer(rng, n):
    return rng.standard_normal(n + 2)


def square(rng, n):
    return rng.standard_normal((n, n))


def wide(rng, n):
    return rng.standard_normal((n, n + 2))


def tall(rng, n):
    return rng.standard_normal((n + 1, n))


def definite(rng, n):
    a = rng.standard_normal((n, n))
    return a @ a.T + n * np.eye(n)


def dominant(rng, n):
    return rng.standard_normal((n, n)) + 2 * n * np.eye(n)


def number(rng, n):
    return float(rng.random() + 0.1)


def size(rng, n):
    return n


def places(rng, n):
    return rng.integers(0, max(n, 1), n)


# ---- sums and recurrences ---------------------------------------------------------------------


@of(vector)
def add_up(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


@of(vector, vector)
def dot(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


@of(square)
def add_up_rows(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] * a[i, j]
    return s


@of(vector)
def prefix_sums(x):
    y = np.zeros_like(x)
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        y[i] = s
    return np.sum(y * y)


@of(vector, number)
def smoothing(x, alpha):
    level = 0.0
    error = 0.0
    for i in range(len(x)):
        error += (x[i] - level) ** 2
        level = alpha * x[i] + (1 - alpha) * level
    return error


@of(number, size)
def logistic_map(r, n):
    x = 0.3
    for _ in range(n):
        x = 3.0 * r * x * (1.0 - x)
    return x


@of(vector, number)
def horner(c, x):
    p = 0.0
    for i in range(len(c) - 1, -1, -1):
        p = p * x + c[i]
    return p


@of(vector, number)
def clenshaw(c, x):
    b1 = 0.0
    b2 = 0.0
    for i in range(len(c) - 1, 0, -1):
        b1, b2 = 2.0 * x * b1 - b2 + c[i], b1
    return x * b1 - b2


@of(positive)
def continued_fraction(a):
    y = 1.0
    for i in range(len(a) - 1, -1, -1):
        y = a[i] + 1.0 / y
    return y


@of(positive, number, number)
def garch(r, a, b):
    s = 0.1
    ll = 0.0
    for t in range(len(r)):
        ll += math.log(s) + r[t] * r[t] / s
        s = 0.05 + a * r[t] * r[t] + b * s
    return ll


@of(vector, number)
def tanh_recurrence(x, w):
    h = 0.0
    for i in range(len(x)):
        h = np.tanh(w * h + x[i])
    return h


@of(vector)
def running_mean_and_variance(x):
    mean = 0.0
    m2 = 0.0
    for i in range(len(x)):
        delta = x[i] - mean
        mean += delta / (i + 1)
        m2 += delta * (x[i] - mean)
    return m2 + mean


@of(vector)
def two_accumulators(x):
    even, odd = 0.0, 0.0
    for i in range(0, len(x) - 1, 2):
        even += x[i]
        odd += x[i + 1] * x[i]
    return even * odd


# ---- dynamic systems ---------------------------------------------------------------------------


@of(number, number, size)
def euler_pendulum(theta, omega, n):
    dt = 0.05
    for _ in range(n):
        omega, theta = omega - dt * math.sin(theta), theta + dt * omega
    return theta * theta + omega * omega


@of(number, number, size)
def runge_kutta(x, k, n):
    dt = 0.1
    for _ in range(n):
        k1 = -k * x
        k2 = -k * (x + 0.5 * dt * k1)
        k3 = -k * (x + 0.5 * dt * k2)
        k4 = -k * (x + dt * k3)
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return x


@of(number, number, size)
def verlet(x, v, n):
    for _ in range(n):
        half = v - 0.05 * x * x * x
        x = x + 0.1 * half
        v = half - 0.05 * x * x * x
    return x + v


@of(number, number, size)
def lotka_volterra(prey, hunters, n):
    for _ in range(n):
        born = 0.1 * prey - 0.02 * prey * hunters
        died = 0.01 * prey * hunters - 0.1 * hunters
        prey += born
        hunters += died
    return prey - hunters


@of(vector, number, number)
def kalman_scalar(z, q, r):
    x, p, total = 0.0, 1.0, 0.0
    for t in range(len(z)):
        p = p + q
        gain = p / (p + r)
        residual = z[t] - x
        x = x + gain * residual
        p = (1.0 - gain) * p
        total += residual * residual
    return total


@of(vector, number)
def short_loops(x, w):
    """Loops of known length that keep numbers, one of them backwards."""
    s = 0.0
    for i in range(len(x)):
        a, b = x[i] + 1.0, x[i]
        for k in range(5, 0, -2):
            a, b = a * (b + x[i] * k), w * a
        for k in range(3):
            b = b * np.sin(a * b) + w * k
        s += a * b
    return s


@of(vector, positive)
def normalised(x, m):
    """Cotangents that are divided by a root twice, and by counts."""
    s, mean = 0.0, 0.0
    for i in range(len(x)):
        s += m[i] * x[i] / np.sqrt(x[i] * x[i] + m[i]) + x[i] / math.sqrt(m[i])
        mean += (s - mean) / (i + 1)
    return mean


@of(vector)
def changed_and_copied(x):
    """What the kernel has changed is copied then."""
    u, v = x.copy(), np.zeros_like(x)
    for i in range(len(x)):
        u[i] = 0.5 * u[i] * x[i]
        v[i] = u[i] * u[i - 1]
    w = u.copy()
    for i in range(len(x)):
        w[i] = w[i] * v[i]
        u[i] = u[i] + w[i]
    return np.sum(w * u)


# ---- linear algebra by hand --------------------------------------------------------------------


@of(definite)
def cholesky(a):
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, i] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    total = 0.0
    for i in range(n):
        total += np.log(low[i, i])
    return total


@of(dominant)
def lu(a):
    n = a.shape[0]
    u = a.copy()
    for k in range(n):
        for i in range(k + 1, n):
            u[i, k] = u[i, k] / u[k, k]
            for j in range(k + 1, n):
                u[i, j] -= u[i, k] * u[k, j]
    total = 0.0
    for i in range(n):
        total += u[i, i]
    return total


@of(dominant, vector)
def forward_substitution(low, b):
    n = low.shape[0]
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= low[i, j] * x[j]
        x[i] = s / low[i, i]
    return np.sum(x * x)


@of(positive, positive, positive, vector, sizes=(1, 2, 3, 7))
def thomas(low, diagonal, up, rhs):
    n = len(diagonal)
    c = np.zeros(n)
    d = np.zeros(n)
    c[0] = up[0] / (3.0 + diagonal[0])
    d[0] = rhs[0] / (3.0 + diagonal[0])
    for i in range(1, n):
        m = 3.0 + diagonal[i] - low[i] * c[i - 1]
        c[i] = up[i] / m
        d[i] = (rhs[i] - low[i] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] = d[i] - c[i] * d[i + 1]
    return np.sum(d * d)


@of(wide, tall)
def product(a, b):
    n, m, k = a.shape[0], b.shape[1], min(a.shape[1], b.shape[0])
    c = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            s = 0.0
            for t in range(k):
                s += a[i, t] * b[t, j]
            c[i, j] = s
    return np.sum(c * c)


@of(square, vector, number)
def quadratic_form(a, x, scale):
    s = 0.0
    for i in range(a.shape[0]):
        row = 0.0
        for j in range(a.shape[1]):
            row += a[i, j] * x[j]
        s += scale * row * x[i]
    return s


# ---- stencils and grids ------------------------------------------------------------------------


@of(vector, size)
def heat_by_elements(u, steps):
    v = u.copy()
    for _ in range(steps):
        w = v.copy()
        for i in range(1, len(v) - 1):
            v[i] = w[i] + 0.1 * (w[i - 1] - 2.0 * w[i] + w[i + 1])
    return np.sum(v * v)


@of(square)
def gauss_seidel(a):
    n = a.shape[0]
    u = a.copy()
    for _ in range(2):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


@of(vector)
def upwind(u):
    v = u.copy()
    for _ in range(3):
        for i in range(len(v) - 1, 0, -1):
            v[i] = v[i] - 0.2 * (v[i] - v[i - 1])
    return np.sum(v)


@of(vector, longer)
def convolution(x, w):
    y = np.zeros(len(x) + len(w) - 1)
    for i in range(len(x)):
        for j in range(len(w)):
            y[i + j] += x[i] * w[j]
    return np.sum(y * y)


@of(vector)
def cellular_rule(x):
    cells = x.copy()
    for _ in range(2):
        for i in range(1, len(cells) - 1):
            if cells[i - 1] * cells[i + 1] > 0.0:
                cells[i] = 0.5 * cells[i] + cells[i - 1]
            elif cells[i] > 0.3:
                cells[i] = -cells[i]
    return np.sum(cells)


@of(vector)
def last_elements(x):
    s = 0.0
    for i in range(1, len(x) + 1):
        s += x[-i] * i
    return s


@of(vector, size)
def last_copy(u, steps):
    """The copy of one iteration outlives it."""
    v, w = u.copy(), u.copy()
    for _ in range(steps):
        w = v.copy()
        for i in range(1, len(v)):
            v[i] = 0.5 * (w[i] + w[i - 1] * w[i])
    return np.sum(v * w)


@of(square, vector)
def triangles(a, x):
    """What is kept lies in rows of different lengths, one of them with gaps."""
    s = 0.0
    for i in range(len(x)):
        t = x[i] - s
        for j in range(i + 1):
            if t > 0.3:
                t = t * a[i, j]
            else:
                t = 0.1 * t * t + a[j, i]
        u = t
        for j in range(len(x) - i - 2):
            u = 0.5 * u * u * a[i, j]
        s = 0.5 * s * s + t * u
    return s


# ---- paths, alignments, tables -----------------------------------------------------------------


@of(square)
def floyd_warshall(w):
    n = w.shape[0]
    d = w * w
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return np.sum(d)


@of(vector, longer)
def time_warping(x, y):
    n, m = len(x), len(y)
    d = np.full((n + 1, m + 1), 1e6)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) * (x[i - 1] - y[j - 1])
            best = d[i - 1, j - 1]
            if d[i - 1, j] < best:
                best = d[i - 1, j]
            if d[i, j - 1] < best:
                best = d[i, j - 1]
            d[i, j] = cost + best
    return d[n, m]


@of(square, square, sizes=(1, 2, 3, 7))
def viterbi(moves, seen):
    n, m = seen.shape
    score = np.zeros((n, m))
    for j in range(m):
        score[0, j] = seen[0, j]
    for t in range(1, n):
        for j in range(m):
            best = score[t - 1, 0] + moves[0, j]
            for k in range(1, m):
                other = score[t - 1, k] + moves[k, j]
                if other > best:
                    best = other
            score[t, j] = best + seen[t, j]
    best = score[n - 1, 0]
    for j in range(1, m):
        if score[n - 1, j] > best:
            best = score[n - 1, j]
    return best


@of(positive, positive)
def knapsack_of_parts(value, weight):
    table = np.zeros(12)
    for i in range(len(value)):
        for c in range(11, 2, -1):
            taken = table[c - 3] + value[i] * weight[i]
            if taken > table[c]:
                table[c] = taken
    return table[11]


@of(vector, places)
def gathered(x, where):
    s = 0.0
    for i in range(len(where)):
        s += x[where[i]] * x[where[i]]
    return s


@of(vector, places)
def scattered(x, where):
    bins = np.zeros(len(x))
    for i in range(len(where)):
        bins[where[i]] += x[i]
    return np.sum(bins * bins)


@of(vector, places)
def swaps(x, where):
    y = x.copy()
    for i in range(len(where)):
        j = where[i]
        y[i], y[j] = y[j], y[i]
    s = 0.0
    for i in range(len(y)):
        s += (i + 1) * y[i]
    return s


@of(vector)
def bubble_sort(x):
    y = x.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    s = 0.0
    for i in range(len(y)):
        s += i * y[i]
    return s


@of(tall, vector, places)
def exchanged(a, x, where):
    """Exchanges within rows, in one direction or the other, of places that may be one, and of three
    elements; the last ones are not both there in each iteration."""
    y, b = x.copy(), a.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1, 0, -1):
            if b[i, j] < b[i + 1, j - 1]:
                b[i + 1, j - 1], b[i, j] = b[i, j], b[i + 1, j - 1]
        if y[i] > y[where[i]]:
            y[i], y[where[i]] = y[where[i]], y[i]
        if i > 0 and y[i - 1] + y[where[i - 1]] > y[i] + y[where[i]]:
            y[i], y[i - 1] = y[i - 1] + 0.0 * y[i], y[where[i]]
        if i > 1 and y[i] > y[i - 2]:
            y[i], y[i - 1], y[i - 2] = y[i - 1], y[i - 2], y[i]
    s = 0.0
    for i in range(len(y)):
        s = 0.5 * s + y[i] * y[i] + i * b[i, i] * b[i + 1, 0]
    return s


@of(square, size)
def given_and_assigned(a, n):
    """Python's number where no iteration assigns NumPy's: one that a kernel is given."""
    more, s = 0, 0
    while n > 0 and s > 0.5 or more % 2:
        s = 0.9 * s + 0.1
    for i in range(n):
        s = a[0, i]
    return s


@of(vector, size)
def never_repeated(x, n):
    """The backward part of an inner loop of one iteration."""
    t = 1.0
    for i in range(len(x)):
        e = 0
        while e < n + 1 and -i - 1 == max(i - 1, 0):
            t += (n - 3) + x[i + 1]
    return t


@of(vector)
def largest_taken_away(x):
    s = 0.5
    for i in range(len(x)):
        s -= np.maximum(x[i], s)
    return s


@of(vector)
def sorted_in_rounds(x):
    """Which branches were taken is kept for each iteration of a loop of unknown length."""
    y, rounds, again = x.copy(), 0, True
    while again and rounds < 5:
        again = False
        for i in range(len(y) - 1):
            if y[i] > y[i + 1]:
                y[i], y[i + 1] = y[i + 1], y[i]
                again = True
            elif y[i] > 0.0:
                y[i] = 0.5 * y[i] * y[i + 1]
        rounds += 1
    s = 0.0
    for i in range(len(y)):
        s += i * y[i]
    return s * rounds


# ---- pairs and random draws --------------------------------------------------------------------


@of(vector, positive)
def pair_energy(x, m):
    e = 0.0
    for i in range(len(x)):
        for j in range(i):
            r = x[i] - x[j]
            e += m[i] * m[j] / np.sqrt(r * r + 0.01)
    return e


@of(vector, vector, size)
def bodies_on_a_line(x, v, steps):
    x, v = x.copy(), v.copy()
    n = len(x)
    for _ in range(min(steps, 3)):
        for i in range(n):
            a = 0.0
            for j in range(n):
                gap = x[j] - x[i]
                a += gap / (gap * gap + 0.1)
            v[i] += 0.01 * a
        for i in range(n):
            x[i] += 0.01 * v[i]
    return np.sum(x * x)


@of(vector, number, number)
def monte_carlo(draws, drift, spread):
    total = 0.0
    for i in range(len(draws)):
        price = 1.0
        for _ in range(4):
            price *= 1.0 + 0.1 * drift + 0.2 * spread * draws[i]
        payoff = price - 1.0
        if payoff > 0.0:
            total += payoff
    return total


@of(vector)
def hinge(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            if x[i] > 1.0:
                s += x[i] * x[i]
            else:
                s += 2.0 * x[i]
        elif x[i] < -0.5:
            s -= x[i]
    return s


# ---- while, break, numbers of other kinds ------------------------------------------------------


@of(number)
def newton_root(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y


@of(number, number)
def fixed_point(a, x):
    old = 0.0
    new = x
    while abs(new - old) > 1e-10:
        old, new = new, 0.5 * math.cos(a * new)
    return new


@of(number)
def bisection(c):
    low, high = 0.0, 2.0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        if middle * middle > c:
            high = middle
        else:
            low = middle
    return c * (low + high)


@of(vector, number)
def first_above(x, limit):
    found = -1.0
    for i in range(len(x)):
        if x[i] > limit:
            found = x[i] * limit
            break
    return found


@of(positive)
def until_enough(x):
    s, i = 0.0, 0
    while i < len(x) and s < 2.0:
        s += x[i]
        i += 1
    return s * i


@of(number, size)
def counted(x, n):
    s, odd = 0.0, 0
    for i in range(n):
        if i % 2 == 1:
            odd += 1
            s += x * odd
        else:
            s -= x * (i // 2)
    return s


@of(vector)
def congruences(x):
    state = 7
    s = 0.0
    for i in range(len(x)):
        state = (state * 1103 + 12345) % 65536
        s += x[i] * (state / 65536.0)
    return s


@of(lambda rng, n: rng.standard_normal(n).astype(np.float32), number)
def single_precision(x, w):
    s = np.float32(0.0)
    for i in range(len(x)):
        s = s * 0.9 + x[i] * w
    return s


@of(vector, lambda rng, n: rng.random(n) > 0.5)
def masked(x, mask):
    s = 0.0
    for i in range(len(x)):
        if mask[i]:
            s += x[i]
        else:
            s *= 0.5
    return s


@of(vector)
def powers_of_two(x):
    s, factor = 0.0, 1.0
    for i in range(len(x)):
        factor *= 0.5
        s += factor * x[i] ** 2 + abs(x[i])
    return s


@of(vector, positive)
def mixed_with_numpy(x, y):
    """One loop has a function that stays in NumPy, the other has not."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    for i in range(2):
        s += np.linalg.norm(x) * s
    return s
