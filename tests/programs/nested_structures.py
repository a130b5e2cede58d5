"""Containers given whole to transforms inside of transforms, every pair in both orders.

Everywhere the same two leaves, a number ``a`` and an array ``b`` of two, lie in a structure;
``read`` finds them in it.  An inner program is a number made of a point ``t`` and a direction ``v``
by one transform; its closed form is in ``TRUTH``, whose derivatives are taken by complex steps.
An outer program differentiates it by another transform, with respect to the containers.
"""

from __future__ import annotations

import collections
import dataclasses
import types

import numpy as np

import srcgrad as sg

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Record:
    a: float
    b: object


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: object


class Plain:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


class Items(list):
    pass


def items(t):
    return t[0], t[1]


def keys(t):
    return t["a"], t["b"]


def attributes(t):
    return t.a, t.b


def rows(a, b):
    """A list of more arrays than are looked at one by one."""
    return [np.array([a, b[0], b[1]]), *[np.zeros(3) for _ in range(9)]]


STRUCTURES = {
    "tuple": (lambda a, b: (a, b), items),
    "list": (lambda a, b: [a, b], items),
    "dict": (lambda a, b: {"a": a, "b": b}, keys),
    "named tuple": (lambda a, b: Pair(a, b), attributes),
    "dataclass": (lambda a, b: Record(a, b), attributes),
    "frozen dataclass": (lambda a, b: Frozen(a, b), attributes),
    "instance": (lambda a, b: Plain(a, b), attributes),
    "slots": (lambda a, b: Slots(a, b), attributes),
    "namespace": (lambda a, b: types.SimpleNamespace(a=a, b=b), attributes),
    "ordered dict": (lambda a, b: collections.OrderedDict(a=a, b=b), keys),
    "deque": (lambda a, b: collections.deque([a, b]), items),
    "subclass of list": (lambda a, b: Items([a, b]), items),
    "nested": (lambda a, b: {"u": (a, [b])}, lambda t: (t["u"][0], t["u"][1][0])),
    "deep": (lambda a, b: [Pair({"k": a}, Record(0.0, (b,)))],
             lambda t: (t[0].a["k"], t[0].b.b[0])),
    "None and int": (lambda a, b: (None, a, 3, b), lambda t: (t[1], t[3])),
    "numbers": (lambda a, b: (a, (b[0], b[1])), items),
    "rows": (rows, lambda t: (t[0][0], t[0][1:])),
}
# their leaves are not examples: None, an int, numbers, rows of one array
NOT_MAPPED = frozenset({"None and int", "numbers", "rows", "deep"})

W = np.array([1.3, 0.7, -0.4])


def weighted(p, q):
    return W[0] * p + W[1] * q[0] + W[2] * q[1]


