"""How calls are bound to signatures, and PyTorch's errors for calls that do not fit."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.overloads import combination_error, kind_of
from srcgrad.eager.tensor import Tensor

# NumPy's spellings, accepted where PyTorch accepts them.
_SPELLINGS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x1": "input", "a": "input",
              "x2": "other", "tensor": "input"}


# Functions whose first argument may be a number (the tensor is the second then).
NUMBER_FIRST = frozenset((
    "add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide",
    "remainder", "pow", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
    "bitwise_right_shift", "float_power", "xlogy", "xlog1py", "zeta",
))


# Reductions that keep no dimension unless they are told which they reduce.
_KEEP_GIVEN = frozenset(("sum", "mean", "prod", "max", "min", "median", "nanmedian"))
_NO_NONE = _KEEP_GIVEN - {"sum", "mean"}
# Functions of several numbers, or one sequence, that must be called with some.
_NEEDS_SIZES = frozenset(("view", "reshape", "permute", "expand", "flip", "repeat", "tile"))


NUMBERS = (int, float, complex, np.number, np.bool_)


def refuse(wrong: Any, text: str, *values: Any, kind: type[Exception] = RuntimeError) -> None:
    """Raise an error of a ``kind`` if something is ``wrong``: ``text`` has places for ``values``.

    For checks whose messages need nothing but what is at hand; others are ``if`` and ``raise``, and
    so are those which run for each dimension, or in operations that do hardly anything else.
    """
    if wrong:
        raise kind(text.format(*values) if values else text)


class _LinAlgError(RuntimeError):
    """A matrix is singular, not positive-definite, or an iteration did not converge."""


LinAlgError = _LinAlgError  # the public name; tracebacks show the other one, as PyTorch's do

# PyTorch's errors for those of NumPy's factorisations.
_OF_LAPACK: dict[str, tuple[type[Exception], str]] = {
    "SVD did not converge": (
        LinAlgError, "linalg.svd: The algorithm failed to converge because the input matrix "
        "contained non-finite values."),
    "Array must not contain infs or NaNs": (
        RuntimeError, "torch.linalg.eig: input tensor should not contain infs or NaNs."),
}


def whole(value: Any) -> bool:
    """Whether a parser takes ``value`` for an int: what can be an index and no sequence."""
    if isinstance(value, Tensor):
        return value._a.ndim == 0 and value._dt.category <= dt.INTEGRAL
    return hasattr(value, "__index__") and value.__class__ is not bool


def _whole_numbers(value: Any) -> bool:
    return whole(value) or (isinstance(value, tuple | list) and all(map(whole, value)))


# What arguments of an annotated kind may be, and how messages name the kind.
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "Tensor": ("Tensor", lambda v: isinstance(v, Tensor)),
    "int": ("int", whole),
    "Operand": ("Tensor", lambda v: isinstance(v, (Tensor, *NUMBERS))),
    "float": ("float", lambda v: isinstance(v, int | float | np.number | Tensor)),
    "int | Sequence[int]": ("tuple of ints", _whole_numbers),
    "int | Sequence[int] | str": (
        "tuple of ints", lambda v: isinstance(v, str) or _whole_numbers(v)),
    # of ints, but another message tells of its items
    "Sequence[int]": ("tuple of ints", lambda v: isinstance(v, tuple | list)),
}


def bad_argument(function: str, argument: str, position: int, wanted: str, value: Any) -> TypeError:
    """``exp(): argument 'input' (position 1) must be Tensor, not str``."""
    return TypeError(f"{function}(): argument '{argument}' (position {position}) must be {wanted}, "
                     f"not {kind_of(value)}")


def need_tensor(function: str, value: Any, argument: str = "input", position: int = 1) -> Tensor:
    """``value`` if it is a tensor, else PyTorch's TypeError."""
    if isinstance(value, Tensor):
        return value
    raise bad_argument(function, argument, position, "Tensor", value)


_WHOLE = ("int", "int | Sequence[int]", "int | Sequence[int] | str")


