"""How Sphinx builds these pages: ``python -m sphinx -W --keep-going docs docs/_build``."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import srcgrad

logging.getLogger("srcgrad").setLevel(logging.WARNING)  # Sphinx prints whatever is logged

project = "srcgrad"
author = "The srcgrad developers"
version = release = srcgrad.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "pictures"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"srcgrad {version}"
html_copy_source = False
html_show_copyright = False

# Headings are link targets; fences with a language in braces are directives.
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

# Signatures as people write calls: without the overloads that type checkers read.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
python_use_unqualified_type_names = True
highlight_language = "python"
nitpicky = False
