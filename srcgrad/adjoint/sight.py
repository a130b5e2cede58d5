"""Out of sight: texts and objects, known at run time only, that are made of varied numbers.

No derivative can be followed through them.  Each is remembered with the node where the numbers
left; where a number of interest comes back out of one, or one is itself a result that is
differentiated, that place is what the refusal names.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from ..graph.generic import name_of
from ..graph.ir import Node, Ref, Value
from ..rules.book import lookup
from ..types.kinds import Aval, Kind
from ..types.public_names import public_name
from ..types.spelling import Attribute, Method, format_value, join_parts

# What these tell of an object does not depend on its numbers.
FACTS: frozenset[Any] = frozenset((
    Attribute("shape"), Attribute("dtype"), Attribute("ndim"), Attribute("size"), np.shape, np.ndim,
    np.result_type, type, len, range, isinstance, id))
LISTS = frozenset({"list", "append", "insert", "put", "list_acc", "get", "pop"})
TEXTS: frozenset[Any] = frozenset((str, repr, ascii, format, format_value, join_parts))
EXACT: frozenset[Any] = frozenset((Method("as_integer_ratio"), float.as_integer_ratio))


class Sight:
    """Where the numbers left that are in an object; which of the objects are texts."""

    def __init__(self, left: dict[Value, Node] | None = None) -> None:
        self.left: dict[Value, Node] = {} if left is None else left
        self.texts: set[Value] = set()
        self.changed = 0  # objects that effects put numbers into

    def note(self, node: Node, varied: Collection[Value]) -> None:
        """What a node makes, or changes, of numbers that vary."""
        fn = node.params.get("fn")
        if node.op not in ("apply", "effect", *LISTS) or fn in FACTS or has_none(fn):
            return
        inside = next((self.left[v] for v in node.inputs if v in self.left), None)
        if inside is None and not any(v in varied for v in node.inputs):
            return
        exact = fn in EXACT or any(
            v in self.left and v.aval.kind is Kind.INT for v in node.inputs)
        for out in node.outputs:
            if is_object(out.aval) or (exact and out.aval.kind is Kind.INT) or (
                    inside is not None and has_fractions(out.aval) and out not in varied):
                self.left.setdefault(out, inside or node)
                if node.op == "apply" and self._is_text(fn, node):
                    self.texts.add(out)
        if node.op == "effect" and not draws(fn):
            for v in node.inputs:
                if v.aval.kind is Kind.OPAQUE and v not in self.left:
                    self.left[v] = inside or node
                    self.changed += 1

    def _is_text(self, fn: Any, node: Node) -> bool:
        if fn in TEXTS:
            return True
        texts = [isinstance(a, str) or (isinstance(a, Ref) and node.inputs[a.index] in self.texts)
                 for a in node.params["args"]]
        if fn in (operator.add, operator.mul):
            return any(texts)
        return bool(texts) and texts[0] and (fn in (operator.mod, operator.getitem) or (
            type(fn) is Method and hasattr(str, fn.name)))

    def follow(self, node: Node, source: Value, target: Value, varied: Collection[Value]) -> bool:
        """A value that a branch or loop hands on; is the target newly out of sight?"""
        if source in self.left and source not in self.texts:
            self.texts.discard(target)
        if target in self.left or not (source in self.left or (
                source in varied and is_object(target.aval))):
            return False
        self.left[target] = self.left.get(source, node)
        if source in self.texts:
            self.texts.add(target)
        return True

    def refuse(self, values: Iterable[Value]) -> None:
        """Refuse if one of the values that derivatives are wanted through is out of sight."""
        for value in values:
            if value in self.left:
                raise lost(self.left[value])


def is_object(aval: Aval) -> bool:
    """Is a value no number, nor a list of numbers?"""
    return aval.kind is Kind.OPAQUE or (
        aval.kind is Kind.LIST and aval.elem is not None and is_object(aval.elem))


def has_fractions(aval: Aval) -> bool:
    """Does a value hold numbers with a derivative?"""
    return has_fractions(aval.elem) if aval.kind is Kind.LIST and aval.elem is not None else (
        aval.is_inexact)


def has_none(fn: Any) -> bool:
    """Does the book say that what a function gives has no derivative?"""
    entry = lookup(fn) if callable(fn) else None
    return entry is not None and entry.nondiff


def draws(fn: Any) -> bool:
    """Is it a method of a stream of random numbers, whose state holds none of its arguments?"""
    return type(fn) is Method and (
        hasattr(np.random.Generator, fn.name) or hasattr(random.Random, fn.name))


def lost(node: Node) -> UnsupportedOperation:
    """The refusal of a derivative through an object that a node makes of varied numbers."""
    fn = node.params.get("fn", node.op)
    if node.blocks:
        name = "a branch or loop"
    elif fn in (format_value, join_parts):
        name = "an f-string"
    else:
        name = name_of(fn) if type(fn) in (Method, Attribute) else public_name(fn)
    error = UnsupportedOperation(
        f"{name} makes a text or object of what is differentiated, and a derivative is needed "
        "through it",
        where=node.origin.where if node.origin is not None else None,
        why="the derivative cannot be followed through texts and objects that are only known at "
            "run time",
        fix="use the numbers themselves, or pass them through srcgrad.stop_gradient before")
    # what texts hold is known where no loop indexes them, a number that may be a text is one of two
    error.lifted_by = ("KnownLengths", "NumbersApart")
    return error
