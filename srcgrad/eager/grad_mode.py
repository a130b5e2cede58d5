"""Grad modes: thread-local switches, usable as context managers and as decorators.

``state.mode`` packs every switch that an operation must look at into one small integer, so
that the fast paths decide with a single comparison: 1 is plain recording, 0 no recording,
anything else takes the general path.
"""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

GRAD, HOOKS, ANOMALY, FORWARD, INFERENCE, TRANSFORM = 1, 2, 4, 8, 16, 32
F = TypeVar("F", bound=Callable[..., Any])


class _Anomaly:
    """Anomaly mode is process-wide: threads started later inherit it."""

    enabled = False
    check_nan = True


class State(threading.local):
    """Per-thread switches.  ``mode`` is the union of the bits above."""

    def __init__(self) -> None:
        self.mode: int = GRAD | (ANOMALY if _Anomaly.enabled else 0)
        self.hooks: list[tuple[Callable[..., Any], Callable[..., Any]]] = []
        self.dual_level = -1
        self.dual_token: object | None = None
        self.hooks_disabled: str | None = None
        self.transform = 0  # the epoch in which the innermost transform of `func` began
        self.run: Any = None  # the backward that runs
        self.mutation: Any = None  # what `allow_mutation_on_saved_tensors` keeps
        self.threads = True  # what `set_multithreading_enabled` was told
        self.depth = 0  # how many backwards run, each within the one before
        self.pushing = 0  # how many `func.jvp` run their functions
        self.mapping = 0  # how many `vmap` are being run
        self.randomness = "different"  # of vmap: "error" forbids random operations


state = State()


def is_grad_enabled() -> bool:
    """Whether operations of this thread are recorded."""
    return state.mode & GRAD != 0


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside ``inference_mode``."""
    return state.mode & INFERENCE != 0


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return state.mode & ANOMALY != 0


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly detection also checks gradients for NaN."""
    return _Anomaly.check_nan


def set_bit(bit: int, on: bool) -> None:
    """Switch one bit of this thread's mode."""
    state.mode = (state.mode | bit) if on else (state.mode & ~bit)


class Mode:
    """A context manager that changes bits of the mode and restores them; also a decorator of
    functions, generator functions and (as in PyTorch) classes' methods."""

    def __init__(self) -> None:
        self._previous: list[int] = []

    def _enter(self) -> None:
        raise RuntimeError("a mode defines what entering it does")

    def __enter__(self) -> Any:
        self._previous.append(state.mode)
        self._enter()
        return None

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        state.mode = self._previous.pop()

    def clone(self) -> Any:
        """A fresh manager with the same settings, for each call of a decorated function."""
        return type(self)()

    def __call__(self, function: F) -> F:
        if inspect.isclass(function):
            warnings.warn("Decorating classes is deprecated and will be disabled in future "
                          "versions. You should only decorate functions or methods. To preserve "
                          "the current behavior of class decoration, you can directly decorate the "
                          "`__init__` method and nothing else.", FutureWarning, stacklevel=2)
        if inspect.isgeneratorfunction(function):
            return _decorate_generator(self, function)  # type: ignore[no-any-return]

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]


def _decorate_generator(mode: Mode, function: Any) -> Any:
    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        try:
            with mode.clone():
                response = generator.send(None)
            while True:
                try:
                    request = yield response
                except GeneratorExit:
                    with mode.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    with mode.clone():
                        response = generator.throw(error)
                else:
                    with mode.clone():
                        response = generator.send(request)
        except StopIteration as stop:
            return stop.value

    return inside


class _Optional(type):
    """Lets ``@no_grad`` be written without parentheses."""

    def __call__(cls, function: Any = None, *args: Any, **kwargs: Any) -> Any:
        if callable(function) and not args and not kwargs:
            return super().__call__()(function)
        if function is None:
            return super().__call__(*args, **kwargs)
        return super().__call__(function, *args, **kwargs)


class no_grad(Mode, metaclass=_Optional):
    """Operations inside are not recorded."""

    def _enter(self) -> None:
        if not state.pushing:  # tangents pass: forward mode knows no such blocks
            state.mode &= ~GRAD


class enable_grad(Mode, metaclass=_Optional):
    """Operations inside are recorded, also within ``no_grad``."""

    def _enter(self) -> None:
        state.mode |= GRAD


class set_grad_enabled(Mode):
    """Switch recording on or off, at once; as a context manager, restore it at the end."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        if not isinstance(mode, bool):
            raise TypeError("set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                            f"{type(mode).__name__}")
        self.enabled = mode
        self._before = state.mode
        set_bit(GRAD, self.enabled)

    def _enter(self) -> None:
        self._previous[-1] = self._before
        set_bit(GRAD, self.enabled)

    def clone(self) -> set_grad_enabled:
        before = state.mode
        fresh = set_grad_enabled(self.enabled)
        state.mode = before
        return fresh

    def __call__(self, function: F) -> F:
        state.mode = self._before
        return super().__call__(function)


class inference_mode(Mode):
    """Like ``no_grad``, and tensors made inside can never enter a graph."""

    def __new__(cls, mode: Any = True) -> Any:
        if callable(mode) and not isinstance(mode, bool):
            return cls()(mode)
        return super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.enabled = mode

    def _enter(self) -> None:
        if self.enabled:
            state.mode = (state.mode | INFERENCE) & ~GRAD
        else:
            state.mode = (state.mode & ~INFERENCE) | GRAD

    def clone(self) -> inference_mode:
        return inference_mode(self.enabled)


class set_multithreading_enabled:
    """Whether a backward may use several threads: remembered; it never does."""

    def __init__(self, mode: bool) -> None:
        self.before, state.threads = state.threads, mode

    def __enter__(self) -> None:
        """The setting is made already."""

    def __exit__(self, *error: Any) -> None:
        state.threads = self.before


def is_multithreading_enabled() -> bool:
    """What :class:`set_multithreading_enabled` was told."""
    return state.threads


class set_detect_anomaly(Mode):
    """Switch anomaly mode on or off, at once and process-wide; also a context manager."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__()
        self._before = state.mode
        self._saved = (_Anomaly.enabled, _Anomaly.check_nan)
        _Anomaly.enabled, _Anomaly.check_nan = mode, check_nan
        set_bit(ANOMALY, mode)

    def _enter(self) -> None:
        self._previous[-1] = self._before

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        _Anomaly.enabled, _Anomaly.check_nan = self._saved


__all__ = ["enable_grad", "inference_mode", "is_anomaly_check_nan_enabled", "is_anomaly_enabled",
           "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_grad_enabled"]
