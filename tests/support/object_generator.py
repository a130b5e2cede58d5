"""Random programs over lists of objects: fields of numbers, arrays, lists and other objects, changed
in loops under branches; objects made, appended, removed, swapped, sorted, picked, linked, and put
into heaps.  ``rich``: with lists and arrays as fields, written in place; ``outside``: the list is an
argument; ``unlike``: the objects are of two classes."""

from __future__ import annotations

import numpy as np
from generator import Lines, made

PRELUDE = """import heapq
import math
import numpy as np


class Item:
    def __init__(self, v, w):
        self.v = v
        self.w = w
        self.n = 1
        self.on = True
        self.after = None

    def energy(self):
        return 0.5 * self.w * self.v

    def push(self, f):
        self.w = 0.9 * self.w + f
        if self.w > 1.0:
            self.w = 0.5
            return 1.0
        return self.w


class Spare:
    def __init__(self, v, w):
        self.gain = 0.5
        self.v = v
        self.w = w
        self.n = 2
        self.on = True
        self.after = None

    def energy(self):
        return self.gain * self.w - self.v

    def push(self, f):
        self.gain = 0.5 * self.gain + f
        return self.gain * self.v


class Body:
    def __init__(self, p, m):
        self.p = p
        self.m = m
        self.past = []

    def move(self, d):
        self.p = self.p + d * self.m
        return self.p[0]


def count(item):
    return 0 if item is None else 1 + count(item.after)


def total(item):
    return 0.0 if item is None else item.v + 0.5 * total(item.after)

"""


