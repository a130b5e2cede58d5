"""Effects under every transform: once per call, in order, never while compiling."""

from __future__ import annotations

import collections
import contextlib
import copy
import importlib.util
import io
import logging
import random
import sys
import warnings

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, 1.5, 2.0])
V = np.array([1.0, -1.0, 0.5])
LOGGER = logging.getLogger("once")


class Log(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


class Place:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"Place<{self.v}>"


class World:
    """What programs act on."""

    def __init__(self, seed=3):
        self.rows = []
        self.table = {}
        self.groups = collections.defaultdict(list)
        self.latest = collections.deque(maxlen=2)
        self.stream = io.StringIO()
        self.numpy = np.random.default_rng(seed)
        self.python = random.Random(seed)
        self.calls = 0
        self.state = None

    def seen(self):
        return repr((self.rows, self.table, dict(self.groups), list(self.latest),
                     self.stream.getvalue(), self.numpy.bit_generator.state,
                     self.python.getstate(), self.calls, self.state))


def talking(x, world):
    print("start", len(x))
    for i, value in enumerate(x):
        print(i, f"{value:.2f}", file=world.stream)
        if value > 1.0:
            print("large", value)
    world.stream.write("end\n")
    return np.sum(x**2)


def keeping(x, world):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
        row = {"i": i}
        world.rows.append(row)
        row["total"] = total
        world.groups[i % 2].append(x[i])
        world.latest.append(total)
    world.table["last"] = total
    world.table.setdefault("all", []).append(total)
    world.calls += 1
    world.state = Place(total)
    world.state.v = world.state.v * 2
    return total * world.calls


def drawing(x, world):
    noise = world.numpy.normal(size=3)
    keep = [world.python.random() < 0.5 for _ in x]
    draw = world.numpy.uniform
    total = np.sum(x * noise) + draw()
    for value, k in zip(x, keep):
        total += value**2 if k else value
    return total * world.python.random() + random.random() + np.random.uniform()


def logging_and_warning(x, world):
    LOGGER.warning("norm %.3f", np.sum(x))
    warnings.warn(f"calls: {world.calls}", stacklevel=1)
    for value in x:
        try:
            if value > 1.8:
                raise ValueError(f"{value} is large", value)
        except ValueError as error:
            LOGGER.error("met %s %r", error, error.args[0])
            world.rows.append(str(error))
    return np.sum(np.exp(x))


def texts(x, world):
    place = Place(x[0] * 2)
    world.rows.append([place, f"{place}", str(place), repr(place), "%s" % place,
                       "{}".format(place)])
    print(place, [place], {"p": place})
    return place.v * x[1]


def buffers(x, world):
    text = io.StringIO()
    print("a", x[0], file=text)
    data = bytearray(b"x")
    data.extend(b"yz")
    with contextlib.redirect_stdout(text):
        print("inside")
    np.savetxt(world.stream, x[:2])
    np.save(io.BytesIO(), x)
    world.rows.append(text.getvalue())
    return np.sum(x**3) * len(text.getvalue()) * len(data)


PROGRAMS = (talking, keeping, drawing, logging_and_warning, texts, buffers)


def happened(run):
    """Everything that a run does outside, and its result."""
    world, handler, out = World(), Log(), io.StringIO()
    random.seed(5)
    np.random.seed(5)
    LOGGER.addHandler(handler)
    LOGGER.propagate = False
    try:
        with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(out):
            warnings.simplefilter("always")
            result = run(world)
    finally:
        LOGGER.removeHandler(handler)
    return result, (world.seen(), handler.lines, [str(w.message) for w in caught],
                    out.getvalue(), random.getstate()[1][:5], np.random.get_state()[1][:5].tolist())


def exported(program, tmp_path):
    compiled = sg.value_and_grad(program)
    file = compiled.export(tmp_path / "made.py", X.copy(), World(9))
    spec = importlib.util.spec_from_file_location("made", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, f"{program.__name__}_value_and_grad")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("how", ("jit", "grad", "value_and_grad", "jvp", "vjp", "linearize",
                                 "hvp", "export"))
def test_each_effect_happens_once(program, how, tmp_path):
    value, want = happened(lambda world: program(X.copy(), world))
    made = {
        "jit": lambda: sg.jit(program), "grad": lambda: sg.grad(program),
        "value_and_grad": lambda: sg.value_and_grad(program),
    }
    if how in made:
        call = made[how]()
    elif how == "jvp":
        call = lambda x, world: sg.jvp(lambda y: program(y, world), (x,), (V,))  # noqa: E731
    elif how == "linearize":
        def call(x, world):
            out, forward = sg.linearize(lambda y: program(y, world), x)
            return out, forward(V), forward(V)
    elif how == "vjp":
        def call(x, world):
            out, back = sg.vjp(lambda y: program(y, world), x)
            assert np.array_equal(back(1.0)[0], back(1.0)[0])
            return out, back(1.0)[0]
    elif how == "hvp":
        call = lambda x, world: sg.hvp(lambda y: program(y, world))(x, V)  # noqa: E731
    elif program in (drawing, logging_and_warning):
        return  # what they captured is a parameter of the exported function
    else:
        call = exported(program, tmp_path)
    for _ in range(3):
        found, got = happened(lambda world: call(X.copy(), world))
        assert got == want
        if how in ("value_and_grad", "jvp", "vjp", "linearize"):
            assert repr(found[0]) == repr(value)


def test_nothing_happens_while_compiling():
    for program in PROGRAMS:
        def compile_only(world, program=program):
            sg.grad(program).source(X.copy(), world)

        before = happened(lambda world: None)[1]
        after = happened(compile_only)[1]
        assert before == after, program.__name__


def test_streams_are_those_of_the_call():
    def f(x, stream):
        stream.write("a")
        print(x[0], file=stream)
        print("out", file=sys.stdout)
        return np.sum(x)

    compiled = sg.grad(f)
    for _ in range(3):
        stream, out = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out):
            compiled(X, stream)
        assert stream.getvalue() == "a0.5\n" and out.getvalue() == "out\n"
    assert compiled.cache_info().misses == 1


