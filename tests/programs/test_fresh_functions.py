"""Functions made anew for each call: the code generated for one serves the next, and is never
taken for a function that reads something else."""

from __future__ import annotations

import functools
import gc
import random
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from chain import close

import srcgrad as sg
from srcgrad.compile import compiler

X = np.array([0.6, 0.9, 1.3])


@dataclass
class Scale:
    factor: Any
    power: int = 1

    def __call__(self, x):
        return self.factor * x ** self.power

    def shifted(self, x):
        return self(x) + self.factor

    @property
    def half(self):
        return 0.5 * self.factor


class Counter:
    def __init__(self, start):
        self.count = start

    def __call__(self, x):
        self.count += 1.0
        return self.count * x


def module_level(x, factor=2.0):
    return np.cos(x) * factor


@sg.checkpoint
def remembered(x):
    return np.exp(-x)


def use(value, x):
    """Something that depends on what the value is."""
    if value is None:
        return x
    if isinstance(value, bool):
        return x if value else -x
    if isinstance(value, (int, str)):
        return x ** value if isinstance(value, int) else getattr(np, value)(x)
    if isinstance(value, (float, np.ndarray)):
        return value * x
    if isinstance(value, (list, tuple)):
        for part in value:
            x = x + 0.5 * use(part, x)
        return x
    if isinstance(value, dict):
        for key in value:
            x = x + len(key) * use(value[key], x)
        return x
    return value(x)


def scaled(factor, x, *, plus=0.0):
    return factor * x + plus


def closure(a, b):
    def inner(x):
        return use(a, x) + use(b, np.sin(x))
    return inner


def with_defaults(a, b):
    def inner(x, a=a, *, b=b):
        return use(a, x) - use(b, x)
    return inner


def counting(a, b):
    total = 1.0

    def inner(x):
        nonlocal total
        total = total + 1.0
        return use(a, x) * total

    return inner


def recursive(a, b):
    def inner(x, n=b if type(b) is int else 2, a=a):
        return use(a, x) if n <= 0 else inner(x, n - 1) * 0.5 + inner(x * 0.5, 0)
    return inner


def two(a, b):
    first, second = closure(a, None), closure(b, None)
    return lambda x: first(x) * 2.0 + second(x) * (3.0 if first is second else 1.0)


def derived(a, b):
    inner = sg.elementwise_grad(closure(a, b))
    return lambda x: inner(x) + x


FUNCTIONS = [
    closure, with_defaults, two, recursive, counting, derived,
    lambda a, b: lambda x: use(a, x) * use(b, x),
    lambda a, b: Scale(b if type(b) is float else 2.0, a if type(a) is int else 1),
    lambda a, b: Scale(b if type(b) is float else 2.0).shifted,
    lambda a, b: functools.partial(scaled, b if type(b) is float else 0.5),
    lambda a, b: functools.partial(closure(a, b)),
    lambda a, b: sg.checkpoint(closure(a, b)),
    lambda a, b: sg.vmap(lambda v: use(a if type(a) in (int, float, str) else 2, v) + 1.0),
    lambda a, b: sg.jit(closure(a, b)),
    lambda a, b: module_level,
    lambda a, b: remembered,
]


def some(rng: random.Random, depth: int = 2) -> Any:
    kind = rng.randrange(13 if depth else 7)
    if kind < 7:
        return [None, rng.random() < 0.5, rng.randint(1, 3), rng.choice(["sin", "cos", "tanh"]),
                rng.uniform(0.5, 2.0), np.array([rng.uniform(0.5, 2.0) for _ in X]),
                rng.randint(1, 3)][kind]
    if kind == 7:
        return [some(rng, depth - 1) for _ in range(rng.randint(1, 2))]
    if kind == 8:
        return {rng.choice("ab") * rng.randint(1, 2): some(rng, depth - 1)}
    if kind == 9:
        return (some(rng, depth - 1),) * 2
    a, b = some(rng, depth - 1), some(rng, depth - 1)
    if rng.random() < 0.3:
        b = a
    return rng.choice(FUNCTIONS)(a, b)


def same(a, b, x):
    return use(a, x) * (2.0 if a is b else 1.0) + use(b, x)


def forms(a: Any, b: Any, form: int) -> Any:
    """A function that is made anew, one of a few forms."""
    if form == 0:
        return lambda x: np.sum(use(a, x) + use(b, x))
    if form == 1:
        def function(x, a=a, *, b=b):
            return np.sum(use(a, x) * use(b, x))
        return function
    if form == 2:
        return lambda x: np.sum(same(a, b, x))
    if form == 3:
        return functools.partial(lambda a, b, x: np.sum(use(a, x) + use(b, x)), a, b)
    if form == 4:
        inner = closure(a, b)
        return lambda x: np.sum(inner(x) + inner(0.5 * x))
    if form == 5:
        function = closure(a, b)
        return sg.jit(lambda x: np.sum(function(x)))
    if form == 6:
        pair = (a, b)
        return lambda x: np.sum(use(pair, x)) + (1.0 if callable(a) else 0.0)

    class Model:
        def __init__(self):
            self.parts = [a, b]

        def loss(self, x):
            return np.sum(use(self.parts, x))

    return Model().loss


def difference(function: Any, x: Any) -> Any:
    found = np.zeros_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = 1e-6
        found[i] = (function(x + step) - function(x - step)) / 2e-6
    return found


