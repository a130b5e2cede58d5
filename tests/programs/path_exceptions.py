"""Exceptions out of loops, helpers and nested statements; ``finally``, ``with`` and ``else``."""

from __future__ import annotations

import contextlib
import math

import numpy as np
from numpy.linalg import LinAlgError

V = np.array([0.3, -1.0, 2.0, 0.7])
S = np.ones((3, 3))
B = np.array([1.0, 2.0, 3.0])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class Break(Exception):
    pass


class Payload(Exception):
    def __init__(self, a):
        super().__init__("p")
        self.a = a


class CM:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, t, v, tb):
        self.log.append("out" if t is None else t.__name__)
        return False


class Sup:
    def __enter__(self):
        return self

    def __exit__(self, t, v, tb):
        return t is not None and issubclass(t, ValueError)


@case(V)
def while_else_pop(x):
    L = [x[0], x[1], x[2]]
    s = 0.0
    while L and L.pop() > -0.5:
        s += 1.0 * x[0]
    else:
        s *= 2
    return s


@case(V)
def while_else_walrus(x):
    i = 0
    s = 0.0
    while (v := x[i]) < 1.0:
        s += v
        i += 1
    else:
        s *= v
    return s


@case(V)
def while_else_next(x):
    it = iter([x[0], x[3], x[2], x[1]])
    s = 0.0
    while (v := next(it, None)) is not None:
        if v < -5:
            break
        s += v * v
    else:
        s *= 3
    return s


class Ctr:
    def __init__(self):
        self.n = 0

    def more(self):
        self.n += 1
        return self.n < 4


@case(V)
def while_method(x):
    c = Ctr()
    s = 0.0
    while c.more() and s < 100:
        s += x[c.n] * x[0]
    else:
        s *= 2
    return s * c.n


@case(V)
def while_method_data(x):
    c = Ctr()
    s = 0.0
    while c.more() and s < 0.9:
        s += x[c.n] * x[c.n]
    else:
        s *= 2
    return s * c.n


@case(V)
def while_break_finally(x):
    i = 0
    s = 0.0
    n = 0.0
    while s < 10 and i < 4:
        try:
            if x[i] > 1:
                break
            s += x[i] * x[i]
        finally:
            n += x[0]
            i += 1
    else:
        s = s * 5
    return s * n


@case(V)
def for_continue_finally(x):
    s = 0.0
    n = 1.0
    for v in x:
        try:
            if v < 0:
                continue
            s += v * n
        finally:
            n *= v * v
    else:
        s += n
    return s


@case(V)
def return_try_finally_loop(x):
    s = 0.0
    for v in x:
        try:
            s += v
            if v > 1:
                return s * v
        finally:
            s *= 2
    return s


@case(V)
def return_in_finally(x):
    try:
        y = math.log(x[1])
    finally:
        return x[0] * x[2]


@case(V)
def custom_break(x):
    s = 0.0
    try:
        for a in x:
            for b in x:
                s += a * b
                if s > 0.5:
                    raise Break
    except Break:
        s = s * 2
    return s


@case(V)
def custom_break_helper(x):
    def step(s, a):
        if a > 1:
            raise Break
        return s + a * a

    s = 0.0
    try:
        for a in x:
            s = step(s, a)
    except Break:
        s = s * 2
    return s


@case(V)
def payload(x):
    try:
        if x[0] > 0:
            raise Payload(x * 2)
        r = 0.0
    except Payload as e:
        r = np.sum(e.a) * x[1]
    return r


@case(V)
def args_use(x):
    try:
        if x[0] > 0:
            raise ValueError("neg", x[0] * 3)
        r = 0.0
    except (ValueError, KeyError) as e:
        r = e.args[1] * x[1]
    return r


@case(V)
def nested_try(x):
    s = 0.0
    try:
        try:
            s += math.log(x[1])
        except ZeroDivisionError:
            s += 100
        finally:
            s += x[2]
    except ValueError:
        s += x[3] * x[0]
    else:
        s += 1000
    return s


@case(V)
def inner_finally_state(x):
    s = x[0]
    try:
        try:
            s = s * 2
            t = math.sqrt(x[1])
            s = s * 100
        finally:
            s = s + x[2]
    except ValueError:
        s = s * x[3]
    return s


@case(V)
def reraise(x):
    s = 0.0
    try:
        try:
            s = math.sqrt(x[1])
        except ValueError:
            s = x[2]
            raise
    except ValueError:
        s = s * x[0]
    return s


@case(V)
def raise_from(x):
    try:
        try:
            s = math.sqrt(x[1])
        except ValueError as e:
            raise KeyError("k") from e
    except KeyError as k:
        s = x[0] * 2 if isinstance(k.__cause__, ValueError) else x[1]
    return s


