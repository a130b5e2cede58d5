"""``try`` bodies that change things before they raise, loops that an exception leaves, managers."""

from __future__ import annotations

import contextlib
import math
import sys
import warnings

import numpy as np
import scipy.linalg
from numpy.linalg import LinAlgError

V = np.array([0.3, -1.0, 2.0, 0.7])
SPD = np.array([[2.0, 0.3], [0.3, 1.5]])
NPD = np.array([[1.0, 2.0], [2.0, 1.0]])
CASES = []
PRESENT = __file__
MISSING = __file__ + ".missing"


def case(*args, others=()):
    """Register a program; ``others`` are arguments that take other paths."""

    def register(fn):
        fn.others = others
        CASES.append((fn, args))
        return fn

    return register


@case(SPD.copy(), V.copy(), others=[(NPD.copy(), V.copy())])
def write_then_chol(A, x):
    try:
        x[0] = 2 * x[0]
        L = np.linalg.cholesky(A)
        r = np.sum(L) * x[1]
    except LinAlgError:
        x[1] = x[0] * x[0]
        r = np.sum(A * A)
    return r + np.sum(x * x)


@case(SPD.copy(), V.copy(), [], others=[(NPD.copy(), V.copy(), [])])
def effects_then_chol(A, x, log):
    try:
        log.append("start")
        print("trying")
        L = np.linalg.cholesky(A)
        log.append("done")
        r = np.sum(L) * x[1]
    except LinAlgError as e:
        log.append(str(e))
        print("failed", e)
        r = np.sum(A * A)
    finally:
        log.append("finally")
    return r + np.sum(x * x)


@case(NPD.copy(), others=[(SPD.copy(),), (np.array([[1.0, 5.0], [5.0, 1.0]]),)])
def retry_chol(A):
    for jitter in (0.0, 1e-2, 1.5, 2.5):
        try:
            L = np.linalg.cholesky(A + jitter * np.eye(2))
            break
        except LinAlgError:
            continue
    else:
        raise ValueError("no jitter works")
    return np.sum(L) + jitter


@case(NPD.copy(), others=[(SPD.copy(),)])
def factor_of_scipy(A):
    try:
        factor = scipy.linalg.cho_factor(A)
        return np.sum(scipy.linalg.cho_solve(factor, A[0]) * [1.0, 2.0])
    except ValueError:  # LinAlgError is one
        return np.sum(np.linalg.solve(A, A[0] * A[1]))


@case(NPD.copy(), others=[(SPD.copy(),)])
def retry_while(A):
    jitter = 0.0
    tries = 0
    while True:
        try:
            L = np.linalg.cholesky(A + jitter * np.eye(2))
            break
        except LinAlgError:
            tries += 1
            jitter = 10 * jitter if jitter > 0 else 0.3
            if tries > 5:
                raise
    return np.sum(L * L) * (1 + tries)


@case(V.copy(), others=[(np.abs(V),), (np.array([0.3, 0.4, 0.5, -2.0]),)])
def while_in_try(x):
    i = 0
    s = 0.0
    try:
        while i < len(x):
            s += math.sqrt(x[i])
            i += 1
    except ValueError:
        s = s * 2 + i
    return s + x[0]


@case(V.copy(), others=[(np.abs(V),), (np.array([0.3, 0.4, 0.5, -2.0]),)])
def for_in_try_writes(x):
    y = np.zeros(4)
    n = len(x)
    try:
        for i in range(n):
            y[i] = x[i] * 2
            y[i] = math.log(x[i])
    except ValueError as e:
        y[0] += 10 * x[1]
    else:
        y *= 2
    return np.sum(y * y)


class Bad(Exception):
    def __init__(self, where, value):
        super().__init__(where)
        self.where, self.value = where, value


def check(v, k):
    if v < 0:
        raise Bad(k, v * v)
    return math.sqrt(v)


@case(V.copy(), others=[(np.abs(V),)])
def custom_data(x):
    s = x[0]
    n = 0
    for k in range(4):
        try:
            s = s + check(x[k], k)
        except Bad as b:
            s = s + 3 * b.value + b.where
            n += 1
            continue
        finally:
            s = s * 1.1
        s = s + 1
    return s * n + s


