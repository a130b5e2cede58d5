"""Stochastic gradient descent with momentum, and its averaged form."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import basis as torch
from .optimizer import (
    Array,
    ArrayOptimizer,
    Group,
    Params,
    keeps_options,
    nonnegative,
    numbers,
    round_storage,
    scalar,
)


class SGD(ArrayOptimizer):
    """``p -= lr * d`` where ``d`` is the gradient or, with momentum, a running sum of it.

    The buffer starts as the first gradient, then ``b = momentum * b + (1 - dampening) * g``;
    Nesterov's form steps along ``g + momentum * b``.

    >>> import srcgrad.eager as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> w.grad = torch.ones(2)
    >>> torch.optim.SGD([w], lr=0.5).step()
    >>> w.detach()
    tensor([0.5000, 0.5000])
    """

    @keeps_options
    def __init__(self, params: Params, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: Any = 0, nesterov: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, differentiable: bool = False,
                 fused: bool | None = None) -> None:
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def _step_one(self, param: Any, grad: Any, group: Group) -> None:
        p, g = self._decayed(param, grad, group)
        momentum = group["momentum"]
        if momentum != 0:
            state = self.state[param]
            if state.get("momentum_buffer") is None:
                state["momentum_buffer"] = torch.zeros_like(param)
                buffer = numbers(state["momentum_buffer"])
                np.copyto(buffer, g)
            else:
                buffer = numbers(state["momentum_buffer"])
                buffer *= momentum
                dampening = group["dampening"]
                buffer += g if dampening == 0 else (1 - dampening) * g
            g = g + momentum * buffer if group["nesterov"] else buffer
        p -= scalar(group["lr"]) * g
        round_storage(param)
        if momentum != 0:
            round_storage(self.state[param]["momentum_buffer"])
        torch.increment_version(param)


class ASGD(ArrayOptimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky 1992).

    ``state["ax"]`` is the average of the iterates from step ``t0`` on.
    """

    @keeps_options
    def __init__(self, params: Params, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75,
                 t0: float = 1e6, weight_decay: float = 0, foreach: bool | None = None,
                 maximize: bool = False, differentiable: bool = False,
                 capturable: bool = False) -> None:
        nonnegative(weight_decay=weight_decay)

    def _start(self, param: Any, state: dict[str, Any], group: Group) -> None:
        state["eta"] = torch.tensor(float(scalar(group["lr"])), dtype=torch.float32)
        state["mu"] = torch.ones((), dtype=torch.float32)
        state["ax"] = torch.zeros_like(param)

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        lr, lambd = scalar(group["lr"]), group["lambd"]
        step, eta, mu = (float(torch.raw(state[key])) for key in ("step", "eta", "mu"))
        p *= 1 - lambd * eta
        p -= eta * g
        average = numbers(state["ax"])
        if mu != 1:
            average += (p - average) * mu
        else:
            np.copyto(average, p)
        torch.raw(state["eta"])[...] = lr / ((1 + lambd * lr * step) ** group["alpha"])
        torch.raw(state["mu"])[...] = 1 / max(1, step - group["t0"])
