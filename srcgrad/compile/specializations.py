"""Generated code for one signature: assembled, linked, and how it came about."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from ..array_api.text import Portable
from ..cache.anchors import BARE, NOWHERE, Anchor
from ..cache.dispatch import MISS, Dispatch
from ..emit import Emitted
from ..graph.ir import Graph
from ..trace.entry import Traced
from ..types.dataclasses import dataclass, field, replace
from .backends import ALL, NUMPY, Backend, asking, generated
from .frames import shown
from .joints import transposed
from .templates import is_plain, rebuilt, refs


@dataclass
class Specialization:
    """Generated code for one signature, and how it came about."""

    dispatch: Dispatch
    target: Callable[..., Any]
    text: str
    graph: Graph
    traced: Traced
    title: str
    emitted: Emitted
    result: Any = None
    anchor: Anchor = NOWHERE
    signature: inspect.Signature = BARE
    only: Callable[[], Any] | None = None  # what it serves, if not all functions with the code
    backend: Backend = NUMPY
    defaults: Mapping[str, Any] = field(default_factory=dict)  # of seeds
    linear: Linear | None = None  # of the split form, and of forward mode

    def bound(self, anchor: Anchor, signature: inspect.Signature) -> Specialization:
        """The same code for calls of another function that was made from the same text."""
        return replace(self, anchor=anchor, signature=signature)

    def on(self, backend: Backend) -> Specialization:
        """The same graph as code for another backend."""
        if backend == self.backend:
            return self
        return assemble_specialization(
            self.dispatch.name, self.anchor, self.signature, self.traced, self.graph, self.result,
            self.defaults, self.emitted.entry, backend)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The checking function: what it returns is the result, or ``MISS``."""
        return self.dispatch.caller.bound(self.anchor, self.signature)

    def called(self, otherwise: Callable[..., Any], hit: Callable[[], Any]) -> Callable[..., Any]:
        """The function that a call of the transform's result runs.  It counts with
        ``hit``, and calls ``otherwise`` where this code does not fit."""
        if all(p.default is p.empty for p in self.signature.parameters.values()):
            return self.dispatch.caller.bound(self.anchor, self.signature, shown, otherwise, hit)
        call = self.call

        def called(*args: Any, **kwargs: Any) -> Any:  # defaults may be others by now
            try:
                result = call(*args, **kwargs) if kwargs else call(*args)
                if result is MISS:
                    return otherwise(*args, **kwargs)
                hit()
                return result
            except Exception as error:
                raise shown(error)  # noqa: B904

        return called

    @cached_property
    def portable(self) -> Portable:
        """The text for arrays of other libraries."""
        return Portable(self.on(NUMPY))

    def root(self, key: int) -> Any:
        """The object that paths start from."""
        role = self.traced.roles.get(key)
        return self.traced.pinned[key].get() if role is None else self.anchor.play(role)

    def matches(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Do the guards hold for these arguments?  (Nothing is run.)"""
        return self._check(*args, **kwargs) is not MISS

    @cached_property
    def _check(self) -> Callable[..., Any]:
        return self.dispatch.checker.bound(self.anchor, self.signature)


def assemble_specialization(of: str, anchor: Anchor, signature: inspect.Signature, traced: Traced,
                            graph: Graph, result: Any, defaults: Mapping[str, Any],
                            name: str, backend: Backend) -> Specialization:
    """Emit, link and dispatch a finished graph of the function called ``of``."""
    emitted, target = generated(graph.but(name=name), backend, printed(result), defaults)
    return dispatched(of, anchor, signature, traced, graph, result, defaults, emitted, target,
                      backend)


def printed(result: Any) -> Any:
    """What generated code returns for a result: that, or all outputs if it cannot make it."""
    return result if is_plain(result) else ALL


def dispatched(of: str, anchor: Anchor, signature: inspect.Signature, traced: Traced,
               graph: Graph, result: Any, defaults: Mapping[str, Any], emitted: Emitted,
               target: Callable[..., Any], backend: Backend, linear: Linear | None = None
               ) -> Specialization:
    """Linked code as what a call of a transform runs.  With a ``linear`` half it gives that with
    what it is run with: in the split form the results and residuals, else the flat inputs."""
    run = target
    rebuild: Callable[[Any], Any] | None = None if is_plain(result) else functools.partial(
        rebuilt, result)
    if linear is not None and linear.backward is not None:
        rebuild = linear.split
    elif linear is not None:
        run, rebuild = collect, linear.with_inputs
    dispatch = Dispatch(of, signature, traced, run, rebuild, linear is not None,
                        asking(backend, target) if linear is None else None)
    text = emitted.text
    if linear is not None and linear.emitted is not emitted:
        text = f"{text}\n\n{linear.emitted.text}"
    return Specialization(dispatch, target, text, graph, traced, graph.title, emitted, result,
                          anchor, signature, None, backend if linear is None else NUMPY, defaults,
                          linear)


def collect(*inputs: Any) -> tuple[Any, ...]:
    """The target of a dispatcher that only reads the inputs."""
    return inputs


@dataclass(frozen=True)
class Linear:
    """The linear half of the split form, with the structures of its inputs and outputs.
    ``backward`` is its graph, whose last inputs are the cotangents of the results ``active``."""

    name: str
    emitted: Emitted
    run: Callable[..., Any]
    arguments: list[Any]
    result: Any
    active: list[int]
    backward: Graph | None = None
    backend: Backend = NUMPY

    @cached_property
    def forwards(self) -> Callable[..., Any]:
        """The transposed function: takes what ``run`` takes (of the cotangents only the shapes
        matter), then the tangents of the arguments; gives the tangents of the results."""
        assert self.backward is not None
        graph = transposed(self.backward, len(self.active))
        return generated(graph.but(name=f"{graph.name}_forwards"), self.backend)[1]

    def split(self, flat: Any) -> Any:
        """What a call of the split form gives for the flat results and residuals."""
        count = len(refs(self.result))
        return rebuilt(self.result, flat), self, flat[count:], flat[:count]

    def with_inputs(self, inputs: Any) -> Any:
        """What a call in forward mode gives for the flat inputs."""
        return self, inputs
