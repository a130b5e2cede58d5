"""Objects from outside that hold arrays and lists: one text for any number of them, and which object is which."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from chain import check, check_orders

import srcgrad as sg

SIZES = (3, 12, 30)
X = np.array([0.7, 1.2])


@dataclass
class Body:
    pos: Any
    vel: Any
    m: float = 1.0

    def energy(self):
        return 0.5 * self.m * (self.vel @ self.vel)


@dataclass
class Sensor:
    at: float
    readings: Any


class Disc(NamedTuple):
    centre: np.ndarray
    radius: float


def energies(x, bodies):
    return sum(b.energy() * x[0] + b.pos @ x for b in bodies)


def in_pairs(x, bodies):
    e = 0.0
    for i in range(len(bodies)):
        for j in range(i):
            d = bodies[i].pos - bodies[j].pos
            e += bodies[i].m * bodies[j].m * x[0] / np.sqrt(d @ d + x[1])
    return e


def layers(x, params):
    h = x
    for w, b in params:
        h = np.tanh(w @ h + b)
    return np.sum(h)


def discs(x, found):
    s = 0.0
    for d in found:
        gap = x - d.centre
        s += d.radius / (1.0 + gap @ gap)
    return s


def nearest(x, found):
    best = min(found, key=lambda d: (x - d.centre) @ (x - d.centre))
    return best.radius * x[0] + best.centre @ x


def weighted(x, dicts):
    s = 0.0
    for d in dicts:
        s += d["m"] * (d["pos"] @ x) ** 2
    return s


def into_a_buffer(x, bodies, out):
    for i, b in enumerate(bodies):
        out[i] = b.pos * x
    return np.sum(out**2)


def misfit(x, sensors):
    return sum(np.sum((s.readings - s.at * x[0]) ** 2) for s in sensors)


def stepped(x, bodies):
    for _ in range(2):
        for b in bodies:
            b.vel -= 0.1 * x * b.pos
            b.pos[0] += 0.1 * b.vel[0]
            b.pos[1] = b.pos[0] * x[1]
    return sum(b.pos @ b.vel for b in bodies)


def replaced(x, bodies):
    for b in bodies:
        b.vel = b.vel - 0.1 * x * b.pos
        b.pos = b.pos + 0.1 * b.vel
    return sum(b.pos @ b.pos for b in bodies)


def cleared_and_pushed(x, bodies):
    for _ in range(2):
        for b in bodies:
            b.vel = np.zeros(2)
        for i in range(len(bodies)):
            for j in range(i):
                d = bodies[i].pos - bodies[j].pos
                force = x[0] * d / (x[1] + d @ d)
                bodies[i].vel += force
                bodies[j].vel -= force
        for b in bodies:
            b.pos += 0.1 * b.vel
    return sum(b.pos @ b.vel for b in bodies)


def by_distance(x, bodies):
    return sum((i + 1.0) * (b.vel @ x)
               for i, b in enumerate(sorted(bodies, key=lambda b: b.pos @ x)))


def made_bodies(n):
    return [Body(np.array([a, 1.0 - a]), np.array([0.1, a * a]), 1.0 + float(a))
            for a in np.linspace(0.3, 1.7, n)]


def made_sensors(n, listed=True):
    return [Sensor(float(a), [float(a), 2.0, 3.0] if listed else np.array([a, 2.0, 3.0]))
            for a in np.linspace(0.3, 1.7, n)]


def _arguments(n):
    r = np.random.default_rng(n)
    return {
        energies: (X, made_bodies(n)), in_pairs: (X, made_bodies(n)),
        layers: (X, [(r.normal(size=(2, 2)), r.normal(size=2)) for _ in range(n)]),
        discs: (X, [Disc(r.normal(size=2), 0.5 + k) for k in range(n)]),
        nearest: (X, [Disc(r.normal(size=2), 0.5 + k) for k in range(n)]),
        weighted: (X, [{"pos": r.normal(size=2), "m": 1.0 + k} for k in range(n)]),
        into_a_buffer: (X, made_bodies(n), np.zeros((n, 2))),
        misfit: (X, made_sensors(n, listed=False)), by_distance: (X, made_bodies(n)),
        stepped: (X, made_bodies(n)), replaced: (X, made_bodies(n)),
        cleared_and_pushed: (X, made_bodies(n)),
    }


CHANGING = (stepped, replaced, cleared_and_pushed)


BY_SIZE = [_arguments(n) for n in SIZES]


@pytest.mark.parametrize("fn", BY_SIZE[0], ids=lambda fn: fn.__name__)
def test_program(fn):
    for given in BY_SIZE[:2]:
        check(fn, given[fn], staged=False, passes=False, oracle=False,
              gradients=fn not in CHANGING)


@pytest.mark.parametrize("fn", CHANGING, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("given", BY_SIZE[:2], ids=map(str, SIZES[:2]))
def test_objects_that_change(fn, given):
    """Arrays are the ones that they were, where plain Python writes in place."""
    plain, traced = copy.deepcopy(given[fn][1]), copy.deepcopy(given[fn][1])
    held = [[b.pos, b.vel] for b in plain], [[b.pos, b.vel] for b in traced]
    want = fn(X, plain)
    value, slope = sg.value_and_grad(fn)(X, traced)
    assert value == want and str(plain) == str(traced)
    same = [[(b.pos is pos, b.vel is vel) for b, (pos, vel) in zip(bodies, arrays, strict=True)]
            for bodies, arrays in zip((plain, traced), held, strict=True)]
    assert same[0] == same[1] and str(held[0]) == str(held[1])
    np.testing.assert_allclose(
        slope, differences(lambda x: fn(x, copy.deepcopy(given[fn][1]))), rtol=1e-6)


def differences(fn):
    steps = 1e-6 * np.eye(2)
    return np.array([(fn(X + step) - fn(X - step)) / 2e-6 for step in steps])


@pytest.mark.parametrize("fn", CHANGING, ids=lambda fn: fn.__name__)
def test_second_derivatives_where_objects_change(fn):
    bodies = made_bodies(5)
    found = sg.hessian(lambda x: fn(x, copy.deepcopy(bodies)))(X)
    for step, row in zip(1e-5 * np.eye(2), found, strict=True):
        slopes = [sg.grad(fn)(X + s, copy.deepcopy(bodies)) for s in (step, -step)]
        np.testing.assert_allclose(row, (slopes[0] - slopes[1]) / 2e-5, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("fn", BY_SIZE[0], ids=lambda fn: fn.__name__)
def test_one_text_serves_any_number(fn):
    df = sg.value_and_grad(fn)
    texts = {df.source(*copy.deepcopy(given[fn])) for given in BY_SIZE}
    assert len(texts) == 1
    for given in BY_SIZE:
        assert df(*copy.deepcopy(given[fn]))[0] == fn(*copy.deepcopy(given[fn]))
    assert len(df._entries) == 1


@pytest.mark.parametrize("fn", [energies, in_pairs, layers], ids=lambda fn: fn.__name__)
def test_second_derivatives(fn):
    check_orders(fn, BY_SIZE[0][fn])


@pytest.mark.parametrize("change", [
    lambda bs: setattr(bs[3], "pos", np.ones(3)),
    lambda bs: setattr(bs[3], "pos", [1.0, 2.0]),
    lambda bs: setattr(bs[3], "pos", np.ones(2, np.float32)),
    lambda bs: bs.__setitem__(slice(None), [Body(b.pos[:1], b.vel, b.m) for b in bs]),
    lambda bs: bs.__setitem__(3, bs[2]),
], ids=["another shape", "a list", "another dtype", "all of another shape", "one object twice"])
def test_arrays_of_another_form_are_compiled_for(change):
    def fn(x, bodies):
        return sum(np.sum(np.multiply(b.pos, x[0])) * b.m for b in bodies)

    df, bodies = sg.value_and_grad(fn), made_bodies(12)
    df(X, bodies)
    change(bodies)
    assert df(X, bodies)[0] == fn(X, bodies)


def appended(x, sensors):
    for s in sensors:
        s.readings.append(s.at * x[0])
    return sum(sum(s.readings) for s in sensors)


def is_it_the_first(x, sensors):
    s = 0.0
    for one in sensors:
        s += x[0] * (one.readings is sensors[0].readings) + one.at * x[1]
    return s


def kept_outside(x, sensors, kept):
    for one in sensors:
        kept.append(one.readings)
    return sum(np.sum(one.readings) for one in sensors) * x[0]


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("fn", [appended, is_it_the_first, kept_outside], ids=lambda f: f.__name__)
def test_parts_of_objects_are_the_very_ones(fn, listed):
    if fn is appended and not listed:
        return
    plain, traced = made_sensors(4, listed), made_sensors(4, listed)
    kept = ([], []) if fn is kept_outside else ()
    want = fn(X, plain, *kept[:1])
    assert sg.value_and_grad(fn)(X, traced, *kept[1:])[0] == want
    assert str(plain) == str(traced)
    assert not kept or all(a is s.readings for a, s in zip(kept[1], traced, strict=True))


def list_changed(x, sensors, other):
    s = sum(sum(one.readings) for one in sensors) * x[0]
    other.append(1.0)
    return s + sum(sum(one.readings) for one in sensors) * x[0]


def array_changed(x, sensors, other):
    s = sum(np.sum(one.readings) for one in sensors) * x[0]
    other[0] += 7.0
    return s + sum(np.sum(one.readings) for one in sensors) * x[0]


def object_changed(x, sensors, other):
    s = sum(one.at for one in sensors) * x[0]
    other.at = 9.0
    return s + sum(one.at for one in sensors) * x[0]


@pytest.mark.parametrize("shared_first", [False, True])
@pytest.mark.parametrize(("fn", "listed", "of", "alone"), [
    (list_changed, True, lambda s: s.readings, lambda: [1.0, 2.0]),
    (array_changed, False, lambda s: s.readings, lambda: np.ones(3)),
    (object_changed, True, lambda s: s, lambda: Sensor(1.0, [2.0])),
], ids=["a list", "an array", "an object"])
def test_what_changes_by_another_name(fn, listed, of, alone, shared_first):
    """Whether or not it is a part of the list is another text."""
    df = sg.value_and_grad(fn)
    for shared in (shared_first, not shared_first):
        plain, traced = made_sensors(4, listed), made_sensors(4, listed)
        want = fn(X, plain, of(plain[1]) if shared else alone())
        assert df(X, traced, of(traced[1]) if shared else alone())[0] == want
        assert str(plain) == str(traced)


def kept_before(x, bodies):
    first = bodies[0].pos
    for b in bodies:
        b.pos = b.pos + x
    first[0] = 5.0
    return sum(b.pos @ b.pos for b in bodies) + first[0] * x[0]


def kept_then_written(x, bodies):
    zero = np.zeros(2)
    for b in bodies:
        new = b.vel * x
        b.vel = new
        b.pos = zero + new
        b.vel += 1.0
        b.m += new[0]
    return sum(b.pos @ b.vel * b.m for b in bodies)


def one_array_for_all(x, bodies):
    zero = np.zeros(2)
    for b in bodies:
        b.vel = zero
    for b in bodies:
        b.vel += x * b.pos
    return sum(b.vel @ b.pos for b in bodies)


def taken_from_another(x, bodies):
    for a, b in zip(bodies, bodies[1:]):
        a.vel = b.pos
    for b in bodies:
        b.pos += x
    return sum(b.vel @ b.pos for b in bodies)


def given_back(x, bodies):
    for b in bodies:
        b.pos += x
    return np.sum([b.pos @ x for b in bodies]), bodies[1].pos, max(bodies, key=lambda b: b.m).vel


def moved(x, bodies):
    for b in bodies:
        b.pos += x * b.m
    return sum(b.pos @ x for b in bodies)


@pytest.mark.parametrize("fn", [kept_before, kept_then_written, one_array_for_all,
                                taken_from_another, moved], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("given", ["apart", "one array", "rows", "columns", "one twice"])
def test_arrays_with_other_names(fn, given):
    def made():
        bodies = made_bodies(5)
        whole = np.arange(20.0).reshape(10, 2) / 7
        for k, b in enumerate(bodies):
            if given == "one array":
                b.pos = bodies[0].pos
            elif given == "rows":
                b.pos, b.vel = whole[2 * k], whole[2 * k + 1]
            elif given == "columns":
                b.pos = whole[2 * k:2 * k + 2].T[1]
        return [*bodies, bodies[1]] if given == "one twice" else bodies

    df = sg.value_and_grad(fn)
    for start in (made_bodies, lambda n: made()):  # the second call finds others than the first
        plain, traced = start(5), start(5)
        want = fn(X, plain)
        value, slope = df(X, traced)
        assert value == want and str(plain) == str(traced)
        names = [[[a.pos is b.pos, a.vel is b.vel, a.pos is b.vel] for a in found for b in found]
                 for found in (plain, traced)]
        assert names[0] == names[1]
        np.testing.assert_allclose(slope, differences(lambda x: fn(x, start(5))),  # noqa: B023
                                   rtol=1e-6, atol=1e-8)


def test_arrays_of_objects_are_returned_themselves():
    plain, traced = made_bodies(12), made_bodies(12)
    want = given_back(X, plain)
    value, pos, vel = sg.jit(given_back)(X, traced)
    assert value == want[0] and pos is traced[1].pos and vel is traced[-1].vel


def test_arrays_that_may_not_be_written_to():
    bodies = made_bodies(12)
    bodies[7].pos.flags.writeable = False
    plain, traced = copy.deepcopy(bodies), copy.deepcopy(bodies)
    plain[7].pos.flags.writeable = traced[7].pos.flags.writeable = False
    for call in (lambda: moved(X, plain), lambda: sg.grad(moved)(X, traced)):
        with pytest.raises(ValueError, match="read-only"):
            call()
    assert str(plain) == str(traced)


@pytest.mark.parametrize("other", [lambda bs: bs[3].pos, lambda bs: np.ones(2)])
def test_an_array_that_is_also_an_argument(other):
    def fn(x, bodies, one):
        for b in bodies:
            b.pos += x * one
        return sum(b.pos @ x for b in bodies) + one[0]

    df = sg.value_and_grad(fn)
    for start in (lambda bs: np.ones(2), other):
        plain, traced = made_bodies(12), made_bodies(12)
        want = fn(X, plain, start(plain))
        assert df(X, traced, start(traced))[0] == want
        assert str(plain) == str(traced)
