"""Settings."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from .errors import StructureError

CHOICES: dict[str, tuple[Any, ...]] = {
    "backend": ("numpy", "numba"), "precision": ("strict", "fast"), "progress": (None, False, True)}


@dataclass(slots=True)
class Config:
    """``internal_frames``: show srcgrad's own frames in the tracebacks of its errors (also set
    by the environment variable ``SRCGRAD_INTERNAL_FRAMES=1``).  ``backend``: what runs the
    generated code where a transform does not say: ``"numpy"``, or ``"numba"`` for native loops.
    ``precision``: ``"strict"``, or ``"fast"`` where native code may reorder and approximate.
    ``parallel``: independent iterations of native loops run on Numba's threads.
    ``compile_in_background``: a thread compiles native code, and NumPy serves calls meanwhile.
    ``progress``: a line on ``stderr`` while something takes more than two seconds (None: where
    ``stderr`` is a terminal).

    A setting that does not exist raises AttributeError, another value :class:`StructureError`.

    See also ``backend=`` and ``precision=`` of :func:`srcgrad.grad`, :func:`srcgrad.show_versions`.

    >>> from srcgrad import config
    >>> config.precision
    'strict'
    """

    internal_frames: bool = os.environ.get("SRCGRAD_INTERNAL_FRAMES", "") not in ("", "0")
    backend: str = "numpy"
    precision: str = "strict"
    parallel: bool = False
    compile_in_background: bool = False
    progress: bool | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        choices = CHOICES.get(name, (False, True))
        if name in self.__slots__ and not any(
                value == c and type(value) is type(c) for c in choices):
            raise StructureError(
                f"{name} is {value!r}", where="srcgrad.config",
                why="a setting has one of a few values",
                fix=f"use one of {', '.join(map(repr, choices))}")
        object.__setattr__(self, name, value)


config = Config()
