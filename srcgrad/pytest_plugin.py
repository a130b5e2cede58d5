"""Fixtures for the tests of programs that use srcgrad; pytest finds them by itself.

``assert_grad`` is :func:`srcgrad.testing.assert_grad`, ``check_grads`` is
:func:`srcgrad.check_grads`, ``debug_nans`` makes a test fail at the first statement, forward or
adjoint, that makes a NaN or an infinity::

    def test_energy(assert_grad):
        assert_grad(energy, np.ones(3), 2.0, argnums=(0, 1))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from . import testing
from .check import checks, debugging


@pytest.fixture(scope="session")
def assert_grad() -> Callable[..., None]:
    """``assert_grad(fun, *args, argnums=0)``: the gradient is that of central differences; what
    fails says which element is worst, and which statement is the first wrong one."""
    return testing.assert_grad


@pytest.fixture(scope="session")
def check_grads() -> Callable[..., None]:
    """``check_grads(fun, args, order=2)``: derivatives of any result along random directions."""
    return checks.check_grads


@pytest.fixture
def debug_nans() -> Iterator[None]:
    """The test runs under ``srcgrad.debug_nans()``."""
    with debugging.debug_nans():
        yield