def check(rng: random.Random, form: int) -> None:
    state = rng.getstate()

    def made() -> Any:
        rng.setstate(state)
        a, b = some(rng), some(rng)
        return forms(a, a if rng.random() < 0.3 else b, form)

    # each call has functions of its own, for some count their calls
    want = made()(X)
    value, gradient = sg.value_and_grad(made())(X)
    # derivatives in it are sums whose order their own text may choose
    assert abs(value - want) <= 1e-13 * abs(want) and type(value) is type(want)
    fixed = difference(lambda x: made()(x), X)
    assert close(gradient, fixed, 1e-4)
    mode = rng.randrange(3)
    if mode == 0:
        assert close(sg.jvp(made(), (X,), (np.ones(3),))[1], np.sum(fixed), 1e-4)
    elif mode == 1:
        assert close(sg.vjp(made(), X)[1](1.0)[0], fixed, 1e-4)
    else:
        assert abs(sg.jit(made())(X) - want) <= 1e-13 * abs(want)


@pytest.mark.long
@pytest.mark.parametrize("form", range(8))
def test_functions_made_anew_read_what_is_around_them(form):
    rng = random.Random(form)
    for _ in range(40):
        check(rng, form)


# ---- what is shared -----------------------------------------------------------------------------
@pytest.fixture
def compilations(monkeypatch):
    """How often something is compiled."""
    count = []
    made = compiler.compile_call
    monkeypatch.setattr("srcgrad.public.compiled.compile_call",
                        lambda *args: count.append(args) or made(*args))
    return count


def loss(w, batch):
    return np.sum((w * batch) ** 2)


def test_a_training_loop_compiles_once(compilations):
    w = np.ones(3)
    for i in range(20):
        batch, rate = np.arange(3.0) + i, 0.1 * i

        def regular(w, rate=rate):
            return rate * np.sum(w ** 2)

        assert close(sg.grad(lambda w: loss(w, batch) + regular(w))(w),
                     2 * w * batch ** 2 + 2 * rate * w)
    assert len(compilations) == 1


def test_methods_and_partials_of_new_objects_share(compilations):
    class Model:
        def __init__(self, scale):
            self.scale = scale

        def loss(self, w):
            return self.scale * np.sum(w ** 2)

    for i in range(1, 5):
        assert close(sg.grad(Model(float(i)).loss)(X), 2 * i * X)
        assert close(sg.grad(functools.partial(loss, batch=np.ones(3) * i))(X), 2 * X * i * i)
        assert close(sg.hessian(functools.partial(loss, batch=np.ones(3) * i))(X),
                     2 * i * i * np.eye(3))
    assert len(compilations) == 3


def test_a_warning_names_the_line_of_the_call():
    df = sg.grad(lambda x: np.sum(x))
    with pytest.warns(UserWarning, match="8 signatures") as caught:
        for rank in range(1, 10):
            df(np.ones((2,) * rank))
    assert caught[0].filename == __file__


def test_options_are_kept_apart(compilations):
    for _ in range(2):
        assert close(sg.grad(loss)(X, X), 2 * X ** 3)
        assert close(sg.grad(loss, argnums=1)(X, X), 2 * X ** 3)
        assert sg.value_and_grad(loss)(X, X)[0] == loss(X, X)
        assert sg.jit(loss)(X, X) == loss(X, X)
        assert [g.shape for g in sg.grad(loss, argnums=(0, 1))(X, X)] == [(3,), (3,)]
    assert len(compilations) == 5


@pytest.mark.long
def test_nothing_outlives_the_functions():
    def make(scale):
        def helper(x):
            return scale * x

        def function(x):
            return np.sum(helper(x) ** 2)

        return function, helper

    def kept():
        gc.collect()
        return len(gc.get_objects())

    def step(i):
        function, helper = make(np.ones(3) * i)
        sg.grad(function)(X)
        sg.hessian(function)(X)
        sg.jvp(function, (X,), (X,))
        sg.grad(lambda x: function(x) + 1.0)(X)
        return weakref.ref(function), weakref.ref(helper)

    for i in range(3):
        last = step(i)
    before = kept()
    assert all(found() is None for found in last)
    for i in range(250):
        step(i)
    assert kept() - before < 500


def test_code_that_is_gone_takes_what_was_generated_with_it():
    from srcgrad.cache.anchors import _KEPT

    def count():
        gc.collect()
        return len(_KEPT._entries)

    sg.grad(loss)(X, X)
    before = count()
    for i in range(5):
        text = f"def one(x):\n    return np.sum(x ** {i + 2})\n" \
               f"def two(x):\n    return one(x) + {i}\n"
        import linecache
        name = f"<made {i}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        space = {"np": np, "__name__": "made"}
        exec(compile(text, name, "exec"), space)
        sg.grad(space["two"])(X)
        sg.vjp(space["two"], X)
        sg.grad(space["one"])(X)
    del space
    assert count() == before


# ---- what transforms return is read at each call -----------------------------------------------
def square(x):
    return x ** 2


def cube(x):
    return x ** 3


def ruled(factor):
    function = sg.custom_vjp(lambda x: factor * x)
    function.defvjp(lambda x: (factor * x, None), lambda _, ct: (factor * ct,))
    return function


CHANGING: dict[str, Any] = {}


@pytest.mark.parametrize("first, second, want", [
    (sg.grad(square), sg.grad(cube), 12.0), (sg.checkpoint(square), sg.checkpoint(cube), 12.0),
    (sg.hessian(square), sg.hessian(cube), 6.0), (ruled(2.0), ruled(3.0), 3.0),
    (sg.jit(square), sg.jit(cube), 12.0),
])
def test_a_transform_that_is_replaced(first, second, want):
    global changing

    @sg.grad
    def df(x):
        return changing(x)

    changing = first
    df(2.0)
    changing = second
    assert close(df(2.0), want)
