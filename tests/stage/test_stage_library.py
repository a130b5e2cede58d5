"""Code nobody wrote for this purpose: functions of the standard library, NumPy and SciPy are
staged, and many are run, staged to any depth, on simple arguments."""

import difflib
import fractions
import importlib
import json.encoder
import random
import statistics
import string
import textwrap
import types

import comparison
import numpy as np
import pytest

from srcgrad.errors import SourceNotFound, UnsupportedSyntax
from srcgrad.stage import stage

MODULES = """statistics fractions heapq textwrap difflib random calendar
colorsys copy functools contextlib collections dataclasses enum ast inspect tokenize json.decoder
csv argparse string html.parser logging traceback typing pickle tarfile asyncio.tasks
optparse pprint xml.dom.minidom numpy.linalg._linalg numpy.lib._function_base_impl
numpy.lib._nanfunctions_impl numpy.polynomial.polynomial numpy.ma.core scipy.optimize._optimize
scipy.integrate._ivp.rk scipy.interpolate._cubic scipy.signal._filter_design""".split()


def functions_of(owner, module, seen):
    for value in list(vars(owner).values()):
        value = getattr(value, "__func__", value)
        value = value.fget if isinstance(value, property) else value
        if not isinstance(value, (types.FunctionType, type)) or value in seen:
            continue
        if value.__module__ != module:
            continue
        if isinstance(value, types.FunctionType):
            seen.add(value)
            yield value
        elif isinstance(value, type):
            seen.add(value)
            yield from functions_of(value, module, seen)


@pytest.mark.parametrize("name", MODULES)
def test_every_function_is_staged_or_refused(name):
    module = importlib.import_module(name)
    staged = refused = 0
    for function in functions_of(module, name, set()):
        try:
            assert stage(function).name == function.__code__.co_name
            staged += 1
        except UnsupportedSyntax as error:
            assert "async" in error.what
            refused += 1
        except SourceNotFound:
            refused += 1
    assert staged > refused


def _json(value):
    def plain(o):
        raise TypeError(o)
    text = json.encoder.py_encode_basestring_ascii("é\n")
    return text, list(json.encoder._make_iterencode(
        {}, plain, repr, None, ": ", ", ", False, False, False)(value, 0))


def _random(seed):
    r = random.Random(seed)
    return [r.randint(1, 6), r.gauss(0, 1), r.sample(range(20), 4), r.choices("abc", k=5)]


def _rational(a, b):
    x = fractions.Fraction(a, b)
    return x + 1, x ** 2, x < 1, str(x), x.limit_denominator(3), round(x, 1), float(x)


def _decimal(a, b):
    import _pydecimal as d
    with d.localcontext() as ctx:
        ctx.prec = 20
        x, y = d.Decimal(a), d.Decimal(b)
        return str(x / y), str(x.sqrt()), str(y.exp()), str(x.ln()), str(x ** y), str(x % y)


CALLS = [
    (statistics.mean, ([1, 2, 4.5],)), (statistics.stdev, ([1.0, 2.0, 4.0],)),
    (statistics.mean, ([],)), (statistics.quantiles, ([1, 2, 3, 4, 5],)),
    (statistics.linear_regression, ([1, 2, 3], [2.0, 4.0, 6.5])), (statistics.mode, ("aabb",)),
    (textwrap.wrap, ("the quick brown fox jumps over the lazy dog", 11)),
    (textwrap.dedent, ("  a\n    b\n",)), (textwrap.shorten, ("hello big world", 12)),
    (difflib.get_close_matches, ("appel", ["ape", "apple", "peach"])),
    (difflib.ndiff, (["a\n", "b\n"], ["a\n", "c\n"])), (string.capwords, ("a bc def",)),
    (_json, ({"a": [1, 2.5, None, True], "b": {"c": "x"}},)), (_random, (3,)),
    (_rational, (3, 4)), (_rational, (1, 0)), (_decimal, ("2.5", "1.25")), (_decimal, ("-1", "2")),
    (np.linalg.norm, (np.arange(6.0).reshape(2, 3),)), (np.linalg.cond, (np.eye(3) * 2,)),
    (np.interp, (2.5, [1, 2, 3], [3, 2, 0])), (np.gradient, (np.arange(5.0) ** 2,)),
    (np.cov, (np.arange(6.0).reshape(2, 3),)), (np.trapezoid, ([1.0, 2.0, 3.0],)),
    (np.nanmean, (np.array([1.0, np.nan, 3.0]),)), (np.median, ([3.0, 1.0, 2.0],)),
    (np.percentile, ([3.0, 1.0, 2.0], 40)), (np.polyfit, ([0.0, 1, 2, 3], [1.0, 3, 5, 7.5], 1)),
    (np.roots, ([1.0, -3.0, 2.0],)), (np.tile, ([1, 2], (2, 2))), (np.kron, (np.eye(2), [1.0, 2])),
    (np.cross, ([1.0, 2, 3], [0.0, 1, 0])), (np.histogram, ([1.0, 2.0, 2.5], 3)),
    (np.unique, ([3, 1, 1, 2],)), (np.stack, ([np.ones(2), np.zeros(2)],)),
    (np.apply_along_axis, (np.sum, 0, np.arange(6.0).reshape(2, 3))),
]


@pytest.mark.parametrize("function, args", CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_library_functions_run_staged(function, args):
    wrapped = getattr(function, "__wrapped__", function)
    if not isinstance(wrapped, types.FunctionType):
        wrapped = function = _as_function(function)

    def listed(*values):
        result = wrapped(*values)
        return list(result) if isinstance(result, types.GeneratorType) else result

    comparison.compare(listed, args, deep=True)


def _as_function(builtin):
    def call(*args):
        return builtin(*args)
    return call
