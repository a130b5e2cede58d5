"""Which tests are run: of the long checks of single programs a tenth, or all; of all tests a
representative suite, where another Python is tried, or a quick choice; and how long a test may take."""

from __future__ import annotations

import gc
import os
import signal
import threading
import zlib
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

os.environ["SRCGRAD_CACHE_DIR"] = ""  # no test finds what another run left, but for those of the cache
SAMPLED = ("tests/adjoint/", "tests/batch/", "tests/language/", "tests/native/", "tests/programs/",
           "tests/rules/test_compiled")
SHARE = 10
QUICK = 60  # of how many of the usual tests pytest -m quick has one, beside the first choice of each file
REPRESENTATIVE = 12  # of how many tests a representative suite has one
LONGEST = 300  # seconds


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-sweeps", action="store_true",
                     help="run every long check of a program, not a tenth of them")
    parser.addoption("--representative", action="store_true",
                     help="run the first test of each function and one of twelve others, in five minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The sweeps over programs, written and random, take more than an hour. Which part is run follows from the names,
    so that it is the same everywhere."""
    usual = [item for item in items
             if not any(item.get_closest_marker(name) for name in ("sweep", "long"))]
    chosen = {item.path: item for item in sorted(usual, key=number_of, reverse=True)}
    for item in usual:
        if number_of(item) % QUICK == 0 or chosen[item.path] is item:
            item.add_marker("quick")
    left_out: set[int] = set()
    if not config.getoption("--all-sweeps"):
        left_out.update(id(item) for item in items if item.get_closest_marker("sweep") is not None
                        and item.nodeid.startswith(SAMPLED) and number_of(item) % SHARE)
    if config.getoption("--representative"):
        seen: set[str] = set()
        for item in items:
            function = item.nodeid.partition("[")[0]
            if function in seen and number_of(item) % REPRESENTATIVE:
                left_out.add(id(item))
            seen.add(function)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if id(item) in left_out])
        items[:] = [item for item in items if id(item) not in left_out]


def number_of(item: pytest.Item) -> int:
    """A number that follows from the name of a test alone."""
    return zlib.crc32(item.nodeid.encode())


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What the functions of a file have compiled stays with them until the end: the garbage collector need not go
    through it again and again."""
    if nextitem is not None and nextitem.path != item.path:
        gc.freeze()


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
