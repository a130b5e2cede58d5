"""Objects in lists: one text for any number of them, with the values and effects of plain Python."""

from __future__ import annotations

import copy
import inspect
from dataclasses import dataclass

import numpy as np
import object_stores as programs
import pytest
from chain import check, check_orders

import srcgrad as sg

ANY_NUMBER = [fn for fn in programs.BY_SIZE[0]
              if fn not in (*programs.ONE_BY_ONE, programs.neighbours)]


@pytest.mark.parametrize(("fn", "args"), programs.CASES,
                         ids=[f"{fn.__name__}-{len(args[0])}" for fn, args in programs.CASES])
def test_program(fn, args):
    def program(x, *rest):
        return fn(x, *copied(rest))

    if fn not in programs.OF_NUMBERS:
        check(fn, args, staged=False, passes=False, oracle=False,
              gradients=fn not in programs.CHANGING)
    if fn in programs.CHANGING:
        slope = sg.grad(fn)(*copy.deepcopy(args))
        np.testing.assert_allclose(slope, differences(program, args), rtol=1e-5, atol=1e-6)


def copied(rest):
    return copy.deepcopy(rest)


def differences(fn, args):
    x, found = args[0], []
    for i in range(len(x)):
        ends = []
        for step in (1e-6, -1e-6):
            moved = x.copy()
            moved[i] += step
            ends.append(fn(moved, *args[1:]))
        found.append((ends[0] - ends[1]) / 2e-6)
    return np.array(found)


@pytest.mark.parametrize("fn", ANY_NUMBER,
                         ids=lambda fn: fn.__name__)
def test_the_text_is_the_same_for_any_number(fn):
    texts = {sg.value_and_grad(fn).source(*copy.deepcopy(given[fn])) for given in programs.BY_SIZE}
    assert len(texts) == 1


@pytest.mark.parametrize("fn", ANY_NUMBER,
                         ids=lambda fn: fn.__name__)
def test_one_specialization_serves_any_number(fn):
    df = sg.value_and_grad(fn)
    for given in programs.BY_SIZE:
        value, _ = df(*copy.deepcopy(given[fn]))
        assert value == fn(*copy.deepcopy(given[fn]))
    assert len(df._entries) == 1


@pytest.mark.parametrize("fn", programs.MOST_LINES, ids=lambda fn: fn.__name__)
def test_the_text_is_short(fn):
    used = {"particles": "Particle", "agents": "Agent", "links": "Node", "growing": "Particle",
            "elements": "Element", "tree": "Tree", "bodies": "Body", "springs": "Spring",
            "moved": "Particle", "pairs_outside": "Particle", "events": "Job"}
    cls = getattr(programs, used.get(fn.__name__, ""), None)
    source = inspect.getsource(fn) + ("" if cls is None else inspect.getsource(cls))
    text = sg.value_and_grad(fn).source(*copy.deepcopy(programs.BY_SIZE[0][fn]))
    assert len(text.splitlines()) <= programs.MOST_LINES[fn] * len(source.splitlines())


@pytest.mark.parametrize("fn", [programs.particles, programs.links, programs.tree, programs.agents,
                                programs.springs, programs.events, programs.shortest_paths], ids=lambda fn: fn.__name__)
def test_second_derivatives(fn):
    check_orders(fn, copy.deepcopy(programs.BY_SIZE[0][fn]))


def state_of(objects):
    return [[(name, type(v), v) for name, v in vars(o).items()] for o in objects]


@pytest.mark.parametrize("given", programs.BY_SIZE, ids=map(str, programs.SIZES))
@pytest.mark.parametrize("fn", programs.CHANGING, ids=lambda fn: fn.__name__)
def test_objects_from_outside_are_changed_as_by_plain_python(fn, given):
    plain, traced = copy.deepcopy(given[fn]), copy.deepcopy(given[fn])
    fn(*plain)
    sg.grad(fn)(*traced)
    assert state_of(plain[1]) == state_of(traced[1])


def test_objects_that_changed_before_an_exception_stay_changed():
    x, ps = programs.BY_SIZE[0][programs.moved]
    plain, traced = copy.deepcopy(ps), copy.deepcopy(ps)
    with pytest.raises(ValueError, match="too heavy"):
        programs.stopped(x, plain)
    with pytest.raises(ValueError, match="too heavy"):
        sg.grad(programs.stopped)(x, traced)
    assert state_of(plain) == state_of(traced)


