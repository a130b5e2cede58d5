"""Arrays of other libraries, by the standard of array libraries (the Array API).

An argument that has ``__array_namespace__`` is traced as the NumPy array of its shape and dtype.
The generated text then runs in the namespace of the argument: ``np`` in it is a :class:`Namespace`,
which knows for each function of NumPy's that the standard has how it is called there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..compile.templates import is_plain, rebuilt
from ..errors import StructureError, UnsupportedType
from ..types.tree import children, flatten, unflatten


def is_foreign(value: Any) -> bool:
    """Is it an array of the standard that is not NumPy's?"""
    kind = type(value)
    return not isinstance(value, (np.ndarray, np.generic)) and (
        hasattr(kind, "__array_namespace__") or (
            kind.__name__ == "Tensor" and kind.__module__ == "torch"))


def any_foreign(values: Any) -> bool:
    """Is there such an array at the leaves?"""
    seen, left = {id(values)}, [values]
    while left:
        value = left.pop()
        if is_foreign(value):
            return True
        for *_, part in children(value) or ():
            if id(part) not in seen and type(part) not in (float, int, bool, str):
                seen.add(id(part))
                left.append(part)
    return False


def namespace_of(value: Any) -> Any:
    """The functions of an array's library."""
    if hasattr(value, "__array_namespace__"):
        return value.__array_namespace__()
    try:
        return importlib.import_module("array_api_compat.torch")
    except ImportError:
        raise UnsupportedType(
            "a tensor of PyTorch among the arguments", where="the arguments of the call",
            why="PyTorch has the functions of the Array API through the package array_api_compat",
            fix="pip install array-api-compat, or use srcgrad.bridges.to_torch") from None


def call(name: str, specialize: Callable[..., Any], args: tuple[Any, ...],
         kwargs: dict[str, Any]) -> Any:
    """A call of the compiled function ``name`` with arrays of the standard; ``specialize`` gives
    what serves a call."""
    leaves, structure = flatten((args, kwargs))
    foreign = [leaf for leaf in leaves if is_foreign(leaf)]
    xp = namespace_of(foreign[0])
    for other in foreign:
        if namespace_of(other) is not xp:
            raise StructureError(
                f"{name} is called with arrays of several libraries",
                where=f"the arguments of {name}",
                why=f"they are of {xp.__name__} and of {namespace_of(other).__name__}",
                fix="convert them to one: xp.from_dlpack(x)")
    stand_ins = [_stand_in(leaf) if is_foreign(leaf) else leaf for leaf in leaves]
    originals = {id(s): leaf for s, leaf in zip(stand_ins, leaves, strict=True)
                 if is_foreign(leaf)}
    traced_args, traced_kwargs = unflatten(structure, stand_ins)
    made = specialize(traced_args, traced_kwargs)
    inputs = made.portable.inputs(*traced_args, **traced_kwargs)
    np_, run = made.portable.bound(xp, foreign[0])
    flat = run(*[originals[id(i)] if id(i) in originals else np_.lifted(i) for i in inputs])
    return flat if is_plain(made.result) else rebuilt(made.result, flat)


def _stand_in(array: Any) -> Any:
    """A NumPy array of the shape and dtype; nobody reads its numbers."""
    name = str(array.dtype).rpartition(".")[2]
    try:
        return np.zeros(tuple(array.shape), np.dtype(name))
    except TypeError:
        raise UnsupportedType(
            f"an array of {array.dtype} among the arguments", where="the arguments of the call",
            why="NumPy has no such dtype", fix="convert it: xp.astype(x, xp.float32)") from None


# ---- derivatives of the result of a call -------------------------------------------------------
def vjp(fun: Callable[..., Any], primals: tuple[Any, ...], has_aux: bool) -> Any:
    """What :func:`srcgrad.vjp` gives for such arrays; the pullback runs the function again."""
    from . import api, transforms

    def pulled(ct: Any, *given: Any) -> Any:
        derivative: Any = transforms.vjp
        return derivative(fun, *given, has_aux=has_aux)[1](ct)

    out, pull = api.jit(fun)(*primals), api.jit(pulled)

    def pullback(ct: Any) -> Any:
        return pull(ct, *primals)

    return (out[0], pullback, out[1]) if has_aux else (out, pullback)


def jvp(fun: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...],
        has_aux: bool) -> Any:
    """What :func:`srcgrad.jvp` gives for such arrays."""
    from . import api, transforms

    def pushed(given: Any, directions: Any) -> Any:
        derivative: Any = transforms.jvp
        return derivative(fun, given, directions, has_aux=has_aux)

    return api.jit(pushed)(primals, tangents)


def linearize(fun: Callable[..., Any], primals: tuple[Any, ...], has_aux: bool) -> Any:
    """What :func:`srcgrad.linearize` gives for such arrays; the pushforward runs the function
    again."""
    from . import api

    out = api.jit(fun)(*primals)

    def pushforward(*tangents: Any) -> Any:
        return jvp(fun, primals, tangents, has_aux)[1]

    return (out[0], pushforward, out[1]) if has_aux else (out, pushforward)


def called(transformed: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of what a transform returned, as generated code."""
    from . import api

    return api.jit(lambda *args, **kwargs: transformed(*args, **kwargs))(*args, **kwargs)
