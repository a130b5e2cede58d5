"""Linear maps and changes of shape."""

from __future__ import annotations

import math
from typing import Any

from ...calling_errors import refuse
from .. import functional as F
from .. import init
from ..module import Module
from ..options import Layer


class Identity(Module):
    """Returns its input; takes any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Layer, of=F.linear, own="weight bias",
             shown="in_features out_features {self._biased}"):
    """``input @ weight.T + bias``; both start uniform in ``+-1/sqrt(in_features)``."""

    in_features: int
    out_features: int

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        self._keep(in_features=in_features, out_features=out_features)
        self._register((out_features, in_features), device, dtype, weight=True)
        self._register(out_features, device, dtype, bias=bool(bias))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._fans(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection of :class:`MultiheadAttention`, under PyTorch's name for it."""


class Bilinear(Layer, of=F.bilinear, takes="input1 input2", own="weight bias",
               shown="in1_features in2_features out_features {self._biased}"):
    """``out[o] = input1 @ weight[o] @ input2 + bias[o]``."""

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True,
                 device: Any = None, dtype: Any = None) -> None:
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self._keep(in1_features=in1_features, in2_features=in2_features, out_features=out_features)
        self._register((out_features, in1_features, in2_features), device, dtype, weight=True)
        self._register(out_features, device, dtype, bias=bool(bias))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)


class Flatten(Layer, shown="start_dim end_dim"):
    """The axes from ``start_dim`` to ``end_dim`` as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self._keep(start_dim=start_dim, end_dim=end_dim)

    def forward(self, input: Any) -> Any:
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Layer, shown="dim unflattened_size"):
    """One axis as several."""

    def __init__(self, dim: Any, unflattened_size: Any) -> None:
        if isinstance(dim, int):
            if not isinstance(unflattened_size, (tuple, list)):
                raise TypeError("unflattened_size must be a tuple of ints, but found type "
                                f"{type(unflattened_size).__name__}")
            for place, n in enumerate(unflattened_size):
                refuse(not isinstance(n, int), "unflattened_size must be tuple of ints, but found "
                       "element of type {} at pos {}", type(n).__name__, place, kind=TypeError)
        else:
            raise TypeError("Unflatten: named axes are not available; give `dim` as an int")
        self._keep(dim=dim, unflattened_size=unflattened_size)

    def forward(self, input: Any) -> Any:
        return input.unflatten(self.dim, self.unflattened_size)