@case(V.copy(), others=[(np.abs(V),)])
def custom_data_outer(x):
    s = x[0]
    try:
        for k in range(len(x)):
            s = s + check(x[k], k)
            s = s * x[0]
    except Bad as b:
        s = s + 3 * b.value + b.where
    return s


@case(V.copy(), others=[(np.abs(V),)])
def raise_from_nested(x):
    try:
        try:
            s = math.log(x[1])
        except ValueError as e:
            raise RuntimeError("inner") from e
        s = s * 2
    except RuntimeError as e:
        s = x[2] * x[0] if isinstance(e.__cause__, ValueError) else x[3]
    return s * s


@case(V.copy(), others=[(np.abs(V),)])
def reraise(x):
    s = x[0]
    try:
        try:
            s = s + math.sqrt(x[1])
        except ValueError:
            s = s * 3
            raise
        s = s + 1
    except ValueError:
        s = s * s
    return s


@case(V.copy(), 2.0, others=[(V.copy(), 0.0)])
def zerodiv_loop(x, a):
    s = 1.0
    k = 0
    while k < 4:
        try:
            s = s + float(x[k]) / (a - k - 0.5)
        except ZeroDivisionError:
            s = s * float(x[0])
            k += 2
            continue
        k += 1
    return s


@case(3.0, others=[(800.0,)])
def overflow(a):
    try:
        y = math.exp(a)
    except OverflowError:
        y = a * 2
    return y + a


@case(3.0, others=[(1e200,)])
def overflow_pow(a):
    try:
        y = a**3.5
    except OverflowError:
        y = a * 2e-200
    return y + a * 1e-200


@case(V.copy(), others=[(np.array([0.0, 1.0, 2.0, 3.0]),)])
def floatingpoint(x):
    try:
        with np.errstate(all="raise"):
            y = x[1:] / x[0]
            z = np.log(np.abs(y))
    except FloatingPointError:
        z = x[1:] * 2
    return np.sum(z)


@case(V.copy(), others=[(np.abs(V),)])
def suppress(x):
    s = x[0]
    with contextlib.suppress(ValueError):
        s = s * 2
        s = s + math.sqrt(x[1])
        s = s * 3
    return s


@case(V.copy(), others=[(np.abs(V),)])
def suppress_write(x):
    y = np.zeros(4)
    with contextlib.suppress(ValueError):
        for i in range(4):
            y[i] = x[i]
            y[i] += math.sqrt(x[i])
    return np.sum(y * x)


class Tx:
    def __init__(self, state):
        self.state = state
        self.saved = None

    def __enter__(self):
        self.saved = self.state.copy()
        return self.state

    def __exit__(self, t, e, tb):
        if t is not None:
            self.state[:] = self.saved
            return issubclass(t, ValueError)


@case(V.copy(), others=[(np.abs(V),)])
def transaction(x):
    st = x * 2
    for k in range(3):
        with Tx(st) as s:
            s[k] = s[k] * 3
            if s[k] < 0:
                raise ValueError("neg")
            s[0] += s[k]
    return np.sum(st * x)


@case(V.copy(), others=[(np.abs(V),)])
def exitstack(x):
    log = []
    s = x[0]
    with contextlib.ExitStack() as st:
        st.callback(log.append, 1)
        s = s * x[1]
        st.callback(lambda: log.append(2))
    return s * len(log)


@case(V.copy(), others=[(np.abs(V),)])
def assertion(x):
    s = 0.0
    for v in x:
        try:
            assert v > 0, "positive"
            s += v * v
        except AssertionError as e:
            s -= v
    return s


@case({"a": 1.0, "b": 2.0}, V.copy(), others=[({"a": 1.0, "b": 2.0}, np.abs(V))])
def keyerr(d, x):
    s = 0.0
    for v in x:
        k = "a" if v > 0.5 else ("b" if v > 0 else "c")
        try:
            s += d[k] * v
        except KeyError as e:
            s += v * v
            d["c"] = v
    return s


