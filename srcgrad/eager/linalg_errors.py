"""The error of linear algebra: `torch.linalg.LinAlgError`."""

from __future__ import annotations


class LinAlgError(RuntimeError):
    """A matrix is singular, not positive-definite, or an iteration did not converge."""
