"""Random programs whose names are bound on some paths only: what plain Python raises is raised,
after the same writes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from test_raising import HOW, module_of, outcome

import srcgrad as sg

LOOPS = ("for e in x:", "for i in range(n):", "for e in x[:n]:", "for e in x[1:]:",
         "for i in range(len(x) - 1):")
TESTS = ("x[0] > 1.", "n > 1", "len(x) > 2", "x[1] > 2.", "t > 3.")
CALLS = (([.5, 1., 3.], 2), ([2., 3.], 0), ([2., 1., 4.], 1))


def block(r: random.Random, depth: int, loop: bool, indent: str) -> list[str]:
    lines = []
    for _ in range(r.randint(1, 3)):
        kind, name, test = r.random(), r.choice("abc"), r.choice(TESTS)
        inner = indent + "    "
        if depth and kind < .22:
            lines += [f"{indent}if {test}:", *block(r, depth - 1, loop, inner)]
            if r.random() < .4:
                lines += [f"{indent}else:", *block(r, depth - 1, loop, inner)]
        elif depth and kind < .42:
            lines += [indent + r.choice(LOOPS), *block(r, depth - 1, True, inner)]
        elif kind < .48 and loop:
            lines.append(f"{indent}if {test}: {r.choice(('break', 'continue'))}")
        elif kind < .52:
            lines.append(f"{indent}if {test}: return np.sum(x)")
        elif depth and kind < .57:
            last = r.choice((f"x[1] = {name}", f"w = {name}", "t = t + 1."))
            lines += [f"{indent}try:", *block(r, depth - 1, loop, inner), f"{indent}finally:",
                      inner + last]
        elif kind < .72:
            value = r.choice(("x[0]", "1.5", "t * 2", "np.sum(x)"))
            lines.append(f"{indent}{name} = {value}")
        else:
            lines.append(indent + r.choice((
                f"x[0] = {r.choice(('2.', 't'))}", name, f"del {name}", f"{name} += 1.",
                f"w = {name}", f"t = t + {name}")))
    return lines


def program(seed: int) -> str:
    r = random.Random(seed)
    first = ["    t = 0.", *(["    a = 1."] if r.random() < .6 else [])]
    last = [r.choice(("    w = a", "    w = b", "    t = t * c", "    b", "    pass"))]
    return "\n".join(["def f(x, n):", *first, *block(r, 3, False, "    "), *last,
                      "    return t * x[0]", ""])


def run(seed: int) -> bool:
    """Check the program of a seed; False if it was refused."""
    text = program(seed)
    ours = {how: HOW[how](module_of(text).f) for how in ("jit", "grad", "vjp")}
    for numbers, count in CALLS:
        given = np.array(numbers)
        want = outcome(module_of(text).f, given, count)
        for how, function in ours.items():
            taken = np.array(numbers)
            try:
                got = outcome(function, taken, count)
            except sg.errors.SrcgradError:
                return False
            # a finally part that raises too may be met before or after what the body has bound
            assert got == want or ("finally" in text and got[0] is want[0]), (how, numbers, text)
            assert want == "a value" or taken.tolist() == given.tolist(), (how, numbers, text)
    return True


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_programs(start: int) -> None:
    assert sum([run(seed) for seed in range(start, start + 20)]) >= 18


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1400, 50))
def test_many_programs(start: int) -> None:
    for seed in range(start, start + 50):
        run(seed)
