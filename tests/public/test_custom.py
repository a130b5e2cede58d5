"""Functions with derivatives of their own: every order, both modes, inside of anything."""

import importlib.util

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.3, 1.2, -0.5])


@sg.custom_jvp
def softplus(x):
    return np.logaddexp(0.0, x)


@softplus.defjvp
def _softplus_rule(primals, tangents):
    (x,), (t,) = primals, tangents
    return softplus(x), t * (1.0 - np.exp(-softplus(x)))  # calls the function again


@sg.custom_vjp
def wave(x, y):
    return np.sin(x) * y


def _wave_forward(x, y):
    return wave(x, y), (x, y)


def _wave_backward(residuals, ct):
    x, y = residuals
    return ct * wave(x + np.pi / 2, y), np.sum(ct * np.sin(x))


wave.defvjp(_wave_forward, _wave_backward)


@sg.custom_vjp
def power(x, n):
    return x ** n


def _power_backward(residuals, ct):
    x, n = residuals
    out = n * ct
    for _ in range(n - 1):
        out = out * x
    return out, None


power.defvjp(lambda x, n: (x ** n, (x, n)), _power_backward)

PLAIN = {softplus: lambda x: np.logaddexp(0.0, x), wave: lambda x, y: np.sin(x) * y,
         power: lambda x, n: x ** n}


def once(softplus, wave, power, x):
    return np.sum(softplus(x) ** 2) + np.sum(wave(x, x[0]) * power(x, 3))


def in_a_loop(softplus, wave, power, x):
    for i in range(4):
        if np.sum(x) > 0.5:
            x = softplus(x) - 0.5 * x
        else:
            x = wave(x, 0.3) + power(x, i + 2)
    return np.sum(x * x)


def of_itself(softplus, wave, power, x):
    return np.sum(softplus(softplus(wave(x, 2.0))))


def of_a_gradient(softplus, wave, power, x):
    return np.sum(sg.grad(lambda y: np.sum(softplus(y) * power(y, 2)))(x) ** 2)


def of_numbers(softplus, wave, power, x):
    return softplus(float(x[0])) * wave(float(x[1]), 2.0) + power(float(x[2]), 2)


PROGRAMS = [once, in_a_loop, of_itself, of_a_gradient, of_numbers]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_they_agree_with_the_derivative_of_the_plain_function(program):
    def custom(x):
        return program(softplus, wave, power, x)

    def plain(x):
        return program(*PLAIN.values(), x)

    for ours, theirs in ((sg.grad(custom), sg.grad(plain)),
                         (sg.hessian(custom), sg.hessian(plain)),
                         (sg.jacfwd(custom), sg.jacfwd(plain)),
                         (sg.jacfwd(sg.grad(custom)), sg.hessian(plain))):
        np.testing.assert_allclose(ours(X), theirs(X), rtol=1e-10, atol=1e-10)
    assert sg.jvp(custom, (X,), (X,))[1] == pytest.approx(sg.jvp(plain, (X,), (X,))[1])
    assert sg.jit(custom)(X) == custom(X)


def test_third_derivatives_of_a_function_that_its_rule_calls():
    third = sg.grad(sg.grad(sg.grad(softplus)))(0.4)
    assert third == pytest.approx(sg.grad(sg.grad(sg.grad(PLAIN[softplus])))(0.4))


def test_what_the_derivative_says_counts():
    @sg.custom_jvp
    def straight_through(x):
        return np.round(x)

    straight_through.defjvps(lambda t, ans, x: 2.0 * t)
    x = np.array([0.4, 1.7])
    assert sg.grad(lambda x: np.sum(straight_through(x) * x))(x).tolist() == [0.8, 5.4]
    assert sg.jvp(straight_through, (x,), (np.ones(2),))[1].tolist() == [2.0, 2.0]


def test_trees_several_results_and_arguments_without_a_derivative():
    @sg.custom_vjp
    def layer(params, kind, x):
        return x @ params["W"] + params["b"], np.sum(x)

    def forward(params, kind, x):
        return layer(params, kind, x), (params, x)

    def backward(residuals, cts):
        params, x = residuals
        ct, ct_sum = cts
        return ({"W": np.outer(x, ct), "b": 3.0 * ct}, None, params["W"] @ ct + ct_sum)

    layer.defvjp(forward, backward)
    params = {"W": np.array([[1.0, 2.0], [0.5, -1.0], [0.3, 0.2]]), "b": np.array([0.1, 0.2])}

    def loss(params, x):
        out, total = layer(params, "dense", x)
        return np.sum(out ** 2) * total

    d_params, d_x = sg.grad(loss, argnums=(0, 1))(params, X)

    def plain(params, x):
        return np.sum((x @ params["W"] + params["b"]) ** 2) * np.sum(x)

    p_params, p_x = sg.grad(plain, argnums=(0, 1))(params, X)
    np.testing.assert_allclose(d_params["W"], p_params["W"])
    np.testing.assert_allclose(d_params["b"], 3.0 * p_params["b"])
    np.testing.assert_allclose(d_x, p_x)


def test_nondiff_argnums():
    def scaled(f, x):
        return f(x) * 2.0

    jvp_form = sg.custom_jvp(scaled, nondiff_argnums=(0,))
    jvp_form.defjvp(lambda f, primals, tangents: (f(primals[0]) * 2.0, 5.0 * tangents[0]))
    vjp_form = sg.custom_vjp(scaled, nondiff_argnums=(0,))
    vjp_form.defvjp(lambda f, x: (f(x) * 2.0, None), lambda f, residuals, ct: (5.0 * ct,))
    for form in (jvp_form, vjp_form):
        assert sg.grad(lambda x, form=form: form(np.sin, x))(0.3) == 5.0


