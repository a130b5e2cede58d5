"""Running rule bodies on graph values: one node's cotangents from the rule book.

A body is plain Python over NumPy calls.  It is called with symbolic values
(:class:`~srcgrad.graph.symbolic.Sym`), so that what it computes is appended to the tape;
facts it asks for (``x_shape``, ``x_ndim``, ``x_dtype``) cost nothing or a ``dim`` node.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import SrcgradError, UnsupportedOperation
from ..graph.derivative import spliced
from ..graph.infer import infer
from ..graph.ir import Node, Ref, Value, avals_in, fill
from ..graph.symbolic import Sym, fresh_symbol, infer_fresh
from ..rules.book import Entry, NoRule, Rule, lookup
from ..rules.broadcast import number_like, real_like, sum_to, sum_to_like
from ..rules.methods import resolve
from ..types.dims import is_varying
from ..types.kinds import INT, SCALARS, Aval, Kind, int_aval
from ..types.public_names import public_name
from ..types.spelling import At, Part
from ..types.structure import mapped
from .binding import Bindings, Bound, leaves, no_rule
from .frames import Tape, avals_of, cotangent_aval
from .hidden import harmless, is_steep, protected
from .ragged import ragged_list
from .screens import Screen
from .unranked import called_by_run, is_unranked
from .zeros import zeros

Pair = tuple[Value, Value]


def wrap(tape: Tape, structure: Any) -> Any:
    """A structure with every value made symbolic."""
    return mapped(structure, Value, lambda v: Sym(v, tape))


def unwrap(tape: Tape, result: Any) -> Value | None:
    """The graph value of what a body returned; None for a zero."""
    if result is None:
        return None
    if isinstance(result, Sym):
        return result.value
    if isinstance(result, Value):
        return result
    return tape.number(result)


def shape_of(tape: Tape, value: Value) -> tuple[Any, ...]:
    """The sizes of a value: numbers where static, else ``dim`` values."""
    assert value.aval.shape is not None
    return tuple(size(tape, value, axis) for axis in range(len(value.aval.shape)))


def size(tape: Tape, value: Value, axis: int) -> Any:
    """The size of ``value`` along an axis."""
    assert value.aval.shape is not None
    extent = value.aval.shape[axis]
    if isinstance(extent, int):
        return extent
    return tape.add("dim", (value,), (int_aval(extent),), axis=axis).out


def _fact(tape: Tape, fact: str, part: Any) -> Any:
    """``shape``, ``ndim`` or ``dtype`` of an input; lists for sequences."""
    if isinstance(part, Value) and part.aval.kind is Kind.LIST:
        return _list_fact(tape, fact, part)
    if isinstance(part, Value):
        if fact == "dtype":  # formulas for complex values hold for real ones too
            return part.aval.dtype or np.dtype(np.complex128)
        if part.aval.shape is None:
            return tape.apply(np.ndim, (part,), {}, INT) if fact == "ndim" else (
                tape.call(np.shape, part))
        return part.aval.ndim if fact == "ndim" else shape_of(tape, part)
    if isinstance(part, tuple | list):
        return [_fact(tape, fact, p) for p in part]
    if part is None:
        return None
    if fact == "dtype":
        return np.asarray(part).dtype
    return np.ndim(part) if fact == "ndim" else np.shape(part)


def _list_fact(tape: Tape, fact: str, lst: Value) -> Any:
    """A list of like arrays counts as an array with one more axis."""
    elem = lst.aval.elem
    if elem is None or elem.shape is None:
        return None
    if elem.kind is Kind.LIST:  # of lists
        first = tape.add("get", (lst, tape.const(0, int_aval(0))), (elem,)).out
        inner = _list_fact(tape, fact, first)
        if inner is None or fact == "dtype":
            return inner
        return inner + 1 if fact == "ndim" else (
            tape.add("list_len", (lst,), (int_aval(fresh_symbol("length")),)).out, *inner)
    if fact == "dtype":
        return elem.dtype
    if fact == "ndim":
        return len(elem.shape) + 1
    length = tape.add("list_len", (lst,), (int_aval(fresh_symbol("length")),)).out
    if not elem.shape:
        return (length,)
    first = tape.add("get", (lst, tape.const(0, int_aval(0))), (elem,)).out
    return (length, *shape_of(tape, first))


def _fact_of(tape: Tape, need: str, named: Mapping[str, Any]) -> Any:
    name, _, fact = need.rpartition("_")
    if name not in named or fact not in ("shape", "ndim", "dtype"):
        raise KeyError(need)
    found = _fact(tape, fact, named[name])
    return wrap(tape, found)


def run_body(tape: Tape, rule: Rule, named: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Call a rule's body with what it names; ``given`` holds ``ct``, ``ans`` or ``t``.  Whether
    the result is a number of Python's is told where it is asked for."""
    arguments: dict[str, Any] = {}
    for need in rule.needs:
        if need in given:
            arguments[need] = given[need]
        elif need == "of_python" and "ans" in given:
            arguments[need] = getattr(given["ans"], need, True)
        elif need in rule.settings:
            arguments[need] = rule.settings[need]
        elif need in named:
            arguments[need] = wrap(tape, named[need])
        else:
            arguments[need] = _fact_of(tape, need, named)
    try:
        return rule.body(**arguments)
    except (SrcgradError, TypeError):
        if not is_unranked(rule, named):
            raise
        return called_by_run(tape, rule, named, given)
    except NoRule as none:
        name = public_name(rule.function)
        raise UnsupportedOperation(
            str(none) if not name.startswith("scipy") or name in str(none) else f"{name}: {none}",
            why="the rule book has formulas for other settings of this function only",
            fix="use other settings, declare a rule with srcgrad.rules.vjp, or wrap the call in "
                "srcgrad.custom_vjp") from None


