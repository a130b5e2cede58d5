"""Colours on terminals: where they are wanted, and Python text in them."""

from __future__ import annotations

import os
import re
from typing import TextIO

from .colour import kinds_of_words

CODES = {"k": "35", "s": "32", "n": "36", "b": "33", "d": "31", "c": "2"}


def in_colour(stream: TextIO) -> bool:
    """Is a stream a terminal that shows colours, and did nobody ask for none?

    ``NO_COLOR`` (not empty) switches them off, whatever it is; ``FORCE_COLOR`` switches them on
    where it is not set, also for files (https://no-color.org, https://force-color.org).
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def for_terminal(text: str) -> str:
    """Python text with escape sequences; without these it is the text.

    >>> for_terminal("d_x = 2  # twice")
    '\\x1b[31md_x\\x1b[0m = \\x1b[36m2\\x1b[0m  \\x1b[2m# twice\\x1b[0m'
    """
    return "".join(f"\x1b[{CODES[kind]}m{word}\x1b[0m" if kind else word
                   for kind, word in kinds_of_words(text))


def marked(text: str) -> str:
    """A word that is to be seen first."""
    return f"\x1b[1;31m{text}\x1b[0m"


def plain(text: str) -> str:
    """A text without escape sequences.

    >>> plain(marked("AliasError"))
    'AliasError'
    """
    return re.sub(r"\x1b\[[\d;]*m", "", text)
