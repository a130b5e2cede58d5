"""Random streams bit for bit as PyTorch's, special functions to float64 accuracy."""

import json
import pathlib
import sys

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad.rules.nn import bessel, error_function, gamma_functions, special_functions

NUMBERS = json.loads(
    (pathlib.Path(__file__).resolve().parent.parent / "data" / "numbers.json").read_text())


@pytest.mark.parametrize("row", NUMBERS["stream"], ids=lambda row: "-".join(map(str, row[:4])))
def test_stream(row):
    seed, function, n, dtype, first, last, total = row
    torch.manual_seed(seed)
    t = getattr(torch, function)(n, dtype=getattr(torch, dtype)).double()
    assert t[0].item() == pytest.approx(first, rel=1e-8)
    assert t[-1].item() == pytest.approx(last, rel=1e-8)
    assert t.abs().sum().item() == pytest.approx(total, rel=1e-7, abs=1e-6)


def test_state_round_trip_in_the_middle_of_a_pair():
    torch.manual_seed(3)
    torch.randn(3)
    state = torch.get_rng_state()
    assert state.dtype == torch.uint8 and state.shape == (5056,)
    ahead = torch.randn(5)
    torch.set_rng_state(state)
    assert torch.equal(torch.randn(5), ahead)


def test_generators_are_independent():
    g = torch.Generator().manual_seed(1)
    first = torch.rand(4, generator=g)
    torch.manual_seed(1)
    torch.rand(100)
    assert torch.equal(torch.rand(3, generator=g.manual_seed(1)), first[:3])
    copy = g.clone_state()
    assert torch.equal(torch.randn(20, generator=g), torch.randn(20, generator=copy))


def test_fork_rng_restores():
    torch.manual_seed(0)
    with torch.random.fork_rng():
        torch.rand(10)
    inside = torch.rand(2)
    torch.manual_seed(0)
    assert torch.equal(torch.rand(2), inside)


def test_fills_follow_memory_order():
    torch.manual_seed(0)
    row_major = torch.empty(4, 3).uniform_()
    torch.manual_seed(0)
    column_major = torch.empty(3, 4).t().uniform_()
    assert torch.equal(column_major, row_major.reshape(3, 4).t())


MODULES = (bessel, error_function, gamma_functions, special_functions)


def evaluate(name, point):
    if name == "sinc":
        return np.sinc(point)
    if name.startswith("polygamma"):
        return gamma_functions.polygamma(int(name[10]), np.asarray(point))
    function = next(getattr(m, name) for m in MODULES if hasattr(m, name))
    points = point if isinstance(point, list) else [point]
    return function(*(np.asarray(float(x)) for x in points))


@pytest.mark.parametrize("name", sorted(NUMBERS["functions"]))
def test_special_function(name):
    for point, want in NUMBERS["functions"][name]:
        got = float(evaluate(name, point))
        assert got == pytest.approx(want, rel=3e-13, abs=3e-15), (point, got, want)


def test_single_precision_stays_single():
    x = np.asarray([0.2, 0.7], np.float32)
    for function in (error_function.erf, gamma_functions.lgamma, bessel.i0):
        assert function(x).dtype == np.float32


def test_without_scipy_what_is_missing_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(ModuleNotFoundError, match=r"scipy\.special\.i0 .*srcgrad\[scipy\]"):
        torch.i0(torch.ones(2, requires_grad=True)).sum().backward()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_results_are_stored_in_the_dtype_they_have(dtype):
    """Also where SciPy computes half precision in double."""
    names = ("exp log1p sin asinh rsqrt sigmoid sinc erf erfinv lgamma digamma i0 floor frac sign abs "
             "relu neg round square reciprocal logit softplus").split()
    functions = [getattr(torch, name, None) or getattr(torch.nn.functional, name) for name in names]
    functions += [getattr(torch.special, name) for name in (
        "entr", "erfc", "i0", "i0e", "i1", "i1e", "ndtr", "bessel_j0", "bessel_j1",
        "modified_bessel_i0", "modified_bessel_i1")]
    for shape in ((), (3,)):
        for requires_grad in (False, True):
            t = torch.full(shape, 0.3, dtype=getattr(torch, dtype), requires_grad=requires_grad)
            for function in functions:
                r = function(t)
                assert r.dtype is t.dtype and r._a.dtype == t._a.dtype, function
