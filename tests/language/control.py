"""Branches on data and early exits."""

from __future__ import annotations

import numpy as np
from table import construct

R = np.random.RandomState(41)
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
V6 = R.rand(6) + 0.1
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)


@construct("nested if/elif/else", W6 * 2, 1.3, 0.4)
def plasticity_return_mapping(strain, modulus, hardening):
    stress = np.zeros_like(strain)
    alpha, yield_stress, back = 0.0, 0.9, 0.0
    for i, eps in enumerate(strain):
        trial = modulus * eps - back
        if abs(trial) <= yield_stress + hardening * alpha:
            stress[i] = trial + back
        else:
            over = abs(trial) - (yield_stress + hardening * alpha)
            step = over / (modulus + hardening)
            if trial > 0.0:
                stress[i] = trial - modulus * step + back
                if step > 0.5:
                    back += 0.1 * step
                else:
                    back += 0.05 * step ** 2
            elif trial < -2.0:
                stress[i] = trial + modulus * step + back
                back -= 0.1 * step
            else:
                stress[i:] += 0.2 * (trial + modulus * step)
            alpha += step
    return np.sum(stress ** 2) + alpha * back


@construct("nested if/elif/else", 0.8, 0.3, V5)
def progressive_tax(rate, threshold, income):
    brackets = {"low": 0.0, "high": 0.0}
    total = income * 0.0
    for k in range(len(income)):
        earned = income[k] ** 2
        if earned < threshold:
            due = 0.0
        elif earned < 3 * threshold:
            due = rate * (earned - threshold)
            if k % 2:
                due *= 0.9
                brackets["low"] += due
            else:
                brackets["low"] += 0.5 * due
        else:
            if due_is_flat(k):
                due = 2.0 * rate * threshold
            elif earned > 6 * threshold:
                due = 2 * rate * threshold + 1.2 * rate * (earned - 3 * threshold)
            else:
                due = 2 * rate * threshold + 1.1 * rate * (earned - 3 * threshold)
            brackets["high"] += due
        total[k] = due
    return np.sum(total) + brackets["low"] * brackets["high"]


def due_is_flat(k):
    return k == 3


@construct("nested if/elif/else", V4, M34)
def viscosity_limiter(speed, flux):
    flux = flux.copy()
    row = flux[1]
    for j in range(flux.shape[1]):
        left, right = flux[0, j], flux[2, j]
        if left * right > 0.0:
            if abs(left) < abs(right):
                row[j] = left * speed[j]
            elif abs(left) < 2 * abs(right):
                row[j] = right * speed[j]
            else:
                row[j] += 2 * right
        elif row[j] > 0.2:
            row[j] = row[j] ** 2
        else:
            row = flux[2] if j > 1 else flux[0]
            row[j] -= 0.1 * speed[j]
    return np.sum(flux ** 2 * speed)


@construct("while with break, continue and else", 2.3, 0.7)
def damped_newton(a, start):
    x, rejected = start, 0
    step, count = 1.0, 0
    while count < 30:
        count += 1
        residual = x ** 3 + a * x - 2.0
        candidate = x - step * residual / (3 * x ** 2 + a)
        if abs(candidate ** 3 + a * candidate - 2.0) > abs(residual):
            step *= 0.5
            rejected += 1
            continue
        if abs(candidate - x) < 1e-11:
            break
        x, step = candidate, min(1.0, 2 * step)
    else:
        x = 0.0 * a
    return x ** 2 + 0.1 * rejected


@construct("while with break, continue and else", W6, 0.15)
def run_length_energy(signal, tol):
    runs = []
    i, n = 0, len(signal)
    while i < n:
        j = i + 1
        acc = signal[i]
        while j < n:
            if abs(signal[j]) < tol:
                j += 1
                continue
            if signal[j] * signal[i] < 0:
                break
            acc = acc + signal[j] * (j - i)
            j += 1
        else:
            acc = acc * 2.0
        runs.append(acc ** 2)
        i = j
    return sum(runs) * (1 + tol)