@case(V.copy(), 2, others=[(V.copy(), 7)])
def indexerr(x, n):
    L = [x[0], x[1]]
    i = 0
    s = 0.0
    try:
        while True:
            s += L[i] * x[0]
            i += 1
    except IndexError:
        s += i
    return s * n


@case(V.copy(), 2, others=[(V.copy(), 7)])
def indexerr_arr(x, n):
    i = 0
    s = 0.0
    try:
        while True:
            s += x[i] * x[0]
            i += 1
    except IndexError:
        s += i
    return s * n


@case(V.copy(), others=[(np.abs(V),)])
def catchw(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.sum(np.log(np.abs(x)))
    return y


@case(V.copy(), others=[(np.abs(V),)])
def fin_return(x):
    def f(v):
        try:
            return math.sqrt(v)
        except ValueError:
            return -v
        finally:
            acc.append(v)

    acc = []
    s = 0.0
    for v in x:
        s += f(v) * v
    return s + sum(acc)


@case(V.copy(), others=[(np.abs(V),)])
def fin_break(x):
    s = 0.0
    i = 0
    while i < 4:
        try:
            if x[i] < 0:
                break
            s += math.sqrt(x[i])
        except ValueError:
            s = 100.0
        else:
            s *= 1.5
        finally:
            i += 1
            s += 0.1
    else:
        s = -s
    return s * x[0] + i


class Solver:
    def __init__(self, A):
        self.A = A
        self.fails = 0

    def factor(self):
        return np.linalg.cholesky(self.A)

    def solve(self, b):
        try:
            L = self.factor()
        except LinAlgError:
            self.fails += 1
            self.A = self.A + np.eye(2) * 3
            return self.solve2(b)
        return np.linalg.solve(L, b)

    def solve2(self, b):
        return np.linalg.solve(self.A, b)


@case(NPD.copy(), np.array([1.0, 2.0]), others=[(SPD.copy(), np.array([1.0, 2.0]))])
def solver_cls(A, b):
    s = Solver(A)
    r = s.solve(b)
    r = r + s.solve(b)
    return np.sum(r * r) + s.fails


@case(V.copy(), [], others=[(np.abs(V), [])])
def exc_all_effects(x, log):
    try:
        log.append(1)
        y = math.sqrt(x[1])
        log.append(2)
    except Exception:
        log.append(3)
        y = x[0] * x[0]
    return y * x[2]


@case(V.copy(), [], others=[(np.abs(V), [])])
def exc_all_print(x, log):
    s = 0.0
    for i in range(len(x)):
        try:
            print("i", i)
            s += math.log(x[i])
            log.append(i)
        except Exception as e:
            print("error:", e)
            s += 0.5 * x[i]
        finally:
            log.append(-i)
    return s


@case(np.abs(V), others=[(V.copy(),)])
def reraise_message(x):
    n = 0
    s = 0.0
    for v in x:
        try:
            s += math.sqrt(v)
        except ValueError:
            n += 1
            if s > 0.2:
                raise
    return s


@case(V.copy(), others=[(np.abs(V),)])
def looked_up(x):
    s = x[0]
    try:
        s = s + math.sqrt(x[1])
    except ValueError:
        s = s * len(str(sys.exc_info()[1]))
    return s


@case(V.copy(), others=[(np.abs(V),)])
def reraise_named(x):
    s = x[0]
    try:
        try:
            s = s * 2
            s += math.sqrt(x[1])
        except ValueError as e:
            s = s * 3
            raise e
    except ValueError as err:
        s = s * len(str(err))
    return s


@case(V.copy(), others=[(np.abs(V),)])
def while_test_raises(x):
    i = 0
    s = 0.0
    try:
        while math.sqrt(x[i]) < 10:
            s += x[i]
            i += 1
            if i == 4:
                break
        else:
            s = -s
    except ValueError as e:
        s = s * 5 + len(str(e)) * x[2]
    else:
        s += 1
    return s * s


@case(V.copy(), others=[(np.abs(V),), (np.array([3.0, 2.0, 0.5, -1.0]),)])
def two_kinds(x):
    s = 1.0
    try:
        for v in x:
            s = s + math.sqrt(v) / (2.13 - float(v) if v > 1.5 else 1.0)
            x[0] = s
    except (ValueError, ZeroDivisionError) as e:
        if isinstance(e, ValueError):
            s = s * 2
        else:
            s = s * 7
    return s + x[0]


@case(V.copy(), others=[(np.abs(V),), (np.array([3.0, 2.0, 0.5, -1.0]),)])
def two_handlers(x):
    s = 1.0
    try:
        for v in x:
            s = s + math.sqrt(v)
            s = s / (2.13 - float(v))
    except ValueError:
        s = s * 2
    except ZeroDivisionError:
        s = s * 7
    return s


@case(V.copy(), others=[(np.abs(V),)])
def nested_loops(x):
    s = 0.0
    c = 0
    try:
        for i in range(len(x)):
            for j in range(i + 1):
                c += 1
                s += math.sqrt(x[i] * x[j]) * j
                if s > 50:
                    break
            s *= 1.1
    except ValueError:
        s += c * x[0]
    return s


@case(V.copy(), others=[(np.abs(V),)])
def return_in_loop_try(x):
    def f(x):
        s = 0.0
        try:
            for i in range(len(x)):
                s += math.log(x[i])
                if s < -1.3:
                    return s * x[0]
        except ValueError:
            return s * x[1] + i
        return s

    return f(x) + f(x * x) * f(x + 0.9)


class Stop(Exception):
    pass


class Env:
    def __init__(self, x):
        self.x = x
        self.t = 0
        self.total = 0.0

    def step(self, a):
        self.t += 1
        self.total = self.total + a * self.x[self.t % 4]
        if self.total > 1.0:
            raise Stop("done")
        return self.total


@case(V.copy(), 0.613, others=[(V.copy(), 0.113)])
def env_stop(x, a):
    e = Env(x)
    r = 0.0
    try:
        for _ in range(20):
            r = r + e.step(a) * 0.5
    except Stop:
        r = r * 2
    return r + e.total * e.t


@case(V.copy(), 0.613, others=[(V.copy(), 0.113)])
def env_while(x, a):
    e = Env(x)
    r = 0.0
    while e.t < 30:
        try:
            r = r + e.step(a) * 0.5
        except Stop:
            break
        finally:
            r = r * 0.9
    return r + e.total * e.t


@case(V.copy(), others=[(np.abs(V),)])
def chain_dunder(x):
    def inner(v):
        try:
            return math.sqrt(v)
        except ValueError as e:
            raise ArithmeticError("bad value") from e

    s = 0.0
    for v in x:
        try:
            s = s + inner(v)
        except ArithmeticError as e:
            s = s + v * v
            assert e.__cause__ is not None
    return s


class DataErr(ValueError):
    def __init__(self, msg, residual=None, **info):
        super().__init__(msg)
        self.residual = residual
        self.info = info

    def penalty(self):
        return self.residual * self.residual


def newton(f, df, x0, n):
    x = x0
    for k in range(n):
        d = df(x)
        if abs(d) < 0.2:
            raise DataErr(f"flat at {k}", residual=f(x), k=k)
        x = x - f(x) / d
        if abs(f(x)) < 1e-9:
            return x
    raise DataErr("no convergence", residual=f(x), k=n)


@case(1.5, others=[(0.05,), (-0.4,)])
def newton_err(x0):
    try:
        r = newton(lambda z: z * z - 2.0, lambda z: 2 * z, x0, 3)
    except DataErr as e:
        r = e.penalty() + e.info["k"] * x0
    return r * x0


@case(1.5, 3, others=[(0.05, 3), (-0.4, 8)])
def newton_err_n(x0, n):
    try:
        r = newton(lambda z: z * z - 2.0, lambda z: 2 * z, x0, n)
    except DataErr as e:
        r = e.penalty() + e.info["k"] * x0
    return r * x0


@case(V.copy(), others=[(np.abs(V),)])
def stack_cm(x):
    log = []

    class CM:
        def __init__(self, k):
            self.k = k

        def __enter__(self):
            log.append(self.k)
            return self

        def __exit__(self, t, e, tb):
            log.append(10 * self.k if t is None else 100 * self.k)
            return t is ValueError and self.k == 1

    s = x[0]
    with CM(1) as a, CM(2) as b:
        s = s * 2
        s = s + math.sqrt(x[1])
        s = s * 3
    return s * sum(log)


@case(V.copy(), others=[(np.abs(V),)])
def genctx(x):
    @contextlib.contextmanager
    def scaled(k):
        box = {"s": 0.0}
        try:
            yield box
        except ValueError:
            box["s"] = box["s"] - 1.0
        finally:
            box["s"] = box["s"] * k

    with scaled(3.0) as b:
        b["s"] = x[0] * 2
        b["s"] = b["s"] + math.sqrt(x[1])
    return b["s"] * x[2]


@case(V.copy(), 2, others=[(np.abs(V), 3)])
def exitstack2(x, n):
    log = []
    s = x[0]
    try:
        with contextlib.ExitStack() as st:
            for i in range(3):
                st.callback(log.append, i)
            s = s + math.log(x[1])
    except ValueError:
        s = s * 5
    return s * log[0] + s * len(log) + log[-1]


@case(V.copy(), others=[(np.abs(V),)])
def closing(x):
    class R:
        closed = 0

        def close(self):
            self.closed += 1

        def get(self, k):
            return math.sqrt(x[k])

    r = R()
    s = 0.0
    try:
        with contextlib.closing(r) as q:
            s += q.get(0)
            s += q.get(1)
    except ValueError:
        s *= 4.0
    return s + r.closed


@case(NPD.copy(), V.copy(), others=[(SPD.copy(), V.copy())])
def inplace_restore(A, x):
    buf = np.zeros((2, 2))
    buf += A
    saved = buf.copy()
    row = buf[0]
    try:
        row *= 2
        buf[1, 1] += x[0]
        L = np.linalg.cholesky(buf)
        buf[:] = L
    except LinAlgError:
        row += saved[1]
        buf = buf * 1.5
    return np.sum(buf * saved) + np.sum(row)


@case(V.copy(), others=[(np.abs(V),)])
def alias_in_try(x):
    a = np.zeros(4)
    try:
        b = a[1:]
        b[0] = x[0]
        c = np.array([1.0, 2.0])
        d = c
        d[0] = math.sqrt(x[1])
        c[1] = x[2]
    except ValueError:
        c[0] = x[3]
        b[1] = x[2] * x[2]
    return np.sum(a) + np.sum(c * c) + d[1] + b[0]


@case(V.copy(), others=[(np.abs(V),)])
def list_in_try(x):
    L = [x[0]]
    D = {}
    try:
        for v in x:
            L.append(v * 2)
            D["last"] = v
            L.append(math.sqrt(v))
    except ValueError:
        L.pop()
        D["err"] = len(L) * 1.0
    return sum(L) + D["last"] + D.get("err", 0.0)


@case(V.copy(), others=[(np.abs(V),)])
def float_parse(x):
    s = 0.0
    for t in ["1.5", "abc", "2"]:
        try:
            s += float(t) * x[0]
        except ValueError:
            s += x[1]
    return s


@case(V.copy(), PRESENT, others=[(V.copy(), MISSING)])
def read_a_file(x, path):
    try:
        f = open(path)
        a = float(len(f.read(3)))
        f.close()
    except ValueError:
        a = 5.0
    except OSError:
        a = 3.5
        print("no file")
    return np.sum(x * x) * a


@case(V.copy(), [], others=[(np.abs(V), [])])
def inner_finally(x, log):
    s = x[0]
    try:
        try:
            log.append("a")
            s = s * np.linalg.inv(np.array([[s, 0.0], [0.0, 1.0]]))[0, 0]
            s = s + math.sqrt(x[1])
            log.append("b")
        finally:
            log.append("f")
        log.append("c")
    except ValueError:
        log.append("v")
        s = s * 3
    return s


@case(np.array([0.3, 1.0, 2.0]), [], others=[(np.abs(V), [])])
def inner_finally_raises(x, log):
    s = x[0]
    try:
        try:
            log.append("a")
            s = s + np.linalg.inv(np.array([[s, 0.0], [0.0, 1.0]]))[0, 0]
            s = s + math.sqrt(x[1])
            log.append("b")
        finally:
            log.append("f")
        log.append("c")
    except ValueError:
        log.append("v")
        s = s * 3
    return s


@case(V.copy(), 2, others=[(V.copy(), 9)])
def idx_exception(x, n):
    s = 0.0
    try:
        for i in range(n):
            s += x[i] * x[i]
    except Exception:
        s = s * 2
    return s


@case(2.0, others=[(1e300,), (float("nan"),)])
def int_of(a):
    try:
        k = int(a * 1e100) % 3
    except OverflowError:
        k = 5
    except ValueError:
        k = 7
    return k * 1.0 + (a if a < 10 else 0.0)


@case(V.copy(), others=[(np.abs(V),)])
def list_pop_empty(x):
    st = [v for v in x if v > 0]
    s = 0.0
    try:
        for k in range(4):
            s += st.pop() * (k + 1)
    except IndexError:
        s = s * 10
    return s


@case(V.copy(), 5, others=[(np.abs(V), 2)])
def next_stop(x, n):
    it = iter(x)
    s = 0.0
    try:
        for k in range(n):
            s += next(it) * (k + 1)
    except StopIteration:
        s = s * 10
    return s


@case(V.copy(), others=[(np.abs(V),)])
def while_next(x):
    it = iter(x)
    s = 1.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        if v < 0:
            continue
        s *= 1 + v * v
    return s


@case(V.copy(), others=[(np.abs(V),)])
def exc_group_vals(x):
    errs = []
    s = 0.0
    for i, v in enumerate(x):
        try:
            s += math.log(v)
        except ValueError as e:
            errs.append((i, v))
    for i, v in errs:
        s += v * i
    return s - len(errs)


@case(V.copy(), others=[(np.abs(V),)])
def finally_override(x):
    def f(v):
        for k in range(3):
            try:
                if v < 0:
                    return v
                v = v - 0.4
            finally:
                if k == 1:
                    return v * 100
        return v

    return sum([f(v) for v in x])


@case(V.copy(), others=[(np.abs(V),)])
def nested_try_loop(x):
    s = 0.0
    for v in x:
        try:
            for k in range(3):
                try:
                    s += math.sqrt(v + k - 0.5)
                    if s > 3:
                        break
                except ValueError:
                    s += 0.1 * v
                    if k == 0:
                        continue
                    raise RuntimeError("inner")
        except RuntimeError:
            s *= 0.5
        else:
            s += 0.01
    return s


@case(V.copy(), others=[(np.abs(V),)])
def np_errstate_loop(x):
    s = 0.0
    n = 0
    with np.errstate(divide="raise", invalid="raise"):
        for i in range(3):
            try:
                s += np.sum(np.log(x - 0.31 * i))
            except FloatingPointError:
                n += 1
                s += x[i]
    return s + n


@case(V.copy(), 9, others=[(V.copy(), 0), (V.copy(), -1), (V.copy(), -20)])
def place_written(x, n):
    y = 2.0 * x
    try:
        y[n] = x[0] ** 2
        y[n + 1] += x[1]
        y[0] = 3.0 * x[0]
    except IndexError:
        y[0] *= x[1]
    return np.sum(y * y)


@case(V.copy(), 0, others=[(V.copy(), 1), (V.copy(), 3)])
def step_of_arange(x, n):
    s = x[0]
    try:
        s = s + np.sum(np.arange(0, 4, n)) * x[1]
    except ZeroDivisionError:
        s = s * x[1]
    return s * x[0]


class Acc:
    def __init__(self):
        self.vals = []
        self.err = 0

    def feed(self, v):
        self.vals.append(v)
        if v > 1.5:
            self.err += 1
            raise ValueError(v)
        return v * 2


@case(V.copy(), others=[(np.abs(V),)])
def obj_partial(x):
    a = Acc()
    s = 0.0
    for v in x:
        try:
            s += a.feed(v)
        except ValueError as e:
            s += e.args[0] * 7
    return s + sum(a.vals) * a.err


@contextlib.contextmanager
def scaled(k):
    box = {"s": 0.0}
    try:
        yield box
    finally:
        box["s"] = box["s"] * k


@case(V.copy())
def g1(x):
    with scaled(3.0) as b:
        b["s"] = x[0] * 2
        b["s"] = b["s"] + math.sqrt(x[0])
    return b["s"] * x[2]


@contextlib.contextmanager
def scaled2(k):
    box = {"s": 0.0}
    try:
        yield box
    except ValueError:
        box["s"] = box["s"] - 1.0
    finally:
        box["s"] = box["s"] * k


@case(np.abs(V))
def g2(x):
    with scaled2(3.0) as b:
        b["s"] = x[0] * 2
        b["s"] = b["s"] + math.sqrt(x[0])
    return b["s"] * x[2]


@case(V.copy(), 1.0, others=[(V.copy(), 0.0)])
def divided_in_a_loop(x, k):
    c = x * 2
    t = np.arange(4.0) + x * x + 1
    t[2] = np.where(k > 0.5, t[2], 0.0)
    with np.errstate(invalid="raise", divide="raise"):
        try:
            for _ in range(3):
                c = np.concatenate([c[1:] / t[: len(c) - 1], np.zeros(1)])
        except FloatingPointError:
            c = c * x[0]
    return (c * c).sum()


@case(V.copy(), others=[(np.array([1.0, 1.0, 1.0, 1.0]),)])
def degree_after_divisions(x):
    k = 2
    c = x
    with np.errstate(invalid="raise", divide="raise"):
        try:
            for _ in range(1):
                c = (c[1:] - c[:-1]) * k / (x[1:] - x[:-1])
                k -= 1
        except FloatingPointError as e:
            raise ValueError("repeated knots") from e
    return sum((c.reshape(k, -1) ** 2).ravel()) + k


@case(V.copy(), others=[(np.ones(0),)])
def largest_of_what_may_be_nothing(x):
    try:
        i = int(np.argmax(x))
        edges = np.pad(x, 1, mode="edge")
    except ValueError:
        return np.sum(x) + 2.0
    return x[i] * np.sum(edges)


@case(V.copy(), 2, others=[(V.copy(), 0), (V.copy(), -1)])
def every_nth_of_steps_of_zero(x, n):
    y, total = x.copy(), 0.0
    try:
        for v in x[::n]:
            total = total + v
        y[::n] *= 2.0
        y[1::n] = 0.5
    except ValueError:
        total = total * x[0] + 3.0
    return total + np.sum(x * y)


@case(np.array([0.3, 3.0]), 3, others=[(np.array([0.3, 1.0]), 3), (np.array([1.5, 3.0]), 2)])
def raised_behind_a_test_of_what_may_be_there(x, n):
    s, found = x[0], {}
    if x[1] > 2.0:
        found["first"] = x[1]
    for i in range(n):
        try:
            if not found:
                raise ValueError(i)
            if s < 1.26:
                s = s * 0.7
                raise ZeroDivisionError(i)
        except ZeroDivisionError:
            s = s + 0.1 * x[1]
        except ValueError:
            pass
        found["k"] = s
    return s + found.get("first", 0.4)


@case(np.array([0.3, 3.0]), 3, others=[(np.array([1.3, 3.0]), 4)])
def raised_in_the_else_part_of_an_inner_statement(x, n):
    s, d = x[0], {}
    for _ in range(n):
        try:
            try:
                if not d:
                    raise ValueError(1)
            except ValueError:
                pass
            else:
                if s < 1.26:
                    s = s * 0.7
                    raise ZeroDivisionError
            finally:
                d["q"] = s * x[1]
        except ZeroDivisionError:
            s = s + 0.01
    return s + d.get("q", 0.4)


@case(0.7, np.array([1.0, 2.0, 0.5]), others=[(0.7, np.array([-2.0, 9.0])), (0.3, np.array([0.5, 0.2]))])
def two_statements_in_turn(x, v):
    """What the outer statement catches comes between what the inner one does."""
    s = x
    try:
        try:
            a = math.log(v[0] * x + 1.0)
            a = a + math.sqrt(a + 1.0)
            a = a / x
            a = a + math.asin(a / 5)
            a = a / (a - x)
            s += math.log(a + 2.0)
        except ValueError:
            s -= v[1]
    except ZeroDivisionError:
        s = 0.5 * v[1]
    return s
