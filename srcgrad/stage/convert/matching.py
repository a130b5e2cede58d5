"""``match`` statements, lowered to tests and branches.

Each case becomes one test: a chain of ``and_`` over what its pattern demands, in Python's order.
Parts of the subject and captures are kept in slots of the frame whose names are no identifiers;
captures are bound to the user's names when the whole pattern has matched, before the guard.
"""

from __future__ import annotations

import ast

from .context import Arm, Context, Control, Effect, native, statement


@statement(ast.Match)
def match(c: Context, node: ast.Match) -> Effect:
    """A chain of branches, one for each case, made from the last to the first."""
    pattern = Pattern(c)
    subject = pattern.keep(c.hold(c.expr(node.subject), node.subject), node.subject)
    orelse = Arm(c.unit.name("PASS"), 0, True)
    for index in range(len(node.cases) - 1, -1, -1):
        saved, c.out = c.out, []
        control = _case(c, pattern, node.cases[index], subject, orelse)
        if index == 0:
            c.out = saved
            return control
        c.emit_return(control.call, node.cases[index].pattern)
        name = c.add_region("elif", node.cases[index].pattern,
                            [s for case in node.cases[index:] for s in case.body],
                            control.jumps, control.falls)
        c.out = saved
        orelse = Arm(name, control.jumps, control.falls)
    return None


def _case(c: Context, pattern: Pattern, case: ast.match_case, subject: str,
          orelse: Arm) -> Control:
    captures: dict[str, str] = {}
    test = pattern.test(case.pattern, subject, captures)
    body = c.region("case", case.body, case.pattern)
    at = case.pattern
    always = case.guard is None and isinstance(test, ast.Constant)
    jumps = body.jumps if always else body.jumps | orelse.jumps
    falls = body.falls or (orelse.falls and not always)
    arm = body.name
    if captures or case.guard is not None:
        saved, c.out = c.out, []
        pattern.bind(captures, at)
        if case.guard is None:
            c.emit_return(c.call(arm, at, []), at)
        else:
            guard = c.op("if_", case.guard, [c.expr(case.guard), arm, orelse.name])
            c.emit_return(guard, at)
        arm = c.add_region("case", at, case.body, jumps, falls)
        c.out = saved
    return Control(c.op("if_", at, [test, arm, orelse.name]), jumps, falls)


@native(ast.Match)
def native_match(c: Context, node: ast.Match) -> Effect:
    """In a generator: nested Python ``if``s, made from the last case to the first."""
    pattern = Pattern(c)
    subject = pattern.keep(c.hold(c.expr(node.subject), node.subject), node.subject)
    matched = c.unit.fresh("matched")
    c.emit_assign(matched, c.constant(False, node), node)
    for case in node.cases:
        captures: dict[str, str] = {}
        at = case.pattern
        test = c.op("truth", at, [pattern.test(at, subject, captures)])
        saved, c.out = c.out, []
        pattern.bind(captures, at)
        done = c.assignment(matched, c.constant(True, node), node)
        body = [done, *c.native_block(case.body, at)]
        if case.guard is not None:
            guard = c.op("truth", case.guard, [c.expr(case.guard)])
            body = [ast.copy_location(ast.If(guard, body, []), at)]
        body = [*c.out, *body]
        c.out = saved
        pending = ast.copy_location(ast.UnaryOp(ast.Not(), c.unit.name(matched)), at)
        both = ast.copy_location(ast.BoolOp(ast.And(), [pending, test]), at)
        c.out.append(ast.copy_location(ast.If(both, body, []), at))
    return None


