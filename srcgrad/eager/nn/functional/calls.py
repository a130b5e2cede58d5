"""Functions that PyTorch's own parser calls: the types of their arguments are checked first."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ...calling_errors import Signature

F = TypeVar("F", bound=Callable[..., Any])


def builtin(function: F) -> F:
    """Check the arguments of a function against its annotations, in PyTorch's words."""
    called = Signature(function.__name__, inspect.signature(function))

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        error = called.misfit(args, kwargs)
        if error is not None:
            raise error
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]
