"""The rule book: one declaration per derivative, serving every engine.

A rule is a plain Python function over NumPy calls.  *What it saves is what it names*: the
engine reads the parameter names of the body and hands over exactly those values.

Parameter names a body may use
------------------------------
``ct``
    the cotangent of the output (a tuple for functions with several outputs); has the shape
    and dtype of the output.
``ans``
    the output itself (a tuple for several outputs).
``<input>``
    an input under its canonical name: NumPy's documented parameter name (``x`` for unary
    ufuncs, ``x1``/``x2`` for binary ones, ``a``, ``axis``, ``keepdims`` ...).  Array inputs
    named here are *saved* by the engines; settings such as ``axis`` are static and free.
``<input>_shape``, ``<input>_ndim``, ``<input>_dtype``
    facts about an input; naming them saves nothing.  Sizes may be symbolic (they support
    arithmetic, comparison is not decidable on them); ``ndim`` is a plain ``int``.
``<setting>``
    a named kink policy declared with ``settings=`` (for instance ``ties="split"``).

Bodies call only ruled functions and operators, never inspect engine types, respect batch
dimensions and complex numbers.  They branch on ranks, dtypes, settings and on what is plainly
a Python number, never on values or sizes.  The vjp is the *transpose* of the derivative
without conjugation (JAX's and HIPS autograd's convention); the eager mode conjugates on the
way in and out.

What a body may return, and what engines do with it
----------------------------------------------------
* ``None``: the cotangent is zero (``sign`` of a real array, decided on the dtype).
* A complex cotangent for a real input: the engine keeps the real part.  Likewise the jvp of an
  elementwise rule with a real output (``abs`` of a complex array) is the real part of
  ``partial * t``.
* A cotangent of a wider dtype than the input's: the engine casts.
* An elementwise partial that is the Python number ``1``, ``-1`` or ``0``.

Sequences: for an input that is a list or tuple of arrays (``np.concatenate``; nested for
``np.array`` and ``np.block``; named in ``Entry.sequences``), ``<input>_shape``, ``_ndim`` and
``_dtype`` are *lists* of the same nesting, and the body returns a list of cotangents.  A shape
is always a tuple, so a list tells a sequence from an array; an array of the shape
``(length, *item_shape)`` may stand for a sequence of like items, also for a list whose length
only the run knows.  A list given for any other input means the array that ``np.array`` makes
of it: engines make it before they call the body.

Several outputs: ``ct`` and ``ans`` are tuples, an absent cotangent is ``None``.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType
from typing import Any, Literal

import numpy as np

from ..types.dataclasses import dataclass, field

Body = Callable[..., Any]
Array = Any  # what bodies compute on: arrays, scalars, tensors or graph values, as the engine likes
Shape = tuple[Any, ...]  # sizes may be symbolic
Dtype = np.dtype[Any]
Form = Literal["elementwise", "vjp", "jvp"]


class NoRule(ValueError):
    """Raised by a body for settings that it has no formula for; engines say where."""


@dataclass(frozen=True)
class Rule:
    """One derivative: ``body`` gives the cotangent (or partial) for ``inputs`` of ``function``.

    ``form`` is ``"elementwise"`` (the body returns the partial derivative, of the output's
    broadcast shape or a Python number), ``"vjp"`` (the body takes ``ct`` and returns the
    input's cotangent) or ``"jvp"`` (the body takes ``t``, the input's tangent).  A rule with
    several ``inputs`` is a *group*: its body returns a tuple, one item per input.
    """

    function: Callable[..., Any]
    inputs: tuple[str, ...]
    form: Form
    body: Body
    needs: tuple[str, ...]
    settings: Mapping[str, Any]
    linear: bool = False
    told: dict[Any, Any] = field(default_factory=dict, compare=False)  # what was found out about it


@dataclass
class Entry:
    """All that the book knows about one function.

    ``form`` is what has its signature: the function itself, or a Python function that stands in
    for it; ``parameters`` are the canonical names, ``broadcasts`` says that inputs broadcast
    against each other: bodies then return cotangents of the *output's* shape and the engine
    reduces them to the input's shape.  Such functions are pointwise, so that a vjp body is the
    jvp as well, with the tangent for ``ct``; where it is not (complex ``sign``) a jvp is
    declared.  ``inactive`` holds inputs whose derivative is zero everywhere; ``nondiff`` says so
    of every input.  ``adapt`` brings bound arguments into canonical form where names alone do
    not (``min=`` for ``a_min=``).  ``sequences`` are the inputs that are lists of arrays,
    ``static`` the settings whose numbers bodies must know (the order of a difference): engines
    that compile for all numbers guard these.
    """

    function: Callable[..., Any]
    form: Callable[..., Any]
    broadcasts: bool
    rules: dict[str, Rule] = field(default_factory=dict)
    jvps: dict[str, Rule] = field(default_factory=dict)
    inactive: set[str] = field(default_factory=set)
    nondiff: bool = False
    adapt: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    sequences: set[str] = field(default_factory=set)
    static: set[str] = field(default_factory=set)
    _plans: dict[tuple[Any, ...], list[tuple[str, Any]]] = field(default_factory=dict, repr=False)

    @cached_property
    def signature(self) -> inspect.Signature:
        """Names, kinds and defaults of the parameters (asked for when something is bound: making
        hundreds of signatures takes long)."""
        try:
            return _signature(self.form)
        except (TypeError, ValueError):
            if not self.nondiff:
                raise
            return inspect.signature(_anything)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return parameters_of(self.form)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by canonical name, defaults filled in; ``*operands`` become a tuple.

        >>> entry(np.sum).bind((1.0,), {"axis": 0})["axis"]
        0
        """
        form = (len(args), *kwargs)
        plan = self._plans.get(form)
        if plan is None:
            plan = self._plans[form] = self._plan(len(args), kwargs)
        given = (*args, *kwargs.values())
        named: dict[str, Any] = {}
        for name, place in plan:
            value = given[place] if type(place) in (int, slice) else place[0]
            named[name] = _NO_VALUE_MEANS.get(name) if value is np._NoValue else value
        return self.adapt(named) if self.adapt else named

    def _plan(self, count: int, keywords: Iterable[str]) -> list[tuple[str, Any]]:
        """Where each parameter's value stands among so many positional arguments and these
        keywords: its number, the slice of ``*operands``, or a tuple of its default value."""
        bound = self.signature.bind(*range(count), **{k: count + i for i, k in enumerate(keywords)})
        given = dict(bound.arguments)
        bound.apply_defaults()
        plan: list[tuple[str, Any]] = []
        for name, value in bound.arguments.items():
            kind = self.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                plan.extend(value.items())
            elif kind is inspect.Parameter.VAR_POSITIONAL:
                plan.append((name, slice(count - len(value), count)))
            else:
                plan.append((name, value if name in given else (value,)))
        return plan


