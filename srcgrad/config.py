"""Settings."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass
class Config:
    """``internal_frames``: show srcgrad's own frames in the tracebacks of its errors (also set
    by the environment variable ``SRCGRAD_INTERNAL_FRAMES=1``)."""

    internal_frames: bool = os.environ.get("SRCGRAD_INTERNAL_FRAMES", "") not in ("", "0")


config = Config()