def cotangents_of_apply(bindings: Bindings, varied: Container[Value], tape: Tape, node: Node,
                        cts: list[Value | None],
                        covered: Callable[[bool], bool] = lambda finite: False
                        ) -> Iterator[tuple[Value, Value | None]]:
    """(input, contribution to its cotangent) for the inputs that ``varied`` holds; ``covered``
    tells whether the output is seen through ``np.where`` only, or (where it is finite) in part."""
    derivative = node.params.get("derivative")
    if derivative is not None:
        if derivative.pull is None:
            raise _within_itself(node)
        found = spliced(tape, derivative.pull, node,
                        lambda i: cts[i] or zeros(tape, node.outputs[i]))
        yield from ((node.inputs[i], ct) for i, ct in found)
        return
    if isinstance(node.params["fn"], (Part, At)):  # a view's part, read by a derivative
        args, kwargs = (fill(node.params[k], node.inputs) for k in ("args", "kwargs"))
        for value in dict.fromkeys(v for v in node.inputs if v in varied):
            assert cts[0] is not None
            yield value, transposed(tape, node.params["fn"], args, kwargs, node.out, cts[0],
                                    value, node)
        return
    bound = bindings.of(node)
    if bound.entry is not None and bound.entry.nondiff:
        return
    ct: Any = tuple(None if c is None else Sym(c, tape) for c in cts)
    ans: Any = tuple(Sym(o, tape) for o in node.outputs)
    if not node.params.get("many"):
        (ct,), (ans,) = ct, ans
    if _is_identity(node):
        yield node.inputs[0], cts[0]
        return
    if _copies_list(node):
        yield node.inputs[0], cts[0]
        return
    if node.params["fn"] is list and len(node.inputs) == 1 and node.inputs[0].aval.is_array:
        assert cts[0] is not None
        array = node.inputs[0]
        if node.origin is not None and node.origin.role == "adjoint":  # it was made of a list, too
            yield array, tape.apply(np.array, (cts[0],), {}, cotangent_aval(array.aval))
            return
        yield array, tape.call(np.reshape, tape.call(np.array, cts[0]), shape_of(tape, array))
        return
    ragged = ragged_list(node, bound)
    if ragged is not None:
        assert cts[0] is not None
        yield ragged[0], ragged[1](tape, cts[0])
        return
    for name, result in _run_rules(tape, bound, node, varied, ct, ans, covered):
        yield from _spread(tape, bound, bound.named[name], result, varied)


