"""Objects that stand for a function."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any


class Standing:
    """An object that is called like a function, has its name, and is a method in a class."""

    __name__: str

    def _stand_for(self, fun: Callable[..., Any]) -> None:
        self.__name__ = type(fun).__name__  # of an instance, unless it has a name of its own
        functools.update_wrapper(self, fun)  # type: ignore[arg-type]

    def __get__(self, obj: Any, owner: type | None = None) -> Any:
        return self if obj is None else types.MethodType(self, obj)  # type: ignore[arg-type]
