"""Division and powers of Python's numbers in derivatives, where zero is no error.

``math.sqrt(0.0)`` is 0.0 in Python, and its derivative is infinite, as NumPy says; ``1.0 / 0.0``
raises.  So rules divide by :func:`quotient` where the function itself takes such a number.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np


def quotient(above: Any, below: Any) -> Any:
    """``above / below`` as IEEE 754 has it, also of Python's numbers.

    >>> quotient(1.0, 4.0), quotient(-1.0, 0.0), quotient(0.0, 0.0)
    (0.25, -inf, nan)
    """
    if type(below) in (int, float) and not below:
        return above * math.inf
    return above / below


def raised_to(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` of floats, infinite where the base is zero and the exponent negative.

    >>> raised_to(4.0, -0.5), raised_to(0.0, -0.5), raised_to(0.0, 0.5)
    (0.5, inf, 0.0)
    """
    if not base:
        return float(np.power(base, exponent))
    return (math.pow if type(base) is type(exponent) is float else operator.pow)(base, exponent)
