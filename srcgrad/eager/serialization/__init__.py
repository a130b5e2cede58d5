"""`save` and `load`: tensors and modules in nested containers, in a format that runs no code.

A file is a ZIP archive with ``structure.json``, which describes the object, and one NumPy
``.npy`` file per storage.  Tensors that share memory still do after loading.  A module is
described by the name of its class and its attributes; loading looks the class up among those
that are defined.  Anything else is refused when saving, so that loading never needs to import or
call what a file names.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from typing import Any

import numpy as np

from .classes import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .reading import FOREIGN, STRUCTURE, Reader, Storages, damaged
from .writing import FORMAT, Writer


def save(obj: Any, f: Any, *_: Any, **__: Any) -> None:
    """Store ``obj`` in a file given by path or as a binary file object.

    ``TypeError`` names the first part that cannot be stored.  Further arguments that
    PyTorch's function has (pickling) are accepted and have no effect.

    >>> import io, srcgrad.eager as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file); _ = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.])}
    """
    writer = Writer()
    structure = writer.describe(obj, "obj")
    text = json.dumps({"format": FORMAT, "structure": structure}, allow_nan=False)
    target: Any = os.fspath(f) if isinstance(f, (str, os.PathLike)) else f
    if isinstance(target, str) and not os.path.isdir(folder := os.path.dirname(target) or "."):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(STRUCTURE, text)
        for number, array in enumerate(writer.storages):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=False)
            archive.writestr(f"storages/{number}.npy", buffer.getvalue())


def load(f: Any, map_location: Any = None, pickle_module: Any = None, *,
         weights_only: bool | None = None, mmap: bool | None = None, **_: Any) -> Any:
    """Read what :func:`save` stored.

    ``map_location`` may be anything that says the CPU.  ``ValueError`` for damaged files and for
    those of another format, PyTorch's own included: those hold pickles, which can run code when
    loaded.  Modules of the program's own classes need ``weights_only=False`` or
    :func:`add_safe_globals`.
    """
    if not (map_location is None or callable(map_location) or isinstance(map_location, dict)):
        if not str(map_location).startswith("cpu"):
            raise RuntimeError(f"load: map_location={map_location!r} is not available; there is "
                               "only the CPU")
    source: Any = os.fspath(f) if isinstance(f, (str, os.PathLike)) else f
    if not isinstance(source, (str, bytes)):
        _check_readable(source)
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
        raise ValueError(FOREIGN if not _looks_stored(source) else _text(error)) from error
    with archive:
        if STRUCTURE not in archive.namelist():
            raise ValueError(FOREIGN)
        try:
            storages = Storages(archive)
            return Reader(storages, weights_only is not False).build(storages.structure())
        except Exception as error:  # a damaged file may go wrong anywhere
            if str(error).startswith(("load: ", "Weights only load failed")):
                raise
            raise ValueError(_text(error)) from error


def _check_readable(file: Any) -> None:
    if not hasattr(file, "seek"):
        raise AttributeError(f"'{type(file).__name__}' object has no attribute 'seek'. You can "
                             "only torch.load from a file that is seekable. Please pre-load the "
                             "data into a buffer like io.BytesIO and try to load from it instead.")
    place = file.tell()
    empty = not file.seek(0, os.SEEK_END)
    file.seek(place)
    if empty:
        raise EOFError


def _looks_stored(source: Any) -> bool:
    """Whether a file that is no archive begins as those of :func:`save` do."""
    try:
        if isinstance(source, str):
            with open(source, "rb") as file:
                head = file.read(64)
        else:
            source.seek(0)
            head = source.read(64)
    except (OSError, ValueError, AttributeError):
        return False
    return head[:4] == b"PK\3\4" and STRUCTURE.encode() in head


def _text(error: Exception) -> str:
    return str(damaged(f"{type(error).__name__}: {str(error)[:200]}"))


__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals",
           "save"]
