"""The interface between staged code and whatever runs it.

Staged code is the user's function with every statement that could depend on a traced value
rewritten into a call of one of a machine's operators: the methods of
:class:`srcgrad.stage.plain.PlainMachine`, which does what Python does (the oracle for staging).
The tracer of :mod:`srcgrad.trace` has the same, and builds a graph.

Variables live in a :class:`Frame`, one for each activation of a staged function, so that an
assignment is a store to an (object, slot) pair like any other mutation: a machine that keeps
a journal of stores sees variables, attributes and items alike, in helpers and closures too.

Control flow uses *region functions*: nested functions without arguments that hold an arm, a
loop body or the rest of a block, and return a **jump**:

``NORMAL`` (0)
    ran to its end,
``BREAK`` (1), ``CONTINUE`` (2)
    leave or continue the innermost loop,
``RETURN`` (3)
    leave the function; the value is in the frame's slot ``RESULT``.

A machine may return a jump that is only known at run time (a traced integer); staged code
never looks at jumps, it hands them to the machine again: after a statement that may jump, the
rest of the block is passed along as one more region, ``rest``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

NORMAL: Final = 0
BREAK: Final = 1
CONTINUE: Final = 2
RETURN: Final = 3
CAN_BREAK, CAN_CONTINUE, CAN_RETURN = 1 << BREAK, 1 << CONTINUE, 1 << RETURN  # in sets of jumps

RESULT: Final = "return"  # a keyword: no user variable can have this name

Jump = Any
Region = Callable[[], Jump]


class Unbound:
    """The content of a slot that holds nothing."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<unbound>"

    def __reduce__(self) -> str:
        return "UNBOUND"


UNBOUND: Final = Unbound()


EXPRESSION = "<genexpr>"  # the name of the function that a generator expression is


class Frame:
    """The variables of one activation: ``slots`` maps names to values.

    ``function`` is the :class:`~srcgrad.stage.function.Staged` record it runs, ``parent`` the
    frame of the lexically enclosing staged function (free variables are found there).
    ``callee`` is the live function object of the *outermost* staged function: its
    ``__globals__`` and ``__closure__`` are read when a name is loaded, so that a changed global
    is seen.  A comprehension has a frame of its own (:func:`scope`), a class body two.
    Machines may use frames as journal keys: they compare by identity.
    """

    __slots__ = ("__weakref__", "callee", "function", "parent", "slots")

    def __init__(self, function: Any, parent: Frame | None = None, callee: Any = None) -> None:
        self.function = function
        self.parent = parent
        self.callee: Any = parent.callee if callee is None and parent is not None else callee
        self.slots: dict[str, Any] = {}


def scope(parent: Frame) -> Frame:
    """A frame for a scope inside an activation (a comprehension's variables)."""
    return Frame(parent.function, parent, parent.callee)
