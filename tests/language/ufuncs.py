"""Universal functions."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(1)
R = RNG.normal
U = RNG.uniform


@construct("`out=`", R(size=4), R(size=4), 0.4)
def buffers_of_a_stepper(u, v, dt):
    tmp = np.empty_like(u)
    acc = np.zeros_like(u)
    for k in range(4):
        np.multiply(u, dt, out=tmp)
        np.sin(tmp, tmp)
        np.add(acc, tmp, out=acc)
        np.subtract(v, tmp, out=v)
        u, v = v, u
        if acc.max() > 0.5:
            np.clip(acc, -0.5, 0.5, out=acc)
    return acc @ u - np.multiply.reduce(np.exp(v, out=np.zeros_like(v)))


@construct("`out=`", R(size=(3, 2)), R(size=(3, 2)))
def gram_into_a_block(A, B):
    big = np.zeros((2 * A.shape[1], 2 * A.shape[1]))
    n = A.shape[1]
    np.dot(A.T, A, out=np.zeros((n, n)))
    np.matmul(A.T, B, out=big[:n, n:])
    np.add(big[:n, n:].T, 1.0, out=big[n:, :n])
    np.mean(A, axis=0, out=big[0, :n])
    np.cumsum(B[0], out=big[-1, n:])
    np.take(A[:, 0], [0, 0, 1], out=big[1:4, 0], mode="clip")
    np.sqrt(np.abs(big) + 1.0, out=big)
    return np.linalg.norm(big) + big[1, 0]


@construct("`out=`", R(size=5).astype(np.float32))
def float32_pipeline(x):
    buf = np.empty((2, *x.shape), dtype=x.dtype)
    np.add(x, 0.3, out=buf[0])
    np.square(buf[0], out=buf[1])
    r = np.max(buf, axis=0, out=buf[0])
    r -= 0.5
    low, high = np.modf(x * 3.0, out=(np.empty_like(x), np.empty_like(x)))
    return float(np.sum(buf[0] * low) + high.sum())


@construct("`where=`", R(size=5), np.array([0.5, 0.0, 1.5, -1.0, 0.7]), 0.2)
def safe_division(num, den, fill):
    ok = den > 0.1
    q = np.divide(num, den, out=np.full_like(num, fill), where=ok)
    r = np.log(den, where=ok, out=np.zeros_like(den))
    s = np.sum(q, where=ok) + np.mean(r, where=ok)
    top = np.max(q, initial=-1.0, where=~ok)
    return s + top * np.prod(den, where=ok)


@construct("`where=`", R(size=(3, 4)), np.array([0.5, 2.0, 1.5]))
def masked_statistics(x, w):
    valid = np.isfinite(x)
    valid[:, 0] = False
    mean = x.mean(axis=1, where=valid)
    spread = np.std(x, axis=1, where=valid, keepdims=True)
    for i in range(x.shape[0]):
        np.multiply(x[i], w[i], out=x[i], where=valid[i] & (x[i] > mean[i]))
    np.add(x, spread, where=valid, out=x)
    return np.sum(x * valid) + np.min(x, where=valid, initial=10.0) + np.add.reduce(
        x, axis=None, where=x > 0)


@construct("`where=`", U(0.2, 1.0, 5), R(size=6))
def upwind_flux(q, u):
    flux = np.zeros(q.size + 1)
    np.multiply(u[1:-1], q[:-1], out=flux[1:-1], where=u[1:-1] > 0)
    np.multiply(u[1:-1], q[1:], out=flux[1:-1], where=u[1:-1] <= 0)
    for _ in range(2):
        q -= 0.1 * np.diff(flux)
        np.maximum(q, 0.0, out=q, where=flux[:-1] < flux[1:])
        np.multiply(u[1:-1], q[:-1], out=flux[1:-1], where=u[1:-1] > 0)
    return q @ q


@construct("`@=`", U(0.1, 0.6, (3, 3)), 4, np.array([0.2, 0.5, 0.3]))
def power_of_transitions(P, n, p0):
    M = P.copy()
    while n > 1:
        M @= P
        if M[0, 0] < 0.3:
            M @= M
            break
        n -= 1
    p0 = p0.copy()
    p0 @= M
    return p0[-1] + np.trace(M)


@construct("`@=`", R(size=5), R(size=3))
def accumulate_rotations(angles, v):
    Q = np.eye(3)
    for k, a in enumerate(angles):
        c, s = np.cos(a), np.sin(a)
        G = np.eye(3)
        i, j = k % 3, (k + 1) % 3
        G[i, i] = G[j, j] = c
        G[i, j], G[j, i] = -s, s
        Q @= G
        if Q[0, 0] < 0:
            Q[:, :2] @= np.array([[0.0, 1.0], [1.0, 0.0]])
    return (Q @ v)[0] ** 2 + Q[2, 1]


@construct("`@=`", R(size=(3, 2, 2)), R(size=2))
def stack_of_transforms(T, x):
    pose = np.broadcast_to(np.eye(2), (len(T), 2, 2)).copy()
    alias = pose[:]
    for k in range(1, len(T)):
        pose[k:] @= T[k - 1] / np.linalg.norm(T[k - 1])
    alias[0] @= T[-1]
    pose[-1].T[...] @= T[0]
    return np.einsum("kij,j->", pose, x) + alias[0, 0, 1] ** 2


@construct("`ufunc.reduce` and `reduceat`", R(size=4), 1.4)
def horner_reduce(c, x):
    rows = np.vstack((c, c[::-1] * x))
    total = np.add.reduce(rows, axis=1)
    peak = np.maximum.reduce(rows, axis=(0, 1))
    chain = np.multiply.reduce(rows[:, 1:], axis=0, keepdims=True)
    scores = np.logaddexp.reduce(rows.ravel())
    if np.logical_and.reduce(total > 0):
        scores = np.subtract.reduce(total)
    return scores + peak * chain.sum() + np.add.reduce([]) + np.hypot.reduce(total)


@construct("`ufunc.reduce` and `reduceat`", R(size=6), np.array([0, 2, 3, 1]), 0.7)
def grouped_sums(x, starts, w):
    sums = np.add.reduceat(x, starts)
    tops = np.maximum.reduceat(x * w, starts)
    gap = np.subtract.reduce(np.stack((sums, tops)))
    prods = np.multiply.reduceat(x.reshape(2, -1), [0, 2], axis=1)
    order = np.argsort(gap)
    return gap[order] @ np.arange(gap.size) + prods[-1].sum()


@construct("`ufunc.reduce` and `reduceat`", R(size=(4, 3)), 0.4)
def any_all_count(x, t):
    hits = np.add.reduce(x > t).max()
    total = t
    for row in x:
        if np.logical_or.reduce(row > t):
            total = total + np.minimum.reduce(row, initial=t)
        elif np.bitwise_or.reduce(row > 0):
            total = total * np.multiply.reduce(row)
    return total * hits + np.add.reduce(x, axis=None, dtype=np.float64)


@construct("`ufunc.accumulate`", R(size=8) * 0.1, 0.01)
def drawdown(returns, fee):
    wealth = np.multiply.accumulate(1.0 + returns - fee)
    peak = np.maximum.accumulate(wealth)
    drop = (peak - wealth) / peak
    worst = int(np.argmax(drop))
    grown = np.add.accumulate(drop[:worst + 1])
    return drop[worst] + grown[-1] * fee


@construct("`ufunc.accumulate`", R(size=5), R(size=5))
def monotone_regression(y, w):
    low = np.minimum.accumulate(y[::-1])[::-1]
    high = np.maximum.accumulate(y)
    both = np.stack((low, high))
    np.add.accumulate(both, axis=1, out=both)
    rest = np.subtract.accumulate(both, axis=0)[-1]
    if rest[-1] < 0:
        np.multiply.accumulate(w, out=w)
    return rest @ w


@construct("`ufunc.accumulate`", U(0.05, 0.4, (4, 2)), 1.3)
def survival(hazard, t):
    logs = np.add.accumulate(np.log1p(-hazard), axis=0)
    curve = np.exp(logs)
    steps = np.logaddexp.accumulate(hazard[:, 0])
    ints = np.add.accumulate(np.arange(4))
    out = 0.0
    for k in ints[1:3]:
        out += curve[k, 1] * t ** k
    return out + steps[-1] + np.divide.accumulate(np.array([t, 2.0, 3.0]))[-1]


@construct("`ufunc.outer`", R(size=3), R(size=4), 1.6)
def kernel_matrix(x, z, scale):
    d = np.subtract.outer(x, z)
    K = np.exp(-d ** 2 / scale)
    K += np.multiply.outer(x, z)
    near = np.less.outer(x, z)
    K[near] *= 0.5
    for i in range(min(K.shape)):
        K[i, i:] += np.add.outer(x[i], z[i:])
    return np.linalg.norm(K) + np.maximum.outer(x, z).sum()


@construct("`ufunc.outer`", R(size=3), R(size=2), R(size=3))
def tensor_of_outer_products(a, b, c):
    t = np.multiply.outer(np.multiply.outer(a, b), c)
    p = np.power.outer(np.abs(a) + 1.0, np.arange(3))
    q = np.arctan2.outer(b[:2], c[::-1])
    grid = np.add.outer(p, q)
    if grid.ndim == 4:
        grid = grid.reshape(p.shape[0], -1)
    return np.einsum("ijk,ik->", t, np.outer(a, c)) + grid[:, 0].prod() + np.add.outer(a, []).sum()


@construct("`ufunc.outer`", R(size=4), R(size=3), 0.9)
def dtw_cost(x, y, gamma):
    D = np.abs(np.subtract.outer(x, y)) ** 2
    R = np.full((x.size + 1, y.size + 1), np.inf)
    R[0, 0] = 0.0
    for i in range(x.size):
        for j in range(y.size):
            R[i + 1, j + 1] = D[i, j] + gamma * np.minimum.reduce(
                [R[i, j], R[i, j + 1], R[i + 1, j]])
    return R[-1, -1]
