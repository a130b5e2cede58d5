"""Which variables may be read later: in the next iteration of a loop, or after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...stage.regions import names_read_after_loop, names_read_at_head
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
    """Something else to do in the place of a loop's body.  ``names``: see :class:`Later`."""

    def __init__(self, of: Any, run: Callable[[], Any],
                 names: tuple[frozenset[str] | None, frozenset[str] | None]) -> None:
        self.__code__, self.__globals__ = of.__code__, of.__globals__
        self.run, self.names = run, names

    def __call__(self) -> Any:
        return self.run()


def names_of_loop(body: Any) -> tuple[frozenset[str] | None, frozenset[str] | None]:
    """What :class:`Later` says of the loop with this body."""
    if isinstance(body, Body):
        return body.names
    return names_read_at_head(body), names_read_after_loop(body)
