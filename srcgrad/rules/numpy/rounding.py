"""Rounding: piecewise constant, so without derivative wherever one exists."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import nondiff

nondiff(
    np.floor, np.ceil, np.trunc, np.rint, np.fix, np.round, np.around,
    math.floor, math.ceil, math.trunc, round,
)  # fmt: skip
