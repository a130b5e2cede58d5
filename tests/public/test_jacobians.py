"""Jacobians: modes, sparsity patterns, chunks."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse

import srcgrad as sg

X = np.linspace(0.1, 1.0, 7)


def banded(x):
    y = x * x
    y[1:] += np.sin(x[:-1])
    y[:-1] += x[1:] * x[:-1]
    return y


BAND = np.abs(np.subtract.outer(np.arange(7), np.arange(7))) <= 1


@pytest.mark.parametrize("mode", ["auto", "fwd", "rev"])
@pytest.mark.parametrize("pattern", [
    BAND, BAND.astype(float), scipy.sparse.csr_matrix(BAND), scipy.sparse.coo_array(BAND),
    np.nonzero(BAND), np.ones((7, 7))])
def test_a_pattern_gives_the_same_matrix(mode, pattern):
    want = sg.jacobian(banded)(X)
    np.testing.assert_allclose(sg.jacobian(banded, mode=mode, sparsity=pattern)(X), want)
    np.testing.assert_allclose(sg.jacobian(banded, mode=mode, chunk_size=2)(X), want)


def test_other_shapes_and_kinds():
    def wide(A, s):
        return A.sum(axis=0) * s

    A = np.arange(6.0).reshape(2, 3)
    pattern = np.kron(np.ones((1, 2)), np.eye(3))
    want = sg.jacobian(wide)(A, 2.0)
    assert want.shape == (3, 2, 3)
    for mode in ("fwd", "rev", "auto"):
        np.testing.assert_allclose(sg.jacobian(wide, mode=mode, sparsity=pattern)(A, 2.0), want)
    np.testing.assert_allclose(sg.jacobian(wide, 1, sparsity=np.ones((3, 1)))(A, 2.0), A.sum(0))
    single = sg.jacobian(banded, sparsity=BAND)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, sg.jacobian(banded)(X), rtol=1e-5)


def test_a_band_takes_few_passes():
    from srcgrad.public.sparsity import colouring

    n = 200
    band = np.nonzero(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1)
    assert colouring(band, n).max() + 1 <= 4


def test_inside_of_a_derivative():
    def norm(x):
        return np.sum(sg.jacobian(banded, sparsity=BAND)(x) ** 2)

    def dense(x):
        return np.sum(sg.jacobian(banded)(x) ** 2)

    np.testing.assert_allclose(sg.grad(norm)(X), sg.grad(dense)(X))


@pytest.mark.parametrize("options, text", [
    ({"sparsity": np.eye(7)}, "leaves out entries"),
    ({"sparsity": np.eye(7), "mode": "rev"}, "leaves out entries"),
    ({"sparsity": np.eye(6)}, r"has the shape \(6, 6\)"),
    ({"sparsity": (np.array([0, 9]), np.array([0, 1]))}, "do not fit"),
    ({"mode": "both"}, "no Jacobian mode"),
    ({"chunk_size": 0}, "chunk_size is 0"),
])
def test_mistakes(options, text):
    with pytest.raises(sg.StructureError, match=text):
        sg.jacobian(banded, **options)(X)


# ---- any structure -----------------------------------------------------------------------------
@dataclass
class Layer:
    w: np.ndarray
    b: float
    name: str = "layer"


def drawn(rng, depth=0):
    """A random tree of arrays and numbers, and things without a derivative."""
    kind = rng.integers(0, 7 if depth < 2 else 3)
    if kind < 2:
        return rng.uniform(0.5, 1.5, size=tuple(rng.integers(1, 4, rng.integers(0, 3))))
    if kind == 2:
        return float(rng.uniform(0.5, 1.5))
    parts = [drawn(rng, depth + 1) for _ in range(rng.integers(1, 4))]
    if kind == 3:
        return Layer(rng.uniform(0.5, 1.5, size=(2,)), parts[0] if isinstance(parts[0], float) else 1.0)
    return ({f"k{i}": p for i, p in enumerate(parts)}, [*parts, 3], tuple(parts))[kind - 4]


def mixed(tree):
    """A nonlinear function from a tree to another one."""
    leaves = [leaf for leaf in sg.tree_flatten(tree)[0] if not isinstance(leaf, (int, str))]
    total = 0.0
    for k, leaf in enumerate(leaves):
        total = total + (k + 1.0) * np.sum(np.sin(leaf))
    return {"first": leaves[0] * total, "rest": [total ** 2, (leaves[-1] ** 2, 7)], "text": "t"}


def numbers(leaf):
    return not isinstance(leaf, (int, str)) and leaf is not None


@pytest.mark.parametrize("seed", range(12))
def test_random_structures(seed):
    """Every block against differences, by rows, by columns, and inside of a derivative."""
    tree = drawn(np.random.default_rng(seed))
    leaves, structure = sg.tree_flatten(tree)
    places = [i for i, leaf in enumerate(leaves) if numbers(leaf)]
    for mode in ("rev", "fwd", "auto"):
        found = sg.jacobian(mixed, mode=mode)(tree)
        assert found["text"] is None and list(found) == ["first", "rest", "text"]
        for path in (lambda t: t["first"], lambda t: t["rest"][0], lambda t: t["rest"][1][0]):
            blocks = sg.tree_flatten(path(found))[0]
            assert [b is None for b in blocks] == [not numbers(leaf) for leaf in leaves]
            for i in places:
                for index in np.ndindex(np.shape(leaves[i])):
                    moved = []
                    for step in (1e-6, -1e-6):
                        one = np.array(leaves[i], dtype=float)
                        one[index] += step
                        changed = [one if n == i else leaf for n, leaf in enumerate(leaves)]
                        moved.append(path(mixed(sg.tree_unflatten(structure, changed))))
                    want = (np.asarray(moved[0]) - moved[1]) / 2e-6
                    assert blocks[i].shape == np.shape(moved[0]) + np.shape(leaves[i])
                    np.testing.assert_allclose(blocks[i][(..., *index)], want, rtol=1e-5, atol=1e-6)


def energy(layer, x, n=2):
    return np.sum(layer.w ** 2 * x) * layer.b ** n


LAYER = Layer(np.array([1.0, 2.0]), 3.0)
AT = np.array([0.5, 1.0])


def test_hessian_of_several_arguments():
    found = sg.hessian(energy, argnums=("layer", 1))(LAYER, AT)
    assert isinstance(found[0], Layer) and isinstance(found[0].w[0], Layer)
    np.testing.assert_allclose(found[0].w[0].w, np.diag(2 * AT) * 9.0)
    np.testing.assert_allclose(found[0].b[1], 2 * LAYER.b * LAYER.w ** 2)
    np.testing.assert_allclose(found[1][0].b, found[0].b[1])
    assert found[0].name is None and found[0].w[0].name is None
    v = (Layer(np.ones(2), 0.0), np.zeros(2))
    product = sg.hvp(energy, argnums=(0, 1))(LAYER, AT, v)
    np.testing.assert_allclose(product[0].w, found[0].w[0].w @ np.ones(2))
    np.testing.assert_allclose(product[1], found[1][0].w @ np.ones(2))


def test_aux_comes_along():
    def field(x):
        return x ** 3, {"n": len(x)}

    def scalar(x):
        return np.sum(x ** 3), x

    for transform in (sg.jacobian, sg.jacrev, sg.jacfwd):
        found, aux = transform(field, has_aux=True)(AT)
        np.testing.assert_allclose(found, np.diag(3 * AT ** 2))
        assert aux == {"n": 2}
    np.testing.assert_allclose(sg.hessian(scalar, has_aux=True)(AT)[0], np.diag(6 * AT))
    product, aux = sg.hvp(scalar, has_aux=True)(AT, AT)
    np.testing.assert_allclose(product, 6 * AT * AT)
    assert aux is AT or np.array_equal(aux, AT)
    product, aux = sg.gnvp(field, has_aux=True, loss=lambda y: np.sum(y ** 2))(AT, AT)
    np.testing.assert_allclose(product, 2 * 9 * AT ** 5)
    slope, more = sg.elementwise_grad(field, has_aux=True)(AT)
    np.testing.assert_allclose(slope, 3 * AT ** 2)
    assert aux == more == {"n": 2}
    out, tangent, aux = sg.jvp(field, (AT,), (AT,), has_aux=True)
    np.testing.assert_allclose(tangent, 3 * out)
    out, pushforward, aux = sg.linearize(field, AT, has_aux=True)
    np.testing.assert_allclose(pushforward(AT), 3 * out)
    assert aux == {"n": 2}
    for transform, args in ((sg.jacobian, (AT,)), (sg.hvp, (AT, AT))):
        with pytest.raises(sg.SrcgradError, match="return .*aux"):
            transform(lambda x: np.sum(x), has_aux=True)(*args)


def test_structures_inside_of_a_derivative():
    def total(w, b):
        J, aux = sg.jacobian(lambda p, q: ({"y": p["w"] * q, "s": p["w"] @ p["w"]}, p["b"]),
                             argnums=(0, 1), has_aux=True)({"w": w, "b": b, "n": 1}, b)
        H = sg.hessian(lambda p: np.sum(p["w"] ** 3) * p["b"] ** 2)({"w": w, "b": b})
        product, more = sg.hvp(lambda x: (np.sum(x ** 3), x), has_aux=True)(w, w)
        out, moved, a = sg.jvp(lambda x: (x ** 2, x), (w,), (w,), has_aux=True)
        linear = sg.linearize(lambda x: (x ** 2, x), w, has_aux=True)[1]
        wide = sg.jacfwd(lambda x: [x * x])(w)[0]
        slope, a = sg.elementwise_grad(lambda x: (x ** 3, x), has_aux=True)(w)
        wide = wide * a + sg.gnvp(lambda x: (x ** 2, x), has_aux=True)(w, w)[1] * slope
        return (np.sum(J["y"][0]["w"]) + J["s"][0]["w"] @ J["y"][1] * aux + np.sum(H["w"]["b"])
                + H["b"]["b"] + np.sum(product * more) + np.sum(moved * linear(a)) + np.sum(wide))

    sg.check_grads(total, (np.array([1.0, 2.0]), 3.0), order=1)
    np.testing.assert_allclose(sg.jit(total)(np.array([1.0, 2.0]), 3.0), total(np.array([1.0, 2.0]), 3.0))


def test_what_does_not_depend_on_the_argument():
    for mode in ("rev", "fwd"):
        found = sg.jacobian(lambda x: [np.ones(2), x], mode=mode)(AT)
        assert not found[0].any() and np.array_equal(found[1], np.eye(2))


def test_allow_int():
    def power(x, n):
        return x ** n

    assert sg.grad(power, argnums=(0, 1), allow_int=True)(2.0, 3) == (12.0, None)
    assert sg.value_and_grad(power, argnums=1, allow_int=True)(2.0, 3) == (8.0, None)
    outer = sg.grad(lambda x: sg.grad(power, argnums=(0, 1), allow_int=True)(x, 3)[0])
    assert outer(2.0) == 12.0
    with pytest.raises(sg.NonDifferentiable):
        sg.grad(power, argnums=1)(2.0, 3)


def test_allow_int_in_matrices_and_products():
    def cubes(x, n, tree):
        return x ** 3 * n[0] + tree["k"]

    n, tree = np.array([2, 5]), {"k": 1}
    want = np.diag(6.0 * AT ** 2)
    for of in (lambda f: f, lambda f: sg.jit(lambda *args: f(*args))):
        for transform in (sg.jacobian, sg.jacrev, sg.jacfwd):
            found = of(transform(cubes, (0, 1, 2), allow_int=True))(AT, n, tree)
            np.testing.assert_allclose(found[0], want)
            assert found[1] is None and found[2] == {"k": None}
            assert of(transform(cubes, (1, 2), allow_int=True))(AT, n, tree) == (None, {"k": None})
            with pytest.raises(sg.NonDifferentiable):
                of(transform(cubes, 1))(AT, n, tree)
        total = sg.hessian(lambda x, n: np.sum(x ** 3 * n[0]), (0, 1), allow_int=True)
        found = of(total)(AT, n)
        np.testing.assert_allclose(found[0][0], np.diag(12.0 * AT))
        assert found[0][1] is None and found[1] is None or found[1] == (None, None)
        product = of(sg.hvp(lambda x, n: np.sum(x ** 3 * n[0]), (0, 1), allow_int=True))(AT, n, (AT, None))
        np.testing.assert_allclose(product[0], 12.0 * AT ** 2)
        assert product[1] is None


def test_progress_by_request(capsys, monkeypatch):
    import time

    from srcgrad.show import progress

    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(sg.config, "progress", True)
    units = progress.counted(range(3), 3, "srcgrad: rows of f")
    for _ in units:
        time.sleep(0.05)
    assert "srcgrad: rows of f: " in capsys.readouterr().err
