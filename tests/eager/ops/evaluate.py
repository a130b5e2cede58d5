"""Evaluates the expressions of the reference table and describes what comes out.

An expression names its inputs (``f`` is a 2x3 float64 tensor that requires gradients, ``f_f`` the
same in float32, ``fn`` the same without gradients ...); statements before it are separated by
semicolons.  The description holds values, dtypes, shapes, node names, first and second
derivatives of a weighted sum of the results, or the error.
"""

import math
import re
import warnings

import numpy as np

_SUFFIXES = {"": "float64", "_f": "float32", "_h": "float16", "_b": "bfloat16"}
_WHOLE = {"": "int64", "_i": "int32", "_s": "int16", "_c": "int8"}


def _specifications():
    r = np.random.RandomState(7)
    f = r.uniform(-2, 2, (2, 3))
    floats = {
        "f": f, "g": r.uniform(-2, 2, (2, 3)), "p": np.abs(f) + 0.1,
        "u": r.uniform(0.05, 0.95, (2, 3)), "v": r.uniform(-2, 2, 3), "w": r.uniform(-2, 2, 3),
        "m": r.uniform(-2, 2, (3, 3)), "n": r.uniform(-2, 2, (3, 2)),
        "b3": r.uniform(-2, 2, (2, 3, 4)), "c3": r.uniform(-2, 2, (2, 4, 3)),
        "s": np.float64(0.7), "t4": r.uniform(-2, 2, (2, 2, 3, 2)), "e": np.zeros((0, 3)),
        "ties": np.array([[1.0, 2, 2], [3, 3, 1]]),
    }
    found = {}
    for name, a in floats.items():
        for suffix, dtype in _SUFFIXES.items():
            found[name + suffix] = (a, dtype, True)
            found[name + suffix + "n"] = (a, dtype, False)
    integers = {
        "i": np.array([[3, -1, 4], [1, -5, 9]]), "j": np.array([[2, 7, 1], [-2, 3, -4]]),
        "iv": np.array([2, 0, 1]), "jv": np.array([1, 1, 2]),
    }
    for name, a in integers.items():
        for suffix, dtype in _WHOLE.items():
            found[name + suffix] = (a, dtype, False)
        found[name + "_u"] = (np.abs(a), "uint8", False)
    found["k"] = (np.array([[True, False, True], [False, False, True]]), "bool", False)
    found["kv"] = (np.array([True, False, True]), "bool", False)
    z = r.uniform(-2, 2, (2, 3)) + 1j * r.uniform(-2, 2, (2, 3))
    found |= {"z": (z, "complex128", True), "z_f": (z, "complex64", True),
              "zn": (z, "complex128", False)}
    zm = r.uniform(-2, 2, (3, 3)) + 1j * r.uniform(-2, 2, (3, 3))
    found["zm"] = (zm, "complex128", True)
    spd = r.uniform(-1, 1, (3, 3))
    spd = spd @ spd.T + np.eye(3)
    found["spd"], found["spd_f"] = (spd, "float64", True), (spd, "float32", True)
    found["bm"] = (r.uniform(-2, 2, (2, 3, 3)), "float64", True)
    return found


INPUTS = _specifications()


def _environment(torch, expression):
    def make(data, dtype=None, requires_grad=False):
        t = torch.tensor(data, dtype=getattr(torch, dtype) if dtype else None)
        return t.requires_grad_() if requires_grad else t

    env = {"torch": torch, "np": np, "inf": math.inf, "nan": math.nan, "T": make}
    leaves = []
    for name in sorted(set(re.findall(r"[A-Za-z_]\w*", expression))):
        if name in INPUTS:
            a, dtype, requires_grad = INPUTS[name]
            env[name] = make(a.tolist(), dtype, requires_grad)
            if requires_grad:
                leaves.append(env[name])
    return env, leaves


def _flat(value):
    if isinstance(value, tuple | list):
        return [item for part in value for item in _flat(part)]
    return [value]


def numbers(torch, t):
    """The values of a tensor, as a flat list of float64 (complex numbers as pairs)."""
    t = t.detach()
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj())
    if t.dtype == torch.bool:
        t = t.to(torch.int64)
    return t.to(torch.float64).reshape(-1).tolist()


def _weighted(torch, outputs, places):
    total = None
    for o, place in zip(outputs, places):
        weights = np.random.RandomState(3 + place).uniform(0.5, 1.5, tuple(o.shape))
        w = torch.tensor(weights.tolist(), dtype=o.real.dtype if o.is_complex() else o.dtype)
        w = w.reshape(tuple(o.shape))
        part = ((o.real * w).sum() + (o.imag * w * 0.7).sum()) if o.is_complex() else (o * w).sum()
        total = part if total is None else total + part
    return total


def describe(torch, expression):
    """What ``expression`` gives in the namespace ``torch``, as plain data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            env, leaves = _environment(torch, expression)
            *statements, last = expression.split(";")
            exec("\n".join(part.strip() for part in statements), env)
            value = eval(last.strip(), env)
        except Exception as error:
            return {"error": [type(error).__name__, str(error)]}
        found = {"outputs": [_output(torch, o) for o in _flat(value)]}
        active = [o for o in _flat(value) if isinstance(o, torch.Tensor) and o.requires_grad]
        if active and leaves:
            found |= _derivatives(torch, active, leaves)
        return found


def _output(torch, o):
    if not isinstance(o, torch.Tensor):
        return repr(o).replace("srcgrad.eager.", "torch.")
    node = o.grad_fn
    return [str(o.dtype)[6:], list(o.shape), None if node is None else node.name(),
            numbers(torch, o)]


def _derivatives(torch, active, leaves):
    try:
        loss = _weighted(torch, active, range(len(active)))
        first = torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)
    except Exception as error:
        return {"refused": [type(error).__name__, str(error)]}
    found = {"first": [None if g is None else numbers(torch, g) for g in first]}
    places = [i for i, g in enumerate(first) if g is not None and g.requires_grad]
    if places:
        try:
            again = _weighted(torch, [first[i] for i in places], places)
            second = torch.autograd.grad(again, leaves, allow_unused=True)
            found["second"] = [None if g is None else numbers(torch, g) for g in second]
        except Exception:
            return found  # second derivatives that PyTorch itself does not have
    return found
