"""Datasets, samplers and the loader."""

# ruff: noqa: F401, F403

from ...nn.signatures import defined_in
from .collate import default_collate, default_convert
from .dataloader import *
from .dataset import *
from .sampler import *

__all__ = defined_in(__name__, globals())
