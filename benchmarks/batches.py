"""``vmap`` beside batches written by hand, in one run.

    python benchmarks/batches.py

Ratios of process time: over the batch by hand, and of the loop over single calls.
"""

from __future__ import annotations

import time

import numpy as np

import srcgrad as sg

N, M, H = 256, 20, 30


def loss(w, v, x, y):
    """A network of one hidden layer, for one example."""
    hidden = np.tanh(x @ w)
    return (hidden @ v - y) ** 2


def losses_by_hand(w, v, x, y):
    hidden = np.tanh(x @ w)
    t = 2.0 * (hidden @ v - y)
    d_hidden = t[:, None] * v * (1.0 - hidden * hidden)
    return x[:, :, None] * d_hidden[:, None], hidden * t[:, None]


def energy(a, x):
    """A quadratic form with a solve, for one example."""
    return x @ np.linalg.solve(a, x)


def energies_by_hand(a, x):
    z = np.linalg.solve(a, x[..., None])[..., 0]
    u = np.linalg.solve(np.swapaxes(a, 1, 2), x[..., None])[..., 0]
    return -u[:, :, None] * z[:, None], z + u


def path(x, r):
    """Twenty steps of a recurrence, for one example."""
    s = x
    for k in range(20):
        s = s + 0.1 * np.sin(s * r + k)
    return np.sum(s)


def paths_by_hand(x, r):
    kept, s = [], x
    for k in range(20):
        kept.append(s)
        s = s + 0.1 * np.sin(s * r + k)
    d_s, d_r = np.ones_like(x), np.zeros_like(r)
    for k in reversed(range(20)):
        t = 0.1 * np.cos(kept[k] * r + k) * d_s
        d_r = d_r + t * kept[k]
        d_s = d_s + t * r
    return d_s, d_r


def cases():
    draw = np.random.default_rng(0).normal
    yield ("network", loss, losses_by_hand, (0, 1), (None, None, 0, 0),
           (draw(size=(M, H)), draw(size=H), draw(size=(N, M)), draw(size=N)))
    yield ("solve", energy, energies_by_hand, (0, 1), (0, 0),
           (draw(size=(N, 8, 8)) + 8.0 * np.eye(8), draw(size=(N, 8))))
    yield ("recurrence", path, paths_by_hand, (0, 1), (0, 0),
           (draw(size=(N, M)), draw(size=(N, M))))


def fastest(call, budget=0.4):
    times, end = [], time.process_time() + budget
    while not times or time.process_time() < end:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def main():
    print(f"{'':12}{'by hand':>10}{'vmap':>8}{'one by one':>12}")
    for name, fun, by_hand, wrt, axes, args in cases():
        single = sg.grad(fun, wrt)
        batch = sg.vmap(single, axes)
        for ours, theirs in zip(batch(*args), by_hand(*args), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)

        def one_by_one(single=single, axes=axes, args=args):
            return [single(*(a if k is None else a[i] for a, k in zip(args, axes)))
                    for i in range(N)]

        hand = fastest(lambda by_hand=by_hand, args=args: by_hand(*args))
        whole = fastest(lambda batch=batch, args=args: batch(*args))
        rows = fastest(one_by_one)
        print(f"{name:12}{hand * 1e3:8.2f}ms{whole / hand:8.2f}{rows / hand:12.1f}")


if __name__ == "__main__":
    main()
