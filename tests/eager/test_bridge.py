"""Compiled functions called on tensors are one node of the tape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
import srcgrad.eager as torch


def energy(x: Any, w: Any) -> Any:
    return np.sum(np.tanh(x) * w)


def smooth(x: Any) -> Any:
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + y[i]
    return y


def weighted(params: Any, x: Any) -> Any:
    return params["a"] * x + params["b"]


def test_jit_is_one_node() -> None:
    f = sg.jit(energy)
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    w = torch.ones(3, dtype=torch.float64, requires_grad=True)
    y = f(x, w)
    assert y.grad_fn.name() == "CompiledBackward0"
    (y * 2).backward()
    assert np.allclose(x.grad, 2 / np.cosh([0.5, -1.0, 2.0]) ** 2)
    assert np.allclose(w.grad, 2 * np.tanh([0.5, -1.0, 2.0]))


def test_gradient_of_a_gradient() -> None:
    g = sg.grad(energy)
    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    g(x, np.ones(2)).sum().backward()
    t = np.tanh([0.5, -1.0])
    assert np.allclose(x.grad, -2 * t * (1 - t**2))


def test_value_and_grad_gives_tensors() -> None:
    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    value, gradient = sg.value_and_grad(energy)(x, np.ones(2))
    assert isinstance(value, torch.Tensor)
    assert isinstance(gradient, torch.Tensor)
    assert value.grad_fn is gradient.grad_fn


def test_loops_with_writes() -> None:
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    h = x * 1
    sg.jit(smooth)(h).sum().backward()
    assert np.allclose(x.grad, [1.75, 1.5, 1.0])


def test_containers_and_single_precision() -> None:
    a = torch.tensor([2.0, 3.0], requires_grad=True)
    y = sg.jit(weighted)({"a": a, "b": torch.ones(2)}, torch.tensor([1.0, 4.0]))
    assert y.dtype is torch.float32
    y.sum().backward()
    assert a.grad.tolist() == [1.0, 4.0]


def test_nothing_is_recorded_without_need() -> None:
    f = sg.jit(energy)
    x = torch.ones(3, dtype=torch.float64)
    assert not f(x, x).requires_grad
    x.requires_grad_()
    with torch.no_grad():
        assert not f(x, x).requires_grad


def test_create_graph_is_refused_with_a_remedy() -> None:
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    y = sg.jit(energy)(x, x)
    with pytest.raises(RuntimeError, match="differentiate twice with the compiler"):
        torch.autograd.grad(y, x, create_graph=True)