# ---- inner programs --------------------------------------------------------------------------
def inner(kind, make, read):
    """The function of ``t`` and ``v`` that uses a transform."""
    def f(t):
        a, b = read(t)
        return np.sin(a) * (b[0] ** 2 + np.exp(b[1]) * a)

    def w(g):
        p, q = read(g)
        return weighted(p, q)

    def out(t):
        a, b = read(t)
        return make(np.sin(a) * b[0], np.array([b[0] * b[1], np.exp(a) + b[1]]))

    def value_and_grad(t, v):
        value, g = sg.value_and_grad(f)(t)
        return value + w(g) + w(v)

    def vjp(t, v):
        o, pullback = sg.vjp(out, t)
        return w(pullback(v)[0]) + w(o)

    def vjp_with_aux(t, v):
        o, pullback, aux = sg.vjp(lambda t: (out(t), {"f": f(t), "t": t}), t, has_aux=True)
        return w(pullback(v)[0]) + w(o) + aux["f"] + w(aux["t"])

    def jvp(t, v):
        o, moved = sg.jvp(out, (t,), (v,))
        return w(o) + w(moved)

    def linearize(t, v):
        o, pushforward = sg.linearize(out, t)
        return w(o) + w(pushforward(v)) + w(pushforward(t))

    def custom_vjp(t, v):
        return with_pullback(t) + w(v)

    with_pullback = sg.custom_vjp(f)
    with_pullback.defvjp(lambda t: (f(t), t), lambda t, ct: sg.vjp(f, t)[1](ct))

    def custom_jvp(t, v):
        return with_pushforward(t) + w(v)

    with_pushforward = sg.custom_jvp(f)
    with_pushforward.defjvp(lambda primals, tangents: sg.jvp(f, primals, tangents))

    def solver(t):
        a, b = read(t)
        return a * b[0] + np.sin(b[1])

    def equation(y, t):
        a, b = read(t)
        return y - a * b[0] - np.sin(b[1])

    solved = sg.implicit(solver, equation)

    def vmap(t, v):
        a, b = read(t)
        both = make(np.array([a, 2.0 * a]), np.array([b, 3.0 * np.array(b)]))
        return np.sum(sg.vmap(f)(both)) + w(v)

    def jacobian(t, v):
        a, b = read(t)
        matrix = sg.jacobian(lambda x: np.array([f(make(x[0], x[1:])), x[0]]))
        return np.sum(matrix(np.array([a, b[0], b[1]])) @ W) + w(v)

    def elementwise_grad(t, v):
        a, b = read(t)
        return np.sum(sg.elementwise_grad(lambda x: x**2 * read(t)[0])(
            np.array([b[0], b[1]]))) + w(v)

    return {
        "none": lambda t, v: f(t) + w(v),
        "grad": lambda t, v: w(sg.grad(f)(t)) + w(v),
        "value_and_grad": value_and_grad, "vjp": vjp, "vjp with aux": vjp_with_aux, "jvp": jvp,
        "linearize": linearize,
        "hvp": lambda t, v: w(sg.hvp(f)(t, v)),
        "gnvp": lambda t, v: w(sg.gnvp(out)(t, v)),
        "jit": lambda t, v: sg.jit(f)(t) + w(sg.jit(out)(v)),
        "checkpoint": lambda t, v: sg.checkpoint(f)(t) + w(sg.checkpoint(out)(v)),
        "custom_vjp": custom_vjp, "custom_jvp": custom_jvp,
        "implicit": lambda t, v: solved(t) + w(v),
        "vmap": vmap, "jacobian": jacobian, "elementwise_grad": elementwise_grad,
        "tree_map": lambda t, v: f(sg.tree_map(scaled, t)) + w(sg.stop_gradient(v)) + w(v),
    }[kind]


def scaled(leaf):
    return leaf if leaf is None or isinstance(leaf, int) else leaf * 1.5


def f_of(x):
    return np.sin(x[0]) * (x[1] ** 2 + np.exp(x[2]) * x[0])


def out_of(x):
    return np.array([np.sin(x[0]) * x[1], x[1] * x[2], np.exp(x[0]) + x[2]])


def matrix_of(x):
    z = 0 * x[0]
    return np.array([[np.cos(x[0]) * x[1], np.sin(x[0]), z], [z, x[2], x[1]],
                     [np.exp(x[0]), z, z + 1]])


def gradient_of(x):
    s, c, e = np.sin(x[0]), np.cos(x[0]), np.exp(x[2])
    return np.array([c * (x[1] ** 2 + e * x[0]) + s * e, 2 * s * x[1], s * e * x[0]])


def hessian_of(x):
    s, c, e, z = np.sin(x[0]), np.cos(x[0]), np.exp(x[2]), 0 * x[0]
    return np.array([
        [-s * (x[1] ** 2 + e * x[0]) + 2 * c * e, 2 * c * x[1], c * e * x[0] + s * e],
        [2 * c * x[1], 2 * s, z], [c * e * x[0] + s * e, z, s * e * x[0]]])


