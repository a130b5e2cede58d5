"""Functions that library code calls back: graphs among the arguments of an ``apply`` node.

``scipy.integrate.quad`` and its like take a function of the user's.  That is traced to a graph of
its own; what it reads from around it becomes further parameters, which the library hands over as
``args=``.  A :class:`Callback` is such a graph as a static argument.  Derivative rules make new
ones from it (:meth:`Callback.pullback`), so that derivatives call back too, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from ..types.dataclasses import dataclass, field
from ..types.kinds import FLOAT, INT, OPAQUE, SCALARS, Aval, Kind, array
from ..types.structure import found_in
from .interpret import interpret
from .ir import Graph
from .outcome import Outcome, fresh_results, placeholder

Differentiate = Callable[[Graph, list[int], list[int], list[int]], Graph]


@dataclass(eq=False)
class Callback:
    """``graph`` as a function of ``own`` arguments that the library gives and of those that it
    hands over.  Its results are one, or (``many``) a tuple; ``like`` tells for each the number of
    the input that has its shape, None for a number.

    ``criterion`` is a function of the same inputs that says what a solver looks for, if that is
    not the function itself: its root, or (``minimised``) its minimum.  ``steps`` computes what
    a solver finds by operations that have derivatives, from where it starts and its arguments.
    """

    title: str
    graph: Graph
    own: int
    like: tuple[int | None, ...]
    many: bool = False
    minimised: bool = False
    criterion: Callback | None = None
    steps: Callback | None = None
    derived: dict[Any, Callback] = field(default_factory=dict)

    # How graphs are differentiated (with these inputs, outputs, and outputs to keep).
    differentiate: ClassVar[Differentiate]

    def __call__(self, *inputs: Any) -> Any:
        found = interpret(self.graph, *inputs)
        return tuple(found) if self.many else found[0]

    @property
    def __name__(self) -> str:
        return self.title

    @property
    def varying(self) -> list[int]:
        """The inputs that can carry a derivative."""
        return [i for i, v in enumerate(self.graph.inputs) if v.aval.is_inexact]

    def pullback(self, wrt: Sequence[int] | None = None, of: Sequence[int] | None = None
                 ) -> Callback:
        """The cotangents of the inputs ``wrt`` (all that vary): a function of the inputs and
        the cotangents of the results ``of`` (all)."""
        inputs = self.varying if wrt is None else list(wrt)
        outputs = list(range(len(self.like))) if of is None else list(of)
        key = (tuple(inputs), tuple(outputs))
        if key not in self.derived:
            graph = Callback.differentiate(self.graph, inputs, outputs, [])
            name = f"{self.title}_pullback"
            self.derived[key] = Callback(name, graph.but(name=name), self.own, key[0], True)
        return self.derived[key]

    def results(self, inputs: Sequence[Any]) -> tuple[Aval, ...]:
        """The types of the results for inputs of these types."""
        outputs = self.graph.outputs[:len(self.like)]
        return tuple(number_like(v.aval) if k is None or not isinstance(inputs[k], Aval)
                     else number_like(inputs[k]) for v, k in zip(outputs, self.like, strict=True))


def number_like(aval: Aval) -> Aval:
    """The type of what has the shape and dtype of a value; which kind of scalar it is only a run
    knows."""
    if aval.kind in SCALARS:
        return Aval(Kind.NUMBER, aval.dtype, ())
    return aval.but(expr=None, optional=False)


def callbacks(structure: Any) -> Iterator[Callback]:
    """The callbacks in the arguments of a call."""
    return found_in(structure, Callback)


# ---- types of results ------------------------------------------------------------------------
Types = Callable[..., tuple[Aval, ...] | Aval]
RESULTS: dict[str, Types] = {}


def gives(*names: str) -> Callable[[Types], Types]:
    """Declare the types of what functions (by module and name) that call back return; the
    arguments are those of the call."""

    def register(types: Types) -> Types:
        RESULTS.update(dict.fromkeys(names, types))
        return types

    return register


def _single(aval: Any) -> Any:
    return number_like(aval) if isinstance(aval, Aval) else FLOAT


@gives("srcgrad.rules.callbacks.evaluated")
def _evaluated(function: Callback, inputs: Sequence[Any]) -> Any:
    found = function.results(inputs)
    return found if function.many else found[0]


@gives("srcgrad.rules.callbacks.jacobian_solution")
def _jacobian_solution(back: Callback, inputs: Any, b: Any, transposed: bool) -> Any:
    return _single(b)


@gives("srcgrad.rules.callbacks.settled")
def _settled(condition: Callback, back: Callback, inputs: Any) -> Any:
    return _single(inputs[0])


@gives("srcgrad.rules.callbacks.krylov")
def _krylov(function: Callback, b: Aval, *rest: Any) -> Any:
    return array(float, b.shape or ())


@gives("srcgrad.rules.scipy.integrate.integrals")
def _integrals(function: Callback, a: Any, b: Any, args: Sequence[Any], *settings: Any) -> Any:
    return function.results((FLOAT, *args))


@gives("scipy.integrate._quadpack_py.quad")
def _quad(func: Callback, a: Any, b: Any, **settings: Any) -> Any:
    return (FLOAT, FLOAT)


@gives(*(f"scipy.optimize._zeros_py.{n}" for n in (
    "brentq", "brenth", "bisect", "ridder", "toms748")))
def _bracketed(f: Callback, a: Any, b: Any, **settings: Any) -> Any:
    return _NUMBER


@gives("scipy.optimize._zeros_py.newton", "scipy.optimize._minpack_py.fsolve",
       "scipy.optimize._minpack_py.fixed_point", *(f"scipy.optimize._optimize.{n}" for n in (
           "fmin", "fmin_bfgs", "fmin_cg", "fmin_powell")))
def _as_start(func: Callback, x0: Any, **settings: Any) -> Any:
    return number_like(func.graph.inputs[0].aval)


@gives("scipy.optimize._minpack_py.leastsq")
def _with_flag(func: Callback, x0: Any, **settings: Any) -> Any:
    return number_like(func.graph.inputs[0].aval), INT


_NUMBER = Aval(Kind.NUMBER, FLOAT.dtype, ())


@gives("scipy.integrate._odepack_py.odeint")
def _odeint(func: Callback, y0: Any, t: Aval, **settings: Any) -> Any:
    y = func.graph.inputs[1 if settings.get("tfirst") else 0].aval
    return array(float, ((t.shape or (1,))[0], (y.shape or (1,))[0]))


@gives("srcgrad.rules.scipy.integrate.solved")
def _solved(fun: Callback, *rest: Any) -> Any:
    return (OPAQUE,) * 7


@gives("srcgrad.rules.scipy.integrate.trajectory")
def _trajectory(fun: Callback, found: Any, t0: Any, t1: Any, y0: Aval, *rest: Any) -> Any:
    size, count = (y0.shape or (1,))[0], placeholder(5000)
    return array(float, (count,)), array(float, (size, count))


@gives("srcgrad.rules.scipy.integrate.between")
def _between(fun: Callback, found: Any, times: Aval, t0: Any, y0: Aval, *rest: Any) -> Any:
    return array(float, ((y0.shape or (1,))[0], *(times.shape or ())))


@gives("srcgrad.rules.scipy.integrate.adjoint")
def _adjoint(of_y: Callback, of_args: Callback, found: Any, times: Any, ct: Any, t0: Any, y0: Aval,
             args: Sequence[Any], *rest: Any) -> Any:
    return (number_like(y0), *of_args.results((FLOAT, y0, *args)))


@gives("srcgrad.rules.scipy.integrate.rates")
def _rates(fun: Callback, times: Aval, *rest: Any) -> Any:
    return array(float, ((times.shape or (1,))[0],))


@gives("srcgrad.rules.scipy.optimize.solution")
def _solution(function: Callback, solver: Any, starts: Any, args: Any, settings: Any,
              fields: Sequence[str]) -> Any:
    x = number_like(function.graph.inputs[0].aval)
    return (x, *(_NUMBER if field in ("fun", "cost") else OPAQUE for field in fields[1:]))


@gives("srcgrad.rules.scipy.optimize.fitted")
def _fitted(function: Callback, xdata: Any, ydata: Any, args: Any, settings: Any, count: int
            ) -> Any:
    return array(float, (count,)), array(float, (count, count))


def result_of_callback(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """The outcome of a function that calls back; None for all others."""
    if not args or type(args[0]) is not Callback:
        return None
    types = RESULTS.get(f"{fn.__module__}.{fn.__name__}")
    if types is None:
        return None
    found = types(*args, **kwargs)
    many = isinstance(found, tuple)
    avals = found if isinstance(found, tuple) else (found,)
    return Outcome(avals, many, tuple if many else None, *fresh_results(len(avals)))