def test_results_are_not_shared_by_calls():
    def f(x):
        return np.sum(x), [1], {"a": [2]}, {3}, Place(4), collections.deque([x[0]])

    compiled = sg.jit(f)
    first, second = compiled(X), compiled(X)
    assert all(a is not b for a, b in zip(first, second)) and repr(first) == repr(second)
    assert first[2]["a"] is not second[2]["a"]


@pytest.mark.parametrize("made", [
    lambda x: lambda: x * 2, lambda x: x.sum, lambda x: (v for v in x), lambda x: iter(x),
    lambda x: slice(0, len(x)), lambda x: {"a": x}.values(), lambda x: Place(x).__repr__])
def test_what_hides_traced_values_does_not_leave(made):
    with pytest.raises(sg.TracingError):
        sg.jit(made)(X)
    with pytest.raises(sg.TracingError):
        sg.grad(lambda x: (np.sum(x), made(x)), has_aux=True)(X)


# ---- objects that are handed over and change afterwards --------------------------------------
class Model:
    def __init__(self):
        self.cache, self.log = None, []

    def fill_later(self, x):
        self.cache = {}
        self.cache["x"] = x * 2
        self.cache["rows"] = [x[0]]
        self.cache["rows"].append(x[1])
        return np.sum(self.cache["x"]) * self.cache["rows"][-1]

    def rows_in_a_loop(self, x):
        for i in range(len(x)):
            row = []
            self.log.append(row)
            row.append(i)
            row.extend([x[i], i])
        return np.sum(x**2)

    def one_list_at_two_places(self, x):
        both = []
        self.log = both
        self.cache = both
        both.append(x[0])
        self.log.append(x[1])
        self.cache.append(2.0)
        return sum(self.log)

    def lazily(self, x):
        if self.cache is None:
            self.cache = Place(0.0)
        self.cache.v = self.cache.v + x[0]
        return np.sum(x) * self.cache.v

    def rearranged(self, x):
        self.cache = [x[0], x[1]]
        self.cache.reverse()
        self.cache.insert(0, x[2])
        del self.cache[1]
        self.cache += [1.0]
        self.cache[0:1] = [x[0] * 9]
        return sum(self.cache)

    def in_branches(self, x):
        self.cache = {"a": 0.0, "kept": []}
        if x[0] > 0:
            self.cache["a"] = x[0]
            self.cache["kept"].append(x[1])
        else:
            self.cache["a"] = x[1]
        return self.cache["a"] * np.sum(x)

    def grouped(self, x):
        self.cache = collections.defaultdict(list)
        for i in range(3):
            self.cache[i % 2].append(x[i])
        return sum(self.cache[0]) * x[1]

    def listed_in_a_loop(self, x):
        self.log = []
        for v in x:
            self.log.append(v * 2)
        total = 0.0
        for v in self.log:
            total += v * v
        return total + sum(self.log)

    def objects_of_objects(self, x):
        self.cache = Place(Place([x[0]]))
        self.cache.v.v.append(x[1])
        self.log.append(self.cache.v)
        return self.cache.v.v[0] * self.cache.v.v[1]


METHODS = [name for name, value in vars(Model).items() if not name.startswith("_")]


@pytest.mark.parametrize("name", METHODS)
def test_changes_after_an_object_was_handed_over(name):
    method = getattr(Model, name)
    compiled = sg.value_and_grad(method, argnums="x")
    plain, other = Model(), Model()
    for _ in range(3):
        want = method(plain, X.copy())
        value, slope = compiled(other, X.copy())
        assert repr(vars(plain)) == repr(vars(other)) and repr(value) == repr(want)
        before = copy.deepcopy(other)
        step = 1e-6
        for i in range(3):
            ends = []
            for sign in (1, -1):
                moved = X.copy()
                moved[i] += sign * step
                ends.append(method(copy.deepcopy(before), moved))
            if name != "lazily":  # what it reads is another number at the next call
                assert np.isclose((ends[0] - ends[1]) / (2 * step), slope[i], atol=1e-5)


def test_an_object_handed_over_in_a_branch_may_not_change_after_it():
    def f(x, rows):
        row = []
        if x[0] > 0:
            rows.append(row)
        row.append(x[0])
        return np.sum(x)

    with pytest.raises(sg.UnsupportedOperation, match="after it was put into an object from"):
        sg.grad(f)(X, [])


def test_two_objects_of_two_branches_may_not_change_as_one():
    def f(x, table):
        if x[0] > 0:
            table["row"] = {"a": x[0]}
        else:
            table["row"] = {"a": x[1]}
        table["row"]["b"] = x[2]
        return np.sum(x)

    with pytest.raises(sg.UnsupportedOperation, match="after it was put into an object from"):
        sg.grad(f)(X, {"row": None})


def test_a_list_of_two_that_is_put_somewhere_and_changes_there():
    def program(x, v, rows):
        if x[0] > 0:
            v = [x[0], x[1]]
        if x[1] > 0:
            rows[0] = v
        if x[2] > 0:
            rows[0][1] -= x[0]
        return x[0] + sum(rows[0])

    with pytest.raises(sg.UnsupportedOperation, match="after it was put into an object from"):
        sg.value_and_grad(program)(np.array([0.5, 0.3, 0.2]), [1.0, 2.0], [[4.0, 5.0]])
