"""Life sciences: epidemics, neurons, genes, medicines."""

from __future__ import annotations

import math

import numpy as np

CASES = []
R = np.random.default_rng(3)


def case(*arguments):
    def register(program):
        CASES.append((program, arguments))
        return program

    return register


@case(np.array([0.4, 0.1, 0.02]), R.uniform(0, 0.1, 60))
def seir(theta, cases):
    beta, gamma, sigma = theta
    S, E, I, rec = 0.99, 0.0, 0.01, 0.0
    sse = 0.0
    for t in range(len(cases)):
        b = beta * (0.5 if t > 20 else 1.0)
        infected = b * S * I
        dS, dE = -infected, infected - sigma * E
        dI = sigma * E - gamma * I
        S, E, I, rec = S + dS, E + dE, I + dI, rec + gamma * I
        sse += (I - cases[t]) ** 2
    return sse


@case(np.array([120.0, 36.0, 0.3]), 200, 0.02)
def hodgkin_huxley(g, steps, dt):
    V, m, h, n = -65.0, 0.05, 0.6, 0.32
    trace = np.zeros(steps)
    for i in range(steps):
        am = 0.1 * (V + 40) / (1 - np.exp(-(V + 40) / 10))
        bm = 4 * np.exp(-(V + 65) / 18)
        ah = 0.07 * np.exp(-(V + 65) / 20)
        bh = 1 / (1 + np.exp(-(V + 35) / 10))
        an = 0.01 * (V + 55) / (1 - np.exp(-(V + 55) / 10))
        bn = 0.125 * np.exp(-(V + 65) / 80)
        current = 10.0 if i > 20 else 0.0
        I_ion = (g[0] * m ** 3 * h * (V - 50) + g[1] * n ** 4 * (V + 77)
                 + g[2] * (V + 54.4))
        V = V + dt * (current - I_ion)
        m += dt * (am * (1 - m) - bm * m)
        h += dt * (ah * (1 - h) - bh * h)
        n += dt * (an * (1 - n) - bn * n)
        trace[i] = V
    return np.mean(trace ** 2)


@case(np.array([1.2, 0.3, 8.0]), [(0.0, 100.0), (12.0, 50.0), (24.0, 50.0)],
      np.array([1.0, 6.0, 13.0, 20.0, 30.0]), np.array([4.0, 3.0, 5.0, 4.0, 3.0]))
def pharmacokinetics(theta, doses, times, observed):
    ka, ke, volume = theta
    loglik = 0.0
    for t, y in zip(times, observed):
        conc = 0.0
        for t_dose, amount in doses:
            dt = t - t_dose
            if dt <= 0:
                continue
            conc += amount * ka / (volume * (ka - ke)) * (np.exp(-ke * dt) - np.exp(-ka * dt))
        sd = 0.1 + 0.2 * conc
        loglik += -0.5 * ((y - conc) / sd) ** 2 - np.log(sd) - 0.5 * np.log(2 * np.pi)
    return -loglik


@case(R.dirichlet(np.ones(3), 3), R.dirichlet(np.ones(4), 3), R.integers(0, 4, 50))
def hidden_markov(A, B, seq):
    alpha = np.ones(3) / 3 * B[:, seq[0]]
    loglik = 0.0
    for s in seq[1:]:
        c = alpha.sum()
        loglik += np.log(c)
        alpha = (alpha / c) @ A * B[:, s]
    return loglik + np.log(alpha.sum())


@case(R.normal(size=(8, 8)) * 0.1, R.normal(size=(8, 8)) * 0.1)
def alignment_score(match, mismatch):
    n, m = match.shape
    gap = -0.3
    D = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        D[i, 0] = i * gap
    for j in range(1, m + 1):
        D[0, j] = j * gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a = D[i - 1, j - 1] + match[i - 1, j - 1]
            b = D[i - 1, j] + gap + mismatch[i - 1, j - 1]
            c = D[i, j - 1] + gap
            top = max(a, b, c)
            D[i, j] = top + np.log(np.exp(a - top) + np.exp(b - top) + np.exp(c - top))
    return D[n, m]


@case(np.array([0.8, 0.2, 1.4, 0.5]), 40)
def predator_prey(theta, steps):
    names = ("birth", "predation", "death", "efficiency")
    p = dict(zip(names, theta))

    def rhs(y):
        prey, pred = y
        return np.array([p["birth"] * prey - p["predation"] * prey * pred,
                         p["efficiency"] * p["predation"] * prey * pred - p["death"] * pred])

    y = np.array([4.0, 2.0])
    dt = 0.05
    out = 0.0
    for _ in range(steps):
        k1 = rhs(y)
        k2 = rhs(y + 0.5 * dt * k1)
        k3 = rhs(y + 0.5 * dt * k2)
        k4 = rhs(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out += y[0] ** 2
    return out


@case(np.array([0.1, 0.25, 0.05, 0.3]), ((0, 1), (2, 3)), R.integers(0, 4, (4, 30)))
def phylogeny(lengths, pairs, sites):
    logl = 0.0
    for s in range(sites.shape[1]):
        partial = []
        for a, b in pairs:
            vec = np.ones(4)
            for leaf in (a, b):
                e = math.exp(-4.0 / 3.0 * lengths[leaf])
                P = np.full((4, 4), 0.25 * (1 - e)) + np.eye(4) * e
                vec = vec * P[:, sites[leaf, s]]
            partial.append(vec)
        logl += np.log(np.sum(0.25 * partial[0] * partial[1]))
    return -logl


@case(R.normal(size=(24, 24)), np.array([0.16, 0.08, 0.035, 0.06]), 8)
def gray_scott(u0, p, steps):
    U = 1.0 - 0.1 * u0 ** 2
    V = 0.2 * u0 ** 2
    for _ in range(steps):
        Up, Vp = np.pad(U, 1, mode="edge"), np.pad(V, 1, mode="edge")
        LU = Up[2:, 1:-1] + Up[:-2, 1:-1] + Up[1:-1, 2:] + Up[1:-1, :-2] - 4 * U
        LV = Vp[2:, 1:-1] + Vp[:-2, 1:-1] + Vp[1:-1, 2:] + Vp[1:-1, :-2] - 4 * V
        uvv = U * V * V
        U = U + p[0] * LU - uvv + p[2] * (1 - U)
        V = V + p[1] * LV + uvv - (p[2] + p[3]) * V
    return np.mean((V - 0.1) ** 2)
