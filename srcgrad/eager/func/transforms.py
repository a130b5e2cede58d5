"""`torch.func`: grad, vjp, jvp, jacrev, jacfwd, hessian, as functions of functions.

Each transform gives its function *fresh* tensors that stand for its arguments: aliases recorded
in the surrounding graph if that graph needs them, new leaves otherwise.  Nesting therefore needs
no levels: inner and outer derivatives are with respect to different tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.backward import grad as tape_grad
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import NAMESPACE
from srcgrad.eager.func.trees import flatten, map_leaves, outline, specification
from srcgrad.eager.grad_mode import GRAD, HOOKS, TRANSFORM, enable_grad, state
from srcgrad.eager.nodes import AccumulateGrad
from srcgrad.eager.tangents import check_tangent
from srcgrad.eager.tensor import Tensor, epoch, extra, one_hots, wrap, zeros_as
from srcgrad.eager.views import gradient_edge


def _real(t: Any) -> Any:
    if not isinstance(t, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(t)}")
    if t._dt.category < dt.FLOATING:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return t


_NO_HOOKS = ("torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. "
             "Please open an issue with your use case.")


@contextmanager
def transforming(backward: bool = True) -> Iterator[None]:
    """While the function of a transform runs: it must not write to what it captured."""
    before = state.mode, state.transform, state.hooks_disabled
    if backward:
        if state.mode & HOOKS:
            raise RuntimeError(_NO_HOOKS)
        state.hooks_disabled = _NO_HOOKS
    epoch[0] += 1
    state.transform = epoch[0]
    state.mode |= GRAD | TRANSFORM
    state.pushing += not backward
    try:
        yield
    finally:
        state.mode, state.transform, state.hooks_disabled = before
        state.pushing -= not backward


def fresh(value: Any, own: list[Tensor]) -> Any:
    """A tensor to differentiate by in place of ``value``; new leaves are noted in ``own``."""
    if not isinstance(value, Tensor):
        return value
    if value.requires_grad and gradient_edge(value) is not None:
        seen = value.view_as(value)
        extra(seen).stands_in = epoch[0]
        return seen
    leaf: Tensor = value.detach()
    extra(leaf).stands_in = epoch[0]
    if value._dt.category >= dt.FLOATING:
        leaf._rg = True
        own.append(leaf)
    return leaf


def depends_on_others(tensors: list[Any], own: list[Tensor]) -> bool:
    """Whether gradients of ``tensors`` reach leaves other than ``own``."""
    mine = {id(t) for t in own}
    stack = [e[0] for e in (gradient_edge(t) for t in tensors if isinstance(t, Tensor)) if e]
    seen = set(stack)
    while stack:
        node = stack.pop()
        if isinstance(node, AccumulateGrad):
            if id(node.variable) not in mine:
                return True
            continue
        for edge in node._edges:
            if edge is not None and edge[0] not in seen:
                seen.add(edge[0])
                stack.append(edge[0])
    return False


def release(tree: Any, own: list[Tensor]) -> Any:
    """Results of a transform: without history unless something outside needs it."""

    def one(t: Any) -> Any:
        if not isinstance(t, Tensor) or not t.requires_grad:
            return t
        if state.mode & GRAD and depends_on_others([t], own):
            return t
        return t.detach()

    return map_leaves(one, tree)


def _pick(args: tuple[Any, ...], argnums: int | tuple[int, ...]) -> Any:
    if isinstance(argnums, tuple):
        return tuple(args[i] for i in argnums)
    return args[argnums]


def _replace(args: tuple[Any, ...], argnums: int | tuple[int, ...], new: Any) -> list[Any]:
    replaced = list(args)
    for i, v in zip(argnums, new) if isinstance(argnums, tuple) else [(argnums, new)]:
        replaced[i] = v
    return replaced


def _check_argnums(argnums: Any, args: tuple[Any, ...]) -> None:
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    refuse(argnums == (), "argnums must be non-empty")
    for i in argnums if isinstance(argnums, tuple) else (argnums,):
        refuse(not isinstance(i, int), "argnum must be int, got: {}", type(i))
        if not -len(args) <= i < len(args):
            raise RuntimeError(f"Got argnum={i}, but only {len(args)} positional inputs")
    if isinstance(argnums, tuple):
        places = tuple(i % len(args) for i in argnums)
        refuse(len({*places}) != len(places), "argnums elements must be unique, got {}", places)


def grad_and_value(func: Callable[..., Any], argnums: Any = 0,
                   has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns ``(gradient, value)``, with ``has_aux``
    ``(gradient, (value, aux))``."""

    @functools.wraps(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        _check_argnums(argnums, args)
        own: list[Tensor] = []
        with transforming():
            wanted = map_leaves(lambda t: _real(fresh(t, own)), _pick(args, argnums))
            output = func(*_replace(args, argnums, wanted), **kwargs)
        with enable_grad():
            output, aux = _split_aux(output, has_aux, "grad_and_value(f)(*args)")
            _check_scalar(output)
            leaves, rebuild = flatten(wanted)
            keep = depends_on_others([output], own)
            grads = _pull([output], leaves, keep, [None])
        gradient = release(rebuild(grads), own)
        value = release(output, own)
        return gradient, ((value, release(aux, own)) if has_aux else value)

    return transformed


def _split_aux(output: Any, has_aux: bool, call: str) -> tuple[Any, Any]:
    if not has_aux:
        return output, ()
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if "
                           "has_aux is True")
    for t in flatten(output[1])[0]:
        refuse(not isinstance(t, Tensor), "Expected tensors, got unsupported type {}", type(t))
    return output


