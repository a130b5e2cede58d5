"""Programs with classes that derive from ndarray."""

from __future__ import annotations

import copy

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])
Y = np.array([1.5, 0.25, -0.45, 0.9])
A = np.array([[0.4, 1.2, -0.3], [0.8, -0.6, 0.5], [1.1, 0.2, 0.9]])


class Vec(np.ndarray):
    @property
    def x(self):
        return self[0]

    @x.setter
    def x(self, value):
        self[0] = value

    @property
    def y(self):
        return self[1]

    def norm(self):
        return np.sqrt((self**2).sum())

    def unit(self):
        return self / self.norm()


class Signal(np.ndarray):
    def __new__(cls, data, rate=1.0):
        obj = np.asarray(data).view(cls)
        obj.rate = rate
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.rate = getattr(obj, "rate", 1.0)

    def energy(self):
        return (self**2).sum() / self.rate

    def delayed(self, n):
        out = np.zeros_like(self)
        out[n:] = self[:-n]
        return out


@case(X)
def norm_of_view(v):
    u = v.view(Vec)
    return u.norm() * u.x


@case(X)
def energy_of_signal(v):
    return Signal(v, rate=v[0] ** 2).energy()


@case(X)
def class_is_kept(v):
    s = Signal(v, rate=3.0)
    parts = [s * 2, 2 * s, s + v, v + s, s[1:], s.T, s.copy(), np.sin(s), -s, abs(s), s.reshape(2, 2),
             s.cumsum(), np.cumsum(s), np.diff(s), s.clip(0, 1), np.where(s > 0, s, 0.5), s.astype(float),
             np.concatenate([s, s]), np.stack([s, v]), np.asarray(s), s.view(np.ndarray), s @ np.eye(4),
             np.zeros_like(s), s[[0, 2]], s[s > 0], np.sort(s), np.roll(s, 1), s.ravel(), s**2, s / 3]
    total = 0.0
    for p in parts:
        total = total + np.asarray(p).sum() * (p.rate if isinstance(p, Signal) else 7.0)
    return total


@case(X)
def zero_dimensional(v):
    s = Signal(v, rate=2.0)
    total = s.sum()
    assert type(total) is Signal and total.shape == ()
    total += 1.0
    return total * total.rate + s.mean() * s.max() + s.std()


@case(X)
def shared_memory(v):
    w = v * 1.0
    s = w.view(Signal)
    s[0] = v[1] * 3
    t = s[1:]
    t *= 2.0
    t[0] += v[0]
    s.x = 5.0
    return (w**2).sum() * s.x


@case(X)
def properties_are_written(v):
    u = v.copy().view(Vec)
    u.x = u.y * 2
    u[2] = u.norm()
    return float((u.unit() * v).sum())


@case(X)
def attributes_in_branches(v):
    s = Signal(v)
    if v[0] > 0:
        s.rate = v[1] ** 2
    else:
        s.rate = 4.0
    if v[1] > 10:
        s = s * 2
    return s.energy() + s.rate


@case(X)
def signals_in_loops(v):
    s = Signal(v, rate=1.5)
    for i in range(len(v)):
        s = s * 0.9 + v[i]
        s.rate = s.rate + v[i] ** 2
    while s.sum() > 1.0:
        s *= 0.5
    return s.energy()


@case(X)
def type_tests(v):
    s = Signal(v, rate=v[2])
    total = 0.0
    if isinstance(s, np.ndarray) and type(s) is Signal and not isinstance(v, Signal):
        total += (s * v).sum()
    t = type(s)(s[:2], rate=2.0)
    u = s.__class__(t)
    return total + t.energy() + u.energy()


class Weighted(Signal):
    scale = 2.5

    def __new__(cls, data, rate=1.0, weights=None):
        obj = super().__new__(cls, data, rate)
        obj.weights = np.ones(len(data)) if weights is None else weights
        return obj

    def __array_finalize__(self, obj):
        super().__array_finalize__(obj)
        self.weights = getattr(obj, "weights", None)

    def sum(self, *args, **kwargs):
        return super().sum(*args, **kwargs) * self.scale

    def __getitem__(self, key):
        found = super().__getitem__(key)
        if isinstance(found, Weighted) and self.weights is not None:
            found.weights = self.weights[key]
        return found

    def energy(self):
        return super().energy() + (self.weights * np.asarray(self)).sum()


