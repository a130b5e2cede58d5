"""Random programs over objects from outside that refer to one another: nodes with a next one, lists of
neighbours and a home, whose numbers, states and links change; walks, births, and lists that change."""

from __future__ import annotations

import random

from generator import Lines, made

PRELUDE = """import enum
import math
from collections import deque


class Kind(enum.Enum):
    A = 1
    B = 2
    C = 3


class Home:
    def __init__(self, level):
        self.level = level
        self.members = []
        self.log = []


class Node:
    def __init__(self, v, w):
        self.v = v
        self.w = w
        self.n = 1
        self.state = "s"
        self.kind = Kind.A
        self.next = None
        self.home = None
        self.mark = None
        self.near = []
        self.past = []

    def energy(self):
        return 0.5 * self.w * self.v

    def push(self, f):
        self.w = 0.9 * self.w + 0.1 * f
        return self.w if self.w < 1.0 else 1.0


def total(node, depth):
    if node is None or depth == 0:
        return 0.0
    return node.v + 0.5 * total(node.next, depth - 1)


def spread(node, depth):
    if depth == 0:
        return node.w
    return 0.3 * node.v + 0.2 * sum(spread(other, depth - 1) for other in node.near)

"""


class Writer(Lines):
    def __init__(self, seed):
        super().__init__(seed)
        self.nodes = ["first"]
        self.homes = []
        self.count = 0

    def node(self):
        return self.pick(*self.nodes, *self.nodes[-2:], "nodes[0]", "nodes[-1]")

    def home(self):
        return self.pick(*(self.homes or ["homes[0]"]), f"{self.node()}.home")

    def number(self):
        return self.pick(f"{self.node()}.v", f"{self.node()}.w", f"{self.node()}.v", f"{self.home()}.level",
                         f"{self.node()}.n", "x[0]", "x[1]", "s", f"{self.node()}.energy()")

    def value(self):
        a, b = self.number(), self.number()
        return self.pick(f"0.3 * {a} * {b}", f"0.5 * {a} - 0.2 * {b}", f"math.sin({a})", f"min(max({a}, {b}), 2.0)")

    def condition(self):
        one, other = self.node(), self.node()
        return self.pick(f"{one}.v > {self.number()}", f"{one} is {other}", f"{one}.next is not None",
                         f"{one}.state == 's'", f"{one}.kind is Kind.B", f"{one}.mark is not None",
                         f"len({one}.near) > 1", f"{one}.next is {other}", f"{one}.home is {other}.home",
                         f"{one}.state != {other}.state", f"{one}.near")

    def change(self):
        one, other = self.node(), self.node()
        return self.pick(
            f"{one}.v += {self.value()}", f"{one}.w = {self.value()}", f"{one}.v = 0.9 * {one}.v + {self.value()}",
            f"{one}.n += 1", f"{one}.state = {self.pick(*'srt')!r}", f"{one}.kind = Kind.{self.pick(*'ABC')}",
            f"{one}.mark = {self.value()}", f"s = 0.8 * s + {self.value()}", f"s += {one}.push({self.number()})",
            f"{one}.home.level += {self.value()}", f"{self.home()}.level *= 0.9", f"{one}.home = {other}.home",
            f"{one}.v, {other}.v = {other}.v, {one}.v", f"{one}.past.append({self.number()})",
            f"s += sum({one}.past) + len({one}.past)", f"s += 0.1 * total({one}, 3)", f"s += 0.1 * spread({one}, 2)",
            f"first = {one}", f"{self.home()}.log.append({self.value()})", f"{one}.state = {other}.state")

    def shape(self):
        one, other = self.node(), self.node()
        return self.pick(
            f"{one}.next = {self.pick(other, 'None', other)}", f"{one}.near.append({other})",
            "nodes[0], nodes[-1] = nodes[-1], nodes[0]", f"nodes.append(Node({self.value()}, 0.5))\n"
            "    nodes[-1].home = homes[0]", "nodes = [a for a in nodes if a.v < 1.5] or nodes",
            "nodes.sort(key=lambda a: a.v)", f"first = {self.pick('min', 'max')}(nodes, key=lambda a: a.w)",
            "nodes.reverse()", "last = nodes.pop()\n    nodes.append(last)", "nodes = nodes[1:] + nodes[:1]",
            f"{one}.near = {other}.near + [{one}]", f"{one}.near = []", "seen = {id(a) for a in nodes}\n    s += len(seen)")

    def loop(self):
        self.count += 1
        name = f"a{self.count}"
        kind = self.random.randrange(6)
        if kind == 5:
            self.put(f"h{self.count} = homes[0]" if not self.homes else f"h{self.count} = {self.homes[-1]}")
            self.put(f"for {name} in h{self.count}.members:")
        elif kind == 4 and self.depth < 3:
            self.put(f"h{self.count} = homes[0]")
            self.put(f"for h{self.count} in homes:")
            self.homes.append(f"h{self.count}")
            self.block()
            self.homes.pop()
            return
        elif kind == 3:
            self.put(f"{name}, k{self.count} = {self.node()}, 0")
            self.put(f"while {name} is not None and k{self.count} < 6:")
            self.nodes.append(name)
            self.block()
            self.nodes.pop()
            self.depth += 1
            self.put(f"{name} = {name}.next")
            self.put(f"k{self.count} += 1")
            self.depth -= 1
            return
        else:
            self.put(f"for {name} in {self.pick('nodes', 'nodes', f'{self.node()}.near')}:")
        self.nodes.append(name)
        self.block()
        self.nodes.pop()

    def search(self):
        self.put(f"queue, met, k = deque([{self.node()}]), set(), 0")
        self.put("while queue and k < 9:")
        self.depth += 1
        self.put("one = queue.popleft()")
        self.put("k += 1")
        self.put("if id(one) in met:")
        self.put("    continue")
        self.put("met.add(id(one))")
        self.put(f"s += 0.9 * one.{self.pick('v', 'w')} * k")
        self.put("queue.extend(one.near)")
        self.depth -= 1

    def statement(self):
        kind = self.random.randrange(18)
        if kind < 7:
            self.put(self.change())
        elif kind < 9 and self.depth == 1:
            self.put(self.shape())
        elif kind < 13 and self.depth < 4:
            self.put(f"if {self.condition()}:")
            self.block()
            if self.random.random() < 0.4:
                self.put("else:")
                self.block()
        elif kind == 13 and self.depth == 1:
            self.search()
        elif self.depth < 3:
            self.loop()
        else:
            self.put(self.change())

    def block(self):
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        self.depth -= 1

    def program(self):
        self.put("s = 0.0")
        self.put("first = nodes[0]")
        for _ in range(self.random.randint(2, 6)):
            self.statement()
        self.put("s += first.v + sum(h.level for h in homes)")
        self.put("return s + sum(k * a.v + a.w * a.n for k, a in enumerate(nodes))")
        return PRELUDE + "\n\ndef program(x, nodes, homes):\n" + "\n".join(self.lines) + "\n"


def program(seed):
    source = Writer(seed).program()
    return made(source, f"graphs{seed}"), source


def arguments(seed, size, fn):
    """Two numbers in an array, and a graph of nodes with their homes."""
    draw, names = random.Random(seed), fn.__globals__
    nodes = [names["Node"](round(draw.uniform(-1, 1), 3), round(draw.uniform(-1, 1), 3)) for _ in range(size)]
    homes = [names["Home"](round(draw.uniform(0, 1), 3)) for _ in range(1 + size // 3)]
    for k, node in enumerate(nodes):
        node.home = draw.choice(homes)
        node.home.members.append(node)
        node.near = [draw.choice(nodes) for _ in range(draw.randint(0, 2))]
        node.next = nodes[k + 1] if k + 1 < size else draw.choice([None, nodes[0]])
        node.kind = draw.choice([*names["Kind"]])
        node.past = [0.5] * draw.randint(0, 2)
    return nodes, homes
