"""Conversions, functions of NumPy and Python's operators on classes that derive from ndarray."""

from __future__ import annotations

import math

import numpy as np
from array_classes import Signal, Vec, X, Y

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class TProp(np.ndarray):
    @property
    def T(self):
        return 2 * np.asarray(self)

    def mean(self, *a, **k):
        return super().mean(*a, **k) + 1

    def __len__(self):
        return 3

    def __array__(self, *a, **k):
        raise RuntimeError


@case(X)
def overridden_property(v):
    s = v.view(TProp)
    return float(
        s.T.sum() + np.mean(s) + s.mean() * len(s) + np.asarray(s).sum() + np.transpose(s).sum()
    )


@case(X)
def many_conversions(v):
    s = Signal(v, 2.0)
    parts = [
        np.array(s),
        np.array(s, subok=True),
        np.asanyarray(s),
        np.ascontiguousarray(s),
        np.atleast_2d(s),
        s[...],
        np.ravel(s),
        np.reshape(s, (2, 2)),
        np.squeeze(s[None]),
        np.expand_dims(s, 0),
        np.broadcast_to(s, (2, 4)),
        np.broadcast_to(s, (2, 4), subok=True),
        np.tile(s, 2),
        np.repeat(s, 2),
        np.flip(s),
        np.maximum(s, 0.1),
        np.minimum(s, v),
        np.abs(s),
        np.sign(s),
        np.round(s, 1),
        np.where(s > 0, s, v),
        np.select([s > 0], [s], 0.5),
        np.take(s, [0, 1]),
        np.compress([True, False, True, True], s),
        np.delete(s, 1),
        np.insert(s, 1, 0.5),
        np.append(s, 1.0),
        np.pad(s, 1),
        np.full_like(s, 2.0),
        np.ones_like(s),
        np.copy(s),
        np.copy(s, subok=True),
        np.hstack([s, s]),
        np.outer(s, v),
        np.kron(s, v),
        np.cumprod(s),
        np.clip(s, -1, 1),
        np.nan_to_num(s),
        np.gradient(s),
        np.ediff1d(s),
        np.convolve(s, v),
        np.correlate(s, v),
        np.linalg.norm(s[None], axis=1),
        np.exp(s),
        np.log1p(s**2),
        np.hypot(s, v),
        np.arctan2(s, v),
        np.power(np.abs(s), 1.5),
        np.real(s),
        np.polyval([1.0, 2.0], s),
        np.interp(s, [-1.0, 2.0], [0.0, 1.0]),
        np.percentile(s, 30),
        np.average(s, weights=np.abs(v)),
        np.ptp(s),
        np.argmax(s),
        np.searchsorted([0.0, 1.0], s),
        np.triu(s[None] * s[:, None]),
        np.diag(s),
        np.tensordot(s, v, 1),
        np.inner(s, v),
        np.vdot(s, v),
        np.matmul(s, v),
        np.linalg.multi_dot([s, np.eye(4), v]),
        s.dot(v),
        s.prod(),
        s.var(),
        s.argmin(),
        s.take([1, 2]),
        s.repeat(2),
        s.flatten(),
        s.squeeze(),
        s.swapaxes(0, 0),
        s.round(1),
        s.conj(),
        s.nonzero()[0],
        s.cumprod(),
        s.min(),
        s.all(),
        s.any(),
    ]
    total = 0.0
    for k, p in enumerate(parts):
        total = total + float(np.sum(np.asarray(p) * 1.0)) * (
            p.rate if isinstance(p, Signal) else 5.0
        ) * (k % 7 + 1)
    return total


@case(X)
def many_more(v):
    s = Signal(v, 2.0)
    parts = [
        *np.split(s, 2),
        *np.array_split(s, 3),
        *np.modf(s),
        *np.divmod(s, 0.3),
        *np.frexp(np.abs(s))[:1],
        *np.broadcast_arrays(s, v),
        *np.meshgrid(s, v),
        *np.unique(s, return_index=True)[:1],
        *np.histogram(s, bins=[-1.0, 0.0, 2.0])[:1],
        *s.reshape(2, 2),
        *np.linalg.eigh(np.outer(s, s) + np.eye(4))[:1],
        np.block([s, s]),
        np.column_stack([s, v]),
        np.vstack([s, s]),
        np.moveaxis(s[None], 0, 1),
        np.rot90(s[None]),
        np.sort(s),
        np.argsort(s),
        np.unwrap(s),
        np.trapezoid(s),
        np.cov(s),
        np.fft.rfft(s).real,
        np.linalg.inv(s.reshape(2, 2)),
        np.linalg.solve(s.reshape(2, 2), v[:2]),
        np.linalg.det(s.reshape(2, 2)),
        np.einsum("i,j->ij", s, v),
        np.add.reduce(s),
        np.add.accumulate(s),
        np.multiply.outer(s, v),
        np.add.reduceat(s, [0, 2]),
        np.isclose(s, v),
        np.logical_and(s > 0, v > 0),
        s > v,
        s == s,
        s != v,
        ~(s > 0),
        -s,
        +s,
        s // 0.3,
        s % 0.3,
        abs(s),
        divmod(s, 0.3)[1],
        1 / (s + 3),
        2**s,
        v @ np.outer(s, s),
        pow(s, 2),
    ]
    total = 0.0
    for k, p in enumerate(parts):
        total = total + float(np.sum(np.asarray(p) * 1.0)) * (
            p.rate if isinstance(p, Signal) else 5.0
        ) * (k % 7 + 1)
    return total


