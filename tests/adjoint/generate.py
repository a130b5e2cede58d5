"""Random programs: straight lines, branches, loops, reads, writes, updates and lists.

The state of a program is a tuple of numbers and vectors; every statement maps states to
states.  Vectors have ``SIZE`` elements; loop indices run within 2 .. SIZE - 3, so that offsets
up to 2 stay inside.
"""

from __future__ import annotations

import operator
import random

import numpy as np
from build import Make, vec

from srcgrad.types.kinds import Aval, Kind, list_of

SIZE = 8
NUMBER = Aval(Kind.NUMBER, np.dtype(float))


class Program:
    """One random program: ``graph`` and arguments, made from a seed."""

    def __init__(self, seed, length=6):
        self.random = random.Random(seed)
        self.g = g = Make()
        x, y = vec(g, "x"), vec(g, "y")
        self.x = x
        self.n_numbers, self.n_vectors = 2, 2
        u = g.apply_fn(np.copy, x, hint="u")
        v = g.apply_fn(np.copy, y, hint="v")
        state = [x[0] * 1.0, y[1] * 0.5, u, v]
        state = self.statements(state, [], length, 0)
        total = sum((np.tanh(s) for s in state[:2]), 0.0)
        for w in state[2:4]:
            total = total + np.sum(np.tanh(w) * x)
        self.graph = g.graph(total)
        r = np.random.default_rng(seed)
        self.args = [r.normal(size=SIZE), r.normal(size=SIZE)]

    # ---- expressions ---------------------------------------------------------------------

    def index(self, indices):
        if indices and self.random.random() < 0.8:
            i = self.random.choice(indices)
            offset = self.random.randint(-2, 2)
            return i + offset if offset else i
        return self.random.randint(-2, SIZE - 1)

    def slice(self, indices):
        kind = self.random.randint(0, 4)
        if not indices or kind == 0:
            a = self.random.randint(0, 3)
            return slice(a, a + 3)
        i = self.random.choice(indices)
        return {1: slice(None, i), 2: slice(i + 1, None), 3: slice(i - 1, i + 2),
                4: slice(i - 2, None)}[kind]

    def number(self, state, indices, depth=0):
        kind = self.random.randint(0, 5 if depth < 2 else 2)
        if kind == 0:
            return state[self.random.randrange(2)]
        if kind == 1:
            return state[2 + self.random.randrange(2)][self.index(indices)]
        if kind == 2:
            return self.x[self.index(indices)]
        a = self.number(state, indices, depth + 1)
        if kind == 3:
            return np.sin(a)
        if kind == 4:
            part = state[2 + self.random.randrange(2)][self.slice(indices)]
            return np.tanh(np.sum(part * a))
        b = self.number(state, indices, depth + 1)
        return [lambda: a * b, lambda: a - b, lambda: a + 0.3 * b,
                lambda: a / (2.0 + b * b)][self.random.randrange(4)]()

    # ---- statements ----------------------------------------------------------------------

    def statements(self, state, indices, count, depth):
        for _ in range(self.random.randint(1, count)):
            state = self.statement(list(state), indices, depth)
        return state

    def statement(self, state, indices, depth):
        kinds = ["assign", "write", "write", "acc", "update", "slice", "whole"]
        if depth < 3:
            kinds += ["if", "for", "for", "swap"]
        if depth < 2:
            kinds += ["while", "list"]
        return getattr(self, "_" + self.random.choice(kinds))(state, indices, depth)

    def _assign(self, state, indices, depth):
        state[self.random.randrange(2)] = np.tanh(self.number(state, indices)) * 1.5
        return state

    def _write(self, state, indices, depth):
        k = 2 + self.random.randrange(2)
        state[k] = self.g.write(state[k], self.index(indices), self.number(state, indices))
        return state

    def _acc(self, state, indices, depth):
        k = 2 + self.random.randrange(2)
        state[k] = self.g.acc(state[k], self.index(indices), self.number(state, indices))
        return state

    def _update(self, state, indices, depth):
        k = 2 + self.random.randrange(2)
        fn = self.random.choice([operator.iadd, operator.isub, operator.imul])
        key = self.random.choice([self.index, self.slice])(indices)
        state[k] = self.g.update(state[k], key, fn, np.tanh(self.number(state, indices)))
        return state

    def _slice(self, state, indices, depth):
        k = 2 + self.random.randrange(2)
        key = self.slice(indices)
        source = state[2 + self.random.randrange(2)]
        value = np.sin(source[key]) * self.number(state, indices)
        op = self.random.choice([self.g.write, self.g.acc])
        state[k] = op(state[k], key, value)
        return state

    def _whole(self, state, indices, depth):
        k = 2 + self.random.randrange(2)
        state[k] = self.g.apply_fn(np.tanh, state[2] * self.number(state, indices) + state[3])
        return state

    def _swap(self, state, indices, depth):
        state[2], state[3] = state[3], state[2]
        return state

    def _if(self, state, indices, depth):
        if indices and self.random.random() < 0.4:
            test = self.random.choice(indices) % 2 == 0
        else:
            test = self.number(state, indices) > 0.1

        def arm():
            return self.statements(list(state), indices, 3, depth + 1)

        return self.g.if_(test, arm, arm)

    def _avals(self, state):
        return [NUMBER, NUMBER, *(self.g.val(v).aval for v in state[2:])]

    def _for(self, state, indices, depth):
        n = self.x.shape[0]
        start, stop = 2, n - 2
        if indices and self.random.random() < 0.5:
            bound = self.random.choice(indices)
            start, stop = self.random.choice([(2, bound), (bound, n - 2)])
        bounds = (start, stop, 1)
        if self.random.random() < 0.2:
            bounds = (n - 3, 1, -1)

        exits = self.random.random() < 0.2

        def body(i, *inner):
            out = self.statements(list(inner), [*indices, i], 3, depth + 1)
            if not exits:
                return out
            (jump,) = self.g.if_(out[0] > 1.2, lambda: [1], lambda: [0])
            return [jump, *out]

        out = self.g.for_(bounds, state, body, avals=self._avals(state), exits=exits)
        return out[exits:exits + 4]

    def _while(self, state, indices, depth):
        limit = self.random.randint(0, 4)

        def test(*inner):
            return inner[4] < limit

        def body(*inner):
            return [*self.statements(list(inner[:4]), indices, 3, depth + 1), inner[4] + 1]

        from srcgrad.types.kinds import INT

        out = self.g.while_(test, [*state, 0], body, avals=[*self._avals(state), INT])
        return out[:4]

    def _list(self, state, indices, depth):
        """A list grows in one loop and is read in another."""
        g = self.g
        vectors = self.random.random() < 0.5
        elem = self.g.val(state[2]).aval if vectors else NUMBER
        lst = g.list(elem)

        def push(i, lst, *inner):
            inner = self.statements(list(inner), [*indices, i], 2, depth + 1)
            item = np.sin(inner[2]) if vectors else self.number(inner, [*indices, i])
            return [g.append(lst, item), *inner]

        out = g.for_((2, self.x.shape[0] - 2, 1), [lst, *state], push,
                     avals=[list_of(elem), *self._avals(state)])
        lst, state = out[0], list(out[1:5])

        def read(i, total):
            item = g.get(lst, i - 2)
            return [total * 0.7 + (np.sum(item) if vectors else item)]

        total, _ = g.for_((2, self.x.shape[0] - 2, 1), [state[0]], read, avals=[NUMBER])
        state[0] = np.tanh(total)
        return state
