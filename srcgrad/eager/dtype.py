"""Data types: `torch.float32` and its kin, categories, promotion, default dtype.

`bfloat16` has no NumPy counterpart: its tensors store float32 numbers that are rounded to
bfloat16 after every operation (:func:`round_bfloat16`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

BOOL, INTEGRAL, FLOATING, COMPLEX = range(4)


class dtype:
    """A data type; the instances below are the only ones.

    ``numpy`` is the NumPy dtype of the storage, ``category`` one of ``BOOL``, ``INTEGRAL``,
    ``FLOATING``, ``COMPLEX``; ``plain`` says that NumPy computes in it natively, without
    rounding or widening afterwards.
    """

    __slots__ = ("category", "fast", "itemsize", "name", "numpy", "plain", "tensor_name")

    def __init__(self, name: str, storage: Any, category: int, itemsize: int, plain: bool,
                 tensor_name: str) -> None:
        self.name = name
        self.numpy = np.dtype(storage)
        self.category = category
        self.itemsize = itemsize
        self.plain = plain
        self.tensor_name = tensor_name
        # the fast paths of arithmetic take it
        self.fast = plain and category == FLOATING and itemsize > 2

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOATING

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        return self.category >= FLOATING or self.numpy.kind == "i"

    @property
    def c_name(self) -> str:
        """The C++ name, as some messages print it."""
        return _C_NAMES.get(self.name, self.name)

    def to_real(self) -> dtype:
        return _REAL_OF.get(self, self)

    def to_complex(self) -> dtype:
        return _COMPLEX_OF.get(self, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return named, (self.name,)

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> dtype:
        return self


dtype.__module__ = "torch"
float16 = half = dtype("float16", np.float16, FLOATING, 2, True, "Half")
bfloat16 = dtype("bfloat16", np.float32, FLOATING, 2, False, "BFloat16")
float32 = float_ = dtype("float32", np.float32, FLOATING, 4, True, "Float")
float64 = double = dtype("float64", np.float64, FLOATING, 8, True, "Double")
complex64 = cfloat = dtype("complex64", np.complex64, COMPLEX, 8, True, "ComplexFloat")
complex128 = cdouble = dtype("complex128", np.complex128, COMPLEX, 16, True, "ComplexDouble")
uint8 = dtype("uint8", np.uint8, INTEGRAL, 1, False, "Byte")
int8 = dtype("int8", np.int8, INTEGRAL, 1, False, "Char")
int16 = short = dtype("int16", np.int16, INTEGRAL, 2, False, "Short")
int32 = int_ = dtype("int32", np.int32, INTEGRAL, 4, False, "Int")
int64 = long = dtype("int64", np.int64, INTEGRAL, 8, False, "Long")
uint16 = dtype("uint16", np.uint16, INTEGRAL, 2, False, "UInt16")
uint32 = dtype("uint32", np.uint32, INTEGRAL, 4, False, "UInt32")
uint64 = dtype("uint64", np.uint64, INTEGRAL, 8, False, "UInt64")
bool_ = dtype("bool", np.bool_, BOOL, 1, False, "Bool")

ALL = (float16, bfloat16, float32, float64, complex64, complex128, uint8, int8, int16, int32,
       int64, uint16, uint32, uint64, bool_)
_C_NAMES = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "int64": "long int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
    "int32": "int", "uint16": "short unsigned int", "uint32": "unsigned int",
    "uint64": "long unsigned int", "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>"}
_NAMED = {d.name: d for d in ALL}
_REAL_OF = {complex64: float32, complex128: float64}
_COMPLEX_OF = {float32: complex64, float64: complex128, float16: complex64, bfloat16: complex64}
FROM_NUMPY: dict[Any, dtype] = {d.numpy: d for d in ALL if d is not bfloat16}
OF_PYTHON: dict[Any, dtype] = {float: float64, int: int64, bool: bool_, complex: complex128}


def named(name: str) -> dtype:
    """The dtype called ``name`` (used by pickling)."""
    return _NAMED[name]


def from_numpy_dtype(given: Any) -> dtype:
    """The dtype of tensors over arrays of NumPy dtype ``given``; TypeError if there is none."""
    found = FROM_NUMPY.get(given)
    if found is None:
        found = FROM_NUMPY.get(np.dtype(given).newbyteorder("="))
    if found is None:
        raise TypeError(
            "can't convert np.ndarray of type "
            f"{getattr(given, 'type', given).__module__}.{getattr(given, 'type', given).__name__}. "
            "The only supported types are: float64, float32, float16, complex64, complex128, "
            "int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.")
    return found


class _Default:
    """The dtype of new floating point tensors; process-wide, as in PyTorch."""

    value: dtype = float32


def get_default_dtype() -> dtype:
    """The dtype that Python floats become."""
    return _Default.value


def set_default_dtype(d: dtype) -> None:
    """Make ``d`` the dtype that Python floats become.

    >>> set_default_dtype(float32)
    """
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object")
    if d.category != FLOATING:
        raise TypeError("only floating-point types are supported as the default type")
    _Default.value = d


def round_bfloat16(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """float32 numbers rounded to the nearest bfloat16 (ties to even); NaN stays NaN."""
    a = np.asarray(a, np.float32)
    bits = a.view(np.uint32)  # of the same width, so whatever the strides
    rounded = ((bits + (((bits >> 16) & 1) + 0x7FFF)) & 0xFFFF0000).astype(np.uint32)
    return np.where(np.isnan(a), a, rounded.view(np.float32)).astype(np.float32)


def _promote(a: dtype, b: dtype) -> dtype:
    if a is b:
        return a
    if a.category < b.category:
        a, b = b, a
    if a.category <= INTEGRAL:
        found = FROM_NUMPY.get(np.promote_types(a.numpy, b.numpy))
        if found is None or found.category > INTEGRAL:
            raise RuntimeError("Promotion for uint16, uint32, uint64 types is not supported, "
                               f"attempted to promote {a.tensor_name} and {b.tensor_name}")
        return found
    if b.category <= INTEGRAL:
        return a
    if a.category == COMPLEX:
        return complex128 if complex128 in (a, b) or b is float64 else complex64
    if float64 in (a, b):
        return float64
    return float32


_PROMOTED: dict[tuple[dtype, dtype], dtype] = {}


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype both can be converted to without losing category or size.

    >>> promote_types(int32, float16)
    torch.float16
    """
    for i, given in enumerate((type1, type2), 1):
        if not isinstance(given, dtype):
            raise TypeError(f"promote_types(): argument 'type{i}' (position {i}) must be "
                            f"torch.dtype, not {type(given).__name__}")
    found = _PROMOTED.get((type1, type2))
    if found is None:
        found = _PROMOTED[type1, type2] = _promote(type1, type2)
    return found


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether results of ``from_`` may be stored in ``to``: never to a lower category."""
    return from_.category <= to.category


def of_scalar(value: Any) -> dtype:
    """The dtype a Python number stands for when it meets tensors."""
    if isinstance(value, bool | np.bool_):
        return bool_
    if isinstance(value, int | np.integer):
        return int64
    if isinstance(value, float | np.floating):
        return _Default.value
    if isinstance(value, complex | np.complexfloating):
        return _Default.value.to_complex()
    raise TypeError(f"{type(value).__name__} is no number")


def combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """One step of type promotion between a group of operands and a group of lower priority
    (dimensioned tensors before 0-dim tensors before Python numbers)."""
    if higher is None:
        return lower
    if lower is None or higher.category == COMPLEX:
        return higher
    if higher.category == FLOATING:
        return higher.to_complex() if lower.category == COMPLEX else higher
    if higher.category == BOOL or lower.category >= FLOATING:
        return promote_types(higher, lower)
    return higher


class finfo:
    """Machine limits of a floating point dtype (``eps``, ``max``, ``min``, ``tiny``, ...)."""

    def __init__(self, type: dtype | None = None) -> None:
        d = _Default.value if type is None else type
        if d.category < FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. "
                "Use torch.iinfo to handle 'torch.finfo'"  # sic
            )
        real = d.to_real()
        info: Any = np.finfo(real.numpy)
        brain = real is bfloat16
        self.bits = real.itemsize * 8
        self.eps = 2.0**-7 if brain else float(info.eps)
        self.max = 3.3895313892515355e38 if brain else float(info.max)
        self.min = -self.max
        self.tiny = self.smallest_normal = float(info.tiny)
        self.resolution = 0.01 if brain else 10.0 ** -info.precision
        self.dtype = real.name

    def __repr__(self) -> str:
        fields = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        body = ", ".join(f"{f}={getattr(self, f):g}" for f in fields)
        return f"finfo({body}, dtype={self.dtype})"


class iinfo:
    """Machine limits of an integer dtype (``bits``, ``min``, ``max``)."""

    def __init__(self, type: dtype) -> None:
        if type.category != INTEGRAL:
            raise TypeError(
                "torch.iinfo() requires an integer input type. "
                "Use torch.finfo to handle 'torch.iinfo'"  # sic
            )
        info = np.iinfo(type.numpy)
        self.bits, self.min, self.max = info.bits, int(info.min), int(info.max)
        self.dtype = type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


__all__ = ["bfloat16", "can_cast", "cdouble", "cfloat", "complex64", "complex128", "double",
           "finfo", "float16", "float32", "float64", "get_default_dtype", "half", "iinfo", "int8",
           "int16", "int32", "int64", "long", "promote_types", "set_default_dtype", "short",
           "uint8", "uint16", "uint32", "uint64"]
