"""Objects of C code that hold a state: streams, buffers, locks, digests, paths in the making.

They are made anew at every call, and what their methods do is done at every call.
"""

from __future__ import annotations

import array
import contextlib
import random
import sys
import types
import warnings
from typing import Any

import numpy as np

from ..record.tracers import contains_tracer

MODULES = frozenset({"_io", "_thread", "_hashlib", "_blake2", "_md5", "_sha1", "_sha2", "_sha3",
                     "_sha256", "_sha512", "_csv", "_queue", "_socket", "_sqlite3",
                     "tempfile", "pathlib", "zipfile", "sqlite3", "socket"})
ANEW: frozenset[type] = frozenset({bytearray, warnings.catch_warnings, contextlib.redirect_stdout,
                                   contextlib.redirect_stderr})
STREAMS = frozenset({"stdin", "stdout", "stderr"})
DRAWING = (random.Random, np.random.Generator, np.random.RandomState)


def is_made_anew(cls: type, args: Any, kwargs: Any) -> bool:
    """Does an instance of a class hold a state that each call of the program has for itself?"""
    if cls in ANEW:
        return True
    module = cls.__module__.split(".")[0]
    if module == "pathlib":  # a path is a value, unless only a run knows it
        return contains_tracer(args) or contains_tracer(kwargs)
    return module in MODULES or cls.__module__ in ("io", "random") or (
        cls.__module__.startswith("numpy.random"))


def is_stream(module: types.ModuleType, name: str) -> bool:
    """Is an attribute of a module a stream, which the program or its caller may redirect?"""
    return module is sys and name in STREAMS


def owner_outside(function: Any, paths: Any) -> Any:
    """The object from outside whose method of C code this is; None for other functions."""
    if not isinstance(function, types.BuiltinMethodType):
        return None
    owner = function.__self__
    if isinstance(owner, (types.ModuleType, type)) or owner is None:
        return None
    if isinstance(owner, DRAWING):
        return owner
    cls = type(owner)
    module = cls.__module__.split(".")[0]
    stateful = module in MODULES or module == "io" or cls in (bytearray, array.array)
    return owner if stateful and id(owner) in paths else None
