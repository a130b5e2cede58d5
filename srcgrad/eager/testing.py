"""`torch.testing`: comparison of tensors, with tolerances by dtype."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.ops.creation import as_tensor
from srcgrad.eager.promotion import result_type
from srcgrad.eager.tensor import Tensor

_TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5),
               "float64": (1e-7, 1e-7), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}


def assert_close(actual: Any, expected: Any, *, allow_subclasses: bool = True,
                 rtol: float | None = None, atol: float | None = None, equal_nan: bool = False,
                 check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
                 check_stride: bool = False, msg: Any = None) -> None:
    """Raise AssertionError unless ``actual`` and ``expected`` agree within tolerances."""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            raise AssertionError("The keys of the mappings do not match")
        pairs = [(actual[key], expected[key]) for key in expected]
    elif isinstance(actual, Sequence) and isinstance(expected, Sequence):
        refuse(len(actual) != len(expected), "The length of the sequences mismatch: {} != {}",
               len(actual), len(expected), kind=AssertionError)
        pairs = [*zip(actual, expected)]
    else:
        _compare(actual, expected, rtol, atol, equal_nan, check_dtype, msg)
        return
    for a, e in pairs:
        assert_close(a, e, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype,
                     msg=msg)


def _compare(actual: Any, expected: Any, rtol: float | None, atol: float | None, equal_nan: bool,
             check_dtype: bool, msg: Any) -> None:
    numbers = not isinstance(actual, Tensor) and not isinstance(expected, Tensor)
    a, e = as_tensor(actual).detach(), as_tensor(expected).detach()
    kind = "Scalars" if numbers else "Tensor-likes"
    if a.shape != e.shape:
        _fail(f"The values for attribute 'shape' do not match: {a.shape} != {e.shape}.", msg)
    if check_dtype and not numbers and a.dtype is not e.dtype:
        _fail(f"The values for attribute 'dtype' do not match: {a.dtype} != {e.dtype}.", msg)
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    if rtol is None or atol is None:
        pairs = [_TOLERANCES.get(t.dtype.name, (0.0, 0.0)) for t in (a, e)]
        rtol, atol = (max(p[i] for p in pairs) for i in range(2))
    d = result_type(a.reshape(-1), e.reshape(-1))
    x, y = a.to(d)._a, e.to(d)._a
    close = np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if close.all():
        return
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        gap = np.abs(x.astype(wide) - y.astype(wide))
        relative = gap / np.abs(y.astype(wide))
    if x.ndim == 0:
        _fail(f"{kind} are not close!\n\nExpected {y.item()} but got {x.item()}.\nAbsolute "
              f"difference: {gap.item()} (up to {atol} allowed)\nRelative difference: "
              f"{relative.item()} (up to {rtol} allowed)", msg)
    wrong = int((~close).sum())
    where = tuple(int(i) for i in np.unravel_index(np.nanargmax(gap), gap.shape))
    where_relative = tuple(int(i) for i in np.unravel_index(np.nanargmax(relative), gap.shape))
    _fail(f"{kind} are not close!\n\nMismatched elements: {wrong} / {close.size} "
          f"({100 * wrong / close.size:.1f}%)\nGreatest absolute difference: {gap[where]} at index "
          f"{where} (up to {atol} allowed)\nGreatest relative difference: "
          f"{relative[where_relative]} at index {where_relative} (up to {rtol} allowed)", msg)


def _fail(text: str, msg: Any) -> None:
    raise AssertionError(msg(text) if callable(msg) else text if msg is None else msg)


def assert_allclose(actual: Any, expected: Any, rtol: float | None = None,
                    atol: float | None = None, equal_nan: bool = True, msg: Any = "") -> None:
    """The old spelling of :func:`assert_close`."""
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False,
                 msg=msg or None)
