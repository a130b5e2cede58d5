"""Native code on disk: what Numba made of a kernel, for the next process.

Each kernel and each tuple of types has one file, named by the hash of the text, what kernels
call, the versions and the processor.  What does not fit is compiled again.
"""

from __future__ import annotations

import inspect
import pickle
import sys
from pathlib import Path
from typing import Any

from srcgrad.cache.files import directory, hash_of, path_of, read, write
from srcgrad.native import approximate, predicates


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
        self.key = hash_of("\0".join(parts))
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
