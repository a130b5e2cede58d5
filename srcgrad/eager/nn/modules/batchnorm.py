"""`torch.nn.modules.batchnorm`: the layers that standardise over a batch."""

from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, _BatchNorm, _Statistics

_NormBase = _Statistics  # PyTorch's own spelling

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "_BatchNorm", "_NormBase"]
