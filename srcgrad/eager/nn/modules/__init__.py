"""The layers."""

# ruff: noqa: F403

from ..signatures import defined_in
from .activation import *
from .attention import *
from .conv import *
from .dropout import *
from .lazy import *
from .linear import *
from .loss import *
from .normalization import *
from .pooling import *
from .recurrent_steps import *
from .rnn import *
from .sparse import *
from .vision import *

__all__ = defined_in(__name__, globals(), type)
