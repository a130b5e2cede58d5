"""Effects: what must happen once per call, in order, and never while tracing."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import AliasError, UnsupportedOperation
from ...graph.generic import name_of
from ...graph.ir import Index, Value, abstract
from ...rules.numpy.ufunc_forms import masked
from ...types.kinds import OPAQUE, Aval, Kind, python_scalar
from ...types.spelling import Method
from ..assumptions import KnownLengths
from ..boundary.leaks import leak
from ..collaborator import Args, Collaborator, Kwargs
from ..iteration.iteration import Range
from ..numpy.selections import NOTHING
from ..numpy.written_out import (
    numbers_of,
    put_masked,
    put_repeated,
    require_shape,
    rows_of,
    ufunc_at,
)
from ..values.state_of_c import DRAWING
from .draws import draw_aval
from .regions import array_tracers
from .tracers import ArrayTracer, Choice, contains_tracer, is_tracer

_SUMS = frozenset({np.sum, np.prod, np.cumsum, np.cumprod, Method("sum"), Method("prod"),
                   Method("cumsum"), Method("cumprod"), np.add.reduce, np.multiply.reduce,
                   np.add.accumulate, np.multiply.accumulate})
# which stretch their result to ``out=``, as ufuncs do
_CLIPS = frozenset({np.clip, Method("clip")})
# what NumPy writes to ``out=`` of another type is the result as it is, cast in the end
_CAST_LAST = _SUMS | {function for name in ("max", "min", "take", "choose", "any", "all")
                      for function in (getattr(np, name), Method(name))} | {
    *_CLIPS, np.nanmax, np.nanmin, np.maximum.reduce, np.minimum.reduce}
# what puts something somewhere, and does not change it
PUTTING = frozenset({setattr, object.__setattr__, operator.setitem, operator.iadd, print})


class Effects(Collaborator):
    """Effect nodes, random draws, writes through ``out=`` and in-place library functions."""

    speaks_to = ("access", "calls", "choices", "containers", "elements", "escapes",
                 "found_functions", "handed_over", "items", "library_calls", "opening", "operators",
                 "recorder", "references", "selections", "stored_lists", "tuples", "unions")

    def emit_effect(self, fn: Any, args: Args, kwargs: Kwargs,
                    aval: Aval | Callable[..., Aval | None] | None) -> Any:
        """A node that runs ``fn`` at every call; on one of several things, under branches.
        ``aval`` is the type of its result, or gives it for the arguments."""
        for place, one in (*enumerate(args), *kwargs.items()):
            if type(one) is Choice:
                return self.unions.each(one, lambda o: self.emit_effect(
                    fn, tuple(o if i == place else a for i, a in enumerate(args)),  # noqa: B023
                    {k: o if k == place else v for k, v in kwargs.items()}, aval))  # noqa: B023
        aval = aval(args, kwargs) if callable(aval) else aval
        args = tuple(map(self.made, args))
        kwargs = {k: self.made(v) for k, v in kwargs.items()}
        selected = self.selections.selection(fn, args, kwargs)
        return self.act(fn, args, kwargs, aval) if selected is NOTHING else selected

    def made(self, arg: Any) -> Any:
        """A range of run-time length is made at run time."""
        if type(arg) is not Range:
            return arg
        ends = map(self.recorder.values_in, (arg.start, arg.stop, arg.step))
        return self.recorder.computed(range, OPAQUE, *ends)

    def act(self, fn: Any, args: Args, kwargs: Kwargs, aval: Aval | None) -> Any:
        inputs: list[Value] = []
        arrays = array_tracers((args, kwargs))
        for array in arrays:
            self.elements.share(array)
        self.opening.check_gathered((args, kwargs))
        puts = isinstance(fn, Method) or fn in PUTTING
        if puts and fn is not print:
            self.stored_lists.give((args, kwargs))
        template = abstract(self.recorder.values_in(self._operands(args, puts)), inputs)
        keywords = abstract(self.recorder.values_in(self._operands(kwargs, puts)), inputs)
        found = leak((args, kwargs), f"handed to {name_of(fn)}, an effect")
        if found is not None:
            raise self.recorder.fatal(found)
        self.recorder.region.effects += 1
        outputs = self.recorder.emit("effect", tuple(inputs), () if aval is None else (aval,),
                                     fn=fn,
                            args=template, kwargs=keywords)
        made = np.random.Generator if fn is np.random.default_rng else fn
        if made in DRAWING:
            self.selections.classes[outputs[0]] = made
        return self.recorder.wrap(outputs[0]) if outputs else None

    def drawn(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Aval | None:
        """The type of what a method of a run-time object returns: known for the generators of
        random numbers that the program makes."""
        if obj.type is random.Random:
            return self._python_random_aval(name)
        return OPAQUE if obj.type is None else draw_aval(self.machine, name, args, kwargs)

    @staticmethod
    def _python_random_aval(name: str) -> Aval:
        if name in ("random", "uniform", "gauss", "normalvariate", "betavariate",
                    "expovariate", "triangular", "lognormvariate", "gammavariate",
                    "paretovariate", "weibullvariate", "vonmisesvariate"):
            return python_scalar(Kind.FLOAT)
        if name in ("randint", "randrange", "getrandbits"):
            return python_scalar(Kind.INT)
        return OPAQUE

    def _operands(self, structure: Any, puts: bool) -> Any:
        """Objects from outside become inputs, so that the code acts on those of each call.
        ``puts``: is what it is given put somewhere, and not changed?"""
        structure = self.references.as_found(structure, puts)
        if is_tracer(structure):
            return structure
        # which is guarded
        if id(structure) in self.found_functions.paths and not isinstance(structure, type):
            return self.handed_over.object_value(structure)
        if isinstance(structure, list) and id(structure) in self.symbolic_lists:
            return self.tuples.with_tuples(structure)
        if type(structure) in (list, tuple):
            return type(structure)(self._operands(s, puts) for s in structure)
        if type(structure) is dict:
            return {k: self._operands(v, puts) for k, v in structure.items()}
        return self.handed_over.as_run_time(structure)

    def effect_on(self, obj: Any, fn: Any, *args: Any, **kwargs: Any) -> None:
        """A mutation of an object from outside."""
        if id(obj) in self.journal.sealed:
            self.journal.on_sealed(obj)
        target = self.handed_over.object_value(obj)
        self.emit_effect(fn, (target, *self.handed_over.on_hand_over(fn, args)), kwargs, None)

    def effect_aval(self, function: Any, args: Args, kwargs: Kwargs) -> Aval | None:
        """Result types of random draws and clocks; others are opaque."""
        name = getattr(function, "__name__", "")
        owner = getattr(function, "__self__", None)
        module = getattr(function, "__module__", None) or ""
        if isinstance(owner, (np.random.Generator, np.random.RandomState)) or (
                module.startswith("numpy.random")):
            return draw_aval(self.machine, name, args, kwargs)
        if module == "time" and name in ("time", "perf_counter", "monotonic", "process_time"):
            return python_scalar(Kind.FLOAT)
        if module == "random" or type(owner).__module__ == "random":
            return self._python_random_aval(name)
        if name in ("print", "warn"):
            return None
        return OPAQUE

    # ---- writes by library functions -----------------------------------------------------------
    def call_out(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        """``f(..., out=buffer)``: compute, then write into the buffer."""
        kwargs = dict(kwargs)
        out = kwargs.pop("out")
        targets = out if isinstance(out, tuple) else (out,)
        if not all(type(t) is ArrayTracer or t is None for t in targets):
            raise self.recorder.fatal(UnsupportedOperation(
                "out= with something else than arrays",
                why="the write could not be followed", fix="assign the results instead"))
        self._check_out(function, args, kwargs, targets)
        where = kwargs.get("where", True)
        if where is not True and len(targets) == 1 and (
                isinstance(function, np.ufunc) or function in _CLIPS):
            kwargs.pop("where")
            result = self.library_calls.numeric_call(masked, (function, targets[0], where, *args),
                                                     kwargs)
        else:
            if function in _SUMS and kwargs.get("dtype") is None:  # NumPy sums in the wider one
                first = args[0] if type(args[0]) is ArrayTracer else targets[0]
                kwargs["dtype"] = np.result_type(first.aval.dtype, targets[0].aval.dtype)
            result = self.library_calls.numeric_call(function, args, kwargs)
        results = result if isinstance(result, tuple) else (result,)
        stored = []
        for target, one in zip(targets, results):
            if target is not None:
                if one.aval.dtype != target.aval.dtype and function not in _CAST_LAST and (
                        not isinstance(function, np.ufunc)):
                    raise self.recorder.fatal(UnsupportedOperation(
                        f"{function.__name__} with out= of another type than its result",
                        why="whether NumPy raises, and what it rounds in between, depends on it",
                        fix="assign the result, or use an array of its type"))
                stretches = isinstance(function, np.ufunc) or function in _CLIPS
                if (one.aval.ndim or 0) > (target.aval.ndim or 0) if stretches else (
                        type(one) is not ArrayTracer or one.aval.shape != target.aval.shape):
                    self.machine.call(require_shape, one, target)
                self.store_whole(target, one)
            stored.append(one if target is None else target)
        return tuple(stored) if isinstance(result, tuple) else stored[0]

    def _check_out(self, function: Any, args: Args, kwargs: Kwargs,
                   targets: tuple[Any, ...]) -> None:
        """Raise what NumPy raises where the results cannot be cast to ``out``."""
        if function is np.take and all(type(t) is ArrayTracer for t in (args[0], *targets)):
            np.take(np.ones(1, args[0].aval.dtype), [0], out=np.ones(1, targets[0].aval.dtype))
        if not isinstance(function, np.ufunc) and function not in (np.clip, np.dot):
            return
        tiny = [np.ones((1,) * (2 if a.aval.ndim else 0), a.aval.dtype)
                if type(a) is ArrayTracer and a.aval.dtype is not None else a for a in args]
        if any(is_tracer(a) or isinstance(a, (list, tuple)) for a in tiny):
            return
        outs = [None if t is None else np.ones((1, 1), t.aval.dtype) for t in targets]
        options = {k: kwargs[k] for k in ("casting", "dtype") if k in kwargs}
        with np.errstate(all="ignore"):
            function(*(t if np.ndim(t) == 0 else np.ones((1, 1), np.asarray(t).dtype)
                       for t in tiny),
                     out=tuple(outs) if isinstance(function, np.ufunc) else outs[0], **options)

    def store_whole(self, target: ArrayTracer, result: Any) -> None:
        self.machine.setitem(target, Ellipsis if target.aval.ndim != 0 else (), result)

    array_fill = store_whole

    def ufunc_at(self, ufunc: np.ufunc, target: Any, index: Any, *value: Any) -> None:
        """``np.add.at(a, i, v)``: unbuffered, repeated indices add up."""
        if type(target) is not ArrayTracer:
            self.emit_effect(ufunc.at, (target, index, *value), {}, None)
            return
        if ufunc is np.subtract:
            self.ufunc_at(np.add, target, index, self.machine.unary("-", value[0]))
            return
        if ufunc is not np.add:
            self.calls.call_function(ufunc_at, (ufunc, target, index, *value), {})
            return
        values, found = self.items.indexed(target, index)
        stored = self.recorder.as_value(value[0] if not isinstance(value[0], (list, tuple))
                               else self.machine.call(np.asarray, value[0]))
        self.items.tell_stretched(found.aval, stored.aval)
        dyn: list[Value] = []
        step = Index(abstract(values, dyn), found.basic)
        self.choices.write_version(target, "acc", (step,), stored, tuple(dyn))


    def array___array_wrap__(self, target: ArrayTracer, result: Any, *context: Any) -> Any:
        """What NumPy's own functions do with a result, for the sake of subclasses."""
        return result

    def array_sort(self, target: ArrayTracer, axis: Any = -1, kind: Any = None,
                   order: Any = None, **kwargs: Any) -> None:
        options = {"kind": kind} if kind is not None else {}
        self.store_whole(target, self.machine.call(np.sort, target, axis=axis, **options))

    def array_partition(self, target: ArrayTracer, kth: Any, axis: Any = -1,
                        kind: str = "introselect") -> None:
        self.store_whole(target, self.machine.call(np.partition, target, kth, axis=axis))

    def array_put(self, target: ArrayTracer, indices: Any, values: Any,
                  mode: str = "raise") -> None:
        """``x.put``: places are counted in C order."""
        if not contains_tracer(indices) and np.size(indices) == 0:
            return
        places = self.machine.call(np.ravel, self.machine.call(np.asarray, indices))
        size = self.machine.getattr(target, "size")
        if mode == "wrap":
            places = self.machine.binary("%", places, size)
        elif mode == "clip":
            places = self.machine.call(np.clip, places, 0, self.machine.binary("-", size, 1))
        key = places
        if target.aval.ndim != 1:  # np.arange counts negative places from the end, or raises
            key = self.machine.call(np.unravel_index,
                self.machine.getitem(self.machine.call(np.arange, size), places),
                            self.machine.getattr(target, "shape"))
        self._put(target, key, values, places)

    put = array_put

    def array_resize(self, target: ArrayTracer, *shape: Any, **kwargs: Any) -> None:
        raise self.recorder.fatal(UnsupportedOperation(
            "ndarray.resize of a traced array", why="it replaces the array's memory",
            fix="use np.resize(x, shape), which makes a new array"))

    def array_tofile(self, *args: Any, **kwargs: Any) -> None:
        self.emit_effect(Method("tofile"), args, kwargs, None)

    def array_tolist(self, target: ArrayTracer) -> Any:
        """``x.tolist()``: nested lists of Python numbers."""
        aval = target.aval
        if aval.ndim == 0:
            return self.library_calls.numeric_call(Method("item"), (target,), {})
        size = self.machine.length(target)
        if type(size) is not int and aval.ndim == 1 and KnownLengths() not in self.assumed:
            self.assumed.risk(KnownLengths())
            return self.operators.helped(numbers_of, target)
        if type(size) is not int and aval.ndim == 2 and KnownLengths() not in self.assumed:
            self.assumed.risk(KnownLengths())
            return self.operators.helped(rows_of, target)
        if type(size) is not int:
            size = self.escapes.demand(size, "the length of x.tolist()")
        rows = [self.machine.getitem(target, i) for i in range(size)]
        return self.containers.made([self.array_tolist(r) if type(r) is ArrayTracer
                          else self.library_calls.numeric_call(Method("item"), (r,), {})
                          for r in rows])

    def copyto(self, target: Any, source: Any, casting: str = "same_kind",
               where: Any = True) -> None:
        """``np.copyto``."""
        if type(target) is not ArrayTracer:
            self.emit_effect(np.copyto, (target, source), {"where": where}, None)
            return
        if casting != "unsafe":
            self._check_cast(np.copyto, target, source)
        if where is not True:
            source = self.machine.call(np.where, where, source, target)
        self.store_whole(target, source)

    def fill_diagonal(self, target: Any, value: Any, wrap: bool = False) -> None:
        """``np.fill_diagonal``; values that are arrays are repeated or cut off to its length."""
        rank = target.aval.ndim
        if wrap and rank == 2:
            places = self.machine.call(np.arange, 0, self.machine.getattr(target, "size"),
                               self.machine.binary("+", self.access.size_of(target, 1), 1))
            self.array_put(target, places, value)
            return
        sizes = [self.access.size_of(target, axis) for axis in range(rank)]
        index = self.machine.call(np.arange, self.machine.call(min, *sizes))
        self._put(target, (index,) * rank, value, index)

    def putmask(self, target: Any, mask: Any, values: Any) -> None:
        """``np.putmask``: values of another size are repeated element by element."""
        self._check_cast(np.putmask, target, values, [True])
        values = self.machine.call(np.asarray, values)
        if values.aval.ndim and values.aval.shape != target.aval.shape:
            self.machine.call(put_masked, target, mask, values)
        else:
            self.store_whole(target, self.machine.call(np.where, mask, values, target))

    def _check_cast(self, function: Any, target: Any, values: Any, *given: Any) -> None:
        """Raise what NumPy raises where the values of an array may not be put into another one."""
        if type(values) is ArrayTracer and values.aval.dtype is not None and (
                target.aval.dtype is not None):
            function(np.ones(1, target.aval.dtype), *given, np.ones(1, values.aval.dtype))

    def place(self, target: Any, mask: Any, values: Any) -> None:
        """``np.place``: the first values go to the masked places."""
        self._check_cast(np.place, target, values, [True])
        if type(values) is ArrayTracer and values.home is target.home:
            raise self.recorder.fatal(AliasError(
                f"np.place puts values of {target.home.label!r} into {target.home.label!r} itself",
                why="NumPy may read a value after it has been replaced",
                fix="hand it a copy of the values (`.copy()`)"))
        mask = self.machine.call(np.asarray, mask, dtype=bool)
        picked = self.machine.getitem(target, mask)
        self._put(target, mask, values, picked, needed=True)

    def _put(self, target: Any, key: Any, values: Any, like: Any,
             needed: bool = False) -> None:
        """Values at a key, repeated or cut off to the shape of an array if they are not of it."""
        if is_tracer(values) or isinstance(values, (list, tuple, np.ndarray)):
            values = self.machine.call(np.asarray, values)
            if values.aval.ndim and values.aval.shape != like.aval.shape:
                shape = self.machine.getattr(like, "shape")
                self.machine.call(put_repeated, target, key, values, shape, needed)
                return
        self.machine.setitem(target, key, values)
