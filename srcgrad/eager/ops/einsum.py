"""`torch.einsum`: pairs of operands are contracted by batched matrix products."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Tensor, dt, op
from srcgrad.eager.ops.arguments import unexpected_type
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.shapes import expand, permute, reshape, view


def _letters(operands: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    """The equation and tensors, also from the form with lists of numbers."""
    if isinstance(operands[0], str):
        rest = operands[1:]
        if len(rest) == 1 and isinstance(rest[0], list | tuple):
            rest = tuple(rest[0])
        return operands[0], list(rest)

    def name(k: Any) -> str:
        return "..." if k is Ellipsis else chr(ord("A") + k) if k < 26 else chr(ord("a") + k - 26)

    tensors = list(operands[: len(operands) // 2 * 2 : 2])
    lists = operands[1 : len(operands) // 2 * 2 : 2]
    equation = ",".join("".join(map(name, s)) for s in lists)
    if len(operands) % 2:
        equation += "->" + "".join(map(name, operands[-1]))
    return equation, tensors


@op(method=False, out=False)
def einsum(*args: Any) -> Any:
    """A sum of products written in Einstein's notation: ``einsum("ij,jk->ik", a, b)``."""
    equation, tensors = _letters(args)
    for i, n in enumerate(re.sub(r"->|\.", lambda m: "," * len(m[0]), equation)):
        refuse(not n.isalpha() and n not in " ,", "einsum(): invalid subscript given at index {} "
               "in the equation string, subscripts must be in [a-zA-Z]", i)
    equation = equation.replace(" ", "")
    refuse(not tensors, "einsum(): must provide at least one operand", kind=ValueError)
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        more = "more" if len(terms) < len(tensors) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the "
                           "equation")
    sizes: dict[str, int] = {}
    hidden = 0
    prepared = []
    for k, (term, t) in enumerate(zip(terms, tensors)):
        names, width = _spell(term, t, k)
        hidden = max(hidden, width)
        prepared.append((names, t))
    dots = [f"<{i}>" for i in range(hidden)]
    output = _output_names(right, dots)
    for n in output:
        refuse(n not in dots and n not in left, "einsum(): output subscript {} does not appear in "
               "the equation for any input operand", n)
    operands = []
    for k, (names, t) in enumerate(prepared):
        place = next((i for i, n in enumerate(names) if n == "..."), None)
        if place is not None:
            width = t._a.ndim - (len(names) - 1)
            names[place : place + 1] = dots[hidden - width :] if width else []
        for d, n in enumerate(names):
            size = t._a.shape[d]
            if names.count(n) > 1 and size != t._a.shape[names.index(n)]:
                raise RuntimeError(
                    f"einsum(): subscript {n} is repeated for operand {k} but the sizes don't "
                    f"match, {size} != {t._a.shape[names.index(n)]}")
            if sizes.get(n, 1) != 1 and size not in (1, sizes[n]):
                if n in dots:
                    raise RuntimeError(
                        f"einsum(): dimension {dots.index(n)} covered by ellipsis in operand {k}"
                        f"has size {size} which does not broadcast with previously seen ellipsis "
                        f"with size {sizes[n]} for the respective dimension")
                raise RuntimeError(f"einsum(): subscript {n} has size {size} for operand {k} which "
                                   f"does not broadcast with previously seen size {sizes[n]}")
            sizes[n] = size if sizes.get(n, 1) == 1 else sizes[n]
        operands.append(_take_diagonals(names, t))
    if not arrow:
        counts = "".join(terms)
        output = [*dots, *sorted(n for n in sizes if n[0] != "<" and counts.count(n) == 1)]
    return _contract(operands, output)


