"""What plain Python raises is raised, whatever is asked of the function, and arguments are written
as far as it has come."""

from __future__ import annotations

import linecache
import types

import numpy as np
import pytest

import srcgrad as sg

PROGRAMS = {
    "continue only": ("""
def f(x):
    t=0.
    for i in range(2):
        if x[3] > .5: continue
    return np.sum(x)
""", ["np.ones(2)", "np.ones(4)"]),
    "if pass": ("""
def f(x):
    if x[3] > .5: pass
    return np.sum(x)
""", ["np.ones(2)", "np.ones(4)"]),
    "expr statement": ("""
def f(x):
    x[7]
    return np.sum(x)
""", ["np.ones(3)", "np.ones(8)"]),
    "expr in branch": ("""
def f(x):
    if x[0] > .5: x[7]
    return np.sum(x)
""", ["np.ones(3)", "np.zeros(3)", "np.ones(8)"]),
    "flat is no array": ("""
def f(x):
    v = x.flat
    if x[0] > 0.: np.add(v, 1., out=v)
    elif x[0] > -2.: np.putmask(v, x > 0., 1.)
    elif x[0] > -4.: np.copyto(v, 1.)
    return np.sum(v)
""", ["np.ones(3)", "-np.ones(3)", "-3. * np.ones(3)", "-5. * np.ones(3)"]),
    "lists are no arrays": ("""
def f(x):
    t = [x[0], x[1]]
    if x[0] > 0.: np.put(t, [0], 1.)
    else: np.place(t, [True, False], 1.)
    return np.sum(x)
""", ["np.ones(3)", "-np.ones(3)"]),
    "if vector": ("""
def f(x):
    if x: return 1.0
    return np.sum(x)
""", ["np.ones(3)", "np.ones(1)"]),
    "if vector pass": ("""
def f(x):
    if x: pass
    return np.sum(x)
""", ["np.ones(3)", "np.ones(1)"]),
    "if vector only": ("""
def f(x):
    if x: return 1.0
    return 2.0
""", ["np.ones(3)", "np.ones(1)"]),
    "not vector": ("""
def f(x):
    y = not x
    return np.sum(x)
""", ["np.ones(3)", "np.ones(1)"]),
    "vector and": ("""
def f(x):
    y = x and 3.
    return np.sum(x)
""", ["np.ones(3)", "np.ones(1)"]),
    "bool(x)": ("""
def f(x):
    bool(x)
    return np.sum(x)
""", ["np.ones(3)", "np.ones(1)"]),
    "int(x)": ("""
def f(x):
    int(x[0])
    return np.sum(x)
""", ["np.array([np.nan])", "np.ones(1)"]),
    "while vector": ("""
def f(x):
    while x > 0: break
    return np.sum(x)
""", ["np.ones(3)", "np.ones(1)"]),
    "mod zero": ("""
def f(x):
    y = 5 % int(x[0])
    return np.sum(x)
""", ["np.zeros(2)", "np.ones(2)"]),
    "reshape": ("""
def f(x):
    x.reshape(2,2)
    return np.sum(x)
""", ["np.ones(3)", "np.ones(4)"]),
    "broadcast": ("""
def f(x,y):
    x+y
    return np.sum(x)
""", ["np.ones(3),np.ones(2)", "np.ones(4),np.ones(4)"]),
    "assert": ("""
def f(x):
    assert x[0] > 0, 'no'
    return np.sum(x)
""", ["-np.ones(3)", "np.ones(2)"]),
    "raise in helper": ("""
def g(v):
    if v < 0: raise ValueError('bad %g' % v)
    return 1.
def f(x):
    g(x[0])
    return np.sum(x)
""", ["-np.ones(3)", "np.ones(2)"]),
    "list.pop": ("""
def f(x):
    l=[v for v in x if v > 2]
    l.pop()
    return np.sum(x)
""", ["np.ones(3)", "np.ones(2)*3"]),
    "in cond unused": ("""
def f(x):
    y = 1. if x[5] > 0 else 2.
    return np.sum(x)
""", ["np.ones(3)*9", "np.ones(7)"]),
    "and unused": ("""
def f(x):
    y = x[0] > 0 and x[5] > 0
    return np.sum(x)
""", ["np.ones(3)*9", "-np.ones(3)", "np.ones(7)"]),
    "loop bound unused": ("""
def f(x):
    for i in range(int(x[3])): pass
    return np.sum(x)
""", ["np.ones(3)", "np.ones(7)"]),
    "both arms same": ("""
def f(x):
    if x[5] > 0: v = 1.
    else: v = 1.
    return v*np.sum(x)
""", ["np.ones(3)", "np.ones(7)"]),
    "write order2": ("""
def f(x):
    x[0] = 2.
    x[5]
    x[1] = 3.
    return np.sum(x)
""", ["np.ones(3)", "np.ones(7)"]),
    "name of an empty loop": ("""
def f(x):
    for v in x[:0]: pass
    w = v
    return np.sum(x)
""", ["np.ones(3)"]),
    "name of a loop unused": ("""
def f(x):
    for v in x: pass
    w = v
    return np.sum(x)
""", ["np.ones(3)", "np.ones(0)", "np.ones(2)"]),
    "name of a loop, after a write": ("""
def f(x, n):
    for i in range(n): v = x[i] * 2.
    x[0] = 5.
    return v
""", ["np.ones(3),3", "np.ones(3),0", "np.ones(3),2"]),
    "name of a branch unused": ("""
def f(x):
    if x[0] > 3: q = 1.0
    x[0] = 5.
    r = q
    return np.sum(x)
""", ["np.ones(3)", "np.ones(3)*4"]),
    "name of a branch on an argument": ("""
def f(x, n):
    if n > 3: q = 1.0
    x[0] = 2.
    r = q
    return np.sum(x)*r
""", ["np.ones(3),2", "np.ones(4),4"]),
    "added to after the loop": ("""
def f(x):
    t = 0.
    for v in x: t += v
    t += v
    return t
""", ["np.ones(0)", "np.ones(4)"]),
    "name handed to a function": ("""
def g(v): return 1.
def f(x):
    for v in x:
        if v > 3: q = v
    return g(q)*np.sum(x)
""", ["np.ones(3)", "np.ones(3)*5", "np.ones(0)"]),
    "name deleted": ("""
def f(x):
    if x[0] > 3: q = x[0]
    x[1] = 2.
    del q
    return np.sum(x)
""", ["np.ones(3)", "np.ones(3)*5"]),
    "array of a loop": ("""
def f(x, n):
    for i in range(n): w = x * i
    return np.sum(w)
""", ["np.ones(3),3", "np.ones(3),0"]),
    "name of a while loop": ("""
def f(x):
    s = x[0]
    while s < 3.:
        q = s
        s = s * 2
    x[0] = 7.
    return s * q
""", ["np.ones(3)", "np.ones(3)*5"]),
    "name of an iteration before": ("""
def f(x, n):
    for k in range(n):
        if k > 0: y = y + x[k]
        elif x[0] > 0: y = x[0]
    return y
""", ["np.ones(3), 2", "-np.ones(3), 2", "np.ones(3), 0"]),
    "index after the loop": ("""
def f(x):
    for i in range(len(x)):
        if x[i] > 2.: break
    x[i] = 3.
    return np.sum(x)
""", ["np.ones(3)", "np.ones(0)", "np.ones(3)*5"]),
    "array of a branch": ("""
def f(x):
    if x[0] > 2.: y = x * 2
    x[1] = 9.
    return np.sum(y)
""", ["np.ones(3)", "np.ones(3)*5"]),
    "list of a branch": ("""
def f(x):
    if x[0] > 2.: y = [x[0], x[1]]
    x[1] = 9.
    return y[0]
""", ["np.ones(3)", "np.ones(3)*5"]),
    "name printed": ("""
def f(x):
    for v in x:
        if v > 3: q = v
    print(q)
    return np.sum(x)
""", ["np.ones(3)", "np.ones(3)*5", "np.ones(0)"]),
    "name of loops in loops": ("""
def f(x, n, m):
    for i in range(n):
        for j in range(m): v = x[j]
    x[0] = 3.
    w = v
    return np.sum(x)
""", ["np.ones(3),2,3", "np.ones(3),0,2", "np.ones(3),2,0"]),
    "name of an inner loop of any length": ("""
def f(x):
    t = 0.
    for i in range(len(x)):
        for j in range(i): v = x[j]
        t = t + v
    return t
""", ["np.ones(3)", "np.ones(0)"]),
    "name after continue": ("""
def f(x):
    t = 0.
    for e in x:
        if e > 2.: continue
        y = e
        t += y
    x[0] = 3.
    return t + y
""", ["np.ones(3)", "np.ones(0)", "np.ones(3)*5"]),
    "name after break": ("""
def f(x):
    for e in x:
        if e > 3.: break
        y = e
    w = y
    return np.sum(x)
""", ["np.ones(3)", "np.ones(3)*5", "np.array([1., 5.])"]),
    "name bound on every path": ("""
def f(x):
    for e in x:
        if e > 3.:
            y = e
            break
    else:
        y = 0.
    w = y
    return np.sum(x) * y
""", ["np.ones(3)", "np.ones(3)*5", "np.array([1., 5.])"]),
    "name bound at first": ("""
def f(x):
    for i in range(len(x)):
        if i == 0: best = x[i]
        elif x[i] > best: best = x[i]
    return best
""", ["np.ones(3)", "np.ones(3)*5", "np.array([1., 5.])", "np.ones(0)"]),
    "name bound under the same test": ("""
def f(x):
    if x[0] > 3.: y = x * 2
    z = np.sum(x)
    if x[0] > 3.: z = z + y[0]
    return z
""", ["np.ones(3)", "np.ones(3)*5"]),
    "name in a try statement": ("""
def f(x, n):
    try:
        for i in range(n): y = x[i]
        z = y
    except Exception:
        z = 1.
    return z * np.sum(x)
""", ["np.ones(3),0", "np.ones(3)*5,2"]),
    "name before finally": ("""
def f(x, n):
    try:
        for i in range(n): y = x[i]
        z = y
    finally:
        x[0] = 9.
    return z * np.sum(x)
""", ["np.ones(3),0", "np.ones(3)*5,2"]),
    "name that a try statement binds": ("""
def f(x):
    try: y = 1. / float(x[0])
    except ZeroDivisionError: x[1] = 4.
    w = y
    return np.sum(x)
""", ["np.zeros(3)", "np.ones(3)*5"]),
    "function of a branch": ("""
def f(x):
    if x[0] > 3.: g = lambda v: v * x[2]
    x[0] = 2.
    return g(x[1])
""", ["np.zeros(3)", "np.ones(3)*5"]),
    "object of a loop": ("""
class P:
    def __init__(s, v): s.v = v
def f(x):
    for e in x:
        if e > 3.: p = P(e)
    x[0] = 2.
    return p.v * x[1]
""", ["np.zeros(3)", "np.ones(3)*5"]),
    "text of a branch": ("""
def f(x):
    if x[0] > 3.: s = 'big'
    x[0] = 2.
    if s == 'big': return x[1]
    return x[2]
""", ["np.zeros(3)", "np.ones(3)*5"]),
    "body that raises, of a loop over no rows": ("""
def f(x, n):
    for e in x[:n]:
        w = b
    return x[0]
    b = 1.
""", ["np.ones(2),0", "np.ones(2),1"]),
    "arange unused in a loop": ("""
def f(x, n):
    for v in x: np.sum(np.arange(0, 4, n))
    np.linspace(0., 1., n)
    return np.sum(x)
""", ["np.ones(2),0", "np.ones(2),1", "np.ones(2),-1"]),
}


def module_of(text):
    module = types.ModuleType("raising")
    name = f"<raising {id(module)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile("import numpy as np\n" + text, name, "exec"), vars(module))
    linecache.cache[name] = (len(text), None, ["import numpy as np\n", *text.splitlines(True)], name)
    return module


def outcome(call, *args):
    try:
        call(*args)
    except sg.errors.SrcgradError:
        raise
    except Exception as error:
        return type(error), str(error)
    return "a value"


HOW = {"jit": sg.jit, "grad": sg.grad, "value_and_grad": sg.value_and_grad,
       "vjp": lambda f: lambda *args: sg.vjp(f, *args)}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", PROGRAMS)
def test_raises_what_python_raises(name, how):
    text, calls = PROGRAMS[name]
    for call in calls:
        given, ours = (eval(f"({call},)", {"np": np}) for _ in range(2))
        want = outcome(module_of(text).f, *given)
        assert outcome(HOW[how](module_of(text).f), *ours) == want
        if want != "a value" or how in ("jit", "value_and_grad"):
            assert repr(ours) == repr(given)
