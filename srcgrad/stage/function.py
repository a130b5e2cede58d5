"""``stage(fn)``: the staged form of a function, memoised on its code object.

    >>> from srcgrad.stage import PlainMachine, stage
    >>> def double_positive(x):
    ...     if x > 0:
    ...         return 2 * x
    ...     return x
    >>> stage(double_positive).run(PlainMachine(), (3,), {}, fn=double_positive)
    6
"""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable
from functools import cached_property
from types import CellType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final

from ..errors import SourceNotFound
from .convert import Plan, Unit, convert, refuse_construct
from .liveness import Later, read_later
from .machine import NORMAL, UNBOUND, Frame, scope
from .mangling import mangle_private_names
from .regions import RegionInfo
from .scopes import FUNCTION, Scope, parameters, statements_of, yields
from .source import CodeTable, Source, find_source
from .stack import room_to_recurse

if TYPE_CHECKING:
    from .defaults import MachineDefaults

UNIT_KEY: Final = "__srcgrad_unit__"
_FUTURE_ANNOTATIONS: Final = 0x1000000
_VARARGS, _VARKEYWORDS = 0x04, 0x08


class StagedUnit:
    """What one staging made: code objects of staged functions and regions, and their places.

    Staged code finds its unit in its globals; :func:`srcgrad.stage.origins.origin` does too.
    """

    __slots__ = ("__weakref__", "filename", "lines", "owners", "places", "positions", "regions",
                 "statements")

    def __init__(self, filename: str, lines: list[str],
                 statements: dict[int, tuple[int, str]]) -> None:
        self.filename = filename
        self.lines = lines
        self.statements = statements  # of lines: the first one of their statement, and its text
        self.owners: dict[int, Staged] = {}  # id of a code object -> the function it is part of
        self.regions: dict[int, RegionInfo] = {}
        self.places: dict[tuple[int, int], Any] = {}  # memo of resolved positions
        self.positions: dict[int, tuple[int, Any]] = {}  # id of a code object -> those from one on

    def register(self, code: CodeType, staged: Staged, plans: dict[str, RegionInfo]) -> None:
        """Remember that ``code`` and the code objects inside it belong to ``staged``."""
        self.owners[id(code)] = staged
        found = plans.get(code.co_name)
        if found is not None:
            self.regions[id(code)] = found
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self.register(constant, staged, plans)


class Staged:
    """The staged form of one function.

    ``name``, ``qualname``, ``filename``, ``line``, ``doc``: as the user wrote it.
    ``kind``: ``"function"``, ``"lambda"`` or ``"class"`` (a class body).
    ``parameters``: their names in the order of ``co_varnames``.
    ``free``: names the outermost function finds in its own ``__closure__``.
    ``uses_class_cell``: of a class body: whether a method reads ``__class__``.
    ``is_generator``: ``run`` returns a generator object.
    ``pushing``: of a generator, the form that hands each item to its consumer, or None;
    ``hands_on``: is it such a form?
    ``code``: ``code(machine, frame) -> jump``.
    """

    def __init__(self, unit: StagedUnit, plan: Plan, code: FunctionType,
                 free: tuple[str, ...]) -> None:
        self.unit = unit
        self.name, self.qualname, self.line = plan.name, plan.qualname, plan.line
        self.filename = unit.filename
        self.doc, self.kind, self.is_generator = plan.doc, plan.kind, plan.generator
        self.code = code
        self.pushing: Staged | None = None
        self.hands_on = False
        self.free = free
        self.arguments = plan.arguments
        self.parameters: tuple[str, ...] = ()
        self.positional = 0
        parent = plan.scope.parent
        self.uses_class_cell = plan.kind == "class" and parent is not None and parent.used
        self.assigned = frozenset(plan.scope.bound)
        self.flags = 0
        self._body = plan.body
        if plan.arguments is not None:
            self.parameters = tuple(parameters(plan.arguments))
            self.positional = len(plan.arguments.posonlyargs) + len(plan.arguments.args)
            self.flags = ((_VARARGS if plan.arguments.vararg else 0)
                          | (_VARKEYWORDS if plan.arguments.kwarg else 0))

    def __repr__(self) -> str:
        return f"<staged {self.qualname} at {self.filename}:{self.line}>"

    @cached_property
    def mentions(self) -> frozenset[str]:
        """All names that stand in the body, those of nested functions too."""
        return frozenset(inner.id for node in self._body for inner in ast.walk(node)
                         if isinstance(inner, ast.Name))

    @property
    def endless(self) -> bool:
        """May it go on for ever, as far as its text tells?"""
        return "count" in self.mentions or "cycle" in self.mentions or any(
            isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
            for node in statements_of(self._body))

    @property
    def makes_functions(self) -> bool:
        """Are functions or generators made in it, which read its variables when they are called?"""
        return any(isinstance(inner, ast.Lambda | ast.GeneratorExp | ast.FunctionDef)
                   for node in self._body for inner in ast.walk(node))

    @cached_property
    def read_later(self) -> Later | None:
        """See :func:`srcgrad.stage.liveness.read_later`."""
        return read_later(self._body)

    @cached_property
    def shim(self) -> CodeType:
        """Code with the user's signature that hands its bound arguments to ``enter``."""
        assert self.arguments is not None
        return _shim_code(self, self.arguments)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any], fn: Any) -> dict[str, Any]:
        """Parameters bound as a call ``fn(*args, **kwargs)`` binds them (same TypeErrors)."""
        if not kwargs and not self.flags and len(args) == self.positional == len(self.parameters):
            return dict(zip(self.parameters, args))
        binder = _function(self.shim, {}, self, _same)
        binder.__defaults__ = fn.__defaults__
        binder.__kwdefaults__ = fn.__kwdefaults__
        binder.__qualname__ = fn.__qualname__
        slots: dict[str, Any] = binder(*args, **kwargs)
        return slots

    def frame(self, args: tuple[Any, ...], kwargs: dict[str, Any], fn: Any) -> Frame:
        """A new frame for a call of the live function or bound method ``fn``."""
        if isinstance(fn, MethodType):
            fn, args = fn.__func__, (fn.__self__, *args)
        slots = self.bind(args, kwargs, fn)
        activation = definition(fn)
        if activation is None:
            frame = Frame(self, None, fn)
        else:
            frame = Frame(self, activation.parent)
        frame.slots = slots
        return frame

    def run(self, machine: MachineDefaults, args: tuple[Any, ...], kwargs: dict[str, Any], *,
            fn: Any) -> Any:
        """Call ``fn`` (the live function object: its closure, globals and defaults count) on
        ``machine`` and return its value."""
        return self.enter(machine, self.frame(args, kwargs, fn))

    def enter(self, machine: MachineDefaults, frame: Frame) -> Any:
        """Run the body in a frame whose parameters are bound."""
        if self.is_generator:
            return self.code(machine, frame)
        before = getattr(_ACTIVE, "machine", None)
        _ACTIVE.machine = machine
        try:
            return machine.finish(frame, self.code(machine, frame))
        finally:
            _ACTIVE.machine = before