def _within_itself(node: Node) -> UnsupportedOperation:
    name = getattr(node.params["fn"], "__name__", "a function")
    return UnsupportedOperation(
        f"the derivative of {name} takes a derivative of {name} by its tangents or cotangents",
        where=node.origin.where if node.origin is not None else None,
        why="it has to be linear in them", fix="call the function on the primals only")


def _copies_list(node: Node) -> bool:
    """``list(h)`` and ``h[:]`` of a list ``h``."""
    if not node.inputs or node.inputs[0].aval.kind is not Kind.LIST:
        return False
    fn, args = node.params["fn"], node.params["args"]
    return (fn is list and len(node.inputs) == 1) or (
        fn is operator.getitem and args == (Ref(0), slice(None)))


def _is_identity(node: Node) -> bool:
    """Conversions between kinds of one number (``float(x)``) pass the cotangent on."""
    fn = node.params["fn"]
    return len(node.inputs) == 1 and len(node.params["args"]) == 1 and (
        type(node.params["args"][0]) is Ref) and (
        fn in (float, complex) or (isinstance(fn, type) and issubclass(fn, np.inexact)))


def _run_rules(tape: Tape, bound: Bound, node: Node, varied: Container[Value], ct: Any,
               ans: Any, covered: Callable[[bool], bool] = lambda finite: False,
               ) -> Iterator[tuple[str, Any]]:
    """(input name, its cotangent as the rules give it) for inputs with varied leaves."""
    done: dict[int, tuple[Any, ...]] = {}  # by identity of the rule
    named = _arrays_of_lists(tape, bound)
    for name, values in bound.values.items():
        if not any(v in varied for v in values):
            continue
        if bound.entry is None:
            raise no_rule(node, name, bound)
        if name in bound.entry.inactive:
            continue
        rule = bound.entry.rules.get(name)
        if rule is None:
            raise no_rule(node, name, bound)
        if id(rule) not in done:
            try:
                found = _behind_screen(tape, bound.entry, rule, named, ct, ans, covered)
            except SrcgradError as error:
                if node.origin is None or node.origin.where is None:
                    raise
                raise error.at(node.origin.where) from None
            done[id(rule)] = found if len(rule.inputs) > 1 else (found,)
        position = rule.inputs.index(name) if len(rule.inputs) > 1 else 0
        result = done[id(rule)][position]
        whole = named[name]
        if bound.entry.broadcasts and len(rule.inputs) == 1 and isinstance(whole, Value):
            value = unwrap(tape, result)
            result = None if value is None else Sym(unbroadcast(
                tape, value, whole, lambda: uncertain(node)), tape)
        yield name, result


def _behind_screen(tape: Tape, entry: Entry, rule: Rule, named: Mapping[str, Any], ct: Any,
                   ans: Any, covered: Callable[[bool], bool] = lambda finite: False) -> Any:
    """What a rule gives for ``ct``.  A pointwise rule gets what stands behind the screen of
    ``ct``, and the screen is put before the result; where none is known to stand before the
    cotangent of a ``covered`` value, zero times what is no number is zero."""
    pointwise = entry.broadcasts and len(rule.inputs) == 1 and isinstance(ct, Sym)
    screen = tape.screens.get(ct.value) if pointwise else None
    if screen is None:
        found = run_body(tape, rule, named, {"ct": ct, "ans": ans})
        found = _times(ct, found) if rule.form == "elementwise" else found
        if pointwise and found is not None and (
                (harmless(rule, named) is not None and covered(False))
                or (is_steep(entry, rule, named) and covered(True))):
            found = np.where((ct == 0) & np.isnan(found), 0, found)
        return found
    found = _behind_screen(tape, entry, rule, *_protected(tape, screen, rule, named, ans))
    if found is None:
        return None
    value = unwrap(tape, found)
    assert value is not None
    if value is screen.behind:
        return ct
    if screen.fits(value):
        return Sym(screen.before(value), tape)
    found = run_body(tape, rule, named, {"ct": ct, "ans": ans})
    return _times(ct, found) if rule.form == "elementwise" else found