@case(X, Y)
def inherited(v, w):
    s = Weighted(v, 2.0, w)
    t = s[1:]
    return s.energy() + t.energy() + np.sum(s) + s.sum()


class Filled(np.ndarray):
    def __new__(cls, n, value):
        obj = super().__new__(cls, (n,))
        obj[...] = value
        obj.label = "filled"
        return obj

    def __array_finalize__(self, obj):
        self.label = getattr(obj, "label", "none")


@case(0.7)
def made_by_ndarray_new(a):
    f = Filled(3, a)
    g = np.ndarray.__new__(Filled, (2,))
    g.fill(a * 2)
    return f.sum() + len(f.label) * g.sum() + len(g.label)


class Temperature(np.ndarray):
    __array_priority__ = 20.0

    def __add__(self, other):
        return (np.asarray(self) + 1.0 + np.asarray(other)).view(Temperature)

    __radd__ = __add__

    def __mul__(self, other):
        return super().__mul__(other) + 0.5

    def __pow__(self, k):
        return super().__pow__(k).view(np.ndarray)


@case(X, Y)
def overridden_operators(v, w):
    t = v.view(Temperature)
    a, b, c, d = t + w, w + t, 2.0 + t, t * w
    e = t**2
    assert type(e) is np.ndarray
    return (a * b).sum() + c.sum() * d.sum() + e.sum()


class Quantity(np.ndarray):
    def __new__(cls, data, unit=""):
        obj = np.asarray(data, dtype=float).view(cls)
        obj.unit = unit
        return obj

    def __array_finalize__(self, obj):
        self.unit = getattr(obj, "unit", "")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(x) if isinstance(x, Quantity) else x for x in inputs]
        units = [x.unit for x in inputs if isinstance(x, Quantity)]
        if ufunc in (np.add, np.subtract) and len(set(units)) > 1:
            raise ValueError("units differ")
        if out is not None:
            kwargs["out"] = tuple(np.asarray(o) for o in out)
        found = getattr(ufunc, method)(*plain, **kwargs)
        if ufunc is np.multiply:
            unit = "*".join(units)
        elif ufunc is np.square:
            unit = units[0] + "2"
        else:
            unit = units[0]
        if out is not None:
            return out[0]
        return Quantity(found, unit)


@case(X, Y)
def units_by_ufunc(v, w):
    m, n = Quantity(v, "m"), Quantity(w, "m")
    area = m * n
    assert area.unit == "m*m"
    both = m + n
    both += m
    assert both.unit == "m" and (m**2).unit == "m2"
    length = np.sqrt((both**2).sum())
    try:
        area + m
    except ValueError:
        length = length * 2
    return length.view(np.ndarray) * area.sum() + float(np.sin(m).mean())


class Logged(np.ndarray):
    def __array_wrap__(self, array, context=None, return_scalar=False):
        found = super().__array_wrap__(array, context, return_scalar)
        found.by = "none" if context is None else context[0].__name__
        return found


@case(X)
def wrapped_results(v):
    s = v.view(Logged)
    t = np.exp(s) * s
    u = t + 1
    assert t.by == "multiply" and u.by == "add"
    return u.sum() * len(u.by)


@case(Signal(X, 2.5))
def instance_as_argument(s):
    return s.energy() + s.rate * s[0]


@case(Signal(X * 1.0, 2.5))
def argument_is_written(s):
    s[0] = s[1] * 2
    s += 1.0
    s.rate = s.rate * 2
    return s.energy()


class Model:
    def __init__(self, weights):
        self.weights = weights
        self.history = []

    def __call__(self, x):
        self.history.append(self.weights * x)
        return self.history[-1].energy()


@case(X)
def attributes_of_objects(v):
    model = Model(Signal(v, rate=2.0))
    total = model(v) + model(v * 2)
    return total + sum(h.sum() for h in model.history)


