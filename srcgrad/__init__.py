"""srcgrad: gradients of ordinary NumPy programs, as source code you can read."""

from __future__ import annotations

from . import nesting, rules  # noqa: F401  (nesting: transforms inside of traced functions)
from .api import grad, jit, value_and_grad
from .checks import check_grads
from .config import config
from .errors import (
    AliasError,
    JoinError,
    NonDifferentiable,
    NonScalarOutput,
    SourceNotFound,
    SrcgradError,
    StructureError,
    TracingError,
    UnsupportedOperation,
    UnsupportedSyntax,
    UnsupportedType,
)
from .marks import custom_vjp, name, stop_gradient
from .transforms import (
    elementwise_grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from .tree import flatten as tree_flatten
from .tree import ravel_tree, tree_map
from .tree import unflatten as tree_unflatten

__version__ = "0.1.0"

__all__ = [
    "AliasError", "JoinError", "NonDifferentiable", "NonScalarOutput", "SourceNotFound",
    "SrcgradError", "StructureError", "TracingError", "UnsupportedOperation",
    "UnsupportedSyntax", "UnsupportedType", "__version__", "check_grads", "config",
    "custom_vjp", "elementwise_grad", "grad", "hessian", "hvp", "jacfwd", "jacobian",
    "jacrev", "jit", "jvp", "linearize", "name", "ravel_tree", "rules", "stop_gradient",
    "tree_flatten", "tree_map", "tree_unflatten", "value_and_grad", "vjp",
]