def _protected(tape: Tape, screen: Screen, rule: Rule, named: Mapping[str, Any],
               ans: Any) -> tuple[Mapping[str, Any], Sym, Any]:
    """What a rule gets behind a screen: operands, cotangent and result."""
    behind, number = Sym(screen.behind, tape), harmless(rule, named)
    if screen.put is None or number is None:
        return named, behind, ans
    put = functools.partial(screen.put, number)
    named = {k: protected(v, screen.behind, put) if k in rule.needs else v
             for k, v in named.items()}
    if "ans" in rule.needs and isinstance(ans, Sym):
        ans = Sym(protected(ans.value, screen.behind, put), tape)
    return named, behind, ans


def _arrays_of_lists(tape: Tape, bound: Bound) -> Mapping[str, Any]:
    """The named inputs, with arrays for the lists that stand where the function takes an array:
    ``np.sum([a, b])`` means ``np.sum(np.array([a, b]))``."""
    entry = bound.entry
    if entry is None or not any(map(_is_list, bound.named.values())):
        return bound.named
    found = dict(bound.named)
    pointwise = any(rule.form == "elementwise" for rule in entry.rules.values())
    for name, part in found.items():
        if not _is_list(part) or (name not in entry.rules and not (
                pointwise and name in entry.inactive)):
            continue
        if name not in entry.sequences:
            found[name] = tape.call(np.array, part)
        elif isinstance(part, list | tuple) and entry.function in _OF_ARRAYS:
            found[name] = [tape.call(np.array, p) if _is_list(p) and any(
                True for _ in leaves(p)) else p for p in part]
    return found


# Functions whose sequences hold arrays: a list among them means an array.
_OF_ARRAYS: frozenset[Any] = frozenset({
    np.einsum, np.linalg.multi_dot, np.atleast_1d, np.atleast_2d, np.atleast_3d,
    np.broadcast_arrays, np.meshgrid})


def _is_list(part: Any) -> bool:
    return part.aval.kind is Kind.LIST if type(part) is Value else isinstance(part, (list, tuple))


def _times(ct: Any, partial: Any) -> Any:
    """``ct * partial``; the numbers 1, -1 and 0 need no product."""
    if partial is None:
        return None
    if isinstance(partial, int | float) and not isinstance(partial, bool):
        if partial == 0:
            return None
        if partial == 1:
            return ct
        if partial == -1:
            return -ct
    return ct * partial


def _spread(tape: Tape, bound: Bound, part: Any, result: Any,
            varied: Container[Value]) -> Iterator[tuple[Value, Value | None]]:
    """Distribute the cotangent of one named input over the values in it."""
    if result is None:
        return
    if isinstance(part, Value):
        if isinstance(result, tuple | list):
            result = [unwrap(tape, r) for r in result]
            result = tape.add("list", tuple(result), (part.aval,)).out
        value = unwrap(tape, result)
        if value is not None and part.aval.kind is Kind.LIST and (
                value.aval.is_array or value.aval.kind is Kind.ANY):
            value = fit(tape, value, _innermost(part.aval), whole=False)
            value = tape.list_of_rows(value, cotangent_aval(part.aval))
        yield part, value
    elif isinstance(part, tuple | list):
        for i, item in enumerate(part):
            if any(v in varied for v in leaves(item)):
                yield from _spread(tape, bound, item, result[i], varied)


def _innermost(aval: Aval) -> Aval:
    """What the lists in a list hold in the end."""
    return aval if aval.elem is None else _innermost(aval.elem)


