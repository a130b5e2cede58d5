"""Memory: what is freed stays with the process, and garbage is looked for rarely while compiling.

glibc's ``malloc`` takes arrays larger than a threshold (128 KiB at first) from the system and
gives them back when they are freed; the next array of that size then costs a page fault for
each 4 KiB, several times what filling it costs.  The threshold rises to the size of the largest
array freed so far, at most 32 MiB, and up to twice as much freed memory is kept: see
``M_MMAP_THRESHOLD`` in ``mallopt(3)``.  Gradients make and drop the same arrays at each call.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

_LARGE = (1 << 25) - (1 << 16)  # bytes, just under the largest threshold


def keep_freed_memory() -> None:
    """Raise the threshold, as a program does that drops a large array once.  The memory is
    not touched, so that this takes microseconds; elsewhere than with glibc nothing happens."""
    np.empty(_LARGE, np.uint8)


_THRESHOLDS: Final = (1_000_000, 10, 10)
_lock: Final = threading.Lock()
_users: list[tuple[int, int, int]] = []  # the thresholds that were found, by those who compile


@contextmanager
def rare_collections(lasting: bool = False) -> Iterator[None]:
    """Let Python look for cyclic garbage after a million new objects, not after 700, for a while.

    Compilation makes many objects that live until its end; looking at all of them again and
    again took a third of the time of long programs.  Nests, and counts all threads.  What is
    made may be ``lasting``: then it joins the old objects without being looked at.

    >>> before = gc.get_threshold()
    >>> with rare_collections():
    ...     gc.get_threshold()[0] >= 1_000_000
    True
    >>> gc.get_threshold() == before
    True
    """
    with _lock:
        _users.append(_users[0] if _users else gc.get_threshold())
        if len(_users) == 1 and 0 < _users[0][0] < _THRESHOLDS[0]:
            gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        if lasting and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        with _lock:
            before = _users.pop()
            if not _users and gc.get_threshold() == _THRESHOLDS:
                gc.set_threshold(*before)
