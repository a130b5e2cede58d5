"""What only some iterations keep lies on a stack where the loop that goes back takes it in just those
iterations in which it was kept."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def one_of_two(x, n):
    s = x
    while s < 40.0:
        if s > 2.0:
            r = np.sqrt(s)
            s = s * 1.2 + r * np.cos(r) ** 2
        else:
            s = s * 1.5
        s = s + 0.5
    return s


def nested(x, n):
    s = x
    while s < 60.0:
        a = s * x
        if a > 2.0:
            b = np.sin(a)
            if b > 0.3:
                c = np.exp(b * 0.5)
                s = s + c * c
            elif b < -0.5:
                s = s + b * b * np.cos(s)
        s = s * 1.1 + 0.5
    return s


def asked_twice(x, n):
    s, k = x, 0
    while k < n:
        is_large = np.sin(s) > 0.1
        if is_large:
            p = np.exp(-s)
            s = s + p * p
        k += 1
        if is_large:
            q = np.cos(s)
            s = s * q + 1.0
        else:
            s = s + 0.4
    return s


def not_asked(x, n):
    s = x
    for _ in range(n):
        small = s < 1.0
        if not small:
            r = np.log(s)
            s = s * r * r
            if s > 50.0:
                break
        if small:
            s = s + np.exp(s)
    return s


def inner_loops(x, n):
    total, t = 0.0, x
    while t < 5.0:
        if t > 1.5:
            u = t
            while u > 0.6:
                if u > 1.0:
                    v = np.sin(u)
                    total = total + v * v
                u = u * 0.7
            total = total * u
        t = t + 0.6
    return total


def under_another_test(x, n):
    s, weight = x, 0.0
    while s < 20.0:
        r = 1.0
        if s > 2.0:
            r = np.sqrt(s)
        if s * x > 5.0:  # what reads r asks something else
            weight = weight + r * r * r
        s = s * 1.3 + r * 0.1
    return weight


def left_from_within(x, n):
    s = x
    for k in range(n):
        if s > 3.0:
            e = np.exp(-s)
            s = s + e * e
            if s > 3.5:
                break
            s = s + np.sin(e)
        s = s * 1.2
    return s


def large_arrays(x, n):
    a = np.linspace(0.1, 1.0, 5) * x
    k = 0
    while a.sum() < 40.0 and k < n:
        if k % 2:
            b = np.sin(a)
            a = a * b + 1.0
        else:
            a = a * 1.3
        k += 1
    return (a * a).sum()


PROGRAMS = (one_of_two, nested, asked_twice, not_asked, inner_loops, under_another_test,
            left_from_within, large_arrays)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("x", [0.4, 1.1, 2.3])
@pytest.mark.parametrize("n", [0, 1, 7])
def test_derivatives(program, x, n):
    value, slope = sg.value_and_grad(program)(x, n)
    assert value == program(x, n)
    derivative = sg.jvp(program, (x, n), (1.0, 0))[1]
    assert np.isclose(slope, derivative, rtol=1e-12, atol=1e-12)
    back = sg.vjp(program, x, n)[1]
    assert np.isclose(back(1.0)[0], slope, rtol=1e-12) and back(1.0)[0] == back(1.0)[0]
    first = sg.grad(program)
    assert np.isclose(sg.grad(first)(x, n), sg.jvp(first, (x, n), (1.0, 0))[1],
                      rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("program", [
    p for p in PROGRAMS if p not in (not_asked, left_from_within)])  # whose lengths are known
def test_no_place_is_kept_for_what_is_not_there(program):
    text = sg.grad(program).source(1.1, 7)
    assert ".pop()" in text and "None" not in text