@case(X, Y)
def in_lists(v, w):
    signals = [Signal(v, 1.0), Signal(w, 2.0), Signal(v * w, w[0])]
    total = 0.0
    for s in signals:
        total += s.energy()
    best = max(signals, key=lambda s: s.sum())
    k = int(np.argmin([s[0] for s in signals]))
    return total + best.energy() + signals[k].sum()


CAPTURED = Signal(np.array([1.0, 2.0, 3.0, 4.0]), 0.5)


@case(X)
def captured(v):
    t = CAPTURED * v
    return t.energy() + CAPTURED.rate


@case(X)
def copies(v):
    s = Signal(v, rate=3.0)
    a, b, c = s.copy(), copy.copy(s), copy.deepcopy(s)
    a[0], b[0], c[0] = 1.0, 2.0, 3.0
    return a.energy() + b.energy() * 2 + c.energy() * s.energy()


class Slotted(np.ndarray):
    __slots__ = ("gain",)
    count = 3

    def __array_finalize__(self, obj):
        self.gain = getattr(obj, "gain", 1.0)


@case(X)
def with_slots(v):
    s = v.view(Slotted)
    s.gain = v[0]
    t = s[1:] * s.gain
    return t.sum() * t.gain + t.count


class Dimension(np.ndarray):
    def __array_finalize__(self, obj):
        self.__dict__.update(getattr(obj, "__dict__", {}))


@case(X)
def dict_of_attributes(v):
    s = v.view(Dimension)
    s.unit, s.k = "m", v[1]
    t = s * 2
    return t.sum() * t.k * len(t.unit) * len(vars(t))


@case(A)
def matrices(m):
    s = Signal(m, rate=2.0)
    total = 0.0
    for row in s:
        total += row.sum() * row.rate
    for i, row in enumerate(s.T):
        total += (i + 1) * row[0]
    p = s @ s + np.linalg.inv(s)
    return total + np.trace(p) * p.rate + s.sum(axis=0).energy() + np.linalg.det(s)


@case(X)
def elements(v):
    s = v.view(Vec)
    a, b, c, d = s
    total = a * b + c * d
    for e in s:
        total += e**2
    first, *rest = s
    return total + first * sum(rest) + max(s) + sum(x * y for x, y in zip(s, v)) + float(s[0])


@case(X)
def local_class(v):
    class Scaled(np.ndarray):
        def __array_finalize__(self, obj):
            self.by = getattr(obj, "by", v[0])

        def scaled(self):
            return self * self.by

    s = v.view(Scaled)
    s.by = v[1] * 2
    return float(s.scaled().scaled().sum())


@case(X)
def one_of_two_classes(v):
    s = v.view(Vec) if v[0] > 0 else Signal(v, 2.0)
    return float((s * 2).sum() + (s.norm() if isinstance(s, Vec) else s.energy()))


@case(X)
def functions_of_numpy(v):
    s = Signal(v, rate=2.0)
    total = np.linalg.norm(s) + np.dot(s, v) + np.var(s) + np.median(s)
    total += np.outer(s, s).sum() + np.einsum("i,i->", s, v) + np.mean(s) * np.prod(s)
    u, r = np.modf(s)
    low, high = np.split(s, 2)
    return total + u.rate * u.sum() + low.energy() + high.rate + np.interp(0.3, [0.0, 1.0], s[:2])


@case(X)
def returned_from_helpers(v):
    def pair(s):
        return s * 2, {"half": s / 2}

    def count(s, n):
        return s if n == 0 else count(s * 0.5, n - 1)

    a, b = pair(Signal(v, v[0]))
    return a.energy() + b["half"].energy() + count(a, 3).energy()


class Bounded(np.ndarray):
    """Checks its values wherever it is made."""

    def __new__(cls, data, low=0.0):
        obj = np.maximum(np.asarray(data), low).view(cls)
        obj.low = low
        return obj

    def __array_finalize__(self, obj):
        self.low = getattr(obj, "low", 0.0)

    def __setitem__(self, key, value):
        super().__setitem__(key, np.maximum(value, self.low))

    def __iadd__(self, other):
        super().__iadd__(other)
        np.maximum(self, self.low, out=self)
        return self


@case(X)
def guarded_writes(v):
    b = Bounded(v, v[3])
    b[0] = -5.0
    b[1:3] = v[:2] * 2
    b += v
    return (b**2).sum()
