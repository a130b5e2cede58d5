"""The neural-network primitives under PyTorch's node names; the formulas are in the rule book.

Each entry pairs a NumPy function of :mod:`srcgrad.rules` with the node it leaves on the tape.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.nn import activations, convolution, losses, normalization, pooling, recurrent

from ... import dtype as dt
from ...calling_errors import need_tensor
from ...layout import arranged, contiguous_format, suggested
from ...ops.arguments import not_implemented
from ...primitive import Primitive
from ...tensor import Tensor
from ...writes import apply_in_place

# Groups of dtypes by letter: half and single precision, integers, truth values, complex.
_GROUPS = {
    "h": (dt.float16, dt.bfloat16), "f": (dt.float32, dt.float64), "l": (dt.int64,),
    "u": (dt.uint8,), "i": (dt.int8, dt.int16, dt.int32), "b": (dt.bool_,),
    "c": (dt.complex64, dt.complex128),
}


def laid_as(out: Any, *sources: Any) -> Any:
    """The array ``out``, channels last if that is how one of ``sources`` is laid out."""
    for a in sources:
        if a.ndim == out.ndim and (form := suggested(a)) is not contiguous_format:
            return arranged(out, form)
    return out


def _laid(function: Callable[..., Any], count: int = 1) -> Callable[..., Any]:
    """``function`` with results in the memory format of its first ``count`` arguments (PyTorch has
    some kernels for images only: then it is none, and results are contiguous)."""
    return lambda *args: laid_as(np.ascontiguousarray(function(*args)), *args[:count])


class Kernel(Primitive):
    """A primitive that PyTorch has for some dtypes only, and the name it gives refusing others."""

    def __init__(self, function: Callable[..., Any], node: str, kernel: str, takes: str = "hf",
                 **options: Any) -> None:
        super().__init__(function, node, **options)
        self.kernel = kernel
        self.takes = {d for letter in takes for d in _GROUPS[letter]}

    def check(self, input: Tensor) -> None:
        """Raise PyTorch's refusal if there is no kernel for the input's dtype."""
        if need_tensor(self.function.__name__, input)._dt not in self.takes:
            raise not_implemented(self.kernel, input._dt)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.check(args[0])
        return super().__call__(*args, **kwargs)


leaky_relu = Kernel(activations.leaky_relu, "LeakyReluBackward0", "leaky_relu_cpu")
leaky_relu_written = Kernel(activations.leaky_relu, "LeakyReluBackward1", "leaky_relu_cpu")
elu = Kernel(activations.elu, "EluBackward0", "elu_cpu")
elu_written = Kernel(activations.elu, "EluBackward1", "elu_cpu")
celu = Kernel(activations.elu, "CeluBackward0", "elu_cpu")
gelu = Kernel(activations.gelu, "GeluBackward0", "GeluKernelImpl")
silu = Kernel(activations.silu, "SiluBackward0", "silu_cpu", "hfc")
mish = Kernel(activations.mish, "MishBackward0", "mish_cpu")
softplus = Kernel(activations.softplus, "SoftplusBackward0", "softplus_cpu")
log_sigmoid = Kernel(activations.log_sigmoid, "LogSigmoidBackward0", "log_sigmoid_cpu",
                     primal=_laid(activations.log_sigmoid, 0))
hardtanh = Primitive(activations.hardtanh, "HardtanhBackward0")
hardsigmoid = Kernel(activations.hardsigmoid, "HardsigmoidBackward0", "hardsigmoid_cpu")
hardswish = Kernel(activations.hardswish, "HardswishBackward0", "hardswish_cpu")
hardshrink = Kernel(activations.hardshrink, "HardshrinkBackward0", "hardshrink_cpu")
softshrink = Kernel(activations.softshrink, "SoftshrinkBackward0", "softshrink_check")
threshold = Kernel(activations.threshold, "ThresholdBackward0", "threshold_cpu", "hfliu")
glu = Kernel(activations.glu, "GluBackward0", "glu_cpu")
rrelu = Primitive(activations.slopes, "RreluWithNoiseBackward0")
rrelu_written = Primitive(activations.slopes, "RreluWithNoiseBackward1")

mse_loss = Primitive(losses.mse_loss, "MseLossBackward0")
smooth_l1_loss = Kernel(losses.smooth_l1_loss, "SmoothL1LossBackward0", "smooth_l1_cpu")
huber_loss = Kernel(losses.huber_loss, "HuberLossBackward0", "huber_cpu")
binary_cross_entropy = Kernel(
    losses.binary_cross_entropy, "BinaryCrossEntropyBackward0", "binary_cross_entropy")
binary_cross_entropy_with_logits = Kernel(losses.binary_cross_entropy_with_logits,
                                          "BinaryCrossEntropyWithLogitsBackward0",
                                          "log_sigmoid_cpu")
nll_loss = Kernel(losses.nll_loss, "NllLossBackward0", "nll_loss_out_frame")
nll_loss2d = Kernel(losses.nll_loss2d, "NllLoss2DBackward0", "nll_loss2d_forward_out_frame")
soft_margin_loss = Primitive(losses.soft_margin_loss, "SoftMarginLossBackward0")
multi_margin_loss = Kernel(
    losses.multi_margin_loss, "MultiMarginLossBackward0", "multi_margin_loss_cpu_kernel", "f")
multilabel_margin_loss = Kernel(losses.multilabel_margin_loss, "MultilabelMarginLossBackward0",
                                "multilabel_margin_loss_forward_out_frame", "f")

convolve = Primitive(convolution.convolution, "ConvolutionBackward0",
                     primal=_laid(convolution.convolution, 2), scalar_edges=True)
im2col = Kernel(convolution.im2col, "Im2ColBackward0", "im2col_out_cpu", "hfbc")
col2im = Kernel(convolution.col2im, "Col2ImBackward0", "col2im_out_cpu", "hfbc")

max_pool = {n: Kernel(pooling.pick, f"MaxPool{n}DWithIndicesBackward0", f"max_pool{n}d", "hfliu",
                      primal=_laid(pooling.pick))
            for n in (2, 3)}
adaptive_max_pool = {n: Kernel(pooling.pick, f"AdaptiveMaxPool{n}DBackward0",
                               f"adaptive_max_pool{n}d" + "_cpu" * (n == 3),
                               primal=_laid(pooling.pick, 3 - n))
                     for n in (2, 3)}
fractional_max_pool = {n: Kernel(pooling.pick, f"FractionalMaxPool{n}DBackward0",
                                 f"fractional_max_pool{n}d_out_frame")
                       for n in (2, 3)}
max_unpool = {n: Kernel(pooling.place, f"MaxUnpool{n}DBackward0", f"max_unpool{n}d",
                        primal=_laid(pooling.place, 3 - n))
              for n in (2, 3)}
avg_pool = {n: Kernel(pooling.average_pool, f"AvgPool{n}DBackward0", kernel, takes,
                      primal=_laid(pooling.average_pool, 3 - n))
            for n, kernel, takes in ((2, "avg_pool2d", "hfl"), (3, "avg_pool3d_out_frame", "fl"))}
adaptive_avg_pool = {n: Kernel(pooling.along_axes, f"AdaptiveAvgPool{n}DBackward0",
                               f"adaptive_avg_pool{n}d" + "_cpu" * (n == 3),
                               primal=_laid(pooling.along_axes, 3 - n))
                     for n in (2, 3)}
upsample: dict[tuple[str, int], Kernel] = {
    (mode, n): Kernel(
        function, f"Upsample{mode}{n}DBackward0", f"compute_indices_weights_{kernel}",
        "hf" if mode in ("Linear", "Trilinear") else "hfu", main=False, primal=_laid(function),
    )
    for function, kernel, kinds in (
        (pooling.take_along_axes, "nearest", [(mode, n) for mode in ("Nearest", "NearestExact")
                                              for n in (1, 2, 3)]),
        (pooling.along_axes, "linear", [("Linear", 1), ("Bilinear", 2), ("Trilinear", 3)]),
        (pooling.along_axes, "cubic", [("Bicubic", 2)]),
    ) for mode, n in kinds
}
pad_by_places: dict[tuple[str, int], Primitive] = {
    (mode, n): Kernel(pooling.take_along_axes, f"{mode}Pad{n}DBackward0",
                      f"{mode.lower()}_pad{n}d", "hfliuc", main=False,
                      primal=_laid(pooling.take_along_axes, int(n == 2)))
    for mode in ("Reflection", "Replication") for n in (1, 2, 3)
}
pad_by_places |= {  # PyTorch writes the parts of a fresh tensor
    ("Circular", n): Primitive(pooling.take_along_axes, "CopySlices", main=False) for n in (1, 2, 3)
}
pixel_shuffle = Primitive(pooling.pixel_shuffle, "PixelShuffleBackward0",
                          primal=_laid(pooling.pixel_shuffle))
pixel_unshuffle = Primitive(pooling.pixel_unshuffle, "PixelUnshuffleBackward0",
                            primal=_laid(pooling.pixel_unshuffle))
constant_pad = Primitive(pooling.frame, "ConstantPadNdBackward0", primal=_laid(pooling.frame))

layer_norm = Primitive(normalization.layer_norm, "NativeLayerNormBackward0",
                       primal=_laid(normalization.layer_norm, 0), scalar_edges=True)
batch_norm = Kernel(
    normalization.batch_norm, "NativeBatchNormBackward0", "batch_norm", scalar_edges=True)
group_norm = Kernel(
    normalization.group_norm, "NativeGroupNormBackward0", "GroupNormKernelImpl",
    primal=_laid(normalization.group_norm), scalar_edges=True)
lstm_layer = Primitive(
    recurrent.lstm_layer, "MkldnnRnnLayerBackward0", outputs=3, scalar_edges=True)
embedding = Primitive(normalization.embedding, "EmbeddingBackward0")
attention = Primitive(normalization.attention, "ScaledDotProductFlashAttentionForCpuBackward0")


def written(input: Tensor, function: Primitive, *args: Any) -> Any:
    """The in-place form: the result of ``function`` written into ``input``."""
    need_tensor(f"{function.function.__name__}_", input)
    return apply_in_place(input, lambda old: function(old, *args))
