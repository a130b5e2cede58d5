"""What hooks may return: checks with PyTorch's messages."""

from __future__ import annotations

from typing import Any

from srcgrad.eager.tensor import Tensor


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def check_replacements(hook: Any, result: Any, count: int) -> None:
    """A hook of a node replaces all its gradients or none."""
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != count:
        raise RuntimeError(f"hook '{_name(hook)}' has returned an incorrect number of values "
                           f"(got {len(result)}, but expected {count})")


def check_hook_result(given: Tensor, result: Any, hook: Any) -> None:
    """A hook may replace a gradient only by a tensor of the same shape."""
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if result._a.shape != given._a.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    if result._dt is not given._dt:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was torch."
            f"{given._dt.tensor_name}Tensor got torch.{result._dt.tensor_name}Tensor)")
