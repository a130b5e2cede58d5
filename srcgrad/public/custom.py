"""Functions whose derivative their author gives: ``custom_vjp``, ``custom_jvp``, ``implicit``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from ..compile.frames import without_internal_frames
from ..compile.refusals import require_function, with_article
from ..errors import StructureError
from ..trace.calls.custom import Custom, custom_call
from ..trace.calls.handlers import Traced
from ..trace.calls.nested import differentiable
from ..trace.record.tracers import is_tracer
from ..types.identifiers import signature_of
from ..types.kinds import in_words
from ..types.tree import assemble, children
from . import transforms
from .nesting import traced_jacobian
from .standing import Standing

P = ParamSpec("P")
R = TypeVar("R")
Rule = TypeVar("Rule", bound=Callable[..., Any])


class _WithDerivative(Standing, Generic[P, R]):
    """A function that is one operation for the compiler.  Called outside of generated code it is
    the function that it wraps."""

    @without_internal_frames
    def __init__(self, fun: Callable[P, R], nondiff_argnums: Sequence[int] = ()) -> None:
        require_function(fun, type(self).__name__, "give a function",
                         "it gives a function a derivative")
        self._stand_for(fun)
        self.fun: Callable[..., R] = fun
        self.signature = signature_of(fun)
        count = len(self.signature.parameters)
        self.nondiff = tuple(n % count for n in nondiff_argnums)
        self.defined = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.fun(*args, **kwargs)

    def __srcgrad_plain__(self) -> Callable[..., R]:
        return self.fun

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...],
                          kwargs: dict[str, Any]) -> Any:
        """While tracing: one node that brings its derivative along."""
        if not self.defined:
            return machine.call(self.fun, *args, **kwargs)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise machine.recorder.fatal(StructureError(
                f"{self.__name__} has a derivative of its own and keyword-only parameters",
                why="cotangents are given by position", fix="make them positional"))
        return custom_call(machine, Custom(self, self.fun, self._pull, self._push), bound.args)

    def _pull(self, machine: Any, ct: Any, results: Any, args: tuple[Any, ...]) -> Any:
        """The cotangents of the arguments."""
        raise AssertionError("subclasses say what the derivative is")

    def _push(self, machine: Any, tangents: tuple[Any, ...], results: Any,
              args: tuple[Any, ...]) -> Any:
        """The tangent of the results."""
        raise AssertionError("subclasses say what the derivative is")

    def _define(self) -> None:
        if self.defined:
            raise StructureError(f"{self.__name__} has a derivative already",
                                 where=self.__name__, why="a function has one derivative",
                                 fix="give it once")
        self.defined = True

    def _parted(self, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The arguments without a derivative, and the others."""
        return ([args[n] for n in self.nondiff],
                [a for n, a in enumerate(args) if n not in self.nondiff])

    def _placed(self, found: Any, count: int, what: str) -> list[Any]:
        """One item for each argument, from one for each that has a derivative."""
        wanted = [n for n in range(count) if n not in self.nondiff]
        if not isinstance(found, (tuple, list)) or len(found) != len(wanted):
            raise StructureError(
                f"{what} of {self.__name__} must return a tuple of {len(wanted)} "
                f"cotangent{'' if len(wanted) == 1 else 's'}, and returned {_described(found)}",
                why="there is one for each argument with a derivative",
                fix="return a tuple with one cotangent per argument (None for zero)")
        placed: list[Any] = [None] * count
        for n, item in zip(wanted, found, strict=True):
            placed[n] = item
        return placed


