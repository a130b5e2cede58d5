"""`torch.func`: transforms of functions."""

from __future__ import annotations

from srcgrad.eager.func.batching import vmap
from srcgrad.eager.func.calls import functional_call, stack_module_state
from srcgrad.eager.func.transforms import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
           "linearize", "stack_module_state", "vjp", "vmap"]
