"""Exported modules run where srcgrad cannot be imported, with the same bits."""

from __future__ import annotations

import copy
import enum
import pickle
import subprocess
import sys
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad as sg

Pair = namedtuple("Pair", ["a", "b"])
SCALE = 1.5
TABLE = np.linspace(0.1, 0.9, 6)


@dataclass
class Params:
    w: np.ndarray
    b: float


class Layer:
    def __init__(self, W):
        self.W = W

    def loss(self, x):
        return np.sum(np.tanh(self.W @ x))


def heat(u0, alpha, steps):
    u = u0.copy()
    cost = 0.0
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        cost += np.sum(u * u)
    return cost


def broadcast(x, y):
    return np.sum(np.sin(x * y) ** 2)


def contained(params, x):
    return np.sum(np.tanh(params["W"] @ x + params["b"][0])) * params["b"][1]


def dataclassed(p, x):
    return np.sum(p.w * x) + p.b ** 2


def paired(p, x):
    return np.sum(p.a * x) * p.b


def captured(x):
    return np.sum(x * TABLE) * SCALE


def chosen(x, mode="fast"):
    if mode == "fast":
        return np.sum(x)
    return np.sum(x * x)


def variadic(x, *rest, power=2):
    total = np.sum(x ** power)
    for r in rest:
        total = total + np.sum(r)
    return total


def products(x):
    return np.prod(x) + np.max(np.cumprod(x))


def scattered(x, index):
    y = np.zeros(4)
    y[index] = x * 2.0
    return np.sum(y * y)


def springs(items, x):
    total = 0.0
    for one in items:
        total += one["k"] * (one["ends"].a - one["ends"].b) ** 2 * len(one["kind"]) + one["n"]
    return total * np.sum(x)


def polygons(shapes):
    total = 0.0
    for shape in shapes:
        for i in range(len(shape)):
            total += shape[i][0] * shape[i - 1][1] - shape[i - 1][0] * shape[i][1]
    return 0.5 * total


def smoothed(xs, rows):
    total = 0.0
    for i in range(1, len(xs)):
        total += (xs[i] - xs[i - 1]) ** 2
    for row in rows:
        for v in row:
            total += np.sin(v)
    return total


def some_springs(n):
    return [{"k": 1.5 + i, "kind": "soft", "ends": Pair(0.5 * i, 1.0), "n": i} for i in range(n)]


R = np.random.default_rng(1)
V = R.random(6) + 0.5
CASES = {
    "heat": (heat, (0, 1), (V, 0.2, 4), (R.random(11), 0.1, 7)),
    "broadcast": (broadcast, (0, 1), (V[:, None], V), (R.random((3, 1)), R.random(8))),
    "contained": (contained, 0, ({"W": R.random((3, 6)), "b": [0.5, 2.0]}, V), None),
    "dataclassed": (dataclassed, 0, (Params(V, 2.0), V), None),
    "paired": (paired, 0, (Pair(V, 2.0), V), None),
    "captured": (captured, 0, (V,), None),
    "chosen": (chosen, 0, (V,), (R.random(2), "fast")),
    "variadic": (variadic, 0, (V, V * 2, V * 3), None),
    "products": (products, 0, (V,), (R.random(3),)),
    "scattered": (scattered, 0, (V[:3], np.array([0, 2, 2])), (V[:2], np.array([1, 3]))),
    "springs": (springs, (0, 1), (some_springs(9), V), (some_springs(14), R.random(3))),
    "polygons": (polygons, 0, ([[(1.0, 2.0), (3.0, 1.0), (0.5, 0.25)], [(1.0, 0.0)] * 4] * 6,),
                 ([[(1.0, 2.0)] * 3] * 20,)),
    "smoothed": (smoothed, (0, 1), ([1.0, 2.5] * 10, [[1.0, 2.0]] * 9),
                 ([0.5, 1.0] * 12, [[0.1, 0.2, 0.3]] * 11)),
    "method": (Layer(R.random((3, 6))).loss, 0, (V,), None),
}

SCRIPT = """
import pickle, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("srcgrad", "astor", "test_export", "scipy"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv[1])
import importlib
results = {}
for name, function, calls in pickle.load(open(sys.argv[2], "rb")):
    module = importlib.import_module(name)
    results[name] = [getattr(module, function)(*args) for args in calls]
assert "srcgrad" not in sys.modules
pickle.dump(results, open(sys.argv[3], "wb"))
"""


