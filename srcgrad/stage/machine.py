"""The interface between staged code and whatever runs it.

Staged code is the user's function with every statement that could depend on a traced value
rewritten into a call of one of the operators below.  Two machines implement them:
:class:`srcgrad.stage.plain.PlainMachine` does what Python does (the oracle for staging), the
tracer of :mod:`srcgrad.trace` builds a graph.

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
from typing import Any, Final, Protocol

NORMAL: Final = 0
BREAK: Final = 1
CONTINUE: Final = 2
RETURN: Final = 3

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


class Machine(Protocol):
    """The staged operators.  ``M`` in staged code; every method is a plain call."""

    # ---- variables -------------------------------------------------------------------
    def load(self, frame: Frame, name: str) -> Any:
        """Read a local or cell variable; UnboundLocalError/NameError as Python words it."""

    def store(self, frame: Frame, name: str, value: Any) -> None: ...
    def delete(self, frame: Frame, name: str) -> None: ...

    def load_global(self, frame: Frame, name: str) -> Any:
        """Read a name of the function's module, or a builtin."""

    def store_global(self, frame: Frame, name: str, value: Any) -> None: ...
    def delete_global(self, frame: Frame, name: str) -> None: ...

    def load_free(self, frame: Frame, name: str) -> Any:
        """Read a cell of the *outermost* staged function's own closure (``__closure__``);
        variables of enclosing staged functions are loaded from their frames."""

    def store_free(self, frame: Frame, name: str, value: Any) -> None: ...
    def delete_free(self, frame: Frame, name: str) -> None: ...
    def load_enclosing(self, frame: Frame, name: str) -> Any:
        """Read a variable of an enclosing staged function, in that function's ``frame``: as
        ``load``, but an unbound one is the NameError about free variables."""

    # ---- expressions -----------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any: ...
    def setattr(self, obj: Any, name: str, value: Any) -> None: ...
    def delattr(self, obj: Any, name: str) -> None: ...
    def getitem(self, obj: Any, key: Any) -> Any:
        """``obj[key]``; slices arrive as ``slice`` objects, ``a[i, 1:]`` as a tuple."""

    def setitem(self, obj: Any, key: Any, value: Any) -> None: ...
    def delitem(self, obj: Any, key: Any) -> None: ...
    def binary(self, op: str, left: Any, right: Any) -> Any:
        """``op`` is the operator's text: ``+ - * / // % ** @ & | ^ << >>``."""

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        """``left op= right``; returns the object that is stored back.  ``op`` as in binary."""

    def unary(self, op: str, operand: Any) -> Any:
        """``op`` is ``-``, ``+`` or ``~``."""

    def not_(self, operand: Any) -> Any: ...
    def compare(self, op: str, left: Any, right: Any) -> Any:
        """``< <= > >= == != is 'is not' in 'not in'``; chains become ``and_`` of pairs."""

    def and_(self, first: Any, *rest: Region) -> Any:
        """``a and b and c``: the first operand is a value, later ones are thunks."""

    def or_(self, first: Any, *rest: Region) -> Any: ...
    def if_expression(self, test: Any, then: Region, orelse: Region) -> Any: ...
    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call.  ``obj.name(...)`` is staged as ``call_method``."""

    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any: ...
    def method(self, obj: Any, name: str) -> Any:
        """First half of ``obj.name(...)`` where an argument may call something: Python looks
        the method up before it evaluates the arguments.  Staged as
        ``call_bound(method(obj, name), ...)``."""

    def call_bound(self, method: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Second half of such a call; by default ``call_method(*method, ...)``."""

    def call_scoped(self, frame: Frame, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call of a global named ``locals``, ``globals``, ``vars``, ``dir``, ``eval`` or
        ``exec``: the builtins of these names look at the caller's variables."""

    def spread(self, value: Any, function: Any = ...) -> Any:
        """The items of ``*value`` in a call of ``function`` or in a display."""

    def spread_items(self, value: Any) -> Any:
        """What ``build_list`` is given for ``*value`` in a list display."""

    def keywords(self, function: Any, /, *parts: Any) -> dict[str, Any]:
        """All keyword arguments of a call that has ``**``: ``parts`` are mappings, in order."""

    def super_(self, cls: Any, obj: Any) -> Any:
        """The object of a zero-argument ``super()``."""

    def build_list(self, *items: Any) -> list[Any]:
        """A list display; also the start of a list comprehension."""

    def build_dict(self, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]: ...
    def build_set(self, *items: Any) -> set[Any]: ...
    def mapping_items(self, mapping: Any) -> list[tuple[Any, Any]]:
        """The pairs of ``**mapping`` in a dict display."""

    def format(self, value: Any, conversion: str, spec: str) -> str:
        """One field of an f-string (``conversion`` is ``''``, ``'r'``, ``'s'`` or ``'a'``)."""

    def join_str(self, *parts: Any) -> Any:
        """The f-string made of literal pieces and formatted fields."""

    def unpack(self, value: Any, before: int, star: bool, after: int) -> tuple[Any, ...]:
        """Unpacking of ``a, *b, c = value``: ``before`` items, then if ``star`` a list of the
        rest, then ``after`` items.  ValueError and TypeError as Python words them."""

    def iterate(self, iterable: Any) -> Any:
        """A Python iterator for places that must iterate while staging (star arguments,
        generators, comprehensions over static things)."""

    def delegate(self, iterable: Any) -> Any:
        """The operand of ``yield from``."""

    def kept_try(self, kinds: list[Callable[[], Any]]) -> Any:
        """A context in which the body of a generator's ``try`` with handlers of these kinds runs;
        what it yields goes through ``paused``, what it is sent through ``resumed``."""

    def truth(self, value: Any) -> bool:
        """The truth value where staged code must know it now (generator bodies)."""

    def define(self, staged: Any, frame: Frame, defaults: tuple[Any, ...],
               kwdefaults: dict[str, Any], annotations: dict[str, Any]) -> Any:
        """A nested ``def`` or ``lambda``: the function object (a real function that, called
        by code that is not staged, runs its staged body on this machine)."""

    def build_class(self, body: Any, frame: Frame, name: str, bases: tuple[Any, ...],
                    keywords: dict[str, Any]) -> Any:
        """A class statement; ``body`` is the staged record of its body."""

    # ---- imports and patterns ----------------------------------------------------------
    def import_module(self, frame: Frame, name: str, names: tuple[str, ...] | None,
                      level: int) -> Any: ...
    def import_name(self, module: Any, name: str) -> Any: ...
    def match_each(self, frame: Frame, slot: str, test: Callable[[], Any]) -> Any:
        """Whether a pattern matches the value of a slot, whichever object that is."""

    def match_sequence(self, subject: Any, length: int, star: bool) -> bool: ...
    def match_mapping(self, subject: Any, length: int) -> bool: ...
    def match_keys(self, subject: Any, keys: tuple[Any, ...]) -> tuple[Any, ...] | None: ...
    def match_rest(self, subject: Any, keys: tuple[Any, ...]) -> dict[Any, Any]: ...
    def match_class(self, subject: Any, cls: Any, positional: int,
                    names: tuple[str, ...]) -> tuple[Any, ...] | None: ...

    # ---- statements ------------------------------------------------------------------
    def if_(self, test: Any, then: Region, orelse: Region, rest: Region | None = None) -> Jump:
        """``rest`` is given where an arm may jump: the remainder of the enclosing block."""

    def for_(self, iterable: Any, target: Callable[[Any], None], body: Region,
             orelse: Region | None = None, rest: Region | None = None) -> Jump:
        """``target`` stores one item into the loop's target.  ``rest`` is given where the
        body may return from the function."""

    def while_(self, test: Callable[[], Any], body: Region,
               orelse: Region | None = None, rest: Region | None = None) -> Jump: ...
    def assert_(self, test: Any, message: Region | None) -> None: ...
    def raise_(self, exception: Any, cause: Any, has_cause: bool) -> Jump:
        """``raise``; with ``exception`` None the active one again.  Never returns normally on
        the plain machine; a tracer may treat the region as cold."""

    def with_(self, managers: list[Callable[[], Any]], targets: list[Callable[[Any], None] | None],
              body: Region, rest: Region | None = None) -> Jump: ...
    def try_(self, body: Region,
             handlers: list[tuple[Callable[[], Any] | None, str | None, Region]],
             orelse: Region | None, final: Region | None, frame: Frame,
             rest: Region | None = None) -> Jump:
        """``handlers``: (thunk of the exception type or None for a bare ``except``, name bound
        to it, region)."""

    def return_(self, frame: Frame, value: Any) -> Jump:
        """Store the result in the frame and return ``RETURN``."""

    def reraise(self) -> Jump:
        """``raise`` without an exception."""

    def caught(self) -> BaseException | None:
        """The exception being handled (for handlers whose name is global or nonlocal)."""

    def born(self, obj: Any) -> None:
        """A frame inside an activation (a comprehension, a class body) was made just now."""

    def finish(self, frame: Frame, jump: Jump) -> Any:
        """The value of an activation whose body ended with ``jump`` (by default: the slot
        ``RESULT``).  Every path of a function that is no generator ends in ``return_``."""
