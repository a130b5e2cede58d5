"""What a stored file describes, and the description of an object."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import basis as torch
from ..dtype import ALL
from ..nn.module import Module, empty_tables
from ..nn.parameter import Parameter
from .classes import function_name, module_class_name

FORMAT = "srcgrad tensors 1"
DTYPES = {str(d): d for d in ALL}
SEQUENCES: dict[str, Callable[..., Any]] = {
    "list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "size": torch.Size,
}
MAPPINGS: dict[str, Callable[..., Any]] = {
    "dict": dict, "ordered": OrderedDict, "counter": Counter,
}
_KINDS = (
    "tensors, parameters, numbers, strings, bytes, None, dtypes, lists, tuples, sets, dicts, "
    "OrderedDicts, Counters, torch.Size, slices, ranges, NumPy arrays and modules made of these"
)
_TABLES = frozenset(empty_tables())


class Writer:
    """Describes an object in JSON terms and collects the storages it needs."""

    def __init__(self) -> None:
        self.storages: list[Any] = []
        self._places: dict[int, int] = {}
        self._tensors: dict[int, int] = {}
        self._modules: dict[int, int] = {}
        self._open: list[int] = []
        self._kept: list[Any] = []

    def describe(self, value: Any, path: str) -> Any:
        if value is None or isinstance(value, (bool, str)):
            return value
        if type(value) is int:
            return value if abs(value) < 1 << 53 else {"kind": "int", "text": str(value)}
        if type(value) is float:
            return {"kind": "float", "hex": value.hex()}
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if id(value) in self._modules:
            return {"kind": "module", "same": self._modules[id(value)]}
        if id(value) in self._open:
            raise ValueError(f"save: {path} refers to a container it is in; remove the cycle")
        self._open.append(id(value))
        try:
            return self._container(value, path)
        finally:
            self._open.pop()

    def _container(self, value: Any, path: str) -> Any:
        for kind, type_ in SEQUENCES.items():
            if type(value) is type_:
                items = [self.describe(v, f"{path}[{i}]") for i, v in enumerate(value)]
                return {"kind": kind, "items": items}
        if isinstance(value, dict):
            return self._mapping(value, path)
        if isinstance(value, Module):
            return self._module(value, path)
        if type(value) is complex:
            return {"kind": "complex", "hex": [value.real.hex(), value.imag.hex()]}
        if isinstance(value, (bytes, bytearray)):
            data = np.frombuffer(bytes(value), np.uint8)
            return {"kind": "bytes", "storage": self._storage(data)}
        if isinstance(value, torch.dtype):
            return {"kind": "dtype", "name": str(value)}
        if type(value) is torch.device:
            return {"kind": "device", "name": str(value)}
        name = function_name(value)
        if name is not None:
            return {"kind": "function", "name": name}
        if isinstance(value, (slice, range)):
            ends = [self.describe(v, path) for v in (value.start, value.stop, value.step)]
            return {"kind": type(value).__name__, "ends": ends}
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufcSU":
            kind = "array" if isinstance(value, np.ndarray) else "scalar"
            return {"kind": kind, "storage": self._storage(np.array(value, copy=True))}
        raise TypeError(f"save: {path} is a {torch.typename(value)}, which cannot be stored. "
                        f"Loading never runs code, so a file holds only {_KINDS}. For an optimizer "
                        "save its state_dict().")

    def _mapping(self, value: dict[Any, Any], path: str) -> Any:
        kind = "dict"
        if isinstance(value, Counter):
            kind = "counter"
        elif isinstance(value, OrderedDict):
            kind = "ordered"
        elif type(value) not in (dict, defaultdict):
            raise TypeError(f"save: {path} is a {torch.typename(value)}, which cannot be stored; "
                            "make it a dict")
        items = [[self.describe(k, f"key of {path}"), self.describe(v, f"{path}[{k!r}]")]
                 for k, v in value.items()]
        described = {"kind": kind, "items": items}
        metadata = getattr(value, "_metadata", None)
        if metadata is not None:
            described["metadata"] = self.describe(metadata, f"{path}._metadata")
        return described

    def _module(self, module: Module, path: str) -> Any:
        """A module is its class's name and its attributes; tables that are empty are not
        described, and hooks, which are code, are refused."""
        state: Any = module.__getstate__()
        if not isinstance(state, dict):
            raise TypeError(f"save: {path}.__getstate__() gives no dict")
        class_name = module_class_name(module, path)
        attributes = {name: value for name, value in state.items()
                      if not (name in _TABLES and not value)}
        for name in attributes:
            if name.endswith("_hooks"):
                raise TypeError(f"save: {path} has hooks ({name}), which are code and cannot be "
                                "stored; remove them, or save the module's state_dict()")
        described = {"kind": "module", "class": class_name,
                     "attributes": self._mapping(attributes, path)}
        self._modules[id(module)] = len(self._modules)
        self._kept.append(module)
        return described

    def _tensor(self, tensor: Any) -> Any:
        number = self._tensors.get(id(tensor))
        if number is not None:
            return {"kind": "same", "tensor": number}
        self._tensors[id(tensor)] = len(self._tensors)
        self._kept.append(tensor)  # keeps the id taken
        array = torch.raw(tensor)
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        if root.dtype != array.dtype or not root.flags.c_contiguous:
            root = array = np.ascontiguousarray(array)
            self._kept.append(root)
        start = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        return {
            "kind": "parameter" if isinstance(tensor, Parameter) else "tensor",
            "dtype": str(tensor.dtype),
            "storage": self._storage(root),
            "offset": start // array.itemsize,
            "shape": list(array.shape),
            "strides": [s // array.itemsize for s in array.strides],
            "requires_grad": bool(tensor.requires_grad),
        }

    def _storage(self, array: Any) -> int:
        self._kept.append(array)
        if id(array) not in self._places:
            self._places[id(array)] = len(self.storages)
            self.storages.append(array)
        return self._places[id(array)]
