"""What loops carry and build."""

from __future__ import annotations

import numpy as np
from table import construct

R = np.random.RandomState(43)
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
V6 = R.rand(6) + 0.1
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)
P33 = S33 @ S33.T


@construct("carried values that change from int to float", W6, 0.6)
def mean_of_positives(x, a):
    total, count, best = 0, 0, 0
    for v in x:
        if v > 0:
            total += v
            count += 1
        if v * a > best:
            best = v * a
    return total / max(count, 1) + best ** 2


@construct("carried values that change from int to float", V5, 1.4)
def horner_with_int_start(coefficients, x):
    value, slope, curvature = 0, 0, 0
    for c in coefficients:
        curvature = curvature * x + slope
        slope = slope * x + value
        value = value * x + c
    ratio = 1
    while value * ratio > 100 or ratio == 1:
        ratio = ratio * 0.5
    return value ** 2 + slope * ratio + 2 * curvature


@construct("carried values that change from int to float", M34, 3)
def bisection_counts(M, n):
    low, high = 0, 1
    for row in M:
        center = np.mean(row ** 2)
        for _ in range(n):
            if center > high:
                low, high = high, 2 * high
            elif center < low:
                low = low / 2
            else:
                low = low + 0.25 * (center - low)
    span = high - low
    return span * low + np.sum(M[0])


@construct("carried values that change from scalar to array", V4, M34)
def accumulate_from_zero(w, M):
    total, scale = 0.0, 1
    for row in M:
        total = total + row * w
        if row[0] > 0:
            scale = scale * row
    return np.sum(total ** 2) + np.sum(scale * w)


@construct("carried values that change from scalar to array", 0.3, V5)
def broadcast_state(h, x):
    level, velocity = 0.0, 0
    for k in range(4):
        force = -level - 0.1 * velocity if k < 2 else x - level
        velocity = velocity + h * force
        level = level + h * velocity
    while np.sum(level ** 2) > 1.0:
        level = level * 0.5
    return np.sum(level * x) + h


@construct("carried values that change from None to a value", W6, 0.2)
def trend_follower(prices, alpha):
    smooth, previous, gain = None, None, 0.0
    for p in prices:
        if smooth is None:
            smooth = p
        else:
            smooth = alpha * p + (1 - alpha) * smooth
        if previous is not None and smooth > previous:
            gain += p - previous
        previous = smooth
    return gain * smooth


@construct("carried values that change from None to a value", M34, V4)
def nearest_row(M, query):
    nearest, best, second = None, None, None
    for row in M:
        d = np.sum((row - query) ** 2)
        if best is None or d < best:
            second, best = best, d
            nearest = row * 2.0
        elif second is None or d < second:
            second = d
    ratio = best / second if second is not None else 0.0
    return ratio + nearest @ query


@construct("carried values that change from None to a value", V5, 0.7)
def last_event(x, decay):
    last, out = None, np.zeros(5)
    for t, v in enumerate(x):
        if last is not None:
            when, strength = last
            out[t] = strength * np.exp(-decay * (t - when))
        if abs(v) > 0.5:
            last = (t, v)
        elif last is not None and last[0] < t - 1:
            last = None
    return np.sum(out ** 2) + (0.0 if last is None else last[1])


@construct("loops that build lists of arrays", V4, 0.1, 5)
def trajectory_as_list(x, dt, n):
    states = [x]
    for _ in range(n):
        s = states[-1]
        rhs = np.roll(s, 1) * (np.roll(s, -1) - np.roll(s, 2)) - s
        states.append(s + dt * rhs)
        if np.sum(states[-1] ** 2) > 50:
            states[-1] = states[-1] * 0.5
    path = np.array(states)
    return np.mean(path[1:] * path[:-1]) + np.std(path)


@construct("loops that build lists of arrays", S33, V4[:3], 3)
def krylov_basis(A, b, m):
    Q, H = [b / np.linalg.norm(b)], np.zeros((m + 1, m))
    for j in range(m):
        w = A @ Q[j]
        for i in range(j + 1):
            H[i, j] = Q[i] @ w
            w = w - H[i, j] * Q[i]
        H[j + 1, j] = np.sqrt(w @ w + 1e-3)
        Q.append(w / H[j + 1, j])
    return np.sum(np.column_stack(Q[:m]) * H[:3, :3]) + H[1, 0]


@construct("loops that build dicts of arrays", M34, 0.5)
def adam_by_name(M, lr):
    params = {"w": M, "b": M[:, 0]}
    moments = {}
    for step in range(3):
        for name, value in params.items():
            slope = np.sin(value) + 0.1 * value
            moments[name] = 0.9 * moments.get(name, 0.0) + 0.1 * slope
        params = {k: v - lr * moments[k] for k, v in params.items()}
    return sum(np.sum(v ** 2) for v in params.values()) + np.sum(moments["w"])


