"""match statements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from table import construct

R = np.random.RandomState(41)
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
V6 = R.rand(6) + 0.1
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)


@construct("match values", V5, 0.3)
def scheme_by_name(u, nu):
    def advance(u, scheme, order):
        match scheme, order:
            case ("euler", _):
                return u + nu * np.cos(u)
            case ("rk", 2):
                return u + nu * np.cos(u + 0.5 * nu * np.cos(u))
            case ("rk", 3 | 4):
                k = np.cos(u)
                u = u.copy()
                u[1:] += nu * k[:-1]
                return u
            case _:
                raise ValueError(scheme)

    for scheme, order in [("euler", 1), ("rk", 2), ("rk", 4)]:
        u = advance(u, scheme, order)
    return np.sum(u * u)


@construct("match values", W6, 2)
def cell_automaton_energy(x, mode):
    total, state = 0.0, 0
    for v in x:
        match state:
            case 0 if v > 0:
                state = 1
                total += v
            case 0:
                total += v ** 2
            case 1 | 2:
                state = 2 if v > -0.3 else 0
                total *= 1.1
            case _:
                total -= v
    match mode:
        case 1:
            return total
        case 2:
            return total ** 2
    return 0.0 * total


@construct("match values", 0.7, 3)
def roots_by_discriminant(b, n):
    total = 0.0
    for k in range(n):
        match np.sign(b * b - k):
            case 1.0:
                total += np.sqrt(b * b - k) + b
            case 0.0:
                total += b
            case -1.0:
                total += np.hypot(b, np.sqrt(k - b * b)) * k
    return total * b


@construct("match sequences", V6, 0.4)
def rpn_calculator(x, a):
    program = [("push", x[0]), ("push", x[1]), ("mul",), ("push", a), ("add",), ("axpy", x[2], x[3]),
               ("unary", np.sin), ["clip", 0.1, *x[4:]]]
    stack = []
    for instruction in program:
        match instruction:
            case ("push", value):
                stack.append(value)
            case ("mul",):
                p, q = stack.pop(), stack.pop()
                stack.append(p * q)
            case ("add",):
                stack.append(stack.pop() + stack.pop())
            case ("axpy", s, t):
                stack[-1] = stack[-1] * s + t
            case ("unary", f):
                stack[-1] = f(stack[-1])
            case ["clip", low, *rest]:
                stack[-1] = stack[-1] if stack[-1] > low else low * sum(rest)
    [result] = stack
    return result ** 2


def tree_value(node, at):
    match node:
        case (left, "+", right):
            return tree_value(left, at) + tree_value(right, at)
        case (left, "*", right):
            return tree_value(left, at) * tree_value(right, at)
        case ("sin", inner):
            return np.sin(tree_value(inner, at))
        case "x":
            return at
        case float() | int() as number:
            return number
        case [first, *_, last]:
            return tree_value(first, at) - tree_value(last, at)
        case other:
            return other


@construct("match sequences", 1.3, 0.2)
def expression_tree(at, c):
    tree = (("x", "*", ("sin", "x")), "+", [("x", "*", c), 3, 4, (2.0, "*", "x")])
    total = tree_value(tree, at)
    if total > 0:
        total = total * tree_value(("sin", (c, "+", tree)), at)
    return total


@construct("match sequences", M34, 0.5)
def block_moments(M, a):
    total = np.zeros(4)
    for parts in ([M[0]], [M[1], M[2]], [M[0], M[1], M[2], a]):
        match parts:
            case [only]:
                total += only ** 2
            case [p, q] if p[0] > q[0]:
                total[:] = total + p * q
            case [p, q]:
                total -= p * q
            case [head, *body, float(scale)]:
                total = total + scale * head * sum(body)
    return total @ M[2]


@construct("match sequences", W6, 0.2)
def lists_of_lengths_that_data_decide(x, a):
    def product_of_ends(items):
        match items:
            case []:
                return x[0]
            case [only]:
                return 2.0 * only
            case [p, q] if p > q:
                return p * q
            case [first, *middle, last]:
                return first * sum(middle) * last

    total = product_of_ends([v for v in x if v > a]) + product_of_ends([v for v in x if v > 2.0])
    match x.tolist():
        case [p] | [p, _]:
            return total + p
        case [p, *rest]:
            return total * p + len(rest)


@construct("match mappings", V4, 0.3)
def parse_layers(x, rate):
    layers = [{"kind": "dense", "w": x, "bias": rate}, {"kind": "scale", "by": 2.0},
              {"kind": "residual", "inner": {"kind": "dense", "w": x[::-1], "bias": 0.1}}, {}]

    def apply(layer, h):
        match layer:
            case {"kind": "dense", "w": w, "bias": b}:
                return np.tanh(w * h + b)
            case {"kind": "residual", "inner": {"kind": _} as inner}:
                return h + apply(inner, h)
            case {"kind": "scale", **rest}:
                return h * rest["by"]
            case {}:
                return h
        return None

    h = np.ones(4) * rate
    for layer in layers:
        h = apply(layer, h)
    return np.sum(h ** 2)


@construct("match mappings", W6, 0.9)
def event_ledger(x, price):
    position = {"cash": 10.0, "shares": 0.0}
    for i, v in enumerate(x):
        event = {"type": "buy", "qty": v} if i % 2 == 0 else {"type": "div", "rate": v * v}
        match event:
            case {"type": "buy", "qty": qty} if qty > 0 and position["cash"] > qty * price:
                position["cash"] -= qty * price
                position["shares"] += qty
            case {"type": "buy", "qty": qty}:
                position["shares"] += 0.1 * qty
            case {"rate": rate}:
                position["cash"] += rate * position["shares"]
        price *= 1.0 + 0.05 * v
    return position["cash"] + position["shares"] * price


@construct("match mappings", V5, 2.0)
def keys_that_data_decide(x, a):
    signs, places = {}, {i % 3: v for i, v in enumerate(x)}
    for v in x:
        signs["up" if v > 0 else "down"] = v * a
        match signs:
            case {"up": p, "down": q}:
                a += 0.1 * p * q
            case {"up": p} | {"down": p}:
                a -= 0.1 * p
    match places:
        case {0: p, 1: q, 3: r}:
            return p + q + r
        case {0: p, 1: q, **rest} if rest:
            return a * p * q + len(rest)
    return a


@construct("match mappings", V5, 0.2)
def options_mapping(x, a):
    def smooth(x, **options):
        match options:
            case {"method": "exp", "alpha": alpha, **rest} if not rest:
                out = x.copy()
                for i in range(1, len(x)):
                    out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]
                return out
            case {"method": "box", "width": int(width)}:
                return np.convolve(x, np.ones(width) / width, "same")
            case {"scale": s}:
                return x * s
            case _:
                return x

    y = smooth(x, method="exp", alpha=a) + smooth(x, method="box", width=3)
    y = y * smooth(x, scale=a) + smooth(x, method="exp", alpha=0.1, extra=1)
    return y @ x


@dataclass
class Sphere:
    center: np.ndarray
    radius: float


@dataclass
class Plane:
    normal: np.ndarray
    offset: float


@dataclass
class Union:
    left: object
    right: object


def distance(shape, p):
    match shape:
        case Sphere(center, radius):
            return np.sqrt(np.sum((p - center) ** 2)) - radius
        case Plane(normal=n, offset=d):
            return np.dot(n, p) - d
        case Union(a, b):
            da, db = distance(a, p), distance(b, p)
            return da if da < db else db


@construct("match classes", V4[:3], 0.3)
def ray_march(direction, radius):
    scene = Union(Sphere(np.array([2.0, 1.0, 1.5]), radius), Union(Plane(np.array([0.0, 0.0, -1.0]), -4.0), Sphere(direction * 4, 0.1)))
    t, p = 0.0, np.zeros(3)
    for _ in range(12):
        d = distance(scene, p)
        if d < 1e-3:
            break
        t = t + 0.7 * d
        p = p + 0.7 * d * direction / np.linalg.norm(direction)
    return t * radius + p.sum()


@construct("match classes", Sphere(V4, 0.6), 1.4)
def match_argument(shape, k):
    match shape:
        case Sphere(radius=r, center=c) if r > k:
            return r * c.sum()
        case Sphere(radius=r) as s:
            moved = Sphere(s.center * k, r + k)
            moved.center[0] = r
            return np.sum(moved.center ** 2) * moved.radius
    return k


@dataclass
class Tick:
    price: float
    volume: float = 1.0


@dataclass
class Halt:
    ticks: int


@construct("match classes", W6, 0.5)
def order_book(x, fee):
    events = [Tick(x[0]), Halt(2), Tick(x[1], x[2]), Tick(x[3], 2.0), Halt(1), Tick(volume=x[4], price=x[5])]
    vwap, volume, halted = 0.0, 0.0, 0
    for event in events:
        match event:
            case Halt(ticks):
                halted += ticks
                event.ticks = 0
            case Tick(price, volume=v) if halted > 1:
                halted -= 1
                vwap += 0.5 * price * v
            case Tick(price, v) if price > 0:
                vwap += price * v - fee
                volume += v
            case Tick():
                event.price = fee
                vwap += event.price
    return vwap ** 2 + volume