@construct("while with break, continue and else", 1.7, V4, smooth=False)
def bracket_and_bisect(target, weights):
    low, high = 0.0, 0.25
    while np.sum(weights) * high + high ** 3 < target:
        high *= 2.0
        if high > 64.0:
            break
    while high - low > 1e-12:
        mid = 0.5 * (low + high)
        if np.sum(weights) * mid + mid ** 3 < target:
            low = mid
            continue
        high = mid
    else:
        # one Newton step gives the root its derivative
        f = np.sum(weights) * low + low ** 3 - target
        low = low - f / (np.sum(weights) + 3 * low ** 2)
    return low ** 2 + np.dot(weights, weights) * low


@construct("for-else", S33, V4[:3])
def jacobi_for_else(A, b):
    x = np.zeros_like(b)
    for sweep in range(200):
        new = (b - A @ x + np.diag(A) * x) / np.diag(A)
        if np.max(np.abs(new - x)) < 1e-13:
            break
        x[:] = new
    else:
        x = np.linalg.solve(A, b)
    return x @ x


@construct("for-else", W6, 0.8)
def first_crossing(path, level):
    paid = 0.0
    for t, value in enumerate(path):
        if value > level:
            paid = (value - level) * np.exp(-0.1 * t)
            break
        paid += 0.01 * value
    else:
        paid = path[-1] - level
    for t in reversed(range(len(path))):
        if path[t] < -5:
            paid *= 2
            break
    else:
        paid += level ** 2
    return paid * level


@construct("for-else", V6, M44)
def primes_weighted(w, M):
    found, out = [], M.copy()
    for n in range(2, 14):
        for p in found:
            if n % p == 0:
                out[p % 4] *= 1.0 + w[n % 6] * 0.1
                break
        else:
            found.append(n)
            out[n % 4, 0] += w[len(found) % 6]
    return np.sum(out * out) / len(found)


@construct("early return out of nested loops", M44, 1.2)
def first_large_pivot(M, level):
    A = M.copy()
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] > level:
                return A[i, j] * np.sum(A[i]) + level
            A[i, j] *= 0.5
        A[i] += A[i - 1]
    return np.sum(A) * level


def find_knot(knots, at):
    for i, group in enumerate(knots):
        for j, knot in enumerate(group):
            while knot < at:
                knot = knot + 0.25
                if knot > at - 0.1:
                    return knot * (i + 1), at - knot
            if j == 2:
                return knot, None
    return 0.0, at


@construct("early return out of nested loops", np.sort(R.rand(3, 4), 1), 0.83)
def knot_search(knots, at):
    total = 0.0
    for shift in (0.0, 0.13, -0.4):
        value, rest = find_knot(knots, at + shift)
        total += value ** 2
        if rest is not None:
            total += rest * 3
    return total


@construct("early return out of nested loops", V5, 0.5)
def escape_time(c, radius):
    state = np.zeros(5)
    for step in range(8):
        for k in range(5):
            state[k] = state[k] ** 2 + c[k]
            if abs(state[k]) > 1.0 + radius:
                smooth = step + 1 - np.log(np.abs(state[k]))
                return smooth * radius + state.sum()
        if np.abs(state).sum() > 40:
            return np.sum(state * state)
    return np.mean(state) * radius


@construct("conditional expressions", W6, 1.1)
def huber_and_tukey(residual, delta):
    total = 0.0
    for r in residual:
        total += 0.5 * r * r if abs(r) <= delta else delta * (abs(r) - 0.5 * delta)
        total += (1 - (1 - (r / 3) ** 2) ** 3) / 6 if r > 0 else (0.1 if r < -delta else r ** 2)
    return total


@construct("conditional expressions", 0.4, V4)
def upwind(velocity, u):
    flux = u.copy()
    for _ in range(3):
        source = flux if velocity > 0 else flux[::-1]
        (source if source[0] > source[-1] else flux)[1:] += velocity * np.diff(source)
        velocity = -velocity if flux.sum() > 1.0 else 0.9 * velocity
    return np.sum(flux ** 2) * velocity


