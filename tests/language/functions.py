"""Functions, arguments and closures."""

from __future__ import annotations

import numpy as np
from table import construct

R = np.random.RandomState(47)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)
STEP = 0.25


@construct("nested functions", V5, 0.2)
def shooting(x, h):
    def field_at(u):
        def stiff(v):
            return -4.0 * v if v > 0.5 else -v ** 3
        out = np.empty_like(u)
        for i in range(len(u)):
            out[i] = stiff(u[i]) + h * u[i - 1]
        return out

    def rk4(u):
        k1 = field_at(u)
        k2 = field_at(u + 0.5 * h * k1)
        k3 = field_at(u + 0.5 * h * k2)
        return u + h / 6 * (k1 + 2 * k2 + 2 * k3 + field_at(u + h * k3))

    for _ in range(3):
        x = rk4(x)
    return x @ x


@construct("nested functions", M34, V4)
def make_metric(M, w):
    def make(kind):
        if kind == "l2":
            def metric(a, b):
                return np.sqrt(np.sum(w * (a - b) ** 2))
        else:
            def metric(a, b):
                d = np.abs(a - b)
                return d.max() if d.max() > 0.5 else d.sum()
        return metric

    total = 0.0
    for kind in ("l2", "linf"):
        dist = make(kind)
        for i in range(3):
            for j in range(i):
                total += dist(M[i], M[j])
    return total


@construct("nested functions", 0.6, 5)
def continued_fraction(x, n):
    calls = []

    def level(k):
        def tail():
            return level(k + 1)
        calls.append(k)
        return k + x / tail() if k < n else 1.0 + x
    value = level(1)
    return value ** 2 * len(calls)


@construct("closures with nonlocal", V5, 0.3)
def line_search_counter(x, c):
    evaluations, best = 0, None

    def cost(u):
        nonlocal evaluations, best
        evaluations += 1
        value = np.sum(np.cosh(u)) + c * np.sum(u) ** 2
        if best is None or value < best:
            best = value
        return value

    step = 1.0
    slope = np.sinh(x) + 2 * c * np.sum(x)
    while cost(x - step * slope) > cost(x) and step > 1e-3:
        step *= 0.5
    return best + 0.01 * evaluations * cost(x)


@construct("closures with nonlocal", V4, 0.7)
def integrator_with_state(x, gain):
    integral, last = 0.0, x * 0.0

    def controller(error):
        nonlocal integral, last
        integral += error.sum()
        d, last = error - last, error.copy()
        if integral > 1.0:
            integral = 1.0 + 0.1 * (integral - 1.0)
        return gain * error + 0.1 * integral + 0.05 * d

    y = x
    for _ in range(4):
        y = y - 0.3 * controller(y - 0.2)
    return np.sum(y ** 2) + integral


@construct("closures with nonlocal", W6, 1.1)
def nested_counters(x, a):
    total = 0.0

    def outer(v):
        depth = 0

        def inner(w):
            nonlocal depth, total
            depth += 1
            total += w * depth
            if abs(w) > 0.2 and depth < 6:
                inner(w * 0.5)
            else:
                total *= a
        inner(v)
        return depth

    depths = [outer(v) for v in x]
    return total + sum(depths)


@construct("lambdas", V5, 0.4)
def activation_table(x, a):
    acts = {"relu": lambda v: v * (v > 0), "soft": lambda v, k=2.0: np.log1p(np.exp(k * v)) / k,
            "gate": lambda v: v if v.sum() > 0 else a * v}
    y = x
    for name in ("soft", "gate", "relu"):
        y = acts[name](y) + a
    return (lambda u: np.sum(u * u))(y)


@construct("lambdas", M34, 0.3)
def composed_lambdas(M, eps):
    pipeline = [lambda r: r - r.mean(), lambda r: r / (eps + np.sqrt(np.mean(r ** 2)))]
    pipeline += [(lambda k: lambda r: np.tanh(k * r))(k) for k in (1, 2)]
    out = []
    for row in M:
        for f in pipeline:
            row = f(row)
        out.append((lambda r: r[np.argmax(r)])(row))
    return sum(map(lambda v: v ** 2, out))


