"""Every room keeps to its import law, wherever in a module an import stands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from imported import ROOT, imports, room  # noqa: E402

# Which rooms a room may import; modules at the top are rooms, too. Those that are not in the table
# are the public functions and the pipeline: they may import every room, and no room may import them.
LAW: dict[str, set[str]] = {
    # what all others stand on
    "errors": set(), "config": set(), "dims": set(), "spelling": set(), "structure": set(),
    "subclasses": set(), "identifiers": set(), "caches": {"errors"},
    "kinds": {"dims"}, "guards": {"caches", "dims", "errors", "identifiers", "subclasses"}, "public_names": {"errors"},
    "tree": {"errors", "guards", "subclasses"}, "marks": {"rules"},
    # the pipeline, in its order
    "rules": {"spelling"},
    "stage": {"errors"},
    "graph": {"dims", "errors", "kinds", "spelling", "structure"},
    "trace": {"caches", "config", "dims", "errors", "graph", "guards", "identifiers", "kinds", "marks", "public_names", "rules",
              "spelling", "stage", "structure", "subclasses", "tree"},
    "adjoint": {"dims", "errors", "graph", "kinds", "marks", "public_names", "rules", "spelling",
                "structure"},
    "batch": {"dims", "errors", "graph", "kinds", "rules", "spelling", "structure"},
    "simplify": {"batch", "dims", "graph", "kinds", "spelling"},
    "emit": {"dims", "errors", "graph", "identifiers", "kinds", "spelling"},
    "native": {"cache", "dims", "emit", "errors", "graph", "kinds", "spelling"},
    "array_api": {"cache", "errors"},
    "cache": {"caches", "dims", "errors", "guards", "stage", "subclasses"},
    # beside the pipeline
    "show": {"cache", "config", "dims", "emit", "errors", "graph", "guards", "identifiers", "kinds", "spelling",
             "stage", "subclasses"},
    "eager": {"rules"},
}
# Modules that go beyond the law of their room, and why.
EXCEPTIONS: dict[str, set[str]] = {
    "trace/entry.py": {"cache"},  # the objects that a dispatcher starts from are noted while tracing
    "show/export.py": {"backends", "compiler", "native", "trace"},  # takes a whole specialization, and emits it again
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
