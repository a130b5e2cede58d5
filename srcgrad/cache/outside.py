"""What generated code relies on outside of itself, in words that another process understands.

A guard says that a path leads to the very object that was there.  For another process that means:
an object with the same content, at the same place.  An :class:`Outside` lists such objects, each
with the way to it and the hash of its content; where all of them are as they were, what was
generated for the one process fits the other.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import linecache
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

import numpy as np

from ..types.guards import Path
from .anchors import Kept
from .files import hash_of

LIBRARIES: Final = frozenset(sys.stdlib_module_names) | {"numpy", "scipy", "srcgrad"}
PLAIN: Final = frozenset({type(None), bool, int, float, complex, str, bytes, type(...)})
_MADE_BY_PYTHON: Final = frozenset({
    "__dict__", "__weakref__", "__annotations__", "__annotate__", "__annotate_func__",
    "__annotations_cache__", "__dataclass_fields__", "__dataclass_params__", "_abc_impl",
    "__firstlineno__", "__static_attributes__", "__module__", "__qualname__"})
_STEPS: Final = frozenset({"attr", "slot", "held", "item", "cell", "fixed", "bare", "content"})
_CALLED: Final = frozenset({  # functions, classes and descriptors of libraries
    type, FunctionType, BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType,
    ClassMethodDescriptorType, GetSetDescriptorType, MemberDescriptorType, np.ufunc, type(np.sum)})
_STANDARD: Final = os.path.dirname(os.__file__)
_IN_PYTHON: Final = 1 << 9  # Py_TPFLAGS_HEAPTYPE
Way = tuple[Any, ...]


class NotKept(Exception):
    """Something has no name that leads to it, or no content that can be compared."""


def is_of_library(obj: Any) -> bool:
    """Is it part of what has a version, and does not change while a program runs?"""
    return _is_library(module_of(obj).partition(".")[0])


def module_of(obj: Any) -> str:
    """The module of a function or class, or of the class of anything else."""
    found = getattr(obj, "__module__", None) if _has_name(obj) else None
    return str(type(obj).__module__ if found is None else found)


def _has_name(obj: Any) -> bool:
    """Is it a function, class or transform?  Objects of the program's are not asked for a name:
    they might answer."""
    return isinstance(obj, type) or type(obj) in _CALLED or hasattr(
        type(obj), "__srcgrad_request__")


def _is_library(package: str) -> bool:
    """Is it the package of that name, not a module of the program's that hides it?"""
    if package not in sys.stdlib_module_names or package not in sys.modules:
        return package in LIBRARIES
    file = getattr(sys.modules[package], "__file__", None)
    return package in sys.builtin_module_names if file is None else (
        file.startswith(_STANDARD) and "site-packages" not in file)


class Outside:
    """The objects outside that generated code relies on, of one process or of another one."""

    def __init__(self) -> None:
        self.ways: list[tuple[Way, str]] = []
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []

    def number(self, obj: Any) -> int:
        """The number of an object, which is entered by its name if it is not there yet.

        Raises :class:`NotKept` if no name leads to it."""
        found = self._numbers.get(id(obj))
        return self.enter(obj, self.way(obj)) if found is None else found

    def way(self, obj: Any) -> Way | None:
        """The way to an object, if one is known or a name leads to it."""
        number = self._numbers.get(id(obj))
        return named(obj) if number is None else self.ways[number][0]

    def enter(self, obj: Any, way: Way | None) -> int:
        """Add an object that is found by a way."""
        if way is None:
            raise NotKept(f"no name leads to an object of {type(obj).__qualname__}")
        self.ways.append((way, content_hash(obj)))
        self._alive.append(obj)
        self._numbers[id(obj)] = len(self.ways) - 1
        return len(self.ways) - 1


