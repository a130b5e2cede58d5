"""Which of the long checks of single programs are run: a fifth of them, or all; and how long a
test may take."""

from __future__ import annotations

import signal
import threading
import zlib
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

SAMPLED = ("tests/adjoint/", "tests/language/", "tests/programs/")
SHARE = 5
LONGEST = 300  # seconds


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-sweeps", action="store_true",
                     help="run every long check of a program, not a fifth of them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The sweeps over programs, written and random, take more than an hour; which fifth is run follows from the names,
    so that it is the same everywhere."""
    if config.getoption("--all-sweeps"):
        return
    left_out = [item for item in items if item.get_closest_marker("sweep") is not None
                and item.nodeid.startswith(SAMPLED) and zlib.crc32(item.nodeid.encode()) % SHARE]
    if left_out:
        chosen = set(map(id, left_out))
        items[:] = [item for item in items if id(item) not in chosen]
        config.hook.pytest_deselected(items=left_out)


class TooLong(BaseException):
    """A test that does not come to an end; nothing may catch it as an error of a program."""


def stop(*_: Any) -> NoReturn:
    raise TooLong(f"the test took more than {LONGEST} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """A test that hangs fails; the others go on."""
    timed = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()
    if timed:
        before = signal.signal(signal.SIGALRM, stop)
        signal.alarm(LONGEST)
    try:
        return (yield)
    finally:
        if timed:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
