"""``vmap``: a function of one example, applied to a batch."""

from __future__ import annotations

import functools
import inspect
import logging
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, Unpack, overload

import numpy as np

from ..batch import NotBatched, batched
from ..compile.backends import BackendLike, How, chosen
from ..compile.frames import without_internal_frames
from ..compile.refusals import require_function
from ..compile.requests import Request
from ..errors import (
    SrcgradError,
    StructureError,
    TracingError,
    UnsupportedOperation,
    UnsupportedType,
)
from ..graph.ir import Value
from ..graph.walking import defined_in
from ..trace.calls.handlers import Traced
from ..trace.calls.nested import Inner, inline, opened, owned, run_inside
from ..trace.record.tracers import ArrayTracer, Choice, is_tracer
from ..types.identifiers import signature_of
from ..types.kinds import array, scalar
from ..types.tree import assemble, children
from . import standard_arrays
from .compiled import Compiled
from .derived import Derived
from .standing import Standing

LOG = logging.getLogger("srcgrad")

Number = complex | np.generic | np.ndarray[Any, np.dtype[Any]]  # results that are stacked
Axes = Any  # an int or None, or a container of these: a prefix of the tree it belongs to
R = TypeVar("R")


class _Batched(Standing, Generic[R]):
    """What :func:`vmap` returns."""

    def __init__(self, fun: Callable[..., Any], in_axes: Axes, out_axes: Axes) -> None:
        self._stand_for(fun)
        self.__signature__ = _signature(fun, in_axes)
        self.fun, self.in_axes, self.out_axes = fun, in_axes, out_axes

    @without_internal_frames
    def __call__(self, *args: Any, **kwargs: Any) -> R:
        if standard_arrays.any_foreign((args, kwargs)):
            found: R = standard_arrays.called(self, args, kwargs)
            return found
        batch = _Batch(self, args, kwargs, _NumPy())
        if not batch.count:
            raise StructureError(f"{self.__name__} is mapped over an axis of length 0",
                                 where=self.__name__, why="there is no example to run",
                                 fix="give at least one example")
        if self.is_of_generated_code():
            try:
                whole: R = self.whole(*args, **kwargs)
                return whole
            except (TracingError, UnsupportedOperation, UnsupportedType) as why:
                LOG.debug("vmap of %s calls it for each example: %s", self.__name__, why)
        rows = [batch.example(i) for i in range(batch.count)]
        result: R = batch.joined([list(column) for column in zip(*rows, strict=True)])
        return result

    def is_of_generated_code(self) -> bool:
        """Is the function one that runs generated code: a derivative, or a batch of one?"""
        fun = self.fun
        return isinstance(fun, Compiled | Derived) or (
            isinstance(fun, _Batched) and fun.is_of_generated_code())

    @functools.cached_property
    def whole(self) -> Compiled[..., R]:
        """The whole batch as generated code."""
        return self.with_backend("numpy")

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...],
                          kwargs: dict[str, Any]) -> Any:
        try:
            batch = _Batch(self, tuple(opened(machine, a) for a in args),
                           {k: opened(machine, v) for k, v in kwargs.items()}, _Staged(machine))
        except StructureError as error:
            raise machine.recorder.fatal(error) from None
        count, *others = batch.counts
        for other in others:
            machine.calls.inline(require_equal, (count, other), {})
        try:
            return _by_rules(machine, batch, count)
        except NotBatched as why:
            LOG.debug("vmap of %s is a loop over the examples: %s", self.__name__, why)
        columns = machine.calls.inline(
            columns_of_examples, (
            Traced(batch.one), Traced(batch.is_single), Traced(batch.width), count), {})
        return batch.joined(list(columns))

    def __repr__(self) -> str:
        return f"<srcgrad vmap of {self.__name__}>"

    @without_internal_frames
    def with_backend(self, backend: BackendLike, precision: str | None = None,
                     parallel: bool | None = None) -> Compiled[..., R]:
        """The loop over the examples as generated code, run by ``"numpy"`` or ``"numba"``."""
        found = chosen(f"vmap of {self.__name__}", backend, precision, parallel)
        return Compiled(self, Request("jit", backend=found))


