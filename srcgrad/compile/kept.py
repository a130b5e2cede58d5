"""Generated code on disk, for the next process that calls the same function.

What was generated is kept under the hash of the function, of what is wanted of it and of the kinds
of the arguments; it serves a call whose guards hold, in a process where all that it relies on is
what it was (:mod:`srcgrad.cache.outside`).  What cannot be kept is compiled in each process.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from ..cache.anchors import anchor_of
from ..cache.files import directory, hash_of, read, write
from ..cache.outside import content_hash
from ..cache.packing import packed, unpacked
from .backends import ALL, linked
from .requests import Request
from .specializations import Specialization, dispatched, printed

MOST = 8  # of one function, for arguments of the same kinds


def kept_for(function: Any, request: Request, signature: inspect.Signature,
             args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Kept:
    """Where code for a call of a function is kept."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:  # who compiles will say it
        return Kept(function, request, signature, {}, None)
    bound.apply_defaults()
    return Kept(function, request, signature, bound.arguments, directory())


class Kept:
    """The files of what was generated for calls like one of a function."""

    def __init__(self, function: Any, request: Request, signature: inspect.Signature,
                 bound: Mapping[str, Any], place: FilePath | None) -> None:
        self.function, self.request, self.signature = function, request, signature
        self.anchor, self.bound = anchor_of(function), bound
        self.paths: list[FilePath] = []
        if place is not None and self.anchor.function is not None:
            about = (_versions(), content_hash(self.anchor.function.__code__), repr(request),
                     [repr(part) for part in self.anchor.form], [
                         (p.name, str(p.kind), p.default is p.empty)
                         for p in signature.parameters.values()],
                     [(name, _kind(value)) for name, value in bound.items()])
            key = hash_of(repr(about))
            self.paths = [place / f"{key}.{number}.code" for number in range(MOST)]

    def find(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Specialization | None:
        """What serves a call, if it is there."""
        for path in self.paths:
            content = read(path)
            if content is None:
                continue
            try:
                found = self._restored(content)
            except Exception:  # on the ways there are objects of the program's, which may refuse
                continue
            if found.matches(args, dict(kwargs)):
                return found
        return None

    def keep(self, made: Specialization) -> None:
        """Write what was generated, if another process can use it."""
        traced = made.traced
        if not self.paths or not traced.shareable:
            return
        linear = made.linear and replace(made.linear, run=_not_linked)
        try:
            content = packed((made.dispatch.name, traced, made.graph, made.result, made.defaults,
                              made.emitted, linear), traced.guards, traced.pinned, traced.roles)
        except Exception:  # NotKept, or what objects of the program's raise
            return
        free = [path for path in self.paths if not path.exists()]
        try:
            write(free[0] if free else self.paths[os.getpid() % MOST], content)
        except OSError:  # a disk that does not take it is no mistake of the program's
            return

    def _restored(self, content: bytes) -> Specialization:
        roots = {("argument", name): value for name, value in self.bound.items()}
        roots.update((("role", role), self.anchor.play(role))
                     for role in self.anchor.roles().values())
        name, traced, graph, result, defaults, emitted, linear = unpacked(content, roots)
        backend = self.request.backend
        target = linked(emitted, graph, backend, ALL if linear else printed(result), defaults)
        if linear is not None:
            run = target if linear.backward is None else linked(
                linear.emitted, linear.backward, backend)
            linear = replace(linear, run=run)
        return dispatched(name, self.anchor, self.signature, traced, graph, result, defaults,
                          emitted, target, backend, linear)


def _not_linked(*_: Any) -> None:
    """Stands for a function that is linked again."""


def _kind(value: Any) -> Any:
    """What of an argument generated code mostly depends on."""
    if isinstance(value, np.ndarray):
        return type(value).__qualname__, value.dtype.str, value.ndim
    return type(value).__qualname__, len(value) if type(value) in (tuple, list, dict) else None


@functools.cache
def _own_state() -> str:
    """What tells this srcgrad from others; where it is worked on, all of its files."""
    root = os.path.dirname(os.path.dirname(__file__))
    worked_on = os.path.exists(os.path.join(os.path.dirname(root), "pyproject.toml"))
    files = sorted(_files(root if worked_on else os.path.dirname(__file__)))
    return hash_of(repr(files))


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    """The modules in a folder, with when they were written and how long they are."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                found = entry.stat()
                yield entry.path, found.st_mtime_ns, found.st_size
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _files(entry.path)


def _versions() -> Any:
    loaded = [getattr(sys.modules.get(name), "__version__", None)
              for name in ("numpy", "scipy", "numba")]
    return _own_state(), sys.version, loaded

