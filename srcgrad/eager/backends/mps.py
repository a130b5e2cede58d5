"""`torch.backends.mps`: not available."""

from srcgrad.eager.backends.switches import never

is_available = is_built = never
