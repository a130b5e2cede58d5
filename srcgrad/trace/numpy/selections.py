"""Random selections: a draw of places, which is an effect, and a look-up, which has a derivative.

The places are drawn so that the generator goes on as it does in plain Python.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.ir import Value
from ...rules.numpy.selections import chosen, sampled, shuffled
from ...types.kinds import INT, Aval, Kind, array
from ...types.spelling import Method
from ..collaborator import Args, Collaborator, Kwargs
from ..heap.written_out import items_at
from ..record.tracers import ArrayTracer, OpaqueTracer, contains_tracer, is_tracer

if TYPE_CHECKING:
    from collections.abc import Callable


NOTHING = object()


class Selections(Collaborator):
    """``choice``, ``choices``, ``sample``, ``shuffle``, ``permutation``."""

    speaks_to = ("access", "calls", "containers", "effects", "keys", "recorder", "references",
                 "sources")

    def __init__(self) -> None:
        self.classes: dict[Value, type] = {}  # of generators that the run makes, and of texts

    def of_class(self, tracer: OpaqueTracer, cls: type) -> OpaqueTracer:
        """What the run makes is of a class."""
        self.classes[tracer.value] = tracer.type = cls
        return tracer

    def selection(self, fn: Any, args: Args, kwargs: Kwargs) -> Any:
        """What a call that selects at random returns; NOTHING for other calls."""
        name = getattr(fn, "name", getattr(fn, "__name__", ""))
        owner = args[0] if type(fn) is Method and args else getattr(fn, "__self__", None)
        rest = args[1:] if type(fn) is Method else args
        cls = owner.type if type(owner) is OpaqueTracer else type(owner)
        if cls is not None and issubclass(cls, random.Random):
            found = getattr(self, f"_select_{name}", None)
            hidden = type(fn) is not Method and owner is getattr(random.random, "__self__", None)
            return NOTHING if found is None else found(random if hidden else owner, *rest, **kwargs)
        if cls is not None and issubclass(cls, (np.random.Generator, np.random.RandomState)):
            found = getattr(self, f"_numpy_{name}", None)
            return NOTHING if found is None else found(fn, owner, *rest, **kwargs)
        return NOTHING

    def draw(self, fn: Any, owner: Any, name: str, args: Args, kwargs: Kwargs, aval: Aval) -> Any:
        """A draw by the same generator."""
        if type(fn) is Method:
            return self.effects.act(Method(name), (owner, *args), kwargs, aval)
        public = getattr(np.random, name, None)  # the same method, by the name that is printed
        method = getattr(owner, name)
        return self.effects.act(public if public == method else method, args, kwargs, aval)

    # ---- the standard library ------------------------------------------------------------
    def _select_choice(self, source: Any, seq: Any) -> Any:
        size = self.machine.call(len, seq)
        if source is random:
            place = self.effects.emit_effect(random.randrange, (size,), {}, INT)
        else:
            place = self.effects.emit_effect(Method("randrange"), (source, size), {}, INT)
        return self.machine.getitem(seq, place)

    def _select_sample(self, source: Any, population: Any, k: Any, **options: Any) -> Any:
        return self._looked_up(population, sampled, (source, self.machine.call(len, population), k),
                               options, k)

    def _select_choices(self, source: Any, population: Any, weights: Any = None, *,
                        cum_weights: Any = None, k: Any = 1) -> Any:
        given = (source, self.machine.call(len, population), k, weights, cum_weights)
        return self._looked_up(population, chosen, given, {}, k)

    def _looked_up(self, items: Any, draw: Any, args: tuple[Any, ...], options: dict[str, Any],
                   count: Any) -> Any:
        number = self.keys.static_key(count)
        places = self.effects.emit_effect(draw, args, options, array(np.int64, (number,)))
        return self.calls.adopt([self.machine.getitem(items,
            self.machine.call(int, self.machine.getitem(places, i)))
                           for i in range(number)])

    def _select_shuffle(self, source: Any, x: Any) -> Any:
        if not isinstance(x, list):
            return NOTHING
        self._reorder(x, lambda size, dim: self.effects.emit_effect(
            shuffled, (source, size), {}, array(np.int64, (dim,))))
        return None

    def _reorder(self, items: list[Any], draw: Callable[[Any, Any], Any]) -> None:
        """Give a list its items in an order that is drawn for its length."""
        held = self.references.seen(items)
        if id(held) in self.symbolic_lists:
            size = self.machine.length(held)
            found = self.machine.call(items_at, held, draw(size, size.aval.expr))
        else:
            self.sources.note_container(items)
            places = draw(len(held), len(held))
            found = self.calls.adopt([self.machine.getitem(items, self.machine.call(
                int, self.machine.getitem(places, i))) for i in range(len(held))])
        self.containers.replace(items, found)

    # ---- NumPy ---------------------------------------------------------------------------
    def _numpy_choice(self, fn: Any, owner: Any, a: Any, *args: Any, axis: Any = 0,
                      **kwargs: Any) -> Any:
        if not contains_tracer(a) or (is_tracer(a) and a.aval.kind is not Kind.ARRAY):
            return NOTHING
        source = self.machine.call(np.asarray, a)
        size = self.access.size_of(source, axis)
        aval = self.effects.effect_aval(np.random.choice, (size, *args), kwargs) or INT
        places = self.draw(fn, owner, "choice", (size, *args), kwargs, aval)
        return self.machine.getitem(source, (slice(None),) * axis + (places,) if axis else places)

    def _numpy_permutation(self, fn: Any, owner: Any, x: Any, axis: int = 0) -> Any:
        if not contains_tracer(x) or (is_tracer(x) and x.aval.kind is not Kind.ARRAY) or axis:
            return NOTHING
        source = self.machine.call(np.asarray, x)
        return self.machine.getitem(source, self._places(fn, owner, self.access.size_of(source, 0)))

    def _places(self, fn: Any, owner: Any, size: Any) -> Any:
        dim = size if type(size) is int else size.aval.expr
        return self.draw(fn, owner, "permutation", (size,), {}, array(np.int64, (dim,)))

    def _numpy_shuffle(self, fn: Any, owner: Any, x: Any, axis: int = 0) -> Any:
        if isinstance(x, list):
            self._reorder(x, lambda size, dim: self._places(fn, owner, size))
            return None
        if type(x) is not ArrayTracer:
            return NOTHING
        if axis != 0:
            raise self.recorder.fatal(UnsupportedOperation(
                "a traced array shuffled along another axis than the first",
                why="its order is drawn for the first axis only",
                fix="draw the order and index with it: x[:, rng.permutation(n)]"))
        self.machine.setitem(x, Ellipsis, self.machine.getitem(x, self._places(fn, owner,
            self.access.size_of(x, 0))))
        return None

    def _numpy_multivariate_normal(self, fn: Any, owner: Any, mean: Any, *args: Any,
                                   **kwargs: Any) -> Any:
        if type(mean) is not ArrayTracer or not mean.aval.is_inexact:
            return NOTHING
        middle = self.machine.call(np.zeros, self.machine.getattr(mean, "shape"))
        size = kwargs.get("size", args[1] if len(args) > 1 else None)
        lead = () if size is None else (size if isinstance(size, (tuple, list)) else (size,))
        dims = tuple(s if type(s) is int else s.aval.expr for s in lead)
        aval = array(np.float64, dims + (mean.aval.shape or ()))
        drawn = self.draw(fn, owner, "multivariate_normal", (middle, *args), kwargs, aval)
        return self.machine.binary("+", drawn, mean)
