"""Logistic regression whose examples lie on the workers of a cluster: each step sends the
parameters and gets a gradient back.

Without ``dask.distributed`` the same steps run on threads.  The result has the same bits.
"""

import contextlib

import numpy as np

import srcgrad as sg


def negative_log_likelihood(p, x, y):
    z = x @ p["w"] + p["b"]
    return np.sum(np.logaddexp(0.0, z) - y * z)


def fit(step, start, count, steps=60, rate=2.0):
    """Gradient descent on the mean."""
    p = start
    for _ in range(steps):
        value, slope = step(p)
        p = sg.tree_map(lambda v, d: v - rate / count * d, p, slope)
    return value / count, p


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100_000, 20))
    truth = rng.normal(size=20)
    y = (x @ truth + rng.logistic(size=len(x)) > 0.0).astype(float)
    start = {"w": np.zeros(20), "b": 0.0}
    with contextlib.ExitStack() as stack:
        client = None
        with contextlib.suppress(ImportError):
            from distributed import Client, LocalCluster

            cluster = stack.enter_context(
                LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
            client = stack.enter_context(Client(cluster))
        df = sg.parallel.value_and_grad(negative_log_likelihood, over=("x", "y"), client=client,
                                        chunk=len(x) // 8)
        loss, p = fit(df.keep(x=x, y=y), start, len(x))
    print(df.gradient.source(start, x[:10], y[:10]))
    print("on", "threads" if client is None else "a cluster", "of 2 workers")
    error = np.abs(p["w"] - truth).max()
    print(f"loss {loss:.4f}, largest error of a weight {error:.3f}")
    return error


if __name__ == "__main__":
    main()
