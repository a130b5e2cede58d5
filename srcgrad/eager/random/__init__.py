"""Random number generators: `torch.random`.

>>> manual_seed(0).initial_seed()
0
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from srcgrad.eager.dispatch import register
from srcgrad.eager.random.generator import Generator, default_generator
from srcgrad.eager.tensor import Tensor


def manual_seed(seed: Any) -> Generator:
    """Start the default generator's stream of ``seed``; returns the generator."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start a stream that cannot be foretold; returns its seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state, as a ByteTensor."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Go back to a state that :func:`get_rng_state` returned."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, _caller: str = "fork_rng",
             _devices_kw: str = "devices", device_type: str = "cuda") -> Iterator[None]:
    """Restore the default generator's state at the end of the block."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


for _function in (manual_seed, seed, initial_seed, get_rng_state, set_rng_state, Generator):
    register(_function.__name__, _function, method=False)
register("default_generator", default_generator, method=False)

__all__ = ["Generator", "default_generator", "fork_rng", "get_rng_state", "initial_seed",
           "manual_seed", "seed", "set_rng_state"]
