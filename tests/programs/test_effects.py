"""Effects happen once per call, in order, on the objects of that call."""

from __future__ import annotations

import random
import sys
import time

import numpy as np
import pytest

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0])
HISTORY: list = []
COUNT = 0
SCALE = 2.0
THIS = sys.modules[__name__]


class Model:
    def __init__(self):
        self.w = np.ones(3)
        self.count = 0
        self.last = None

    def loss(self, x):
        self.count += 1
        self.last = self.w * x
        return np.sum(self.last**2)


def talk(x):
    total = 0.0
    for i in range(3):
        total += x[i]
        if total > 2:
            print("big", float(total), i)
    return total


def test_print_in_order(capsys):
    gradient = sg.grad(talk)
    for _ in range(2):
        np.testing.assert_array_equal(gradient(X), [1, 1, 1])
        assert capsys.readouterr().out == "big 3.0 1\nbig 6.0 2\n"


def remember(x):
    total = np.sum(x * x)
    HISTORY.append(total)
    return total


def test_append_to_a_captured_list():
    HISTORY.clear()
    gradient = sg.grad(remember)
    for n in range(1, 4):
        gradient(X)
        assert HISTORY == [14.0] * n
    assert gradient.cache_info().misses == 1


def remember_and_read(x):
    total = np.sum(x * x)
    HISTORY.append(total)
    return total * HISTORY[0] + len(HISTORY)


def test_list_that_is_read_after_it_was_changed():
    HISTORY.clear()
    gradient = sg.value_and_grad(remember_and_read)
    value, slope = gradient(X)
    assert value == 14.0 * 14.0 + 1
    np.testing.assert_allclose(slope, 4 * 14 * X)  # the first item is this call's own value
    value, slope = gradient(X)
    assert value == 14.0 * 14.0 + 2
    np.testing.assert_allclose(slope, 2 * 14 * X)  # now it is a number from outside


def test_attributes_of_an_outside_object():
    model = Model()
    gradient = sg.value_and_grad(lambda x: model.loss(x))
    gradient(X)
    value, _ = gradient(X)
    assert (value, model.count) == (14.0, 2)
    model.w = model.w * 2
    value, slope = gradient(X)
    assert value == 56.0
    np.testing.assert_array_equal(slope, 8 * X)
    np.testing.assert_array_equal(model.last, 2 * X)


def test_gradient_of_an_object():
    model = Model()
    slope = sg.grad(Model.loss, argnums="self")(model, X)
    assert type(slope) is Model
    np.testing.assert_array_equal(slope.w, 2 * X * X)
    assert slope.count is None


def noisy(x):
    return np.sum(x * np.random.normal(size=x.shape))


def test_random_numbers_are_drawn_at_each_call():
    gradient = sg.value_and_grad(noisy)
    np.random.seed(0)
    value, slope = gradient(X)
    second, _ = gradient(X)
    np.random.seed(0)
    assert (value, second) == (noisy(X), noisy(X))
    np.random.seed(0)
    np.testing.assert_array_equal(slope, np.random.normal(size=3))


def generated(x, rng):
    eps = rng.standard_normal(3)
    return np.sum(x * eps) * rng.uniform(0, 1)


