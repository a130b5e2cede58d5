"""The heat equation backwards: recover an initial temperature field from observations.

A rod cools by explicit steps with in-place updates and double buffering; noisy thermometers
read it at a few places and times.  The gradient of the misfit by the initial field comes from
reversing the whole simulation.
Needs SciPy.  Run: python examples/heat.py
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

import srcgrad as sg

N, STEPS, EVERY, RATE = 200, 400, 20, 0.4
SENSORS = np.arange(5, N, 10)


def simulate(u0, rate, steps, every, sensors):
    """Readings of the sensors, one row each ``every`` steps."""
    u = u0.copy()
    u_next = u.copy()
    readings = []
    for t in range(steps):
        u_next[1:-1] = u[1:-1] + rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u_next[0] = u_next[1]
        u_next[-1] = u_next[-2]
        u, u_next = u_next, u
        if t % every == 0:
            readings.append(u[sensors])
    return readings


def misfit(u0, rate, steps, every, sensors, observed, smooth):
    """Squared differences from the observations, and a penalty on roughness."""
    u = u0.copy()
    u_next = u.copy()
    cost = smooth * np.sum(np.diff(u0) ** 2)
    row = 0
    for t in range(steps):
        u_next[1:-1] = u[1:-1] + rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u_next[0] = u_next[1]
        u_next[-1] = u_next[-2]
        u, u_next = u_next, u
        if t % every == 0:
            cost += np.sum((u[sensors] - observed[row]) ** 2)
            row += 1
    return cost


def main():
    rng = np.random.default_rng(0)
    x = np.linspace(0.0, 1.0, N)
    truth = np.exp(-((x - 0.3) / 0.06) ** 2) + 0.6 * (np.abs(x - 0.7) < 0.08)
    observed = np.array(simulate(truth, RATE, STEPS, EVERY, SENSORS))
    observed += 0.002 * rng.normal(size=observed.shape)

    step = sg.value_and_grad(misfit)
    evaluations = []

    def objective(u0):
        value, gradient = step(u0, RATE, STEPS, EVERY, SENSORS, observed, 1e-4)
        evaluations.append(value)
        if len(evaluations) % 25 == 1:
            print(f"  evaluation {len(evaluations):4d}   misfit {value:12.6f}")
        return value, gradient

    print(f"Recovering {N} temperatures from {observed.size} readings")
    found = minimize(objective, np.zeros(N), jac=True, method="L-BFGS-B",
                     options={"maxiter": 400, "maxfun": 500}).x
    error = float(np.linalg.norm(found - truth) / np.linalg.norm(truth))
    print(f"  relative error of the recovered field {error:.3f}")
    print("\nThe code that computed the gradient:\n")
    print(step.source())
    picture(x, truth, found)
    return error


def picture(x, truth, found):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.plot(x, truth, label="true initial temperature")
    axes.plot(x, found, label="recovered")
    axes.plot(x[SENSORS], np.zeros(len(SENSORS)), "k^", label="sensors")
    axes.legend()
    figure.savefig("heat.png", dpi=120)
    print("wrote heat.png")


if __name__ == "__main__":
    main()
