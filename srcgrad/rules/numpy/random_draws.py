"""Random draws as functions of their parameters, the underlying random number held fixed.

``rng.normal(loc, scale)`` is ``loc + scale * z`` with ``z`` from the stream; ``ans`` tells what
``z`` was.  The draw itself stays NumPy's, so the stream and the numbers are those of plain NumPy.
Parameters without such a form (the shape of a gamma distribution, counts) have no rule.
Source of the formulas: the inverse distribution functions of each family.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, elementwise, inactive, variant
from srcgrad.rules.quotients import divided

DRAWS: dict[str, Any] = {}


def _loc_scale(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> None:
    """The parameters of a family with a location and a scale."""


def _scale(self: Any, scale: Any = 1.0, size: Any = None) -> None:
    """The parameters of a family with a scale."""


def _bounds(self: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> None:
    """The parameters of the uniform distribution."""


def _log_normal(self: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> None:
    """The parameters of the lognormal distribution."""


def _exponent(self: Any, a: Any, size: Any = None) -> None:
    """The parameters of a family with an exponent."""


def one() -> int:
    """The derivative of a draw by its location."""
    return 1


def by_scale(ans: Array, loc: Array, scale: Array) -> Array:
    """``z`` of ``loc + scale * z``."""
    return divided(ans - loc, scale)


def by_only_scale(ans: Array, scale: Array) -> Array:
    """``z`` of ``scale * z``."""
    return divided(ans, scale)


def by_low(ans: Array, low: Array, high: Array) -> Array:
    """``1 - u`` of ``low + (high - low) * u``."""
    return divided(high - ans, high - low)


def by_high(ans: Array, low: Array, high: Array) -> Array:
    """``u`` of ``low + (high - low) * u``."""
    return divided(ans - low, high - low)


def by_mean(ans: Array) -> Array:
    """Of ``exp(mean + sigma * z)`` by the mean."""
    return ans


def by_sigma(ans: Array, mean: Array, sigma: Array) -> Array:
    """Of ``exp(mean + sigma * z)`` by sigma."""
    return divided(ans * (np.log(ans) - mean), sigma)


def by_root(ans: Array, a: Array) -> Array:
    """Of ``e ** (1 / a)`` (Weibull and power distributions) by ``a``."""
    return -ans * np.log(ans) / a


def by_tail(ans: Array, a: Array) -> Array:
    """Of ``exp(e / a) - 1`` (Pareto) by ``a``."""
    return -(1 + ans) * np.log1p(ans) / a


_Rules = dict[str, Callable[..., Any]]
_FAMILIES: dict[str, tuple[Callable[..., Any], _Rules]] = {
    **{name: (_loc_scale, {"loc": one, "scale": by_scale})
       for name in ("normal", "laplace", "logistic", "gumbel")},
    **{name: (_scale, {"scale": by_only_scale}) for name in ("exponential", "rayleigh")},
    "uniform": (_bounds, {"low": by_low, "high": by_high}),
    "lognormal": (_log_normal, {"mean": by_mean, "sigma": by_sigma}),
    "weibull": (_exponent, {"a": by_root}),
    "power": (_exponent, {"a": by_root}),
    "pareto": (_exponent, {"a": by_tail}),
}


def _module_form(like: Callable[..., Any]) -> Callable[..., Any]:
    """The parameters of the function of ``np.random``: those of the method without ``self``."""
    forms: dict[Any, Callable[..., Any]] = {
        _loc_scale: lambda loc=0.0, scale=1.0, size=None: None,
        _scale: lambda scale=1.0, size=None: None,
        _bounds: lambda low=0.0, high=1.0, size=None: None,
        _log_normal: lambda mean=0.0, sigma=1.0, size=None: None,
        _exponent: lambda a, size=None: None,
    }
    return forms[like]


for _name, (_like, _rules) in _FAMILIES.items():
    _target = getattr(np.random.Generator, _name)
    for _input, _body in _rules.items():
        elementwise(_target, _input, like=_like)(_body)
    inactive(_target, "self", "size")
    DRAWS[_name] = _target
    variant(_target, getattr(np.random, _name), _module_form(_like))

# the standard library's draws: Python numbers, drawn by methods of one hidden generator
for _name, _same in (("gauss", "normal"), ("normalvariate", "normal"), ("uniform", "uniform"),
                     ("lognormvariate", "lognormal")):
    DRAWS[_name] = DRAWS[_same]
    variant(DRAWS[_same], getattr(random, _name), _module_form(_FAMILIES[_same][0]))
