"""Shapes, phasors, units and parameters that derive from ndarray, as found in real code."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod

import numpy as np
import scipy.linalg
import scipy.special
from array_classes_found import M, Mat, Observed, X

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class Shape(np.ndarray, ABC):
    @abstractmethod
    def area(self):
        """The area."""

    def density(self, mass):
        return mass / self.area()


class Named:
    title = "shape"

    def described(self):
        return f"{self.title} of {self.shape[0]}"


class Box(Named, Shape):
    def area(self):
        return self[0] * self[1]


class Disc(Named, Shape):
    title = "disc"

    def area(self):
        return np.pi * self[0] ** 2


@case(np.array([0.7, 1.2]), 2.0)
def mixins_and_abstract_bases(v, mass):
    shapes = [v.view(Box), v[:1].view(Disc)]
    return sum(s.density(mass) * len(s.described()) for s in shapes)


class Walk(np.ndarray):
    def __iter__(self):
        total = 0.0
        for i in range(self.size):
            total = total + self[i]
            yield total

    def __contains__(self, value):
        return bool((np.abs(np.asarray(self) - value) < 0.05).any())

    def __len__(self):
        return 2


@case(X)
def own_iteration(v):
    w = v.view(Walk)
    total = 0.0
    for t in w:
        total += t**2
    return total + sum(w) * len(w) + (0.71 in w) + max(w)


@case(M)
def functions_of_scipy(m):
    a = m.view(Mat)
    b = scipy.linalg.expm(0.1 * np.asarray(a))
    c = scipy.special.expit(a)
    assert type(c) is Mat
    return float(b.sum()) + float((c * scipy.special.gammaln(np.abs(a) + 1.0)).sum())


class Phasor(np.ndarray):
    def __new__(cls, magnitude, phase):
        return (magnitude * np.exp(1j * np.asarray(phase))).view(cls)

    @property
    def power(self):
        return (self * self.conj()).real.sum()

    def shifted(self, phi):
        return self * np.exp(1j * phi)


@case(X, 0.3)
def phasors(phases, phi):
    p = Phasor(np.array([1.0, 0.5, 2.0, 1.5]), phases)
    q = p.shifted(phi) + p
    return float(q.power) + float(abs(q.sum())) + float(np.angle(q)[0]) + float(q.imag[1])


def dimensions(mapping):
    return {k: v for k, v in mapping.items() if v}


class Physical(np.ndarray):
    """Numbers with dimensions, in the manner of the unit libraries."""

    __array_priority__ = 1000

    def __new__(cls, value, **dims):
        obj = np.asarray(value, dtype=float).view(cls)
        obj.dims = dict(dims)
        return obj

    def __array_finalize__(self, obj):
        self.dims = getattr(obj, "dims", {})

    def _combined(self, other, sign):
        theirs = getattr(other, "dims", {})
        keys = {**self.dims, **theirs}
        return dimensions({k: self.dims.get(k, 0) + sign * theirs.get(k, 0) for k in keys})

    def __mul__(self, other):
        out = super().__mul__(other)
        out.dims = self._combined(other, 1)
        return out

    __rmul__ = __mul__

    def __truediv__(self, other):
        out = super().__truediv__(other)
        out.dims = self._combined(other, -1)
        return out

    def __add__(self, other):
        if self.dims != getattr(other, "dims", {}):
            raise TypeError(f"cannot add {self.dims} and {getattr(other, 'dims', {})}")
        return super().__add__(other)

    def __pow__(self, n):
        out = super().__pow__(n)
        out.dims = {k: n * v for k, v in self.dims.items()}
        return out

    def to_number(self):
        if self.dims:
            raise TypeError(f"not a number: {self.dims}")
        return np.asarray(self)


@case(X, 2.5)
def physical_dimensions(v, seconds):
    x, t = Physical(v, m=1), Physical(seconds, s=1)
    speed = x / t
    energy = 0.5 * Physical(2.0, kg=1) * speed**2
    assert energy.dims == {"kg": 1, "m": 2, "s": -2}
    try:
        bad = x + t
    except TypeError:
        bad = x + 2 * x
    ratio = (bad / x).to_number()
    return float(energy.sum()) * float(ratio.sum())


class Params(np.ndarray):
    """A flat vector whose parts have names and shapes."""

    def __new__(cls, flat, **shapes):
        obj = np.asarray(flat).view(cls)
        obj.places = {}
        start = 0
        for name, shape in shapes.items():
            size = math.prod(shape)
            obj.places[name] = (start, start + size, shape)
            start += size
        return obj

    def __array_finalize__(self, obj):
        self.places = getattr(obj, "places", {})

    def part(self, name):
        start, stop, shape = self.places[name]
        return np.asarray(self)[start:stop].reshape(shape)


@case(np.sin(np.arange(11.0)), X[:3])
def flat_parameters(flat, x):
    p = Params(flat, w=(2, 3), b=(2,), v=(3,))
    h = np.tanh(p.part("w") @ x + p.part("b"))
    p2 = p - 0.1 * p
    return float(h.sum() + (p2.part("v") * x).sum() + (p2.part("w") ** 2).sum())


@case(X)
def deep_copies(v):
    o = Observed(v)
    other = copy.deepcopy(o)
    third = copy.copy(o)
    o[0] = 5.0
    other[1] = 7.0
    return float(o.sum() * other.sum() * third.sum()) + len(o.log)


class Gradient(np.ndarray):
    """Remembers by which ufuncs it came about."""

    def __array_finalize__(self, obj):
        self.trail = getattr(obj, "trail", ())

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = tuple(x.view(np.ndarray) if isinstance(x, Gradient) else x for x in inputs)
        if "out" in kwargs:
            kwargs["out"] = tuple(o.view(np.ndarray) if isinstance(o, Gradient) else o
                                  for o in kwargs["out"])
        found = super().__array_ufunc__(ufunc, method, *plain, **kwargs)
        if found is NotImplemented:
            return NotImplemented
        if "out" in kwargs:
            return self
        if isinstance(found, np.ndarray):
            found = found.view(Gradient)
            found.trail = (*self.trail, ufunc.__name__)
        return found


@case(X)
def trail_of_ufuncs(v):
    g = v.view(Gradient)
    h = np.exp(-g) * 2 + g**2
    assert h.trail == ("negative", "exp", "multiply", "add"), h.trail
    h *= 3.0
    total = h.sum() + np.max(g) + g.mean() + np.add.reduce(h) + h.dot(v)
    low = np.minimum(g, 0.3)
    return float(total) * len(low.trail) + float(np.multiply.outer(g, g).sum())