def partial_cotangents(tape: Tape, fn: Any, args: tuple[Value, ...], ans: Value, ct: Value,
                       wanted: Mapping[str, bool], node: Node) -> dict[str, Value]:
    """Cotangents for the named inputs of ``ans = fn(*args)`` that are wanted, of the output's
    shape."""
    entry = lookup(fn)
    result: dict[str, Value] = {}
    if entry is None or entry.nondiff:
        return result
    bound = Bound(entry, entry.bind(args, {}))
    for name, flag in wanted.items():
        rule = entry.rules.get(name)
        if not flag or name in entry.inactive:
            continue
        if rule is None:
            raise no_rule(node, name, bound)
        value = unwrap(tape, _behind_screen(tape, entry, rule, bound.named, Sym(ct, tape),
                                            Sym(ans, tape)))
        if value is not None:
            result[name] = value
    return result


def transposed(tape: Tape, fn: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], ans: Value,
               ct: Value, wanted: Value, node: Node) -> Value | None:
    """The cotangent of the input ``wanted`` of ``ans = fn(*args, **kwargs)``."""
    the_ct: Any = Sym(ct, tape)
    the_ans: Any = Sym(ans, tape)
    if isinstance(fn, At):
        fn, args = fn.fn, fn.order(args)
    if isinstance(fn, Part):  # the other outputs have no cotangent
        index, fn = fn.index, fn.fn
        avals = infer_fresh(fn, avals_in(args), avals_in(dict(kwargs))).avals
        outputs = tape.apply_many(fn, args, dict(kwargs), avals)
        the_ans = tuple(Sym(o, tape) for o in outputs)
        the_ct = tuple(the_ct if i == index else None for i in range(len(outputs)))
    found = resolve(fn, args, kwargs)
    if found is None:
        raise no_rule(node, "the base of a view", Bound(None, {}))
    bound = Bound(*found)
    for name, result in _run_rules(tape, bound, node, {wanted}, the_ct, the_ans):
        for value, contribution in _spread(tape, bound, bound.named[name], result, {wanted}):
            if value is wanted:
                return contribution
    return None


# ---- fitting cotangents to their primal values ---------------------------------------------


def uncertain(node: Node) -> bool:
    """May sizes that meet in the node's broadcast be 1 or not from iteration to iteration?"""
    if node.op == "effect":
        return False
    args, kwargs = avals_of(node)
    return infer(node.params["fn"], args, kwargs).uncertain


def unbroadcast(tape: Tape, ct: Value, primal: Value,
                doubtful: Callable[[], bool] = lambda: False) -> Value:
    """Sum a cotangent of the broadcast shape down to the shape of ``primal``.

    Sizes that are equal expressions need nothing; a static 1 is summed over; where sizes that
    vary met (``doubtful`` tells), or a rank is unknown, a run-time helper decides.
    """
    have, want = ct.aval.shape, primal.aval.shape
    if want is None or have is None:
        if have == ():
            return ct
        return tape.call(sum_to_like, ct, primal)
    if have == want:
        return ct
    extra = len(have) - len(want)
    if extra < 0:  # what is stored may have further leading axes, of size one
        ct = tape.call(np.expand_dims, ct, tuple(range(-extra)))
        have, extra = (*(1,) * -extra, *have), 0
    kept = have[extra:]
    if any(h != w and w != 1 and is_varying(w) for h, w in zip(kept, want)) and doubtful():
        return tape.call(sum_to, ct, shape_of(tape, primal))
    stretched = tuple(i for i, (h, w) in enumerate(zip(kept, want)) if w == 1 and h != 1)
    if not want:
        return tape.call(np.sum, ct)
    if extra:
        ct = tape.call(np.sum, ct, axis=tuple(range(extra)) if extra > 1 else 0)
    if stretched:
        ct = tape.call(np.sum, ct, axis=stretched if len(stretched) > 1 else stretched[0],
                       keepdims=True)
    return ct


