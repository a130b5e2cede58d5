"""``np.vectorize``: one call for each element, in a staged loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnsupportedOperation


def vectorized(machine: Any, function: Any, args: tuple[Any, ...],
               kwargs: dict[str, Any]) -> Any:
    """The call of an ``np.vectorize`` object with traced values."""
    if kwargs or function.signature is not None or function.excluded:
        raise machine.fatal(UnsupportedOperation(
            "np.vectorize with a signature, excluded or keyword arguments",
            why="only its plain form is staged: one call for each element",
            fix="write the loop, or call the function on the whole array"))
    if len(args) > 1:
        args = tuple(machine.call(np.broadcast_arrays, *args))
    flat = [machine.call(np.ravel, a) for a in args]
    made: list[Any] = machine.adopt([])
    items = machine.call(zip, *flat) if len(flat) > 1 else flat[0]
    machine.for_(items, machine._hold, lambda: _apply(machine, function.pyfunc, made,
                                                      len(flat) > 1))
    return machine.call(np.reshape, machine.call(np.array, made), machine.call(np.shape, args[0]))


def _apply(machine: Any, function: Any, made: list[Any], several: bool) -> int:
    """One element."""
    value = machine.call(function, *machine.held) if several else machine.call(
        function, machine.held)
    machine.container_method(made, "append", (value,), {})
    return 0
