"""Learning-rate schedules."""

# ruff: noqa: F403

from ...nn.signatures import defined_in
from .base import *
from .base import EPOCH_DEPRECATION_WARNING, LRScheduler
from .composed import *
from .cyclic import *
from .decay import *

_LRScheduler = LRScheduler  # the name that older programs derive from

__all__ = ["EPOCH_DEPRECATION_WARNING", *defined_in(__name__, globals(), type)]
