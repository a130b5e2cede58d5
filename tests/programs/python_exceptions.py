"""``try`` around numeric code, with several operations that may raise."""

from __future__ import annotations

import contextlib
import math

import numpy as np
from numpy.linalg import LinAlgError

R = np.random.RandomState(11)
V3 = R.rand(3) + 0.4
M33 = R.rand(3, 3) + 3 * np.eye(3)
W3 = np.array([0.3, -1.0, 2.0])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(-0.5, 2.0)
def validation(x, y):
    try:
        if x < 0:
            raise ValueError("negative")
        z = math.sqrt(x) * y
    except ValueError:
        z = y * y * x
    return z


@case(0.5, 2.0)
def validation_fine(x, y):
    try:
        if x < 0:
            raise ValueError("negative")
        z = math.sqrt(x) * y
    except ValueError:
        z = y * y * x
    return z


@case(-0.5, 2.0)
def prefix_state(x, y):
    n = 1.0
    try:
        n = 2.0 * y
        z = math.sqrt(x)
        n = 5.0
    except ValueError:
        z = n
    return z * n + x


@case(M33 - 10 * np.eye(3), V3)
def named(a, b):
    msg = ""
    try:
        L = np.linalg.cholesky(a)
        z = np.linalg.solve(L, b)
    except LinAlgError as e:
        print("failed:", e)
        z = b * a[0, 0]
    return np.sum(z)


@case(0.3, -1.3)
def several_handlers(x, y):
    try:
        a = math.log(x)
        b = 1.0 / (y + 1.0)
        c = math.sqrt(y)
    except ZeroDivisionError:
        return x * y
    except (ValueError, TypeError) as e:
        return x + y
    else:
        return a * b * c


class Bad(Exception):
    def __init__(self, v):
        super().__init__(v)
        self.v = v


@case(0.3, -1.0)
def user_exc(x, y):
    def check(v):
        if v < 0:
            raise Bad("neg")
        return v**0.5

    try:
        return check(x) * check(y)
    except Bad:
        return x * y


@case(0.3, -1.0)
def elif_raises(x, y):
    try:
        if x > 1:
            raise KeyError("a")
        elif y < 0:
            raise KeyError("b")
        r = x * y
    except KeyError:
        r = x - y * y
    finally:
        r2 = 2.0
    return r * r2


@case(W3)
def in_loop(x):
    s = 0.0
    bad = 0
    for v in x:
        try:
            a = math.log(v)
            s += a / (v - 2.5)
        except ValueError:
            bad += 1
            continue
        except ZeroDivisionError:
            break
    return s * bad


@case(W3)
def ifexp(x):
    try:
        s = math.log(x[0]) if x[0] > 0 else 0.0
        t = math.sqrt(x[1])
    except ValueError:
        return x[0] * x[2]
    return s * t


@case(W3)
def loop_inside(x):
    try:
        s = 0.0
        for v in x:
            s += math.log(v)
    except ValueError:
        return x[0] * x[2]
    return s


@case(M33, V3)
def two_solves_one_try(a, b):
    try:
        L = np.linalg.cholesky(a @ a.T)
        y = np.linalg.solve(L, b)
        z = np.linalg.solve(L.T, y)
    except np.linalg.LinAlgError:
        z = b * 0.0
    return z @ b


@case(M33 - 10 * np.eye(3), V3)
def cholesky_fails_first(a, b):
    s = 0.0
    try:
        s = s + a[0, 0]
        L = np.linalg.cholesky(a)
        y = np.linalg.solve(L, b)
        s = s + y @ y
    except np.linalg.LinAlgError:
        s = s + np.trace(a) * b[0]
    return s


@case(-0.4, 1.2)
def math_domain(x, y):
    import math

    try:
        a = math.sqrt(x)
        b = math.log(y)
        return a * b
    except ValueError:
        return x * x * y


@case(0.4, 1.2)
def math_domain_fine(x, y):
    import math

    try:
        a = math.sqrt(x)
        b = math.log(y)
    except ValueError:
        return x * x * y
    return a * b


@case(0.4, -1.2)
def math_domain_second(x, y):
    import math

    a = 0.0
    try:
        a = math.sqrt(x)
        b = math.log(y)
    except ValueError:
        b = 2.0 * x
    return a * b + y


@case(np.array([0.31, 0.72, 0.55, 0.93]))
def subscript_out_of_bounds(x):
    try:
        out = x[10]
    except IndexError:
        out = x[0] * 2
    return out


@case(np.array([0.31, 0.72, 0.55, 0.93]))
def subscript_out_of_bounds_and_finally(x):
    try:
        out = x[10]
    except IndexError as e:
        out = x[0] * len(e.args)
    finally:
        out = out * 2
    return out


@contextlib.contextmanager
def replaced(box, v):
    old = box[0]
    box[0] = v
    try:
        yield box
    finally:
        box[0] = old * 0.5


@case(np.array([0.31, 0.92]))
def left_by_an_exception_that_data_raise(x):
    box, out = [x[0]], 0.0
    try:
        with replaced(box, x[1]) as c:
            out = c[0] * 2
            if x[1] > 0.8:
                raise ValueError(x[1] * 3)
    except ValueError as e:
        out += e.args[0]
    return out + box[0]
