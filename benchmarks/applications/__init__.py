"""Small programs as scientists write them, whose generated text, time and memory are measured."""

from __future__ import annotations

from importlib import import_module

FIELDS = ("physics", "earth", "life", "engineering", "statistics", "learning")


def applications():
    """Field, function and arguments of each program; the first argument is varied."""
    for field in FIELDS:
        for program, arguments in import_module(f"{__name__}.{field}").CASES:
            yield field, program, arguments
