"""The pure interpreter on graphs built by hand."""

import operator

import numpy as np
import pytest

from srcgrad.graph.infer import infer
from srcgrad.graph.interpret import UNDEFINED, interpret
from srcgrad.graph.ir import Builder, Graph, Index, LoopSpec, Ref, Through
from srcgrad.types.dims import symbol
from srcgrad.types.kinds import BOOL, FLOAT, INT, array, int_aval, list_of, scalar

N = symbol("n")
VECTOR = array(float, (N,))


def graph(builder, *outputs, **kwargs):
    return Graph("g", builder.block(outputs), **kwargs)


def run(g, *inputs):
    return interpret(g, *inputs, check=True)


def call(b, fn, *args):
    avals = tuple(a.aval if hasattr(a, "aval") else a for a in args)
    return b.apply(fn, args, {}, infer(fn, avals).aval)


def test_write_makes_a_new_version():
    b = Builder()
    x = b.param(VECTOR, "x")
    v = b.param(FLOAT, "v")
    y = b.add("write", (x, v), (VECTOR,), steps=(Index(0),)).out
    x_in = np.arange(3.0)
    old, new = run(graph(b, x, y), x_in, 7.0)
    assert old.tolist() == [0, 1, 2] and new.tolist() == [7, 1, 2]
    assert old is x_in


def test_write_through_a_view_of_a_view():
    b = Builder()
    x = b.param(array(float, (N, N)), "x")
    i = b.param(INT, "i")
    y = b.add("write", (x, b.const(9.0, FLOAT), i), (x.aval,),
              steps=(Through(np.transpose), Index((slice(Ref(2), None),)), Index(0))).out
    (out,) = run(graph(b, y), np.zeros((3, 3)), 1)
    assert out[:, 1].tolist() == [9, 9, 9] and out.sum() == 27


def test_write_through_a_copy_is_an_error():
    b = Builder()
    x = b.param(array(float, (N, N)), "x")
    y = b.add("write", (x, b.const(9.0, FLOAT)), (x.aval,),
              steps=(Through(np.ravel), Index(0))).out
    run(graph(b, y), np.zeros((3, 3)))
    with pytest.raises(AssertionError, match="are not a view"):
        run(graph(b, y), np.zeros((6, 3))[::2])


def test_acc_adds_up_repeated_indices():
    b = Builder()
    x = b.param(VECTOR, "x")
    i = b.param(array(int, (3,)), "i")
    y = b.add("acc", (x, b.const(1.0, FLOAT), i), (VECTOR,),
              steps=(Index(Ref(2), basic=False),)).out
    (out,) = run(graph(b, y), np.zeros(4), np.array([1, 1, 3]))
    assert out.tolist() == [0, 2, 0, 1]


def test_acc_of_a_whole_and_of_a_number():
    b = Builder()
    x, s = b.param(VECTOR, "x"), b.param(scalar(float), "s")
    y = b.add("acc", (x, s), (VECTOR,), steps=()).out
    z = b.add("acc", (s, s), (s.aval,), steps=()).out
    out, number = run(graph(b, y, z), np.zeros(2), np.float64(2))
    assert out.tolist() == [2, 2] and number == 4


def test_update_is_in_place_arithmetic():
    b = Builder()
    x = b.param(array(np.float32, (N,)), "x")
    y = b.add("update", (x, b.const(2.5, FLOAT)), (x.aval,), steps=(Index(slice(1, None)),),
              fn=operator.imul).out
    (out,) = run(graph(b, y), np.ones(3, np.float32))
    assert out.dtype == np.float32 and out.tolist() == [1, 2.5, 2.5]


def loop_body(outputs, *params):
    body = Builder()
    values = [body.param(a, h) for a, h in params]
    return body.block(tuple(outputs(body, *values)))


