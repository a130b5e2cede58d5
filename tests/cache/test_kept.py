"""Generated code on disk serves the next process where everything is as it was, and only there."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import os
import subprocess
import sys
import types

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.public import compiled as public

X = np.array([0.3, 0.8, 1.1])

PROGRAM = '''\
import functools
from dataclasses import dataclass, field
from enum import Enum
import numpy as np

RATE = 0.5
TABLE = {"a": 2.0, "b": [1.0, 3.0]}


class Kind(Enum):
    LINEAR = 1
    SQUARE = 2


def helper(x, power=2):
    return x ** power  # the power of x


def maker(scale):
    def scaled(x):
        return scale * helper(x)
    return scaled


scaled = maker(3.0)
partly = functools.partial(helper, power=3)
handed = np.sin


class Base:
    factor = 2.0

    def shifted(self, x):
        return x + 1.0


class Model(Base):
    def __init__(self, w):
        self.w = w

    @property
    def double(self):
        return 2.0 * self.w

    @staticmethod
    def squashed(x):
        return np.tanh(x)

    def __call__(self, x):
        return np.sum(self.squashed(self.double * self.shifted(x)) * self.factor)


@dataclass
class Point:
    x: float
    y: float = 0.25
    tags: list = field(default_factory=list)

    def norm(self):
        return self.x ** 2 + self.y ** 2


def plain(x):
    return np.sum(RATE * helper(x))


def of_closure(x):
    return np.sum(scaled(x) + partly(x))


def of_objects(x):
    points = [Point(v) for v in x]
    total = 0.0
    for p in points:
        total += p.norm()
    return total * TABLE["a"] + TABLE["b"][1]


def of_classes(x):
    return Model(1.5)(x)


def of_names(x, kind=Kind.SQUARE):
    y = handed(x)
    if kind is Kind.SQUARE:
        y = y * y
    return np.sum(y)


method = Model(0.7).__call__


def of_recursion(x):
    def area(a, b, depth):
        m = 0.5 * (a + b)
        if depth == 0:
            return (b - a) * x[0] * m * m
        return area(a, m, depth - 1) + area(m, b, depth - 1)
    return area(0.0, x[1], 4) + np.sum(x)


def of_local(x):
    class Cell:
        def __init__(self, v):
            self.v = v
    return sum(Cell(v).v ** 2 for v in x)
'''
MORE = '''\
import functools
from collections import namedtuple
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
import numpy as np

Pair = namedtuple("Pair", "first second")
SCALE, SHIFT, AXES, NAME, CUT = np.array([1.0, 2.0, 3.0]), 0.5, (0,), "sin", slice(0, 2)
WAYS = {"sin": np.sin, "own": lambda x: x * 2.0}
STEPS = [lambda x: x + 1.0, np.tanh]


class Level(Enum):
    LOW = 0.5
    HIGH = 2.0


class Scaled:
    def __init__(self, k):
        self.k = k

    def __get__(self, obj, owner):
        return self.k * obj.v


class Holder:
    __slots__ = ("v",)
    times = Scaled(2.0)
    limit = 4.0

    def __init__(self, v):
        self.v = v

    @classmethod
    def of(cls, v):
        return cls(v * cls.limit)

    def __add__(self, other):
        return Holder(self.v + 2.0 * other.v)

    def __getattr__(self, name):
        if name != "thrice":
            raise AttributeError(name)
        return 3.0 * self.v


@dataclass(frozen=True)
class Setting:
    rate: float = 0.3
    name: str = "a"


SETTING = Setting()


def twice(f):
    @functools.wraps(f)
    def wrapped(*args, power=1):
        return 2.0 * f(*args) ** power
    return wrapped


@twice
def wrapped(x, y=0.25):
    return x * y


@contextmanager
def opened(k):
    yield k * 2.0


def items(x):
    for v in x:
        yield v * SHIFT


def of_pairs(x):
    p = Pair(x[0], x[1] * 3.0)
    return p.first * 2.0 + p.second ** 2


def of_levels(x, level=Level.HIGH):
    return np.sum(x) * level.value


def of_descriptors(x):
    return Holder(x[0]).times + Holder.of(x[1]).v + (Holder(x[0]) + Holder(x[2])).thrice


def of_tables(x):
    y = WAYS[NAME](x) + WAYS["own"](x)
    for step in STEPS:
        y = step(y)
    return np.sum(y * SCALE, axis=AXES) + np.sum(y[CUT])


def of_settings(x):
    return np.sum(x) * SETTING.rate + (1.0 if SETTING.name == "a" else 2.0) * x[0]


def of_wrapped(x):
    with opened(x[0]) as k:
        return np.sum(wrapped(x, power=3)) * k + sum(items(x))
'''
NAMES = ("plain", "of_closure", "of_objects", "of_classes", "of_names", "method", "of_local",
         "of_recursion")


class Process:
    """Stands for a process: modules are loaded anew, and nothing is known of earlier ones."""

    def __init__(self, folder, monkeypatch):
        self.file, self.monkeypatch = folder / "kept_program.py", monkeypatch
        self.compilations = []
        monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(folder / "cache"))
        compile_call = public.compile_call

        def counted(function, *args):
            self.compilations.append(function.__name__)
            return compile_call(function, *args)

        monkeypatch.setattr(public, "compile_call", counted)

    def load(self, text=PROGRAM):
        self.compilations.clear()
        if not self.file.exists() or self.file.read_text() != text:
            self.file.write_text(text)
            linecache.checkcache()
            linecache.cache.pop(str(self.file), None)
        spec = importlib.util.spec_from_file_location("kept_program", self.file)
        module = importlib.util.module_from_spec(spec)
        self.monkeypatch.setitem(sys.modules, "kept_program", module)
        exec(compile(text, str(self.file), "exec"), vars(module))
        return module


MORE_NAMES = ("of_pairs", "of_levels", "of_descriptors", "of_tables", "of_settings", "of_wrapped")


@pytest.fixture
def process(tmp_path, monkeypatch):
    return Process(tmp_path, monkeypatch)


def complex_step(function, x):
    steps = 1e-30j * np.eye(len(x))
    return np.array([function(x + step).imag for step in steps]) / 1e-30


@pytest.mark.parametrize("name", [*NAMES, *MORE_NAMES])
def test_the_next_process_finds_it(process, name):
    text = PROGRAM if name in NAMES else MORE
    first = sg.value_and_grad(getattr(process.load(text), name))
    value, gradient = first(X)
    assert len(process.compilations) == 1
    module = process.load(text)
    again = sg.value_and_grad(getattr(module, name))
    found, slope = again(X)
    assert process.compilations == []
    assert found == value == getattr(module, name)(X)
    assert np.array_equal(slope, gradient)
    np.testing.assert_allclose(slope, complex_step(getattr(module, name), X), rtol=1e-10, atol=1e-12)
    assert again.source() == first.source()
    assert again.explain().splitlines()[0] == first.explain().splitlines()[0]
    assert again.signatures == first.signatures
    if name in NAMES:  # other sizes
        assert again(2 * X[:2])[0] == getattr(module, name)(2 * X[:2])
    assert process.compilations == []


TRANSFORMS = {
    "jit": lambda f: sg.jit(f)(X), "grad": lambda f: sg.grad(f)(X),
    "vjp": lambda f: sg.vjp(f, X)[1](2.0)[0], "jvp": lambda f: sg.jvp(f, (X,), (X,)),
    "linearize": lambda f: sg.linearize(f, X)[1](X), "hessian": lambda f: sg.hessian(f)(X),
    "jacobian": lambda f: sg.jacrev(f)(X), "second": lambda f: sg.grad(
        lambda x: np.sum(sg.grad(f)(x) ** 2))(X)}


@pytest.mark.parametrize("how", TRANSFORMS)
def test_every_transform(process, how):
    transform = TRANSFORMS[how]
    before = transform(process.load().of_closure)
    assert process.compilations
    after = transform(process.load().of_closure)
    assert process.compilations == []
    for one, other in zip(np.atleast_1d(*[before]), np.atleast_1d(*[after])):
        assert np.array_equal(one, other)


CHANGES = {  # of the text, for which programs
    "a number": ("RATE = 0.5", "RATE = 0.75", ("plain",)),
    "a number in a callee": ("x ** power  #", "x ** power * 2.0  #",
                             ("plain", "of_closure")),
    "a default": ("power=2", "power=4", ("plain", "of_closure")),
    "what is around a function": ("maker(3.0)", "maker(-1.0)", ("of_closure",)),
    "what a partial holds": ("power=3", "power=1", ("of_closure",)),
    "another function under a name": ("handed = np.sin", "handed = np.cos", ("of_names",)),
    "a function of one's own": ("handed = np.sin", "def handed(x): return x * 3.0",
                                ("of_names",)),
    "a method of a base": ("x + 1.0", "x - 1.0", ("of_classes", "method")),
    "a static method": ("np.tanh(x)", "np.sinh(x)", ("of_classes", "method")),
    "a property": ("2.0 * self.w", "3.0 * self.w", ("of_classes", "method")),
    "a number of a class": ("factor = 2.0", "factor = 5.0", ("of_classes", "method")),
    "a number in an object": ("Model(0.7)", "Model(0.9)", ("method",)),
    "a number that is handed on": ("Model(1.5)(x)", "Model(1.25)(x)", ("of_classes",)),
    "a default of a field": ("y: float = 0.25", "y: float = 0.5", ("of_objects",)),
    "a method of a dataclass": ("self.y ** 2", "self.y ** 4", ("of_objects",)),
    "an item of a table": ('"a": 2.0', '"a": 4.0', ("of_objects",)),
    "an item of a list": ("[1.0, 3.0]", "[1.0, 7.0]", ("of_objects",)),
    "a default that is an enum": ("kind=Kind.SQUARE", "kind=Kind.LINEAR", ("of_names",)),
    "an operator in a new class": ("self.w = w", "self.w = w * w", ("of_classes", "method")),
    "a method that was not there": ("    def shifted", "    def squashed(x): return x\n\n"
                                    "    def shifted", ("of_classes",)),
    "a builtin that is hidden": ("RATE = 0.5", "RATE = 0.5\nsum = lambda items: 1.5", ("of_local",)),
    "fields in another order": ('"first second"', '"second first"', ("of_pairs",)),
    "the value of an enum": ("HIGH = 2.0", "HIGH = 3.0", ("of_levels",)),
    "what a descriptor holds": ("Scaled(2.0)", "Scaled(3.0)", ("of_descriptors",)),
    "what a descriptor does": ("self.k * obj.v", "self.k + obj.v", ("of_descriptors",)),
    "a class attribute": ("limit = 4.0", "limit = 5.0", ("of_descriptors",)),
    "a class method": ("cls(v * cls.limit)", "cls(v + cls.limit)", ("of_descriptors",)),
    "an operator": ("2.0 * other.v", "3.0 * other.v", ("of_descriptors",)),
    "attributes made": ("3.0 * self.v", "4.0 * self.v", ("of_descriptors",)),
    "an array": ("np.array([1.0, 2.0, 3.0])", "np.array([1.0, 2.0, 4.0])", ("of_tables",)),
    "a text": ('NAME, CUT = np.array([1.0, 2.0, 3.0]), 0.5, (0,), "sin"',
               'NAME, CUT = np.array([1.0, 2.0, 3.0]), 0.5, (0,), "own"', ("of_tables",)),
    "a slice": ("slice(0, 2)", "slice(1, 3)", ("of_tables",)),
    "a function in a dict": ('"sin": np.sin', '"sin": np.cos', ("of_tables",)),
    "a lambda in a dict": ("x * 2.0}", "x * 5.0}", ("of_tables",)),
    "a lambda in a list": ("lambda x: x + 1.0, np", "lambda x: x + 2.0, np", ("of_tables",)),
    "functions in another order": ("[lambda x: x + 1.0, np.tanh]", "[np.tanh, lambda x: x + 1.0]",
                                   ("of_tables",)),
    "a field of an object": ("Setting()", "Setting(0.7)", ("of_settings",)),
    "a default of an object": ("rate: float = 0.3", "rate: float = 0.6", ("of_settings",)),
    "a text of an object": ('name: str = "a"', 'name: str = "b"', ("of_settings",)),
    "a decorator": ("2.0 * f(*args)", "3.0 * f(*args)", ("of_wrapped",)),
    "what is decorated": ("return x * y", "return x + y", ("of_wrapped",)),
    "a default of what is decorated": ("y=0.25", "y=0.5", ("of_wrapped",)),
    "a context": ("yield k * 2.0", "yield k * 4.0", ("of_wrapped",)),
    "a generator": ("yield v * SHIFT", "yield v - SHIFT", ("of_wrapped",)),
    "what a generator reads": ("3.0]), 0.5,", "3.0]), 0.25,", ("of_wrapped",)),
    "a function inside": ("m * m", "m + m", ("of_recursion",)),
    "lines that move": ("RATE = 0.5", "\n\nRATE = 0.5", NAMES),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_is_seen(process, change):
    before, after, programs = CHANGES[change]
    text = PROGRAM if before in PROGRAM else MORE
    assert before in text
    module = process.load(text)
    for name in programs:
        sg.value_and_grad(getattr(module, name))(X)
    module = process.load(text.replace(before, after))
    for name in programs:
        program = getattr(module, name)
        value, gradient = sg.value_and_grad(program)(X)
        assert value == program(X), name
        np.testing.assert_allclose(gradient, complex_step(program, X), rtol=1e-10, atol=1e-12)


def test_another_comment_makes_another_text(process):
    sg.grad(process.load().plain)(X)
    df = sg.grad(process.load(PROGRAM.replace("the power of x", "its power")).plain)
    df(X)
    assert "the power of x" not in df.source()


def test_a_process_that_changes_numpy(process, monkeypatch):
    sg.grad(process.load().of_names)(X)
    module = process.load()
    monkeypatch.setattr(np, "sin", lambda x: 2.0 * x)
    module.handed = np.sin
    assert sg.value_and_grad(module.of_names)(X)[0] == module.of_names(X)


def test_other_kinds_of_arguments(process):
    program = sg.value_and_grad(process.load().plain)
    for x in (X, X.astype("f4"), X.reshape(1, 3), 0.5):
        program(x)
    module = process.load()
    again = sg.value_and_grad(module.plain)
    for x in (0.5, X.reshape(1, 3), X, X.astype("f4")):
        value, gradient = again(x)
        assert value == module.plain(x) and np.shape(gradient) == np.shape(x)
    assert process.compilations == []


def test_sizes_that_guards_tell_apart(process):
    text = PROGRAM + "\n\ndef told(x):\n    return np.sum(x) if len(x) > 2 else np.sum(x * x)\n"
    first = sg.value_and_grad(process.load(text).told)
    values = [first(X[:n])[0] for n in (1, 2, 3)]
    again = sg.value_and_grad(process.load(text).told)
    assert [again(X[:n])[0] for n in (1, 2, 3)] == values
    assert process.compilations == []


def test_what_is_damaged_is_compiled_again(process, tmp_path):
    sg.grad(process.load().plain)(X)
    for file in (tmp_path / "cache").iterdir():
        content = file.read_bytes()
        file.write_bytes(content[:-3] + b"abc")
    assert np.array_equal(sg.grad(process.load().plain)(X), X)
    assert process.compilations == ["plain"]


def test_nothing_is_kept_where_it_is_not_wanted(process, tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", "")
    sg.grad(process.load().plain)(X)
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_others_may_write_to_is_not_read(process, tmp_path):
    (tmp_path / "cache").mkdir()
    os.chmod(tmp_path / "cache", 0o777)
    for _ in range(2):
        sg.grad(process.load().plain)(X)
        assert process.compilations == ["plain"]


def test_what_a_name_means_nothing_for(process):
    """A function that nothing leads to, a generator of random numbers: they are compiled anew."""
    text = PROGRAM + "\n\nrng = np.random.default_rng(3)\n\ndef drawn(x):\n    return np.sum(x * rng.normal(size=3))\n"
    for _ in range(2):
        module = process.load(text)
        value = sg.value_and_grad(module.drawn)(X)[0]
        module.rng = np.random.default_rng(3)
        assert value == module.drawn(X)


def test_a_cell_of_a_notebook(process):
    """Its text is only in ``linecache``."""
    text = "def cell(x):\n    return np.sum(x * x * 3.0)\n"
    for times in (1, 0):
        name = "<ipython-input-7-0123456789ab>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        space = {"np": np, "__name__": "__main__"}
        process.compilations.clear()
        exec(compile(text, name, "exec"), space)
        assert np.array_equal(sg.grad(space["cell"])(X), 6.0 * X)
        assert len(process.compilations) <= 1


@pytest.mark.long
def test_two_processes(tmp_path):
    program = tmp_path / "two.py"
    program.write_text(
        "import logging, sys, numpy as np, srcgrad as sg\n"
        "logging.basicConfig(level=logging.INFO, stream=sys.stdout, format='%(message)s')\n"
        "class P:\n    def __init__(self, v): self.v = v\n    def e(self): return self.v ** 2\n"
        "def f(x): return sum(P(v).e() for v in x) + np.linalg.norm(x)\n"
        "print(sg.value_and_grad(f)(np.array([0.5, 2.0])))\n")
    environment = {**os.environ, "SRCGRAD_CACHE_DIR": str(tmp_path / "cache")}
    said = [subprocess.run([sys.executable, str(program)], env=environment, capture_output=True,
                           text=True, check=True).stdout.splitlines() for _ in range(2)]
    assert [lines[0].split()[0] for lines in said] == ["compiled", "found"]
    assert said[0][1:] == said[1][1:]


def test_functions_and_classes_are_told_by_what_they_do():
    from srcgrad.cache.outside import content_hash

    def made(text):
        space = {"__name__": "made"}
        exec(text, space)
        return space["f"]

    same = [content_hash(made("def f(x): return x in {'a', 'b', 'c'}")) for _ in range(2)]
    assert same[0] == same[1] and isinstance(made("f = 1"), int)
    texts = ("def f(x): return 1", "def f(x): return 1.0", "def f(x): return True",
             "def f(x): return -0.0", "def f(x): return 0.0", "def f(x, y): return 1",
             "def f(x=1): return 1", "def f(x=1.0): return 1", "f = lambda x: 1",
             "class f: pass", "class f:\n    def g(self): return 1",
             "class f:\n    def g(self): return 2", "class f(int): pass")
    hashes = [content_hash(made(text)) for text in texts]
    assert len({*hashes}) == len(texts)
    assert isinstance(made(texts[0]), types.FunctionType)


def test_a_module_with_the_name_of_one_of_pythons(process, tmp_path, monkeypatch):
    """It changes, as those of the standard library do not."""
    for power in (2.0, 3.0):
        text = f"def helper(x):\n    return x ** {power}\n"
        (tmp_path / "colorsys.py").write_text(text)
        linecache.cache.pop(str(tmp_path / "colorsys.py"), None)
        hiding = types.ModuleType("colorsys")
        hiding.__file__ = str(tmp_path / "colorsys.py")
        monkeypatch.setitem(sys.modules, "colorsys", hiding)
        exec(compile(text, hiding.__file__, "exec"), vars(hiding))
        module = process.load(PROGRAM + "\n\nimport colorsys\n\ndef hidden(x):\n"
                              "    return np.sum(colorsys.helper(x))\n")
        assert sg.value_and_grad(module.hidden)(X)[0] == np.sum(X ** power)


def mutants(text):
    """The text with each of its numbers, and each sum and product, once changed."""
    for number, node in enumerate(ast.walk(ast.parse(text))):
        if (isinstance(node, ast.Constant) and type(node.value) in (int, float)) or (
                isinstance(node, ast.BinOp) and type(node.op) in (ast.Add, ast.Mult)):
            tree = ast.parse(text)
            (changed,) = [n for k, n in enumerate(ast.walk(tree)) if k == number]
            if isinstance(changed, ast.Constant):
                changed.value += 1
            else:
                changed.op = ast.Sub() if type(changed.op) is ast.Add else ast.Add()
            yield ast.unparse(tree)


def outcome(program):
    try:
        return program(X)
    except Exception as error:
        return type(error)


@pytest.mark.sweep
@pytest.mark.parametrize("text, names", [(PROGRAM, NAMES), (MORE, MORE_NAMES)], ids=["one", "more"])
def test_each_change_of_a_text_is_seen(process, text, names):
    module = process.load(ast.unparse(ast.parse(text)))
    for name in names:
        sg.value_and_grad(getattr(module, name))(X)
    found = 0
    for mutant in mutants(text):
        module = process.load(mutant)
        for name in names:
            program = getattr(module, name)
            wanted = outcome(program)
            got = outcome(sg.value_and_grad(program))
            if wanted is not RecursionError:
                assert got == wanted if isinstance(wanted, type) else got[0] == wanted, (name, mutant)
        found += len(names) - len(process.compilations)
    assert found > 100  # changes that a function does not rely on


def test_what_was_found_can_be_looked_at(process, tmp_path):
    text = PROGRAM + ("\n\ndef checked(x):\n    y = np.exp(x)\n    if np.sum(y) > 100.0:\n"
                      "        raise ValueError('too large')\n    return np.sum(y[:3])\n")
    shown = []
    for _ in range(2):
        df = sg.value_and_grad(process.load(text).checked)
        df(X)
        with pytest.raises(ValueError, match="too large") as caught:
            df(9.0 * X)
        notes = "".join(getattr(caught.value, "__notes__", ()))
        exported = df.export(tmp_path / "exported.py").read_text()
        shown.append((df.source(), str(df.graph()), df.explain(), exported, notes,
                      str(df.memory(X)), str(df.show())))
        assert "np.exp(x)" in str(df.profile(X)) or df.profile(X)
        assert df.with_backend("numpy")(X)[0] == df(X)[0]
    assert shown[0] == shown[1]
    assert process.compilations == []


SHY = PROGRAM + '''

asked = []


class Shy:
    rate = 2.0

    def __getattr__(self, name):
        asked.append(name)
        raise RuntimeError(name)

    def __repr__(self):
        asked.append("repr")
        raise RuntimeError("repr")


shy, other = Shy(), [Shy()]


def of_shy(x):
    chosen = shy if shy is not other[0] else other[0]
    return np.sum(x) * (chosen is shy) * shy.rate
'''


def test_objects_are_not_asked_for_names_nor_printed(process):
    for _ in range(2):
        module = process.load(SHY)
        assert sg.value_and_grad(module.of_shy)(X)[0] == 2.0 * np.sum(X)
        assert module.asked == []


def test_a_file_that_is_gone_hides_no_other(process, tmp_path):
    text = PROGRAM + "\n\ndef told(x):\n    return np.sum(x) if len(x) > 2 else np.sum(x * x)\n"
    first = sg.value_and_grad(process.load(text).told)
    first(X), first(X[:1])
    for file in (tmp_path / "cache").glob("*.0.code"):
        file.unlink()
    again = sg.value_and_grad(process.load(text).told)
    assert again(X[:1])[0] == X[0] ** 2 and process.compilations == []