_Mapped = _Batched[R] | Compiled[..., R]


@overload
def vmap(fun: Callable[..., Number], in_axes: Axes = 0, out_axes: Axes = 0,
         **how: Unpack[How]) -> _Mapped[np.ndarray[Any, np.dtype[Any]]]: ...


@overload
def vmap(fun: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0,
         **how: Unpack[How]) -> _Mapped[Any]: ...


@without_internal_frames
def vmap(fun: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0, *,
         backend: BackendLike = None, precision: str | None = None,
         parallel: bool | None = None) -> _Mapped[Any]:
    """``fun``, a function of one example, for a batch of them.

    ``in_axes`` says along which axis the examples of each argument lie: an int for all of them, or
    a tuple or list with an item for each argument, which may be a tree like the argument; None
    passes the argument to every example as it is.  Keyword arguments are mapped along axis 0.
    ``out_axes`` says where the new axis of the results goes (None: the result of the first
    example).  The result is what stacking the results of single calls gives, and has
    their dtypes.

    Inside a function that is compiled, around a derivative, and where ``backend`` is given (see
    :func:`grad`), it is generated code: operations on whole batches, which agree with single calls
    to rounding; or a loop over the examples, where these take different branches, have effects, or
    use a function that has no batched form.  Otherwise ``fun`` is called for each example.

    Raises :class:`StructureError` where the batch sizes differ or ``in_axes`` does not fit.

    See also :func:`jit`, :func:`jacobian`, :func:`srcgrad.parallel.value_and_grad`.

    >>> import numpy as np
    >>> from srcgrad import grad
    >>> x = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> vmap(np.dot)(x, x)
    array([ 5., 25.])
    >>> vmap(grad(lambda w, x: np.sum(w * x) ** 2), in_axes=(None, 0))(np.ones(2), x)
    array([[ 6., 12.],
           [42., 56.]])
    """
    require_function(fun, "vmap", "give a function", "it is called for each example")
    in_axes, out_axes = _numbers(in_axes), _numbers(out_axes)
    for what, axes in (("in_axes", in_axes), ("out_axes", out_axes)):
        if any(a is not None and type(a) is not int for a in _axes_in(axes)):
            raise StructureError(f"{what} is {axes!r}", where=f"{what} of vmap",
                                 why="an axis is an int, or None for what is not mapped",
                                 fix="use ints and None, in containers like the arguments")
    batched: _Batched[Any] = _Batched(fun, in_axes, out_axes)
    return batched if backend is None else batched.with_backend(backend, precision, parallel)


