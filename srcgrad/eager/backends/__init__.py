"""`torch.backends`: what programs ask before they choose a device or a library.

None of PyTorch's backends is here; their switches can be set and read back without effect.
"""

from srcgrad.eager.backends import cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
