"""Random programs about one thing of two names: made on one path or before, put into variables,
attributes, dicts and lists, changed by one of its names and read by the others."""

from __future__ import annotations

import numpy as np
from generator import Lines, made

# how a thing is made, changed and read
KINDS = (
    ("[]", "{o}.append(x[1])", "sum({o})"),
    ("[x[0]]", "{o}.append(x[1])", "sum({o})"),
    ("[x[0], 1.0]", "{o}[0] = x[1]", "({o}[0] * 2 + {o}[-1])"),
    ("dict(s=x[0])", "{o}['s'] += x[1]", "{o}['s']"),
    ("{}", "{o}['s'] = x[1]", "sum({o}.values())"),
    ("Thing(x[0])", "{o}.s *= x[1]", "{o}.s"),
    ("np.zeros(2)", "{o}[0] += x[1]", "np.sum({o})"),
    ("x[1:].copy()", "{o}[:1] *= x[1]", "np.sum({o})"),
    ("([x[0]], 2.0)", "{o}[0].append(x[1])", "sum({o}[0]) * {o}[1]"),
    ("[[x[0]]]", "{o}[0].append(x[1])", "sum({o}[0])"),
    ("dict(s=[x[0]])", "{o}['s'].append(x[1])", "sum({o}['s'])"),
    ("Thing([x[0]])", "{o}.s.append(x[1])", "sum({o}.s)"),
    ("Thing(np.ones(2))", "{o}.s[0] *= x[1]", "np.sum({o}.s)"),
    ("[Thing(x[0])]", "{o}[0].s *= x[1]", "{o}[0].s"),
    ("deque([x[0]])", "{o}.append(x[1])", "({o}[-1] + 3 * {o}[0])"),
)
# how a thing is put into a place, how the place is read, and what it holds before
PLACES = (
    ("{n} = {o}", "{n}", "{n} = None"),
    ("h.{n} = {o}", "h.{n}", "h.{n} = None"),
    ("d['{n}'] = {o}", "d['{n}']", "d['{n}'] = None"),
    ("d['{n}'] = {o}", "d['{n}']", "pass"),
    ("h.{n} = {o}", "h.{n}", "pass"),
    ("L.append({o})", "L[-1]", "pass"),
)
# places that data choose, where not everything may lie
CHOSEN = (("T[k] = {o}", "T[k]", "pass"), ("M[k] = {o}", "M[k]", "pass"))
PRELUDE = """from collections import deque

import numpy as np


class Holder:
    pass


class Thing:
    def __init__(self, s):
        self.s = s


def program(x):
"""


class Writer(Lines):
    def program(self):
        make, change, read = self.random.choice(KINDS)
        a = self.place("a", PLACES * 3 + CHOSEN)
        b, c = self.place("b", PLACES[:-1]), self.place("c", PLACES[:-1] * 3 + CHOSEN)
        test = self.pick("x[0] > x[1]", "x[0] < x[1]")
        self.put("h, d, L, T, M, k = Holder(), {}, [], {}, [None, None, None], int(abs(x[0]) * 7) % 3")
        getattr(self, self.pick("in_both_arms", "in_one_arm", "of_two", "in_a_loop"))(
            make, change, a, c, test)
        self.put(b[0])
        changed = change.format(o=self.pick("r", b[1]))
        self.put(self.pick(changed, f"if x[2] > 0:\n        {changed}",
                           f"for i in range(2):\n        {changed}"))
        seen = read.format(o=a[1])
        if self.both:
            seen = f"({seen} if {test} else {read.format(o=c[1])} * 3)"
        self.put(f"return {seen} * x[2] + {read.format(o=b[1])} * 2 + {read.format(o='r')}")
        return PRELUDE + "\n".join(self.lines) + "\n"

    def place(self, name, places):
        return [part.format(n=name, o="r") for part in self.random.choice(places)]

    both = False

    def in_both_arms(self, make, change, a, c, test):
        self.both = True
        self.put(a[2])
        self.put(c[2])
        self.put(f"if {test}:\n        r = {make}\n        {a[0]}\n    else:\n        r = {make}\n        {c[0]}")

    def in_one_arm(self, make, change, a, c, test):
        self.put(f"r = {make}\n    {a[0]}\n    if {test}:\n        r = {make}\n        {self.pick(a[0], 'pass')}")

    def of_two(self, make, change, a, c, test):
        self.put(f"r = {make}\n    {a[0]}\n    w = {make}\n    r = r if {test} else w")

    def in_a_loop(self, make, change, a, c, test):
        each = change.format(o="r").replace("x[1]", "v")
        self.put(f"r = {make}\n    {a[0]}\n    for v in x:\n        if v > 0.5:\n            r = {make}\n"
                 f"            {self.pick(a[0], a[0], 'pass')}\n        {each}")


def program(seed):
    source = Writer(seed).program()
    return made(source, f"names{seed}"), source


def arguments(seed):
    return (np.round(np.random.default_rng(seed).uniform(-0.5, 1.2, 3), 3),)