# ---- one run --------------------------------------------------------------------------------
class _NumPy:
    """What a run needs of arrays, on arrays."""

    def call(self, fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return fun(*args, **kwargs)

    def size(self, leaf: Any, axis: int) -> Any:
        return np.shape(leaf)[axis]

    def stacked(self, rows: list[Any], axis: int, name: str) -> Any:
        shapes = dict.fromkeys(np.shape(row) for row in rows)
        if len(shapes) > 1:
            raise StructureError(
                f"{name} returns results of different shapes: {', '.join(map(str, shapes))}",
                where=f"the results of {name}", why="the results of a batch are one array",
                fix="return arrays of one shape from every example")
        rank = np.ndim(rows[0])
        if not -rank - 1 <= axis <= rank:
            raise StructureError(
                f"out_axes is {axis}, and the results of {name} have {rank} "
                f"ax{'is' if rank == 1 else 'es'}", where=f"out_axes of {name}",
                why="the axis of the examples is one more axis of the result",
                fix=f"give a number from {-rank - 1} to {rank}")
        return np.stack(rows, axis=axis)

    def item(self, leaf: Any, key: Any) -> Any:
        return np.asarray(leaf)[key]

    def children(self, tree: Any) -> list[tuple[str, Any, Any]] | None:
        return children(tree)

    def rank(self, leaf: Any) -> int | None:
        return np.ndim(leaf) if isinstance(leaf, (np.ndarray, np.generic, int, float, complex)) \
            else None


class _Staged(_NumPy):
    """The same on tracers."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine

    def call(self, fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._settled(opened(self.machine, self.machine.call(fun, *args, **kwargs)))

    def _settled(self, tree: Any) -> Any:
        """A tree without choices between containers: each part is chosen by itself."""
        alike = tree
        while type(alike) is Choice:
            alike = alike.first
        parts = self.children(alike)
        if parts is None:
            return tree
        found = [self._settled(self.machine.getattr(tree, key) if step == "attr" else
                               self.machine.getitem(tree, key) if step == "item" else part)
                 for step, key, part in parts] if alike is not tree else [
                     self._settled(part) for _, _, part in parts]
        return assemble(type(alike), tuple(k for _, k, _ in parts), found)

    def stacked(self, rows: Any, axis: int, name: str) -> Any:
        return self.machine.call(np.stack, rows, axis=axis)

    def size(self, leaf: Any, axis: int) -> Any:
        return self.machine.getitem(self.machine.getattr(leaf, "shape"), axis)

    def item(self, leaf: Any, key: Any) -> Any:
        return self.machine.getitem(leaf, key)

    def children(self, tree: Any) -> list[tuple[str, Any, Any]] | None:
        return None if is_tracer(tree) else children(tree)

    def rank(self, leaf: Any) -> int | None:
        found: int | None = leaf.aval.ndim if is_tracer(leaf) else super().rank(leaf)
        return found


class _Batch:
    """The arguments of one call, taken apart along their axes."""

    def __init__(self, batched: _Batched[Any], args: tuple[Any, ...], kwargs: dict[str, Any],
                 on: _NumPy) -> None:
        self.fun, self.out_axes, self.on = batched.fun, batched.out_axes, on
        self.name, self.args, self.kwargs = batched.__name__, args, kwargs
        self.axes = self._per_argument(batched.in_axes, len(args))
        self.counts = tuple(
            count for tree, axes in (*zip(args, self.axes, strict=True), (kwargs, 0))
            for count in self._sizes(tree, axes))
        if not self.counts:
            raise StructureError(f"{self.name} is mapped over no argument", where=self.name,
                                 why="in_axes is None for all of them",
                                 fix="give the axis of the examples of at least one argument")
        known = {c for c in self.counts if type(c) is int}
        if len(known) > 1:
            raise _unlike(self.name, sorted(known))
        self.structure: Any = None

    @property
    def count(self) -> int:
        return int(self.counts[0])

    def _per_argument(self, in_axes: Axes, count: int) -> list[Axes]:
        if not isinstance(in_axes, (tuple, list)):
            return [in_axes] * count
        if len(in_axes) != count:
            raise StructureError(
                f"in_axes has {len(in_axes)} items, {self.name} is called with {count} arguments",
                where=f"in_axes of {self.name}", why="there is one for each positional argument",
                fix="give an int, or a tuple with one item for each argument")
        return list(in_axes)

    def _below(self, tree: Any, axes: Axes) -> Iterator[tuple[Any, Any, Axes]] | None:
        """The parts of a container with their keys and axes; None for a leaf."""
        parts = self.on.children(tree)
        if parts is None:
            return None
        inner = children(axes)
        if inner is None:
            return ((key, part, axes) for _, key, part in parts)
        given = {key: axis for _, key, axis in inner}
        if set(given) != {key for _, key, _ in parts}:
            raise StructureError(
                f"in_axes or out_axes of {self.name} has another structure than what it belongs to",
                where=self.name, why="it is an int or None, or a container like the tree",
                fix="give the same containers, or one number for a whole container")
        return ((key, part, given[key]) for _, key, part in parts)

    def _sizes(self, tree: Any, axes: Axes) -> Iterator[Any]:
        below = self._below(tree, axes)
        if below is not None:
            for _, part, axis in below:
                yield from self._sizes(part, axis)
        elif axes is not None and tree is not None:
            yield self.on.size(tree, self._axis(tree, axes))

    def _axis(self, leaf: Any, axis: int) -> int:
        rank = self.on.rank(leaf)
        if rank is None or not -rank <= axis < rank:
            what = f"an array with {rank} axes" if rank is not None else f"a {type(leaf).__name__}"
            raise StructureError(
                f"{self.name} is mapped over axis {axis} of {what}", where=self.name,
                why="each example is a part along that axis",
                fix="give in_axes=None for arguments that all examples share, and np.asarray(...) "
                "of arrays of a subclass")
        return axis % rank

    def example(self, i: Any) -> tuple[Any, ...]:
        """The leaves of the result for one example."""
        def part(tree: Any, axes: Axes) -> Any:
            if axes is None or tree is None:
                return tree
            key = (*(slice(None),) * self._axis(tree, axes), i)
            return self.on.item(tree, key if len(key) > 1 else i)

        args, kwargs = self._one(part)
        self.structure = self.on.call(self.fun, *args, **kwargs)
        return tuple(self._leaves(self.structure))

    def stand_ins(self, stand_in: Callable[[Any, int], Any]) -> tuple[
            tuple[Any, ...], dict[str, Any]]:
        """The arguments of one example, with what stands for its parts."""
        def stand(tree: Any, axes: Axes) -> Any:
            return tree if axes is None or tree is None else stand_in(tree, self._axis(tree, axes))

        return self._one(stand)

    def _one(self, leaf: Callable[[Any, Axes], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with what ``leaf`` makes of each leaf and its axis."""
        return (tuple(self._mapped(a, axes, leaf)
                      for a, axes in zip(self.args, self.axes, strict=True)),
                {k: self._mapped(v, 0, leaf) for k, v in self.kwargs.items()})

    def _mapped(self, tree: Any, axes: Axes, leaf: Callable[[Any, Axes], Any]) -> Any:
        """A container like ``tree`` of what ``leaf`` makes of each leaf and its axis."""
        below = self._below(tree, axes)
        if below is None:
            return leaf(tree, axes)
        found = [(key, self._mapped(part, axis, leaf)) for key, part, axis in below]
        return assemble(type(tree), tuple(k for k, _ in found), [p for _, p in found])

    def one(self, i: Any) -> Any:
        """The leaves of the result for one example; a single leaf is itself."""
        leaves = self.example(i)
        return leaves[0] if len(leaves) == 1 else leaves

    def is_single(self) -> bool:
        """Has the result one leaf?"""
        return len(self.width()) == 1

    def width(self) -> range:
        """The numbers of the leaves of a result."""
        return range(len(list(self._leaves(self.structure))))

    def _leaves(self, tree: Any) -> Iterator[Any]:
        parts = self.on.children(tree)
        if parts is None:
            if tree is not None:
                yield tree
            return
        for _, _, part in parts:
            yield from self._leaves(part)

    def joined(self, columns: list[Any]) -> Any:
        """The result: stacked leaves in the structure of one example's."""
        supply = iter(columns)

        def stacked(tree: Any, axes: Axes) -> Any:
            if tree is None:
                return None
            rows = next(supply)
            return self.on.item(rows, 0) if axes is None else self.on.stacked(
                rows, axes, self.name)

        return self._mapped(self.structure, self.out_axes, stacked)


def _signature(fun: Callable[..., Any], in_axes: Axes) -> inspect.Signature:
    """The parameters of ``fun`` that every call gives: defaults are the function's own affair,
    they are not mapped."""
    kind = inspect.Parameter
    if isinstance(fun, np.ufunc):
        return inspect.Signature([
            kind(f"x{i + 1}", kind.POSITIONAL_ONLY) for i in range(fun.nin)])
    try:
        parameters = list(signature_of(fun).parameters.values())
    except (TypeError, ValueError):
        parameters = [kind("args", kind.VAR_POSITIONAL), kind("kwargs", kind.VAR_KEYWORD)]
    given = len(in_axes) if isinstance(in_axes, (tuple, list)) else 0
    kept, rest = [], False
    for place, parameter in enumerate(parameters):
        positional = parameter.kind in (kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD)
        if not rest and positional and (parameter.default is kind.empty or place < given):
            kept.append(parameter.replace(default=kind.empty))
        else:
            rest = True
    if rest:
        kept += [kind("args", kind.VAR_POSITIONAL), kind("kwargs", kind.VAR_KEYWORD)]
    return inspect.Signature(kept)


def _axes_in(axes: Axes) -> list[Any]:
    parts = children(axes)
    return [axes] if parts is None else [a for _, _, part in parts for a in _axes_in(part)]


def _numbers(axes: Axes) -> Axes:
    """The same with Python's ints for NumPy's; those of a program that is traced become known."""
    parts = children(axes)
    if parts is not None:
        return assemble(type(axes), tuple(k for _, k, _ in parts),
                        [_numbers(part) for _, _, part in parts])
    return operator.index(axes) if isinstance(axes, (int, np.integer)) and (
        type(axes) is not bool) else axes


def _unlike(name: str, counts: Sequence[int]) -> SrcgradError:
    return StructureError(
        f"{name} is mapped over axes of different lengths: {', '.join(map(str, counts))}",
        where=name, why="there is one example for each place",
        fix="give arguments with equally many examples, or None in in_axes")


# ---- by rules ---------------------------------------------------------------------------------
class _Rows(_Staged):
    """A run in which the results of all examples are one array, along its first axis."""

    def stacked(self, rows: Any, axis: int, name: str) -> Any:
        return self.machine.call(np.moveaxis, rows, 0, axis) if axis else rows


def _by_rules(machine: Any, batch: _Batch, count: Any) -> Any:
    """The result of a batch as operations on whole arrays.  Raises :class:`NotBatched`; then
    nothing has happened."""
    examples: dict[Value, Any] = {}  # what stands for one example's part, with the whole
    args, kwargs = batch.stand_ins(lambda leaf, axis: _stand_in(machine, examples, leaf, axis))
    held: list[Inner] = []
    arm = machine.merges.trace_arm(lambda: held.append(run_inside(
        machine, batch.fun, args, kwargs, list(range(len(args))),
        lambda leaf: is_tracer(leaf) and machine.recorder.value_of(leaf) in examples)))
    inner = held[0]
    inner.region.active = False  # what is read there is read of examples, by other nodes
    made_there = defined_in(arm.region.builder.block(()))
    if arm.changes or inner.written or arm.region.effects or any(
            v in made_there for v in inner.given):
        raise NotBatched("a function that changes something outside")
    if not all(is_tracer(leaf) for _, leaf in inner.outputs):
        raise NotBatched("a result that holds constants")
    number = machine.recorder.as_value(count)
    graph, which = batched(inner.graph, [v in examples for v in inner.given],
                           number.aval)
    if not all(which):
        raise NotBatched("a result that is the same for all examples")
    given = []
    for value in inner.given:
        if value in examples:
            leaf, axis = examples[value]
            value = machine.recorder.as_value(
                machine.call(np.moveaxis, leaf, axis, 0) if axis else leaf)
        given.append(value)
    found = inline(machine, graph, [*given, number])
    batch.on, batch.structure = _Rows(machine), inner.rebuilt(
        [owned(machine, v, v.aval) for v in found])
    return batch.joined(list(batch._leaves(batch.structure)))


def _stand_in(machine: Any, examples: dict[Value, Any], leaf: Any, axis: int) -> Any:
    """A tracer that stands for one example's part of an array."""
    if type(leaf) is not ArrayTracer or leaf.aval.shape is None:
        raise NotBatched("arguments that are no arrays")
    sizes = leaf.aval.shape
    rest = (*sizes[:axis], *sizes[axis + 1:])
    value = Value(array(leaf.aval.dtype, rest) if rest else scalar(leaf.aval.dtype))
    examples[value] = leaf, axis
    return machine.recorder.wrap(value)


# ---- staged, like a user's functions ----------------------------------------------------------
def require_equal(count: Any, other: Any) -> None:
    """The check that two arguments have equally many examples."""
    if other != count:
        raise ValueError("vmap over axes of different lengths")


def columns_of_examples(example: Any, single: Any, width: Any, count: Any) -> Any:
    """The leaves of the results of all examples, one list for each leaf."""
    results = []
    for i in range(count):
        results.append(example(i))
    if single():
        return [results]
    return [[result[k] for result in results] for k in width()]
