"""Every Python block of the README and the documentation runs, and prints what is written.

A block marked ``python`` is executed (blocks of one file share a namespace); a block marked
``py`` right after it is what it must print.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text):
    """Pairs of a runnable block and what it must print (None: anything)."""
    found = [(m.group(1), m.group(2)) for m in BLOCK.finditer(text)]
    for (kind, body), follower in zip(found, [*found[1:], ("", "")]):
        if kind == "python":
            yield body, follower[1] if follower[0] == "py" else None


def run(body, namespace, name):
    """Execute a block; its functions have a source.  Returns what it printed."""
    linecache.cache[name] = (len(body), None, body.splitlines(keepends=True), name)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(body, name, "exec"), namespace)
    return out.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_page(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    import sys
    import types

    module = types.ModuleType("readme")
    monkeypatch.setitem(sys.modules, "readme", module)
    for number, (body, expected) in enumerate(blocks(page.read_text(encoding="utf-8"))):
        printed = run(body, module.__dict__, f"<{page.name} block {number}>")
        if expected is not None:
            assert printed.rstrip() == expected.rstrip(), f"block {number}"


def test_the_readme_starts_with_real_code():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (body, expected), *_ = blocks(text)
    assert text.index("```python") < 120
    assert len(body.split("def heat")[1].splitlines()) <= 7
    assert "def heat_value_and_grad(u0, alpha, steps, d_out=1.0):" in expected
