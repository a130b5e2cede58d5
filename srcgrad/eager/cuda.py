"""`torch.cuda` of a build without CUDA: nothing is available."""

from __future__ import annotations

from typing import Any, NoReturn

from srcgrad.eager.backends import never

is_available = is_initialized = is_bf16_supported = is_tf32_supported = never


def device_count() -> int:
    """None: only the CPU exists here."""
    return 0


def manual_seed(seed: int) -> None:
    """Accepted and ignored, as in a build without CUDA."""


def empty_cache() -> None:
    """There is no cache."""


def synchronize(device: Any = None) -> NoReturn:
    """Refused: there is no device."""
    raise AssertionError("Torch not compiled with CUDA enabled")


manual_seed_all = manual_seed
current_device = get_device_name = synchronize
