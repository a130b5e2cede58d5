"""Transforms inside of functions that are differentiated, in every combination."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import srcgrad as sg

NEEDS_NUMBA = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
X = np.array([0.3, 0.7, 1.1])
W = np.array([[0.2, -0.4, 0.9], [1.1, 0.3, -0.5]])


def f(y):
    return np.sin(y) * y + np.cumsum(y)


def loss(y):
    return np.sum(f(y) ** 2)


def gradient(x):
    return np.sum(sg.grad(loss)(x) ** 2)


def gradient_with_aux(x):
    g, aux = sg.grad(lambda y: (np.sum(f(y)), y * 2), has_aux=True)(x)
    (v, more), h = sg.value_and_grad(lambda y: (np.sum(y**3), {"m": y}), has_aux=True)(x)
    return np.sum(g * aux) + v * np.sum(h * more["m"])


def pullback(x):
    out, pull = sg.vjp(f, x)
    return np.sum(pull(out)[0] ** 2)


def pullback_twice(x):
    out, pull = sg.vjp(lambda y, w: w @ np.tanh(y), x, W)
    a = pull(np.array([1.0, 0.5]))
    b = pull(out)
    return np.sum(a[0] * b[0]) + np.sum(a[1] * b[1])


def pullback_in_a_loop(x):
    out, pull = sg.vjp(f, x)
    s = 0.0
    for i in range(len(x)):
        unit = np.zeros(len(x))
        unit[i] = 1.0
        s = s + np.sum(pull(unit)[0] ** 2) * (i + 1)
    return s + np.sum(out)


def pullback_of_containers(x):
    out, pull = sg.vjp(lambda p: {"a": p["u"] * p["v"], "b": [np.sum(p["u"] ** 2)]},
                       {"u": x, "v": 2.0 * x})
    (d,) = pull({"a": x, "b": [1.5]})
    return np.sum(d["u"] * d["v"]) + out["b"][0]


def pullback_with_aux(x):
    out, pull, aux = sg.vjp(lambda y: (y**2, np.sum(y)), x, has_aux=True)
    return np.sum(pull(out)[0]) * aux


def pullback_in_an_arm(x):
    if x[0] > 0:
        out, pull = sg.vjp(np.exp, x)
        return np.sum(pull(out)[0])
    return np.sum(x)


def pushforward(x):
    out, t = sg.jvp(f, (x,), (x * 2,))
    return np.sum(t**2) + np.sum(out)


def pushforward_of_some(x):
    out, t = sg.jvp(lambda y, c, k: np.sum(y**k) * c, (x, 2.5, 3), (np.ones(3), 0.5, None))
    return out * t


def pushforward_of_gradient(x):
    return np.sum(sg.jvp(sg.grad(loss), (x,), (np.cos(x),))[1] ** 2)


def linear(x):
    out, push = sg.linearize(f, x)
    return np.sum(push(x) * push(np.ones(3))) + np.sum(out)


def jacobians(x):
    return np.sum(sg.jacobian(f)(x) ** 2) + np.sum(sg.jacrev(f)(x) * sg.jacfwd(f)(x) ** 2)


def jacobian_of_matrix(x):
    return np.sum(sg.jacobian(lambda w: w @ w.T)(W * x) ** 2)


def jacobian_of_numbers(x):
    slope = sg.jacobian(lambda t: t**3)(x[0])
    row = sg.jacrev(lambda y: np.prod(y))(x)
    column = sg.jacfwd(lambda t: np.array([t, t * t]))(x[1])
    return slope * np.sum(row) + np.sum(column**2)


def newton_step(x):
    step = np.linalg.solve(sg.hessian(loss)(x) + np.eye(3), sg.grad(loss)(x))
    return np.sum((x - step) ** 2)


def mixed_modes(x):
    both = sg.jacfwd(sg.jacrev(loss))(x) - sg.jacrev(sg.jacfwd(loss))(x)
    return np.sum(both**2) + np.sum(sg.jacfwd(sg.grad(loss))(x))


def hessian_products(x):
    return np.sum(sg.hvp(loss)(x, np.sin(x)) ** 2)


def elementwise(x):
    return np.sum(sg.elementwise_grad(np.tanh)(x) * sg.elementwise_grad(lambda y: y**3)(x))


def free_variables(x):
    def inner(w):
        return np.sum(w**2 * x)

    w = np.ones(3)
    for _ in range(3):
        w = w - 0.1 * sg.grad(inner)(w)
    return np.sum(w * x)


def three_levels(x):
    def cube(t):
        return t**4 + np.sin(t)

    return sg.grad(sg.grad(sg.grad(cube)))(x[0]) * x[1]


PROGRAMS = [
    gradient, gradient_with_aux, pullback, pullback_twice, pullback_in_a_loop,
    pullback_of_containers, pullback_with_aux, pullback_in_an_arm, pushforward,
    pushforward_of_some, pushforward_of_gradient, linear, jacobians, jacobian_of_matrix,
    jacobian_of_numbers, newton_step, mixed_modes, hessian_products, elementwise, free_variables,
    three_levels,
]


def differences(function, x, step=1e-6):
    return np.array([(function(x + step * e) - function(x - step * e)) / (2 * step)
                     for e in np.eye(len(x))])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_values_and_gradients(program):
    value, found = sg.value_and_grad(program)(X)
    assert value == pytest.approx(program(X), rel=1e-13)
    np.testing.assert_allclose(found, differences(program, X), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_second_derivatives(program):
    want = differences(lambda x: sg.grad(program)(x)[1], X, 1e-5)
    np.testing.assert_allclose(sg.hvp(program)(X, np.array([0.0, 1.0, 0.0])), want,
                               rtol=1e-5, atol=1e-4)


def test_transforms_of_transforms_at_the_top():
    want = sg.hessian(loss)(X)
    for found in (sg.jacfwd(sg.jacrev(loss)), sg.jacrev(sg.jacfwd(loss)),
                  sg.jacfwd(sg.grad(loss)), sg.jacobian(sg.jacobian(loss))):
        np.testing.assert_allclose(found(X), want, rtol=1e-10)
    third = sg.jacfwd(sg.hessian(loss))(X)
    assert third.shape == (3, 3, 3)
    np.testing.assert_allclose(third[:, :, 1], (sg.hessian(loss)(X + [0, 1e-6, 0]) - sg.hessian(
        loss)(X - [0, 1e-6, 0])) / 2e-6, rtol=1e-5, atol=1e-5)


def test_the_last_pullback_of_a_loop():
    def program(x):
        pull = None
        for i in range(2):
            _, pull = sg.vjp(lambda y: y * y * (i + 1), x)
        return np.sum(pull(x)[0])

    value, slope = sg.value_and_grad(program)(X)
    assert value == pytest.approx(np.sum(4 * X * X))
    np.testing.assert_allclose(slope, 8 * X)


def test_a_pullback_that_left_its_branch_is_refused():
    def program(x):
        pull = None
        for i in range(5):
            if x[0] > 0.1 * i:
                _, pull = sg.vjp(lambda y: y * (i + 1), x)
        return np.sum(pull(x)[0])

    with pytest.raises(sg.SrcgradError, match="branch or loop"):
        sg.grad(program)(X)


def test_a_cotangent_of_another_structure_is_refused():
    def program(x):
        _, pull = sg.vjp(lambda y: (y, y * 2), x)
        return np.sum(pull(x)[0])

    with pytest.raises(sg.StructureError, match="structure"):
        sg.grad(program)(X)


def test_shapes_that_do_not_fit_are_refused():
    def program(x):
        _, pull = sg.vjp(lambda y: np.sum(y), x)
        return np.sum(pull(x)[0])

    with pytest.raises(sg.StructureError, match="axes"):
        sg.grad(program)(X)


def test_numbers_of_numpy_in_the_text_are_primals():
    """A literal ``np.float64`` is differentiated like one that a name holds."""
    slope = sg.grad(lambda x, y: x * x * y, argnums=1)
    assert sg.grad(lambda x: slope(x, np.float64(0.5)))(3.0) == 6.0
    assert sg.grad(lambda x: sg.jvp(lambda t: t * x, (np.float64(2.0),), (1.0,))[1])(3.0) == 1.0


@pytest.mark.parametrize("of", [
    lambda x, y: np.sum(x * y), lambda x, y: np.sum(x + y) * x[0], lambda x, y: np.dot(x, y),
    lambda x, y: np.sum(x @ y), lambda x, y: np.sum(np.hypot(x, y))])
def test_operands_that_do_not_fit_raise_as_in_numpy(of):
    """The program's own operation raises, before that of its tangents."""
    x, y = np.ones(3), np.ones(2)
    texts = []
    for call in (lambda: of(x, y), lambda: sg.jvp(of, (x, y), (x, y)),
                 lambda: sg.value_and_grad(of)(x, y), lambda: sg.jvp(of, (x, y), (None, y))):
        with pytest.raises(ValueError) as found:
            call()
        texts.append(str(found.value).splitlines()[0])
    assert len(set(texts)) == 1, texts


