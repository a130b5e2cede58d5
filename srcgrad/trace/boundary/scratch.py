"""Variables that staged built-ins need, such as ``sum``: their names give way to the user's."""

from __future__ import annotations

from typing import Final

from ...graph.ir import Block, Node, Suggested, Value
from ...graph.parts import LoopParts
from ...graph.walking import walk

TOTAL: Final = Suggested("total")
ITEM: Final = Suggested("item")
BEST: Final = Suggested("best")
BEST_KEY: Final = Suggested("best_key")
FOUND: Final = Suggested("found")


def settle_names(block: Block) -> None:
    """What the user calls the result of a loop is called so in the loop, too."""
    makers = {v: n for n in walk(block) for v in n.outputs}
    for node in walk(block):
        if node.op == "loop":
            parts = LoopParts(node)
            for param, following, result in zip(parts.carried, parts.next, parts.results,
                                                strict=True):
                if result.hint and type(param.hint) is Suggested:
                    param.hint = result.hint
                    _rename(following, result.hint, makers)


def _rename(value: Value, name: str, makers: dict[Value, Node]) -> None:
    """Names a value, and where it is the outcome of branches, what they give."""
    if type(value.hint) is not Suggested:
        return
    value.hint = name
    made = makers.get(value)
    if made is not None and made.op == "if":
        place = made.outputs.index(value)
        for arm in made.blocks:
            _rename(arm.outputs[place], name, makers)


def nowhere() -> None:
    """The callee of a frame that belongs to no function."""