def _check_outputs(outs: list[Any], call: str) -> None:
    refuse(not outs or (len(outs) == 1 and outs[0] is None), "{}: Expected f to be a function that "
           "has non-empty output (got output = {})", call, outs)
    for o in outs:
        refuse(not isinstance(o, Tensor), "{}: expected f(*primals) to return only tensors, got "
               "unsupported type {}", call, type(o))


def _check_real(tensors: list[Any], what: str) -> None:
    for i, t in enumerate(tensors):
        refuse(isinstance(t, Tensor) and t._dt.category == dt.COMPLEX, "{} to be real but received "
               "complex tensor at flattened input idx: {}", what, i)


def _check_scalar(output: Any) -> None:
    refuse(not isinstance(output, Tensor), "grad_and_value(f)(*args): Expected f(*args) to return "
           "a Tensor, got {}", type(output))
    refuse(output._a.ndim, "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, "
           "got tensor with {} dims. Maybe you wanted to use the vjp or jacrev APIs instead?",
           output._a.ndim)
    refuse(output._dt.category < dt.FLOATING, "grad_and_value(f)(*args): Expected f(*args) to "
           "return a tensor of floating point dtype, got {!r}", output._dt)


def _pull(outputs: list[Any], leaves: list[Any], keep: bool, seeds: list[Any]) -> list[Any]:
    """The gradients by ``leaves``, zeros by those the outputs do not depend on."""
    pairs = [(o, seed) for o, seed in zip(outputs, seeds) if o.requires_grad]
    tensors = [t for t in leaves if isinstance(t, Tensor) and t.requires_grad]
    got: Any = (None,) * len(tensors)
    if pairs and tensors:
        got = tape_grad([o for o, _ in pairs], tensors, [seed for _, seed in pairs],
                        retain_graph=True, create_graph=keep, allow_unused=True)
    by_tensor = {id(t): g for t, g in zip(tensors, got)}
    return [(zeros_as(t) if by_tensor.get(id(t)) is None else by_tensor[id(t)])
            if isinstance(t, Tensor) else t for t in leaves]


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of scalar ``func`` (with ``has_aux``, and the aux).

    >>> import srcgrad.eager as torch
    >>> torch.func.grad(lambda x: x ** 3)(torch.tensor(2.0)).item()
    12.0
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return transformed


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """``(func(*primals), pullback)``; ``pullback(ct)`` gives a tuple, one item per primal."""
    own: list[Tensor] = []
    with transforming():
        given = map_leaves(lambda t: _real(fresh(t, own)), primals)
        output = func(*given)
    output, aux = _split_aux(output, has_aux, "vjp(f, *primals)")
    leaves, rebuild = flatten(given)
    outs, _ = flatten(output)
    _check_outputs(outs, "vjp(f, *primals)")
    keep_always = depends_on_others(outs, own)

    def pullback(cotangents: Any, retain_graph: bool = True,
                 create_graph: bool | None = None) -> Any:
        cts, _ = flatten(cotangents)
        if outline(cotangents) != outline(output):
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree "
                               "structure of outputs to the function. cotangents: "
                               f"{outline(cotangents)}, primal output: {outline(output)}")
        keep = keep_always or any(isinstance(c, Tensor) and c.requires_grad for c in cts)
        with enable_grad():
            pulled = rebuild(_pull(outs, leaves, keep, cts))
        return release(pulled, own)

    value = release(output, own)
    return (value, pullback, release(aux, own)) if has_aux else (value, pullback)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False,
        has_aux: bool = False) -> Any:
    """``(func(*primals), J tangents)``."""
    refuse(not isinstance(primals, tuple), "jvp(f, primals, tangents): Expected primals to be a "
           "tuple. E.g. it should be valid to call f(*primals).")
    if specification(primals) != specification(tangents):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python "
            "structure. For example, if primals is a tuple of 3 tensors, tangents also must be. "
            f"Got primals with structure {specification(primals)} and tangents with structure "
            f"{specification(tangents)}")
    refuse(not flatten(primals)[0], "jvp(f, primals, tangents): Expected primals to contain at "
           "least one Tensor.")
    for name, tree in (("primals", primals), ("tangents", tangents)):
        for t in flatten(tree)[0]:
            refuse(not isinstance(t, Tensor), "jvp(f, primals, tangents): Expected {} to only "
                   "contain Tensors, got {}", name, type(t))
            refuse(name == "primals" and t._dt.category < dt.FLOATING, "Expected primal to be "
                   "floating point or complex, but got: {!r}", t._dt, kind=ValueError)
    own: list[Tensor] = []
    with transforming(backward=False):
        given = map_leaves(lambda t: fresh(t, own), primals)
        output = func(*given)
    with enable_grad():
        output, aux = _split_aux(output, has_aux, "jvp(f, primals, tangents)")
        leaves, _ = flatten(given)
        ts, _ = flatten(tangents)
        for t, p in zip(ts, leaves):
            check_tangent(p, t)
        outs, rebuild = flatten(output)
        _check_outputs(outs, "jvp(f, primals, tangents)")
        for out in outs:
            if strict and not out.requires_grad:
                raise RuntimeError(
                    "jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                    "inputs. This is not allowed with strict=True.")
        pushed = [_push_one(o, leaves, ts, own) for o in outs]
    value, tangent = release(output, own), release(rebuild(pushed), own)
    return (value, tangent, release(aux, own)) if has_aux else (value, tangent)


def _push_one(out: Tensor, leaves: list[Any], tangents: list[Any], own: list[Tensor]) -> Tensor:
    """``J t`` for one output: the backward, differentiated in its cotangent."""
    if not out.requires_grad:
        return zeros_as(out)
    v = zeros_as(out)
    v._rg = True
    own.append(v)
    pairs = [(x, t) for x, t in zip(leaves, tangents) if x.requires_grad]
    got = tape_grad(out, [x for x, _ in pairs], v, retain_graph=True, create_graph=True,
                    allow_unused=True)
    live = [(g, t) for g, (_, t) in zip(got, pairs) if g is not None and g.requires_grad]
    if not live:
        return zeros_as(out)
    pushed, = tape_grad([g for g, _ in live], [v], [t for _, t in live], retain_graph=True,
                        create_graph=True, allow_unused=True)
    return zeros_as(out) if pushed is None else pushed


def _jacobians(parts: list[list[list[Tensor]]], outs: list[Tensor], ins: list[Tensor],
               by_rows: bool, argnums: Any, rebuild_out: Any, rebuild_in: Any) -> Any:
    """The blocks of a Jacobian, nested like outputs and inputs, from the rows or columns of each
    output ``o`` by each input ``k`` in ``parts[o][k]``."""
    blocks = []
    for out, row in zip(outs, parts):
        joined = []
        for x, part in zip(ins, row):
            shape, like = out._a.shape + x._a.shape, x if by_rows else out
            joined.append(
                NAMESPACE["stack"](part, 0 if by_rows else out._a.ndim).reshape(shape) if part
                else wrap(np.zeros(shape, like._a.dtype), like._dt))
        block = rebuild_in(joined)
        blocks.append(block if isinstance(argnums, tuple) else block[0])
    return rebuild_out(blocks)


def _of_wanted(func: Callable[..., Any], argnums: Any, args: tuple[Any, ...],
               kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], Callable[..., Any]]:
    """The arguments to differentiate by, and ``func`` as a function of these alone."""
    _check_argnums(argnums, args)
    picked = _pick(args, argnums)
    if isinstance(argnums, tuple):
        return picked, lambda *wanted: func(*_replace(args, argnums, wanted), **kwargs)
    return (picked,), lambda wanted: func(*_replace(args, argnums, wanted), **kwargs)


