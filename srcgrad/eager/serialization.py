"""`save` and `load`: tensors in nested containers, in a format that runs no code.

A file is a ZIP archive with ``structure.json``, which describes the object, and one NumPy
``.npy`` file per storage.  Tensors that share memory still do after loading.  What can be
stored is listed in :data:`_KINDS`; anything else is refused when saving, so that loading never
needs to import or call what a file names.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import basis as torch
from .nn.parameter import Parameter
from .typename import typename

FORMAT = "srcgrad tensors 1"
_DTYPES = {
    str(d): d for d in (
        torch.bfloat16, torch.bool, torch.complex64, torch.complex128, torch.float16,
        torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64,
        torch.uint8,
    )
}
_SEQUENCES: dict[str, Callable[..., Any]] = {
    "list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "size": torch.Size,
}
_MAPPINGS: dict[str, Callable[..., Any]] = {
    "dict": dict, "ordered": OrderedDict, "counter": Counter,
}
_KINDS = (
    "tensors, parameters, numbers, strings, bytes, None, dtypes, lists, tuples, sets, dicts, "
    "OrderedDicts, Counters, torch.Size, slices, ranges and NumPy arrays"
)


class _Writer:
    """Describes an object in JSON terms and collects the storages it needs."""

    def __init__(self) -> None:
        self.storages: list[Any] = []
        self._places: dict[int, int] = {}
        self._tensors: dict[int, int] = {}
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
        if id(value) in self._open:
            raise ValueError(f"save: {path} refers to a container it is in; remove the cycle")
        self._open.append(id(value))
        try:
            return self._container(value, path)
        finally:
            self._open.pop()

    def _container(self, value: Any, path: str) -> Any:
        for kind, type_ in _SEQUENCES.items():
            if type(value) is type_:
                items = [self.describe(v, f"{path}[{i}]") for i, v in enumerate(value)]
                return {"kind": kind, "items": items}
        if isinstance(value, dict):
            return self._mapping(value, path)
        if type(value) is complex:
            return {"kind": "complex", "hex": [value.real.hex(), value.imag.hex()]}
        if isinstance(value, (bytes, bytearray)):
            data = np.frombuffer(bytes(value), np.uint8)
            return {"kind": "bytes", "storage": self._storage(data)}
        if isinstance(value, torch.dtype):
            return {"kind": "dtype", "name": str(value)}
        if type(value) is torch.device:
            return {"kind": "device", "name": str(value)}
        if isinstance(value, (slice, range)):
            ends = [self.describe(v, path) for v in (value.start, value.stop, value.step)]
            return {"kind": type(value).__name__, "ends": ends}
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufcSU":
            kind = "array" if isinstance(value, np.ndarray) else "scalar"
            return {"kind": kind, "storage": self._storage(np.array(value, copy=True))}
        raise TypeError(
            f"save: {path} is a {typename(value)}, which cannot be stored. Loading never runs "
            f"code, so a file holds only {_KINDS}. For a model or an optimizer save its "
            "state_dict()."
        )

    def _mapping(self, value: dict[Any, Any], path: str) -> Any:
        kind = "dict"
        if isinstance(value, Counter):
            kind = "counter"
        elif isinstance(value, OrderedDict):
            kind = "ordered"
        elif type(value) not in (dict, defaultdict):
            raise TypeError(
                f"save: {path} is a {typename(value)}, which cannot be stored; make it a dict"
            )
        items = [
            [self.describe(k, f"key of {path}"), self.describe(v, f"{path}[{k!r}]")]
            for k, v in value.items()
        ]
        described = {"kind": kind, "items": items}
        metadata = getattr(value, "_metadata", None)
        if metadata is not None:
            described["metadata"] = self.describe(metadata, f"{path}._metadata")
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


def save(obj: Any, f: Any, *_: Any, **__: Any) -> None:
    """Store ``obj`` in a file given by path or as a binary file object.

    ``TypeError`` names the first part that cannot be stored.  Further arguments that
    PyTorch's function has (pickling) are accepted and have no effect.

    >>> import io, srcgrad.eager as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file); _ = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.])}
    """
    writer = _Writer()
    structure = writer.describe(obj, "obj")
    text = json.dumps({"format": FORMAT, "structure": structure}, allow_nan=False)
    target: Any = os.fspath(f) if isinstance(f, (str, os.PathLike)) else f
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("structure.json", text)
        for number, array in enumerate(writer.storages):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=False)
            archive.writestr(f"storages/{number}.npy", buffer.getvalue())


class _Reader:
    """Rebuilds an object from its description; storages are read when first needed."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self._storages: dict[int, Any] = {}
        self._tensors: list[Any] = []

    def build(self, described: Any) -> Any:
        if not isinstance(described, dict):
            return described
        kind = described["kind"]
        if kind in ("tensor", "parameter"):
            return self._tensor(described)
        if kind == "same":
            return self._tensors[described["tensor"]]
        if kind in _SEQUENCES:
            return _SEQUENCES[kind]([self.build(item) for item in described["items"]])
        if kind in _MAPPINGS:
            return self._mapping(described)
        return self._plain(kind, described)

    def _mapping(self, described: Any) -> Any:
        items = {self.build(key): self.build(value) for key, value in described["items"]}
        mapping = _MAPPINGS[described["kind"]](items)
        if "metadata" in described:
            mapping._metadata = self.build(described["metadata"])
        return mapping

    def _plain(self, kind: str, described: Any) -> Any:
        if kind == "int":
            return int(described["text"])
        if kind == "float":
            return float.fromhex(described["hex"])
        if kind == "complex":
            real, imaginary = described["hex"]
            return complex(float.fromhex(real), float.fromhex(imaginary))
        if kind == "bytes":
            return self.storage(described["storage"]).tobytes()
        if kind == "dtype":
            return _DTYPES[described["name"]]
        if kind == "device":
            return torch.device(described["name"])
        if kind in ("slice", "range"):
            ends = [self.build(end) for end in described["ends"]]
            return slice(*ends) if kind == "slice" else range(*ends)
        if kind in ("array", "scalar"):
            array = self.storage(described["storage"])
            return array if kind == "array" else array[()]
        raise ValueError(f"load: the file describes an unknown kind of value {kind!r}")

    def storage(self, number: int) -> Any:
        if number not in self._storages:
            data = io.BytesIO(self.archive.read(f"storages/{int(number)}.npy"))
            self._storages[number] = np.lib.format.read_array(data, allow_pickle=False)
        return self._storages[number]

    def _tensor(self, described: Any) -> Any:
        place = len(self._tensors)
        self._tensors.append(None)
        root = self.storage(described["storage"])
        array = _placed(
            root.reshape(-1), int(described["offset"]), tuple(described["shape"]),
            tuple(described["strides"]),
        )
        dtype = _DTYPES[described["dtype"]]
        tensor = torch.from_numpy(array)
        if tensor.dtype != dtype:
            tensor = tensor.to(dtype)
        if described["kind"] == "parameter":
            tensor = Parameter(tensor, bool(described["requires_grad"]))
        elif described["requires_grad"]:
            tensor.requires_grad_(True)
        self._tensors[place] = tensor
        return tensor


