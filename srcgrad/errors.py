"""Every exception srcgrad raises on purpose.

A message has four parts: *what* was met, *where* (file, line, caret under the expression,
argument path), *why* it cannot be done, and *how* to rewrite it.  It ends with the page that
explains errors of its class, and the code of that class, which stays the same between versions:
``python -m srcgrad error SG08`` prints what the page says of the class.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from typing import Any, ClassVar

PAGES = "docs/reference/errors"


@dataclass(frozen=True, slots=True)
class Where:
    """A place in the user's source.  ``column``/``end`` are 0-based, in characters of
    ``text`` (the source line, without its newline).  ``statement`` is the whole statement on one
    line, where it has more than one, ``first`` the number of its first line."""

    filename: str
    line: int
    function: str = ""
    text: str = ""
    column: int | None = None
    end: int | None = None
    statement: str = field(default="", compare=False, repr=False)
    first: int = field(default=0, compare=False, repr=False)

    @classmethod
    def of(cls, function: Any) -> Where | None:
        """The line of a function's ``def``; None for functions that are not Python's."""
        code = getattr(function, "__code__", None)
        if code is None:
            return None
        number = code.co_firstlineno
        line = linecache.getline(code.co_filename, number).rstrip("\n")
        while line.lstrip().startswith("@"):  # a decorator
            number += 1
            line = linecache.getline(code.co_filename, number).rstrip("\n")
        return cls(code.co_filename, number, code.co_name, line)

    def render(self) -> str:
        """The place as Python's tracebacks print it, with carets under the expression."""
        lines = [f'  File "{self.filename}", line {self.line}'
                 + (f", in {self.function}" if self.function else "")]
        stripped = self.text.strip()
        if stripped:
            lines.append("    " + stripped)
            indent = len(self.text) - len(self.text.lstrip())
            if self.column is not None and self.end is not None and self.end > self.column:
                start = max(0, self.column - indent)
                stop = min(len(stripped), self.end - indent)
                lines.append("    " + " " * start + "^" * max(1, stop - start))
        return "\n".join(lines)


class SrcgradError(Exception):
    """Base of all srcgrad errors.

    ``what``, ``why`` and ``fix`` are sentences; ``where`` is the place in the user's source
    (or a string such as an argument path).  ``caller`` is the user's line where ``where`` lies
    in a library.  ``code`` tells the classes apart.
    """

    caller: Where | None = None
    lifted_by: tuple[str, ...] = ()  # kinds of assumptions under which it may not occur
    code: ClassVar[str] = "SG00"
    refuses: ClassVar[tuple[tuple[str, str], ...]] = ()  # programs, each with its remedy

    def __init__(self, what: str, *, where: Where | str | None = None,
                 why: str = "", fix: str = "") -> None:
        self.what, self.where, self.why, self.fix = what, where, why, fix
        super().__init__(self._message())

    def _message(self) -> str:
        parts = [self.what]
        if isinstance(self.where, Where):
            parts.append(self.where.render())
            if self.caller is not None:
                parts += ["  called from", self.caller.render()]
        elif self.where:
            parts.append(f"  at {self.where}")
        if self.why:
            parts.append(f"  Why: {self.why}")
        if self.fix:
            parts.append(f"  Fix: {self.fix}")
        page = "index" if self.code == SrcgradError.code else type(self).__name__
        parts.append(f"  Read: {PAGES}/{page}.md (srcgrad error {self.code})")
        return "\n".join(parts)

    def at(self, where: Where | str, caller: Where | None = None) -> SrcgradError:
        """The same error with a place, unless it has one already."""
        if self.where is None:
            self.where, self.caller = where, caller
            self.args = (self._message(),)
        return self


class SourceNotFound(SrcgradError, OSError):
    """The source text of a function cannot be had (built in a C extension, typed into a bare
    interpreter, made by ``exec`` without linecache)."""

    code = "SG01"
    refuses = (
        ("a function of C code that has no derivative rule", "`sg.rules.vjp`, `sg.custom_vjp`"),
        ("a function typed into a bare interpreter, or made by `exec` or `eval`",
         "a file, a notebook cell, or text registered in `linecache`"),
        ("a file that was changed after its function was defined", "reload the module"),
    )

    __str__ = Exception.__str__


class UnsupportedSyntax(SrcgradError, NotImplementedError):
    """The function uses a construct of Python that cannot be staged."""

    code = "SG02"
    refuses = (
        ("`async def`, `await`, asynchronous generators", "an ordinary function"),
        ("`try` whose body may raise in calls of a function that calls itself",
         "an `if` that tests the condition"),
    )


