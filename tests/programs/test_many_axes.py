"""States of many qubits: arrays of up to 20 axes, whose examples stay small."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.graph import probing


def rotation(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([c, -s]), np.stack([s, c])])


def one_gate(U, psi, q):
    return np.sum(np.tensordot(U, psi, axes=(1, q)) ** 3)


def gate_and_back(U, psi, q):
    moved = np.moveaxis(np.tensordot(U, psi, axes=([1], [q])), 0, q)
    return np.sum(np.sin(moved) * psi)


def two_qubits(U, psi, q):
    pair = np.reshape(np.kron(U, U), (2, 2, 2, 2))
    out = np.tensordot(pair, psi, axes=((2, 3), (q, 0)))
    return np.sum(np.moveaxis(out, (0, 1), (q, 0)) * np.cos(psi))


def reduced(U, psi, q):
    total = np.sum(np.cumsum(psi, axis=q), axis=tuple(i for i in range(psi.ndim) if i != q))
    return np.sum(U @ total * np.flip(total))


def rolled(U, psi, q):
    return np.sum(np.roll(psi, 1, axis=q) * np.swapaxes(psi, 0, q) * U[0, 1])


PROGRAMS = [one_gate, gate_and_back, two_qubits, reduced, rolled]


def noting(make, sizes):
    """``make``, with the sizes of the arrays that it makes noted."""
    def noted(*args, **kwargs):
        found = make(*args, **kwargs)
        sizes.append(np.size(found))
        return found

    return noted


@pytest.mark.parametrize("ndim", [3, 7, 9, 12, 16, 20])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_of_states(program, ndim, monkeypatch):
    if ndim > 12 and program in (two_qubits, rolled, reduced):
        return
    random = np.random.default_rng(ndim)
    U, psi = rotation(0.3), random.normal(size=(2,) * ndim) / 2 ** (ndim / 2)
    q = ndim - 2
    made = []
    monkeypatch.setattr(probing, "dummy", noting(probing.dummy, made))
    value, (d_U, d_psi) = sg.value_and_grad(program, argnums=(0, 1))(U, psi, q)
    assert max(made) <= 1 << 21 or max(made) <= 16 * psi.size
    assert value == pytest.approx(program(U, psi, q), rel=1e-13)
    for argument, found, other in ((U, d_U, lambda u: program(u, psi, q)),
                                   (psi, d_psi, lambda p: program(U, p, q))):
        direction = random.normal(size=argument.shape) / argument.size ** 0.5
        want = (other(argument + 1e-5 * direction) - other(argument - 1e-5 * direction)) / 2e-5
        assert np.sum(found * direction) == pytest.approx(want, rel=1e-5, abs=1e-9)


def circuit(angles, n):
    psi = np.zeros((2,) * n)
    psi[(0,) * n] = 1.0
    for q in range(n):
        psi = np.moveaxis(np.tensordot(rotation(angles[q]), psi, axes=(1, q)), 0, q)
    return psi[(0,) * n] ** 2


@pytest.mark.parametrize("n", [2, 8, 13])
def test_gradients_of_circuits(n):
    angles = 0.1 * np.arange(1, n + 1)
    found = sg.grad(circuit)(angles, n)
    want = -2 * np.tan(angles) * np.prod(np.cos(angles) ** 2)
    np.testing.assert_allclose(found, want, rtol=1e-10)