def found_again(ways: Sequence[tuple[Way, str]], roots: Mapping[Way, Any]) -> list[Any]:
    """The objects of a list of ways in this process.  ``roots`` are those of a call, by their ways:
    its arguments, and what plays a role.

    Raises :class:`NotKept` where there is none, or one of another content."""
    found: list[Any] = []
    for way, content in ways:
        try:
            obj = _followed(way, roots)
        except (AttributeError, LookupError, TypeError, ValueError, ImportError) as error:
            raise NotKept(str(error)) from None
        if content_hash(obj) != content:
            raise NotKept(f"{way} has another content")
        found.append(obj)
    return found


# ---- ways ----------------------------------------------------------------------------------------
def named(obj: Any) -> Way | None:
    """The way by a name, of what a module or a class of a module holds under its own name."""
    if type(obj) is ModuleType:
        if sys.modules.get(obj.__name__) is obj:
            return "module", obj.__name__
    elif type(obj) is dict:
        module = obj.get("__name__")
        if type(module) is str and vars(sys.modules.get(module, object)) is obj:
            return "globals", module
    elif type(obj) is np.ufunc:
        name: Any = obj.__name__
        for module in ("numpy", "scipy.special"):
            if vars(sys.modules.get(module, np)).get(name) is obj:
                return "name", module, name
    elif _has_name(obj):
        module = getattr(obj, "__module__", None)
        name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
        if type(module) is str and type(name) is str and _held_by(module, name) is obj:
            return "name", module, name
    return None


def _held_by(module: str, name: str) -> Any:
    """What a module, or a class in it, holds itself under a name."""
    found: Any = _module(module)
    for part in name.split("."):
        found = vars(found)[part] if part in getattr(found, "__dict__", ()) else (
            getattr(found, part, None))
    return found


def _module(name: str) -> ModuleType | None:
    """A module that is there, or is the same wherever it is imported."""
    if name not in sys.modules and _is_library(name.partition(".")[0]):
        importlib.import_module(name)
    return sys.modules.get(name)


def by_path(path: Path, root: Way | None, member: Any = None) -> Way:
    """The way by a path from an object with a way, by steps that another process can take, and on
    to the type of what is there, or to what that holds under a name."""
    if root is None or not all(kind in _STEPS and type(key) in PLAIN for kind, key in path.steps):
        raise NotKept(f"a path with steps of its own: {path}")
    return "path", root, Path(path.root, path.steps), member


def _followed(way: Way, roots: Mapping[Way, Any]) -> Any:
    kind, *rest = way
    if kind == "path":
        root, path, member = rest
        found = path.resolve(_followed(root, roots))
        return found if member is None else type(found) if member is type else (
            vars(found)[member])
    if kind == "name":
        return _held_by(*rest)
    if kind == "called":
        function, args, number = rest
        return function(*(_followed(arg, roots) for arg in args))[number]
    if kind in ("module", "globals"):
        found = _module(*rest)
        return vars(found) if kind == "globals" else found
    return roots[way]


# ---- contents ------------------------------------------------------------------------------------
def content_hash(obj: Any) -> str:
    """The hash of what an object is: equal for objects that do the same."""
    return hash_of(repr(_content(obj, {})))


def _content(obj: Any, above: dict[int, int]) -> Any:
    """What an object is, in things that are printed alike in every process."""
    kind = type(obj)
    if kind in PLAIN:
        return obj
    if id(obj) in above:
        return "again", above[id(obj)]
    above[id(obj)] = len(above)
    if kind is CodeType:
        return _code(obj)
    if isinstance(obj, ModuleType):
        return "module", obj.__name__
    if is_of_library(obj):
        known = _of_library(obj, above)
        if known is not None:
            return known
    if kind is FunctionType:
        return ("function", obj.__module__, obj.__qualname__, _code(obj.__code__),
                *(_part(part, above) for part in (obj.__defaults__, obj.__kwdefaults__)),
                [_part(cell, above) for cell in _contents(obj)])
    if isinstance(obj, type):
        return [_class(one, above) for one in obj.__mro__]
    if isinstance(obj, enum.Enum):
        return "enum", _class(kind, above), obj.name
    if hasattr(kind, "__srcgrad_request__"):
        return "transform", repr(obj.__srcgrad_request__), _content(obj.__wrapped__, above)
    if all(cls is object or (cls.__flags__ & _IN_PYTHON and not is_of_library(cls))
           for cls in kind.__mro__):  # guards compare what it holds
        return "instance", _content(kind, above)
    raise NotKept(f"the content of an object of {kind.__qualname__} cannot be compared")


