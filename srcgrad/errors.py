"""Every exception srcgrad raises on purpose.

A message has four parts: *what* was met, *where* (file, line, caret under the expression,
argument path), *why* it cannot be done, and *how* to rewrite it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A place in the user's source.  ``column``/``end`` are 0-based, in characters of
    ``text`` (the source line, without its newline)."""

    filename: str
    line: int
    function: str = ""
    text: str = ""
    column: int | None = None
    end: int | None = None

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
    (or a string such as an argument path).
    """

    def __init__(self, what: str, *, where: Where | str | None = None,
                 why: str = "", fix: str = "") -> None:
        self.what, self.where, self.why, self.fix = what, where, why, fix
        super().__init__(self._message())

    def _message(self) -> str:
        parts = [self.what]
        if isinstance(self.where, Where):
            parts.append(self.where.render())
        elif self.where:
            parts.append(f"  at {self.where}")
        if self.why:
            parts.append(f"  Why: {self.why}")
        if self.fix:
            parts.append(f"  Fix: {self.fix}")
        return "\n".join(parts)

    def at(self, where: Where | str) -> SrcgradError:
        """The same error with a place, unless it has one already."""
        if self.where is None:
            self.where = where
            self.args = (self._message(),)
        return self


class SourceNotFound(SrcgradError, OSError):
    """The source text of a function cannot be had (built in a C extension, typed into a bare
    interpreter, made by ``exec`` without linecache)."""

    __str__ = Exception.__str__


class UnsupportedSyntax(SrcgradError, NotImplementedError):
    """The function uses a construct of Python that cannot be staged."""


class UnsupportedOperation(SrcgradError, NotImplementedError):
    """A function or method without a derivative rule, or an operation on traced values that
    has no meaning in a static graph."""


class NonScalarOutput(SrcgradError, TypeError):
    """``grad`` of a function whose result is not a real scalar."""


class NonDifferentiable(SrcgradError, TypeError):
    """Differentiation with respect to something that has no derivative (integers, strings)."""


class UnsupportedType(SrcgradError, TypeError):
    """An argument or value of a kind srcgrad does not handle (``np.matrix``, masked, object
    or structured arrays)."""


class TracingError(SrcgradError, TypeError):
    """A traced value met code that needs its number now (a C function, ``float(x)`` outside
    staged code, an unsupported protocol)."""


class AliasError(SrcgradError, ValueError):
    """A write whose effect on other names depends on data: the gradient cannot be proved
    right.  The remedy is a ``.copy()``."""


class JoinError(SrcgradError, TypeError):
    """Two paths of the program leave values behind that have no common type."""


class StructureError(SrcgradError, ValueError):
    """Arguments, ``argnums`` or cotangents whose structure does not fit the function."""
