"""Names are the first that are free, in whatever order they are asked for."""

from __future__ import annotations

import random

import pytest

from srcgrad.emit.spans import SECOND, TEMPORARY, NameTable, candidates

WANTED = ("x", f"x{SECOND}", "np", TEMPORARY)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ascending", [True, False])
def test_the_first_free_candidate_is_taken(seed, ascending):
    rng = random.Random(seed)
    table, hints = NameTable({"np"}, {"x", "x_3", "t2"}), {"x", "x_3", "t2"}
    places = [rng.randrange(100) for _ in range(60)]
    for start in sorted(places) if ascending else places:
        first = (start, start + rng.randrange(1, 40))
        spans = [first, (first[1] + 3, first[1] + 5)][:rng.choice((1, 2))]
        wanted = rng.choice(WANTED)
        free = next(name for name in candidates(wanted)
                    if (name == wanted or name not in hints) and table.is_free(name, spans))
        assert table.take(wanted, spans) == free
