"""Compiled functions in pickles: by name where they can be imported, by value elsewhere.

A function of ``__main__``, of a notebook, or from inside of another function is taken along: its
code, what is around it, the globals that it uses, and the text of its file, so that it can be
staged in a process that has neither.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import linecache
import marshal
import sys
import types
import zlib
from collections.abc import Iterator
from typing import Any

from ..errors import SourceNotFound, StructureError
from ..types.dataclasses import dataclass

FORMAT = 1
PYTHON = sys.implementation.cache_tag
_LEFT_OUT = ("__builtins__",)
_MAIN = ("__main__", "__mp_main__")


@dataclass(frozen=True)
class _Function:
    """Stands for a function of the packet."""

    number: int


@dataclass(frozen=True)
class _Transformed:
    """Stands for what a transform makes of a part of the packet."""

    make: Any
    function: Any
    request: Any


@dataclass(frozen=True)
class _Partial:
    function: Any
    args: Any
    keywords: Any


@dataclass(frozen=True)
class _Module:
    name: str


def reduced(compiled: Any) -> tuple[Any, ...]:
    """What ``__reduce__`` of a compiled function returns."""
    function = compiled.__wrapped__
    if _is_importable(compiled, function):
        return _by_name, (function.__module__, function.__qualname__)
    packer = _Packer()
    whole = packer.packed(compiled)
    return restored, (FORMAT, PYTHON, whole, packer.functions, packer.cells, packer.spaces,
                      packer.texts)


def global_of(function: Any) -> Any:
    """What stands in its module under a function's name."""
    found: Any = sys.modules.get(getattr(function, "__module__", None) or "")
    for part in getattr(function, "__qualname__", "").split("."):
        found = getattr(found, part, None)
    return found


def _is_importable(obj: Any, function: Any) -> bool:
    return global_of(function) is obj and _is_found(function.__module__)


def _is_found(module: str) -> bool:
    """Would an import find the module in another process?  Not the program itself, nor what was
    made by hand or loaded from a file that no path leads to."""
    top = module.partition(".")[0]
    return module not in _MAIN and any(
        finder.find_spec(top, None) is not None for finder in sys.meta_path
        if hasattr(finder, "find_spec"))


def _by_name(module: str, qualname: str) -> Any:
    try:
        found: Any = importlib.import_module(module)
        for part in qualname.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise SourceNotFound(
            f"the pickled function {module}.{qualname} is not there", where="unpickling",
            why=f"functions of modules are pickled by name, and here {error}",
            fix="install the same version of the module in both processes") from None
    return found


class _Packer:
    """Functions by value, with each of their cells and globals once."""

    def __init__(self) -> None:
        self.functions: list[Any] = []
        self.cells: list[Any] = []
        self.spaces: list[Any] = []
        self.texts: dict[str, str] = {}
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []
        self._made: dict[int, Any] = {}

    def packed(self, value: Any) -> Any:
        """A value with stand-ins for what standard pickles cannot hold, or hold by name only."""
        if hasattr(type(value), "__srcgrad_request__"):
            function = value.__wrapped__
            if _is_importable(value, function):
                return value
            return _Transformed(type(value), self.packed(function), value.__srcgrad_request__)
        if isinstance(value, types.FunctionType) and not _is_importable(value, value):
            return self._function(value)
        if isinstance(value, types.ModuleType):
            return _Module(value.__name__)
        if type(value) is functools.partial:
            return _Partial(self.packed(value.func), self.packed(value.args),
                            self.packed(value.keywords))
        if type(value) in (list, tuple):
            return type(value)(map(self.packed, value))
        if type(value) is dict:
            return {k: self.packed(v) for k, v in value.items()}
        if type(value).__module__ == "__main__":
            self._keep_texts(type(value))
        return value

    def _number(self, obj: Any, table: list[Any], blank: Any) -> tuple[int, bool]:
        """The number of an object among those of its kind, and whether it is a new one."""
        if id(obj) in self._numbers:
            return self._numbers[id(obj)], False
        self._alive.append(obj)
        table.append(blank)
        self._numbers[id(obj)] = len(table) - 1
        return len(table) - 1, True

    def _function(self, function: types.FunctionType) -> _Function:
        number, new = self._number(function, self.functions, None)
        if new:
            self._keep_text(function.__code__, function.__globals__)
            code = marshal.dumps(function.__code__)
            cells = [self._cell(cell) for cell in function.__closure__ or ()]
            self.functions[number] = (
                code, zlib.crc32(code), function.__name__, function.__qualname__,
                function.__module__, self.packed(function.__defaults__),
                self.packed(function.__kwdefaults__), function.__doc__,
                self.packed(function.__dict__), cells, self._space(function))
        return _Function(number)

    def _cell(self, cell: types.CellType) -> int:
        number, new = self._number(cell, self.cells, ())
        if new:
            try:
                self.cells[number] = (self.packed(cell.cell_contents),)
            except ValueError:  # empty
                pass
        return number

    def _space(self, function: types.FunctionType) -> int:
        """The globals that a function uses, with those that others of its module do."""
        number, new = self._number(function.__globals__, self.spaces, {})
        name = function.__globals__.get("__name__")
        if name and vars(sys.modules.get(name, object)) is function.__globals__ and (
                _is_found(name)):
            self.spaces[number] = _Module(name)
            return number
        if new:
            self.spaces[number]["__name__"] = name
        for name in names_in(function.__code__):
            if name in function.__globals__ and name not in (*self.spaces[number], *_LEFT_OUT):
                self.spaces[number][name] = None
                value = function.__globals__[name]
                self.spaces[number][name] = self.packed(value)
                if isinstance(value, type) and value.__module__ == "__main__":
                    self._keep_texts(value)
        return number

    def _keep_texts(self, cls: type) -> None:
        for member in vars(cls).values():
            if isinstance(member, types.FunctionType):
                self._keep_text(member.__code__, member.__globals__)

    def _keep_text(self, code: types.CodeType, space: dict[str, Any]) -> None:
        if code.co_filename not in self.texts:
            lines = linecache.getlines(code.co_filename, space)
            self.texts[code.co_filename] = "".join(lines)


