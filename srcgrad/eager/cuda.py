"""`torch.cuda` of a build without CUDA: nothing is available."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """False: only the CPU exists here."""
    return False


def is_initialized() -> bool:
    return False


def device_count() -> int:
    return 0


def manual_seed(seed: int) -> None:
    """Accepted and ignored, as in a build without CUDA."""


def manual_seed_all(seed: int) -> None:
    """Accepted and ignored, as in a build without CUDA."""


def empty_cache() -> None:
    """There is no cache."""


def synchronize(device: Any = None) -> None:
    raise AssertionError("Torch not compiled with CUDA enabled")


def current_device() -> int:
    raise AssertionError("Torch not compiled with CUDA enabled")


def get_device_name(device: Any = None) -> str:
    raise AssertionError("Torch not compiled with CUDA enabled")


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def is_tf32_supported() -> bool:
    return False
