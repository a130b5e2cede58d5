"""Functions of neural networks, under PyTorch's names and signatures."""

# ruff: noqa: F403  (each file lists in its __all__ what it is for)

from .activation import *
from .alignment import *
from .attention import *
from .conv import *
from .distance import *
from .dropout import *
from .fractional import *
from .grids import *
from .loss import *
from .margin_loss import *
from .norm import *
from .pool import *
from .sparse import *
from .vision import *

__all__ = [name for name, value in sorted(globals().items()) if callable(value)]