@construct("lambdas", 1.2, 0.5)
def late_binding_lambdas(x, a):
    fs = []
    for k in range(3):
        fs.append(lambda t: t ** k + a)
        fs.append(lambda t, k=k: t ** k - a)
    total = 0.0
    for i, f in enumerate(fs):
        total = total + f(x) if total < 6 else total * a
    k = 4
    return total * fs[0](x)


@construct("default arguments", V5, 0.1)
def defaults_evaluated_once(x, a):
    seen = []

    def smooth(u, width=2, weights=x[:2] * a, log=seen, kernel=np.tanh):
        log.append(width)
        out = kernel(u)
        out[width:] += weights.sum() * u[:-width]
        return out

    y = smooth(smooth(x), width=1)
    if y[0] > 0:
        y = smooth(y, 3, x[2:], kernel=lambda v: v * v)
    return np.sum(y) * len(seen)


def step_forward(u, dt=STEP, *, limit=2.0, force=None):
    if force is None:
        force = -u
    u = u + dt * force
    return np.where(np.abs(u) > limit, limit * np.sign(u) + 0.1 * u, u)


@construct("default arguments", V4 * 3, 0.4)
def default_force(x, dt):
    x = step_forward(x)
    x = step_forward(x, dt, force=x[::-1])
    x = step_forward(x, limit=1.0)
    return np.sum(x ** 2)


@construct("default arguments", W6, 1.5)
def mutable_default(x, a):
    def push(v, store=[]):
        if v > 0:
            store.append(v)
        return store

    for v in x:
        held = push(v * a)
    held[0] += 1.0
    return sum(v ** 2 for v in push(-1.0)) * len(held)


@construct("keyword-only arguments", M34, 0.3)
def ridge(M, alpha):
    def fit(A, y, *, penalty, intercept=True, weights=None):
        if intercept:
            A = np.column_stack([np.ones(len(A)), A])
        W = np.ones(len(A)) if weights is None else weights
        G = A.T @ (W[:, None] * A) + penalty * np.eye(A.shape[1])
        return np.linalg.solve(G, A.T @ (W * y))

    b = fit(M[:, 1:], M[:, 0], penalty=alpha)
    c = fit(M[:, 1:], M[:, 0], weights=np.abs(M[:, 1]), penalty=1.0, intercept=False)
    return b @ b + c @ c


@construct("keyword-only arguments", V5, 0.6)
def keyword_dispatch(x, p):
    def norm(u, /, *, order, floor=0.0):
        s = np.sum(np.abs(u) ** order) ** (1 / order)
        return s if s > floor else floor + s ** 2

    options = {"order": 2}
    total = norm(x, **options)
    options.update(order=3.0, floor=10.0)
    total += norm(x * p, **options)
    options["floor"] = p
    return total + norm(u_shift(x, by=p), **options)


def u_shift(u, *, by):
    u = u.copy()
    u += by
    return u


@construct("keyword-only arguments", 2.0, 0.1)
def root_options(a, start):
    def solve(f, x, *, df=None, tol=1e-10, maxiter=40):
        for k in range(maxiter):
            slope = df(x) if df is not None else (f(x + 1e-4) - f(x - 1e-4)) / 2e-4
            new = x - f(x) / slope
            if abs(new - x) < tol:
                return new, k
            x = new
        return x, maxiter

    root, steps = solve(lambda t: t ** 3 + t - a, 1.0 + start, df=lambda t: 3 * t * t + 1)
    other, _ = solve(lambda t: np.exp(t) - a, start, maxiter=6)
    return root * other


@construct("*args", V4, 0.5)
def weighted_sum_of_args(x, a):
    def combine(first, *rest, scale=1.0):
        total = first.copy()
        for k, r in enumerate(rest, 1):
            total += r / k if r[0] > 0 else -r
        return total * scale

    parts = [x, x ** 2, -x]
    y = combine(*parts, scale=a) + combine(x) + combine(*parts[1:], *[x * k for k in range(2)])
    return np.sum(y * x)


