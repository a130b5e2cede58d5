"""Room on Python's stack for programs that are nested deeply.

Staged code, and tracing even more, needs several Python frames where the user's program needs
one.  Since Python 3.11 a Python frame takes no room on the C stack, so the recursion limit can
be raised for a while.  Since Python 3.12 calls by way of code of C have a limit of their own that
nobody can raise: what nests as deep as the user's calls is called by Python, without ``*args``.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

ROOM: Final = 40_000

_NEST: Any = int
for _ in range(300):
    _NEST = (_NEST,)

_lock: Final = threading.Lock()
_users: list[int] = []  # the limits that were found, by those who hold the room


@contextmanager
def room_to_recurse() -> Iterator[None]:
    """Raise the recursion limit to ``ROOM`` for a while; nests, and counts all threads.

    >>> before = sys.getrecursionlimit()
    >>> with room_to_recurse():
    ...     sys.getrecursionlimit() >= ROOM
    True
    >>> sys.getrecursionlimit() == before
    True
    """
    with _lock:
        _users.append(_users[0] if _users else sys.getrecursionlimit())
        if len(_users) == 1 and _users[0] < ROOM:
            sys.setrecursionlimit(ROOM)
    try:
        yield
    finally:
        with _lock:
            before = _users.pop()
            if not _users and sys.getrecursionlimit() == max(before, ROOM):
                with suppress(RecursionError):  # another thread's user had started higher up
                    sys.setrecursionlimit(before)


def has_room() -> bool:
    """Is there room for a few hundred calls by way of code of C?  (Where a program is traced a
    ``RecursionError`` must not happen: it could be taken for one of the program's.)"""
    try:
        isinstance(None, _NEST)
    except RecursionError:
        return False
    return True
