"""Checks of compiled functions: one expression, over the operands that its names stand for.

An expression such as ``np.sum(A, axis=0)`` is the body of a function of ``A``.  Its compiled
value has the bits of plain NumPy's; its gradient is compared with central differences, in both
modes and to order 2; other forms of the operands (memory layouts, float32, sizes 0 and 1, ints)
have plain NumPy's value or exception, and the same gradient as ordinary ones.
"""

from __future__ import annotations

import ast
import cmath
import functools
import itertools
import linecache
import math
import operator
import warnings
from typing import Any

import numpy as np

import srcgrad as sg

_data = np.random.default_rng(3)


def _signed(*shape: int) -> Any:
    size = _data.uniform(0.2, 0.9, size=shape)
    return size * np.where(_data.normal(size=shape) > 0, 1, -1)


def _positive(*shape: int) -> Any:
    return _data.uniform(0.2, 0.9, size=shape)


def _definite() -> Any:
    a = _signed(3, 3)
    return a @ a.T + np.eye(3)


OPERANDS: dict[str, Any] = {
    "x": _signed(4), "y": _signed(4), "p": _positive(4), "q": _positive(4), "b": _signed(3),
    "s": 0.37, "t": -0.62, "u": np.array(0.45),
    "A": _signed(3, 4), "B": _signed(3, 4), "C": _signed(4, 3), "P": _positive(3, 4),
    "M": _signed(3, 3) + 2 * np.eye(3), "S": _definite(), "T": _signed(2, 3, 4),
    "z": _signed(4) + 1j * _signed(4), "w": _signed(4) + 1j * _signed(4),
    "Z": _signed(3, 3) + 1j * _signed(3, 3) + 2 * np.eye(3),
    "X": np.linspace(0.1, 1.3, 6) + 0.01 * _signed(6), "Y": _signed(6), "L": _signed(8),
    "inc": np.cumsum(_positive(5)),
    "nanx": np.array([0.3, np.nan, -0.5, 0.8, np.nan]),
    "NANA": np.array([[0.3, np.nan, 0.7], [0.2, 0.9, -0.4]]),
    "f": _signed(4).astype(np.float32), "F": _signed(3, 4).astype(np.float32),
}  # fmt: skip
CONSTANTS: dict[str, Any] = {
    "np": np, "math": math, "cmath": cmath, "operator": operator, "functools": functools,
    "i": np.array([2, 0, 1, 3]), "mask": np.array([True, False, True, True]),
    "MASK": np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 1]], bool),
}  # fmt: skip
_number = itertools.count()


def names_in(text: str) -> list[str]:
    """The operands that an expression uses, in order."""
    used = [n.id for n in ast.walk(ast.parse(text.replace("return ", ""))) if isinstance(n, ast.Name)]
    return [n for n in dict.fromkeys(used) if n in OPERANDS]


def function_of(text: str, constants: dict[str, Any], names: tuple[str, ...] = ()) -> Any:
    """The function whose body is an expression, or statements that end with a return; of the
    operands in it, or of the parameters ``names``."""
    body = text if "return " in text else f"return {text}"
    source = f"def program({', '.join(names or names_in(text))}):\n    {body}\n"
    filename = f"<expression {next(_number)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = dict(constants)
    exec(compile(source, filename, "exec"), namespace)
    return namespace["program"]


def total(out: Any) -> Any:
    """A number that depends on all parts of a result."""
    if isinstance(out, (tuple, list)):
        result = 0.0
        for part in out:
            result = result + total(part)
        return result
    if isinstance(out, (int, bool, np.integer, np.bool_)):
        return 0.0
    if isinstance(out, np.ndarray) and out.dtype.kind in "biu":
        return 0.0
    return np.sum(np.sin(1.3 * np.real(out) + 0.4)) + np.sum(np.cos(0.7 * np.imag(out)))


def copies(values: list[Any]) -> list[Any]:
    return [np.array(v) if isinstance(v, np.ndarray) else v for v in values]


def leaves(out: Any) -> list[Any]:
    return [x for part in out for x in leaves(part)] if isinstance(out, (tuple, list)) else [out]


def assert_same(got: Any, want: Any, what: str) -> None:
    """The same types, dtypes, shapes and bits (NaN of any kind are equal)."""
    ours, theirs = leaves(got), leaves(want)
    assert len(ours) == len(theirs), what
    for a, b in zip(ours, theirs, strict=True):
        assert type(a) is type(b), f"{what}: {type(a)} for {type(b)}"
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape, f"{what}: {a!r} for {b!r}"
        assert a.tobytes() == b.tobytes() or (
            a.dtype.kind in "fc" and np.array_equal(a, b, equal_nan=True)), f"{what}: {a!r}, {b!r}"


def assert_close(got: Any, want: Any, tolerance: float, what: str) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: {got.shape} for {want.shape}"
    assert np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True), (
        f"{what}: {got!r}, should be {want!r}")


def _random_like(value: Any, random: np.random.Generator) -> Any:
    made = random.normal(size=np.shape(value))
    dtype = np.asarray(value).dtype
    if dtype.kind == "c":
        made = made + 1j * random.normal(size=np.shape(value))
    return np.asarray(made, dtype) if isinstance(value, np.ndarray) else dtype.type(made).item()


def _along(gradients: Any, direction: list[Any]) -> float:
    return sum(float(np.sum(np.real(np.asarray(g) * d)))
               for g, d in zip(gradients, direction, strict=True))


