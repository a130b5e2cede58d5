"""`torch.nn.modules.module`: the base class, and hooks on every module."""

from ..global_hooks import *  # noqa: F403  (all that it defines)
from ..module import Module
from ..module_state import IncompatibleKeys

_IncompatibleKeys = IncompatibleKeys  # PyTorch's own spelling

__all__ = ["IncompatibleKeys", "Module"]
