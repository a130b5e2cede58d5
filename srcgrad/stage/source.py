"""The source of a Python function, as a syntax tree with the positions of the file.

Only the lines of the function are parsed (with the indentation and the line numbers they have
in the file).  Where that is not enough (lambdas, odd layouts) the whole file is, once.  What is
found must fit the code that would run: names, parameters and, where the file was written after
the start of the process or several candidates exist, the compiled code itself.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from ..errors import SourceNotFound
from .scopes import parameters

_STARTED: Final = time.time()
_NAMELESS: Final = "<string>"  # any text; since Python 3.13 linecache has that of ``python -c``
_FLAGS: Final = 0x1000000  # CO_FUTURE_ANNOTATIONS
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Source:
    """``node`` is the definition, ``lines`` all lines of its file, ``owner`` the name of the
    class in whose body it stands (for ``self.__x``)."""

    node: _Function
    filename: str
    lines: list[str]
    text: str
    owner: str | None


def find_source(code: CodeType, module_globals: dict[str, Any] | None = None) -> Source:
    """The source of the function with this code object.

    Raises SourceNotFound where there is none (C extensions, ``exec`` without linecache,
    generated methods) or where the file no longer fits the code that runs.
    """
    lines = _lines(code, module_globals)
    owner = owner_class(code.co_qualname)
    if code.co_name == "<lambda>":
        node, text = _find_lambda(code, lines, owner)
    else:
        node, text = _find_definition(code, lines, owner)
    return Source(node, code.co_filename, lines, text, owner)


def owner_class(qualname: str) -> str | None:
    """The innermost class around a function: ``C`` for ``f.<locals>.C.m`` and also for
    ``C.m.<locals>.g``; None for ``f.<locals>.g``."""
    parts = qualname.split(".")
    for index in range(len(parts) - 2, -1, -1):
        if parts[index] != "<locals>" and parts[index + 1] != "<locals>":
            return parts[index]
    return None


def _lines(code: CodeType, module_globals: dict[str, Any] | None) -> list[str]:
    filename = code.co_filename
    if filename.startswith("<frozen "):  # standard library that is part of the interpreter
        module = sys.modules.get(filename[len("<frozen "):-1])
        filename = getattr(module, "__file__", None) or filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, module_globals)
    if not lines:
        raise _missing(code)
    return lines


def _missing(code: CodeType) -> SourceNotFound:
    return SourceNotFound(
        f"the source of {code.co_qualname} cannot be found",
        where=f'File "{code.co_filename}", line {code.co_firstlineno}',
        why="the function was generated, typed into a bare interpreter, or made by exec, so "
            "there is no text to read",
        fix="define it in a file or a notebook cell (generated text: register it in "
            "linecache), or give it a derivative with custom_vjp")


def _changed(code: CodeType) -> SourceNotFound:
    if code.co_filename == _NAMELESS:
        return _missing(code)
    return SourceNotFound(
        f"the source file of {code.co_qualname} does not fit the function that runs",
        where=f'File "{code.co_filename}", line {code.co_firstlineno}',
        why="the file was changed after the function was defined",
        fix="reload the module (or restart the interpreter), then call again")


# ---- definitions -------------------------------------------------------------------------
def _find_definition(code: CodeType, lines: list[str],
                     owner: str | None) -> tuple[_Function, str]:
    first = code.co_firstlineno
    text = _block_text(code, lines) if first <= len(lines) else None
    node = _parse_block(text, first) if text is not None else None
    if node is None:
        text = "".join(lines)
        node = _in_file(code.co_name, first, code.co_filename, lines)
    if node is None or not _fits(node, code, owner) or (
            _may_be_stale(code.co_filename) and not _is_of_text(code, lines)):
        return _moved_definition(code, lines, owner)
    assert text is not None
    return node, text


def _moved_definition(code: CodeType, lines: list[str],
                      owner: str | None) -> tuple[_Function, str]:
    """A definition that is at another place of the file now, as after a reload: where the text
    compiles to the code that runs but for its lines."""
    found = [one for one in _codes_of(code, lines) if _equal(one, code, moved=True)]
    found.sort(key=lambda one: one.co_qualname != code.co_qualname)
    for one in found[:1]:
        node = _in_file(code.co_name, one.co_firstlineno, code.co_filename, lines)
        if node is not None and _fits(node, code, owner):
            return node, "".join(lines)
    raise _changed(code)


def _last_line(code: CodeType) -> int:
    last = code.co_firstlineno
    for _, _, line in code.co_lines():
        if line is not None and line > last:
            last = line
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            last = max(last, _last_line(constant))
    return last


def _block_text(code: CodeType, lines: list[str]) -> str | None:
    """The lines of a definition: down to the first line after the last one with code that is
    indented no deeper than its head."""
    first = code.co_firstlineno - 1
    head = lines[first]
    indent = len(head) - len(head.lstrip())
    stop = min(_last_line(code), len(lines))
    while stop < len(lines):
        line = lines[stop]
        stripped = line.lstrip()
        if stripped and not stripped.startswith("#") and len(line) - len(stripped) <= indent:
            break
        stop += 1
    return "".join(lines[first:stop])


def _parse_block(text: str, first: int) -> _Function | None:
    """Parse with the indentation kept (``if 1:`` on the line before) and the file's lines."""
    indented = text[:1] in " \t"
    padding = "\n" * (first - 2) + "if 1:\n" if indented else "\n" * (first - 1)
    if indented and first < 2:
        return None
    try:
        module = _parse(padding + text)
    except (SyntaxError, ValueError):
        return None
    body = module.body[0].body if indented else module.body  # type: ignore[attr-defined]
    node = body[0] if body else None
    return node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None


