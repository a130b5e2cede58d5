"""Every Python block of the README and the documentation runs, and prints what is written."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import operator
import posixpath
import re
import sys
import types
from pathlib import Path

import pytest

import srcgrad as sg

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

from blocks import blocks, run  # noqa: E402

PAGES = [ROOT / "README.md",
         *sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)]

@pytest.fixture
def numba(monkeypatch):
    """Where Numba is not installed, kernels are the Python that they are written in."""
    if importlib.util.find_spec("numba") is None:
        stand_in = types.ModuleType("numba")
        stand_in.njit = lambda **options: lambda function: function
        monkeypatch.setitem(sys.modules, "numba", stand_in)


@pytest.mark.usefixtures("numba")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT)  # pages import from examples/
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
    assert "def heat_value_and_grad(u0, alpha, steps):" in expected


def test_every_public_name_is_in_the_reference():
    text = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    missing = [name for name in sg.__all__ if not re.search(rf"\b{name}\b", text)]
    assert not missing


def described():
    """The functions and classes that the page of public names describes."""
    text = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    for name in re.findall(r"^\.\. auto(?:function|class):: ([\w.]+)", text, re.MULTILINE):
        yield name.removeprefix("srcgrad.")


@pytest.mark.parametrize("name", list(described()))
def test_what_a_description_says(name):
    """An example, what is raised, and where to look next."""
    home, _, last = f"srcgrad.{name}".rpartition(".")
    found = inspect.getdoc(getattr(importlib.import_module(home), last))
    assert ">>> " in found and re.search(r"[Rr]aises? ", found) and "ee also" in found
    for other in re.findall(r":(?:func|class|meth):`([\w.]+)`", found):
        assert other.split(".")[0] in sys.stdlib_module_names or any(map(exists, (
            other, f"srcgrad.{other}", f"{home}.{other}"))), other


# what takes and gives no arrays, or the same ones
NO_ARRAYS = re.compile(r"Compiled|rules\.|stop_gradient|checkpoint|name$|debug_|tree_|testing|config|show|progress"
                       r"|optimize\.(adam|exponential|cosine|Descent)|parallel\.ChunkedGradient|ravel_tree")
NO_FORMULA = re.compile(r"custom_|jit|vmap|parallel|bridges")
SOURCE = re.compile(r"\b(19|20)\d\d\b|theorem|difference|transposed|Jacobian|Hessian|pullback|[Ss]ci[Pp]y")


@pytest.mark.parametrize("name", [name for name in described() if not NO_ARRAYS.match(name)])
def test_a_description_says_shapes_dtypes_and_formulas(name):
    home, _, last = f"srcgrad.{name}".rpartition(".")
    found = inspect.getdoc(getattr(importlib.import_module(home), last))
    assert re.search(r"\b(shapes?|structures?|axis)\b", found), "shapes"
    assert re.search(r"\b(dtypes?|floats?|floating|real|complex)\b", found), "dtypes"
    assert NO_FORMULA.match(name) or SOURCE.search(found), "where the formula comes from"


def test_every_method_of_compiled_functions_is_described():
    text = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    (members,) = re.findall(r"^\.\. autoclass:: Compiled\(\)\n +:members: (.+)$", text, re.MULTILINE)
    public = {name for name in vars(sg.Compiled) if not name.startswith("_")}
    assert public == set(members.split(", "))


def exists(path):
    home, _, rest = path.partition(".")
    try:
        return home == "srcgrad" and operator.attrgetter(rest)(sg) is not None
    except AttributeError:
        return False


def test_every_error_has_a_page_and_a_line_in_the_table():
    errors = {name for name in sg.__all__ if isinstance(getattr(sg, name), type)
              and issubclass(getattr(sg, name), sg.SrcgradError)} - {"SrcgradError"}
    folder = DOCS / "reference" / "errors"
    assert {p.stem for p in folder.glob("*.md")} - {"index"} == errors
    index = (folder / "index.md").read_text(encoding="utf-8")
    for name in errors:
        base = next(c.__name__ for c in getattr(sg, name).__mro__ if c.__module__ == "builtins")
        code = getattr(sg, name).code
        assert f"| [{name}]({name}.md) | `{base}` | {code} |" in index
        assert f"\nCode {code}. " in (folder / f"{name}.md").read_text(encoding="utf-8")
        assert f"except sg.{name} as error:" in (folder / f"{name}.md").read_text(encoding="utf-8")


def test_every_page_can_be_reached():
    """Sphinx warns of it as well; this needs no Sphinx."""
    listed = {"index"}
    for page in PAGES[1:]:
        for body in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(encoding="utf-8"),
                               re.MULTILINE | re.DOTALL):
            here = page.parent.relative_to(DOCS)
            listed.update(posixpath.normpath((here / line).as_posix()) for line in body.split()
                          if line and not line.startswith(":"))
    assert {p.relative_to(DOCS).with_suffix("").as_posix() for p in PAGES[1:]} <= listed


def test_one_version():
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    packaged = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited[1] == packaged[1] == sg.__version__
