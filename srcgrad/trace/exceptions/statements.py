"""Statements that are not assignments, branches or loops: assert, raise, with, try, strings."""

from __future__ import annotations

import contextlib
import types
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...errors import UnsupportedSyntax
from ...graph.ir import Node, Value
from ...stage.machine import NORMAL, UNBOUND
from ...stage.regions import region_info
from ...types.kinds import OPAQUE
from ...types.public_names import of_scipy
from ...types.spelling import begin_guarded, format_value, join_parts, raise_exception, raise_from
from ..assumptions import FollowedNames
from ..boundary.process_state import note_raising, set_errors
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..objects.special_methods import class_attribute, python_method
from ..record.homes import RAISE
from ..record.journal import Slot
from ..record.raising import OutsideError, asks_what_raises, catches, kinds_in, raising
from ..record.scopes import during, on_top
from ..record.tracers import Jump, contains_tracer, is_tracer
from .attempts import Attempt, Handler, Reached, Stop, refused
from .kept import Watched

QUIET = (np.errstate, warnings.catch_warnings, contextlib.nullcontext, contextlib.suppress)


# what ends an iteration or tells that there is no attribute
PROTOCOL = (StopIteration, IndexError, AttributeError)


def enter_errstate(**settings: Any) -> dict[str, Any]:
    """Set NumPy's error handling; gives the settings that held before."""
    return dict(np.seterr(**settings))


def leave_errstate(before: dict[str, Any]) -> None:
    """Set NumPy's error handling back."""
    np.seterr(**before)


