"""The directive ``picture``: its content draws a figure, after the Python blocks above it have run.

The content is Python with ``plt`` (Matplotlib) and the names of the page; its figure goes into the
page as SVG.  An error in it, or in a block, fails the build.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import matplotlib
from blocks import blocks, run
from docutils import nodes
from docutils.parsers.rst import Directive
from matplotlib import pyplot as plt
from sphinx.application import Sphinx

matplotlib.use("svg")

NEUTRAL = "#808080"  # readable on light and dark pages
STYLE = {
    "figure.figsize": (6.5, 3.2), "figure.facecolor": "none", "axes.facecolor": "none",
    "savefig.facecolor": "none", "svg.fonttype": "none", "legend.frameon": False,
    "axes.spines.top": False, "axes.spines.right": False,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color",
                     "ytick.color"), NEUTRAL),
}


class Picture(Directive):
    """``{picture} What it shows``."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        page = Path(self.state.document.current_source)
        above = "\n".join(page.read_text(encoding="utf-8").splitlines()[:self.lineno - 1]) + "\n"
        namespace = _module(page.stem).__dict__
        before = Path.cwd()
        with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context(
                {**STYLE, "svg.hashsalt": page.stem}):
            os.chdir(folder)  # blocks may write files
            try:
                for number, (body, _) in enumerate(blocks(above)):
                    run(body, namespace, f"<{page.stem} block {number}>")
                run("\n".join(self.content), {**namespace, "plt": plt}, f"<{page.stem} picture>")
            finally:
                os.chdir(before)
            drawn = io.StringIO()
            plt.savefig(drawn, format="svg", bbox_inches="tight", metadata={"Date": None})
            plt.close("all")
        svg = drawn.getvalue()
        figure = nodes.figure("", nodes.raw("", svg[svg.index("<svg"):], format="html"))
        figure += nodes.caption("", self.arguments[0])
        return [figure]


def _module(name: str) -> types.ModuleType:
    """A module for a page, so that its classes have a home."""
    made = sys.modules[f"page_{name}"] = types.ModuleType(f"page_{name}")
    return made


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": False}
