"""Passes over graphs: each keeps the meaning and can be switched off."""

from .again import compute_again
from .choices import choose_numbers
from .dead import remove_dead
from .fused import fuse_loops, join_branches
from .independent import batch_loops
from .known_tests import with_known_tests
from .object_numbers import without_lookups
from .pipeline import simplify
from .quotients import find_quotients, write_out_quotients

__all__ = ["batch_loops", "choose_numbers", "compute_again", "find_quotients", "fuse_loops",
           "join_branches", "remove_dead", "simplify", "with_known_tests",
           "without_lookups", "write_out_quotients"]
