"""Python text in colour, as HTML, without any other package."""

from __future__ import annotations

import builtins
import html
import keyword
import re
from collections.abc import Iterator, Sequence
from typing import Any

TOKEN = re.compile(
    r"(?P<c>#.*)|(?P<s>\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|\"[^\"\n]*\"|'[^'\n]*')|(?P<n>\b\d[\w.]*)|(?P<w>\b[^\W\d]\w*)")
LIGHT = ("--back:#fff;--fore:#1f2328;--faint:#656d76;--line:#d0d7de;--lit:#fff3bf;--head:#f6f8fa;"
         "--k:#8250df;--s:#0a6e31;--n:#0550ae;--b:#953800;--d:#b3261e")
DARK = ("--back:#0d1117;--fore:#e6edf3;--faint:#8b949e;--line:#30363d;--lit:#4d4215;--head:#161b22;"
        "--k:#d2a8ff;--s:#7ee787;--n:#79c0ff;--b:#ffa657;--d:#ff7b72")
# The system says which one; a page around it that has a theme of its own (Jupyter, Sphinx) knows
# better.
STYLE = f"""\
.srcgrad{{{LIGHT};color:var(--fore);\
background:var(--back);font:13px/1.45 ui-monospace,Menlo,Consolas,monospace}}\
.srcgrad pre{{margin:0;font:inherit;white-space:pre;background:none;color:inherit}}\
.srcgrad .k{{color:var(--k)}}.srcgrad .s{{color:var(--s)}}.srcgrad .n{{color:var(--n)}}\
.srcgrad .b{{color:var(--b)}}.srcgrad .d{{color:var(--d)}}.srcgrad .c{{color:var(--faint)}}\
@media (prefers-color-scheme:dark){{.srcgrad{{{DARK}}}}}\
[data-jp-theme-light=true] .srcgrad,[data-theme=light] .srcgrad{{{LIGHT}}}\
[data-jp-theme-light=false] .srcgrad,[data-theme=dark] .srcgrad{{{DARK}}}"""


def coloured(text: str) -> str:
    """Python text with spans for keywords, names of builtins, cotangents, texts, numbers and
    comments.

    >>> coloured("d_x = 2 * y  # twice")
    '<span class="d">d_x</span> = <span class="n">2</span> * y  <span class="c"># twice</span>'
    """
    return "\n".join(coloured_lines(text))


def coloured_lines(text: str) -> list[str]:
    """The lines of a Python text in colour; a text of several lines has it in each of them."""
    found = [""]
    for kind, word in kinds_of_words(text):
        for place, piece in enumerate(html.escape(word, quote=False).split("\n")):
            if place:
                found.append("")
            found[-1] += f'<span class="{kind}">{piece}</span>' if kind and piece else piece
    return found


def kinds_of_words(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a Python text, each with its kind: ``k`` (keyword), ``d`` (cotangent), ``b``
    (builtin), ``s`` (text), ``n`` (number), ``c`` (comment), or nothing."""
    end = 0
    for match in TOKEN.finditer(text):
        kind, word = str(match.lastgroup), match.group()
        if kind == "w":
            kind = ("k" if keyword.iskeyword(word) else "d" if word.startswith("d_") else
                    "b" if hasattr(builtins, word) else "")
        yield "", text[end:match.start()]
        yield kind, word
        end = match.end()
    yield "", text[end:]


class Source(str):
    """Generated code: a string that notebooks show in colour, and IPython as it is printed."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return f"<div class='srcgrad'><style>{STYLE}</style><pre>{coloured(self)}</pre></div>"


def card(phrase: str, entries: Sequence[tuple[str, str]]) -> str:
    """How notebooks show a compiled function: what it is, and its texts, folded."""
    texts = "".join(f"<details><summary>{html.escape(title)}</summary><pre>{coloured(text)}</pre>"
                    "</details>" for title, text in entries)
    return (f"<div class='srcgrad'><style>{STYLE}</style><div>{html.escape(phrase)}</div>"
            f"{texts or '<div class=c>not compiled yet</div>'}</div>")
