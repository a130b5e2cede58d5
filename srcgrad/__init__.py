"""srcgrad: gradients of ordinary NumPy programs, as source code you can read."""

from __future__ import annotations

from .cache.memory import rare_collections

with rare_collections():  # what is imported is there to stay
    from . import (
        bridges,
        nesting,  # noqa: F401  (transforms in traced functions)
        optimize,
        parallel,
        rules,
        scipy,
        testing,
    )
    from .api import grad, jit, value_and_grad
    from .batching import vmap
    from .checkpoints import checkpoint, checkpoint_range
    from .checks import check_grads
    from .compiled import Compiled
    from .config import config
    from .custom import custom_jvp, custom_vjp, implicit
    from .debugging import debug_nans
    from .errors import (
        AliasError,
        JoinError,
        NonDifferentiable,
        NonFiniteValue,
        NonScalarOutput,
        SourceNotFound,
        SrcgradError,
        StructureError,
        TracingError,
        UnsupportedOperation,
        UnsupportedSyntax,
        UnsupportedType,
    )
    from .jacobians import elementwise_grad, gnvp, hessian, hvp, jacfwd, jacobian, jacrev
    from .linear import linear_solve
    from .marks import name, stop_gradient
    from .statement_checks import debug_grads
    from .transforms import jvp, linearize, vjp
    from .tree import flatten as tree_flatten
    from .tree import ravel_tree, tree_map
    from .tree import unflatten as tree_unflatten
    from .versions import show_versions

__version__ = "0.1.0"

__all__ = [
    "AliasError",
    "Compiled",
    "JoinError",
    "NonDifferentiable",
    "NonFiniteValue",
    "NonScalarOutput",
    "SourceNotFound",
    "SrcgradError",
    "StructureError",
    "TracingError",
    "UnsupportedOperation",
    "UnsupportedSyntax",
    "UnsupportedType",
    "__version__",
    "bridges",
    "check_grads",
    "checkpoint",
    "checkpoint_range",
    "config",
    "custom_jvp",
    "custom_vjp",
    "debug_grads",
    "debug_nans",
    "elementwise_grad",
    "gnvp",
    "grad",
    "hessian",
    "hvp",
    "implicit",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "linear_solve",
    "linearize",
    "name",
    "optimize",
    "parallel",
    "ravel_tree",
    "rules",
    "scipy",
    "show_versions",
    "stop_gradient",
    "testing",
    "tree_flatten",
    "tree_map",
    "tree_unflatten",
    "value_and_grad",
    "vjp",
    "vmap",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: object) -> None:
    """What ``%load_ext srcgrad`` calls: adds the magic ``%%grad`` to notebooks."""
    from .notebook import register

    register(shell)
