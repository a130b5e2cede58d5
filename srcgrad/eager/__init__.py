"""Eager mode: tensors that record what is computed from them, with PyTorch's semantics.

>>> import srcgrad.eager as torch
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad.tolist()
[2.0, 4.0]
"""

from __future__ import annotations

from srcgrad.eager import attributes, ops, printing, recording
from srcgrad.eager.backward import backward as _backward
from srcgrad.eager.device import device
from srcgrad.eager.dispatch import NAMESPACE as _NAMESPACE
from srcgrad.eager.dtype import (
    bfloat16,
    can_cast,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from srcgrad.eager.dtype import bool_ as bool
from srcgrad.eager.grad_mode import (
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from srcgrad.eager.size import Size
from srcgrad.eager.tensor import Tensor

globals().update(_NAMESPACE)
half, float, double, long, int, short = float16, float32, float64, int64, int32, int16
