"""``scipy.integrate.odeint`` on functions of the program: SciPy's values, derivatives by steps to the
same tolerance."""

import numpy as np
import pytest

import srcgrad as sg

integrate = pytest.importorskip("scipy.integrate")
TIMES = np.array([0.0, 0.4, 1.1, 1.5])
START = np.array([1.0, 0.7])


def hunted(y, t, a, b):
    return [a * y[0] - b * y[0] * y[1], -y[1] + 0.5 * y[0] * y[1] + 0.1 * np.sin(t)]


def followed(y0, a, b, t):
    return np.sum(np.sin(integrate.odeint(hunted, y0, t, args=(a, b))))


ARGUMENTS = (START, 1.1, 0.4, TIMES)


def difference(function, i, direction, step=1e-4):
    ends = [list(ARGUMENTS) for _ in range(2)]
    for end, sign in zip(ends, (1, -1)):
        end[i] = end[i] + sign * step * direction
    return (function(*ends[0]) - function(*ends[1])) / (2 * step)


@pytest.mark.sweep
def test_derivatives_by_start_parameters_and_times():
    assert sg.jit(followed)(*ARGUMENTS) == followed(*ARGUMENTS)
    value, found = sg.value_and_grad(followed, argnums=(0, 1, 2, 3))(*ARGUMENTS)
    assert value == followed(*ARGUMENTS)
    for i, direction in enumerate((np.array([0.3, -1.0]), 1.0, 1.0, np.array([0.2, 1.0, -1.0, 0.5]))):
        np.testing.assert_allclose(np.sum(found[i] * direction), difference(followed, i, direction),
                                   rtol=1e-6)


@pytest.mark.sweep
def test_second_derivatives_and_forward_mode():
    slope = sg.grad(followed, argnums=1)
    wide, narrow = (difference(slope, 1, 1.0, step) for step in (1e-3, 5e-4))
    want = narrow + (narrow - wide) / 3  # without the error of the second order, which is 1e-4
    found = sg.jvp(lambda a: slope(START, a, 0.4, TIMES), (1.1,), (1.0,))[1]
    np.testing.assert_allclose(found, want, rtol=1e-5)


@pytest.mark.sweep
def test_a_number_a_closure_and_time_first():
    def decayed(rate):
        def slope(t, y):
            return -rate * y * t

        return integrate.odeint(slope, 1.0, [0.0, 2.0], tfirst=True)[-1, 0]

    np.testing.assert_allclose(sg.grad(decayed)(0.6), -2 * np.exp(-1.2), rtol=1e-6)
    np.testing.assert_allclose(sg.jit(decayed)(0.6), decayed(0.6), rtol=0)


@pytest.mark.parametrize("option", ["full_output", "Dfun"])
def test_what_is_refused(option):
    def refused(a):
        return integrate.odeint(hunted, START, TIMES, args=(a, 0.4), **{option: hunted})[0]

    with pytest.raises(sg.SrcgradError, match=option):
        sg.grad(refused)(1.1)
