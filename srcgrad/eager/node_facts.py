"""What is known of PyTorch's nodes beyond their formulas: tables by node name.

Under ``create_graph``: how the node of a gradient is called, and of which saved tensors a gradient
formally depends (it then requires a gradient itself).  Always: what is saved, and so must not be
modified before the backward, where rules need other values than PyTorch's formulas.
"""

from __future__ import annotations

_PLACED = (
    "AvgPool2D", "AvgPool3D", "ReflectionPad1D", "ReflectionPad2D", "ReflectionPad3D",
    "ReplicationPad1D", "ReplicationPad2D", "ReplicationPad3D", "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D", "MaxPool2DWithIndices",
    "MaxPool3DWithIndices", "NllLoss", "NllLoss2D", "RreluWithNoise")

# Backward formulas that are functions of their own in PyTorch: the node of their result.
GRADIENT_NODES = {name + "Backward0": name + "BackwardBackward0" for name in (
    "Tanh", "Sigmoid", "MseLoss", "Elu", "Gelu", "Silu", "Mish", "Softplus", "LeakyRelu",
    "Hardsigmoid", "Hardswish", "Glu", "LogSigmoid", "Softshrink", "Hardshrink", "Hardtanh",
    "HuberLoss", "SmoothL1Loss", "Embedding", "Threshold", *_PLACED)}
GRADIENT_NODES |= {"ReluBackward0": "ThresholdBackwardBackward0",
                   "SoftmaxBackward0": "SoftmaxBackwardDataBackward0",
                   "LogSoftmaxBackward0": "LogSoftmaxBackwardDataBackward0"}

# Formulas that only compare saved values: their results do not depend on them.
CHOICES = frozenset(
    f"{name}Backward{number}" for name in (
        "Maximum", "Minimum", "Fmax", "Fmin", "Clamp", "ClampMin", "ClampMax", "Max", "Min",
        "Amax", "Amin", "Aminmax", "Median", "Nanmedian", "NanToNum", "Nansum")
    for number in (0, 1))

# Linear functions whose backward formula takes the input all the same, and so saves it.
TAKES_INPUT = frozenset(name + "Backward0" for name in _PLACED)

# Nodes whose gradients come from one function: each depends on all that is saved.
JOINT = frozenset(("ConvolutionBackward0",))

# Formulas of the inputs alone, where the rule uses the result.
RECOMPUTES = frozenset(f"{name}Backward0" for name in (
    "Abs", "Erfinv", "Logaddexp", "Logaddexp2", "LinalgSlogdet", "Slogdet"))

# What is saved although no rule needs it: positions of the rule's arguments, or the result.
GUARDS: dict[str, tuple[int | str, ...]] = {
    "AngleBackward0": (0,), "CdistBackward0": ("result",), "CholeskySolveBackward0": (0,),
    "ComplexBackward0": (0,), "ConvolutionBackward0": (0, 1), "CummaxBackward0": (0,),
    "CumminBackward0": (0,), "CumprodBackward0": ("result",), "DistBackward0": ("result",),
    "DivBackward2": (1,), "DivBackward3": (1,), "FftC2CBackward0": (0,), "FftR2CBackward0": (0,),
    "GatherBackward0": (0,), "LinalgDetBackward0": ("result",), "LinalgEighBackward0": ("result",),
    "LinalgSvdBackward0": ("result",), "MaskedSelectBackward0": (0,), "PowBackward1": ("result",),
    "PowBackward2": (1,), "ProdBackward0": (0, "result"), "ProdBackward1": (0, "result"),
    "SgnBackward0": (0, "result"), "SpecialLogNdtrBackward0": (0, "result"), "TakeBackward0": (0,),
}

# Functions whose results have the contiguous layout whatever layout their input has.
CONTIGUOUS = frozenset(f"{name}Backward0" for name in (
    "Cumsum", "Cumprod", "Logcumsumexp", "Roll", "Gather", "ConstantPadNd", "Softmax",
    "LogSoftmax", "MaskedFill", "Repeat", "Scatter", "ScatterAdd", "ScatterReduce", "IndexAdd",
    "Stack", "Cummax", "Cummin", "Sum", "Mean", "Prod", "Amax", "Amin", "Var", "Std", "Nansum")) | {
    "MaskedFillBackward1", "ScatterBackward1", "SumBackward1", "MeanBackward1", "ProdBackward1"}
# Results laid out like the input, although they are computed in another order.
LIKE_INPUT = frozenset(("SortBackward0", "FlipBackward0", "PutBackward0"))
