"""Trees, lists and graphs of objects: built, visited, searched, merged; own derivatives."""

from __future__ import annotations

import abc

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])
Y = np.array([1.5, 0.25, -0.45, 0.9])


# expression trees
class Expr:
    def __add__(self, o):
        return Add(self, wrap(o))

    def __radd__(self, o):
        return Add(wrap(o), self)

    def __mul__(self, o):
        return Mul(self, wrap(o))

    def __rmul__(self, o):
        return Mul(wrap(o), self)


class Const(Expr):
    def __init__(self, v):
        self.v = v

    def eval(self, env):
        return self.v

    def accept(self, vis):
        return vis.const(self)


class Sym(Expr):
    def __init__(self, n):
        self.n = n

    def eval(self, env):
        return env[self.n]

    def accept(self, vis):
        return vis.sym(self)


class Bin(Expr):
    def __init__(self, l, r):
        self.l = l
        self.r = r


class Add(Bin):
    def eval(self, env):
        return self.l.eval(env) + self.r.eval(env)

    def accept(self, vis):
        return vis.add(self)


class Mul(Bin):
    def eval(self, env):
        return self.l.eval(env) * self.r.eval(env)

    def accept(self, vis):
        return vis.mul(self)


def wrap(o):
    return o if isinstance(o, Expr) else Const(o)


class Diff:
    def __init__(self, n):
        self.n = n
        self.calls = 0

    def const(self, e):
        self.calls += 1
        return Const(0.0)

    def sym(self, e):
        self.calls += 1
        return Const(1.0 if e.n == self.n else 0.0)

    def add(self, e):
        self.calls += 1
        return e.l.accept(self) + e.r.accept(self)

    def mul(self, e):
        self.calls += 1
        return e.l.accept(self) * e.r + e.l * e.r.accept(self)


@case(0.7, 1.2)
def visitor(a, b):
    x, y = Sym("x"), Sym("y")
    e = (x * y + a) * x + b * y
    d = Diff("x")
    de = e.accept(d)
    d2 = de.accept(Diff("x"))
    env = {"x": a * b, "y": b}
    return e.eval(env) * de.eval(env) + d2.eval(env) + d.calls


# BST built by data
class BNode:
    def __init__(self, k):
        self.k = k
        self.left = None
        self.right = None
        self.n = 1

    def insert(self, k):
        if k < self.k:
            if self.left is None:
                self.left = BNode(k)
            else:
                self.left.insert(k)
        else:
            if self.right is None:
                self.right = BNode(k)
            else:
                self.right.insert(k)

    def total(self, depth=1):
        t = self.k * depth
        if self.left is not None:
            t = t + self.left.total(depth + 1)
        if self.right is not None:
            t = t + self.right.total(depth + 1)
        return t


# BST with static keys (ints) and traced values
class TNode:
    def __init__(self, key, val):
        self.key = key
        self.val = val
        self.l = self.r = None


def insert(root, key, val):
    if root is None:
        return TNode(key, val)
    if key < root.key:
        root.l = insert(root.l, key, val)
    elif key > root.key:
        root.r = insert(root.r, key, val)
    else:
        root.val = root.val + val
    return root


def fold(t, acc):
    if t is None:
        return acc
    acc = fold(t.l, acc)
    acc = np.sin(acc) + t.val
    return fold(t.r, acc)


@case(X)
def bst_static(x):
    root = None
    for k, v in zip([5, 2, 8, 1, 5, 9, 2], list(x) * 2):
        root = insert(root, k, v * v)
    return fold(root, 0.0)


# linked list reverse, merge
class Cell:
    __slots__ = ("v", "nxt")

    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt


def to_list(xs):
    h = None
    for v in reversed(xs):
        h = Cell(v, h)
    return h


def rev(h):
    p = None
    while h is not None:
        h.nxt, p, h = p, h, h.nxt
    return p


def merge(a, b):
    if a is None:
        return b
    if b is None:
        return a
    if a.v <= b.v:
        a.nxt = merge(a.nxt, b)
        return a
    b.nxt = merge(a, b.nxt)
    return b


@case(X)
def linked(x):
    h = rev(to_list(list(x)))
    t = 0.0
    w = 1.0
    while h is not None:
        t += w * h.v
        w *= 1.7
        h = h.nxt
    return t


@case(X, Y)
def merged(x, y):
    a = to_list([x[1], x[3]])
    b = to_list([y[2], y[3]])
    h = merge(a, b)
    t = 0.0
    w = 1.0
    for _ in range(4):
        t += w * h.v
        w *= 1.7
        h = h.nxt
    return t


# scene graph with parents
class SNode:
    def __init__(self, name, off, parent=None):
        self.name = name
        self.off = off
        self.parent = parent
        self.children = []
        if parent is not None:
            parent.children.append(self)

    def world(self):
        return self.off if self.parent is None else self.parent.world() + self.off * self.depth()

    def depth(self):
        return 0 if self.parent is None else 1 + self.parent.depth()

    def walk(self):
        yield self
        for c in self.children:
            yield from c.walk()


