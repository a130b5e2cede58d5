"""Native code on disk: what Numba made of a kernel, for the next process.

Each kernel and each tuple of types has one file, named by the hash of all that its code follows
from: the text, what kernels call, the versions, the processor.  A file appears under its name
once it is whole, begins with the hash of its content, and is read only if it and its directory
belong to the user and nobody else may write there.  What does not fit is compiled again.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from srcgrad.native import approximate, predicates

_DIGEST = hashlib.sha256().digest_size


def directory() -> Path | None:
    """Where native code is kept: ``SRCGRAD_CACHE_DIR`` (empty: nowhere), or a directory in that
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


def keep(kernel: Any, text: str) -> None:
    """Let a kernel of a text be found on disk, and kept there once it is compiled."""
    place = directory()
    if place is not None and hasattr(kernel, "_cache"):
        kernel._cache = DiskCache(kernel.py_func, text, place)


class DiskCache:
    """What a dispatcher of Numba's asks before it compiles, and tells when it has."""

    def __init__(self, function: Any, text: str, place: Path) -> None:
        import numba

        from srcgrad.native import entry

        self.cache_path = str(place)
        self.place = place
        parts = (numba.__version__, sys.version, inspect.getsource(predicates),
                 inspect.getsource(approximate), inspect.getsource(entry), text,
                 function.__name__)
        self.key = _hash("\0".join(parts).encode())
        # Symbols of object code are made of these: equal names must mean equal code, and the
        # module has to be there in the next process.
        function.__qualname__ = f"{function.__name__}_{self.key[:16]}"
        function.__module__ = predicates.__name__

    def path(self, signature: Any, codegen: Any) -> Path:
        return path_of(self.place, (self.key, str(signature), codegen.magic_tuple()))

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled form for a tuple of types, None if it is not there as it was written."""
        from numba.core.compiler import CompileResult

        target.refresh()
        content = read(self.path(signature, target.codegen()))
        if content is None:
            return None
        return CompileResult._rebuild(target, *pickle.loads(content))

    def save_overload(self, signature: Any, made: Any) -> None:
        """Keep what was compiled; a disk that does not take it is no mistake of the program's."""
        from numba.core import serialize

        if made.library.has_dynamic_globals or any(not part.can_cache for part in made.lifted):
            return
        content = serialize.dumps(made._reduce())
        try:
            write(self.path(signature, made.codegen), content)
        except OSError:
            return

    def enable(self) -> None:
        """Numba's interface; there is nothing to switch."""

    disable = flush = enable


def path_of(place: Path, about: Any) -> Path:
    """The file of what something that is printed tells all of."""
    return place / f"{_hash(repr(about).encode())}.native"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


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
    for part in path.parent.glob("*.part"):  # of processes that were killed while they wrote
        if time.time() - part.stat().st_mtime > 3600:
            part.unlink(missing_ok=True)
