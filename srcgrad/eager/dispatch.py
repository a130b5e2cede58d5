"""How an operation is declared; see the text of :mod:`srcgrad.eager.ops` for a tour.

Operations find here all that declaring them takes.  Three tables, filled by the declarations:
:data:`NAMESPACE` (``torch.<name>``), the methods of
:class:`~srcgrad.eager.tensor.Tensor`, and the primitives by function of the rule book.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager import promotion
from srcgrad.eager.calling_errors import Signature, bad_argument, need_tensor
from srcgrad.eager.errstate import loud, quiet
from srcgrad.eager.fast import entry_of_two, in_place, pair, single
from srcgrad.eager.grad_mode import FORWARD, GRAD, TRANSFORM, state
from srcgrad.eager.out_dtypes import COMPUTED_IN_OUT, check_out
from srcgrad.eager.overloads import kind_of
from srcgrad.eager.primitive import Primitive, push_forward
from srcgrad.eager.promotion import Operand, arithmetic_dtype, computed, is_number, promoted
from srcgrad.eager.size import struct
from srcgrad.eager.tangents import follows_base, tangent_of
from srcgrad.eager.tensor import Array, Tensor, extra, store, wrap
from srcgrad.eager.views import make_view, requires_grad
from srcgrad.eager.writes import (
    apply_in_place,
    bump,
    check_cast,
    check_result,
    check_writable,
    refuse_captured,
    refuse_overlap,
    refuse_partial_overlap,
    refuse_shared,
    resize_memory,
)

F = TypeVar("F", bound=Callable[..., Any])
NAMESPACE: dict[str, Any] = {}
# Kernels that are looked for before the dtype of the result.
_KERNELS_FIRST = ('"lt_cpu"', '"le_cpu"', '"gt_cpu"', '"ge_cpu"', '"lerp_kernel')
_ndarray = np.ndarray

def register(names: str | Sequence[str], function: Any, *, torch: bool = True,
             method: bool = True) -> None:
    """Put a function into the namespace and among the methods under each name."""
    for name in (names,) if isinstance(names, str) else names:
        if torch:
            NAMESPACE[name] = function
        if method:
            setattr(Tensor, name, function)


def op(name: str | None = None, *, torch: bool = True, method: bool = True, inplace: bool = False,
       out: bool = True, aliases: Sequence[str] = (), fast: Any = None,
       gives: str = "") -> Callable[[F], F]:
    """Declare a function with PyTorch's own Python signature, ``input`` first.

    Makes ``torch.<name>`` and ``Tensor.<name>``; with ``inplace`` also ``Tensor.<name>_`` (and
    ``torch.<name>_``); with ``out`` the keyword ``out=``.  ``aliases`` are further names.
    ``gives`` names the results of a function that returns a tuple.
    The decorated function stays the plain implementation, for use by other operations.
    """

    def declare(function: F) -> F:
        title = name or function.__name__.rstrip("_")
        for n in (title, *aliases):
            for bound in (False, True):
                if not (method if bound else torch):
                    continue
                public = publish(n, function, out, bound=bound, gives=gives)
                if fast is not None:
                    public = fast(public)
                register(n, public, torch=not bound, method=bound)
        if inplace:
            for n in (title, *aliases):
                written = _in_place(n, function)
                for bound in (False, True)[not torch:]:
                    register(n + "_", publish(n + "_", written, False, bound=bound),
                             torch=not bound, method=bound)
        return function

    return declare


class Space(dict[str, Any]):
    """The functions of ``torch.<title>``; messages put ``prefix`` before their names."""

    def __init__(self, title: str, prefix: str = "") -> None:
        self.title, self.prefix = title, prefix

    def missing(self, name: str) -> Any:
        """The answer to names that are not there: the ``__getattr__`` of its module."""
        raise AttributeError(f"module 'torch.{self.title}' has no attribute '{name}'")


def within(space: Space, name: str, *, out: bool = True, gives: str = "") -> Callable[[F], F]:
    """Declare a function of a sub-namespace: :func:`op` for ``space``."""

    def declare(function: F) -> F:
        space[name] = publish(space.prefix + name, function, out, gives=gives)
        return function

    return declare


def publish(title: str, function: Callable[..., Any], out: bool, *, bound: bool = False,
            gives: str = "") -> Callable[..., Any]:
    """The callable users see: NumPy spellings, ``out=``, PyTorch's argument errors; in these,
    ``bound`` methods do not count ``self``.  ``gives`` names the parts of its result."""
    called = Signature(title, inspect.signature(function), out, bound)
    if gives:
        function = _named_results(struct(title, *gives.split()), function)
    check_first, number_first = called.check_first, called.number_first
    needs_sizes, whole_places = called.needs_sizes, called.whole_places

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        target = None
        if kwargs:
            args, target = called.spelled(args, kwargs)
        if check_first and args and args[0].__class__ is not Tensor and not (
                isinstance(args[0], Tensor) or (number_first and is_number(args[0]))):
            raise called.first_error(args, kwargs)
        if whole_places:
            called.check_whole(args, kwargs)
        if needs_sizes and len(args) == 1 and not kwargs:
            raise called.sizes_error(args)
        try:
            if target is not None:
                return into(target, title, function, args, kwargs)
            return function(*args, **kwargs)
        except (TypeError, AttributeError, RuntimeError, ValueError, IndexError) as error:
            explained = called.answer(error, args, kwargs)
            if explained is error:
                raise
            raise explained from None

    public.__name__ = public.__qualname__ = title
    return public


def _named_results(result: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    return functools.wraps(function)(lambda *args, **kwargs: result(function(*args, **kwargs)))


# Functions whose elements are read and written in different orders.
_OUT_OF_ORDER = frozenset(("scatter", "scatter_add", "scatter_reduce", "index_add", "index_copy",
                           "put"))


def _check_written(t: Tensor, name: str, *operands: Any) -> None:
    if state.mode & TRANSFORM:
        refuse_captured(t, name)
    if state.mode & GRAD and any(
            isinstance(v, Tensor) and requires_grad(v) for v in (t, *operands)):
        check_writable(t, True)


def _in_place(title: str, function: Callable[..., Any]) -> Callable[..., Any]:
    refuse = refuse_shared if title in _OUT_OF_ORDER else refuse_partial_overlap

    @functools.wraps(function)
    def written(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        try:
            _check_written(input, title + ("_.Tensor" if args else "_"), *args)

            def compute(old: Tensor) -> Tensor:
                result = function(old, *args, **kwargs)  # its own checks come first
                for value in args:
                    refuse(input, value)
                return result  # type: ignore[no-any-return]

            return apply_in_place(input, compute)
        except (NotImplementedError, RuntimeError) as error:
            _cast_comes_first(error, (input,), (input, *args))
            raise

    return written


def into(target: Any, title: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The ``out=`` form: compute, then store in ``target`` (a tensor or a tuple of tensors)."""
    targets = target if isinstance(target, tuple | list) else (target,)
    for t in targets:
        if not isinstance(t, Tensor):
            raise TypeError(f"{title}(): argument 'out' must be Tensor, not {kind_of(t)}")
    if state.mode & FORWARD and any(
            isinstance(v, Tensor) and tangent_of(v) is not None for v in (*args, *targets)):
        raise NotImplementedError(f"Trying to use forward AD with {title}_out that does not "
                                  "support it because it is an out= function")
    if state.mode & GRAD:
        given = [v for v in (*args, *kwargs.values(), *targets) if isinstance(v, Tensor)]
        for value in args:
            if isinstance(value, tuple | list):
                given.extend(v for v in value if isinstance(v, Tensor))
        if any(requires_grad(t) for t in given):
            raise RuntimeError(f"{title}(): functions with out=... arguments don't support "
                               "automatic differentiation, but one of the arguments requires grad.")
    given_dtype = kwargs.get("dtype") is not None
    if title in COMPUTED_IN_OUT and not given_dtype:
        kwargs["dtype"] = targets[0]._dt
    try:
        result = function(*args, **kwargs)
    except (NotImplementedError, RuntimeError) as error:
        _cast_comes_first(error, targets, args, title)
        raise
    for t in targets:
        check_writable(t, False)
        refuse_overlap(t)
        for value in args:
            refuse_partial_overlap(t, value)
    several = isinstance(result, tuple)
    if several is not isinstance(target, tuple | list):
        raise TypeError(f"{title}(): argument 'out' must be "
                        + ("tuple of Tensors, not Tensor" if several else "Tensor, not tuple"))
    if several:
        names = [f"{title}.{place}" for place in range(len(targets))]
    elif title.startswith("abs") and args[0]._dt.category == dt.COMPLEX:
        names = [""]  # made real: whatever holds it
    else:
        names = [title + ".dtype" if given_dtype else title]
    for name, t, r in zip(names, targets, result if several else (result,)):
        check_out(name, r._dt, t._dt)
        store_out(t, r)
    return type(result)(*targets) if hasattr(result, "_fields") else target