def settled(tape: Tape, ct: Value, primal: Value, bindings: Bindings) -> Value:
    """The cotangent (or tangent) of a value of which only a run knows whether it is complex."""
    aval = primal.aval
    if not bindings.may_be_complex or aval.dtype is not None or not aval.is_numeric or (
            aval.kind is Kind.LIST) or (
            ct.aval.dtype is not None and ct.aval.dtype.kind != "c"):
        return ct
    return tape.call(real_like, ct, primal)


def fit(tape: Tape, ct: Value, aval: Aval, whole: bool = True, final: bool = False) -> Value:
    """A cotangent in the dtype of its primal value: the real part for a real one, cast down
    from wider types.  ``whole``: also in its kind, an array for an array.  ``final``: exactly
    as the user gets it (a Python float for a Python float, the shape materialised)."""
    have, want = ct.aval.dtype, aval.dtype
    if have is not None and want is not None:
        if have.kind == "c" and want.kind != "c":
            ct = tape.call(np.real, ct)
        narrower = ct.aval.dtype is not None and want.itemsize < ct.aval.dtype.itemsize
        # what goes into a part of a complex base may stay real: the part may be real itself
        if narrower or (whole and want.kind == "c" and have.kind != "c"):
            ct = _cast(tape, ct, want)
    elif want is not None and ct.aval.kind in (Kind.ARRAY, Kind.ANY) and (
            aval.kind is Kind.ARRAY):  # only a run knows what it has
        ct = _cast(tape, ct if want.kind == "c" else tape.call(np.real, ct), want)
    if not whole:
        return ct
    if aval.kind is Kind.ARRAY and aval.shape is not None:
        if ct.aval.shape is not None and len(ct.aval.shape) < len(aval.shape):
            raise AssertionError(f"cotangent {ct.aval} of a value {aval}")
        if not aval.shape and ct.aval.kind is not Kind.ARRAY:
            ct = tape.call(np.asarray, ct)
    if aval.kind in SCALARS and ct.aval.kind is Kind.ARRAY and ct.aval.shape == ():
        # no array among numbers, which are added to as numbers: not in place
        ct = tape.number_in(ct, cotangent_aval(aval))
    if final and aval.kind in (Kind.FLOAT, Kind.COMPLEX) and ct.aval.kind is not aval.kind:
        ct = tape.call(float if aval.kind is Kind.FLOAT else complex, ct)
    if final and aval.kind is Kind.SCALAR and (ct.aval.kind is not Kind.SCALAR
                                               or ct.aval.dtype != want):
        assert want is not None
        ct = tape.call(want.type, ct)
    if final and aval.kind is Kind.ARRAY and want is not None:
        native = want.newbyteorder("=")
        if ct.aval.dtype is None or ct.aval.dtype.newbyteorder("=") != native:
            ct = tape.call(np.asarray, ct, native)
    return ct


def fit_result(tape: Tape, ct: Value, primal: Value, final: bool) -> Value:
    """A derivative as the user gets it, where it is ``final``; of a number whose class a run
    knows, of that class."""
    ct = fit(tape, ct, primal.aval, final=final)
    if final and primal.aval.kind is Kind.NUMBER and primal.aval.is_inexact and (
            ct.aval.kind is not Kind.NONE):
        return tape.call(number_like, ct, primal)
    return ct


def _cast(tape: Tape, ct: Value, dtype: np.dtype[Any]) -> Value:
    """``ct`` in another dtype; Python numbers adapt by themselves."""
    if ct.aval.kind in (Kind.FLOAT, Kind.COMPLEX):
        return ct
    if ct.aval.kind in (Kind.NUMBER, Kind.SCALAR):
        have = ct.aval.dtype
        return tape.call(dtype.type, ct) if have is not None and (
            dtype.itemsize < have.itemsize) else ct
    if ct.aval.kind is Kind.ANY:
        return tape.call(np.asarray, ct, dtype)
    return Sym(ct, tape).astype(dtype).value  # type: ignore[no-any-return]


__all__ = ["cotangents_of_apply", "fit", "fit_result", "operator", "partial_cotangents", "run_body",
           "settled", "shape_of", "size", "unbroadcast", "unwrap", "wrap"]
