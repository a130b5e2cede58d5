"""Makes the test support beside this file importable; the same data whatever runs before."""


import checking
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _same_data():
    checking.data = np.random.default_rng(1)
