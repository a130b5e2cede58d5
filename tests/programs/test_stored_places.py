"""Programs about places in arrays: visited once, twice, cleared, overlapping, wrapped round; sums of
products in loops; sizes that meet.  Values, gradients and second derivatives against differences."""

import numpy as np
import pytest

import srcgrad as sg

PROGRAMS = []
rng = np.random.default_rng(0)
x5, M = rng.normal(size=5), rng.normal(size=(4, 5))


def prog(*args):
    def register(function):
        PROGRAMS.append((function, args))
        return function

    return register


@prog(x5)
def rec2(x):
    y = np.zeros(7)
    y[0] = x[0]
    y[1] = x[1]
    for i in range(2, 7):
        y[i] = x[i - 2] * y[i - 1] + np.sin(y[i - 2])
    return np.sum(y * y)


@prog(x5)
def rec_read_after(x):
    y = np.zeros(6)
    for i in range(1, 6):
        y[i] = x[i - 1] * y[i - 1] + x[i - 1]
    return y[5] * y[2] + y[1]


@prog(x5)
def rec_array_returned(x):
    y = x.copy()
    for i in range(1, 5):
        y[i] = y[i] * y[i - 1]
    z = y[::-1]
    return np.sum(z * np.arange(5.0))


@prog(x5)
def forward_shift(x):
    y = x.copy()
    for i in range(4):
        y[i] = y[i + 1] * x[i] + y[i]
    return np.sum(y**2)


@prog(x5)
def backwards(x):
    y = x.copy()
    for i in range(3, -1, -1):
        y[i] = y[i + 1] * x[i] + y[i]
    return np.sum(y**2)


@prog(x5)
def step2(x):
    s = 0.0
    for i in range(0, 5, 2):
        s += x[i] * x[i] * x[-i]
    return s


@prog(x5)
def negative_index(x):
    s = 0.0
    for i in range(5):
        s += x[i - 1] * x[i]
    return s


@prog(x5)
def negative_only(x):
    s = 0.0
    for i in range(5):
        s += np.sin(x[i - 2])
    return s


@prog(x5)
def neg_start(x):
    s = 0.0
    for i in range(-2, 3):
        s += np.sin(x[i]) * i
    return s


@prog(x5)
def modulo(x):
    s = 0.0
    for i in range(9):
        s += np.sin(x[i % 5]) * i
    return s


@prog(M)
def nest(A):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += np.sin(A[i, j]) * A[i, j]
    return s


@prog(rng.normal(size=(5, 5)))
def nest_diag(A):
    s = 0.0
    for i in range(5):
        for j in range(5):
            s += np.sin(A[i, i]) * j
    return s


@prog(rng.normal(size=(5, 5)))
def nest_swapped(A):
    s = 0.0
    for i in range(5):
        for j in range(5):
            s += np.sin(A[j, i]) * np.cos(A[i, j])
    return s


@prog(M)
def rows_twice(A):
    s = 0.0
    for k in range(2):
        for i in range(4):
            s += np.sum(A[i] ** 2) * k
    return s


@prog(M)
def rows_slice(A):
    s = 0.0
    for i in range(4):
        s += np.sum(A[i, 1:] * A[i, :-1])
    return s


@prog(x5)
def overlap_slices(x):
    y = np.zeros(6)
    y[:3] = x[:3] * 2
    y[2:5] = y[2:5] + x[2:]
    y[4] = y[3] * x[0]
    y[5] = x[4]
    return np.sum(y * y * np.arange(6.0))


@prog(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)))
def matmul_stack(A, X):
    h = np.zeros((2, 3))
    s = 0.0
    B = X.T
    for t in range(4):
        h = np.tanh(h @ A @ B + 1.0)
        s += np.sum(h[:, 0])
    return s


@prog(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)))
def stack_invariant(A, X):
    s = 0.0
    for t in range(3):
        s += np.sum(np.tanh(X @ A) * t)
    return s


@prog(rng.normal(size=(2, 3)), rng.normal(size=(6, 2)))
def stack_varying(A, X):
    s = 0.0
    for t in range(1, 5):
        s += np.sum(np.tanh(X[:t] @ A))
    return s


@prog(rng.normal(size=(2, 3)), rng.normal(size=(4, 5, 2)))
def stack_3d(A, X):
    s = 0.0
    for t in range(4):
        s += np.sum(np.tanh(X[t] @ A))
    return s


@prog(rng.normal(size=(2, 3)), rng.normal(size=(4, 5, 2)))
def stack_rows_iter(A, X):
    s = 0.0
    for x in X:
        s += np.sum(np.tanh(x @ A) ** 2)
    return s


