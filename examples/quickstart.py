"""First steps: gradients of ordinary NumPy code, and the code that computes them.

Needs NumPy only.  Run: python examples/quickstart.py
"""

from __future__ import annotations

import numpy as np

import srcgrad as sg


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def smooth_and_measure(signal, weight, steps):
    """In-place updates, a loop, a branch that depends on the data."""
    s = signal.copy()
    for _ in range(steps):
        s[1:-1] += weight * (s[2:] - 2.0 * s[1:-1] + s[:-2])
    roughness = np.sum(np.diff(s) ** 2)
    if roughness > 1.0:
        return np.log(roughness)
    return roughness - 1.0


def descend(function, x, rate, steps):
    """Gradient descent that prints where it is."""
    step = sg.value_and_grad(function)
    for i in range(steps):
        value, gradient = step(x)
        if i % (steps // 5) == 0:
            print(f"  step {i:5d}   value {value:12.6f}")
        x = x - rate * gradient
    return x, step


def main():
    print("Minimising the Rosenbrock function, written as a loop:")
    x, step = descend(rosenbrock, np.zeros(4), 1e-3, 20_000)
    print(f"  found {np.round(x, 3)} (the minimum is at 1, 1, 1, 1)")
    print("\nThe code that computed the gradient:\n")
    print(step.source())

    print("A branch taken differently needs no new code:")
    df = sg.value_and_grad(smooth_and_measure, argnums=(0, 1))
    for size, scale in ((6, 10.0), (6, 0.1), (1000, 1.0)):
        signal = scale * np.sin(np.arange(float(size)))
        value, (_, d_weight) = df(signal, 0.2, 3)
        print(f"  {size:5d} points: value {value:9.4f}, derivative by weight {d_weight:9.4f}")
    print(f"  {df.cache_info()}")

    print("\nSecond order: the Hessian of the Rosenbrock function at the minimum")
    print(np.round(sg.hessian(rosenbrock)(np.ones(3)), 6))
    return x


if __name__ == "__main__":
    main()
