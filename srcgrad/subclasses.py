"""Instances of classes that derive from Python's containers.

Such an instance has *content*, which code of C keeps, beside its attributes.  What is here looks
at the content directly, whatever methods the class overrides.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

PLAIN = (list, tuple, dict, set, frozenset, deque)
NATIVE = frozenset({*PLAIN, OrderedDict, defaultdict})


class Attribute(str):
    """The key of an attribute, beside the keys of the content."""

    __slots__ = ()


def native_class(cls: type) -> Any:
    """The class of C code that keeps the content of instances of ``cls``; None for Python's own
    plain containers, named tuples, and everything that is no container.

    >>> class Row(list): pass
    >>> native_class(Row), native_class(list), native_class(float)
    (<class 'list'>, None, None)
    """
    if not issubclass(cls, PLAIN) or cls in PLAIN or hasattr(cls, "_fields"):
        return None
    return next(k for k in cls.__mro__ if k in NATIVE)


def content_of(obj: Any) -> tuple[Any, ...]:
    """The items of a container (of a dict: key and value), by the code of C."""
    base = native_class(type(obj)) or type(obj)
    if issubclass(base, dict):
        return tuple(base.items(obj))
    return tuple(base.__iter__(obj))


def item_step(obj: Any) -> str:
    """The kind of a path step to an item: past a ``__getitem__`` of the class's own."""
    own = native_class(type(obj)) is not None and hasattr(type(obj).__getitem__, "__code__")
    return "content" if own else "item"


def content_item(obj: Any, key: Any) -> Any:
    """``obj[key]``, by the code of C."""
    return (native_class(type(obj)) or type(obj)).__getitem__(obj, key)


def attributes_of(obj: Any) -> dict[str, Any]:
    """The attributes of such an instance; none if they are its content too."""
    own = getattr(obj, "__dict__", None)
    return {} if own is None or own is obj else own


def parts_of(obj: Any) -> list[tuple[str, Any, Any]]:
    """Content and attributes as (path step, key, part)."""
    items = content_of(obj)
    pairs: Iterable[tuple[Any, Any]] = items if isinstance(obj, dict) else enumerate(items)
    step = item_step(obj)
    return [*((step, k, v) for k, v in pairs),
            *(("slot", Attribute(n), v) for n, v in attributes_of(obj).items())]


def refill(obj: Any, items: Iterable[Any]) -> None:
    """Replace the content of a list, dict, set or deque (``items``: pairs for a dict)."""
    base = native_class(type(obj)) or type(obj)
    base.clear(obj)
    (base.extend if issubclass(base, (list, deque)) else base.update)(obj, items)


def make(cls: Any, items: Iterable[Any], attributes: Mapping[str, Any],
         like: Any = None) -> Any:
    """An instance with this content and these attributes; ``__init__`` does not run.  ``like``
    is an instance whose default factory or greatest length it shares."""
    base = native_class(cls) or cls
    if issubclass(base, (tuple, frozenset)):
        new = base.__new__(cls, items)
    else:
        new = base.__new__(cls)
        if like is not None and base is defaultdict:
            new.default_factory = like.default_factory
        if like is not None and base is deque:
            base.__init__(new, (), like.maxlen)
        refill(new, items)
    for name, value in attributes.items():
        object.__setattr__(new, name, value)
    return new


def assembled(cls: Any, keys: Iterable[Any], parts: Iterable[Any], like: Any = None) -> Any:
    """An instance from the keys and parts that :func:`parts_of` gives.

    >>> class Row(list): pass
    >>> made = assembled(Row, [0, Attribute("name")], [2.5, "a"])
    >>> made, made.name
    ([2.5], 'a')
    """
    pairs = list(zip(keys, parts, strict=True))
    content: list[Any] = [(k, p) for k, p in pairs if type(k) is not Attribute]
    if not issubclass(cls, dict):
        content = [p for _, p in content]
    return make(cls, content, {k: p for k, p in pairs if type(k) is Attribute}, like)
