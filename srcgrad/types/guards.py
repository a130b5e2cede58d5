"""Paths to what a traced function read from outside, and the guards on them.

A :class:`Path` says how to find an object again at each call (``self.layers[2].W``,
``global cfg['lr']``); a :class:`Guard` states a fact that the generated code relies on.
Both know their own Python text, from which the dispatcher is made.
"""

from __future__ import annotations

import operator
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.lib.array_utils import byte_bounds

from ..errors import Where
from .caches import cached_value
from .dataclasses import dataclass, replace
from .dims import Poly
from .identifiers import attribute_text
from .subclasses import bare_attribute, base_array, content_item, held_attribute

_WEAK = (types.FunctionType, types.CodeType, type)
_STAYING = ("builtins", "numpy", "scipy")  # modules whose objects live as long as the process


class Held:
    """An object that a guard compares with, or that a path starts from.

    The user's functions and classes (which hold all of their module) are held weakly: generated
    code does not keep them alive, and fits nothing any more once they are gone.
    """

    __slots__ = ("_found",)

    def __init__(self, obj: Any, elsewhere: bool = True) -> None:
        """``elsewhere``: is it held by anything else?"""
        weak = elsewhere and (
            isinstance(obj, _WEAK) or hasattr(type(obj), "__srcgrad_trace__"))
        home = str(getattr(obj, "__module__", None)).partition(".")[0]
        self._found: Any = weakref.ref(obj) if weak and home not in _STAYING else lambda: obj

    @property
    def weak(self) -> Any:
        """What gives the object, or None when it is gone; None for one that is held."""
        return self._found if isinstance(self._found, weakref.ref) else None

    def get(self) -> Any:
        return self._found()

    @property
    def gone(self) -> bool:
        return self.weak is not None and self._found() is None


class Native:
    """A step of a path that Python takes: a call of a library's code.

    ``template`` holds the positional and keyword arguments, with a :class:`Place` for each
    object that is found at a path: number 0 is where the step starts from, the others are at
    ``others``.  ``listed``: what it gives is an iterator, and made a list; ``fails``: it raises,
    and what it gives is the class of the exception.
    """

    @dataclass(frozen=True)
    class Place:
        number: int

    @classmethod
    def calling(cls, *args: Any) -> Native:
        """A call of what the step starts from."""
        return cls(operator.call, ((cls.Place(0), *args), {}), (), True, False, False)

    def __init__(self, function: Any, template: Any, others: tuple[Path, ...], starts: bool,
                 listed: bool, fails: bool) -> None:
        self.function, self.template, self.others = function, template, others
        self.starts = starts  # does it take what it starts from?
        self.listed, self.fails = listed, fails

    @property
    def words(self) -> str:
        """What a variable is called after that holds what it gives: a function, names, numbers."""
        named = self.function not in (operator.getitem, operator.call, getattr)
        args = [str(a) for a in self.template[0] if isinstance(a, (str, int))]
        return "_".join([*[getattr(self.function, "__name__", "")] * named, *args])

    def __call__(self, *found: Any) -> Any:
        args, kwargs = self._filled(self.template, found)
        try:
            result = self.function(*args, **kwargs)
            return list(result) if self.listed else result
        except Exception as error:
            if self.fails:
                return type(error)
            raise LookupError(str(error)) from error

    def _filled(self, part: Any, found: tuple[Any, ...]) -> Any:
        if isinstance(part, Native.Place):
            return found[part.number]
        if type(part) in (list, tuple):
            return type(part)(self._filled(p, found) for p in part)
        if isinstance(part, tuple):
            return type(part)(*(self._filled(p, found) for p in part))
        if type(part) is dict:
            return {k: self._filled(v, found) for k, v in part.items()}
        if type(part) is slice:
            return slice(*(self._filled(p, found) for p in (part.start, part.stop, part.step)))
        return part


class Names(Protocol):
    """What the text of a dispatcher asks for the names of objects."""

    def constant(self, value: Any) -> str: ...
    def place(self, path: Path) -> str: ...


@dataclass(frozen=True, slots=True)
class Step:
    """What a kind of step means: what a label says of it, what it leads to from an object, its
    Python text after that of the object, and its text in a dispatcher, where that is another."""

    label: str
    resolve: Callable[[Any, Any], Any]
    text: Callable[[str, Any], str]
    checked: Callable[[str, Any, Names], str] | None = None


def _call_text(root: str, key: Any) -> str:
    named = [f"{name}={value!r}" for name, value in key[1]]
    return f"{root}({', '.join([*map(repr, key[0]), *named])})"