@case(X, Y)
def scene(x, y):
    r = SNode("r", x)
    a = SNode("a", y, r)
    b = SNode("b", x * y, a)
    c = SNode("c", x + y, r)
    a.off = a.off * 2
    a.children.append(SNode("d", x - y, b))
    return sum(np.sum(n.world()) * len(n.name) * (k + 1) for k, n in enumerate(r.walk()))


# quadtree Barnes-Hut with static positions structure by depth
class Quad:
    def __init__(self, cx, cy, h):
        self.c = (cx, cy)
        self.h = h
        self.m = 0.0
        self.mx = 0.0
        self.my = 0.0
        self.body = None
        self.kids = None

    def add(self, b):
        self.m += b.m
        self.mx += b.m * b.x
        self.my += b.m * b.y
        if self.kids is None and self.body is None:
            self.body = b
            return
        if self.kids is None:
            self.split()
            old = self.body
            self.body = None
            self.kid(old).add(old)
        self.kid(b).add(b)

    def split(self):
        q = self.h / 2
        cx, cy = self.c
        self.kids = [Quad(cx + sx * q, cy + sy * q, q) for sx in (-1, 1) for sy in (-1, 1)]

    def kid(self, b):
        return self.kids[2 * (b.ix > self.c[0]) + (b.iy > self.c[1])]

    def force(self, b, theta):
        if self.m == 0.0 and self.body is None and self.kids is None:
            return 0.0
        if self.body is b:
            return 0.0
        dx = self.mx / self.m - b.x
        dy = self.my / self.m - b.y
        d = np.sqrt(dx * dx + dy * dy + 0.01)
        if self.kids is None or self.h * 2 < theta * d:
            return self.m * b.m / d
        return sum(k.force(b, theta) for k in self.kids)


class QB:
    def __init__(self, m, x, y, ix, iy):
        self.m, self.x, self.y, self.ix, self.iy = m, x, y, ix, iy


@case(X, Y, np.array([1.0, 2.0, 0.5, 1.5]))
def barnes_static(x, y, m):
    pos = [(0.7, 1.5), (-0.4, 0.2), (1.3, -0.4), (0.2, 0.9)]
    bs = [QB(m[i], x[i], y[i], *pos[i]) for i in range(4)]
    q = Quad(0.0, 0.0, 2.0)
    for b in bs:
        q.add(b)
    return sum(q.force(b, 0.7) for b in bs)


# kd tree static split at median via sort (data)
class KD:
    def __init__(self, pts, depth=0):
        self.axis = depth % 2
        pts = sorted(pts, key=lambda p: p[self.axis])
        m = len(pts) // 2
        self.p = pts[m]
        self.l = KD(pts[:m], depth + 1) if m else None
        self.r = KD(pts[m + 1 :], depth + 1) if m + 1 < len(pts) else None

    def nearest(self, q, best=None):
        d = (self.p[0] - q[0]) ** 2 + (self.p[1] - q[1]) ** 2
        if best is None or d < best:
            best = d
        a, b = (self.l, self.r) if q[self.axis] < self.p[self.axis] else (self.r, self.l)
        if a is not None:
            best = a.nearest(q, best)
        if b is not None and (q[self.axis] - self.p[self.axis]) ** 2 < best:
            best = b.nearest(q, best)
        return best


@case(X, Y)
def kd(x, y):
    t = KD([(x[i], y[i]) for i in range(4)])
    return t.nearest((x[0] * 0.5, y[1] + 0.1)) + t.nearest((0.3, 0.2))


# composite pattern with caching
class Shape(abc.ABC):
    _area = None

    @property
    def area(self):
        if self._area is None:
            self._area = self.compute()
        return self._area

    @abc.abstractmethod
    def compute(self): ...


class Circ(Shape):
    def __init__(self, r):
        self.r = r

    def compute(self):
        return np.pi * self.r**2


class Group(Shape):
    def __init__(self, *s):
        self.s = list(s)

    def add(self, s):
        self.s.append(s)
        self._area = None
        return self

    def compute(self):
        return sum(s.area for s in self.s)


@case(X)
def composite(x):
    g = Group(Circ(x[0]), Group(Circ(x[1]), Circ(x[2])))
    a = g.area
    g.s[1].add(Circ(x[3]))
    b = g.area
    g.add(Circ(a))
    return a * b + np.sqrt(g.area)


# stack machine
class VM:
    def __init__(self):
        self.st = []
        self.ops = {
            "+": self.add,
            "*": self.mul,
            "dup": self.dup,
            "s": lambda: self.st.append(np.sin(self.st.pop())),
        }

    def add(self):
        b = self.st.pop()
        self.st[-1] = self.st[-1] + b

    def mul(self):
        b = self.st.pop()
        self.st[-1] *= b

    def dup(self):
        self.st.append(self.st[-1])

    def run(self, prog):
        for p in prog:
            if p in self.ops:
                self.ops[p]()
            else:
                self.st.append(p)
        return self.st


@case(0.7, 1.3)
def vm(a, b):
    v = VM()
    out = v.run([a, b, "dup", "*", "+", "s", "dup", a, "+", "*"])
    return out[0] * len(out)