def _spell(term: str, t: Tensor, k: int) -> tuple[list[str], int]:
    """The subscripts of operand ``k``, and how many dimensions its ellipsis covers."""
    before, dots, after = term.partition("...")
    names = [*before, *(["..."] if dots else []), *after]
    plain = len(before) + len(after)
    refuse("." in before + after,
           "einsum(): found '.' for operand {} that is not part of any ellipsis", k)
    if (plain > t._a.ndim) or (not dots and plain != t._a.ndim):
        relation = "is more than" if dots else "does not match"
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({plain}) "
                           f"{relation} the number of dimensions ({t._a.ndim}) for operand "
                           f"{k}{'' if dots else ' and no ellipsis was given'}")
    return names, t._a.ndim - plain if dots else 0


def _output_names(right: str, dots: list[str]) -> list[str]:
    before, found, after = right.partition("...")
    refuse("." in before + after,
           "einsum(): found '.' for output that is not part of any ellipsis (...)")
    names = [*before, *(dots if found else []), *after]
    for n in names:
        refuse(names.count(n) > 1, "einsum(): output subscript {} appears more than once in the "
               "output", n)
    return names


def _take_diagonals(names: list[str], t: Tensor) -> tuple[list[str], Tensor]:
    names = list(names)
    for n in dict.fromkeys(names):
        while names.count(n) > 1:
            i = names.index(n)
            j = names.index(n, i + 1)
            t = t.diagonal(0, i, j).movedim(-1, i)
            del names[j]
    return names, t


def _summed_to(kept: Collection[str], names: list[str], t: Tensor) -> tuple[list[str], Tensor]:
    gone = [i for i, n in enumerate(names) if n not in kept]
    return ([n for n in names if n in kept], t.sum(gone)) if gone else (names, t)


def _contract(operands: list[tuple[list[str], Tensor]], output: list[str]) -> Any:
    names, t = operands[0]
    for k, (more, other) in enumerate(operands[1:], 1):
        later = {n for rest, _ in operands[k + 1 :] for n in rest} | set(output)
        names, t = _pair(names, t, more, other, later)
    names, t = _summed_to(output, names, t)
    order = [names.index(n) for n in output]
    out = permute(t, *order)
    return view(out, out._a.shape) if len(operands) > 1 else out


def _pair(a_names: list[str], a: Tensor, b_names: list[str], b: Tensor,
          later: set[str]) -> tuple[list[str], Tensor]:
    """One product: batch names kept, common names that nobody needs summed by ``bmm``."""
    a_names, a = _summed_to({*b_names, *later}, a_names, a)
    b_names, b = _summed_to({*a_names, *later}, b_names, b)
    common = [n for n in a_names if n in b_names]
    batch = [n for n in common if n in later]
    summed = [n for n in common if n not in later]
    rows = [n for n in a_names if n not in common]
    columns = [n for n in b_names if n not in common]
    size: dict[str, int] = {}
    for names, t in ((a_names, a), (b_names, b)):
        for n, m in zip(names, t._a.shape):
            size[n] = m if size.get(n, 1) == 1 else size[n]
    left = _arranged(a, a_names, [*batch, *rows, *summed], size)
    right = _arranged(b, b_names, [*batch, *summed, *columns], size)

    def total(names: list[str]) -> int:
        return math.prod(size[n] for n in names)

    x = reshape(left, total(batch), total(rows), total(summed))
    y = reshape(right, total(batch), total(summed), total(columns))
    if x._dt is not y._dt:
        if not x._dt.category == y._dt.category == dt.INTEGRAL:
            raise unexpected_type(x._dt, y._dt)
        x, y = convert(x, dt.int64), convert(y, dt.int64)  # a sum has widened one of them
    names = [*batch, *rows, *columns]
    return names, view(x.bmm(y), *(size[n] for n in names))


def _arranged(t: Tensor, names: list[str], order: list[str], size: dict[str, int]) -> Tensor:
    moved = permute(t, *(names.index(n) for n in order)) if t._a.ndim else t
    shape = tuple(size[n] for n in order)
    return moved if moved._a.shape == shape else expand(moved, shape)
