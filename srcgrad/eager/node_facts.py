"""What is known of PyTorch's nodes beyond their formulas: tables by node name.

They matter under ``create_graph`` only: how the node of a gradient is called, and of which saved
tensors a gradient formally depends (it then requires a gradient itself).
"""

from __future__ import annotations

# Backward formulas that are functions of their own in PyTorch: the node of their result.
GRADIENT_NODES = {name + "Backward0": name + "BackwardBackward0" for name in (
    "Tanh", "Sigmoid", "MseLoss", "Elu", "Gelu", "Silu", "Mish", "Softplus", "LeakyRelu",
    "Hardsigmoid", "Hardswish", "Glu", "LogSigmoid", "Softshrink", "Hardshrink", "Hardtanh",
    "HuberLoss", "SmoothL1Loss", "Embedding", "Threshold", "AvgPool2D", "AvgPool3D",
    "ReflectionPad1D", "ReflectionPad2D", "ReflectionPad3D", "ReplicationPad1D",
    "ReplicationPad2D", "ReplicationPad3D", "AdaptiveAvgPool2D", "AdaptiveAvgPool3D",
    "AdaptiveMaxPool2D", "AdaptiveMaxPool3D", "MaxPool2DWithIndices", "MaxPool3DWithIndices",
    "NllLoss", "NllLoss2D", "RreluWithNoise")}
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
TAKES_INPUT = frozenset(name + "Backward0" for name in (
    "AvgPool2D", "AvgPool3D", "ReflectionPad1D", "ReflectionPad2D", "ReflectionPad3D",
    "ReplicationPad1D", "ReplicationPad2D", "ReplicationPad3D", "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D", "MaxPool2DWithIndices",
    "MaxPool3DWithIndices", "NllLoss", "NllLoss2D", "RreluWithNoise"))

# Nodes whose gradients come from one function: each depends on all that is saved.
JOINT = frozenset(("ConvolutionBackward0",))
