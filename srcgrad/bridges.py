"""Functions of NumPy as functions of PyTorch and of JAX, with their derivatives.

The other library is imported at the first call.  The function runs on the CPU, on NumPy arrays;
inside of the other library's program it is one step.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .compile.backends import backend_of
from .compile.frames import without_internal_frames
from .compile.refusals import named, require_function
from .errors import StructureError
from .public.helptext import helptext
from .public.transforms import Split, differentiable, vjp
from .types.tree import flatten, tree_map, unflatten

__all__ = ["to_jax", "to_torch"]
Array = np.ndarray[Any, np.dtype[Any]]


def _imported(library: str, asked: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError:
        raise StructureError(f"{asked} needs the package {library}", where=asked,
                             why="it is not installed", fix=f"pip install {library}") from None


def _named_like(made: Any, fun: Any, library: str) -> Callable[..., Any]:
    made.__name__ = named(fun)
    made.__doc__ = helptext(f"{named(fun)} as a function of {library}", fun)
    made.__wrapped__ = fun
    found: Callable[..., Any] = made
    return found


def _pulled(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The cotangents of the primals as a function of them and of the result's."""
    def pulled(primals: Any, ct: Any) -> Any:
        return vjp(fun, *primals, backend=backend_of(fun))[1](ct)

    return pulled


# ---- PyTorch ---------------------------------------------------------------------------------
@without_internal_frames
def to_torch(fun: Callable[..., Any]) -> Callable[..., Any]:
    """``fun`` as a function of tensors: one node (``torch.autograd.Function``) of PyTorch's graph.

    ``fun`` is a function of arrays and numbers, or one that ``srcgrad.jit`` made.  Tensors may
    stand wherever it takes arrays, also in dicts, lists, tuples and dataclasses; it gets their
    numbers as arrays of the same shape and dtype.  The result has tensors for arrays and numbers,
    on the device of the first tensor.  Gradients of gradients work (``create_graph=True``).
    Arguments by keyword are handed on as they are.

    Raises :class:`StructureError` where PyTorch is not installed, or the function is none.

    See also :func:`to_jax`, :func:`srcgrad.jit`.

    >>> def energy(x, stiffness):
    ...     return 0.5 * stiffness * np.sum(x ** 2)
    >>> f = to_torch(energy)
    >>> x = torch.ones(3, requires_grad=True)                          # doctest: +SKIP
    >>> f(x, 2.0).backward()                                           # doctest: +SKIP
    >>> x.grad                                                         # doctest: +SKIP
    tensor([2., 2., 2.])
    """
    require_function(fun, "to_torch", "give a function", "it is called with arrays")

    def on_tensors(*args: Any, **fixed: Any) -> Any:
        torch = _imported("torch", "to_torch")
        target = (lambda *given: fun(*given, **fixed)) if fixed else fun
        return _applied(torch, target, args)

    return _named_like(on_tensors, fun, "PyTorch")


