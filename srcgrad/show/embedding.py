"""Objects as text of a module of their own: functions with all that they use, constants.

:class:`Module` collects definitions so that a piece of generated code runs where neither
srcgrad nor the user's modules can be imported.
"""

from __future__ import annotations

import ast
import base64
import builtins
import enum
import importlib
import inspect
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..emit.literals import GRIDS, Namespace
from ..errors import SrcgradError, StructureError
from ..types.identifiers import name_or
from ..types.spelling import At, Attribute, Method, Part

_ERROR = """class {name}({base}):
    def __init__(self, what, *, where=None, why="", fix=""):
        super().__init__("\\n".join(part for part in (what, why, fix) if part))"""
IN_DIGITS = 64  # arrays of up to so many elements are written in digits, larger ones in base 64


class Module:
    """A module under construction: import lines and definitions, in order of need.  ``above``
    gives the decorator of a function, if there is one."""

    def __init__(self, reserved: set[str], above: Callable[[Any], str] = lambda obj: "") -> None:
        self.above = above
        self.imports: dict[str, None] = {"import numpy as np": None}
        self.definitions: list[str] = []
        self.names: dict[int, str] = {}
        self.taken: dict[str, Any] = dict.fromkeys(reserved | {"np"})
        self.kept: list[Any] = []

    # ---- names -----------------------------------------------------------------------
    def name(self, obj: Any, wanted: str) -> str:
        """The name under which ``obj`` is known in the module; it is defined if it is new."""
        found = self.names.get(id(obj))
        if found is not None:
            return found
        imported = self._imported(obj, wanted)
        if imported is not None:
            return imported
        chosen = self._free(wanted)
        self.names[id(obj)] = chosen
        self.kept.append(obj)
        self.definitions.append(self._definition(obj, chosen))
        return chosen

    def define(self, obj: Any, name: str) -> None:
        """Make ``obj`` known under exactly this name."""
        found = self.name(obj, name)
        if found != name:
            self.definitions.append(f"{name} = {found}")

    def _free(self, wanted: str) -> str:
        chosen, number = wanted, 1
        while chosen in self.taken or hasattr(builtins, chosen):
            number += 1
            chosen = f"{wanted}_{number}"
        self.taken[chosen] = None
        return chosen

    def _imported(self, obj: Any, wanted: str) -> str | None:
        """A dotted name for what NumPy, SciPy and the standard library offer."""
        if isinstance(obj, types.ModuleType):
            return self._module(obj, wanted)
        literal = Namespace(set())
        path = literal.public(obj) if callable(obj) else None
        if path is not None:
            self.imports.update(literal.imports)
            return path
        for path, grid in GRIDS.items():
            if obj is grid:
                return path
        if isinstance(obj, enum.Enum):
            cls = self._imported(type(obj), "")
            return None if cls is None else f"{cls}.{obj.name}"
        module = getattr(obj, "__module__", None)
        if isinstance(module, str) and _is_standard(module) and hasattr(obj, "__qualname__"):
            path = f"{module}.{obj.__qualname__}"
            if _lookup(module, obj.__qualname__) is obj:
                self.imports[f"import {module}"] = None
                return path if module != "builtins" else obj.__qualname__
        return None

    def _module(self, module: types.ModuleType, wanted: str) -> str:
        if not _is_standard(module.__name__):
            raise _cannot(f"the module {module.__name__}", "it is not NumPy, SciPy or part of "
                          "the standard library")
        if module is np:
            return "np"
        known = self.taken.get(wanted)
        chosen = wanted if known is module else self._free(wanted)
        self.taken[chosen] = module
        self.imports[f"import {module.__name__} as {chosen}" if chosen != module.__name__
                     else f"import {chosen}"] = None
        return chosen

    # ---- definitions ------------------------------------------------------------------
    def _definition(self, obj: Any, name: str) -> str:
        if isinstance(obj, Method):
            return (f"def {name}(obj, *args, **kwargs):\n"
                    f"    return obj.{obj.name}(*args, **kwargs)")
        if isinstance(obj, Attribute):
            return f"def {name}(obj):\n    return obj.{obj.name}"
        if isinstance(obj, Part):
            inner = self.name(obj.fn, _name_of(obj.fn))
            return (f"def {name}(*args, **kwargs):\n"
                    f"    return {inner}(*args, **kwargs)[{obj.index}]")
        if isinstance(obj, At):
            inner = self.name(obj.fn, _name_of(obj.fn))
            return (f"def {name}(first, *rest, **kwargs):\n    return {inner}(*rest[:{obj.place}], "
                    f"first, *rest[{obj.place}:], **kwargs)")
        if isinstance(obj, types.FunctionType):
            return self.above(obj) + self._function(inspect.unwrap(obj), name)
        if isinstance(obj, type):
            return self._class(obj, name)
        plain = getattr(type(obj), "__srcgrad_plain__", None)
        if plain is not None:  # what it is where nothing is differentiated
            return self._function(inspect.unwrap(plain(obj)), name)
        return f"{name} = {self.literal(obj)}"

    def literal(self, obj: Any) -> str:
        """An expression for a constant."""
        if isinstance(obj, np.ndarray) and obj.dtype.kind in "biufc":
            return array_text(obj, self)
        if isinstance(obj, np.generic) and obj.dtype.kind in "biufc":
            return f"{array_text(np.asarray(obj), self)}[()]"
        if hasattr(type(obj), "tocoo"):  # a sparse matrix
            whole = obj.tocoo()
            made, entries = self.name(type(whole), type(whole).__name__), (
                whole.data, (whole.row, whole.col))
            return f"{made}({self.literal(entries)}, {whole.shape}).asformat({obj.format!r})"
        if type(obj) in (list, tuple) and not hasattr(type(obj), "_fields"):
            inner = ", ".join(self.literal(o) for o in obj)
            return f"[{inner}]" if type(obj) is list else f"({inner}{',' * (len(obj) == 1)})"
        if type(obj) is dict:
            return "{" + ", ".join(f"{self.literal(k)}: {self.literal(v)}"
                                   for k, v in obj.items()) + "}"
        if isinstance(obj, (types.FunctionType, type, types.ModuleType)):
            return self.name(obj, _name_of(obj))
        if isinstance(obj, enum.Enum):
            made = self.name(type(obj), type(obj).__name__)
            return f"{made}({obj.value!r})" if isinstance(obj, enum.Flag) else f"{made}.{obj.name}"
        plainly = next((k for k in (int, float, str) if isinstance(obj, k)), None)
        obj = obj if plainly is None or type(obj) in (bool, int, float, str) else plainly(obj)
        namespace = Namespace(set())
        expression = namespace.literal(obj)
        if namespace.globals:
            raise _cannot(f"an object of type {type(obj).__name__}", "it cannot be written down")
        self.imports.update(namespace.imports)
        return ast.unparse(expression)

    def _function(self, function: types.FunctionType, name: str) -> str:
        tree = _parsed(function)
        if not isinstance(tree, ast.FunctionDef):
            raise _cannot(f"the function {function.__qualname__}", "its source is not a plain def")
        tree.decorator_list = []
        tree.name = name
        _strip_annotations(tree)
        scope = {**function.__globals__, **_cells(function), function.__name__: function}
        local = set(function.__code__.co_varnames)
        return self._renamed(tree, scope, local)

    def _class(self, cls: type, name: str) -> str:
        if issubclass(cls, SrcgradError):
            base = next(b for b in cls.__mro__ if b.__module__ == "builtins")
            return _ERROR.format(name=name, base=base.__name__)
        tree = _parsed(cls)
        assert isinstance(tree, ast.ClassDef)
        tree.name = name
        scope = {**vars(sys.modules[cls.__module__]), cls.__name__: cls}
        return self._renamed(tree, scope, set())

    def _renamed(self, tree: ast.AST, scope: dict[str, Any], local: set[str]) -> str:
        """The text of a definition, all global names given their names in this module."""
        mapping: dict[str, str] = {}
        for used in _names(tree):
            if used in scope and used not in local:
                mapping[used] = self.name(scope[used], used)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in mapping:
                node.id = mapping[node.id]
        return ast.unparse(tree)

    def text(self) -> str:
        """The definitions, two empty lines between functions."""
        parts: list[str] = []
        for piece in self.definitions:
            block = piece.startswith(("def ", "class ", "@"))
            parts.append(f"\n\n{piece}\n" if block else piece)
        return "\n".join(parts)


