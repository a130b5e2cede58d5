"""The dispatcher: one generated function per compiled signature that checks and calls.

The text is a function with the user's own parameters.  It reads each guarded object once,
cheapest checks first, and returns ``MISS`` where a fact does not hold; otherwise it calls the
generated code with the graph's inputs.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dims import Atom, Poly, symbols
from ..guards import Guard, Path, SizeSource, stacked
from ..subclasses import base_array, content_item

ORDER = {"type": 0, "is": 0, "is_path": 0, "is_not_path": 0, "equals": 1, "array": 2, "extent": 3,
         "length": 4, "keys": 4, "missing": 4, "inherited": 4, "owns": 4,
         "holds": 4, "size": 5,
         "contiguous": 6, "overlap": 7, "distinct": 7}
LATE = ("size", "contiguous", "overlap", "distinct")


class Miss:
    """What a dispatcher returns when a guard does not hold."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<miss>"


MISS = Miss()


def size_text(dim: Any, names: Mapping[Atom, str]) -> str:
    """Python text of a symbolic size; helper functions are those of :data:`SIZE_HELPERS`."""
    if not isinstance(dim, Poly):
        return repr(dim)
    terms = []
    for monomial, coefficient in dim.ordered():
        factors = [str(coefficient)] if coefficient != 1 or not monomial else []
        for atom, power in monomial:
            text = names[atom] if not atom.args else (
                f"{_HELPER_NAMES[atom.name]}"
                f"({', '.join(size_text(a, names) for a in atom.args)})")
            factors.append(text if power == 1 else f"{text} ** {power}")
        terms.append(" * ".join(factors))
    return " + ".join(terms)


def key_forms(keys: Any) -> list[Any]:
    """The types of keys, and of what lies in those that are tuples."""
    return [(type(k), key_forms(k)) if isinstance(k, tuple) else type(k) for k in keys]


_HELPER_NAMES = {"max": "max", "min": "min", "pow": "pow", "floordiv": "_floordiv", "mod": "_mod",
                 "range_length": "_range_length", "slice_length": "_slice_length"}
SIZE_HELPERS: dict[str, Any] = {
    "_stacked": stacked,
    "_forms": key_forms,
    "_content_item": content_item,
    "_base_array": base_array,
    "_floordiv": lambda a, b: a // b,
    "_mod": lambda a, b: a % b,
    "_range_length": lambda a, b, c: len(range(a, b, c)),
    "_slice_length": lambda a, b, c, n: len(range(n)[slice(a, b, c)]),
}


@dataclass
class _Writer:
    """The body of a dispatcher under construction."""

    namespace: dict[str, Any]
    parameters: frozenset[str]

    def __post_init__(self) -> None:
        self.lines: list[str] = []
        self.known: dict[Path, str] = {}
        self.sizes: dict[str, list[str]] = {}
        self.constants: dict[tuple[str, int], str] = {}

    def constant(self, value: Any) -> str:
        """The name of an object in the dispatcher's namespace."""
        if value is None or value is True or value is False or type(value) in (int, str):
            return repr(value)
        key = (type(value).__name__, id(value))
        if key not in self.constants:
            name = f"_c{len(self.constants)}"
            self.constants[key] = name
            self.namespace[name] = value
        return self.constants[key]

    def place(self, path: Path) -> str:
        """The variable that holds the object at a path."""
        found = self.known.get(path)
        if found is not None:
            return found
        bare = Path(path.root, path.steps)
        found = self.known.get(bare)
        if found is not None:
            return found
        if not path.steps:
            name = self._root(path)
        else:
            parent = self.place(Path(path.root, path.steps[:-1]))
            kind, key = path.steps[-1]
            text = f"{parent}[{self.constant(key)}]" if kind == "item" else (
                Path(path.root, path.steps[-1:]).text(parent))
            name = f"_v{len(self.known)}"
            self.lines.append(f"{name} = {text}")
        self.known[bare] = name
        return name

    def _root(self, path: Path) -> str:
        kind, key = path.root
        return str(key) if kind == "arg" else f"_r{key}"

    def extents(self, place: str, rank: int) -> list[str]:
        """The variables that hold an array's sizes; another rank raises a ValueError."""
        if place not in self.sizes:
            number = len(self.sizes)
            self.sizes[place] = [f"_s{number}_{i}" for i in range(rank)]
            self.lines.append(f"{', '.join(self.sizes[place])}, = {place}.shape")
        return self.sizes[place]

    def extent(self, place: str, axis: int) -> str:
        """The size of an array, or of another object with a shape, along an axis."""
        found = self.sizes.get(place)
        return f"{place}.shape[{axis}]" if found is None else found[axis]

    def check(self, condition: str) -> None:
        self.lines.append(f"if not ({condition}): return MISS")