def _moved(values: list[Any], direction: list[Any], step: float) -> list[Any]:
    return [v + step * d for v, d in zip(values, direction, strict=True)]


class Case:
    """One expression with its operands."""

    def __init__(self, text: str, constants: dict[str, Any]) -> None:
        self.text = text
        self.function = function_of(text, constants)
        inner = function_of(text, constants)

        def loss(*operands: Any) -> Any:
            return total(inner(*operands))

        self.loss = loss
        self.names = names_in(text)
        self.values = [OPERANDS[n] for n in self.names]
        self.every = tuple(range(len(self.values)))

    def gradient(self, values: list[Any]) -> tuple[Any, Any]:
        return sg.value_and_grad(self.loss, argnums=self.every)(*copies(values))

    def check(self, order: int = 2, tolerance: float = 2e-5, step: float = 1e-5) -> None:
        """Values by their bits, derivatives of both modes against differences."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            want = self.function(*copies(self.values))
            assert_same(sg.jit(self.function)(*copies(self.values)), want, self.text)
            self._check_derivatives(order, tolerance, step)

    def _check_derivatives(self, order: int, tolerance: float, step: float) -> None:
        values, loss, text = self.values, self.loss, self.text
        value, gradient = self.gradient(values)
        assert_same(value, loss(*copies(values)), text)
        for g, v in zip(gradient, values, strict=True):
            assert type(g) is type(v) and np.shape(g) == np.shape(v), text
            assert np.asarray(g).dtype == np.asarray(v).dtype, text
        random = np.random.default_rng(7)
        first, second = ([_random_like(v, random) for v in values] for _ in range(2))

        def difference(function: Any) -> Any:
            up, down = (function(*_moved(values, first, h)) for h in (step, -step))
            return (up - down) / (2 * step)

        want = difference(loss)
        assert_close(_along(gradient, first), want, tolerance, f"{text}: order 1")
        _, moved = sg.jvp(loss, tuple(copies(values)), tuple(first))
        assert_close(moved, want, tolerance, f"{text}: forward mode")
        if order < 2:
            return
        derived = sg.grad(loss, argnums=self.every)
        want = difference(lambda *operands: _along(derived(*operands), second))
        _, moved = sg.jvp(derived, tuple(copies(values)), tuple(first))
        assert_close(_along(moved, second), want, 10 * tolerance, f"{text}: forward over reverse")
        _, pullback = sg.vjp(derived, *copies(values))
        assert_close(_along(pullback(tuple(second)), first), want, 10 * tolerance,
                     f"{text}: reverse over reverse")

    def check_form(self, form: str) -> str | None:
        """Another form of the operands: NumPy's value or exception, and the gradient that
        ordinary operands of the same values have. Where NumPy raises: "refused" for a refusal,
        "TypeError" for such an exception; None otherwise."""
        values = [FORMS[form](v) for v in self.values]
        if all(a is b for a, b in zip(values, self.values, strict=True)):
            return None
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                want = self.function(*values)
            except (NameError, AttributeError):
                raise  # a mistake in the table
            except Exception as raised:
                return self._check_raises(raised, values)
            assert_same(sg.jit(self.function)(*values), want, f"{self.text}, {form}")
            if form == "ints":
                return None
            _, gradient = sg.value_and_grad(self.loss, argnums=self.every)(*values)
            plain = [np.array(v, np.float64) if isinstance(v, np.ndarray)
                     and v.dtype == np.float32 else v for v in copies(values)]
            _, wanted = self.gradient(plain)
            single = any(np.asarray(v).dtype == np.float32 for v in values)
            for got, ordinary in zip(gradient, wanted, strict=True):
                assert_close(got, ordinary, 2e-3 if single else 1e-9, f"{self.text}, {form}")
        return None

    def _check_raises(self, raised: Exception, values: list[Any]) -> str | None:
        try:
            sg.jit(self.function)(*values)
        except sg.SrcgradError:
            return "refused"
        except Exception as ours:
            assert type(ours) is type(raised), f"{self.text}: {ours!r} for {raised!r}"
            assert str(ours) == str(raised), f"{self.text}: {ours!r} for {raised!r}"
            return "TypeError" if isinstance(ours, TypeError) else None
        raise AssertionError(f"{self.text}: no exception, NumPy raises {raised!r}")


# ---- forms of operands -----------------------------------------------------------------------
def _array(change: Any) -> Any:
    def form(value: Any) -> Any:
        return change(value) if isinstance(value, np.ndarray) else value

    return form


def _strided(a: Any) -> Any:
    if not a.ndim:
        return a
    wide = np.repeat(a, 2, axis=-1)
    return wide[..., ::2]


def _reversed(a: Any) -> Any:
    return a[::-1].copy()[::-1] if a.ndim else a


def _spread(a: Any) -> Any:
    return np.broadcast_to(a[:1], a.shape) if a.ndim else a


FORMS: dict[str, Any] = {
    "fortran": _array(lambda a: np.array(a, order="F") if a.ndim > 1 else a),
    "strided": _array(_strided),
    "reversed": _array(_reversed),
    "spread": _array(_spread),
    "single": _array(lambda a: a.astype(np.float32) if a.dtype == float else a),
    "one": _array(lambda a: a[:1] if a.ndim == 1 else a),
    "empty": _array(lambda a: a[:0] if a.ndim == 1 else a),
    "ints": _array(lambda a: np.round(4 * a).astype(int) if a.dtype == float
                   and not np.isnan(a).any() else a),
}
