"""The error of linear algebra: `torch.linalg.LinAlgError`."""

from __future__ import annotations


class _LinAlgError(RuntimeError):
    """A matrix is singular, not positive-definite, or an iteration did not converge."""


LinAlgError = _LinAlgError  # the public name; tracebacks show the other one, as PyTorch's do
