"""Programs with changes of arrays, and of what NumPy and SciPy hold, between their calls."""

from changes import changes

PROGRAMS = {
    "one-dimensional polynomials": ('''
p = np.poly1d([1.0, 2.0, 3.0])
def made():
    q = np.poly1d([0.5, 1.0])
    def inner(x): return q(x)
    return inner, q
inner, q = made()
class Holder: pass
holder = Holder()
holder.p = np.poly1d([2.0, 1.0])
''' + changes("p.coeffs[0] = 5.0", "p.__setitem__(0, 7.0)", "q.coeffs[1] = 4.0", "holder.p.coeffs[0] = 9.0",
              "holder.__dict__.update(p=np.poly1d([1.0, 0.0, 0.0]))", "p.__setitem__(3, 2.0)") + '''
def program(x):
    return p(x) + inner(x) + holder.p(x) + p.order + p[1]
''', 7),
    "polynomials": ('''
from numpy.polynomial import Chebyshev, Polynomial
p, c = Polynomial([1.0, 2.0, 3.0]), Chebyshev([1.0, 0.5])
table = {"p": p}
''' + changes("p.coef[0] = 5.0", "c.coef[1] = 7.0", "setattr(p, 'coef', np.array([1.0, 1.0]))",
              "setattr(p, 'domain', np.array([0.0, 1.0]))", "table.update(p=Polynomial([2.0]))") + '''
def program(x):
    return p(x) + c(x) + table["p"](x) * x + p.degree() + p.deriv()(x)
''', 6),
    "methods of polynomials": ('''
p = np.poly1d([1.0, -3.0, 2.0])
''' + changes("p.coeffs.__setitem__(2, 1.0)", "p.coeffs.__setitem__(0, 2.0)") + '''
def program(x):
    d = p.deriv()
    return d(x) + (p * 2)(x) + np.polyval(p, x) + p.integ()(x) + np.sum(p.c) + np.max(p.roots.real)
''', 3),
    "NumPy's error state is read": ("def restore(): np.seterr(all='warn')\n" + changes(
        "np.seterr(over='ignore')", "np.seterr(over='raise')", "np.seterr(over='warn')") + '''
def program(x):
    t = 2.0 if np.geterr()["over"] == "ignore" else 3.0
    return t * x + len(np.geterr()["over"])
''', 4),
    "NumPy's error state decides": ("def restore(): np.seterr(all='warn')\n" + changes(
        "np.seterr(divide='raise')", "np.seterr(divide='ignore')", "np.seterr(divide='call')",
        "np.seterr(divide='warn')") + '''
def program(x):
    with np.errstate(all="ignore") if np.geterr()["divide"] != "raise" else np.errstate():
        try:
            t = np.sum(np.array([1.0, x]) / np.array([0.0, 1.0]))
        except FloatingPointError:
            t = 5.0
    return t if t < 100.0 else x
''', 5),
    "the way numbers are printed": (
    "def restore(): np.set_printoptions(precision=8, threshold=1000)\n" + changes(
        "np.set_printoptions(precision=3)", "np.set_printoptions(precision=8)",
        "np.set_printoptions(threshold=2)", "np.set_printoptions(threshold=1000)") + '''
def program(x):
    shown = str(np.array([1.0 / 3.0, 2.0, 3.0]))
    return x * len(shown) + np.get_printoptions()["precision"]
''', 5),
    "buffer sizes and other state of the process": ('''
import sys
limit = sys.getrecursionlimit()
def restore(): sys.setrecursionlimit(limit), np.setbufsize(8192)
''' + changes("sys.setrecursionlimit(limit + 100)", "sys.setrecursionlimit(limit)", "np.setbufsize(16384)", "np.setbufsize(8192)") + '''
def program(x):
    return x * (sys.getrecursionlimit() == limit) + np.getbufsize() / 8192
''', 5),
    "array contents as sizes and indices": ('''
size, places = np.array([2, 3]), np.array([0, 2, 1])
order = np.array([1.0, 2.0, 3.0])
''' + changes("size[0] = 4", "places[0] = 1", "size[1] = 1", "order.__setitem__(0, 9.0)",
              "globals().update(places=np.array([2]))", "globals().update(places=np.array([True, False, True]))") + '''
def program(x):
    grid = np.ones((size[0], size[1]))
    t = np.sum(grid) * x + np.sum(order[places]) + np.arange(size[0])[-1]
    for i in range(size[0]):
        t += x * i
    return t + grid.shape[0] + len(places) + order[np.argmax(order)] * x
''', 7),
    "dtypes change": ('''
w = np.array([1.0, 2.0])
class Held: pass
held = Held()
held.a = np.array([1, 2])
''' + changes("globals().update(w=np.array([1, 2]))", "globals().update(w=np.array([1.5, 2], np.float32))",
              "globals().update(w=np.array([True, False]))", "setattr(held, 'a', np.array([1.5, 2.5]))",
              "globals().update(w=np.array([1.5, 2.0], '>f8'))") + '''
def program(x):
    return np.sum(w * x) + np.sum(held.a) + (w.dtype.kind == "i") + held.a.dtype.itemsize
''', 5),
    "an array changes its shape, strides and flags in place": ('''
w = np.arange(6.0)
v = np.arange(6.0).reshape(2, 3)
''' + changes("setattr(w, 'shape', (2, 3))", "setattr(w, 'shape', (3, 2))", "globals().update(v=v.T)",
              "globals().update(v=v[::2])", "v.setflags(write=False)", "w.resize((2, 2), refcheck=False)", "w.sort(axis=None) if False else w.partition(0)") + '''
def program(x):
    return np.sum(w[0]) * x + w.ndim + np.sum(v.ravel()[:2] * x) + v.shape[0]
''', 8),
    "views of arrays": ('''
base = np.arange(6.0)
view, turned = base[::2], base.reshape(2, 3).T
''' + changes("base[2] = 9.0", "view[0] = 4.0", "globals().update(view=base[1:])", "turned[1, 1] = 7.0",
              "globals().update(base=np.zeros(6))") + '''
def program(x):
    return np.sum(view) * x + turned[1, 1] + base[0] * x
''', 6),
    "lists of arrays": ('''
layers = [np.ones((2, 2)), np.ones((2, 3))]
many = [np.ones(2) for _ in range(10)]
''' + changes("layers[0][0, 0] = 3.0", "layers.append(np.ones((3, 1)))", "layers.pop()", "layers.__setitem__(1, np.ones((2, 5)))",
              "many[9].__setitem__(0, 5.0)", "many.pop()", "many.__setitem__(0, np.ones(3))") + '''
def program(x):
    h = np.array([x, 1.0])
    for w in layers:
        h = h @ w
    return np.sum(h) + sum(np.sum(m) for m in many) * x
''', 8),
    "random streams": ('''
rng = np.random.default_rng(5)
import random
own = random.Random(3)
''' + changes("globals().update(rng=np.random.default_rng(9))", "own.seed(2)", "rng.random()", "own.random()") + '''
def program(x):
    return x * rng.random() + rng.normal() + own.random() * x
''', 5),
    "zero-dimensional arrays and numbers": ('''
a, s = np.array(2.0), np.float64(1.5)
n = np.int64(3)
''' + changes("a[...] = 5.0", "globals().update(s=np.float32(0.1))", "globals().update(n=np.int64(2))", "globals().update(n=2)",
              "globals().update(a=3.0)", "globals().update(s=1 + 2j)") + '''
def program(x):
    return float(np.real(a * x + s)) + np.sum(np.ones(n)) + x ** n
''', 7),
    "functions with settings of their own": ('''
double = np.frompyfunc(lambda v: v, 1, 1)
each = np.vectorize(lambda v: v * k, otypes=[float])
k = 2.0
pieces = [lambda v: v, lambda v: v * 3]
''' + changes("globals().update(k=3)", "each.__dict__.update(pyfunc=lambda v: v + 1)", "pieces.reverse()") + '''
def program(x):
    x = np.array([x, -x])
    return np.sum(each(x)) + np.sum(np.piecewise(x, [x < 0, x >= 0], pieces) * x)
''', 4),
    "interpolants and splines": ('''
import scipy.interpolate
xs, ys = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 4.0, 9.0])
''' + changes("ys.__setitem__(1, 3.0)", "xs.__setitem__(3, 4.0)") + '''
def program(x):
    return float(np.interp(x, xs, ys)) + float(scipy.interpolate.CubicSpline(xs, ys)(x))
''', 3),
    "arrays inside enumerations, named tuples and slots": ('''
import enum, collections
P = collections.namedtuple("P", "a b")
class Slot:
    __slots__ = ("w",)
slot, point = Slot(), P(np.ones(2), 3)
slot.w = np.ones(2)
class E(enum.Enum):
    A = (np.ones(2),)
''' + changes("point.a[0] = 4.0", "slot.w[1] = 5.0", "E.A.value[0][0] = 7.0", "globals().update(point=P(np.ones(3), 2))",
              "setattr(slot, 'w', 2.0)") + '''
def program(x):
    return np.sum(point.a) * x + np.sum(slot.w) + E.A.value[0][0] * x + point.b
''', 6),
    "shapes decide": ('''
w = np.ones((2, 3))
''' + changes("globals().update(w=np.ones((3, 2)))", "globals().update(w=np.ones((1, 6)))", "globals().update(w=np.ones(6))",
              "globals().update(w=np.ones((0, 3)))") + '''
def program(x):
    if w.ndim == 2 and w.shape[0] < w.shape[1]:
        return x * w.size + np.sum(w)
    return x + len(w)
''', 5),
    "objects of SciPy hold arrays": ('''
import scipy.interpolate, scipy.stats
spline = scipy.interpolate.CubicSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])
line = scipy.interpolate.interp1d([0.0, 1.0, 2.0], [0.0, 3.0, 4.0])
frozen = scipy.stats.norm(0.5, 2.0)
''' + changes("spline.c.__setitem__((3, 0), 5.0)", "line.y.__setitem__(0, 2.0)",
              "frozen.kwds.update(loc=1.0) or setattr(frozen, 'args', ())",
              "globals().update(frozen=scipy.stats.norm(1.5, 1.0))") + '''
def program(x):
    return float(spline(x)) + float(line(x)) + float(frozen.logpdf(x))
''', 5),
    "copies of what changes": ('''
import copy, dataclasses, statistics
class Box:
    def __init__(self): self.w, self.n = [1.0, 2.0], {"a": np.ones(2)}
box, rows = Box(), [3.0, 4.0]
''' + changes("box.w.append(3.0)", "box.n['a'].__setitem__(0, 7.0)", "rows.append(1.0)", "box.__dict__.update(w=[9.0])") + '''
def program(x):
    one, other = copy.deepcopy(box), copy.copy(box)
    one.w.append(x)
    return sum(one.w) * x + sum(other.w) + np.sum(one.n["a"]) * x + statistics.mean(rows) + len(box.w)
''', 5),
}