def _of_library(obj: Any, above: dict[int, int]) -> Any:
    """The content of what libraries give, None where it is not known."""
    kind = type(obj)
    if kind in (tuple, list):
        return kind.__name__, [_content(part, above) for part in obj]
    if kind in (frozenset, set):
        return kind.__name__, sorted(repr(_content(part, above)) for part in obj)
    if kind is dict:
        if "__name__" in obj and vars(sys.modules.get(obj["__name__"], object)) is obj:
            return "globals", obj["__name__"]
        return "dict", [(_content(k, above), _content(v, above)) for k, v in obj.items()]
    if kind in (property, classmethod, staticmethod, functools.cached_property):
        return kind.__name__, [_part(getattr(obj, name, None), above)
                               for name in ("fget", "fset", "__func__", "func")]
    if isinstance(obj, (np.dtype, np.generic)) or (
            kind.__name__ == "_DataclassParams"):
        return kind.__name__, repr(obj)
    if kind is dataclasses.Field:
        return "field", [_part(getattr(obj, name), above) for name in (
            "name", "init", "default", "default_factory")]
    if kind is functools.partial:
        return "partial", [_content(part, above) for part in (obj.func, obj.args, obj.keywords)]
    owner = getattr(obj, "__self__", None)
    if kind in _CALLED and (owner is None or isinstance(owner, (type, ModuleType))):
        code = obj.__code__ if kind is FunctionType else None
        return (kind.__name__, getattr(obj, "__module__", None), getattr(obj, "__name__", None),
                code and (code.co_filename, code.co_firstlineno))
    return None


def _part(obj: Any, above: dict[int, int]) -> Any:
    """The content of a part; of what cannot be compared, and what guards compare where code
    reads it, the type."""
    try:
        return _content(obj, above)
    except NotKept:
        return type(obj).__module__, type(obj).__qualname__


def _contents(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            yield None


def _class(cls: type, above: dict[int, int]) -> Any:
    if is_of_library(cls):
        return cls.__module__, cls.__qualname__
    return (cls.__module__, cls.__qualname__, type(cls).__qualname__,
            [(name, _part(value, above)) for name, value in vars(cls).items()
             if name not in _MADE_BY_PYTHON],
            [(one.name, _part(one.value, above)) for one in cls] if issubclass(
                cls, enum.Enum) else ())


def _code(code: CodeType) -> str:
    """The hash of a code object with the lines that it was made from."""
    def made() -> str:
        constants = [_code(c) if type(c) is CodeType else _constant(c) for c in code.co_consts]
        return hash_of(repr((
            code.co_qualname, code.co_filename, code.co_firstlineno, code.co_code, code.co_names,
            code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags,
            code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount,
            code.co_linetable, code.co_exceptiontable, constants, _lines(code))))

    found: str = _CODES.get(code, made)
    return found


_CODES: Final = Kept()


def _constant(value: Any) -> Any:
    if type(value) is frozenset:
        return "frozenset", sorted(repr(_constant(part)) for part in value)
    return type(value).__name__, [_constant(v) for v in value] if type(value) is tuple else value


def _lines(code: CodeType) -> list[str]:
    numbers = [line for _, _, line in code.co_lines() if line]
    lines = linecache.getlines(code.co_filename)
    return lines[code.co_firstlineno - 1:max(numbers, default=0)]
