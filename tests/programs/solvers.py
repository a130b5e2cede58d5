"""Programs that hand functions of theirs to SciPy's solvers and integrators."""

from __future__ import annotations

import numpy as np
import scipy.integrate as si
import scipy.interpolate
import scipy.optimize as so
import scipy.signal

CASES = []
STEPS = []  # long to compile
NOISY = []  # what is found has an error that hides differences of 1e-6


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


def steps(*args):
    def register(fn):
        STEPS.append((fn, args))
        return fn

    return register


def noisy(*args):
    def register(fn):
        NOISY.append((fn, args))
        return fn

    return register


# ---- integrals -----------------------------------------------------------------------------------
@case(1.3)
def gaussian_integral(p):
    return si.quad(lambda x: np.exp(-p * x * x), -np.inf, np.inf)[0]


@case(1.3)
def limits_and_integrand_move(p):
    return si.quad(lambda x: np.sin(p * x), p, p * p + 1)[0]


@case(1.3)
def limit_is_the_parameter(p):  # its second derivative adds two results of one call
    return si.quad(lambda y: p * y * y, 0.0, p)[0]


def curve(x, a, b):
    return a * x * x + np.cos(b * x)


@case(1.3)
def parameters_by_args(p):
    return si.quad(curve, 0, 1, args=(p, p * p))[0]


@noisy(0.8)
def integrand_is_an_array_without_axes(p):
    curve = scipy.interpolate.interp1d(np.linspace(0.0, 1.0, 3), p * np.array([0.4, p, 0.7]))
    return si.quad(lambda x: curve(x) * x, 0.1, p)[0] + si.quad(curve, 0.0, 0.3)[0]


@case(np.array([0.3, 0.7, 1.1]))
def array_in_the_integrand(w):
    y, _ = si.quad(lambda x: np.sum(w * np.array([1.0, x, x * x])) ** 2, 0, 1)
    return y


@case(1.3)
def integrand_branches(p):
    def f(x):
        if x < 0.5:
            return p * x
        return p * p * x

    return si.quad(f, 0, 1, points=[0.5])[0]


@case(1.3)
def integrals_in_a_loop(p):
    total = 0.0
    for k in range(3):
        total += si.quad(lambda x: np.exp(-p * x * k), 0, 1)[0]
    return total


@case(1.3)
def double_integral(p):
    return si.dblquad(lambda y, x: np.exp(-p * x * y), 0, 1, lambda x: 0.0, lambda x: x * p)[0]


@case(1.3)
def integral_over_ranges(p):
    return si.nquad(lambda x, y: p * x * y, [[0, 1], [0, p]])[0]


@case(1.3)
def integral_of_roots(p):
    return si.quad(lambda x: so.brentq(lambda z: z**3 - p * x - 1, 0, 5), 0, 1)[0]


# ---- peaks ---------------------------------------------------------------------------------------
@case(np.array([0.3, 1.2, 0.7, 2.0, -0.4, 0.9, 0.15]))
def heights_of_peaks(x):
    every, _ = scipy.signal.find_peaks(x)
    high, found = scipy.signal.find_peaks(x, height=1.0, distance=2)
    return np.sum(x[every] ** 2 * every) + np.sum(found["peak_heights"] ** 3) + len(high)


# ---- roots ---------------------------------------------------------------------------------------
@case(1.3)
def bracketed_root(p):
    return so.brentq(lambda x, c: x * x - c, 0.0, 10.0, args=(p,)) + so.bisect(
        lambda x: np.cos(x) - p * x, 0.0, 2.0, xtol=1e-14)


@case(1.3)
def newton_with_derivative(p):
    return so.newton(lambda x: x**3 - p, 1.0, fprime=lambda x: 3 * x * x)


@case(1.3)
def newton_of_an_array(p):
    return np.sum(so.newton(lambda x: x**3 - p * np.array([1.0, 2.0]), np.array([1.0, 1.5])))


@case(1.3)
def equations_as_a_list(p):
    def equations(v):
        x, y = v
        return [x * x + y * y - p * 4, x - y * p]

    a, b = so.fsolve(equations, [1.0, 1.0])
    return a * b


@case(np.array([1.3, 0.4]))
def fixed_point(p):
    return np.sum(so.fixed_point(lambda x: np.sqrt(p / (x + np.array([1.0, 2.0]))),
                                 np.array([1.2, 1.3]), xtol=1e-13))


@case(1.3)
def root_that_must_converge(p):
    found = so.root_scalar(lambda x: x**3 - p, bracket=[0, 3])
    if not found.converged:
        raise ValueError(found.flag)
    return found.root


@case(1.3)
def root_of_a_system(p):
    found = so.root(lambda x: np.array([x[0] ** 2 - p, x[0] * x[1] - 1.0]), np.ones(2),
                    jac=lambda x: np.array([[2 * x[0], 0.0], [x[1], x[0]]]), tol=1e-13)
    return np.sum(found.x) if found.success else 0.0


@case(1.3)
def no_root_in_the_bracket(p):
    try:
        found = so.brentq(lambda z: z * z - p, 2.0, 3.0)
    except ValueError:
        found = p * p
    try:
        found += so.newton(lambda z: z * z + p, 1.0, maxiter=5)
    except RuntimeError:
        found *= 3.0
    return found


class Unfit(Exception):
    pass


@case(1.3)
def integrand_raises(p):
    def f(x):
        if x > 0.5:
            raise Unfit("too far")
        return p * x

    try:
        return si.quad(f, 0, 1)[0]
    except Unfit:
        return p**3


