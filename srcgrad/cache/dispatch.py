"""The dispatcher: one generated function per compiled signature that checks and calls.

The text is a function with the user's own parameters.  It reads each guarded object once,
cheapest checks first, and calls something else where a fact does not hold; otherwise it calls the
generated code with the graph's inputs.
"""

from __future__ import annotations

import builtins
import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ..stage.machine import UNBOUND
from ..types.caches import cached_value
from ..types.dataclasses import dataclass
from ..types.dims import Atom, Poly, symbols
from ..types.guards import FACTS, STEPS, Guard, Held, Path, SizeSource, overlap
from ..types.identifiers import is_name
from ..types.subclasses import bare_attribute, base_array, content_item
from .anchors import Anchor

ORDER = {"type": 0, "is": 0, "defaults": 0, "is_path": 0, "is_not_path": 0, "equals": 1,
         "array": 2, "extent": 3,
         "length": 4, "keys": 4, "missing": 4, "inherited": 4, "owns": 4, "builtin": 4,
         "holds": 4, "size": 5,
         "contiguous": 6, "overlap": 7, "distinct": 7, "gives": 7}
CODE = (("attr", "__code__"),)
LATE = ("size", "contiguous", "overlap", "distinct", "gives")


builtin = vars(builtins).get
# makes what answers at once: are these of a type; arrays of a dtype, a rank, axes of size one;
# globals that do not hide a builtin (name and value), a function of the code that is next ("code")?
Asking = Callable[[list[Any]], Callable[..., bool]] | None


class Miss:
    """What a dispatcher returns when a guard does not hold, unless it knows what to call then."""

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
    "_cached_value": cached_value,
    "_forms": key_forms,
    "_bare_attribute": bare_attribute,
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
    parameters: Mapping[str, str]  # their names in the text, which no other name is like
    roles: Mapping[int, str]  # of the objects that a call starts from, if they are known to it

    def __post_init__(self) -> None:
        self.lines: list[str] = []
        self.code: Held | None = None  # of the function that is called
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
            step = STEPS[kind]
            text = step.checked(parent, key, self) if step.checked else step.text(parent, key)
            name = f"_v{len(self.known)}"
            self.lines.append(f"{name} = {text}")
        self.known[bare] = name
        return name

    def _root(self, path: Path) -> str:
        kind, key = path.root
        return self.parameters[str(key)] if kind == "arg" else f"_r{key}"

    def extents(self, place: str, rank: int) -> list[str]:
        """Texts of an array's sizes; another rank raises a ValueError."""
        if rank == 1 and place not in self.sizes:  # asked faster than the shape
            self.check(f"{place}.ndim == 1")
            self.sizes[place] = [f"len({place})"]
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
        self.lines.append(f"if not ({condition}): break")

    def roots(self, keys: Sequence[int], roots: Mapping[int, Any],
              roles: Mapping[int, str]) -> None:
        """Bind the objects that paths start from."""
        for key in keys:
            if key in roles:
                if key not in self.roles:
                    self.lines.append(f"_r{key} = {roles[key]}")
            elif roots[key].weak is not None:
                self.namespace[f"_w{key}"] = roots[key].weak
                self.lines.append(f"_r{key} = _w{key}()")
                self.check(f"_r{key} is not None")
            else:
                self.namespace[f"_r{key}"] = roots[key].get()

    def checks(self, guards: Sequence[Guard], sizes: Sequence[SizeSource], ask: Asking) -> None:
        """The conditions of all guards, cheapest first."""
        ordered = sorted(guards, key=lambda g: ORDER.get(g.kind, 4))
        early = _parents_first([g for g in ordered if g.kind not in LATE])
        at_once = [g for g in early if ask and self.asked(g)]
        if ask and len(at_once) > 2:
            self.ask(ask, at_once)
            early = [g for g in early if not self.asked(g)]
        for guard in early:
            _check_guard(self, guard, {})
        names = {}
        needed = {a for g in ordered if g.kind == "size" for a in symbols(g.data[1])}
        for source in sizes:
            (atom,) = source.symbol.atoms()
            if atom in needed:
                place = self.place(source.path)
                names[atom] = place if source.axis is None else self.extent(place, source.axis)
        for guard in ordered:
            if guard.kind in LATE:
                _check_guard(self, guard, names)

    def asked(self, guard: Guard) -> dict[str, Any]:
        """The variables that a guard asks in machine code, and what for; none if it does not."""
        path, data = guard.path, guard.data
        if path is None or (path.steps and path.steps != CODE):
            return {}
        place = self._root(path)
        if path.steps:
            return {place: "code", "_code": CodeType} if path.root[1] in self.roles else {}
        if guard.kind == "builtin":
            return {place: data} if data[1] is not UNBOUND and is_name(data[0]) else {}
        if path.root[0] == "arg" and guard.kind in ("array", "type"):
            held = guard.kind == "type"
            return {} if held and data.weak is not None else {place: data.get() if held else data}
        return {}

    def ask(self, ask: Callable[[list[Any]], Any], guards: Sequence[Guard]) -> None:
        """What guards say in one call, and one by one where that says no."""
        asked = [part for guard in guards for part in self.asked(guard).items()]
        self.namespace["_fit"] = ask([wanted for _, wanted in asked])
        before, known, self.lines = self.lines, dict(self.known), []
        for guard in guards:
            _check_guard(self, guard, {})
        each = "".join(f"\n                {line}" for line in self.lines)
        self.lines = [*before, f"if not _fit({', '.join(name for name, _ in asked)}):{each}"]
        self.known = known
        self.sizes = {place: axes for place, axes in self.sizes.items() if len(axes) == 1}


