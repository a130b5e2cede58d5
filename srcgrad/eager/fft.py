"""`torch.fft` (the functions are in :mod:`srcgrad.eager.ops.spectral`)."""

from __future__ import annotations

from typing import Any

from srcgrad.eager.ops.spectral import FFT

globals().update(FFT)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'torch.fft' has no attribute '{name}'")


__all__ = sorted(FFT)