@pytest.mark.parametrize("change", [
    lambda ps: ps.__setitem__(-1, ps[0]),
    lambda ps: setattr(ps[2], "x", 3),
    lambda ps: setattr(ps[1], "extra", 1.0),
    lambda ps: ps.__delitem__(slice(1, None)),
], ids=["one object twice", "a number of another type", "another attribute", "one"])
def test_changed_objects_of_another_form(change):
    fn = programs.moved
    x, ps = copy.deepcopy(programs.BY_SIZE[0][fn])
    df = sg.value_and_grad(fn)
    df(x, copy.deepcopy(ps))
    change(ps)
    plain, traced = copy.deepcopy(ps), copy.deepcopy(ps)
    want = fn(x, plain)
    assert df(x, traced)[0] == want
    assert state_of(plain) == state_of(traced)


def with_another_name(x, ps, first):
    for p in ps:
        p.vx += x[0] * p.x
        first.x += p.vx
    return sum(p.x**2 for p in ps)


def of_two_lists(x, ps, qs):
    for p in ps:
        p.vx += x[0] * p.x
    for q in qs:
        q.x += q.vx
    return sum(p.x**2 for p in ps)


def one_given_away(x, ps):
    for p in ps:
        p.vx += x[0] * p.x
    one = max(ps, key=lambda p: p.vx)
    one.x = 2.0
    return one.vx + sum(p.x for p in ps)


@pytest.mark.parametrize(("fn", "others"), [
    (with_another_name, lambda ps: (ps[1],)), (of_two_lists, lambda ps: (ps[2:],)),
    (of_two_lists, lambda ps: (ps,)), (one_given_away, lambda ps: ()),
], ids=["an object", "a part", "the list", "the greatest"])
def test_objects_with_other_names(fn, others):
    x, ps = programs.BY_SIZE[0][programs.moved]
    plain, traced = copy.deepcopy(ps), copy.deepcopy(ps)
    want = fn(x, plain, *others(plain))
    assert sg.value_and_grad(fn)(x, traced, *others(traced))[0] == want
    assert state_of(plain) == state_of(traced)


def the_first_and_the_list(x, ps):
    for p in ps:
        p.vx += x[0] * p.x
    return ps[0].vx, ps[-1], ps


def test_objects_from_outside_are_returned_themselves():
    x, ps = copy.deepcopy(programs.BY_SIZE[0][programs.moved])
    want, _, _ = the_first_and_the_list(x, copy.deepcopy(ps))
    value, last, found = sg.jit(the_first_and_the_list)(x, ps)
    assert value == want and last is ps[-1] and found is ps


@pytest.mark.parametrize("fn", [programs.moved, programs.pairs_outside], ids=lambda f: f.__name__)
def test_second_derivatives_with_objects_that_change(fn):
    x, ps = programs.BY_SIZE[0][fn]
    found = sg.hessian(lambda x: fn(x, copy.deepcopy(ps)))(x[:1])
    slopes = [sg.grad(fn)(x[:1] + step, copy.deepcopy(ps)) for step in (1e-5, -1e-5)]
    np.testing.assert_allclose(found[0], (slopes[0] - slopes[1]) / 2e-5, rtol=1e-6)
    other = sg.hessian(fn)(x[:1], copy.deepcopy(ps))
    np.testing.assert_allclose(other, found)


@dataclass
class Net:
    springs: list[programs.Spring]

    def energy(self, x):
        total = 0.0
        for spring in self.springs:
            total += spring.energy(x)
        return total


@pytest.mark.parametrize("count", [2, 5, 20])
def test_objects_that_the_derivative_is_taken_for(count):
    """They are held by a dataclass: its fields are attributes, which are read from its dict."""
    x = np.array([0.3, -0.7, 1.2, 0.4])
    net = Net([programs.Spring(k % 4, (k + 1) % 4, 0.5 + k, 0.1) for k in range(count)])
    found = sg.grad(lambda net: net.energy(x))(net)
    for spring, slope in zip(net.springs, found.springs, strict=True):
        gap = np.abs(x[spring.i] - x[spring.j]) - spring.rest
        np.testing.assert_allclose([slope.k, slope.rest], [0.5 * gap**2, -spring.k * gap])


@pytest.mark.parametrize("change", [
    lambda ss: setattr(ss[3], "k", 2),
    lambda ss: setattr(ss[0], "extra", 1.0),
    lambda ss: ss.append(programs.Particle(0.0, 0.0, 0.0)),
    lambda ss: ss.clear(),
], ids=["a number of another type", "another attribute", "another thing", "nothing"])
def test_lists_of_another_form_are_compiled_for(change):
    x, ss = copy.deepcopy(programs.BY_SIZE[0][programs.springs])
    df = sg.value_and_grad(programs.springs)
    df(x, ss)
    change(ss)
    try:
        want = programs.springs(x, ss)
    except AttributeError:
        with pytest.raises(AttributeError):
            df(x, ss)
    else:
        assert df(x, ss)[0] == want


