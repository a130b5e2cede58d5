"""Programs whose compilation once took minutes: simplex searches over lists of lists, and dynamic programming."""

from __future__ import annotations

import functools

import numpy as np

CASES = []


def case(*args, other, traces, lines):
    """Register a program; ``other`` are arguments of another size that have the same text, or (as a
    function of how many numbers there are) a longer one; ``traces`` and ``lines`` are the most it may take."""

    def register(fn):
        CASES.append((fn, args, other, traces, lines))
        return fn

    return register


def valley(x, a):
    return (a - x[0]) ** 2 + 10.0 * (x[1] - x[0] ** 2) ** 2


@case(1.1, np.array([-1.0, 0.5]), 4, other=(1.1, np.array([-1.0, 0.5]), 12), traces=9, lines=430)
def simplex_of_lists(a, x_start, iters):
    def f(x):
        return valley(x, a)

    step, alpha, gamma, rho, sigma = 0.1, 1.0, 2.0, -0.5, 0.5
    dim = len(x_start)
    prev_best = f(x_start)
    res = [[x_start, prev_best]]
    for i in range(dim):
        x = x_start.copy()
        x[i] = x[i] + step
        score = f(x)
        res.append([x, score])
    for it in range(iters):
        res.sort(key=lambda x: x[1])
        best = res[0][1]
        x0 = np.zeros(dim)
        for tup in res[:-1]:
            for i, c in enumerate(tup[0]):
                x0[i] += c / (len(res) - 1)
        xr = x0 + alpha * (x0 - res[-1][0])
        rscore = f(xr)
        if res[0][1] <= rscore < res[-2][1]:
            del res[-1]
            res.append([xr, rscore])
            continue
        if rscore < res[0][1]:
            xe = x0 + gamma * (x0 - res[-1][0])
            escore = f(xe)
            if escore < rscore:
                del res[-1]
                res.append([xe, escore])
                continue
            else:
                del res[-1]
                res.append([xr, rscore])
                continue
        xc = x0 + rho * (x0 - res[-1][0])
        cscore = f(xc)
        if cscore < res[-1][1]:
            del res[-1]
            res.append([xc, cscore])
            continue
        x1 = res[0][0]
        nres = []
        for tup in res:
            redx = x1 + sigma * (tup[0] - x1)
            score = f(redx)
            nres.append([redx, score])
        res = nres
    res.sort(key=lambda x: x[1])
    return res[0][1]


@case(1.1, [-1.0, 0.5], 4, other=(1.1, [-1.0, 0.5], 12), traces=8, lines=360)
def simplex_of_tuples(a, start, iters):
    def f(x):
        return valley(x, a)

    n = len(start)
    simplex = [(list(start), f(start))]
    for i in range(n):
        p = list(start)
        p[i] += 0.1
        simplex.append((p, f(p)))
    for _ in range(iters):
        simplex.sort(key=lambda p: p[1])
        worst, fw = simplex[-1]
        centroid = [sum(p[0][j] for p in simplex[:-1]) / n for j in range(n)]
        refl = [c + (c - w) for c, w in zip(centroid, worst)]
        fr = f(refl)
        if fr < simplex[0][1]:
            far = [c + 2.0 * (c - w) for c, w in zip(centroid, worst)]
            fe = f(far)
            simplex[-1] = (far, fe) if fe < fr else (refl, fr)
        elif fr < simplex[-2][1]:
            simplex[-1] = (refl, fr)
        else:
            con = [c + 0.5 * (w - c) for c, w in zip(centroid, worst)]
            fc = f(con)
            if fc < fw:
                simplex[-1] = (con, fc)
            else:
                best = simplex[0][0]
                shrunk = [simplex[0]]
                for p, _ in simplex[1:]:
                    q = [b + 0.5 * (x - b) for b, x in zip(best, p)]
                    shrunk.append((q, f(q)))
                simplex = shrunk
    return min(p[1] for p in simplex)


@case(1.1, np.array([-1.0, 0.5]), 4, other=(1.1, np.array([-1.0, 0.5]), 12), traces=1, lines=240)
def simplex_of_arrays(a, start, iters):
    def f(x):
        return valley(x, a)

    n = len(start)
    simplex = np.vstack([start, start + 0.1 * np.eye(n)])
    values = np.array([f(v) for v in simplex])
    for _ in range(iters):
        order = np.argsort(values)
        simplex = simplex[order]
        values = values[order]
        centroid = np.mean(simplex[:-1], axis=0)
        xr = centroid + (centroid - simplex[-1])
        fr = f(xr)
        if fr < values[0]:
            xe = centroid + 2.0 * (xr - centroid)
            fe = f(xe)
            if fe < fr:
                simplex[-1], values[-1] = xe, fe
            else:
                simplex[-1], values[-1] = xr, fr
        elif fr < values[-2]:
            simplex[-1], values[-1] = xr, fr
        else:
            if fr < values[-1]:
                xc = centroid + 0.5 * (xr - centroid)
            else:
                xc = centroid + 0.5 * (simplex[-1] - centroid)
            fc = f(xc)
            if fc < min(fr, values[-1]):
                simplex[-1], values[-1] = xc, fc
            else:
                for i in range(1, n + 1):
                    simplex[i] = simplex[0] + 0.5 * (simplex[i] - simplex[0])
                    values[i] = f(simplex[i])
    return np.min(values)


@case(1.1, [-1.0, 0.5], 4, other=(1.1, [-1.0, 0.5], 12), traces=7, lines=350)
def simplex_of_rows(a, start, iters):
    def f(x):
        return valley(x, a)

    n = len(start)
    simplex = [[f(start), start[0], start[1]]]
    for i in range(n):
        p = [start[0], start[1]]
        p[i] += 0.1
        simplex.append([f(p)] + p)
    for _ in range(iters):
        simplex.sort()
        worst = simplex[-1]
        c = [0.0] * n
        for row in simplex[:-1]:
            for j in range(n):
                c[j] += row[1 + j] / n
        xr = [2.0 * c[j] - worst[1 + j] for j in range(n)]
        fr = f(xr)
        if fr < simplex[0][0]:
            xe = [3.0 * c[j] - 2.0 * worst[1 + j] for j in range(n)]
            fe = f(xe)
            if fe < fr:
                simplex[-1] = [fe] + xe
            else:
                simplex[-1] = [fr] + xr
        elif fr < simplex[-2][0]:
            simplex[-1] = [fr] + xr
        else:
            xc = [0.5 * c[j] + 0.5 * worst[1 + j] for j in range(n)]
            fc = f(xc)
            if fc < worst[0]:
                simplex[-1] = [fc] + xc
            else:
                for k in range(1, n + 1):
                    for j in range(n):
                        simplex[k][1 + j] = 0.5 * (simplex[0][1 + j] + simplex[k][1 + j])
                    simplex[k][0] = f(simplex[k][1:])
    simplex.sort()
    return simplex[0][0]


@case([3.0, 5.0, 2.0, 4.0, 1.0], other=([3.0, 5.0, 2.0, 4.0, 1.0, 6.0, 2.5, 3.5, 4.5],), traces=4, lines=900)
def matrix_chain(p):
    @functools.cache
    def least(i, j):
        if i == j:
            return 0.0
        return min(least(i, k) + least(k + 1, j) + p[i] * p[k + 1] * p[j + 1] for k in range(i, j))

    return least(0, len(p) - 2)