def names_in(code: types.CodeType) -> Iterator[str]:
    """The names that a code object, and those inside of it, may look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


# ---- unpickling ----------------------------------------------------------------------------------
def restored(made: Any, python: Any = None, *packet: Any) -> Any:
    """The compiled function of a packet."""
    if made != FORMAT or python != PYTHON or len(packet) != 5:
        raise StructureError(
            "a pickled function was made by another version of srcgrad or Python",
            where="unpickling",
            why=f"it has format {made!r} for {python!r}, here it is {FORMAT} for {PYTHON!r}",
            fix="pickle it again with the versions that read it")
    try:
        return _Unpacker(*packet).whole()
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError) as error:
        raise StructureError(
            "a pickled function is damaged", where="unpickling",
            why=f"{type(error).__name__}: {error}", fix="pickle it again") from None


class _Unpacker:
    """The functions of a packet."""

    def __init__(self, whole: Any, functions: list[Any], cells: list[Any],
                 spaces: list[Any], texts: dict[str, str]) -> None:
        self._whole, self._given, self._contents, self._values = whole, functions, cells, spaces
        self._names = {name: _placed(name, text) for name, text in texts.items() if text}
        self._cells = [types.CellType() for _ in cells]
        self._spaces = [self._unpacked(space).__dict__ if isinstance(space, _Module)
                        else {"__builtins__": __builtins__} for space in spaces]
        self._functions = [self._function(f) for f in functions]

    def whole(self) -> Any:
        for made, given in zip(self._functions, self._given, strict=True):
            made.__defaults__, made.__kwdefaults__ = self._unpacked(given[5]), self._unpacked(
                given[6])
            made.__dict__.update(self._unpacked(given[8]))
        for space, values in zip(self._spaces, self._values, strict=True):
            if not isinstance(values, _Module):
                space.update({name: self._unpacked(value) for name, value in values.items()})
        for cell, contents in zip(self._cells, self._contents, strict=True):
            for value in contents:
                cell.cell_contents = self._unpacked(value)
        return self._unpacked(self._whole)

    def _function(self, given: tuple[Any, ...]) -> types.FunctionType:
        code, checksum, name, qualname, module, _, _, doc, _, cells, space = given
        if zlib.crc32(code) != checksum:
            raise ValueError("its code is not what was written")
        made = types.FunctionType(_renamed(marshal.loads(code), self._names),
                                  self._spaces[space], name, None,
                                  tuple(self._cells[c] for c in cells) or None)
        made.__qualname__, made.__module__, made.__doc__ = qualname, module, doc
        return made

    def _unpacked(self, value: Any) -> Any:
        if isinstance(value, _Function):
            return self._functions[value.number]
        if isinstance(value, _Transformed):
            return value.make(self._unpacked(value.function), value.request)
        if isinstance(value, _Partial):
            return functools.partial(self._unpacked(value.function), *self._unpacked(value.args),
                                     **self._unpacked(value.keywords))
        if isinstance(value, _Module):
            return importlib.import_module(value.name)
        if type(value) in (list, tuple):
            return type(value)(map(self._unpacked, value))
        if type(value) is dict:
            return {k: self._unpacked(v) for k, v in value.items()}
        return value


def _placed(filename: str, text: str) -> str:
    """The name under which a text is found here: that of the file, if it has the same text."""
    if "".join(linecache.getlines(filename)) == text:
        return filename
    name = f"<{filename.strip('<>')} {hashlib.sha256(text.encode()).hexdigest()[:8]}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return name


def _renamed(code: types.CodeType, names: dict[str, str]) -> types.CodeType:
    return code.replace(
        co_filename=names.get(code.co_filename, code.co_filename),
        co_consts=tuple(_renamed(c, names) if isinstance(c, types.CodeType) else c
                        for c in code.co_consts))
