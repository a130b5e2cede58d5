"""Convolutions, patches, and the linear layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.rules.nn.convolution import output_size as window_positions
from srcgrad.rules.nn.convolution import transposed_size

from ... import basis as torch
from ...calling_errors import refuse, whole
from ...nodes import named
from ...ops.arguments import not_implemented, unexpected_type, warn_once
from ...tensor import Tensor
from ..signatures import builtin, family
from . import nodes

Ints = tuple[int, ...]
_NARROW = (torch.int8, torch.uint8, torch.int16, torch.int32)


def tupled(name: str, value: Any, count: int) -> Ints:
    """``count`` integers from one or from a sequence of 1 or ``count`` of them."""
    if isinstance(value, int) or whole(value):
        return (int(value),) * count
    values = tuple(int(v) for v in value)
    if len(values) == 1:
        return values * count
    refuse(len(values) != count, "expected {} to be a single integer value or a list of {} values "
           "to match the convolution dimensions, but got {}={}", name, count, name, list(values))
    return values


@builtin
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """``input @ weight.T + bias``."""
    refuse(input.dim() == 0, "both arguments to linear need to be at least 1D, but they are 0D and "
           "{}D", weight.dim())
    lead = tuple(input.shape[:-1])
    if input.dim() == 2 and bias is not None:
        return torch.addmm(bias, input, weight.t())
    if bias is None or weight.dim() == 1:
        out = torch.matmul(input, weight.t())
        return out if bias is None else out + bias
    flat = torch.addmm(bias, input.reshape(-1, input.shape[-1]), weight.t())
    return flat.view(*lead, weight.shape[0])


def _batched(name: str, input: Any, weight: Any, count: int, stride: Any) -> tuple[Any, bool]:
    refuse(weight.dim() < 3, "weight should have at least three dimensions")
    if weight.dim() != count + 2 and input.dim() in (count + 1, count + 2):
        given = [*input.shape] if input.dim() == count + 2 else [1, *input.shape]
        if count > 1:
            tupled("stride", tupled("stride", stride, count), weight.dim() - 2)
        raise RuntimeError(f"Expected {weight.dim()}-dimensional input for "
                           f"{weight.dim()}-dimensional weight {list(weight.shape)}, but got "
                           f"{len(given)}-dimensional input of size {given} instead")
    if input.dim() == count + 2:
        return input, True
    if input.dim() == count + 1:
        return input.unsqueeze(0), False
    raise RuntimeError(f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to "
                       f"{name}, but got input of size: {list(input.shape)}")


def _checked(input: Any, weight: Any, bias: Any, stride: Ints, padding: Ints, dilation: Ints,
             groups: int, transposed: bool) -> None:
    shape, given = list(weight.shape), list(input.shape)
    refuse(groups <= 0, "non-positive groups is not supported")
    refuse(any(s <= 0 for s in stride), "non-positive stride is not supported")
    refuse(any(p < 0 for p in padding), "negative padding is not supported")
    if any(d <= 0 for d in dilation):
        shown = list(dilation) if len(dilation) > 1 else [1, *dilation]
        named = zip(("depth", "height", "width")[-len(shown):], shown)
        raise RuntimeError("dilation should be greater than zero, but got " + (
            ", ".join(f"dilation_{axis}: {d}" for axis, d in named) if transposed else str(shown)))
    _check_types(input, weight, bias, stride, dilation, groups)
    if input.dtype is torch.bool or (transposed and input.dtype in _NARROW):
        planes = max(input.dim() - 2, 2)
        raise not_implemented(f"slow_conv_transpose{planes}d_out_cpu" if transposed
                              else f"slow_conv{planes}d_cpu", input.dtype)
    refuse(weight.shape[0] < groups, "Given groups={}, expected weight to be at least {} at "
           "dimension 0, but got weight of size {} instead", groups, groups, shape)
    channels = weight.shape[0] if transposed else weight.shape[1] * groups
    if not transposed and weight.shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at "
                           f"dimension 0, but got weight of size [{shape}] instead")
    if input.shape[1] != channels:
        raise RuntimeError(f"Given {'transposed=1' if transposed else f'groups={groups}'}, weight "
                           f"of size {shape}, expected input{given} to have {channels} channels, "
                           f"but got {input.shape[1]} channels instead")
    out_channels = weight.shape[1] * groups if transposed else weight.shape[0]
    if bias is not None and tuple(bias.shape) != (out_channels,):
        raise RuntimeError(f"Given {'transposed=1, ' if transposed else ''}weight of size {shape}, "
                           f"expected bias to be 1-dimensional with {out_channels} elements, but "
                           f"got bias of size {list(bias.shape)} instead")
    if transposed:
        return
    kernel = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:])]
    padded = [n + 2 * p for n, p in zip(input.shape[2:], padding)]
    if any(n < k for n, k in zip(padded, kernel)):
        raise RuntimeError("Calculated padded input size per channel: "
                           f"({' x '.join(map(str, padded))}). Kernel size: "
                           f"({' x '.join(map(str, kernel))}). Kernel size can't be greater than "
                           "actual input size")


def _check_types(input: Any, weight: Any, bias: Any, stride: Ints, dilation: Ints,
                 groups: int) -> None:
    if bias is not None and bias.dtype != input.dtype:
        raise RuntimeError(f"Input type ({input.dtype.c_name}) and bias type "
                           f"({bias.dtype.c_name}) should be the same")
    if input.dtype == weight.dtype:
        return
    kinds = [t.dtype.tensor_name for t in (input, weight)]
    shown = [f"CPU{kind}Type" if kind.startswith(("BFloat16", "Complex")) else f"torch.{kind}Tensor"
             for kind in kinds]
    kernel = tuple(weight.shape[2:])
    large = groups > 1 or min(kernel) > 3 or len(kernel) == 3 or len(input) > 1 or (
        input.numel() > 20480)
    plain = set(kernel) == {1} and len(input) < 16 and max(stride + dilation) == 1
    if input.dtype is torch.bfloat16 or (input.dtype is torch.float32 and large and not plain):
        raise RuntimeError(f"Input type ({shown[0]}) and weight type ({shown[1]}) should be the "
                           "same or input should be a MKLDNN tensor and weight is a dense tensor")
    if input.dtype.is_complex:
        raise RuntimeError(
            f"Input type ({shown[0]}) and weight type ({shown[1]}) should be the same")
    raise unexpected_type(input.dtype, weight.dtype)


def _conv(count: int, input: Tensor, weight: Tensor, bias: Tensor | None = None,
          stride: int | Sequence[int] = 1, padding: int | Sequence[int] | str = 0,
          dilation: int | Sequence[int] = 1, groups: int = 1) -> Any:
    """Convolution of ``{shape}`` with ``(O, C // groups, {kernel})``."""
    input, batched = _batched(f"conv{count}d", input, weight, count, stride)
    stride = tupled("stride", stride, count)
    dilation = tupled("dilation", dilation, count)
    if isinstance(padding, str):
        input, padding = _named_padding(input, weight, padding, stride, dilation)
    padding = tupled("padding", padding, count)
    _checked(input, weight, bias, stride, padding, dilation, groups, False)
    zero = (0,) * count
    return _result(input, weight, bias, stride, padding, dilation, False, zero, groups, batched)


def _result(input: Any, weight: Any, bias: Any, stride: Ints, padding: Ints, dilation: Ints,
            transposed: bool, output_padding: Ints, groups: int, batched: bool) -> Any:
    """The convolution of checked arguments."""
    out = nodes.convolve(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    if input.shape[1] == 0 and len(input):
        out = out[:, :0].contiguous()  # PyTorch's answer to no channels is none
    return out if batched else out.squeeze(0)


def _named_padding(input: Any, weight: Any, padding: str, stride: Ints,
                   dilation: Ints) -> tuple[Any, Ints]:
    """The widths of ``"same"`` or ``"valid"``; an odd total is padded at the end beforehand."""
    count = len(stride)
    if padding == "valid":
        return input, (0,) * count
    refuse(padding != "same", "Invalid padding string: '{}'", padding)
    refuse(any(s != 1 for s in stride), "padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    if any(n % 2 for n in total):
        warn_once("Using padding='same' with even kernel lengths and odd dilation may require a "
                  "zero-padded copy of the input be created")
        after = tuple(n % 2 for n in total)
        input = nodes.constant_pad(input, (0,) * count, after, 0.0)
    return input, tuple(n // 2 for n in total)


conv1d, conv2d, conv3d = family(_conv, "conv{count}d", builtin)


def _conv_transpose(count: int, input: Tensor, weight: Tensor, bias: Tensor | None = None,
                    stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0,
                    output_padding: int | Sequence[int] = 0, groups: int = 1,
                    dilation: int | Sequence[int] = 1) -> Any:
    """The transpose of :func:`conv{count}d`; ``weight`` is ``(C, O // groups, {kernel})``."""
    name = f"conv_transpose{count}d"
    input, batched = _batched(name, input, weight, count, stride)
    stride = tupled("stride", stride, count)
    padding = tupled("padding", padding, count)
    output_padding = tupled("output_padding", output_padding, count)
    dilation = tupled("dilation", dilation, count)
    refuse(any(p < 0 for p in output_padding), "negative output_padding is not supported")
    _checked(input, weight, bias, stride, padding, dilation, groups, True)
    if any(q >= max(s, d) for q, s, d in zip(output_padding, stride, dilation)):
        given = {"output_padding": output_padding, "stride": stride, "dilation": dilation}
        parts = [f"{what}_{axis}: {value}" for what, values in given.items()
                 for axis, value in zip(("depth", "height", "width")[3 - count:], values)]
        raise RuntimeError("output padding must be smaller than either stride or dilation, but got "
                           + " ".join(parts))
    if 0 in input.shape[2:]:
        row = [1] if count == 1 else []
        raise RuntimeError("Only zero batch or zero channel inputs are supported, but got input "
                           f"shape: {[*input.shape[:2], *row, *input.shape[2:]]}")
    size = transposed_size(tuple(input.shape[2:]), tuple(weight.shape[2:]), stride, padding,
                           dilation, output_padding)
    if any(n <= 0 for n in size):
        raise RuntimeError("Given input size per channel: "
                           f"({' x '.join(map(str, input.shape[2:]))}). Calculated output size per "
                           f"channel: ({' x '.join(map(str, size))}). Output size is too small")
    return _result(
        input, weight, bias, stride, padding, dilation, True, output_padding, groups, batched)


conv_transpose1d, conv_transpose2d, conv_transpose3d = family(
    _conv_transpose, "conv_transpose{count}d", builtin)


@builtin
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Any:
    """Convolution of ``(L, N, C)`` with ``(K, C, O)``: time, batch and channels in this order."""
    for name, t, rank in (("Input", input, 3), ("Weight", weight, 3), ("Bias", bias, 1)):
        if t.dim() != rank:
            raise RuntimeError(f"{name} must have {rank} dims{'' if rank == 3 else ': channels'}")
    out = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=int(pad))
    return named(out.permute(2, 0, 1).contiguous(), "ConvTbcBackward0")


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
           stride: Any = 1) -> Any:
    """The patches of ``(N, C, H, W)`` as columns ``(N, C * kH * kW, positions)``."""
    refuse(input.dim() not in (3, 4), "Expected 3D or 4D (batch mode) tensor with possibly 0 batch "
           "size and other non-zero dimensions for input, but got: {}", list(input.shape))
    options = _pairs(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    _check_patches(input, *options)
    if input.dim() == 3:
        return named(nodes.im2col(input.unsqueeze(0), *options)[0].clone(), "Im2ColBackward0")
    return nodes.im2col(input, *options)


def _pairs(**options: Any) -> list[Ints]:
    """The options of a fold: of each one int, or two."""
    for name, value in options.items():
        if not whole(value) and len(value) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(value)}")
    return [tupled(name, value, 2) for name, value in options.items()]


def _check_pairs(**pairs: Ints) -> None:
    for name, value in pairs.items():
        what = {"kernel": "kernel size", "pad": "padding"}.get(name, name)
        if min(value) < (name != "pad"):
            wanted = "non-negative" if name == "pad" else "greater than zero"
            raise RuntimeError(f"{what} should be {wanted}, but got {name}_height: {value[0]} "
                               f"{name}_width: {value[1]}")


def _check_patches(input: Any, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> None:
    _check_pairs(kernel=kernel, dilation=dilation, pad=padding, stride=stride)
    refuse(0 in input.shape[-3:], "Expected 3D or 4D (batch mode) tensor with possibly 0 batch "
           "size and other non-zero dimensions for input, but got: {}", list(input.shape))
    size = tuple(int(n) for n in input.shape[-2:])
    blocks = window_positions(size, kernel, stride, padding, dilation)
    refuse(min(blocks) < 1, "Given input with spatial size {}, kernel_size={}, dilation={}, "
           "padding={}, calculated shape of the array of sliding blocks as {}, but its components "
           "must be at least one.", size, kernel, dilation, padding, blocks)


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
         stride: Any = 1) -> Any:
    """Columns added back to images ``(N, C, *output_size)``: the transpose of :func:`unfold`."""
    size, kernel, dilation, padding, stride = _pairs(
        output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding,
        stride=stride)
    _check_pairs(stride=stride, dilation=dilation, pad=padding)
    if input.dim() not in (2, 3):
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch "
                           f"size and non-zero dimensions for input, but got: {list(input.shape)}")
    _check_pairs(kernel=kernel)
    patch = kernel[0] * kernel[1]
    if input.size(-2) % patch:
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of "
                           f"kernel_size, but got input.size(1)={input.size(-2)} and "
                           f"kernel_size=({kernel[0]}, {kernel[1]}).")
    rows, columns = window_positions(size, kernel, stride, padding, dilation)
    if input.size(-1) != rows * columns:
        raise RuntimeError(f"Given output_size=({size[0]}, {size[1]}), kernel_size=({kernel[0]}, "
                           f"{kernel[1]}), dilation=({dilation[0]}, {dilation[1]}), "
                           f"padding=({padding[0]}, {padding[1]}), stride=({stride[0]}, "
                           f"{stride[1]}), expected size of input's dimension 2 to match the "
                           f"calculated number of sliding blocks {rows} * {columns} = "
                           f"{rows * columns}, but got input.size(2)={input.size(-1)}.")
    if input.dim() == 2:
        image = nodes.col2im(input.unsqueeze(0), size, kernel, dilation, padding, stride)[0]
        return named(image.clone(), "Col2ImBackward0")
    return nodes.col2im(input, size, kernel, dilation, padding, stride)
