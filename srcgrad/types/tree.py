"""Containers of numbers: flattening, rebuilding, and the structure of gradients.

Dicts, lists, tuples, named tuples, deques, dataclasses and plain instances are containers;
everything else is a leaf, also an instance of a class of NumPy or SciPy: its numbers are used by
code that is not followed.
"""

from __future__ import annotations

import dataclasses
import sys
from collections import deque
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import StructureError
from .dataclasses import dataclass
from .guards import Path
from .subclasses import (
    ARRAY,
    PLAIN,
    assembled,
    classed_array,
    hold,
    is_array_class,
    native_class,
    overrides,
    own_namespace,
    parts_of,
)


@dataclass(frozen=True)
class Node:
    """The structure of a container: its type, the keys of its parts, and their structures."""

    cls: type
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]

    def __str__(self) -> str:
        if self.cls is dict:
            inner = ", ".join(f"{k!r}: {p}" for k, p in zip(self.keys, self.parts, strict=True))
            return "{" + inner + "}"
        inner = ", ".join(map(str, self.parts))
        return f"{self.cls.__name__}({inner})"


@dataclass(frozen=True)
class Leaf:
    """The place of one leaf in a structure."""

    def __str__(self) -> str:
        return "*"


LEAF = Leaf()


@dataclass(frozen=True, eq=False)
class Fixed:
    """What belongs to an instance and is no part of its tree: it goes along as it is."""

    value: Any

    def __str__(self) -> str:
        return "-"


_PARTS: WeakKeyDictionary[type, frozenset[str]] = WeakKeyDictionary()


def tree_register(cls: type, *names: str) -> type:
    """Say which attributes of instances of a class are the parts of a tree.

    Without it all are.  The others go along as they are: :func:`tree_map`, :func:`ravel_tree` and
    minimisers leave them alone, and gradients have None there.  It belongs beside the class, before
    the first use, and does not hold for classes derived from it.  Returns the class.

    Raises :class:`StructureError` for what is no class, a class that is a container of Python's
    or an array, and names that are no texts.

    See also :func:`tree_map`, :func:`srcgrad.grad`.

    >>> class Layer:
    ...     def __init__(self, weights, mask):
    ...         self.weights, self.mask = weights, mask
    >>> tree_register(Layer, "weights").__name__
    'Layer'
    >>> doubled = tree_map(lambda x: 2.0 * x, Layer(3.0, 1.0))
    >>> doubled.weights, doubled.mask
    (6.0, 1.0)
    """
    if not isinstance(cls, type) or issubclass(cls, (*PLAIN, np.ndarray, np.generic)):
        raise StructureError(
            f"tree_register was given {cls!r}", where="the first argument of tree_register",
            why="it tells what the attributes of the instances of a class are",
            fix="give a class of your own that is no list, tuple, dict or array")
    if not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise StructureError(f"tree_register was given the names {names!r}",
                             where="the names of tree_register",
                             why="they name attributes", fix='write tree_register(cls, "a", "b")')
    _PARTS[cls] = frozenset(names)
    return cls


def children(obj: Any) -> list[tuple[str, Any, Any]] | None:
    """The parts of a container as (path step, key, part); None for a leaf.  The step of what is
    no part of a registered class is ``fixed``.

    >>> children({"w": 1.0})
    [('item', 'w', 1.0)]
    """
    found = _parts(obj)
    named = _PARTS.get(type(obj)) if _PARTS and found is not None else None
    return found if named is None or found is None else [
        (step if key in named else "fixed", key, part) for step, key, part in found]


def _parts(obj: Any) -> list[tuple[str, Any, Any]] | None:
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return [("attr", n, getattr(obj, n)) for n in obj._fields]
    if native_class(type(obj)) is not None and not isinstance(obj, (set, frozenset)):
        return None if hasattr(type(obj), "tocsr") else parts_of(obj)  # a sparse one is a leaf
    if isinstance(obj, (list, tuple, deque)):
        return [("item", i, x) for i, x in enumerate(obj)]
    if isinstance(obj, dict):
        return [("item", k, v) for k, v in obj.items()]
    if isinstance(obj, type) or obj is None or hasattr(type(obj), "__array_namespace__"):
        return None
    if dataclasses.is_dataclass(obj):
        return [("attr", f.name, getattr(obj, f.name)) for f in dataclasses.fields(obj)]
    if _is_plain_instance(obj):
        cls = type(obj)
        return [("held" if overrides(cls, n) else "slot", n, v) for n, v in vars(obj).items()]
    names = _slots(obj)
    if names:
        return [("attr", n, getattr(obj, n)) for n in names]
    return None


