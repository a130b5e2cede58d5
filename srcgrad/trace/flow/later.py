"""Which variables may be read later: in the next iteration of a loop, or after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...stage.regions import names_read
from ...types.dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Later:
    """The variables that a loop's next iteration may read before it binds them, and those
    that may be read after the loop (None: not known)."""

    head: frozenset[str] | None = None
    after: frozenset[str] | None = None

    @property
    def either(self) -> frozenset[str] | None:
        return None if self.head is None or self.after is None else self.head | self.after


class Body:
    """Something else to do in the place of a loop's body, or around it; to the machine it is the
    user's body.  ``escapes``: exceptions leave the loop by a jump (see
    :mod:`srcgrad.trace.exceptions.escapes`); ``names``: what may be read later, if more than the
    text of the body tells."""

    def __init__(self, of: Any, run: Callable[[], Any], *, escapes: bool = False,
                 names: Later | None = None) -> None:
        self.__code__, self.__globals__ = of.__code__, getattr(of, "__globals__", {})
        self.run = run
        self.escapes = escapes or getattr(of, "escapes", False)
        self.names = names or getattr(of, "names", None)

    def __call__(self) -> Any:
        return self.run()


def names_of_loop(body: Any) -> Later:
    """What may be read in and after the loop with this body."""
    told = getattr(body, "names", None)
    return told or Later(names_read("head", body), names_read("left", body))
