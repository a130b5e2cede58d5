"""Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, groupby
from typing import Any, Self

from .. import basis as torch
from ..calling_errors import refuse
from .module import Module, indented
from .parameter import Parameter


def _place(idx: Any, size: int) -> int:
    idx = operator.index(idx)
    refuse(not -size <= idx < size, "index {} is out of range", idx, kind=IndexError)
    return int(idx) % size


class _Numbered(Module):
    """Children named "0", "1", ... with list behaviour."""

    def _key(self, idx: Any) -> str:
        return str(list(self._modules)[_place(idx, len(self))])

    def __setitem__(self, idx: int, module: Any) -> None:
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx: Any) -> None:
        keys = list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]
        for key in keys:
            delattr(self, key)
        modules = list(self._modules.values())
        self._modules.clear()
        self._modules.update((str(i), module) for i, module in enumerate(modules))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Any) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Any:
        """Remove and return the module (or slice of modules) at ``key``."""
        value = self[key]  # type: ignore[index]
        del self[key]
        return value

    def _shift_in(self, index: int, module: Any) -> None:
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module


class Sequential(_Numbered):
    """Modules applied one after the other; also made from an OrderedDict of named ones."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for number, module in enumerate(args):
                self.add_module(str(number), module)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def __add__(self, other: Any) -> Sequential:
        self._check_operand(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        self._check_operand(other)
        return self.extend(list(other))

    @staticmethod
    def _check_operand(other: Any) -> None:
        refuse(not isinstance(other, Sequential), "add operator supports only objects of "
               "Sequential class, but {} is given.", type(other), kind=ValueError)

    def _check_count(self, other: Any) -> None:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __mul__(self, other: int) -> Sequential:
        self._check_count(other)
        return Sequential(*(list(self) * other))

    def __rmul__(self, other: int) -> Sequential:
        return self.__mul__(other)

    def __imul__(self, other: int) -> Self:
        self._check_count(other)
        return self.extend(list(self) * (other - 1))

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    def insert(self, index: int, module: Any) -> Self:
        """Insert a module before ``index``."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self)
        refuse(not -size <= index <= size, "Index out of range: {}", index, kind=IndexError)
        self._shift_in(index + size if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Any]) -> Self:
        """Add all modules of ``sequential`` at the end."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(_Numbered):
    """A list of modules that registers them."""

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(list(self._modules.values())[idx])
        return self._modules[self._key(idx)]

    def __iadd__(self, modules: Iterable[Any]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        if len(self) == 0:
            return self._get_name() + "()"
        lines = []
        for text, run in groupby(enumerate(repr(module) for module in self), lambda p: p[1]):
            numbers = [number for number, _ in run]
            first, last = numbers[0], numbers[-1]
            start = f"({first}): " if first == last else f"({first}-{last}): {len(numbers)} x "
            lines.append(indented(start + text))
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"

    def insert(self, index: int, module: Any) -> None:
        """Insert a module before ``index``."""
        self._shift_in(index, module)

    def extend(self, modules: Iterable[Any]) -> Self:
        """Add all modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got "
                            + type(modules).__name__)
        for number, module in enumerate(list(modules), len(self)):
            self.add_module(str(number), module)
        return self


class _Named(Module):
    """Members by name, with the behaviour of a dictionary."""

    __getitem__: Callable[..., Any]

    def __init__(self, given: Any) -> None:
        super().__init__()
        if given is not None:
            self._take(given)

    def _names(self) -> dict[str, Any]:
        return self._modules

    def _take(self, given: Any, title: str = "ModuleDict") -> None:
        """Add members from a mapping or an iterable of pairs, with PyTorch's errors."""
        refuse(not isinstance(given, Iterable), "{}.update should be called with an iterable of "
               "key/value pairs, but got {}", title, type(given).__name__, kind=TypeError)
        title = title.replace("Parameters", "Parameter")  # sic
        for number, pair in enumerate(
                given.items() if isinstance(given, (Mapping, _Named)) else given):
            if not isinstance(pair, Iterable):
                raise TypeError(f"{title} update sequence element #{number} should be Iterable; is"
                                f"{type(pair).__name__}")
            pair = tuple(pair)
            if len(pair) != 2:
                raise ValueError(f"{title} update sequence element #{number} has length "
                                 f"{len(pair)}; 2 is required")
            self[pair[0]] = pair[1]

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __contains__(self, key: str) -> bool:
        return key in self._names()

    def clear(self) -> None:
        """Remove all members."""
        for key in list(self):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove and return the member under ``key``."""
        value = self[key]
        del self[key]
        return value

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._names().keys()


class ModuleDict(_Named):
    """A dictionary of modules that registers them."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and modules."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping or an iterable of pairs."""
        self._take(modules)


def _as_parameter(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


def _described(key: Any, value: Any, kind_of: Callable[[Any], Any]) -> str:
    if isinstance(value, torch.Tensor):
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        size = "x".join(str(n) for n in value.size())
        return f"  ({key}): {kind} containing: [{kind_of(value)} of size {size}]"
    return f"  ({key}): Object of type: {type(value).__name__}"


class ParameterList(Module):
    """A list of parameters that registers them; plain tensors become Parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _key(self, idx: Any) -> str:
        return str(_place(idx, len(self)))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(self[i] for i in range(*idx.indices(len(self))))
        return getattr(self, self._key(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._key(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Add a parameter at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add all parameters at the end."""
        if not isinstance(values, Iterable) or isinstance(values, torch.Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got "
                            + type(values).__name__)
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(_described(i, value, lambda p: p.dtype) for i, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(_Named):
    """A dictionary of parameters that registers them; plain tensors become Parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__(None)
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _names(self) -> dict[str, Any]:
        return self._keys

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a "
                            f"string (type is '{torch.typename(key)}'). Open an issue on github if "
                            "you need non-string keys.")
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter under ``key``, or ``default``."""
        if key not in self:
            return default
        return self[key]

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter under ``key``, put there if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last name and parameter."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Another one with ``default`` under each of ``keys``."""
        return ParameterDict((key, default) for key in keys)

    def copy(self) -> ParameterDict:
        """Another one with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __or__(self, other: ParameterDict) -> ParameterDict:
        return self.copy().__ior__(other)

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        return other.copy().__ior__(self)

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add parameters from a mapping or an iterable of pairs."""
        self._take(parameters, "ParametersDict")

    def extra_repr(self) -> str:
        return "\n".join(_described(key, value, torch.typename) for key, value in self.items())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")
