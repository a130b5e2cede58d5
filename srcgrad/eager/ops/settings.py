"""Questions about tensors, process-wide settings, and further spellings of operations."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from srcgrad.eager import device as devices
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import NAMESPACE, Tensor, dt, op, register, wrap
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arguments import warn_once
from srcgrad.eager.ops.blending import masked_fill
from srcgrad.eager.ops.creation import creator
from srcgrad.eager.ops.gathering import put
from srcgrad.eager.ops.linear_algebra import matrix_rank, solve_triangular
from srcgrad.eager.ops.ranges import linspace
from srcgrad.eager.size import Size


@op(out=False)
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one shape."""
    return bool(input._a.shape == other._a.shape)


@op(out=False)
def is_nonzero(input: Tensor) -> bool:
    """Whether the only number of a tensor is not zero."""
    return bool(input)


def method_as_function(name: str) -> None:
    """Declare the function that calls the method of the same name."""
    def call(input: Tensor, *args: Any) -> Any:
        return getattr(input, name)(*args)

    taken = inspect.signature(getattr(Tensor, name))
    first, *rest = taken.parameters.values()
    call.__signature__ = taken.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="input", annotation=Tensor), *rest])
    op(name, method=False, out=False)(call)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def broadcast_shapes(*shapes: Any) -> Any:
    """The shape to which all the given ones broadcast."""
    from_lists = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    n = max((len(s) for s in from_lists), default=0)
    out = [1] * n
    for k, s in enumerate(from_lists):
        for j in range(-1, -1 - len(s), -1):
            if s[j] < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({s[j]}): "
                                   f"({s[j]})")
            if s[j] != 1 and s[j] != out[j]:
                if out[j] != 1:
                    raise RuntimeError(f"Attempting to broadcast a dimension of length {s[j]} at "
                                       f"{j}! Mismatching argument at index {k} had {s}; but "
                                       f"expected shape should be broadcastable to {out}")
                out[j] = s[j]
    return Size(out)


for _name in ("is_floating_point", "is_complex", "is_signed", "is_inference", "numel"):
    method_as_function(_name)
for _function in (is_tensor, broadcast_shapes):
    register(_function.__name__, _function, method=False)


NAMESPACE["newaxis"] = None
_SETTINGS: dict[str, Any] = {
    "are_deterministic_algorithms_enabled": False,
    "is_deterministic_algorithms_warn_only_enabled": False,
    "get_float32_matmul_precision": "highest", "get_num_interop_threads": 1,
    "get_num_threads": 1, "get_default_device": devices.CPU,
}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Remember the wish for determinism; every operation here is deterministic."""
    _SETTINGS["are_deterministic_algorithms_enabled"] = bool(mode)
    _SETTINGS["is_deterministic_algorithms_warn_only_enabled"] = bool(warn_only)


def set_float32_matmul_precision(precision: str) -> None:
    """``"highest"``, ``"high"`` or ``"medium"``; products are always of the highest."""
    if precision not in ("highest", "high", "medium"):
        warn_once(f"{precision} is not one of 'highest', 'high', or 'medium'; the call to "
                  "set_float32_matmul_precision has no effect.")
        return
    _SETTINGS["get_float32_matmul_precision"] = precision


def set_flush_denormal(mode: bool) -> bool:
    """Denormal numbers are never flushed: False says that nothing was set."""
    return False


def set_num_interop_threads(n: int) -> None:
    """Remember a number of threads; NumPy's libraries decide theirs."""
    _SETTINGS["get_num_interop_threads"] = n


def set_num_threads(n: int) -> None:
    """Remember a number of threads; NumPy's libraries read theirs from the environment."""
    refuse(n <= 0, "set_num_threads expects a positive integer")
    _SETTINGS["get_num_threads"] = n


def set_default_device(device: Any) -> None:
    """Only the CPU can be the default."""
    devices.check(device)


def _reader(name: str) -> Any:
    def read() -> Any:
        return _SETTINGS[name]

    read.__name__, read.__doc__ = name, "What was set last."
    return read


for _function in (use_deterministic_algorithms, set_float32_matmul_precision, set_flush_denormal,
                  set_num_interop_threads, set_num_threads, set_default_device,
                  *map(_reader, _SETTINGS)):
    register(_function.__name__, _function, method=False)


# -- further spellings ---------------------------------------------------------------------


for _name in ("detach", "detach_", "is_conj", "is_neg"):
    method_as_function(_name)


@op(method=False, out=False)
def fill(input: Tensor, value: Any) -> Any:
    """A tensor like ``input`` with one value everywhere."""
    name = f"FillBackward{int(isinstance(value, Tensor))}"
    return named(masked_fill(input, wrap(np.asarray(True), dt.bool_), value), name)


register("put", put, method=False)


def range_(start: Any = 0, end: Any = None, step: Any = 1, *, d: dt.dtype | None = None) -> Tensor:
    """Numbers from ``start`` to ``end``, both included."""
    warn_once("torch.range is deprecated and will be removed in a future release because its "
              "behavior is inconsistent with Python's range builtin. Instead, use torch.arange, "
              "which produces values in [start, end).")
    if end is None:
        start, end = 0, start
    n = int(np.floor((end - start) / step)) + 1
    return linspace(start, start + step * (n - 1), n, dtype=d)


creator(range_, "range")


@op(out=False, gives="solution cloned_coefficient")
def triangular_solve(input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False,
                     unitriangular: bool = False) -> Any:
    """The solution of a triangular system, and a copy of its matrix."""
    warn_once(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will "
        "be removed in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments "
        "reversed and does not return a copy of one of the inputs.\nX = torch.triangular_solve(B, "
        "A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).")
    matrix = A.mT if transpose else A
    x = solve_triangular(matrix, input, upper=upper != transpose, unitriangular=unitriangular)
    return named(x, "TriangularSolveBackward0"), named(A.clone(), "TriangularSolveBackward0")


register("matrix_rank", matrix_rank, method=False)
