"""`torch.backends.mkl`: not available."""

from srcgrad.eager.backends.switches import never as is_available

__all__ = ["is_available"]
