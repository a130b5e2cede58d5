"""Programs of the size that machines write: lines, helpers, nesting, expressions, iterations."""

from __future__ import annotations

import gc
import linecache
import sys
import time

import numpy as np
import pytest

import srcgrad as sg

pytestmark = pytest.mark.long

X = np.array([1.0, 0.9, 0.8, 0.7])
NAMES = iter(range(10**6))


def made(source, name="f"):
    """A function from generated source that tracebacks and the compiler can read."""
    file = f"<program {next(NAMES)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np}
    exec(compile(source, file, "exec"), space)
    return space[name]


def straight(n):
    lines = [f"y = np.sin(y) * 1.01 + x[{i % 4}]" if i % 3 else "y = y * x - 0.5"
             for i in range(n)]
    return "def f(x):\n    y = x\n" + "".join(f"    {line}\n" for line in lines) + (
        "    return np.sum(y)\n")


def written(n):
    lines = "".join(f"    y[{i % 4}] = y[{(i + 1) % 4}] * x[{i % 3}]\n    y *= 1.01\n"
                    for i in range(n // 2))
    return f"def f(x):\n    y = x.copy()\n{lines}    return np.sum(y)\n"


def branching(n):
    lines = "".join(f"    if y > {i}.0:\n        y = y * x[{i % 4}]\n    y = y + x[{i % 3}]\n"
                    for i in range(n // 3))
    return f"def f(x):\n    y = x[0]\n{lines}    return y\n"


def nested_ifs(n):
    text = "def f(x):\n    y = x[0]\n"
    for i in range(n):
        pad = "    " + " " * i
        text += f"{pad}if y < {10 + i}.0:\n{pad} y = y * x[{i % 4}] + 0.1\n"
    return text + "    return y\n"


def nested_else(n):
    text = "def f(x):\n    y = x[0]\n"
    for k in range(n):
        pad = "    " + " " * k
        text += (f"{pad}if y < {0.5 + k * 0.013}:\n{pad} y = y * x[{k % 4}]\n{pad}else:\n"
                 f"{pad} y = y + 0.01 * x[{k % 4}]\n")
    return text + "    return y\n"


def elifs(n):
    text = "def f(x):\n    y = x[1]\n    if y < 0.0:\n        y = y * 2\n"
    for i in range(n):
        text += f"    elif y < {i * 0.013 + 0.0131}:\n        y = y * x[{i % 4}] * {i + 1}.0\n"
    return text + "    else:\n        y = y * 5.0\n    return y\n"


def elifs_in_a_loop(n):
    text = "def f(x):\n    t = 0.0\n    for y in x:\n        if y < 0.0:\n            t = t * 2\n"
    for i in range(n):
        text += f"        elif y < {i * 0.013 + 0.0131}:\n            t = t + y * {i + 1}.0\n"
    return text + "        else:\n            t = t * 5.0\n    return t\n"


def returns(n):
    text = "def f(x):\n"
    for i in range(n):
        text += (f"    if x[{i % 4}] < {i * 0.013 + 0.0131}:\n"
                 f"        return np.sum(x) * x[{i % 4}] * {i + 1}.0\n")
    return text + "    return x[0]\n"


def nested_loops(n):
    text = "def f(x):\n    y = x[0]\n"
    for i in range(n):
        pad = "    " + " " * i
        text += (f"{pad}for i{i} in range({2 if i < 3 else 1}):\n"
                 f"{pad} y = y * 0.9 + x[{i % 4}]\n")
    return text + "    return y\n"


def nested_whiles(n):
    text = "def f(x):\n    y = x[0]\n"
    for i in range(n):
        pad = "    " + " " * i
        text += (f"{pad}k{i} = 0\n{pad}while k{i} < {2 if i < 3 else 1}:\n{pad} k{i} += 1\n"
                 f"{pad} y = y * 0.9 + x[{i % 4}] * 0.1\n")
    return text + "    return y\n"


def loops_and_ifs(n):
    text = "def f(x):\n    y = x[0]\n"
    for i in range(n):
        pad = "    " + " " * i
        head = f"for i{i} in range({2 if i < 6 else 1}):" if i % 2 else f"if y < {3.0 + i}:"
        text += f"{pad}{head}\n{pad} y = y * 0.9 + x[{i % 4}] * 0.1\n"
    return text + "    return y\n"


def helpers(n):
    text = "".join(f"def h{i}(v):\n    return np.tanh(v) * {1 + i * 0.001} + v[0]\n"
                   for i in range(n))
    return text + "def f(x):\n    y = x\n" + "".join(
        f"    y = h{i}(y)\n" for i in range(n)) + "    return np.sum(y)\n"


def helpers_of_helpers(n):
    text = "def h0(v):\n    return np.sin(v)\n"
    text += "".join(f"def h{i}(v):\n    return h{i - 1}(v * 0.99) + v\n" for i in range(1, n))
    return text + f"def f(x):\n    return np.sum(h{n - 1}(x))\n"


def deep_expression(n, operator):
    text = "x[0]"
    for i in range(n):
        text = f"({text} {operator} x[{i % 4}])"
    return f"def f(x):\n    return {text}\n"


def deep_calls(n):
    return f"def f(x):\n    return {'np.sin(' * n}x[0]{')' * n}\n"


def long_expression(n):
    return "def f(x):\n    return " + " + ".join(f"x[{i % 4}] * {i}.0" for i in range(n)) + "\n"


PROGRAMS = {
    "1000 lines": straight(1000), "1000 lines that write": written(1000),
    "1000 lines with branches": branching(1000), "90 nested ifs": nested_ifs(90),
    "90 nested ifs with else": nested_else(90), "200 elifs": elifs(200),
    "60 elifs in a loop": elifs_in_a_loop(60), "60 returns": returns(60),
    "20 nested loops": nested_loops(20), "19 nested whiles": nested_whiles(19),
    "38 nested loops and ifs": loops_and_ifs(38), "300 helpers": helpers(300),
    "300 helpers of helpers": helpers_of_helpers(300),
    "900 helpers of helpers": helpers_of_helpers(900), "sum 199 deep": deep_expression(199, "+"),
    "product 199 deep": deep_expression(199, "*"), "190 calls deep": deep_calls(190),
    "1000 terms": long_expression(1000),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_large_program(name):
    function = made(PROGRAMS[name])
    value, slope = sg.value_and_grad(function)(X)
    assert value == function(X)
    step = 1e-6
    for i in range(4):
        high, low = X.copy(), X.copy()
        high[i] += step
        low[i] -= step
        want = (function(high) - function(low)) / (2 * step)
        assert np.isclose(slope[i], want, rtol=1e-4, atol=1e-5 * max(1.0, abs(value))), i


@pytest.fixture
def own_garbage():
    """The collector does not go through what other tests have left."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("own_garbage")
@pytest.mark.parametrize(("write", "sizes"), [
    (straight, (100, 400, 1600)), (written, (50, 200, 800)), (branching, (50, 200, 800))],
    ids=["straight", "written", "branching"])
def test_compile_time_is_linear_in_the_number_of_statements(write, sizes):
    """Counted work exactly; time with much room for other work of the machine."""
    counts, seconds = [], []
    for n in sizes:
        df = sg.grad(made(write(n)))
        began = time.process_time()
        df(X)
        seconds.append(time.process_time() - began)
        counts.append((df._entries[0].traced.nodes, len(df.source().splitlines())))
    for small, large in zip(counts, counts[1:]):
        assert all(b <= 4.2 * a for a, b in zip(small, large)), counts
    assert seconds[2] <= 16 * 4 * seconds[0] + 0.5, seconds


def repeated(*lines, start="y = x[0]", inside=""):
    """Writes programs of so many statements, which go through the lines again and again."""
    def write(n):
        pad = "    " * (1 + bool(inside))
        body = "".join(f"{pad}{line.format(i=i, k=i % 4)}\n" for i in range(n // len(lines))
                       for line in lines)
        head = f"    {inside}\n" if inside else ""
        return f"def f(x):\n    w = x * 0.1\n    {start}\n{head}{body}    return np.sum(y)\n"
    return write


MIXED = ("y = np.sin(y) + x", "u = y * w", "y = y + np.exp(-u)", "v = np.sum(u * y)",
         "y = y / (1.0 + v * v)")
GROWING = {
    "mixed": repeated(*MIXED, start="y = x"),
    "mixed in a loop": repeated(*MIXED, start="y = x", inside="for _ in range(2):"),
    "softmax": repeated("e = np.exp(y - np.max(y))", "y = e / np.sum(e) + y * 0.1", start="y = x"),
    "loops": repeated("for i in range(3):", "    y = y * 0.9 + np.sin(y * x[i])"),
    "whiles": repeated("while y > {i} + 0.5:", "    y = y * 0.5", "y = y + x[{k}]"),
    "rows": repeated("for i in range(4):", "    A[i] = A[i] * 0.5 + x * y",
                     "y = y * 0.1 + A[{k}, 1]", start="y, A = x[0], np.zeros((4, 4))"),
    "lists": repeated("z = [v * {i} for v in x]", "z.append(y)", "y = y * 0.5 + sum(z)"),
    "lists in a loop": repeated("z = [v * {i} for v in x]", "z.append(y)", "y = y * 0.5 + sum(z)",
                                inside="for _ in range(2):"),
    "views": repeated("v = y[1:3]", "v += x[{k}]", start="y = x.copy()"),
    "products": repeated("y = A @ y + x", "A = A * 0.1 + np.outer(y, x) * 0.01",
                         start="y, A = x, np.outer(x, x)"),
    "keys": repeated("d['k{i}'] = d['a'] * x[{k}]", "d['a'] = d['a'] + d['k{i}']",
                     "y = d['a']", start="d = dict(a=x[0])"),
    "branches": repeated("if x[{k}] > 0.5:", "    y = y * x[{k}]", "else:",
                         "    y = np.sqrt(y * y + 1.0)"),
    "searches": repeated("for v in x:", "    if v > y:", "        y = y * 0.9 + v",
                         "        break", "else:", "    y = y * 2"),
    "functions": repeated("h = lambda v: v * y + x[{k}]", "y = h(y * 0.1)"),
}


def work_of_compiling(source):
    """The number of calls, of Python's functions and of C's, of a first call."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    df = sg.value_and_grad(made(source))
    sys.setprofile(count)
    try:
        df(X)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("name", GROWING)
def test_work_of_compiling_is_linear_in_the_number_of_statements(name):
    write = GROWING[name]
    work_of_compiling(write(12))  # what is found out once
    small, large = work_of_compiling(write(48)), work_of_compiling(write(192))
    assert large <= 5 * small, (small, large)  # some of it sorts, or goes through what lives


@pytest.mark.parametrize("write", [nested_ifs, nested_loops, loops_and_ifs],
                         ids=lambda f: f.__name__)
def test_tracing_work_is_bounded_by_the_depth(write):
    for depth in (2, 5, 10, 18):
        source = write(depth)
        df = sg.grad(made(source))
        df(X)
        lines = len(source.splitlines())
        assert df._entries[0].traced.nodes <= 16 * lines * (1 + depth)


def counted(x, n):
    total, k = 0.0, 0
    while k < n:
        total = total * 0.5 + x
        k += 1
    return total


def test_a_million_iterations():
    df = sg.value_and_grad(counted)
    df(1.0, 3)
    value, slope = df(1.0, 10**6)
    assert value == counted(1.0, 10**6) and np.isclose(slope, 2.0)
    assert df.cache_info().misses == 1


def test_no_recursion_limit():
    """The same programs below a stack that is nearly full."""
    def deep(n):
        if n:
            return deep(n - 1)
        return sg.grad(made(nested_ifs(80)))(X)

    assert deep(700).shape == (4,)


class Link:
    """One of a chain of objects whose methods call one another."""

    def __init__(self, weight, rest):
        self.weight, self.rest = weight, rest

    def value(self, x):
        return self.weight * x + sum([r.value(x) for r in self.rest])

    def __call__(self, x):
        return self.weight * x + (self.rest[0](x) if self.rest else 0.0)


def test_methods_call_one_another_hundreds_deep():
    """Whatever room a Python has for code of C."""
    chain = Link(0.5, [])
    for i in range(250):
        chain = Link(0.5 + i, [chain])
    total = chain.value(1.0)
    assert np.isclose(sg.grad(chain.value)(1.0), total)
    assert np.isclose(sg.grad(chain.__call__)(1.0), total)


def test_work_has_a_bound(monkeypatch):
    """Items that are known while compiling are unrolled, and paths multiply: not without end."""
    from srcgrad.trace.record import recorder

    words = [str(i) for i in range(2000)]

    def known_items(x):
        total = 0.0
        for word in tuple(words):
            total = total + np.sin(x[0]) * len(word)
        return total

    monkeypatch.setattr(recorder, "MAX_NODES", 3000)
    with pytest.raises(sg.UnsupportedOperation, match="more than 3,000 operations"):
        sg.grad(known_items)(X)
    words[500:] = []
    assert np.isclose(sg.grad(known_items)(X)[0], np.cos(X[0]) * sum(map(len, words)))


def test_the_size_of_the_code_is_reported():
    report = sg.grad(made(straight(200))).explain(X)
    size = next(line for line in report.splitlines() if "lines of code" in line)
    assert int(size.split()[0]) > 200


def test_helpers_of_helpers_at_order_two():
    function = made(helpers_of_helpers(900))
    slope = sg.grad(function)(X)
    _, moved = sg.jvp(function, (X,), (np.ones(4),))
    assert np.isclose(moved, np.sum(slope))
    bent = sg.grad(lambda x: np.sum(sg.grad(function)(x)))(X)
    step = 1e-6
    for i in range(4):
        high, low = X.copy(), X.copy()
        high[i] += step
        low[i] -= step
        ends = [np.sum(sg.grad(function)(x)) for x in (high, low)]
        assert np.isclose(bent[i], (ends[0] - ends[1]) / (2 * step), rtol=1e-3)


def test_many_arguments_and_attributes():
    names = [f"a{i}" for i in range(500)]
    terms = " + ".join(f"{a} * x[{i % 4}]" for i, a in enumerate(names))
    function = made(f"def f(x, {', '.join(names)}):\n    return {terms}\n")
    numbers = [float(i) for i in range(500)]
    value, slope = sg.value_and_grad(function)(X, *numbers)
    assert value == function(X, *numbers)
    assert np.allclose(slope, [sum(numbers[i::4]) for i in range(4)])

    class Model:
        pass

    model = Model()
    for i in range(300):
        setattr(model, f"w{i}", np.full(4, float(i)))
    lines = "".join(f"    t = t + np.sum(x * m.w{i})\n" for i in range(300))
    function = made(f"def f(x, m):\n    t = 0.0\n{lines}    return t\n")
    value, slope = sg.value_and_grad(function)(X, model)
    assert value == function(X, model) and np.allclose(slope, sum(range(300)))


def test_a_tuple_of_two_thousand_arrays():
    def f(x, rows):
        total = 0.0
        for row in rows:
            total = total + np.sum(row * x)
        return total

    rows = tuple(np.full(4, float(i)) for i in range(2000))
    value, slope = sg.value_and_grad(f)(X, rows)
    assert value == f(X, rows) and np.allclose(slope, sum(range(2000)))
