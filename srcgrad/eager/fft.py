"""`torch.fft` (the functions are in :mod:`srcgrad.eager.ops.spectral`)."""

from srcgrad.eager.ops.spectral import FFT

globals().update(FFT)
__getattr__ = FFT.missing
__all__ = sorted(FFT)
