"""`nn.functional` against PyTorch's values, gradients, second order and node names."""

import json
import math
import pathlib

import numpy as np
import pytest
from nn_functional_cases import CASES, evaluate, node_name

import srcgrad.eager as torch

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"


def _read():
    """The reference arrays by ``case/key``: one long vector, cut by the stored shapes."""
    stored = np.load(DATA / "functional.npz")
    shapes = [tuple(int(n) for n in text.split("x") if n)
              for text in str(stored["shapes"]).split("\n")]
    ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
    parts = np.split(stored["values"], ends)
    return {key: part.reshape(shape)
            for key, part, shape in zip(str(stored["keys"]).split("\n"), parts, shapes)}


REFERENCE = _read()
NAMES = json.loads((DATA / "node_names.json").read_text())
BY_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize("name", BY_NAME)
def test_value_gradient_and_second_order(name):
    for key, value in evaluate(torch, BY_NAME[name]).items():
        expected = REFERENCE[f"{name}/{key}"]
        assert value.shape == expected.shape, key
        assert value.dtype == np.float64
        np.testing.assert_allclose(value, expected, rtol=2e-6, atol=2e-6, err_msg=key)


@pytest.mark.parametrize("name", [name for name, node in NAMES.items() if node is not None])
def test_node_name(name):
    assert node_name(torch, BY_NAME[name]) == NAMES[name]


@pytest.mark.parametrize("name", [c.name for c in CASES if c.second])
def test_single_precision_stays_single(name):
    for key, value in evaluate(torch, BY_NAME[name], torch.float32).items():
        assert value.dtype == np.float32, key
        expected = REFERENCE[f"{name}/{key}"]
        np.testing.assert_allclose(value, expected, rtol=5e-3, atol=5e-3, err_msg=key)


def refused(kind, text, call):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_messages():
    F = torch.nn.functional
    x = torch.ones(2, 3)
    refused(ValueError, "dropout probability has to be between 0 and 1, but got 1.5",
            lambda: F.dropout(x, 1.5))
    refused(IndexError, "Target 3 is out of bounds.",
            lambda: F.cross_entropy(x, torch.tensor([0, 3])))
    refused(ValueError, "Expected input batch_size (2) to match target batch_size (1).",
            lambda: F.nll_loss(x, torch.tensor([0])))
    refused(ValueError, "Target size (torch.Size([2])) must be the same as input size",
            lambda: F.binary_cross_entropy_with_logits(x, torch.ones(2)))
    refused(RuntimeError, "Given groups=1, weight of size [4, 2, 3, 3], expected input"
            "[1, 3, 8, 8] to have 2 channels, but got 3 channels instead",
            lambda: F.conv2d(torch.ones(1, 3, 8, 8), torch.ones(4, 2, 3, 3)))
    refused(RuntimeError, "Kernel size can't be greater than actual input size",
            lambda: F.conv2d(torch.ones(1, 2, 2, 2), torch.ones(4, 2, 3, 3)))
    refused(RuntimeError, "Given normalized_shape=[4], expected input with shape [*, 4]",
            lambda: F.layer_norm(x, (4,)))
    refused(ValueError, "Expected more than 1 value per channel when training",
            lambda: F.batch_norm(torch.ones(1, 3), None, None, training=True))
    refused(IndexError, "index out of range in self",
            lambda: F.embedding(torch.tensor([3]), x))
    refused(RuntimeError, "Halving dimension must be even, but dimension 1 is size 3",
            lambda: F.glu(x))
    refused(RuntimeError, "Class values must be non-negative.",
            lambda: F.one_hot(torch.tensor([-1])))


def test_one_hot():
    got = torch.nn.functional.one_hot(torch.tensor([[0, 2], [1, 0]]))
    assert got.tolist() == [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 0]]]
    assert got.dtype == torch.int64


def test_pooling_returns_places_and_unpooling_puts_back():
    F = torch.nn.functional
    x = torch.arange(16.0).view(1, 1, 4, 4)
    out, where = F.max_pool2d(x, 2, return_indices=True)
    assert where.flatten().tolist() == [5, 7, 13, 15]
    back = F.max_unpool2d(out, where, 2)
    assert back.sum().item() == out.sum().item()
    assert back[0, 0, 1, 1].item() == 5


def test_running_statistics():
    F = torch.nn.functional
    mean, var = torch.zeros(2), torch.ones(2)
    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    F.batch_norm(x, mean, var, training=True, momentum=0.5)
    assert mean.tolist() == [1.0, 2.0]
    assert var.tolist() == [1.5, 4.5]


def test_infinite_scores_do_not_leak():
    F = torch.nn.functional
    x = torch.tensor([[0.0, -float("inf")]], requires_grad=True)
    F.softmax(x, 1)[0, 0].backward()
    assert x.grad.tolist() == [[0.0, 0.0]]
    y = torch.tensor([float("inf"), -1.0], requires_grad=True)
    F.leaky_relu(y).sum().backward()
    assert y.grad.tolist() == [1.0, pytest.approx(0.01)]
