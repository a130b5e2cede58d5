"""Strided views read and write inside their memory only, forward and backward.

Every buffer that the strided paths allocate lies between canaries here, and so do the tensors
themselves.  Gradients are compared with a loop over the places of the storage.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad.eager import engine, strides, views, writes

GUARD = 64
CANARY = 7.0e7
PACKAGE = Path(torch.__file__).parent


class Guarded:
    """NumPy, with canaries before and after every new buffer of floats."""

    def __init__(self) -> None:
        self.buffers: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def _buffer(self, shape: Any, dtype: Any, value: float) -> Any:
        count = int(np.prod(shape))
        whole = np.full(count + 2 * GUARD, CANARY, dtype)
        self.buffers.append(whole)
        inner = whole[GUARD : GUARD + count]
        inner[...] = value
        return inner.reshape(shape)

    def zeros(self, shape: Any, dtype: Any = float) -> Any:
        if np.dtype(dtype).kind != "f":
            return np.zeros(shape, dtype)
        return self._buffer(shape, dtype, 0)

    def check(self) -> None:
        for whole in self.buffers:
            assert (whole[:GUARD] == CANARY).all()
            assert (whole[-GUARD:] == CANARY).all()


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Guarded]:
    numpy = Guarded()
    for module in (strides, views, writes, engine):
        monkeypatch.setattr(module, "np", numpy)
    yield numpy
    numpy.check()


def tensor(numpy: Guarded, count: int) -> Any:
    values = numpy._buffer((count,), np.float64, 0)
    values[...] = np.arange(count)
    return torch.from_numpy(values)


def view(rng: random.Random, t: Any) -> Any:
    """Some view of ``t``, or what it raises."""
    kind = rng.randrange(8)
    if kind == 0:
        n = rng.randrange(3)
        shape = [rng.randrange(4) for _ in range(n)]
        return t.as_strided(shape, [rng.randrange(-1, 6) for _ in range(n)],
                            rng.choice([None, 0, 1, 3, 9, -1]))
    if kind == 1:
        return t[rng.randrange(3) :: rng.choice([1, 1, 2])]
    if kind == 2:
        return t.unfold(rng.randrange(2), rng.randrange(4), rng.randrange(1, 3))
    if kind == 3:
        return t.expand(rng.randrange(1, 3), *t.shape)
    if kind == 4:
        return t.transpose(0, -1)
    if kind == 5:
        return t.unsqueeze(rng.randrange(2))
    if kind == 6:
        return t.diagonal() if t.dim() > 1 else t[1:]
    return t.view(-1)


def places(t: Any) -> Any:
    """Which element of the storage each element of ``t`` is."""
    steps = np.zeros(t.shape, int) + t.storage_offset()
    for axis, (n, s) in enumerate(zip(t.shape, t.stride())):
        steps = steps + (np.arange(n) * s).reshape(-1, *(1,) * (t.dim() - axis - 1))
    return steps


def chain(rng: random.Random, t: Any) -> Any:
    for _ in range(rng.randrange(1, 5)):
        try:
            t = view(rng, t)
        except (RuntimeError, IndexError):
            continue
    return t


@pytest.mark.parametrize("seed", range(0, 3000, 50))
def test_random_views_stay_inside(guarded: Guarded, seed: int) -> None:
    for case in range(seed, seed + 50):
        rng = random.Random(case)
        x = tensor(guarded, 12).requires_grad_()
        y = chain(rng, x)
        if y is x or not y.numel():
            continue
        weights = np.arange(1.0, y.numel() + 1).reshape(y.shape)
        expected = np.zeros(12)
        np.add.at(expected, places(y), weights)
        np.testing.assert_array_equal(y.detach().numpy(), places(y))
        g, = torch.autograd.grad((y * torch.tensor(weights)).sum(), x)
        h, = torch.autograd.grad((y * torch.tensor(weights)).sum(), x, create_graph=True)
        np.testing.assert_array_equal(h.detach().numpy(), g.numpy())
        if not _through_overlap(y):
            np.testing.assert_array_equal(g.numpy(), expected)


def _through_overlap(t: Any) -> bool:
    """Whether a view of an overlapping view: its gradient is shared among equals there."""
    node = t.grad_fn
    while node is not None:
        if node.name() in ("ExpandBackward0", "UnfoldBackward0", "AsStridedBackward0"):
            return True
        node = node.next_functions[0][0] if node.next_functions else None
    return False


@pytest.mark.parametrize("seed", range(0, 2000, 50))
def test_random_writes_stay_inside(guarded: Guarded, seed: int) -> None:
    for case in range(seed, seed + 50):
        rng = random.Random(case)
        x = tensor(guarded, 12)
        w = torch.ones((), dtype=torch.float64, requires_grad=True)
        base = x * w if rng.random() < 0.5 else x
        y = chain(rng, chain(rng, base).detach() if rng.random() < 0.3 else base)
        try:
            y.mul_(2.0) if rng.random() < 0.5 else y.copy_(w.expand(y.shape))
            if rng.random() < 0.3:
                y.detach().resize_(rng.randrange(14))
            loss = base.sum() + y.sum()
            if loss.requires_grad:
                loss.backward()
        except RuntimeError:
            continue


@pytest.mark.parametrize("call", [
    lambda x: x.as_strided([5], [1]), lambda x: x.as_strided([2], [1], -1),
    lambda x: x.as_strided([2], [-1], 3), lambda x: x[2:].as_strided([3], [1]),
    lambda x: x.as_strided([2, 2], [3, 1], 1), lambda x: x.unfold(0, -1, 1),
    lambda x: torch.as_strided_scatter(x, torch.ones(2), (2,), (2,), 3),
    lambda x: torch.zeros(2).set_(x.detach(), 3, (2,), (1,)),
    lambda x: torch.zeros(2).set_(x.untyped_storage(), 0, (2,), (4,)),
    lambda x: x[1:].data.as_strided([5], [1], 0),
])
def test_what_lies_outside_is_refused(call: Any) -> None:
    with pytest.raises(RuntimeError):
        call(torch.arange(4.0, requires_grad=True))


def test_a_view_before_its_base_writes_inside(guarded: Guarded) -> None:
    x = torch.arange(4.0, dtype=torch.float64, requires_grad=True)
    x[1:].as_strided([2], [1], 0).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0, 0.0]


def test_views_of_overlapping_views_share_what_arrives() -> None:
    x = torch.arange(3.0, requires_grad=True)
    y = x.expand(4, 3).as_strided([3], [1], 0)
    (y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 3.0]


def test_only_strides_makes_strided_arrays() -> None:
    allowed = {"strides.py", "conversions.py"}
    for path in PACKAGE.rglob("*.py"):
        if path.name not in allowed:
            assert "stride_tricks" not in path.read_text(), path