def jacrev(func: Callable[..., Any], argnums: Any = 0, *, has_aux: bool = False,
           chunk_size: int | None = None, _preallocate_and_copy: bool = False) -> Any:
    """The Jacobian by rows: shape ``output.shape + input.shape``, nested like both."""

    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        primals, of_wanted = _of_wanted(func, argnums, args, kwargs)
        _check_real(flatten(primals)[0], "jacrev: Expected all inputs")
        value, pullback, *aux = vjp(of_wanted, *primals, has_aux=has_aux)
        outs, rebuild_out = flatten(value)
        for out in outs:
            refuse(out._dt.category < dt.FLOATING, "vjp(f, ...): All outputs of f must be "
                   "floating-point or complex Tensors, got Tensor with dtype {!r}", out._dt)
        _check_real(outs, "jacrev: Expected all outputs")
        ins, rebuild_in = flatten(primals)
        parts = []
        for o, out in enumerate(outs):
            rows = [flatten(pullback(rebuild_out(
                [one if k == o else zeros_as(v) for k, v in enumerate(outs)])))[0]
                for one in one_hots(out)]
            parts.append([[row[k] for row in rows] for k in range(len(ins))])
        result = _jacobians(parts, outs, ins, True, argnums, rebuild_out, rebuild_in)
        return (result, *aux) if has_aux else result

    return transformed