def read_outside_of_four(x):
    v = x.copy()
    try:
        v[5]
    except IndexError:
        v.sort()
    first, *_, last = v
    return np.sum(x) + first * last


def test_a_read_that_certainly_raises_has_a_tangent_nobody_asks_for():
    x = np.array([3.0, 1.0, 2.0, 5.0])
    value, slope = sg.jvp(read_outside_of_four, (x,), (x,))
    assert value == read_outside_of_four(x)
    assert slope == pytest.approx(x @ sg.grad(read_outside_of_four)(x))


@pytest.mark.parametrize("inner", [
    lambda x: sg.vjp(lambda y: y ** 3, x, backend="numpy")[1](x)[0],
    pytest.param(lambda x: sg.jvp(lambda y: y ** 3, (x,), (x,), backend="numba", precision="fast")[1], marks=NEEDS_NUMBA),
    lambda x: sg.linearize(lambda y: y ** 3, x)[1](x),
    pytest.param(lambda x: sg.jacobian(lambda y: y ** 3, backend="numba")(x), marks=NEEDS_NUMBA)],
    ids=["vjp", "jvp", "linearize", "jacobian"])
def test_the_code_around_says_which_backend_runs(inner):
    x = np.array([0.5, -2.0])
    assert sg.check_grads(lambda x: np.sum(inner(x)), (x,), order=1) is None


