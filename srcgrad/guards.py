"""Paths to what a traced function read from outside, and the guards on them.

A :class:`Path` says how to find an object again at each call (``self.layers[2].W``,
``global cfg['lr']``); a :class:`Guard` states a fact that the generated code relies on.
Both know their own Python text, from which the dispatcher is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .dims import Poly
from .errors import Where
from .subclasses import base_array, content_item


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The way to an object.

    Two paths are equal if they lead to the same place: the label does not matter, nor whether
    an attribute was found in the instance's ``__dict__``.  ``root`` is ``("arg", name)`` or
    ``("object", key)`` (an object pinned by the trace: a module's globals, a function);
    ``steps`` are ``("attr", name)``, ``("item", key)``, ``("content", key)`` (an item past the
    class's own ``__getitem__``), ``("cell", index)`` (of a closure),
    ``("slot", name)`` (an instance's ``__dict__``), ``("rows", None)`` (the equal arrays of a
    list as one), ``("base", None)`` (an array of a class of the user's as one of NumPy's own)."""

    root: tuple[str, Any]
    steps: tuple[tuple[str, Any], ...] = ()
    label: str = ""

    def _place(self) -> tuple[Any, ...]:
        return self.root, tuple(("attr" if kind == "slot" else kind, type(key), key)
                                for kind, key in self.steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and self._place() == other._place()

    def __hash__(self) -> int:
        return hash(self._place())

    def child(self, kind: str, key: Any) -> Path:
        key = str(key) if kind == "slot" else key
        text = {"attr": f"{self}.{key}", "item": f"{self}[{key!r}]",
                "content": f"{self}[{key!r}]",
                "cell": f"{self}", "slot": f"{self}.{key}", "rows": f"{self}",
                "base": f"{self}"}[kind]
        return Path(self.root, (*self.steps, (kind, key)), text)

    def __str__(self) -> str:
        return self.label or str(self.root[1])

    def text(self, root: str) -> str:
        """Python text of the path, given the text of its root."""
        for kind, key in self.steps:
            if kind in ("attr", "slot"):
                root = f"{root}.{key}"
            elif kind == "item":
                root = f"{root}[{key!r}]"
            elif kind == "content":
                root = f"_content_item({root}, {key!r})"
            elif kind == "rows":
                root = f"_stacked({root})"
            elif kind == "base":
                root = f"_base_array({root})"
            else:
                root = f"{root}.__closure__[{key}].cell_contents"
        return root

    def resolve(self, root: Any) -> Any:
        """The object at the end of the path, given its root object."""
        for kind, key in self.steps:
            if kind in ("attr", "slot"):
                root = getattr(root, key)
            elif kind == "item":
                root = root[key]
            elif kind == "content":
                root = content_item(root, key)
            elif kind == "rows":
                root = stacked(root)
            elif kind == "base":
                root = base_array(root)
            else:
                root = root.__closure__[key].cell_contents
        return root


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
    ``condition``  data: (Python text over atoms, bool) — outcome of a call-invariant test
    """

    kind: str
    path: Path | None
    data: Any
    where: Where | None = None


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


MANY = 8  # longer lists of equal arrays are one array in generated code


def stacked(items: Any) -> np.ndarray[Any, Any] | None:
    """The equal arrays of a long list as the rows of one array; None where they are unlike.

    >>> stacked([np.ones(2)] * 9).shape, stacked([np.ones(2)] * 8), stacked([1.0] * 9)
    ((9, 2), None, None)
    """
    if type(items) is not list or len(items) <= MANY or type(items[0]) is not np.ndarray:
        return None
    dtype, shape = items[0].dtype, items[0].shape
    if dtype.kind not in "fc" or not dtype.isnative:
        return None
    for array in items:
        if type(array) is not np.ndarray or array.dtype != dtype or array.shape != shape or (
                not array.flags.c_contiguous):
            return None
    return np.stack(items)
