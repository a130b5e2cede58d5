"""Stochastic gradient descent, and steps that each coordinate's history scales: SGD, ASGD, Adagrad,
Adadelta, RMSprop, Rprop."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import basis as torch
from ..calling_errors import refuse
from .optimizer import (
    Array,
    ArrayOptimizer,
    Group,
    Params,
    keeps_options,
    mean_square,
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
        refuse(momentum < 0.0, "Invalid momentum value: {}", momentum, kind=ValueError)
        refuse(weight_decay < 0.0, "Invalid weight_decay value: {}", weight_decay, kind=ValueError)
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


class Adagrad(ArrayOptimizer):
    """``p -= lr_t * g / (sqrt(sum of g*g) + eps)``, ``lr_t = lr / (1 + (t - 1) * lr_decay)``
    (Duchi, Hazan and Singer 2011).  State exists from construction on."""

    order = ("lr", "lr_decay", "eps")

    @keeps_options
    def __init__(self, params: Params, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10,
                 foreach: bool | None = None, *, maximize: bool = False,
                 differentiable: bool = False, fused: bool | None = None) -> None:
        nonnegative(lr_decay=lr_decay, weight_decay=weight_decay,
                    initial_accumulator_value=initial_accumulator_value, epsilon=eps)

    def _begin(self, params: Params, options: dict[str, Any]) -> None:
        super()._begin(params, options)
        for group in self.param_groups:
            for param in group["params"]:
                state = self.state[param]
                state["step"] = torch.tensor(0.0, dtype=torch.float32)
                self._start(param, state, group)

    def _start(self, param: Any, state: dict[str, Any], group: Group) -> None:
        value = group["initial_accumulator_value"]
        start = complex(value, value) if param.is_complex() else value
        state["sum"] = torch.full_like(param.detach(), start)

    def share_memory(self) -> None:
        """Accepted for compatibility: there are no other processes to share with."""

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        step = float(torch.raw(state["step"]))
        total = numbers(state["sum"])
        scratch = np.multiply(g, g, out=np.empty_like(total))
        total += scratch
        np.sqrt(total, out=scratch)
        scratch += group["eps"]
        np.divide(g, scratch, out=scratch)
        scratch *= scalar(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        p -= scratch


class Adadelta(ArrayOptimizer):
    """Steps in the ratio of the running sizes of past steps and gradients (Zeiler 2012)."""

    order = ("lr", "rho", "eps", "weight_decay", "maximize", "capturable")

    @keeps_options
    def __init__(self, params: Params, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6,
                 weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False,
                 maximize: bool = False, differentiable: bool = False) -> None:
        refuse(not 0.0 <= rho <= 1.0, "Invalid rho value: {}", rho, kind=ValueError)
        nonnegative(epsilon=eps, weight_decay=weight_decay)

    _zeros = ("square_avg", "acc_delta")

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        rho, eps = group["rho"], group["eps"]
        squares, deltas = numbers(state["square_avg"]), numbers(state["acc_delta"])
        scratch = np.empty_like(squares)
        mean_square(squares, g, rho, scratch)
        np.add(squares, eps, out=scratch)
        np.sqrt(scratch, out=scratch)
        delta = np.add(deltas, eps, out=np.empty_like(deltas))
        np.sqrt(delta, out=delta)
        delta /= scratch
        delta *= g
        mean_square(deltas, delta, rho, scratch)
        delta *= scalar(group["lr"])
        p -= delta


class RMSprop(ArrayOptimizer):
    """Gradient over the root of its running mean square (Hinton 2012), optionally centered
    by the running mean and with momentum."""

    order = ("lr", "momentum", "alpha", "eps", "centered")

    @keeps_options
    def __init__(self, params: Params, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
                 weight_decay: float = 0, momentum: float = 0, centered: bool = False,
                 capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
                 differentiable: bool = False) -> None:
        nonnegative(epsilon=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)

    def _start(self, param: Any, state: dict[str, Any], group: Group) -> None:
        state["square_avg"] = torch.zeros_like(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = torch.zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = torch.zeros_like(param)

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        alpha, lr = group["alpha"], scalar(group["lr"])
        squares = numbers(state["square_avg"])
        scratch = np.empty_like(squares)
        mean_square(squares, g, alpha, scratch)
        if group["centered"]:
            mean = numbers(state["grad_avg"])
            mean += (g - mean) * (1 - alpha)
            np.multiply(mean, mean, out=scratch)
            np.subtract(squares, scratch, out=scratch)
        else:
            np.copyto(scratch, squares)
        np.sqrt(scratch, out=scratch)
        scratch += group["eps"]
        np.divide(g, scratch, out=scratch)
        if group["momentum"] > 0:
            buffer = numbers(state["momentum_buffer"])
            buffer *= group["momentum"]
            buffer += scratch
            np.multiply(buffer, lr, out=scratch)
        else:
            scratch *= lr
        p -= scratch


class Rprop(ArrayOptimizer):
    """Resilient backpropagation (Riedmiller and Braun 1993): steps from signs alone."""

    order = ("lr", "etas", "step_sizes", "foreach", "maximize", "differentiable")

    @keeps_options
    def __init__(self, params: Params, lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
                 step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False,
                 foreach: bool | None = None, maximize: bool = False,
                 differentiable: bool = False) -> None:
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")

    def _start(self, param: Any, state: dict[str, Any], group: Group) -> None:
        lr = scalar(group["lr"])
        state["prev"] = torch.zeros_like(param)
        start = complex(lr, lr) if param.is_complex() else lr
        state["step_size"] = torch.full_like(param.detach(), start)

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        shrink, grow = group["etas"]
        smallest, largest = group["step_sizes"]
        previous, size = numbers(state["prev"]), numbers(state["step_size"])
        agreement = g * previous
        size *= np.where(agreement > 0, grow, np.where(agreement < 0, shrink, 1)).astype(size.dtype)
        np.clip(size, smallest, largest, out=size)
        # After a change of sign the coordinate rests for one step.
        np.copyto(previous, np.where(agreement < 0, 0, g))
        p -= np.sign(previous) * size