def _check_guard(out: _Writer, guard: Guard, names: Mapping[Atom, str]) -> None:
    data = guard.data
    if guard.kind == "size":
        relation, dim, number = data
        out.check(f"{size_text(dim, names)} {relation} {number}")
        return
    if guard.kind == "distinct":
        altered, others = ([f"id({out.place(p)})" for p in part] for part in data)
        out.check(f"len({{{', '.join(altered)}}}) == {len(altered)}")
        if others:
            out.check(f"{{{', '.join(altered)}}}.isdisjoint(({', '.join(others)},))")
        return
    assert guard.path is not None
    place = out.place(guard.path)
    if guard.kind == "type":
        out.check(f"type({place}) is {out.constant(data)}")
    elif guard.kind == "is":
        out.check(f"{place} is {out.constant(data)}")
    elif guard.kind == "equals":
        same = data is None or isinstance(data, bool) or data is Ellipsis
        out.check(f"{place} {'is' if same else '=='} {out.constant(data)}")
    elif guard.kind == "length":
        out.check(f"len({place}) == {data}")
    elif guard.kind == "keys":
        out.check(f"[*{place}] == {out.constant(list(data))}")
        if not all(type(k) is str for k in data):  # 1, 1.0 and True are equal
            out.check(f"_forms({place}) == {out.constant(key_forms(data))}")
    elif guard.kind == "missing":
        out.check(f"not hasattr({place}, {data!r})")
    elif guard.kind == "inherited":
        out.check(f"{data!r} not in getattr({place}, '__dict__', ())")
    elif guard.kind == "owns":
        out.check(f"{data!r} in {place}.__dict__")
    elif guard.kind == "holds":
        out.check(f"{place}.__dict__.get({data[0]!r}) is {out.constant(data[1])}")
    elif guard.kind == "is_path":
        out.check(f"{place} is {out.place(data)}")
    elif guard.kind == "is_not_path":
        out.check(f"{place} is not {out.place(data)}")
    elif guard.kind == "overlap":
        out.check(f"not _overlap({place}, {out.place(data)})")
    elif guard.kind == "contiguous":
        out.check(f"{place}.flags.c_contiguous is {data}")
    elif guard.kind == "extent":
        out.check(f"{out.extent(place, data[0])} == {data[1]}")
    elif guard.kind == "array":
        _check_array(out, place, data)


def _check_array(out: _Writer, place: str, data: tuple[np.dtype[Any], int, tuple[int, ...]]
                 ) -> None:
    dtype, rank, units = data
    out.namespace["_ndarray"] = np.ndarray
    wanted = out.constant(dtype)
    # NumPy's own dtypes are single objects: identity decides nearly always, and is cheaper
    same = f"({place}.dtype is {wanted} or {place}.dtype == {wanted})"
    out.check(f"type({place}) is _ndarray and {same}" + ("" if rank else f" and {place}.ndim == 0"))
    if rank:
        out.check(" and ".join(f"{size} {'==' if i in units else '!='} 1"
                               for i, size in enumerate(out.extents(place, rank))))


def overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Do two arrays share memory?  (Bounds first; the exact test only where they meet.)"""
    return np.may_share_memory(a, b) and bool(np.shares_memory(a, b))


def dispatcher(name: str, signature: inspect.Signature, guards: Sequence[Guard],
               sizes: Sequence[SizeSource], inputs: Sequence[Path], roots: Mapping[int, Any],
               target: Any, rebuild: Any) -> Any:
    """The checking function of one signature.

    ``inputs`` are the paths of the target's arguments; ``roots`` the objects that paths start
    from; ``rebuild`` (or None) turns the target's flat result into the user's structure.
    """
    namespace: dict[str, Any] = {"MISS": MISS, "_target": target, "_overlap": overlap,
                                 "_rebuild": rebuild, "__builtins__": __builtins__,
                                 **SIZE_HELPERS}
    out = _Writer(namespace, frozenset(signature.parameters))
    for guard in guards:
        among = [p for part in guard.data for p in part] if guard.kind == "distinct" else []
        for path in (guard.path, guard.data if isinstance(guard.data, Path) else None, *among):
            if path is not None and path.root[0] == "object":
                namespace[f"_r{path.root[1]}"] = roots[path.root[1]]
    for path in inputs:
        if path.root[0] == "object":
            namespace[f"_r{path.root[1]}"] = roots[path.root[1]]
    ordered = sorted(guards, key=lambda g: ORDER.get(g.kind, 4))
    structural = [g for g in ordered if g.kind not in LATE]
    names = {}
    for guard in _parents_first(structural):
        _check_guard(out, guard, {})
    needed = {a for g in ordered if g.kind == "size" for a in symbols(g.data[1])}
    for source in sizes:
        (atom,) = source.symbol.atoms()
        if atom in needed:
            place = out.place(source.path)
            names[atom] = place if source.axis is None else out.extent(place, source.axis)
    for guard in ordered:
        if guard.kind in LATE:
            _check_guard(out, guard, names)
    arguments = ", ".join(out.place(p) for p in inputs)
    parameters = _parameter_text(signature, namespace)
    body = "\n".join(f"        {line}" for line in out.lines) or "        pass"
    call = f"_target({arguments})"
    text = (f"def {_identifier(name)}({parameters}):\n    try:\n{body}\n"
            "    except (AttributeError, KeyError, IndexError, TypeError, ValueError):\n"
            "        return MISS\n"
            f"    return {f'_rebuild({call})' if rebuild is not None else call}\n")
    code = compile(text, f"<srcgrad dispatch of {name}>", "exec")
    exec(code, namespace)
    made = namespace[_identifier(name)]
    made.__name__ = made.__qualname__ = name
    return made


def _parents_first(guards: Sequence[Guard]) -> list[Guard]:
    """Guards on a container come before guards on what is found in it."""
    return sorted(guards, key=lambda g: (len(g.path.steps) if g.path else 0,
                                         ORDER.get(g.kind, 4)))


def _identifier(name: str) -> str:
    return name if name.isidentifier() else "compiled"


def _parameter_text(signature: inspect.Signature, namespace: dict[str, Any]) -> str:
    """The parameters with their defaults, as Python text."""
    parts: list[str] = []
    star = False
    positional_only = False
    for i, p in enumerate(signature.parameters.values()):
        if positional_only and p.kind is not p.POSITIONAL_ONLY:
            parts.append("/")
            positional_only = False
        if p.kind is p.POSITIONAL_ONLY:
            positional_only = True
        if p.kind is p.VAR_POSITIONAL:
            parts.append(f"*{p.name}")
            star = True
            continue
        if p.kind is p.VAR_KEYWORD:
            parts.append(f"**{p.name}")
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        if p.default is not p.empty:
            namespace[f"_d{i}"] = p.default
            parts.append(f"{p.name}=_d{i}")
        else:
            parts.append(p.name)
    if positional_only:
        parts.append("/")
    return ", ".join(parts)
