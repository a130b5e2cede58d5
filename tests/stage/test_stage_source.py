"""Finding sources: files, cells, lambdas, methods, closures; what has none is refused."""

# ruff: noqa: E501

import dataclasses
import doctest
import functools
import linecache
import os
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from srcgrad.errors import SourceNotFound
from srcgrad.stage import PlainMachine, Staged, stage
from srcgrad.stage.source import owner_class

MACHINE = PlainMachine()


def run(fn, *args, **kwargs):
    return stage(fn).run(MACHINE, args, kwargs, fn=fn)


first, second = (lambda x: x + 1), (lambda x: x * 10)
pair = [lambda x: x - 1, lambda x: x - 1, lambda x, y=lambda z: z * 3: y(x)]
by_key = {"a": lambda x: x, "b": lambda x: lambda y: x - y}
split = functools.partial(
    lambda x,
    y: x
    * y,
    y=7)


def test_lambdas_on_one_line():
    assert run(first, 2) == 3
    assert run(second, 2) == 20
    assert [run(f, 5) for f in pair] == [4, 4, 15]
    assert run(by_key["b"], 5)(3) == 2
    assert run(by_key["b"](5), 3) == 2
    assert run(split.func, 2, 7) == 14
    assert run(pair[2].__defaults__[0], 2) == 6
    f, g = (lambda v: (v, [w for w in v])), (lambda v: {w: (lambda: w)() for w in v})
    assert run(f, [1]) == ([1], [1]) and run(g, [1]) == {1: 1}


def test_lambdas_without_positions(tmp_path):
    """Under -X no_debug_ranges the compiled code decides."""
    code = textwrap.dedent("""
        import sys
        from srcgrad.errors import SourceNotFound
        from srcgrad.stage import PlainMachine, stage
        f, g, h = (lambda x: x + 1), (lambda x: x * 10), (lambda x, y: x)
        one, two = (lambda: 1), (lambda: 1)
        run = lambda fn, *a: stage(fn).run(PlainMachine(), a, {}, fn=fn)
        assert [run(f, 2), run(g, 2), run(h, 2, 3), run(one)] == [3, 20, 2, 1]
        """)
    script = tmp_path / "without_positions.py"
    script.write_text(code)
    project = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-X", "no_debug_ranges", script], text=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(project)})
    assert done.returncode == 0, done.stderr


class Shape:
    factor = 2

    def __init__(self, r):
        self.__r = r
        self.r = r

    def area(self, scale=1.0):
        return self.factor * self.__r ** 2 * scale

    @classmethod
    def unit(cls):
        return cls(1).__r

    @staticmethod
    def double(x):
        return 2 * x

    @property
    def size(self):
        return self.__r

    def nested(self):
        def inner(other):
            return other.__r + self.__r
        return inner(self), [s.__r for s in [self]]

    def name(self):
        return __class__.__name__

    square = lambda self: self.__r * self.__r


class Round(Shape):
    def area(self, scale=1.0):
        return super().area(scale) + 1

    def listed(self):
        return [super(Round, self).area() for _ in range(1)]


def test_methods_and_name_mangling():
    s, t = Shape(3), Round(3)
    assert run(s.area) == s.area() == run(Shape.area, s)
    assert run(s.area, scale=2) == 36
    assert run(Shape.unit) == 1
    assert run(Shape.double, 4) == 8
    assert run(Shape.size.fget, s) == 3
    assert run(s.nested) == s.nested()
    assert run(s.name) == "Shape"
    assert run(s.square) == 9
    assert run(t.area, 2) == t.area(2)
    assert run(t.listed) == t.listed()


def test_owner_of_a_name():
    assert owner_class("f") is None
    assert owner_class("C.m") == "C"
    assert owner_class("f.<locals>.C.m") == "C"
    assert owner_class("C.m.<locals>.g") == "C"
    assert owner_class("C.m.<locals>.g.<locals>.h") == "C"
    assert owner_class("f.<locals>.g") is None
    assert owner_class("A.B.m") == "B"


