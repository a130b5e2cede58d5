"""Data loading and the stored format."""

import io
import json
import zipfile
from collections import Counter, OrderedDict, namedtuple

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn
from srcgrad.eager.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)


class Squares(Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        return {"x": float(i), "y": i * i, "name": f"n{i}", "pair": (np.float32(i), [i])}


def test_batches_of_dicts():
    first = next(iter(DataLoader(Squares(), batch_size=3)))
    assert repr(first["x"]) == "tensor([0., 1., 2.], dtype=torch.float64)"
    assert first["y"].dtype == torch.int64 and first["name"] == ["n0", "n1", "n2"]
    assert first["pair"][0].dtype == torch.float32 and first["pair"][1][0].tolist() == [0, 1, 2]


def test_lengths_and_dropping():
    assert len(DataLoader(Squares(), batch_size=3)) == 3
    assert len(DataLoader(Squares(), batch_size=3, drop_last=True)) == 2
    assert sum(1 for _ in DataLoader(Squares(), batch_size=3, drop_last=True)) == 2


def test_shuffling_repeats_pytorch_stream():
    data = TensorDataset(torch.arange(10))
    torch.manual_seed(0)
    loader = DataLoader(data, batch_size=4, shuffle=True)
    passes = [[b.tolist() for b, in loader] for _ in range(2)]
    assert passes == SHUFFLED
    g = torch.Generator()
    g.manual_seed(1)
    own = DataLoader(data, batch_size=5, shuffle=True, generator=g)
    assert [b.tolist() for b, in own] == OWN_GENERATOR


SHUFFLED = [[[6, 7, 1, 4], [2, 0, 9, 8], [3, 5]], [[2, 4, 7, 0], [8, 9, 5, 3], [6, 1]]]
OWN_GENERATOR = [[4, 6, 9, 2, 3], [1, 0, 7, 8, 5]]
SPLIT = [[4, 1, 7, 5, 3, 9, 0], [8, 6, 2]]
WEIGHTED = [2, 2, 1, 2, 2, 2]


def test_random_split_and_samplers():
    torch.manual_seed(0)
    parts = random_split(range(10), [0.7, 0.3])
    assert [p.indices for p in parts] == SPLIT
    torch.manual_seed(0)
    assert list(WeightedRandomSampler([0.1, 0.5, 0.4], 6)) == WEIGHTED
    assert sorted(SubsetRandomSampler([3, 5, 9])) == [3, 5, 9]
    assert list(BatchSampler(SequentialSampler(range(5)), 2, False)) == [[0, 1], [2, 3], [4]]
    assert len(list(RandomSampler(range(4), replacement=True, num_samples=40))) == 40
    with pytest.raises(ValueError, match="Sum of input lengths does not equal"):
        random_split(range(3), [1, 1])


def test_combined_datasets():
    both = ConcatDataset([range(3), range(10, 12)])
    assert [both[i] for i in range(len(both))] == [0, 1, 2, 10, 11] and both[-1] == 11
    assert Subset(range(10), [2, 4])[1] == 4


def test_iterable_dataset():
    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(5))

    assert [b.tolist() for b in DataLoader(Stream(), batch_size=2)] == [[0, 1], [2, 3], [4]]
    with pytest.raises(ValueError, match="expected unspecified shuffle option"):
        DataLoader(Stream(), shuffle=True)


def test_collate_function_and_batch_sampler():
    loader = DataLoader(range(6), batch_sampler=[[0, 5], [1]], collate_fn=tuple)
    assert list(loader) == [(0, 5), (1,)]
    assert list(DataLoader([np.ones(2)], batch_size=None))[0].tolist() == [1, 1]
    Point = namedtuple("Point", "a b")
    batch = next(iter(DataLoader([Point(1, 2.0), Point(3, 4.0)], batch_size=2)))
    assert isinstance(batch, Point) and batch.a.tolist() == [1, 3]


def round_trip(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file)


@pytest.mark.parametrize("value", [
    None, True, 3, 10**40, -0.0, float("inf"), 1 + 2j, "text", b"bytes", [1, [2.5, None]],
    (1, "a"), {"a": 1, 2: (3,)}, OrderedDict(x=1), Counter("aab"), {1, 2}, slice(1, None, 2),
    range(3), torch.float16, torch.Size([2, 3]),
])
def test_plain_values(value):
    got = round_trip(value)
    assert got == value and type(got) is type(value)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64",
                                   "int8", "int64", "uint8", "bool"])
def test_tensors(dtype):
    t = torch.tensor([[0, 1], [1, 0]]).to(getattr(torch, dtype))
    got = round_trip(t)
    assert got.dtype == t.dtype and torch.equal(got, t)
    assert torch.equal(round_trip(t.t()), t.t())
    assert round_trip(t[:0]).shape == (0, 2)


def test_sharing_and_flags():
    base = torch.arange(6.0)
    got = round_trip({"a": base, "b": base.view(2, 3)[1], "again": base})
    got["a"][3] = 100.0
    assert got["b"][0].item() == 100 and got["again"] is got["a"]
    assert round_trip(torch.ones(1, requires_grad=True)).requires_grad
    assert isinstance(round_trip(nn.Parameter(torch.ones(1))), nn.Parameter)


def test_training_state(tmp_path):
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(model.parameters())
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 2])
    model(torch.randn(4, 2)).sum().backward()
    optimizer.step()
    path = tmp_path / "state.pt"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(), "epoch": 3}, path)
    state = torch.load(path, weights_only=True, map_location="cpu")
    other = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    assert repr(other.load_state_dict(state["model"])) == "<All keys matched successfully>"
    assert torch.equal(other[0].weight, model[0].weight)
    assert state["model"]._metadata["1"] == {"version": 2}
    again = torch.optim.Adam(other.parameters())
    again.load_state_dict(state["optimizer"])
    assert again.state[other[0].weight]["step"].item() == 1
    assert state["epoch"] == 3


def test_what_cannot_be_stored_is_named():
    with pytest.raises(TypeError, match=r"obj\['f'\] is a function, which cannot be stored"):
        torch.save({"f": lambda: 1}, io.BytesIO())
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="refers to a container it is in"):
        torch.save(loop, io.BytesIO())


def test_foreign_and_broken_files_are_refused():
    with pytest.raises(ValueError, match="was not written by srcgrad"):
        torch.load(io.BytesIO(b"something else"))
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    with zipfile.ZipFile(file) as archive:
        content = json.loads(archive.read("structure.json"))
        storage = archive.read("storages/0.npy")
    content["structure"]["shape"] = [1000]
    forged = io.BytesIO()
    with zipfile.ZipFile(forged, "w") as archive:
        archive.writestr("structure.json", json.dumps(content))
        archive.writestr("storages/0.npy", storage)
    with pytest.raises(ValueError, match="outside its storage"):
        torch.load(forged)
