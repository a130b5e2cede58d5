"""The measured programs in other libraries, as far as they can run them.

JAX runs compiled code (``jit``, ``scan``, ``fori_loop``, ``.at[].add``: loops had to be rewritten),
PyTorch and autograd run eagerly.  Each function yields (name of a case, call).
"""

from __future__ import annotations

import models
import programs


def autograd_cases(find):
    import autograd
    import autograd.numpy as anp
    import autograd.scipy.special as special

    def mlp(params, X, y):
        W1, b1, W2, b2 = params
        return anp.mean((anp.dot(anp.tanh(anp.dot(X, W1) + b1), W2) + b2 - y) ** 2)

    df = autograd.value_and_grad(mlp)
    for name in ("MLP 32x8x16", "MLP 1024x256x512"):
        args = find(name)
        yield name, lambda args=args: df(args[:4], args[4], args[5])
    rosenbrock = autograd.value_and_grad(programs.rosenbrock)
    x = find("Rosenbrock loop, n=100")[0]
    yield "Rosenbrock loop, n=100", lambda: rosenbrock(x)
    for name, function, argnums in with_numpy(models, anp, special.erf):
        args = find(name)
        if args is not None:
            yield name, both(autograd.value_and_grad, function, argnums, args)


def both(transform, function, argnums, args):
    """A call of the gradient with respect to several arguments."""
    df = transform(lambda given: function(*given, *args[len(given):]))
    given = args[:len(argnums)] if isinstance(argnums, tuple) else args[:1]
    return lambda: df(tuple(given))


def with_numpy(module, numpy, erf):
    """The functions of a module over another NumPy namespace."""
    import types

    for name, function, _, _, argnums in module.cases():
        names = {**function.__globals__, "np": numpy, "erf": erf}
        if "sigmoid" in names:
            names["sigmoid"] = types.FunctionType(names["sigmoid"].__code__, names)
        yield name, types.FunctionType(function.__code__, names), argnums


