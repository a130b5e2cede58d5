"""The HTML of ``df.show()``: one file, nothing is loaded.

Whatever belongs to one line of the user's has the same ``data-k``: the row of the table, and the
lines of the whole text below.  Pointing at one lights up all of them, a click keeps them lit.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from .colour import STYLE, coloured, coloured_lines

if TYPE_CHECKING:
    from .beside import Listing, SideBySide


LAYOUT = """\
.srcgrad{padding:.5em}.srcgrad h1{font:600 15px sans-serif}\
.srcgrad h2{font:600 14px sans-serif;margin:1.2em 0 .4em}\
.srcgrad small{color:var(--faint);font-weight:400}\
.srcgrad .scroll{overflow:auto;max-height:85vh;border:1px solid var(--line);border-radius:6px}\
.srcgrad table{border-collapse:separate;border-spacing:0;width:100%;margin:0;font:inherit}\
.srcgrad th,.srcgrad td{padding:1px 10px;text-align:left;vertical-align:top;background:var(--back);\
border-bottom:1px solid var(--line);color:inherit}\
.srcgrad th{position:sticky;top:0;background:var(--head);z-index:2;padding:4px 10px}\
.srcgrad td.no,.srcgrad th.no{position:sticky;left:0;width:3.5em;min-width:3.5em;\
color:var(--faint);text-align:right;box-sizing:border-box}\
.srcgrad td.src,.srcgrad th.src{position:sticky;left:3.5em;z-index:1;\
border-right:1px solid var(--line)}\
.srcgrad th.no,.srcgrad th.src{z-index:3}\
.srcgrad [data-k]{cursor:pointer}\
.srcgrad .lit,.srcgrad tr.lit td{background:var(--lit)}\
.srcgrad pre.kept,.srcgrad tr.kept td:first-child{box-shadow:inset 3px 0 var(--d)}\
.srcgrad summary{cursor:pointer;margin-top:1em}\
.srcgrad .text pre{padding:0 10px}\
@media (max-width:760px){.srcgrad table,.srcgrad tbody,.srcgrad tr,.srcgrad td{display:block}\
.srcgrad tr:first-child{display:none}.srcgrad td,.srcgrad td.src,.srcgrad td.no{position:static;\
width:auto;border:0;text-align:left;overflow-x:auto}.srcgrad td:empty{display:none}\
.srcgrad td.no{float:left;min-width:0;padding-right:0}.srcgrad .scroll{max-height:none}\
.srcgrad td.fwd::before{content:"forward";color:var(--faint);font-size:11px}\
.srcgrad td.adj::before{content:"adjoint";color:var(--faint);font-size:11px}\
.srcgrad tr{border-bottom:1px solid var(--line);padding:.3em 0}}"""
SCRIPT = """\
(function(root){function all(key){return root.querySelectorAll('[data-k="'+key+'"]')}
var kept=null;
function light(key,on,name){all(key).forEach(function(e){e.classList.toggle(name,on)})}
function key(event){var e=event.target.closest('[data-k]');return e&&e.dataset.k}
root.addEventListener('mouseover',function(e){var k=key(e);if(k)light(k,true,'lit')});
root.addEventListener('mouseout',function(e){var k=key(e);if(k&&k!==kept)light(k,false,'lit')});
root.addEventListener('click',function(e){var k=key(e);if(!k)return;
if(kept){light(kept,false,'lit');light(kept,false,'kept')}
kept=kept===k?null:k;if(kept){light(k,true,'lit');light(k,true,'kept')}});
})(document.currentScript.closest('.srcgrad'))"""


def fragment(tables: SideBySide) -> str:
    """The tables and the whole text, with style and script, as a piece of a page."""
    parts = "".join(_table(place, part) for place, part in enumerate(tables.parts))
    return (f"<div class='srcgrad'><style>{STYLE}{LAYOUT}</style>"
            f"<h1>{html.escape(tables.title)}</h1>{parts}"
            f"<details><summary>the whole generated text</summary><div class='scroll text'>"
            f"{_text(tables)}</div></details><script>{SCRIPT}</script></div>")


def page(title: str, body: str) -> str:
    """A piece of a page as a file of its own."""
    return ("<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width,initial-scale=1'>"
            "<style>:root{color-scheme:light dark}body{margin:0}"
            ".srcgrad{min-height:100vh;box-sizing:border-box}</style>"
            f"<title>{html.escape(title)}</title></head><body>{body}</body></html>\n")


def _table(place: int, part: Listing) -> str:
    sources = coloured_lines("\n".join(row.source for row in part.rows))
    rows = "".join(
        f"<tr data-k='{place}-{row.number}'><td class='no'>{row.number}</td>{_cell('src', source)}"
        f"{_cell('fwd', *map(coloured, row.forward))}{_cell('adj', *map(coloured, row.adjoint))}"
        "</tr>" for row, source in zip(part.rows, sources, strict=True))
    return (f"<h2>{html.escape(part.function or 'module')} <small>{html.escape(part.file)}</small>"
            "</h2><div class='scroll'><table><tr><th class='no'></th><th class='src'>source</th>"
            f"<th>forward</th><th>adjoint</th></tr>{rows}</table></div>")


def _cell(kind: str, *lines: str) -> str:
    text = "\n".join(lines)
    return f"<td class='{kind}'>{f'<pre>{text}</pre>' if text else ''}</td>"


def _text(tables: SideBySide) -> str:
    found = []
    for number, line in enumerate(tables.text.splitlines(), 1):
        key = f" data-k='{tables.keys[number]}'" if number in tables.keys else ""
        found.append(f"<pre{key}>{coloured(line) or ' '}</pre>")
    return "".join(found)