def test_method_of_an_instance_passes_self():
    staged = stage(Shape(2).area)
    assert isinstance(staged, Staged) and staged.qualname == "Shape.area"
    assert staged.parameters == ("self", "scale")


def decorate(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) + 100
    return wrapper


@decorate
@decorate
def decorated(x):
    return x


def test_decorated_function_is_what_would_run():
    assert run(decorated, 1) == 201
    assert stage(decorated).name == "wrapper"
    assert run(decorated.__wrapped__.__wrapped__, 1) == 1


def make(k):
    def scaled(x):
        nonlocal k
        k += 1
        return x * k + OFFSET
    return scaled


OFFSET = 5


def test_live_closure_and_globals(monkeypatch):
    f, g = make(1), make(10)
    assert (run(f, 2), run(f, 2), f(2), run(g, 2)) == (9, 11, 13, 27)
    monkeypatch.setitem(globals(), "OFFSET", 0)
    assert run(g, 2) == 24
    f.__defaults__ = (7,)
    assert run(f) == 35


def test_empty_cell():
    def outer():
        def f():
            return later
        try:
            run(f)
        except NameError as error:
            return str(error)
        later = 1
    assert outer() == ("cannot access free variable 'later' where it is not associated with a "
                       "value in enclosing scope")


def test_cells_like_a_notebook():
    text = "scale = 3\ndef f(x):\n    return [x * scale\n            for _ in range(2)]\ng = lambda x: x\n"
    name = "<ipython-input-1-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    assert run(namespace["f"], 2) == [6, 6]
    assert run(namespace["g"], 2) == 2


def test_doctest():
    text = """
    >>> from srcgrad.stage import PlainMachine, stage
    >>> def f(x):
    ...     if x > 0: return 1
    ...     return 2
    >>> stage(f).run(PlainMachine(), (1,), {}, fn=f)
    1
    """
    test = doctest.DocTestParser().get_doctest(text, {}, "example", "example", 0)
    runner = doctest.DocTestRunner()
    assert runner.run(test).failed == 0


def test_odd_layout():
    text = ("if 1:\n"
            "        @str\n"
            "        class X: pass\n"
            "        def f(x, # comment\n"
            "  y = (1,\n"
            "2)):\n"
            "            s = '''\n"
            "not indented\n"
            "'''\n"
            "# comment at the margin\n"
            "            return (x,\n"
            "y, s\n"
            ")\n"
            "\n"
            "        after = 1\n")
    name = "<odd layout>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    assert run(namespace["f"], 2) == (2, (1, 2), "\nnot indented\n")


@dataclasses.dataclass
class Generated:
    x: int


def _exec_function():
    namespace = {}
    exec("def f(x):\n    return x", namespace)
    return namespace["f"]


@pytest.mark.parametrize("fn", [len, np.sin, int, Generated.__init__, _exec_function(), "text", None,
                                functools.partial(first, 1), Generated(1), print],
                         ids=lambda v: getattr(v, "__name__", type(v).__name__))
def test_no_source(fn):
    with pytest.raises(SourceNotFound) as caught:
        stage(fn)
    assert caught.value.why and caught.value.fix
    assert isinstance(caught.value, OSError)


