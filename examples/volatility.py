"""Volatility of returns: a GJR-GARCH likelihood with a loop and branches, fitted to a series.

The variance of each day follows from the day before, and rises more after a fall than after a
gain.  The series (3,000 days) is made with a fixed seed, so the true parameters are known.
Needs SciPy.  Run: python examples/volatility.py
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize

import srcgrad as sg

TRUE = {"omega": 0.05, "alpha": 0.04, "gamma": 0.10, "beta": 0.86}


def make_returns(days, seed):
    rng = np.random.default_rng(seed)
    variance, returns = 0.5, np.empty(days)
    for t in range(days):
        r = math.sqrt(variance) * rng.standard_normal()
        returns[t] = r
        variance = (TRUE["omega"] + TRUE["alpha"] * r * r + TRUE["beta"] * variance
                    + (TRUE["gamma"] * r * r if r < 0.0 else 0.0))
    return returns


def negative_log_likelihood(theta, returns):
    """Half the sum of log variance and squared standardised return, per day."""
    omega, alpha = np.exp(theta[0]), np.exp(theta[1])
    gamma, beta = np.exp(theta[2]), 1.0 / (1.0 + np.exp(-theta[3]))
    variance = np.mean(returns ** 2)
    total = 0.0
    for r in returns:
        total += 0.5 * (np.log(variance) + r * r / variance)
        news = alpha * r * r
        if r < 0.0:
            news += gamma * r * r
        variance = omega + news + beta * variance
        if variance > 1e6:
            break
    return total / len(returns)


def readable(theta):
    names = ("omega", "alpha", "gamma")
    found = {name: float(np.exp(v)) for name, v in zip(names, theta)}
    found["beta"] = float(1.0 / (1.0 + np.exp(-theta[3])))
    return found


def main():
    returns = make_returns(3000, 7)
    step = sg.value_and_grad(negative_log_likelihood)
    evaluations = []

    def objective(theta):
        value, gradient = step(theta, returns)
        evaluations.append(value)
        if len(evaluations) % 10 == 1:
            print(f"  evaluation {len(evaluations):4d}   likelihood {-value:.6f}")
        return value, gradient

    print(f"Fitting a GJR-GARCH model to {len(returns)} days")
    start = np.array([-2.0, -2.5, -2.5, 1.0])
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    values = readable(found.x)
    hessian = sg.hessian(negative_log_likelihood)(found.x, returns) * len(returns)
    errors = np.sqrt(np.diag(np.linalg.inv(hessian)))
    print("            true    found   (relative standard error from the exact Hessian)")
    for name, error in zip(TRUE, errors):
        print(f"  {name:6s}  {TRUE[name]:6.3f}   {values[name]:6.3f}   ({error:.2f})")
    print("\nThe code that computed the gradient:\n")
    print(step.source())
    picture(returns, values)
    return values


def picture(returns, values):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    variance, path = float(np.mean(returns ** 2)), []
    for r in returns:
        path.append(math.sqrt(variance))
        news = values["alpha"] + (values["gamma"] if r < 0.0 else 0.0)
        variance = values["omega"] + news * r * r + values["beta"] * variance
    figure, axes = plt.subplots(figsize=(9, 4))
    axes.plot(returns, lw=0.4, color="0.6", label="returns")
    axes.plot(path, lw=1.0, color="tab:red", label="fitted volatility")
    axes.legend()
    figure.savefig("volatility.png", dpi=120)
    print("wrote volatility.png")


if __name__ == "__main__":
    main()
