"""One element of what an array operation gives, as operations on numbers.

:data:`RULES` has, for each function, how its element at an index is made of elements of its
arguments.  A sum over axes is a loop of its own; what a rule cannot tell raises
:class:`~srcgrad.native.places.Unlowered`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.graph.broadcasting import preferred
from srcgrad.graph.ir import Block, Builder, LoopSpec, Node, Value, fill
from srcgrad.native.holding import ARITHMETIC, COMPARISONS, EXACT, ROUNDED, UNARY
from srcgrad.native.places import At, Unlowered, places, symbol
from srcgrad.types.dims import Dim, add
from srcgrad.types.kinds import BOOL, INT, SCALARS, Aval, Kind, int_aval, python_scalar, scalar
from srcgrad.types.spelling import Attribute, Method

if TYPE_CHECKING:
    from srcgrad.native.bodies import Body

At1 = tuple[At, ...]
_serial = count(10 ** 6)
_ONE, _ZERO = At(1), At()


# ---- helpers -------------------------------------------------------------------------------


def shape_of(value: Any) -> tuple[Dim, ...]:
    """The shape of an argument, ``()`` of a number."""
    if isinstance(value, Value):
        if value.aval.kind not in (*SCALARS, Kind.ARRAY) or value.aval.shape is None:
            raise Unlowered(f"{value.hint or 'a value'} is {value.aval}")
        return value.aval.shape
    if isinstance(value, (bool, int, float, np.generic)):
        return ()
    raise Unlowered("an argument is no array")


def dtype_of(value: Value) -> np.dtype[Any]:
    if value.aval.dtype is None:
        raise Unlowered(f"{value.hint or 'a value'} is {value.aval}")
    return value.aval.dtype


def spread(body: Body, value: Any, shape: tuple[Dim, ...], index: At1) -> Value | Any:
    """The element of an argument that is broadcast to ``shape``."""
    own = shape_of(value)
    if not isinstance(value, Value) or value.aval.kind in SCALARS:
        return body.element(value, ())
    if len(own) > len(shape):
        raise Unlowered("an array with more axes is written")
    found = []
    for size, whole, at in zip(own, shape[len(shape) - len(own):], index[len(shape) - len(own):],
                               strict=True):
        if size == 1 and whole != 1:
            found.append(_ZERO)
        else:
            body.equal(size, whole)
            found.append(at)
    return body.element(value, tuple(found))


def arguments(node: Node) -> tuple[list[Any], dict[str, Any]]:
    return (list(fill(node.params["args"], node.inputs)),
            dict(fill(node.params.get("kwargs") or {}, node.inputs)))


def loop_index(size: Dim, hint: str) -> Value:
    """The index of a loop over an axis."""
    place = symbol(hint, serial=next(_serial), low=0, high=add(size, -1), varying=True)
    return Value(int_aval(place), hint)


def looped(body: Body, size: Dim, carried: Sequence[Value],
           make: Callable[[Body, At], Sequence[Value]], depth: int) -> tuple[Value, ...]:
    """``for i in range(size)`` with what it carries; ``make`` gives the next values."""
    builder = body.builder
    stop = body.size(size, stop=True)
    zero, one = builder.const(0, int_aval(0)), builder.const(1, int_aval(1))
    index = loop_index(size, "ijklpqrst"[depth % 9])
    params = [v.like() for v in carried]
    inner = Builder(builder.origin)
    moved = dict(zip(carried, params, strict=True))
    following = make(body.inside(inner, moved, size), At.of(index))
    block = Block((index, *params), tuple(inner.nodes), tuple(following))
    spec = LoopSpec("for", n_carried=len(params))
    node = Node("loop", (zero, body.value(stop), one, *carried),
                (*(v.like() for v in carried), Value(INT)), {"loop": spec}, (block,),
                builder.origin)
    builder.nodes.append(node)
    return node.outputs[:-1]


def summed(body: Body, sizes: Sequence[Dim], start: Value, depth: int,
           make: Callable[[Body, At1, Value], Value]) -> Value:
    """A loop nest that carries one number."""
    def level(inner: Body, done: At1, total: Value) -> Value:
        if len(done) == len(sizes):
            return make(inner, done, total)
        (out,) = looped(inner, sizes[len(done)], (total,), lambda b, at: (
            level(b, (*done, at), b.carried_number(total)),), depth + len(done))
        return out

    return level(body, (), start)


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float64) if dtype == np.float32 else dtype


def total(body: Body, sizes: Sequence[Dim], dtype: np.dtype[Any], depth: int,
          term: Callable[[Body, At1], Value]) -> Value:
    """The sum of terms, of float32 in double precision."""
    if dtype.kind != "f":
        raise Unlowered("integers are added up")
    wide = scalar(_wide(dtype))
    start = body.builder.const(np.float64(0.0), wide)
    made = summed(body, sizes, start, depth, lambda b, at, so_far: b.apply(
        operator.add, (so_far, term(b, at)), wide))
    return made if wide.dtype == dtype else body.apply(np.float32, (made,), scalar(dtype))


# ---- elementwise ---------------------------------------------------------------------------

SAME: dict[Any, Any] = {fn: fn for fn in (
    operator.add, operator.sub, operator.mul, operator.truediv, *COMPARISONS, *UNARY, *ROUNDED,
    *EXACT)}
SAME.update({
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.divide: operator.truediv, np.negative: operator.neg, np.less: operator.lt,
    np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.equal: operator.eq, np.not_equal: operator.ne})
assert SAME.keys() >= ARITHMETIC


def _elementwise(body: Body, node: Node, index: At1) -> Value:
    args, kwargs = arguments(node)
    if kwargs:
        raise Unlowered(f"{name_of(node)} stays in NumPy")
    shape = node.out.aval.shape or ()
    parts = [spread(body, a, shape, index) for a in args]
    fn = SAME[node.params["fn"]]
    if fn in ROUNDED:
        body.costly()
    return body.apply(fn, parts, scalar(dtype_of(node.out)))


def _power(body: Body, node: Node, index: At1) -> Value:
    """A power as NumPy computes it of an array: some exponents have a way of their own."""
    (base, exponent), kwargs = arguments(node)
    shape, aval = node.out.aval.shape or (), scalar(dtype_of(node.out))
    if kwargs or aval.dtype is None or aval.dtype.kind != "f":
        raise Unlowered("power stays in NumPy")
    x = spread(body, base, shape, index)
    number = None if isinstance(exponent, Value) else float(exponent)
    if number == 2:
        return body.apply(operator.mul, (x, x), aval)
    if number == 0.5:
        return body.apply(np.sqrt, (x,), aval)
    if number == -1:
        return body.apply(operator.truediv, (1.0, x), aval)
    body.costly()
    if number == 3:
        return body.apply(operator.pow, (x, 3.0), aval)
    return body.apply(operator.pow, (x, spread(body, exponent, shape, index)), aval)


def _where(body: Body, node: Node, index: At1) -> Value:
    args, kwargs = arguments(node)
    if len(args) != 3 or kwargs:
        raise Unlowered("where stays in NumPy")
    shape = node.out.aval.shape or ()
    mask, first, second = (spread(body, a, shape, index) for a in args)
    if not isinstance(mask, Value):
        mask = body.builder.const(bool(mask), BOOL)
    return body.chosen(mask, first, second, scalar(dtype_of(node.out)))


def _clip(body: Body, node: Node, index: At1) -> Value:
    args, kwargs = arguments(node)
    if len(args) != 3 or kwargs:
        raise Unlowered("clip stays in NumPy")
    shape, aval = node.out.aval.shape or (), scalar(dtype_of(node.out))
    x, low, high = args
    found = spread(body, x, shape, index)
    for bound, fn in ((low, np.maximum), (high, np.minimum)):
        if bound is not None:
            found = body.apply(fn, (found, spread(body, bound, shape, index)), aval)
    return found


def _astype(body: Body, node: Node, index: At1) -> Value:
    args, kwargs = arguments(node)
    if len(args) != 2 or kwargs:
        raise Unlowered("astype stays in NumPy")
    x, aval = body.element(args[0], index), scalar(dtype_of(node.out))
    if x.aval.dtype == aval.dtype:
        return x
    if aval.dtype not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise Unlowered(f"an array becomes one of {aval.dtype}")
    return body.apply(aval.dtype.type, (x,), aval)


# ---- moves ---------------------------------------------------------------------------------


def _reordered(node: Node) -> tuple[int, ...]:
    """For each axis of the result which axis of the argument it is."""
    args, kwargs = arguments(node)
    rank, fn = len(shape_of(args[0])), node.params["fn"]
    if fn in (np.swapaxes, Method("swapaxes")) and not kwargs:
        order = list(range(rank))
        order[args[1]], order[args[2]] = order[args[2]], order[args[1]]
        return tuple(order)
    if fn == Attribute("mT"):
        return (*range(rank - 2), rank - 1, rank - 2)
    if kwargs or any(isinstance(a, Value) for a in args[1:]):
        raise Unlowered("transpose stays in NumPy")
    axes = args[1] if len(args) == 2 else tuple(args[1:]) or None
    return tuple(a % rank for a in axes) if axes is not None else tuple(range(rank))[::-1]


def _transposed(body: Body, node: Node, index: At1) -> Value:
    found = list(index)
    for axis, source in enumerate(_reordered(node)):
        found[source] = index[axis]
    return body.element(node.inputs[0], tuple(found))


def _stretched(body: Body, node: Node, index: At1) -> Value:
    return spread(body, node.inputs[0], node.out.aval.shape or (), index)


def _expanded(body: Body, node: Node, index: At1) -> Value:
    args, kwargs = arguments(node)
    axis = kwargs.get("axis", args[1] if len(args) > 1 else None)
    rank = len(node.out.aval.shape or ())
    axes = axis if isinstance(axis, tuple) else (axis,)
    new = {a % rank for a in axes}
    return body.element(args[0], tuple(at for i, at in enumerate(index) if i not in new))


def _reshaped(body: Body, node: Node, index: At1) -> Value:
    """Axes of size 1 come and go."""
    x = node.inputs[0]
    old, new = shape_of(x), node.out.aval.shape or ()
    if [d for d in old if d != 1] != [d for d in new if d != 1]:
        raise Unlowered("reshape stays in NumPy")
    kept = iter(at for at, d in zip(index, new, strict=True) if d != 1)
    return body.element(x, tuple(_ZERO if d == 1 else next(kept) for d in old))


def _gathered(body: Body, node: Node, index: At1) -> Value:
    base = node.inputs[0]
    return body.element(base, places(node.params["steps"], node.inputs, shape_of(base), index,
                                     body.size, body.at))


def _flipped(body: Body, node: Node, index: At1) -> Value:
    args, kwargs = arguments(node)
    shape = shape_of(args[0])
    axis = kwargs.get("axis", args[1] if len(args) > 1 else None)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    turned = {a % len(shape) for a in axes}
    return body.element(args[0], tuple(
        body.size(d).plus(_ONE.times(-1)).plus(at.times(-1)) if i in turned else at
        for i, (d, at) in enumerate(zip(shape, index, strict=True))))


# ---- sums ----------------------------------------------------------------------------------


def _sums_to_shape(node: Node) -> bool:
    """Is it the sum over axes that were broadcast, which adjoints call?"""
    fn = node.params["fn"]
    return getattr(fn, "__name__", "") in ("sum_to", "sum_to_like") and str(
        getattr(fn, "__module__", "")).startswith("srcgrad.rules")


def reduced(node: Node) -> tuple[Value, tuple[int, ...], bool]:
    """What is reduced, over which axes, and whether they stay with size 1."""
    args, kwargs = arguments(node)
    x = args[0]
    shape = shape_of(x)
    rank = len(shape)
    if _sums_to_shape(node):
        target = (1,) * (rank - len(node.out.aval.shape or ())) + (node.out.aval.shape or ())
        lost = rank - len(node.out.aval.shape or ())
        return x, tuple(i for i, (d, t) in enumerate(zip(shape, target, strict=True))
                        if i < lost or (t == 1 and d != 1)), True
    if set(kwargs) - {"axis", "keepdims"} or len(args) > 2:
        raise Unlowered(f"{name_of(node)} stays in NumPy")
    axis = kwargs.get("axis", args[1] if len(args) > 1 else None)
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return x, tuple(sorted(a % rank for a in axes)), bool(kwargs.get("keepdims", False))


def _operand_index(node: Node, index: At1, inner: At1) -> At1:
    x, axes, kept = reduced(node)
    rank = len(shape_of(x))
    lost = rank - len(index) if _sums_to_shape(node) else 0
    outer = iter([at for i, at in enumerate(index) if not kept or i + lost not in axes])
    within = iter(inner)
    return tuple(next(within) if i in axes else next(outer) for i in range(rank))


def _sum(body: Body, node: Node, index: At1) -> Value:
    x, axes, _ = reduced(node)
    shape, dtype = shape_of(x), dtype_of(node.out)
    sizes = [shape[a] for a in axes]
    made = total(body, sizes, dtype, len(index), lambda b, at: b.element(
        x, _operand_index(node, index, at)))
    if node.params["fn"] in (np.mean, Method("mean")):
        number = At(1)
        for d in sizes:
            if number.terms and not isinstance(d, int):
                raise Unlowered("mean over several axes stays in NumPy")
            number = body.size(d).times(number.number) if not number.terms else (
                number.times(int(d)))  # type: ignore[arg-type]
        made = body.apply(operator.truediv, (made, body.value(number)), scalar(dtype))
    return made


def _extremum(body: Body, node: Node, index: At1) -> Value:
    x, axes, _ = reduced(node)
    shape, dtype = shape_of(x), dtype_of(node.out)
    fn = np.maximum if name_of(node) in ("max", "amax") else np.minimum
    sizes = [shape[a] for a in axes]
    if dtype.kind != "f":
        raise Unlowered("the extremum of integers stays in NumPy")
    for d in sizes:
        body.positive(d)
    first = body.element(x, _operand_index(node, index, (_ZERO,) * len(axes)))
    return summed(body, sizes, first, len(index), lambda b, at, so_far: b.apply(
        fn, (so_far, b.element(x, _operand_index(node, index, at))), scalar(dtype)))


# ---- products ------------------------------------------------------------------------------


def subscripts(node: Node) -> tuple[list[Value], list[str], str]:
    """A product as an Einstein sum: its operands, their letters and those of the result."""
    args, kwargs = arguments(node)
    fn = node.params["fn"]
    if kwargs:
        raise Unlowered(f"{name_of(node)} stays in NumPy")
    if fn is np.einsum:
        if not isinstance(args[0], str) or "->" not in args[0] or "." in args[0]:
            raise Unlowered("einsum stays in NumPy")
        left, out = args[0].replace(" ", "").split("->")
        return args[1:], left.split(","), out
    a, b = args
    ranks = len(shape_of(a)), len(shape_of(b))
    if fn is np.outer and ranks == (1, 1):
        return [a, b], ["i", "j"], "ij"
    if fn is np.vdot and ranks[0] == ranks[1]:
        letters = "ijklmn"[:ranks[0]]
        return [a, b], [letters, letters], ""
    if fn in (np.outer, np.vdot, np.inner) and ranks != (1, 1):
        raise Unlowered(f"{name_of(node)} stays in NumPy")
    known = {(1, 1): ("i", "i", ""), (2, 1): ("ij", "j", "i"), (1, 2): ("i", "ij", "j"),
             (2, 2): ("ij", "jk", "ik")}
    if fn in (operator.matmul, np.matmul):
        known |= {(3, 3): ("aij", "ajk", "aik"), (3, 2): ("aij", "jk", "aik"),
                  (2, 3): ("ij", "ajk", "aik"), (3, 1): ("aij", "j", "ai"),
                  (1, 3): ("i", "aij", "aj")}
    if ranks not in known:
        raise Unlowered(f"{name_of(node)} stays in NumPy")
    first, second, out = known[ranks]
    return [a, b], [first, second], out


def _product(body: Body, node: Node, index: At1) -> Value:
    operands, letters, out = subscripts(node)
    sizes: dict[str, Dim] = {}
    for value, word in zip(operands, letters, strict=True):
        if len(set(word)) != len(word):
            raise Unlowered("einsum stays in NumPy")
        for letter, size in zip(word, shape_of(value), strict=True):
            known = sizes.get(letter)
            if known is None:
                sizes[letter] = size
            elif known != size:
                if 1 in (known, size):
                    raise Unlowered(f"{name_of(node)} stays in NumPy")
                body.equal(known, size)
                sizes[letter] = preferred(known, size)
    inner = [x for x in sizes if x not in out]
    dtype = dtype_of(node.out)

    def term(b: Body, at: At1) -> Value:
        places = dict(zip([*out, *inner], (*index, *at), strict=True))
        found: Value | None = None
        for value, word in zip(operands, letters, strict=True):
            x = b.element(value, tuple(places[w] for w in word))
            found = x if found is None else b.apply(operator.mul, (found, x), scalar(dtype))
        assert found is not None
        return found

    if not inner:
        return term(body, ())
    body.multiplied([sizes[x] for x in inner])
    return total(body, [sizes[x] for x in inner], dtype, len(index), term)


def _outer(body: Body, node: Node, index: At1) -> Value:
    """``np.add.outer(x, y)``."""
    args, kwargs = arguments(node)
    ufunc = node.params["fn"].__self__
    if kwargs or ufunc not in SAME or len(args) != 2:
        raise Unlowered("outer stays in NumPy")
    at = len(shape_of(args[0]))
    parts = [body.element(args[0], index[:at]), body.element(args[1], index[at:])]
    return body.apply(SAME[ufunc], parts, scalar(dtype_of(node.out)))


# ---- the table -----------------------------------------------------------------------------

Rule = Callable[["Body", Node, At1], Value]

RULES: dict[Any, Rule] = dict.fromkeys(SAME, _elementwise)
RULES.update({
    operator.pow: _power, np.power: _power, np.where: _where, np.clip: _clip,
    Method("clip"): _clip, Method("astype"): _astype,
    np.transpose: _transposed, Method("transpose"): _transposed, Attribute("T"): _transposed,
    Attribute("mT"): _transposed, np.swapaxes: _transposed, Method("swapaxes"): _transposed,
    np.broadcast_to: _stretched, np.expand_dims: _expanded, np.flip: _flipped,
    np.reshape: _reshaped, Method("reshape"): _reshaped, np.squeeze: _reshaped,
    np.sum: _sum, Method("sum"): _sum, np.mean: _sum, Method("mean"): _sum,
    np.max: _extremum, Method("max"): _extremum, np.min: _extremum, Method("min"): _extremum,
    np.einsum: _product, operator.matmul: _product, np.matmul: _product, np.dot: _product,
    Method("dot"): _product, np.vdot: _product, np.inner: _product, np.outer: _product})

REDUCTIONS = frozenset({_sum, _extremum})
PRODUCTS = frozenset({_product})
MOVES = frozenset({_gathered, _transposed, _stretched, _expanded, _reshaped, _flipped})


def rule_of(node: Node) -> Rule | None:
    """How an element of what a node gives is made."""
    if node.op == "read" and not all(getattr(s, "basic", True) for s in node.params["steps"]):
        return _gathered
    if node.op == "read" and without_axes(node.inputs[0]):
        return _number
    if node.op != "apply" or len(node.outputs) != 1:
        return None
    fn = node.params["fn"]
    if getattr(fn, "__name__", "") == "outer" and isinstance(
            getattr(fn, "__self__", None), np.ufunc):
        return _outer
    if _sums_to_shape(node):
        return _sum
    try:
        return RULES.get(fn)
    except TypeError:
        return None


def without_axes(value: Value) -> bool:
    """Is it an array that is one number?"""
    return value.aval.kind is Kind.ARRAY and value.aval.shape == ()


def _number(body: Body, node: Node, index: At1) -> Value:
    """What an array without axes holds."""
    return body.element(node.inputs[0], ())


def name_of(node: Node) -> str:
    fn = node.params["fn"]
    return str(getattr(fn, "__name__", None) or getattr(fn, "name", "a function"))


def as_number(value: Any, dtype: np.dtype[Any]) -> tuple[Any, Aval]:
    """A constant as a number of the machine, with its type."""
    if dtype.kind == "f":
        return float(value), python_scalar(Kind.FLOAT)
    return bool(value) if dtype.kind == "b" else int(value), BOOL if dtype.kind == "b" else INT
