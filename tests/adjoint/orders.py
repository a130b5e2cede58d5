"""All derivatives of one program, compared with each other.

Reverse mode is compared with differences of the plain function; forward mode, the split form,
and second derivatives in every nesting that there is are compared with reverse mode.
"""

from __future__ import annotations

import copy
import warnings

import numpy as np

import srcgrad as sg
from srcgrad.types.tree import flatten, unflatten


def varies(leaf):
    if isinstance(leaf, np.ndarray | np.generic):
        return leaf.dtype.kind in "fc"
    return type(leaf) in (float, complex)


def floats(args):
    return tuple(i for i, a in enumerate(args) if any(map(varies, flatten(a)[0])))


def directions(args, places, seed=3):
    """Tangents of the arguments at ``places``, in their structure; zeros for integers."""
    r = np.random.default_rng(seed)

    def direction(leaf):
        if not varies(leaf):
            return leaf
        d = r.normal(size=np.shape(leaf))
        if np.iscomplexobj(leaf):
            d = d + 1j * r.normal(size=np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.array(d, leaf.dtype)
        return type(leaf)(d)

    found = []
    for place in places:
        leaves, structure = flatten(args[place])
        found.append(unflatten(structure, [direction(leaf) for leaf in leaves]))
    return found


def product(cotangents, tangents, args, places):
    """The sum over all differentiable leaves of cotangent times tangent (real part)."""
    total = 0.0
    for place, ct, t in zip(places, cotangents, tangents, strict=True):
        for leaf, c, d in zip(flatten(args[place])[0], flatten(ct)[0], flatten(t)[0]):
            if varies(leaf):
                total += float(np.sum(np.asarray(c) * np.asarray(d)).real)
    return total


def quiet(fn, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            return fn(*args)


def close(found, wanted, tol):
    scale = 1.0 + abs(wanted)
    return abs(found - wanted) <= tol * scale or (np.isnan(found) and np.isnan(wanted))


def moved(args, places, tangents, step):
    """The arguments moved along the tangents."""
    fresh = list(copy.deepcopy(args))
    for place, t in zip(places, tangents, strict=True):
        leaves, structure = flatten(fresh[place])
        fresh[place] = unflatten(structure, [
            type(x)(x + step * d) if varies(x) and not isinstance(x, np.ndarray)
            else np.array(x + step * d, x.dtype) if varies(x) else x
            for x, d in zip(leaves, flatten(t)[0])])
    return fresh


def slope(f, args, places, tangents, tol, expected):
    """The central difference of ``f`` along the tangents, with the step that fits best."""
    best = None
    for step in (1e-5, 1e-6, 1e-7, 1e-4):
        ends = [quiet(f, *moved(args, places, tangents, s * step)) for s in (1, -1)]
        found = float((ends[0] - ends[1]) / (2 * step))
        if best is None or abs(found - expected) < abs(best - expected):
            best = found
        if close(found, expected, tol):
            break
    return best


def check_first(fn, args, tol=1e-9, differences=1e-4):
    """Reverse mode against differences of the plain function; forward mode and the split form,
    each applied twice, against reverse mode; returns (value, gradients)."""
    places = floats(args)
    given = copy.deepcopy(args)
    value, grads = quiet(sg.value_and_grad(fn, argnums=places), *given)
    tangents = directions(args, places)
    expected = product(grads, tangents, args, places)
    if np.isfinite(expected) and np.isrealobj(value):
        wanted = slope(fn, args, places, tangents, differences, expected)
        same(expected, wanted, differences, "value_and_grad against differences")
    full = [None] * len(args)
    for place, t in zip(places, tangents, strict=True):
        full[place] = t
    out, found = quiet(sg.jvp, fn, copy.deepcopy(args), full)
    same(out, value, 0.0, "the value by jvp")
    same(found, expected, tol, "jvp against value_and_grad")
    out, push = quiet(sg.linearize, fn, *copy.deepcopy(args))
    same(out, value, 0.0, "the value by linearize")
    for _ in range(2):
        same(quiet(push, *full), expected, tol, "linearize against value_and_grad")
    given = copy.deepcopy(args)
    out, pull = quiet(sg.vjp, fn, *given)
    same(out, value, 0.0, "the value by vjp")
    for leaf in flatten(given)[0]:
        if isinstance(leaf, np.ndarray) and leaf.flags.writeable:
            leaf[...] = 7
    one = value.dtype.type(1) if isinstance(value, np.generic | np.ndarray) else 1.0
    for _ in range(2):
        cts = quiet(pull, one)
        found = product([cts[p] for p in places], tangents, args, places)
        same(found, expected, tol, "vjp against value_and_grad")
    return value, grads


def check_second(fn, args, tol=1e-8, differences=1e-4):
    """Second derivatives along two directions: reverse over reverse, forward over reverse, and
    differences of the gradient."""
    places = floats(args)
    first, second = directions(args, places), directions(args, places, seed=4)

    def sloped(*a):
        grads = sg.grad(fn, argnums=places)(*a)
        return grads

    along = [None] * len(args)
    for place, t in zip(places, second, strict=True):
        along[place] = t
    _, forward = quiet(sg.jvp, sloped, copy.deepcopy(args), along)
    forward = product(forward, first, args, places)
    _, pull = quiet(sg.vjp, sloped, *copy.deepcopy(args))
    back = [quiet(pull, tuple(first)) for _ in range(2)]
    for found in back:
        found = product([found[p] for p in places], second, args, places)
        same(found, forward, tol, "reverse over reverse against forward over reverse")

    full = [None] * len(args)
    for place, t in zip(places, first, strict=True):
        full[place] = t

    def pushed(*a):
        return sg.jvp(fn, a, full)[1]

    over = quiet(sg.grad(pushed, argnums=places), *copy.deepcopy(args))
    same(product(over, second, args, places), forward, tol,
         "reverse over forward against forward over reverse")
    _, twice = quiet(sg.jvp, pushed, copy.deepcopy(args), along)
    same(twice, forward, tol, "forward over forward against forward over reverse")

    def weighted(*a):
        return product(sg.grad(fn, argnums=places)(*a), first, args, places)

    if np.isfinite(forward):
        expected = slope(weighted, args, places, second, differences, forward)
        same(forward, expected, differences, "forward over reverse against differences")


def same(found, wanted, tol, what):
    found, wanted = float(np.real(found)), float(np.real(wanted))
    assert close(found, wanted, tol), f"{what}: {found!r} != {wanted!r}"


def check_third(fn, args, tol=1e-7, differences=1e-4):
    """Third derivatives along three directions: the outermost one backward and forward, and
    by differences of the second."""
    places = floats(args)
    arrays = [np.asarray(args[p]) for p in places]
    first, second, third = (directions(args, places, seed=k) for k in (3, 4, 5))

    def along(f, ds):
        def slope_of(*a):
            found = sg.grad(f, argnums=places)(*a)
            total = 0.0
            for g, d in zip(found, ds):
                total = total + np.sum(g * d)
            return total
        return slope_of

    assert all(a.dtype.kind == "f" for a in arrays)
    inner = along(along(fn, first), second)
    value, back = quiet(sg.value_and_grad(inner, argnums=places), *copy.deepcopy(args))
    full = [None] * len(args)
    for place, t in zip(places, third, strict=True):
        full[place] = t
    out, forward = quiet(sg.jvp, inner, copy.deepcopy(args), full)
    same(out, value, tol, "the second derivative")
    same(product(back, third, args, places), forward, tol,
         "the third derivative backward against forward")
    if np.isfinite(forward):
        expected = slope(inner, args, places, third, differences, float(forward))
        same(forward, expected, differences, "the third derivative against differences")