TRUTH = {
    "none": lambda x, v: f_of(x) + W @ v,
    "grad": lambda x, v: W @ gradient_of(x) + W @ v,
    "value_and_grad": lambda x, v: f_of(x) + W @ gradient_of(x) + W @ v,
    "vjp": lambda x, v: W @ (matrix_of(x).T @ v) + W @ out_of(x),
    "vjp with aux": lambda x, v: W @ (matrix_of(x).T @ v) + W @ out_of(x) + f_of(x) + W @ x,
    "jvp": lambda x, v: W @ (matrix_of(x) @ v) + W @ out_of(x),
    "linearize": lambda x, v: W @ (matrix_of(x) @ (v + x)) + W @ out_of(x),
    "hvp": lambda x, v: W @ (hessian_of(x) @ v),
    "gnvp": lambda x, v: W @ (matrix_of(x).T @ (matrix_of(x) @ v)),
    "jit": lambda x, v: f_of(x) + W @ out_of(v),
    "checkpoint": lambda x, v: f_of(x) + W @ out_of(v),
    "custom_vjp": lambda x, v: f_of(x) + W @ v,
    "custom_jvp": lambda x, v: f_of(x) + W @ v,
    "implicit": lambda x, v: x[0] * x[1] + np.sin(x[2]) + W @ v,
    "vmap": lambda x, v: f_of(x) + f_of(x * np.array([2.0, 3.0, 3.0])) + W @ v,
    "jacobian": lambda x, v: W @ gradient_of(x) + W[0] + W @ v,
    "elementwise_grad": lambda x, v: 2 * x[0] * (x[1] + x[2]) + W @ v,
    "tree_map": lambda x, v: f_of(1.5 * x) + W @ v + W @ v.real,
}

X, V = np.array([0.4, 1.2, 0.3]), np.array([0.7, -0.5, 0.9])
D, E = np.array([0.3, 0.8, -0.6]), np.array([-0.2, 0.5, 1.1])
Z, DE = np.concatenate([X, V]), np.concatenate([D, E])


def value(kind, z):
    return TRUTH[kind](z[:3], z[3:])


def slopes(kind, z):
    return np.array([value(kind, z + 1e-30j * e).imag / 1e-30 for e in np.eye(6)])


def bend(kind, direction):
    """The product of the Hessian and a direction."""
    step = 1e-6 * direction
    return (slopes(kind, Z + step) - slopes(kind, Z - step)) / 2e-6