class UnsupportedOperation(SrcgradError, NotImplementedError):
    """A function or method without a derivative rule, or an operation on traced values that
    has no meaning in a static graph."""

    code = "SG03"
    refuses = (
        ("a function without a derivative rule, in the way of a derivative",
         "`sg.rules.vjp`, `sg.custom_vjp`, `sg.stop_gradient`"),
        ("a number read out of a text or object that was made of differentiated "
         "numbers (`float(str(x))`, `json.loads(json.dumps(x))`, a member of a set, a key of a "
         "dict that loses keys), or such an object as a differentiated result",
         "the number itself"),
        ("a random draw by a shape parameter that is differentiated (gamma, beta, counts)",
         "`sg.stop_gradient`; location and scale have derivatives"),
        ("`exec`, `eval`; `globals()` as a whole, `locals()` in a nested function",
         "code in the function; `globals()[name]`"),
        ("tables and labelled arrays of other libraries with traced values",
         "arrays: `.to_numpy()`, `.values`, `np.asarray(...)`"),
        ("weak references; instances with a `__del__` method",
         "ordinary references, `with` statements"),
        ("`Decimal` and `Fraction` of traced numbers; functions of `np.frompyfunc`",
         "floats; `np.vectorize`"),
        ("sorting objects by a differentiated key", "tuples of numbers, `np.argsort`"),
        ("returning a tuple whose length depends on data (`zip(*rows)`)", "`list(...)`"),
        ("a change of an object after a branch or loop in which it was put into something from "
         "outside", "the change before, or the object put there after it"),
        ("`is`, `id` and dict keys by identity for objects of a list whose length depends on data",
         "a number for each object, `__eq__` and `__hash__`"),
    )


class NonScalarOutput(SrcgradError, TypeError):
    """``grad`` of a function whose result is not a real scalar."""

    code = "SG04"
    refuses = (
        ("`grad` of an array, a complex number, a tuple, `None` or a count",
         "`np.sum`, the real part, `has_aux=True`, `sg.vjp`, `sg.jacobian`"),
    )


class NonDifferentiable(SrcgradError, TypeError):
    """Differentiation with respect to something that has no derivative (integers, strings)."""

    code = "SG05"
    refuses = (
        ("a gradient with respect to ints, bools, texts, or containers without floats",
         "floats, or other `argnums`"),
    )


class UnsupportedType(SrcgradError, TypeError):
    """An argument or value of a kind srcgrad does not handle (masked, object or structured
    arrays)."""

    code = "SG06"
    refuses = (
        ("`np.recarray`, masked, structured and object arrays, dates and texts",
         "plain arrays of numbers"),
        ("tensors and frames of other libraries among traced values", "`np.asarray`"),
    )


class TracingError(SrcgradError, TypeError):
    """A traced value met code that needs its number now (a C function, ``float(x)`` outside
    staged code, an unsupported protocol)."""

    code = "SG07"
    refuses = (
        ("an axis, a rank, a dict key or a place among unlike things that depends on "
         "data",
         "an array instead of a list or dict; `if` for each case"),
        ("a second `next`, or `send`, of generators whose control depends on data",
         "a `for` loop over them"),
        ("C code that needs the numbers of traced values", "NumPy functions"),
        ("functions, bound methods, generators or slices that hold traced values, returned or "
         "stored outside", "the numbers themselves, in containers"),
    )


class AliasError(SrcgradError, ValueError):
    """A write whose effect on other names depends on data: the gradient cannot be proved
    right.  The remedy is a ``.copy()``."""

    code = "SG08"
    refuses = (
        ("a write to one of two arguments that overlap partly; derivatives with "
         "respect to one array given twice and written to",
         "a copy of one of them"),
        ("reading an array that may or may not be another one, written to since, where "
         "this cannot be followed",
         "`.copy()` where the two names meet"),
        ("a write to arrays of several shapes, or views of several arrays, in a list of unknown "
         "length", "`.append(x.copy())`"),
    )


class JoinError(SrcgradError, TypeError):
    """Two paths of the program leave values behind that have no common type."""

    code = "SG09"
    refuses = (
        ("two paths that leave values behind with no common type, or dicts with other "
         "keys",
         "the same kind on both paths"),
    )


class NonFiniteValue(SrcgradError, FloatingPointError):
    """Raised under ``debug_nans``: the first statement that made a NaN or an infinity."""

    code = "SG10"
    refuses = (
        ("under `sg.debug_nans()`: a statement, forward or adjoint, that makes a NaN or an "
         "infinity", "`np.where` around the operands, or other operands"),
    )


class StructureError(SrcgradError, ValueError):
    """Arguments, ``argnums`` or cotangents whose structure does not fit the function."""

    code = "SG11"
    refuses = (
        ("`argnums` that name no argument; cotangents and tangents of another "
         "structure or shape; sparse Jacobians of containers; batches and rules that do not fit",
         "what the message names"),
    )