def jacfwd(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *,
           randomness: str = "error", chunk_size: int | None = None) -> Any:
    """The Jacobian by columns; the same nesting as :func:`jacrev`."""

    @functools.wraps(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        primals, of_wanted = _of_wanted(func, argnums, args, kwargs)
        ins, rebuild_in = flatten(primals)
        _check_real(ins, "jacfwd: Expected all inputs")
        columns: list[list[list[Any]]] = []  # by input, direction and output
        rebuild_out: Any = None
        outs: list[Any] = []
        aux: Any = None
        for k, x in enumerate(ins):
            column = []
            for one in one_hots(x):
                tangents = rebuild_in([one if j == k else zeros_as(v) for j, v in enumerate(ins)])
                got = jvp(of_wanted, primals, tangents, has_aux=has_aux)
                outs, rebuild_out = flatten(got[0])
                _check_real(outs, "jacfwd: Expected all outputs")
                aux = got[2] if has_aux else None
                column.append(flatten(got[1])[0])
            columns.append(column)
        if rebuild_out is None:  # nothing to move: only the form of the result is asked for
            outs, rebuild_out = flatten(of_wanted(*primals))
        parts = [[[one[o] for one in column] for column in columns] for o in range(len(outs))]
        result = _jacobians(parts, outs, ins, False, argnums, rebuild_out, rebuild_in)
        return (result, aux) if has_aux else result

    return transformed


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The Hessian, as ``jacfwd(jacrev(func))``."""
    return jacfwd(jacrev(func, argnums), argnums)  # type: ignore[no-any-return]


def linearize(func: Callable[..., Any], *primals: Any) -> Any:
    """``(func(*primals), jvp_fn)``, the function linear at ``primals``."""
    return func(*primals), lambda *tangents: jvp(func, primals, tangents)[1]