class _Call:
    """One call: where tensors stand in the arguments, and what came out beside tensors."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...], torch: Any) -> None:
        self.fun, self.torch = fun, torch
        self.leaves, self.structure = flatten(args)
        self.places = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, torch.Tensor)]
        self.out_leaves: list[Any] = []
        self.out_structure: Any = None
        self.out_places: list[int] = []

    def arguments(self, parts: Any) -> Any:
        """The arguments with these in the places of the tensors."""
        given = dict(zip(self.places, parts, strict=True))
        return unflatten(self.structure,
                         [given.get(i, leaf) for i, leaf in enumerate(self.leaves)])

    def results(self, parts: Any) -> Any:
        """The result with these in the places of its tensors."""
        given = dict(zip(self.out_places, parts, strict=True))
        return unflatten(self.out_structure,
                         [given.get(i, leaf) for i, leaf in enumerate(self.out_leaves)])

    def cotangents(self, parts: Any) -> Any:
        """A cotangent of the result; None beside the tensors."""
        given = dict(zip(self.out_places, parts, strict=True))
        return unflatten(self.out_structure,
                         [given.get(i) for i in range(len(self.out_leaves))])

    def forward(self, tensors: Any, needed: Any) -> tuple[Any, Any]:
        """The tensors of the result, and the pullback."""
        args = self.arguments([_numbers(t) for t in tensors])
        wanted = {p for p, need in zip(self.places, needed, strict=True) if need}
        counts = np.cumsum([len(flatten(a)[0]) for a in args])
        places = {int(np.searchsorted(counts, p, side="right")) for p in wanted}
        found = tuple(p for p in differentiable(args) if p in places)
        made = Split(self.fun, args, found, backend_of(self.fun)) if found else None
        out = made.out if made is not None else self.fun(*args)
        self.out_leaves, self.out_structure = flatten(out)
        self.out_places = [i for i, leaf in enumerate(self.out_leaves) if isinstance(
            leaf, (np.ndarray, np.generic, float, complex))]
        device = tensors[0].device if tensors else None
        results = tuple(self.torch.tensor(np.asarray(self.out_leaves[i]), device=device)
                        for i in self.out_places)
        return results, None if made is None else made.pullback

    def gradients(self, found: Any, tensors: Any, needed: Any) -> list[Any]:
        """The gradients of the tensors, from cotangents of the arguments."""
        flat = [leaf for part, arg in zip(found, unflatten(self.structure, self.leaves),
                                          strict=True)
                for leaf in (flatten(part)[0] if part is not None else
                             [None] * len(flatten(arg)[0]))]
        return [None if not need or flat[place] is None else self.torch.as_tensor(
            flat[place], dtype=tensor.dtype, device=tensor.device)
            for place, tensor, need in zip(self.places, tensors, needed, strict=True)]


def _numbers(tensor: Any) -> Array:
    found: Array = tensor.detach().cpu().numpy()
    return found


def _applied(torch: Any, fun: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The call as a node of PyTorch's graph."""
    call = _Call(fun, args, torch)

    def forward(ctx: Any, *tensors: Any) -> Any:
        results, ctx.pullback = call.forward(tensors, ctx.needs_input_grad)
        ctx.save_for_backward(*tensors)
        ctx.mark_non_differentiable(*(r for r in results
                                      if not (r.is_floating_point() or r.is_complex())))
        return results

    def backward(ctx: Any, *cts: Any) -> Any:
        tensors, needed = ctx.saved_tensors, ctx.needs_input_grad
        if torch.is_grad_enabled():  # create_graph=True: the pullback is a node, too
            found = _applied(torch, _pulled(fun), (call.arguments(tensors), call.cotangents(cts)))
        else:
            found = ctx.pullback(call.cotangents([_numbers(ct) for ct in cts]))
        return tuple(call.gradients(found, tensors, needed))

    node = type(named(fun), (torch.autograd.Function,),
                {"forward": staticmethod(forward), "backward": staticmethod(backward)})
    return call.results(node.apply(*[call.leaves[i] for i in call.places]))  # type: ignore[attr-defined]


# ---- JAX -------------------------------------------------------------------------------------
@without_internal_frames
def to_jax(fun: Callable[..., Any], example: Callable[..., Any] | None = None
           ) -> Callable[..., Any]:
    """``fun`` as a function of JAX's arrays: a ``jax.custom_vjp`` around ``jax.pure_callback``,
    to be used under ``jax.jit``, ``grad`` (of any order) and ``vmap`` (example by example).

    ``fun`` is a function of arrays, or of dicts, lists and tuples of them; it must be pure.
    Shapes and dtypes of its result are those of ``example(*args)``, which defaults to ``fun``,
    for arguments full of ones.  They may depend on the shapes of the arguments only.

    Raises :class:`StructureError` where JAX is not installed, or the function is none.

    See also :func:`to_torch`, :func:`srcgrad.jit`.

    >>> def energy(x, stiffness):
    ...     return 0.5 * stiffness * np.sum(x ** 2)
    >>> f = to_jax(energy)
    >>> jax.jit(jax.grad(f))(jnp.ones(3), 2.0)                         # doctest: +SKIP
    Array([2., 2., 2.], dtype=float32)
    """
    require_function(fun, "to_jax", "give a function", "it is called with arrays")
    made: list[Any] = []

    def on_arrays(*args: Any) -> Any:
        if not made:
            made.append(_as_custom_vjp(_imported("jax", "to_jax"), fun, example or fun))
        return made[0](*args)

    return _named_like(on_arrays, fun, "JAX")


def _as_custom_vjp(jax: Any, fun: Callable[..., Any], example: Callable[..., Any]) -> Any:
    def on_host(*args: Any) -> Any:
        return tree_map(_plain_array, fun(*tree_map(_plain_array, args)))

    def primal(*args: Any) -> Any:
        ones = jax.tree.map(lambda a: np.ones(a.shape, a.dtype), jax.tree.map(jax.numpy.asarray,
                                                                              args))
        shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(
            np.shape(a), jax.dtypes.canonicalize_dtype(np.asarray(a).dtype)), example(*ones))
        return jax.pure_callback(
            lambda *given: jax.tree.map(lambda a, s: np.asarray(a, s.dtype), on_host(*given),
                                        shapes),
            shapes, *args, vmap_method="sequential")

    def forward(*args: Any) -> Any:
        return made(*args), args

    def backward(args: Any, ct: Any) -> Any:
        ct = jax.tree.map(lambda c: None if c.dtype == jax.dtypes.float0 else c, ct)
        return tuple(_as_custom_vjp(jax, _pulled(fun), _pulled(fun))(args, ct))

    made = jax.custom_vjp(primal)
    made.defvjp(forward, backward)
    return made


def _plain_array(leaf: Any) -> Any:
    return None if leaf is None else np.asarray(leaf)
