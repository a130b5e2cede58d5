"""What most machines do alike: the operators that are about Python, not about numbers.

A machine derives from :class:`MachineDefaults` and implements the operators that
:class:`srcgrad.stage.plain.PlainMachine` adds; those below have a meaning in terms of these.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import CellType, ModuleType, resolve_bases
from types import prepare_class as _prepare_class
from typing import Any, Final, Self

from .function import Staged, make_function
from .machine import RESULT, RETURN, UNBOUND, Frame, Jump

_MISSING: Final = object()
_SELF_MATCH: Final = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


class KeptTry:
    """The body of a ``try`` statement of a generator."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def paused(self, item: Any) -> Any:
        """What is yielded: others run until the generator is resumed."""
        return item

    def resumed(self, sent: Any) -> Any:
        """What the generator is sent."""
        return sent


class MachineDefaults:
    """Default operators in terms of the others."""

    # ---- variables -------------------------------------------------------------------
    def load(self, frame: Frame, name: str) -> Any:
        """Read a local or cell variable; UnboundLocalError as Python words it."""
        value = frame.slots.get(name, UNBOUND)
        if value is UNBOUND:
            raise UnboundLocalError(
                f"cannot access local variable '{name}' where it is not associated with a value",
                name=name)
        return value

    def store(self, frame: Frame, name: str, value: Any) -> None:
        """Write a local variable."""
        frame.slots[name] = value

    def delete(self, frame: Frame, name: str) -> None:
        """Delete a local variable."""
        self.load(frame, name)
        del frame.slots[name]

    def load_enclosing(self, frame: Frame, name: str) -> Any:
        """Read a variable of an enclosing staged function, in that function's ``frame``: as
        ``load``, but an unbound one is the NameError about free variables."""
        try:
            return self.load(frame, name)
        except UnboundLocalError:
            pass  # raised below: there the user's own context stays what it was
        raise free_error(name)

    def load_global(self, frame: Frame, name: str) -> Any:
        """Read a name of the function's module, or a builtin."""
        namespace = frame.callee.__globals__
        value = namespace.get(name, _MISSING)
        if value is _MISSING:
            value = _builtin(namespace, name)
        return value

    def store_global(self, frame: Frame, name: str, value: Any) -> None:
        """``global name; name = value``."""
        frame.callee.__globals__[name] = value

    def delete_global(self, frame: Frame, name: str) -> None:
        """``global name; del name``."""
        namespace = frame.callee.__globals__
        if name not in namespace:
            raise NameError(f"name '{name}' is not defined", name=name)
        del namespace[name]

    def free_cell(self, frame: Frame, name: str) -> CellType:
        """The cell of the outermost function's closure with this name."""
        callee = frame.callee
        cell: CellType = callee.__closure__[callee.__code__.co_freevars.index(name)]
        return cell

    def load_free(self, frame: Frame, name: str) -> Any:
        """Read a cell of the *outermost* staged function's own closure (``__closure__``);
        variables of enclosing staged functions are loaded from their frames."""
        try:
            return self.free_cell(frame, name).cell_contents
        except ValueError:
            pass
        raise free_error(name)

    def store_free(self, frame: Frame, name: str, value: Any) -> None:
        """``nonlocal name; name = value``."""
        self.free_cell(frame, name).cell_contents = value

    def delete_free(self, frame: Frame, name: str) -> None:
        """``nonlocal name; del name``."""
        self.load_free(frame, name)
        del self.free_cell(frame, name).cell_contents

    # ---- calls -----------------------------------------------------------------------
    def method(self, obj: Any, name: str) -> Any:
        """First half of ``obj.name(...)`` where an argument may call something: Python looks the
        method up before it evaluates the arguments.  Staged as ``call_bound(method(obj, name),
        ...)``.  By default the lookup waits for the call."""
        return obj, name

    def call_bound(self, method: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Second half of such a method call."""
        obj, name = method
        return self.call_method(obj, name, *args, **kwargs)  # type: ignore[attr-defined]

    def call_scoped(self, frame: Frame, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call of something named ``locals``, ``globals``, ``vars``, ``dir``, ``eval`` or
        ``exec``: the builtins of these names look at the caller's variables."""
        if function is builtins.globals and not args and not kwargs:
            return frame.callee.__globals__
        if function in (builtins.locals, builtins.vars) and not args and not kwargs:
            return visible_locals(frame)
        if function is builtins.dir and not args and not kwargs:
            return sorted(visible_locals(frame))
        if function in (builtins.eval, builtins.exec) and 1 <= len(args) <= 3:
            names = [*args[1:], *[None] * (3 - len(args))]
            namespace = frame.callee.__globals__ if names[0] is None else names[0]
            if names[1] is None:
                names[1] = visible_locals(frame) if names[0] is None else namespace
            return function(args[0], namespace, names[1])
        return self.call(function, *args, **kwargs)  # type: ignore[attr-defined]

    def spread(self, value: Any, function: Any = _MISSING) -> Any:
        """The items of ``*value`` in a display, or in a call of ``function``."""
        if type(value) in (list, tuple):
            return value
        if not hasattr(type(value), "__iter__") and not hasattr(type(value), "__getitem__"):
            kind = type(value).__name__
            if function is _MISSING:
                raise TypeError(f"Value after * must be an iterable, not {kind}")
            raise TypeError(
                f"{_function_text(function)} argument after * must be an iterable, not {kind}")
        return self.iterate(value)

    def spread_items(self, value: Any) -> Any:
        """What ``build_list`` is given for ``*value`` in a list display."""
        return self.spread(value)

    def keywords(self, function: Any, /, *parts: Any) -> dict[str, Any]:
        """All keyword arguments of a call that has ``**``: ``parts`` are mappings, in order, merged
        with Python's checks."""
        merged: dict[str, Any] = {}
        for part in parts:
            if not hasattr(part, "keys"):
                raise TypeError(f"{_function_text(function)} argument after ** must be a mapping, "
                                f"not {type(part).__name__}")
            for key, value in self.mapping_items(part):
                if key in merged:
                    raise TypeError(f"{_function_text(function)} got multiple values for "
                                    f"keyword argument '{key}'")
                if not isinstance(key, str):
                    raise TypeError("keywords must be strings")
                merged[key] = value
        return merged

    def mapping_items(self, mapping: Any) -> list[tuple[Any, Any]]:
        """The pairs of ``**mapping`` in a dict display or a call."""
        if isinstance(mapping, dict):
            return list(mapping.items())
        if not hasattr(mapping, "keys"):
            raise TypeError(f"'{type(mapping).__name__}' object is not a mapping")
        return [(key, mapping[key]) for key in mapping.keys()]  # noqa: SIM118

    # ---- iteration -------------------------------------------------------------------
    def iterate(self, iterable: Any) -> Iterator[Any]:
        """A Python iterator for places that must iterate while staging (star arguments,
        generators, comprehensions over static things)."""
        return iter(iterable)

    def delegate(self, iterable: Any) -> Any:
        """The operand of ``yield from``."""
        return iterable

    def kept_try(self, kinds: list[Callable[[], Any]]) -> Any:
        """A context in which the body of a generator's ``try`` with handlers of these kinds runs;
        what it yields goes through ``paused``, what it is sent through ``resumed``."""
        return KeptTry()

    # ---- definitions -----------------------------------------------------------------
    def define(self, staged: Staged, frame: Frame, defaults: tuple[Any, ...],
               kwdefaults: dict[str, Any], annotations: dict[str, Any]) -> Any:
        """A nested ``def`` or ``lambda``: a real function that, called by code that is not staged,
        runs its staged body on this machine."""
        return make_function(staged, frame, defaults, kwdefaults, annotations)

    def build_class(self, body: Staged, frame: Frame, name: str, bases: tuple[Any, ...],
                    keywords: dict[str, Any]) -> Any:
        """A class statement: ``frame`` is that of the function around it.  The body runs in a
        frame whose slots are the class's namespace; between the two stands a frame that holds
        the cell of ``__class__``."""
        resolved = resolve_bases(bases)
        metaclass, namespace, keywords = _prepare_class(name, resolved, keywords)
        if resolved is not bases:
            namespace["__orig_bases__"] = bases
        cell = CellType()
        outer = Frame(body, frame)
        outer.slots["__class__"] = cell
        inner = Frame(body, outer)
        inner.slots = namespace
        self.born(outer)
        self.born(inner)
        body.code(self, inner)
        if body.uses_class_cell:
            namespace["__classcell__"] = cell
        made = metaclass(name, resolved, namespace, **keywords)
        if body.uses_class_cell:
            _check_class_cell(cell, name, made)
        return made

    def super_(self, cls: Any, obj: Any) -> Any:
        """The object of a zero-argument ``super()``."""
        return super(cls, obj)

    def born(self, obj: Any) -> None:
        """A frame inside an activation (a comprehension, a class body) was made just now: a machine
        with a journal wants to know."""

    def finish(self, frame: Frame, jump: Jump) -> Any:
        """The value of an activation whose body ended with ``jump``.  Every path of a function that
        is no generator ends in ``return_``."""
        return frame.slots.get(RESULT) if jump == RETURN else None

    # ---- exceptions ------------------------------------------------------------------
    def reraise(self) -> Jump:
        """``raise`` without an exception."""
        return self.raise_(None, None, False)  # type: ignore[attr-defined]

    def caught(self) -> BaseException | None:
        """The exception being handled (for handlers whose name is global or nonlocal)."""
        return sys.exc_info()[1]

    # ---- imports ---------------------------------------------------------------------
    def import_module(self, frame: Frame, name: str, names: tuple[str, ...] | None,
                      level: int) -> Any:
        """``import name`` (``names`` None) or ``from name import names``."""
        namespace = frame.callee.__globals__
        importer = _builtin(namespace, "__import__")
        return importer(name, namespace, None, names, level)

    def import_name(self, module: Any, name: str) -> Any:
        """The attribute or submodule that ``from module import name`` binds."""
        try:
            return getattr(module, name)
        except AttributeError:
            pass
        package = getattr(module, "__name__", None)
        found = sys.modules.get(f"{package}.{name}")
        if found is None:
            path = getattr(module, "__file__", None)
            text = repr(package or "<unknown module name>")
            raise ImportError(
                f"cannot import name {name!r} from {text} ({path or 'unknown location'})",
                name=package, path=path)
        return found

    # ---- patterns --------------------------------------------------------------------
    def match_each(self, frame: Frame, slot: str, test: Callable[[], Any]) -> Any:
        """Whether a pattern matches the value of a slot, whichever object that is."""
        return test()

    def match_sequence(self, subject: Any, length: int, star: bool) -> bool:
        """Whether ``[a, b]`` (or with ``star``: at least so long) can match."""
        if not isinstance(subject, Sequence) or isinstance(subject, str | bytes | bytearray):
            return False
        return len(subject) >= length if star else len(subject) == length

    def match_mapping(self, subject: Any, length: int) -> bool:
        """Whether a mapping pattern with ``length`` keys can match."""
        return isinstance(subject, Mapping) and len(subject) >= length

    def match_keys(self, subject: Any, keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The values of these keys, None where one is missing."""
        seen: set[Any] = set()
        values = []
        for key in keys:
            if key in seen:
                raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
            seen.add(key)
            value = subject.get(key, _MISSING)
            if value is _MISSING:
                return None
            values.append(value)
        return tuple(values)

    def match_rest(self, subject: Any, keys: tuple[Any, ...]) -> dict[Any, Any]:
        """``**rest`` of a mapping pattern."""
        rest = dict(subject)
        for key in keys:
            del rest[key]
        return rest

    def match_class(self, subject: Any, cls: Any, positional: int,
                    names: tuple[str, ...]) -> tuple[Any, ...] | None:
        """The values of a class pattern's sub-patterns, None where it does not match."""
        if not isinstance(cls, type):
            raise TypeError("called match pattern must be a class")
        if not self.is_instance(subject, cls):
            return None
        values: list[Any] = []
        wanted: list[str] = []
        if positional:
            attributes = getattr(cls, "__match_args__", None)
            if attributes is None and positional == 1 and issubclass(cls, _SELF_MATCH):
                values.append(subject)
            else:
                wanted += _match_attributes(cls, attributes, positional)
        for name in names:
            if name in wanted:
                raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute "
                                f"{name!r}")
            wanted.append(name)
        for name in wanted:
            try:
                values.append(self.getattr(subject, name))  # type: ignore[attr-defined]
            except AttributeError:
                return None
        return tuple(values)

    def is_instance(self, subject: Any, cls: Any) -> bool:
        """``isinstance`` in a class pattern."""
        return isinstance(subject, cls)


def _check_class_cell(cell: CellType, name: str, made: Any) -> None:
    found = None
    with suppress(ValueError):
        found = cell.cell_contents
    if found is None:
        raise RuntimeError(f"__class__ not set defining {name!r} as {made!r}. "
                           "Was __classcell__ propagated to type.__new__?")
    if found is not made:
        raise TypeError(f"__class__ set to {found!r} defining {name!r} as {made!r}")


def _match_attributes(cls: type, attributes: Any, positional: int) -> list[str]:
    names = () if attributes is None else attributes
    if not isinstance(names, tuple):
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got "
                        f"{type(names).__name__})")
    if len(names) < positional:
        plural = "" if len(names) == 1 else "s"
        raise TypeError(f"{cls.__name__}() accepts {len(names)} positional sub-pattern{plural} "
                        f"({positional} given)")
    return list(names[:positional])


