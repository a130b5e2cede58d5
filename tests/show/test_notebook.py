"""What notebooks show, the magic, the page, the picture of a graph, the line of progress."""

from __future__ import annotations

import io
import linecache
import re
import sys
import time
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest
from shown_program import X, rollout

import srcgrad as sg
from srcgrad.show import progress


def test_the_page_has_a_section_for_each_function_and_loads_nothing(tmp_path):
    page = sg.grad(rollout).show(X, 3).save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.findall(r"<h2>(\w+) ", page) == ["rollout", "gain"]
    assert "http" not in page and "src=" not in page and "@import" not in page
    for theme in ("data-jp-theme-light=false", "data-jp-theme-light=true", "data-theme=dark"):
        assert f"[{theme}] .srcgrad" in page  # a page's own theme comes before the system's
    assert "prefers-color-scheme:dark" in page and "max-width:760px" in page and "sticky" in page
    keys = re.findall(r"data-k='(\d+-\d+)'", page)
    source = next(n for n in linecache.getlines(rollout.__code__.co_filename) if "np.tanh(v)" in n)
    number = linecache.getlines(rollout.__code__.co_filename).index(source) + 1
    assert keys.count(f"1-{number}") >= 3  # its row, its forward line, its adjoint lines


def test_texts_of_several_lines_have_their_colour_in_each():
    from srcgrad.show.colour import coloured_lines

    lines = coloured_lines('"""First\nsecond for 3"""\nx = \'a\'')
    assert lines[:2] == ['<span class="s">"""First</span>', '<span class="s">second for 3"""</span>']
    assert lines[2].endswith('<span class="s">\'a\'</span>')


def test_the_whole_source_of_a_function_is_there():
    parts = sg.grad(rollout).show(X, 3).parts
    assert [p.function for p in parts] == ["rollout", "gain"]
    assert parts[0].rows[0].source == "def rollout(x, n):"
    assert parts[0].rows[-1].source.strip() == "return np.sum(y * y)"


def test_notebooks_show_functions_sources_and_graphs():
    df = sg.grad(rollout)
    assert "not compiled yet" in df._repr_html_()
    text = df.source(X, 3)
    assert repr(df.graph(X, 3)) == str(df.graph(X, 3)) and repr(df.graph(X, 3)).startswith("graph rollout_grad(")
    assert isinstance(text, str) and '<span class="k">for</span>' in text._repr_html_()
    assert "<details>" in df._repr_html_() and "the gradient with respect to x" in df._repr_html_()


def test_the_picture_of_a_graph():
    graph = sg.grad(rollout).graph(X, 3)
    opened = graph._repr_svg_()
    closed = graph.to_svg(depth=0)
    ET.fromstring(opened), ET.fromstring(closed)
    hidden = re.compile(r'<g data-n="\w+" class="(?:frame )?off"')
    assert not hidden.findall(opened) and len(hidden.findall(closed)) > 20
    assert ">backward (" not in opened and re.search(r">backward \(\d+ operations\)<", closed)
    boxes = [tuple(map(float, m)) for m in re.findall(
        r'<g data-n="\w+"><title>[^<]*</title><rect x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"', opened)]
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[:i]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y  # none overlap


class Shell:
    """What the extension uses of IPython."""

    def __init__(self):
        self.user_ns, self.magics = {"np": np}, {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function

    def transform_cell(self, body):
        return body

    def run_cell(self, body):
        linecache.cache["<cell>"] = (len(body), None, body.splitlines(True), "<cell>")
        exec(compile(body, "<cell>", "exec"), self.user_ns)
        return SimpleNamespace(error_in_exec=None, error_before_exec=None)


def test_the_magic():
    shell = Shell()
    sg.load_ipython_extension(shell)
    cell = shell.magics["cell", "grad"]
    body = "def area(w, h):\n    return w * h\n"
    made = cell("", body)
    assert made is shell.user_ns["darea"] and made(2.0, 3.0) == 3.0
    assert cell("--value h", body)(2.0, 3.0) == (6.0, 2.0)
    assert cell("w h", body)(2.0, 3.0) == (3.0, 2.0)
    with pytest.raises(sg.StructureError, match="defines no function"):
        cell("", "a = 1\n")
    with pytest.raises(sg.StructureError, match="no option --valu"):
        cell("--valu h", body)
    assert "--value" in cell.__doc__  # what %%grad? shows


def test_a_line_of_progress_comes_late_and_goes(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    with progress.compiling("f"):
        time.sleep(0.02)
    assert written.getvalue() == ""  # no terminal
    monkeypatch.setattr(sg.config, "progress", True)
    with progress.compiling("f"):
        pass
    assert written.getvalue() == ""  # not long enough
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    with progress.compiling("f"):
        time.sleep(0.2)
    assert "compiling f ... 0 s" in written.getvalue() and written.getvalue().endswith(" \r")
