"""Instances: of the user's classes by their staged ``__init__``, of others natively."""

from __future__ import annotations

import array
import dataclasses
import enum
import pathlib
from typing import Any

import numpy as np

from ...stage.source import is_generated
from ...types.kinds import OPAQUE
from ...types.subclasses import native_class
from ..boundary.process_state import note_exact
from ..collaborator import Args, Collaborator, Kwargs
from ..record.structures import is_library
from ..record.tracers import contains_tracer, users_class
from ..values.state_of_c import is_made_anew


class Construction(Collaborator):
    """``Class(...)``."""

    speaks_to = ("calls", "class_attributes", "containers", "effects", "library_calls",
                 "native_methods", "references")

    def __init__(self) -> None:
        self.exceptions: dict[int, tuple[BaseException, tuple[Any, ...], dict[str, Any]]] = {}

    def construct(self, cls: type, args: Args, kwargs: Kwargs) -> Any:
        """An instance: of a user's class by its staged ``__init__``, of others natively."""
        if cls.__module__ in ("builtins", "collections"):
            args = tuple(self.containers.resolved(a) for a in args)
        if issubclass(cls, np.generic) and contains_tracer(args):
            return self.library_calls.numeric_call(cls, args, kwargs)
        if issubclass(cls, BaseException):
            error = cls(*args, **kwargs)
            self.exceptions[id(error)] = (error, args, kwargs)
            return error
        if issubclass(cls, (type,)):
            return self.class_attributes.made_class(cls(*args, **kwargs))
        if is_made_anew(cls, args, kwargs):
            return self.effects.emit_effect(cls, args, kwargs, OPAQUE)
        if issubclass(cls, (array.array, pathlib.PurePath)) and not contains_tracer(args):
            return cls(*args, **kwargs)
        if cls is np.poly1d and contains_tracer(args):
            return self.references.instance(cls, args, kwargs)
        if cls.__module__ in ("builtins", "collections", "numpy") or cls.__flags__ & (1 << 9) == 0:
            if is_library(cls.__module__) or not (contains_tracer(args)):
                if cls.__module__.startswith("numpy") and contains_tracer((args, kwargs)):
                    return self.library_calls.numeric_call(cls, args, kwargs)
                return note_exact(self.machine, cls(*args, **kwargs))
        if is_library(cls.__module__) and not hasattr(cls.__init__, "__code__"):
            return self.calls.adopt(cls(*args, **kwargs))
        meta = type(cls)
        if "__call__" in meta.__dict__ and hasattr(meta.__call__, "__code__"):
            return self.machine.call(meta.__call__, cls, *args, **kwargs)
        return self.references.instance(cls, args, kwargs)

    def instance(self, cls: Any, args: Args, kwargs: Kwargs) -> Any:
        """``type.__call__(cls, ...)`` of a class of the user's."""
        new = cls.__new__
        if issubclass(cls, enum.Enum) or (issubclass(cls, (tuple, str, int, float, frozenset)) and (
                not hasattr(new, "__code__") or is_generated(new))):
            return cls(*args, **kwargs)
        if hasattr(new, "__code__") or issubclass(cls, np.ndarray):
            obj = self.machine.call(new, cls, *args, **kwargs)
            if not issubclass(users_class(type(obj)), cls):
                return obj
        else:
            obj = new(cls)
        self.journal.born(obj)
        init = cls.__init__
        if hasattr(init, "__code__"):
            if is_generated(init):
                self._generated_init(cls, obj, args, kwargs)
            else:
                self.machine.call(init, obj, *args, **kwargs)
        elif native_class(cls) is not None and not isinstance(obj, (tuple, frozenset)):
            self.native_methods.native_method(obj, "__init__", args, kwargs)
        elif init is not object.__init__ and not isinstance(obj, (tuple, frozenset)):
            init(obj, *args, **kwargs)
        elif (args or kwargs) and new is object.__new__:
            cls(*args, **kwargs)  # raises Python's own TypeError
        return obj

    def _generated_init(self, cls: Any, obj: Any, args: Args, kwargs: Kwargs) -> None:
        """The ``__init__`` of a dataclass: it only assigns; ``__post_init__`` and the factories
        of defaults are staged."""
        kwargs = self._with_factories(cls, args, kwargs)
        post = cls.__dict__.get("__post_init__") or getattr(cls, "__post_init__", None)
        if post is None:
            cls.__init__(obj, *args, **kwargs)
            return
        held: list[Any] = []
        own = "__post_init__" in cls.__dict__
        cls.__post_init__ = lambda self, *a: held.extend(a)
        try:
            cls.__init__(obj, *args, **kwargs)
        finally:
            if own:
                cls.__post_init__ = post
            else:
                del cls.__post_init__
        self.machine.call(post, obj, *held)

    def _with_factories(self, cls: Any, args: Args, kwargs: Kwargs) -> dict[str, Any]:
        """The keywords of a dataclass, with the defaults that ``default_factory`` makes."""
        fields = [f for f in getattr(cls, "__dataclass_fields__", {}).values() if f.init]
        given = {f.name for f in [f for f in fields if not f.kw_only][:len(args)]}
        made = {f.name: self.calls.adopt(self.machine.call(f.default_factory)) for f in fields
                if f.default_factory is not dataclasses.MISSING
                and f.name not in given and f.name not in kwargs}
        return {**kwargs, **made}
