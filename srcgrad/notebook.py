"""What ``%load_ext srcgrad`` adds to IPython: the magic ``%%grad``."""

from __future__ import annotations

import ast
import functools
from typing import Any

from .compile.frames import without_internal_frames
from .errors import StructureError
from .public.api import grad, value_and_grad


def register(shell: Any) -> None:
    """Add the magics to a shell."""

    @functools.wraps(grad_cell)
    def cell(line: str, body: str) -> Any:
        return grad_cell(shell, line, body)

    shell.register_magic_function(cell, magic_kind="cell", magic_name="grad")


@without_internal_frames
def grad_cell(shell: Any, line: str, body: str) -> Any:
    """``%%grad [--value] [ARGNUM ...]``: run the cell, and make the gradient of the last function
    that it defines.  For ``def f`` it is called ``df``; with ``--value`` it gives the value, too.
    The arguments are numbers or names of parameters (none: the first one)."""
    words = [word for word in line.split() if word != "--value"]
    strange = next((word for word in words if word.startswith("--")), None)
    if strange is not None:
        raise StructureError(f"%%grad has no option {strange}", where="%%grad",
                             why="it makes the gradient, or with --value the value and gradient",
                             fix="write %%grad, %%grad --value, or %%grad --value w b")
    outcome = shell.run_cell(body)
    if getattr(outcome, "error_in_exec", None) or getattr(outcome, "error_before_exec", None):
        return None  # the shell has shown it
    names = [node.name for node in ast.parse(shell.transform_cell(body)).body
             if isinstance(node, ast.FunctionDef)]
    if not names:
        raise StructureError("the cell defines no function", where="%%grad",
                             why="it makes the gradient of the last function of its cell",
                             fix="write a def into the cell")
    transform = value_and_grad if "--value" in line.split() else grad
    wanted = [int(w) if w.lstrip("-").isdigit() else w for w in words]
    numbers: Any = 0 if not wanted else wanted[0] if len(wanted) == 1 else tuple(wanted)
    made = transform(shell.user_ns[names[-1]], numbers)
    shell.user_ns[f"d{names[-1]}"] = made
    return made
