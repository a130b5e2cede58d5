"""How tensors print: number formats, line breaks, summaries, suffixes; `set_printoptions`."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.attributes import as_method
from srcgrad.eager.dispatch import register
from srcgrad.eager.grad_mode import FORWARD, state
from srcgrad.eager.tangents import tangent_of
from srcgrad.eager.tensor import Array, Tensor
from srcgrad.eager.views import grad_fn_of, requires_grad


@dataclass
class _Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


OPTIONS = _Options()
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(precision: int | None = None, threshold: float | None = None,
                     edgeitems: int | None = None, linewidth: int | None = None,
                     profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Set how tensors print; ``profile`` is ``default``, ``short`` or ``full``.

    >>> set_printoptions(profile="default")
    """
    chosen = dict(_PROFILES.get(profile or "", {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems,
             "linewidth": linewidth}
    chosen.update({k: v for k, v in given.items() if v is not None})
    for key, value in chosen.items():
        setattr(OPTIONS, key, value)
    OPTIONS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The present options, as keywords for :func:`set_printoptions`."""
    return asdict(OPTIONS)


@contextlib.contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Options for the duration of a ``with`` block."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


class Format:
    """One common format for all numbers of an array: whole, fixed or scientific."""

    def __init__(self, a: Array) -> None:
        self.floating = a.dtype.kind == "f"
        self.whole = True
        self.scientific = False
        self.width = 1
        if not self.floating:
            self.width = max((len(str(v)) for v in a.ravel().tolist()), default=1)
            return
        values = a.ravel().astype(np.float64)
        values = values[np.isfinite(values) & (values != 0)]
        if not values.size:
            return
        sizes = np.abs(values)
        small, large = sizes.min(), sizes.max()
        self.whole = bool(np.all(values == np.ceil(values)))
        with np.errstate(all="ignore"):
            automatic = bool(large / small > 1000.0 or large > 1.0e8 or small < 1.0e-4)
        self.scientific = automatic if OPTIONS.sci_mode is None else OPTIONS.sci_mode
        self.width = max(1, *(len(self._text(v)) for v in values.tolist()))

    def _text(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{OPTIONS.precision}e}"
        if self.whole:
            text = f"{value:.0f}"
            return text + "." if math.isfinite(value) else text
        return f"{value:.{OPTIONS.precision}f}"

    def __call__(self, value: Any) -> str:
        return self._text(value).rjust(self.width)


def _number(value: Any, first: Format, second: Format | None) -> str:
    if second is None:
        return first(value)
    imaginary: str = (second(value.imag) + "j").lstrip()
    sign = "" if imaginary[0] in "+-" else "+"
    return first(value.real) + sign + imaginary


def _lines(a: Array, indent: int, summarize: bool, first: Format, second: Format | None) -> str:
    edge = OPTIONS.edgeitems
    if a.ndim == 0:
        return _number(a.item(), first, second)
    cut = summarize and a.shape[0] > 2 * edge
    if a.ndim > 1:
        rows = [*a[:edge], *a[a.shape[0] - edge:]] if cut else a
        parts = [_lines(r, indent + 1, summarize, first, second) for r in rows]
        if cut:
            parts.insert(edge, "...")
        between = "," + "\n" * int(a.ndim - 1) + " " * (indent + 1)
        return "[" + between.join(parts) + "]"
    length = first.width + 2 + (0 if second is None else second.width + 1)
    per_line = max(1, (OPTIONS.linewidth - indent) // length)
    if summarize and not edge:
        words = ["..."]
    else:
        words = [_number(v, first, second) for v in (_shown(a) if cut else a).tolist()]
        if cut:
            words.insert(edge, " ...")
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _shown(a: Array) -> Array:
    """The elements that a summary shows, from which the format is chosen."""
    edge = OPTIONS.edgeitems
    for axis, n in enumerate(a.shape):
        if n > 2 * edge:
            a = np.take(a, [*range(edge), *range(n - edge, n)], axis)
    return a


def numbers_text(a: Array, indent: int) -> str:
    """The bracketed numbers of an array."""
    if a.size == 0:
        return "[]"
    summarize = a.size > OPTIONS.threshold
    seen = _shown(a) if summarize else a
    if a.dtype.kind == "c":
        return _lines(a, indent, summarize, Format(seen.real), Format(seen.imag))
    return _lines(a, indent, summarize, Format(seen), None)


def _suffixes(self: Tensor) -> list[str]:
    found = []
    default = dt.get_default_dtype()
    complex_default = dt.complex128 if default is dt.float64 else dt.complex64
    usual = self._dt in (default, complex_default, dt.int64, dt.bool_)
    if not OPTIONS.edgeitems if self._a.size else self._a.ndim != 1:
        found.append(f"size={tuple(self._a.shape)}")
    if not usual if self._a.size else self._dt is not default:
        found.append(f"dtype={self._dt!r}")
    return found


def _history(self: Tensor) -> list[str]:
    try:
        node = grad_fn_of(self)
    except RuntimeError:
        return ["grad_fn=<Invalid>"]
    if node is not None:
        name = node.plain_name()
        if name.startswith("torch::"):
            name = name.rpartition("::")[2]
        return [f"grad_fn=<{name}>"]
    return ["requires_grad=True"] if requires_grad(self) else []


def tensor_text(self: Tensor, contents: str | None = None) -> str:
    """``tensor([1., 2.], requires_grad=True)``."""
    plain = type(self) is Tensor or type(self).__name__ == "Parameter"
    prefix = "tensor(" if plain else f"{type(self).__name__}("
    indent = len(prefix)
    body = numbers_text(self._a, indent) if contents is None else contents
    suffixes = _suffixes(self) + _history(self)
    tangent = tangent_of(self) if state.mode & FORWARD else None
    if tangent is not None:
        suffixes.append(f"tangent={tensor_text(tangent)}" if tangent._a.ndim else
                        f"tangent={tangent._a.item()}")
    text = prefix + body
    last = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > OPTIONS.linewidth:
            text += ",\n" + " " * indent + suffix
            last = indent + len(suffix)
        else:
            text += ", " + suffix
            last += len(suffix) + 2
    return text + ")"


@as_method
def __repr__(self: Tensor, *, tensor_contents: str | None = None) -> str:
    return tensor_text(self, tensor_contents)


@as_method
def __format__(self: Tensor, spec: str) -> str:
    """0-dim tensors format as their number, except leaves of a subclass."""
    if self._a.ndim == 0 and type(self) is Tensor:
        return str(format(self._a.item(), spec))
    return object.__format__(self, spec)


for _function in (set_printoptions, get_printoptions, printoptions):
    register(_function.__name__, _function, method=False)