@prog(rng.normal(size=(2, 3)), rng.normal(size=(4, 5, 2)))
def stack_written(A, X):
    s = 0.0
    for t in range(4):
        z = X[t] @ A
        z[0] = 0.0
        z[1:] *= 2.0
        s += np.sum(z * z)
    return s


@prog(x5)
def newaxis(x):
    return np.sum(np.sin(x[:, None] * x[None, :]) - x[None] * x[:, None, None])


@prog(x5)
def scatter(x):
    i = np.arange(5)
    j = np.array([0, 1, 0, 1, 1])
    Z = np.outer(x, np.sin(x[:2]))
    return np.sum(Z[i, j] ** 2) + np.sum(Z[j, j])


@prog(x5)
def scatter_dup(x):
    i = np.arange(3)
    return np.sum(x[i] * x[i + 1] * x[i % 2])


@prog(x5)
def recip(x):
    r = 1.0 / (1.0 + np.exp(-x))
    q = x / (1.0 + np.exp(-x))
    return np.sum(r * q / r)


@prog(x5)
def trig(x):
    return np.sum(np.sin(x) * np.cos(x) * np.exp(x) * np.exp(-x) * np.tanh(x))


@prog(x5)
def trig_loop(x):
    s = 0.0
    for i in range(5):
        a = np.sin(x[i])
        b = np.cos(x[i])
        if a > 0:
            s += a * b * np.exp(x[i])
        else:
            s -= np.exp(x[i]) * a
    return s


@prog(x5)
def size_join(x):
    y = x
    for _ in range(3):
        k1 = np.array([y[0], y[1] * y[0], y[2], 1.0, y[4] * 2])
        y = y + 0.3 * k1
    return np.sum(y * y)


@prog(np.array([0.7]))
def size_join_one(x):
    y = x
    for _ in range(3):
        y = np.sin(y) + y * np.array([0.5, 0.2])
    return np.sum(y * y)


@prog(x5)
def cleared_reused(x):
    b = np.zeros(5)
    s = 0.0
    for k in range(3):
        for i in range(5):
            b[i] = b[i] * 0.5 + x[i] * k
        s += np.sum(b * b)
    return s


@prog(x5)
def prefix(x):
    y = np.zeros(5)
    for i in range(5):
        y[i] = x[i] + np.sum(y[:i] ** 2)
    return np.sum(y)


@prog(x5)
def suffix(x):
    y = np.zeros(5)
    for i in range(4, -1, -1):
        y[i] = x[i] + 0.3 * np.sum(y[i + 1 :] ** 2)
    return np.sum(y)


@prog(x5)
def cond_chain(x):
    s = 0.0
    u = x.copy()
    v = np.zeros(5)
    for t in range(6):
        v[1:-1] = u[1:-1] * 0.9 + u[:-2] * 0.1
        if t % 2 == 0:
            s += np.sum((v[[1, 2]] - x[t % 3]) ** 2)
        u, v = v, u
    return s + np.sum(u)


@prog(x5)
def minus(x):
    y = np.zeros(5)
    y[1:3] -= x[1:3] * 2
    y[0] -= x[0]
    y -= x
    y[3:] = -y[3:] * x[0]
    return -np.sum(y * y) * 3.0 / 2


@prog(x5)
def mean_std(x):
    return np.std(x) * np.mean(-x) - np.var(x * 2.0) * np.max(x)


@prog(x5)
def whiles(x):
    s = x[0] ** 2
    n = 0
    while s < 50.0:
        if n % 2:
            s = s * 1.5 + x[1] ** 2
        else:
            s = s + np.sum(x * x)
        n += 1
    return s * x[2]


def differences(function, args):
    """Central differences of a scalar function with respect to every element."""
    found = []
    for k, array in enumerate(args):
        slope = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            values = []
            for step in (1e-6, -1e-6):
                moved = [a.copy() for a in args]
                moved[k][place] += step
                values.append(function(*moved))
            slope[place] = (values[0] - values[1]) / 2e-6
        found.append(slope)
    return found


@pytest.mark.parametrize(("function", "args"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_gradient_and_second_derivative(function, args):
    argnums = tuple(range(len(args)))
    value, gradients = sg.value_and_grad(function, argnums=argnums)(*args)
    assert value == function(*args)
    for found, expected in zip(gradients, differences(function, args)):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    df = sg.grad(function, argnums=argnums)

    def slope(*given):
        total = 0.0
        for g in df(*given):
            total += np.sum(g * np.cos(np.arange(g.size)).reshape(g.shape))
        return total

    for found, expected in zip(sg.grad(slope, argnums=argnums)(*args), differences(slope, args)):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
