"""What a program asks of the dtype of a value that is one thing on one path, and another on the
other, is answered by the run; so is the type of whatever is made of it."""

from __future__ import annotations

import numpy as np
import pytest
from chain import check

import srcgrad as sg

PLUS, MINUS = np.array([0.5, 1.0, -2.0]), np.array([-0.5, -1.0, -2.0])


def turned(x):
    return x * 1j if x[0] > 0 else x * 1.0


def buffer_of_its_dtype(x):
    z = turned(x)
    buffer = np.zeros(3, dtype=z.dtype)
    buffer[:] = z
    return buffer.itemsize + np.sum(np.abs(buffer) ** 2)


def buffer_of_the_common_dtype(x):
    z = turned(x)
    buffer = np.zeros(3, dtype=np.result_type(z, np.float32))
    return float(buffer.itemsize) + np.sum(np.abs(z) ** 2)


def asked_in_a_loop(x):
    z = x * 1.0
    total = 0.0
    for k in range(3):
        total += 10.0 * np.iscomplexobj(z)
        if x[k] > 0:
            z = z * 1j
    return total + 3.0 * np.isrealobj(z.T[::-1]) + np.sum(np.abs(z))


def asked_of_what_is_made_of_it(x):
    z = turned(x)
    w = np.zeros_like(z)
    w[0] = 1
    w += z
    pair = [z, w]
    return np.sum(np.abs(w)) + w.nbytes + w.dtype.itemsize + np.iscomplexobj(pair)


def counts_or_numbers(x):
    z = np.arange(3) if x[0] > 0 else np.arange(3) * 1.0
    z = z // 1
    if np.issubdtype(z.dtype, np.integer):
        return x.sum() * z[1]
    return x[1] * z[2]


def kinds_of_scalars(x):
    z = x[0] * 1j if x[0] > 0 else x[0] * 1.0
    weight = 1.0
    if isinstance(z, complex):
        weight = 3.0
    elif z.dtype.kind == "f":
        weight = 5.0
    return weight * abs(z) + x[1]


def kind_of_the_dtype(x):
    z = turned(x)
    kind = z.dtype.kind
    scale = 2.0
    if kind == "c":
        scale = x[1]
    if z.dtype == np.float64:
        scale = scale * 4.0
    return scale * np.sum(np.abs(z)) + float(np.finfo(z.dtype).bits)


@pytest.mark.parametrize("x", [PLUS, MINUS], ids=["plus", "minus"])
@pytest.mark.parametrize("program", [
    buffer_of_its_dtype, buffer_of_the_common_dtype, asked_in_a_loop, asked_of_what_is_made_of_it,
    counts_or_numbers, kinds_of_scalars, kind_of_the_dtype,
], ids=lambda f: f.__name__)
def test_types_by_path(program, x):
    check(program, (x,))


def test_a_result_that_is_complex_on_some_paths_has_no_gradient():
    with pytest.raises(sg.NonScalarOutput, match="on some paths a float64"):
        sg.grad(lambda x: np.sum(turned(x)))(PLUS)


def things_asked_by_data(x, t):
    number_or_array = 0.5 if x[0] > t else x
    count_or_text = 1 if x[0] > t else "ab"
    count_or_none = len(x) if x[0] > t else None
    narrow = np.float32(0.5)
    for v in x:
        if v > t:
            narrow = 2
    flag_or_none = False if x[0] > t else None
    return [bool(flag_or_none), hasattr(number_or_array, "__len__"), hasattr(count_or_text, "upper"),
            type(count_or_none) is int, count_or_none == len(x), isinstance(narrow, int),
            len(number_or_array) if hasattr(number_or_array, "__len__") else -1]


def texts_of_what_data_choose(x, t):
    pair = (1, 2) if x[0] > t else "ab"
    place = 3 if x[0] > t else None
    print(f"{pair} {place}", [pair])
    return f"{pair!r:>8}", "%s %s" % (pair, place), "{} {}".format(pair, place)


@pytest.mark.parametrize("program", [things_asked_by_data, texts_of_what_data_choose])
def test_what_a_thing_is_is_asked_of_the_run(program, capsys):
    x = np.array([0.9, 0.2])
    compiled = sg.jit(program)
    for t in (0.5, 1.0):
        want = program(x, t), capsys.readouterr().out
        assert (compiled(x, t), capsys.readouterr().out) == want


def divided_by_nothing(x, t):
    """Python's number raises where NumPy's does not."""
    out, last = 0.0, t
    for last in x:
        pass
    try:
        out += last / out
    except ZeroDivisionError:
        out += 9.0 * t
    return out


def test_divisions_by_zero_raise_where_python_s_numbers_do():
    derivative = sg.value_and_grad(divided_by_nothing, argnums=(0, 1))
    with np.errstate(all="ignore"):
        for x in (np.array([0.9, 0.2]), np.zeros(0), np.array([-0.5])):
            value, (d_x, _) = derivative(x, 0.5)
            assert repr(value) == repr(divided_by_nothing(x, 0.5)) and d_x.shape == x.shape