def _placed(flat: Any, offset: int, shape: Any, strides: Any) -> Any:
    """The described view of a storage; ``ValueError`` if it reaches outside."""
    if len(shape) != len(strides) or offset < 0 or any(n < 0 for n in (*shape, *strides)):
        raise ValueError("load: the file describes an impossible tensor")
    if 0 in shape:
        return np.empty(shape, flat.dtype)
    last = offset + sum((n - 1) * s for n, s in zip(shape, strides))
    if last >= flat.size:
        raise ValueError("load: the file describes a tensor that reaches outside its storage")
    steps = tuple(s * flat.itemsize for s in strides)
    return as_strided(flat[offset:], shape, steps)


def load(f: Any, map_location: Any = None, *_: Any, **__: Any) -> Any:
    """Read what :func:`save` stored.

    ``map_location`` may be anything that says the CPU.  ``ValueError`` for files of another
    format, PyTorch's own included: those hold pickles, which can run code when loaded.
    """
    if map_location is not None and not callable(map_location) and not isinstance(
        map_location, dict
    ):
        if not str(map_location).startswith("cpu"):
            raise RuntimeError(
                f"load: map_location={map_location!r} is not available; there is only the CPU"
            )
    source: Any = os.fspath(f) if isinstance(f, (str, os.PathLike)) else f
    try:
        archive = zipfile.ZipFile(source)
    except zipfile.BadZipFile as error:
        raise ValueError(_FOREIGN) from error
    with archive:
        if "structure.json" not in archive.namelist():
            raise ValueError(_FOREIGN)
        content = cast(dict[str, Any], json.loads(archive.read("structure.json")))
        if content.get("format") != FORMAT:
            raise ValueError(_FOREIGN)
        return _Reader(archive).build(content["structure"])


_FOREIGN = (
    "load: this file was not written by srcgrad's save(). Files of PyTorch hold pickles, which can "
    "run code when loaded; load them with PyTorch and store the tensors with numpy.savez, then "
    "use from_numpy."
)