class Statements(Collaborator):
    """The other statements."""

    speaks_to = ("branches", "construction", "containers", "effects", "escapes", "found_functions",
                 "guarded", "handed_over", "library_calls", "merges", "open_names", "recorder")

    def __init__(self) -> None:
        self.causes: dict[int, tuple[BaseException, Any]] = {}
        # of exceptions that operations raise
        self.error_classes: dict[Value, type[BaseException]] = {}
        # raised while tracing in their place
        self.carried_errors: dict[int, tuple[BaseException, Any]] = {}
        self.unnamed_errors: dict[int, BaseException] = {}  # whose message no handler asks for
        # where recording stops, and by which exception statements are left there, if by one
        self.leaving: list[tuple[Stop, BaseException | None]] = []
        self.handling: list[BaseException] = []

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        def fail() -> Any:
            return self.machine.raise_(AssertionError(*([] if message is None else [message()])),
                               None, False)

        self.machine.if_(test, lambda: NORMAL, fail)

    def caught(self) -> Any:
        """The exception that is being handled; None where there is none."""
        current = self.handling[-1] if self.handling else None
        if id(current) in self.unnamed_errors:
            raise self.recorder.fatal(UnsupportedSyntax(
                "an exception is asked for in a function that its handler calls",
                why="the handler itself does not name it, so only its class was kept",
                fix="name it: `except ... as error`, and hand it on"))
        return current

    def raise_(self, exception: Any, cause: Any, has_cause: bool) -> Any:
        """An unconditional raise is raised now; one on data becomes a node of a cold arm."""
        exception = self.carried_errors.get(id(exception), (None, exception))[1]
        if exception is None:
            exception = self.caught()
            if exception is None:
                raise RuntimeError("No active exception to reraise")
        if is_tracer(exception) and exception.value in self.error_classes and (
                self.recorder.trying and self.recorder.trying[-1] is self.recorder.region):
            kind = self.error_classes[exception.value]
            carrier = kind.__new__(kind)
            self.carried_errors[id(carrier)] = (carrier, exception)
            raise carrier
        if is_tracer(exception):
            if has_cause:
                self.effects.emit_effect(raise_from, (cause, exception), {}, None)
            else:
                self.effects.emit_effect(raise_exception, (exception,), {}, None)
            return RAISE
        if isinstance(exception, type) and issubclass(exception, BaseException):
            exception = self.machine.call(exception)
        if not isinstance(exception, BaseException):
            raise TypeError("exceptions must derive from BaseException")
        if has_cause and is_tracer(cause):
            self.causes[id(exception)] = (exception, cause)
        elif has_cause:
            exception.__cause__ = cause
        if self.recorder.trying and self.recorder.trying[-1] is self.recorder.region:
            raise exception
        _, args, kwargs = self.construction.exceptions.get(id(exception),
                                                           (None, exception.args, {}))
        region = self.recorder.region
        if region is self.recorder.root and not region.effects and not self.region_writes() and (
                not contains_tracer((args, kwargs))) and (
                    isinstance(exception, PROTOCOL)
                    or not any(raising(self.machine, self.recorder.root.builder.nodes, ()))):
            raise exception
        _, cause = self.causes.get(id(exception), (None, exception.__cause__))
        if cause is None:
            self.effects.emit_effect(raise_exception, (type(exception), *args), kwargs, None)
        else:
            if not is_tracer(cause):
                _, made, named = self.construction.exceptions.get(id(cause), (None, cause.args, {}))
                cause = self.library_calls.apply_opaque(type(cause), made, named)
            self.effects.emit_effect(raise_from, (cause, type(exception), *args), kwargs, None)
        return RAISE

    def region_writes(self) -> bool:
        """Did the program write to its arguments before this point?"""
        return any(node.op in ("write", "update", "acc")
                   for node in self.recorder.root.builder.nodes)

    # ---- with ------------------------------------------------------------------------------
    def kept_try(self, kinds: list[Callable[[], Any]]) -> Watched:
        """The body of a ``try`` in a generator that Python runs."""
        return Watched(self.machine, kinds)

    def with_(self, managers: list[Callable[[], Any]],
              targets: list[Callable[[Any], None] | None], body: Callable[[], Any],
              rest: Callable[[], Any] | None = None) -> Any:
        met: list[Any] = []

        def noted(manager: Callable[[], Any]) -> Any:
            met.append(manager())
            return met[-1]

        def entered() -> Any:
            return self._with([partial(noted, m) for m in managers], targets, body)

        mark = self.recorder.mark()
        jump, error = self._tried(entered, False)
        if error is not None:
            mark.keep()
            raise error
        errors = {e for _, e in raising(self.machine, mark.made, ())}
        of_body = any(isinstance(m, contextlib.ExitStack) for m in met)  # which fills it
        held = tuple(e for e in errors if of_body or self._suppressed(e, managers, targets))
        if not held:
            self.journal.commit()
            return self.branches.after(jump, rest)
        mark.undo()
        return self.branches.after(Attempt(self.machine, entered, None,
                                           [(lambda: held, None, lambda: NORMAL)],
                                  lambda e, h: self.machine.raise_(e, None, False), _again,
                                  _again).run(),
                          rest)

    def _suppressed(self, error: type[BaseException], managers: list[Callable[[], Any]],
                    targets: list[Callable[[Any], None] | None]) -> bool:
        """May the managers of a ``with`` statement swallow an exception of this class?"""
        swallowed: list[bool] = []

        def leave() -> Any:
            raise error("tried")

        def run() -> Any:
            try:
                if self._with(managers, targets, leave) != RAISE:
                    swallowed.append(True)
            except Exception:
                return NORMAL
            return NORMAL

        with on_top(self.recorder.trying, None):
            self.merges.trace_arm(run)
        return bool(swallowed)

    def _with(self, managers: list[Callable[[], Any]],
              targets: list[Callable[[Any], None] | None], body: Callable[[], Any]) -> Any:
        if not managers:
            return body()
        manager = managers[0]()
        target, more = targets[0], (managers[1:], targets[1:], body)
        if id(manager) in self.found_functions.paths and isinstance(
                class_attribute(type(manager), "__exit__"), types.MethodDescriptorType):
            manager = self.recorder.wrap(self.handed_over.object_value(manager))  # a lock, a file
        if is_tracer(manager):
            entered = self.effects.emit_effect(_enter, (manager,), {}, OPAQUE)
            if target is not None:
                target(entered)
            jump = self._with(*more)
            self.effects.emit_effect(_leave, (manager,), {}, None)
            return jump
        if isinstance(manager, QUIET):
            return self._with_library(manager, target, more)
        if type(manager).__name__ in ("lock", "RLock") and of_scipy(self.recorder.where()):
            return self._with(*more)  # keeps compiled code to one thread, which is not called now
        enter, leave = python_method(manager, "__enter__"), python_method(manager, "__exit__")
        if enter is None or leave is None:
            raise self.recorder.fatal(UnsupportedSyntax(
                f"with {type(manager).__name__}(...)",
                why="this context manager is not written in Python, so it cannot be staged",
                fix="do the work of the manager outside of the differentiated function"))
        entered = self.machine.call(enter, manager)
        if target is not None:
            target(entered)
        start = len(self.recorder.region.builder.nodes)
        try:
            jump, changed = self.guarded.changed_by(lambda: self._with(*more))
        except Exception as error:
            if self.machine.truth(self.machine.call(leave, manager, type(error), error, None)):
                return NORMAL
            raise
        except Reached as reached:
            left = self.left_by(reached)
            if left is None:
                self.guarded.guard_left(start, lambda: self.guarded.leave_raising(leave, manager))
            if left is None or not self.machine.truth(self.machine.call(leave, manager, type(left),
                    left, None)):
                raise
            return NORMAL
        self.guarded.guard_nodes(start, changed, lambda: self.guarded.leave_raising(leave, manager))
        with on_top(self.open_names.leaving, self.merges.frames[-1]):
            self.machine.call(leave, manager, None, None, None)
        return jump

    def _with_library(self, manager: Any, target: Any, more: Any) -> Any:
        """``np.errstate`` and its like: entered and left at each call, around the statements."""
        if isinstance(manager, contextlib.nullcontext):
            if target is not None:
                target(manager.enter_result)
            return self._with(*more)
        if isinstance(manager, np.errstate):
            settings = manager_settings(manager)
            if target is not None:
                target(None)
            return self._with_errstate(settings, more)
        if isinstance(manager, contextlib.suppress):
            caught: Any = manager._exceptions  # type: ignore[attr-defined]
            return self.machine.try_(lambda: self._with(*more),
                                     [(lambda: caught, None, lambda: NORMAL)],
                             None, None, self.merges.frames[-1])
        raise self.recorder.fatal(UnsupportedSyntax(
            f"with {type(manager).__name__}(...)",
            why="the manager changes how exceptions or warnings of the statements are treated",
            fix="put the with statement around the call of the differentiated function"))

    balanced = (enter_errstate, leave_errstate, begin_guarded)

    def _with_errstate(self, settings: dict[str, Any], more: Any) -> Any:
        token = self.effects.emit_effect(enter_errstate, (), settings, OPAQUE)
        before = set_errors(self.machine, settings)
        try:
            jump = self._with(*more)
        except (Exception, Reached):
            with during(self.recorder, stop_at=None):
                self.effects.emit_effect(leave_errstate, (token,), {}, None)
            raise
        finally:
            set_errors(self.machine, before)
        self.effects.emit_effect(leave_errstate, (token,), {}, None)
        return jump

    # ---- try -------------------------------------------------------------------------------
    def try_(self, body: Callable[[], Any],
             given: list[tuple[Callable[[], Any] | None, str | None, Callable[[], Any]]],
             orelse: Callable[[], Any] | None, final: Callable[[], Any] | None, frame: Any,
             rest: Callable[[], Any] | None = None) -> Any:
        """Exceptions that the program raises while tracing run their handler now.  Exceptions
        that only a run can raise are refused where a handler could meet them."""
        handlers, unnamed = _evaluated(given)
        # nobody around it may catch another exception
        if unnamed is not None and self.escapes.catching:
            handlers = [*handlers, (_anything, None,
                                    lambda: self.machine.raise_(unnamed, None, False))]
        if FollowedNames() not in self.assumed and any(_meets_names(h[0]) for h in handlers):
            raise Restart(FollowedNames())

        def which(error: Any, number: int = 0) -> Any:
            if number == len(handlers):
                return self.machine.raise_(unnamed or error, None, False)
            return self.machine.if_(self.machine.call(isinstance, error, handlers[number][0]()),
                            lambda: self._handle(error, handlers[number], frame),
                            lambda: which(error, number + 1))

        def handled(error: Exception) -> Any:
            if type(error) is OutsideError:
                return which(self.carried_errors[id(error)][1])
            for handler in handlers:
                if isinstance(error, handler[0]()):
                    return self._handle(error, handler, frame)
            return self.machine.raise_(unnamed or error, None, False)

        def guarded() -> Any:
            mark = self.recorder.mark()
            caught = [h[0]() for h in handlers]
            stop = self.recorder.stop_at
            counts = () if stop is None else stop.counts
            made: list[Node] = []
            try:
                jump, error = self._tried(body, bool(handlers))
            except Reached as reached:  # an operation that this one would have guarded is not it
                made = [] if reached.stop is None else [*mark.made, reached.stop.node]
                if not handlers or not any(raising(self.machine, made, caught)):
                    raise
                assert stop is not None
                stop.count_again(counts)
            made = made or mark.made
            if made and any(catches(FloatingPointError, types) for types in caught):
                note_raising(self.machine)
            if not handlers or not (any(raising(self.machine, made, caught)) or (
                    self.recorder.echoes and any(map(asks_what_raises, made)))):
                mark.keep()
                if error is not None:
                    return handled(error)
                return self.branches.after(jump, orelse) if orelse is not None else jump
            mark.undo()
            return Attempt(self.machine, body, orelse, handlers,
                           lambda e, h: self._handle(e, h, frame), handled, which).run()

        if final is None:
            return self.branches.after(guarded(), rest)
        if not handlers and self._always_jumps(final):  # then it swallows every exception
            handlers = [(_anything, None, lambda: NORMAL)]
        start = len(self.recorder.region.builder.nodes)
        try:
            jump, changed = self.guarded.changed_by(guarded)
        except Exception:
            ended = self._certain(final())
            if ended in (NORMAL, None):
                raise
            return self.branches.after(ended, rest)  # as in Python, it swallows the exception
        except Reached as reached:
            if self.left_by(reached) is None:
                self.guarded.guard_left(start, final)
                raise
            ended = self._certain(final())
            if ended in (NORMAL, None):
                raise
            return self.branches.after(ended, rest)
        self.guarded.guard_nodes(start, changed, final)
        with on_top(self.open_names.leaving, self.merges.frames[-1]):
            ended = final()
        return self.branches.after(self.branches.after(ended, lambda: jump), rest)

    def _certain(self, jump: Any) -> Any:
        """The jump of a ``finally`` part that an exception has led to."""
        if isinstance(jump, Jump) and NORMAL in jump.codes:
            raise refused(self.machine,
                          "its finally part may or may not jump, which depends on data")
        return jump

    def _always_jumps(self, final: Callable[[], Any]) -> bool:
        """Does a ``finally`` part always leave by a jump?"""
        info = region_info(final)
        return info is not None and not info.falls

    def left_by(self, reached: Reached) -> BaseException | None:
        """The exception by which the statement is left whose body was run up to the operation
        that raises it; from here on recording stops where what follows may raise, if at all."""
        for stop, error in self.leaving:
            if stop is reached.stop and error is not None:
                self.recorder.stop_at = stop.later
                return error
        return None

    def _tried(self, body: Callable[[], Any], catching: bool) -> tuple[Any, Exception | None]:
        """Run the body of a try statement in a layer of its own: its jump, and what it raised
        while tracing."""
        region = self.recorder.region
        self.journal.push()
        try:
            if not catching:
                return body(), None
            with during(self.branches, met=None), on_top(self.recorder.trying, region):
                return body(), None
        except Exception as raised:
            self.recorder.region = region
            return None, raised

    def _handle(self, error: BaseException, handler: Handler, frame: Any) -> Any:
        """Run a handler with the exception bound to its name."""
        _, name, region = handler
        error = self.carried_errors.get(id(error), (None, error))[1]
        if name is not None:
            self.machine.store(frame, name, error)
        try:
            with on_top(self.handling, error):
                return region()
        finally:
            if name is not None and name in frame.slots:
                self.journal.write(Slot(frame, name), UNBOUND)

    # ---- strings -----------------------------------------------------------------------------
    def format(self, value: Any, conversion: str, spec: str) -> Any:
        value = self.handed_over.as_run_time(self.containers.resolved(value))
        if contains_tracer(value) or is_tracer(spec) or (
                isinstance(value, list) and id(value) in self.symbolic_lists):
            return self.library_calls.apply_opaque(format_value, (value, conversion, spec), {})
        return format_value(value, conversion, spec)

    def join_str(self, *parts: Any) -> Any:
        if any(is_tracer(p) for p in parts):
            return self.library_calls.apply_opaque(join_parts, parts, {})
        return "".join(parts)


def _again(error: Exception) -> Any:
    raise error


def _anything() -> Any:
    """What an ``except`` clause without a class catches."""
    return Exception


def _evaluated(handlers: list[Any]) -> tuple[list[Handler], Exception | None]:
    """The ``except`` clauses up to the first that cannot be evaluated, and what that raises: Python
    evaluates a clause only where an exception has come to it."""
    handlers = [(kind or _anything, *rest) for kind, *rest in handlers]
    for number, (kind, _, _) in enumerate(handlers):
        try:
            kind()
        except Exception as error:
            return handlers[:number], error
    return handlers, None


def _meets_names(caught: Callable[[], Any]) -> bool:
    """Does an ``except`` clause name the exceptions of names that are not bound?"""
    return any(t in (NameError, UnboundLocalError) for t in kinds_in(caught()))


def _enter(manager: Any) -> Any:
    return manager.__enter__()


def _leave(manager: Any) -> Any:
    return manager.__exit__(None, None, None)


def manager_settings(manager: np.errstate) -> dict[str, Any]:
    """The keywords an errstate was made with."""
    names = ("all", "divide", "over", "under", "invalid")
    found = {}
    for name in names:
        value = getattr(manager, f"_{name}", None)
        if value is not None:
            found[name] = value
    return found