def plain(value):
    """A result with records as dicts and named tuples as tuples."""
    if isinstance(value, Params):
        return {"w": value.w, "b": value.b}
    if isinstance(value, tuple):
        return tuple(plain(v) for v in value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def bits(value):
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [bits(v) for v in value]
    if isinstance(value, dict):
        return [(k, bits(v)) for k, v in value.items()]
    array = np.asarray(value)
    return type(value).__name__, array.dtype.str, array.shape, array.tobytes()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Every case exported, run in another process, and called here."""
    folder = tmp_path_factory.mktemp("exported")
    tasks, wanted = [], {}
    for name, (fn, argnums, args, more) in CASES.items():
        compiled = sg.value_and_grad(fn, argnums=argnums)
        path = compiled.export(folder / f"exported_{name}.py", *args)
        assert path.exists()
        calls = [args] + ([more] if more is not None else [])
        wanted[name] = [compiled(*copy.deepcopy(c)) for c in calls]
        assert compiled.cache_info().currsize == 1
        own = [[plain_argument(a) for a in c] for c in calls]
        tasks.append((f"exported_{name}", compiled.signatures and function_name(fn), own))
    (folder / "tasks").write_bytes(pickle.dumps(tasks))
    subprocess.run([sys.executable, "-c", SCRIPT, str(folder), str(folder / "tasks"),
                    str(folder / "results")], check=True, cwd=folder)
    return wanted, pickle.loads((folder / "results").read_bytes())


def function_name(fn):
    return f"{fn.__name__}_value_and_grad"


def plain_argument(value):
    """Arguments that another process can make: attributes stay readable."""
    if isinstance(value, Params):
        return SimpleNamespace(w=value.w, b=value.b)
    if isinstance(value, Pair):
        return SimpleNamespace(a=value.a, b=value.b)
    if isinstance(value, list):
        return [plain_argument(v) for v in value]
    if isinstance(value, dict):
        return {k: plain_argument(v) for k, v in value.items()}
    return value


@pytest.mark.parametrize("name", CASES)
def test_the_exported_module_gives_the_same_bits(runs, name):
    wanted, got = runs
    assert [bits(plain(w)) for w in wanted[name]] == [bits(g) for g in got[f"exported_{name}"]]


def run_module(path):
    namespace = {"__name__": "exported"}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace


def test_it_imports_numpy_only(tmp_path):
    text = sg.grad(heat).export(tmp_path / "m.py", V, 0.1, 3).read_text()
    imports = [line for line in text.splitlines() if line.startswith(("import", "from"))]
    assert imports == ["import numpy as np"]


def test_it_refuses_what_it_was_not_made_for(tmp_path):
    path = sg.grad(chosen).export(tmp_path / "m.py", V, "fast")
    function = run_module(path)["chosen_grad"]
    assert function(V, "fast").tolist() == [1.0] * 6
    for bad in ((V, "slow"), (V.astype(np.float32),), (V[None],), (list(V),)):
        with pytest.raises(TypeError, match="made for"):
            function(*bad)


def test_captured_values_are_keyword_parameters_with_defaults(tmp_path):
    path = sg.grad(captured).export(tmp_path / "m.py", V)
    function = run_module(path)["captured_grad"]
    assert np.array_equal(function(V), sg.grad(captured)(V))
    assert np.array_equal(function(V, SCALE=3.0), TABLE * 3.0)


def test_large_captured_arrays_are_required(tmp_path):
    big = R.random(5000)

    def weigh(x):
        return np.sum(x * big)

    path = sg.grad(weigh).export(tmp_path / "m.py", np.ones(5000))
    function = run_module(path)["weigh_grad"]
    with pytest.raises(TypeError, match="big"):
        function(np.ones(5000))
    assert np.array_equal(function(np.ones(5000), big=big), big)


def test_the_text_is_the_same_every_time(tmp_path):
    texts = {sg.grad(products).export(tmp_path / f"{i}.py", V).read_text() for i in range(3)}
    assert len(texts) == 1


def test_run_time_functions_are_embedded(tmp_path):
    text = sg.grad(broadcast).export(tmp_path / "m.py", V[:, None], V).read_text()
    text += sg.grad(products).export(tmp_path / "n.py", V).read_text()
    assert "def products_of_others(" in text
    assert "import srcgrad" not in text and "from srcgrad" not in text


class Node:
    def __init__(self, weight, *children):
        self.weight, self.children = weight, list(children)


class Leaf:
    def __init__(self, value):
        self.value = value


class Sensor:
    def __init__(self, gain):
        self.gain, self.seen = gain, [gain, 0.0]


class Mood(enum.Enum):
    CALM = 1
    WILD = 2


@dataclass
class Animal:
    mass: float
    mood: Mood
    next: object = None


HERD = [Leaf(0.5 + 0.1 * i) for i in range(20)]


def deepest(x, tree):
    while isinstance(tree, Node):
        tree = tree.children[0] if tree.weight * x[0] > 1.0 else tree.children[-1]
    return tree.value * x[1]


def mass(x):
    total = 0.0
    for one in HERD:
        total += one.value * x[0]
    return total


def followed(x, animal):
    total = 0.0
    while animal is not None:
        if animal.mood is Mood.WILD:
            total += animal.mass * x[0]
        animal = animal.next
    return total


def noted(x, sensors):
    for sensor in sensors:
        sensor.seen[1] = sensor.gain * x[0]
    return sensors[-1].seen[1] * x[1]


def summed(tree, x):
    total, todo = 0.0, [tree]
    while todo:
        node = todo.pop()
        total += node.weight * x[0]
        todo += node.children
    return total


def herd(moods):
    first = None
    for i, mood in enumerate(moods):
        first = Animal(1.5 + i, mood, first)
    return first


def exported(fn, folder, *args):
    derivative = sg.value_and_grad(fn)
    path = derivative.export(folder / f"{fn.__name__}.py", *copy.deepcopy(args))
    return derivative, run_module(path)[function_name(fn)]


def test_objects_are_gathered_as_the_compiled_function_does(tmp_path):
    """A module serves other trees than that which it was written for."""
    x = np.array([1.5, 2.0])
    small = Node(0.5, Leaf(1.0), Leaf(2.0))
    large = Node(1.0, Node(0.2, Leaf(3.0), small), Leaf(5.0), Node(4.0, Leaf(6.0)))
    derivative, function = exported(deepest, tmp_path, x, large)
    for tree in (small, large):
        for scale in (0.1, 1.0, 9.0):
            assert bits(function(x * scale, tree)) == bits(derivative(x * scale, tree))
    with pytest.raises(TypeError, match="made for"):
        function(x, Node(0.5, herd([Mood.WILD])))
    derivative, function = exported(followed, tmp_path, x, herd([Mood.CALM, Mood.WILD]))
    for moods in ([Mood.WILD], [*Mood] * 5):
        assert bits(function(x, herd(moods))) == bits(derivative(x, herd(moods)))


def test_objects_that_were_captured_are_parameters(tmp_path):
    derivative, function = exported(mass, tmp_path, V)
    assert bits(function(V, HERD=HERD)) == bits(derivative(V))
    assert function(V, HERD=HERD[:1])[0] == HERD[0].value * V[0]
    with pytest.raises(TypeError, match="HERD"):
        function(V)


def test_objects_change_where_the_function_changes_them(tmp_path):
    x = np.array([1.5, 2.0])
    derivative, function = exported(noted, tmp_path, x, [Sensor(0.5) for _ in range(12)])
    ours, theirs = ([Sensor(0.1 * i) for i in range(5)] for _ in range(2))
    assert bits(function(x, ours)) == bits(derivative(x, theirs))
    assert [one.seen for one in ours] == [one.seen for one in theirs]
    ours[1].seen = ours[2].seen
    with pytest.raises(TypeError, match="made for"):
        function(x, ours)


def test_derivatives_for_a_tree_are_for_its_structure(tmp_path):
    tree = Node(0.5, Node(1.0), Node(2.0, Node(3.0)))
    derivative, function = exported(summed, tmp_path, tree, V)
    value, slopes = function(tree, V)
    assert value == derivative(tree, V)[0] and slopes["weight"] == V[0]
    assert slopes["children"][1]["children"][0]["weight"] == V[0]
    with pytest.raises(TypeError, match="made for"):
        function(Node(0.5, Node(1.0, Node(3.0)), Node(2.0)), V)
