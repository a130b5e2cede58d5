"""Random draws as functions of their parameters, the underlying random number held fixed.

``rng.normal(loc, scale)`` is ``loc + scale * z`` with ``z`` from the stream; ``ans`` tells what
``z`` was.  The draw itself stays NumPy's, so the stream and the numbers are those of plain NumPy.
Parameters without such a form (the shape of a gamma distribution, counts) have no rule.
Source of the formulas: the inverse distribution functions of each family.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.book import elementwise, inactive, variant
from srcgrad.rules.quotients import divided

DRAWS: dict[str, Any] = {}
_Rules = dict[str, Any]  # formulas by input
# Each family by its parameters: as functions of ``np.random`` have them, methods after ``self``.
_FAMILIES: list[tuple[str, Callable[..., None], _Rules]] = [
    ("normal laplace logistic gumbel", lambda loc=0.0, scale=1.0, size=None: None, {
        "loc": lambda: 1, "scale": lambda ans, loc, scale: divided(ans - loc, scale)}),
    ("exponential rayleigh", lambda scale=1.0, size=None: None, {
        "scale": lambda ans, scale: divided(ans, scale)}),
    ("uniform", lambda low=0.0, high=1.0, size=None: None, {  # low + (high - low) * u
        "low": lambda ans, low, high: divided(high - ans, high - low),
        "high": lambda ans, low, high: divided(ans - low, high - low)}),
    ("lognormal", lambda mean=0.0, sigma=1.0, size=None: None, {  # exp(mean + sigma * z)
        "mean": lambda ans: ans,
        "sigma": lambda ans, mean, sigma: divided(ans * (np.log(ans) - mean), sigma)}),
    ("weibull power", lambda a, size=None: None, {  # e ** (1 / a)
        "a": lambda ans, a: -ans * np.log(ans) / a}),
    ("pareto", lambda a, size=None: None, {  # exp(e / a) - 1
        "a": lambda ans, a: -(1 + ans) * np.log1p(ans) / a}),
]
# The standard library's draws: Python numbers, drawn by methods of one hidden generator.
_ALSO = {"normal": ("gauss", "normalvariate"), "uniform": ("uniform",),
         "lognormal": ("lognormvariate",)}


def _of_method(form: Callable[..., None]) -> Any:
    """Such parameters after ``self``."""
    plain = inspect.signature(form)
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)

    def method(*_: Any) -> None:
        """Nothing but its signature counts."""

    method.__signature__ = plain.replace(  # type: ignore[attr-defined]
        parameters=[first, *plain.parameters.values()])
    return method


for _names, _form, _rules in _FAMILIES:
    for _name in _names.split():
        _target = getattr(np.random.Generator, _name)
        elementwise(_target, like=_of_method(_form), **_rules)
        inactive(_target, "self", "size")
        DRAWS[_name] = _target
        variant(_target, getattr(np.random, _name), _form)
        for _same in _ALSO.get(_name, ()):
            DRAWS[_same] = _target
            variant(_target, getattr(random, _same), _form)
