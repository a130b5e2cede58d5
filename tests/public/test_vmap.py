"""Batching: the same as stacking single calls, in and around every transform."""

import numpy as np
import pytest

import srcgrad as sg

STREAM = np.random.RandomState(1)
X = STREAM.normal(size=(5, 3))
W = STREAM.normal(size=(3, 3))


def layer(w, x):
    return np.tanh(x @ w)


def branching(w, x):
    n = 0
    if np.sum(x) > 0.0:
        x = x * x
    while np.sum(x * x) < 10.0:
        x = 2.0 * x + 0.1
        n += 1
    return x * w[0] + n


def looping(w, x):
    total = 0.0
    for i in range(len(x)):
        total += np.sin(x[i]) * w[i, i]
    return total


def of_a_gradient(w, x):
    return sg.grad(lambda y: np.sum(layer(w, y) ** 2))(x)


def several(w, x):
    return {"a": x * 2.0, "b": (np.sum(x), w @ x)}


FUNCTIONS = [layer, branching, looping, of_a_gradient]


def stacked(fun, w, xs):
    return np.stack([fun(w, x) for x in xs])


@pytest.mark.parametrize("fun", FUNCTIONS, ids=lambda f: f.__name__)
def test_it_is_the_stack_of_single_calls(fun):
    mapped = sg.vmap(fun, in_axes=(None, 0))
    want = stacked(fun, W, X)
    np.testing.assert_array_equal(mapped(W, X), want)
    np.testing.assert_allclose(sg.jit(mapped)(W, X), want, rtol=1e-13)
    np.testing.assert_allclose(sg.vmap(fun, (None, 1), 1)(W, X.T), np.moveaxis(want, 0, min(
        1, want.ndim - 1)) if want.ndim > 1 else want) if want.ndim > 1 else None