def _slots(obj: Any) -> list[str]:
    """The slots of an instance of a user-written class that has no ``__dict__``."""
    cls = type(obj)
    package = cls.__module__.split(".")[0]
    slotted = any("__slots__" in vars(k) for k in cls.__mro__)
    library = package in sys.stdlib_module_names or package in ("srcgrad", "numpy", "scipy")
    if library or not slotted or own_namespace(obj, None) is not None or isinstance(
            obj, (np.ndarray, np.generic)):
        return []
    found: list[str] = []
    for k in reversed(cls.__mro__):
        slots = vars(k).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = name
            if name.startswith("__") and not name.endswith("__"):
                mangled = f"_{k.__name__.lstrip('_')}{name}"
            if name != "__weakref__" and hasattr(obj, mangled):
                found.append(mangled)
    return found


def _is_plain_instance(obj: Any) -> bool:
    cls = type(obj)
    return (cls.__module__.split(".")[0] not in ("builtins", "numpy", "scipy")
            and own_namespace(obj, None) is not None
            and not callable(getattr(obj, "__array__", None)) and not isinstance(
                obj, (np.ndarray, np.generic)) and not hasattr(cls, "__get__")
            and cls.__name__ not in ("module", "function"))


def blank(cls: Any) -> Any:
    """An instance whose ``__init__`` has not run."""
    try:
        return object.__new__(cls)
    except TypeError:  # a class of C code, such as SimpleNamespace
        return cls.__new__(cls)


def assemble(cls: type, keys: tuple[Any, ...], parts: list[Any]) -> Any:
    """A container of the given type from its parts; ``__init__`` does not run."""
    if native_class(cls) is not None:
        return assembled(cls, keys, parts)
    if issubclass(cls, np.ndarray):
        named = dict(zip(keys, parts, strict=True))
        return classed_array(cls, named.pop(ARRAY), named)
    if cls is dict:
        return dict(zip(keys, parts, strict=True))
    if issubclass(cls, tuple):
        return cls(*parts) if hasattr(cls, "_fields") else tuple(parts)
    if cls is list or cls is deque:
        return cls(parts)
    new = blank(cls)
    for key, part in zip(keys, parts, strict=True):
        hold(new, key, part)
    return new


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """The leaves of a tree, in order, and its structure.

    The parts of dicts come in their order, those of objects in the order of their attributes.

    Raises :class:`StructureError` for a container that contains itself.

    See also :func:`tree_unflatten`, :func:`tree_map`, :func:`ravel_tree`.

    >>> import srcgrad as sg
    >>> leaves, structure = sg.tree_flatten({"a": [1.0, 2.0], "b": 3.0})
    >>> leaves
    [1.0, 2.0, 3.0]
    >>> sg.tree_unflatten(structure, [4.0, 5.0, 6.0])
    {'a': [4.0, 5.0], 'b': 6.0}
    """
    leaves: list[Any] = []
    above: set[int] = set()

    def visit(obj: Any) -> Any:
        parts = children(obj)
        if parts is None:
            leaves.append(obj)
            return LEAF
        _enter(obj, above)
        below = tuple(Fixed(p) if step == "fixed" else visit(p) for step, _, p in parts)
        above.discard(id(obj))
        return Node(type(obj), tuple(k for _, k, _ in parts), below)

    structure = visit(tree)
    return leaves, structure