def _cast_comes_first(error: Exception, targets: Sequence[Tensor], operands: Sequence[Any],
                      name: str = "") -> None:
    """PyTorch looks at the dtype of the result before it looks for a kernel or divides."""
    text = str(error)
    given = [v for v in operands if isinstance(v, Tensor) or is_number(v)]
    refused = text == "ZeroDivisionError" or (
        "\" not implemented for '" in text and not text.startswith(_KERNELS_FIRST))
    if given and refused:
        d = promotion.result_type(*given)
        check_out(name + ".0" * (len(targets) > 1), d, targets[0]._dt)


def store_out(target: Tensor, result: Tensor) -> None:
    """Put ``result`` into ``target``, resizing it as ``out=`` does."""
    check_cast(result._dt, target._dt)
    if target._a.shape != result._a.shape:
        if target._a.size:
            warnings.warn("An output with one or more elements was resized since it had shape "
                          f"{list(target._a.shape)}, which does not match the required output "
                          f"shape {list(result._a.shape)}. This behavior is deprecated, and in a "
                          "future PyTorch release outputs will not be resized unless they have "
                          "zero elements. You can explicitly reuse an out tensor t by resizing it, "
                          "inplace, to zero elements with t.resize_(0).", UserWarning, stacklevel=4)
        resize_memory(target, result._a.shape)
    np.copyto(target._a, store(target._dt, result._a), casting="unsafe")
    bump(target)


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