def _parse(text: str) -> ast.Module:
    if "\\" not in text:
        return ast.parse(text)
    with _warned_before():
        return ast.parse(text)


_WARNINGS: Final = threading.Lock()


@contextmanager
def _warned_before() -> Iterator[None]:
    """The user has seen warnings about his text when it was compiled (odd escapes, mostly)."""
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _in_file(name: str, first: int, filename: str, lines: list[str]) -> _Function | None:
    for node in _functions_of(filename, lines):
        if isinstance(node, ast.Lambda):
            continue
        line = min([node.lineno, *[d.lineno for d in node.decorator_list]])
        if line == first and node.name == name:
            return node
    return None


def _fits(node: _Function, code: CodeType, owner: str | None) -> bool:
    if not isinstance(node, ast.Lambda) and node.name != code.co_name:
        return False
    names = parameters(node.args)
    mine = code.co_varnames[:len(names)]
    return tuple(mangled(name, owner) for name in names) == mine


def mangled(name: str, owner: str | None) -> str:
    """``__x`` inside ``class C`` is ``_C__x``."""
    if owner is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    prefix = owner.lstrip("_")
    return f"_{prefix}{name}" if prefix else name


def is_generated(function: Any) -> bool:
    """Was a function made of a text that nobody has kept, as dataclasses make methods?  (Cells of
    notebooks and texts registered in linecache have names in brackets, too.)"""
    code = function.__code__
    if code.co_filename != _NAMELESS or not linecache.getlines(_NAMELESS):
        return code.co_filename.startswith("<") and not linecache.getlines(code.co_filename)
    try:
        find_source(code)
    except SourceNotFound:
        return True
    return False


def _may_be_stale(filename: str) -> bool:
    """Whether the text may be another one than what was compiled: the file was written after
    this process had started, or a name such as ``<string>`` stands for several texts."""
    if filename.startswith("<"):
        return True
    try:
        return os.stat(filename).st_mtime > _STARTED
    except OSError:
        return False  # cells of notebooks: named after their text


