"""srcgrad: gradients of ordinary NumPy programs, as source code you can read."""

from __future__ import annotations

from .cache.memory import rare_collections

with rare_collections(lasting=True):
    from . import bridges, optimize, parallel, rules, scipy, testing
    from .check.checks import check_grads
    from .check.debugging import debug_nans
    from .check.statement_checks import debug_grads
    from .config import config
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
    from .public import nesting  # noqa: F401  (transforms in traced functions)
    from .public.api import grad, jit, value_and_grad
    from .public.batching import vmap
    from .public.checkpoints import checkpoint, checkpoint_range
    from .public.compiled import Compiled
    from .public.custom import custom_jvp, custom_vjp, implicit
    from .public.jacobians import elementwise_grad, gnvp, hessian, hvp, jacfwd, jacobian, jacrev
    from .public.linear import linear_least_squares, linear_solve
    from .public.transforms import jvp, linearize, vjp
    from .public.versions import show_versions
    from .rules.marks import name, stop_gradient
    from .scipy import fixed_point, odeint, root, solve_ivp
    from .show.progress import progress
    from .types.tree import flatten as tree_flatten
    from .types.tree import ravel_tree, tree_map, tree_register
    from .types.tree import unflatten as tree_unflatten

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
    "fixed_point",
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
    "linear_least_squares",
    "linear_solve",
    "linearize",
    "name",
    "odeint",
    "optimize",
    "parallel",
    "progress",
    "ravel_tree",
    "root",
    "rules",
    "scipy",
    "show_versions",
    "solve_ivp",
    "stop_gradient",
    "testing",
    "tree_flatten",
    "tree_map",
    "tree_register",
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
