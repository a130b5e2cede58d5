"""The text of graphs is readable and deterministic."""

import operator

import numpy as np

from srcgrad.errors import Where
from srcgrad.graph.ir import Builder, Graph, Index, LoopSpec, Origin, Ref, Through
from srcgrad.types.dims import symbol
from srcgrad.types.kinds import BOOL, FLOAT, INT, array, int_aval
from srcgrad.types.spelling import Attribute, Method

N = symbol("n")
VECTOR = array(float, (N,))


def example():
    b = Builder(Origin(Where("heat.py", 3, "heat", "    u[1:] += c * u[:-1]")))
    u, c, p = b.param(VECTOR, "u"), b.param(FLOAT, "c"), b.param(BOOL, "p")
    size = b.add("dim", (u,), (int_aval(N),), axis=0).out
    body = Builder()
    i, w = body.param(INT, "i"), body.param(VECTOR, "u")
    part = body.add("read", (w,), (VECTOR,), steps=(Index(slice(None, -1)),)).out
    term = body.apply(operator.mul, (c, part), {}, VECTOR)
    new = body.add("update", (w, term), (VECTOR,), steps=(Index(slice(1, None)),),
                   fn=operator.iadd).out
    put = body.add("write", (new, c, i), (VECTOR,), steps=(Through(np.flip), Index(Ref(2)))).out
    zero, one = b.const(0, int_aval(0)), b.const(1, int_aval(1))
    loop = b.add("loop", (zero, size, one, u), (VECTOR, INT), (body.block((put,)),),
                 loop=LoopSpec("for", n_carried=1))
    then, orelse = Builder(), Builder()
    blocks = (then.block((then.apply(Method("sum"), (loop.outputs[0],), {"axis": 0}, FLOAT),)),
              orelse.block((orelse.apply(np.max, (loop.outputs[0],), {}, FLOAT),)))
    out = b.add("if", (p,), (FLOAT,), blocks).out
    b.add("effect", (out,), (), fn=print, args=("result", Ref(0)), kwargs={})
    b.apply(Attribute("T"), (u,), {}, VECTOR)
    return Graph("heat", b.block((out,)), border=7, notes=("a note",))


EXPECTED = """\
graph heat(u: f8[n], c: float, p: bool)
  # a note
  t.1: int(n) = u.shape[0]  # line 3: u[1:] += c * u[:-1]
  t.2: int(0) = 0
  t.3: int(1) = 1
  t.4: f8[n], t.5: int = for t.2, t.1, t.3; carry u
  do (i: int, u.2: f8[n])
    t.6: f8[n] = read u.2[:-1]
    t.7: f8[n] = c * t.6
    t.8: f8[n] = update u.2[1:] += t.7
    t.9: f8[n] = write t.8|flip()[i] = c
    yield t.9
  t.10: float = if p
  then
    t.11: float = t.4.sum(axis=0)
    yield t.11
  else
    t.12: float = max(t.4)
    yield t.12
  effect print('result', t.10)
  t.13: f8[n] = u.T
  ---- backward ----
  return t.10"""


def test_text():
    assert str(example()) == EXPECTED


def test_text_does_not_depend_on_what_was_printed_before():
    assert str(example()) == str(example())


def test_callees_follow():
    graph = example()
    assert str(graph.but(name="main", callees={"heat": graph})).count("graph heat(") == 1
