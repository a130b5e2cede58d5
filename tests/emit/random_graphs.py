"""Random graphs with writes, views, branches and loops, for comparison with the interpreter."""

from __future__ import annotations

import operator
import random

import numpy as np

from srcgrad.errors import Where
from srcgrad.graph.ir import Block, Builder, Graph, Index, LoopSpec, Node, Origin, Ref, Value
from srcgrad.types.kinds import BOOL, FLOAT, INT, array, list_of

SIZE = 4
VECTOR = array(float, (SIZE,))
SLICES = (slice(1, None), slice(None, -1), slice(0, 3))
PART = array(float, (SIZE - 1,))
FUNCTIONS = (operator.add, operator.sub, operator.mul, np.maximum)


class Maker:
    """Builds one random graph.  ``vectors``, ``parts`` and ``numbers`` are the values in scope;
    a *forward* graph only reads current versions, its writes carry object numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.builders: list[Builder] = [Builder()]
        self.statement = 0
        self.objects = 0

    @property
    def b(self) -> Builder:
        return self.builders[-1]

    def origin(self, role: str) -> Origin:
        if self.random.random() < 0.6:
            self.statement += 1
        where = Where("user.py", self.statement, "f", f"statement {self.statement}")
        return Origin(where, (), self.statement, False, role)

    def node(self, op: str, inputs: tuple[Value, ...], avals: tuple, blocks=(), **params) -> Node:
        self.b.origin = self.origin(self.role)
        return self.b.add(op, inputs, avals, blocks, **params)

    def apply(self, fn, *args: object, aval=VECTOR) -> Value:
        self.b.origin = self.origin(self.role)
        return self.b.apply(fn, args, {}, aval)

    # ---- optional writes: any value may be read at any time --------------------------------
    def adjoint_block(self, scope: dict[str, list[Value]], length: int, depth: int) -> None:
        for _ in range(length):
            self.adjoint_node(scope, depth)

    def pick(self, values: list[Value]) -> Value:
        recent = values[-4:] if self.random.random() < 0.7 else values
        return self.random.choice(recent)

    def adjoint_node(self, scope: dict[str, list[Value]], depth: int) -> None:
        choice = self.random.randrange(14 if depth else 9)
        vectors, parts, numbers = scope["vectors"], scope["parts"], scope["numbers"]
        index = Index(self.random.choice(SLICES))
        if choice == 0:
            new = self.apply(self.random.choice(FUNCTIONS), self.pick(vectors), self.pick(vectors))
            vectors.append(new)
        elif choice == 1:
            new = self.apply(operator.mul, self.pick(vectors), self.pick(numbers))
            vectors.append(new)
        elif choice == 2:
            parts.append(self.node("read", (self.pick(vectors),), (PART,), steps=(index,)).out)
        elif choice in (3, 4) and parts:
            op = self.random.choice(("write", "acc"))
            inputs = (self.pick(vectors), self.pick(parts))
            vectors.append(self.node(op, inputs, (VECTOR,), steps=(index,)).out)
        elif choice == 5:
            inputs = (self.pick(vectors), self.pick(vectors))
            vectors.append(self.node("acc", inputs, (VECTOR,), steps=()).out)
        elif choice == 6:
            key = self.random.randrange(SIZE)
            numbers.append(self.node("read", (self.pick(vectors),), (FLOAT,),
                                     steps=(Index(key),)).out)
        elif choice == 7:
            total = self.apply(operator.add, self.pick(numbers), self.pick(numbers), aval=FLOAT)
            numbers.append(total)
        elif choice == 8:
            inputs = (self.pick(vectors), self.pick(numbers))
            vectors.append(self.node("update", inputs, (VECTOR,), steps=(index,),
                                     fn=self.random.choice((operator.imul, operator.isub))).out)
        elif choice == 9:
            self.branch(scope, depth)
        elif choice in (10, 11):
            self.loop(scope, depth)
        elif choice == 12:
            self.exit_loop(scope, depth)
        elif choice == 13:
            self.while_loop(scope, depth)
        if self.random.random() < 0.3 and vectors[-1].hint is None:
            vectors[-1].hint = self.random.choice("uvw")

    def region(self, scope: dict[str, list[Value]], depth: int, params=()) -> dict:
        inner = {k: list(v) for k, v in scope.items()}
        self.builders.append(Builder())
        for kind, aval, hint in params:
            inner[kind].append(self.b.param(aval, hint))
        self.adjoint_block(inner, self.random.randrange(1, 6), depth - 1)
        return inner

    def outputs(self, inner: dict, count: int) -> tuple[Value, ...]:
        return tuple(self.pick(inner["vectors"]) for _ in range(count))

    def branch(self, scope: dict[str, list[Value]], depth: int) -> None:
        count = self.random.randrange(1, 3)
        test = self.apply(operator.gt, self.pick(scope["numbers"]), 0.3, aval=BOOL)
        blocks = []
        for _ in range(2):
            inner = self.region(scope, depth)
            blocks.append(self.builders.pop().block(self.outputs(inner, count)))
        node = self.node("if", (test,), (VECTOR,) * count, tuple(blocks))
        scope["vectors"].extend(node.outputs)

    def loop(self, scope: dict[str, list[Value]], depth: int) -> None:
        carried, kept = self.random.randrange(1, 4), self.random.randrange(0, 3)
        consumed = [self.random.choice(scope["sequences"])] if scope["sequences"] and (
            self.random.random() < 0.5) else []
        inits = tuple(self.pick(scope["vectors"]) for _ in range(carried))
        bounds = tuple(self.b.const(v, INT) for v in (0, 3, 1))
        params = [("ints", INT, "i")]
        params += [("vectors", VECTOR, self.random.choice("uvw")) for _ in range(carried)]
        inner = {k: list(v) for k, v in scope.items()}
        self.builders.append(Builder())
        for kind, aval, hint in params:
            inner[kind].append(self.b.param(aval, hint))
        for _ in consumed:
            inner["vectors"].append(self.b.param(VECTOR, None))
        self.adjoint_block(inner, self.random.randrange(1, 7), depth - 1)
        body = self.builders.pop().block(self.outputs(inner, carried + 1 + kept))
        stacked = tuple(self.random.random() < 0.5 for _ in range(kept))
        spec = LoopSpec("for", carried, len(consumed), 1, kept, False,
                        self.random.random() < 0.5, stacked)
        avals = (*(VECTOR,) * (carried + 1), *(array(float, (3, SIZE)),) * kept, INT)
        node = self.node("loop", (*bounds, *inits, *consumed), avals, (body,), loop=spec)
        scope["vectors"].extend(node.outputs[:carried + 1])
        scope["sequences"].extend(node.outputs[carried + 1:-1])

    def body(self, scope: dict[str, list[Value]], depth: int, params, count: int):
        """A region with parameters: its builder (still open), its scope, some of its values."""
        inner = {k: list(v) for k, v in scope.items()}
        self.builders.append(Builder())
        for kind, aval, hint in params:
            inner[kind].append(self.b.param(aval, hint))
        self.adjoint_block(inner, self.random.randrange(1, 6), depth - 1)
        return inner, self.outputs(inner, count)

    def exit_loop(self, scope: dict[str, list[Value]], depth: int) -> None:
        """A loop that may leave early, its carried values decided in the arms."""
        carried, kept = self.random.randrange(1, 3), self.random.randrange(0, 2)
        inits = tuple(self.pick(scope["vectors"]) for _ in range(carried))
        bounds = tuple(self.b.const(v, INT) for v in (0, 4, 1))
        params = [("ints", INT, "i")]
        params += [("vectors", VECTOR, self.random.choice("uvw")) for _ in range(carried)]
        inner, extra = self.body(scope, depth, params, kept)
        total = self.apply(np.sum, self.pick(inner["vectors"]), aval=FLOAT)
        test = self.apply(operator.gt, total, self.random.uniform(0, 3), aval=BOOL)
        arms = []
        for jump in (self.random.choice((1, 3)), 0):
            _, outs = self.body(inner, depth, (), carried)
            arms.append(self.closed(jump, outs))
        node = self.node("if", (test,), (INT, *(VECTOR,) * carried), tuple(arms))
        body = self.builders.pop().block((*node.outputs, *extra))
        spec = LoopSpec("for", carried, 0, 0, kept, True, False, (False,) * kept)
        avals = (INT, *(VECTOR,) * carried, *(list_of(VECTOR),) * kept, INT)
        made = self.node("loop", (*bounds, *inits), avals, (body,), loop=spec)
        scope["vectors"].extend(made.outputs[1:1 + carried])
        if self.random.random() < 0.5:
            scope["numbers"].append(self.apply(operator.mul, made.outputs[0], 0.5, aval=FLOAT))
        if kept and self.random.random() < 0.7:
            self.consume(made.outputs[-1], made.outputs[-2], scope, depth)

    def closed(self, jump: int, outs: tuple[Value, ...]) -> Block:
        number = self.b.const(jump, INT)
        return self.builders.pop().block((number, *outs))

    def consume(self, trips: Value, sequence: Value, scope: dict, depth: int) -> None:
        """A loop over what an exiting loop kept."""
        init = self.pick(scope["vectors"])
        bounds = (self.b.const(0, INT), trips, self.b.const(1, INT))
        params = [("ints", INT, "i"), ("vectors", VECTOR, "v"), ("vectors", VECTOR, None)]
        _, outs = self.body(scope, depth, params, 1)
        body = self.builders.pop().block(outs)
        spec = LoopSpec("for", 1, 1, 0, 0, False, True, ())
        made = self.node("loop", (*bounds, init, sequence), (VECTOR, INT), (body,), loop=spec)
        scope["vectors"].append(made.outputs[0])

    def while_loop(self, scope: dict[str, list[Value]], depth: int) -> None:
        """A while loop of three rounds, with a statement in its test now and then."""
        init = self.pick(scope["vectors"])
        zero = self.b.const(0, INT)
        self.builders.append(Builder())
        count, vector = self.b.param(INT, "k"), self.b.param(VECTOR, "w")
        if self.random.random() < 0.5:
            self.adjoint_block({**{k: list(v) for k, v in scope.items()},
                                "vectors": [*scope["vectors"], vector]}, 1, 0)
        less = self.apply(operator.lt, count, 3, aval=BOOL)
        test = self.builders.pop().block((less,))
        kept = self.random.randrange(0, 2)
        params = [("ints", INT, "k"), ("vectors", VECTOR, "w")]
        inner, outs = self.body(scope, depth, params, 1 + kept)
        step = self.apply(operator.add, inner["ints"][-1], 1, aval=INT)
        body = self.builders.pop().block((step, *outs))
        spec = LoopSpec("while", 2, 0, 0, kept, False, False, (False,) * kept)
        avals = (INT, VECTOR, *(list_of(VECTOR),) * kept, INT)
        made = self.node("loop", (zero, init), avals, (test, body), loop=spec)
        scope["vectors"].append(made.outputs[1])
        if kept:
            self.consume(made.outputs[-1], made.outputs[2], scope, depth)

    def adjoint_graph(self, length: int) -> Graph:
        self.role = "adjoint"
        x, y = self.b.param(VECTOR, "x"), self.b.param(VECTOR, "y")
        s = self.b.param(FLOAT, "s")
        scope = {"vectors": [x, y], "parts": [], "numbers": [s], "ints": [], "sequences": []}
        self.adjoint_block(scope, length, 2)
        outputs = (*scope["vectors"][-4:], self.pick(scope["vectors"]))
        return Graph("f", self.b.block(outputs), border=0)

    # ---- forced writes: a forward part in the user's order, then readers of any version ----
    def joint_graph(self, length: int) -> Graph:
        self.role = "forward"
        x, y = self.b.param(VECTOR, "x"), self.b.param(VECTOR, "y")
        s = self.b.param(FLOAT, "s")
        self.objects = 2
        x.obj, y.obj = 1, 2
        current = {1: x, 2: y}
        views: list[tuple[int, Index, Value]] = []
        every = {"vectors": [x, y], "parts": [], "numbers": [s], "ints": [], "sequences": []}
        for _ in range(length):
            self.forward_node(current, views, every)
        border = len(self.b.nodes)
        primal = (current[1], self.random.choice(list(current.values())))
        self.role = "adjoint"
        self.adjoint_block(every, length, 2)
        outputs = (*primal, *every["vectors"][-3:])
        return Graph("f", self.b.block(outputs), border=border, n_primal=2)

    def forward_node(self, current: dict[int, Value], views: list, every: dict) -> None:
        obj = self.random.choice(list(current))
        index = Index(self.random.choice(SLICES))
        choice = self.random.randrange(5)
        if choice == 0:
            other = current[self.random.choice(list(current))]
            new = self.apply(self.random.choice(FUNCTIONS), current[obj], other)
            self.objects += 1
            new.obj, new.hint = self.objects, self.random.choice("uvw")
            current[self.objects] = new
            every["vectors"].append(new)
        elif choice == 1:
            view = self.node("read", (current[obj],), (PART,), steps=(index,)).out
            self.objects += 1
            view.obj, view.hint = self.objects, "part"
            views.append((obj, index, view))
            every["parts"].append(view)
        elif choice == 2 and views:
            number = self.random.randrange(len(views))
            obj, index, first = views[number]
            again = self.node("read", (current[obj], first), (PART,), steps=(index,),
                              handle=True).out
            again.obj, again.hint = first.obj, first.hint
            every["parts"].append(again)
            total = self.apply(np.sum, again, aval=FLOAT)
            every["numbers"].append(total)
        else:
            if self.random.random() < 0.5:
                value = self.node("read", (current[self.random.choice(list(current))],), (PART,),
                                  steps=(Index(self.random.choice(SLICES)),)).out
            else:
                value = self.random.choice(every["numbers"])
            op, extra = self.random.choice((("write", {}), ("update", {"fn": operator.iadd}),
                                            ("update", {"fn": operator.imul})))
            new = self.node(op, (current[obj], value), (VECTOR,), steps=(index,), **extra).out
            new.obj, new.hint = obj, current[obj].hint
            current[obj] = new
            every["vectors"].append(new)


def arguments(seed: int) -> list[object]:
    r = np.random.default_rng(seed)
    return [r.uniform(-1, 1, SIZE), r.uniform(-1, 1, SIZE), float(r.uniform())]


__all__ = ["Block", "Maker", "Ref", "arguments"]
