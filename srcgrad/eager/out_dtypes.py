"""Which dtypes ``out=`` may have, and how each function refuses the others.

Most functions take whatever their result can be cast to; those below want its very dtype, or
say it in words of their own.
"""

from __future__ import annotations

from srcgrad.eager import dtype as dt
from srcgrad.eager.writes import check_cast

_EXACT = {
    "Found dtype {got} but expected {want}": (
        "abs", "absolute", "bitwise_not", "ceil", "conj_physical", "fix", "floor", "frac",
        "hardshrink", "lerp", "neg", "negative", "round", "sgn", "sign", "trunc"),
    "Expected out tensor to have dtype {c_want}, but got {c_got} instead": (
        "addmm", "aminmax", "cross", "cumprod", "cumsum", "diag", "gather", "inverse",
        "log_softmax", "matmul", "max.0", "max.1", "mean.dtype", "min.0", "min.1", "mm", "msort",
        "argmax", "argmin", "norm", "prod", "qr", "slice_scatter", "slogdet", "softmax", "sort",
        "sum", "svd", "topk", "tril", "triu"),
    "Expected the dtype for input and out to match, but got {want} for input's dtype and {got} "
    "for out's dtype.": ("amax", "amin"),
    "expected scalar_type {want} but found {got}": ("cummax", "cummin", "logcumsumexp"),
    "{name}: Expected the output tensor to have dtype {want}, but got an output tensor with dtype "
    "{got}": ("tensordot",),
    "tensordot: Expected the output tensor to have dtype {want}, but got an output tensor with "
    "dtype {got}": ("inner",),
    "{name}: dtype of out: {got} should be same as input: {want}": ("nan_to_num",),
    "quantile() out tensor must be same dtype as the input tensor": ("quantile", "nanquantile"),
    "torch.frexp() expects mantissa to have dtype {c_want} but got {c_got}": ("frexp.0",),
    "torch.frexp() expects exponent to have int dtype but got {c_got}": ("frexp.1",),
    "output values must be of same type as input": ("kthvalue.0",),
    "output indices must be of scalar type {want}": ("kthvalue.1",),
    "expected scalar type '{want}' but got '{got}' for values output": ("mode.0",),
    "expected scalar type '{want}' but got '{got}' for indices output": ("mode.1",),
    "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type "
    "torch.{got}Tensor does not equal torch.{want}Tensor (while checking arguments for median)": (
        "median.0", "nanmedian.0"),
    "Expected tensor for argument #1 'indices' to have scalar type {want}; but got "
    "torch.{got}Tensor instead (while checking arguments for median)": (
        "median.1", "nanmedian.1"),
    "nonzero: Expected out tensor to have scalar type {want} but got scalar type{got}": (
        "nonzero",),
    "{name} does not support non-boolean outputs.": ("isneginf", "isposinf", "signbit"),
    "{name} only supports bool tensor for result, got: {got}": ("all", "any"),
}
_CASTABLE = {
    "torch.cat(): input types can't be cast to the desired output type {got}": (
        "cat", "column_stack", "concat", "concatenate", "dstack", "hstack", "row_stack", "stack",
        "vstack"),
    "{name}: Expected result to be safely castable from {want} dtype, but got result with dtype "
    "{got}": ("cholesky", "cholesky_inverse", "cholesky_solve", "matrix_power"),
    "{name}(): Expected floating point type for result tensor, but got: {got}": ("logsumexp",),
    "{name} can't be cast to the desired output type {got}": ("ldexp",),
}
_BY_NAME = {name: (text, exact) for exact, table in ((True, _EXACT), (False, _CASTABLE))
            for text, names in table.items() for name in names}
# Computed in the dtype of ``out``, as if it were given as ``dtype=``.
COMPUTED_IN_OUT = frozenset(("cumprod", "cumsum", "prod", "sum"))


def check_out(name: str, want: dt.dtype, got: dt.dtype) -> None:
    """Raise unless a result of dtype ``want`` may go into an ``out`` of dtype ``got``.  The name is
    a function's, with the place of one of several results or with ``dtype`` if that was given."""
    title = name.partition(".")[0]
    text, exact = _BY_NAME.get(name) or _BY_NAME.get(title, ("", False))
    if not text:
        check_cast(want, got)
    elif want is not got and (exact or not dt.can_cast(want, got)) and not (
            got is dt.uint8 and title in ("all", "any")):
        kind = TypeError if text.startswith("torch.cat") else RuntimeError
        raise kind(text.format(name=title, want=want.tensor_name, got=got.tensor_name,
                               c_want=want.c_name, c_got=got.c_name))