@construct("*args", M34, 2.0)
def forwarding(M, p):
    def traced(f, *args):
        values = [f(*args), f(*args[::-1])]
        return max(values) if len(args) > 1 else values[0]

    total = traced(lambda u: np.sum(np.abs(u) ** p), M[0])
    total += traced(lambda u, v: u @ np.cumsum(v), M[0], M[1])
    total += traced(lambda u, *others: sum(u @ o for o in others), *M)
    return total


@construct("*args", V5, 0.2)
def polynomial_args(x, t):
    def poly(*coefficients):
        if not coefficients:
            return 0.0
        head, *tail = coefficients
        return head + t * poly(*tail)

    total = poly(*x) + poly(1.0, x[0])
    if total > 0:
        total *= poly(*x[::2])
    return total


@construct("**kwargs", V4, 0.3)
def parameter_updates(x, lr):
    def model(u, **params):
        out = u * params.get("scale", 1.0)
        for name in sorted(params):
            if name.startswith("bias"):
                out = out + params[name]
        return np.tanh(out)

    base = dict(scale=lr, bias_a=x[0])
    y = model(x, **base) + model(x, bias_b=lr, **base)
    z = model(y, **{**base, "scale": y.sum() if y.sum() > 0 else 1.0})
    return np.sum(z) + y @ z


@construct("**kwargs", W6, 0.8)
def kwargs_through_layers(x, a):
    def inner(u, *, gain=1.0, offset=0.0, **extra):
        assert not extra or "tag" in extra
        return gain * u + offset

    def outer(u, **options):
        options.setdefault("gain", a)
        if u[0] > 0:
            options["offset"] = options.pop("shift", 0.0) + u[0]
        return inner(u, **{k: v for k, v in options.items() if k != "shift"})

    y = outer(x, shift=2.0) + outer(-x, shift=3.0, tag="neg")
    return np.sum(outer(y, gain=0.5) ** 2)


@construct("**kwargs", M44, 0.25)
def named_terms(M, mu):
    def energy(**terms):
        total = 0.0
        for name, term in terms.items():
            total += -term if name == "field" else term
        terms.clear()
        return total

    first = energy(bond=np.sum(M[1:] * M[:-1]), field=mu * M.sum())
    second = energy(diag=np.trace(M) ** 2, **{f"row{i}": r @ r for i, r in enumerate(M)})
    return first * second


@construct("callbacks passed as arguments", V4, 0.15)
def ode_with_events(y, h):
    log = []

    def solve(rhs, y, event, on_event):
        for k in range(6):
            y = y + h * rhs(y, k * h)
            if event(y) < 0:
                y = on_event(y, k)
        return y

    def bounce(y, k):
        log.append(k)
        return np.abs(y) * 0.9

    out = solve(lambda y, t: -3 * y + np.cos(t) - 1.5, y, np.min, bounce)
    return out @ out + len(log)


@construct("callbacks passed as arguments", V3, 1.4)
def optimizer_callback(x, target):
    history = []

    def minimize(f, grad, x, callback=None):
        for k in range(8):
            x = x - 0.1 * grad(x)
            if callback is not None and callback(x, f(x)):
                break
        return x

    def stop(x, value):
        history.append(value)
        return value < 1e-2 or (len(history) > 2 and history[-1] > history[-2])

    x = minimize(lambda u: np.sum((u ** 2 - target) ** 2), lambda u: 4 * u * (u ** 2 - target), x, stop)
    return np.sum(x) + history[-1] * len(history)


@construct("callbacks passed as arguments", M34, 0.5)
def quadrature(M, a):
    nodes, weights = np.polynomial.legendre.leggauss(4)

    def integrate(f, lo, hi, *args):
        mid, half = 0.5 * (lo + hi), 0.5 * (hi - lo)
        return half * sum(w * f(mid + half * t, *args) for t, w in zip(nodes, weights))

    def profile(t, row):
        return np.exp(-a * t) * row[1] if t > row[0] else t * row[2]

    return sum(integrate(profile, 0.0, 1.0 + row[3] ** 2, row) for row in M) + integrate(np.sin, 0.0, a)