# -- pointwise families --------------------------------------------------------------------


def unary(
    name: str, function: Callable[..., Any], *, node: str | None = None, floats: bool = True,
    aliases: Sequence[str] = (), inplace: bool = True, torch: bool = True, method: bool = True,
    primal: Callable[..., Any] | None = None, text: str | None = None, **options: Any,
) -> Callable[..., Tensor]:
    """Declare a function of one tensor, elementwise: ``unary("exp", np.exp)``.

    ``floats``: integers are computed in the default dtype.  ``text`` is the docstring, where the
    name does not say it.  ``options`` go to :class:`~srcgrad.eager.primitive.Primitive`.
    """
    prim = Primitive(function, node or camel(name) + "Backward0", primal=primal, **options)
    compute = prim.primal

    def call(input: Tensor) -> Tensor:
        d = input._dt
        a = input._a
        if d.category < dt.FLOATING and floats:
            a = a.astype(dt.get_default_dtype().numpy)
        token = quiet()
        try:
            r = compute(a)
        finally:
            loud(token)
        if state.mode and d.category >= dt.FLOATING:
            return prim.finish(r, (input,), {})  # type: ignore[no-any-return]
        if d is dt.bfloat16:
            return wrap(dt.round_bfloat16(r), d)
        r = np.asarray(r)
        return wrap(r, dt.FROM_NUMPY[r.dtype])

    call.__name__, call.__doc__ = name, text
    op(name, aliases=aliases, inplace=inplace, torch=torch, method=method,
       fast=lambda public: single(prim, public))(call)
    return call