@pytest.mark.parametrize("fun", FUNCTIONS, ids=lambda f: f.__name__)
def test_it_is_differentiated(fun):
    mapped = sg.vmap(fun, in_axes=(None, 0))

    def batch(w, x):
        return np.sum(mapped(w, x) ** 2)

    def plain(w, x):
        total = 0.0
        for i in range(len(x)):
            total = total + np.sum(fun(w, x[i]) ** 2)
        return total

    for ours, theirs in zip(sg.grad(batch, (0, 1))(W, X), sg.grad(plain, (0, 1))(W, X),
                            strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    assert sg.jvp(batch, (W, X), (W, X))[1] == pytest.approx(
        sg.jvp(plain, (W, X), (W, X))[1])
    if fun is not of_a_gradient:
        np.testing.assert_allclose(sg.hessian(batch)(W, X), sg.hessian(plain)(W, X),
                                   rtol=1e-8, atol=1e-9)


def test_gradients_for_each_example():
    each = sg.vmap(sg.grad(lambda w, x: np.sum(layer(w, x) ** 2)), in_axes=(None, 0))
    whole = sg.grad(lambda w: np.sum(layer(w, X) ** 2))(W)
    assert each(W, X).shape == (5, 3, 3)
    np.testing.assert_allclose(each(W, X).sum(axis=0), whole)
    np.testing.assert_allclose(sg.jit(each)(W, X), each(W, X))
    values, gradients = sg.vmap(sg.value_and_grad(looping), in_axes=(None, 0))(W, X)
    np.testing.assert_allclose(values, stacked(looping, W, X))
    assert gradients.shape == (5, 3, 3)


def test_of_jacobians_and_hessians():
    jacobians = sg.vmap(sg.jacobian(lambda x: x ** 2))(X)
    np.testing.assert_allclose(jacobians, np.stack([np.diag(2 * x) for x in X]))
    hessians = sg.vmap(sg.hessian(lambda x: np.sum(x ** 3)))(X)
    np.testing.assert_allclose(hessians, np.stack([np.diag(6 * x) for x in X]))


def test_trees_axes_and_keywords():
    mapped = sg.vmap(several, in_axes=(None, 1), out_axes={"a": 1, "b": 0})
    for found in (mapped(W, X.T), sg.jit(lambda w, x: mapped(w, x))(W, X.T)):
        np.testing.assert_allclose(found["a"], (X * 2.0).T)
        np.testing.assert_allclose(found["b"][0], X.sum(axis=1))
        np.testing.assert_allclose(found["b"][1], X @ W.T)

    def model(p, x, scale=1.0):
        return p["w"] @ x * scale + p["b"]

    many = sg.vmap(model, in_axes=({"w": None, "b": 0}, 0))
    p, b = {"w": W, "b": np.arange(5.0)}, np.arange(5.0)[:, None]
    np.testing.assert_allclose(many(p, X), X @ W.T + b)
    np.testing.assert_allclose(many(p, X, scale=np.arange(5.0)), X @ W.T * b + b)
    gradient = sg.grad(lambda p: np.sum(many(p, X) ** 2))(p)
    np.testing.assert_allclose(gradient["b"], 2.0 * (X @ W.T + b).sum(axis=1))


def test_examples_that_take_different_branches_to_new_containers():
    def example(x):
        if np.sum(x) > 0.0:
            return {"a": x * 2.0, "b": (np.sum(x),)}
        return {"a": -x, "b": (x[0],)}

    mapped = sg.vmap(example, out_axes={"a": 1, "b": 0})
    found = sg.jit(lambda x: mapped(x))(X)
    np.testing.assert_array_equal(found["a"], mapped(X)["a"])
    np.testing.assert_array_equal(found["b"][0], mapped(X)["b"][0])


def test_nesting():
    outer = sg.vmap(sg.vmap(lambda a, b: a * b, (None, 0)), (0, None))
    a, b = np.arange(3.0), np.arange(4.0)
    np.testing.assert_array_equal(outer(a, b), np.outer(a, b))
    np.testing.assert_array_equal(sg.jit(outer)(a, b), np.outer(a, b))
    np.testing.assert_allclose(sg.grad(lambda a, b: np.sum(outer(a, b) ** 2))(a, b),
                               2 * a * np.sum(b * b))


def test_dtypes_and_kinds():
    assert sg.vmap(lambda x: x > 1)(np.arange(3)).tolist() == [False, False, True]
    assert sg.vmap(lambda x: x * 2)(np.arange(3, dtype=np.int32)).dtype == np.int32
    assert sg.vmap(np.sin)(np.ones(3, np.float32)).dtype == np.float32
    assert sg.jit(sg.vmap(np.sin))(np.ones(3, np.float32)).dtype == np.float32
    assert sg.vmap(lambda x: (x, None))(np.ones(2))[1] is None


def test_defaults_belong_to_the_function():
    def model(p, x, scale=2.0, flag=None, *, mode="a"):
        return x * p * scale

    mapped = sg.vmap(model, (None, 0))
    x = np.arange(3.0)
    assert mapped(2.0, x).tolist() == sg.jit(mapped)(2.0, x).tolist() == [0.0, 4.0, 8.0]
    assert sg.jit(mapped)(2.0, x, scale=x).tolist() == [0.0, 2.0, 8.0]
    assert sg.grad(lambda p, x: np.sum(mapped(p, x)))(2.0, x) == 6.0
    assert sg.jit(sg.vmap(np.dot))(np.ones((2, 3)), np.ones((2, 3))).tolist() == [3.0, 3.0]


def test_as_a_decorator_and_by_name():
    @sg.vmap
    def f(x):
        """Doc."""
        return x * x

    assert f.__name__ == "f" and f.__doc__ == "Doc." and "vmap of f" in repr(f)
    assert f(np.arange(3.0)).tolist() == [0.0, 1.0, 4.0]


@pytest.mark.parametrize("call, text", [
    (lambda: sg.vmap(layer)(W, X), "different lengths"),
    (lambda: sg.vmap(layer, (None, None))(W, X), "over no argument"),
    (lambda: sg.vmap(layer, (0,))(W, X), "in_axes has 1 items"),
    (lambda: sg.vmap(layer, (None, 2))(W, X), "over axis 2 of an array with 2 axes"),
    (lambda: sg.vmap(layer, "0"), "in_axes is '0'"),
    (lambda: sg.vmap(3), "vmap takes a function"),
    (lambda: sg.vmap(np.sin)(np.zeros((0, 2))), "length 0"),
    (lambda: sg.vmap(lambda x: x)("text"), "of a str"),
    (lambda: sg.jit(lambda x: sg.vmap(np.sin)(x))(1.0), "an array with 0 axes"),
])
def test_mistakes(call, text):
    with pytest.raises(sg.StructureError, match=text):
        call()


def test_lengths_that_only_a_run_knows():
    both = sg.jit(lambda a, b: sg.vmap(lambda x, y: x * y)(a, b))
    assert both(np.ones(3), np.arange(3.0)).tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="different lengths"):
        both(np.ones(3), np.arange(4.0))


def along(x, axis, result):
    return np.sum(sg.vmap(lambda row: np.cumsum(row) ** 2, in_axes=axis, out_axes=result)(x)[0])


def in_loop(x):
    total = 0.0
    for axis in range(2):
        total = total + np.sum(sg.vmap(lambda row: np.sum(row) ** 2, in_axes=axis)(x))
    return total


def test_axes_that_are_ints_of_the_program():
    """An argument, a loop's index and NumPy's ints are axes; another argument is another axis."""
    gradient = sg.grad(along)
    for axis, result in ((0, 0), (1, 0), (-1, 1), (0, -1)):
        want = sg.grad(lambda x, a=axis, r=result: np.sum(np.moveaxis(
            np.cumsum(np.moveaxis(x, a, 0), axis=1) ** 2, 0, r)[0]))(X)
        np.testing.assert_allclose(gradient(X, axis, result), want)
    np.testing.assert_allclose(sg.grad(in_loop)(X), 2 * (
        X.sum(0)[None, :] + X.sum(1)[:, None]))
    assert sg.vmap(np.sum, in_axes=np.int64(1))(X).shape == (X.shape[1],)