class custom_vjp(_WithDerivative[P, R]):
    """A function whose pullback its author gives (JAX's protocol).

    ``f = custom_vjp(fun); f.defvjp(fwd, bwd)``: ``fwd(*args)`` returns ``(out, residuals)``,
    ``bwd(residuals, ct)`` a tuple with one cotangent per argument, of the argument's structure,
    shape and dtype (None for zero).  With ``nondiff_argnums`` these arguments come first in
    ``bwd``, which returns cotangents of the others.  Both are staged like any code: they may loop
    and branch, and are differentiated for higher orders; in forward mode the pullback is
    transposed.

    Raises :class:`StructureError` where it is given something else than a function, or a backward
    function returns another structure than that of the arguments.

    See also :class:`custom_jvp`, :class:`implicit`, :func:`srcgrad.rules.vjp`, :func:`check_grads`.

    >>> import numpy as np
    >>> from srcgrad import grad
    >>> @custom_vjp
    ... def clipped(x):
    ...     return np.clip(x, 0.0, 1.0)
    >>> clipped.defvjp(lambda x: (np.clip(x, 0.0, 1.0), x), lambda x, ct: (0.5 * ct,))
    >>> grad(lambda x: clipped(x) * 3.0)(7.0)
    1.5
    """

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Give the forward and backward functions."""
        self._define()
        self.fwd, self.bwd = fwd, bwd

    def _pull(self, machine: Any, ct: Any, results: Any, args: tuple[Any, ...]) -> Any:
        made = machine.call(self.fwd, *args)
        if not isinstance(made, tuple) or len(made) != 2:
            raise machine.recorder.fatal(StructureError(
                f"the forward function of {self.__name__} must return (out, residuals), and "
                f"returned {_described(made)}", why="the backward function gets the residuals",
                fix="return a pair"))
        found = machine.call(self.bwd, *self._parted(args)[0], made[1], ct)
        try:
            return self._placed(found, len(args), "the backward function")
        except StructureError as error:
            raise machine.recorder.fatal(error) from None

    def _push(self, machine: Any, tangents: tuple[Any, ...], results: Any,
              args: tuple[Any, ...]) -> Any:
        """The transpose of the pullback, which is linear in the cotangents."""
        found: list[int] = []

        def linear(ct: Any) -> Any:
            cotangents = self._pull(machine, ct, results, args)
            found[:] = [n for n, t in enumerate(tangents)
                        if t is not None and cotangents[n] is not None]
            return tuple(cotangents[n] for n in found)

        _, pushforward = machine.call(transforms.vjp, Traced(linear), _zeros(machine, results))
        return machine.call(pushforward, tuple(tangents[n] for n in found))[0]


class custom_jvp(_WithDerivative[P, R]):
    """A function whose pushforward its author gives (JAX's protocol).

    ``f = custom_jvp(fun); f.defjvp(rule)``: ``rule(primals, tangents)`` returns ``(out,
    tangent_out)`` and is linear in the tangents, which have the shapes and dtypes of the primals as
    ``tangent_out`` has those of ``out``; with ``nondiff_argnums`` these arguments come first.
    ``f.defjvps(*rules)`` gives ``rule(tangent, out, *primals)`` for each argument (None for zero);
    the tangent of the result is their sum.  Reverse mode transposes it.

    Raises :class:`StructureError` where it is given something else than a function, or a rule
    returns no pair.

    See also :class:`custom_vjp`, :func:`srcgrad.rules.jvp`, :func:`check_grads`.

    >>> import numpy as np
    >>> from srcgrad import grad
    >>> @custom_jvp
    ... def softplus(x):
    ...     return np.logaddexp(0.0, x)
    >>> @softplus.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return softplus(x), t / (1.0 + np.exp(-x))
    >>> grad(softplus)(0.0)
    0.5
    """

    def defjvp(self, rule: Rule) -> Rule:
        """Give the rule; returns it, so that it may be used as a decorator."""
        self._define()
        self.rule = rule
        return rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """Give a rule for each argument with a derivative."""
        def together(*parts: Any) -> Any:
            *nondiff, primals, tangents = parts
            out = self.fun(*self._whole(nondiff, primals))
            total = 0.0
            for rule, t in zip(rules, tangents, strict=True):
                if rule is not None and t is not None:
                    total = total + rule(t, out, *primals)
            return out, total

        self.defjvp(together)

    def _whole(self, nondiff: Sequence[Any], primals: Sequence[Any]) -> list[Any]:
        """All arguments, in the order of the function."""
        first, second = iter(nondiff), iter(primals)
        return [next(first) if n in self.nondiff else next(second)
                for n in range(len(nondiff) + len(primals))]

    def _push(self, machine: Any, tangents: tuple[Any, ...], results: Any,
              args: tuple[Any, ...]) -> Any:
        nondiff, primals = self._parted(args)
        _, given = self._parted(tangents)
        full = tuple(_zeros(machine, p) if t is None else t
                     for p, t in zip(primals, given, strict=True))
        made = machine.call(self.rule, *nondiff, tuple(primals), full)
        if not isinstance(made, tuple) or len(made) != 2:
            raise machine.recorder.fatal(StructureError(
                f"the rule of {self.__name__} must return (out, tangent_out), and returned "
                f"{_described(made)}", why="it gives the value and its tangent",
                fix="return a pair"))
        return made[1]

    def _pull(self, machine: Any, ct: Any, results: Any, args: tuple[Any, ...]) -> Any:
        """The transpose of the pushforward, which is linear in the tangents."""
        places = [n for n, a in enumerate(args) if n not in self.nondiff and _differs(machine, a)]

        def linear(*tangents: Any) -> Any:
            given: list[Any] = [None] * len(args)
            for n, t in zip(places, tangents, strict=True):
                given[n] = t
            return self._push(machine, tuple(given), results, args)

        zeros = [_zeros(machine, args[n]) for n in places]
        _, pullback = machine.call(transforms.vjp, Traced(linear), *zeros)
        cotangents: list[Any] = [None] * len(args)
        for n, found in zip(places, machine.call(pullback, ct), strict=True):
            cotangents[n] = found
        return cotangents


class implicit(_WithDerivative[P, R]):
    """A solver whose derivative comes from the equation that its result solves.

    ``solve = implicit(solver, optimality)``: ``solve(*args)`` is ``solver(*args)``, a number or an
    array ``x`` of floats with ``optimality(x, *args) == 0``, of the shape of ``x`` (for a minimum:
    the gradient of what is minimised).  By the implicit function theorem
    ``dx = -inv(dF/dx) @ (dF/dargs @ dargs)`` at the solution: the steps of the solver are not
    differentiated, nor kept, and what it starts from has derivative zero if ``optimality`` does
    not depend on it.  ``dF/dx`` has to be regular; it is formed and solved with, or, where it is
    large, only multiplied with vectors: ``linear_solve(matvec, b)`` gives the solution of
    ``matvec(x) == b``, for instance :func:`srcgrad.linear_solve`.

    Raises :class:`StructureError` where it is given something else than functions, or the solver
    returns several results; ``numpy.linalg.LinAlgError`` where ``dF/dx`` is singular.

    See also :func:`linear_solve`, :func:`srcgrad.scipy.root`, :func:`srcgrad.scipy.fixed_point`,
    :class:`custom_vjp`.

    >>> from srcgrad import grad
    >>> def bisect(c):
    ...     low, high = 0.0, 1.0 + c
    ...     while high - low > 1e-14:
    ...         middle = 0.5 * (low + high)
    ...         if middle * middle < c:
    ...             low = middle
    ...         else:
    ...             high = middle
    ...     return low
    >>> root = implicit(bisect, lambda x, c: x * x - c)
    >>> round(grad(root)(4.0), 12)
    0.25
    """

    @without_internal_frames
    def __init__(self, solver: Callable[P, R], optimality: Callable[..., Any],
                 linear_solve: Callable[..., Any] | None = None) -> None:
        for role, function in (("solver", solver), ("optimality", optimality),
                               ("linear_solve", linear_solve or solver)):
            if not callable(function):
                raise StructureError(f"the {role} of implicit is {function!r}",
                                     where=f"the {role} of implicit", why="it is called",
                                     fix="give functions")
        super().__init__(solver)
        self.optimality, self.linear_solve = optimality, linear_solve
        self.defined = True

    def _solved(self, machine: Any, matrix_free: Any, formed: Any, results: Any, given: Any,
                args: tuple[Any, ...]) -> Any:
        """What a function makes of the solution and of cotangents or tangents: one that only
        multiplies with the Jacobian, or one that forms it."""
        if isinstance(results, tuple):
            raise machine.recorder.fatal(StructureError(
                f"the solver {self.__name__} returns several results",
                why="the equation is solved for one number or array",
                fix="return one array, and take it apart outside"))
        free = self.linear_solve is not None
        return machine.calls.inline(matrix_free if free else formed, (
            self.linear_solve if free else _jacobian(machine), self.optimality, results, given,
            args), {})

    def _pull(self, machine: Any, ct: Any, results: Any, args: tuple[Any, ...]) -> Any:
        return self._solved(machine, matrix_free_cotangents, implicit_cotangents, results, ct, args)

    def _push(self, machine: Any, tangents: tuple[Any, ...], results: Any,
              args: tuple[Any, ...]) -> Any:
        return self._solved(machine, matrix_free_tangent, implicit_tangent, results, tangents, args)


def _jacobian(machine: Any) -> Traced:
    return Traced(lambda fun, x: traced_jacobian(machine, "jacrev", fun, 0, (x,)))


# ---- staged, like a user's functions ---------------------------------------------------------
def implicit_cotangents(jacobian_of: Any, optimality: Any, x: Any, ct: Any, args: Any) -> Any:
    """The cotangents of ``args``, for the cotangent of a solution."""
    jacobian = jacobian_of(lambda y: optimality(y, *args), x)
    if np.ndim(x) == 0:
        weights = ct / jacobian
    else:
        count = np.size(x)
        weights = np.reshape(np.linalg.solve(np.reshape(jacobian, (count, count)).T, np.ravel(ct)),
                             np.shape(x))
    _, pullback = transforms.vjp(lambda *a: optimality(x, *a), *args)
    return pullback(-weights)


def implicit_tangent(jacobian_of: Any, optimality: Any, x: Any, tangents: Any, args: Any) -> Any:
    """The tangent of a solution, for tangents of ``args``."""
    jacobian = jacobian_of(lambda y: optimality(y, *args), x)
    _, moved = transforms.jvp(lambda *a: optimality(x, *a), args, tangents)
    if np.ndim(x) == 0:
        return -moved / jacobian
    count = np.size(x)
    return -np.reshape(np.linalg.solve(np.reshape(jacobian, (count, count)), np.ravel(moved)),
                       np.shape(x))


def matrix_free_cotangents(solve: Any, optimality: Any, x: Any, ct: Any, args: Any) -> Any:
    """The cotangents of ``args``, by products with the transposed Jacobian only."""
    _, by_solution = transforms.vjp(lambda y: optimality(y, *args), x)
    weights = solve(lambda v: by_solution(v)[0], ct)
    _, pullback = transforms.vjp(lambda *a: optimality(x, *a), *args)
    return pullback(-weights)


def matrix_free_tangent(solve: Any, optimality: Any, x: Any, tangents: Any, args: Any) -> Any:
    """The tangent of a solution, by products with the Jacobian only."""
    _, by_solution = transforms.linearize(lambda y: optimality(y, *args), x)
    _, moved = transforms.jvp(lambda *a: optimality(x, *a), args, tangents)
    return -solve(lambda v: by_solution(v), moved)


def _described(made: Any) -> str:
    """What a rule returned, in a few words."""
    if is_tracer(made):
        return in_words(made.aval)
    if isinstance(made, (tuple, list)):
        return f"{with_article(type(made))} of {len(made)}"
    return with_article(type(made))


# ---- trees of tracers ------------------------------------------------------------------------
def _differs(machine: Any, arg: Any) -> bool:
    """Can an argument carry a derivative?"""
    return bool(differentiable(machine, (arg,)))


def _zeros(machine: Any, tree: Any) -> Any:
    """Zeros of the structure of an argument."""
    parts = None if is_tracer(tree) else children(tree)
    if parts is None:
        return machine.call(np.zeros_like, tree) if is_tracer(tree) and tree.aval.ndim else 0.0
    return assemble(type(tree), tuple(k for _, k, _ in parts),
                    [_zeros(machine, part) for _, _, part in parts])
