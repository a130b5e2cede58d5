"""Effects: what must happen once per call, in order, and never while tracing."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from ..graph.generic import name_of
from ..graph.ir import Index, Value, abstract
from ..kinds import OPAQUE, Aval, Kind, python_scalar
from ..rules.ufunc_forms import masked
from ..spelling import Method
from .assumptions import KnownLengths
from .draws import draw_aval
from .handover import HandedOver
from .leaks import leak
from .regions import array_tracers
from .selections import NOTHING
from .tracers import ArrayTracer, contains_tracer, is_tracer
from .written_out import numbers_of, require_shape, rows_of, ufunc_at

_SUMS = frozenset({np.sum, np.prod, np.cumsum, np.cumprod, Method("sum"), Method("prod"),
                   Method("cumsum"), Method("cumprod"), np.add.reduce, np.multiply.reduce,
                   np.add.accumulate, np.multiply.accumulate})


class Effects(HandedOver):
    """Effect nodes, random draws, writes through ``out=`` and in-place library functions."""

    def emit_effect(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
                    aval: Aval | None) -> Any:
        """A node that runs ``fn`` at every call."""
        selected = self.selection(fn, args, kwargs)
        return self.act(fn, args, kwargs, aval) if selected is NOTHING else selected

    def act(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
            aval: Aval | None) -> Any:
        inputs: list[Value] = []
        self.check_batches(array_tracers((args, kwargs)))
        self.check_gathered((args, kwargs))
        template = abstract(self.values_in(self._operands(args)), inputs)
        keywords = abstract(self.values_in(self._operands(kwargs)), inputs)
        found = leak((args, kwargs), f"handed to {name_of(fn)}, an effect")
        if found is not None:
            raise self.fatal(found)
        self.region.effects += 1
        outputs = self.emit("effect", tuple(inputs), () if aval is None else (aval,), fn=fn,
                            args=template, kwargs=keywords)
        if fn in (np.random.default_rng, np.random.RandomState, np.random.Generator,
                  random.Random):
            self.generators[outputs[0]] = fn
        return self.wrap(outputs[0]) if outputs else None

    def drawn(self, obj: Any, name: str, args: tuple[Any, ...],
              kwargs: dict[str, Any]) -> Aval | None:
        """The type of what a method of a run-time object returns: known for the generators of
        random numbers that the program makes."""
        made_by = self.generators.get(obj.value)
        if made_by is random.Random:
            return self._python_random_aval(name)
        return OPAQUE if made_by is None else draw_aval(self, name, args, kwargs)

    @staticmethod
    def _python_random_aval(name: str) -> Aval:
        if name in ("random", "uniform", "gauss", "normalvariate", "betavariate",
                    "expovariate", "triangular", "lognormvariate", "gammavariate",
                    "paretovariate", "weibullvariate", "vonmisesvariate"):
            return python_scalar(Kind.FLOAT)
        if name in ("randint", "randrange", "getrandbits"):
            return python_scalar(Kind.INT)
        return OPAQUE

    def _operands(self, structure: Any) -> Any:
        """Objects from outside become inputs, so that the code acts on those of each call."""
        structure = self.as_found(structure)
        if is_tracer(structure):
            return structure
        if id(structure) in self.paths and not isinstance(structure, type):  # which is guarded
            return self.object_value(structure)
        if isinstance(structure, list) and id(structure) in self.symbolic_lists:
            return self.with_tuples(structure)
        if isinstance(structure, (list, tuple)) and not hasattr(structure, "_fields"):
            return type(structure)(self._operands(s) for s in structure)
        if type(structure) is dict:
            return {k: self._operands(v) for k, v in structure.items()}
        return self.as_run_time(structure)

    def as_found(self, obj: Any) -> Any:
        raise AttributeError

    def effect_on(self, obj: Any, fn: Any, *args: Any, **kwargs: Any) -> None:
        """A mutation of an object from outside."""
        target = self.object_value(obj)
        self.emit_effect(fn, (target, *self.on_hand_over(fn, args)), kwargs, None)

    def effect_aval(self, function: Any, args: tuple[Any, ...],
                    kwargs: dict[str, Any]) -> Aval | None:
        """Result types of random draws and clocks; others are opaque."""
        name = getattr(function, "__name__", "")
        owner = getattr(function, "__self__", None)
        module = getattr(function, "__module__", None) or ""
        if isinstance(owner, (np.random.Generator, np.random.RandomState)) or (
                module.startswith("numpy.random")):
            return draw_aval(self, name, args, kwargs)
        if module == "time" and name in ("time", "perf_counter", "monotonic", "process_time"):
            return python_scalar(Kind.FLOAT)
        if module == "random" or type(owner).__module__ == "random":
            return self._python_random_aval(name)
        if name in ("print", "warn"):
            return None
        return OPAQUE

    # ---- writes by library functions -----------------------------------------------------------
    def call_out(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``f(..., out=buffer)``: compute, then write into the buffer."""
        kwargs = dict(kwargs)
        out = kwargs.pop("out")
        targets = out if isinstance(out, tuple) else (out,)
        if not all(type(t) is ArrayTracer or t is None for t in targets):
            raise self.fatal(UnsupportedOperation(
                "out= with something else than arrays",
                why="the write could not be followed", fix="assign the results instead"))
        self._check_out(function, args, kwargs, targets)
        where = kwargs.get("where", True)
        if where is not True and len(targets) == 1 and (
                isinstance(function, np.ufunc) or function is np.clip):
            kwargs.pop("where")
            result = self.numeric_call(masked, (function, targets[0], where, *args), kwargs)
        else:
            if function in _SUMS and kwargs.get("dtype") is None:  # NumPy sums in out's dtype
                kwargs["dtype"] = targets[0].aval.dtype
            result = self.numeric_call(function, args, kwargs)
        results = result if isinstance(result, tuple) else (result,)
        stored = []
        for target, one in zip(targets, results):
            if target is not None:
                if not isinstance(function, np.ufunc) and function is not np.clip and (
                        type(one) is not ArrayTracer or one.aval.shape != target.aval.shape):
                    self.call(require_shape, one, target)
                self._store_whole(target, one)
            stored.append(one if target is None else target)
        return tuple(stored) if isinstance(result, tuple) else stored[0]

    def _check_out(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
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

    def _store_whole(self, target: ArrayTracer, result: Any) -> None:
        self.setitem(target, Ellipsis if target.aval.ndim != 0 else (), result)

    def ufunc_at(self, ufunc: np.ufunc, target: Any, index: Any, *value: Any) -> None:
        """``np.add.at(a, i, v)``: unbuffered, repeated indices add up."""
        if type(target) is not ArrayTracer:
            self.emit_effect(ufunc.at, (target, index, *value), {}, None)
            return
        if ufunc is np.subtract:
            self.ufunc_at(np.add, target, index, self.unary("-", value[0]))
            return
        if ufunc is not np.add:
            self.call_function(ufunc_at, (ufunc, target, index, *value), {})
            return
        values, found = self.indexed(target, index)
        stored = self.as_value(value[0] if not isinstance(value[0], (list, tuple))
                               else self.call(np.asarray, value[0]))
        dyn: list[Value] = []
        step = Index(abstract(values, dyn), found.basic)
        self.write_version(target, "acc", (step,), stored, tuple(dyn))


    def array___array_wrap__(self, target: ArrayTracer, result: Any, *context: Any) -> Any:
        """What NumPy's own functions do with a result, for the sake of subclasses."""
        return result

    def array_fill(self, target: ArrayTracer, value: Any) -> None:
        self._store_whole(target, value)

    def array_sort(self, target: ArrayTracer, axis: Any = -1, kind: Any = None,
                   order: Any = None, **kwargs: Any) -> None:
        options = {"kind": kind} if kind is not None else {}
        self._store_whole(target, self.call(np.sort, target, axis=axis, **options))

    def array_partition(self, target: ArrayTracer, kth: Any, axis: Any = -1,
                        kind: str = "introselect") -> None:
        self._store_whole(target, self.call(np.partition, target, kth, axis=axis))

    def array_put(self, target: ArrayTracer, indices: Any, values: Any,
                  mode: str = "raise") -> None:
        """``x.put``: places are counted in C order."""
        if not contains_tracer(indices) and np.size(indices) == 0:
            return
        places = self.call(np.ravel, self.call(np.asarray, indices))
        size = self.getattr(target, "size")
        if mode == "wrap":
            places = self.binary("%", places, size)
        elif mode == "clip":
            places = self.call(np.clip, places, 0, self.binary("-", size, 1))
        key = places
        if target.aval.ndim != 1:  # np.arange counts negative places from the end, or raises
            key = self.call(np.unravel_index, self.getitem(self.call(np.arange, size), places),
                            self.getattr(target, "shape"))
        self.setitem(target, key, self._fitted(values, places))

    def array_itemset(self, target: ArrayTracer, *args: Any) -> None:
        self.setitem(target, args[0] if len(args) == 2 else args[:-1], args[-1])

    def apply_view(self, target: ArrayTracer, fn: Any) -> Any:
        return self.numeric_call(fn, (target,), {})

    def array_resize(self, target: ArrayTracer, *shape: Any, **kwargs: Any) -> None:
        raise self.fatal(UnsupportedOperation(
            "ndarray.resize of a traced array", why="it replaces the array's memory",
            fix="use np.resize(x, shape), which makes a new array"))

    def array_tofile(self, target: ArrayTracer, *args: Any, **kwargs: Any) -> None:
        self.emit_effect(Method("tofile"), (target, *args), kwargs, None)

    def array_tolist(self, target: ArrayTracer) -> Any:
        """``x.tolist()``: nested lists of Python numbers."""
        aval = target.aval
        if aval.ndim == 0:
            return self.numeric_call(Method("item"), (target,), {})
        size = self.length(target)
        if type(size) is not int and aval.ndim == 1 and KnownLengths() not in self.assumed:
            self.assumed.risk(KnownLengths())
            return self.helped(numbers_of, target)
        if type(size) is not int and aval.ndim == 2 and KnownLengths() not in self.assumed:
            self.assumed.risk(KnownLengths())
            return self.helped(rows_of, target)
        if type(size) is not int:
            size = self.demand(size, "the length of x.tolist()")
        rows = [self.getitem(target, i) for i in range(size)]
        return self.made([self.array_tolist(r) if type(r) is ArrayTracer
                          else self.numeric_call(Method("item"), (r,), {}) for r in rows])

    def copyto(self, target: Any, source: Any, casting: str = "same_kind",
               where: Any = True) -> None:
        """``np.copyto``."""
        if type(target) is not ArrayTracer:
            self.emit_effect(np.copyto, (target, source), {"where": where}, None)
            return
        if where is not True:
            source = self.call(np.where, where, source, target)
        self._store_whole(target, source)

    def fill_diagonal(self, target: Any, value: Any, wrap: bool = False) -> None:
        """``np.fill_diagonal``; values that are arrays are repeated or cut off to its length."""
        rank = target.aval.ndim
        if wrap and rank == 2:
            places = self.call(np.arange, 0, self.getattr(target, "size"),
                               self.binary("+", self.size_of(target, 1), 1))
            self.array_put(target, places, value)
            return
        sizes = [self.size_of(target, axis) for axis in range(rank)]
        index = self.call(np.arange, self.call(min, *sizes))
        self.setitem(target, (index,) * rank, self._fitted(value, index))

    def putmask(self, target: Any, mask: Any, values: Any) -> None:
        """``np.putmask``: values of another size are repeated element by element."""
        values = self._fitted(values, target)
        if is_tracer(values) and None not in (values.aval.dtype, target.aval.dtype):
            np.putmask(np.ones(1, target.aval.dtype), [True], np.ones(1, values.aval.dtype))
        self._store_whole(target, self.call(np.where, mask, values, target))

    def place(self, target: Any, mask: Any, values: Any) -> None:
        """``np.place``: the first values go to the masked places."""
        mask = self.call(np.asarray, mask, dtype=bool)
        picked = self.getitem(target, mask)
        self.setitem(target, mask, self._fitted(values, picked))

    def _fitted(self, values: Any, like: Any) -> Any:
        """Values repeated or cut off to the shape of an array, if they are not of that shape."""
        if not is_tracer(values) and not isinstance(values, (list, tuple, np.ndarray)):
            return values
        values = self.call(np.asarray, values)
        if not values.aval.ndim or values.aval.shape == like.aval.shape:
            return values
        return self.call(np.resize, values, self.getattr(like, "shape"))

    def put(self, target: Any, indices: Any, values: Any, mode: str = "raise") -> None:
        """``np.put``."""
        self.array_put(target, indices, values, mode)