class Signature:
    """The parameters of a declared function as its callers may spell them."""

    def __init__(self, title: str, signature: inspect.Signature, out: bool = False,
                 bound: bool = False) -> None:
        self.signature = signature
        parameters = list(self.signature.parameters.values())
        self.title, self.bound = title, bound
        self.names = names = [p.name for p in parameters]
        self.kinds = [str(p.annotation).partition(" | None") for p in parameters]
        self.whole_places = [
            (i if p.kind is p.POSITIONAL_OR_KEYWORD else sys.maxsize, p.name, kind[0])
            for i, (p, kind) in enumerate(zip(parameters, self.kinds)) if kind[0] in _WHOLE]
        self.spellings = {k: v for k, v in _SPELLINGS.items()
                          if v in names[bound:] and k not in names}
        first = names[0] if names else ""
        if first in ("A", "x") and "input" not in names:
            self.spellings["input"] = first
        self.check_first = first == "input"
        plain = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.required = [p.name for p in plain if p.default is p.empty]
        self.most = len(plain)
        self.gathered = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
        self.open = any(p.kind is p.VAR_KEYWORD for p in parameters)
        self.takes_out = out and "out" not in names
        self.number_first = title in NUMBER_FIRST
        self.needs_sizes = title in _NEEDS_SIZES

    def spelled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """Keywords under the function's own names (in place); the arguments, and ``out``."""
        for key in kwargs.keys() & self.spellings:
            kwargs[self.spellings[key]] = kwargs.pop(key)
        if self.title in _KEEP_GIVEN and len(args) < 2:
            self._check_keepdim(args, kwargs)
        if self.gathered and self.check_first and "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        if self.gathered in kwargs:
            args = (*args, kwargs.pop(self.gathered))
        return args, kwargs.pop("out", None) if self.takes_out else None

    def _check_keepdim(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        lacks = "dim" not in kwargs and ("keepdim" in kwargs or (
            "dtype" in kwargs and "median" in self.title))
        if lacks or (self.title in _NO_NONE and kwargs.get("dim", 0) is None):
            raise (combination_error(self.title, args, kwargs, self.bound)
                   or TypeError(f'{self.title}() missing 1 required positional arguments: "dim"'
                                if lacks else
                                f"{self.title}(): argument 'dim' must be int, not NoneType"))

    def first_error(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
        """The first argument is no tensor."""
        return (combination_error(self.title, args, kwargs, self.bound)
                or self._excess(args, kwargs)
                or bad_argument(self.title, "input", 1, "Tensor", args[0]))

    def misfit(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError | None:
        """PyTorch's error if an argument is of another kind than the parameter's annotation says:
        asked where a call failed, since that is found before anything else there."""
        excess = self._excess(args, kwargs)
        if excess is not None:
            return combination_error(self.title, args, kwargs, self.bound) or excess
        for i, (name, (kind, optional, _)) in enumerate(zip(self.names, self.kinds)):
            if kind not in _KINDS or (i >= len(args) and name not in kwargs):
                continue
            value = args[i] if i < len(args) else kwargs[name]
            wanted, fits = _KINDS[kind]
            if fits(value) or (value is None and optional) or (
                    i == 0 and self.number_first and isinstance(value, NUMBERS)):
                continue
            combined = combination_error(self.title, args, kwargs, self.bound)
            if combined is not None:
                return combined
            if i >= len(args):  # given by keyword: the message tells no position
                return TypeError(f"{self.title}(): argument '{name}' must be {wanted}, not "
                                 f"{kind_of(value)}")
            error = bad_argument(self.title, name, i + 1, wanted, value)
            return without_self(error) if self.bound else error
        missing = [n for n in self.required[len(args):] if n not in kwargs]
        unbound = _missing_or_unknown(self.title, missing, self.names, {} if self.open else kwargs)
        return unbound and (combination_error(self.title, args, kwargs, self.bound) or unbound)

    def check_whole(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuse what stands for a whole number (or several) and is none: NumPy might take it."""
        for place, name, kind in self.whole_places:
            value = args[place] if place < len(args) else kwargs.get(name)
            if value.__class__ is not int and value is not None and not _KINDS[kind][1](value):
                raise self.misfit(args, kwargs) or TypeError(f"{self.title}(): {name!r}")

    def answer(self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception:
        """PyTorch's error for a call that failed with ``error``; the same object if the call was
        in order."""
        kind, text = _OF_LAPACK.get(str(error), (None, ""))
        return self.misfit(args, kwargs) or (kind(text) if kind else (
            self.explain(error, args, kwargs) if isinstance(error, TypeError) else error))

    def sizes_error(self, args: tuple[Any, ...]) -> TypeError:
        """A function of sizes is called without any."""
        return combination_error(self.title, args, {}, self.bound) or TypeError(
            f'{self.title}() missing 1 required positional arguments: "{self.gathered}"')

    def explain(self, error: TypeError, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
        """PyTorch's words for ``error``, or the same object if it comes from elsewhere."""
        title, text = self.title, str(error)
        try:
            self.signature.bind(*args, **kwargs)
            plain = f"{title.removeprefix('new_').rstrip('_')}(): "  # what the operation is made of
            if not text.startswith(("argument '", f"{plain}argument")):
                return error
            found = _placed(title, text.removeprefix(plain), args, self.names)
            unbound = without_self(found) if self.bound else found
        except TypeError as failed:
            unbound = TypeError(f"{title}() got {failed}")
        return combination_error(title, args, kwargs, self.bound) or unbound

    def _excess(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError | None:
        """More arguments are given by position than there are."""
        if self.bound and kwargs and len(self.names) == 1:
            return TypeError(f"TensorBase.{self.title}() takes no keyword arguments")
        if self.gathered is not None or len(args) <= self.most:
            return None
        given, most, least = (n - self.bound for n in (len(args), self.most, len(self.required)))
        if self.bound and self.most == 1:
            return TypeError(f"TensorBase.{self.title}() takes no arguments ({given} given)")
        takes, plural = f"{most}", "argument" if most == 1 else "arguments"
        if least != most:
            takes, plural = f"from {least} to {most}", "arguments"
        return TypeError(f"{self.title}() takes {takes} positional {plural} but {given} "
                         f"{'was' if given == 1 else 'were'} given")


def _placed(title: str, text: str, args: tuple[Any, ...], names: list[str]) -> TypeError:
    """``argument 'dim' must be int, not str`` with the function and the position."""
    argument = text.split("'")[1]
    if argument in names and names.index(argument) < len(args):
        text = text.replace("' must", f"' (position {names.index(argument) + 1}) must", 1)
    return TypeError(f"{title}(): {text}")


_POSITION = re.compile(r"\(position (\d+)\)")


def without_self(error: TypeError) -> TypeError:
    """The positions in a message as a method's caller counts them."""
    return TypeError(_POSITION.sub(lambda m: f"(position {int(m[1]) - 1})", str(error), count=1))


def _missing_or_unknown(name: str, missing: list[str], names: list[str],
                        kwargs: dict[str, Any]) -> TypeError | None:
    if missing:
        listed = ", ".join(f'"{n}"' for n in missing)
        plural = "arguments" if len(missing) == 1 else "argument"  # sic
        return TypeError(f"{name}() missing {len(missing)} required positional {plural}: {listed}")
    for key in kwargs:
        if key not in names:
            return TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return None