class Pattern:
    """Conversion of the patterns of one ``match`` statement."""

    def __init__(self, c: Context) -> None:
        self.c = c
        scope = c.scope.children_parent()  # not the namespace of a class
        self.frame = c.frame if scope is c.scope else c.frame_of(scope)

    def keep(self, value: ast.expr, at: ast.AST) -> str:
        """Store a value in a slot of the frame; the slot's name."""
        name = self.c.unit.fresh("case")
        self.c.emit(self.store(name, value, at))
        return name

    def store(self, slot: str, value: ast.expr, at: ast.AST) -> ast.expr:
        """The expression that fills a slot."""
        return self.c.op("store", at, [self.frame, self.c.unit.text(slot), value])

    def read(self, slot: str, at: ast.AST) -> ast.expr:
        """The expression that reads a slot."""
        return self.c.op("load", at, [self.frame, self.c.unit.text(slot)])

    def kept(self, slot: str, value: ast.expr, at: ast.AST) -> ast.expr:
        """An expression that fills a slot and is true."""
        c = self.c
        pair = c.tuple_of([self.store(slot, value, at), c.constant(True, at)], at)
        return ast.copy_location(ast.Subscript(pair, c.constant(1, at), ast.Load()), at)

    def bind(self, captures: dict[str, str], at: ast.AST) -> None:
        """Store the captures into the user's names."""
        for name, slot in captures.items():
            self.c.emit(self.c.store(name, self.read(slot, at), at))

    def all_of(self, tests: list[ast.expr], at: ast.AST) -> ast.expr:
        """``and_`` of tests; none at all is true."""
        if not tests:
            return self.c.constant(True, at)
        if len(tests) == 1:
            return tests[0]
        return self.c.op("and_", at, [tests[0], *[self.c.thunk(t, at) for t in tests[1:]]])

    def test(self, node: ast.pattern, subject: str, captures: dict[str, str]) -> ast.expr:
        """The test whether the value in slot ``subject`` matches; fills ``captures``."""
        return self.all_of(self._tests(node, subject, captures), node)

    def _tests(self, node: ast.pattern, subject: str, captures: dict[str, str]) -> list[ast.expr]:
        c = self.c
        if isinstance(node, ast.MatchValue):
            return [c.op("compare", node, [c.unit.text("=="), self.read(subject, node),
                                           c.expr(node.value)])]
        if isinstance(node, ast.MatchSingleton):
            return [c.op("compare", node, [c.unit.text("is"), self.read(subject, node),
                                           c.constant(node.value, node)])]
        if isinstance(node, ast.MatchAs):
            tests = [] if node.pattern is None else self._tests(node.pattern, subject, captures)
            if node.name is not None:
                captures[node.name] = subject
            return tests
        if isinstance(node, ast.MatchOr):
            return [self._alternatives(node, subject, captures)]
        if isinstance(node, ast.MatchSequence):
            parts = self._sequence(node, subject, captures)
        elif isinstance(node, ast.MatchMapping):
            parts = self._mapping(node, subject, captures)
        else:
            assert isinstance(node, ast.MatchClass)
            parts = self._class(node, subject, captures)
        return [c.op("match_each", node, [self.frame, c.unit.text(subject),
                                          c.thunk(self.all_of(parts, node), node)])]

    def _alternatives(self, node: ast.MatchOr, subject: str,
                      captures: dict[str, str]) -> ast.expr:
        """Alternatives bind the same names: each copies its captures into common slots."""
        c = self.c
        tests: list[ast.expr] = []
        shared: dict[str, str] = {}
        for alternative in node.patterns:
            found: dict[str, str] = {}
            parts = self._tests(alternative, subject, found)
            for name, slot in found.items():
                common = shared.setdefault(name, c.unit.fresh("case"))
                parts.append(self.kept(common, self.read(slot, alternative), alternative))
            tests.append(self.all_of(parts, alternative))
        captures.update(shared)
        return c.op("or_", node, [tests[0], *[c.thunk(t, node) for t in tests[1:]]])

    def _parts(self, nodes: list[ast.pattern], values: str, captures: dict[str, str],
               at: ast.AST) -> list[ast.expr]:
        """Tests of sub-patterns against the items of the tuple in slot ``values``."""
        c = self.c
        tests: list[ast.expr] = []
        for index, node in enumerate(nodes):
            if isinstance(node, ast.MatchStar):
                if node.name is None:
                    continue
            elif isinstance(node, ast.MatchAs) and node.pattern is None and node.name is None:
                continue
            item = c.op("getitem", at, [self.read(values, at), c.constant(index, at)])
            slot = c.unit.fresh("case")
            tests.append(self.kept(slot, item, node))
            if isinstance(node, ast.MatchStar):
                assert node.name is not None
                captures[node.name] = slot
            else:
                tests += self._tests(node, slot, captures)
        return tests

    def _sequence(self, node: ast.MatchSequence, subject: str,
                  captures: dict[str, str]) -> list[ast.expr]:
        c = self.c
        stars = [i for i, p in enumerate(node.patterns) if isinstance(p, ast.MatchStar)]
        length = len(node.patterns) - len(stars)
        before = stars[0] if stars else length
        tests: list[ast.expr] = [c.op("match_sequence", node, [
            self.read(subject, node), c.constant(length, node), c.constant(bool(stars), node)])]
        if not node.patterns or (length == 0 and node.patterns[0].name is None):  # type: ignore[attr-defined]
            return tests
        values = c.unit.fresh("case")
        items = c.op("unpack", node, [self.read(subject, node), c.constant(before, node),
                                      c.constant(bool(stars), node),
                                      c.constant(length - before, node)])
        tests.append(self.kept(values, items, node))
        return tests + self._parts(node.patterns, values, captures, node)

    def _mapping(self, node: ast.MatchMapping, subject: str,
                 captures: dict[str, str]) -> list[ast.expr]:
        c = self.c
        tests: list[ast.expr] = [c.op("match_mapping", node, [
            self.read(subject, node), c.constant(len(node.keys), node)])]
        keys = c.unit.fresh("case")
        if node.keys or node.rest is not None:
            shown = c.tuple_of([c.expr(key) for key in node.keys], node)
            tests.append(self.kept(keys, shown, node))
        if node.keys:
            found = c.op("match_keys", node, [self.read(subject, node), self.read(keys, node)])
            tests += self._optional(found, node.patterns, captures, node)
        if node.rest is not None:
            slot = c.unit.fresh("case")
            rest = c.op("match_rest", node, [self.read(subject, node), self.read(keys, node)])
            tests.append(self.kept(slot, rest, node))
            captures[node.rest] = slot
        return tests

    def _optional(self, found: ast.expr, patterns: list[ast.pattern], captures: dict[str, str],
                  at: ast.AST) -> list[ast.expr]:
        """``found`` is a tuple for the sub-patterns, or None where nothing matches."""
        c = self.c
        values = c.unit.fresh("case")
        present = c.op("compare", at, [c.unit.text("is not"), self.read(values, at),
                                       c.constant(None, at)])
        return [self.kept(values, found, at), present,
                *self._parts(patterns, values, captures, at)]

    def _class(self, node: ast.MatchClass, subject: str,
               captures: dict[str, str]) -> list[ast.expr]:
        c = self.c
        names = c.tuple_of([c.unit.text(name) for name in node.kwd_attrs], node)
        found = c.op("match_class", node, [
            self.read(subject, node), c.expr(node.cls), c.constant(len(node.patterns), node),
            names])
        return self._optional(found, [*node.patterns, *node.kwd_patterns], captures, node)
