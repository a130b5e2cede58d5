"""Random number generators: `torch.random`.

The CPU generator is PyTorch's Mersenne Twister stream, word for word: PyTorch seeds MT19937 as
NumPy's legacy ``RandomState`` does and consumes its 32-bit words; 64-bit words take two, high half
first.  What the words become is in :mod:`srcgrad.eager.random.distributions`.

>>> manual_seed(0).initial_seed()
0
"""

from __future__ import annotations

import contextlib
import os
import struct
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.eager import device as devices
from srcgrad.eager import dtype as dt
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import register
from srcgrad.eager.grad_mode import state
from srcgrad.eager.tensor import Tensor, wrap

DEFAULT_SEED = 67280421310721
_HEADER = struct.Struct("<QiiQ")  # seed, words left, seeded, next word
# normal_x, normal_y, normal_rho, whether it is valid; a float sample, whether it is valid
_CACHE = struct.Struct("<dddi4xfB3x")
_STATE_BYTES = _HEADER.size + 624 * 8 + _CACHE.size


class Generator:
    """A stream of random numbers with a state of its own.

    >>> Generator().manual_seed(0).initial_seed()
    0
    """

    def __init__(self, device: Any = "cpu") -> None:
        devices.check(device)
        self.device = device if isinstance(device, devices.device) else devices.device(device)
        self.lock = threading.RLock()  # one operation draws at a time
        self.cached_normal: float | None = None  # the second number of a Box-Muller pair
        self._bits = np.random.MT19937()
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of ``seed`` (64 bits; negative seeds count from 2**64)."""
        seed = int(seed)
        refuse(not -(2**63) <= seed < 2**64, "Overflow when unpacking long long", kind=ValueError)
        with self.lock:
            self._seed = seed % 2**64
            # the twister of PyTorch is seeded with the low 32 bits
            legacy = np.random.RandomState(self._seed & 0xFFFFFFFF)
            fresh: Any = legacy.get_state(legacy=False)
            self._bits.state = fresh
            self._unused = True
            self.cached_normal = None
        return self

    def seed(self) -> int:
        """Start a stream that cannot be foretold; returns its seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed the stream was started with."""
        return self._seed

    def words(self, n: int) -> np.ndarray[Any, Any]:
        """The next ``n`` 32-bit words, as uint64."""
        refuse(state.randomness == "error", "vmap: called random operation while in randomness "
               "error mode. Please either use the 'same' or 'different' randomness flags on vmap "
               "or perform the randomness operation out of vmap")
        if n:
            self._unused = False
        return np.asarray(self._bits.random_raw(n), np.uint64)

    def words64(self, n: int) -> np.ndarray[Any, Any]:
        """The next ``n`` 64-bit words."""
        raw = self.words(2 * n)
        return np.asarray((raw[0::2] << np.uint64(32)) | raw[1::2])

    def get_state(self) -> Tensor:
        """The state as a ByteTensor, laid out as PyTorch lays it out."""
        with self.lock:
            inner: Any = self._bits.state["state"]
            position = int(inner["pos"])
            fresh = self._unused and position == 624
            head = _HEADER.pack(self._seed, 1 if fresh else 625 - position, 1,
                                0 if fresh else position)
            normal = self.cached_normal
            tail = _CACHE.pack(0.0, 0.0 if normal is None else normal, 0.0,
                               normal is not None, 0.0, 0)
            key = np.asarray(inner["key"], "<u8").tobytes()
        return wrap(np.frombuffer(head + key + tail, np.uint8).copy(), dt.uint8)

    def set_state(self, new_state: Tensor) -> Generator:
        """Go back to a state that :meth:`get_state` returned."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state._dt is not dt.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        data = np.ascontiguousarray(new_state._a).tobytes()
        refuse(len(data) != _STATE_BYTES, "RNG state is wrong size")
        seed, left, _, following = _HEADER.unpack_from(data)
        key = np.frombuffer(data, "<u8", 624, _HEADER.size).astype(np.uint32)
        _, second, _, valid, _, _ = _CACHE.unpack_from(data, _HEADER.size + 624 * 8)
        with self.lock:
            self._seed = seed
            self._unused = left == 1 and following == 0
            position = 624 if self._unused else following
            state: Any = {"bit_generator": "MT19937", "state": {"key": key, "pos": position},}
            self._bits.state = state
            self.cached_normal = second if valid else None
        return self

    def clone_state(self) -> Generator:
        """Another generator that continues from the same state."""
        return Generator().set_state(self.get_state())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.get_state(),)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


def _rebuild(state: Tensor) -> Generator:
    return Generator().set_state(state)


default_generator = Generator()


manual_seed, seed = default_generator.manual_seed, default_generator.seed
initial_seed = default_generator.initial_seed


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
