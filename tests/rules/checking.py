"""Checks of one rule: against differences to order 2, linearity, jvps, warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
import tape

from srcgrad.rules import methods

data = np.random.default_rng(1)


def real(*shape: int) -> Any:
    """Numbers between 0.2 and 0.9."""
    return data.uniform(0.2, 0.9, size=shape)


def signed(*shape: int) -> Any:
    return real(*shape) * np.where(data.normal(size=shape) > 0, 1, -1)


def cplx(*shape: int) -> Any:
    return signed(*shape) + 1j * signed(*shape)


def _leaves(x: Any) -> list[Any]:
    if type(x) in (list, tuple):
        return [leaf for item in x for leaf in _leaves(item)]
    return [x] if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "fc" else []


def _rebuild(x: Any, leaves: Any) -> Any:
    if type(x) in (list, tuple):
        return type(x)(_rebuild(item, leaves) for item in x)
    return next(leaves) if _leaves(x) else x


def _outputs(out: Any) -> list[Any]:
    """The differentiable results, in order."""
    items = list(out) if isinstance(out, tuple | list) else [out]
    return [o for o in items if np.asarray(tape.value_of(o)).dtype.kind in "fc"]


def _dot(a: Any, b: Any) -> Any:
    return np.sum(np.real(a * b))


def check(
    function: Any,
    *args: Any,
    upto: int = 2,
    tol: float = 2e-6,
    h: float = 1e-5,
    fixed: tuple[int, ...] = (),
    **kwargs: Any,
) -> None:
    """Compare the derivatives of ``function`` for all float arrays in ``args`` (but those at
    the positions ``fixed``) with central differences along a random direction."""
    rng = np.random.default_rng(0)
    slots = tuple(None if i in fixed else a for i, a in enumerate(args))
    start = _leaves(slots)

    def put(leaves: list[Any]) -> tuple[Any, ...]:
        active = _rebuild(slots, iter(leaves))
        return tuple(a if i in fixed else active[i] for i, a in enumerate(args))

    def random_like(x: Any) -> Any:
        r = rng.normal(size=np.shape(x))
        if np.asarray(x).dtype.kind == "c":
            r = r + 1j * rng.normal(size=np.shape(x))
        return r

    seeds = [random_like(o) for o in _outputs(function(*args, **kwargs))]
    dirs = [random_like(x) for x in start]
    second = [random_like(x) for x in start]

    def loss(leaves: list[Any]) -> Any:
        return sum(_dot(c, o) for c, o in zip(seeds, _outputs(function(*put(leaves), **kwargs))))

    def gradient(leaves: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        inputs = [tape.Traced(x) for x in leaves]
        found = tape.call(function, put(inputs), kwargs)
        cts = [tape.Traced(c) for c in seeds]
        return inputs, cts, tape.pullback(_outputs(found), cts, inputs)

    def slope(leaves: list[Any]) -> float:
        _, _, grads = gradient(leaves)
        return sum(float(_dot(tape.value_of(g), u)) for g, u in zip(grads, second) if g is not None)

    def along(f: Any) -> float:
        up = [x + h * t for x, t in zip(start, dirs)]
        down = [x - h * t for x, t in zip(start, dirs)]
        return float(f(up) - f(down)) / (2 * h)

    inputs, cts, grads = gradient(start)
    for x, g in zip(start, grads):
        assert g is None or np.shape(tape.value_of(g)) == np.shape(x), "shape of the cotangent"
    got = sum(float(_dot(tape.value_of(g), t)) for g, t in zip(grads, dirs) if g is not None)
    _close(got, along(loss), tol, f"{function} {kwargs}: order 1")
    _check_transpose(function, put, start, dirs, kwargs, h, cts, grads, tol)
    if upto > 1:
        weighted = [_dot_traced(g, u) for g, u in zip(grads, second) if isinstance(g, tape.Traced)]
        twice = [w for w in weighted if isinstance(w, tape.Traced)]
        again = tape.pullback(twice, [1.0] * len(twice), inputs)
        got = sum(float(_dot(tape.value_of(g), t)) for g, t in zip(again, dirs) if g is not None)
        _close(got, along(slope), 20 * tol, f"{function} {kwargs}: order 2")
    _check_jvp(function, put(start), kwargs, put(dirs), loss_of=seeds, want=along(loss), tol=tol)


def _check_transpose(
    function: Any,
    put: Any,
    start: Any,
    dirs: Any,
    kwargs: Any,
    h: float,
    cts: Any,
    grads: Any,
    tol: float,
) -> None:
    """The vjp is linear in ``ct``; its transpose is the jvp, output by output."""
    paired = [_dot_traced(g, t) for g, t in zip(grads, dirs) if isinstance(g, tape.Traced)]
    paired = [p for p in paired if isinstance(p, tape.Traced)]
    found = tape.pullback(paired, [1.0] * len(paired), cts)
    up, down = (
        _outputs(function(*put([x + s * t for x, t in zip(start, dirs)]), **kwargs))
        for s in (h, -h)
    )
    for got, high, low in zip(found, up, down):
        want = (high - low) / (2 * h)
        got = np.zeros_like(want) if got is None else tape.value_of(got)
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(
            got,
            want,
            rtol=0,
            atol=tol * (1 + np.max(np.abs(want), initial=0)),
            err_msg=f"{function} {kwargs}: the transpose of the vjp",
        )


def _is_tangent(x: Any) -> bool:
    """Nothing in ``x`` is a constant, which would have to be 0 in a tangent."""
    if type(x) in (list, tuple):
        return all(map(_is_tangent, x))
    return x is None or bool(_leaves(x))


def _dot_traced(g: Any, u: Any) -> Any:
    return np.sum(np.real(g * u))


def _check_jvp(
    function: Any, args: Any, kwargs: Any, dirs: Any, loss_of: Any, want: float, tol: float
) -> None:
    """Declared jvps and linear rules, where all active inputs have one."""
    entry, named = methods.resolve(function, args, kwargs)
    _, tangents = methods.resolve(function, dirs, kwargs)
    active = [n for n, v in named.items() if _leaves(v) and n not in entry.inactive]
    active = [n for n in active if tangents[n] is not named[n]]
    if active and all(n in entry.jvps for n in active):
        total = 0.0
        ans = function(*args, **kwargs)
        for name in active:
            t = tape.pull(entry, entry.jvps[name], named, ans, tangents[name])
            total = total if t is None else total + t
    elif active and all(n in entry.rules and entry.rules[n].linear for n in active):
        if not all(_is_tangent(tangents[n]) for n in entry.rules):
            return
        total = function(*dirs, **kwargs)
    else:
        return
    got = sum(float(_dot(c, o)) for c, o in zip(loss_of, _outputs(total)))
    _close(got, want, tol, f"{function} {kwargs}: jvp")


def _close(got: float, want: float, tol: float, what: str) -> None:
    assert abs(got - want) <= tol * (1 + abs(want)), f"{what}: {got!r}, differences give {want!r}"
