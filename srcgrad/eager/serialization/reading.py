"""An object from its description.  Headers are read and bounded before anything is made."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import basis as torch
from ..nn.module import empty_tables
from ..nn.parameter import Parameter
from ..strides import strided
from ..tensor import store, wrap
from .classes import function, module_class
from .writing import DTYPES, FORMAT, MAPPINGS, SEQUENCES

FOREIGN = (
    "load: this file was not written by srcgrad's save(). Files of PyTorch hold pickles, which can "
    "run code when loaded; load them with PyTorch and store the tensors with numpy.savez, then "
    "use from_numpy."
)
STRUCTURE = "structure.json"
_ARRAY_KINDS = "biufcSU"


def damaged(why: str) -> ValueError:
    """The one error for files that were written by :func:`save` and changed since."""
    return ValueError(f"load: the file is damaged ({why}); nothing of it was loaded")


class Storages:
    """The arrays of an archive, whose headers have all been read and agree with its sizes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.entries = {entry.filename: entry for entry in archive.infolist()}
        self._arrays: dict[int, Any] = {}
        whole = archive.fp.seek(0, io.SEEK_END) if archive.fp is not None else 0
        for entry in archive.infolist():
            if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
                raise damaged(f"{entry.filename} is compressed")
            if entry.file_size > whole:
                raise damaged(f"{entry.filename} is said to be larger than the file")
        if sum(entry.file_size for entry in self.entries.values()) > whole or (
                len(self.entries) != len(archive.infolist())):
            raise damaged("its parts overlap")
        for name, entry in self.entries.items():
            if name != STRUCTURE:
                self._check_header(entry)

    def _check_header(self, entry: zipfile.ZipInfo) -> None:
        with self.archive.open(entry) as part:
            version = np.lib.format.read_magic(part)
            if version not in ((1, 0), (2, 0)):
                raise damaged(f"{entry.filename} has an unknown version")
            read = (np.lib.format.read_array_header_1_0 if version == (1, 0)
                    else np.lib.format.read_array_header_2_0)
            shape, _, dtype = read(part, max_header_size=10_000)
            size = math.prod(shape) * dtype.itemsize
            if dtype.kind not in _ARRAY_KINDS or min(shape, default=0) < 0:
                raise damaged(f"{entry.filename} has an impossible header")
            if entry.file_size - part.tell() != size:
                raise damaged(f"{entry.filename} has not the size that its header tells")

    def structure(self) -> Any:
        """What ``structure.json`` describes."""
        content = json.loads(self.archive.read(STRUCTURE))
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(FOREIGN)
        return content["structure"]

    def __getitem__(self, number: int) -> Any:
        if number not in self._arrays:
            data = io.BytesIO(self.archive.read(f"storages/{int(number)}.npy"))
            self._arrays[number] = np.lib.format.read_array(data, allow_pickle=False)
        return self._arrays[number]


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "int": lambda described: int(described["text"]),
    "float": lambda described: float.fromhex(described["hex"]),
    "complex": lambda described: complex(*map(float.fromhex, described["hex"])),
    "dtype": lambda described: DTYPES[described["name"]],
    "device": lambda described: torch.device(described["name"]),
    "function": lambda described: function(described["name"]),
}


class Reader:
    """Rebuilds an object; storages are read when first needed."""

    def __init__(self, storages: Storages, weights_only: bool) -> None:
        self.storages = storages
        self.weights_only = weights_only
        self._tensors: list[Any] = []
        self._modules: list[Any] = []

    def build(self, described: Any) -> Any:
        if not isinstance(described, dict):
            if isinstance(described, list):
                raise damaged("a list stands where a value should")
            return described
        kind = described["kind"]
        if kind in ("tensor", "parameter"):
            return self._tensor(described)
        if kind == "same":
            return self._tensors[described["tensor"]]
        if kind == "module":
            return self._module(described)
        if kind in SEQUENCES:
            return SEQUENCES[kind]([self.build(item) for item in described["items"]])
        if kind in MAPPINGS:
            return self._mapping(described)
        return self._plain(kind, described)

    def _mapping(self, described: Any) -> Any:
        items = {self.build(key): self.build(value) for key, value in described["items"]}
        mapping = MAPPINGS[described["kind"]](items)
        if "metadata" in described:
            mapping._metadata = self.build(described["metadata"])
        return mapping

    def _module(self, described: Any) -> Any:
        if "same" in described:
            return self._modules[described["same"]]
        cls = module_class(described["class"], self.weights_only)
        module = cls.__new__(cls)
        module.__dict__.update(empty_tables())
        module.__setstate__(self._mapping(described["attributes"]))
        self._modules.append(module)
        return module

    def _plain(self, kind: str, described: Any) -> Any:
        if kind in _PLAIN:
            return _PLAIN[kind](described)
        if kind in ("slice", "range"):
            return {"slice": slice, "range": range}[kind](*map(self.build, described["ends"]))
        if kind in ("array", "scalar", "bytes"):
            array = self.storages[described["storage"]]
            return array if kind == "array" else array[()] if kind == "scalar" else array.tobytes()
        raise damaged(f"an unknown kind of value {kind!r}")

    def _tensor(self, described: Any) -> Any:
        place = len(self._tensors)
        self._tensors.append(None)
        dtype = DTYPES[described["dtype"]]
        root = self.storages[described["storage"]]
        if root.dtype != dtype.numpy:
            raise damaged("a tensor's dtype is not that of its storage")
        array = _placed(root.reshape(-1), int(described["offset"]), tuple(described["shape"]),
                        tuple(described["strides"]))
        tensor = wrap(array if dtype is not torch.bfloat16 else store(dtype, array), dtype)
        if described["kind"] == "parameter":
            tensor = Parameter(tensor, bool(described["requires_grad"]))
        elif described["requires_grad"]:
            tensor.requires_grad_(True)
        self._tensors[place] = tensor
        return tensor


def _placed(flat: Any, offset: int, shape: Any, strides: Any) -> Any:
    """The described view of a storage; ``ValueError`` if it reaches outside."""
    if len(shape) != len(strides) or offset < 0 or any(n < 0 for n in (*shape, *strides)):
        raise damaged("an impossible tensor")
    steps = tuple(s * flat.itemsize for s in strides)
    try:
        return strided(flat, shape, steps, offset * flat.itemsize)
    except RuntimeError:
        raise damaged("a tensor that reaches outside its storage") from None
