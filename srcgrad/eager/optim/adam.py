"""Adam and its relatives: AdamW, NAdam, RAdam, Adamax."""

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
    checked_flags,
    checked_lr,
    keeps_options,
    mean_square,
    nonnegative,
    numbers,
    scalar,
)


def _checked(lr: Any, eps: float, betas: tuple[Any, Any], weight_decay: float) -> None:
    """The argument checks that the family shares, with PyTorch's texts."""
    checked_lr(lr)
    nonnegative(epsilon=eps)
    for place, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {place}: {beta}")
    nonnegative(weight_decay=weight_decay)


def _check_kinds(betas: tuple[Any, Any], refuses_tensors: bool) -> None:
    kinds = {torch.Tensor if isinstance(beta, torch.Tensor) else type(beta) for beta in betas}
    if len(kinds) != 1 or not kinds <= {float, torch.Tensor}:
        raise ValueError("betas must be either both floats or both Tensors")
    for place, beta in enumerate(betas):
        refuse(isinstance(beta, torch.Tensor) and refuses_tensors, "betas[{}] as a Tensor is not "
               "supported for capturable=False and foreach=True", place, kind=ValueError)
        if isinstance(beta, torch.Tensor) and beta.numel() != 1:
            raise ValueError(f"Tensor betas[{place}] must be 1-element")


def _moments(g: Array, state: dict[str, Any], betas: tuple[Any, Any]) -> tuple[Array, Array, Array]:
    """Update both running moments in place; returns them and a scratch array."""
    beta1, beta2 = scalar(betas[0]), scalar(betas[1])
    first, second = numbers(state["exp_avg"]), numbers(state["exp_avg_sq"])
    scratch = np.subtract(g, first, out=np.empty_like(first))
    if 1 - beta1 < 0.5:
        scratch *= 1 - beta1
        first += scratch
    else:  # the other form of interpolation is exact at weight 1
        scratch *= beta1
        np.subtract(g, scratch, out=first)
    mean_square(second, g, beta2, scratch)
    return first, second, scratch


def _divide(p: Array, first: Array, scratch: Array, eps: float, rate: float) -> None:
    """``p -= rate * first / (scratch + eps)``."""
    scratch += eps
    np.divide(first, scratch, out=scratch)
    scratch *= rate
    p -= scratch


class _Moments(ArrayOptimizer):
    """Optimizers that keep running means of the gradient and of its square."""

    _zeros = ("exp_avg", "exp_avg_sq")


class Adam(_Moments):
    """Adaptive moments (Kingma and Ba 2015), optionally with AMSGrad.

    ``p -= lr / (1 - beta1**t) * m / (sqrt(v / (1 - beta2**t)) + eps)`` with running means
    ``m`` of the gradient and ``v`` of its square.

    >>> import srcgrad.eager as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> w.grad = torch.ones(2)
    >>> torch.optim.Adam([w], lr=0.5).step()
    >>> w.detach()
    tensor([0.5000, 0.5000])
    """

    def __init__(self, params: Params, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *,
                 foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False, fused: bool | None = None,
                 decoupled_weight_decay: bool = False) -> None:
        if isinstance(lr, torch.Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and "
                             "foreach=True")
        _checked(lr, eps, betas, weight_decay)
        _check_kinds(betas, bool(foreach) and not capturable)
        checked_flags(differentiable, foreach, fused)
        betas = scalar(betas[0]), scalar(betas[1])
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        })

    def _start(self, param: Any, state: dict[str, Any], group: Group) -> None:
        super()._start(param, state, group)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = torch.zeros_like(param)

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        step = float(torch.raw(state["step"]))
        first, second, scratch = _moments(g, state, group["betas"])
        beta1, beta2 = (scalar(beta) for beta in group["betas"])
        if group["amsgrad"]:
            largest = numbers(state["max_exp_avg_sq"])
            second = np.maximum(largest, second, out=largest)
        np.sqrt(second, out=scratch)
        scratch /= (1 - beta2**step) ** 0.5
        _divide(p, first, scratch, group["eps"], scalar(group["lr"]) / (1 - beta1**step))


