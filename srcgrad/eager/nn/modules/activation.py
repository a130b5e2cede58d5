"""Activation layers."""

from __future__ import annotations

import warnings
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from .. import functional as F
from ..module import Module
from ..options import Layer, layer


class _InPlace(Layer):
    """Activations whose text tells that they work in place."""

    inplace: bool

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return ", ".join(filter(None, (text, "inplace=True"))) if self.inplace else text


Threshold = layer("Threshold", F.threshold, _InPlace, shown="threshold value")
ReLU = layer("ReLU", F.relu, _InPlace)
RReLU = layer("RReLU", F.rrelu, _InPlace, shown="lower upper")


class Hardtanh(_InPlace, of=F.hardtanh, shown="min_val max_val"):
    """The input clipped to ``[min_val, max_val]``."""

    min_val: float
    max_val: float

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False,
                 min_value: float | None = None, max_value: float | None = None) -> None:
        for new, old, value in (("min_val", "min_value", min_value),
                                ("max_val", "max_value", max_value)):
            if value is not None:
                warnings.warn(f"keyword argument `{old}` is deprecated and renamed to "
                              f"`{new}`", FutureWarning, stacklevel=2)
        self._keep(min_val=min_val if min_value is None else min_value,
                   max_val=max_val if max_value is None else max_value, inplace=inplace)
        refuse(self.max_val <= self.min_val, "max_val ({}) must be greater than min_val ({})",
               self.max_val, self.min_val, kind=AssertionError)


class ReLU6(Hardtanh, shown=""):
    """The input clipped to ``[0, 6]``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


Sigmoid = layer("Sigmoid", F.sigmoid)
Tanh = layer("Tanh", F.tanh)
Hardsigmoid = layer("Hardsigmoid", F.hardsigmoid)
Hardswish = layer("Hardswish", F.hardswish)
SiLU = layer("SiLU", F.silu, _InPlace)
Mish = layer("Mish", F.mish, _InPlace)
ELU = layer("ELU", F.elu, _InPlace, shown="alpha")
CELU = layer("CELU", F.celu, _InPlace, shown="alpha")
SELU = layer("SELU", F.selu, _InPlace)
GLU = layer("GLU", F.glu, shown="dim")
GELU = layer("GELU", F.gelu, shown="approximate={self.approximate!r}")
Hardshrink = layer("Hardshrink", F.hardshrink, shown="{self.lambd}")
Softshrink = layer("Softshrink", F.softshrink, shown="{self.lambd}")
LeakyReLU = layer("LeakyReLU", F.leaky_relu, _InPlace, shown="negative_slope")
LogSigmoid = layer("LogSigmoid", F.logsigmoid)
Softplus = layer("Softplus", F.softplus, shown="beta threshold")


class PReLU(Layer, of=F.prelu, own="weight", shown="num_parameters"):
    """Leaky ReLU with learned slopes, one or one per channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None,
                 dtype: Any = None) -> None:
        self._keep(num_parameters=num_parameters, init=init)
        self._register(num_parameters, device, dtype, weight=True)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all slopes to ``init``."""
        with torch.no_grad():
            self.weight.fill_(self.init)


Softsign = layer("Softsign", F.softsign)
Tanhshrink = layer("Tanhshrink", F.tanhshrink)


class _AlongDim(Layer, shown="dim"):
    """Activations normalised along one axis."""

    def __init__(self, dim: int | None = None) -> None:
        self._keep(dim=dim)


class Softmin(_AlongDim):
    """:class:`Softmax` of the negative input."""

    def forward(self, input: Any) -> Any:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_AlongDim):
    """``exp(input)`` normalised to sum 1 along ``dim``."""

    def forward(self, input: Any) -> Any:
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """The logarithm of :class:`Softmax`."""

    def forward(self, input: Any) -> Any:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """:class:`Softmax` over channels at each place of an image."""

    def forward(self, input: Any) -> Any:
        refuse(input.dim() not in (3, 4), "Softmax2d: expected input to be 3D or 4D, got {}D "
               "instead", input.dim(), kind=ValueError)
        return F.softmax(input, -3, _stacklevel=5)
