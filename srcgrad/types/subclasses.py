"""Instances of classes that derive from Python's containers, or from ndarray.

Such an instance has *content*, which code of C keeps, beside its attributes.  What is here looks
at the content directly, whatever methods the class overrides.
"""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

PLAIN = (list, tuple, dict, set, frozenset, deque)
NATIVE = frozenset({*PLAIN, OrderedDict, defaultdict})


class Attribute(str):
    """The key of an attribute, beside the keys of the content."""

    __slots__ = ()


def own_namespace(obj: Any, otherwise: Any = MappingProxyType({})) -> Any:
    """What an object holds by name, whatever its class says of ``__dict__``; ``otherwise`` where it
    has slots alone.

    >>> class Slots:
    ...     __slots__ = ()
    ...     def __getattr__(self, name): return 1.0
    >>> own_namespace(Slots()), Slots().__dict__
    (mappingproxy({}), 1.0)
    """
    try:
        return object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return otherwise


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
    base = native_class(type(obj))
    if isinstance(obj, dict):
        return tuple((base or dict).items(obj))
    return tuple(iter(obj) if base is None else base.__iter__(obj))


def item_step(obj: Any) -> str:
    """The kind of a path step to an item: past a ``__getitem__`` of the class's own."""
    own = native_class(type(obj)) is not None and hasattr(type(obj).__getitem__, "__code__")
    return "content" if own else "item"


def bare_attribute(obj: Any, name: str) -> Any:
    """An attribute past the class's own ``__getattribute__``."""
    return object.__getattribute__(obj, name)


def overrides(cls: type, name: str) -> bool:
    """Does a class decide what becomes of an attribute that is set or deleted, so that an instance
    holds it in its ``__dict__`` alone (behind a property, a descriptor with ``__set__``)?"""
    found = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
    return is_data_descriptor(found) and not isinstance(
        found, (types.MemberDescriptorType, types.GetSetDescriptorType))


def is_data_descriptor(found: Any) -> bool:
    """Does what a class holds decide what is set or deleted under its name?"""
    return hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")


def decides(cls: type, name: str) -> bool:
    """Does a class decide what an attribute is, whatever an instance holds under its name?"""
    found = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
    return hasattr(type(found), "__get__") and overrides(cls, name)


def held_attribute(obj: Any, name: str) -> Any:
    """What an instance holds itself, past its class."""
    return vars(obj)[name] if overrides(type(obj), name) else object.__getattribute__(obj, name)


def hold(obj: Any, name: str, value: Any) -> None:
    """Let an instance hold an attribute itself, past its class."""
    if overrides(type(obj), name):
        vars(obj)[name] = value
    else:
        object.__setattr__(obj, name, value)


def content_item(obj: Any, key: Any) -> Any:
    """``obj[key]``, by the code of C."""
    return (native_class(type(obj)) or type(obj)).__getitem__(obj, key)


def attributes_of(obj: Any) -> dict[str, Any]:
    """The attributes of such an instance; none if they are its content too."""
    own = own_namespace(obj, None)
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
        hold(new, name, value)
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


# ---- what operators, calls and protocols find in a class -------------------------------------
_ABOUT = frozenset({"__module__", "__qualname__", "__doc__", "__dict__", "__weakref__",
                    "__annotations__", "__annotate__", "__annotate_func__", "__static_attributes__",
                    "__firstlineno__", "__type_params__", "__parameters__", "__orig_bases__",
                    "__abstractmethods__", "__annotations_cache__", "__slotnames__"})


def special_members(cls: type) -> list[Any]:
    """The special methods, and other special attributes with a meaning, of a class itself.

    >>> class Row:
    ...     def __len__(self): return 3
    >>> special_members(Row) == [Row.__len__]
    True
    """
    return [v for n, v in cls.__dict__.items() if n[:2] == "__" == n[-2:] and n not in _ABOUT]


# ---- ndarray ---------------------------------------------------------------------------------
ARRAY = "_array_"  # the key of the array itself, beside the names of its attributes


def is_array_class(cls: Any) -> bool:
    """Is it a class of the user's that derives from ndarray, and from no other class of NumPy's
    that does but ``np.matrix``; or that class?

    >>> class Vec(np.ndarray): pass
    >>> is_array_class(Vec), is_array_class(np.matrix), is_array_class(np.ma.MaskedArray)
    (True, True, False)
    """
    return isinstance(cls, type) and issubclass(cls, np.ndarray) and cls is not np.ndarray and all(
        k in (np.ndarray, np.matrix) or not issubclass(k, np.ndarray)
        or k.__module__.split(".")[0] != "numpy" for k in cls.__mro__)


def base_array(obj: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array itself, as one of NumPy's own class; it shares the memory."""
    return np.ndarray.view(obj, np.ndarray)


def attributes_of_array(obj: Any) -> dict[str, Any]:
    """The attributes of an instance, those in slots too."""
    found = {n: getattr(obj, n) for k in type(obj).__mro__ for n in _slots_of(k)
             if n not in ("__dict__", "__weakref__") and hasattr(obj, n)}
    return {**found, **own_namespace(obj)}


def classed_array(cls: Any, array: Any, attributes: Mapping[str, Any]) -> Any:
    """The array as one of a class of the user's, with these attributes; its
    ``__array_finalize__`` does not run.

    >>> class Signal(np.ndarray):
    ...     def __array_finalize__(self, obj): self.rate = 1.0
    >>> classed_array(Signal, np.arange(2.0), {"rate": 5.0}).rate
    5.0
    """
    plain = np.asarray(array)
    made: Any = np.ndarray.view(plain, _unfinished(cls))
    try:
        made.__class__ = cls
    except TypeError:  # slots on several levels: no other class has such a layout
        made = np.ndarray.view(plain, cls)
    for name, value in attributes.items():
        hold(made, name, value)
    return made


def _slots_of(cls: type) -> tuple[str, ...]:
    slots = vars(cls).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


_LAYOUTS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def _unfinished(cls: Any) -> Any:
    """A class with the memory layout of ``cls`` and none of its methods."""
    if cls is np.ndarray:
        return cls
    if cls not in _LAYOUTS:
        bases = tuple(_unfinished(b) for b in cls.__bases__ if issubclass(b, np.ndarray))
        own = vars(cls).get("__slots__", ())
        bare = "__slots__" in vars(cls) and cls.__dictoffset__ == bases[0].__dictoffset__
        _LAYOUTS[cls] = type(cls.__name__, bases, {"__slots__": own} if bare else {})
    return _LAYOUTS[cls]
