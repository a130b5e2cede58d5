"""Checkpointed functions: the same numbers at every order, and less memory."""

import re
import threading
import tracemalloc

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.show import progress
from srcgrad.show.whereabouts import whereabouts

STREAM = np.random.RandomState(0)
X = STREAM.normal(size=3)
W = 0.3 * STREAM.normal(size=(3, 3))


def step(x, w):
    h = np.tanh(x @ w)
    return np.sin(np.exp(h)) + x


def in_a_loop(mark, x, w):
    step_ = mark(step)
    for _ in range(4):
        x = step_(x, w)
    return np.sum(x * x)


def in_a_while_and_a_branch(mark, x, w):
    n = 0
    while np.sum(x * x) < 40.0:
        n += 1
        if n % 2:
            x = mark(step)(x, w)
        else:
            x = mark(np.exp)(x) - x
    return np.sum(x)


def with_closures_and_settings(mark, x, w):
    scale = np.sum(x)
    y = mark(lambda z, axis=0: np.cumsum(z, axis=axis) * scale)(w, axis=1)
    return np.sum(y * y)


def nested(mark, x, w):
    def two(x):
        return mark(step)(mark(step)(x, w), w)

    return np.sum(mark(two)(mark(two)(x)) ** 2)


def inside_of_a_derivative(mark, x, w):
    return np.sum(sg.grad(lambda y: np.sum(mark(step)(y, w) ** 2))(x) ** 2)


def containers(mark, x, w):
    def layer(p, inputs):
        return {"out": np.tanh(inputs[0] @ p["w"]) + p["b"], "sum": np.sum(inputs[1])}

    found = mark(layer)({"w": w, "b": 0.5}, [x, w])
    return np.sum(found["out"] ** 2) * found["sum"]


def written_inside(mark, x, w):
    def relax(u):
        u = u.copy()
        for i in range(1, len(u)):
            u[i] = 0.5 * u[i] + np.sin(u[i - 1])
        return u

    return np.sum(mark(relax)(mark(relax)(x)) ** 2)


