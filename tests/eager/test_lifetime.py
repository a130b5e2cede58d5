"""Graphs are freed by reference counting alone, and deep graphs do not recurse."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager.nodes import Node
from srcgrad.eager.tensor import Tensor


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def living() -> int:
    return sum(isinstance(o, Tensor | Node) for o in gc.get_objects())


class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor) -> Tensor:
        result = a.exp()
        ctx.save_for_backward(result, a)
        return result

    @staticmethod
    def backward(ctx: Any, ct: Tensor) -> Tensor:
        result, _ = ctx.saved_tensors
        return ct * result


def written_through_view(x: Tensor) -> Tensor:
    y = x * 1
    y[0].mul_(3)
    return y.sum()


def hooked(x: Tensor) -> Tensor:
    y = Exponential.apply(x)
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    return y.sum()


PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "saved outputs": lambda x: x.exp().sigmoid().tanh().sum(),
    "saved inputs": lambda x: (x * x / x).sum(),
    "in place on a fresh tensor": lambda x: x.clone().mul_(2).exp_().sum(),
    "written through a view": written_through_view,
    "views": lambda x: x.view(3, 1).t().sum(),
    "advanced index": lambda x: x[[0, 1]].sum(),
    "product": lambda x: x @ x,
    "custom function with hooks": hooked,
    "checkpoint": lambda x: torch.utils.checkpoint.checkpoint(
        lambda t: t.exp() * t, x, use_reentrant=False).sum(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_graph_is_freed_at_once(name: str, no_collector: None) -> None:
    program = PROGRAMS[name]
    x = torch.ones(3, requires_grad=True)
    program(x).backward()
    before = living()
    for use in ("backward", "drop", "create_graph"):
        loss = program(x)
        if use == "backward":
            loss.backward()
        elif use == "create_graph" and name != "custom function with hooks":
            torch.autograd.grad(loss, x, create_graph=True)
        del loss
        assert living() == before, use


def test_training_leaves_nothing_behind(no_collector: None) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    x = torch.ones(5, 4)

    def step() -> None:
        optimizer.zero_grad()
        (net(x) ** 2).mean().backward()
        optimizer.step()

    step()
    step()
    before = living()
    for _ in range(20):
        step()
    assert living() == before


def test_hundred_thousand_operations() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y * 1.0
    assert sys.getrecursionlimit() < 100_000
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_dropping_a_deep_graph_that_was_never_used() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y.sin()
    del y
    assert torch.ones(1).item() == 1.0
