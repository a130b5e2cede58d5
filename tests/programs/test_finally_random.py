"""Random try statements in one another, in whose bodies, handlers and ``finally`` parts lists are
read where data say whether they have the item."""

from __future__ import annotations

import random

import numpy as np
import pytest
from chain import differences
from test_raising import module_of

import srcgrad as sg

DATA = ([0.4, 1.5, 2.5, 1.2], [1.7, 1.4, 1.3, 0.2], [0.5, 1.5], [2.1, 1.6, 1.9, 1.4, 1.2, 0.6], [0.3])
SIMPLE = ("s = s + items[{k}]", "s = s * items[{k}]", "s = s * 1.5", "seen.append(items[{k}])",
          "seen.append(s)", "s = s + x[{k}]", "s = s + table['{name}']", "items[{k}] = s")


def program(seed: int) -> str:
    stream = random.Random(seed)
    lines = ["def f(x):", "    items, seen, s = [v for v in x if v > 1], [], x[0]",
             "    table = {'a': 2.0, 'b': x[0]}"]

    def block(depth: int, tried: int = 1) -> None:
        for _ in range(stream.randint(1, 2)):
            pad = "    " * depth
            if depth > 2 + tried or stream.random() < 0.6:
                lines.append(pad + stream.choice(SIMPLE).format(
                    k=stream.choice((0, 1, 2, 3, -1)), name=stream.choice("abc")))
                continue
            lines.append(f"{pad}try:")
            block(depth + 1, tried - 1)
            kind = stream.random()
            if kind < 0.6:
                lines.append(pad + stream.choice(("except IndexError:", "except LookupError:",
                                                  "except KeyError:", "except Exception:")))
                block(depth + 1, 0)
            if kind > 0.4:
                lines.append(f"{pad}finally:")
                block(depth + 1, 0)

    lines.append("    try:")
    block(2)
    lines.extend(["    except LookupError:", "        s = s * 3.0", "    return s + 2 * sum(seen)", ""])
    return "\n".join(lines)


def run(seed: int) -> bool:
    """Check the program of a seed; was it refused?"""
    text = program(seed)
    fn = module_of(text).f
    df = sg.value_and_grad(fn)
    for data in DATA:
        x = np.array(data)
        try:
            expected = fn(x)
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                df(x)
            continue
        try:
            value, slope = df(x)
        except sg.SrcgradError:
            return True
        except Exception as error:
            raise AssertionError(f"seed {seed}, {data}\n{text}") from error
        assert value == expected, f"seed {seed}, {data}\n{text}"
        want = np.array(differences(fn, (x,), 0)[0])
        assert np.allclose(slope, want, rtol=1e-5, atol=1e-6), f"seed {seed}, {data}\n{text}"
    return False


@pytest.mark.parametrize("start", range(28, 60, 8))
def test_programs(start: int) -> None:
    assert sum(run(seed) for seed in range(start, start + 8)) <= 2


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1200, 10))
def test_many_programs(start: int) -> None:
    assert sum(run(seed) for seed in range(start, start + 10)) <= 3
