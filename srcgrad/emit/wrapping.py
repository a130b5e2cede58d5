"""Long logical lines in pieces: broken after commas and before operators, inside brackets."""

from __future__ import annotations

import io
import tokenize

from ..types.dataclasses import dataclass

WIDTH = 88
_OPEN, _CLOSE = "([{", ")]}"
_OPERATORS = {"+": 3, "-": 3, "*": 6, "/": 6, "@": 6, "//": 6, "%": 6, "and": 1, "or": 1,
              "if": 0, "else": 0, "==": 2, "<": 2, ">": 2, "<=": 2, ">=": 2, "for": 0}


_ASSIGNS = frozenset({"=", "+=", "-=", "*=", "/=", "@=", "//=", "%=", "**="})


@dataclass(frozen=True)
class Place:
    """A column where a line may end; ``rank`` is smaller for better places; ``bracket`` is the
    column of the bracket around it."""

    column: int
    rank: int
    bracket: int


def wrap(line: str) -> list[str]:
    """The line in pieces of at most ``WIDTH`` columns, as far as brackets allow.

    >>> for piece in wrap("value = function(" + ", ".join(["argument"] * 12) + ")"):
    ...     print(piece)
    value = function(argument, argument, argument, argument, argument, argument, argument,
                     argument, argument, argument, argument, argument)
    """
    indent = len(line) - len(line.lstrip())
    body = line.strip()
    if len(line) <= WIDTH or WIDTH - indent < 24:
        return [line]
    places = _places(body)
    if _splits_outside(body) or not any(8 < p.column <= WIDTH - indent for p in places):
        bracketed = _bracketed(body)
        if bracketed is None:
            return [line]
        body, places = bracketed, _places(bracketed)
    return _pieces(body, places, indent)


def _pieces(body: str, places: list[Place], indent: int) -> list[str]:
    printed: dict[int, int] = {}  # bracket column -> column of what follows it, as printed
    lines: list[str] = []
    start, left = 0, indent
    while True:
        for p in places:
            if p.bracket >= start:
                printed.setdefault(p.bracket, left + p.bracket + 1 - start)
        room = WIDTH - left
        if len(body) - start <= room:
            break
        fitting = [p for p in places if start < p.column and p.column - start <= room]
        ahead = [p for p in places if start < p.column]
        if not ahead:
            break
        chosen = min(fitting, key=lambda p: (p.rank, -p.column)) if fitting else ahead[0]
        lines.append(" " * left + body[start:chosen.column].rstrip())
        start = chosen.column
        while start < len(body) and body[start] == " ":
            start += 1
        left = min(printed.get(chosen.bracket, indent + 4), WIDTH - 28)
        printed = {b: c for b, c in printed.items() if b < start}
    lines.append(" " * left + body[start:])
    return lines


def _places(body: str) -> list[Place]:
    found: list[Place] = []
    opened: list[int] = []
    extra = [0]
    before = ""
    for token in _tokens(body):
        text, column = token.string, token.start[1]
        if token.type == tokenize.OP and text in _OPEN:
            subscript = text == "[" and (before.isidentifier() or before[-1:] in _CLOSE)
            opened.append(column)
            extra.append(extra[-1] + 60 if subscript else extra[-1])
        elif token.type == tokenize.OP and text in _CLOSE:
            if opened:
                opened.pop()
                extra.pop()
        elif opened and text == ",":
            found.append(Place(token.end[1], 20 * len(opened) + extra[-1], opened[-1]))
        elif opened and text in _OPERATORS and (before.isalnum() or before[-1:] in _CLOSE
                                                or before.isidentifier()):
            found.append(Place(column, 20 * len(opened) + 4 + _OPERATORS[text] + extra[-1],
                               opened[-1]))
        before = text
    return found


def _splits_outside(body: str) -> bool:
    """Is the right side a sum or product outside all brackets?"""
    depth, before = 0, ""
    for token in _tokens(body):
        if token.type == tokenize.OP and token.string in _OPEN:
            depth += 1
        elif token.type == tokenize.OP and token.string in _CLOSE:
            depth -= 1
        elif depth == 0 and token.string in ("+", "-", "*", "/", "@", "and", "or") and (
                before.isalnum() or before.isidentifier() or before[-1:] in _CLOSE):
            return True
        before = token.string
    return False


def _tokens(body: str) -> list[tokenize.TokenInfo]:
    tokens: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(body).readline):
            tokens.append(token)
    except (tokenize.TokenError, IndentationError):
        pass  # the header of a block: what came before the end counts
    return tokens


def _bracketed(body: str) -> str | None:
    """``a = b = (…)`` for a long right side without brackets to break in.

    >>> _bracketed("a = b = c * d + e")
    'a = b = (c * d + e)'
    >>> _bracketed("raise ValueError('n = ' + text)") is None
    True
    """
    for word in ("return ", "if ", "elif ", "while "):
        if body.startswith(word):
            tail = body.removeprefix(word)
            colon = ":" if tail.endswith(":") else ""
            return f"{word}({tail.removesuffix(colon)}){colon}"
    depth = end = 0
    for token in _tokens(body):
        if token.type == tokenize.OP:
            depth += (token.string in _OPEN) - (token.string in _CLOSE)
            if depth == 0 and token.string in _ASSIGNS:
                end = token.end[1]
    return f"{body[:end]} ({body[end:].strip()})" if end else None
