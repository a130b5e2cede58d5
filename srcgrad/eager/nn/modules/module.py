"""`torch.nn.modules.module`: the base class, and hooks on every module."""

from ..global_hooks import (
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from ..module import Module
from ..module_state import IncompatibleKeys

_IncompatibleKeys = IncompatibleKeys  # PyTorch's own spelling

__all__ = ["IncompatibleKeys", "Module", "register_module_backward_hook",
           "register_module_buffer_registration_hook", "register_module_forward_hook",
           "register_module_forward_pre_hook", "register_module_full_backward_hook",
           "register_module_full_backward_pre_hook", "register_module_module_registration_hook",
           "register_module_parameter_registration_hook"]
