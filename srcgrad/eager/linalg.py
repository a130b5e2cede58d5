"""`torch.linalg`: linear algebra (the functions are in :mod:`srcgrad.eager.ops.linear_algebra`)."""

from srcgrad.eager.calling_errors import LinAlgError
from srcgrad.eager.ops import factorizations, norms
from srcgrad.eager.ops.linear_algebra import LINALG

_COMPLETE = (factorizations, norms)  # these add to the table
globals().update(LINALG)
__getattr__ = LINALG.missing
__all__ = ["LinAlgError", *sorted(LINALG)]
