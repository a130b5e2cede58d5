"""Einstein sums, Kronecker and cross products."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, NoRule, Shape, nondiff, vjp
from srcgrad.rules.broadcast import scatter_diagonal, sum_to

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _from_lists(operands: tuple[Any, ...]) -> tuple[list[str], str | None, list[int]]:
    """Terms of ``einsum(op0, [0, 1], op1, [1, 2], [0, 2])``, and where the arrays stand."""
    def letters(labels: Any) -> str:
        return "".join("..." if i is Ellipsis else _LETTERS[int(i)] for i in labels)

    places = list(range(0, len(operands) - 1, 2))
    terms = [letters(operands[i + 1]) for i in places]
    return terms, letters(operands[-1]) if len(operands) % 2 else None, places


def _terms(operands: tuple[Any, ...], ndims: list[Any]) -> tuple[list[str], str, list[int]]:
    """One letter for each axis of each array and of the result; the arrays' places."""
    if isinstance(operands[0], str):
        left, arrow, right = operands[0].replace(" ", "").partition("->")
        terms, out = left.split(","), right if arrow else None
        places = list(range(1, len(operands)))
    else:
        terms, out, places = _from_lists(operands)
    used = set("".join(terms))
    free = [c for c in _LETTERS if c not in used]
    ranks = [ndims[p] - len(t.replace("...", "")) for p, t in zip(places, terms)]
    rank = max((r for r, t in zip(ranks, terms) if "..." in t), default=0)
    wide = "".join(free[:rank])
    terms = [t.replace("...", wide[rank - r :]) for t, r in zip(terms, ranks)]
    if out is None:
        joined = "".join(terms)
        once = sorted(c for c in set(joined) if joined.count(c) == 1 and c not in wide)
        return terms, wide + "".join(once), places
    return terms, out.replace("...", wide), places


def _contracted(labelled: list[tuple[Array, str]], out: str, optimize: Any) -> Array:
    """The sum over products of arrays with these labels; numbers are factors of it."""
    arrays = [(a, t) for a, t in labelled if t]
    if len(arrays) == 1 and sorted(arrays[0][1]) == sorted(out):
        (total, term), = arrays
        if term != out:
            total = np.transpose(total, [term.index(c) for c in out])
    elif arrays:
        script = ",".join(t for _, t in arrays) + "->" + out
        total = np.einsum(script, *(a for a, _ in arrays), **optimize)
    else:
        total = 1
    for number in (a for a, t in labelled if not t):
        total = number * total
    return total


def _path(optimize: Any) -> dict[str, Any]:
    """How to order the products of an adjoint: searched for if the user gave an order of his own,
    which is one of other products."""
    if isinstance(optimize, bool | str):
        return {"optimize": optimize} if optimize else {}
    return {"optimize": "optimal"}


def _operand(ct: Array, out: str, others: list[tuple[Array, str]], term: str, shape: Shape,
             optimize: dict[str, Any]) -> Array:
    """The cotangent of one operand: contract ``ct`` with the others, put back what was summed
    alone, and lay out what was a diagonal."""
    repeated = [c for c in dict.fromkeys(term) if term.count(c) > 1]
    if len(repeated) > 1 or any(term.count(c) > 2 for c in repeated):
        raise NoRule(f"np.einsum: no derivative rule for the repeated labels of {term!r}")
    single = [c for c in term if c not in repeated] + repeated
    known = set(out).union(*(t for _, t in others))
    present = "".join(c for c in single if c in known)
    d = _contracted([(ct, out), *others], present, optimize)
    absent = tuple(i for i, c in enumerate(single) if c not in known)
    if absent:
        d = np.expand_dims(d, absent)
    known_sizes = [(ct, out), *others]
    if repeated:
        first = term.index(repeated[0])
        return scatter_diagonal(d, shape, 0, first, term.rindex(repeated[0]))
    narrow = [not _is_one(n) and all(map(_is_one, _sizes_of(c, known_sizes)))
              for c, n in zip(term, shape)]  # fmt: skip
    d = sum_to(d, tuple(1 if one else n for one, n in zip(narrow, shape)))
    return np.broadcast_to(d, shape) if any(narrow) else d


def _is_one(n: Any) -> bool:
    return isinstance(n, int) and n == 1


def _sizes_of(label: str, labelled: list[tuple[Array, str]]) -> list[int]:
    return [np.shape(a)[t.index(label)] for a, t in labelled if label in t]


@vjp(np.einsum, "operands")
def einsum_operands(ct: Array, operands: tuple[Any, ...], operands_shape: Any,
                    operands_ndim: Any, optimize: Any) -> list[Any]:
    terms, out, places = _terms(operands, operands_ndim)
    path = _path(optimize)
    result: list[Any] = [None] * len(operands)
    for i, place in enumerate(places):
        others = [(operands[p], t) for j, (p, t) in enumerate(zip(places, terms)) if j != i]
        result[place] = _operand(ct, out, others, terms[i], operands_shape[place],
                                 path)
    return result


def _pairs(a_shape: Shape, b_shape: Shape) -> tuple[list[int], Shape, Shape]:
    """Sizes of the axes of a Kronecker product, (a0, b0, a1, b1, ...), and both shapes so laid."""
    ndim = max(len(a_shape), len(b_shape))
    a = (1,) * (ndim - len(a_shape)) + a_shape
    b = (1,) * (ndim - len(b_shape)) + b_shape
    return (
        [n for pair in zip(a, b) for n in pair],
        tuple(n for extent in a for n in (extent, 1)),
        tuple(n for extent in b for n in (1, extent)),
    )


@vjp(np.kron, "a")
def kron_a(ct: Array, b: Array, a_shape: Shape) -> Array:
    sizes, _, laid = _pairs(a_shape, np.shape(b))
    product = np.reshape(ct, sizes) * np.reshape(b, laid)
    return np.reshape(np.sum(product, axis=tuple(range(1, len(sizes), 2))), a_shape)


@vjp(np.kron, "b")
def kron_b(ct: Array, a: Array, b_shape: Shape) -> Array:
    sizes, laid, _ = _pairs(np.shape(a), b_shape)
    product = np.reshape(ct, sizes) * np.reshape(a, laid)
    return np.reshape(np.sum(product, axis=tuple(range(0, len(sizes), 2))), b_shape)


@vjp(np.cross, "a")
def cross_a(ct: Array, b: Array, a_shape: Shape, axisa: int, axisb: int, axisc: int,
            axis: int | None) -> Array:
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    d = np.cross(np.moveaxis(b, axisb, -1), np.moveaxis(ct, axisc, -1))
    axisa = axisa % len(a_shape)
    moved = (*a_shape[:axisa], *a_shape[axisa + 1 :], a_shape[axisa])
    return np.moveaxis(sum_to(d, moved), -1, axisa)


vjp(np.cross,
    b=lambda ct, a, b_shape, axisa, axisb, axisc, axis:
        -cross_a(ct, a, b_shape, axisb, axisa, axisc, axis))

vjp(np.linalg.cross,
    x1=lambda ct, x2, x1_shape, axis: cross_a(ct, x2, x1_shape, axis, axis, axis, axis),
    x2=lambda ct, x1, x2_shape, axis: -cross_a(ct, x1, x2_shape, axis, axis, axis, axis))

nondiff(np.einsum_path)