@construct("conditional expressions", V6, 0.3)
def elu_network(x, a):
    weights = [x[:3], x[3:]] if a > 0 else [x[3:], x[:3]]
    act = (lambda v: v if v > 0 else a * (np.exp(v) - 1)) if len(x) > 4 else np.tanh
    h = [act(w - 0.6) for w in weights[0]]
    out = h[0] if h[0] > h[1] else h[1] if h[1] > h[2] else h[2]
    return out * weights[1].sum() + (x[0] if out > 0 else x[1]) ** 2


@construct("and, or, not", W6, 0.6)
def hysteresis_relay(signal, width):
    on, work = False, np.zeros(6)
    for k, s in enumerate(signal):
        if not on and s > width:
            on = True
        elif on and (s < -width or k == 5):
            on = False
        work[k] = s * s if on and not s < 0 else width * s
    return np.sum(work) + (on and 2.0 or 1.0) * width


@construct("and, or, not", V4, -0.2)
def guarded_division(x, shift):
    total, ratio = 0.0, 0.0
    for i in range(len(x)):
        d = x[i] + shift
        ok = i > 0 and abs(d) > 0.2 and x[i - 1] / d < 5.0
        if ok or not (d > 0 or i):
            ratio = x[i - 1] / d
        total += ratio or shift
        limit = shift and x[0]
        total += (d > 0 and d or -d) * limit
    return total


@construct("and, or, not", M34, None)
def optional_weights(M, weights):
    weights = weights if weights is not None else np.ones(M.shape[1])
    best = None
    for row in M:
        score = row @ weights
        if best is None or (not score < best and score > -10.0):
            best = score
            weights = weights * 0.9
    return best ** 2 + (best or 0.0) * np.sum(weights)


@construct("chained comparison", W6, -0.5, 0.9)
def clipped_likelihood(x, low, high):
    total = 0.0
    for v in x:
        if low < v < high:
            total -= 0.5 * v ** 2
        elif high <= v <= 2 * high:
            total -= v * high
        else:
            total -= (low - v) ** 2
    return total if low < high != 0 else -total


@construct("chained comparison", M44, 0.1)
def local_maxima(M, eps):
    out = np.zeros_like(M)
    n, m = M.shape
    for i in range(n):
        for j in range(m):
            if 0 < i < n - 1 and M[i - 1, j] < M[i, j] + eps > M[i + 1, j]:
                out[i, j] = M[i, j] ** 2
            elif 0 < j < m - 1 and M[i, j - 1] > M[i, j] > M[i, j + 1]:
                out[i] += M[i, j] * eps
    return out.sum()


@construct("chained comparison", V5, 0.2)
def trapezoid_membership(x, a):
    b, c = a + 0.5, a + 1.0
    grade = x * 0.0
    for i, v in enumerate(np.abs(x)):
        if not a <= v <= c:
            continue
        grade[i] = (v - a) / (b - a) if a <= v < b else (c - v) / (c - b)
    return np.sum(grade * x) + (0 < a < b < c) * a


@construct("any and all", W6, 0.4)
def repair_until_feasible(x, margin):
    x = x.copy()
    for _ in range(20):
        if all(abs(v) < 1.0 + margin for v in x):
            break
        for i in range(len(x)):
            if any(abs(x[i]) > abs(x[j]) + 1e-3 for j in range(i)):
                x[i] *= 0.7
            else:
                x[i] = x[i] * (0.9 - 0.1 * margin)
    return np.sum(x ** 2) + margin


@construct("any and all", M34, V4)
def active_constraints(A, x):
    slack = A @ x
    if np.any(slack < 0) and not np.all(slack < 0):
        x = x - A.T @ np.minimum(slack, 0.0) / 4
    while (A @ x < -0.05).any():
        x = x + 0.1 * A[np.argmin(A @ x)]
    return np.sum(x * x) + float(any(slack > 0))


@construct("any and all", V6, 0.3)
def stencil_detect(u, c):
    jumps = [abs(u[i + 1] - u[i]) > c for i in range(5)]
    if any(jumps):
        u = u.copy()
        for i, flagged in enumerate(jumps):
            if flagged and not all(jumps[:i]):
                u[i:i + 2] = c * (u[i] + u[i + 1])
    total = any((u[0] > 10, u[-1] > 10)) or all([u[1] < 9, u[2] < 9])
    return np.sum(u ** 3) if total else np.sum(u)