def jax_cases(find):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def mlp(W1, b1, W2, b2, X, y):
        return jnp.mean((jnp.tanh(X @ W1 + b1) @ W2 + b2 - y) ** 2)

    def heat(u, alpha, steps):
        def body(carry, _):
            u, cost = carry
            u = u.at[1:-1].add(alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2]))
            return (u, cost + jnp.sum(u * u)), None

        return jax.lax.scan(body, (u, 0.0), None, length=steps)[0][1]

    def rosenbrock(x):
        return jax.lax.fori_loop(0, len(x) - 1, lambda i, total: total + 100.0 * (
            x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2, 0.0)

    def recurrence(a, b):
        def body(y, ab):
            y = ab[0] * y + ab[1]
            return y, y

        return b[0] + jnp.sum(jax.lax.scan(body, b[0], (a[1:], b[1:]))[1])

    def ready(function, argnums, args, static=()):
        df = jax.jit(jax.value_and_grad(function, argnums=argnums), static_argnums=static)
        return lambda: jax.block_until_ready(df(*args))

    for name in ("MLP 32x8x16", "MLP 1024x256x512"):
        yield name, ready(mlp, (0, 1, 2, 3), find(name))
    for name in ("heat, n=64, 100 steps", "heat, n=4096, 100 steps"):
        yield name, ready(heat, (0, 1), find(name), 2)
    yield "Rosenbrock loop, n=100", ready(rosenbrock, 0, find("Rosenbrock loop, n=100"))
    for name in ("recurrence, n=1000", "recurrence, n=100000"):
        yield name, ready(recurrence, (0, 1), find(name))
    for name, function, argnums in with_numpy(models, jnp, jax.scipy.special.erf):
        if "LSTM" not in name:
            yield name, ready(function, argnums, find(name))
    for name, function, argnums, static in _jax_loops(jax, jnp):
        yield name, ready(function, argnums, find(name), static)


def _jax_loops(jax, jnp):
    scan = jax.lax.scan

    def lstm(Wx, Wh, b, xs, target):
        n = Wh.shape[0]

        def body(carry, x):
            h, c = carry
            gates = x @ Wx + h @ Wh + b
            i, f, o = (jax.nn.sigmoid(gates[:, k * n:(k + 1) * n]) for k in range(3))
            c = f * c + i * jnp.tanh(gates[:, 3 * n:])
            return (o * jnp.tanh(c), c), None

        start = jnp.zeros((xs.shape[1], n))
        return jnp.sum((scan(body, (start, start), xs)[0][0] - target) ** 2)

    def kalman(q, r, F, H, ys):
        def body(carry, y):
            x, P, total = carry
            x, P = F @ x, F @ P @ F.T + q * jnp.eye(F.shape[0])
            s, err = H @ P @ H + r, y - H @ (x)
            gain = P @ H / s
            total += 0.5 * (jnp.log(s) + err ** 2 / s)
            return (x + gain * err, P - jnp.outer(gain, H @ P), total), None

        n = F.shape[0]
        return scan(body, (jnp.zeros(n), jnp.eye(n), 0.0), ys)[0][2]

    def garch(omega, alpha, beta, returns):
        def body(carry, pair):
            h, total = carry
            h = omega + alpha * pair[0] ** 2 + beta * h
            return (h, total + jnp.log(h) + pair[1] ** 2 / h), None

        return 0.5 * scan(body, (jnp.var(returns), 0.0), (returns[:-1], returns[1:]))[0][1]

    def smoothing(rate, x):
        def body(carry, v):
            level, total = carry
            gap = v - level
            return (level + rate * gap, total + gap * gap), None

        return scan(body, (x[0], 0.0), x[1:])[0][1]

    def jacobi(u, f, sweeps):
        def body(carry, _):
            u, new = carry
            new = new.at[1:-1, 1:-1].set(0.25 * (
                u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1]))
            return (new, u), None

        return jnp.sum(scan(body, (u, u), None, length=sweeps)[0][0] ** 2)

    def recurrent(W, U, b, xs):
        def body(carry, x):
            h, total = carry
            h = jnp.tanh(W @ h + U @ x + b)
            return (h, total + jnp.sum(h ** 2)), None

        return scan(body, (jnp.zeros(W.shape[0]), 0.0), xs)[0][1]

    def hunters(y, a, b):
        return jnp.array([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - a * y[1]])

    def runge_kutta(y0, a, b, steps):
        h = 2.0 / steps

        def body(y, _):
            k1 = hunters(y, a, b)
            k2 = hunters(y + 0.5 * h * k1, a, b)
            k3 = hunters(y + 0.5 * h * k2, a, b)
            k4 = hunters(y + h * k3, a, b)
            return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

        return jnp.sum(scan(body, y0, None, length=steps)[0] ** 2)

    yield "LSTM, 50 steps, 8x8 -> 16", lstm, (0, 1, 2), ()
    yield "Kalman filter, 3 states, 200 steps", kalman, (0, 1), ()
    yield "GARCH, 1000 returns", garch, (0, 1, 2), ()
    yield "exponential smoothing, 1000", smoothing, (0, 1), ()
    yield "Jacobi 2-D, 64x64, 100 sweeps", jacobi, (0, 1), 2
    yield "Jacobi 2-D, 512x512, 20 sweeps", jacobi, (0, 1), 2
    yield "recurrent network, 100 steps, 20", recurrent, (0, 1, 2), ()
    yield "Runge-Kutta, 200 steps", runge_kutta, (0, 1, 2), 3


def torch_cases(find):
    import torch

    torch.set_num_threads(1)

    def leaves(arrays):
        return [torch.tensor(a, requires_grad=True) for a in arrays]

    for name in ("MLP 32x8x16", "MLP 1024x256x512"):
        args = find(name)
        W1, b1, W2, b2 = leaves(args[:4])
        X, y = torch.tensor(args[4]), torch.tensor(args[5])

        def call(W1=W1, b1=b1, W2=W2, b2=b2, X=X, y=y):
            loss = torch.mean((torch.tanh(X @ W1 + b1) @ W2 + b2 - y) ** 2)
            return loss, torch.autograd.grad(loss, (W1, b1, W2, b2))

        yield name, call
    for name in ("heat, n=64, 100 steps", "heat, n=4096, 100 steps"):
        u0, alpha, steps = find(name)
        start, rate = leaves([u0, alpha])

        def call(start=start, rate=rate, steps=steps):
            u, cost = start.clone(), 0.0
            for _ in range(steps):
                lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
                u[1:-1] += rate * lap
                cost = cost + torch.sum(u.clone() ** 2)  # a copy: u is written to later
            return cost, torch.autograd.grad(cost, (start, rate))

        yield name, call
