"""vjp, jvp, Jacobians, Hessians, marks and check_grads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0])


def loop(x, n):
    total, y = 0.0, x.copy()
    for i in range(n):
        y[1:] *= y[:-1]
        total += np.sum(y * y) * (i + 1)
    return total


def test_jvp_is_the_transpose_of_vjp():
    t = np.array([0.3, -1.0, 0.5])
    value, moved = sg.jvp(loop, (X, 3), (t, None))
    out, pullback = sg.vjp(loop, X, 3)
    assert value == out == loop(X, 3)
    np.testing.assert_allclose(moved, pullback(1.0)[0] @ t)


def test_containers():
    def f(p, k):
        return {"a": np.sin(p["w"]) * k, "b": (p["w"] @ p["w"], 3)}

    out, pullback = sg.vjp(f, {"w": X, "n": 2}, 2.0)
    assert out["b"][1] == 3
    dp, dk = pullback({"a": np.ones(3), "b": (1.0, None)})
    np.testing.assert_allclose(dp["w"], 2 * np.cos(X) + 2 * X)
    assert dp["n"] is None and dk == pytest.approx(np.sin(X).sum())


def test_jacobians_and_hessians():
    def f(x):
        return np.array([x[0] * x[1], np.sin(x[2]), np.sum(x**2)])

    want = np.array([[2, 1, 0], [0, 0, np.cos(3)], [2, 4, 6]])
    for jacobian in (sg.jacrev(f), sg.jacfwd(f), sg.jacobian(f)):
        np.testing.assert_allclose(jacobian(X), want)
    h = sg.hessian(lambda x: np.sum(x**3) * x[0])(X)
    np.testing.assert_allclose(h, h.T)
    v = np.array([1.0, -1.0, 2.0])
    np.testing.assert_allclose(sg.hvp(lambda x: np.sum(x**3) * x[0])(X, v), h @ v)


def test_higher_orders():
    f = sg.grad(sg.grad(sg.grad(lambda x: x**5)))
    assert f(2.0) == pytest.approx(60 * 4.0)


def descend(w, x, rate):
    def loss(p):
        return np.sum((p * x - 1) ** 2)

    for _ in range(3):
        w = w - rate * sg.grad(loss)(w)
    return np.sum(w * w)


def test_gradient_through_gradient_descent():
    sg.check_grads(descend, (X, X * 0.2, 0.1))


def test_stop_gradient_and_custom_vjp():
    assert sg.grad(lambda x: x * sg.stop_gradient(x))(3.0) == 3.0

    @sg.custom_vjp
    def both(x, y):
        return x * y, x + y

    both.defvjp(lambda x, y: ((x * y, x + y), (x, y)),
                lambda res, ct: (ct[0] * res[1] + ct[1], ct[0] * res[0] + ct[1]))

    def f(x, y):
        a, b = both(x, y)
        return a * b

    assert sg.grad(f, argnums=(0, 1))(2.0, 3.0) == (21.0, 16.0)


def test_check_grads_finds_a_wrong_rule():
    @sg.custom_vjp
    def wrong(x):
        return x**2

    wrong.defvjp(lambda x: (x**2, x), lambda x, ct: (3 * x * ct,))
    with pytest.raises(AssertionError, match="pullback"):
        sg.check_grads(lambda x: wrong(x), (2.0,))


def test_ravel_tree():
    flat, unravel = sg.ravel_tree({"w": np.ones((2, 2), "f4"), "b": 0.5})
    back = unravel(flat * 2)
    assert back["w"].dtype == np.float32 and back["b"] == 1.0


def scaled(x, n=2):
    """A power, scaled.

    Of each number.
    """
    return 3.0 * x ** n


def test_help_says_which_derivative_it_is():
    import pydoc

    said = pydoc.plain(pydoc.render_doc(sg.value_and_grad(scaled, argnums="x")))
    for part in ("scaled(x, n=2)", "A power, scaled.\n", "\n    Of each number.",
                 "The value and the gradient with respect to x of scaled(x, n).", "source(...)", "export(file, ...)"):
        assert part in said
    assert sg.grad(sg.grad(scaled)).__doc__.count("A power") == 1
    assert ("The gradient with respect to x of the gradient with respect to x of scaled(x, n)."
            in sg.grad(sg.grad(scaled)).__doc__)
    assert "The Jacobian with respect to x of the gradient" in pydoc.render_doc(sg.hessian(scaled))
    assert sg.jit(lambda x: x).__doc__.startswith("The generated code of <lambda>(x).")


def test_only_public_names_are_listed():
    assert dir(sg) == sorted(sg.__all__)
    assert all(hasattr(sg, name) for name in dir(sg))


def test_jacobians_take_arguments_by_name():
    want = 3.0 * 4 * 8.0
    assert sg.jacobian(scaled)(2.0, n=4) == sg.jacobian(scaled)(n=4, x=2.0) == want
    assert sg.elementwise_grad(scaled)(2.0, n=4) == want
    assert sg.hessian(scaled)(x=2.0) == 6.0
    assert sg.grad(lambda x: x * sg.jacobian(scaled)(2.0, n=4)[()])(1.0) == want
    inside = sg.jit(lambda x: sg.jacfwd(scaled)(x, n=4))
    assert inside(2.0) == want


def by_keyword(x, *, n, scale=1.0):
    return scale * x ** n


def of_many(x, *others, scale=2.0):
    return scale * x ** 2 * sum(others)


def test_arguments_by_keyword_only_and_defaults():
    for of in (lambda f: f, lambda f: lambda *args, **named: sg.jit(lambda: f(*args, **named))()):
        assert of(sg.jacobian(by_keyword))(2.0, n=3) == of(sg.jacfwd(by_keyword))(2.0, n=3, scale=1.0) == 12.0
        assert of(sg.hessian(by_keyword))(2.0, n=3) == 12.0
        assert of(sg.hvp(by_keyword))(2.0, 0.5, n=3, scale=2.0) == 12.0
        assert of(sg.gnvp(by_keyword))(2.0, 0.5, n=1, scale=2.0) == 2.0
        assert of(sg.elementwise_grad(by_keyword))(2.0, n=3) == 12.0
        assert of(sg.jacobian(by_keyword, "scale"))(2.0, n=3) == 8.0
        assert of(sg.jacobian(by_keyword, ("scale", "x")))(2.0, n=3) == (8.0, 12.0)
        assert of(sg.jacobian(of_many, "scale"))(2.0, 3.0, 4.0) == 28.0
        assert of(sg.jacobian(of_many, -1))(2.0, 3.0, 4.0, scale=1.0) == 4.0
        assert of(sg.hessian(lambda x, y=3.0: x * y ** 2, -1))(2.0) == 4.0
    for wanted in ("others", 5, -5):
        with pytest.raises(sg.StructureError, match="argnums"):
            sg.jacobian(of_many, wanted)(2.0, 3.0)
    with pytest.raises(sg.StructureError, match="out of range"):
        sg.hessian(by_keyword, 1)(2.0, n=3)
    with pytest.raises(TypeError, match="missing 1 required"):
        sg.jacobian(by_keyword)(2.0)


@pytest.mark.parametrize("transform", [
    sg.grad, sg.value_and_grad, sg.jit, sg.jacobian, sg.jacrev, sg.jacfwd, sg.hessian, sg.hvp, sg.gnvp,
    sg.elementwise_grad, sg.vmap, sg.checkpoint, sg.custom_vjp, sg.custom_jvp])
def test_what_is_no_function_is_refused(transform):
    for wrong in (3.0, np.ones(2), "f"):
        with pytest.raises(sg.StructureError, match="takes a function"):
            transform(wrong)


def test_fixed_results_do_not_move():
    """A number that no argument decides has the tangent 0, wherever it stands in the result."""
    def fixed(x):
        return 3.0

    def parts(x):
        return {"x": np.sum(x), "n": 3, "pair": (2.5, "name"), "z": np.float32(1.5)}

    x = np.array([0.1, 0.2])
    assert sg.jvp(fixed, (x,), (x,)) == (3.0, 0.0)
    assert sg.linearize(fixed, x)[1](x) == 0.0
    out, moved = sg.jvp(parts, (x,), (np.ones(2),))
    assert out == parts(x)
    assert moved == {"x": 2.0, "n": 0.0, "pair": (0.0, "name"), "z": 0.0}
    assert sg.linearize(parts, x)[1](np.ones(2)) == moved


def test_comparisons_of_numbers_of_unknown_dtype():
    """What a comparison gives is a truth value, whatever was compared."""
    def between(x, y):
        for _ in range(2):
            y = 0.6 * y + x @ x
        t = np.fft.ifft(np.fft.fft(x) * y).real @ x
        return np.interp(t, [-1.0, 0.0, 1.0], [0.2, t, 0.4])

    x = np.array([0.1, 0.2], np.float32)
    for y in (0.5, 0.0):
        value, slope = sg.value_and_grad(between)(x, y)
        wide = sg.grad(between)(x.astype(float), y)
        assert value == between(x, y)
        assert np.allclose(slope, wide, rtol=1e-5)


class Holder:
    def __init__(self, **parts):
        self.__dict__.update(parts)


PARTS = [{}, {"n": 3}, {"n": 3.0}, {"n": np.ones(2)}, {"n": np.ones(2, int)}, {"n": "text"}, {"n": []}, {"n": [1]},
         {"n": [1, 2]}, {"n": [1.0]}, {"n": {"a": 1}}, {"n": {"a": 1.0}}, {"n": {"a": 1, "b": 2.0}}, {"n": (1, 2.0)}]


@pytest.mark.filterwarnings("ignore:.*was compiled for")
@pytest.mark.parametrize("make, f", [(dict, lambda p: p["w"] ** 2), (Holder, lambda p: p.w ** 2)])
def test_the_structure_of_a_gradient_is_that_of_the_argument_of_each_call(make, f):
    """Parts that the function does not read decide it, too."""
    for order in (PARTS, PARTS[::-1]):
        df = sg.grad(f)
        for parts in order:
            given = make(w=1.5, **parts)
            for found in (df(given), sg.vjp(f, given)[1](1.0)[0]):
                zeros = sg.tree_map(lambda x: np.zeros_like(x)[()] if np.asarray(x).dtype.kind == "f" else None,
                                    {"w": 1.5, **parts})
                found = found if make is dict else vars(found)
                assert str(sg.tree_flatten(found)[1]) == str(sg.tree_flatten(zeros)[1])
                for one, want in zip(sg.tree_flatten({**found, "w": 0.0})[0], sg.tree_flatten(zeros)[0], strict=True):
                    assert (one is None) == (want is None) and (one is None or np.array_equal(one, want))


@pytest.mark.parametrize("f", [
    lambda v: np.float32(2.0) * np.sum(v), lambda v: np.float32(0.1) * np.sum(v) / 3,
    lambda v: np.sum(v) * np.float16(0.1) + 1.0])
def test_constants_of_less_precision_do_not_lower_that_of_gradients(f):
    found = sg.grad(f)(X)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, (f(X + 1.0) - f(X)) / 3.0, rtol=1e-14)


# ---- registered classes --------------------------------------------------------------------------
class Masked:
    """A layer with parameters and other things."""

    def __init__(self, w, mask):
        self.w, self.mask, self.seen = w, mask, {"calls": [1.0, 2.0]}

    def __call__(self, x):
        return np.tanh(x * self.w * self.mask)


@dataclass
class Stack:
    layers: list
    scale: float


sg.tree_register(Masked, "w")
sg.tree_register(Stack, "layers")


def stack(scale=2.0):
    return Stack([Masked(X, np.array([1.0, 0.0, 1.0])), Masked(0.5 * X, np.ones(3))], scale)


def passed(stack, x):
    for layer in stack.layers:
        x = layer(x)
    return np.sum(x ** 2) * stack.scale


def test_only_the_named_attributes_of_a_registered_class_are_differentiated():
    df = sg.grad(passed)
    found = df(stack(), X)
    assert found.scale is None and found.layers[0].mask is None and found.layers[0].seen is None
    flat, unravel = sg.ravel_tree(stack())
    assert flat.size == 6 and np.array_equal(unravel(flat).layers[0].mask, [1.0, 0.0, 1.0])
    want = sg.grad(lambda v: passed(unravel(v), X))(flat)
    np.testing.assert_allclose(sg.ravel_tree(found)[0], want)
    np.testing.assert_allclose(sg.ravel_tree(df(stack(4.0), X))[0], 2.0 * want)
    assert df.cache_info().currsize == 1  # what is not differentiated is read at each call
    for made in (sg.vjp(passed, stack(), X)[1](1.0)[0], sg.jit(lambda s, x: df(s, x))(stack(), X)):
        np.testing.assert_allclose(sg.ravel_tree(made)[0], want)
        assert made.scale is None
    v = sg.tree_map(np.ones_like, stack())
    assert v.scale == 2.0
    np.testing.assert_allclose(sg.jvp(passed, (stack(), X), (v, None))[1], want.sum())
    hess = sg.hessian(lambda v: passed(unravel(v), X))(flat)
    blocks = sg.hessian(passed)(stack(), X)
    np.testing.assert_allclose(blocks.layers[0].w.layers[1].w, hess[:3, 3:])
    assert blocks.scale is None and blocks.layers[0].w.scale is None
    np.testing.assert_allclose(sg.ravel_tree(sg.hvp(passed)(stack(), X, v))[0], hess.sum(1))
    sg.check_grads(passed, (stack(), X))
    sg.testing.assert_grad(passed, stack(), X)


def test_minimisers_move_the_named_attributes_only():
    for minimised in (sg.optimize.minimize(passed, stack(), (X,)).x,
                      sg.optimize.adam(passed, stack(), (X,), rate=0.1, steps=50).x):
        assert passed(minimised, X) < 0.5 * passed(stack(), X) and minimised.scale == 2.0
        assert minimised.layers[0].seen == {"calls": [1.0, 2.0]} and np.array_equal(minimised.layers[1].mask, np.ones(3))

    def outer(scale):
        return sg.grad(passed)(stack(scale), X).layers[0].w @ X

    sg.check_grads(outer, (1.5,))


@pytest.mark.parametrize("wrong", [(3.0, "w"), (dict, "w"), (np.ndarray, "w"), (Masked, 3), (Masked, "a b")])
def test_what_cannot_be_registered(wrong):
    with pytest.raises(sg.StructureError, match="tree_register was given"):
        sg.tree_register(*wrong)
