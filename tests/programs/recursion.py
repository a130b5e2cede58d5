"""Programs with functions that call themselves, where data decides how often."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

R = np.random.RandomState(7)
X = R.rand(6) + 0.5
A = R.rand(4, 4) + np.eye(4)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- one call ------------------------------------------------------------------------------------


def halve(x):
    if x.sum() < 1.0:
        return x
    return halve(x / 2)


@case(X)
def halving(x):
    return np.sum(halve(x) ** 2)


@case(1.7, 5)
def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@case(1.3, 11)
def fast_power(x, n):
    """Square and multiply."""
    if n == 0:
        return 1.0
    half = fast_power(x, n // 2)
    if n % 2 == 0:
        return half * half
    return half * half * x


@case(1.2, 4, 1.0)
def with_accumulator(x, n, total):
    if n <= 0:
        return total
    return with_accumulator(x, n - 1, total * x + n)


@case(1.2, 4)
def with_default(x, n):
    def count(n, total=0.0, *, scale=1.0):
        if n <= 0:
            return total
        return count(n - 1, total=total + scale * x ** n, scale=scale * 0.5)

    return count(n)


@case(0.7)
def conditional_expression(x):
    return x if x > 5.0 else conditional_expression(x * 1.5) + x


@case(2.0)
def newton(x):
    def step(guess):
        following = 0.5 * (guess + x / guess)
        return following if abs(following - guess) < 1e-10 else step(following)

    return step(x)


@case(X)
def bisection(p):
    def f(t):
        return t * t * t - p[0] - p[1] * t * 0.1

    def search(low, high):
        middle = 0.5 * (low + high)
        if high - low < 1e-3:
            return middle - f(middle) / (3.0 * middle * middle)
        if f(middle) > 0.0:
            return search(low, middle)
        return search(middle, high)

    return search(0.0, 3.0)


@case(X, 3)
def several_returns(x, n):
    def f(x, n):
        if n == 0:
            return np.sum(x)
        if x[0] > 2.0:
            return f(x * 0.5, n - 1)
        if x[1] > 1.5:
            return 2.0 * f(x + 0.25, n - 1)
        return f(np.sin(x) + 1.0, n - 1) * x[2]

    return f(x, n)


# ---- several calls ------------------------------------------------------------------------------


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@case(1.5, 7)
def by_fibonacci(x, n):
    return x ** 2 * fib(n)


@case(1.5, 0.5, 6)
def fibonacci_of_floats(a, b, n):
    if n == 0:
        return a
    if n == 1:
        return b
    return fibonacci_of_floats(a, b, n - 1) * 0.5 + np.sin(fibonacci_of_floats(b, a, n - 2))


@case(X)
def simpson(p):
    """Adaptive quadrature."""
    def f(t):
        return np.sin(3.0 * p[0] * t) * np.exp(0.3 * p[1] * t)

    def area(a, b, fa, fm, fb, whole, tolerance):
        m = 0.5 * (a + b)
        flm, frm = f(0.5 * (a + m)), f(0.5 * (m + b))
        left = (m - a) / 6.0 * (fa + 4.0 * flm + fm)
        right = (b - m) / 6.0 * (fm + 4.0 * frm + fb)
        if abs(left + right - whole) <= 15.0 * tolerance:
            return left + right + (left + right - whole) / 15.0
        return (area(a, m, fa, flm, fm, left, tolerance / 2.0)
                + area(m, b, fm, frm, fb, right, tolerance / 2.0))

    fa, fm, fb = f(0.0), f(1.0), f(2.0)
    return area(0.0, 2.0, fa, fm, fb, (fa + 4.0 * fm + fb) / 3.0, 1e-5)


def integrate(f, a, b, tolerance, depth=20):
    m = 0.5 * (a + b)
    whole, halves = (b - a) * f(m), 0.5 * (b - a) * (f(0.5 * (a + m)) + f(0.5 * (m + b)))
    if depth == 0 or abs(whole - halves) < tolerance:
        return halves
    return integrate(f, a, m, tolerance / 2, depth - 1) + integrate(f, m, b, tolerance / 2, depth - 1)


@case(0.4, 2.2)
def integral_with_limits(a, w):
    return integrate(lambda t: np.exp(-w * t * t), a, 2.0, 1e-3)


@case(X)
def halves_of_arrays(x):
    n = len(x)
    if n == 1:
        return x[0] ** 2
    return halves_of_arrays(x[:n // 2]) * 0.9 + np.sin(halves_of_arrays(x[n // 2:]))


def merge_sort(x):
    n = len(x)
    if n <= 1:
        return x
    left, right = merge_sort(x[:n // 2]), merge_sort(x[n // 2:])
    out = np.empty(n)
    i = j = 0
    for k in range(n):
        if j >= len(right) or (i < len(left) and left[i] <= right[j]):
            out[k] = left[i]
            i += 1
        else:
            out[k] = right[j]
            j += 1
    return out


@case(X)
def sorted_by_merging(x):
    return np.sum(merge_sort(x) * np.arange(6.0))


def quicksort(x):
    if len(x) <= 1:
        return x
    pivot = x[0]
    rest = x[1:]
    return np.concatenate((quicksort(rest[rest < pivot]), x[:1], quicksort(rest[rest >= pivot])))


@case(X)
def sorted_by_pivots(x):
    return np.sum(quicksort(x) * np.arange(1.0, 7.0) ** 2)


def fourier(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = fourier(x[::2]), fourier(x[1::2])
    twiddled = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate((even + twiddled, even - twiddled))


@case(R.rand(8))
def spectrum(x):
    return np.sum(np.abs(fourier(x + 0j)) ** 2 * np.arange(8.0))


@case(R.rand(8), R.rand(8))
def dot_by_halves(x, y):
    n = len(x)
    if n <= 2:
        return np.sum(x * y)
    return dot_by_halves(x[:n // 2], y[:n // 2]) + 2.0 * dot_by_halves(x[n // 2:], y[n // 2:])


def determinant(a):
    """By expansion along the first row."""
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    total = 0.0
    for j in range(n):
        minor = np.concatenate((a[1:, :j], a[1:, j + 1:]), axis=1)
        total += (-1.0) ** j * a[0, j] * determinant(minor)
    return total


@case(A)
def expansion(a):
    return determinant(a) ** 2


@case(A)
def elimination(a):
    """The determinant by Schur complements."""
    if a.shape[0] == 1:
        return np.log(np.abs(a[0, 0]))
    rest = a[1:, 1:] - np.outer(a[1:, 0], a[0, 1:]) / a[0, 0]
    return np.log(np.abs(a[0, 0])) + elimination(rest)


# ---- results of several parts --------------------------------------------------------------------


@case(1.2, 4)
def pairs(x, n):
    def f(x, n):
        if n == 0:
            return x, 1.0
        a, b = f(x * 0.5, n - 1)
        return a + b, a * b

    a, b = f(x, n)
    return a * b


@case(X)
def minimum_and_maximum(x):
    def extremes(x):
        n = len(x)
        if n == 1:
            return {"low": x[0], "high": x[0]}
        left, right = extremes(x[:n // 2]), extremes(x[n // 2:])
        return {"low": np.minimum(left["low"], right["low"]),
                "high": np.maximum(left["high"], right["high"])}

    found = extremes(x)
    return found["high"] ** 2 - found["low"]


class State(NamedTuple):
    value: float
    count: int


@case(0.3)
def states(x):
    def advance(state):
        if state.value > 10.0:
            return state
        return advance(State(state.value * 1.7 + x, state.count + 1))

    last = advance(State(x, 0))
    return last.value * last.count


@case(X, 5)
def none_or_value(x, n):
    def best(x, n):
        if n < 0:
            return None
        rest = best(x, n - 1)
        here = np.sin(x[n])
        if rest is None or here > rest:
            return here
        return rest

    return best(x, n) ** 2


# ---- several functions ----------------------------------------------------------------------------


def even(x):
    if x < 1.0:
        return x
    return odd(x - 1.0) * 0.5


def odd(x):
    if x < 1.0:
        return -x
    return even(x - 1.0) * x


@case(4.3)
def mutual(x):
    return even(x) + 2.0 * odd(x)


@case(3.7, 2)
def nested_recursions(x, n):
    def inner(y):
        return y if y < 1.0 else inner(y * 0.5) + 0.1

    def outer(y, n):
        if n == 0:
            return inner(y)
        return inner(y) * outer(y * 1.1, n - 1)

    return outer(x, n)


@case(3.7)
def recursion_calls_its_caller(x):
    def f(y):
        return y if y < 1.0 else g(y - 1.0, 2.0)

    def g(y, k):
        if k < 0.5:
            return f(y * 0.9)
        return 1.1 * g(y, k - 1.0)

    return f(x) * x


@case(12.45, 3.2)
def ackermann_like(x, y):
    def f(x, y):
        if x < 1.0:
            return y + 0.5 * x
        if y < 1.0:
            return f(x - 4.0, y + 1.5)
        return f(x - 3.0, 0.1 * f(x - 5.0, y - 1.0))

    return f(x, y)


@case(0.8, 3)
def two_of_one_code(x, n):
    def make(scale):
        def f(y, n):
            return y if n == 0 else scale * f(y * y + 0.1, n - 1)
        return f

    return make(0.5)(x, n) + make(x)(x, n)


# ---- objects and closures ------------------------------------------------------------------------


@dataclass
class Walker:
    step: float
    weights: np.ndarray

    def walk(self, x):
        if x > 4.0:
            return x * self.weights[0]
        return self.walk(x + self.step) + self.weights[1]


@case(Walker(0.7, X), 0.3)
def method(walker, x):
    return walker.walk(x)


class Integrator:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, x, n):
        if n == 0:
            return x
        return self(x + self.rate * np.cos(x), n - 1)


@case(0.4, 0.2, 6)
def called_instance(x, rate, n):
    return Integrator(rate * 2.0)(x, n)


@case(0.4, 3)
def partial_recursion(x, n):
    def f(a, y, n):
        return y if n == 0 else partial(f, a)(a * np.sin(y), n - 1)

    return partial(f, 1.5 * x)(x, n)


@case(X, 3)
def captured_arrays(x, n):
    w = np.cos(x)

    def f(y, n):
        if n == 0:
            return np.sum(y * w)
        return f(y * w + x, n - 1) * w[0]

    return f(x, n)


@case(X, 3)
def inner_function_made_at_each_level(x, n):
    def f(y, n):
        def g(z):
            return z * y

        if n == 0:
            return np.sum(g(y))
        return f(g(0.5 * y), n - 1)

    return f(x, n)


# ---- where the calls stand ------------------------------------------------------------------------


@case(X)
def called_in_a_loop(x):
    total = 0.0
    for value in x:
        total += reduced(value * 7.0)
    return total


def reduced(y):
    return y if y < 1.0 else reduced(y / 3.0) * 1.01


@case(X, 3)
def called_in_a_branch(x, n):
    if x[0] > 100.0:
        return reduced(x[1])
    if n > 2:
        y = reduced(x[0] * 5.0)
    else:
        y = x[2]
    while y < 3.0:
        y = y + reduced(y * 2.0)
    return y * x[3]


@case(X, 2)
def recursion_in_a_loop(x, n):
    """A tree: every node has as many children as its depth."""
    def grow(y, n):
        total = y * y
        for k in range(n):
            total += grow(y * 0.5 + 0.1 * k, n - 1)
        return total

    return grow(x[0] * x[1], n)


@case(2.5)
def recursion_in_while(x):
    def f(y):
        total = 0.0
        while y > 1.0:
            y = y - 0.6
            total = total + f(y - 0.5) * y
        return total + y

    return f(x)


@case(1.5, 4)
def and_or(x, n):
    def below(y, n):
        return n == 0 or (y < 8.0 and below(y * 1.3, n - 1))

    return x ** 2 if below(x, n) else x ** 3


@case(X, 3)
def arrays_written_inside(x, n):
    def smooth(u, n):
        if n == 0:
            return u
        v = u.copy()
        v[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        v[0] = v[1]
        return smooth(v, n - 1)

    return np.sum(smooth(x, n) ** 2)


@case(X, 3)
def argument_written_after_the_call(x, n):
    u = x * 2.0
    s = sum_of_squares(u, n)
    u[0] = 5.0
    return s + np.sum(u)


def sum_of_squares(u, n):
    if n == 0:
        return np.sum(u * u)
    return sum_of_squares(u * 0.5, n - 1) + np.sum(u ** 3)


@case(X, 3)
def result_written_after_the_call(x, n):
    def f(u, n):
        return u if n == 0 else f(np.sin(u), n - 1)

    y = f(x * 1.0, n)
    z = np.sum(y ** 2)
    y[1] = 7.0
    return z + np.sum(y * x)


@case(X, 12)
def depth_of_many(x, n):
    return np.sum(many(x, n, 1.0))


def many(x, n, c):
    if n == 0:
        return x * c
    return many(np.tanh(x), n - 1, c * 0.9) + x


@case(X, R.rand(6))
def edit_distance(x, y):
    """The two counts start from one number and are not equal later."""
    def d(i, j):
        if i == 0:
            return 0.1 * j
        if j == 0:
            return 0.1 * i
        if abs(x[i - 1] - y[j - 1]) < 0.3:
            return d(i - 1, j - 1) + (x[i - 1] - y[j - 1]) ** 2
        return 0.2 * y[j - 1] + min(d(i - 1, j), d(i, j - 1))

    return d(4, 4)
