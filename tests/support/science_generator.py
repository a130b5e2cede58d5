"""Random programs as scientists write them: arrays and plain Python in one function.

Loops, branches, exceptions, views and writes in place, reductions, sorting, masks, complex numbers;
lists, dicts with keys of text, instances, closures, unpacking, starred and default arguments,
comprehensions, ``match``.  Of :func:`with_state` the program reads and writes what lies outside of
it, and ``change(k)`` changes that before call ``k``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from template_writer import Writer

PRELUDE = '''
import collections
import functools
import itertools
import math
import numpy as np
from dataclasses import dataclass, field

@dataclass
class Cell:
    v: float
    w: float = 0.5
    tags: list = field(default_factory=list)

    @property
    def energy(self):
        return self.v * self.w

    @energy.setter
    def energy(self, e):
        self.w = e / (abs(self.v) + 2.0)

    def step(self, d=0.1, *more, times=1, **named):
        for _ in range(times):
            self.v += d * self.w + sum(more) + sum(named.values())
        return self

class Model:
    rate = 0.3

    def __init__(self, w, name="m"):
        self.w = w
        self.history = []
        self.params = {"b": 0.5, name: 1.5}

    def __call__(self, q):
        self.history.append(q)
        return q * self.rate + self.params["b"]

    def fit(self, x, steps=2, tol=1e-3):
        loss = 0.0
        for i in range(steps):
            r = x - self.w * self.params["b"]
            loss = float(np.sum(r * r))
            if loss < tol:
                break
            self.params["b"] += 0.1 * loss / (1.0 + loss)
        return loss

class Deep(Model):
    rate = 0.7

    def __call__(self, q):
        return super().__call__(q) * 1.2 if q > 0.4 else q * q

Point = collections.namedtuple("Point", "x y")

def clip01(q, lo=0.0, hi=1.0):
    if q < lo:
        return lo
    if q > hi:
        return hi
    return q

def total(*args, scale=1.0, **named):
    s = 0.0
    for a in args:
        s += a
    for key in named:
        s += named[key] * 2.0
    return s * scale

def newton(c, q=1.0, tol=1e-8, most=6):
    k = 0
    while abs(q * q - c) > tol and k < most:
        q = 0.5 * (q + c / q)
        k += 1
    return q

def horner(coefficients, q):
    return functools.reduce(lambda acc, c: acc * q + c, coefficients, 0.0)

def softmax(q):
    e = np.exp(q - np.max(q))
    return e / e.sum()

def halves(n):
    while n:
        yield n
        n //= 2

def sign_of(q):
    match q:
        case 0:
            return "zero"
        case int() | float() if q > 0:
            return "plus"
        case _:
            return "minus"

def area(shape):
    match shape:
        case {"r": r}:
            return 3.0 * r * r
        case (w, h):
            return w * h
        case Cell(v=v, w=w):
            return v + w
        case Point(x, y):
            return x - y
        case _:
            return 0.0
'''

# ---- expressions, by kind --------------------------------------------------------------------

EXPRESSIONS = {
    "I": [  # integers
        "0", "1", "-1", "2", "(k - 1)", "(len(x) // 2)", "(<I> - 1)", "(<I> + 1)",
        "int(np.argmax(<V>))", "int(np.sum(<V> > 0.3))", "len(<L>)", "len(<V>)", "int(<S>)",
        "(<V>.shape[0] - 1)", "len(<D>)", "(k if <T> else 0)", "max(<I>, 0)", "min(<I>, len(x) - 1)",
        "(<I> % 3)", "abs(<I>)", "sum(1 for q in <V> if q > 0.4)", "len(<W>)",
        "int(np.searchsorted(np.sort(<V>), <S>))", "np.argmin(<V>)", "-len(<V>)", "round(<S>)",
        "math.floor(<S>)", "x.ndim", "int(<T>)", "np.count_nonzero(<B>)",
    ],
    "S": [  # numbers
        "0.5", "2.0", "(<S> * <S>)", "(<S> + <S>)", "(<S> - <S>)", "(<S> / (1.0 + abs(<S>)))",
        "(-<S>)", "<V>[<I>]", "<V>.sum()", "np.mean(<V>)", "np.max(<V>)", "<V>.min()",
        "np.dot(<V>, <V>)", "(<V> @ <V>)", "np.linalg.norm(<V>)", "float(<V>[0])", "<V>.item(<I>)",
        "np.prod(<V>)", "<V>.std()", "np.var(<V>)", "np.trace(<M>)", "<M>[<I>, <I>]", "<M>[<I>][<I>]",
        "np.median(<V>)", "<V>[-1]", "math.sin(<S>)", "math.exp(-abs(<S>))", "abs(<S>)",
        "max(<S>, <S>)", "min(<S>, 0.7)", "np.tanh(<S>)", "(<S> ** 2)", "(abs(<S>) ** 0.5)",
        "math.hypot(<S>, <S>)", "sum(<L>)", "max(<L>)", "min(<L>, default=0.0)", "<L>[<I>]", "<L>[-1]",
        "<D>['a']", "<D>.get('z', <S>)", "<D>[<K>]", "sum(<D>.values())", "<O>.v", "<O>.energy",
        "<O>.step(<S>).v", "<O>.step(times=k, r=<S>).w", "<G>(<S>)", "<G>.fit(<V>)", "<G>.params['b']",
        "<G>.rate", "sum(q * q for q in <L>)", "sum(p * q for p, q in zip(<L>, <V>))",
        "sum(q for q in <V> if q > 0.4)", "sum(i * q for i, q in enumerate(<L>, 1))",
        "(<S> if <T> else <S>)", "clip01(<S>)", "clip01(<S>, hi=0.6)", "total(<S>, <S>, c=<S>)",
        "total(*<L>)", "total(*<V>, scale=<S>)", "total(**<D>)", "newton(abs(<S>) + 0.5)",
        "horner(<L>, <S>)", "horner([1.0, <S>], 0.5)", "((q := <S>) * q)", "<F>(<S>)",
        "np.einsum('i,i->', <V>, <V>)", "np.einsum('ij->', <M>)", "np.sum(<V>[<B>])",
        "np.where(<S> > 0.4, <S>, <S>)", "float(len(<W>))", "np.sqrt(np.sum(<V> ** 2))",
        "np.abs(<C>[0])", "<C>.real.sum()", "np.vdot(<C>, <C>).real", "np.angle(<C>[0])",
        "float(np.real(<C>.sum()))", "np.sum(np.abs(<C>) ** 2)", "area((<S>, <S>))",
        "area({'r': <S>})", "area(<O>)", "area(Point(<S>, <S>))",
        "(1.0 if sign_of(<S>) == 'plus' else 0.2)", "<P>[0]", "<P>.y", "sum(<P>)",
        "next((q for q in <L> if q > 0.5), <S>)",
        "functools.reduce(lambda p, q: p * 0.5 + q, <L>, <S>)", "math.fsum(<L>)", "math.prod(<L>)",
        "sorted(<L>)[<I>]", "(sum(<L>) / max(len(<L>), 1))",
        "np.interp(<S>, [0.0, 0.5, 1.0], [0.0, <S>, 1.0])", "np.polyval([<S>, 1.0, <S>], <S>)",
        "np.trapezoid(<V>)", "np.ptp(<V>)", "np.quantile(<V>, 0.3)",
        "np.average(<V>, weights=np.abs(<V>) + 1.0)", "np.linalg.det(<M>)", "np.max(<M>, axis=0)[<I>]",
        "np.clip(<S>, 0.1, 0.9)", "np.float64(<S>)", "np.log1p(abs(<S>))",
        "(float(f'{0.25:.2f}') * <S>)", "(<S>, <S>)[<I>]", "[<S>, <S>][<I>]",
        "{0: <S>, 1: 0.3}.get(<I>, 0.2)", "divmod(<S>, 0.3)[1]", "(<S> % 0.7)",
        "(round(<S>, 1) * <S>)", "(lambda q, *r: q + len(r))(*<L>)",
        "sum(map(lambda q: q * <S>, <V>))", "np.sum(np.array(<L>) * 2.0)",
        "np.array([<S>, <S>]).max()", "(x if <T> else y)[<I>]", "(len(x) * <S>)",
        "np.sum(np.fromiter((q * 2 for q in <L>), float))",
    ],
    "V": [  # vectors
        "(<V> * <V>)", "(<V> + <S>)", "(<S> - <V>)", "(<V> / (1.0 + <V> ** 2))", "np.sin(<V>)",
        "np.exp(-<V>)", "<V>.copy()", "<V>[::-1]", "<V>[<I>:]", "<V>[:<I>]", "<V>[<I>:<I>]",
        "<V>[::2]", "<M>[<I>]", "<M>[:, <I>]", "(<M> @ <V>)", "(<V> @ <M>)", "np.where(<B>, <V>, <V>)",
        "np.where(<B>, <V>, <S>)", "np.where(<V> > 0.5, 1.0, np.where(<V> > 0.2, <V>, <S>))",
        "np.clip(<V>, 0.2, <S>)", "np.sort(<V>)", "<V>[np.argsort(<V>)]",
        "<V>[np.argsort(-<V>, kind='stable')]", "np.cumsum(<V>)", "np.roll(<V>, <I>)",
        "np.diff(<V>, prepend=0.0)", "<V>[<B>]", "np.concatenate([<V>, <V>])[:len(x)]",
        "np.stack([<V>, <V>]).sum(axis=0)", "np.einsum('ij,j->i', <M>, <V>)",
        "np.einsum('ij,ij->i', <M>, <M>)", "np.maximum(<V>, <V>)", "np.minimum(<V>, <S>)",
        "np.abs(<V>)", "(<V> ** 2)", "np.sqrt(np.abs(<V>) + 0.1)", "<V>[[0, -1]]",
        "<V>[np.array([<I>, 0])]", "np.take(<V>, [0, -1])", "<M>.mean(axis=0)", "<M>.sum(axis=1)",
        "np.diag(<M>)", "<M>.T[0]", "<M>.ravel()[:len(x)]", "np.outer(<V>, <V>).sum(axis=1)",
        "np.full(len(x), <S>)", "np.zeros_like(<V>)", "(np.ones(len(<V>)) * <S>)",
        "np.linspace(0.0, <S>, len(x))", "(np.arange(len(<V>)) * <S>)", "np.repeat(<V>, 2)[:len(x)]",
        "np.array(<L>)", "np.array([<S>, <S>])", "np.array([q * <S> for q in <V>])",
        "np.array([q for q in <V> if q > 0.4])", "np.array([p + q for p, q in zip(<V>, <V>)])",
        "np.array([<F>(q) for q in <V>])", "<C>.real", "np.abs(<C>)", "(<C>.imag * 2)",
        "(<V>[:, None] * <V>[None, :]).sum(axis=0)", "(<V>[:, None] - <V>).max(axis=1)",
        "<V>.astype(np.float32).astype(float)", "(<V>.astype(int) * <S>)", "(<B> * <V>)",
        "(<B>).astype(float)", "np.select([<V> > 0.6, <V> > 0.3], [<V>, -<V>], 0.0)", "softmax(<V>)",
        "np.convolve(<V>, [0.5, <S>], 'same')", "np.insert(<V>, 0, <S>)[:-1]", "np.append(<V>, <S>)",
        "np.delete(<V>, 0)", "np.flip(<V>)", "(<V> // 0.3 * <S>)", "(<V> % 0.7)", "np.cumprod(<V>)",
        "np.pad(<V>, 1)[1:-1]", "np.gradient(<M>, axis=0)[0]", "np.apply_along_axis(np.sum, 0, <M>)",
        "np.hypot(<V>, <V>)", "np.fromiter((q for q in <L>), float)", "(np.asarray(<L>) + <S>)",
        "np.linalg.solve(<M> @ <M>.T + np.eye(<M>.shape[0]), <M>[:, 0])", "np.unique(<V>)",
        "np.bincount([0, 1, 0], weights=[<S>, 1.0, <S>])", "np.tril(<M>)[-1]",
        "np.vstack([<V>, <V>])[<I>]", "np.squeeze(<V>[None])", "np.fmin(<V>, <S>)",
        "np.nan_to_num(<V>)", "(np.histogram([0.2], bins=2)[0] * <S>)", "(np.floor(<V> * 3) * <S>)",
        "np.logaddexp(<V>, <V>)", "np.maximum.accumulate(<V>)", "np.add.accumulate(<V>)",
        "np.sum(<M> * <V>, axis=-1)", "np.tensordot(<M>, <V>, axes=1)", "np.inner(<M>, <V>)",
        "<V>[(<V> > 0.1) & (<V> < 0.8)]", "(np.nonzero(<V> > 0.4)[0] * <S>)",
    ],
    "M": [  # matrices
        "(<M> * <S>)", "(<M> + <V>)", "(<M> * <V>[:, None])", "(<M> @ <M>)", "<M>.T",
        "np.outer(<V>, <V>)", "np.stack([<V>, <V>])", "np.stack([<V>, <V>], axis=1)", "<M>[::-1]",
        "<M>[:, ::-1]", "<M>[1:]", "np.where(<M> > 0.5, <M>, <S>)", "np.roll(<M>, 1, axis=0)",
        "np.cumsum(<M>, axis=1)", "(<V>[:, None] - <V>[None, :])", "np.triu(<M>)", "<M>.copy()",
        "np.sort(<M>, axis=0)", "np.einsum('ij,kj->ik', <M>, <M>)", "<M>[[0, -1]]", "<M>[:, [0]]",
        "np.concatenate([<M>, <M>], axis=0)", "np.diag(<V>)", "(np.eye(len(x)) * <S>)",
        "(<M> - <M>.mean(axis=0))", "(<M> / (1.0 + <M>.sum(axis=1, keepdims=True) ** 2))",
        "np.array([<V>, <V>])", "np.array([[p * q for p in <V>] for q in <V>])",
        "<M>[np.argsort(<V>)]", "np.array([row * <S> for row in <M>])", "np.exp(-<M>)",
        "<M>.reshape(-1, 1)", "np.vstack([<V>, <V>])",
        "np.linalg.inv(<M> @ <M>.T + np.eye(<M>.shape[0]))", "np.kron(<M>, np.ones((1, 1)))",
        "<M>[<M>[:, 0] > 0.3]", "(np.ones((2, 3)) * <S>)", "np.zeros((len(x), 2))",
        "np.meshgrid(<V>, <V>)[0]", "(<M> ** 2)",
    ],
    "B": [  # masks
        "(<V> > 0.3)", "(<V> < <S>)", "(<V> > <V>)", "~(<V> > 0.4)", "np.isfinite(<V>)",
        "((<V> > 0.1) & (<V> < 0.8))", "np.logical_or(<V> > 0.5, <V> < 0.2)", "(<V> != 0)",
        "np.isclose(<V>, 0.5)",
    ],
    "C": [  # complex vectors
        "(<V> + 1j * <V>)", "(<C> * 1j)", "np.conj(<C>)", "np.exp(1j * <V>)", "(<C> * <C>)",
        "(<C> + <S>)", "np.fft.fft(<V>)", "<C>[::-1]", "np.sqrt(<C> + 2.0)",
        "(<C> / (2.0 + np.abs(<C>)))", "np.fft.ifft(<C>)", "np.array([<S> + 1j, <S>])",
        "np.where(<B>, <C>, <C>)", "<V>.astype(complex)",
    ],
    "L": [  # lists of numbers
        "[<S>, <S>]", "[q * <S> for q in <L>]", "sorted(<L>)", "<L>[::-1]", "<L>[1:]", "<L>[:-1]",
        "list(<L>)", "(<L> + [<S>])", "[q for q in <L> if q > 0.4]", "list(map(math.sin, <L>))",
        "[p + q for p, q in zip(<L>, <L>[1:])]", "list(itertools.accumulate(<L>))",
        "sorted(<L>, key=lambda q: -q)", "list(<D>.values())", "([<S>] * k)", "[*<L>, <S>]",
        "<V>.tolist()", "[float(q) for q in <V>]", "list(<V>)",
        "[q if q > 0.5 else 0.1 * q for q in <L>]", "[i * q for i, q in enumerate(<L>)]",
        "[clip01(q) for q in <V>]", "list(reversed(<L>))", "[<G>(q) for q in <L>]",
        "[m * <S> for m in halves(k)]", "[q for row in <M> for q in row]",
        "[max(p, q) for p in <L> for q in (<S>, 0.3)]", "<L>.copy()", "[o.v for o in <E>]",
        "[o.energy for o in sorted(<E>, key=lambda o: o.v)]", "list(filter(lambda q: q > 0.3, <L>))",
        "[np.sum(row) for row in <M>]",
    ],
    "D": [  # dicts of numbers
        "{'a': <S>, 'b': <S>}", "dict(a=<S>, c=<S>)", "{**<D>, 'z': <S>}",
        "{key: q * 2 for key, q in <D>.items()}", "dict(<D>)",
        "{f'k{i}': q for i, q in enumerate(<L>)}", "collections.defaultdict(float, a=<S>)",
        "dict(zip('abc', <L>))", "{key: q for key, q in <D>.items() if q > 0.3}", "(<D> | {'b': <S>})",
        "collections.OrderedDict(a=<S>, b=0.2)", "{'a': <S>}", "{'b': <S>, 'a': 0.4}",
    ],
    "T": [  # truth values
        "<S> > 0.4", "<S> < <S>", "k > 1", "len(x) > 2", "(<B>).any()", "np.all(<B>)", "<I> == <I>",
        "'z' in <D>", "not <L>", "<L>", "len(<L>) > 1", "<S> > 0.2 and <S> < 0.9", "0.2 < <S> < 0.7",
        "<V>.size > 1 or <T>", "not <T>", "isinstance(<G>, Deep)", "<O>.tags",
        "any(q > 0.8 for q in <L>)", "all(q > 0.1 for q in <V>)", "<K> in <D>",
        "sign_of(<S>) == 'plus'", "<D>.get('z') is None", "<W> > 'b'", "np.allclose(<V>, <V>)", "<W>",
        "<I> in (0, 2)", "<S> != <S>", "x is y", "hasattr(<G>, 'extra')",
    ],
    "K": [  # keys
        "'a'", "'b'", "'z'", "f'k{<i>}'", "('a' if <T> else 'b')", "<W>[:1]",
    ],
    "W": [  # words
        "'ab'", "'a'", "f'{<i>}'", "sign_of(<S>)", "'-'.join(<D>)", "<W> + 'c'", "str(<I>)",
        "<W>.upper()",
    ],
    "O": [  # cells
        "Cell(<S>)", "Cell(<S>, w=<S>)", "Cell(*[<S>, 0.4])", "<E>[0]", "<E>[<I>]",
        "max(<E>, key=lambda o: o.v)", "<O>",
    ],
    "E": [  # lists of cells
        "[Cell(q) for q in <V>]", "[Cell(q, 0.1 * i) for i, q in enumerate(<L>)]", "[<O>, Cell(<S>)]",
        "sorted(<E>, key=lambda o: -o.v)", "<E>[::-1]", "[o for o in <E> if o.v > 0.4]",
    ],
    "G": [  # models
        "Model(<S>)", "Deep(<S>)", "Model(<S>, name='a')", "(<G> if <T> else Deep(0.4))",
    ],
    "P": [  # points
        "Point(<S>, <S>)", "Point(x=<S>, y=0.5)", "<P>._replace(x=<S>)", "Point(*<P>)",
    ],
    "F": [  # functions of a number
        "(lambda q: q * <S>)", "(lambda q, c=<S>: q + c)", "math.sin", "clip01",
        "functools.partial(clip01, hi=<S>)", "(lambda q: <F>(q) * 0.5)",
        "(clip01 if <T> else math.cos)",
    ],
}

# ---- statements ------------------------------------------------------------------------------

BINDING = [
    "<+s> = <S>", "<+v> = <V>", "<+m> = <M>", "<+c> = <C>", "<+l> = <L>", "<+d> = <D>", "<+i> = <I>",
    "<+b> = <B>", "<+o> = <O>", "<+e> = <E>", "<+g> = <G>", "<+p> = <P>", "<+f> = <F>", "<+w> = <W>",
    "<+s>, <+s> = <S>, <S>", "<s>, <s> = <s>, <s>", "<+s>, *<+l> = <L>",
    "(<+s>, <+s>), <+i> = (<S>, <S>), <I>", "<+s>, <+s> = <P>", "<+v>, <+m> = <V>, <M>",
    "<+v> = <+v> = <V>", "<+i>, <+i> = divmod(<I>, 2)", "<+s> = <+s> = <S>", "<+v>: np.ndarray = <V>",
    "<+t> = <T>",
]

CHANGING = [
    "<v>[<I>] = <S>", "<v>[<I>] += <S>", "<v> *= <S>", "<v> += <V>", "<v>[<B>] = <S>",
    "<v>[<B>] *= 0.5", "<v>[<I>:] = <V>[<I>:]", "<v>[1:] += <V>[:-1]", "<v>[:] = <V>",
    "<v>[::-1] -= <V>", "<m>[<I>] = <V>", "<m>[<I>] *= <S>", "<m>[:, <I>] += <V>",
    "<m>[<I>, <I>] = <S>", "<m> += <V>", "<m>[<M> > 0.5] = <S>", "<v>[[0, -1]] += <S>",
    "np.add.at(<v>, [0, -1, 0], <S>)", "<v>.fill(<S>)", "<v>.sort()", "<m>.T[0] = <V>",
    "<v>[...] = <S>", "<v>[:-1], <v>[1:] = <V>[1:], <V>[:-1]", "<v>[<I>], <v>[0] = <v>[0], <v>[<I>]",
    "<v> -= <V>.mean()", "<v>[1:-1] = 0.5 * (<V>[:-2] + <V>[2:])", "<v> /= 1.5",
    "<m>[1:, 0] = <m>[:-1, 0]", "<s> += <S>", "<s> *= 0.9", "<s> -= <S> * 0.1", "<l>.append(<S>)",
    "<l>.extend(<L>)", "<l>[<I>] = <S>", "<l>[<I>] += <S>", "<l>.insert(0, <S>)", "<l> += [<S>]",
    "<+s> = <l>.pop()", "<l>.sort()", "<l>.reverse()", "<d>[<K>] = <S>",
    "<d>[<K>] = <d>.get(<K>, 0.0) + <S>", "<d>['a'] += <S>", "<d>.update(b=<S>)",
    "<d>.setdefault(<K>, <S>)", "<+s> = <d>.pop('a', 0.3)", "del <d>['b']", "<o>.v = <S>",
    "<o>.v += <S>", "<o>.energy = <S>", "<o>.tags.append(<W>)", "<o>.step(<S>, <S>)", "<g>.w = <S>",
    "<g>.params['b'] *= <S>", "<g>.history.append(<S>)", "<g>.extra = <S>", "<s> = max(<s>, <S>)",
    "<v> = <v> * <S>", "<i> += 1", "<c> *= 1j", "<c>[<I>] = <S>", "np.multiply(<V>, <S>, out=<v>)",
    "np.copyto(<v>, <V>)", "<e>.append(<O>)", "<l>.append(0.5)", "<l>[1:] = [<S>]", "<v>[<I>:<I>] = <S>",
    "<m>[:, 1:] -= <m>[:, :-1]", "<v>[np.argmax(<V>)] = <S>", "<m>.flat[::2] = <S>",
    "<s> = <s> if <T> else <S>", "<c>.real = <V>", "<c>[1:] += <C>[:-1]", "<g>.rate = <S>",
    "<v>[<v> < <S>] = <S>",
]

WITH_BLOCKS = [
    "if <T>: <:>", "if <T>: <:>\nelse: <:>", "if <T>: <:>\nelif <T>: <:>\nelse: <:>",
    "for <*i> in range(len(<V>)): <:>", "for <*i> in range(k): <:>",
    "for <*i> in range(1, len(<V>)): <:>", "for <*i> in range(len(x) - 1, -1, -1): <:>",
    "for <*i>, <*s> in enumerate(<V>): <:>", "for <*i>, <*s> in enumerate(<L>, 1): <:>",
    "for <*s> in <L>: <:>", "for <*s> in <V>: <:>", "for <*s>, <*s> in zip(<V>, <L>): <:>",
    "for <*i> in range(0, len(x), 2): <:>", "for <*i> in reversed(range(k + 1)): <:>",
    "for <*s> in reversed(<L>): <:>", "for <*w>, <*s> in <D>.items(): <:>", "for <*v> in <M>: <:>",
    "for <*o> in <E>: <:>", "for <*w> in sorted(<D>): <:>",
    "for <*i>, (<*s>, <*s>) in enumerate(zip(<V>, <V>)): <:>",
    "for <*s> in sorted(<L>, reverse=True): <:>", "for <*s> in (0.5, <S>): <:>",
    "for <*w> in 'ab': <:>", "for <*f> in (math.sin, clip01): <:>", "for <*i> in halves(k + 3): <:>",
    "<+s> = 1.0\nn0 = 0\nwhile abs(<S>) > 0.01 and n0 < 4:\n    n0 += 1\n    <s> = <s> * 0.5",
    "try: <:>\nexcept IndexError: <:>", "try: <:>\nexcept (ValueError, KeyError) as err: <:>",
    "try: <:>\nexcept ZeroDivisionError: <:>\nelse: <:>", "try: <:>\nfinally:\n    <s> = <S>",
    "for <*i> in range(len(<V>)):\n    if <T>:\n        continue\n    <s> = <S>\n    <v>[<i>] = <S>",
    "for <*i> in range(k + 2): <:>\n    if <T>:\n        break\nelse:\n    <s> = <S>",
    "with np.errstate(all='ignore'): <:>", "if (q := <S>) > 0.5: <:>",
    "while <l>:\n    <+s> = <l>.pop()\n    if <T>:\n        break",
    "match <I>:\n    case 0:\n        <s> = <S>\n    case 1 | 2:\n        <s> = <S>\n    case _:\n        <v> = <V>",
    "for <*i> in range(2):\n    for <*i> in range(<i> + 1):\n        <s> += <S> * 0.1",
    "for <*s>, <*s> in itertools.product(<L>, (0.2, <S>)):\n    <s> = <s> + <S>",
    "for <*l> in (<L>, <L>): <:>",
]

LEAVING = [
    "if <T>:\n    return <S>", "if <T>:\n    raise ValueError(f'bad {<i>}')", "assert <T>, 'no'",
    "if len(x) == 0:\n    return 0.0", "pass",
]

PATTERNS = [
    "def inner(q, c=<S>, *more):\n    nonlocal a\n    a = a * 0.9 + c\n    return q * c + len(more)\n<+s> = inner(<S>) + inner(<S>, <S>, 1)",
    "calls = []\ndef note(q):\n    calls.append(q)\n    return len(calls) * q\n<+s> = note(<S>) + note(<S>)",
    "def fact(n, q):\n    return 1.0 if n <= 0 else q * fact(n - 1, q)\n<+s> = fact(k, <S>)",
    "def grow(q):\n    for j in range(3):\n        if q > 1.0:\n            return q\n        q = q * 1.5 + <S>\n    return q * 2\n<+s> = grow(<S>)",
    "<+f> = lambda q, b=<S>: q * b + a",
    "def walk(lo, hi):\n    if hi - lo < 1:\n        return 0.0\n    if hi - lo == 1:\n        return float(x[lo]) * <S>\n    mid = (lo + hi) // 2\n    return walk(lo, mid) + 0.5 * walk(mid, hi)\n<+s> = walk(0, len(x))",
    "best, at = -1.0, 0\nfor j, q in enumerate(<V>):\n    if q > best:\n        best, at = q, j\n<+s> = best * (at + 1)",
    "lo, hi = 0.0, 2.0\nfor _ in range(5):\n    mid = 0.5 * (lo + hi)\n    if mid * mid > <S>:\n        hi = mid\n    else:\n        lo = mid\n<+s> = lo * <S>",
    "groups = {}\nfor j, q in enumerate(<V>):\n    groups.setdefault(j % 2, []).append(q)\n<+s> = sum(max(g) for g in groups.values())",
    "counts = collections.defaultdict(float)\nfor q in <V>:\n    counts['big' if q > 0.5 else 'small'] += q\n<+s> = counts['big'] - 0.5 * counts['small']",
    "rows = []\nfor j in range(len(x)):\n    rows.append(<V> * x[j])\n<+v> = np.array(rows).sum(axis=0) if rows else <V>",
    "prev = None\nfor q in <V>:\n    if prev is not None:\n        <s> += (q - prev) ** 2\n    prev = q",
    "stack = [(<S>, 0)]\nwhile stack:\n    q, level = stack.pop()\n    if level < 2:\n        stack.append((q * 0.5, level + 1))\n        stack.append((q + 0.1, level + 1))\n    <s> += q * 0.1",
    "it = iter(<L>)\n<+s> = next(it, 0.5)\nfor q in it:\n    <s> = <s> * 0.5 + q",
    "z = 0j\nfor q in <V>:\n    z = z * 1j + q\n<+s> = abs(z) + z.real",
]

STATEMENTS = [(36, BINDING), (26, CHANGING), (18, WITH_BLOCKS), (5, LEAVING), (8, PATTERNS)]

# ---- state -----------------------------------------------------------------------------------

STATE = '''
W = np.array([0.3, 0.7, 0.5])
CONF = {"rate": 0.4, "name": "low", "deep": {"b": 0.6, "at": [0, 1]}, "n": 2}
MODEL = Deep(0.6)
LEVEL = 2
OPTION = None
TABLE = [0.2, 0.9, 0.4]
CELLS = [Cell(0.3), Cell(0.8, 0.1)]
PAIR = (1, 0)
MODE = "sum"
SEEN = []
class Box: pass
box = Box()
box.w = 0.5
box.next = Box()
box.next.w = 0.25
def helper(q):
    return q * LEVEL
def make(c):
    def inner(q):
        return q * c[0] + len(c)
    return inner
CLOSED = [0.4]
closed = make(CLOSED)
PARTS = {"sin": math.sin, "cos": math.cos}
WEIGHTS = [np.array([0.1, 0.2]), np.array([0.3])]
'''
READING = {
    "S": [
        "W[0]", "W.sum()", "W[PAIR[0]]", "CONF['rate']", "CONF['deep']['b']", "CONF.get('extra', 0.1)",
        "MODEL.w", "MODEL(<S>)", "MODEL.params['b']", "Model.rate", "MODEL.rate", "LEVEL * <S>",
        "(0.5 if OPTION is None else OPTION)", "TABLE[<I>]", "sum(TABLE)", "len(TABLE) * <S>",
        "CELLS[0].v", "sum(c.energy for c in CELLS)", "box.w", "box.next.w",
        "getattr(box, 'more', 0.3)", "helper(<S>)", "closed(<S>)", "PARTS['sin'](<S>)",
        "(1.0 if MODE == 'sum' else 0.3)", "sum(w.sum() for w in WEIGHTS)", "WEIGHTS[0][0]",
        "float(len(SEEN))", "globals()['LEVEL'] * <S>", "clip01(<S>)", "total(<S>)",
        "newton(abs(<S>) + 0.4)", "CONF['n'] * <S>", "max(CELLS, key=lambda c: c.v).w",
        "sum(CONF['deep']['at'])", "W[CONF['deep']['at'][1]]", "W.dtype.itemsize * <S>",
        "len(W) * 0.1", "isinstance(MODEL, Deep) * <S>", "type(MODEL).rate", "vars(box)['w']",
        "(W[0] if CONF['name'] == 'low' else W[-1])", "{**CONF['deep']}['b']",
        "functools.reduce(lambda p, q: p + q, TABLE, 0.0)", "min(TABLE)",
    ],
    "V": [
        "W * <S>", "W[:len(x)]", "np.array(TABLE)", "W[::-1]", "np.array([c.v for c in CELLS])",
        "x[list(PAIR)]", "WEIGHTS[1] * <V>", "np.concatenate(WEIGHTS)", "np.where(W > 0.4, W, <S>)",
        "W.copy()", "np.full(CONF['n'], <S>)", "np.array(TABLE[:2]) * <S>",
        "np.zeros(LEVEL if isinstance(LEVEL, int) else 1) + <S>",
    ],
    "T": [
        "OPTION is None", "MODE == 'sum'", "LEVEL > 1", "len(TABLE) > 2", "'extra' in CONF",
        "hasattr(box, 'more')", "CONF['name'] != 'low'", "isinstance(MODEL, Deep)", "W[0] > 0.5",
        "W is not None", "box.next is not None", "SEEN", "PAIR == (1, 0)", "callable(OPTION)",
        "len(CELLS) == 2",
    ],
    "I": [
        "PAIR[0]", "len(TABLE)", "CONF['n']", "int(LEVEL)", "len(W)", "len(SEEN)",
    ],
}
WRITING = [
    "SEEN.append(<S>)", "TABLE[0] = <S>", "CONF['rate'] = <S>", "CONF['extra'] = <S>", "MODEL.w = <S>",
    "MODEL.params['b'] = <S>", "CELLS[0].v = <S>", "CELLS.append(Cell(<S>))", "box.w = <S>",
    "W[0] = <S>", "W[:] = W * 0.5", "TABLE.append(<S>)", "box.more = <S>", "Model.rate = 0.45",
    "CLOSED[0] = 0.7", "MODEL.history.append(<S>)", "box.next.w += 0.1",
]

CHANGES = [
    "W = W * 1.5", "W = np.array([0.9, 0.1])", "W[0] = 0.95",
    "W = np.array([0.5, 0.25, 0.75], dtype=np.float32)", "W = np.array([1, 2, 3])",
    "CONF['rate'] = 0.9", "CONF['extra'] = 0.7", "CONF['name'] = 'high'", "CONF['deep']['b'] = 0.15",
    "CONF['deep']['at'] = [1, 0]", "CONF['deep']['at'][1] = 0", "CONF = dict(CONF, n=3)",
    "CONF['n'] = 1", "MODEL.w = 0.11", "MODEL = Model(0.33)", "MODEL = Deep(0.9)", "Model.rate = 0.91",
    "Deep.rate = 0.2", "MODEL.rate = 0.8", "LEVEL = 3", "LEVEL = 1.5", "LEVEL = True", "OPTION = 0.7",
    "OPTION = np.float64(0.2)", "OPTION = None", "OPTION = [1.0]", "TABLE.append(0.35)",
    "TABLE[0] = 0.77", "TABLE = TABLE[::-1]", "TABLE.pop()", "TABLE = [0.5, 1]",
    "TABLE = (0.1, 0.2, 0.3)", "CELLS[0].v = 0.66", "CELLS.append(Cell(0.4))", "CELLS.reverse()",
    "CELLS[0] = CELLS[1]", "PAIR = (0, 1)", "PAIR = (0, -1)", "MODE = 'prod'", "SEEN.append(1)",
    "box.w = 0.85", "box.next = box", "box.next = Box(); box.next.w = 0.35", "box.more = 0.6",
    "CLOSED[0] = 0.9", "CLOSED.append(1)", "closed = make([0.2, 0.3])", "PARTS['sin'] = math.tanh",
    "WEIGHTS.append(np.array([0.4]))", "WEIGHTS[0] = np.array([0.7, 0.8])",
    "WEIGHTS[0] = np.array([0.7, 0.8, 0.9])", "WEIGHTS.reverse()", "WEIGHTS[0][0] = 5.0",
    "Model.__call__ = lambda self, q: q * 3.0", "Deep.extra = 0.1", "clip01.__defaults__ = (0.2, 0.5)",
    "newton.__defaults__ = (1.0, 1e-8, 2)", "Cell.energy = property(lambda self: self.v * 3.0)",
    "total.__kwdefaults__ = {'scale': 2.0}", "pass", "del CONF['name']", "W = None",
    "CONF['rate'] = None", "CONF['rate'] = 1", "MODEL.params['b'] = 1", "box.w = np.array([0.1, 0.2])",
    "CELLS[0].w = 2", "x = 1", "len = lambda q: 2", "max = min", "helper = lambda q: q + 0.25",
    "clip01 = lambda q, lo=0.0, hi=1.0: q * 0.5", "newton = lambda c, q=1.0: c",
]

HELD = ("SEEN", "TABLE", "CLOSED", "W", "PAIR")
GLOBALS = ("W, CONF, MODEL, LEVEL, OPTION, TABLE, CELLS, PAIR, MODE, box, closed, helper, clip01, "
           "newton, x, len, max")

# ---- programs --------------------------------------------------------------------------------

NAMES = {"S": ["a"], "V": ["x", "y"], "M": ["A"], "I": ["k"], "L": ["xs"], "D": ["d0"], "O": ["o0"], "E": ["e0"], "G": ["g0"], "P": ["p0"], "C": ["z0"]}
START = [
    "xs = [float(q) for q in y]",
    "d0 = {'a': a, 'b': 0.4}",
    'o0 = Cell(a)',
    'e0 = [Cell(0.3), Cell(a, w=0.2)]',
    'g0 = Model(a)',
    'p0 = Point(a, 0.5)',
    'z0 = x + 0.5j * y',
]


@dataclass(frozen=True)
class Program:
    """The text of ``program`` and ``change``, the arguments of its calls, the names of what the
    program may write to outside, and whether anything changes between the calls."""

    text: str
    calls: list[tuple[Any, ...]]
    state: tuple[str, ...] = ()
    changes: bool = False


def function(writer: Writer) -> str:
    """The text of a function, which returns the sum of some of what it knows at its end."""
    body, known = writer.body(), writer.names
    ends = [*(f"np.sum({v} ** 2)" for v in known["V"][-2:]), *(f"np.sum({m} * 0.3)" for m in known["M"][-1:]),
            *known["S"][-2:], *(f"sum({n})" for n in known["L"][-1:]), *(f"{o}.v" for o in known["O"][-1:]),
            *(f"sum({n}.values())" for n in known["D"][-1:]), *(f"np.sum(np.abs({z}) ** 2)" for z in known["C"][-1:]),
            "a", "np.sum(x)", writer.filled("<S>"), writer.filled("<S> + <S>")]
    writer.stream.shuffle(ends)
    lines = [*(f"    {line}" for line in START), *body, "    return " + " + ".join(ends[:4])]
    return "\n".join(["", "def program(x, y, A, a, k):", *lines, ""])


def arguments(stream: np.random.RandomState, n: int, k: int) -> tuple[Any, ...]:
    return (stream.rand(n) + 0.1, stream.rand(n) - 0.2, stream.rand(n, n), float(stream.rand()), k)


def program(seed: int, length: int = 9) -> Program:
    """The program of a seed, with arguments of several sizes and types."""
    writer = Writer(seed, NAMES, EXPRESSIONS, STATEMENTS, length)
    text = PRELUDE + function(writer) + "\ndef change(k):\n    pass\n"
    stream = np.random.RandomState(seed)
    calls = [arguments(stream, n, k) for n, k in ((3, 2), (1, 0), (0, 1), (4, 3))]
    if seed % 3 == 0:
        calls[3][0][1] = stream.choice([np.nan, np.inf, 0.0])
    elif seed % 3 == 1:
        calls[3] = (calls[3][0].astype(np.float32), *calls[3][1:])
    return Program(text, calls)


def with_state(seed: int, length: int = 8) -> Program:
    """The program of a seed that reads what changes between its calls."""
    expressions = {kind: templates + 3 * READING.get(kind, [])
                   for kind, templates in EXPRESSIONS.items()}
    written = random.Random(seed).choice((0, 8))
    statements = [(30, BINDING), (12, CHANGING), (12, WITH_BLOCKS), (4, LEAVING), (written, WRITING)]
    writer = Writer(seed, NAMES, expressions, statements, length)
    text = PRELUDE + STATE + function(writer) + f"\ndef change(k):\n    global {GLOBALS}\n"
    for k in (1, 2, 3):
        lines = writer.stream.choices(CHANGES, k=writer.stream.randint(1, 2))
        text += f"    if k == {k}:\n" + "".join(f"        {line}\n" for line in lines)
    stream = np.random.RandomState(seed)
    first = arguments(stream, 3, 2)
    calls = [first, first, arguments(stream, 3, 2), arguments(stream, 2, 1)]
    return Program(text, calls, HELD, True)