# What NumPy's "no value given" comes to, by parameter; None for all others.
_NO_VALUE_MEANS: dict[str, Any] = {"keepdims": False, "where": True}

_BOOK: dict[Any, Entry] = {}
_ALIASES: dict[Any, Any] = {}


def _anything(*args: Any, **kwargs: Any) -> None:
    """The form of functions without a derivative that do not tell their parameters."""


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The canonical signature; ufuncs take ``x`` or ``x1, x2`` and keyword-only options."""
    if isinstance(function, np.ufunc):
        return _signature_of_ufunc(function.nin)
    return inspect.signature(function)


@cache
def _signature_of_ufunc(count: int) -> inspect.Signature:
    names = ["x"] if count == 1 else [f"x{i + 1}" for i in range(count)]
    positional = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names]
    options = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d)
        for n, d in (("out", None), ("where", True), ("casting", "same_kind"),
                     ("order", "K"), ("dtype", None), ("subok", True))
    ]
    return inspect.Signature(positional + options)


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters in the order of its signature, read off its code where
    it is written in Python.

    >>> parameters_of(lambda a, *rest, axis=None: None), parameters_of(np.exp)[:2]
    (('a', 'rest', 'axis'), ('x', 'out'))
    """
    code = _code_of(function)
    if code is None:
        return tuple(_signature(function).parameters)
    count, named = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames
    star, starred = named + bool(code.co_flags & CO_VARARGS), bool(code.co_flags & CO_VARKEYWORDS)
    return (*names[:count], *names[named:star], *names[count:named], *names[star:star + starred])


def _code_of(function: Callable[..., Any]) -> CodeType | None:
    """The code that says what the parameters are; None where something else does."""
    inner = inspect.unwrap(function, stop=lambda f: hasattr(f, "__signature__"))
    plain = type(inner) is FunctionType and not hasattr(inner, "__signature__")
    return inner.__code__ if plain else None


