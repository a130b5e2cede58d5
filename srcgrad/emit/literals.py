"""Objects as expressions: numbers, containers, dtypes, functions by their public names."""

from __future__ import annotations

import ast
import builtins
import cmath
import enum
import keyword
import math
import operator
import random
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from srcgrad.graph.callback import Callback
from srcgrad.types.identifiers import name_or
from srcgrad.types.spelling import Attribute, Method

BINARY: dict[Any, type[ast.operator]] = {
    operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult,
    operator.truediv: ast.Div, operator.floordiv: ast.FloorDiv, operator.mod: ast.Mod,
    operator.pow: ast.Pow, operator.matmul: ast.MatMult, operator.and_: ast.BitAnd,
    operator.or_: ast.BitOr, operator.xor: ast.BitXor, operator.lshift: ast.LShift,
    operator.rshift: ast.RShift,
}
INPLACE: dict[Any, type[ast.operator]] = {
    operator.iadd: ast.Add, operator.isub: ast.Sub, operator.imul: ast.Mult,
    operator.itruediv: ast.Div, operator.ifloordiv: ast.FloorDiv, operator.imod: ast.Mod,
    operator.ipow: ast.Pow, operator.imatmul: ast.MatMult, operator.iand: ast.BitAnd,
    operator.ior: ast.BitOr, operator.ixor: ast.BitXor, operator.ilshift: ast.LShift,
    operator.irshift: ast.RShift,
}
UNARY: dict[Any, type[ast.unaryop]] = {
    operator.neg: ast.USub, operator.pos: ast.UAdd, operator.invert: ast.Invert,
    operator.not_: ast.Not,
}
COMPARE: dict[Any, type[ast.cmpop]] = {
    operator.lt: ast.Lt, operator.le: ast.LtE, operator.gt: ast.Gt, operator.ge: ast.GtE,
    operator.eq: ast.Eq, operator.ne: ast.NotEq, operator.is_: ast.Is,
    operator.is_not: ast.IsNot,
}

GRIDS: dict[str, Any] = {  # objects that have subscripts and nothing else
    "np.mgrid": np.mgrid, "np.ogrid": np.ogrid, "np.r_": np.r_, "np.c_": np.c_, "np.s_": np.s_}


