"""Cost of the eager tape: 1000 chained operations on 10-element float32 tensors.

Prints microseconds per operation, forward and backward apart, beside a bare NumPy loop, NumPy
with one closure per operation, and (if installed) PyTorch on one thread and HIPS autograd; then
an MLP training step, convolutions and the memory of a long training run.

    python benchmarks/eager_ops.py
"""

from __future__ import annotations

import gc
import importlib
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad.eager as eager

OPS = 1000
REPEATS = 15


def best(run: Callable[[], tuple[float, float]], repeats: int = REPEATS) -> tuple[float, float]:
    """The least forward and the least backward time over several runs."""
    times = [run() for _ in range(repeats)]
    return min(t[0] for t in times), min(t[1] for t in times)


def optional(name: str) -> Any:
    """A partner to compare with, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def chain(torch: Any) -> tuple[float, float]:
    """A tape: times of recording and of pulling back."""
    x = torch.ones(10, requires_grad=True)
    start = time.perf_counter()
    y = x
    for _ in range(OPS // 4):
        y = y * 1.01
        y = y + x
        y = torch.sin(y)
        y = y * x
    total = y.sum()
    middle = time.perf_counter()
    total.backward()
    return middle - start, time.perf_counter() - middle


def chain_bare() -> tuple[float, float]:
    """NumPy alone, with the backward written out."""
    x = np.ones(10, np.float32)
    kept = []
    start = time.perf_counter()
    y = x
    for _ in range(OPS // 4):
        y = y * 1.01
        before = y + x
        after = np.sin(before)
        kept.append((before, after))
        y = after * x
    middle = time.perf_counter()
    ct = np.ones(10, np.float32)
    dx = np.zeros(10, np.float32)
    for before, after in reversed(kept):
        dx += ct * after
        ct = ct * x * np.cos(before)
        dx += ct
        ct = ct * 1.01
    return middle - start, time.perf_counter() - middle


def chain_closures() -> tuple[float, float]:
    """NumPy with one closure per operation: the floor of a tape written in Python."""
    x = np.ones(10, np.float32)
    dx = np.zeros(10, np.float32)
    pulls: list[Callable[[Any], Any]] = []
    start = time.perf_counter()
    y = x
    for _ in range(OPS // 4):
        y = y * 1.01
        pulls.append(lambda ct: ct * 1.01)
        y = y + x

        def pull_add(ct: Any) -> Any:
            np.add(dx, ct, out=dx)
            return ct

        pulls.append(pull_add)
        pulls.append(lambda ct, y=y: ct * np.cos(y))
        y = np.sin(y)

        def pull_mul(ct: Any, y: Any = y) -> Any:
            np.add(dx, ct * y, out=dx)
            return ct * x

        pulls.append(pull_mul)
        y = y * x
    middle = time.perf_counter()
    ct = np.ones(10, np.float32)
    for pull in reversed(pulls):
        ct = pull(ct)
    return middle - start, time.perf_counter() - middle


def chain_hips(hips: Any) -> tuple[float, float]:
    anp = importlib.import_module("autograd.numpy")

    def f(x: Any) -> Any:
        y = x
        for _ in range(OPS // 4):
            y = y * 1.01
            y = y + x
            y = anp.sin(y)
            y = y * x
        return anp.sum(y)

    start = time.perf_counter()
    hips.grad(f)(np.ones(10, np.float32))
    return time.perf_counter() - start, 0.0


def mlp(torch: Any) -> float:
    """Seconds of one training step: batch 128, 784-256-256-10, SGD."""
    nn = torch.nn
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
                        nn.Linear(256, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x = torch.randn(128, 784)
    y = torch.randint(0, 10, (128,))

    def step() -> tuple[float, float]:
        start = time.perf_counter()
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
        return time.perf_counter() - start, 0.0

    return best(step, 30)[0]


CONVOLUTIONS = (  # images, weights, options
    ((16, 8, 32, 32), (16, 8, 3, 3), {"padding": 1}),
    ((16, 16, 32, 32), (32, 16, 3, 3), {"padding": 1}),
    ((64, 3, 32, 32), (32, 3, 3, 3), {"padding": 1}),
    ((16, 32, 16, 16), (64, 32, 3, 3), {"padding": 1}),
    ((4, 128, 8, 8), (128, 128, 3, 3), {"padding": 1}),
    ((32, 1, 28, 28), (16, 1, 5, 5), {"padding": 2}),
    ((8, 3, 64, 64), (32, 3, 7, 7), {"padding": 3, "stride": 2}),
    ((8, 64, 16, 16), (64, 64, 3, 3), {"padding": 1, "stride": 2}),
    ((8, 64, 16, 16), (128, 64, 1, 1), {}),
    ((8, 32, 28, 28), (32, 32, 3, 3), {"padding": 2, "dilation": 2}),
    ((8, 32, 16, 16), (64, 8, 3, 3), {"padding": 1, "groups": 4}),
    ((8, 32, 28, 28), (32, 1, 3, 3), {"padding": 1, "groups": 32}),
)


def convolution(torch: Any, images: Any, weights: Any, options: dict[str, int]) -> float:
    """Seconds of one conv2d with its backward."""
    x = torch.randn(images, requires_grad=True)
    w = torch.randn(weights, requires_grad=True)
    b = torch.randn(weights[0], requires_grad=True)
    seed = torch.ones_like(torch.nn.functional.conv2d(x, w, b, **options))

    def step() -> tuple[float, float]:
        start = time.perf_counter()
        torch.nn.functional.conv2d(x, w, b, **options).backward(seed)
        return time.perf_counter() - start, 0.0

    return best(step, 30)[0]


def memory_growth(steps: int) -> int:
    """Bytes that ``steps`` training steps leave behind, with the collector off."""
    net = eager.nn.Linear(4, 1)
    optimizer = eager.optim.SGD(net.parameters(), lr=0.01)
    x = eager.randn(8, 4)

    def step() -> None:
        optimizer.zero_grad()
        (net(x) ** 2).mean().backward()
        optimizer.step()

    for _ in range(50):
        step()
    gc.collect()
    gc.disable()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(steps):
        step()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    gc.enable()
    return grown


def main() -> None:
    torch, hips = optional("torch"), optional("autograd")
    if torch is not None:
        torch.set_num_threads(1)
    rows: list[tuple[str, tuple[float, float]]] = [("srcgrad.eager", best(lambda: chain(eager)))]
    if torch is not None:
        rows.append(("PyTorch, one thread", best(lambda: chain(torch))))
    if hips is not None:
        rows.append(("HIPS autograd (both)", best(lambda: chain_hips(hips), 5)))
    rows.append(("NumPy, a closure per op", best(chain_closures)))
    rows.append(("NumPy, bare loop", best(chain_bare)))
    print(f"{OPS} chained operations, us per operation   forward  backward   total")
    for name, (forward, backward) in rows:
        total = forward + backward
        print(f"  {name:<40} {forward * 1e6 / OPS:7.2f}  {backward * 1e6 / OPS:8.2f} "
              f"{total * 1e6 / OPS:7.2f}")
    compare("MLP step, batch 128", mlp, torch)
    for images, weights, options in CONVOLUTIONS:
        title = f"conv2d {images} with {weights}" + "".join(
            f", {k} {v}" for k, v in options.items())
        compare(title, lambda engine: convolution(engine, images, weights, options), torch)
    steps = 10_000
    print(f"memory after {steps} training steps without the collector: "
          f"{memory_growth(steps):+d} bytes")


def compare(title: str, run: Callable[[Any], float], torch: Any) -> None:
    """Print the time of ``run`` with the eager mode and, if there, with PyTorch."""
    ours = run(eager)
    text = f"{title}: srcgrad.eager {ours * 1e3:.2f} ms"
    if torch is not None:
        theirs = run(torch)
        text += f", PyTorch {theirs * 1e3:.2f} ms, ratio {ours / theirs:.2f}"
    print(text)


if __name__ == "__main__":
    main()
