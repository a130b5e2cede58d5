"""What is said of calls that cannot be compiled: arguments, ``argnums`` and results."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np

from ..errors import (
    NonDifferentiable,
    NonScalarOutput,
    SrcgradError,
    StructureError,
    UnsupportedType,
    Where,
)
from ..graph.ir import Ref
from ..trace.boundary.input_arrays import kind_of_array
from ..trace.entry import Record, Traced
from ..types.guards import Path
from ..types.identifiers import wrapped_names
from ..types.kinds import Kind, in_words
from .frames import is_internal


def named(function: Any) -> str:
    """A function as messages name it."""
    return getattr(function, "__name__", type(function).__name__)


def with_article(cls: type) -> str:
    name = "None" if cls is type(None) else cls.__name__
    return name if name == "None" else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def require_function(fun: Any, asked: str, fix: str = "", why: str = (
        "it differentiates the code of a function, not the number that it returned")) -> None:
    """Refuse to transform what is no function."""
    if isinstance(fun, (staticmethod, classmethod, property)):
        kind = type(fun).__name__
        raise StructureError(
            f"{asked} takes a function, got a {kind}", where=f"the first argument of {asked}",
            why="decorators are applied from the bottom up, and it is a function no more",
            fix=f"write @{kind} above @srcgrad.{asked}")
    if not callable(fun):
        raise StructureError(
            f"{asked} takes a function, got {type(fun).__name__}",
            where=f"the first argument of {asked}",
            why=why,
            fix=fix or f"write @srcgrad.{asked} above a function, or srcgrad.{asked}(f)(x)")


# ---- arguments -----------------------------------------------------------------------------
def refused_argument(name: str, path: Path, value: Any) -> SrcgradError:
    """The error for an argument without a derivative."""
    if isinstance(value, np.ndarray):
        found = kind_of_array(value)
        if found is not None:
            return UnsupportedType(
                f"argument {path} is {found[0]}", where=f"argument {path} of {name}",
                why="its operations differ from those of ordinary numeric arrays", fix=found[1])
    what = (f"an array of dtype {value.dtype}" if isinstance(value, np.ndarray)
            else with_article(type(value)))
    return NonDifferentiable(
        f"{name} is differentiated with respect to {path}, which is {what}",
        where=f"argument {path} of {name}",
        why="only real and complex floating-point numbers and arrays have derivatives",
        fix=_conversion(path, value))


def _conversion(path: Path, value: Any) -> str:
    other = "choose another argument with argnums"
    if isinstance(value, np.ndarray):
        return f"convert it: {path}.astype(float)"
    if isinstance(value, (bool, int)):
        return f"pass a float ({float(value)!r} instead of {value!r}), or {other}"
    if hasattr(type(value), "tocsr"):
        return f"pass the array of its entries ({path}.data), or a dense array: {path}.toarray()"
    if hasattr(type(value), "__array__") and not isinstance(value, np.generic):
        return f"convert it: np.asarray({path}), or {other}"
    if isinstance(value, np.generic) or hasattr(type(value), "__float__"):
        return f"convert it: float({path}), or {other}"
    if isinstance(value, str):
        return other
    if isinstance(value, (list, tuple, dict)) and value:
        return f"put floats or arrays of floats into it, or {other}"
    return other


def no_parameter(function: Any, wanted: str, signature: inspect.Signature) -> StructureError:
    if wanted not in signature.parameters and wanted in wrapped_names(function):
        return StructureError(
            f"argnums names {wanted!r}, which this call of {named(function)} does not give",
            where=f"{named(function)}{signature}",
            why="what a default holds behind a wrapper is not an argument of the call",
            fix=f"pass {wanted}")
    return StructureError(
        f"argnums names {wanted!r}, but {named(function)} has no such parameter",
        where=f"{named(function)}{signature}",
        why="argnums tells which arguments the derivative is taken with respect to",
        fix=f"name one of: {', '.join(signature.parameters)}")


def out_of_range(function: Any, wanted: int, count: int,
                 signature: inspect.Signature) -> StructureError:
    return StructureError(
        f"argnums {wanted} is out of range: {named(function)} was called with {count} positional "
        f"argument{'' if count == 1 else 's'}", where=f"{named(function)}{signature}",
        why="argnums counts the positional arguments of the call, from 0",
        fix="give another number, or name the parameter")


# ---- results -------------------------------------------------------------------------------
def not_scalar(function: Any, result: Any, traced: Traced) -> NonScalarOutput:
    """The error for a result that has no gradient."""
    fix = ("reduce the result (for instance with np.sum), or use srcgrad.vjp or "
           "srcgrad.jacobian")
    if result is None:
        fix = "return the number that is to be differentiated"
    elif isinstance(result, str):
        fix = "return the number itself; a text has no derivative"
    elif isinstance(result, (list, dict)) and len(result) == 1:
        fix = "return its item: the number itself"
    elif isinstance(result, dict):
        fix = "return one of its numbers, or (number, the dict) with has_aux=True"
    elif callable(result):
        fix = "call it, and return the number"
    elif isinstance(result, types.GeneratorType):
        fix = "return a number: a function with yield returns a generator when it is called"
    elif isinstance(result, tuple) and len(result) == 2:
        fix = "with has_aux=True a function may return (value, anything else)"
    elif isinstance(result, Ref):
        aval = traced.graph.outputs[result.index].aval
        dtype = aval.dtype
        if aval.kind is Kind.OPAQUE:
            fix = ("compute it with Python and NumPy, or give the call that makes it a derivative "
                   "with srcgrad.custom_vjp")
        elif dtype is not None and dtype.kind == "c":
            fix = "return a real number: the real part, or np.abs(...) ** 2"
        elif dtype is not None and dtype.kind in "biu":
            fix = "return a float; counts and comparisons have no derivative"
    return NonScalarOutput(
        f"the gradient of {named(function)} needs a real scalar result, but it returns "
        f"{described(result, traced)}", where=place_of_result(function, traced),
        why="a gradient is the derivative of one real number", fix=fix)


def without_aux(function: Any, result: Any, traced: Traced) -> NonScalarOutput:
    """The error for a function that should return (value, aux)."""
    return NonScalarOutput(
        f"{named(function)} must return (value, aux) with has_aux=True, but it returns "
        f"{described(result, traced)}", where=place_of_result(function, traced),
        why="has_aux says that the result is a pair: what is differentiated, and the rest",
        fix="return a tuple of the scalar and the rest, or leave has_aux out")


def place_of_result(function: Any, traced: Traced) -> Where | str:
    """The last expression that was traced; else the function's first line."""
    node = traced.graph.block.nodes[-1] if traced.graph.block.nodes else None
    if node is not None and node.origin is not None and node.origin.where is not None:
        if not is_internal(node.origin.where.filename):
            return node.origin.where
        for caller in reversed(node.origin.callers):
            if not is_internal(caller.filename):
                return caller
    return Where.of(function) or f"the result of {named(function)}"


def described(result: Any, traced: Traced) -> str:
    """What a function returned, in a few words."""
    if isinstance(result, Ref):
        return in_words(traced.graph.outputs[result.index].aval)
    if isinstance(result, Record):
        return with_article(result.cls)
    if isinstance(result, (tuple, list, dict)):
        items = f"{len(result)} item{'' if len(result) == 1 else 's'}"
        return f"{with_article(type(result))} of {items}"
    return with_article(type(result))


def require_scalar(value: Any, name: str) -> None:
    """Raise NonScalarOutput unless a result of the primal is one real number."""
    if value is None or np.ndim(value) != 0:
        what = "None" if value is None else f"an array of shape {np.shape(value)}"
        raise NonScalarOutput(
            f"the gradient of {name} needs a real scalar result, but it returned {what}",
            where=f"the result of {name}", why="a gradient is the derivative of one real number",
            fix="return a number on every path")
