"""Modules that are edited and loaded again while derivatives of their functions are in use.

``autoreload`` does what notebooks' tools of that kind do: the module is loaded again, and what
others hold of the old one gets the new code in place: functions their ``__code__``, classes
their attributes, instances their class.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import time
import types

import numpy as np
import pytest

import srcgrad as sg

FIRST = '''"""A module that is edited."""
import functools
import numpy as np

SCALE = 2.0

def helper(v, k=1.5):
    return np.sin(v) * k

def decorated(function):
    @functools.wraps(function)
    def inner(x):
        return function(x) * 2.0
    return inner

def made(c):
    def inner(v):
        return v * c
    return inner

tripled = made(3.0)

class Model:
    rate = 0.5

    def __init__(self, w):
        self.w = w

    def step(self, x):
        return helper(x) * self.w + self.rate

    @property
    def width(self):
        return self.w * 2

    @staticmethod
    def shift(x):
        return x + 1.0

model = Model(1.25)

def loss(x, power=2):
    t = 0.0
    for v in x:
        t = t + model.step(v) ** power * SCALE
    return t + Model.shift(model.width) * np.sum(tripled(x)) + outer(x)

@decorated
def outer(x):
    return np.sum(x * x)
'''
EDITS = [  # what is replaced by what, one after the other
    ("import functools\n", "import functools\n\n\n# moved down by three lines\n"),
    ("np.sin(v) * k", "np.cos(v) * k + v"),
    ("def helper(v, k=1.5)", "def helper(v, k=2.5)"),
    ("rate = 0.5", "rate = 0.75"),
    ("return helper(x) * self.w + self.rate", "return helper(x) * self.w * self.width"),
    ("return self.w * 2", "return self.w * 3 + self.extra()\n\n    def extra(self):\n        return 0.25"),
    ("return x + 1.0", "return x - 1.0"),
    ("SCALE = 2.0", "SCALE = np.array(3.0)"),
    ("return function(x) * 2.0", "return function(x) * 5.0 - x[0]"),
    ("power=2", "power=3"),
    ("return v * c", "return v * c + v * v"),
    ("made(3.0)", "made(4.0)"),
    ("\n\n\n# moved down by three lines\n", "\n"),
    ("return np.sum(x * x)", "return np.sum(x * x) if x[0] > 0.1 else np.sum(x)"),
]


def updated(old, new, seen):
    """Give an old object what a new one of the same name has."""
    if id(old) in seen or old is new:
        return
    seen.add(id(old))
    if isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType):
        for name in ("__code__", "__defaults__", "__doc__", "__kwdefaults__", "__dict__"):
            try:
                setattr(old, name, getattr(new, name))
            except ValueError:  # another number of free variables
                pass
    elif isinstance(old, property) and isinstance(new, property):
        updated(old.fget, new.fget, seen)
    elif isinstance(old, (staticmethod, classmethod)):
        updated(old.__func__, new.__func__, seen)
    elif isinstance(old, type) and isinstance(new, type):
        for name, value in list(vars(old).items()):
            if name in ("__dict__", "__weakref__", "__doc__"):
                continue
            if name not in vars(new):
                delattr(old, name)
                continue
            updated(value, vars(new)[name], seen)
            if not isinstance(value, (types.FunctionType, property, staticmethod)):
                setattr(old, name, vars(new)[name])
        for name in vars(new).keys() - vars(old).keys():
            setattr(old, name, vars(new)[name])
        for one in gc.get_referrers(old):
            if type(one) is old:
                one.__class__ = new


def autoreload(module):
    before = dict(vars(module))
    importlib.invalidate_caches()
    importlib.reload(module)
    seen = set()
    for name, old in before.items():
        if name in vars(module) and getattr(old, "__module__", None) == module.__name__:
            updated(old, vars(module)[name], seen)


@pytest.fixture()
def edited(tmp_path, monkeypatch):
    """The module, and a function that writes it anew."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path, turn = tmp_path / "edited_module.py", iter(range(1000))

    def write(text):
        path.write_text(text)
        stamp = time.time() + 10 * next(turn)  # each text is later than those before
        os.utime(path, (stamp, stamp))

    write(FIRST)
    importlib.invalidate_caches()
    yield importlib.import_module("edited_module"), write
    del sys.modules["edited_module"]


def compare(functions, x):
    for plain, derivative in functions:
        want = plain(x)
        value, slope = derivative(x)
        assert np.array_equal(value, want)
        for k in range(len(x)):
            step = np.zeros(len(x))
            step[k] = 1e-6
            difference = (plain(x + step) - plain(x - step)) / 2e-6
            assert np.isclose(slope[k], difference, rtol=1e-5, atol=1e-6)


@pytest.mark.long
def test_autoreload(edited):
    module, write = edited
    held, step, outer = module.loss, module.model.step, module.outer
    functions = [(f, sg.value_and_grad(f)) for f in (
        held, lambda x: module.loss(x), lambda x: np.sum(step(x)), outer)]
    x, text = np.array([0.5, 0.7, 1.1]), FIRST
    compare(functions, x)
    for old, new in EDITS:
        assert old in text
        text = text.replace(old, new, 1)
        write(text)
        autoreload(module)
        compare(functions, x)
        compare([(module.loss, sg.value_and_grad(module.loss))], x)


def test_code_replaced_before_the_first_call(edited):
    module, write = edited
    held = module.loss
    derivative = sg.value_and_grad(held)
    write(FIRST.replace("import functools\n", "import functools\n\n\n\n").replace("SCALE =", "SCALE = 1 +"))
    autoreload(module)
    compare([(held, derivative)], np.array([0.5, 0.7]))


def test_edited_and_not_reloaded(edited):
    """The file is another one than the function that runs was made of."""
    module, write = edited
    x, derivative = np.array([0.5, 0.7]), sg.value_and_grad(module.loss)
    write(FIRST.replace("np.sin(v)", "np.cos(v)"))
    with pytest.raises(sg.errors.SourceNotFound, match="does not fit"):
        derivative(x)
    write("# only moved\n" + FIRST)
    compare([(module.loss, derivative)], x)
    write(FIRST.replace("np.sin(v)", "np.cos(v)"))  # it is known by now
    compare([(module.loss, derivative)], x)