# ---- minima --------------------------------------------------------------------------------------
@noisy(1.3)
def place_of_a_minimum(p):
    found = so.minimize(lambda x, c: np.sum((x - c) ** 2) + np.sum(x**4), np.zeros(3), args=(p,),
                        tol=1e-12)
    return np.sum(found["x"])


@noisy(1.3)
def value_of_a_minimum(p):
    return so.minimize(lambda x: (x[0] - p) ** 2 + (x[1] - p) ** 2 * x[0] + p * p,
                       np.array([0.5, 0.5]), method="BFGS", tol=1e-10).fun


@noisy(1.3)
def minimum_within_bounds(p):
    return so.minimize_scalar(lambda x: (x - p) ** 2 + x**4, bounds=(-3, 3), method="bounded",
                              options={"xatol": 1e-10}).x


@noisy(1.3)
def residuals_to_leastsq(p):
    def residuals(z, offset):
        return z[0] * np.exp(-z[1] * T) - p * np.exp(-0.7 * T) - offset * T

    found, flag = so.leastsq(residuals, [1.0, 0.5], args=(0.1 * p,))
    if flag not in (1, 2, 3, 4):
        raise RuntimeError(flag)
    return np.sum(found ** 2)


def bowl(z, p):
    return (z[0] - p) ** 2 + np.cosh(z[1] - p * z[0])


@noisy(1.3)
def minimum_by_simplex(p):
    return np.sum(so.fmin(bowl, [1.0, 0.5], args=(p,), xtol=1e-10, ftol=1e-14, disp=False) ** 2)


@noisy(0.8)
def minima_by_older_functions(p):
    start = np.array([1.0, 0.5])
    found = [so.fmin_bfgs(bowl, start, args=(p,), gtol=1e-8, disp=0),
             so.fmin_cg(lambda z: bowl(z, 2.0 * p), start, gtol=1e-8, disp=0),
             so.fmin_powell(bowl, start, args=(p,), xtol=1e-9, ftol=1e-14, disp=0)]
    return np.sum(np.array(found) * np.arange(1.0, 3.0))


@noisy(1.3)
def least_squares_within_bounds(p):
    found = so.least_squares(lambda z: np.sinh(z - p), np.zeros(2), bounds=([-3, -4], [3, 4]),
                             xtol=1e-14, ftol=1e-14, gtol=1e-14)
    best, _ = so.curve_fit(lambda t, a, b: a * t + b * p, np.arange(4.0),
                           np.array([1.0, 2.0, 2.5, 4.0]), bounds=(0.01, [5, 6]), xtol=1e-14,
                           ftol=1e-14, gtol=1e-14)
    return np.sum(found.x * np.array([1.0, 3.0])) + best[1]


T = np.linspace(0, 1, 7)


@noisy(1.3)
def least_squares(p):
    y = np.exp(-p * T)
    found = so.least_squares(lambda x: x[0] * np.exp(-x[1] * T) - y - 0.1 * T * T,
                             np.array([1.0, 1.0]), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return np.sum(found.x) + found.cost


@noisy(1.3)
def fitted_curve(p):
    y = np.exp(-p * T) + 0.1 * T * T
    best, _ = so.curve_fit(lambda t, a, b: a * np.exp(-b * t), T, y, sigma=1 + T, ftol=1e-14,
                           xtol=1e-14)
    return best[0] * best[1]


# ---- refused -------------------------------------------------------------------------------------
def counts_its_calls(p):
    calls = []

    def f(x):
        calls.append(x)
        return p * x

    return si.quad(f, 0, 1)[0] + len(calls)


def estimated_error(p):
    y, error = si.quad(lambda x: np.exp(-p * x), 0, 1)
    return y + error


def with_constraints(p):
    return so.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2),
                       constraints={"type": "eq", "fun": lambda x: x[0] - x[1]}).fun


def covariances(p):
    _, spread = so.curve_fit(lambda t, a: a * t, T, p * T + T**2)
    return spread[0, 0]


def another_solver(p):
    return so.differential_evolution(lambda x: np.sum((x - p) ** 2), [(0, 1)], seed=1).fun


def complex_integrand(p):
    return si.quad(lambda x: np.exp(1j * p * x), 0, 1, complex_func=True)[0].real


REFUSED = [
    (counts_its_calls, "does something besides returning its value"),
    (estimated_error, "estimated error"),
    (with_constraints, "constraints="),
    (covariances, "covariances"),
    (another_solver, "differential_evolution"),
    (complex_integrand, "complex_func="),
]


def minimum_at_a_bound(p):
    return so.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2), bounds=[(0, 1), (0, 1)]).fun


# ---- differential equations ----------------------------------------------------------------------
def pendulum(t, y, p):
    return [y[1], -p * np.sin(y[0])]


@steps(1.3)
def ode_with_arguments(p):
    found = si.solve_ivp(pendulum, (0, 1), [1.0, 0.0], method="RK23", args=(p,))
    return found.y[0, -1]


@steps(1.3)
def ode_at_given_times(p):
    found = si.solve_ivp(lambda t, y: np.array([y[1], -p * y[0]]), (0.0, p), np.array([1.0, p]),
                         t_eval=[0.2, 0.5, 1.0])
    if not found.success:
        raise RuntimeError(found.message)
    return np.sum(found.y[1] * np.arange(3))


def ode_with_events(p):
    return si.solve_ivp(pendulum, (0, 1), [1.0, 0.0], args=(p,), events=lambda t, y, p: y[0]).t[-1]


REFUSED += [(ode_with_events, "events=")]
