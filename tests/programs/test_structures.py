"""Gradients of arguments that are structures, however the program reaches their parts."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, replace

import numpy as np
import pytest

import srcgrad as sg

Pair = namedtuple("Pair", ["w", "b"])
X = np.arange(3.0)


@dataclass
class Data:
    w: np.ndarray
    b: float


@dataclass(frozen=True)
class Frozen:
    w: np.ndarray
    b: float


@dataclass(slots=True)
class Slotted:
    w: np.ndarray
    b: float


class Plain:
    def __init__(self, w, b):
        self.w = w
        self.b = b


@dataclass
class Layer:
    w: np.ndarray
    b: float
    kind: str

    def __call__(self, x):
        return np.sum(self.w * x) + self.b ** 2


@dataclass
class Model:
    layers: list


def by_attribute(p, x):
    return np.sum(p.w * x) + p.b ** 2


def by_getattr(p, x):
    return np.sum(getattr(p, "w") * x) + getattr(p, "b") ** 2


def by_vars(p, x):
    return np.sum(vars(p)["w"] * x) + p.__dict__["b"] ** 2


def by_replace(p, x):
    q = replace(p, b=p.b * 1.0)
    return np.sum(q.w * x) + q.b ** 2


def by_place(p, x):
    return np.sum(p[0] * x) + p[-1] ** 2


def by_unpacking(p, x):
    w, b = p
    return np.sum(w * x) + b ** 2


def by_dict_of_fields(p, x):
    fields = p._asdict()
    return np.sum(fields["w"] * x) + fields["b"] ** 2


def by_replaced_fields(p, x):
    p = p._replace(b=p.b * 1.0)
    return np.sum(p.w * x) + p[1] ** 2


CASES = [(f, c) for c in (Data, Frozen, Slotted, Plain) for f in (by_attribute, by_getattr)]
CASES += [(f, c) for c in (Data, Plain) for f in (by_vars,)] + [(by_replace, Data)]
CASES += [(f, Pair) for f in (by_attribute, by_place, by_unpacking, by_dict_of_fields,
                              by_replaced_fields)]


@pytest.mark.parametrize(("function", "cls"), CASES,
                         ids=[f"{f.__name__}-{c.__name__}" for f, c in CASES])
def test_every_way_to_a_part_is_the_same_part(function, cls):
    gradient = sg.grad(function)(cls(X + 1.0, 2.0), X)
    assert type(gradient) is cls
    assert gradient.w.tolist() == X.tolist() and gradient.b == 4.0


def test_objects_in_lists_of_objects():
    def loss(model, x):
        return sum(layer(x) for layer in model.layers) + np.sum(model.layers[-1].w)

    model = Model([Layer(X, 1.0, "a"), Layer(X + 1.0, 2.0, "b")])
    gradient = sg.grad(loss)(model, X)
    assert [g.w.tolist() for g in gradient.layers] == [X.tolist(), (X + 1.0).tolist()]
    assert [(g.b, g.kind) for g in gradient.layers] == [(2.0, None), (4.0, None)]


def test_arrays_spread_into_a_call_are_read_again():
    values = (np.ones(3), np.ones(3))

    def weighted(x, a, b):
        return np.sum(x * a) + np.sum(x * b)

    def spread(x):
        return weighted(x, *values)

    df = sg.grad(spread)
    assert df(X).tolist() == [2.0, 2.0, 2.0]
    values[0][:] = 4.0
    assert df(X).tolist() == [5.0, 5.0, 5.0]


def test_writing_methods_called_by_name_write():
    def scaled(x, y):
        a = x.copy()
        b = a
        a.__imul__(y)
        a.__setitem__(0, y[1])
        return np.sum(b * b)

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    d_x, d_y = sg.grad(scaled, argnums=(0, 1))(x, y)
    assert d_x.tolist() == [0.0, 64.0] and d_y.tolist() == [0.0, 8.0 + 32.0]


def test_results_that_are_instances_keep_their_class():
    for made in (sg.jit(lambda p: Data(p.w * 2, p.b))(Data(X, 2.0)),
                 sg.vjp(lambda p: Data(p.w * 2, p.b), Data(X, 2.0))[0]):
        assert type(made) is Data and made.w.tolist() == (2 * X).tolist() and made.b == 2.0
    gradient = sg.grad(lambda p: np.sum(p["d"].w ** 2) * p["d"].b)
    nested = sg.jit(lambda p: gradient(p))({"d": Data(X, 2.0)})
    assert type(nested["d"]) is Data
    out, pullback = sg.vjp(gradient, {"d": Data(X, 2.0)})
    assert type(out["d"]) is Data
    (second,) = pullback({"d": Data(np.ones(3), 0.0)})
    assert second["d"].w.tolist() == [4.0] * 3 and second["d"].b == 2 * X.sum()


def test_results_inside_of_instances():
    def f(x):
        return {"a": Layer(Pair(x * 2, [x, 1.0]), np.sum(x), "kind")}

    made = sg.jit(f)(X)
    assert type(made["a"]) is Layer and type(made["a"].w) is Pair and made["a"].kind == "kind"
    assert made["a"].w.b[0].tolist() == X.tolist() and made["a"].b == 3.0
