"""Broadcasting of symbolic shapes."""

from __future__ import annotations

from ..types.dataclasses import dataclass, field
from ..types.dims import Atom, Dim, Poly, add, is_varying, of_atom, proves_nonnegative
from .outcome import Guard, placeholder


def as_size_symbol(dim: Dim) -> Atom | None:
    """The atom of a dim that is the plain, call-invariant size of an argument.

    Unit axes of arguments are static by construction, so such a size is never 1.  Integer
    arguments are plain symbols too, but without a lower bound: those may be 1.
    """
    if not isinstance(dim, Poly) or len(dim.terms) != 1:
        return None
    (monomial, coefficient), = dim.terms.items()
    if coefficient != 1 or len(monomial) != 1 or monomial[0][1] != 1:
        return None
    atom = monomial[0][0]
    return None if atom.args or atom.varying or atom.low is None else atom


def never_one(dim: Dim) -> bool:
    """Is it certain that the size is not 1?"""
    if isinstance(dim, int):
        return dim != 1
    atoms = dim.atoms()
    if len(atoms) == 1 and atoms[0].not_one and dim == of_atom(atoms[0]):
        return True
    return as_size_symbol(dim) is not None or proves_nonnegative(add(dim, -2))


@dataclass
class Broadcast:
    """Accumulates the facts of one broadcast: guards needed, and whether a size is uncertain."""

    guards: list[Guard] = field(default_factory=list)
    uncertain: bool = False
    placeholders: int = 0

    def pair(self, a: Dim, b: Dim) -> Dim:
        """The size that ``a`` and ``b`` broadcast to; ValueError if they cannot."""
        if a == b:
            return a
        if isinstance(a, int) and a == 1:
            return b
        if isinstance(b, int) and b == 1:
            return a
        if isinstance(a, int) and isinstance(b, int):
            raise ValueError
        doubtful = [d for d in (a, b) if not never_one(d)]
        fixed = [d for d in doubtful if not is_varying(d)]
        self.guards.extend(("ne1", d) for d in fixed if ("ne1", d) not in self.guards)
        loose = [d for d in doubtful if is_varying(d)]
        if loose:
            self.uncertain = True
        if len(loose) == 2:
            self.placeholders += 1
            return placeholder(1000 + self.placeholders)
        return preferred(*(d for d in (a, b) if d not in loose))

    def shapes(self, *shapes: tuple[Dim, ...]) -> tuple[Dim, ...]:
        """The broadcast of several shapes; ValueError in NumPy's words if there is none."""
        rank = max(map(len, shapes), default=0)
        result: list[Dim] = []
        for position in range(-rank, 0):
            size: Dim = 1
            for shape in shapes:
                if -position <= len(shape):
                    try:
                        size = self.pair(size, shape[position])
                    except ValueError:
                        raise ValueError(
                            "operands could not be broadcast together with shapes "
                            + " ".join(shown(s) for s in shapes)) from None
            result.append(size)
        return tuple(result)


def _preference(dim: Dim) -> tuple[int, int]:
    """Plain numbers first, then sizes of arguments, then what is derived."""
    if isinstance(dim, int):
        return (0, 0)
    return (1 if as_size_symbol(dim) is not None else 2, len(dim.terms))


def preferred(*dims: Dim) -> Dim:
    """Of sizes that are equal at run time the simplest: a number, an argument's size, any."""
    return min(dims, key=_preference)


def shown(shape: tuple[Dim, ...]) -> str:
    """A shape as NumPy's messages print it: ``(3,) (2,n)``."""
    return f"({shape[0]},)" if len(shape) == 1 else f"({','.join(map(str, shape))})"
