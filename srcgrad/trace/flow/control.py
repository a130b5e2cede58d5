"""Signals of the tracer.  They derive from BaseException, so that no ``except Exception`` in
the code that is being traced can swallow them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import SrcgradError
from ...stage.origins import origin
from ..assumed import Made
from ..assumptions import Assumption


class Signal(BaseException):
    """Base of all signals."""


class Refusal(Signal):
    """A srcgrad error on its way to the boundary, where it is raised as itself, or where tracing
    starts again under one of its ``remedies``: assumptions under which it may not occur.
    ``varies``: it is about a number that differs from one iteration of a loop to the next, so
    that it may not occur if the loop is unrolled."""

    def __init__(self, error: SrcgradError, remedies: Iterable[Assumption] = ()) -> None:
        super().__init__(error)
        self.error = error
        self.remedies = tuple(remedies)
        self.varies = False


class Unroll(Signal):
    """The number of a loop index is needed: the loop with this symbol must be unrolled."""

    def __init__(self, symbol: Any, reason: str) -> None:
        super().__init__(symbol, reason)
        self.symbol = symbol
        self.reason = reason


class Longer(Signal):
    """Iterations that are written out are more text than a loop over what is ``staged``."""

    def __init__(self, staged: Any) -> None:
        super().__init__(staged)
        self.staged = staged


class Restart(Signal):
    """Tracing must start again under one more assumption, made at the user's place of now."""

    def __init__(self, assumption: Assumption) -> None:
        super().__init__(assumption)
        self.made = Made(assumption, origin())


class Bottom(Signal):
    """A function calls itself, and nothing is known of its result yet: the arm that calls it
    does not come back in this round."""


class Again(Signal):
    """A function calls itself with arguments that its form does not cover: the form is wider
    now, and its body is traced again."""

    def __init__(self, callee: Any) -> None:
        super().__init__(callee)
        self.callee = callee
