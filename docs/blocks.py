"""The Python blocks of the README and of these pages: the tests run them, and pictures need them.

A block marked ``python`` is executed (blocks of one page share a namespace); a block marked ``py``
or ``text`` right after it is what it must print.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
from collections.abc import Iterator
from typing import Any

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> Iterator[tuple[str, str | None]]:
    """Pairs of a runnable block and what it must print (None: anything)."""
    found = [(m.group(1), m.group(2)) for m in BLOCK.finditer(text)]
    for (kind, body), follower in zip(found, [*found[1:], ("", "")]):
        if kind == "python":
            yield body, follower[1] if follower[0] in ("py", "text") else None


def run(body: str, namespace: dict[str, Any], name: str) -> str:
    """Execute a block; its functions have a source.  Returns what it printed."""
    linecache.cache[name] = (len(body), None, body.splitlines(keepends=True), name)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(body, name, "exec"), namespace)
    return out.getvalue()
