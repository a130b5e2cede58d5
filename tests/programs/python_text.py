"""Programs that read their structure from text, dates and tables: what is plain is settled."""

from __future__ import annotations

import array
import csv
import datetime
import json
import re
from collections import OrderedDict, namedtuple
from fractions import Fraction

import numpy as np

R = np.random.RandomState(5)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class Formula:
    """A recursive-descent evaluator of arithmetic expressions."""

    TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|(\w+)|(.))")

    def __init__(self, text):
        self.tokens = [m for m in self.TOKEN.findall(text)]
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "", "")

    def take(self):
        token = self.peek()
        self.at += 1
        return token

    def sum(self, names):
        value = self.product(names)
        while self.peek()[2] in ("+", "-"):
            sign = self.take()[2]
            other = self.product(names)
            value = value + other if sign == "+" else value - other
        return value

    def product(self, names):
        value = self.factor(names)
        while self.peek()[2] in ("*", "/"):
            if self.take()[2] == "*":
                value = value * self.factor(names)
            else:
                value = value / self.factor(names)
        return value

    def factor(self, names):
        number, name, mark = self.take()
        if number:
            return float(number)
        if name and self.peek()[2] == "(":
            self.take()
            inner = self.sum(names)
            self.take()
            return getattr(np, name)(inner)
        if name:
            return names[name]
        if mark == "(":
            value = self.sum(names)
            self.take()
            return value
        return -self.factor(names)


@case(0.7, 1.3, np.array([0.2, 0.4]))
def formula_in_text(x, y, z):
    value = Formula("sin(x*y) + 3*(x - y/2) - exp(-x)*z").sum({"x": x, "y": y, "z": z})
    return (value**2).sum()


Reaction = namedtuple("Reaction", "reactants products rate")


def reaction(text, rate):
    left, right = (dict.fromkeys(side.split(), 1) for side in text.split("->"))
    return Reaction(left, right, rate)


@case(np.array([0.5, 1.2, 0.3]), np.array([1.0, 0.8, 0.0, 0.0]))
def reactions_in_text(k, start):
    species = ["A", "B", "C", "D"]
    network = [reaction(t, r) for t, r in zip(("A B -> C", "C -> A B", "C -> D"), k)]
    c = start.copy()
    for _ in range(20):
        amount = dict(zip(species, c))
        change = dict.fromkeys(species, 0.0)
        for step in network:
            speed = step.rate
            for s, n in step.reactants.items():
                speed = speed * amount[s] ** n
            for s, n in step.reactants.items():
                change[s] -= n * speed
            for s, n in step.products.items():
                change[s] += n * speed
        c = c + 0.05 * np.array([change[s] for s in species])
    return c[3] + 0.1 * c[2] ** 2


@case(R.rand(3), 0.04)
def cash_flows_by_date(amounts, rate):
    start = datetime.date(2024, 1, 31)
    days = [datetime.date.fromisoformat(t) for t in ("2024-03-31", "2024-09-30", "2025-01-31")]
    value = 0.0
    for amount, day in zip(amounts, days):
        years = (day - start).days / 365.25
        seasonal = {9: 1.1}.get(day.month, 1.0)
        value += seasonal * amount * np.exp(-rate * years)
    return value


@case(R.rand(3))
def weights_in_json(w):
    setup = json.loads('{"layers": [{"gain": 0.5, "of": 0}, {"gain": 2.0, "of": 2}], "bias": 1}')
    total = setup["bias"]
    for layer in setup["layers"]:
        total = total + layer["gain"] * np.tanh(w[layer["of"]])
        layer["gain"] = total
    return total * setup["layers"][0]["gain"]


@case(R.rand(2))
def rows_of_a_table(w):
    total = Fraction(1, 4) * w[0]
    for name, number in csv.reader(["a, 1.5", "b, -2", "a, 3"]):
        total += float(number) * w["ab".index(name)] ** 2
    return total + array.array("d", [1.0, 2.0])[1] * w[1]


@case(R.rand(4), 2.0)
def counts_started_by_fromkeys(x, limit):
    totals = OrderedDict.fromkeys(("low", "high"), 0.0)
    for v in x * 4:
        totals["low" if v < limit else "high"] += v**2
    return sum(i * v for i, v in enumerate(totals.values(), 1))


@case(R.randn(12, 2), R.randn(2, 2))
def mixture_by_expectation(x, mean):
    count = len(mean)
    share, spread, before = np.full(count, 1 / count), [np.eye(2)] * count, -np.inf
    for _ in range(5):
        density = np.stack([
            share[k] * np.exp(-0.5 * np.einsum("ni,ij,nj->n", x - mean[k], np.linalg.inv(spread[k]), x - mean[k]))
            / np.sqrt(np.linalg.det(spread[k])) for k in range(count)], axis=1)
        total = density.sum(1, keepdims=True)
        fit = np.log(total).sum()
        if abs(fit - before) < 1e-9:
            break
        before, part = fit, density / total
        weight = part.sum(0)
        share, mean = weight / len(x), (part.T @ x) / weight[:, None]
        spread = [((part[:, k, None] * (x - mean[k])).T @ (x - mean[k])) / weight[k] + 0.1 * np.eye(2)
                  for k in range(count)]
    return fit + mean.sum()


@case(np.array([1.0, 0.8, 0.0, 0.0]))
def size_settled_in_a_loop(c0):
    c = c0.copy()
    for _ in range(20):
        c = c + 0.1 * np.array([c[1], c[0], c[0], c[2]])
    for name, v in zip("abcd", c):
        if name == "b":
            c[0] += v
    return c[3] + 0.1 * c[2] ** 2 + c[0]


@case(np.array([1.0, 1.2, 0.7]), "kitten", "sitting")
def distance_of_words(price, first, second):
    rows, columns = len(first), len(second)
    best = np.zeros((rows + 1, columns + 1))
    best[:, 0], best[0] = np.arange(rows + 1) * price[0], np.arange(columns + 1) * price[1]
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            change = 0.0 if first[i - 1] == second[j - 1] else price[2]
            best[i, j] = min(best[i - 1, j] + price[0], best[i, j - 1] + price[1],
                             best[i - 1, j - 1] + change)
    return best[rows, columns]


@case(np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.2, 0.8]]), "abbcab", {"a": 0, "b": 1, "c": 1})
def letters_with_meaning(start, move, word, kinds):
    state, weight, groups = start, 0.0, {}
    for i in range(len(word)):
        state = state @ move
        state = state * move[:, kinds[word[i]]]
        weight = weight + ord(word[i]) * state[0] * (2.0 if word[i:i + 2] == "bc" else 1.0)
        groups.setdefault(word[i], []).append(state[1])
    return np.log(state.sum()) + weight + sum(max(g) for g in groups.values())
