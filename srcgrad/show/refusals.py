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


def classes() -> list[type[errors.SrcgradError]]:
    """The classes of errors, by their codes."""
    return sorted((c for _, c in inspect.getmembers(errors, inspect.isclass)
                   if issubclass(c, errors.SrcgradError) and c is not errors.SrcgradError),
                  key=lambda c: c.code)


def page() -> str:
    """The page as Markdown."""
    return "\n".join([HEAD, *(section(c) for c in classes())])


def section(cls: type[errors.SrcgradError]) -> str:
    """What is known of a class of errors, as Markdown."""
    built_in = next(c for c in cls.__mro__ if c.__module__ == "builtins")
    text = " ".join(inspect.cleandoc(cls.__doc__ or "").replace("``", "`").split())
    rows = "\n".join(f"| {program} | {remedy} |" for program, remedy in cls.refuses)
    article = "an" if built_in.__name__[0] in "AEIOU" else "a"
    return (f"## {cls.__name__}\n\nCode {cls.code}. Also {article} `{built_in.__name__}`. {text}"
            f"\n\n| program | remedy |\n|---|---|\n{rows}\n")
