"""Freed memory stays with the process.

glibc's ``malloc`` takes arrays larger than a threshold (128 KiB at first) from the system and
gives them back when they are freed; the next array of that size then costs a page fault for
each 4 KiB, several times what filling it costs.  The threshold rises to the size of the largest
array freed so far, at most 32 MiB, and up to twice as much freed memory is kept: see
``M_MMAP_THRESHOLD`` in ``mallopt(3)``.  Gradients make and drop the same arrays at each call.
"""

from __future__ import annotations

import numpy as np

_LARGE = (1 << 25) - (1 << 16)  # bytes, just under the largest threshold


def keep_freed_memory() -> None:
    """Raise the threshold, as a program does that drops a large array once.  The memory is
    not touched, so that this takes microseconds; elsewhere than with glibc nothing happens."""
    np.empty(_LARGE, np.uint8)
