"""Neural networks: modules, functions, initialisation, tools for parameters."""

from . import functional, grad, init, modules, parameter, utils
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .module import Module
from .modules import *  # noqa: F403  (all layers, listed in its __all__)
from .modules import batchnorm, container, instancenorm  # noqa: F401
from .modules import module as _module  # noqa: F401  (makes nn.modules.module)
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = ["Buffer", "Module", "ModuleDict", "ModuleList", "Parameter", "ParameterDict",
           "ParameterList", "Sequential", "UninitializedBuffer", "UninitializedParameter",
           "functional", "grad", "init", "modules", "parameter", "utils"]
__all__ += modules.__all__
functional.grad = grad  # type: ignore[attr-defined]  # its other place
for _class in (Module, ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential):
    setattr(modules, _class.__name__, _class)
for _part in Module.__bases__:  # messages name the one class that users know
    for _name, _method in vars(_part).items():
        if callable(_method):
            _method.__qualname__ = f"Module.{_name}"