class Activation:
    """What a nested function made by ``machine.define`` holds instead of a native body."""

    __slots__ = ("parent", "staged")

    def __init__(self, staged: Staged, parent: Frame) -> None:
        self.staged = staged
        self.parent = parent

    def __call__(self, slots: dict[str, Any]) -> Any:
        frame = Frame(self.staged, self.parent)
        frame.slots = slots
        machine = active_machine()
        machine.born(frame)
        return self.staged.enter(machine, frame)


class _Thread(threading.local):
    machine: MachineDefaults | None = None


_ACTIVE: Final = _Thread()
_DEFAULT: list[MachineDefaults] = []
_TABLE: Final = CodeTable()


def active_machine() -> MachineDefaults:
    """The machine staged code of this thread runs on; a plain machine where none does."""
    return _ACTIVE.machine or _DEFAULT[0]


def set_default_machine(machine: MachineDefaults) -> None:
    """The machine on which functions made by staged code run when called from outside."""
    _DEFAULT[:] = [machine]


def definition(fn: Any) -> Activation | None:
    """The activation behind a function that ``machine.define`` made, or None."""
    if isinstance(fn, FunctionType) and fn.__closure__ is not None and len(fn.__closure__) == 1:
        try:
            found = fn.__closure__[0].cell_contents
        except ValueError:
            return None
        return found if type(found) is Activation else None
    return None


def make_function(staged: Staged, parent: Frame, defaults: tuple[Any, ...],
                  kwdefaults: dict[str, Any], annotations: dict[str, Any]) -> FunctionType:
    """The real Python function for a nested ``def``: the default of ``define``."""
    made = _function(staged.shim, parent.callee.__globals__, staged, Activation(staged, parent))
    made.__defaults__ = defaults or None
    made.__kwdefaults__ = kwdefaults or None
    made.__qualname__ = staged.qualname
    made.__doc__ = staged.doc
    made.__annotations__ = annotations
    return made


def _function(code: CodeType, namespace: dict[str, Any], staged: Staged,
              enter: Any) -> FunctionType:
    return FunctionType(code, namespace, staged.name, None, (CellType(enter),))


def _same(slots: dict[str, Any]) -> dict[str, Any]:
    return slots


def _shim_code(staged: Staged, arguments: ast.arguments) -> CodeType:
    """Compile ``def f(<signature>): return enter({'a': a, ...})``."""
    def listed(group: list[ast.arg]) -> list[str]:
        return [argument.arg for argument in group]

    parts = listed(arguments.posonlyargs)
    parts += ["/"] if parts else []
    parts += listed(arguments.args)
    if arguments.vararg:
        parts.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        parts.append("*")
    parts += listed(arguments.kwonlyargs)
    if arguments.kwarg:
        parts.append(f"**{arguments.kwarg.arg}")
    enter = "enter"
    while enter in staged.parameters:
        enter += "_"
    slots = ", ".join(f"{name!r}: {name}" for name in staged.parameters)
    text = f"def outer({enter}):\n def shim({', '.join(parts)}): return {enter}({{{slots}}})"
    module = compile(text, staged.filename, "exec", dont_inherit=True)
    outer = next(k for k in module.co_consts if isinstance(k, CodeType))
    made = next(k for k in outer.co_consts if isinstance(k, CodeType))
    return made.replace(co_name=staged.name, co_qualname=staged.qualname,
                        co_firstlineno=staged.line)