def test_a_changed_method_is_seen(monkeypatch):
    x, ss = copy.deepcopy(programs.BY_SIZE[0][programs.springs])
    df = sg.value_and_grad(programs.springs)
    df(x, ss)
    monkeypatch.setattr(programs.Spring, "energy", lambda self, x: self.k * x[self.i])
    assert df(x, ss)[0] == programs.springs(x, ss)


def registers_itself(x):
    made = []

    class Item:
        def __init__(self, v):
            self.v = v
            made.append(self)

    for v in x:
        Item(v)
    for item in made:
        item.v = item.v * 2
    return sum(item.v**2 for item in made)


def history_of_each(x):
    class Item:
        def __init__(self, v):
            self.v = v
            self.seen = []

    items = [Item(v) for v in x]
    for item in items:
        item.seen.append(item.v * 2)
        item.v = item.v + item.seen[0]
    return sum(item.v**2 + len(item.seen) for item in items)


def attributes_that_come_later(x):
    items = [programs.Node(v, None) for v in x]
    for item in items:
        item.later = item.v * 3
    return sum(item.v * item.later for item in items)


def in_place_arrays(x):
    items = [programs.Body(x * k, x.copy(), 1.0) for k in (1.0, 2.0, 3.0)]
    for item in items:
        item.vel += 0.1 * item.pos
        item.pos *= item.vel
    return sum(np.sum(item.pos) for item in items)


def a_class_attribute(x):
    class Item:
        rate = 0.5

        def __init__(self, v):
            self.v = v

        @property
        def double(self):
            return 2 * self.v

        @staticmethod
        def shift(v):
            return v + 1

        @classmethod
        def scaled(cls, v):
            return v * cls.rate

    items = [Item(v) for v in x]
    for item in items:
        item.v = item.double * item.rate + item.shift(item.v) + item.scaled(item.v)
    return sum(item.v**2 for item in items)


@pytest.mark.parametrize("fn", [registers_itself, history_of_each, attributes_that_come_later,
                                in_place_arrays, a_class_attribute], ids=lambda fn: fn.__name__)
def test_what_a_store_cannot_hold_is_traced_object_by_object(fn):
    check(fn, (np.array([0.3, -0.7, 1.2, 0.4]),), staged=False, passes=False, oracle=False)


def moved_at_last(x, state):
    kept = state
    for v in x:
        state = programs.Moving(state.at * v, state.speed)
    kept.at += 2.0
    return state.at + kept.at * np.sum(x)


def moved_in_a_box(x, box):
    state = box["state"]
    for v in x:
        state = {"at": state["at"] * v}
    box["state"]["at"] += 2.0
    return state["at"] * np.sum(x)


def moved_itself(x, state):
    for v in x:
        state = programs.Moving(state.at * v, state.speed)
    state.at += 2.0
    return state.at * np.sum(x)


def asked_which(x, state):
    first = state
    for v in x:
        state = programs.Moving(state.at * v if state is first else state.at, state.speed)
    return state.at * np.sum(x)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("fn", [moved_at_last, moved_in_a_box, moved_itself, asked_which],
                         ids=lambda fn: fn.__name__)
def test_a_carried_object_that_changes_is_the_one_that_was_given(fn, n):
    given = {"state": {"at": 0.5}} if fn is moved_in_a_box else programs.Moving(0.5, 1.0)
    x = np.linspace(0.7, 1.2, n)
    plain, traced = copy.deepcopy(given), copy.deepcopy(given)
    assert sg.value_and_grad(fn)(x, traced)[0] == fn(x, plain)
    assert repr(traced) == repr(plain)


def same_positions(x):
    bodies = programs.made_bodies(x)
    total = 0.0
    for b in bodies:
        for c in bodies:
            if b.pos is c.pos:
                total += b.pos[0]
    return total


def one_of_two(x):
    a, b = np.array([x[0], 1.0]), np.array([x[1], 2.0])
    q = a if x[0] > 0.3 else b
    return 3.0 * x[0] if q is a else 2.0 * x[1] if q is not a else 0.0


@pytest.mark.parametrize("fn", [same_positions, one_of_two], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("first", [0.2, 0.4])
def test_which_array_it_is(fn, first):
    x = np.linspace(first, 0.9, 10)
    value, slope = sg.value_and_grad(fn)(x)
    assert value == fn(x)
    np.testing.assert_allclose(slope, differences(fn, (x,)), rtol=1e-6, atol=1e-8)


def test_which_array_of_a_list_it_is():
    def fn(x):
        arrays = []
        for v in x:
            arrays.append(np.array([v, 1.0]))
        return sum(a[0] for a in arrays if a is arrays[0])

    x = np.linspace(0.2, 0.9, 100)
    value, slope = sg.value_and_grad(fn)(x)
    assert value == fn(x)
    np.testing.assert_array_equal(slope, np.eye(100)[0])
