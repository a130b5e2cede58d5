"""Programs with classes that derive from ndarray: the chain, order 2, forward mode, export."""

from __future__ import annotations

import array_classes
import array_classes_calls
import array_classes_found
import array_classes_manual
import array_classes_matrix
import array_classes_mixed
import array_classes_protocols
import array_classes_units
import numpy as np
import pytest
from array_classes import Signal, Vec, Weighted, X
from chain import check, check_exported, check_orders, run_quietly, same
from generator import made

import srcgrad as sg
from srcgrad.errors import SrcgradError

MODULES = (array_classes, array_classes_found, array_classes_manual, array_classes_matrix,
           array_classes_mixed, array_classes_protocols, array_classes_units)
PROGRAMS = [pytest.param(fn, args, id=fn.__name__)
            for module in MODULES for fn, args in module.CASES]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program(fn, args):
    check(fn, args, staged=False, passes=False, oracle=False)


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program_at_length(fn, args, tmp_path):
    check(fn, args)
    check_orders(fn, args)
    check_exported(fn, args, tmp_path)


def results(v):
    s = Signal(v, rate=v[0])
    return {"whole": s, "part": s[1:] * 2, "parts": [s.view(Vec), s.sum()], "plain": np.asarray(s)}


def test_results_have_the_class():
    got, want = sg.jit(results)(X), results(X)
    assert same(got, want)
    assert type(got["part"]) is Signal and got["part"].rate == X[0]


def test_an_argument_is_returned_as_it_is():
    s = Signal(X, 2.0)
    assert sg.jit(lambda s: s)(s) is s


def test_the_class_is_guarded():
    fn = sg.value_and_grad(lambda s: float((s * 2).sum()) * getattr(s, "rate", 1.0))
    for array, rate in ((Signal(X, 3.0), 3.0), (X, 1.0), (X.view(Vec), 1.0), (Signal(X, 4.0), 4.0),
                        (Weighted(X, 2.0), 5.0)):
        value, slope = fn(array)
        assert np.isclose(value, 2 * X.sum() * rate)
        assert type(slope) is np.ndarray and np.allclose(slope, 2 * rate)


def test_one_instance_as_two_arguments():
    def program(a, b):
        a[0] = 5.0
        a.rate = 2.0
        return float(b.sum() * b.rate)

    s = Signal(X * 1.0, 1.0)
    assert np.isclose(sg.jit(program)(s, s), 2 * (5.0 + X[1:].sum()))
    assert s[0] == 5.0 and s.rate == 2.0


def test_no_finalizer_runs_in_generated_code():
    class Counted(np.ndarray):
        def __array_finalize__(self, obj):
            made.append(0)

    made = []
    array = X.view(Counted)

    def program(a, scale):
        return float((np.asarray(a) * scale).sum())

    fn = sg.value_and_grad(program)
    fn(array, 2.0)
    before = len(made)
    assert np.isclose(fn(array, 3.0)[0], 3 * X.sum()) and len(made) == before


def test_vjp_and_jvp_of_instances():
    def program(v):
        return np.sin(Signal(v, rate=2.0))

    out, pull = sg.vjp(program, X)
    assert type(out) is Signal and np.allclose(pull(np.ones(4))[0], np.cos(X))
    out, moved = sg.jvp(program, (X,), (np.ones(4),))
    assert np.allclose(np.asarray(moved), np.cos(X))
    assert np.allclose(sg.jacobian(lambda v: np.asarray(program(v)))(X), np.diag(np.cos(X)))
    s = Signal(X, 2.0)
    for jacobian in (sg.jacobian, sg.jacrev, sg.jacfwd):
        assert np.allclose(jacobian(lambda s: np.sin(s) * s.rate)(s), 2 * np.diag(np.cos(X)))
    assert np.allclose(sg.hessian(Signal.energy)(s), np.eye(4))


def test_stopped_instances():
    slope = sg.grad(lambda s: float((sg.stop_gradient(s) * s).sum() * s.rate))(Signal(X, 2.0))
    assert np.allclose(slope, 2 * X)


def test_attributes_of_the_class_are_read_at_every_call():
    fn = sg.value_and_grad(array_classes.with_slots)
    before = float(fn(X)[0])
    array_classes.Slotted.count = 5
    try:
        assert np.isclose(float(fn(X)[0]), before + 2)
    finally:
        array_classes.Slotted.count = 3


def test_effects_keep_instances():
    log = []

    def program(v):
        s = Signal(v, rate=v[0])
        log.append(s * 2)
        print(s)
        return float(s.energy())

    sg.grad(program)(X)
    assert type(log[-1]) is Signal and log[-1].rate == X[0] and np.allclose(log[-1], 2 * X)


class Summed(np.ndarray):
    def sum(self, *args, **kwargs):
        return 2 * np.ndarray.sum(np.asarray(self), *args, **kwargs)

    def __getitem__(self, key):
        return super().__getitem__(key)


def while_loop(v):
    s, total = Signal(v), 0.0
    while total < v[0]:
        total = total + s.energy()
    return float(total)


class Measured(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return getattr(ufunc, method)(*(np.asarray(x) for x in inputs), **kwargs).view(Measured)


class Buffered(np.ndarray):
    def __new__(cls, data):
        return super().__new__(cls, shape=data.shape, dtype=data.dtype, buffer=data,
                               strides=data.strides)


def stacked_in_order(v):
    return np.stack(sorted([Signal(v), Signal(v * 2.0)], key=lambda s: s.energy())).sum()


def test_instances_that_data_put_in_order():
    check(stacked_in_order, (X,), staged=False, passes=False, oracle=False)


REFUSED = [
    (lambda v: np.median(v.view(Summed)), r"found by an example(?s:.)*np.asarray"),
    (lambda v: v.view(Measured).cumsum(), r"ndarray.cumsum(?s:.)*calls Measured.__array_ufunc__"),
    (lambda v: np.vectorize(lambda a: a * a + 1)(Signal(v)).sum(), r"no example(?s:.)*asarray"),
    (lambda v: np.apply_along_axis(lambda r: (r**2).sum(), 0, Signal(v)).sum(),
     r"numpy.apply_along_axis(?s:.)*no example(?s:.)*asarray"),
    (lambda v: np.piecewise(Signal(v), [v < 0, v >= 0], [lambda x: x**2, lambda x: 3 * x]).sum(),
     r"numpy.piecewise(?s:.)*no example(?s:.)*asarray"),
    (lambda v: Buffered(v * 2.0).sum(), r"over a part of a buffer(?s:.)*asarray"),
    # a loop that turns a float into an array
    (lambda v: while_loop(v), "refers to 0.0 on one path and to a Signal"),
    (lambda v: sg.vmap(lambda x: x.sum())(Signal(v)).sum(), r"is mapped over axis 0 of a Signal(?s:.)*asarray"),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("cls", "most"), array_classes_calls.CLASSES.items())
def test_calls(cls, most):
    """Each call gives what NumPy gives, to the class and the attributes, or is refused."""
    refused = []
    for call in array_classes_calls.CALLS:
        program = made("import numpy as np\nfrom array_classes_calls import *\n\ndef program(v):\n"
                       f"    s = v.view({cls.__name__})\n    return {call}\n", call)
        try:
            assert same(run_quietly(sg.jit(program), (X,)), run_quietly(program, (X,))), call
        except SrcgradError:
            refused.append(call)
    assert len(refused) <= most, refused


@pytest.mark.parametrize(("fn", "words"), REFUSED)
def test_refused(fn, words):
    with pytest.raises(SrcgradError, match=words):
        sg.grad(fn)(X)