class Holder:
    def __init__(self, w):
        self.w = w

    def step(self, v):
        self.w += v
        self.w[0] *= 2
        self.w.rate += 1.0
        return self.w.energy()


@case(Holder(Signal(X * 1.0, 2.0)), Y)
def object_with_instance(h, v):
    return float(h.step(v) + h.step(v * 2))


@case([Signal(X, 1.0), Signal(Y, 2.0)], {"a": Signal(X * 2, 3.0)})
def containers_of_instances(signals, d):
    return float(sum(s.energy() for s in signals) * d["a"].sum() * d["a"].rate)


@case(X)
def maybe_attribute(v):
    s = v.view(Vec)
    if v[0] > 0:
        s.tag = v[1]
    total = s.norm()
    if hasattr(s, "tag"):
        total = total + s.tag
    return float(total * getattr(s, "other", 2.0))


@case(X)
def recursive_on_data(v):
    def shrink(s):
        if s.energy() < 0.1:
            return s * 1.0
        return shrink(s * 0.7)

    return float(shrink(Signal(v, v[3]) * 1.0).energy())


@case(X)
def windows(v):
    class W(np.ndarray):
        def windows(self, n):
            for i in range(len(self) - n + 1):
                yield self[i : i + n]

        def __enter__(self):
            self.depth = 1
            return self

        def __exit__(self, *a):
            self.depth = 0

    w = v.view(W)
    total = 0.0
    for p in w.windows(2):
        total += p[0] * p[1]
    with w as u:
        total += u.sum() * u.depth
    return float(total + w.depth + sum(float(p.sum()) for p in w.windows(3)))


@case(X)
def shape_set(v):
    s = (v * 2).view(Vec)
    t = s.reshape(2, 2)
    t[0, 1] = 5.0
    s.flat[2] = 7.0
    t.T[0, 0] = 1.5
    return float((s * np.arange(4)).sum() + t.T.sum() + s.size + t.ndim + s.nbytes)


@case(X)
def numbers(v):
    s = Signal(v, 2.0)
    t = s.sum()
    return (
        float(t)
        + int(t * 0 + 3)
        + round(float(t), 1) * 0
        + math.sin(t)
        + math.sqrt(s.max())
        + complex(t).real
        + bool(t)
        + max(t, s[0])
        + float(np.float64(2.0) * t)
        + abs(t)
    )


@case(X)
def truth_tests(v):
    s = Signal(v, 2.0)
    total = Signal(0.0, 2.0)
    if (s > 0).any() and not (s > 5).any():
        total += s.max()
    if s.sum() > 100 or s.min() < 0:
        total = total * 2 + 1
    x = s.sum() if s[0] > 0 else s.mean()
    while total < 5:
        total = total + x**2 + 0.5
    assert s.shape == (4,) and len(s) == 4 and s.dtype == np.float64
    return float(total)


@case(X, Y)
def inplace_forms(v, w):
    s = Signal(v * 1.0, 2.0)
    t = Signal(w * 1.0, 3.0)
    s -= t
    s *= 2
    s /= 1.5
    s **= 2
    s += w
    w2 = w * 1.0
    w2 += s
    np.add(s, t, out=s)
    np.multiply(s, 2, out=w2)
    r = np.subtract(t, 1.0, out=t)
    r[0] = 9.0
    s[s > 1] = 1.0
    s[[0, 1]] += 0.5
    s[:2] = t[:2]
    np.copyto(s[2:], t[2:])
    s.sort()
    return float((s * t).sum() + w2.sum()) * s.rate


@case(X)
def finalizer_with_effects(v):
    log = []

    class L(np.ndarray):
        def __array_finalize__(self, obj):
            log.append(None if obj is None else type(obj).__name__)
            self.k = len(log)

    a = v.view(L)
    b = a * 2 + 1
    c = b[1:].mean()
    d = np.std(b)
    return float(c * d) * len(log) + c.k + d.k


@case(X)
def class_counts(v):
    class C(np.ndarray):
        made = 0

        def __array_finalize__(self, obj):
            type(self).made += 1

    a = v.view(C)
    b = np.sin(a) * a
    for i in range(3):
        b = b + 1
    return float(b.sum()) * C.made


@case(X)
def lists_grown(v):
    out = []
    s = Signal(v, 1.0)
    for i in range(len(v)):
        s = s * 0.5 + v[i]
        out.append(s)
    return float(
        sum(o.energy() for o in out) + np.array(out).sum() + np.stack(out)[1].sum() + out[-1].rate
    )


@case(X)
def swapped(v):
    a, b = Signal(v, 1.0), Signal(v * 2, 2.0)
    for x in v:
        if x > 0:
            a, b = b, a
        a = a + x
    return float(a.energy() * b.rate + b.sum())


@case(X)
def augmented_item(v):
    m = Signal(np.outer(v, v), 2.0)
    m[0] += 1.0
    m[:, 1] *= v
    m[1, 1] += 3.0
    row = m[2]
    row[:] = 0.5
    m[m < 0] = 0.0
    return float((m**2).sum() * row.sum()) * m[0].rate


@case(X)
def texts(v):
    s = Signal(v, 2.0)
    return float(s.sum()) * len(f"{s.rate:.1f}") * len(type(s).__name__)
