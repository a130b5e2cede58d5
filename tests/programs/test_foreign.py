"""Tables, labelled arrays and files as plain data inside of functions."""

from __future__ import annotations

import sys
import textwrap

import numpy as np
import pytest
from chain import close

import srcgrad as sg

X = np.array([0.5, 1.0, 2.0])

LIBRARY = '''
import numpy as np

class Column:
    """A named column, as libraries of tables have them."""
    def __init__(self, name, items):
        self.name, self.items = name, items
    def __array__(self, dtype=None, copy=None):
        return np.array(self.items, dtype)
    def to_numpy(self):
        return np.array(self.items)
    def mean(self):
        return float(np.mean(self.items))
    def __gt__(self, other):
        return Column(self.name, [i > other for i in self.items])
    def __add__(self, other):
        return Column(self.name, [a + b for a, b in zip(self.items, getattr(
            other, "items", [other] * len(self.items)))])
    def __len__(self):
        return len(self.items)
    def __iter__(self):
        return iter(self.items)
    def __bool__(self):
        raise ValueError("no truth")
    def apply(self, function):
        return Column(self.name, [function(i) for i in self.items])
    def draw(self):
        return np.random.choice(self.items)

class Table:
    def __init__(self, columns):
        self.columns = {n: Column(n, c) for n, c in columns.items()}
    def __array__(self, dtype=None, copy=None):
        return np.array([c.items for c in self.columns.values()], dtype).T
    def __getitem__(self, name):
        if isinstance(name, Column):
            return Table({n: [v for v, k in zip(c.items, name.items) if k]
                          for n, c in self.columns.items()})
        return self.columns[name]
    def __getattr__(self, name):
        try:
            return self.__dict__["columns"][name]
        except KeyError:
            raise AttributeError(name) from None
    def __setitem__(self, name, items):
        self.columns[name] = Column(name, items)
    def names(self):
        return list(self.columns)
    def groups(self):
        for name, column in self.columns.items():
            yield name, column
    def insert(self, name, items):
        self.columns[name] = Column(name, items)
'''


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """An installed library that srcgrad knows nothing of."""
    home = tmp_path_factory.mktemp("lib") / "site-packages"
    home.mkdir()
    (home / "tables_of_others.py").write_text(textwrap.dedent(LIBRARY))
    sys.path.insert(0, str(home))
    import tables_of_others
    yield tables_of_others
    sys.path.remove(str(home))


def array_of_column(x, table):
    return np.sum(table["a"].to_numpy() * x ** 2)


def by_attribute(x, table):
    return np.sum(np.asarray(table.a) * x) * table.b.mean()


def masked(x, table):
    some = table[table["a"] > 1.5]
    return np.sum(some["b"].to_numpy()) * np.sum(x[table["a"] > 1.5]) + len(some["a"])


def over_groups(x, table):
    total = 0.0
    for name, column in table.groups():
        total = total + len(name) * column.mean() * np.sum(x * x)
    return total


def over_names(x, table):
    return sum(np.sum(table[name].to_numpy() * x) for name in table.names())


def branches(x, table):
    if table["a"].mean() > 2.0 and "a" in table.names():
        return np.sum(x)
    return np.sum(x ** 2)


def items(x, table):
    return sum(a * v for a, v in zip(table["a"], x)) + max(table["b"]) * x[0]


def mixed(x, table):
    return np.dot(x, table["a"]) + np.sum(np.where(table["a"] > 1.5, x, 0.0))


def added(x, table):
    return np.sum((table["a"] + table["b"] + 1.0).to_numpy() * x)


def missing(x, table):
    try:
        return np.sum(table["c"].to_numpy() * x)
    except KeyError:
        return np.sum(x)


def helper(column, x):
    return np.sum(column.to_numpy() * x)


def through_helpers(x, table):
    return helper(table["a"], x) + helper(column=table["b"], x=2.0 * x)


def made_inside(x, table):
    made = type(table)({"c": [1.0, 2.0]})
    return np.sum(x) * made["c"].mean()


PROGRAMS = [array_of_column, by_attribute, masked, over_groups, over_names, branches, items, mixed,
            added, missing, through_helpers, made_inside]


def check(function, *args):
    want = function(X, *args)
    value, gradient = sg.value_and_grad(function)(X, *args)
    assert value == want and type(value) is type(want)
    steps = np.eye(3) * 1e-6
    assert close(gradient, [(function(X + h, *args) - function(X - h, *args)) / 2e-6
                            for h in steps], 1e-4)
    return sg.value_and_grad(function)


