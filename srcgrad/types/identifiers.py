"""Names: what a Python text may call a variable or an attribute."""

from __future__ import annotations

import inspect
import re
from keyword import iskeyword
from typing import Any
from unicodedata import normalize


def is_name(text: str) -> bool:
    """May a text with this name be written, and does Python read the same name?

    >>> is_name("x1"), is_name("a b"), is_name("class"), is_name("\\N{LATIN SMALL LIGATURE FI}")
    (True, False, False, False)
    """
    return text.isidentifier() and not iskeyword(text) and (
        text.isascii() or normalize("NFKC", text) == text)


def name_or(text: str, otherwise: str) -> str:
    """The text if it may be a name, or another one."""
    return text if is_name(text) else otherwise


def made_name(text: str) -> str:
    """A name that is like a text.

    >>> [made_name(text) for text in ("x.T", "class", "2nd", "\N{LATIN SMALL LIGATURE FI}")]
    ['x_T', 'v_class', 'v_2nd', 'fi']
    """
    name = re.sub(r"\W", "_", normalize("NFKC", text))
    return name_or(name, f"v_{name}")


def attribute_text(owner: str, name: str) -> str:
    """Python text that reads an attribute, whatever its name is.

    >>> attribute_text("self", "x"), attribute_text("self", "a b")
    ('self.x', "getattr(self, 'a b')")
    """
    return f"{owner}.{name}" if is_name(name) else f"getattr({owner}, {name!r})"


def plain_name(function: Any) -> str:
    """The name of a function as a name in a text."""
    return name_or(getattr(function, "__name__", type(function).__name__), "function")


def signature_of(function: Any) -> inspect.Signature:
    """What a call of ``function`` takes: a wrapper its own parameters, as it sees no defaults of
    what it wraps; where there are none to see, the latter says how they are called."""
    wrapped = inspect.signature(function)
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        return wrapped
    own = inspect.signature(function, follow_wrapped=False)
    kinds, kind = {p.kind for p in own.parameters.values()}, inspect.Parameter
    return wrapped if kinds - {kind.VAR_KEYWORD} == {kind.VAR_POSITIONAL} and all(
        p.kind in (kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD) and p.default is p.empty
        for p in wrapped.parameters.values()) else own


def wrapped_names(function: Any) -> list[str]:
    """The names of the parameters of what a wrapper wraps, also where transforms stand for it."""
    while hasattr(function, "__srcgrad_phrase__"):
        function = function.__wrapped__
    return list(inspect.signature(function).parameters)
