"""What the modules of srcgrad import, at any level: absolute, relative, inside of functions."""

from __future__ import annotations

import ast
from pathlib import Path

import srcgrad

ROOT = Path(srcgrad.__file__).parent


def imports(path: Path) -> set[str]:
    """The absolute names of the modules that a module of srcgrad imports, and of what it imports
    from them."""
    package = ("srcgrad", *path.relative_to(ROOT).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[:len(package) + 1 - node.level] if node.level else ()
            module = ".".join((*above, *((node.module,) if node.module else ())))
            found.add(module)
            found.update(f"{module}.{a.name}" for a in node.names)
    return found


def room(name: str) -> str | None:
    """The room of srcgrad that a name belongs to; modules at the top are rooms of their own."""
    parts = name.split(".")
    if parts[0] != "srcgrad" or len(parts) == 1:
        return None
    inside = (ROOT / parts[1]).is_dir() or (ROOT / f"{parts[1]}.py").exists()
    return parts[1] if inside else "srcgrad"
