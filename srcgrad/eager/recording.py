"""Rule bodies on tensors: the wrapper that makes NumPy calls inside them recorded operations.

Under ``create_graph`` a backward formula must itself be recorded.  Rule bodies are written in
NumPy; a :class:`Recorded` gives a tensor NumPy's operators and protocols, and turns each call
into the primitive of the same function.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.plans import lower, recorder
from srcgrad.eager.primitive import BY_FUNCTION, Primitive, raw
from srcgrad.eager.tensor import Tensor, wrap_fresh
from srcgrad.rules.book import lookup


def numpy_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function on recorded values through its primitive."""
    weak = isinstance(function, np.ufunc)
    tensors = [_down(v, weak) for v in args]
    options = {k: _down(v, weak) for k, v in kwargs.items()}
    if not any(_holds_tensor(v) for v in (*tensors, *options.values())):
        return function(*tensors, **options)  # np.arange(n, like=ct)
    special = SPECIAL.get(function)
    if special is not None:
        return _up(special(*tensors, **options))
    prim = BY_FUNCTION.get(function)
    if prim is None:
        found = lookup(function)
        if found is not None and found.nondiff:
            return _facts(function, tensors, options)
        if found is None:
            raise TypeError(f"no derivative rule for {function!r}, which a backward formula under "
                            "create_graph=True calls; declare one with srcgrad.rules")
        name = "".join(p.capitalize() for p in function.__name__.split("_")) + "Backward0"
        prim = Primitive(function, name)
    return _up(prim(*tensors, **options))


# Functions of NumPy that are better served by an operation of our own (views, casts).
SPECIAL: dict[Any, Callable[..., Any]] = {}


def _facts(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A function without derivative: arrays are tensors again, ranks and shapes plain Python."""
    out = function(*[raw(v) for v in args], **{k: raw(v) for k, v in kwargs.items()})
    if isinstance(out, np.ndarray | np.generic):
        return Recorded(wrap_fresh(out))
    return out


def _holds_tensor(value: Any) -> bool:
    if value.__class__ in (list, tuple):
        return any(_holds_tensor(v) for v in value)
    return isinstance(value, Tensor)


def _down(value: Any, weak: bool = False) -> Any:
    """Recorded values to tensors, also inside sequences.  ``weak``: 0-dim arrays and scalars
    become Python numbers, which do not widen what they meet."""
    if isinstance(value, Recorded):
        return value.tensor
    if weak and (isinstance(value, np.generic) or (
            isinstance(value, np.ndarray) and value.ndim == 0)):
        return value.item()
    if value.__class__ in (list, tuple):
        return value.__class__(_down(v, weak) for v in value)
    return value


def _up(value: Any) -> Any:
    if isinstance(value, Tensor):
        return Recorded(value)
    if value.__class__ in (list, tuple):
        return value.__class__(_up(v) for v in value)
    return value


def _method(function: Any) -> Any:
    return lambda self, *args, **kwargs: numpy_call(function, (self, *args), kwargs)


class Recorded:
    """A tensor with NumPy's face: operators, attributes, ufuncs and functions are recorded."""

    __slots__ = ("tensor",)
    __array_priority__ = 2000

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return numpy_call(function, args, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return numpy_call(function, args, kwargs)

    def __len__(self) -> int:
        return int(self.tensor._a.shape[0])

    def __getitem__(self, index: Any) -> Any:
        return Recorded(self.tensor.__getitem__(_down(index)))

    def astype(self, d: Any) -> Any:
        return Recorded(self.tensor.to(dt.FROM_NUMPY[np.dtype(d)]))

    def copy(self) -> Any:
        return Recorded(self.tensor.clone())

    def reshape(self, *shape: Any) -> Any:
        if len(shape) == 1 and isinstance(shape[0], tuple | list):
            shape = tuple(shape[0])
        return numpy_call(np.reshape, (self, shape), {})

    def transpose(self, *axes: Any) -> Any:
        given: Any = axes
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)):
            given = axes[0]
        return numpy_call(np.transpose, (self, given or None), {})


_REFLECTED = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide,
    "pow": np.power, "matmul": np.matmul, "floordiv": np.floor_divide, "mod": np.remainder,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}
for _name, _function in {
    **_REFLECTED, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal,
    "neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert,
}.items():
    setattr(Recorded, f"__{_name}__", _method(_function))
for _name, _function in _REFLECTED.items():
    setattr(Recorded, f"__r{_name}__", lambda self, other, function=_function: numpy_call(
        function, (other, self), {}))
for _name in ("sum", "mean", "prod", "cumsum", "swapaxes", "ravel", "squeeze", "conj", "repeat",
              "diagonal", "trace", "take", "any", "all", "max", "min", "argmax", "argmin",
              "clip", "dot", "std", "var", "round"):
    setattr(Recorded, _name, _method(getattr(np, _name)))
for _name in ("shape", "ndim", "size", "dtype"):
    setattr(Recorded, _name, property(operator.attrgetter(f"tensor._a.{_name}")))
for _name, _part in (("T", np.transpose), ("real", np.real), ("imag", np.imag)):
    setattr(Recorded, _name, property(_method(_part)))
Recorded.mT = property(lambda self: numpy_call(np.swapaxes, (self, -1, -2), {}))  # type: ignore[attr-defined]

recorder.append(Recorded)
lower.append(lambda value: value.tensor if isinstance(value, Recorded) else wrap_fresh(value))
