"""A line on the terminal while something takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..config import config

T = TypeVar("T")
PATIENCE = 2.0  # seconds before anything is said


def wanted() -> bool:
    """Is a line of progress to be shown?"""
    return sys.stderr.isatty() if config.progress is None else config.progress


class Ticker:
    """Writes ``text`` and the time that has gone by, from :data:`PATIENCE` seconds on; ``text``
    may change meanwhile."""

    def __init__(self, text: str) -> None:
        self.text, self.shown = text, 0
        self.began = time.perf_counter()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        delay = PATIENCE
        while not self.ended.wait(delay):
            line = f"{self.text} ... {time.perf_counter() - self.began:.0f} s"
            self._write(line)
            delay = 1.0

    def _write(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self.shown))
        sys.stderr.flush()
        self.shown = len(line)

    def end(self) -> None:
        """Take the line away again."""
        self.ended.set()
        self.thread.join()
        if self.shown:
            sys.stderr.write("\r" + " " * self.shown + "\r")
            sys.stderr.flush()


@contextmanager
def progress(text: str) -> Iterator[Ticker | None]:
    """Show ``text`` while the block runs for long; None where nobody looks."""
    if not wanted():
        yield None
        return
    ticker = Ticker(text)
    ticker.thread.start()
    try:
        yield ticker
    finally:
        ticker.end()


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """Says that a function is being compiled."""
    with progress(f"srcgrad: compiling {name}"):
        yield


def counted(items: Iterable[T], count: int, text: str) -> Iterator[T]:
    """The items; ``text`` and how many of the ``count`` are done is shown if it takes long."""
    with progress(text) as ticker:
        for done, item in enumerate(items):
            if ticker is not None:
                ticker.text = f"{text}: {done} of {count}"
            yield item
