"""Functions that PyTorch's own parser calls: the types of their arguments are checked first."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ...calling_errors import is_unbound, unbound_error, wrong_kind
from ...overloads import combination_error
from ...tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


def whole(value: Any) -> bool:
    """Whether a parser takes ``value`` for an int: what can be an index and no sequence."""
    if isinstance(value, Tensor):
        return value.dim() == 0 and not (value.is_floating_point() or value.is_complex())
    return hasattr(value, "__index__")


def _ints(value: Any) -> bool:
    return whole(value) or (isinstance(value, (tuple, list)) and all(map(whole, value)))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, Tensor)) or hasattr(value, "__float__")


_FITS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda v: isinstance(v, Tensor),
    "int": whole,
    "tuple of ints": _ints,
    "sequence": lambda v: isinstance(v, (tuple, list)),
    "str": lambda v: isinstance(v, str),
    "Number": _number,
}
_SHOWN = {"sequence": "tuple of ints"}  # of ints, but another message tells of its items


def builtin(*kinds: str, title: str = "") -> Callable[[F], F]:
    """Check the leading arguments of a function against ``kinds``, in PyTorch's words.

    A kind is a type as messages name it; ``a|b`` fits either and ``a?`` also None.
    """
    checks = [(kind.rstrip("?").split("|")[0], kind.endswith("?"),
               [_FITS[k] for k in kind.rstrip("?").split("|")]) for kind in kinds]

    def declare(function: F) -> F:
        name = title or function.__name__
        names = list(inspect.signature(function).parameters)

        def refusal(args: Any, kwargs: Any) -> TypeError | None:
            for place, (key, (kind, optional, fits)) in enumerate(zip(names, checks)):
                if place >= len(args) and key not in kwargs:
                    continue
                value = args[place] if place < len(args) else kwargs[key]
                if (value is None and optional) or any(fit(value) for fit in fits):
                    continue
                kind = _SHOWN.get(kind, kind)
                return combination_error(name, args, kwargs, False) or wrong_kind(
                    name, key, place, kind, value, len(args))
            return None

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            error = refusal(args, kwargs)
            if error is not None:
                raise error
            try:
                return function(*args, **kwargs)
            except TypeError as raised:
                if not is_unbound(raised):
                    raise
                reason = raised
            raise combination_error(name, args, kwargs, False) or unbound_error(
                name, reason, names, kwargs)

        return checked  # type: ignore[return-value]

    return declare
