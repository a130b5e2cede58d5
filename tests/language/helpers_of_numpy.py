"""Iteration and index helpers of NumPy."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(4)
R = RNG.normal
U = RNG.uniform


@construct("`np.nditer`", R(size=(3, 4)), 0.3)
def clipped_in_place(a, limit):
    with np.nditer(a, op_flags=["readwrite"]) as it:
        for x in it:
            if x > limit:
                x[...] = limit + 0.1 * x
            else:
                x[...] *= 2.0
    return (a ** 2).sum() + a[0] @ a[1]


@construct("`np.nditer`", R(size=(2, 3)), R(size=3))
def broadcast_distance(a, b):
    total = 0.0
    for x, y in np.nditer([a, b]):
        total += np.hypot(x - y, 0.5)
    it = np.nditer(a, flags=["multi_index"])
    while not it.finished:
        i, j = it.multi_index
        if j > i:
            total += it[0] * b[j - i]
        it.iternext()
    return float(total)


@construct("`np.nditer`", np.asfortranarray(R(size=(3, 2))), 1.5)
def visited_in_memory_order(A, w):
    weight, total = 1.0, 0.0
    for x in np.nditer(A):
        total += weight * x
        weight *= w
    for k, x in enumerate(np.nditer(A.T, order="C")):
        total += k * x ** 2
    return float(total)


@construct("`np.ndenumerate`", R(size=(3, 4)), 0.2)
def potts_energy(field, coupling):
    energy = 0.0
    rows, cols = field.shape
    for (i, j), v in np.ndenumerate(field):
        right = field[i, (j + 1) % cols]
        below = field[(i + 1) % rows, j]
        energy -= coupling * v * (right + below)
        if v > 1.0:
            energy += (v - 1.0) ** 2
    return energy


@construct("`np.ndenumerate`", R(size=(2, 2, 3)), R(size=3))
def weights_by_position(t, w):
    moved = np.zeros_like(t)
    for index, v in np.ndenumerate(t):
        moved[index[::-1][1:][::-1] + (index[-1],)] = v * w[index[-1]]
        if sum(index) % 2:
            moved[index] += w[0] ** 2
    best = max((v, index) for index, v in np.ndenumerate(moved))
    return best[0] + np.sum(moved ** 2)


@construct("`np.ndenumerate`", U(0.2, 1.0, 6))
def first_passage(p):
    survive, expected = 1.0, 0.0
    for (step,), hazard in np.ndenumerate(p):
        expected += (step + 1) * survive * hazard
        survive *= 1.0 - hazard
        if survive < 0.05:
            break
    else:
        expected += 10.0 * survive
    return expected


@construct("`np.ndindex`", R(size=(2, 3, 2)), R(size=(2, 3)))
def contraction_by_hand(t, m):
    out = np.zeros(2)
    for i, j, k in np.ndindex(*t.shape):
        out[k] += t[i, j, k] * m[i, j]
        if i != k:
            out[k] -= 0.5 * t[k, j, i] ** 2
    return out[0] * out[1]


@construct("`np.ndindex`", R(size=(4, 4)), 2)
def pooled_maxima(image, size):
    n = image.shape[0] // size
    pooled = np.empty((n, n))
    for index in np.ndindex(n, n):
        i, j = (size * k for k in index)
        block = image[i:i + size, j:j + size]
        pooled[index] = block.max() if block.mean() > 0 else block.mean()
    return (pooled ** 2).sum()


@construct("`np.ndindex`", R(size=(3, 3)), R(size=3))
def cofactor_determinant(A, b):
    total = 0.0
    for p in np.ndindex((3, 3, 3)):
        if len(set(p)) < 3:
            continue
        swaps = sum(p[i] > p[j] for i in range(3) for j in range(i + 1, 3))
        total += (-1) ** swaps * A[0, p[0]] * A[1, p[1]] * A[2, p[2]]
    for index in np.ndindex(0, 3):
        total += A[index]
    return total * (b @ b)


@construct("`np.vectorize`", R(size=6), 0.5)
def piecewise_response(x, knee):
    @np.vectorize
    def respond(v):
        if v < -knee:
            return -knee
        return v ** 3 if v < knee else v

    y = respond(x)
    return y @ x + respond(2.0 * knee)


def _implied_volatility(price, strike, guess=0.4):
    s = guess
    for _ in range(6):
        s = s - (s * np.sqrt(strike) - price) / (np.sqrt(strike) + s)
    return s


@construct("`np.vectorize`", U(0.1, 0.4, 4), U(0.8, 1.2, 4))
def surface_of_implied_values(prices, strikes):
    solve = np.vectorize(_implied_volatility, excluded=["guess"])
    table = solve(prices[:, None], strikes[None, :], guess=0.3)
    smile = table[1] - table[1].min()
    return np.sum(table ** 2) + smile[-1]


@construct("`np.vectorize`", R(size=(3, 4)), R(size=(3, 4)))
def signatures_of_rows(a, b):
    norm = np.vectorize(lambda u, v: np.sqrt(np.sum((u - v) ** 2) + 0.1), signature="(n),(n)->()")
    shift = np.vectorize(lambda u: u[::-1] * u[0], signature="(n)->(n)")
    d = norm(a, b)
    if d[0] > d[1]:
        d = norm(a[:, None], b)
    return d.sum() + np.sum(shift(a) * b)


@construct("`np.apply_along_axis`", R(size=(4, 5)), 0.3)
def exponential_smoothing(series, alpha):
    def smooth(s):
        out = np.empty_like(s)
        level = s[0]
        for k, v in enumerate(s):
            level = alpha * v + (1 - alpha) * level
            out[k] = level
        return out

    y = np.apply_along_axis(smooth, 1, series)
    return np.sum((y - series) ** 2) + y[-1, -1]


@construct("`np.apply_along_axis`", R(size=(5, 3)))
def robust_columns(data):
    def huber_mean(column, cut):
        m = np.median(column)
        for _ in range(3):
            r = column - m
            w = np.where(np.abs(r) < cut, 1.0, cut / np.maximum(np.abs(r), 1e-6))
            m = (w * column).sum() / w.sum()
        return m

    centres = np.apply_along_axis(huber_mean, 0, data, 0.7)
    spread = np.apply_along_axis(np.ptp, 0, data)
    return centres @ spread


@construct("`np.apply_along_axis`", R(size=(2, 3, 4)), R(size=4))
def fitted_lines(cube, t):
    def line(y, x):
        c = x - x.mean()
        slope = c @ y / (c @ c)
        return np.array([y.mean() - slope * x.mean(), slope])

    fits = np.apply_along_axis(line, -1, cube, t)
    ranked = np.apply_along_axis(np.sort, 1, fits)
    return np.sum(ranked[..., 0] * ranked[..., 1]) + fits[0, 1, 1]


@construct("`np.r_`", R(size=5), 0.4)
def padded_differences(x, edge):
    full = np.r_[edge, x, x[-1] * edge]
    grid = np.r_[0.0:1.0:7j]
    d = np.diff(full) / np.diff(np.r_[grid[0] - 1.0, grid[1:]])
    order = np.r_[1:4, 0, 4]
    if d[0] > 0:
        d = np.r_[d, -d[::-1]]
    return np.sum(d[order] ** 2) + np.r_[x[:2], [edge, 1.0]] @ full[:4]


@construct("`np.r_`", R(size=(2, 3)), R(size=(2, 2)), 1.3)
def bordered_matrix(A, B, s):
    M = np.r_["1", A, B]
    rows = np.r_["0,2", M[0], M[1] * s, np.ones(5)]
    deep = np.r_["0,3,1", A[0], A[1]]
    if deep[0, 0, 0] > s:
        rows = np.r_[rows, rows[:1]]
    return np.linalg.norm(rows) + np.r_[A[0], B[0], 2, s].prod() + deep[1, :, 0] @ A[0]


@construct("`np.r_`", R(size=4), R(size=3))
def queue_of_arrivals(gaps, service):
    arrivals = np.r_[0.0, np.cumsum(np.abs(gaps))]
    free = 0.0
    waits = np.r_[[]]
    for k, t in enumerate(arrivals):
        start = max(free, t)
        free = start + np.abs(service[k % 3])
        waits = np.r_[waits, start - t]
    return waits @ np.r_[1.0:3.0:5j] + free


@construct("`np.c_`", R(size=6), R(size=6))
def regression_design(x, y):
    X = np.c_[np.ones(6), x, x ** 2]
    beta = np.linalg.solve(X.T @ X + 0.1 * np.eye(3), X.T @ y)
    left = y - X @ beta
    table = np.c_[left, X[:, 1:]][np.argsort(left)]
    return table[0] @ beta + np.sum(table[:, 0] ** 4)


@construct("`np.c_`", R(size=(3, 2)), 0.8)
def homogeneous_points(points, angle):
    c, s = np.cos(angle), np.sin(angle)
    T = np.array([[c, -s, 0.5], [s, c, -0.2], [0.0, 0.1 * angle, 1.0]])
    h = np.c_[points, np.ones(len(points))] @ T.T
    p = h[:, :2] / h[:, 2:]
    if p[0, 0] > p[1, 0]:
        p = np.c_[p[:, 1], p[:, 0]]
    return np.sum(p ** 3) + np.c_[1.0, angle, 2.0][0] @ h[0]


@construct("`np.c_`", R(size=3), R(size=3), R(size=3))
def triangles_from_columns(x, y, z):
    corners = np.c_[x, y, z]
    e1, e2 = corners[1] - corners[0], corners[2] - corners[0]
    area = 0.5 * np.linalg.norm(np.cross(e1, e2))
    for column, axis in zip(np.c_[x, y].T, "xy"):
        area += np.var(column) if axis == "x" else column.max() * 0.1
    return area


@construct("`np.ix_`", R(size=(4, 4)), np.array([0, 2]), np.array([1, 3]))
def schur_complement(A, keep, drop):
    S = A[np.ix_(keep, keep)] - A[np.ix_(keep, drop)] @ np.linalg.solve(
        A[np.ix_(drop, drop)], A[np.ix_(drop, keep)])
    A[np.ix_(keep, drop)] = S
    A[np.ix_(drop, [0])] += S[:, :1] ** 2
    return np.linalg.det(S) + A.sum()


@construct("`np.ix_`", R(size=(3, 4, 2)), np.array([True, False, True]))
def masked_subcube(t, rows):
    part = t[np.ix_(rows, [3, 0, 0], [1])]
    t[np.ix_(rows, [1, 2], [0, 1])] *= -0.5
    a, b = np.ix_([0, 2], [1, 1])
    flat = t[a, b, 0]
    return part.sum() ** 2 + np.sum(t ** 2) + flat[0, 1]


@construct("`np.ix_`", R(size=(5, 5)), 3)
def condensed_stiffness(K, n):
    K = K @ K.T + np.eye(5)
    free = [i for i in range(5) if i % n]
    load = np.arange(1.0, 6.0)
    u = np.zeros(5)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], load[free])
    held = np.setdiff1d(np.arange(5), free)
    reaction = K[np.ix_(held, free)] @ u[free]
    return u @ load + np.sum(reaction ** 2)


@construct("`np.s_` and slices that have a name", R(size=(4, 5)), 0.25)
def interior_and_edges(u, k):
    core, left, right = np.s_[1:-1, 1:-1], np.s_[1:-1, :-2], np.s_[1:-1, 2:]
    for _ in range(2):
        u[core] += k * (u[left] - 2.0 * u[core] + u[right])
        for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
            u[edge] = 0.5 * u[edge]
    return np.sum(u[np.s_[::2, ..., None]] ** 2) + u[core].max()


@construct("`np.s_` and slices that have a name", R(size=9), R(size=2))
def segments_by_name(theta, x):
    parts = {"scale": np.s_[:2], "shift": slice(2, 4), "rest": np.index_exp[4:]}
    y = theta[parts["scale"]] * x + theta[parts["shift"]]
    theta[parts["rest"]] -= theta[parts["rest"]].mean()
    for name, where in sorted(parts.items()):
        if name != "scale" and theta[where].sum() > -10.0:
            y = y + theta[where][:2]
    return y @ y


@construct("`np.s_` and slices that have a name", R(size=(3, 3, 3)))
def staggered_grids(phi):
    def along(axis, cut):
        return (slice(None),) * axis + (cut,)

    energy = 0.0
    for axis in range(3):
        up, down = along(axis, np.s_[1:]), along(axis, np.s_[:-1])
        slope = phi[up] - phi[down]
        energy += np.sum(slope ** 2) if axis else np.sum(np.abs(slope) ** 3)
        phi[along(axis, np.s_[0])] *= 0.5
    return energy