class AdamW(Adam):
    """Adam with decoupled weight decay: ``p *= 1 - lr * weight_decay`` before each step."""

    def __init__(self, params: Params, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *,
                 maximize: bool = False, foreach: bool | None = None, capturable: bool = False,
                 differentiable: bool = False, fused: bool | None = None) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach,
                         maximize=maximize, capturable=capturable, differentiable=differentiable,
                         fused=fused, decoupled_weight_decay=True)


class NAdam(_Moments):
    """Adam with Nesterov momentum (Dozat 2016) and its momentum schedule."""

    order = ("lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay",
             "maximize")

    @keeps_options
    def __init__(self, params: Params, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3,
                 decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False) -> None:
        _checked(lr, eps, betas, weight_decay)
        nonnegative(momentum_decay=momentum_decay)

    def _start(self, param: Any, state: dict[str, Any], group: Group) -> None:
        state["mu_product"] = torch.ones((), dtype=torch.float32)
        super()._start(param, state, group)

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        step, lr = float(torch.raw(state["step"])), scalar(group["lr"])
        beta1, beta2 = group["betas"]
        decay = group["momentum_decay"]
        mu = beta1 * (1.0 - 0.5 * (0.96 ** (step * decay)))
        mu_next = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * decay)))
        product = torch.raw(state["mu_product"])
        product *= mu
        so_far = float(product)
        first, second, scratch = _moments(g, state, group["betas"])
        np.divide(second, 1 - beta2**step, out=scratch)
        np.sqrt(scratch, out=scratch)
        scratch += group["eps"]
        p -= (lr * (1.0 - mu) / (1.0 - so_far)) * (g / scratch)
        np.divide(first, scratch, out=scratch)
        scratch *= lr * mu_next / (1.0 - so_far * mu_next)
        p -= scratch


class RAdam(_Moments):
    """Rectified Adam (Liu et al. 2020): plain momentum until the variance is tractable."""

    order = ("lr", "betas", "eps", "weight_decay", "maximize", "foreach", "capturable")

    @keeps_options
    def __init__(self, params: Params, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False,
                 *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False) -> None:
        _checked(lr, eps, betas, weight_decay)

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        step, lr = float(torch.raw(state["step"])), scalar(group["lr"])
        beta1, beta2 = group["betas"]
        first, second, scratch = _moments(g, state, group["betas"])
        corrected2 = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * (beta2**step) / corrected2
        rate = lr / (1 - beta1**step)
        if length <= 5.0:
            p -= np.multiply(first, rate, out=scratch)
            return
        rectified = ((length - 4) * (length - 2) * longest
                     / ((longest - 4) * (longest - 2) * length)) ** 0.5
        np.sqrt(second, out=scratch)
        _divide(p, first, scratch, group["eps"], rate * rectified * corrected2**0.5)


class Adamax(ArrayOptimizer):
    """Adam with the infinity norm in place of the second moment (Kingma and Ba 2015)."""

    @keeps_options
    def __init__(self, params: Params, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *,
                 maximize: bool = False, differentiable: bool = False,
                 capturable: bool = False) -> None:
        _checked(lr, eps, betas, weight_decay)

    _zeros = ("exp_avg", "exp_inf")

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        step = float(torch.raw(state["step"]))
        beta1, beta2 = group["betas"]
        first, norm = numbers(state["exp_avg"]), numbers(state["exp_inf"])
        first += (g - first) * (1 - beta1)
        norm *= beta2
        scratch = np.abs(g, out=np.empty_like(norm))
        scratch += group["eps"]
        np.maximum(norm, scratch, out=norm)
        np.divide(first, norm, out=scratch)
        scratch *= scalar(group["lr"]) / (1 - beta1**step)
        p -= scratch