def root_objects(guards: Sequence[Guard], inputs: Sequence[Path]) -> list[int]:
    """The keys of the objects that paths start from."""
    paths = [*inputs]
    for guard in guards:
        paths += guard.paths()
    for path in paths:
        paths += [p for kind, key in path.steps if kind == "native" for p in key.others]
    return list(dict.fromkeys(p.root[1] for p in paths if p.root[0] == "object"))


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
    if guard.kind == "gives":
        function, args, result = data
        texts = [out.place(a) if isinstance(a, Path) else out.constant(a) for a in args]
        call = f"{out.constant(function)}({', '.join(texts)})"
        if type(result) is list:
            out.namespace["_are"] = are
            out.check(f"_are({call}, {out.constant(result)})")
        else:
            relation = "is" if type(result) is bool else "=="
            out.check(f"{call} {relation} {out.constant(result)}")
        return
    assert guard.path is not None
    place = out.place(guard.path)
    if guard.kind in ("type", "is"):
        found = f"type({place})" if guard.kind == "type" else place
        if guard.path.steps == CODE and guard.path.root[1] in out.roles:  # that of the call
            out.code = data
            out.check(f"{found} is _code")
            return
        out.check(f"{found} is {out.constant(data.get())}" if data.weak is None else
                  f"{found} is {out.constant(data.weak)}() is not None")
    elif guard.kind == "defaults":
        out.check(f"{place}.__defaults__ is _defaults and {place}.__kwdefaults__ is _named")
        if data:
            out.check(f"[*map(id, {place}.__kwdefaults__.values())] == [*map(id, _values)]")
    elif guard.kind == "equals":
        same = data is None or isinstance(data, bool) or data is Ellipsis
        out.check(f"{place} {'is' if same else '=='} {out.constant(data)}")
    elif guard.kind == "keys":
        out.check(f"[*{place}] == {out.constant(list(data))}")
        if not all(type(k) is str for k in data):  # 1, 1.0 and True are equal
            out.check(f"_forms({place}) == {out.constant(key_forms(data))}")
    elif guard.kind == "holds":
        out.check(f"{place}.__dict__.get({data[0]!r}) is {out.constant(data[1])}")
    elif guard.kind == "builtin":
        out.namespace["_builtin"] = builtin
        found, wanted = f"_builtin({data[0]!r}, None)", None
        if data[1] is not UNBOUND and is_name(data[0]):
            found, wanted = data[0], data[1]  # no variable of the dispatcher is called so
        out.check(f"{data[0]!r} not in {place} and {found} is {out.constant(wanted)}")
    elif guard.kind == "overlap":
        out.check(f"not _overlap({place}, {out.place(data)})")
    elif guard.kind == "extent":
        out.check(f"{out.extent(place, data[0])} == {data[1]}")
    elif guard.kind == "array":
        _check_array(out, place, data)
    else:
        condition = FACTS[guard.kind][1]
        assert condition is not None
        out.check(guard.filled(condition, place, out.place))


def are(found: list[Any], kept: list[Held]) -> bool:
    """Are these the very objects, or equal texts?"""
    return len(found) == len(kept) and all(
        one is (other := held.get()) or (type(one) is str and one == other)
        for one, held in zip(found, kept, strict=True))


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


def _missed(*args: Any, **kwargs: Any) -> Miss:
    """What says that a call does not fit."""
    return MISS


def _nothing() -> None:
    """What is called where nothing is to be done."""


def _itself(error: Exception) -> Exception:
    return error


