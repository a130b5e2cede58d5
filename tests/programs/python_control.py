"""Control flow on data: branches, loops, exits, match, try, with."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
from numpy.linalg import LinAlgError

R = np.random.RandomState(11)
V3 = R.rand(3) + 0.4
V5 = R.randn(5)
V6 = R.rand(6) + 0.1
M33 = R.rand(3, 3) + 3 * np.eye(3)
M45 = R.randn(4, 5)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(V5, 0.3)
def piecewise_potential(x, a):
    energy = 0.0
    for xi in x:
        if xi < -1.0:
            energy += a * (xi + 1.0) ** 2
        elif xi < 0.0:
            if xi * a > -0.1:
                energy += xi**3
            else:
                energy -= a * xi
        elif xi < 0.5:
            energy += np.sin(xi)
        else:
            energy += xi - 0.5 + np.sin(0.5)
    return energy


@case(2.7, 10)
def newton_sqrt(a, maxiter):
    x = a
    for _ in range(maxiter):
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-12:
            break
        x = new
    else:
        x = x * 1.0
    return x**3


@case(V5, 0.2)
def while_else(x, tol):
    r = np.sum(x**2)
    n = 0
    while r > tol:
        r = r * 0.7
        n += 1
        if n > 4:
            r = r + x[0]
            break
    else:
        r = r * 100.0
    return r + n


@case(V5, 100.0)
def while_else_not_broken(x, tol):
    r = np.sum(x**2)
    while r > tol:
        r = r * 0.7
        if r < 0:
            break
    else:
        r = r * 3.0 + x[1]
    return r


@case(M45, 0.9)
def early_return_nested(a, t):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > t:
                return total * a[i, j] + i
            total += a[i, j] ** 2
    return total


@case(M45, 90.0)
def early_return_not_taken(a, t):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > t:
                return total * a[i, j]
            total += a[i, j] ** 2
    return total


@case(V5, V5[::-1] + 0.01)
def chained_comparison(x, y):
    s = 0.0
    for a, b in zip(x, y):
        if -1.0 < a <= b < 2.0:
            s += a * b
        elif not (a > 0 and b > 0) or a == b:
            s += a - b
        else:
            s += (a if a > b else b) ** 2
    return s


@case(V5, 1.5)
def boolean_values(x, k):
    n = (x[0] > 0) + (x[1] > 0) * 2
    first = x[0] and x[1]
    second = x[2] or k
    third = k and (x[3] > 100 or x[4])
    return first * second + n * third


@dataclass
class Point:
    x: float
    y: float


@dataclass
class Circle:
    c: Point
    r: float


def area(shape):
    match shape:
        case Point():
            return 0.0
        case Circle(c=Point(x=x, y=y), r=r) if r > 0:
            return 3.0 * r * r + x * y
        case {"kind": "rect", "w": w, "h": h}:
            return w * h
        case {"kind": "poly", **rest}:
            return sum(rest["sides"])
        case [a, b]:
            return a * b
        case [a, *more]:
            return a + sum(more)
        case float() | int():
            return shape * 2
        case None:
            return 1.0
        case _:
            raise TypeError("unknown shape")


@case(V5)
def match_everything(x):
    shapes = [
        Point(x[0], x[1]),
        Circle(Point(x[0], x[2]), abs(x[3])),
        {"kind": "rect", "w": x[1], "h": x[4]},
        {"kind": "poly", "sides": (x[0], x[1], x[2])},
        [x[0], x[1]],
        (x[0], x[1], x[2]),
        2.5,
        None,
    ]
    return sum(area(s) for s in shapes)


@case(V5, "cubic")
def match_on_mode(x, mode):
    match mode, len(x):
        case "linear", _:
            return np.sum(x)
        case ("quadratic" | "square"), n:
            return np.sum(x**2) / n
        case "cubic", n if n > 3:
            return np.sum(x**3) / n
        case _:
            return 0.0


@case(1.3, 0.4)
def match_on_data(x, y):
    match (x > 1, y > 1):
        case (True, True):
            return x * y
        case (True, False):
            return x - y * x
        case (False, _):
            return y**2
    return 0.0


@case(V6, 3.0)
def match_values(x, k):
    s = 0.0
    for i, v in enumerate(x):
        match i % 3:
            case 0:
                s += v * k
            case 1:
                s -= v
            case n:
                s *= 1 + n * v
    return s


@case(M45)
def rows_with_continue(a):
    total = 0.0
    for row in a:
        if row.sum() < 0:
            continue
        for v in row:
            if v < 0:
                continue
            if v > 1.2:
                break
            total += v * row[0]
        else:
            total += 1.0
    return total + a[0, 0]


@case(M33)
def triangular(a):
    n = len(a)
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            for k in range(j, n):
                s += a[i, j] * a[j, k] / (1 + i + k)
    return s


@case(V6)
def stepped_and_reversed(x):
    y = np.zeros_like(x)
    for i in range(len(x) - 1, -1, -2):
        y[i] = x[i] ** 2
    for i in reversed(range(1, len(x))):
        y[i - 1] += 0.5 * y[i]
    for i in range(0, len(x), 3):
        y[i] *= x[i]
    return y @ x


@case(V5)
def int_to_float(x):
    total = 0
    count = 0
    for v in x:
        if v > 0:
            total += v
            count += 1
    if count:
        total /= count
    return total


@case(M45)
def scalar_to_array(a):
    acc = 0
    for row in a:
        acc = acc + row
    prod = 1.0
    for row in a:
        prod = prod * (1 + 0.1 * row)
    return np.sum(acc * prod)


@case(V6)
def none_to_value(x):
    best = None
    where = None
    for i in range(len(x)):
        cost = (x[i] - 0.4) ** 2
        if best is None or cost < best:
            best = cost
            where = i
    return best * 2.0 + x[where]


@case(V6, 2)
def none_array_state(x, k):
    velocity = None
    p = x
    for _ in range(k):
        g = 2 * p + np.sin(p)
        if velocity is None:
            velocity = g
        else:
            velocity = 0.9 * velocity + g
        p = p - 0.1 * velocity
    return np.sum(p**2)


@case(V6, 0.05)
def list_of_arrays(x, tol):
    hist = []
    y = x
    while np.sum(y**2) > tol:
        y = 0.6 * np.sin(y)
        hist.append(y)
        if len(hist) > 50:
            break
    return np.sum(np.stack(hist) ** 2) + np.mean([h[0] for h in hist])


@case(V6)
def dict_of_arrays(x):
    out = {}
    for k in range(3):
        out[f"level{k}"] = x ** (k + 1)
    total = 0.0
    for name, value in out.items():
        total += value.sum() * len(name)
    out["level1"] = out["level0"] * out["level1"]
    return total + out["level1"][2]


@case(M33)
def tuple_state(a):
    state = (a[0], 0.0)
    for i in range(1, 3):
        v, e = state
        state = (np.tanh(a @ v), e + v @ a[i])
    return state[1] + state[0].sum()


@case(4.3)
def while_true(x):
    n = 0
    while True:
        x = x / 1.7 + 0.1 * np.cos(x)
        n += 1
        if x < 0.5:
            break
        if n >= 10:
            x = x * x
            break
    return x * n


@case(M33, V3)
def solve_or_lstsq(a, b):
    try:
        z = np.linalg.solve(a, b)
    except LinAlgError:
        z = np.linalg.lstsq(a, b, rcond=None)[0]
    return z @ z


@case(np.ones((3, 3), dtype=int), V3)
def solve_or_pinv(a, b):
    try:
        z = np.linalg.solve(a, b)
        ok = True
    except LinAlgError as error:
        z = a.T @ b + len(str(error)) * 0
        ok = False
    else:
        z = z * 2
    finally:
        scale = 0.5
    return np.sum(z) * scale + (0.0 if ok else b[0])


@case((1, 0, 2), 3.0)
def safe_ratio(weights, k):
    out = []
    for w in weights:
        try:
            out.append(k / w)
        except ZeroDivisionError:
            out.append(k * 5.0)
    return sum(out)


@case(M33, 1e-3)
def jitter_loop(k, jitter):
    K = k @ k.T - 2.0 * np.eye(3)
    eye = np.eye(3)
    for attempt in range(6):
        try:
            L = np.linalg.cholesky(K + jitter * 10.0**attempt * eye)
            break
        except np.linalg.LinAlgError:
            continue
    else:
        return np.sum(K)
    return 2 * np.sum(np.log(np.diag(L)))


@case(V5)
def errstate_around(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0, np.log(np.abs(x)), 1.0 / x)
        z = np.sqrt(np.abs(y))
    return z.sum()


class Timer:
    total = 0

    def __init__(self, scale):
        self.scale = scale
        self.entered = 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, kind, value, trace):
        self.entered -= 1
        return False

    def apply(self, x):
        return x * self.scale


@case(V5, 0.7)
def user_manager(x, s):
    t = Timer(s)
    with t as inside, Timer(2.0) as other:
        y = inside.apply(x) + other.apply(x**2)
        if y[0] > 0:
            y = y * inside.entered
    return y.sum() + t.entered


@contextlib.contextmanager
def scaled(values, k):
    values.append(k)
    yield values[-1] * 2
    values.pop()


@case(V5, 0.7)
def generator_manager(x, k):
    stack = []
    with scaled(stack, k) as two:
        y = np.sum(x) * two + len(stack)
    return y + len(stack)


@case(V6, 4.0)
def assertions(x, k):
    assert k > 0, "k must be positive"
    s = 0.0
    for v in x:
        assert v > 0
        if v > k:
            raise ValueError(f"too large: {v}")
        s += np.log(v) * k
    return s


@case(V5)
def walrus(x):
    total = 0.0
    i = 0
    while i < len(x) and (v := x[i] ** 2) < 4.0:
        total += v
        i += 1
    if (m := np.max(np.abs(x))) > 1:
        total /= m
    return total + [y := 1.5, y**2][1]


@case(V6, 0.5)
def bisection(c, guess):
    def poly(t):
        return t**3 + c[0] * t - c[1]

    lo, hi = -2.0, 2.0
    for _ in range(20):
        mid = 0.5 * (lo + hi)
        if poly(lo) * poly(mid) <= 0:
            hi = mid
        else:
            lo = mid
    root = 0.5 * (lo + hi)
    # one Newton step carries the derivative
    root = root - poly(root) / (3 * root**2 + c[0])
    return root * guess


@case(M33)
def power_iteration(a):
    v = np.ones(3) / np.sqrt(3.0)
    old = 0.0
    for _ in range(100):
        w = a @ v
        lam = np.linalg.norm(w)
        v = w / lam
        if abs(lam - old) < 1e-9:
            break
        old = lam
    return v @ a @ v


@case(V6)
def nested_exits(x):
    out = 0.0
    for i in range(len(x)):
        j = 0
        while True:
            j += 1
            if j > 3:
                break
            if x[i] * j > 1.0:
                for k in range(j):
                    if k == 2:
                        break
                    out += x[k] * j
                else:
                    continue
                break
            out += x[i] / j
    return out


@case(V6, 3)
def conditional_chain(x, n):
    y = x[0] if n < 2 else x[1] if n < 3 else x[2] ** 2 if x[2] > 0 else x[3]
    z = (x[4] if x[4] > x[5] else x[5]) * (1 if n else 2)
    return y * z


@case(R.rand(3, 4, 2))
def deep_loops(a):
    best = a[0, 0, 0]
    total = 0.0
    for plane in a:
        for row in plane:
            for v in row:
                if v > best:
                    best = v
                total += v * best
    return total / best


@case(V6, 6)
def fizz(x, n):
    s = 0.0
    for i in range(n):
        if i % 2 == 0 and i % 3 == 0:
            s += x[i] ** 3
        elif i % 2 == 0:
            s += x[i] ** 2
        elif i % 3 == 0:
            continue
        else:
            s *= x[i]
    return s


@case(V3, 7)
def collatz_weights(x, n):
    s = x[0]
    steps = 0
    while n != 1:
        if n % 2:
            n = 3 * n + 1
            s = s + x[1] * 0.1
        else:
            n //= 2
            s = s * (1 - 0.01 * x[2])
        steps += 1
    return s * steps


@case(V5)
def finally_in_loop(x):
    s = 0.0
    n = 0
    for v in x:
        try:
            if v < 0:
                continue
            s += v**2
            if s > 3:
                break
        finally:
            n += 1
    return s * n


@case(V5)
def raise_and_catch(x):
    class Stop(Exception):
        def __init__(self, value):
            super().__init__("stop")
            self.value = value

    def walk():
        s = 0.0
        for v in x:
            s += v
        raise Stop(s)

    try:
        walk()
    except Stop as stop:
        return stop.value**2
    return 0.0


@case(V6)
def state_machine(x):
    phase = "warm"
    s = 0.0
    for v in x:
        if phase == "warm" and v > 0.5:
            phase = "cold"
        elif phase == "cold" and v < 0.3:
            phase = "done"
        if phase == "done":
            break
        s += v if phase == "warm" else v**2
    return s


@case(V6)
def flag_loop(x):
    done = False
    i = 0
    acc = 1.0
    while not done:
        acc *= 1 + x[i]
        i += 1
        done = i >= len(x) or acc > 4.0
    return acc + i


@case(V3)
def adaptive_step(y0):
    t, h, y = 0.0, 0.4, y0
    steps = 0
    while t < 1.0 and steps < 50:
        h = min(h, 1.0 - t)
        k1 = -y * np.sin(y)
        k2 = -(y + h * k1) * np.sin(y + h * k1)
        err = np.max(np.abs(h * (k2 - k1)))
        steps += 1
        if err > 0.05:
            h *= 0.5
            continue
        y = y + 0.5 * h * (k1 + k2)
        t += h
        if err < 0.01:
            h *= 2.0
    return np.sum(y**2)
