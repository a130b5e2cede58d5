"""Rules of Python's math and cmath modules and of builtins, on Python numbers."""

import cmath
import math

import numpy as np
import pytest
import tape

from srcgrad.rules import resolve

CASES = [
    (math.exp, 0.3),
    (math.sin, 0.3),
    (math.atan2, 0.3, 0.7),
    (math.pow, 0.3, 2.5),
    (math.log, 0.3),
    (math.log, 0.3, 2.5),
    (math.hypot, 0.3),
    (math.hypot, 0.3, 0.4),
    (math.hypot, 0.3, 0.4, 0.7),
    (math.erf, 0.3),
    (math.erfc, 0.3),
    (math.gamma, 1.3),
    (math.lgamma, 1.3),
    (math.remainder, 2.3, 0.7),
    (math.fmod, 2.3, 0.7),
    (math.copysign, 2.3, -0.7),
    (math.fabs, -2.3),
    (math.degrees, 0.3),
    (math.radians, 30.0),
    (math.fsum, [0.3, 0.4]),
    (math.prod, [0.3, 0.4, 2.0]),
    (math.dist, [0.3, 0.4], [1.0, 2.0]),
    (math.expm1, 0.3),
    (math.log1p, 0.3),
    (math.log2, 0.3),
    (math.acosh, 1.3),
    (math.cbrt, 1.3) if hasattr(math, "cbrt") else (math.sqrt, 1.3),
    (math.exp2, 1.3) if hasattr(math, "exp2") else (math.sqrt, 1.3),
    (abs, -0.3),
    (pow, 0.3, 3.0),
    (float, 0.3),
    (math.sumprod, [0.3, 0.4], [1.0, 2.0]) if hasattr(math, "sumprod") else (math.sqrt, 1.3),
    (cmath.exp, 0.3 + 0.4j),
    (cmath.log, 0.3 + 0.4j),
    (cmath.sqrt, 0.3 + 0.4j),
    (cmath.phase, 0.3 + 0.4j),
    (cmath.polar, 0.3 + 0.4j),
    (cmath.rect, 0.3, 0.4),
    (complex, 0.3, 0.4),
    (abs, 0.3 + 0.4j),
]


def _shifted(x, by):
    return [_shifted(i, by) for i in x] if isinstance(x, list) else x + by


def _pulled(function, args, slot, place):
    """d Re(result)/d args[slot] (at ``place`` of a list), by the rule."""
    entry, named = resolve(function, args, {})
    ans = function(*args)
    name = list(named)[slot] if function is not math.hypot else "coordinates"
    ct = (1.0, 1.0) if isinstance(ans, tuple) else 1.0
    if name in entry.inactive:
        return 0.0
    d = tape.pull(entry, entry.rules[name], named, ans, ct)
    if name in ("coordinates",):
        return d[slot]
    return d if place is None else d[place]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0].__name__}{len(c) - 1}")
def test_number(case):
    function, *args = case
    h = 1e-6

    def real_total(values):
        out = function(*values)
        return sum(out) if isinstance(out, tuple) else complex(out).real

    for slot, x in enumerate(args):
        for place in range(len(x)) if isinstance(x, list) else [None]:

            def moved(by):
                values = [list(a) if isinstance(a, list) else a for a in args]
                if place is None:
                    values[slot] = values[slot] + by
                else:
                    values[slot][place] += by
                return values

            want = (real_total(moved(h)) - real_total(moved(-h))) / (2 * h)
            got = _pulled(function, tuple(args), slot, place)
            np.testing.assert_allclose(np.real(got), want, rtol=1e-6, atol=1e-8)
