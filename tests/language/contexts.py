"""Exceptions and contexts around numeric code."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
from table import construct

R = np.random.RandomState(43)
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
V6 = R.rand(6) + 0.1
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)
P33 = S33 @ S33.T


@construct("try/except around numeric code", S33, V4[:3])
def solve_or_lstsq(A, b):
    total = 0.0
    for drop in (False, True):
        B = A.copy()
        if drop:
            B[2] = 0.0
        try:
            x = np.linalg.solve(B, b)
        except np.linalg.LinAlgError:
            x = np.linalg.lstsq(B.T @ B + np.eye(3), B.T @ b, rcond=None)[0]
            total += 1.0
        total += x @ x
    return total


@construct("try/except around numeric code", P33, 0.5)
def cholesky_with_jitter(K, noise):
    jitter = -9.0
    while True:
        try:
            L = np.linalg.cholesky(K + jitter * np.eye(3))
            break
        except np.linalg.LinAlgError:
            jitter += 4.0 + noise
    return np.sum(np.log(np.diag(L))) + L[2, 0] * noise


@construct("try/except around numeric code", V5, 1.3)
def safe_ratios(x, scale):
    total = 0.0
    for k, v in enumerate(x):
        try:
            ratio = float(v) / (0.0 if k == 2 else scale * float(x[k - 1]))
        except ZeroDivisionError:
            ratio = v ** 2
        except (ValueError, OverflowError):
            ratio = 0.0
        total += ratio
    try:
        total += {"a": x[0]}["b"]
    except KeyError as missing:
        total += x[1] * len(missing.args)
    return total


@construct("try/except/else", S33, V4[:3], 0.2)
def newton_with_else(A, b, damp):
    x = b.copy()
    for k in range(3):
        J = A + np.diag(x ** 2)
        if k == 1:
            J[0] = 0.0
        try:
            step = np.linalg.solve(J, A @ x + x ** 3 / 3 - b)
        except np.linalg.LinAlgError:
            x *= 0.9
        else:
            x = x - step
            x[0] += damp
    return x @ x


@construct("try/except/else", V4, 0.3)
def lookup_else(x, a):
    table = {"u": x * a, "v": x + a}
    total = 0.0
    for name in ("u", "w", "v"):
        try:
            entry = table[name]
        except KeyError:
            table[name] = entry = x ** 2
            total += 1.0
        else:
            entry = entry * 2
            total += np.sum(entry)
    return total + np.sum(table["w"] * table["u"])


@construct("try/except/else", M34, 2.0)
def parse_and_apply(M, power):
    total = 0.0
    for text in ("2", "x", "0", "1.5"):
        try:
            p = float(text)
            scale = 1 / p
        except ValueError:
            p, scale = power, 1.0
        except ZeroDivisionError:
            continue
        else:
            scale *= 2
        total += scale * np.sum(np.abs(M) ** p)
    return total


@construct("try/finally", V5, 0.4)
def counted_passes(x, a):
    log = []

    def smooth(u, k):
        try:
            if k == 1:
                return u * a
            for i in range(1, len(u)):
                if u[i] > 1.2:
                    return u - a
            return np.cumsum(u)
        finally:
            log.append(k)

    for k in range(3):
        x = smooth(x, k)
    return np.sum(x ** 2) * len(log) + sum(log)


@construct("try/finally", M34, 0.2)
def restore_rows(M, eps):
    base = M[1].copy()
    total = 0.0
    for sign in (1.0, -1.0):
        try:
            M[1] += sign * eps
            if M[1].sum() > 100:
                break
            total += sign * np.sum(np.sin(M) * M)
        finally:
            M[1] = base
    return total / (2 * eps) + M[1] @ base


@construct("with np.errstate", V5, 0.7)
def safe_log_errstate(x, scale):
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.where(x > 0, x, 0.0))
        ratio = x / np.abs(x)
        bad = ~np.isfinite(logs)
        if bad.any():
            logs[bad] = -1.0 * x[bad]
    return scale * np.sum(logs * ratio) + np.sum(x)


@construct("with np.errstate", W6, 0.8)
def errstate_in_loop(x, a):
    total = 0.0
    for v in x:
        with np.errstate(all="ignore"):
            r = np.sqrt(v) if v > 0 else np.sqrt(-v) * a
            if r > 1.0:
                continue
            total += np.log(r) * v
    with np.errstate(over="raise"):
        try:
            total += np.exp(np.float64(1000.0) * np.abs(x[0]) + 800.0)
        except FloatingPointError:
            total += x[0]
    return total


@construct("with np.errstate", M34, V4)
def masked_softmax(M, mask):
    old = np.geterr()["divide"]
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logits = M + np.log(mask > 0.5)
    z = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = z / z.sum(axis=1, keepdims=True)
    return np.sum(p * M * mask) if old == "warn" or old == "ignore" else 0.0


@contextlib.contextmanager
def frozen(params, *names):
    saved = {n: params[n] for n in names}
    for n in names:
        params[n] = 0.0 * saved[n]
    try:
        yield params
    finally:
        params.update(saved)


@construct("with user context managers", V4, 0.3)
def ablation(x, a):
    params = {"w": x, "b": x[::-1] * a, "c": a}

    def model():
        return np.sum(np.tanh(params["w"] + params["b"]) * params["c"])

    full = model()
    scores = []
    for name in params:
        with frozen(params, name) as p:
            scores.append(full - model() + p["c"])
    with contextlib.suppress(KeyError), contextlib.ExitStack() as stack:
        stack.enter_context(frozen(params, "b"))
        full += model()
        params["nothing"]
    return full * sum(s * s for s in scores) + model()


class Timer:
    def __init__(self):
        self.spans = []

    def __enter__(self):
        self.start = len(self.spans)
        return self

    def __exit__(self, *details):
        self.spans.append(self.start)


@construct("with user context managers", M34, 0.6)
def early_return_inside_with(M, level):
    timer = Timer()

    def first_above(rows):
        for row in rows:
            with timer:
                for v in row:
                    if v > level:
                        return v * 2
        return rows[0, 0]

    a = first_above(M)
    b = first_above(-M)
    return a * b + len(timer.spans)


@construct("assert in branches", V5, 0.3)
def checked_simplex(x, a):
    w = np.exp(x - x.max())
    w /= w.sum()
    assert abs(w.sum() - 1.0) < 1e-9, f"sum {w.sum()}"
    for k in range(5):
        if w[k] > a:
            assert w[k] < 1.0, ("too large", k)
            w[k] = a
        else:
            assert k < 5 and w[k] >= 0
            w[k] *= 1.0 + a
    return np.sum(w * x)


@construct("assert in branches", P33, 0.2)
def checked_inverse(A, shift):
    B = A + shift * np.eye(3)
    assert B.shape[0] == B.shape[1] and B.ndim == 2
    det = np.linalg.det(B)
    if det > 0:
        inv = np.linalg.inv(B)
        assert np.allclose(inv @ B, np.eye(3)), "inverse"
        return np.log(det) + np.trace(inv)
    assert not det == 0
    return det


@construct("assert in branches", W6, 4)
def checked_steps(x, n):
    for k in range(n):
        i = int(np.argmax(np.abs(x)))
        before = np.abs(x[i])
        x[i] *= 0.5
        assert np.abs(x[i]) <= before
        if x[i] < 0:
            assert isinstance(x, np.ndarray) and x.dtype == float, x.dtype
            x = np.roll(x, 1)
    assert len(x) == 6
    return np.sum(x ** 2)


class Diverged(ArithmeticError):
    def __init__(self, value, step):
        super().__init__(f"at {step}")
        self.value, self.step = value, step


@construct("raise in branches", V5, 0.3)
def raise_and_recover(x, h):
    def advance(u, step):
        for k in range(6):
            u = u + step * u ** 2
            if np.sum(u ** 2) > 40.0:
                raise Diverged(np.sum(u), k)
        return u

    total = 0.0
    for step in (h, 2 * h, 4 * h):
        try:
            total += np.sum(advance(x, step))
        except Diverged as failure:
            total += 0.1 * failure.value + failure.step
    return total


@construct("raise in branches", V6, 0.4)
def validated(x, a):
    def weight(kind, v):
        if kind == "sqrt":
            if v < 0:
                raise ValueError(f"negative: {v}")
            return np.sqrt(v)
        elif kind == "log":
            if not v > 0:
                raise ArithmeticError("log")
            return np.log(v)
        raise TypeError(kind)

    total = 0.0
    for i, v in enumerate(x):
        total += weight("sqrt", v) if i % 2 else weight("log", v + a)
        if total > 50:
            raise RuntimeError("diverges")
    return total


@construct("raise in branches", M34, 0.0)
def reraise_chain(M, tol):
    def inner(row):
        if row[0] < tol:
            raise ValueError("inner") from None
        return np.log(row[0])

    def outer(row):
        try:
            return inner(row)
        except ValueError as error:
            if row[1] < -10:
                raise
            raise LookupError(row[1]) from error

    total = 0.0
    for row in M:
        try:
            total += outer(row)
        except LookupError as error:
            total += error.args[0] ** 2
    return total


@construct("try/finally", V4, 0.3)
def depth_restored(x, a):
    depth, deepest = 0, 0

    def visit(v):
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        try:
            if v < 0.4 or depth > 3:
                return v * depth
            return visit(v * 0.6) + a
        finally:
            depth -= 1

    total = 0.0
    for v in x:
        total += visit(v)
    return total * deepest + depth


@contextlib.contextmanager
def scaled_rows(M, factor):
    M *= factor
    yield M
    M /= factor


@construct("with user context managers", M34, 1.7)
def temporarily_scaled(M, factor):
    total = 0.0
    for k in range(3):
        with scaled_rows(M, factor) as N:
            total += np.sum(N[k] ** 2) if N[k, 0] > 0 else N[k].sum()
            N[k] += 0.1 * factor
        total += M[k, 1]
    return total + M.sum()


@construct("try/finally", S33, 0.4)
def nested_finally(A, a):
    total, depth = 0.0, 0
    for k in range(3):
        depth += 1
        try:
            try:
                B = A - A[k, k] * (k == 1) * np.ones((3, 3)) / A[k, k] * a
                B[k] = 0.0 * B[k] if k == 2 else B[k]
                total += np.linalg.inv(B)[0, 0]
            except np.linalg.LinAlgError:
                total += a * np.trace(B)
            finally:
                depth -= 1
                total *= 1.1
        finally:
            total += depth
    return total