def test_values_from_around():
    def outer(x, scale):
        @sg.custom_vjp
        def inner(y):
            return y * y

        inner.defvjp(lambda y: (y * y, y), lambda y, ct: (ct * y * scale,))
        return np.sum(inner(x))

    assert sg.grad(outer)(X, 3.0).tolist() == (X * 3.0).tolist()

    def unreachable(x, scale):
        @sg.custom_vjp
        def inner(y):
            return y * scale

        inner.defvjp(lambda y: (y * scale, None), lambda _, ct: (ct * scale,))
        return np.sum(inner(x))

    with pytest.raises(sg.UnsupportedOperation, match="is defined in"):
        sg.grad(unreachable)(X, 3.0)
    scale = np.array([1.0, 2.0, 3.0])

    @sg.custom_vjp
    def captured(y):
        return y * scale

    captured.defvjp(lambda y: (y * scale, y), lambda y, ct: (ct * y * scale,))
    df = sg.value_and_grad(lambda x: np.sum(captured(x)))
    assert df(X)[1].tolist() == (X * scale).tolist()
    scale[:] = 2.0
    assert df(X)[1].tolist() == (X * 2.0).tolist()


def test_generated_code_calls_the_function_and_is_exported(tmp_path):
    df = sg.value_and_grad(lambda x: np.sum(softplus(x)))
    assert "softplus(x)" in df.source(X)
    path = df.export(tmp_path / "exported.py", X)
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (name,) = [n for n in vars(module) if n.endswith("value_and_grad")]
    value, gradient = getattr(module, name)(X)
    assert value == df(X)[0] and np.array_equal(np.squeeze(gradient), df(X)[1])


def test_mistakes():
    @sg.custom_vjp
    def f(x, y):
        return x * y

    f.defvjp(lambda x, y: (x * y, y), lambda y, ct: (ct * y,))
    with pytest.raises(sg.StructureError, match="must return a tuple of 2 cotangents"):
        sg.grad(lambda x: np.sum(f(x, x)))(X)
    with pytest.raises(sg.StructureError, match="has a derivative already"):
        f.defvjp(None, None)

    @sg.custom_vjp
    def g(x):
        return x * 2.0

    g.defvjp(lambda x: (x * 2.0, None), lambda _, ct: (np.sum(ct),))
    with pytest.raises(sg.StructureError, match="shape"):
        sg.grad(lambda x: np.sum(g(x)))(X)

    @sg.custom_jvp
    def h(x):
        return x * 2.0

    h.defjvp(lambda primals, tangents: 2.0 * tangents[0])
    with pytest.raises(sg.StructureError, match="tangent_out"):
        sg.grad(lambda x: np.sum(h(x)))(X)


# ---- implicit differentiation ----------------------------------------------------------------
def _bisect(c):
    low, high = 0.0, 1.0 + c
    while high - low > 1e-14:
        middle = 0.5 * (low + high)
        if middle * middle < c:
            low = middle
        else:
            high = middle
    return low


def _newton(A, b):
    x = np.zeros_like(b)
    for _ in range(40):
        x = x - np.linalg.solve(A + 3.0 * np.diag(x ** 2), A @ x + x ** 3 - b)
    return x


square_root = sg.implicit(_bisect, lambda x, c: x * x - c)
cubic = sg.implicit(_newton, lambda x, A, b: A @ x + x ** 3 - b)
A = np.array([[2.0, 0.3], [0.1, 1.5]])
B = np.array([1.0, -0.5])


def test_a_root_of_a_number():
    assert sg.grad(square_root)(4.0) == pytest.approx(0.25)
    assert sg.grad(sg.grad(square_root))(4.0) == pytest.approx(-0.25 * 4.0 ** -1.5)
    assert sg.jvp(square_root, (4.0,), (1.0,))[1] == pytest.approx(0.25)
    assert "while" not in sg.grad(square_root).source(4.0)


def test_a_root_of_a_system():
    def loss(A, b):
        return np.sum(cubic(A, b) ** 2)

    def unrolled(A, b):
        return np.sum(_newton(A, b) ** 2)

    sg.check_grads(loss, (A, B))
    for place in (0, 1):
        np.testing.assert_allclose(sg.hessian(loss, place)(A, B),
                                   sg.hessian(unrolled, place)(A, B), rtol=1e-8, atol=1e-10)


def test_a_root_in_a_loop_and_a_branch():
    def chained(c):
        total = 0.0
        for i in range(3):
            c = square_root(c + i)
            if c > 1.2:
                total = total + square_root(c)
        return total

    def plain(c):
        total = 0.0
        for i in range(3):
            c = np.sqrt(c + i)
            if c > 1.2:
                total = total + np.sqrt(c)
        return total

    assert sg.grad(chained)(3.0) == pytest.approx(sg.grad(plain)(3.0))
    assert sg.grad(sg.grad(chained))(3.0) == pytest.approx(sg.grad(sg.grad(plain))(3.0))


def test_mistakes_of_implicit():
    with pytest.raises(sg.StructureError, match="optimality"):
        sg.implicit(_bisect, None)
    two = sg.implicit(lambda c: (c, c), lambda x, c: x)
    with pytest.raises(sg.StructureError, match="several results"):
        sg.grad(lambda c: two(c)[0])(1.0)
