"""Eager mode: tensors that record what is computed from them, with PyTorch's semantics.

>>> import srcgrad.eager as torch
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad.tolist()
[2.0, 4.0]
"""

# ruff: noqa: F401, F403, F405  (the namespace itself: everything imported here is for users)
from __future__ import annotations

import math as _math
from typing import TYPE_CHECKING, Any

from srcgrad.eager import (
    attributes,
    autograd,
    backends,
    bridge,
    constructors,
    conversions,
    cuda,
    func,
    nn,
    ops,
    optim,
    printing,
    random,
    recording,
    storages,
    testing,
    utils,
)
from srcgrad.eager.autograd.graph import detect_anomaly
from srcgrad.eager.basis import typename as _typename
from srcgrad.eager.device import device as _device
from srcgrad.eager.dispatch import NAMESPACE as _NAMESPACE
from srcgrad.eager.dtype import *
from srcgrad.eager.dtype import bool_ as bool
from srcgrad.eager.dtype import dtype as _dtype
from srcgrad.eager.func.batching import vmap
from srcgrad.eager.grad_mode import *
from srcgrad.eager.layout import *
from srcgrad.eager.promotion import result_type
from srcgrad.eager.size import Size
from srcgrad.eager.tensor import Tensor

# the last three hide their modules
globals().update(_NAMESPACE, dtype=_dtype, device=_device, typename=_typename)
float, int = float32, int32
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
__version__ = "2.13.0"

from srcgrad.eager import fft, linalg, special  # noqa: E402
from srcgrad.eager.nn.namespace import NAMES as _NN_NAMES  # noqa: E402
from srcgrad.eager.serialization import load, save  # noqa: E402

globals().update({name: f for name, f in _NN_NAMES.items() if name not in globals()})

if TYPE_CHECKING:  # the operations, which declare themselves in NAMESPACE

    def __getattr__(name: str) -> Any: ...