class Dispatcher:
    """The checking function of one signature, for any function with the same code.

    ``inputs`` are the paths of the target's arguments; ``roots`` the objects that paths start
    from; ``rebuild`` (or None) turns the target's flat result into the user's structure.  Calls are
    bound to a function, which they keep alive unless ``weak``.
    """

    def __init__(self, name: str, signature: inspect.Signature, guards: Sequence[Guard],
                 sizes: Sequence[SizeSource], roots: Mapping[int, Any],
                 roles: Mapping[int, str], inputs: Sequence[Path], target: Any,
                 rebuild: Any, weak: bool, ask: Asking = None) -> None:
        self.name, self.guards, self.roots = name, guards, roots
        self.namespace: dict[str, Any] = {
            "_target": target, "_overlap": overlap, "_rebuild": rebuild,
            "__builtins__": __builtins__, **SIZE_HELPERS}
        parameters = {name: f"_p{i}" for i, name in enumerate(signature.parameters)}
        self.weak, self.roles = weak, {} if weak else roles
        out = _Writer(self.namespace, parameters, self.roles)
        out.roots(root_objects(guards, inputs), roots, roles)
        out.checks(guards, sizes, ask)
        self.function_code = out.code
        arguments = ", ".join(out.place(p) for p in inputs)
        body = "\n            ".join(out.lines)
        call = f"_target({arguments})"
        text = f"""def dispatch({_parameter_text(signature, parameters)}):
    _fits = False
    try:
        while True:
            {body}
            _fits = True
            break
    except (AttributeError, LookupError, NameError, TypeError, ValueError):
        pass
    try:
        if not _fits:
            return _otherwise({_passed_on(signature, parameters)})
        _hit()
        return {f'_rebuild({call})' if rebuild is not None else call}
    except Exception as _error:
        raise _shown(_error)
"""
        made = compile(text, f"<srcgrad dispatch of {name}>", "exec")
        code = next(c for c in made.co_consts if isinstance(c, CodeType))
        names = {own: name for name, own in parameters.items()}
        self.code = code.replace(co_varnames=tuple(names.get(n, n) for n in code.co_varnames))

    @property
    def stale(self) -> bool:
        """Is something gone that it relies on?"""
        return any(g.kind in ("is", "type") and g.data.gone for g in self.guards) or any(
            r.gone for r in self.roots.values())

    def bound(self, anchor: Anchor, signature: inspect.Signature,
              shown: Callable[[Exception], Exception] = _itself,
              otherwise: Callable[..., Any] = _missed,
              hit: Callable[[], Any] = _nothing) -> FunctionType:
        """The checking function for calls that start from ``anchor``: how errors are ``shown``,
        what is called where the code does not fit, and what counts the calls that do, a ``hit``."""
        function = anchor.function
        namespace = self.namespace | {"_shown": shown, "_otherwise": otherwise,
                                      "_hit": hit}
        owner = anchor.owner
        if self.weak:
            namespace["_owner"] = lambda: owner
            namespace["_function"] = None if function is None else weakref.ref(function)
        namespace |= {f"_r{key}": anchor.play(role) for key, role in self.roles.items()}
        if function is not None:
            named = function.__kwdefaults__
            namespace |= {"_defaults": function.__defaults__, "_named": named,
                          "_values": [*(named or {}).values()]}
        if self.function_code is not None:
            namespace["_code"] = self.function_code.get()
        made = FunctionType(self.code, namespace, self.name)
        made.__qualname__ = self.name
        given = [p for p in signature.parameters.values() if p.default is not p.empty]
        made.__defaults__ = tuple(p.default for p in given if p.kind is not p.KEYWORD_ONLY)
        made.__kwdefaults__ = {p.name: p.default for p in given if p.kind is p.KEYWORD_ONLY}
        return made


class Dispatch:
    """The dispatchers of a target: the one that calls it, and one that only checks."""

    def __init__(self, name: str, signature: inspect.Signature, traced: Any, target: Any,
                 rebuild: Any = None, weak: bool = False, ask: Asking = None) -> None:
        self.name = name
        self._made = name, signature, traced.guards, traced.sizes, traced.pinned, traced.roles
        self.caller = Dispatcher(*self._made, [s.path for s in traced.sources], target, rebuild,
                                 weak, ask)

    @cached_property
    def checker(self) -> Dispatcher:
        return Dispatcher(*self._made, [], _nothing, None, False)


def _parents_first(guards: Sequence[Guard]) -> list[Guard]:
    """Guards on a container come before guards on what is found in it."""
    return sorted(guards, key=lambda g: (len(g.path.steps) if g.path else 0,
                                         ORDER.get(g.kind, 4)))


def _passed_on(signature: inspect.Signature, names: Mapping[str, str]) -> str:
    """The arguments of a call that hands all parameters on."""
    return ", ".join(f"{p.name}={names[p.name]}" if p.kind is p.KEYWORD_ONLY else
                     "*" * (p.kind is p.VAR_POSITIONAL) + "**" * (p.kind is p.VAR_KEYWORD)
                     + names[p.name] for p in signature.parameters.values())


def _parameter_text(signature: inspect.Signature, names: Mapping[str, str]) -> str:
    """The parameters, under other names and without their defaults, as Python text."""
    bare = [p.replace(name=names[p.name], annotation=p.empty, default=p.empty)
            for p in signature.parameters.values()]
    return str(inspect.Signature(bare))[1:-1]