def eliminated(rows):
    rows = [row[:] for row in rows]
    pivot = max(range(2), key=lambda r: abs(rows[r][0]))
    rows[0], rows[pivot] = rows[pivot], rows[0]
    rows[1] = [a - rows[1][0] / rows[0][0] * b for a, b in zip(rows[1], rows[0])]
    return rows[1][1] ** 2 * rows[0][0]


def test_lists_that_data_index_in_a_function_differentiated_inside():
    def total(p):
        return sum(sum(row) for row in sg.grad(eliminated)([[p[0], p[1]], [p[2], p[3]]]))

    p = np.array([1.0, 3.0, 2.0, 5.0])
    step = 1e-6
    want = [(total(p + step * e) - total(p - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(sg.grad(total)(p), want, rtol=1e-6)


def halved_where_data_say(x):
    parts, h = [x * 2.0, x + 1.0, x ** 2], x
    for _ in range(3):
        k = int(np.argmax(h)) % 3
        h = h + np.tanh(parts[k])
        parts[k] = parts[k] * 0.5
    return np.sum(h) + np.sum(parts[0])


def test_tangents_in_lists_are_not_written_to():
    """They may be kept for the derivative, or be the direction that the caller has given."""
    x, d = np.array([0.43, -0.36, 1.14, -0.93, 0.75]), np.array([0.1, -0.6, 0.3, 0.4, -1.2])
    given = d.copy()
    turned = sg.grad(lambda x: sg.jvp(halved_where_data_say, (x,), (d,))[1])(x)
    np.testing.assert_allclose(turned, sg.hvp(halved_where_data_say)(x, d), rtol=1e-9)
    sg.jvp(halved_where_data_say, (x,), (d,))
    assert np.array_equal(d, given)