def unflatten(structure: Any, leaves: list[Any] | tuple[Any, ...]) -> Any:
    """The tree of a structure with these leaves.

    Raises :class:`StructureError` if their number is wrong.

    See also :func:`tree_flatten`, :func:`tree_map`.

    >>> import srcgrad as sg
    >>> sg.tree_unflatten(sg.tree_flatten((1.0, {"a": 2.0}))[1], [3.0, 4.0])
    (3.0, {'a': 4.0})
    """
    rest = list(leaves)

    def visit(node: Any) -> Any:
        if isinstance(node, Leaf):
            if not rest:
                raise StructureError("too few leaves for the structure", where=str(structure))
            return rest.pop(0)
        if isinstance(node, Fixed):
            return node.value
        return assemble(node.cls, node.keys, [visit(p) for p in node.parts])

    tree = visit(structure)
    if rest:
        raise StructureError(f"{len(rest)} leaves too many for the structure",
                             where=str(structure))
    return tree


def emptied(structure: Any) -> Any:
    """The structure of a derivative: None in the place of what is no part of the tree."""
    if isinstance(structure, Node):
        return Node(structure.cls, structure.keys, tuple(map(emptied, structure.parts)))
    return Fixed(None) if isinstance(structure, Fixed) else structure


def tree_map(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """Apply a function to the leaves of one or several trees of the same structure.

    Parts are found by their keys; the result has the containers of the first tree.

    Raises :class:`StructureError` where the structures differ.

    See also :func:`tree_flatten`, :func:`ravel_tree`.

    >>> tree_map(lambda p, g: p - 0.1 * g, {"w": 1.0}, {"w": 2.0})
    {'w': 0.8}
    """
    leaves, structure = flatten(tree)
    columns = [leaves]
    for other in rest:
        columns.append(aligned(structure, other))
        if any(children(part) is not None for part in columns[-1]):
            raise unlike(structure, other)
    return unflatten(structure, [function(*row) for row in zip(*columns, strict=True)])


def aligned(structure: Any, tree: Any) -> list[Any]:
    """What stands in a tree where ``structure`` has leaves; parts are found by their keys.

    >>> structure = flatten({"a": 0.0, "b": [0.0, 0.0]})[1]
    >>> aligned(structure, {"b": [2.0, 3.0], "a": 1.0})
    [1.0, 2.0, 3.0]
    """
    found: list[Any] = []

    def visit(node: Any, obj: Any) -> None:
        if isinstance(node, Leaf):
            found.append(obj)
            return
        if isinstance(node, Fixed):
            return
        parts = {key: part for _, key, part in children(obj) or ()}
        if parts.keys() != set(node.keys):
            raise unlike(structure, tree)
        for key, part in zip(node.keys, node.parts, strict=True):
            visit(part, parts[key])

    visit(structure, tree)
    return found


def unlike(structure: Any, tree: Any) -> StructureError:
    """The refusal of a tree that goes with another one and is built differently."""
    return StructureError("the trees have different structures",
                          why=f"{structure} against {flatten(tree)[1]}",
                          fix="give containers with the same keys")


def _enter(obj: Any, above: set[int]) -> None:
    """Note a container that is being walked through; it may not be a part of itself."""
    if id(obj) in above:
        raise endless(obj)
    above.add(id(obj))


def endless(obj: Any) -> StructureError:
    """The refusal of a container that is a part of itself."""
    return StructureError(
        f"a {type(obj).__name__} contains itself",
        why="a gradient has the structure of its argument, and this one has no end",
        fix="pass the parts that are differentiated as an argument of their own, and the "
            "linked objects as one that is not")


def paths_below(obj: Any, path: Path, above: set[int] | None = None, whole: bool = False
                ) -> list[tuple[Path, Any]]:
    """All leaves of an argument with their paths, in order; with ``whole`` what is no part of the
    tree counts as one.  StructureError if it contains itself."""
    parts = children(obj)
    if parts is None or (whole and is_fixed(path)):
        return [(path if is_fixed(path) else leaf_path(obj, path), obj)]
    above = set() if above is None else above
    _enter(obj, above)
    found = []
    for step, key, part in parts:
        found.extend(paths_below(part, path.child(step, key), above, whole))
    above.discard(id(obj))
    return found


def is_fixed(path: Path) -> bool:
    """Does it lead to what is no part of the tree of a registered class?"""
    return bool(path.steps) and path.steps[-1][0] == "fixed"


def argument_leaves(obj: Any, path: Path) -> list[tuple[Path, Any]]:
    """The leaves of an argument with their paths; None for what is no part of its tree."""
    return [(p, None if is_fixed(p) else leaf) for p, leaf in paths_below(obj, path, whole=True)]


def leaf_path(obj: Any, path: Path) -> Path:
    """Where the numbers of a leaf lie: an array of a class of the user's, or in a file, is read
    as one of NumPy's own."""
    return path.child("base", None) if is_array_class(type(obj)) or (
        type(obj) is np.memmap) else path


def ravel_tree(tree: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """All numbers of a tree as one vector, and the function that turns a vector back.

    Returns ``(flat, unravel)``; ``flat`` has the promoted dtype of the leaves, ``unravel``
    gives each leaf its own shape, dtype and kind again.

    Raises :class:`StructureError` for leaves that are no numbers, and where ``unravel`` gets
    another length.

    See also :func:`tree_flatten`, :func:`tree_map`.

    >>> flat, unravel = ravel_tree({"w": np.ones((2, 2)), "b": 0.5})
    >>> flat
    array([1. , 1. , 1. , 1. , 0.5])
    >>> unravel(2 * flat)["b"]
    1.0
    """
    leaves, structure = flatten(tree)
    arrays = [np.asarray(leaf) for leaf in leaves]
    strange = next((leaf for leaf, a in zip(leaves, arrays) if a.dtype.kind not in "biufc"), None)
    if strange is not None:
        raise StructureError(
            f"ravel_tree of a tree that holds {strange!r}"[:100], where="the tree of ravel_tree",
            why="a vector holds numbers", fix="take what is no number out of the tree")
    sizes = [a.size for a in arrays]
    flat = np.concatenate([a.ravel() for a in arrays]) if arrays else np.zeros(0)

    def unravel(vector: Any) -> Any:
        vector = of_length(np.asarray(vector), sum(sizes))
        parts, start = [], 0
        for leaf, array, size in zip(leaves, arrays, sizes, strict=True):
            piece = vector[start:start + size].reshape(array.shape)
            start += size
            if isinstance(leaf, np.ndarray):
                parts.append(piece.astype(array.dtype))
            else:
                parts.append(type(leaf)(piece[()]))
        return unflatten(structure, parts)

    return flat, unravel


def of_length(vector: np.ndarray[Any, Any], length: int) -> np.ndarray[Any, Any]:
    """A vector that has this many numbers; StructureError for others."""
    if vector.shape != (length,):
        raise StructureError(f"unravel needs a vector of {length} numbers, got shape "
                             f"{vector.shape}")
    return vector


def ravel_some(tree: Any, wanted: Callable[[Any], bool]
               ) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any], Callable[[Any], Any]]:
    """``(flat, unravel, ravel)``: like :func:`ravel_tree` for the leaves that are ``wanted``; the
    others stay what they are.  ``ravel`` takes the same leaves, broadcast to their shapes, out of a
    tree with the same keys.

    >>> flat, unravel, ravel = ravel_some({"a": 1.0, "kind": "b"}, lambda x: isinstance(x, float))
    >>> unravel(flat + 1.0), ravel({"a": 5.0, "kind": None})
    ({'a': 2.0, 'kind': 'b'}, array([5.]))
    """
    leaves, structure = flatten(tree)
    places = [i for i, leaf in enumerate(leaves) if wanted(leaf)]
    flat, back = ravel_tree([leaves[i] for i in places])

    def unravel(vector: Any) -> Any:
        parts = dict(zip(places, back(vector), strict=True))
        return unflatten(structure, [parts.get(i, leaf) for i, leaf in enumerate(leaves)])

    def ravel(other: Any) -> np.ndarray[Any, Any]:
        found = aligned(structure, other)
        parts = [np.ravel(np.broadcast_to(found[i], np.shape(leaves[i]))) for i in places]
        return np.concatenate(parts) if parts else np.zeros(0)

    return flat, unravel, ravel
