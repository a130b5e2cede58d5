"""Random small programs in which some statement, whose result may be used or not, raises or does
not: indices and shapes that do not fit, divisions by zero, numbers outside of domains, empty data,
names that are not bound, exceptions of the program's own.  Each has ``f(x, a, n)``.
"""

from __future__ import annotations

import random

SETUP = "import math\n"
CALLS = ("np.array([.5, 1., 3.]), .5, 2", "np.array([2., -1.]), 0., 0", "np.array([1e200]), -1., -1",
         "np.array([1., 0., 2., 4.]), 1e200, 4", "np.ones(0), 2., 1")
VALUES = (
    "x[0]", "x[2]", "x[-1]", "x[n]", "x[n - 1]", "x[int(a)]", "np.sum(x[::n])", "np.sum(x[n:])",
    "np.take(x, n)", "np.sum(np.take(x, [0, n]))", "np.sum(x[[0, n]])", "x[1:][0]", "x.item()",
    "1. / a", "a / (a - .5)", "a // n", "7 // n", "7 % n", "a % (a + 1.)", "x[0] / n",
    "divmod(a, n)[0]", "divmod(1., a)[1]", "divmod(7, n)[1]", "a ** 2", "a ** n", "a ** -1.",
    "abs(a) ** .5", "n ** -1", "math.sqrt(a)", "math.log(a)", "math.exp(a)", "math.acos(a)",
    "math.pow(a, 2.)", "math.sqrt(x[0])", "math.gamma(a)", "math.factorial(n)", "math.cosh(a)",
    "int(a * 1e300)", "float(int(a))", "round(a * 1e300)", "float(x[:1])", "float(x)",
    "[1., 2.][n]", "[1., a][int(a)]", "[1., 2., 3.].pop(n)", "[1., a].pop()", "(1., a)[n]",
    "{0: 1., 2: a}[n]", "[.5, 1.].index(a)", "[v for v in x if v > a][0]", "len(x) * a",
    "max([v for v in x if v > a])", "min(x[n:])", "np.max(x)", "np.max(x[x > a])", "x.argmin()",
    "np.sum(np.zeros(n))", "np.sum(np.ones((n, 2)))", "np.sum(np.eye(n))", "np.sum(x + np.ones(n))",
    "np.ptp(x)", "np.ptp(np.floor(x[n:]))", "np.sum(np.pad(x[n:], 1, mode='edge'))",
    "np.sum(np.delete(x, 0))", "np.sum(np.convolve(x[n:], x))", "np.percentile(x[x > a], 30)",
    "[1., a][a > .5]", "(a, x[0])[len(x) > n]", "sum(iter([]))",
    "np.dot(x, np.ones(n))", "np.sum(x.reshape(n, -1))", "np.sum(x.reshape(2))",
    "np.sum(np.concatenate([x, np.ones((n, 1))]))", "np.sum(np.stack([x, np.ones(n)]))",
    "np.split(x, n)[0][0]", "np.sum(np.broadcast_to(x, (2, n)))", "np.sum(np.arange(0, 4, n))",
    "np.linalg.inv(np.diag(x))[0, 0]", "np.linalg.cholesky(np.diag(x))[0, 0]",
    "np.linalg.solve(np.diag(x), np.ones(n))[0]", "sum(range(0, 3, n))", "len(range(0, 3, n))",
    "next(v for v in x if v > a)", "float('a' if n > 3 else '2')", "u", "v", "(lambda: u)()",
    "sum([u for q in x])", "helper(a)", "helper(x[0])", "deep(a, n)", "deep(x[0], 1)",
    "check(n)", "getattr(x, 'T')[n]", "x.nothing if n == 4 else a", "len(x[:n]) / len(x)",
)
TESTS = ("n > 1", "a > 0.", "x[0] > .7", "len(x) > 2", "t > 1.", "x[n] > 0.", "1. / a > 0.")
HELPERS = '''
def helper(v):
    w = math.sqrt(v)
    return v * 2.
def deep(v, k):
    if k <= 0:
        return 1. / v
    x = np.ones(3)
    x[k]
    return v + deep(v, k - 1)
def check(k):
    if k < 0:
        raise ValueError(f"bad {k}")
    assert k < 4, "large"
    return 1.
'''


class Writer:
    """The lines of one program."""

    def __init__(self, stream: random.Random) -> None:
        self.stream = stream
        self.lines = ["def f(x, a, n):", "    t = 0."]

    def block(self, depth: int, loop: bool = False) -> None:
        for _ in range(self.stream.randint(1, 3)):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: bool) -> None:
        pick, pad, kind = self.stream.choice, "    " * depth, self.stream.random()
        value = pick(VALUES)
        if depth < 4 and kind < .16:
            self.lines.append(f"{pad}if {pick(TESTS)}:")
            self.block(depth + 1, loop)
            if self.stream.random() < .4:
                self.lines.append(f"{pad}else:")
                self.block(depth + 1, loop)
        elif depth < 4 and kind < .26:
            self.lines.append(pad + pick(("for i in range(n):", "for v in x:", "for i in range(len(x)):",
                                          "for i in range(0, 4, n):", "for v in x[::n]:")))
            self.block(depth + 1, True)
        elif depth < 3 and kind < .34:
            self.lines.append(f"{pad}try:")
            self.block(depth + 1, loop)
            error = pick(("ZeroDivisionError", "IndexError", "NameError", "ValueError"))
            self.lines += [f"{pad}except {error}:", f"{pad}    {pick(('t = t + 2.', 'x[0] = 5.', 'pass'))}"]
        elif kind < .40 and loop:
            self.lines.append(f"{pad}if {pick(TESTS)}: {pick(('break', 'continue'))}")
        elif kind < .44:
            self.lines.append(f"{pad}if {pick(TESTS)}: {pick(('return t * x[0]', 'u = x[0]'))}")
        elif kind < .52:
            self.lines.append(pad + pick(("x[0] = 2.", "x[n] = t", "u = a", "x[1:] = x[0]", "x[:n] = np.ones(2)")))
        elif kind < .68:
            self.lines.append(f"{pad}t = t + {value}")
        elif kind < .82:
            self.lines.append(f"{pad}w = {value}")
        else:
            self.lines.append(f"{pad}{value}")


def program(seed: int) -> str:
    """The program of a seed."""
    writer = Writer(random.Random(seed))
    writer.block(1)
    writer.block(1)
    last = writer.stream.choice(("t * a", "t + np.sum(x)", "a * 2.", "np.sum(x)", "a + t"))
    return "\n".join([SETUP + HELPERS, *writer.lines, f"    return {last}", ""])
