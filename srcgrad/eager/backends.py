"""`torch.backends`: what programs ask before they choose a device."""

from __future__ import annotations


class _Backend:
    """A backend that is not there; its switches can be set without effect."""

    def __init__(self) -> None:
        self.enabled = False
        self.deterministic = False
        self.benchmark = False
        self.allow_tf32 = False

    def is_available(self) -> bool:
        return False

    def is_built(self) -> bool:
        return False


cuda, cudnn, mps, mkl, mkldnn = _Backend(), _Backend(), _Backend(), _Backend(), _Backend()