def binary(name: str, function: Callable[..., Any], *, kind: str = "arithmetic",
           node: str | None = None, aliases: Sequence[str] = (), inplace: bool = True,
           torch: bool = True, method: bool = True, dunder: str | None = None,
           scalar_edges: bool = True, primal: Callable[..., Any] | None = None,
           **options: Any) -> Callable[..., Tensor]:
    """Declare an elementwise function of two operands, with promotion and broadcasting.

    ``kind`` is ``"arithmetic"`` (promoted dtype), ``"floating"`` (integers become floats) or
    ``"comparison"`` (promoted operands, boolean result).  ``dunder`` names the operator
    (``"mul"``), of which the plain, reflected and in-place forms are made.
    """
    prim = Primitive(function, node or camel(name) + "Backward0", primal=primal,
                     scalar_edges=scalar_edges, **options)
    compares = kind == "comparison"

    def call(input: Any, other: Operand) -> Any:
        d = arithmetic_dtype(input, other, floats=kind == "floating")
        if compares:
            return wrap(computed(prim, d, (input, other), {}), dt.bool_)
        return promoted(prim, d, input, other)

    call.__name__ = name
    quick = None if compares else prim
    op(name, aliases=aliases, inplace=inplace, torch=torch, method=method,
       fast=fast_pair(quick))(call)
    if quick is not None:
        FAST[call] = quick
    if dunder is not None:
        operators(dunder, call, inplace=inplace and not compares)
    return call


# The primitives of binary functions that the fast paths serve.
FAST: dict[Any, Primitive] = {}


def fast_pair(prim: Primitive | None, numbers_only: bool = False) -> Any:
    """What ``op(fast=...)`` takes: the fast path of a function of two operands."""
    if prim is None:
        return None
    return lambda public: entry_of_two(pair(prim, public, numbers_only=numbers_only), public)


def operators(dunder: str, call: Callable[..., Any], *, reflected: Callable[..., Any] | None = None,
              inplace: bool = True, fast: Primitive | None = None) -> None:
    """Make ``__<dunder>__``, ``__r<dunder>__`` and ``__i<dunder>__`` of a binary function."""
    compares = dunder in ("lt", "le", "gt", "ge", "eq", "ne")

    def forward(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor) or is_number(other):
            return call(self, other)
        return NotImplemented  # also for arrays: NumPy then computes, and wraps its result

    def backward(self: Tensor, other: Any) -> Any:
        if is_number(other):
            return reflected(self, other) if reflected is not None else call(other, self)
        return NotImplemented

    def written(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor) or is_number(other):
            _check_written(self, dunder + "_.Tensor", other)
            refuse_partial_overlap(self, other)
            return apply_in_place(self, lambda old: call(old, other))
        return NotImplemented

    plain: Callable[..., Any] = forward
    reverse: Callable[..., Any] = backward
    prim = FAST.get(call) if fast is None else fast
    if prim is not None:
        if reflected is call:
            reverse = pair(prim, backward, numbers_only=fast is not None)
        plain = pair(prim, forward, numbers_only=fast is not None)
    setattr(Tensor, f"__{dunder}__", plain)
    if not compares:
        setattr(Tensor, f"__r{dunder}__", reverse)
        if inplace:
            quick = written if prim is None or fast is not None else in_place(prim, written)
            setattr(Tensor, f"__i{dunder}__", quick)


# -- views ---------------------------------------------------------------------------------


def view_of(prim: Primitive, input: Tensor, a: Any, named: dict[str, Any],
            d: dt.dtype | None = None) -> Tensor:
    """A view of ``input`` over array ``a`` (which shares its memory, and has elements of type ``d``
    if these are others), recorded as ``prim`` with the rule's arguments ``named``."""
    mode = state.mode
    t = make_view(input, a, None, d=d)
    if mode & GRAD and requires_grad(input) and (t._x is None or not t._x.inference):
        prim.record(named, (t,))
    if mode & FORWARD and not follows_base(input):
        push_forward(prim, named, (t,))
    return t


__all__ = ["NAMESPACE", "Array", "Primitive", "Space", "Tensor", "apply_in_place", "bad_argument",
           "binary", "check_result", "check_writable", "dt", "extra", "into", "is_number",
           "need_tensor", "op", "operators", "refuse_overlap", "register", "store", "store_out",
           "unary", "view_of", "within", "wrap"]