def visible_locals(frame: Frame) -> dict[str, Any]:
    """What ``locals()`` shows: variables that are bound, the function's own and those of
    enclosing functions that it mentions, without the machinery's own slots."""
    shown = {name: value for name, value in frame.slots.items()
             if name.isidentifier() and name != RESULT and value is not UNBOUND}
    mentioned = frame.function.mentions
    root = frame
    while root.parent is not None:
        enclosing = root.parent
        for name in mentioned:
            value = enclosing.slots.get(name, UNBOUND)
            if value is not UNBOUND and name not in shown:
                shown[name] = value
        root = enclosing
    for name, cell in zip(root.callee.__code__.co_freevars, root.callee.__closure__ or ()):
        with suppress(ValueError):  # an empty cell
            if name in mentioned:
                shown.setdefault(name, cell.cell_contents)
    return shown


def _builtin(namespace: dict[str, Any], name: str) -> Any:
    found = namespace.get("__builtins__", builtins)
    table = found.__dict__ if isinstance(found, ModuleType) else found
    value = table.get(name, _MISSING)
    if value is _MISSING:
        raise NameError(f"name '{name}' is not defined", name=name)
    return value


def free_error(name: str) -> NameError:
    """What Python raises where a variable of an enclosing function is not bound."""
    return NameError(f"cannot access free variable '{name}' where it is not associated with a "
                     "value in enclosing scope", name=name)


def _function_text(function: Any) -> str:
    """A callee as Python's messages about its arguments name it."""
    if isinstance(function, str):
        return f"{function}()"
    name = getattr(function, "__qualname__", None)
    if name is None:
        return str(function)
    module = getattr(function, "__module__", None)
    return f"{name}()" if module in (None, "builtins") else f"{module}.{name}()"