def _operands_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The name of the parameter ``*operands``, if there is one."""
    code = _code_of(function)
    if code is None:
        return tuple(p.name for p in _signature(function).parameters.values()
                     if p.kind is p.VAR_POSITIONAL)
    named = code.co_argcount + code.co_kwonlyargcount
    return code.co_varnames[named:named + bool(code.co_flags & CO_VARARGS)]


def entry(function: Callable[..., Any], like: Callable[..., Any] | None = None,
          adapt: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> Entry:
    """The entry of ``function``, made if new.  ``like`` is a pure Python function whose
    signature stands in where ``function`` has none (C functions such as ``np.concatenate``)."""
    found = _BOOK.get(function)
    if found is None:
        form = like or function
        try:
            operands = _operands_of(form)
        except (TypeError, ValueError) as err:
            raise TypeError(f"{function!r} has no signature to bind arguments with; give `like=`"
                            ) from err
        found = Entry(function, form, isinstance(function, np.ufunc), adapt=adapt)
        found.sequences.update(operands)
        _BOOK[function] = found
    return found


def _declare(function: Callable[..., Any], inputs: tuple[str, ...], form: Form,
             settings: Mapping[str, Any], broadcasts: bool | None, like: Callable[..., Any] | None,
             bodies: Mapping[str, Body | None], linear: bool = False,
             sequence: bool = False) -> Callable[[Body], Body]:
    e = entry(function, like)
    if broadcasts is not None:
        e.broadcasts = broadcasts
    table = e.jvps if form == "jvp" else e.rules

    def register(body: Body, names: tuple[str, ...] = inputs or e.parameters[:1]) -> Body:
        for name in names:
            if name not in e.parameters:
                raise TypeError(
                    f"rule for {e.function!r}: it has no parameter {name!r}; "
                    f"its parameters are {', '.join(e.parameters)}"
                )
        rule = Rule(e.function, names, form, body, parameters_of(body), dict(settings), linear)
        table.update(dict.fromkeys(names, rule))
        if sequence:
            e.sequences.update(names)
        return body

    for name, body in bodies.items():
        if body is None:
            e.inactive.add(name)
        else:
            register(_named(body, f"{getattr(function, '__name__', 'rule')}_{name}"), (name,))
    return register


def _named(body: Body, name: str) -> Body:
    """A body written as a lambda, as a function of its module: a run may have to call it."""
    if body.__name__ == "<lambda>" and name not in body.__globals__:
        body.__name__ = body.__qualname__ = name
        body.__globals__[name] = body
    return body


def elementwise(function: Callable[..., Any], *inputs: str, settings: Mapping[str, Any] = {},
                like: Callable[..., Any] | None = None,
                **bodies: Body | None) -> Callable[[Body], Body]:
    """Declare the partial derivative of an elementwise function for one input.

    The body may name ``ans``, inputs and settings, never ``ct``.  A body that returns the
    Python number ``1`` (or ``-1``) makes the engines pass the cotangent on (negated).  It is what
    the declaration decorates, or a formula under the input's name: ``x=lambda ans: ans``.

    Raises TypeError for a body that names what ``function`` has no parameter for.

    See also :func:`vjp`, :func:`jvp`, :func:`srcgrad.custom_vjp`.

    >>> @elementwise(np.tanh)
    ... def tanh(ans):
    ...     return 1 - ans * ans
    >>> _ = elementwise(np.cosh, x=lambda x: np.sinh(x))
    """
    return _declare(function, inputs, "elementwise", settings, True, like, bodies)


def vjp(function: Callable[..., Any], *inputs: str, settings: Mapping[str, Any] = {},
        broadcasts: bool | None = None, like: Callable[..., Any] | None = None,
        sequence: bool = False, **bodies: Body | None) -> Callable[[Body], Body]:
    """Declare the vector-Jacobian product for one input, or a group of inputs.

    The body names ``ct``, ``ans``, inputs and settings, and returns the cotangent of the input (a
    tuple for a group).  It is differentiated for higher orders, and transposed for forward mode.
    Short bodies are formulas under the names of their inputs; an input that is None has no
    derivative (:func:`inactive`).  ``sequence`` says that the inputs are lists of arrays.

    Raises TypeError for a body that names what ``function`` has no parameter for.

    See also :func:`elementwise`, :func:`linear`, :func:`srcgrad.check_grads`.

    >>> @vjp(np.linalg.inv, "a")
    ... def inv(ct, ans):
    ...     t = np.swapaxes(ans, -1, -2)
    ...     return -(t @ ct @ t)
    >>> _ = vjp(np.ldexp, x1=lambda ct, x2: np.ldexp(ct, x2), x2=None)
    """
    return _declare(function, inputs, "vjp", settings, broadcasts, like, bodies,
                    sequence=sequence)


def linear(function: Callable[..., Any], *inputs: str, settings: Mapping[str, Any] = {},
           broadcasts: bool | None = None, like: Callable[..., Any] | None = None,
           sequence: bool = False, **bodies: Body | None) -> Callable[[Body], Body]:
    """Declare the transpose of a function that is linear in ``inputs`` (taken together).

    Like :func:`vjp`; in addition the jvp is the function itself applied to the tangent.

    Raises what :func:`vjp` raises.

    See also :func:`vjp`, :func:`jvp`.

    >>> @linear(np.flip, "m")
    ... def flip(ct, axis=None):
    ...     return np.flip(ct, axis)
    """
    return _declare(function, inputs, "vjp", settings, broadcasts, like, bodies,
                    linear=True, sequence=sequence)


def jvp(function: Callable[..., Any], *inputs: str, settings: Mapping[str, Any] = {},
        like: Callable[..., Any] | None = None, **bodies: Body | None) -> Callable[[Body], Body]:
    """Declare an explicit Jacobian-vector product: an optional optimisation, tested equal to
    the transpose of the vjp.  The body names ``t``, the tangent of its input.

    Raises what :func:`vjp` raises.

    See also :func:`vjp`, :func:`srcgrad.custom_jvp`.

    >>> def square(x):
    ...     return x * x
    >>> @jvp(square, "x")
    ... def square_x(t, x):
    ...     return 2 * x * t
    """
    return _declare(function, inputs, "jvp", settings, None, like, bodies)


def nondiff(*functions: Callable[..., Any]) -> None:
    """Declare functions whose derivative is zero wherever it exists (``floor``, ``argmax``)
    or that return no numbers to differentiate.

    Raises nothing.

    See also :func:`inactive`, :func:`srcgrad.stop_gradient`.

    >>> def label(x):
    ...     return "high" if x > 0.5 else "low"
    >>> nondiff(label)
    """
    for function in functions:
        found = _BOOK.get(function)
        if found is None:
            found = _BOOK[function] = Entry(function, function, isinstance(function, np.ufunc))
        found.nondiff = True


def inactive(function: Callable[..., Any], *inputs: str) -> None:
    """Declare that the derivative with respect to ``inputs`` is zero (``condition`` of where).

    Raises TypeError where the function has no signature to name them by.

    See also :func:`nondiff`, :func:`static`.

    >>> def scaled(x, places):
    ...     return 2.0 * x
    >>> inactive(scaled, "places")
    """
    entry(function).inactive.update(inputs)


def sequence(function: Callable[..., Any], *inputs: str) -> None:
    """Declare that ``inputs`` are lists or tuples of arrays, with cotangents of their own."""
    entry(function).sequences.update(inputs)


def static(function: Callable[..., Any], *settings: str) -> None:
    """Declare settings that bodies branch or loop on, so that their numbers must be known.

    Raises TypeError where the function has no signature to name them by.

    See also :func:`inactive`, :func:`vjp`.

    >>> def repeated(x, count):
    ...     return x ** count
    >>> static(repeated, "count")
    """
    entry(function).static.update(settings)


def alias(target: Callable[..., Any], *spellings: Any) -> None:
    """Let other spellings with the same parameters (``operator.add``, ``math.exp``) use the
    rules of ``target``.

    Raises nothing.

    See also :func:`vjp`.

    >>> def my_tanh(x):
    ...     return np.tanh(x)
    >>> alias(np.tanh, my_tanh)
    """
    for spelling in spellings:
        _ALIASES[spelling] = target


def variant(target: Callable[..., Any], function: Callable[..., Any],
            like: Body | None = None) -> None:
    """Let ``function`` share the rules of ``target`` under a signature of its own: ``like``
    names ``function``'s parameters, in its order and with its defaults, as ``target`` does
    (without ``like``, ``function`` names them so itself).

    >>> variant(np.sum, np.add.reduce, lambda a, axis=0, dtype=None, out=None,
    ...         keepdims=False, initial=None, where=True: None)
    """
    of = _BOOK[target]
    _BOOK[function] = Entry(
        function, like or function, of.broadcasts, of.rules, of.jvps, of.inactive,
        of.nondiff, of.adapt, of.sequences, of.static,
    )  # fmt: skip


_PARTNERS: dict[str, str] = {}


def when_imported(partner: str, rules: str) -> None:
    """Import the module ``rules`` at the first lookup that fails after ``partner`` (an optional
    package) has been imported by anybody."""
    _PARTNERS[rules] = partner


def _import_partners() -> bool:
    """Import the rules of partners that are there by now; was anything imported?"""
    ready = [rules for rules, partner in _PARTNERS.items() if partner in sys.modules]
    for rules in ready:
        del _PARTNERS[rules]
        importlib.import_module(rules)
    return bool(ready)


def lookup(function: Any) -> Entry | None:
    """The entry of a function or of one of its aliases; ``None`` if the book has none."""
    try:
        found = _BOOK.get(_ALIASES.get(function, function))
        if found is None and _import_partners():
            found = _BOOK.get(_ALIASES.get(function, function))
    except TypeError:  # unhashable callables have no rules
        return None
    return found


def functions() -> Iterable[Callable[..., Any]]:
    """Every function the book has an entry for (for sweeps and documentation)."""
    return tuple(_BOOK)
