"""Marks in user code: ``stop_gradient`` and names."""

from __future__ import annotations

from typing import TypeVar

from .book import nondiff

T = TypeVar("T")


def stop_gradient(x: T) -> T:
    """``x`` itself, as a constant of differentiation.

    ``x`` may be an array, a number, or a container of them.  Raises nothing.

    See also :func:`jit`, :func:`srcgrad.rules.nondiff`.

    >>> from srcgrad import grad
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return x


nondiff(stop_gradient)


def name(x: T, label: str) -> T:
    """``x`` itself; ``label`` names it for checkpoint policies and in generated code.

    Raises nothing.

    See also :func:`checkpoint`.

    >>> name(2.0, "h")
    2.0
    """
    del label
    return x