def calls_itself(mark, x, w):
    def total(x):
        if len(x) == 1:
            return x[0]
        return np.logaddexp(total(x[:len(x) // 2]), total(x[len(x) // 2:]))

    return mark(total)(x) + mark(total)(w[0])


PROGRAMS = [in_a_loop, in_a_while_and_a_branch, with_closures_and_settings, nested,
            inside_of_a_derivative, containers, written_inside, calls_itself]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_the_numbers_are_those_of_the_plain_function(program):
    def marked(x, w):
        return program(sg.checkpoint, x, w)

    def plain(x, w):
        return program(lambda f: f, x, w)

    assert sg.jit(marked)(X, W) == plain(X, W) == marked(X, W)
    for ours, theirs in zip(sg.grad(marked, (0, 1))(X, W), sg.grad(plain, (0, 1))(X, W),
                            strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    assert sg.jvp(marked, (X, W), (X, W))[1] == pytest.approx(
        sg.jvp(plain, (X, W), (X, W))[1])
    if program not in (inside_of_a_derivative, calls_itself):
        np.testing.assert_allclose(sg.hessian(marked)(X, W), sg.hessian(plain)(X, W),
                                   rtol=1e-10, atol=1e-10)


def test_effects_happen_once(capsys):
    @sg.checkpoint
    def loud(x):
        print("once")
        return np.sin(x) * x

    sg.grad(loud)(1.0)
    assert capsys.readouterr().out == "once\n"

    stream = np.random.default_rng(0)

    @sg.checkpoint
    def noisy(x):
        return x * x * stream.normal()

    value, gradient = sg.value_and_grad(noisy)(3.0)
    assert gradient == pytest.approx(2.0 * value / 3.0)


def test_an_argument_that_is_written_to():
    @sg.checkpoint
    def double(u):
        u *= np.sum(u)

    def program(x):
        u = np.sin(x)
        double(u)
        double(u)
        return np.sum(u)

    def plain(x):
        u = np.sin(x)
        u = u * np.sum(u)
        return np.sum(u * np.sum(u))

    np.testing.assert_allclose(sg.grad(program)(X), sg.grad(plain)(X))


def test_it_takes_less_memory():
    def run(mark):
        def wide(x):
            for _ in range(10):
                x = np.sin(x) * np.exp(-x)
            return x

        marked = mark(wide)

        def loss(x):
            for _ in range(10):
                x = marked(x)
            return np.sum(x)

        df = sg.grad(loss)
        x = np.linspace(0.1, 1.0, 20_000)
        df(x)
        tracemalloc.start()
        result = df(x)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result, peak

    (plain, much), (marked, little) = run(lambda f: f), run(sg.checkpoint)
    assert np.array_equal(plain, marked)
    assert little < 0.5 * much


def test_the_generated_code_runs_the_function_again():
    text = sg.grad(lambda x: in_a_loop(sg.checkpoint, x, W)).source(X)
    assert "step_backward(step_forward(" in text.split("# ---- backward")[1]


def test_mistakes():
    for policy, options in ((3, {}), ((1, "h"), {}), ("h", {"budget": 2})):
        with pytest.raises(sg.StructureError, match="policy"):
            sg.checkpoint(step, policy=policy, **options)
    for budget in (0, True, 2.5):
        with pytest.raises(sg.StructureError, match="budget"):
            sg.checkpoint(step, budget=budget)
    with pytest.raises(sg.StructureError, match="takes a function"):
        sg.checkpoint(3.0)


def layer(x, w):
    h = sg.name(np.tanh(x @ w), "h")
    total = sg.name(np.sum(np.exp(h)), "total")
    return np.cos(h * total) + x


def layers(mark, x, w):
    for _ in range(3):
        x = mark(layer)(x, w)
    return np.sum(x * x)


@pytest.mark.parametrize("policy", ["h", "total", ("h", "total"), ["total"], ()])
def test_what_has_a_name_is_kept(policy):
    def kept(x, w):
        return layers(lambda f: sg.checkpoint(f, policy=policy), x, w)

    def plain(x, w):
        return layers(lambda f: f, x, w)

    ours, theirs = sg.value_and_grad(kept, (0, 1)), sg.value_and_grad(plain, (0, 1))
    (a, (da, dw)), (b, (db, dv)) = ours(X, W), theirs(X, W)
    assert a == b == sg.jit(kept)(X, W)
    np.testing.assert_allclose(da, db, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dw, dv, rtol=1e-12, atol=1e-12)
    assert sg.jvp(kept, (X, W), (X, W))[1] == pytest.approx(sg.jvp(plain, (X, W), (X, W))[1])
    np.testing.assert_allclose(sg.hessian(kept)(X, W), sg.hessian(plain)(X, W), rtol=1e-10,
                               atol=1e-10)
    again = ours.source(X, W).split("def layer_forward")[1].split("return")[0]
    assert ("tanh" in again) == ("h" not in policy)
    assert ("np.sum" in again) == ("total" not in policy)


def test_settings_from_around_are_guarded():
    def loss(policy, argnums):
        return lambda x: np.sum(sg.grad(lambda a, b: np.sum(sg.checkpoint(
            layer, policy=policy)(a * b, W)), argnums=argnums)(x, 2.0 * x)[0])

    for policy in (("h",), (), ["h", "total"]):
        for argnums in ((0,), (1,)):
            ours = sg.value_and_grad(loss(policy, argnums))(X)[0]
            assert ours == pytest.approx(loss(policy, argnums)(X))


def named_in_a_loop(x, w):
    for _ in range(20):
        x = sg.name(np.sin(x), "h")
    return x


def named_in_a_branch(x, w):
    if x[0] > 0:
        x = sg.name(np.sin(x), "h")
    return x


def written_after_it_is_named(x, w):
    h = sg.name(np.sin(x), "h")
    h[0] = 1.0
    return h


def another_name(x, w):
    return sg.name(np.sin(x), "g")


@pytest.mark.parametrize(("function", "why"), [
    (named_in_a_loop, "in a branch or a loop"), (named_in_a_branch, "in a branch or a loop"),
    (written_after_it_is_named, "is written to"), (another_name, "names nothing")])
def test_names_that_cannot_be_kept(function, why):
    marked = sg.checkpoint(function, policy="h")
    with pytest.raises(sg.StructureError, match=why):
        sg.grad(lambda x: np.sum(marked(x, W)))(X)
    np.testing.assert_array_equal(marked(X.copy(), W), function(X.copy(), W))


def test_what_is_not_needed_is_not_run_again():
    text = sg.grad(lambda x: in_a_loop(sg.checkpoint, x, W)).source(X)
    assert "+ x" not in text.split("def step_forward")[1].split("return")[0]


def test_names_and_decorators():
    @sg.checkpoint()
    def f(x):
        """Doc."""
        return x * x

    assert f.__name__ == "f" and f.__doc__ == "Doc." and "checkpoint of f" in repr(f)
    assert sg.grad(f)(3.0) == 6.0
    assert sg.grad(sg.checkpoint(np.sin))(1.0) == np.cos(1.0)


# ---- checkpoint_range --------------------------------------------------------------------------
def simple(steps, x, w, n):
    cost = 0.0
    for t in steps(n):
        h = np.tanh(x @ w)
        x = np.sin(h) + 0.1 * t * x
        cost += np.sum(x * x)
    return cost


def in_place(steps, x, w, n):
    u = x.copy()
    for _ in steps(n):
        u[1:] += 0.1 * np.sin(u[:-1])
        u *= 0.9
    return np.sum(u ** 2)


def with_branches(steps, x, w, n):
    for t in steps(n):
        if np.sum(x) > 0.5:
            x = x @ w
        else:
            x = np.cos(x) + t
            for k in range(3):
                x = x * (1.0 - 0.01 * k)
    return np.sum(x)


def with_state_in_containers(steps, x, w, n):
    state = {"x": x, "v": np.zeros_like(x)}
    for _ in steps(n):
        state["v"] = state["v"] - 0.1 * state["x"]
        state["x"] = state["x"] + 0.1 * state["v"]
    return np.sum(state["x"] ** 2)


def swapping(steps, x, w, n):
    y = np.zeros_like(x)
    for _ in steps(n):
        x, y = np.sin(x @ w) + y, x
    return np.sum(x * y)


def nested_loops(steps, x, w, n):
    for _ in steps(n):
        for _ in steps(3):
            x = np.sin(x @ w) + x
    return np.sum(x)


def collecting(steps, x, w, n):
    seen = []
    for _ in steps(n):
        x = np.sin(x @ w) + x
        seen.append(np.sum(x))
    return np.sum(np.array(seen)) + np.sum(x)


def reading_afterwards(steps, x, w, n):
    for t in steps(n):
        last = np.sin(x @ w)
        x = x + last
    return np.sum(last) * t + np.sum(x)


def leaving(steps, x, w, n):
    for _ in steps(n):
        x = 2.0 * x
        if np.sum(x * x) > 50.0:
            break
    else:
        x = x + 1.0
    return np.sum(x)


def other_uses(steps, x, w, n):
    total = 0.0
    for a, t in zip([1.0, 2.0, 3.0], steps(3)):
        total += np.sum(x) * a * t
    for i, t in enumerate(steps(n)):
        total += x[0] * t * i
    return total + sum(x[t] * t for t in steps(3)) + len(steps(n))


def tuples_in_a_list(steps, x, w, n):
    seen = []
    for t in steps(n):
        x = x * np.cos(x)
        if t % 2 == 0:
            seen.append((t, x))
    return sum(np.sum(v) * t for t, v in seen)


def left_by_an_error(steps, x, w, n):
    table = np.arange(1.0, 21.0)
    total = last = 0.0
    try:
        for t in steps(n):
            last = np.sum(np.sin(x @ w)) * table[t]
            x = x + 0.01 * np.cos(x)
            total += last
    except IndexError:
        total = 2.0 * total
    return total + last + np.sum(x)


def returning_from_a_handler(steps, x, w, n):
    table = np.arange(1.0, 21.0)
    for _ in range(2):
        try:
            for t in steps(n):
                x = np.sin(x @ w) + 0.01 * table[t]
        except IndexError:
            return 3.0 * np.sum(x)
    return np.sum(x)


LOOPS = [other_uses, tuples_in_a_list, simple, in_place, with_branches, with_state_in_containers, swapping, nested_loops,
         collecting, reading_afterwards, leaving, left_by_an_error, returning_from_a_handler]


@pytest.mark.parametrize(("schedule", "slots"), [("sqrt", None), ("sqrt", 3), ("binomial", 2)])
@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
def test_a_scheduled_loop_has_the_same_numbers(loop, schedule, slots):
    def scheduled(x, w, n):
        return loop(lambda n: sg.checkpoint_range(n, schedule=schedule, slots=slots), x, w, n)

    def plain(x, w, n):
        return loop(range, x, w, n)

    ours, theirs = sg.value_and_grad(scheduled, (0, 1)), sg.value_and_grad(plain, (0, 1))
    for n in (1, 2, 7, 10, 40):
        (a, (da, dw)), (b, (db, dv)) = ours(X, W, n), theirs(X, W, n)
        assert a == b == scheduled(X, W, n)
        np.testing.assert_allclose(da, db, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(dw, dv, rtol=1e-12, atol=1e-12)
    assert sg.jvp(scheduled, (X, W, 7), (X, W, None))[1] == pytest.approx(
        sg.jvp(plain, (X, W, 7), (X, W, None))[1])


def until(steps, x, w, n):
    k = 0
    while np.sum(x * x) > 1e-3 and k < n:
        x = 0.9 * np.sin(x @ w) + 0.01 * k * x
        k += 1
    return np.sum(x) * k


def until_broken(steps, x, w, n):
    k, seen = 0, []
    while True:
        k += 1
        if k % 3 == 1:
            continue
        x = x + 0.1 * np.cos(x @ w)
        seen.append(np.sum(x))
        if k >= n or np.sum(x) > 40.0:
            break
    return np.sum(np.array(seen)) + np.sum(x * x)


def until_broken_or_not(steps, x, w, n):
    found = 0.0
    while np.sum(x) < 30.0:
        if found > n:
            break
        x = x + 0.1
        found += 1.0
    else:
        x = 2.0 * x
    return np.sum(x) * found


def broken(steps, x, w, n):
    last = np.zeros(())
    for t in range(1000):
        x = 1.01 * x
        if t >= n or np.sum(x * x) > 50.0:
            last = np.sum(x[0])
            break
    return np.sum(x) + last


def over_rows(steps, x, w, n):
    total = 0.0
    for t, row in enumerate(np.outer(np.arange(1.0, n + 1), x)):
        x = np.sin(x @ w) + 0.1 * row
        total += np.sum(x) * t
    return total


def in_a_called_function(steps, x, w, n):
    def relax(x):
        k = 0
        while k < n:
            x = x - 0.05 * np.sin(x @ w)
            k += 1
        return x

    return np.sum(relax(relax(x)) ** 2)


OF_UNKNOWN_LENGTH = [until, until_broken, until_broken_or_not, broken, over_rows,
                     in_a_called_function]


@pytest.mark.parametrize("budget", [1, 3])
@pytest.mark.parametrize("loop", [*LOOPS, *OF_UNKNOWN_LENGTH], ids=lambda f: f.__name__)
def test_a_function_with_a_budget_has_the_same_numbers(loop, budget):
    def plain(x, w, n):
        return loop(range, x, w, n)

    bounded = sg.checkpoint(plain, budget=budget)
    ours, theirs = sg.value_and_grad(bounded, (0, 1)), sg.value_and_grad(plain, (0, 1))
    for n in (1, 7, 40):
        (a, (da, dw)), (b, (db, dv)) = ours(X, W, n), theirs(X, W, n)
        assert a == b == bounded(X, W, n)
        np.testing.assert_allclose(da, db, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(dw, dv, rtol=1e-12, atol=1e-12)
    if loop in OF_UNKNOWN_LENGTH and loop is not until_broken_or_not:
        assert "record = steps" in ours.source(X, W, 40)


@pytest.mark.parametrize("loop", [simple, until])
def test_second_derivatives_with_a_budget(loop):
    def plain(x):
        return loop(range, x, W, 20)

    np.testing.assert_allclose(sg.hessian(sg.checkpoint(plain, budget=2))(X),
                               sg.hessian(plain)(X), rtol=1e-10, atol=1e-12)


def test_second_derivatives_of_a_scheduled_loop():
    ours = sg.hessian(lambda x: simple(sg.checkpoint_range, x, W, 5))(X)
    np.testing.assert_allclose(ours, sg.hessian(lambda x: simple(range, x, W, 5))(X))


def test_a_scheduled_loop_takes_less_memory():
    def peak(steps):
        def loss(x, n):
            for _ in steps(n):
                x = np.sin(x) * np.exp(-x)
            return np.sum(x)

        df = sg.grad(loss)
        x = np.linspace(0.1, 1.0, 5_000)
        df(x, 100)
        tracemalloc.start()
        df(x, 100)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(sg.checkpoint_range) < 0.3 * peak(range)


def test_a_schedule_run_plainly_is_a_range():
    assert list(sg.checkpoint_range(4)) == [0, 1, 2, 3]
    for options in ({"schedule": "online"}, {"slots": 0}):
        with pytest.raises(sg.StructureError):
            sg.checkpoint_range(4, **options)
        with pytest.raises(sg.StructureError):
            sg.grad(lambda x, options=options: simple(
                lambda n: sg.checkpoint_range(n, **options), x, W, 3))(X)


@pytest.mark.parametrize("n", [5_000, pytest.param(100_000, marks=pytest.mark.sweep)])
def test_many_steps_take_little_memory(n):
    """16 states are kept at a time; what 8 steps keep and what compiling takes comes on top."""
    def loss(x, n):
        for _ in sg.checkpoint_range(n, schedule="binomial"):
            x = x + 1e-5 * x * (1.0 - x[::-1])
        return np.sum(x)

    def within_budget(x, n):
        for _ in range(n):
            x = x + 1e-5 * x * (1.0 - x[::-1])
        return np.sum(x)

    def of_unknown_length(x, n):
        limit = 0.5 - 1.0 / n
        while limit < 0.5:
            x = x + 1e-5 * x * (1.0 - x[::-1])
            limit += 1.0 / n ** 2
        return np.sum(x)

    for loop in (loss, sg.checkpoint(within_budget, budget=16),
                 sg.checkpoint(of_unknown_length, budget=16)):
        df = sg.grad(loop)
        x = np.linspace(0.1, 1.0, 10_000)
        df(x, 100)
        tracemalloc.start()
        df(x, n)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 80 * x.nbytes


def test_progress_of_steps(capsys, monkeypatch):
    def rollout(x, n):
        for _ in sg.checkpoint_range(n):
            x = x + 0.01 * np.sin(x)
        return np.sum(x)

    df, seen, ended = sg.grad(rollout), set(), threading.Event()
    df(X, 4)
    caller = threading.get_ident()

    def look():
        while not ended.wait(0.001):
            seen.add(whereabouts(caller))

    watcher = threading.Thread(target=look)
    watcher.start()
    monkeypatch.setattr(progress, "PATIENCE", 0.001)
    monkeypatch.setattr(sg.config, "progress", True)
    written = ""

    def is_told() -> bool:
        return "the fit, line" in written and all(any(re.fullmatch(wanted, found) for found in [*seen])
            for wanted in (r"line \d+, \d+ of 400", r"line \d+, \d+ of 400 backward"))

    with sg.progress("the fit"):
        for _ in range(200):  # other threads run when the machine has time for them
            df(np.ones(20_000), 400)
            written += capsys.readouterr().err
            if is_told():
                break
    ended.set()
    watcher.join()
    assert is_told()
    assert whereabouts(caller) == "" and progress.Ticker.active is None
