"""The table of constructs: what a program may be written with, and programs that are.

A module of this directory is a family of constructs; its docstring is the family's title. A
program is entered by ``@construct("name of the construct", *arguments)``; it returns a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

FAMILIES = ("control", "patterns", "loops", "carried", "contexts",
            "functions", "decorators", "recursion_and_iterators", "classes", "records",
            "instances", "containers", "comprehensions", "built_ins", "conversions",
            "slicing", "masks", "ufuncs", "writing", "views",
            "array_subclasses", "effects", "helpers_of_numpy", "shapes_by_data", "buffers",
            "found", "found_objects", "found_instances")
LEAST = 3  # programs of a construct


@dataclass(frozen=True)
class Program:
    """A program with the arguments it is run on."""

    construct: str
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    smooth: bool  # differences of the gradient are the second derivative
    exported: bool  # a module of NumPy code can be written of it


_ENTERED: list[Program] = []


def construct(
    name: str, *args: Any, smooth: bool = True, exported: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter the decorated program under a construct, to be run on copies of ``args``."""

    def enter(fn: Callable[..., Any]) -> Callable[..., Any]:
        _ENTERED.append(Program(name, fn, args, smooth, exported))
        return fn

    return enter


def families() -> Iterator[tuple[str, str, dict[str, list[Program]]]]:
    """Module name, title and constructs of each family, in the order they are written."""
    for family in FAMILIES:
        module = import_module(family)
        constructs: dict[str, list[Program]] = {}
        for program in _ENTERED:
            if program.fn.__module__ == family:
                constructs.setdefault(program.construct, []).append(program)
        yield family, str(module.__doc__).strip().splitlines()[0].rstrip("."), constructs


def page() -> str:
    """The text of ``docs/language.md``."""
    lines = [
        "# What a program may be written with",
        "",
        "Every construct below is tried on the programs named beside it: compiled, with every pass",
        "off and exported, they give the bits of plain Python and NumPy and leave their arguments as",
        "those do; gradients and second derivatives agree with differences, forward mode with the",
        "gradient. What is refused, and why, is in `refusals.md`; NumPy's functions are in",
        "`functions.md`. This page is written by `python tests/language/test_language.py`.",
    ]
    for family, title, constructs in families():
        lines += ["", f"## {title}", "", f"Programs in `tests/language/{family}.py`.", "",
                  "| Construct | Programs |", "| --- | --- |"]
        for name, programs in constructs.items():
            names = ", ".join(f"`{program.fn.__name__}`" for program in programs)
            lines.append(f"| {name.replace('|', chr(92) + '|')} | {names} |")
    return "\n".join(lines) + "\n"