def array_text(array: np.ndarray[Any, Any], module: Module) -> str:
    """An expression that makes the array again: dtype, shape, layout and bits."""
    if array.size <= IN_DIGITS and np.all(np.isfinite(array)) and array.dtype.kind in "biuf" and (
            array.size):
        text = f"np.array({array.tolist()!r}, dtype={array.dtype.str!r})"
    else:
        module.imports["import base64"] = None
        data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        text = (f"np.frombuffer(base64.b64decode({data!r}), dtype={array.dtype.str!r})"
                f".reshape({array.shape}).copy()")
    fortran = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    return f"np.asfortranarray({text})" if fortran else text


def _names(tree: ast.AST) -> Iterator[str]:
    seen: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            seen[node.id] = None
    yield from seen


def _cells(function: types.FunctionType) -> dict[str, Any]:
    cells = function.__closure__ or ()
    return {n: c.cell_contents for n, c in zip(function.__code__.co_freevars, cells, strict=True)}


def _parsed(obj: Any) -> ast.stmt:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(obj))).body[0]
    except (OSError, TypeError, SyntaxError):
        raise _cannot(f"{obj!r}", "its source cannot be found") from None


def _strip_annotations(tree: ast.FunctionDef) -> None:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [_plain_assignment(s) for s in body]  # type: ignore[attr-defined]


def _plain_assignment(statement: ast.stmt) -> ast.stmt:
    if not isinstance(statement, ast.AnnAssign):
        return statement
    if statement.value is None:
        return ast.copy_location(ast.Pass(), statement)
    return ast.copy_location(ast.Assign([statement.target], statement.value), statement)


def _name_of(obj: Any) -> str:
    name = getattr(obj, "__name__", type(obj).__name__).rsplit(".", 1)[-1]
    return name_or(name, "captured")


def _is_standard(module: str) -> bool:
    first = module.split(".")[0]
    return first in ("numpy", "scipy") or first in sys.stdlib_module_names


def _lookup(module: str, qualname: str) -> Any:
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def _cannot(what: str, why: str) -> SrcgradError:
    return StructureError(f"{what} cannot be exported", why=why,
                          fix="pass it as an argument, or export a function that does not use it")
