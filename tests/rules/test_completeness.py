"""The page of functions in the documentation says what the book holds."""

import builtins
import cmath
import importlib
import math
import operator
import re
from pathlib import Path

import numpy as np
import pytest

from srcgrad.rules import functions, lookup, nn

PAGE = (Path(__file__).parents[2] / "docs" / "functions.md").read_text()
DIFFERENTIABLE, _, REST = PAGE.partition("## Zero derivative")
ZERO = REST.partition("## Kinks")[0]
PLAIN, _, SCIPY = DIFFERENTIABLE.partition("**SciPy**")
NAMES = re.compile(r"`([A-Za-z_][\w.]*)`")
MODULES = {"np": np, "math": math, "cmath": cmath, "operator": operator}


def _named(name):
    first, *rest = name.split(".")
    found = MODULES.get(first) or getattr(builtins, first)
    for part in rest:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", NAMES.findall(PLAIN.partition("## Differentiable")[2]))
def test_listed_functions_have_a_rule(name):
    entry = lookup(_named(name))
    assert entry is not None and entry.rules and not entry.nondiff


@pytest.mark.parametrize("name", NAMES.findall(ZERO))
def test_listed_functions_have_derivative_zero(name):
    entry = lookup(_named(name))
    assert entry is not None and entry.nondiff


@pytest.mark.parametrize("module", ["special", "linalg", "fft"])
def test_listed_functions_of_scipy_have_a_rule(module):
    library = pytest.importorskip(f"scipy.{module}")
    importlib.import_module(f"scipy.{module}")
    listed = SCIPY.partition(f"`scipy.{module}.`:")[2].partition("`scipy.")[0]
    names = NAMES.findall(listed)
    assert names
    for name in names:
        entry = lookup(getattr(library, name))
        assert entry is not None and entry.rules, name


def test_methods_of_scipys_distributions_have_a_rule():
    stats = pytest.importorskip("scipy.stats")
    for name in "norm expon t gamma beta chi2 lognorm".split():
        for method in "pdf logpdf cdf logcdf sf logsf ppf".split():
            assert lookup(getattr(getattr(stats, name), method)).rules, (name, method)


def test_bodies_name_only_what_engines_provide():
    """Parameter names are inputs, facts about inputs, settings, ``ct``, ``ans`` or ``t``."""
    for family in Path(nn.__path__[0]).glob("[a-z]*.py"):
        importlib.import_module(f"{nn.__name__}.{family.stem}")
    for function in functions():
        entry = lookup(function)
        inputs = set(entry.signature.parameters)
        for parameter in entry.signature.parameters.values():
            assert parameter.kind is not parameter.VAR_KEYWORD or parameter.name not in entry.rules
        for rule in (*entry.rules.values(), *entry.jvps.values()):
            for need in rule.needs:
                base, _, fact = need.rpartition("_")
                assert (
                    need in {"ct", "ans", "t"}
                    or need in inputs
                    or need in rule.settings
                    or (base in inputs and fact in {"shape", "ndim", "dtype"})
                ), (function, need)