def test_generator_as_argument():
    value, slope = sg.value_and_grad(generated)(X, np.random.default_rng(3))
    assert value == generated(X, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    eps = rng.standard_normal(3)
    np.testing.assert_allclose(slope, eps * rng.uniform(0, 1))


def timed(x):
    start = time.time()
    total = np.sum(x**2)
    elapsed = time.time() - start
    return total if elapsed < 100 else total * 2


def test_clock():
    np.testing.assert_array_equal(sg.grad(timed)(X), 2 * X)


def counted(x):
    global COUNT
    COUNT += 1
    return np.sum(x) * COUNT


def test_global_counter():
    global COUNT
    COUNT = 0
    gradient = sg.value_and_grad(counted)
    assert gradient(X)[0] == 6.0
    value, slope = gradient(X)
    assert value == 12.0 and COUNT == 2
    np.testing.assert_array_equal(slope, [2, 2, 2])


def python_random(x):
    return x * random.random()


def test_python_random():
    random.seed(1)
    value, slope = sg.value_and_grad(python_random)(2.0)
    random.seed(1)
    drawn = random.random()
    assert (value, slope) == (2.0 * drawn, drawn)


def half(x):
    x[0] = 9.0
    if np.sum(x) > 3:
        raise RuntimeError("half-way")
    return np.sum(x)


def test_exception_half_way_leaves_arguments_as_numpy_does():
    mine, plain = X.copy(), X.copy()
    with pytest.raises(RuntimeError, match="half-way") as caught:
        sg.grad(half)(mine)
    with pytest.raises(RuntimeError):
        half(plain)
    np.testing.assert_array_equal(mine, plain)
    assert any("if np.sum(x) > 3" in note or "raise RuntimeError" in note
               for note in caught.value.__notes__)


def test_mutated_arguments_are_as_numpy_leaves_them():
    def f(x):
        x[0] = 7.0
        x *= 2
        return np.sum(x * x)

    mine, plain = X.copy(), X.copy()
    slope = sg.grad(f)(mine)
    f(plain)
    np.testing.assert_array_equal(mine, plain)
    np.testing.assert_array_equal(slope, [0, 16, 24])


def drawn_around(x, rng):
    return np.sum(rng.normal(x, 0.1))


def shaped(x, rng):
    return np.sum(rng.gamma(x))


def test_draws_by_shape_parameters_are_refused_and_others_follow_their_parameters():
    with pytest.raises(sg.UnsupportedOperation, match="gamma"):
        sg.grad(shaped)(X, np.random.default_rng(0))
    np.testing.assert_array_equal(sg.grad(drawn_around)(X, np.random.default_rng(0)), [1, 1, 1])

    def reparametrised(x, rng):
        return np.sum(x + 0.1 * rng.standard_normal(3))

    slope = sg.grad(reparametrised)(X, np.random.default_rng(0))
    np.testing.assert_array_equal(slope, [1, 1, 1])


TOTAL = 1.0


class Meter:
    def __init__(self):
        self.w = X.copy()
        self.n = 0
        self.last = None
        self.total = 2.0
        self.log = []

    def step(self, x):
        self.w = self.w * 0.5 + x
        self.n += 1
        if x[0] > 0.5:
            self.total = self.total + x[0] * self.w[1]
        self.last = x * 2
        return np.sum(self.w)


def steps_in_a_loop(x, meter):
    t = 0.0
    for i in range(3):
        t = t + meter.step(x) * meter.total
    return t + meter.n


def written_in_one_arm(x, meter):
    if x[0] > 0.9:
        meter.total = meter.total * x[0]
        meter.w[1] = 5.0
    return meter.total * np.sum(meter.w)


def global_in_an_arm_in_a_loop(x, meter):
    global TOTAL, COUNT
    for i in range(3):
        if x[i] > 1.5:
            TOTAL = TOTAL * x[i]
            COUNT += 1
    return TOTAL * COUNT


def loop_on_an_attribute(x, meter):
    i = 0
    while meter.total < 20:
        meter.total = meter.total * x[1] + 1
        meter.log.append(meter.total)
        meter.n = meter.n + 1
        i += 1
    return meter.total * i * meter.n


def first_bound_in_a_loop(x, meter):
    for i in range(2):
        if x[i] > 1.5:
            meter.new = x[i] * 2
    return meter.new if hasattr(meter, "new") else x[0]


def add_to_the_total(v):
    global TOTAL
    TOTAL = TOTAL + v


def times_the_total(x):
    return x * TOTAL


def attributes_of_a_module_are_its_globals(x, meter):
    THIS.TOTAL = x[0] * 2
    first = times_the_total(x[1])
    add_to_the_total(x[2])
    for i in range(2):
        if x[i] > 1.5:
            THIS.TOTAL = THIS.TOTAL * x[i]
        else:
            add_to_the_total(x[i])
    return first + THIS.TOTAL * times_the_total(x[1])


@pytest.mark.parametrize("function", [
    steps_in_a_loop, written_in_one_arm, global_in_an_arm_in_a_loop, loop_on_an_attribute,
    first_bound_in_a_loop, attributes_of_a_module_are_its_globals])
def test_state_outside_is_carried_by_loops_and_arms(function):
    def fresh():
        global TOTAL, COUNT
        TOTAL, COUNT = 1.0, 0
        return Meter()

    plain, mine = fresh(), None
    values = [function(X, plain) for _ in range(2)]
    world = (TOTAL, COUNT)
    mine = fresh()
    gradient = sg.value_and_grad(function)
    found = [gradient(X, mine) for _ in range(2)]
    assert [f[0] for f in found] == values and (TOTAL, COUNT) == world
    assert str(vars(mine)) == str(vars(plain))
    for i in range(3):
        ends = []
        for step in (1e-6, -1e-6):
            x = X.copy()
            x[i] += step
            ends.append(function(x, fresh()))
        assert np.isclose(found[0][1][i], (ends[0] - ends[1]) / 2e-6, rtol=1e-5)


def perhaps_another_array(x, y, n):
    if y[0] > 0.1:
        for _ in range(n):
            y = y * 0.3
    y *= 2.0
    return np.sum(x)


def last_of_both(x, y, n):
    z = x.copy()
    for _ in range(n):
        z, y = y, z
    z += 1.0
    return np.sum(x)


@pytest.mark.parametrize("function", [perhaps_another_array, last_of_both])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_gradient_alone_writes_to_what_a_loop_may_have_left_alone(function, count):
    plain, mine = X / 2, X / 2
    function(X, plain, count)
    sg.grad(function)(X, mine, count)
    np.testing.assert_array_equal(mine, plain)


class Setting:
    level = 2.0


def without_own(x, setting):
    if x > 0:
        del setting.own
    return x * getattr(setting, "own", 5.0)


def without_class_attribute(x, setting):
    if x > 0:
        del Setting.level
    return x * getattr(Setting, "level", 5.0)


def without_entry(x, setting):
    if x > 0:
        vars(setting).pop("own")
    return x * getattr(setting, "own", 5.0)


def without_entries(x, setting):
    if x > 0:
        setting.__dict__.clear()
    return x * getattr(setting, "own", 5.0) + x * hasattr(setting, "other")


def without_in_loop(x, setting):
    for i in range(3):
        if x > i and hasattr(setting, "own"):
            del setting.own
        x = x * getattr(setting, "own", 1.1)
    return x


@pytest.mark.parametrize("function", [without_own, without_class_attribute, without_entry, without_entries,
                                      without_in_loop])
def test_deleted_on_one_path(function):
    found = []
    gradient = sg.value_and_grad(function)
    for x in (1.5, -1.5, 0.5):
        for call in (lambda x, s: gradient(x, s)[0], function):
            setting, Setting.level = Setting(), 2.0
            setting.own, setting.other = 7.0, 1.0
            found.append((call(x, setting), dict(vars(setting)), vars(Setting).get("level")))
    Setting.level = 2.0
    assert found[::2] == found[1::2]


def without_what_the_class_has(x, setting):
    try:
        del setting.level
    except AttributeError:
        return x * 3.0
    return x * setting.level


def without_what_a_new_one_has(x, setting):
    other = Setting()
    other.own = x
    del other.own
    try:
        del other.level
    except AttributeError as error:
        return x * len(str(error))
    return x * setting.level


@pytest.mark.parametrize("function", [without_what_the_class_has, without_what_a_new_one_has])
def test_only_the_class_has_it(function):
    for own in ({}, {"level": 7.0}):
        plain, given = Setting(), Setting()
        for setting in (plain, given):
            vars(setting).update(own)
        assert sg.value_and_grad(function)(2.0, given)[0] == function(2.0, plain)
        assert vars(given) == vars(plain)