@construct("loops that build dicts of arrays", V6, 3)
def memo_table(x, n):
    table = {(0, 0): x[0]}
    for i in range(n):
        for j in range(n):
            if i + j:
                up = table.get((i - 1, j), 0.0)
                left = table.get((i, j - 1), 0.0)
                table[i, j] = x[i + j] + (up if up > left else left)
    return table[n - 1, n - 1] ** 2 + sum(table.values())


@construct("loops that build dicts of arrays", M44, 0.3)
def grouped_rows(M, a):
    bins = {}
    for k, row in enumerate(M):
        bins.setdefault(k % 2, []).append(row)
    stats = {}
    for key, rows in bins.items():
        block = np.stack(rows)
        stats[f"mean{key}"] = block.mean(axis=0)
        stats[f"dev{key}"] = block.std() * a
    out = stats["mean0"] @ stats["mean1"]
    for name in sorted(stats):
        if name.startswith("dev") and stats[name] > 0.1:
            out += stats[name]
    return out


@construct("loops that build tuples of arrays", V6, 4)
def leapfrog_tuples(x, n):
    state = (x[:3], x[3:])
    history = (state,)
    for _ in range(n):
        q, p = state
        p = p - 0.05 * q ** 3
        q = q + 0.1 * p
        state = (q, p - 0.05 * q ** 3)
        history += (state,)
    return sum(float(k) * (q @ p) for k, (q, p) in enumerate(history))


@construct("loops that build tuples of arrays", V5, 0.2)
def best_of_tuples(x, shift):
    best = (x[0], x * 0.0)
    for i in range(1, 5):
        pair = (x[i], x * shift + i)
        if pair[0] > best[0]:
            best = (pair[0], best[1] + pair[1])
        else:
            best = best[:1] + (best[1] * 1.5,)
    score, total = best
    return score * np.sum(total)


@construct("while True with break", 2.5, 0.3)
def kepler(anomaly, e):
    E = anomaly
    while True:
        step = (E - e * np.sin(E) - anomaly) / (1 - e * np.cos(E))
        E -= step
        if abs(step) < 1e-13:
            break
    return np.cos(E) * (1 - e * np.cos(E))


@construct("while True with break", P33, V4[:3])
def conjugate_gradients(A, b):
    x = np.zeros(3)
    r = b - A @ x
    p, rs, k = r.copy(), r @ r, 0
    while True:
        Ap = A @ p
        step = rs / (p @ Ap)
        x += step * p
        r -= step * Ap
        new = r @ r
        k += 1
        if new < 1e-6 or k >= 2:
            break
        p *= new / rs
        p += r
        rs = new
    return x @ b + k


@construct("while True with break", W6, 1.0)
def token_stream(x, scale):
    i, level, out = 0, 0, []
    while True:
        if i >= len(x):
            break
        v = x[i] * scale
        i += 1
        if v < 0:
            level += 1
            if level > 3:
                break
            continue
        while True:
            v = v * 0.5
            if v < 0.4:
                out.append(v ** 2)
                break
            out.append(v)
    return sum(out) + level * scale


@construct("carried values that change from scalar to array", S33, 0.3)
def neumann_series(A, t):
    inverse, term, power = 0, 1.0, 1.0
    for k in range(5):
        inverse = inverse + term
        power = power * t
        term = power * np.eye(3) if k == 0 else term * A * 0.1
        if np.max(term) < 1e-6:
            break
    return np.sum(inverse * A) + power


@construct("loops that build lists of arrays", V5, 0.6, 4)
def snapshots_kept(u, dt, n):
    kept, norms = [], []
    for k in range(n):
        u = u + dt * (np.roll(u, 1) - u)
        norms.append(np.sqrt(u @ u))
        if k % 2 == 0 or norms[-1] < 0.5 * norms[0]:
            kept.append(u.copy())
        u[0] *= 0.9
    return sum(np.sum(a * b) for a, b in zip(kept, kept[1:])) + sum(norms) * len(kept)


@construct("loops that build tuples of arrays", M34, 0.4)
def stages_of_a_method(M, h):
    state = M[0]
    for row in M[1:]:
        stages = ()
        for c in (0.0, 0.5, 1.0):
            drift = sum((w * s for w, s in zip((0.5, 0.5, 1.0), stages)), state)
            stages += (np.tanh(drift * row) + c,)
        state = state + h * (stages[0] + 4 * stages[1] + stages[-1]) / 6
    return state @ state
