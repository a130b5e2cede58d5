"""Weights as a length times a direction, or over their largest singular value.

Both exist twice, as in PyTorch: as a hook before each forward (:func:`weight_norm`,
:func:`spectral_norm`) and as a parametrization (:mod:`.parametrizations`).
"""

from __future__ import annotations

import warnings
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from ...nodes import named
from .. import functional as F
from ..module import Module
from ..parameter import Parameter, UninitializedParameter


def norm_except_dim(v: Any, dim: int) -> Any:
    """The 2-norms of the slices along ``dim`` (-1: of everything), in ``v``'s rank."""
    if dim == -1:
        return v.norm()
    shape = [1] * v.dim()
    shape[dim] = -1
    return v.transpose(0, dim).reshape(v.shape[dim], -1).norm(dim=1).reshape(shape)


def scaled_to(v: Any, g: Any, dim: int) -> Any:
    """``g * v / ||v||``, the node named as PyTorch's fused one."""
    scaled = v * (g / norm_except_dim(v, dim))
    fused = dim in (0, v.dim() - 1)
    return named(scaled, "WeightNormInterfaceBackward0") if fused else scaled


class WeightNorm:
    """The hook of :func:`weight_norm`."""

    scaling = "weight"

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Any:
        """The weight from its two parts."""
        parts = getattr(module, self.name + "_v"), getattr(module, self.name + "_g")
        return scaled_to(*parts, self.dim)

    def remove(self, module: Module) -> None:
        """Make the present weight an ordinary parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        for part in ("_g", "_v"):
            del module._parameters[self.name + part]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def _hook_of(module: Any, kind: Any, name: str) -> tuple[Any, Any]:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            return key, hook
    return None, None


def _check_free(module: Any, kind: Any, name: str) -> None:
    if _hook_of(module, kind, name)[1] is not None:
        raise RuntimeError(
            f"Cannot register two {kind.scaling}_norm hooks on the same parameter {name}")


def _check_known(weight: Any, kind: Any) -> None:
    refuse(isinstance(weight, UninitializedParameter), "The module passed to `{}` can't have "
           "uninitialized parameters. Make sure to run the dummy forward before applying {} "
           "normalization", kind.__name__, kind.scaling, kind=ValueError)


def _removed(module: Any, kind: Any, name: str) -> Any:
    key, hook = _hook_of(module, kind, name)
    if hook is None:
        raise ValueError(f"{kind.scaling}_norm of '{name}' not found in {module}")
    hook.remove(module)
    del module._forward_pre_hooks[key]
    return module


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Replace a parameter by ``name_g`` (lengths) and ``name_v`` (directions)."""
    warnings.warn("`torch.nn.utils.weight_norm` is deprecated in favor of "
                  "`torch.nn.utils.parametrizations.weight_norm`.", FutureWarning, stacklevel=2)
    _check_free(module, WeightNorm, name)
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    _check_known(weight, WeightNorm)
    del module._parameters[name]
    lengths = norm_except_dim(weight.detach(), hook.dim)
    module.register_parameter(name + "_g", Parameter(lengths))
    module.register_parameter(name + "_v", Parameter(weight.data))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Undo :func:`weight_norm`, keeping the present weight."""
    return _removed(module, WeightNorm, name)


def as_matrix(weight: Any, dim: int) -> Any:
    """``weight`` with dimension ``dim`` as rows and all others as columns."""
    if dim:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.reshape(weight.shape[0], -1)


def turn(target: Any, matrix: Any, other: Any, eps: float) -> None:
    """One half step of power iteration: ``target`` becomes ``matrix @ other``, normalised."""
    with torch.no_grad():
        target.copy_(F.normalize(torch.mv(matrix.detach(), other), dim=0, eps=eps))


def check_iterations(n_power_iterations: int) -> None:
    """Refuse numbers of iterations that are not positive."""
    refuse(n_power_iterations <= 0, "Expected n_power_iterations to be positive, but got "
           "n_power_iterations={}", n_power_iterations, kind=ValueError)


class SpectralNorm:
    """The hook of :func:`spectral_norm`."""

    scaling = "spectral"

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        check_iterations(n_power_iterations)
        self.name, self.dim, self.eps = name, dim, eps
        self.n_power_iterations = n_power_iterations

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Any:
        """The weight over the estimate of its largest singular value."""
        weight, u, v = (getattr(module, self.name + part) for part in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            for _ in range(self.n_power_iterations):
                turn(v, matrix.t(), u, self.eps)
                turn(u, matrix, v, self.eps)
            u, v = u.clone(), v.clone()  # a second forward must not change these
        return weight / torch.dot(u, torch.mv(matrix, v))

    def remove(self, module: Module) -> None:
        """Make the present weight an ordinary parameter again."""
        with torch.no_grad():
            weight = self.compute_weight(module, False)
        for part in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + part)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def first_axis(module: Module) -> int:
    """The dimension of the outputs in the weight of a layer."""
    return 1 if type(module).__name__.startswith("ConvTranspose") else 0


def spectral_norm(module: Any, name: str = "weight", n_power_iterations: int = 1,
                  eps: float = 1e-12, dim: int | None = None) -> Any:
    """Divide a parameter by its largest singular value, estimated by power iteration."""
    _check_free(module, SpectralNorm, name)
    hook = SpectralNorm(name, n_power_iterations,
                        first_axis(module) if dim is None else dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    _check_known(weight, SpectralNorm)
    with torch.no_grad():
        u, v = (F.normalize(weight.new_empty(n).normal_(0, 1), dim=0, eps=eps)
                for n in as_matrix(weight, hook.dim).shape)
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Undo :func:`spectral_norm`, keeping the present weight."""
    return _removed(module, SpectralNorm, name)
