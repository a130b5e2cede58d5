"""Every room keeps to its import law, wherever in a module an import stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from imported import ROOT, imports, room

# Which rooms a room may import; modules at the top are rooms, too. Those that are not in the table
# are public modules and the command line: they may import every room, and no room may import them.
LAW: dict[str, set[str]] = {
    # what all others stand on
    "errors": set(), "config": {"errors"},
    "types": {"errors"},
    # the pipeline, in its order
    "rules": {"types"},
    "stage": {"errors", "types"},
    "graph": {"errors", "types"},
    "trace": {"config", "errors", "graph", "rules", "stage", "types"},
    "adjoint": {"errors", "graph", "rules", "types"},
    "batch": {"errors", "graph", "rules", "types"},
    "simplify": {"batch", "graph", "types"},
    "emit": {"errors", "graph", "stage", "types"},
    "native": {"cache", "emit", "errors", "graph", "types"},
    "cache": {"errors", "stage", "types"},
    "array_api": {"cache", "errors", "stage"},
    "compile": {"adjoint", "array_api", "cache", "config", "emit", "errors", "graph", "native", "simplify", "stage", "trace", "types"},
    # beside the pipeline
    "show": {"cache", "config", "emit", "errors", "graph", "stage", "types"},
    "eager": {"rules"},
    "public": {"adjoint", "batch", "cache", "compile", "errors", "graph", "rules", "show", "trace", "types"},
    "check": {"adjoint", "cache", "compile", "errors", "graph", "public", "types"},
}
# Modules that go beyond the law of their room, and why.
EXCEPTIONS: dict[str, set[str]] = {
    "trace/entry.py": {"cache"},  # the objects that a dispatcher starts from are noted while tracing
    "public/nesting.py": {"optimize", "scipy"},  # what their functions mean while tracing
    "show/explain.py": {"compile"},  # explains a whole specialization
    "show/export.py": {"compile", "native", "trace"},  # takes a whole specialization, and emits it again
    "show/comprehensions.py": {"compile", "trace"},  # writes out, for it, what gathers lists and rebuilds them
    "show/gathered.py": {"trace"},  # the same for objects that refer to one another
}


def modules_of(name: str) -> list[Path]:
    return sorted((ROOT / name).rglob("*.py")) if (ROOT / name).is_dir() else [ROOT / f"{name}.py"]


@pytest.mark.parametrize("name", LAW)
def test_import_law(name: str) -> None:
    beyond = {}
    for path in modules_of(name):
        module = path.relative_to(ROOT).as_posix()
        rooms = {room(m) for m in imports(path)} - {None, name}
        left = rooms - LAW[name] - EXCEPTIONS.get(module, set())
        assert not EXCEPTIONS.get(module, set()) - rooms, f"{module} needs its exception no more"
        if left:
            beyond[module] = left
    assert not beyond, f"imports that the law of {name!r} does not have: {beyond}"


@pytest.mark.parametrize("name", LAW)
def test_nothing_is_allowed_that_nobody_needs(name: str) -> None:
    used = {room(m) for path in modules_of(name) for m in imports(path)}
    assert not LAW[name] - used


def test_every_room_has_a_law() -> None:
    rooms = {p.name for p in ROOT.iterdir() if p.is_dir() and any(p.glob("*.py"))}
    assert rooms <= LAW.keys()


def test_the_tracer_does_not_import_libraries() -> None:
    """Libraries beside NumPy are registered by name (``trace/libraries/registry.py``)."""
    known = "srcgrad.trace.libraries.scipy"
    for path in (ROOT / "trace").rglob("*.py"):
        if "libraries" not in path.relative_to(ROOT).parts:
            assert not [m for m in imports(path) if m.startswith(known)], path
