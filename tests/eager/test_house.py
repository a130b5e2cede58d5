"""The eager mode stays in its room, and no derivative is declared in it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import srcgrad.eager

ROOM = Path(srcgrad.eager.__file__).parent
FORBIDDEN = {"stage", "trace", "graph", "adjoint", "optimize", "emit", "compiler", "compiled",
             "cache", "api"}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{a.name}" for a in node.names)
        elif isinstance(node, ast.Import):
            found.update(a.name for a in node.names)
    return found


def test_never_imports_the_compiler() -> None:
    for path in ROOM.rglob("*.py"):
        rooms = {m.split(".")[1] for m in imports(path) if m.startswith("srcgrad.")}
        assert not rooms & FORBIDDEN, (path, rooms & FORBIDDEN)


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
