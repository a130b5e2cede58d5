"""Parametrizations of weights: `weight_norm`, `spectral_norm`, `orthogonal`."""

from __future__ import annotations

from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from .. import functional as F
from ..module import Module
from .parametrize import register_parametrization
from .weight_scaling import (
    as_matrix,
    check_iterations,
    first_axis,
    norm_except_dim,
    scaled_to,
    turn,
)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return scaled_to(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """The weight as a length per slice along ``dim`` times a direction."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def from_old_names(state: dict[str, Any], prefix: str, *_: Any) -> None:
        for old, new in (("g", "original0"), ("v", "original1")):
            key = f"{prefix}{name}_{old}"
            if key in state:
                state[f"{prefix}parametrizations.{name}.{new}"] = state.pop(key)

    module._register_load_state_dict_pre_hook(from_old_names)
    return module


class _SpectralNorm(Module):
    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0,
                 eps: float = 1e-12) -> None:
        super().__init__()
        rank = weight.dim()
        refuse(not -rank <= dim < rank, "Dimension out of range (expected to be in range of [-{}, "
               "{}] but got {})", rank, rank - 1, dim, kind=IndexError)
        check_iterations(n_power_iterations)
        self.dim, self.eps = dim % rank, eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight.detach(), self.dim)
            for name, n in zip(("_u", "_v"), matrix.shape):
                start = F.normalize(matrix.new_empty(n).normal_(0, 1), dim=0, eps=eps)
                self.register_buffer(name, start)
            self._iterate(matrix, 15)

    def _iterate(self, matrix: Any, count: int) -> None:
        for _ in range(count):
            turn(self._u, matrix, self._v, self.eps)
            turn(self._v, matrix.t(), self._u, self.eps)

    def forward(self, weight: Any) -> Any:
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        return value


def spectral_norm(module: Any, name: str = "weight", n_power_iterations: int = 1,
                  eps: float = 1e-12, dim: int | None = None) -> Any:
    """The weight over its largest singular value, estimated by power iteration."""
    weight, dim = _weight_of(module, name), first_axis(module) if dim is None else dim
    return register_parametrization(
        module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


def _weight_of(module: Any, name: str) -> Any:
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


class _Orthogonal(Module):
    """A square or tall matrix with orthonormal columns, from a skew one (or the rows' of wide)."""

    base: Any

    def __init__(self, orthogonal_map: str, use_trivialization: bool, shape: Any) -> None:
        super().__init__()
        self.shape = shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        wide = X.shape[-2] < X.shape[-1]
        X = X.mT if wide else X
        n, k = X.shape[-2:]
        if self.orthogonal_map == "householder":
            below = X.tril(-1)
            scales = 2.0 / (1.0 + (below * below.conj()).sum(dim=-2))
            signs = X.detach().diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
            q = self.base @ (torch.linalg.householder_product(below, scales) * signs)
            return q.mT if wide else q
        low = X.tril(-1)
        if n != k:
            low = torch.cat([low, low.new_zeros(*low.shape[:-2], n, n - k)], -1)
        skew = low - low.mH
        if self.orthogonal_map == "matrix_exp":
            q = torch.matrix_exp(skew)
        else:  # the Cayley transform
            eye = torch.eye(n, dtype=X.dtype)
            q = torch.linalg.solve(eye - 0.5 * skew, eye + 0.5 * skew)
        q = (self.base @ q if "base" in self._buffers else q)[..., :k]
        return q.mT if wide else q

    def right_inverse(self, Q: Any) -> Any:
        """The zero of the chart (less the identity, by whose signs reflections go), moved to
        ``Q``."""
        refuse(Q.shape != self.shape, "Expected a matrix or batch of matrices of shape {}. Got a "
               "tensor of shape {}.", self.shape, Q.shape, kind=ValueError)
        if "base" not in self._buffers:
            raise NotImplementedError("It is not possible to assign to the matrix exponential or "
                                      "the Cayley parametrizations when use_trivialization=False.")
        wide = Q.shape[-2] < Q.shape[-1]
        tall = Q.mT if wide else Q
        n, k = tall.shape[-2:]
        if n != k:  # completed at random
            more = torch.randn(*tall.shape[:-2], n, n - k, dtype=tall.dtype)
            tall = torch.cat([tall, more], -1)
        q, r = torch.linalg.qr(tall)
        self.base = q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
        zero = torch.zeros_like(Q)
        zero.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return zero


def orthogonal(module: Any, name: str = "weight", orthogonal_map: str | None = None, *,
               use_trivialization: bool = True) -> Any:
    """Keep a matrix orthogonal (tall: orthonormal columns), by an exponential or a Cayley map.

    With ``orthogonal_map="householder"`` it is a product of reflections.
    """
    weight = _weight_of(module, name)
    refuse(weight.dim() < 2, "Expected a matrix or batch of matrices. Got a tensor of {} "
           "dimensions.", weight.dim(), kind=ValueError)
    kind = orthogonal_map or ("matrix_exp" if weight.shape[-2] == weight.shape[-1] else "cayley")
    refuse(kind not in ("matrix_exp", "cayley", "householder"), 'orthogonal_map has to be one of '
           '"matrix_exp", "cayley", "householder". Got: {}', orthogonal_map, kind=ValueError)
    if kind == "householder" and not use_trivialization:
        raise ValueError('orthogonal_map="householder" needs use_trivialization=True: without it '
                         "a matrix cannot be taken apart into reflections here.")
    return register_parametrization(
        module, name, _Orthogonal(kind, use_trivialization, weight.shape), unsafe=True)
