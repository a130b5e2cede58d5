"""Every refusal as text: what, where, why, and how to mend it.

``python tests/errors/test_user_mistakes.py`` writes the texts anew.
"""

from __future__ import annotations

import copy
import re
import traceback
from pathlib import Path

import mistakes
import numpy as np
import pytest

import srcgrad as sg

HERE = Path(__file__).parent

TEXTS = HERE / "messages.txt"
WITHIN_F_STRINGS = re.compile(r"""(\n[^\n]*\bf["'][^\n]*)\n *\^+""")  # places since Python 3.12
NAMES = [case[0].__name__ for case in mistakes.CASES]
BUILT_IN = (TypeError, ValueError, NotImplementedError, OSError)


def fresh(args):
    """Arguments for one call; views of one array stay views of one array."""
    if any(isinstance(a, np.ndarray) and a.base is not None for a in args) or (
            len(args) > 1 and args[0] is args[1]):
        return args
    return copy.deepcopy(args)


def refusal(name):
    """The error of a mistake, its arguments before and after, the function compiled."""
    function, transform, args, options = next(c for c in mistakes.CASES if c[0].__name__ == name)
    args = fresh(args)
    before = repr(args)
    compiled = None
    with pytest.raises(sg.SrcgradError) as caught:
        compiled = transform(function, **options)
        compiled(*args)
    return function, caught.value, before, repr(args), compiled


def message(name):
    """The text of a refusal, with lines counted from the function's own."""
    function, error, *_ = refusal(name)
    first = function.__code__.co_firstlineno
    file = re.escape(mistakes.__file__)
    text = re.sub(rf'File "{file}", line (\d+)',
                  lambda m: f'File "mistakes.py", line {int(m[1]) - first:+}', str(error))
    text = re.sub(r'File "[^"]*[/\\]([^/\\"]+)", line \d+', r'File "\1", line N', text)
    text = WITHIN_F_STRINGS.sub(r"\1", text)
    bases = [c.__name__ for c in type(error).__mro__ if c in BUILT_IN]
    return f"{type(error).__name__} ({', '.join(bases)}): {text}"


def stored():
    parts = re.split(r"^== (\w+)\n", TEXTS.read_text(), flags=re.M)
    return dict(zip(parts[1::2], (p.rstrip("\n") for p in parts[2::2])))


@pytest.mark.parametrize("name", NAMES)
def test_message(name):
    assert message(name) == stored()[name]


@pytest.mark.parametrize("name", NAMES)
def test_four_parts_and_nothing_left_behind(name):
    _, error, before, after, compiled = refusal(name)
    text = str(error)
    assert error.what and error.where and error.why and error.fix
    assert "  Why: " in text and "  Fix: " in text
    assert isinstance(error, BUILT_IN)
    assert before == after
    if hasattr(compiled, "cache_info"):
        assert compiled.cache_info().currsize == 0 and compiled.cache_info().misses == 0


@pytest.mark.parametrize("name", NAMES)
def test_internal_frames_are_hidden(name):
    _, error, *_ = refusal(name)
    package = str(Path(sg.__file__).parent)
    inside = [f for f in traceback.extract_tb(error.__traceback__)
              if f.filename.startswith(package)]
    assert len(inside) <= 2  # the public function that was called
    assert all(Path(f.filename).name in (
        "compiled.py", "frames.py", "transforms.py", "jacobians.py", "derived.py", "checks.py", "api.py",
        "tree.py") for f in inside)


def test_there_are_many_distinct_mistakes():
    texts = stored()
    assert sorted(texts) == sorted(NAMES) and len(NAMES) >= 75
    assert len({t.split("\n")[0] for t in texts.values()}) >= 60


if __name__ == "__main__":
    TEXTS.write_text("\n".join(f"== {name}\n{message(name)}\n" for name in NAMES))
