"""Random functions from templates of expressions and statements.

A template is Python text with places in it: ``<V>`` is any expression of the kind V, ``<v>`` a
variable of that kind, ``<+v>`` a variable that the statement binds, new or old, and ``<*v>`` one
that it binds for its blocks only; a line that ends with ``<:>`` has a block.  What a block binds is
mostly forgotten after it, and sometimes read there, bound or not.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

PLACE = re.compile(r"<([+*]?)([A-Za-z])>")
DEEPEST = 2  # expressions in expressions
FORGETS = 0.85  # how often what a block binds is not read after it


class Writer:
    """The lines of one function.  ``names`` are the variables that it begins with and
    ``expressions`` the templates of expressions, by kind; ``statements`` are groups of templates,
    each with its weight; ``length`` is the greatest number of statements."""

    def __init__(self, seed: int, names: Mapping[str, Sequence[str]],
                 expressions: Mapping[str, Sequence[str]],
                 statements: Sequence[tuple[int, Sequence[str]]], length: int) -> None:
        self.stream = random.Random(seed)
        self.names = {kind: list(names.get(kind, ())) for kind in expressions}
        self.expressions, self.statements = expressions, statements
        self.lines: list[str] = []
        self.depth, self.count = 1, 0
        self.left = self.stream.randint(length // 2, length)

    def expression(self, kind: str, level: int = 0) -> str:
        """An expression of a kind: a variable the more often the deeper it stands."""
        known = self.names[kind]
        if known and self.stream.random() < (0.3, 0.7, 1.0)[level]:
            return self.stream.choice(known)
        options = self.expressions[kind]
        if level == DEEPEST:
            options = [o for o in options if "<" not in o] or options[:2]
        return self.filled(self.stream.choice(options), min(level + 1, DEEPEST))

    def filled(self, template: str, level: int = 0,
               bound: list[tuple[str, str, str]] | None = None) -> str:
        """A template with something in each place; what it binds is added to ``bound``."""

        def content(found: re.Match[str]) -> str:
            mark, letter = found.groups()
            kind = letter.upper()
            if letter.isupper():
                return self.expression(kind, level)
            known = self.names[kind]
            name = self.stream.choice(known) if known else ""
            if mark == "*" or (mark == "+" and (not name or self.stream.random() < 0.6)):
                self.count += 1
                name = f"{letter}{self.count}"
            if mark and bound is not None:
                bound.append((mark, kind, name))
            return name

        return PLACE.sub(content, template)

    def statement(self) -> None:
        self.left -= 1
        template = self._template()
        bound: list[tuple[str, str, str]] = []
        before = {kind: list(known) for kind, known in self.names.items()}
        for line in template.split("\n"):
            text = self.filled(line.removesuffix("<:>").rstrip(), 0, bound)
            self.lines.append("    " * self.depth + text)
            if line.endswith("<:>"):
                self._learn(bound)
                self._block(3 if text.startswith("for") else 2)
                if self.stream.random() < FORGETS:
                    self.names = {kind: list(known) for kind, known in before.items()}
        self._learn([b for b in bound if b[0] == "+"])

    def _template(self) -> str:
        weights = [weight for weight, _ in self.statements]
        while True:
            _, templates = self.stream.choices(self.statements, weights)[0]
            template = self.stream.choice(templates)
            if "<:>" not in template or (self.depth < 4 and self.left > 0):
                return template

    def _block(self, most: int) -> None:
        self.depth += 1
        for _ in range(self.stream.randint(1, most)):
            self.statement()
        self.depth -= 1

    def _learn(self, bound: list[tuple[str, str, str]]) -> None:
        for _, kind, name in bound:
            if name not in self.names[kind]:
                self.names[kind].append(name)

    def body(self) -> list[str]:
        """The lines of the whole function."""
        while self.left > 0:
            self.statement()
        return self.lines