# ---- outer programs --------------------------------------------------------------------------
def outer(kind, h, make, read):
    """What a transform of ``h`` gives, in one vector, and what it should be given the name of the
    inner program."""
    def pack(x):
        return make(x[0], x[1:])

    def flat(*trees):
        found = [read(t) for t in trees]
        return np.array([n for a, b in found for n in (a, b[0], b[1])], float)

    def whole(x):
        return h(pack(x[:3]), pack(x[3:]))

    def pulled_back(t, v):
        p, q = sg.vjp(h, t, v)[1](1.0)
        return weighted(*read(p)) + weighted(*read(q))

    def pushed_forward(t, v):
        return sg.linearize(h, t, v)[1](v, t)

    def in_captured(x):
        """The point is a container of the enclosing function, the direction is made inside."""
        return h(t, pack(x))

    t, v, d, e = map(pack, (X, V, D, E))
    if kind == "call":
        return h(t, v), lambda k: value(k, Z)
    if kind == "jit":
        compiled = sg.jit(h)
        compiled(pack(X * 2), v)  # the numbers are those of each call
        return compiled(t, v), lambda k: value(k, Z)
    if kind == "grad":
        return flat(*sg.grad(h, argnums=(0, 1))(t, v)), lambda k: slopes(k, Z)
    if kind == "grad of the direction":
        return flat(sg.grad(lambda v: h(t, v))(v)), lambda k: slopes(k, Z)[3:]
    if kind == "grad of the point":
        return flat(sg.grad(lambda t: h(t, v))(t)), lambda k: slopes(k, Z)[:3]
    if kind == "grad beside a captured container":
        return sg.grad(in_captured)(V), lambda k: slopes(k, Z)[3:]
    if kind == "value_and_grad":
        found, g = sg.value_and_grad(h, argnums=(0, 1))(t, v)
        return np.array([found, *flat(*g)]), lambda k: np.array([value(k, Z), *slopes(k, Z)])
    if kind == "vjp":
        return flat(*sg.vjp(h, t, v)[1](1.0)), lambda k: slopes(k, Z)
    if kind == "jvp":
        return np.array(sg.jvp(h, (t, v), (d, e))), lambda k: np.array([
            value(k, Z), slopes(k, Z) @ DE])
    if kind == "linearize":
        found, pushforward = sg.linearize(h, t, v)
        return np.array([found, pushforward(d, e), pushforward(None, e)]), lambda k: np.array([
            value(k, Z), slopes(k, Z) @ DE, slopes(k, Z)[3:] @ E])
    if kind == "hvp":
        return flat(sg.hvp(h)(t, v, d)), lambda k: bend(k, np.concatenate([D, 0 * D]))[:3]
    if kind == "gnvp":
        return flat(sg.gnvp(lambda t: h(t, v))(t, d)), lambda k: (
            slopes(k, Z)[:3] @ D) * slopes(k, Z)[:3]
    if kind == "hessian":
        return sg.hessian(whole)(Z) @ DE, lambda k: bend(k, DE)
    if kind == "jacobian":
        return sg.jacobian(lambda x: np.array([whole(x)]))(Z)[0], lambda k: slopes(k, Z)
    if kind == "checkpoint":
        return flat(*sg.grad(sg.checkpoint(h), argnums=(0, 1))(t, v)), lambda k: slopes(k, Z)
    if kind == "vmap":
        found = sg.grad(lambda x: np.sum(sg.vmap(whole)(np.array([x, 2 * x]))))(Z)
        return found, lambda k: slopes(k, Z) + 2 * slopes(k, 2 * Z)
    if kind == "custom_vjp":
        g = sg.custom_vjp(h)
        g.defvjp(lambda t, v: (h(t, v), (t, v)), lambda held, ct: sg.vjp(h, *held)[1](ct))
        return flat(*sg.grad(lambda t, v: g(t, v), argnums=(0, 1))(t, v)), lambda k: slopes(k, Z)
    if kind == "custom_jvp":
        g = sg.custom_jvp(h)
        g.defjvp(lambda primals, tangents: sg.jvp(h, primals, tangents))
        return flat(*sg.grad(lambda t, v: g(t, v), argnums=(0, 1))(t, v)), lambda k: slopes(k, Z)
    if kind == "grad of jvp":
        return flat(sg.grad(lambda t: sg.jvp(h, (t, v), (d, e))[1])(t)), lambda k: bend(k, DE)[:3]
    if kind == "grad of jvp by the tangent":
        return flat(sg.grad(lambda d: sg.jvp(h, (t, v), (d, e))[1])(d)), lambda k: slopes(k, Z)[:3]
    if kind == "jvp of vjp":
        return sg.jvp(pulled_back, (t, v), (d, e))[1], lambda k: np.concatenate([W, W]) @ bend(
            k, DE)
    assert kind == "jvp of linearize"
    return sg.jvp(pushed_forward, (t, v), (d, e))[1], lambda k: np.concatenate([V, X]) @ bend(
        k, DE) + slopes(k, Z) @ np.concatenate([E, D])


OUTERS = [
    "call", "jit", "grad", "grad of the direction", "grad of the point",
    "grad beside a captured container", "value_and_grad", "vjp", "jvp", "linearize", "hvp", "gnvp",
    "hessian", "jacobian", "checkpoint", "vmap", "custom_vjp", "custom_jvp", "grad of jvp",
    "grad of jvp by the tangent", "jvp of vjp", "jvp of linearize"]


def check(structure, one, other):
    """One transform inside of another one."""
    make, read = STRUCTURES[structure]
    found, wanted = outer(other, inner(one, make, read), make, read)
    np.testing.assert_allclose(found, wanted(one), rtol=2e-6, atol=2e-7)


PAIRS = [(structure, one) for structure in STRUCTURES for one in TRUTH
         if one != "vmap" or structure not in NOT_MAPPED]
