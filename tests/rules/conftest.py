"""Makes the test support beside this file importable; the same data whatever runs before."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import checking  # noqa: E402


@pytest.fixture(autouse=True)
def _same_data():
    checking.data = np.random.default_rng(1)
