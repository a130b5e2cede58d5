"""Random programs of state that depends on the path, and of exceptions.

Attributes, dict keys, set items and names that only some paths bind; ``try``, ``with``,
``finally``, ``else`` and loops that end by exceptions.  A program may end by an exception: the
compiled one then has to end alike, with the same effects before.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from generator import made

PRELUDE = '''
import contextlib
import math
import numpy as np

class Obj:
    pass

class Stop(Exception):
    pass

class Lazy:
    def __init__(self, v):
        self.v = v
        self._c = None
    def once(self):
        if not hasattr(self, "c"):
            self.c = self.v * 2.0
        return self.c
    def cached(self):
        if self._c is None:
            self._c = self.v * self.v
        return self._c

class Noted:
    def __init__(self, log):
        self.log = log
    def __enter__(self):
        self.log.append("in")
        return self
    def __exit__(self, kind, error, trace):
        self.log.append("out" if kind is None else kind.__name__)
        return False

class Swallow:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, (ValueError, Stop))
'''


class Writer:
    """Writes one program."""

    def __init__(self, stream: random.Random, effects: bool) -> None:
        self.stream, self.effects = stream, effects
        self.lines: list[str] = []
        self.depth = 1
        self.loops = 0
        self.tries = 0
        self.count = 0
        self.left = 14

    def pick(self, *options: Any) -> Any:
        return self.stream.choice(options)

    def chance(self, p: float) -> bool:
        return self.stream.random() < p

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def constant(self) -> str:
        return f"{self.stream.uniform(-1.2, 1.6):.3f}"

    # ---- expressions ---------------------------------------------------------------------
    def number(self) -> str:
        return self.pick(
            "s", "t", f"x[{self.pick(0, 1, 2, 3)}]", f"x[{self.pick(0, 1, 2, 3)}] * s",
            "np.sum(x * y)", f"y[{self.pick(0, 1)}] + 0.3", f"{self.constant()} * t",
            "np.sin(s)", "np.tanh(t) + s * 0.2", 'getattr(o, "a", 0.4) * 0.5',
            'd.get("k", s * 0.1)', "m.once() * 0.1", "m.cached() * 0.1", "(len(d) + 0.3) * s",
            "(float(len(seen)) + 0.4) * t")

    def test(self) -> str:
        return self.pick(
            f"{self.number()} > {self.constant()}", f"x[{self.pick(0, 1, 2, 3)}] > {self.constant()}",
            f"s < {self.constant()}", 'hasattr(o, "a")', 'not hasattr(o, "b")', '"k" in d',
            '"q" not in d', '"u" in seen', f'd.get("k", 0.2) > {self.constant()}',
            f't > {self.constant()} and "k" in d', f'hasattr(o, "a") and o.a > {self.constant()}',
            "len(d) > 1", "not d")

    # ---- statements ------------------------------------------------------------------------
    def block(self, most: int = 2) -> None:
        self.depth += 1
        for _ in range(self.stream.randint(1, most)):
            self.statement()
        self.depth -= 1

    def statement(self) -> None:
        self.left -= 1
        simple = [self.sums, self.attribute, self.key, self.items, self.member, self.risky]
        nested = [self.branch, self.branch, self.counted, self.waiting, self.attempt, self.attempt,
                  self.managed, self.match]
        if self.effects:
            simple.append(self.effect)
        if self.loops:
            simple.append(self.leave)
        deep = self.left > 0 and self.depth < 5
        self.stream.choice(nested if deep and self.chance(0.55) else simple)()

    def sums(self) -> None:
        self.emit(self.pick(f"s = s * 0.5 + {self.number()}", f"t = {self.number()} - 0.2 * t",
                            f"s += 0.1 * {self.number()}", f"t += {self.number()} * 0.3"))

    def attribute(self) -> None:
        name = self.pick("a", "b")
        kind = self.pick("set", "set", "lazy", "read", "delete", "try")
        if kind == "set":
            self.emit(f"o.{name} = {self.number()}")
        elif kind == "lazy":
            self.emit(f'if not hasattr(o, "{name}"):')
            self.emit(f"    o.{name} = {self.number()}")
            self.emit(f"s += o.{name} * 0.3")
        elif kind == "read":
            self.emit(f's += getattr(o, "{name}", {self.number()}) * {self.constant()}')
        elif kind == "delete":
            self.emit(f'if hasattr(o, "{name}"):')
            self.emit(f"    del o.{name}")
        else:
            self.emit("try:")
            self.emit(f"    s += o.{name} * 0.7")
            self.emit("except AttributeError:")
            self.emit(f"    {self.pick('t += 0.3', f'o.{name} = s')}")

    def key(self) -> None:
        key = self.pick('"k"', '"q"', f'("k" if {self.test()} else "q")')
        kind = self.pick("set", "set", "default", "pop", "try", "add", "delete")
        if kind == "set":
            self.emit(f"d[{key}] = {self.number()}")
        elif kind == "default":
            self.emit(f"s += d.setdefault({key}, {self.number()}) * 0.4")
        elif kind == "pop":
            self.emit(f"t += d.pop({key}, {self.number()}) * 0.4")
        elif kind == "try":
            self.emit("try:")
            self.emit(f"    t += d[{key}] * 0.6")
            self.emit("except KeyError:")
            self.emit(f"    d[{key}] = {self.number()}")
        elif kind == "add":
            self.emit(f"d[{key}] = d.get({key}, 0.1) + {self.number()}")
        else:
            self.emit(f"if {key} in d:")
            self.emit(f"    del d[{key}]")

    def items(self) -> None:
        v = self.fresh("v")
        self.emit(self.pick(f"for {v} in sorted(d):", f"for {v} in sorted(d, reverse=True):"))
        self.emit(f"    s = s * 0.9 + d[{v}] * len({v})")

    def member(self) -> None:
        self.emit(self.pick('seen.add("u")', 'seen.add("w")', 'seen.discard("u")',
                            's += 0.2 * len(seen)', f'seen.add("u" if {self.test()} else "w")'))

    def risky(self) -> None:
        self.emit(self.pick(
            f"s += math.sqrt({self.number()})", f"t += math.log({self.number()})",
            "s += math.sqrt(abs(t) + 0.2) * 0.3", "t += math.log(s * s + 0.3)",
            f"s = float(s) / (float(t > {self.constant()}) + float(s > {self.constant()}))"
            if self.tries else "s *= 0.9"))

    def effect(self) -> None:
        self.emit(self.pick('log.append("e")', "print(len(log))", "log.append(len(log))"))

    def leave(self) -> None:
        self.emit(f"if {self.test()}:")
        self.emit(f"    {self.pick('break', 'continue', 'return s * 0.5 + t', 'raise Stop(1)')}"
                  if self.tries else f"    {self.pick('break', 'continue', 'return s + t')}")

    def branch(self) -> None:
        self.emit(f"if {self.test()}:")
        self.block()
        if self.chance(0.3):
            self.emit(f"elif {self.test()}:")
            self.block(1)
        if self.chance(0.5):
            self.emit("else:")
            self.block(1)

    def counted(self) -> None:
        v = self.fresh("v")
        self.emit(self.pick(f"for {v} in x:", f"for {v} in range(3):"))
        self.loops += 1
        self.block()
        self.emit(f"    s += {v} * 0.1")
        self.loops -= 1
        if self.chance(0.3):
            self.emit("else:")
            self.block(1)

    def waiting(self) -> None:
        k = self.fresh("k")
        kind = self.pick("count", "walrus", "list")
        if kind == "count":
            self.emit(f"{k} = 0")
            self.emit(f"while {k} < 3 and {self.test()}:")
        elif kind == "walrus":
            self.emit(f"{k} = -1")
            self.emit(f"while ({k} := {k} + 1) < 3 and s < 3.0:")
        else:
            self.emit(f"{k} = [x[0], t, x[1]]")
            self.emit(f"while {k} and {k}.pop() < {self.constant()}:")
        self.loops += 1
        self.depth += 1
        if kind == "count":
            self.emit(f"{k} += 1")
        self.depth -= 1
        self.block(1)
        self.loops -= 1
        if self.chance(0.4):
            self.emit("else:")
            self.block(1)

    def attempt(self) -> None:
        self.emit("try:")
        self.tries += 1
        self.depth += 1
        if self.chance(0.8):
            self.risky()
        if self.chance(0.3):
            self.emit(f"if {self.test()}:")
            self.emit(f"    {self.pick('s = s * 0.7', 't = t + 0.1', 'o.a = s')}")
            self.emit(f"    raise {self.pick('Stop(s)', 'ValueError(1)', 'KeyError(2)')}")
        self.depth -= 1
        self.block(1)
        self.tries -= 1
        end = self.pick("except", "except", "both", "finally")
        if end != "finally":
            self.emit(self.pick("except (ValueError, ZeroDivisionError):", "except Exception:",
                                "except (ArithmeticError, ValueError, Stop, LookupError) as e:"))
            self.block(1)
            if self.chance(0.3):
                self.emit("else:")
                self.block(1)
        if end != "except":
            self.emit("finally:")
            self.depth += 1
            self.emit(self.pick("s += 0.1", "t *= 0.5", "o.b = s", 'd["q"] = t', 'log.append("f")'
                                if self.effects else "s -= 0.2"))
            self.depth -= 1

    def managed(self) -> None:
        self.emit(self.pick("with Swallow():", "with contextlib.suppress(ValueError, KeyError):",
                            "with Noted(log):" if self.effects else "with Swallow():"))
        self.tries += 1
        self.block()
        self.tries -= 1

    def match(self) -> None:
        self.emit(f"match ({self.test()}, {self.number()}):")
        w = self.fresh("w")
        self.emit(f"    case (True, {w}) if {w} > {self.constant()}:")
        self.depth += 1
        self.block(1)
        self.depth -= 1
        self.emit(f"    case (_, {w}):")
        self.depth += 1
        self.emit(f"    t = t * 0.5 + {w}")
        self.depth -= 1

    def text(self) -> str:
        for line in ("s, t = x[0] * 0.5, 0.3", "o, d, seen = Obj(), {}, set()",
                     "m = Lazy(np.sum(y) * 0.3)"):
            self.emit(line)
        for _ in range(self.pick(3, 4, 5)):
            self.statement()
        tail = ('s + t * 0.7 + getattr(o, "a", 0.1) + getattr(o, "b", 0.2) + d.get("k", 0.3)'
                ' + d.get("q", 0.4) + 0.1 * len(seen) + 0.1 * len(d)')
        self.emit(f"return {tail}")
        return PRELUDE + "\n\ndef program(x, y, log):\n" + "\n".join(self.lines) + "\n"


def program(seed: int, effects: bool = False) -> tuple[Any, str]:
    """The function of a seed, and its text."""
    text = Writer(random.Random(seed), effects).text()
    return made(text, f"path{seed}{'e' if effects else ''}"), text


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments for the program of a seed."""
    stream = np.random.RandomState(seed)
    return (stream.rand(4) * 2.0 - 0.6, stream.rand(4) + 0.2, [])
