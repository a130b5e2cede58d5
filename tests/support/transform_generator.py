"""Random programs in which transforms are called: of functions that read arrays from around them,
write to their argument or hand on what they are given; what comes back is written to, as is what it
was made of, in branches and loops that depend on data."""

from __future__ import annotations

from generator import Lines

PRELUDE = """
import numpy as np
import srcgrad as sg

"""


class Transforms(Lines):
    """One random ``program(x, y, a, k)`` of two vectors of one length, a number and a small integer."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.vectors = ["x", "y", "w"]
        self.numbers = ["a", "s"]
        self.losses: list[str] = []
        self.maps: list[str] = []
        self.budget = self.random.randint(5, 10)

    # ---- expressions -------------------------------------------------------------------------
    def number(self, *local: str) -> str:
        return self.pick(*self.numbers, *self.numbers, "0.3", "1.2", f"{self.pick(*self.vectors, *local)}[{self.place()}]")

    def place(self) -> str:
        return self.pick("0", "1", "-1", "k", "k - 1")

    def vector(self, *local: str) -> str:
        def one() -> str:
            return self.pick(*self.vectors, *local, *local)

        return self.pick(
            one(), one(), f"{one()} * {one()}", f"{self.number(*local)} * {one()}", f"np.sin({one()})",
            f"{one()} + {one()}", f"np.tanh({one()} - {self.number(*local)})", f"{one()}[::-1]", f"1.0 * {one()}")

    def scalar(self, local: str) -> str:
        return self.pick(
            f"np.sum({self.vector(local)})", f"{local} @ {self.pick(*self.vectors, local)}", f"np.sum({local})",
            f"np.sum({self.vector(local)} * {local})", f"0.5 * np.sum({local} ** 2)", f"np.sum({local}[1:]) * {self.number()}")

    def test(self) -> str:
        return self.pick("k > 1", f"{self.pick(*self.vectors)}[0] > 0.8", f"{self.pick(*self.numbers)} > 0.6")

    # ---- functions ---------------------------------------------------------------------------
    def define(self) -> None:
        name, loss = self.fresh("f"), self.chance(0.6)
        self.put(f"def {name}(v, c=0.7):")
        self.depth += 1
        if self.chance(0.25):
            self.put(self.pick(f"v[0] = {self.number()}", "v *= 0.8", f"v[1:] += {self.number()}"))
        if self.chance(0.3):
            self.put(f"if {self.pick('v[0]', 'c', 'v[-1]')} > 0.6:")
            self.put(f"    v = {self.vector('v')}")
        if self.chance(0.25):
            self.put("for i in range(k):")
            self.put(f"    v = v * {self.number('v')} * 0.5 + c * 0.1")
        result = self.scalar("v") if loss else self.vector("v")
        self.put(f"return {result}{self.pick('', ' * c')}")
        self.depth -= 1
        (self.losses if loss else self.maps).append(name)

    def loss(self) -> str:
        return self.pick(f"(lambda v: {self.scalar('v')})", *self.losses, *self.losses)

    def map(self) -> str:
        return self.pick(f"(lambda v: {self.vector('v')})", *self.maps, *self.maps)

    # ---- statements --------------------------------------------------------------------------
    def transform(self) -> list[str]:
        """A call of a transform; the vectors that it gives."""
        g, h, u, w = self.fresh("g"), self.fresh("h"), self.pick(*self.vectors), self.pick(*self.vectors)
        line, made = self.random.choice([
            (f"{g} = sg.grad({self.loss()})({u})", [g]),
            (f"s, {g} = sg.value_and_grad({self.loss()})({u})", [g]),
            (f"{g} = sg.jit(sg.grad({self.loss()}))({u})", [g]),
            (f"{g}, {h} = sg.grad(lambda p, q: p @ q + np.sum(p), argnums=(0, 1))({u}, {w})", [g, h]),
            (f"{g} = sg.grad(lambda p, q: np.sum(p * q) * s, argnums='q')({u}, q={w})", [g]),
            (f"({g}, {h}), t = sg.value_and_grad(lambda v: (v @ v, {self.vector('v')}), has_aux=True)({u})"
             f"; {g} = t", [g, h]),
            (f"s, {g} = sg.jvp({self.loss()}, ({u},), ({w},)); {g} = {g} * {w}", [g]),
            (f"{h}, {g} = sg.jvp({self.map()}, ({u},), ({w},))", [g, h]),
            (f"{h}, pull = sg.vjp({self.map()}, {u}); {g} = pull({w})[0]", [g, h]),
            (f"{h}, push = sg.linearize({self.map()}, {u}); {g} = push({w})", [g, h]),
            (f"{g} = sg.hvp({self.loss()})({u}, {w})", [g]),
            (f"{g} = sg.jacobian({self.map()})({u}) @ {w}", [g]),
            (f"{g} = sg.jacobian({self.loss()})({u})", [g]),
            (f"{g}, {h} = sg.vmap({self.map()})(np.stack([{u}, {w}]))", [g, h]),
            (f"{g} = sg.vmap(sg.grad({self.loss()}))(np.stack([{u}, {w}]))[0]", [g]),
            (f"{g} = sg.checkpoint({self.map()})({u})", [g]),
            (f"{g} = sg.grad(lambda v: np.sum(sg.checkpoint({self.map()})(v)))({u})", [g]),
        ])
        self.put(line)
        return made

    def write(self) -> None:
        v, w = self.pick(*self.vectors[-3:], *self.vectors), self.pick(*self.vectors)
        self.put(self.pick(
            f"{v}[{self.place()}] = {self.number()}", f"{v} *= {self.pick('0.5', f'np.tanh({w})')}", f"{v} += 0.3 * {w}",
            f"{v}[1:] -= 0.2 * {w}[:-1]", f"{v}[:] = {w} * 0.9", f"{v} -= 0.1 * {w}", f"{v}[::2] *= 0.7"))

    def statement(self) -> None:
        what = self.random.random()
        if what < 0.15:
            self.define()
        elif what < 0.5:
            self.vectors += self.transform()
        elif what < 0.75:
            self.write()
        elif what < 0.83:
            name = self.fresh("u")
            self.put(f"{name} = {self.pick(*self.vectors)}{self.pick('', '[:]', ' * 1.0', '.copy()')}")
            self.vectors.append(name)
        elif self.depth < 3:
            before = list(self.vectors), list(self.losses), list(self.maps)
            self.put(self.pick("for i in range(k):", "for i in range(len(x) - 2):", f"if {self.test()}:"))
            self.depth += 1
            for _ in range(self.random.randint(1, 3)):
                self.statement()
            self.write()
            self.depth -= 1
            self.vectors, self.losses, self.maps = before

    def text(self) -> str:
        self.put("s = 0.4 + 0.1 * a")
        self.put("w = x * 0.5 + y")
        self.define()
        while self.budget > 0:
            self.budget -= 1
            self.statement()
        self.put("weights = np.cos(np.arange(len(x)))")
        self.put(f"return s + weights @ ({' + '.join(self.vectors)})")
        return PRELUDE + "\ndef program(x, y, a, k):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> str:
    return Transforms(seed).text()
