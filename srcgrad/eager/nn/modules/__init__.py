"""The layers."""

# ruff: noqa: F403  (each file lists in its __all__ what it is for)

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

__all__ = [name for name, value in sorted(globals().items()) if isinstance(value, type)]