def test_changed_file(tmp_path, monkeypatch):
    path = tmp_path / "changing_module.py"
    path.write_text("def f(x):\n    return x + 1\ng = lambda x: x + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    import changing_module
    path.write_text("def f(x):\n    return x + 2\ng = lambda x: x + 2\n")
    os.utime(path, (time.time() + 5, time.time() + 5))
    for fn in (changing_module.f, changing_module.g):
        with pytest.raises(SourceNotFound, match="does not fit"):
            stage(fn)
    path.write_text("\n\ndef f(x):\n    return x + 1\n\n\ng = lambda x: x + 1\n")  # moved
    linecache.clearcache()
    assert stage(changing_module.f).line == 1 and run(changing_module.f, 1) == 2
    assert run(changing_module.g, 1) == 2
    path.write_text("def f(x):\n    return x + 1\ng = lambda x: x + 1\n")
    linecache.clearcache()
    assert run(changing_module.f, 1) == 2
    assert run(changing_module.g, 1) == 2
    del sys.modules["changing_module"]


def asserting(x):
    assert x > 0, "positive"
    return x


def test_asserts_that_pytest_has_rewritten(monkeypatch):
    assert "@pytest_ar" in asserting.__code__.co_names
    monkeypatch.setattr("srcgrad.stage.source._may_be_stale", lambda filename: True)
    assert run(asserting, 1) == 1
    with pytest.raises(AssertionError, match="positive"):
        run(asserting, -1)


def test_no_second_warning_about_the_text():
    text = "def f(x):\n    assert (x, '')\n    return '\\d', x is 1\ng = lambda x: '\\d'\n"
    name = "<warnings>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {}
    with pytest.warns():
        exec(compile(text, name, "exec"), namespace)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(namespace["f"], 1) == ("\\d", True)
        assert run(namespace["g"], 1) == "\\d"


def test_a_name_that_stands_for_several_texts():
    name = "<several>"
    functions = []
    for text in ("def f(x):\n    return x + 1\n", "def f(x):\n    return x + 2\n"):
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        namespace = {}
        exec(compile(text, name, "exec"), namespace)
        functions.append(namespace["f"])
    assert run(functions[1], 1) == 3
    with pytest.raises(SourceNotFound, match="does not fit"):
        stage(functions[0])


def test_future_annotations():
    text = ("from __future__ import annotations\n"
            "def f(x):\n"
            "    def g(a: undefined, *b: 'str') -> list[x]:\n"
            "        pass\n"
            "    class C:\n"
            "        field: undefined = 1\n"
            "    return g.__annotations__, C.__annotations__\n")
    name = "<future>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    assert run(namespace["f"], 2) == namespace["f"](2)


def test_errors_of_binding_are_pythons():
    def f(a, b=2, *, c):
        return a, b, c

    def g(x, /):
        return x

    def h():
        return 0

    for fn, args, kwargs in [(f, (), {}), (f, (1,), {}), (f, (1, 2, 3), {"c": 1}), (f, (1,), {"d": 1}),
                             (f, (1,), {"a": 1, "c": 1}), (g, (), {"x": 1}), (g, (1, 2), {}), (h, (1,), {}),
                             (h, (), {"z": 1}), (f, (1,), {"c": 5}), (first, (), {})]:
        try:
            expected = fn(*args, **kwargs)
        except TypeError as error:
            with pytest.raises(TypeError) as caught:
                run(fn, *args, **kwargs)
            assert str(caught.value) == str(error)
        else:
            assert run(fn, *args, **kwargs) == expected


WITHOUT_A_FILE = """
import dataclasses
import numpy as np
import srcgrad as sg
from srcgrad.errors import SourceNotFound

@dataclasses.dataclass
class Pair:
    a: float
    b: float

def product(x):
    pair = Pair(x, x * 2)
    return pair.a * pair.b

exec("def made(x):\\n    return x")
try:
    print(sg.grad(product)(0.5))
    print(sg.grad(lambda x: x * x)(0.5))
except SourceNotFound as error:
    print(error)
try:
    print(sg.grad(made)(0.5))
except SourceNotFound as error:
    print(error)
"""


def test_text_of_the_command_line():
    """Newer Pythons keep the text of ``-c`` under a name that other texts have, too."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_A_FILE], capture_output=True, text=True,
                          check=True, cwd=Path(__file__).parents[2])
    assert "source of made cannot be found" in done.stdout and "changed" not in done.stdout
    assert done.stdout.startswith("2.0\n1.0\n" if sys.version_info >= (3, 13) else
                                  "the source of product cannot be found")
