"""Files of generated code, for the next process.

Each has the name of the hash of all that its content follows from.  A file appears under its name
once it is whole, begins with the hash of its content, and is read only if it and its directory
belong to the user and nobody else may write there.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_UNREAD = 60 * 86400  # seconds
_DIGEST = hashlib.sha256().digest_size


def directory() -> Path | None:
    """Where generated code is kept: ``SRCGRAD_CACHE_DIR`` (empty: nowhere), or a directory in that
    for caches of the user."""
    given = os.environ.get("SRCGRAD_CACHE_DIR")
    if given is not None:
        return Path(given) if given else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "srcgrad" if base and os.path.isabs(base) else None


def path_of(place: Path, about: Any) -> Path:
    """The file of what something that is printed tells all of."""
    return place / f"{hash_of(repr(about))}.native"


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _is_ours(found: os.stat_result) -> bool:
    """Does a file belong to the user, and may nobody else write to it?"""
    if sys.platform == "win32":  # access lists of the user's directory
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def read(path: Path) -> bytes | None:
    """What was written under a name, if it is whole and ours."""
    try:
        if not _is_ours(os.stat(path.parent)):
            return None
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
                          | getattr(os, "O_BINARY", 0)), "rb") as file:
            found = os.fstat(file.fileno())
            if not (_is_ours(found) and stat.S_ISREG(found.st_mode)):
                return None
            content = file.read()
        os.utime(path)
    except OSError:
        return None
    digest, content = content[:_DIGEST], content[_DIGEST:]
    return content if hashlib.sha256(content).digest() == digest else None


def write(path: Path, content: bytes) -> None:
    """A file that appears under its name at once, with the hash of its content in front."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(os.stat(path.parent)):
        return
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with open(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    if path.name[:1] in "07":
        _tidy(path.parent)


def _tidy(place: Path) -> None:
    """Remove what nobody has read for a long time, and of processes that were killed while they
    wrote."""
    now = time.time()
    for file in place.iterdir():
        longest = {".part": 3600, ".code": _UNREAD, ".native": _UNREAD}.get(file.suffix)
        if longest is not None and now - file.stat().st_mtime > longest:
            file.unlink(missing_ok=True)
