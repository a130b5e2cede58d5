"""Convolutions of all geometries against their definition, in blocks of every size."""

import itertools

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad.rules.nn import grids

CASES = [  # images, outputs, kernel, stride, padding, dilation, groups
    ((3, 2, 6, 5), 4, (3, 3), 1, 1, 1, 1), ((3, 2, 6, 5), 4, (3, 2), 1, (0, 2), (2, 1), 1),
    ((5, 4, 5, 5), 6, (2, 3), 1, 1, 1, 2), ((3, 4, 6, 6), 4, (3, 3), 1, 1, 1, 4),
    ((3, 4, 6, 7), 8, (3, 3), 1, 2, 2, 4), ((2, 6, 5, 5), 2, (3, 3), 1, 0, 1, 1),
    ((2, 1, 5, 5), 9, (3, 3), 1, 2, 1, 1), ((4, 3, 7, 7), 2, (3, 3), 2, 1, 1, 1),
    ((2, 3, 7, 7), 2, (1, 1), 1, 0, 1, 1), ((2, 3, 5, 5), 3, (5, 5), 1, 0, 1, 1),
    ((2, 3, 5, 5), 3, (3, 3), 1, 3, 1, 3), ((1, 2, 9, 4), 5, (4, 1), (2, 1), (1, 0), (2, 1), 1),
]


def pair(value):
    return value if isinstance(value, tuple) else (value, value)


def by_definition(x, w, stride, padding, dilation, groups):
    """Sums over the kernel's positions, one output at a time."""
    (top, left), (down, across), (tall, wide) = pair(padding), pair(stride), pair(dilation)
    x = np.pad(x, ((0, 0), (0, 0), (top, top), (left, left)))
    o, share, rows, columns = w.shape
    height = (x.shape[2] - tall * (rows - 1) - 1) // down + 1
    width = (x.shape[3] - wide * (columns - 1) - 1) // across + 1
    out = np.zeros((x.shape[0], o, height, width))
    for k, i, j in itertools.product(range(o), range(height), range(width)):
        first = k // (o // groups) * share
        part = x[:, first:first + share, i * down:i * down + tall * rows:tall,
                 j * across:j * across + wide * columns:wide]
        out[:, k, i, j] = (part * w[k]).sum((1, 2, 3))
    return out


@pytest.mark.parametrize("block", [1, 3000, 1 << 21])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_value_and_gradients(case, block, monkeypatch):
    monkeypatch.setattr(grids, "_BLOCK", block)
    size, outputs, kernel, *options, groups = case
    random = np.random.RandomState(0)
    x = random.randn(*size)
    w = random.randn(outputs, size[1] // groups, *kernel)
    a, b = (torch.tensor(v, requires_grad=True) for v in (x, w))
    out = torch.nn.functional.conv2d(a, b, None, *options, groups)
    expected = by_definition(x, w, *options, groups)
    np.testing.assert_allclose(out.detach().numpy(), expected, atol=1e-12)
    seed = random.randn(*expected.shape)
    out.backward(torch.tensor(seed))
    # the function is linear in each argument: its gradients are found by products with it
    for grad, given, image in ((a.grad, x, True), (b.grad, w, False)):
        for _ in range(3):
            t = random.randn(*given.shape)
            moved = by_definition(*((t, w) if image else (x, t)), *options, groups)
            assert np.isclose((grad.numpy() * t).sum(), (moved * seed).sum())


def test_second_derivatives():
    for _, _, _, stride, padding, dilation, groups in CASES[:5]:
        x = torch.randn(2, 4, 5, 5, dtype=torch.float64, requires_grad=True)
        w = torch.randn(4, 4 // groups, 2, 2, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradgradcheck(
            lambda x, w, s=stride, p=padding, d=dilation, g=groups:
            torch.nn.functional.conv2d(x, w, None, s, p, d, g), (x, w))