@pytest.mark.parametrize("n", [0, 1, 5])
def test_for_carries_produces_and_keeps_the_last(n):
    b = Builder()
    start, stop, step = b.const(0, int_aval(0)), b.param(INT, "n"), b.const(2, int_aval(2))
    total = b.const(0.0, FLOAT)
    body = loop_body(lambda q, i, s: [call(q, operator.add, s, i), i, call(q, operator.mul, s, s)],
                     (INT, "i"), (FLOAT, "s"))
    node = b.add("loop", (start, stop, step, total), (FLOAT, INT, list_of(FLOAT), INT), (body,),
                 loop=LoopSpec("for", n_carried=1, n_last=1, n_produced=1))
    total_, last, squares, trips = run(graph(b, *node.outputs), n)
    expected, seen, s = [], UNDEFINED, 0.0
    for i in range(0, n, 2):
        expected.append(s * s)
        seen = i
        s = s + i
    assert (total_, squares, trips) == (s, expected, len(expected))
    assert last == seen


def test_reversed_loop_keeps_ordinals():
    b = Builder()
    bounds = [b.const(k, int_aval(k)) for k in (0, 4, 1)]
    xs = b.param(list_of(FLOAT), "xs")
    body = loop_body(lambda q, i, s, x: [call(q, operator.add, call(q, operator.mul, s, 2.0), x),
                                         call(q, operator.mul, x, i)],
                     (INT, "i"), (FLOAT, "s"), (FLOAT, "x"))
    node = b.add("loop", (*bounds, b.const(0.0, FLOAT), xs), (FLOAT, list_of(FLOAT), INT), (body,),
                 loop=LoopSpec("for", n_carried=1, n_consumed=1, n_produced=1, reverse=True))
    s, made, trips = run(graph(b, *node.outputs), [1.0, 2.0, 3.0, 4.0])
    assert s == ((4.0 * 2 + 3) * 2 + 2) * 2 + 1
    assert made == [0.0, 2.0, 6.0, 12.0] and trips == 4


def test_consumed_sequence_of_the_wrong_length():
    b = Builder()
    bounds = [b.const(k, int_aval(k)) for k in (0, 4, 1)]
    xs = b.param(list_of(FLOAT), "xs")
    body = loop_body(lambda q, i, x: [], (INT, "i"), (FLOAT, "x"))
    node = b.add("loop", (*bounds, xs), (INT,), (body,), loop=LoopSpec("for", n_consumed=1))
    with pytest.raises(AssertionError, match="consumes a sequence"):
        run(graph(b, *node.outputs), [1.0])


def test_while_with_exit_and_stacked_sequence():
    b = Builder()
    x = b.param(FLOAT, "x")
    test = Builder()
    s = test.param(FLOAT, "s")
    pred = call(test, operator.lt, s, 100.0)
    body = Builder()
    s2 = body.param(FLOAT, "s")
    doubled = call(body, operator.mul, s2, 2.0)
    big = call(body, operator.gt, doubled, 20.0)
    jump = body.apply(int, (big,), {}, INT)
    node = b.add("loop", (x,), (INT, FLOAT, array(float, (symbol("k", varying=True),)), INT),
                 (test.block((pred,)), body.block((jump, doubled, s2))),
                 loop=LoopSpec("while", n_carried=1, n_produced=1, exits=True, stacked=(True,)))
    g = graph(b, *node.outputs)
    jump, s, seen, trips = run(g, 3.0)
    assert (jump, s, seen.tolist(), trips) == (1, 24.0, [3.0, 6.0, 12.0], 3)
    assert isinstance(seen, np.ndarray)
    jump, s, _, trips = run(g, 99.5)
    assert (jump, s, trips) == (1, 199.0, 1)


def test_while_without_iteration():
    b = Builder()
    test, body = Builder(), Builder()
    node = b.add("loop", (), (INT,), (test.block((test.const(False, BOOL),)), body.block(())),
                 loop=LoopSpec("while"))
    assert run(graph(b, *node.outputs)) == [0]


def test_if_runs_one_arm():
    b = Builder()
    p, x = b.param(BOOL, "p"), b.param(FLOAT, "x")
    seen = []

    def arm(factor):
        inner = Builder()
        inner.add("effect", (x,), (), fn=lambda v: seen.append((factor, v)), args=(Ref(0),),
                  kwargs={})
        return inner.block((call(inner, operator.mul, x, factor),))

    node = b.add("if", (p,), (FLOAT,), (arm(2.0), arm(3.0)))
    assert run(graph(b, node.out), True, 5.0) == [10.0]
    assert run(graph(b, node.out), False, 5.0) == [15.0]
    assert seen == [(2.0, 5.0), (3.0, 5.0)]