@pytest.mark.parametrize("function", PROGRAMS)
def test_tables(function, tables):
    df = None
    for columns in ({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]},
                    {"a": [3.0, 1.0, 7.0], "b": [0.5, 2.0, 1.0]},
                    {"a": [3.0, 1.0, 7.0], "b": [0.5, 2.0, 1.0], "c": [1.0, 5.0, 2.0]},
                    {"a": [1.0, 1.0, 1.0], "b": [4, 5, 6]}):
        table = tables.Table(columns)
        df = df or check(function, table)
        assert df(X, table)[0] == function(X, table)
        assert "_at_0x" not in df.source(X, table)  # inputs have names that are the same in each process
        check(function, table)


def test_a_table_that_changes_between_calls(tables):
    table = tables.Table({"a": [1.0, 2.0, 3.0]})
    df = sg.grad(lambda x: array_of_column(x, table))
    assert close(df(X), 2 * X * [1.0, 2.0, 3.0])
    table["a"] = [5.0, 6.0, 7.0]
    assert close(df(X), 2 * X * [5.0, 6.0, 7.0])
    assert df.cache_info().misses == 1


def test_objects_around_and_in_objects(tables):
    class Model:
        def __init__(self, data):
            self.data, self.scale = data, 2.0

        def loss(self, x):
            return self.scale * np.sum(self.data["a"].to_numpy() * x)

    for start in (1.0, 4.0):
        model = Model(tables.Table({"a": [start, 2.0, 3.0]}))
        assert close(sg.grad(model.loss)(X), 2.0 * np.array([start, 2.0, 3.0]))


@pytest.mark.parametrize("function", [
    lambda x, table: np.sum((table["a"] + x).to_numpy()),
    lambda x, table: np.sum(x) * table["a"].draw(),
    lambda x, table: table.insert("c", [1.0]) or np.sum(x),
    lambda x, table: table["a"].apply(lambda v: v * x[0]).mean(),
])
def test_what_is_refused(function, tables):
    table = tables.Table({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(sg.SrcgradError) as caught:
        sg.grad(function)(X, table)
    assert caught.value.why and caught.value.fix
    assert table.names() == ["a"]


# ---- real libraries ------------------------------------------------------------------------------
def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0], "g": ["u", "v", "u"]})

    def program(x):
        total = np.sum(frame["a"].to_numpy() * x) * frame.b.mean() + len(frame)
        for _, part in frame.groupby("g"):
            total = total + part["a"].sum() * x[0] ** 2
        for row in frame.itertuples():
            total = total + row.a * x[row.Index]
        total = total + frame.loc[0, "a"] * np.sum(x[frame["a"] > 1.5])
        return total + np.sum(frame[["a", "b"]].values.sum(axis=1) * x) + (
            x[1] if frame["g"].eq("u").any() else 0.0)

    for column in ([1.0, 2.0, 3.0], [3.0, 1.0, 7.0]):
        frame["a"] = column
        check(program)
    frame.loc[1, "g"] = "w"
    check(program)


def test_xarray():
    xarray = pytest.importorskip("xarray")
    data = xarray.Dataset({"t": ("x", [1.0, 2.0, 3.0])})
    check(lambda x: np.sum(data["t"].values * x) * float(data["t"].mean()) + data.sizes["x"])


def test_a_file_of_numbers(tmp_path):
    numbers = np.memmap(tmp_path / "numbers", dtype=float, mode="w+", shape=(3,))
    numbers[:] = [1.0, 2.0, 3.0]
    df = check(lambda x: np.sum(numbers * x) + numbers[1:].sum() * numbers.mean())
    numbers[:] = [4.0, 5.0, 7.0]
    check(lambda x: np.sum(numbers * x) + numbers[1:].sum())
    assert close(df(X)[1], [4.0, 5.0, 7.0])
    check(lambda x, m: np.sum(m ** 2 * x), numbers)
    assert close(sg.grad(lambda x, m: np.sum(m ** 2 * x), 1)(X, numbers), 2 * X * numbers)


# ---- namespaces ----------------------------------------------------------------------------------
WEIGHT = 3.0


def by_name(x):
    names = ["WEIGHT", "X"]
    return sum(np.sum(globals()[name] * x) for name in names)


def optional(x):
    return np.sum(x) * globals().get("BIAS", 2.0) + ("BIAS" in globals()) * x[0]


def own_variables(x, scale=2.0):
    y = x * scale
    return np.sum(locals()["y"] * locals().get("scale")) + len(locals())


@pytest.mark.parametrize("function", [by_name, optional, own_variables])
def test_namespaces(function, monkeypatch):
    df = check(function)
    monkeypatch.setitem(globals(), "WEIGHT", 5.0)
    monkeypatch.setitem(globals(), "BIAS", 7.0)
    assert df(X)[0] == function(X)
    check(function)
    monkeypatch.delitem(globals(), "BIAS")
    assert df(X)[0] == function(X)
