"""Parameters in nested containers and objects, reached in every way that people reach them."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import operator
from collections import ChainMap, OrderedDict, defaultdict, namedtuple
from types import SimpleNamespace

import numpy as np

R = np.random.RandomState(1)
X = R.rand(3) + 0.5
CASES = []
Affine = namedtuple("Affine", ["w", "b"])


def arrays(n):
    return [R.rand(3) + 0.1 for _ in range(n)]


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: float
    tags: list = dataclasses.field(default_factory=list)

    def __call__(self, x):
        return np.tanh(x * self.w + self.b)


class Net:
    scale = 2.0
    shared = np.array([0.3, 0.2, 0.1])

    def __init__(self):
        self.layers = [Layer(w, 0.1 * i) for i, w in enumerate(arrays(3))]
        self.extra = {"gain": R.rand(3), "bias": 0.5}
        self._cache = None

    @property
    def first(self):
        return self.layers[0]

    def __iter__(self):
        return iter(self.layers)

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, i):
        return self.layers[i]


PARAMS = {"pairs": [(w, 0.1 * i) for i, w in enumerate(arrays(3))], "gain": arrays(1)[0],
          "deep": {"a": {"b": [arrays(1)[0], 2.0]}}, "affine": Affine(*arrays(2))}


def over(value):
    def register(fn):
        CASES.append((fn, (X, copy.deepcopy(value))))
        return fn

    return register


@over(PARAMS)
def pairs_unpacked(x, p):
    for w, b in p["pairs"]:
        x = np.tanh(x * w + b)
    (w0, b0), *_, (w2, b2) = p["pairs"]
    return np.sum(x * w0 * w2) * b2 + b0


@over(PARAMS)
def pairs_transposed(x, p):
    ws, bs = zip(*p["pairs"])
    return np.sum(sum(ws) * x) * sum(bs) + np.sum(np.stack(ws)[1] * ws[-1])


@over(PARAMS)
def deep_places(x, p):
    a, s = p["deep"]["a"]["b"]
    inner = p["deep"]["a"]
    inner2 = {**inner, "c": x}
    return np.sum(a * x * inner2["b"][0]) * s * inner2["b"][-1]


@over(PARAMS)
def named_tuples(x, p):
    f = p["affine"]
    g = f._replace(b=x)
    w, b = f
    return np.sum(f.w * x + f[1] * g.b) + np.sum(w * b) * np.sum(sum(f)) + len(f._fields) + np.sum(
        f._asdict()["w"] * g.w)


@over(PARAMS)
def getters(x, p):
    gain = operator.itemgetter("gain")(p)
    w, b = operator.itemgetter("gain", "pairs")(p)
    total = functools.reduce(operator.add, map(operator.itemgetter(0), p["pairs"]))
    return np.sum(gain * x * w * total) + b[1][1] + np.sum(operator.attrgetter("w")(p["affine"]))


@over(PARAMS)
def comprehensions(x, p):
    doubled = {k: v * 2 for k, v in p.items() if k == "gain"}
    flat = np.concatenate([np.ravel(w) for w, _ in p["pairs"]])
    return np.sum(doubled["gain"] * x) + np.sum(flat ** 2) + sum(b * np.sum(w) for w, b in p["pairs"])


@over(PARAMS)
def kinds_of_mappings(x, p):
    c = ChainMap({"gain": x}, p)
    o = OrderedDict(p)
    d = defaultdict(list)
    for w, b in p["pairs"]:
        d["w"].append(w)
    o.move_to_end("gain")
    return np.sum(c["gain"] * o["gain"] * d["w"][2]) + c["deep"]["a"]["b"][1]


@over(PARAMS)
def partial_and_defaults(x, p):
    def scaled(v, w=p["gain"], *, s=p["deep"]["a"]["b"][1]):
        return v * w * s

    f = functools.partial(scaled, w=p["affine"].w)
    g = lambda v, k=p["pairs"][1][0]: v * k
    return np.sum(scaled(x) + f(x) + g(x))


@over(PARAMS)
def deep_copies(x, p):
    q = copy.deepcopy(p)
    q["gain"][0] = 5.0
    q["pairs"].pop()
    r = copy.copy(p)
    r["gain"] = x
    return np.sum(p["gain"] * q["gain"] * r["gain"]) * len(q["pairs"]) + np.sum(
        q["pairs"][0][0] * p["pairs"][2][0])


@over(PARAMS)
def sorted_keys(x, p):
    total = 0.0
    for key in sorted(p, reverse=True):
        if isinstance(p[key], np.ndarray):
            total = total + np.sum(p[key] * x)
        elif isinstance(p[key], dict):
            total = total * p[key]["a"]["b"][1]
        else:
            total = total + len(p[key])
    return total


@over(Net())
def layers_called(x, net):
    for layer in net.layers:
        x = layer(x)
    return np.sum(x * net.first.w) * net.scale * net.extra["bias"] + np.sum(net.shared * x)


@over(Net())
def own_protocols(x, net):
    for layer in net:
        x = layer(x) + net[0].b
    return np.sum(x) * len(net) + np.sum(net[-1].w * net.layers[::-1][0].w)


@over(Net())
def joined_lists(x, net):
    layers = net.layers + [Layer(x, 1.0)]
    more = [net.layers[0], *net.layers[1:]]
    more += net.layers
    y = x
    for layer in layers + more:
        y = layer(y)
    return np.sum(y)


@over(Net())
def parts_by_reflection(x, net):
    total = np.zeros(3)
    for name in ("w", "b"):
        total = total + getattr(net.first, name) * x
    for key, value in vars(net.layers[1]).items():
        if key != "tags":
            total = total + value
    for f in dataclasses.fields(net.layers[2]):
        if f.name == "w":
            total = total * getattr(net.layers[2], f.name)
    return np.sum(total)


@over(Net())
def replaced_parts(x, net):
    layer = dataclasses.replace(net.layers[0], b=net.layers[1].b * 2)
    d = dataclasses.asdict(net.layers[1])
    w, b, tags = dataclasses.astuple(net.layers[2])
    return np.sum(layer(x) * d["w"] * w) + d["b"] * b


@over(Net())
def changed_parts(x, net):
    net.layers[0].w = net.layers[0].w * x
    net.layers[1].b += net.extra["bias"]
    net.extra["gain"] *= 2.0
    net.layers.append(Layer(x, 0.5))
    y = x
    for layer in net.layers:
        y = layer(y)
    net.layers.pop()
    return np.sum(y * net.extra["gain"])


@over(SimpleNamespace(w=arrays(1)[0], inner=SimpleNamespace(items=arrays(3), k=2.0)))
def namespaces(x, s):
    s2 = SimpleNamespace(**vars(s.inner), z=x)
    total = sum(s2.items) * s2.k
    first, *others = s.inner.items
    return np.sum(total * s.w * s2.z * others[-1] + first)


@over(Net())
def max_by_a_number(x, net):
    best = max(net.layers, key=lambda layer: len(layer.tags) - layer.b)
    return np.sum(best.w * x) + min(layer.b for layer in net.layers)


@over({"a": [arrays(2), arrays(2)], "b": (arrays(1)[0],)})
def lists_of_lists(x, p):
    total = 0.0
    for row in p["a"]:
        for w in row:
            total = total + np.sum(w * x)
    flat = [w for row in p["a"] for w in row] + list(p["b"])
    columns = list(zip(*p["a"]))
    return total * np.sum(flat[-1] * flat[0]) + np.sum(columns[1][0] * columns[0][1]) + np.sum(
        np.array(p["a"])[1, 0] * x)


@over(collections.deque(arrays(3), maxlen=3))
def a_deque(x, queue):
    total = 0.0
    for w in queue:
        total = total + np.sum(w * x)
    return total * np.sum(queue[-1] * queue[0])