def name(identifier: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(identifier, ast.Load())


def dotted(path: str) -> ast.expr:
    """``np.linalg.norm`` as an expression."""
    first, *rest = path.split(".")
    result: ast.expr = name(first)
    for part in rest:
        result = ast.Attribute(result, part, ast.Load())
    return result


def if_any(value: ast.expr, found: ast.expr) -> ast.expr:
    """``None if value is None else found``."""
    absent = ast.Compare(value, [ast.Is()], [ast.Constant(None)])
    return ast.IfExp(absent, ast.Constant(None), found)


def keyword_arguments(values: Mapping[str, ast.expr]) -> list[ast.keyword]:
    """Arguments by name; names that are no identifiers are handed on in a dict."""
    found, others = [], ast.Dict([], [])
    for key, value in values.items():
        if key.isidentifier() and not keyword.iskeyword(key):
            found.append(ast.keyword(key, value))
        else:
            others.keys.append(ast.Constant(key))
            others.values.append(value)
    return [*found, ast.keyword(None, others)] if others.keys else found


def call(function: str | ast.expr, *args: ast.expr) -> ast.Call:
    """A call with positional arguments."""
    return ast.Call(dotted(function) if isinstance(function, str) else function, list(args), [])


# Of several names of one function, the one most people write.
_CONVENTIONAL = ("abs", "conj", "max", "min", "concatenate", "power", "transpose", "arccos",
                 "arcsin", "arctan", "arctan2", "arccosh", "arcsinh", "arctanh", "invert",
                 "left_shift", "right_shift", "remainder", "divide", "array", "float64",
                 "float32", "int64", "int32", "complex128", "complex64")


def _public_names() -> dict[int, tuple[str, str]]:
    """id of a function -> (module to import, dotted name in generated code)."""
    found: dict[int, tuple[str, str]] = {}
    for module, prefix in ((np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft"),
                           (np.random, "np.random")):
        for key, value in sorted(vars(module).items()):  # what is there; imports nothing
            if not key.startswith("_") and key not in ("conjugate", "absolute", "bool8"):
                if callable(value):
                    found.setdefault(id(value), ("numpy", f"{prefix}.{key}"))
    for key in _CONVENTIONAL:
        found[id(getattr(np, key))] = ("numpy", f"np.{key}")
    for module in (math, cmath, operator, random):
        for key in sorted(vars(module)):
            value = getattr(module, key)
            if not key.startswith("_") and callable(value):
                found.setdefault(id(value), (module.__name__, f"{module.__name__}.{key}"))
    for key in sorted(vars(builtins)):
        value = getattr(builtins, key)
        if not key.startswith("_") and callable(value):
            found[id(value)] = ("", key)
    return found


_PUBLIC = _public_names()
_SCIPY = ("special", "linalg", "stats", "fft", "signal", "integrate", "interpolate", "ndimage",
          "optimize", "sparse", "spatial")


class Namespace:
    """Names of objects in the generated module.  ``imports`` are the import lines needed,
    ``globals`` the objects that must be handed to the module by name."""

    def __init__(self, reserved: set[str]) -> None:
        self.reserved = set(reserved)
        self.imports: dict[str, None] = {}
        self.dtypes_whole = False
        self.globals: dict[str, Any] = {}
        self.given: dict[int, str] = {}
        self.kept: list[Any] = []
        self.callbacks: dict[str, Callback] = {}  # written into the module, not handed to it

    def public(self, obj: Any) -> str | None:
        """The dotted name of a function of NumPy, SciPy or the standard library."""
        found = _find(obj)
        if found is None:
            return None
        module, path = found
        if module == "numpy":
            self.imports["import numpy as np"] = None
        elif module:
            self.imports[f"import {module}"] = None
        return path

    def is_captured(self, fn: Any) -> bool:
        """Must this callable be handed to the module under a name of its own?"""
        return not isinstance(fn, (Method, Attribute)) and _find(fn) is None

    def captured(self, obj: Any, hint: str) -> str:
        """A module-level name for an object that cannot be written down."""
        found = self.given.get(id(obj))
        if found is not None:
            return found
        base = name_or(hint, "captured")
        chosen, number = base, 1
        while chosen in self.reserved or chosen in self.globals or hasattr(builtins, chosen):
            number += 1
            chosen = f"{base}_{number}"
        self.given[id(obj)] = chosen
        self.kept.append(obj)
        if isinstance(obj, Callback):
            self.callbacks[chosen] = obj
            self.reserved.add(chosen)
        else:
            self.globals[chosen] = obj
        return chosen

    def function(self, obj: Any) -> ast.expr:
        """An expression for a callable."""
        path = self.public(obj)
        if path is not None:
            return dotted(path)
        return name(self.captured(obj, getattr(obj, "__name__", type(obj).__name__)))

    # ---- literals --------------------------------------------------------------------
    def literal(self, value: Any, hint: str = "constant") -> ast.expr:
        """An expression whose value is ``value`` (the same type and bits)."""
        if value is None or value is Ellipsis or type(value) in (bool, str, bytes):
            return ast.Constant(value)
        if type(value) in (int, float, complex):
            return self.number(value)
        if type(value) in (tuple, list):
            items = [self.literal(v, hint) for v in value]
            return ast.Tuple(items, ast.Load()) if type(value) is tuple else ast.List(
                items, ast.Load())
        if type(value) is dict:
            return ast.Dict([self.literal(k, hint) for k in value],
                            [self.literal(v, hint) for v in value.values()])
        if type(value) is slice:
            return call("slice", *(self.literal(v, hint) for v in (
                value.start, value.stop, value.step)))
        if type(value) is range:
            parts = (value.start, value.stop, value.step)
            return call("range", *(self.literal(v, hint) for v in parts))
        if isinstance(value, np.longdouble):  # more digits than a literal has
            self.imports["import numpy as np"] = None
            exact = float(value)
            return call("np.longdouble", self.number(exact) if exact == value or exact != exact
                        else ast.Constant(str(value)))
        if isinstance(value, np.generic) and value.dtype.kind in "biuf" and value.dtype.isnative:
            self.imports["import numpy as np"] = None
            return call(f"np.{value.dtype.name}" if value.dtype.kind != "b" else "np.bool",
                        self.literal(value.item()))
        if isinstance(value, np.dtype):
            return self.dtype(value)
        if isinstance(value, (Method, Attribute)):
            return name(self.captured(value, value.name))
        if isinstance(value, enum.Enum):
            return name(self.captured(value, f"{type(value).__name__}_{value.name}"))
        if callable(value):
            return self.function(value)
        for path, grid in GRIDS.items():
            if value is grid:
                self.imports["import numpy as np"] = None
                return dotted(path)
        return name(self.captured(value, hint))

    def dtype(self, value: np.dtype[Any]) -> ast.expr:
        self.imports["import numpy as np"] = None
        if self.dtypes_whole:
            return call("np.dtype", ast.Constant(value.name if value.isnative else value.str))
        if value.char in "gG" and value.isnative:
            return dotted("np.longdouble" if value.char == "g" else "np.clongdouble")
        if value.isnative and value.kind in "iufc" and value.itemsize <= 16:
            return dotted(f"np.{value.name}")
        if value.kind == "b":
            return name("bool")
        return call("np.dtype", ast.Constant(value.str))

    def number(self, value: complex) -> ast.expr:
        if isinstance(value, complex):
            if value.real == 0.0 and math.copysign(1.0, value.real) > 0 and math.isfinite(
                    value.imag) and math.copysign(1.0, value.imag) > 0:
                return ast.Constant(value)
            return call("complex", self.number(value.real), self.number(value.imag))
        if isinstance(value, float) and not math.isfinite(value):
            module = "np" if "import numpy as np" in self.imports else "math"
            self.imports["import numpy as np" if module == "np" else "import math"] = None
            special = dotted(f"{module}.nan" if math.isnan(value) else f"{module}.inf")
            negative = value < 0
        else:
            negative = math.copysign(1.0, value) < 0 if isinstance(value, float) else value < 0
            special = ast.Constant(-value if negative else value)
        return ast.UnaryOp(ast.USub(), special) if negative else special


def _find(obj: Any) -> tuple[str, str] | None:
    return _PUBLIC.get(id(obj)) or _bound_method_of_ufunc(obj) or _scipy_name(obj)


def _bound_method_of_ufunc(obj: Any) -> tuple[str, str] | None:
    """``np.add.reduce`` and its like."""
    owner = getattr(obj, "__self__", None)
    if isinstance(owner, np.ufunc):
        found = _PUBLIC.get(id(owner))
        if found is not None:
            return found[0], f"{found[1]}.{obj.__name__}"
    return None


def _scipy_name(obj: Any) -> tuple[str, str] | None:
    identifier = getattr(obj, "__name__", None)
    if not isinstance(identifier, str):
        return None
    for part in _SCIPY:
        module = sys.modules.get(f"scipy.{part}")
        if module is not None and getattr(module, identifier, None) is obj:
            return f"scipy.{part}", f"scipy.{part}.{identifier}"
    return None