@case(V)
def cm_caught(x):
    log = []
    try:
        with CM(log):
            s = math.sqrt(x[1])
    except ValueError:
        s = x[0] * len(log) * 2
    return s + len(log) * x[2] + (x[3] if log[-1] == "ValueError" else 0.0)


@case(V)
def cm_suppress(x):
    s = x[0]
    with Sup():
        s = math.sqrt(x[1])
    return s * 2


@case(V)
def cm_suppress2(x):
    s = x[0]
    with Sup():
        s = math.sqrt(x[2])
    return s * 2


@case(V)
def ctx_suppress(x):
    s = x[0]
    with contextlib.suppress(ValueError):
        s = math.sqrt(x[1])
    return s * 2


@case(V)
def ctx_mgr(x):
    log = []

    @contextlib.contextmanager
    def scaled(v):
        log.append("in")
        try:
            yield v * 2
        finally:
            log.append("out")

    with scaled(x[0]) as y:
        z = y * x[2]
    return z * len(log)


@case(V)
def ctx_mgr_catch(x):
    @contextlib.contextmanager
    def guard():
        try:
            yield
        except ValueError:
            pass

    s = x[0]
    with guard():
        s = math.sqrt(x[1])
    return s * 2


@case(V)
def exitstack(x):
    log = []
    with contextlib.ExitStack() as st:
        st.callback(log.append, "a")
        st.enter_context(CM(log))
        z = x[0] * x[2]
    return z * len(log)


@case(V)
def closing(x):
    class R:
        def __init__(self):
            self.open = True

        def close(self):
            self.open = False

    r = R()
    with contextlib.closing(r) as q:
        z = x[0] * 2
    return z if not r.open else z * 5


@case(S, B)
def linalg_fallback(a, b):
    try:
        z = np.linalg.solve(a, b)
    except LinAlgError:
        z = np.linalg.lstsq(a + np.eye(3), b, rcond=None)[0]
    return np.sum(z * z)


@case(V)
def fpe(x):
    try:
        with np.errstate(all="raise"):
            y = np.log(x)
    except FloatingPointError:
        y = x * 2
    return np.sum(y)


@case(1000.0, 2.0)
def overflow(a, b):
    try:
        r = math.exp(a)
    except OverflowError:
        r = b * a
    return r


@case(V)
def key_end(x):
    d = {0: x[0], 1: x[1]}
    s = 0.0
    i = 0
    while True:
        try:
            s += d[i]
        except KeyError:
            break
        i += 1
    return s * i


@case(V)
def stopiter(x):
    it = iter(x)
    s = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v * v
    return s


@case(V)
def try_several_loop(x):
    s = 0.0
    bad = 0
    for i in range(4):
        try:
            a = math.sqrt(x[i])
            b = math.log(a)
            c = 1.0 / (b + 0.5)
        except ValueError:
            bad += 1
        except ZeroDivisionError:
            s -= 1
        else:
            s += a * b * c
        finally:
            s += 0.1 * x[0]
    return s + bad


@case(V)
def while_try(x):
    s = 0.0
    i = 0
    while i < 4 and s < 5:
        try:
            s += math.sqrt(x[i])
        except ValueError:
            s += x[i] * x[i]
        i += 1
    return s


@case(V)
def assert_try(x):
    try:
        assert x[0] < 0, "bad"
        y = x[0]
    except AssertionError as e:
        y = x[1] * x[2] if str(e) == "bad" else x[0]
    return y


@case(V)
def try_branch_change(x):
    s = 1.0
    try:
        if x[1] < 0:
            s = s * x[0]
            raise ValueError
        s = s * x[2]
    except ValueError:
        s = s + x[3]
    return s


@case(V)
def newton(x):
    def f(t):
        if t < -2:
            raise ValueError
        return t * t - 2

    t = x[2]
    for k in range(5):
        try:
            t = t - f(t) / (2 * t)
        except (ValueError, ZeroDivisionError):
            t = x[0]
            break
    else:
        t = t * x[3]
    return t


@case(V)
def clause_that_cannot_be_evaluated(x):
    try:
        y = np.sum(np.linalg.inv(np.outer(x, x) + np.eye(len(x))))
    except np.linalg.linalg.LinAlgError:  # NumPy 2 has no such name
        y = x[0]
    return y


@case(V)
def clause_that_cannot_be_evaluated_is_reached(x):
    def quotient(t):
        try:
            return float(x[0]) / t
        except no_such_name:  # noqa: F821
            return 1.0

    try:
        y = quotient(float(x[1]) * 0.0)
    except ZeroDivisionError:
        y = x[1] * 2
    except NameError:
        y = x[2] * 3
    return y + quotient(float(x[1]))