def _native_call(root: str, step: Native, names: Names) -> str:
    found = [root, *map(names.place, step.others)] if step.starts else []
    return f"{names.constant(step)}({', '.join(found)})"


STEPS = {
    "attr": Step(".{0}", getattr, attribute_text),
    "item": Step("[{0!r}]", operator.getitem, lambda root, key: f"{root}[{key!r}]",
                 lambda root, key, names: f"{root}[{names.constant(key)}]"),
    # an item past the class's own ``__getitem__``
    "content": Step("[{0!r}]", content_item, lambda root, key: f"_content_item({root}, {key!r})"),
    # the variable of a closure with this number
    "cell": Step("", lambda root, key: root.__closure__[key].cell_contents,
                 lambda root, key: f"{root}.__closure__[{key}].cell_contents"),
    # what an instance's ``__dict__`` holds
    "slot": Step(".{0}", getattr, attribute_text),
    # the same, where the class has a property or descriptor of that name
    "held": Step(".__dict__[{0!r}]", held_attribute,
                 lambda root, key: f"{root}.__dict__[{key!r}]"),
    # an attribute that is no part of the tree of its instance
    "fixed": Step(".{0}", getattr, attribute_text),
    # an attribute past the class's own ``__getattribute__``
    "bare": Step(".{0}", bare_attribute,
                 lambda root, key: f"_bare_attribute({root}, {key!r})"),
    # an array of a class of the user's as one of NumPy's own
    "base": Step("", lambda root, key: base_array(root),
                 lambda root, key: f"_base_array({root})"),
    # what a function behind ``functools.lru_cache`` has kept for arguments
    "cached": Step("(...)", lambda root, key: cached_value(root, *key), _call_text,
                   lambda root, key, names: f"_cached_value({root}, *{names.constant(key)})"),
    # what a :class:`Native` gives; only that of ``calling`` is written in a path's text
    "native": Step("(...)", lambda root, key: key(root) if key.starts else key(),
                   lambda root, key: f"{root}({', '.join(map(repr, key.template[0][1:]))})",
                   _native_call),
}


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The way to an object.

    Two paths are equal if they lead to the same place: the label does not matter, nor whether
    an attribute was found in the instance's ``__dict__``.  ``root`` is ``("arg", name)`` or
    ``("object", key)`` (an object pinned by the trace: a module's globals, a function);
    ``steps`` are pairs of a kind (see ``STEPS``) and a name, key or number.
    """

    root: tuple[str, Any]
    steps: tuple[tuple[str, Any], ...] = ()
    label: str = ""

    def _place(self) -> tuple[Any, ...]:
        return self.root, tuple(("attr" if kind in ("slot", "fixed") else kind, type(key), key)
                                for kind, key in self.steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and self._place() == other._place()

    def __hash__(self) -> int:
        return hash(self._place())

    def leads_through(self, other: Path) -> bool:
        """Does the way go on from what ``other`` leads to?"""
        return Path(self.root, self.steps[:len(other.steps)]) == other

    def before(self, count: int) -> Path:
        """The way to where its first steps lead."""
        label = str(self.root[1])
        for kind, key in self.steps[:count]:
            label += STEPS[kind].label.format(key)
        return Path(self.root, self.steps[:count], label)

    def child(self, kind: str, key: Any) -> Path:
        key = str(key) if kind in ("slot", "fixed") else key
        return Path(self.root, (*self.steps, (kind, key)), f"{self}{STEPS[kind].label.format(key)}")

    def __str__(self) -> str:
        return self.label or str(self.root[1])

    def text(self, root: str) -> str:
        """Python text of the path, given the text of its root."""
        for kind, key in self.steps:
            root = STEPS[kind].text(root, key)
        return root

    def met(self, root: Any) -> Iterator[Any]:
        """The objects on the way, given the root object, which is the first."""
        yield root
        for kind, key in self.steps:
            root = STEPS[kind].resolve(root, key)
            yield root

    def resolve(self, root: Any) -> Any:
        """The object at the end of the path, given its root object."""
        *_, found = self.met(root)
        return found


@dataclass(frozen=True, slots=True)
class Guard:
    """A fact about the outside world.

    ``kind`` and ``data``:

    ``type``       data: the exact type
    ``is``         data: the very object (functions, classes, modules)
    ``equals``     data: a static value (None, bool, str, int, tuple …), compared with type
    ``length``     data: ``len``
    ``keys``       data: tuple of dict keys in order
    ``missing``    data: attribute name that must not exist
    ``inherited``  data: attribute name that the object itself does not hold
    ``distinct``   data: (paths of objects that are no others, paths of those others)
    ``is_path``    data: the path where the very object is found too
    ``is_not_path`` data: the path where another object is found
    ``owns``       data: attribute name that the object itself holds, besides its class
    ``holds``      data: (name, descriptor that a class holds itself under this name)
    ``array``      data: (dtype, ndim, axes of size 1)
    ``overlap``    data: ((path, path), bool): do the two arrays share memory?
    ``contiguous`` data: bool, C-contiguity
    ``size``       data: (relation, dim, number), relation ``==``, ``!=``, ``>=``, ``<``
    ``defaults``   data: None; the function's defaults are those of the call's signature
    ``builtin``    data: (name, builtin or UNBOUND): path leads to globals that hide it not
    ``gives``      data: (function, arguments, result): what a function of the standard library
                   gives for these paths and objects

    In what outlives tracing the data of ``type`` and ``is`` are :class:`Held`.
    """

    kind: str
    path: Path | None
    data: Any
    where: Where | None = None

    def filled(self, sentence: str, subject: str, text: Callable[[Path], str]) -> str:
        """A sentence or condition of ``FACTS`` about this fact's place and data."""
        data = text(self.data) if isinstance(self.data, Path) else self.data
        return sentence.format(subject, data)

    def kept(self) -> Guard:
        """The guard as generated code keeps it."""
        if self.kind in ("type", "is"):
            return replace(self, data=Held(self.data))
        if self.kind == "gives" and type(self.data[2]) is list:
            return replace(self, data=(*self.data[:2], [Held(x) for x in self.data[2]]))
        return self

    def paths(self) -> list[Path]:
        """The places that the fact is about."""
        found = (self.data,)
        if self.kind == "distinct":
            found = (*self.data[0], *self.data[1])
        elif self.kind == "gives":
            found = self.data[1]
        return [p for p in (self.path, *found) if isinstance(p, Path)]


# What facts of a kind state: in words, and as a condition, where one says all.
FACTS: dict[str, tuple[str, str | None]] = {
    "is": ("{0} is the object it was", None),
    "defaults": ("the defaults of {0} are those it had", None),
    "is_path": ("{0} and {1} are one object", "{0} is {1}"),
    "is_not_path": ("{0} and {1} are two objects", "{0} is not {1}"),
    "equals": ("{0} == {1!r}", None),
    "length": ("len({0}) is {1}", "len({0}) == {1}"),
    "missing": ("{0} has no attribute {1}", "not hasattr({0}, {1!r})"),
    "inherited": ("{0} inherits {1}", "{1!r} not in getattr({0}, '__dict__', ())"),
    "owns": ("{0} has a {1} of its own", "{1!r} in {0}.__dict__"),
    "holds": ("{0}.{1[0]} is the descriptor it was", None),
    "overlap": ("{0} and {1} share no memory", None),
    "extent": ("{0}.shape[{1[0]}] is {1[1]}", "{0}.shape[{1[0]}] == {1[1]}"),
    "contiguous": ("{0} is contiguous: {1}", "{0}.flags.c_contiguous is {1}"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """An input of the graph: where it is found, and what is known of it."""

    path: Path
    role: str  # "array", "scalar", "int", "object"


@dataclass(frozen=True, slots=True)
class SizeSource:
    """What a symbol of the graph stands for: ``shape[axis]`` of an input, or the input itself
    (an int) where ``axis`` is None."""

    path: Path
    axis: int | None
    symbol: Poly


def overlap(a: Any, b: Any) -> bool:
    """Do two arrays share memory?  Or arrays in lists, each with one of the other list; those of
    one list with each other, if it is both.  (Bounds first; the exact test only of two arrays.)

    >>> x = np.arange(4.0)
    >>> overlap(x, x[1:]), overlap([x[2:], x[:2]], x[:1]), overlap(found := [x[:2], x[2:]], found)
    (True, True, False)
    """
    if type(a) is not list and type(b) is not list:
        return np.may_share_memory(a, b) and bool(np.shares_memory(a, b))
    groups = [x if type(x) is list else [x] for x in ((a,) if a is b else (a, b))]
    last = [0] * len(groups)  # where those met so far end
    for low, high, which in sorted(
            (*byte_bounds(array), k) for k, group in enumerate(groups) for array in group):
        if last[0 if a is b else 1 - which] > low:
            return True
        last[which] = max(last[which], high)
    return False
