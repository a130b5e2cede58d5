"""Functions of neural networks, under PyTorch's names and signatures."""

# ruff: noqa: F403, F405, F821

from ..signatures import defined_in
from .activation import *
from .attention import *
from .conv import *
from .distance import *
from .dropout import *
from .grids import *
from .loss import *
from .margin_loss import *
from .norm import *
from .pool import *
from .sparse import *
from .vision import *

del cubic_weights, reduced, reduction_of, tupled  # which the files have for each other
__all__ = [*defined_in(__name__, globals()), "cosine_similarity", "prelu"]
