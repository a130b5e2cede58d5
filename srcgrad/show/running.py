"""A call of generated code that is watched line by line: its times, its memory, what it keeps."""

from __future__ import annotations

import ast
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from ..types.dataclasses import dataclass, field
from ..types.structure import found_in
from .lines import BORDER
from .units import bytes_text

Trace = Callable[[FrameType, str, Any], Any]

_NUMBERS = (np.ndarray, np.generic, float, complex)  # what derivatives need of a run


@dataclass(frozen=True)
class Kept:
    """A variable that the backward part reads and the forward part has made: ``number`` is the
    generated line that made it last, ``count`` how many arrays or numbers a list holds."""

    name: str
    bytes: int
    count: int
    number: int

    def __str__(self) -> str:
        many = f"  ({self.count} items)" if self.count > 1 else ""
        return f"{self.name}: {bytes_text(self.bytes)}{many}"


@dataclass
class Run:
    """What was measured, by lines of the generated text."""

    seconds: dict[int, float] = field(default_factory=dict)
    executions: dict[int, int] = field(default_factory=dict)
    most: dict[int, int] = field(default_factory=dict)
    kept: tuple[Kept, ...] = ()
    kept_bytes: int = 0
    unwatched: float = 0.0
    peak: int = 0


def measure(text: str, file: str, entry: str, calls: Sequence[Callable[[], Any]]) -> Run:
    """Run generated code three times: alone, against the clock, and against the allocator."""
    alone, timed, sized = calls
    run = Run()
    began = time.perf_counter()
    alone()
    run.unwatched = time.perf_counter() - began
    clock = _Clock(file, run, _cost_of_an_event())
    with _traced(clock.enter):
        timed()
    clock.finish()
    with _tracked():
        allocator = _Allocator(file, run, _Border.of(text, entry))
        with _traced(allocator.enter):
            sized()
        allocator.finish()
    return run


@contextmanager
def _traced(enter: Trace) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def _tracked() -> Iterator[None]:
    ours = not tracemalloc.is_tracing()
    if ours:
        tracemalloc.start(1)
    try:
        yield
    finally:
        if ours:
            tracemalloc.stop()