class Writer(Lines):
    def __init__(self, seed, rich=False, outside=False, unlike=False):
        super().__init__(seed)
        self.unlike = unlike
        self.rich = rich
        self.outside = outside
        self.loops = []
        self.objects = []
        self.names = 0

    def new(self, v, w):
        """A new object; of either class where there are two."""
        if not self.unlike:
            return f"Item({v}, {w})"
        kind = self.pick("Item", "Spare", f"(Item if {v} > 0.2 else Spare)")
        return f"{kind}({v}, {w})"

    def index(self):
        found = ["0", "1", "-1", "q"]
        for name in self.loops:
            found += [name] * 3 + [f"{name} - 1"]
        return self.random.choice(found)

    def object(self):
        return self.pick(*(self.objects or ["best"]), *self.objects, f"items[{self.index()}]", "best")

    def field(self):
        return f"{self.object()}.{self.pick('v', 'v', 'w', 'w', 'n')}"

    def number(self):
        return self.pick(self.field(), self.field(), f"x[{self.index()}]", "s", "0.5",
                         f"{self.object()}.energy()",
                         *([f"bodies[{self.index()}].p[0]"] if self.rich else []))

    def value(self):
        a, b = self.number(), self.number()
        return self.pick(f"{a} * {b}", f"0.5 * {a} - {b}", f"math.sin({a})", f"max({a}, {b})", a)

    def condition(self):
        one = self.object()
        if self.unlike and self.random.random() < 0.4:
            return self.pick(f"isinstance({one}, Spare)", f"type({one}) is Item",
                             f"isinstance({one}, Spare) and {one}.gain > 0.4",
                             f"isinstance({one}, (Item, Spare))")
        return self.pick(f"{self.number()} > {self.number()}", f"{one}.on", f"{one} is best",
                         f"{one}.after is not None", f"{one} is {self.object()}",
                         f"{one}.v > 0.3")

    def change(self):
        one, kind = self.object(), self.random.randrange(10)
        if self.unlike and self.random.random() < 0.2:
            return (f"if isinstance({one}, Spare):\n{'    ' * (self.depth + 1)}"
                    f"{one}.gain = {self.value()}")
        if kind < 4:
            return f"{one}.{self.pick('v', 'w')} {self.pick('', '+', '-')}= {self.value()}"
        if kind == 4:
            return f"{one}.n += 1"
        if kind == 5:
            return f"{one}.on = {self.pick('False', 'True', f'not {one}.on')}"
        if kind == 6:
            return f"s += {one}.push({self.number()})"
        if kind == 7:
            return f"best = {one}"
        if kind == 8:
            return f"{one}.v, {one}.w = {one}.w, {self.value()}"
        return f"s = 0.7 * s + {self.value()}"

    def shape(self):
        i, j = self.index(), self.index()
        return self.pick(
            f"items[{i}], items[{j}] = items[{j}], items[{i}]",
            f"items.append({self.new(self.value(), self.number())})",
            f"items.append(items[{i}])", "items = [a for a in items if a.on] or items",
            f"items = [a for a in items if a.v > {self.number()}] + [best]",
            "items = sorted(items, key=lambda a: a.v)", "items.sort(key=lambda a: -a.w)",
            "items.reverse()", "last = items.pop()\n    items.append(last)",
            f"best = {self.pick('min', 'max')}(items, key=lambda a: a.{self.pick('v', 'w')})",
            f"items[{i}] = {self.new(self.value(), 0.5)}", "items = items[1:] + items[:1]",
            "items.insert(0, items.pop())")

    def walk(self):
        self.names += 1
        one = f"o{self.names}"
        self.put(f"{one} = head")
        self.put(f"while {one} is not None:")
        self.objects.append(one)
        self.depth += 1
        self.statement(inside=True)
        self.put(f"{one} = {one}.after")
        self.depth -= 1
        self.objects.pop()

    def heap(self):
        self.put("heap = []")
        self.put("for k in range(len(items)):")
        self.depth += 1
        self.put("heapq.heappush(heap, (items[k].v, k, items[k]))")
        self.depth -= 1
        self.put("while len(heap) > 1:")
        self.depth += 1
        self.put("least, k, a = heapq.heappop(heap)")
        self.put("s = 0.9 * s + least * a.w")
        self.put("a.w = 0.5 * a.w + 0.1")
        self.depth -= 1

    def bodies(self):
        b = f"bodies[{self.index()}]"
        self.put(self.pick(
            f"s += {b}.move({self.number()})", f"{b}.p = {b}.p * {self.number()}",
            f"{b}.p += {self.number()}", f"{b}.p[{self.pick('0', '1')}] = {self.value()}",
            f"{b}.past.append({self.number()})", f"s += sum({b}.past)",
            f"{b}.m = {self.value()}", f"s += {b}.p @ bodies[{self.index()}].p",
            f"d = {b}.p\n    {b}.p += 0.5\n    s += d[0]",
            f"{b}.p, bodies[{self.index()}].p = {b}.p + 1.0, {b}.p"))

    def statement(self, inside=False):
        kind = self.random.randrange(20)
        if self.rich and self.depth == 1 and kind < 6:
            self.bodies()
        elif kind < 9 or (inside and kind > 15):
            self.put(self.change())
        elif kind < 12 and self.depth == 1:
            self.put(self.shape())
        elif kind < 15 and self.depth < 4:
            self.put(f"if {self.condition()}:")
            self.block()
            if self.random.random() < 0.4:
                self.put("else:")
                self.block()
        elif kind == 15 and self.depth == 1:
            self.walk()
        elif kind == 16 and self.depth == 1:
            self.heap()
        elif kind == 17 and self.depth == 1:
            self.put("head = None")
            self.put("for a in items:")
            self.depth += 1
            self.put("a.after = head")
            self.put("head = a" if self.random.random() < 0.7 else "head = a if a.v > 0 else head")
            self.depth -= 1
        elif self.depth < 3:
            self.loop()
        else:
            self.put(self.change())

    def loop(self):
        if self.random.random() < 0.6:
            self.names += 1
            name = f"o{self.names}"
            self.put(f"for {name} in items:")
            self.objects.append(name)
            self.block()
            self.objects.pop()
        else:
            name = "ijk"[len(self.loops)] if len(self.loops) < 3 else "k"
            self.put(f"for {name} in range({self.pick('len(items)', '1, len(items)', '2')}):")
            self.loops.append(name)
            self.block()
            self.loops.pop()

    def block(self):
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement(inside=True)
        self.depth -= 1

    def program(self):
        self.put("s = 0.0")
        self.put("q = int(abs(x[0]) * 7.0) % len(x)")
        if not self.outside:
            self.put(self.pick(
                f"items = [{self.new('v', 0.5)} for v in x]",
                f"items = [{self.new('x[i]', '0.3 * i')} for i in range(len(x))]",
                f"items = []\n    for v in x:\n        items.append({self.new('v', 'v * v')})"))
        self.put("best = items[0]")
        self.put("head = None")
        if self.rich:
            self.put("bodies = [Body(np.array([v, 0.5]), 1.0) for v in x]")
        for _ in range(self.random.randint(3, 7)):
            self.statement()
        self.put("s += total(head) + count(head)" if self.random.random() < 0.2 else "s += best.v")
        if self.rich:
            self.put("s += sum(b.p @ b.p + b.m for b in bodies) + len(bodies[0].past)")
        self.put("return s + sum(k * a.v + a.w * a.n for k, a in enumerate(items))")
        head = "\n\ndef program(x, items):\n" if self.outside else "\n\ndef program(x):\n"
        return PRELUDE + head + "\n".join(self.lines) + "\n"


def program(seed, rich=False, outside=False, unlike=False):
    source = Writer(seed, rich, outside, unlike).program()
    return made(source, f"objects{seed}{'r' * rich}{'o' * outside}{'u' * unlike}"), source


def arguments(seed, size=5, fn=None, unlike=False):
    """The arguments of a program; with those of its own classes if ``fn`` takes objects."""
    x = np.round(np.random.default_rng(seed).uniform(-1.2, 1.2, size), 3)
    if fn is None or fn.__code__.co_argcount == 1:
        return (x,)
    classes = [fn.__globals__[name] for name in ("Item", "Spare" if unlike else "Item")]
    return x, [classes[int(v > 0.1)](float(v) * 0.5 + 0.1 * k, 0.4) for k, v in enumerate(x)]


def state(items):
    """What objects hold, and which of them are linked."""
    places = {id(item): k for k, item in enumerate(items)}
    return [[type(item).__name__] + [(name, places.get(id(v), "other") if name == "after" and v is not None else v)
             for name, v in vars(item).items()] for item in items]
