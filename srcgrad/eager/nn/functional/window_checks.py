"""The checks that windows, fixed and adaptive, have in common, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ... import basis as torch
from ...calling_errors import refuse, whole
from ...strides import refuse_negative

Ints = tuple[int, ...]
_WORDS = ("one", "two", "three")


def _refuse_length(name: str, what: str, got: int, count: int) -> NoReturn:
    if name == "max_pool1d":
        start = "None, an" if what == "stride" else "an"
        comma = "" if what == "kernel_size" else ","
        raise RuntimeError(f"max_pool1d() {what} must be {start} int, list of ints{comma} or tuple "
                           f"of ints of size 1 but got size {got}")
    refuse(count == 1, "{}() argument '{}' should contain one int (got {})", name, what, got)
    either = "" if name == "avg_pool3d" else "either "
    omitted = "omitted, " if what == "stride" else ""
    must = "must be either" if what == "dilation" else f"must {either}be"
    raise RuntimeError(f"{name}: {what} {must} {omitted}a single int, or a tuple of "
                       f"{_WORDS[count - 1]} ints")


def option(name: str, what: str, value: Any, count: int) -> Ints:
    """``count`` integers from one, or from a sequence of 1 or ``count``."""
    if isinstance(value, int) or whole(value):
        return (int(value),) * count
    values = tuple(int(v) for v in value)
    if len(values) not in (1, count):
        _refuse_length(name, what, len(values), count)
    return values * count if len(values) == 1 else values


def _listed(prefix: str, values: Sequence[int], flat: bool) -> str:
    """``dT: 1 dH: 2 dW: 3``; pooling along a line is that of an image of one row."""
    letters = "HW" if flat and len(values) == 1 else "THW"[-len(values):]
    shown = (1, *values) if flat and len(values) == 1 else values
    return " ".join(f"{prefix}{letter}: {n}" for letter, n in zip(letters, shown))


def positive(kernel: Ints, stride: Ints, dilation: Ints) -> None:
    """Raise unless kernel, stride and dilation are positive."""
    refuse(0 in stride, "stride should not be zero")
    for what, prefix, values in (("kernel size", "k", kernel), ("stride", "d", stride),
                                 ("dilation", "dilation", dilation)):
        if min(values) <= 0:
            raise RuntimeError(
                f"{what} should be greater than zero, but got {_listed(prefix, values, True)}")


def ranks(name: str, input: Any, count: int) -> None:
    """Raise unless the input is ``count`` axes of a channel, batched or not."""
    low, given = count + 1, list(input.shape)
    maximum = name.startswith("max")
    fits = input.dim() in (low, low + 1)
    if fits and 0 not in given[-low:]:
        return
    if not fits and name == "avg_pool1d":
        several_dimensions(name, input)
    if not fits and (name == "max_pool2d" or count == 3):
        raise RuntimeError(f"non-empty {low}D or {low + 1}D (batch mode) tensor expected for input")
    if fits and count == 3:
        kernel = name + ("_with_indices_out_cpu_template" if maximum else "")
        raise RuntimeError(
            f"{kernel}(): Expected input's non-batch dimensions to have positive length, but input "
            f"has a shape of {given} and non-batch dimension 0 has length zero!")
    if fits and name == "avg_pool1d":  # an image of one row
        low, given = 3, [*given[:-1], 1, given[-1]]
    raise RuntimeError(
        f"{'max_pool1d: ' if name == 'max_pool1d' else ''}Expected {low}D or {low + 1}D (batch "
        f"mode) tensor with optional 0 dim batch size for input, but got:{given}")


def several_dimensions(name: str, input: Any) -> None:
    """Raise unless a line of numbers has channels, and perhaps a batch."""
    if input.dim() not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor "
                           f"for argument #1 'self' (while checking arguments for {name})")


def adaptive_size(name: str, input: Any, output_size: Any, count: int) -> Ints:
    """The output size of adaptive pooling, None standing for the input's own."""
    if count == 1:
        if not isinstance(output_size, int | tuple | list):
            raise TypeError(f"{name}(): argument 'output_size' (position 2) must be tuple of ints, "
                            f"not {type(output_size).__name__}")
        several_dimensions(name, input)
    elif not isinstance(output_size, int) and len(output_size) and input.dim() <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    sizes = [output_size] * count if isinstance(output_size, int) else list(output_size)
    averages, given = "avg" in name, list(input.shape)
    if len(sizes) != count:
        refuse(count == 1, "{}() argument 'output_size' should contain one int (got {})",
               name, len(sizes))
        raise RuntimeError(f"{name}: output_size must be {count}" if averages else
                           f"{name}(): internal error: output_size.size() must be {count}")
    if input.dim() not in (count + 1, count + 2):
        raise RuntimeError(f"{name}(): Expected {count + 1}D or {count + 2}D tensor, but got"
                           f"{'' if averages else ':'} {given}")
    if averages and count == 1:
        name, given, sizes = "adaptive_avg_pool2d", [*given[:-1], 1, given[-1]], [1, *sizes]
    own = given[-len(sizes):]
    out = tuple(int(n) if m is None else int(m) for m, n in zip(sizes, own))
    if min(out) < 0 and averages:
        listed = ", ".join(map(str, out[:2])) + "".join(f",{n}" for n in out[2:])
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 "
                           f"but received {{{listed}}}")
    inner = averages and count < 3  # those need no channels
    first = len(given) - len(sizes) if inner else len(given) - count - 1
    for axis in range(max(first, 1) if averages or len(given) == count + 2 else first, len(given)):
        refuse(given[axis] == 0 and (0 not in out or not averages), "{}(): Expected input to have "
               "non-zero size for non-batch dimensions, but input has sizes {} with dimension {} "
               "being empty", name, given, axis)
    refuse_negative([*given[:-count], *[1] * (count == 1), *out])
    return out[-count:]


def check_unpool(input: Any, indices: Any, stride: Ints, count: int) -> None:
    """Raise unless ``indices`` are places for ``input``; a line is an image of one column."""
    axes = max(count, 2)
    one = [1] if count == 1 else []
    given, places = list(input.shape) + one, list(indices.shape) + one
    if indices.dtype is not torch.int64:
        raise RuntimeError("elements in indices should be type int64 but got: "
                           + indices.dtype.tensor_name)
    refuse(len(given) not in (axes + 1, axes + 2), "Input to max_unpooling{}d should be a {}d or "
           "{}d Tensor, but got a tensor with {} dimensions.", axes, axes + 1, axes + 2, len(given))
    if count == 3 and min(stride) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(stride)}")
    refuse(given != places, "Expected shape of indices to be same as that of the input tensor ({}) "
           "but got indices tensor with shape: {}", given, places)
    for axis in range(1, len(given)):
        refuse(given[axis] == 0, "max_unpooling{}d_forward_out_cpu(): Expected input to have "
               "non-zero size for non-batch dimensions, but got {} with dimension {} being empty.",
               axes, given, axis)