class _Clock:
    """Charges the time between two events to the generated line that runs."""

    def __init__(self, file: str, run: Run, cost: float) -> None:
        self.file, self.run, self.cost = file, run, cost
        self.stack: list[int] = []
        self.last = time.perf_counter()

    def charge(self) -> None:
        now = time.perf_counter()
        if self.stack:
            found = self.run.seconds
            found[self.stack[-1]] = found.get(self.stack[-1], 0.0) + now - self.last - self.cost

    def enter(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        self.charge()
        local = None
        if frame.f_code.co_filename == self.file:
            self.stack.append(frame.f_lineno)
            local = self.line
        self.last = time.perf_counter()
        return local

    def line(self, frame: FrameType, event: str, arg: Any) -> Trace:
        self.charge()
        if event == "line":
            self.stack[-1] = frame.f_lineno
            self.run.executions[frame.f_lineno] = self.run.executions.get(frame.f_lineno, 0) + 1
        elif event == "return":
            self.stack.pop()
        self.last = time.perf_counter()
        return self.line

    def finish(self) -> None:
        for number, seconds in self.run.seconds.items():
            self.run.seconds[number] = max(0.0, seconds)


def _cost_of_an_event() -> float:
    """What the clock itself adds to a line, at least."""
    file = "<srcgrad clock>"
    space: dict[str, Any] = {}
    exec(compile("def empty():\n" + "    pass\n    x = 1\n" * 200, file, "exec"), space)
    empty, found = space["empty"], []
    for _ in range(5):
        run = Run()
        with _traced(_Clock(file, run, 0.0).enter):
            empty()
        found.append(sum(run.seconds.values()) / max(1, sum(run.executions.values())))
    return min(found)


class _Allocator:
    """Notes what each line allocates at most, and what is there when the backward part begins."""

    def __init__(self, file: str, run: Run, border: _Border) -> None:
        self.file, self.run, self.border = file, run, border
        self.stack: list[int] = []
        self.begin = self.before = tracemalloc.get_traced_memory()[0]
        self.given: set[int] = set()
        self.seen = False
        tracemalloc.reset_peak()

    def note(self) -> None:
        peak = tracemalloc.get_traced_memory()[1]
        self.run.peak = max(self.run.peak, peak - self.begin)
        if self.stack:
            found = self.run.most
            found[self.stack[-1]] = max(found.get(self.stack[-1], 0), peak - self.before)

    def enter(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        if frame.f_code.co_filename != self.file:
            return None
        self.note()
        if frame.f_code.co_name == self.border.entry and not self.stack:
            self.given = {id(_owner(v)) for v in found_in(dict(frame.f_locals), _NUMBERS)}
        self.stack.append(frame.f_lineno)
        self.again()
        return self.line

    def line(self, frame: FrameType, event: str, arg: Any) -> Trace:
        self.note()
        if event == "line":
            self.stack[-1] = frame.f_lineno
            if not self.seen and frame.f_code.co_name == self.border.entry and (
                    frame.f_lineno > self.border.number):
                self.seen = True
                self.run.kept, self.run.kept_bytes = self.border.kept(frame.f_locals, self.given)
        elif event == "return":
            self.stack.pop()
        self.again()
        return self.line

    def again(self) -> None:
        """The next line begins."""
        tracemalloc.reset_peak()
        self.before = tracemalloc.get_traced_memory()[0]

    def finish(self) -> None:
        """Python's own small objects, which the watching makes, are no arrays."""
        self.run.most = {number: size for number, size in self.run.most.items() if size >= 256}


@dataclass(frozen=True)
class _Border:
    """Where the backward part of a function begins, which names it reads, and the lines of the
    forward part that bind names or append to them.  ``records`` are the lists of tuples: the name
    of each part, and the line that binds it."""

    entry: str
    number: int
    read: tuple[str, ...]
    made: dict[str, int]
    records: dict[str, list[tuple[str, int]]]

    @classmethod
    def of(cls, text: str, entry: str) -> _Border:
        tree = next(f for f in ast.parse(text).body
                    if isinstance(f, ast.FunctionDef) and f.name == entry)
        lines = text.splitlines()
        last = tree.end_lineno or len(lines)
        number = next((n for n in range(tree.lineno, last + 1)
                       if lines[n - 1] == f"    {BORDER}"), last + 1)
        read: dict[str, None] = {}
        made: dict[str, int] = {}
        appended: dict[str, ast.Tuple] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.lineno > number and isinstance(
                    node.ctx, ast.Load):
                read[node.id] = None
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and (
                    node.lineno < number):
                made[node.id] = max(made.get(node.id, 0), node.lineno)
            elif isinstance(node, ast.Call) and node.lineno < number and isinstance(
                    node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                if node.func.attr == "append":
                    name = node.func.value.id
                    made[name] = max(made.get(name, 0), node.lineno)
                    if isinstance(node.args[0], ast.Tuple):
                        appended[name] = node.args[0]
        records = {name: [(ast.unparse(part), made.get(ast.unparse(part), part.lineno))
                          for part in one.elts] for name, one in appended.items()}
        return cls(entry, number, tuple(read), made, records)

    def kept(self, names: dict[str, Any], given: set[int]) -> tuple[tuple[Kept, ...], int]:
        """What the backward part finds, but for what came in with the arguments; of a list of
        records each part by itself."""
        found, counted = [], set(given)
        for name in sorted(self.read, key=lambda n: self.made.get(n, 0)):
            if name not in names or name not in self.made:
                continue
            parts = self.records.get(name)
            held = [(name, self.made[name], [names[name]])] if parts is None else [
                (part, line, [row[place] for row in names[name]])
                for place, (part, line) in enumerate(parts)]
            for one, line, values in held:
                size = count = 0
                for value in found_in(values, _NUMBERS):
                    count += 1
                    owner = _owner(value)
                    if id(owner) not in counted:
                        counted.add(id(owner))
                        size += owner.nbytes if isinstance(owner, np.ndarray) else 8
                if size:
                    found.append(Kept(one, size, count, line))
        return (tuple(sorted(found, key=lambda k: -k.bytes)), sum(k.bytes for k in found))


def _owner(value: Any) -> Any:
    """The array whose memory a view shows."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base
    return value
