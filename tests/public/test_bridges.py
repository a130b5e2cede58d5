"""Compiled functions inside of programs of PyTorch and JAX."""

import sys

import numpy as np
import pytest

import srcgrad as sg


def energy(p, x, power=2.0):
    y = np.tanh(p["w"] * x) + p["b"]
    return {"sum": np.sum(y ** power), "y": y, "n": len(x)}


def total(x, s):
    return np.sum(np.sin(x) * x) * s


# ---- PyTorch ---------------------------------------------------------------------------------
@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.long
def test_torch_gradients(torch):
    def other(p, x, power=2.0):
        y = torch.tanh(p["w"] * x) + p["b"]
        return {"sum": torch.sum(y ** power), "y": y}

    results = []
    for f in (sg.bridges.to_torch(energy), sg.bridges.to_torch(sg.jit(energy)), other):
        w = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
        b = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
        x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
        out = f({"w": w, "b": b}, x, power=3.0)
        (out["sum"] * 2.0 + out["y"][0]).backward()
        results.append((w.grad, b.grad))
        assert x.grad is None
    for got in results[:2]:
        for g, want in zip(got, results[2]):
            torch.testing.assert_close(g, want)
    assert sg.bridges.to_torch(energy)({"w": w, "b": b}, x)["n"] == 3


@pytest.mark.long
def test_torch_second_order_and_dtypes(torch):
    f = sg.bridges.to_torch(total)
    x = torch.tensor([0.3, 1.2], dtype=torch.float64, requires_grad=True)
    s = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(f, (x, s)) and torch.autograd.gradgradcheck(f, (x, s))
    (g,) = torch.autograd.grad(f(x, s), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    torch.testing.assert_close(h, s.detach() * (2 * x.cos() - x * x.sin()).detach())
    single = torch.ones(3, requires_grad=True)
    out = f(single, 2.0)
    out.backward()
    assert out.dtype == single.grad.dtype == torch.float32
    assert not f(torch.ones(3), 1.0).requires_grad
    assert "total" in type(out.grad_fn).__name__


@pytest.mark.long
def test_torch_training(torch):
    f = sg.bridges.to_torch(lambda w, x, y: np.mean((x @ w - y) ** 2))
    rng = np.random.default_rng(0)
    x = torch.tensor(rng.normal(size=(50, 3)))
    y = x @ torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    w = torch.nn.Parameter(torch.zeros(3, dtype=torch.float64))
    optimizer = torch.optim.Adam([w], lr=0.1)
    for _ in range(200):
        optimizer.zero_grad()
        f(w, x, y).backward()
        optimizer.step()
    torch.testing.assert_close(w.detach(), torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64), atol=1e-2, rtol=0)


# ---- JAX -------------------------------------------------------------------------------------
@pytest.fixture
def jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", False)


@pytest.mark.long
def test_jax_gradients(jax):
    jnp = jax.numpy

    def other(p, x):
        y = jnp.tanh(p["w"] * x) + p["b"]
        return jnp.sum(y ** 2) + y[0]

    f = sg.bridges.to_jax(energy)
    p = {"w": jnp.array([0.5, -1.0, 2.0]), "b": jnp.array(0.3)}
    x = jnp.array([1.0, 2.0, 3.0])

    def loss(p, x):
        out = f(p, x)
        return out["sum"] + out["y"][0]

    for run in (lambda g: g, jax.jit):
        got, want = run(jax.grad(loss, argnums=(0, 1)))(p, x), jax.grad(other, argnums=(0, 1))(p, x)
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(jax.vmap(loss, in_axes=(None, 0))(p, jnp.stack([x, 2 * x])),
                               [other(p, x), other(p, 2 * x)])


@pytest.mark.long
def test_jax_second_order_and_dtypes(jax):
    f, x = sg.bridges.to_jax(total), jax.numpy.array([0.3, 1.2])
    np.testing.assert_allclose(jax.jacrev(jax.grad(f))(x, 2.0), np.diag(2.0 * (2 * np.cos(x) - x * np.sin(x))),
                               atol=1e-12)
    assert f(jax.numpy.ones(3, "float32"), 2.0).dtype in ("float32", "float64")
    assert sg.bridges.to_jax(lambda x, n: x ** n)(x, 2).shape == (2,)
    np.testing.assert_allclose(jax.grad(sg.bridges.to_jax(lambda x, n: np.sum(x ** n)))(x, 3), 3 * x ** 2)


# ---- without them ------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["torch", "jax"])
def test_what_is_not_installed(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    bridge = getattr(sg.bridges, f"to_{name}")
    with pytest.raises(sg.StructureError, match=f"needs the package {name}"):
        bridge(total)(np.ones(2), 1.0)
    with pytest.raises(sg.StructureError, match="takes a function"):
        bridge(3.0)
    assert bridge(total).__name__ == "total" and "of" in bridge(total).__doc__
