"""What people call on an array ``s`` of a subclass, beside a plain array ``v``: one call each."""

from __future__ import annotations

import numpy as np
from array_classes import Signal, Vec, Weighted


class Counting(np.ndarray):
    """Counts from how many arrays it was made one after the other."""

    def __array_finalize__(self, obj):
        self.n = getattr(obj, "n", 0) + 1


class Wrapping(np.ndarray):
    def __array_finalize__(self, obj):
        self.tag = getattr(obj, "tag", "x")

    def __array_wrap__(self, arr, context=None, return_scalar=False):
        out = super().__array_wrap__(arr, context, return_scalar)
        out.tag = self.tag + ("+" if context is None else context[0].__name__[0])
        return out


class WrappingAsBefore(np.ndarray):
    """Has ``__array_wrap__`` as NumPy 1 called it."""

    def __array_wrap__(self, arr, context=None):
        out = np.asarray(arr).view(type(self))
        out.tag = None if context is None else (context[0].__name__, len(context[1]), context[2])
        return out


class Asked(np.ndarray):
    """Notes the ufunc, its method and its options."""

    def __array_finalize__(self, obj):
        self.tag = getattr(obj, "tag", "m")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(x) if isinstance(x, Asked) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(np.asarray(o) if isinstance(o, Asked) else o for o in out)
        found = getattr(ufunc, method)(*plain, **kwargs)
        if out is not None:
            return out[0]
        made = []
        for one in found if isinstance(found, tuple) else (found,):
            made.append(np.asarray(one).view(Asked))
            made[-1].tag = (ufunc.__name__, method, tuple(sorted(kwargs)))
        return tuple(made) if isinstance(found, tuple) else made[0]


class Overriding(np.ndarray):
    def __mul__(self, other):
        return super().__mul__(other) + 0.5

    def __rmul__(self, other):
        return super().__rmul__(other) + 0.25

    def __getitem__(self, key):
        return super().__getitem__(key)

    def sum(self, *args, **kwargs):
        return super().sum(*args, **kwargs) * 2

    def mean(self, *args, **kwargs):
        return super().mean(*args, **kwargs) + 1

    def copy(self, *args, **kwargs):
        return super().copy() + 3


class Modest(np.ndarray):
    __array_priority__ = -5.0

    def __array_finalize__(self, obj):
        self.tag = type(obj).__name__


# how many of the calls are refused
CLASSES = {Vec: 1, Signal: 1, Counting: 1, Modest: 1, Weighted: 7, Overriding: 7, Wrapping: 13,
           WrappingAsBefore: 13, Asked: 14}

