"""The eager mode stays in its room, and no derivative is declared in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from imported import imports, room  # noqa: E402

import srcgrad.eager  # noqa: E402

ROOM = Path(srcgrad.eager.__file__).parent


def test_imports_the_rule_book_and_no_other_room() -> None:
    """Relative imports and those inside of functions, too."""
    for path in ROOM.rglob("*.py"):
        rooms = {room(name) for name in imports(path)} - {None, "eager"}
        assert rooms <= {"rules"}, (path, rooms)


def test_never_needs_pytorch() -> None:
    for path in ROOM.rglob("*.py"):
        assert not any(m.split(".")[0] in ("torch", "jax") for m in imports(path)), path


def test_no_formula_is_declared_in_the_room() -> None:
    decorators = {"vjp", "elementwise", "linear", "jvp"}
    for path in ROOM.rglob("*.py"):
        names = {m.rpartition(".")[2] for m in imports(path) if m.startswith("srcgrad.rules.book.")}
        assert not names & decorators, path


def test_imports_neither_scipy_nor_pytorch() -> None:
    code = "import srcgrad.eager, sys; print('scipy' in sys.modules or 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