# ---- staging -------------------------------------------------------------------------------
def stage(fn: Any) -> Staged:
    """The staged form of a Python function or method, memoised on its code object.

    Raises SourceNotFound (no source) or UnsupportedSyntax (before anything runs).
    """
    if isinstance(fn, MethodType):
        fn = fn.__func__
    if not isinstance(fn, FunctionType):
        name = getattr(fn, "__qualname__", None) or type(fn).__name__
        raise SourceNotFound(
            f"{name} is not a Python function",
            why="only functions written in Python have a source that can be staged",
            fix="call it from a Python function, or give it a derivative with custom_vjp")
    activation = definition(fn)
    if activation is not None:
        return activation.staged
    found: Staged | None = _TABLE.get(fn.__code__)
    if found is None:
        found = _stage(fn.__code__, fn.__globals__)
        _TABLE.put(fn.__code__, found)
    return found


def _stage(code: CodeType, module_globals: dict[str, Any]) -> Staged:
    source = find_source(code, module_globals)
    try:
        return _convert(source, code)
    except RecursionError:
        pass
    with room_to_recurse():  # an expression nested deeper than is left of the stack
        return _convert(find_source(code, module_globals), code)


def _convert(source: Source, code: CodeType) -> Staged:
    unit = Unit(source.filename, source.lines, code.co_qualname, code.co_firstlineno,
                ":=" in source.text, "yield" in source.text,
                bool(code.co_flags & _FUTURE_ANNOTATIONS))
    node = source.node
    if "__" in source.text:
        mangle_private_names(node, source.owner)
    root = Scope(FUNCTION, unit.fresh("F"), None, frozenset(code.co_freevars))
    root.take_parameters(node.args)
    if isinstance(node, ast.AsyncFunctionDef):
        raise refuse_construct(unit, node)
    body = _body(node)
    root.bind(body, unit.has_walrus)
    root.nonlocals -= root.bound
    kind = "lambda" if isinstance(node, ast.Lambda) else "function"
    unit.add(Plan(code.co_name, code.co_qualname, node.args, body, root, code.co_firstlineno,
                  kind, unit.has_yield and yields(body)))
    module = convert(unit)
    compiled = compile(module, source.filename, "exec", dont_inherit=True)
    return _assemble(unit, compiled, code.co_freevars)


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.stmt]:
    if isinstance(node, ast.Lambda):
        return [ast.copy_location(ast.Return(node.body), node.body)]
    return node.body


def _assemble(unit: Unit, compiled: CodeType, free: tuple[str, ...]) -> Staged:
    made = StagedUnit(unit.filename, unit.lines, unit.statements)
    namespace: dict[str, Any] = {
        UNIT_KEY: made, "PASS": nothing, "SCOPE": new_scope, "HAS": has_name,
        "CLASS_CELL": class_cell, "ANNOTATION": annotation, "slice": slice, "__builtins__": {}}
    codes = [k for k in compiled.co_consts if isinstance(k, CodeType)]
    records = []
    for index, (plan, code) in enumerate(zip(unit.plans, codes)):
        staged = Staged(made, plan, FunctionType(code, namespace, plan.name), free)
        made.register(code, staged, unit.regions)
        namespace[f"S {index}"] = staged
        records.append(staged)
    for plan, staged in zip(unit.plans, records):
        if plan.pushing is not None:
            staged.pushing = records[plan.pushing]
            staged.pushing.hands_on = True
    return records[0]


def nothing() -> int:
    """The empty region (``else`` that is not there, a body of ``pass``)."""
    return NORMAL


def new_scope(machine: MachineDefaults, parent: Frame) -> Frame:
    """A frame for a comprehension; the machine is told of it."""
    frame = scope(parent)
    machine.born(frame)
    return frame


def annotation(value: Callable[[], Any], text: str) -> Any:
    """An annotation where Python defers them (3.14): its text if a name is not there yet."""
    try:
        return value()
    except NameError:
        return text


def has_name(frame: Frame, name: str) -> bool:
    """Whether a class body has bound the name so far."""
    return frame.slots.get(name, UNBOUND) is not UNBOUND


def class_cell(frame: Frame) -> Any:
    """``__class__`` of the methods defined under this frame."""
    try:
        return frame.slots["__class__"].cell_contents
    except ValueError:
        pass
    raise NameError("cannot access free variable '__class__' where it is not associated with "
                    "a value in enclosing scope", name="__class__")
