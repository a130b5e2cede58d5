"""Modules are stored and loaded without running code; damaged files give one clear error."""

from __future__ import annotations

import copy
import io
import json
import pickle
import random
import warnings
import zipfile

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn

LAYERS = {
    "Linear": lambda: nn.Linear(2, 3),
    "Conv2d": lambda: nn.Conv2d(2, 2, 3, padding="same"),
    "ConvTranspose1d": lambda: nn.ConvTranspose1d(2, 2, 3),
    "BatchNorm1d": lambda: nn.BatchNorm1d(3),
    "LSTM": lambda: nn.LSTM(2, 3, 2, bidirectional=True),
    "GRUCell": lambda: nn.GRUCell(2, 3),
    "Transformer": lambda: nn.Transformer(4, 2, 1, 1, 8, batch_first=True),
    "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2),
    "EmbeddingBag": lambda: nn.EmbeddingBag(3, 2),
    "Sequential": lambda: nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Dropout(0.5)),
    "ModuleDict": lambda: nn.ModuleDict({"a": nn.ReLU(), "b": nn.ModuleList([nn.Tanh()])}),
    "ParameterDict": lambda: nn.ParameterDict({"x": nn.Parameter(torch.ones(2))}),
    "CrossEntropyLoss": lambda: nn.CrossEntropyLoss(weight=torch.ones(3)),
    "TripletMarginWithDistanceLoss": lambda: nn.TripletMarginWithDistanceLoss(),
    "AdaptiveAvgPool2d": lambda: nn.AdaptiveAvgPool2d((1, None)),
    "Upsample": lambda: nn.Upsample(scale_factor=2),
}


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(2, 2)
        self.other = nn.Linear(2, 2)
        self.other.weight = self.one.weight
        self.again = self.one
        self.register_buffer("seen", torch.zeros(1), persistent=False)
        self.width = 3

    def forward(self, x):
        return self.again(self.other(x))


def stored(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return file


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_the_same_after_every_way_of_copying(name):
    module = LAYERS[name]().eval()
    for copied in (torch.load(stored(module)), pickle.loads(pickle.dumps(module)),
                   copy.deepcopy(module)):
        assert type(copied) is type(module) and repr(copied) == repr(module)
        assert copied.__dict__.keys() == module.__dict__.keys() and not copied.training
        pairs = list(zip(module.named_parameters(), copied.named_parameters(), strict=True))
        for (key, value), (other, again) in pairs:
            assert key == other and torch.equal(value, again) and value is not again
            assert type(again) is nn.Parameter


def test_own_classes_are_found_and_need_trust():
    file = stored(Tied())
    with pytest.raises(RuntimeError, match="Weights only load failed"):
        torch.load(file)
    for load in (lambda: torch.load(file, weights_only=False), trusting(file)):
        got = load()
        assert got.other.weight is got.one.weight and got.again is got.one and got.width == 3
        assert got._non_persistent_buffers_set == {"seen"}
    assert torch.serialization.get_safe_globals() == []


def trusting(file):
    def load():
        with torch.serialization.safe_globals([Tied]):
            return torch.load(file)

    return load


def test_what_is_code_is_refused():
    module = nn.Linear(2, 2)
    module.register_forward_hook(print)
    with pytest.raises(TypeError, match=r"obj has hooks \(_forward_hooks\)"):
        stored(module)
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        stored(nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)))

    class Local(nn.Module):
        pass

    with pytest.raises(TypeError, match="defined in a function"):
        stored(Local())


SUBJECT = {
    "net": nn.Sequential(nn.Linear(2, 3), nn.ReLU()), "view": torch.ones(2, 3)[:, 1:],
    "short": torch.ones(3, dtype=torch.bfloat16), "rest": [1, 2.5, "x", (3, 4), {1, 2}],
    "array": np.arange(3)}


def broken(data, random):
    """The file cut off, with bits changed, or whole with other contents."""
    yield data[: random.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 5, 30])):
        changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
    yield bytes(changed)
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(file, "w") as archive:
        for name in given.namelist():
            part = bytearray(given.read(name))
            if name.endswith("npy"):
                part[random.randrange(min(len(part), 128))] = random.randrange(256)
            else:
                content = json.loads(part)
                disturb(content, random)
                part = json.dumps(content).encode()
            archive.writestr(name, bytes(part))
    yield file.getvalue()


def disturb(node, random):
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        if random.random() < 0.03:
            node[key] = random.choice([None, -1, 1 << 40, 1 << 62, "x", [], {}, True, "module"])
        elif isinstance(node[key], dict | list):
            disturb(node[key], random)


def test_damaged_files_give_one_error():
    data = stored(SUBJECT).getvalue()
    rng = random.Random(0)
    refused = 0
    for _ in range(150):
        for damaged in broken(data, rng):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    torch.load(io.BytesIO(damaged))
            except ValueError as error:
                assert str(error).startswith("load: "), error
                refused += 1
    assert refused > 400


def rewritten(data, name, part):
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(file, "w") as archive:
        for each in given.namelist():
            archive.writestr(each, part if each == name else given.read(each))
    file.seek(0)
    return file


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1,)", "(4, 4, 99999999)"])
def test_sizes_are_bounded_by_the_file(shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    part = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode() + bytes(24)
    with pytest.raises(ValueError, match="load: the file is damaged"):
        torch.load(rewritten(stored(SUBJECT).getvalue(), "storages/0.npy", part))


def test_neither_compressed_nor_deep_files_take_memory():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("structure.json", b" " * (1 << 24))
    with pytest.raises(ValueError, match="is compressed"):
        torch.load(file)
    deep = '{"format": "srcgrad tensors 1", "structure": ' + '{"kind": "list", "items": [' * 9999
    with pytest.raises(ValueError, match="load: the file is damaged"):
        torch.load(rewritten(stored(None).getvalue(), "structure.json", deep.encode()))
