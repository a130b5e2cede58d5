"""The page that lists what is refused, made from the error classes."""

from __future__ import annotations

import inspect

from .. import errors

HEAD = """# What is refused

Each error says what was met, where (file, line, and a caret under the expression; or the
argument's path), why it cannot be done, and how to rewrite it. It is raised before anything
runs; arguments and cache are as they were. An `except Exception` in the program that is
compiled never catches it. `tests/errors/messages.txt` has the message of each
of a hundred and twenty mistakes.

`python -m srcgrad refusals` writes this page from the classes in `srcgrad/errors.py`.
"""


def page() -> str:
    """The page as Markdown."""
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass)
               if issubclass(c, errors.SrcgradError) and c is not errors.SrcgradError]
    classes.sort(key=lambda c: inspect.getsourcelines(c)[1])
    return "\n".join([HEAD, *(_section(c) for c in classes)])


def _section(cls: type[errors.SrcgradError]) -> str:
    built_in = next(c for c in cls.__mro__ if c.__module__ == "builtins")
    text = " ".join(inspect.cleandoc(cls.__doc__ or "").replace("``", "`").split())
    rows = "\n".join(f"| {program} | {remedy} |" for program, remedy in cls.refuses)
    article = "an" if built_in.__name__[0] in "AEIOU" else "a"
    return (f"## {cls.__name__}\n\nAlso {article} `{built_in.__name__}`. {text}\n\n"
            f"| program | remedy |\n|---|---|\n{rows}\n")
