"""Nested containers of tensors: flatten and rebuild dicts, lists, tuples, namedtuples."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from srcgrad.eager.calling_errors import refuse


def flatten(tree: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """The leaves of ``tree`` and a function that rebuilds it from others.

    >>> leaves, rebuild = flatten({"a": 1, "b": (2, 3)})
    >>> rebuild([x * 10 for x in leaves])
    {'a': 10, 'b': (20, 30)}
    """
    leaves: list[Any] = []
    shape = _shape(tree, leaves)

    def rebuild(values: list[Any]) -> Any:
        return _build(shape, iter(values))

    return leaves, rebuild


def _shape(tree: Any, leaves: list[Any]) -> Any:
    if isinstance(tree, dict):
        kind = type(tree)
        return kind, [(k, _shape(v, leaves)) for k, v in tree.items()]
    if isinstance(tree, list | tuple):
        return type(tree), [_shape(v, leaves) for v in tree]
    leaves.append(tree)
    return None


def _build(shape: Any, values: Any) -> Any:
    if shape is None:
        return next(values)
    kind, parts = shape
    if issubclass(kind, dict):
        pairs = [(k, _build(s, values)) for k, s in parts]
        return OrderedDict(pairs) if kind is OrderedDict else dict(pairs)
    built = [_build(s, values) for s in parts]
    return kind(*built) if hasattr(kind, "_fields") else kind(built)


def outline(tree: Any) -> str:
    """The structure of ``tree`` with a star for each leaf."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{k!r}: {outline(v)}" for k, v in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(outline, tree)) + "]"
    if isinstance(tree, tuple):
        return "(" + ", ".join(map(outline, tree)) + (",)" if len(tree) == 1 else ")")
    return "*"


def specification(tree: Any) -> str:
    """The structure of nested containers as messages about calls show it."""
    if isinstance(tree, dict):
        start, parts = f"TreeSpec(dict, {list(tree)}, [", list(tree.values())
    elif isinstance(tree, tuple | list):
        start, parts = f"TreeSpec({type(tree).__name__}, None, [", list(tree)
    else:
        return "*"
    shown = [specification(v).replace("\n", "\n  ") for v in parts]
    return start + ",\n  ".join(shown) + "])"


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """``tree`` with ``function`` applied to each leaf."""
    leaves, rebuild = flatten(tree)
    return rebuild([function(v) for v in leaves])


def broadcast_prefix(prefix: Any, tree: Any) -> list[Any]:
    """``prefix`` (a value for all, or a partial tree) spread over the leaves of ``tree``."""
    if isinstance(tree, dict):
        return [x for k, v in tree.items()
                for x in broadcast_prefix(prefix[k] if isinstance(prefix, dict) else prefix, v)]
    if isinstance(tree, list | tuple):
        if isinstance(prefix, list | tuple):
            refuse(len(prefix) != len(tree), "expected {} entries for a container of that length, "
                   "got {}", len(tree), len(prefix), kind=ValueError)
            return [x for p, v in zip(prefix, tree) for x in broadcast_prefix(p, v)]
        return [x for v in tree for x in broadcast_prefix(prefix, v)]
    return [prefix]
