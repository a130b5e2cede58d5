"""Classes that derive from ndarray."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(31)
R = RNG.normal
U = RNG.uniform


class _Series(np.ndarray):
    """Samples with a step, as the manual of NumPy writes such classes."""

    def __new__(cls, data, step=1.0):
        obj = np.asarray(data, dtype=float).view(cls)
        obj.step = step
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.step = getattr(obj, "step", 1.0)

    def integral(self):
        return (self[1:] + self[:-1]).sum() * self.step / 2

    def slope(self):
        return np.gradient(np.asarray(self), self.step).view(type(self))


class _Point(np.ndarray):
    @property
    def x(self):
        return self[..., 0]

    @property
    def y(self):
        return self[..., 1]

    @y.setter
    def y(self, value):
        self[..., 1] = value

    def turned(self, angle):
        c, s = np.cos(angle), np.sin(angle)
        return (np.array([[c, -s], [s, c]]) @ self).view(_Point)


class _Length(np.ndarray):
    """Numbers with a unit that every operation checks."""

    def __new__(cls, data, power=1):
        obj = np.asarray(data).view(cls)
        obj.power = power
        return obj

    def __array_finalize__(self, obj):
        self.power = getattr(obj, "power", 1)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        powers = [getattr(x, "power", 0) for x in inputs]
        if ufunc in (np.add, np.subtract) and method == "__call__" and len(set(powers)) > 1:
            raise TypeError("lengths are not added to other things")
        plain = [np.asarray(x) if isinstance(x, _Length) else x for x in inputs]
        found = getattr(ufunc, method)(*plain, **kwargs)
        signs = {np.multiply: 1, np.true_divide: -1}
        power = powers[0] + signs.get(ufunc, 0) * (powers[1] if len(powers) > 1 else 0)
        return _Length(found, {np.square: 2 * power, np.sqrt: power / 2}.get(ufunc, power))


class _Dual(np.ndarray):
    @classmethod
    def of(cls, value, slope):
        return np.array([value, slope]).view(cls)

    def __mul__(self, other):
        if isinstance(other, _Dual):
            return _Dual.of(self[0] * other[0], self[0] * other[1] + self[1] * other[0])
        return super().__mul__(other)

    __rmul__ = __mul__

    def __add__(self, other):
        if isinstance(other, (int, float)):
            return _Dual.of(self[0] + other, self[1])
        return super().__add__(other)

    __radd__ = __add__


@construct("thin ndarray subclasses", R(size=6), 0.3)
def integral_of_a_series(data, step):
    s = _Series(data, step)
    smooth = np.convolve(s, [0.25, 0.5, 0.25], "same").view(_Series)
    smooth.step = s.step
    return float(s.integral() ** 2 + (2 * s).slope().integral() + np.tanh(smooth).integral())


@construct("thin ndarray subclasses", R(size=(4, 2)), 0.4)
def polygon_of_points(corners, angle):
    points = corners.view(_Point)
    area = 0.0
    for p, q in zip(points, np.roll(points, -1, axis=0).view(_Point)):
        area += p.x * q.y - q.x * p.y
    last = points[-1].turned(angle)
    last.y = last.y * 2 + points.x.sum()
    return area + last.x * last.y


@construct("thin ndarray subclasses", U(1.0, 2.0, 3), U(0.5, 1.5, 3))
def lengths_with_units(a, b):
    x, y = _Length(a), _Length(b)
    area = x * y
    diagonal = np.sqrt(x * x + y * y)
    try:
        area += x
    except TypeError:
        area = area / 2
    assert area.power == 2 and diagonal.power == 1
    return float((area / diagonal).sum()) + area.power * float(diagonal[0])


@construct("thin ndarray subclasses", 0.7)
def dual_numbers(t):
    x = np.array([t, 1.0]).view(_Dual)
    p = 3 * x * x * x + 2 * x + 1
    return p[0] + p[1] * 0.5


@construct("thin ndarray subclasses", _Series(R(size=5), 0.5), R(size=5))
def relaxed_in_place(s, forcing):
    history = []
    for k in range(3):
        s[1:-1] += s.step * (s[2:] - 2 * s[1:-1] + s[:-2])
        s *= 0.9
        if s[2] > forcing[k]:
            s.step = s.step * 0.5
        history.append(s.copy())
    return float(sum(h.integral() for h in history)) + s.step


@construct("thin ndarray subclasses", R(size=4), R(size=4))
def picked_series(a, b):
    candidates = [_Series(a, 0.5), _Series(b, 2.0), _Series(a * b)]
    best = max(candidates, key=lambda s: float(s.integral())) * 1.5
    total = best.step * best.max()
    while total < 20.0:
        best = best * 1.5 + a
        total = total + abs(best.integral()) + 1.0
    assert type(best) is _Series and isinstance(best, np.ndarray)
    return float(total * best.step)


@construct("array functions and wrappers of one's own", R(size=4))
def counted_by_wrap(v):
    class Counted(np.ndarray):
        def __array_finalize__(self, obj):
            self.steps = getattr(obj, "steps", 0)

        def __array_wrap__(self, array, context=None, return_scalar=False):
            out = super().__array_wrap__(array, context, return_scalar)
            out.steps = self.steps + 1
            return out

    c = v.view(Counted)
    d = np.sin(np.exp(c) * 2) + c
    return float(d.sum()) * d.steps


@construct("array functions and wrappers of one's own", R(size=(3, 3)), R(size=3))
def traces_of_functions(a, v):
    class Traced(np.ndarray):
        def __array_function__(self, function, types, args, kwargs):
            calls.append(function.__name__)
            found = super().__array_function__(function, types, args, kwargs)
            return np.asarray(found) * 2.0 if function is np.dot else found

    calls = []
    m = a.view(Traced)
    total = np.dot(m, v).sum() + np.trace(m) + float(np.linalg.det(m))
    assert calls == ["dot", "trace", "det"]
    return float(total) * len(calls)


@construct("array functions and wrappers of one's own", R(size=3), 2.0)
def preferred_operand(v, k):
    class Left(np.ndarray):
        __array_priority__ = 1.0

    class Right(np.ndarray):
        __array_priority__ = 5.0

        def __rsub__(self, other):
            return (np.asarray(other) - 2 * np.asarray(self)).view(Right)

    a, b = v.view(Left), (v * k).view(Right)
    both = a * b
    assert type(both) is Right and type(b * a) is Right
    return float((both + (v - b)).sum())
