"""Which of the long checks of single programs are run: a fifth of them, or all."""

from __future__ import annotations

import zlib

import pytest

SAMPLED = ("tests/programs/", "tests/language/")
SHARE = 5


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-sweeps", action="store_true",
                     help="run every long check of a program, not a fifth of them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The sweeps over programs take more than an hour; which fifth is run follows from the names,
    so that it is the same everywhere."""
    if config.getoption("--all-sweeps"):
        return
    left_out = [item for item in items if item.get_closest_marker("sweep") is not None
                and item.nodeid.startswith(SAMPLED) and zlib.crc32(item.nodeid.encode()) % SHARE]
    if left_out:
        chosen = set(map(id, left_out))
        items[:] = [item for item in items if id(item) not in chosen]
        config.hook.pytest_deselected(items=left_out)