# ---- lambdas -----------------------------------------------------------------------------
def _find_lambda(code: CodeType, lines: list[str], owner: str | None) -> tuple[_Function, str]:
    functions = _functions_of(code.co_filename, lines)
    found = [node for node in functions if isinstance(node, ast.Lambda)
             and node.lineno == code.co_firstlineno and _fits(node, code, owner)]
    if len(found) > 1:
        found = _by_position(found, code)
    if (found and _may_be_stale(code.co_filename)) and not _is_of_text(code, lines):
        found = []
    if not found:
        found = _moved_lambdas(code, functions, lines, owner)
    if len(found) > 1:
        imports = _FILES[code.co_filename].imports
        found = [node for node in found if _same_code(node, code, owner, imports)
                 or _same_code(node, code, owner, [])]
        if len({ast.dump(node) for node in found}) == 1:
            found = found[:1]
    if not found:
        raise _changed(code)
    if len(found) > 1:
        raise SourceNotFound(
            "several lambdas on this line cannot be told apart",
            where=f'File "{code.co_filename}", line {code.co_firstlineno}',
            why="they compile to the same code, and the interpreter keeps no column positions",
            fix="write them on lines of their own, or use def")
    node = found[0]
    return node, "".join(lines[node.lineno - 1:node.end_lineno])


def _moved_lambdas(code: CodeType, functions: list[_Function], lines: list[str],
                   owner: str | None) -> list[ast.Lambda]:
    """Those that compile to the code that runs, but for their lines."""
    places = {one.co_firstlineno for one in _codes_of(code, lines)
              if _equal(one, code, moved=True)}
    return [node for node in functions if isinstance(node, ast.Lambda)
            and node.lineno in places and len(places) == 1 and _fits(node, code, owner)]


def _by_position(found: list[ast.Lambda], code: CodeType) -> list[ast.Lambda]:
    """Those whose body encloses all positions of the code, the narrowest first."""
    places = [(line, column, end_line, end_column)
              for line, end_line, column, end_column in code.co_positions()
              if line is not None and end_line is not None and column is not None
              and end_column is not None and (end_line, end_column) > (line, column)]
    if not places:
        return found
    start = min((line, column) for line, column, _, _ in places)
    stop = max((line, column) for _, _, line, column in places)
    fitting = [node for node in found
               if (node.body.lineno, node.body.col_offset) <= start
               and stop <= (node.body.end_lineno or 0, node.body.end_col_offset or 0)]
    fitting.sort(key=lambda n: ((n.end_lineno or 0) - n.lineno,
                                (n.end_col_offset or 0) - n.col_offset))
    return fitting[:1]


