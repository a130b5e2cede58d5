"""Neural networks: modules, functions, initialisation, tools for parameters."""

from . import functional, init, modules, parameter, utils
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .module import Module
from .modules import *  # noqa: F403  (all layers, listed in its __all__)
from .parameter import Buffer, Parameter

__all__ = [
    "Buffer",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "Sequential",
    "functional",
    "init",
    "modules",
    "parameter",
    "utils",
]
__all__ += modules.__all__
