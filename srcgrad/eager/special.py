"""`torch.special` (the functions are in :mod:`srcgrad.eager.ops.special_functions`)."""

from srcgrad.eager.ops.special_functions import SPECIAL

globals().update(SPECIAL)
__getattr__ = SPECIAL.missing
__all__ = sorted(SPECIAL)