# ---- whole files -------------------------------------------------------------------------
class _Parsed:
    """A whole file: its functions, the import statements of the module, its compiled code."""

    __slots__ = ("codes", "functions", "imports", "lines")

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        module = _parse("".join(lines))
        self.functions: list[_Function] = [
            node for node in ast.walk(module)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
        self.imports: list[ast.stmt] = [
            node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
        self.codes: dict[int, list[CodeType]] = {}  # by the flags they were compiled with


_FILES: dict[str, _Parsed] = {}
_KEPT: Final = 16


def _functions_of(filename: str, lines: list[str]) -> list[_Function]:
    parsed = _parsed(filename, lines)
    return [] if parsed is None else parsed.functions


def _parsed(filename: str, lines: list[str]) -> _Parsed | None:
    parsed = _FILES.get(filename)
    if parsed is None or parsed.lines is not lines:
        try:
            parsed = _Parsed(lines)
        except (SyntaxError, ValueError):
            return None
        while len(_FILES) >= _KEPT:
            _FILES.pop(next(iter(_FILES)), None)
        _FILES[filename] = parsed
    return parsed


# ---- comparison of compiled code -----------------------------------------------------------
def _is_of_text(code: CodeType, lines: list[str]) -> bool:
    """Compile the whole text: does the function come out as the code that runs?"""
    rewritten = any(name.startswith("@py")  # by pytest, for its asserts
                    for one in (code, *_all_codes(code)) for name in one.co_names)
    return rewritten or any(_equal(one, code) for one in _codes_of(code, lines))


def _codes_of(code: CodeType, lines: list[str]) -> list[CodeType]:
    """The code objects of the whole text, compiled as ``code`` was."""
    parsed = _parsed(code.co_filename, lines)
    if parsed is None:
        raise _changed(code)
    flags = code.co_flags & _FLAGS
    codes = parsed.codes.get(flags)
    if codes is None:
        try:
            with _warned_before():
                codes = [made for part in _parts_of(code.co_filename, "".join(lines))
                         for made in _all_codes(compile(part, code.co_filename, "exec", flags,
                                                        dont_inherit=True))]
        except (SyntaxError, ValueError):
            raise _changed(code) from None
        parsed.codes[flags] = codes
    return codes


def _parts_of(filename: str, text: str) -> list[Any]:
    """A text as a whole, and, for a cell of a notebook, each of its statements, which are
    compiled one by one (a name that one of them imports is no imported name in the others)."""
    parts: list[Any] = [text]
    if filename.startswith("<"):
        parts += [ast.Module([node], []) for node in ast.parse(text).body]
    return parts


def _all_codes(module: CodeType) -> list[CodeType]:
    found: list[CodeType] = []
    pending = [module]
    while pending:
        for constant in pending.pop().co_consts:
            if isinstance(constant, CodeType):
                found.append(constant)
                pending.append(constant)
    return found


def _same_code(node: ast.Lambda, code: CodeType, owner: str | None,
               imports: list[ast.stmt]) -> bool:
    """Whether the lambda compiles to this code, in a context with the same free names, the same
    class and the same imported names (they change the code of calls)."""
    inside: list[ast.stmt] = [ast.copy_location(ast.Expr(node), node)]
    if owner is not None:
        inside = [ast.ClassDef(name=owner, bases=[], keywords=[], body=inside,
                               decorator_list=[])]
    targets: list[ast.stmt] = [
        ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None))
        for name in code.co_freevars if name != "__class__"]
    outer = ast.FunctionDef("outer", ast.arguments(
        posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]),
        [*targets, *inside], [])
    for made in [*inside, outer]:
        if "type_params" in made._fields and not hasattr(made, "type_params"):
            setattr(made, "type_params", [])  # noqa: B010  (unknown to Python 3.11)
    module = ast.fix_missing_locations(ast.Module([*imports, outer], []))
    compiled = compile(module, code.co_filename, "exec", dont_inherit=True)
    return any(_equal(candidate, code) for candidate in _all_codes(compiled))


def _equal(one: CodeType, other: CodeType, moved: bool = False) -> bool:
    """Do two code objects do the same, at the same lines (unless one has ``moved``)?"""
    if (one.co_name != other.co_name
            or (one.co_firstlineno != other.co_firstlineno and not moved)
            or one.co_code != other.co_code or one.co_names != other.co_names
            or one.co_varnames != other.co_varnames or len(one.co_consts) != len(other.co_consts)):
        return False
    return all(_same_constant(a, b, moved) for a, b in zip(one.co_consts, other.co_consts))


def _same_constant(a: Any, b: Any, moved: bool) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return _equal(a, b, moved)
    if type(a) is not type(b):
        return False
    return bool(a == b) if isinstance(a, frozenset) else repr(a) == repr(b)


class CodeTable:
    """A memo keyed by code objects, by identity: equal code in different files differs."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[CodeType], Any]] = {}

    def get(self, code: CodeType) -> Any:
        """The entry for this very code object, or None."""
        found = self._entries.get(id(code))
        return found[1] if found is not None and found[0]() is code else None

    def put(self, code: CodeType, value: Any) -> None:
        """Remember ``value`` as long as the code object lives."""
        key = id(code)
        entries = self._entries

        def forget(reference: weakref.ref[CodeType]) -> None:
            found = entries.get(key)
            if found is not None and found[0] is reference:
                del entries[key]

        entries[key] = (weakref.ref(code, forget), value)