def test_deep_nesting_needs_no_recursion():
    b = Builder()
    x = b.param(FLOAT, "x")
    inner = Builder()
    out = call(inner, operator.add, x, 1.0)
    block = inner.block((out,))
    for _ in range(3000):
        outer = Builder()
        p = outer.const(True, BOOL)
        node = outer.add("if", (p,), (FLOAT,), (block, Builder().block((x,))))
        block = outer.block((node.out,))
    assert interpret(Graph("deep", block.but(params=(x,))), 1.0) == [2.0]


def test_recursive_call():
    b = Builder()
    n, x = b.param(INT, "n"), b.param(FLOAT, "x")
    stop = call(b, operator.le, n, 0)
    rest = Builder()
    inner = rest.add("call", (call(rest, operator.sub, n, 1), x), (FLOAT,), callee="power").out
    out = b.add("if", (stop,), (FLOAT,), (
        (lambda q: q.block((q.const(1.0, FLOAT),)))(Builder()),
        rest.block((call(rest, operator.mul, x, inner),)))).out
    power = graph(b, out)
    main = Builder()
    args = main.param(INT, "n"), main.param(FLOAT, "x")
    result = main.add("call", args, (FLOAT,), callee="power").out
    assert run(graph(main, result, callees={"power": power}), 10, 2.0) == [1024.0]


def test_lists_are_values():
    b = Builder()
    x = b.param(FLOAT, "x")
    zero = b.const(0, int_aval(0))
    floats = list_of(FLOAT)
    a = b.add("list", (x, x), (floats,)).out
    longer = b.add("append", (a, b.const(5.0, FLOAT)), (floats,)).out
    put = b.add("put", (longer, b.const(9.0, FLOAT), zero), (floats,)).out
    inserted = b.add("insert", (put, b.const(0.5, FLOAT), zero), (floats,)).out
    popped, element = b.add("pop", (inserted, zero), (floats, FLOAT)).outputs
    rest, last = b.add("pop", (popped,), (floats, FLOAT)).outputs
    count = b.add("list_len", (rest,), (INT,)).out
    like = b.add("list_like", (rest,), (floats,)).out
    added = b.add("list_acc", (like, x, zero), (floats,)).out
    twice = b.add("list_acc", (added, x, zero), (floats,)).out
    got = b.add("get", (twice, zero), (FLOAT,)).out
    out = run(graph(b, a, longer, put, inserted, popped, element, rest, last, count, twice, got),
              1.0)
    assert out == [[1, 1], [1, 1, 5], [9, 1, 5], [0.5, 9, 1, 5], [9, 1, 5], 0.5, [9, 1], 5.0, 2,
                   [2.0, 0.0], 2.0]


def test_several_outputs_and_in_place_operators_are_pure():
    b = Builder()
    x = b.param(VECTOR, "x")
    parts = b.apply_many(np.modf, (x,), {}, (VECTOR, VECTOR))
    y = b.apply(operator.iadd, (x, 1.0), {}, VECTOR)
    x_in = np.array([1.25])
    frac, whole, up = run(graph(b, *parts, y), x_in)
    assert (frac.tolist(), whole.tolist(), up.tolist(), x_in.tolist()) == (
        [0.25], [1.0], [2.25], [1.25])


def test_check_compares_kinds_and_sizes():
    b = Builder()
    x = b.param(VECTOR, "x")
    y = b.param(VECTOR, "y")
    total = b.apply(np.sum, (x,), {}, FLOAT)
    with pytest.raises(AssertionError, match="expected float, found scalar:f8"):
        run(graph(b, total), np.ones(2), np.ones(2))
    with pytest.raises(AssertionError, match="should be n = 2, is 3"):
        run(graph(b, y), np.ones(2), np.ones(3))
