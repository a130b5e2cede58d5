"""Functions of a Hermitian matrix by its eigenvalues: ``w, V = eigh(A)``, then ``V f(w) V^H``.

An eigenvector has no derivative where its eigenvalue is another one's too, but such a function has:
it does not depend on which basis ``eigh`` found.  So the node that multiplies the two sides is
differentiated as a function of ``A``, not through ``V``; what ``V`` is used for besides takes the
way through ``eigh``, whose derivative is NaN there if such vectors are used.  A part of the
columns, ``V[:, :k]``, depends on the distances of its own eigenvalues alone, however near the
others are to each other.

Recognised is a product of two sides: columns ``V * c`` or ``V @ diag(c)`` (or a slice of them), and
rows ``V^H``, ``c[:, None] * V^H`` or ``c[:, None] * (V^H @ x)``, where ``c`` is computed from ``w``
element by element and from what does not depend on ``A``.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterator, Sequence
from typing import Any

import numpy as np

from ..graph.ir import Block, Index, Node, Value, fill, only_index
from ..graph.symbolic import Sym
from ..graph.walking import walk
from ..rules.broadcast import scatter_add
from ..rules.numpy.decompositions import read_triangle, reduced_resolvents
from ..rules.numpy.spectra import of_turned, shared_by_equals, spectral_a
from ..types.dataclasses import dataclass, replace
from ..types.kinds import Kind
from .binding import Bindings, leaves
from .bodies import cotangents_of_apply, fit, unbroadcast
from .frames import Tape

Pairs = list[tuple[Value, Value]]
_TRANSPOSES = (np.transpose, np.swapaxes, np.matrix_transpose)


@dataclass(frozen=True)
class Spectrum:
    """``w, v`` are the eigenvalues and eigenvectors of ``a``, of which the upper half is read or
    the lower one."""

    a: Value
    w: Value
    v: Value
    upper: bool
    triangle: str


@dataclass(frozen=True)
class Side:
    """``V diag(c)``, or (``rows``) ``diag(c) V^H x``: ``scales`` are the factors of ``c``, each a
    value and whether it divides, ``part`` the slice of the spectrum, ``x`` None for an identity.
    ``turned``: it is conjugated."""

    spectrum: Spectrum
    rows: bool = False
    turned: bool = False
    part: Any = None
    scales: tuple[tuple[Value, bool], ...] = ()
    x: Value | None = None


class NoSide(Exception):
    """A value is not computed from eigenvalues alone."""


class Spectral:
    """Which nodes of a graph are functions of a matrix by its eigenvalues."""

    def __init__(self, block: Block, bindings: Bindings, varied: Container[Value]) -> None:
        self.bindings, self.varied = bindings, varied
        self.spectra = {s.v: s for node in walk(block) for s in self._spectra(node)}
        self.made = {o: node for node in walk(block) for o in node.outputs} if (
            self.spectra) else {}
        self.order = {v: i for i, v in enumerate(self.made)}
        matrices = {s.a for s in self.spectra.values()}
        self.eigenvalues = {node.outputs[0]: self.bindings.of(node).named["a"]
                            for node in dict.fromkeys(self.made.values())
                            if _named(node) in ("eigh", "eigvalsh")
                            and self.bindings.of(node).named.get("a") in matrices}
        self._sides: dict[Value, Side | None] = {}

    def _spectra(self, node: Node) -> Iterator[Spectrum]:
        if _named(node) != "eigh" or len(node.outputs) != 2:
            return
        bound = self.bindings.of(node)
        a = bound.named.get("a")
        if not isinstance(a, Value) or a not in self.varied or bound.entry is None or (
                a.aval.ndim != 2):
            return
        half = bound.named.get("UPLO")
        upper = half in ("U", "u") if half is not None else bound.named.get("lower") is False
        w, v = node.outputs
        yield Spectrum(a, w, v, upper, bound.entry.rules["a"].settings["triangle"])

    def pairs(self, tape: Tape, node: Node, cts: Sequence[Value | None]) -> Pairs | None:
        """The contributions of a node to cotangents, if it is a function of a matrix or a part of
        its eigenvectors; None for all other nodes."""
        if not self.spectra or len(cts) != 1 or cts[0] is None:
            return None
        if node.op == "read":
            return self._columns(tape, node, Sym(cts[0], tape))
        if node.op != "apply" or len(node.inputs) != 2:
            return None
        left, right = self._product(node)
        if left is None or right is None or left.rows or not right.rows or (
                left.spectrum is not right.spectrum or left.part != right.part) or (
                left.turned is not right.turned) or (left.turned and right.x is not None):
            return None
        try:
            return self._contributions(tape, left, right, Sym(cts[0], tape))
        except NoSide:
            return None

    # ---- what values are ---------------------------------------------------------------------

    def _product(self, node: Node) -> tuple[Side | None, Side | None]:
        """The two sides of a product of matrices."""
        if not self._is(node, np.matmul, np.dot):
            return None, None
        return self.side(node.inputs[0]), self.side(node.inputs[-1])

    def _is(self, node: Node | None, *functions: Any) -> bool:
        if node is None or node.op != "apply" or "derivative" in node.params:
            return False
        entry = self.bindings.of(node).entry
        return entry is not None and entry.function in functions

    def side(self, value: Value) -> Side | None:
        """What a value is in terms of eigenvectors, if it is one of the two sides."""
        if value in self.spectra:
            return Side(self.spectra[value])
        if value not in self._sides:
            node = self.made.get(value)
            self._sides[value] = None if node is None else self._side(node)
        return self._sides[value]

    def _side(self, node: Node) -> Side | None:
        if node.op == "read":
            return self._slice(node)
        if node.op != "apply" or not node.inputs:
            return None
        if self._is(node, *_TRANSPOSES) and node.out.aval.ndim == 2:
            inner = self.side(node.inputs[0])
            if inner is None or inner.scales or inner.x is not None:
                return None
            real = inner.spectrum.v.aval.dtype is not None and (
                inner.spectrum.v.aval.dtype.kind != "c")
            return replace(inner, rows=not inner.rows, turned=not inner.turned and not real)
        if self._is(node, np.conjugate):
            inner = self.side(node.inputs[0])
            if inner is None or inner.scales or inner.x is not None:
                return None
            return replace(inner, turned=not inner.turned)
        if len(node.inputs) != 2:
            return None
        first, second = (node.inputs[0], node.inputs[1])
        if self._is(node, np.multiply, np.divide):
            divides = self._is(node, np.divide)
            inner = self.side(first)
            if inner is not None:
                return self._scaled(inner, second, divides)
            inner = None if divides else self.side(second)
            return None if inner is None else self._scaled(inner, first, False)
        if not self._is(node, np.matmul, np.dot):
            return None
        for value, other, rows in ((first, second, False), (second, first, True)):
            inner, scale = self.side(value), self._diagonal(other)
            if inner is not None and scale is not None and inner.rows is rows:
                return replace(inner, scales=(*inner.scales, (scale, False)))
        inner = self.side(first)
        if inner is None or not inner.rows or inner.x is not None or inner.turned or (
                self.side(second) is not None or second.aval.ndim not in (1, 2)):
            return None
        return replace(inner, x=second)

    def _slice(self, node: Node) -> Side | None:
        """``V[:, i:j]``."""
        inner = self.side(node.inputs[0])
        key = self._key(node)
        if inner is None or inner != Side(inner.spectrum) or key is None:
            return None
        return replace(inner, part=key) if isinstance(key, slice) else None

    def _key(self, node: Node) -> Any:
        """The columns that a read of a matrix selects by a number or a slice."""
        index = only_index(node)
        if index is None:
            return None
        key = fill(index.key, [self.bindings.constants.get(v, v) for v in node.inputs])
        if not isinstance(key, tuple) or len(key) != 2 or key[0] != slice(None) or (
                any(v in self.varied for v in leaves(key))):
            return None
        return key[1] if isinstance(key[1], (int, slice, Value)) and (
            not isinstance(key[1], Value) or key[1].aval.kind is Kind.INT) else None

    def _diagonal(self, value: Value) -> Value | None:
        node = self.made.get(value)
        if not self._is(node, np.diag) or node is None or node.inputs[0].aval.ndim != 1:
            return None
        return node.inputs[0] if len(node.inputs) == 1 else None

    def _scaled(self, inner: Side, scale: Value, divides: bool) -> Side | None:
        """A side times a vector along the eigenvalues, which may have an axis of size 1."""
        shape = scale.aval.shape
        if shape is None or not shape:
            return None
        if not inner.rows:
            fits = len(shape) == 1 or (len(shape) == 2 and shape[0] == 1)
        elif inner.x is not None and inner.x.aval.ndim == 1:
            fits = len(shape) == 1
        else:
            fits = len(shape) == 2 and shape[1] == 1
        if not fits or 1 in (shape[-1] if not inner.rows else shape[0],):
            return None
        return replace(inner, scales=(*inner.scales, (scale, divides)))

    # ---- values and slopes of what is computed from eigenvalues ----------------------------------

    def slope(self, tape: Tape, spectrum: Spectrum, part: Any, value: Value) -> Value | None:
        """The derivative of the elements of a vector by their own eigenvalues; None for 0."""
        node = self.made.get(value)
        if self._are_eigenvalues(spectrum, part, value):
            return tape.call(np.ones_like, value)
        extents = [d for d in value.aval.shape or () if d != 1]
        if not extents or (value not in self.varied and not self._computed(value, spectrum)):
            return None
        if value.aval.shape is None or len(extents) != 1 or node is None:
            raise NoSide
        if node.op == "read":
            return self._slope_of_axes(tape, spectrum, part, node)
        if node.op == "acc" and not node.params["steps"]:
            return self._sum(tape, [self.slope(tape, spectrum, part, v) for v in node.inputs])
        if node.op == "update" and node.params["fn"] is operator.isub and not node.params["steps"]:
            rate, taken = (self.slope(tape, spectrum, part, v) for v in node.inputs)
            return self._sum(tape, [rate, taken and tape.call(operator.neg, taken)])
        if self._is(node, np.broadcast_to) and not any(
                d != 1 for d in node.inputs[0].aval.shape or ()):
            return None
        if self._is(node, shared_by_equals, np.expand_dims):
            rate = self.slope(tape, spectrum, part, node.inputs[0])
            return None if rate is None else _laid_out(tape, rate, value)
        entry = self.bindings.of(node).entry if node.op == "apply" else None
        if entry is None or "derivative" in node.params:
            raise NoSide
        if not entry.broadcasts and entry.function not in _ELEMENTWISE:
            raise NoSide
        rates = {v: self.slope(tape, spectrum, part, v) for v in node.inputs}
        if entry.nondiff:
            return None
        return self._sum(tape, [found for v, rate in rates.items() if rate is not None
                                for found in self._moved(tape, node, v, rate)])

    def _sum(self, tape: Tape, rates: list[Value | None]) -> Value | None:
        """The sum of slopes, of which None is 0."""
        total: Value | None = None
        for rate in rates:
            if rate is not None:
                total = rate if total is None else _added(tape, total, rate)
        return total

    def _are_eigenvalues(self, spectrum: Spectrum, part: Any, value: Value) -> bool:
        """Are these the eigenvalues themselves, or the part of them that is asked for?"""
        if part is None:
            return self.eigenvalues.get(value) is spectrum.a
        read = self.made.get(value)
        if read is None or read.op != "read" or self.eigenvalues.get(
                read.inputs[0]) is not spectrum.a:
            return False
        steps = read.params["steps"]
        return len(steps) == 1 and isinstance(steps[0], Index) and fill(
            steps[0].key, [self.bindings.constants.get(v, v) for v in read.inputs]) == part

    def _computed(self, value: Value, spectrum: Spectrum) -> bool:
        """Is a value computed from the eigenvalues or the matrix, though no derivative says so?"""
        seen, rest = set(), [value]
        while rest:
            node = self.made.get(rest.pop())
            if node is None or node in seen:
                continue
            seen.add(node)
            if any(v in (spectrum.a, spectrum.v) or v in self.eigenvalues for v in node.inputs):
                return True
            rest += node.inputs
        return False

    def _moved(self, tape: Tape, node: Node, operand: Value, rate: Value) -> Iterator[Value]:
        """The rate of a pointwise function for the rate of one operand."""
        for value, found in cotangents_of_apply(self.bindings, {operand}, tape, node, [rate]):
            if value is operand and found is not None:
                yield found

    def _slope_of_axes(self, tape: Tape, spectrum: Spectrum, part: Any, node: Node
                       ) -> Value | None:
        """Through ``c[:, None]`` and the like."""
        steps = node.params["steps"]
        key = steps[0].key if len(steps) == 1 and isinstance(steps[0], Index) else 0
        keys = key if isinstance(key, tuple) else (key,)
        if any(k is not None and k is not Ellipsis and k != slice(None) for k in keys):
            raise NoSide
        rate = self.slope(tape, spectrum, part, node.inputs[0])
        return None if rate is None else Sym(rate, tape)[key].value

    # ---- cotangents ----------------------------------------------------------------------------

    def _contributions(self, tape: Tape, left: Side, right: Side, ct: Any) -> Pairs:
        spectrum, part = left.spectrum, left.part
        w, v = Sym(spectrum.w, tape), Sym(spectrum.v, tape)
        dtype = spectrum.v.aval.dtype
        if dtype is None:
            raise NoSide
        turn = np.conj(v) if dtype.kind == "c" else v
        scales = left.scales + right.scales
        values, slopes = self._product_of(tape, spectrum, part, scales)
        if values is None:
            values = np.ones_like(w if part is None else w[part])
        wide, steep = values, slopes
        if part is not None:
            shape = np.shape(w)
            wide = scatter_add(values, part, shape)
            steep = None if slopes is None else scatter_add(slopes, part, shape)
        ct = ct.T if left.turned else ct
        found: Pairs = []
        if right.x is None:
            gamma = v.T @ ct @ turn
        else:
            x = Sym(right.x, tape)
            ahead = v.T @ ct
            seen = turn.T @ x
            gamma = np.outer(ahead, seen) if np.ndim(x) == 1 else ahead @ seen.T
            if right.x in self.varied:
                weighted = wide * ahead if np.ndim(x) == 1 else np.expand_dims(wide, -1) * ahead
                found.append((right.x, (turn @ weighted).value))
        d = spectral_a(w, v, gamma, wide, steep, dtype)
        found.append((spectrum.a, read_triangle(d, dtype, spectrum.upper, spectrum.triangle).value))
        rates = np.diagonal(gamma)
        rates = rates if part is None else rates[part]
        for number, (value, _) in enumerate(scales):
            if value in self.varied:
                share = self._share(tape, scales, number, rates).value
                found += self._aside(tape, spectrum, part, value, share)
        return found

    def _aside(self, tape: Tape, spectrum: Spectrum, part: Any, value: Value, ct: Value) -> Pairs:
        """What a factor of ``c`` hands on to values besides the eigenvalues, which the cotangent
        of the matrix has accounted for."""
        found: Pairs = []
        waiting = {value: ct}
        while waiting:
            value = max(waiting, key=lambda v: self.order.get(v, -1))
            ct = waiting.pop(value)
            if self.slope(Tape(), spectrum, part, value) is None:
                found.append((value, ct))
                continue
            if self._are_eigenvalues(spectrum, part, value):
                continue
            for operand, share in self._handed_on(tape, self.made[value], ct):
                held = waiting.get(operand)
                waiting[operand] = share if held is None else _added(tape, held, share)
        return found

    def _handed_on(self, tape: Tape, node: Node, ct: Value) -> Iterator[tuple[Value, Value]]:
        if node.op == "acc":
            yield from ((v, fit(tape, unbroadcast(tape, ct, v), v.aval)) for v in node.inputs)
            return
        if node.op == "update":
            turned = tape.call(operator.neg, ct)
            yield from ((v, fit(tape, unbroadcast(tape, c, v), v.aval))
                        for v, c in zip(node.inputs, (ct, turned)))
            return
        if node.op == "read" or self._is(node, np.expand_dims, shared_by_equals):
            yield node.inputs[0], _laid_out(tape, ct, node.inputs[0])
            return
        for operand, share in cotangents_of_apply(self.bindings, self.varied, tape, node, [ct]):
            if share is not None:
                yield operand, fit(tape, share, operand.aval)

    def _factor(self, tape: Tape, value: Value) -> Any:
        flat = Sym(value, tape)
        return flat if np.ndim(flat) == 1 else np.reshape(flat, -1)

    def _product_of(self, tape: Tape, spectrum: Spectrum, part: Any,
                    scales: tuple[tuple[Value, bool], ...]) -> tuple[Any, Any]:
        """``c`` and its slope; None for 1 and for 0."""
        values: Any = None
        slopes: Any = None
        for value, divides in scales:
            factor, rate = self._factor(tape, value), self.slope(tape, spectrum, part, value)
            slope = None if rate is None else self._factor(tape, rate)
            if divides:
                factor = 1 / factor
                slope = None if slope is None else -slope * factor * factor
            if values is None:
                values, slopes = factor, slope
                continue
            first = None if slopes is None else slopes * factor
            second = None if slope is None else values * slope
            slopes = second if first is None else first if second is None else first + second
            values = values * factor
        return values, slopes

    def _share(self, tape: Tape, scales: tuple[tuple[Value, bool], ...], number: int,
               rates: Any) -> Any:
        """The cotangent of one factor of ``c`` for that of ``c``."""
        for other, (value, divides) in enumerate(scales):
            if other != number:
                factor = self._factor(tape, value)
                rates = rates / factor if divides else rates * factor
        value, divides = scales[number]
        if divides:
            factor = self._factor(tape, value)
            rates = -rates / (factor * factor)
        whole = Sym(value, tape)
        return rates if np.ndim(whole) == 1 else np.reshape(rates, np.shape(whole))

    def _columns(self, tape: Tape, node: Node, ct: Any) -> Pairs | None:
        """Columns of the eigenvectors alone."""
        spectrum = self.spectra.get(node.inputs[0])
        key = None if spectrum is None else self._key(node)
        if spectrum is None or key is None or spectrum.v.aval.dtype is None:
            return None
        dtype = spectrum.v.aval.dtype
        if isinstance(key, slice):
            key = slice(*(Sym(k, tape) if isinstance(k, Value) else k
                          for k in (key.start, key.stop, key.step)))
        elif isinstance(key, Value):
            key = Sym(key, tape)
        a, w, v = (Sym(x, tape) for x in (spectrum.a, spectrum.w, spectrum.v))
        at, chosen = w[key], v[:, key]
        if np.ndim(chosen) == 1:
            at, chosen, ct = np.reshape(at, (1,)), chosen[:, None], ct[:, None]
        ct = of_turned(ct, chosen) if dtype.kind == "c" else ct
        half = "U" if spectrum.upper else "L"
        d = reduced_resolvents(ct, at, chosen, w, v, a, half) @ chosen.T
        return [(spectrum.a, read_triangle(d, dtype, spectrum.upper, spectrum.triangle).value)]


def _added(tape: Tape, first: Value, second: Value) -> Value:
    return tape.call(operator.add, first, second)


def _laid_out(tape: Tape, vector: Value, like: Value) -> Value:
    """A vector in the shape of another that may have axes of size 1."""
    made: Any = np.reshape(Sym(vector, tape), np.shape(Sym(like, tape)))
    found: Value = made.value
    return found


def _named(node: Node) -> str:
    """The name of the function that a node calls."""
    return getattr(node.params["fn"], "__name__", "") if node.op == "apply" else ""


# Functions that work element by element and are no ufuncs.
_ELEMENTWISE = (np.where, np.clip, np.real, np.imag, np.conjugate)
