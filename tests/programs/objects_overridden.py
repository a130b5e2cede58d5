"""Attributes that an instance holds itself under a name for which its class has a property, a
descriptor or a ``cached_property``, and what ``super()`` finds of those: every class with every use,
for ``test_objects_overridden.py``."""

from __future__ import annotations

import copy
import functools


class Lazy:
    def __init__(self, q):
        self.q = q

    @property
    def Q(self):
        if "Q" not in self.__dict__:
            self.__dict__["Q"] = self.q * 3.0
        return self.__dict__["Q"] + 5.0


class Settable(Lazy):
    @property
    def Q(self):
        held = vars(self)
        if "Q" not in held:
            held["Q"] = self.q * 3.0
        return held["Q"] + 5.0

    @Q.setter
    def Q(self, value):
        self.__dict__["Q"] = value * 2.0

    @Q.deleter
    def Q(self):
        del self.__dict__["Q"]


class _Doubled:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, cls=None):
        return self if obj is None else obj.__dict__[self.name] * 2.0

    def __set__(self, obj, value):
        if value < 0:
            value = 0.01
        obj.__dict__[self.name] = value


class Described:
    Q = _Doubled()

    def __init__(self, q):
        self.Q = self.q = q


class Cached:
    def __init__(self, q):
        self.q = q

    @functools.cached_property
    def Q(self):
        if self.q > 0:
            return self.q * 3.0
        return -self.q ** 2


class Derived(Cached):
    @functools.cached_property
    def Q(self):
        return super().Q * 0.01 + 1.0


class Twice(Derived):
    @functools.cached_property
    def Q(self):
        return super().Q * super().Q


class Method(Cached):
    def read(self):
        return super().Q + 2.0


class Over(Cached):
    @property
    def Q(self):
        return super().Q + 5.0


CLASSES = (Lazy, Settable, Described, Cached, Derived, Twice, Method, Over)


def _read(obj):
    return obj.read() if hasattr(obj, "read") else obj.Q


def in_a_loop(obj, q, ys):
    s = 0.0
    for y in ys:
        s = s + y * _read(obj)
        obj.q = obj.q * 1.1 + q
    return s + obj.__dict__["Q"]


def behind_the_class(obj, q, ys):
    s = _read(obj) if ys[0] > 0.05 else 0.0
    s = s * 2.0 + _read(obj)
    if ys[0] > 0.3:
        obj.__dict__["Q"] = s
    return s + _read(obj) + vars(obj)["Q"] * q


def by_turns(obj, q, ys):
    s = 0.0
    for y in ys:
        if y > 0.4:
            obj.__dict__["Q"] = obj.__dict__["Q"] * q if "Q" in obj.__dict__ else y + s
        s = s + _read(obj)
    return s + _read(obj) + vars(obj).get("Q", 0.5)


def copied(obj, q, ys):
    if ys[0] > 0.05:
        obj.q = q
    s = _read(obj)
    other = copy.copy(obj)
    other.__dict__["Q"] = s * q
    third = copy.deepcopy(other)
    third.q = third.__dict__["Q"]
    return s + _read(other) * 2.0 + third.q + _read(third) + vars(obj)["Q"]


def in_a_list(obj, q, ys):
    found = [type(obj)(q * y) for y in ys] + [obj]
    s = 0.0
    for k in range(2):
        for each in found:
            s = s + _read(each) * (k + 1)
            each.q = 3.0
    return s


USES = (in_a_loop, behind_the_class, by_turns, copied, in_a_list)
