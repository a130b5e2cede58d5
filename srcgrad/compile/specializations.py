"""Generated code for one signature: assembled, linked, and how it came about."""

from __future__ import annotations

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
from .templates import is_plain, rebuilt


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
    direct = is_plain(result)
    emitted, target = generated(graph.but(name=name), backend, result if direct else ALL,
                                defaults)
    rebuild = None if direct else (lambda flat: rebuilt(result, flat))
    dispatch = Dispatch(of, signature, traced, target, rebuild, ask=asking(backend, target))
    return Specialization(dispatch, target, emitted.text, graph, traced, graph.title, emitted,
                          result, anchor, signature, None, backend, defaults)


def collect(*inputs: Any) -> tuple[Any, ...]:
    """The target of a dispatcher that only reads the inputs."""
    return inputs
