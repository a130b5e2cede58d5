"""The modules and functions that a file may name: found among what is defined, never imported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..basis import typename
from ..nn import functional
from ..nn.module import Module
from ..nn.module_state import unserialisable

_LIBRARY = __name__.partition(".eager.")[0] + ".eager."
_trusted: list[type] = []


def _is_library(cls: type) -> bool:
    return cls.__module__.startswith(_LIBRARY)


def _classes(cls: type[Any] = Module) -> Iterator[type[Any]]:
    yield cls
    for derived in cls.__subclasses__():
        yield from _classes(derived)


def module_class_name(module: Module, path: str) -> str:
    """How a file names the class of ``module``: the library's by their own names."""
    cls = type(module)
    if "parametrizations" in module._modules:
        unserialisable(module)
    if "<locals>" in cls.__qualname__:
        raise TypeError(f"save: {path} is of the class {typename(cls)}, which is defined in a "
                        "function and cannot be found again when loading; define it at the top "
                        "of its file, or save the state_dict()")
    return cls.__qualname__ if _is_library(cls) else f"{cls.__module__}:{cls.__qualname__}"


def module_class(name: str, weights_only: bool) -> type[Module]:
    """The class that a file names: one of the library's, or one that the program has defined
    and says to trust."""
    found: Any = None
    for cls in _classes():
        library = _is_library(cls)
        if name == (cls.__qualname__ if library else f"{cls.__module__}:{cls.__qualname__}"):
            found = cls  # the last definition counts
    if found is None:
        raise ValueError(f"load: the file holds a module of the class {name!r}, which is not "
                         "defined here; import its definition first (loading imports nothing)")
    if weights_only and not _is_library(found) and found not in _trusted:
        raise RuntimeError(f"Weights only load failed: the file holds a module of the class "
                           f"{name!r}. Name it in torch.serialization.add_safe_globals([...]), or "
                           "load with weights_only=False")
    return found  # type: ignore[no-any-return]


def function_name(value: Any) -> str | None:
    """The name of one of the functions of ``nn.functional``."""
    name = getattr(value, "__name__", None)
    if isinstance(name, str) and name in functional.__all__ and (
            getattr(functional, name) is value):
        return name
    return None


def function(name: str) -> Any:
    """The function of ``nn.functional`` that a file names."""
    found = getattr(functional, name, None)
    if function_name(found) != name:
        raise ValueError(f"no function {name!r}")
    return found


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Classes of modules that :func:`load` may make."""
    _trusted.extend(safe_globals)


def get_safe_globals() -> list[Any]:
    """What was given to :func:`add_safe_globals`."""
    return list(_trusted)


def clear_safe_globals() -> None:
    """Trust no classes but the library's."""
    _trusted.clear()


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """:func:`add_safe_globals` within a ``with`` statement."""
    before = list(_trusted)
    _trusted.extend(safe_globals)
    try:
        yield
    finally:
        _trusted[:] = before