OPERATORS = """
s * 2|2 * s|s + v|v + s|s - s|s / v|v / s|s**2|abs(s)**0.5|2**s|s**-1|s**3|s @ v|v @ s|-s|+s|abs(s)
s > 0|0 < s|s == v|v != s|s // 0.3|s % 0.3|divmod(s, 0.3)|np.float64(2) * s|s * np.float64(2)
v[0] * s|s * v[0]|s * s.sum()|(s * 2).sum()|(s - s.mean()) / s.std()|s.sum() + s.mean()
(t := s.copy(), t.__iadd__(1))[1]|(t := s.copy(), t.__imul__(v))[1]|(w := v.copy(), w.__iadd__(s))[1]
s[0]|s[1:]|s[...]|s[None]|s[[0, 2]]|s[s > 0]|s[v > 0]|v[s > 0]|s[::2]|s[-1]
float(s[0])|len(s)|s.shape|s.ndim|s.dtype|s.size|max(s)|sum(s)|list(s)|sorted(s)|[x * 2 for x in s]
[r * 1 for r in s.reshape(2, 2)]|bool(s[0])|float(s.sum())|type(s).__name__
"""
METHODS = """
s.sum()|s.sum(axis=0)|s.mean()|s.std()|s.var()|s.max()|s.min()|s.prod()|s.cumsum()|s.cumprod()
s.clip(0, 1)|s.round(1)|s.dot(v)|s.argmax()|s.argsort()|s.any()|s.all()|s.reshape(2, 2)
s.T|s.reshape(2, 2).T|s.ravel()|s.flatten()|s.copy()|s.astype(float)|s.astype(int)|s.view()
s.view(np.ndarray)|s.repeat(2)|s.take([0, 1])|s.squeeze()|s.swapaxes(0, 0)|s.conj()|s.real|s.imag
s.nonzero()|s.tolist()|s.item(1)|s.reshape(2, 2).trace()|s.reshape(2, 2).diagonal()
"""
FUNCTIONS = """
np.sin(s)|np.add(v, s)|np.modf(s)|np.frexp(s)|np.add.reduce(s)|np.add.accumulate(s)
np.multiply.outer(s, v)|np.add.reduceat(s, [0, 2])|np.maximum(s, 0.2)|np.sqrt(abs(s))
np.add(s, 1, out=s.copy())|(w := v.copy(), np.add(w, s, out=w))[1]|np.add(s, 1, v.copy())
np.sum(s)|np.mean(s)|np.std(s)|np.var(s)|np.max(s)|np.prod(s)|np.median(s)|np.percentile(s, 30)
np.average(s, weights=abs(v))|np.cumsum(s)|np.diff(s)|np.clip(s, 0, 1)|np.round(s, 1)|np.ptp(s)
np.dot(s, v)|np.inner(s, v)|np.outer(s, v)|np.vdot(s, v)|np.einsum('i,i->', s, v)|np.kron(s, v)
np.linalg.norm(s)|np.linalg.norm(s.reshape(2, 2), axis=1)|np.linalg.inv(s.reshape(2, 2))
np.linalg.det(s.reshape(2, 2))|np.linalg.solve(s.reshape(2, 2), v[:2])|np.tensordot(s, v, 1)
np.concatenate([s, v])|np.concatenate([v, s])|np.stack([s, s])|np.hstack([s, v])|np.vstack([s, v])
np.column_stack([s, v])|np.split(s, 2)|np.array_split(s, 3)|np.where(s > 0, s, v)|np.block([s, s])
np.select([s > 0], [s], 0.5)|np.roll(s, 1)|np.flip(s)|np.tile(s, 2)|np.repeat(s, 2)|np.transpose(s)
np.reshape(s, (2, 2))|np.ravel(s)|np.squeeze(s)|np.expand_dims(s, 0)|np.atleast_2d(s)
np.broadcast_to(s, (2, 4))|np.broadcast_to(s, (2, 4), subok=True)|np.broadcast_arrays(s, v)
np.meshgrid(s, v)|np.zeros_like(s)|np.ones_like(s)|np.full_like(s, 2.0)|np.copy(s)|np.asarray(s)
np.copy(s, subok=True)|np.asanyarray(s)|np.array(s)|np.array(s, subok=True)|np.array([s, v])
np.ascontiguousarray(s)|np.sort(s)|np.argsort(s)|np.unique(s)|np.searchsorted([0.0, 1.0], s)
np.interp(s, [-1.0, 2.0], [0.0, 1.0])|np.gradient(s)|np.trapezoid(s)|np.convolve(s, v)|np.pad(s, 1)
np.append(s, 1.0)|np.insert(s, 1, 0.5)|np.delete(s, 1)|np.nan_to_num(s)|np.isclose(s, v)
np.allclose(s, v)|np.array_equal(s, v)|np.histogram(s, bins=[-1.0, 0.0, 2.0])|np.fft.rfft(s)
np.triu(s.reshape(2, 2))|np.diag(s)|np.argmax(s)|np.count_nonzero(s)|np.cov(s)|np.take(s, [0, 1])
np.polyval([1.0, 2.0], s)|np.apply_along_axis(np.sum, 0, s)|np.moveaxis(s[None], 0, 1)|np.real(s)
np.rot90(s[None])|np.angle(s)|np.ediff1d(s)|np.unwrap(s)|np.exp(s - s.max()) / np.sum(np.exp(s))
"""
CALLS = [call.strip() for table in (OPERATORS, METHODS, FUNCTIONS)
         for line in table.strip().splitlines() for call in line.split("|")]
