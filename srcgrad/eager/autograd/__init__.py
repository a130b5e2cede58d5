"""`torch.autograd`: gradients, custom Functions, anomaly mode, forward mode."""

from __future__ import annotations

from srcgrad.eager.autograd import forward_ad, function, functional, graph
from srcgrad.eager.autograd.function import Function
from srcgrad.eager.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from srcgrad.eager.autograd.graph import detect_anomaly
from srcgrad.eager.backward import backward, grad
from srcgrad.eager.engine import ImperativeEngine
from srcgrad.eager.grad_mode import (
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    set_multithreading_enabled,
)
from srcgrad.eager.tensor import Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=_VariableMeta):
    """An old name: ``Variable(t, requires_grad=True)`` gives a tensor."""

    _execution_engine = ImperativeEngine()

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Tensor:  # type: ignore[misc]
        t: Tensor = data.detach()
        t.requires_grad_(requires_grad)
        return t


__all__ = ["Function", "GradcheckError", "Variable", "backward", "detect_anomaly", "enable_grad",
           "forward_ad", "function", "functional", "grad", "gradcheck", "gradgradcheck", "graph",
           "inference_mode", "is_multithreading_enabled", "no_grad", "set_detect_anomaly",
           "set_grad_enabled", "set_multithreading_enabled"]
