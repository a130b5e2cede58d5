"""Building graphs by hand, by running Python on symbolic values."""

from __future__ import annotations

from srcgrad.adjoint.bodies import wrap
from srcgrad.adjoint.frames import Tape
from srcgrad.graph.infer import infer_getitem
from srcgrad.graph.ir import Graph, Index, LoopSpec, Value
from srcgrad.graph.symbolic import avals_in
from srcgrad.types.dims import symbol
from srcgrad.types.kinds import FLOAT, INT, Aval, Kind, array, int_aval, join, list_of

_objects = iter(range(1, 10**9))


class Make:
    """A graph under construction.  Blocks are functions of symbolic values."""

    def __init__(self):
        self.tapes = [Tape()]
        self.counter = 0

    @property
    def tape(self):
        return self.tapes[-1]

    @property
    def nodes(self):
        return self.tape.nodes

    def input(self, aval, hint):
        v = self.tape.param(aval, hint)
        v.obj = next(_objects)
        return self.sym(v)

    def sym(self, value):
        return wrap(self, value)

    # the interface of a tape, so that symbolic values write to the innermost block
    def add(self, *args, **kw):
        return self.tape.add(*args, **kw)

    def apply(self, *args, **kw):
        return self.tape.apply(*args, **kw)

    def apply_many(self, *args, **kw):
        return self.tape.apply_many(*args, **kw)

    def const(self, *args):
        return self.tape.const(*args)

    def call(self, fn, *args, **kw):
        return self.tape.call(fn, *args, **kw)

    def val(self, x):
        """The graph value of a symbolic value or a Python constant."""
        if hasattr(x, "value"):
            return x.value
        if isinstance(x, Value):
            return x
        from srcgrad.types.kinds import aval_of
        return self.tape.const(x, aval_of(x))

    def apply_fn(self, fn, *args, hint=None, **kw):
        s = self.sym(self.tape.call(fn, *_values(args), **_values(kw)))
        s.value.hint = hint
        return s

    def _store(self, op, base, value, key, **params):
        b, v = self.val(base), self.val(value)
        steps = ()
        if key is not None:
            key = _values(key)
            steps = (Index(key, infer_getitem(b.aval, avals_in(key)).basic),)
        new = self.tape.store(op, b, v, steps, **params)
        if new.obj is None:
            new.obj = b.obj = next(_objects)
        return self.sym(new)

    def write(self, base, key, value):
        return self._store("write", base, value, key)

    def acc(self, base, key, value):
        return self._store("acc", base, value, key)

    def update(self, base, key, fn, value):
        return self._store("update", base, value, key, fn=fn)

    def block(self, fn, avals, hints=()):
        tape = Tape()
        self.tapes.append(tape)
        params = [tape.param(a, h) for a, h in zip(avals, list(hints) + [None] * len(avals))]
        outs = fn(*[self.sym(p) for p in params])
        outs = tuple(self.val(o) for o in outs)
        self.tapes.pop()
        return tape.block(outs)

    def if_(self, pred, then, orelse):
        blocks = (self.block(then, ()), self.block(orelse, ()))
        avals = tuple(_join(a.aval, b.aval) for a, b in zip(blocks[0].outputs, blocks[1].outputs))
        node = self.tape.add("if", (self.val(pred),), avals, blocks)
        for o, a in zip(node.outputs, blocks[0].outputs):
            o.obj, o.hint = a.obj, a.hint
        return [self.sym(o) for o in node.outputs]

    def loop(self, kind, inits, body, *, bounds=None, test=None, n_last=0, n_produced=0,
             exits=False, consumed=(), stacked=None, avals=None, reverse=False):
        """``body(index?, *carried, *elements) -> [jump?] + next + last + produced``."""
        inits = [self.val(v) for v in inits]
        consumed = [self.val(v) for v in consumed]
        carried = avals or [v.aval.but(expr=None) for v in inits]
        elems = [s.aval.elem if s.aval.kind is Kind.LIST else
                 (array(s.aval.dtype, s.aval.shape[1:]) if len(s.aval.shape) > 1
                  else Aval(Kind.SCALAR, s.aval.dtype)) for s in consumed]
        index = []
        if kind == "for":
            self.counter += 1
            index = [int_aval(symbol("i", serial=self.counter, varying=True))]
            bounds = [self.val(v) for v in bounds]
        blocks = ()
        if kind == "while":
            blocks = (self.block(lambda *c: [test(*c)], carried),)
        main = self.block(body, [*index, *carried, *elems], ["i"] * len(index)
                          + [v.hint for v in inits])
        outs = [o.aval for o in main.outputs]
        jump = [INT] if exits else []
        outs = outs[len(jump):]
        n = len(inits)
        stacked = stacked or (False,) * n_produced
        seq = [array(a.dtype, (symbol("trips", serial=self.counter, varying=True), *a.shape))
               if st else list_of(a) for a, st in zip(outs[n + n_last:], stacked)]
        lasts = [a.but(optional=True) for a in outs[n:n + n_last]]
        spec = LoopSpec(kind, n, len(consumed), n_last, n_produced, exits, reverse, tuple(stacked))
        ins = (*(bounds or ()), *inits, *consumed)
        node = self.tape.add("loop", ins, (*jump, *carried, *lasts, *seq, INT), (*blocks, main),
                             loop=spec)
        nexts = main.outputs[len(jump):]
        for o, nxt, p, v in zip(node.outputs[len(jump):], nexts, main.params[len(index):], inits):
            o.hint = v.hint
            if nxt.obj is not None and nxt.obj == p.obj:  # written in the body
                o.obj = p.obj = v.obj = v.obj or p.obj
                _renumber(main, nxt.obj, v.obj)
        return [self.sym(o) for o in node.outputs]

    def for_(self, n, inits, body, **kw):
        bounds = n if isinstance(n, tuple) else (0, n, 1)
        return self.loop("for", inits, body, bounds=bounds, **kw)

    def while_(self, test, inits, body, **kw):
        return self.loop("while", inits, body, test=test, **kw)

    # lists
    def list(self, elem, *items):
        return self.sym(self.tape.add("list", tuple(self.val(i) for i in items),
                                      (list_of(elem),)).out)

    def append(self, lst, x):
        return self.sym(self.tape.add("append", (self.val(lst), self.val(x)),
                                      (self.val(lst).aval,)).out)

    def pop(self, lst, *i):
        lst = self.val(lst)
        a, b = self.tape.add("pop", (lst, *map(self.val, i)), (lst.aval, lst.aval.elem)).outputs
        return self.sym(a), self.sym(b)

    def get(self, lst, i):
        lst = self.val(lst)
        return self.sym(self.tape.add("get", (lst, self.val(i)), (lst.aval.elem,)).out)

    def put(self, lst, i, x):
        lst = self.val(lst)
        return self.sym(self.tape.add("put", (lst, self.val(x), self.val(i)), (lst.aval,)).out)

    def insert(self, lst, i, x):
        lst = self.val(lst)
        return self.sym(self.tape.add("insert", (lst, self.val(x), self.val(i)), (lst.aval,)).out)

    def len(self, lst):
        return self.sym(self.tape.add("list_len", (self.val(lst),), (INT,)).out)

    def graph(self, *outs, name="f"):
        (tape,) = self.tapes
        return Graph(name, tape.block(tuple(self.val(o) for o in outs)))


def _renumber(block, old, new):
    for node in block.nodes:
        for v in node.outputs:
            if v.obj == old:
                v.obj = new
        for b in node.blocks:
            _renumber(b, old, new)


def _values(s):
    if hasattr(s, "value") and not isinstance(s, Value):
        return s.value
    if isinstance(s, tuple):
        return tuple(map(_values, s))
    if isinstance(s, list):
        return list(map(_values, s))
    if isinstance(s, dict):
        return {k: _values(v) for k, v in s.items()}
    if isinstance(s, slice):
        return slice(_values(s.start), _values(s.stop), _values(s.step))
    return s


def _join(a, b):
    return a.but(expr=None) if a.but(expr=None) == b.but(expr=None) else join(a, b)


def vec(g, hint="x", name="n"):
    return g.input(array(float, (symbol(name),)), hint)


def mat(g, hint="A", names=("n", "n")):
    return g.input(array(float, tuple(symbol(n) for n in names)), hint)


def flt(g, hint="s"):
    return g.input(FLOAT, hint)


def integer(g, hint="steps"):
    return g.input(int_aval(symbol(hint, low=None)), hint)
