"""A line on the terminal while something takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..config import config
from .whereabouts import whereabouts

T = TypeVar("T")
PATIENCE = 2.0  # seconds before anything is said


def wanted() -> bool:
    """Is a line of progress to be shown?"""
    return sys.stderr.isatty() if config.progress is None else config.progress


class Ticker:
    """Writes ``text`` and the time that has gone by, from :data:`PATIENCE` seconds on; ``text``
    may change meanwhile, or tell what generated code does in the thread."""

    active: Ticker | None = None  # there is one line: what begins within writes into it

    def __init__(self, text: str | None, name: str = "") -> None:
        self.text, self.name, self.shown = text, name, 0
        self.caller = threading.get_ident()
        self.began = time.perf_counter()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        delay = PATIENCE
        while not self.ended.wait(delay):
            text = self.text or f"{self.name}, {whereabouts(self.caller)}".rstrip(", ")
            self._write(f"{text} ... {time.perf_counter() - self.began:.0f} s")
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
def telling(text: str | None, name: str = "") -> Iterator[Ticker | None]:
    """Show ``text`` while the block runs for long, without one what the generated code of ``name``
    does; None where nobody looks."""
    if not wanted():
        yield None
        return
    outer = Ticker.active
    if outer is not None:
        before, outer.text = outer.text, text
        try:
            yield outer
        finally:
            outer.text = before
        return
    Ticker.active = ticker = Ticker(text, name)
    ticker.thread.start()
    try:
        yield ticker
    finally:
        Ticker.active = None
        ticker.end()


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """Says that a function is being compiled."""
    with telling(f"srcgrad: compiling {name}"):
        yield


@contextmanager
def progress(title: str = "srcgrad") -> Iterator[None]:
    """A line on ``stderr`` while the calls in the block take more than two seconds: the line of the
    program that runs, and how far its outermost loop is, over ``range``, ``checkpoint_range`` or
    ``while k < n``, forward and backward.

    It is shown where ``srcgrad.config.progress`` allows it: on terminals, or always with True.  The
    generated code is as it is without, and looked at once a second.  Raises nothing of its own.

    See also :func:`checkpoint_range`, :class:`Compiled.profile`.

    >>> from srcgrad import grad, progress
    >>> with progress("the fit"):
    ...     grad(lambda x: x ** 2)(3.0)
    6.0
    """
    with telling(None, title):
        yield


def counted(items: Iterable[T], count: int, text: str) -> Iterator[T]:
    """The items; ``text`` and how many of the ``count`` are done is shown if it takes long."""
    with telling(text) as ticker:
        for done, item in enumerate(items):
            if ticker is not None:
                ticker.text = f"{text}: {done} of {count}"
            yield item
