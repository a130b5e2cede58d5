"""What ``help`` says of a function that a transform returned: which derivative of what it is, the
docstring of the function, and the methods there are."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

_WHAT = {
    "grad": "the gradient", "value_and_grad": "the value and the gradient",
    "jit": "the generated code", "jacrev": "the Jacobian", "jacfwd": "the Jacobian",
    "hvp": "the product of a vector with the Jacobian", "gnvp": "the Gauss-Newton product",
    "elementwise_grad": "the elementwise derivative", "vjp": "the pullback",
    "jvp": "the pushforward",
}
METHODS = """\
Methods; they take the arguments of a call (none: those of the latest one that was compiled):
  source(...)        the generated code
  graph(...)         the static graph behind it
  explain(...)       what the code relies on, what it keeps, and why it was made
  show(...)          the source with forward and adjoint code beside each line
  profile(...)       time and bytes of each line, forward and adjoint; what is kept
  memory(...)        what a call will keep, found without running it
  export(file, ...)  writes a module that needs NumPy only
  signatures, cache_info(), cache_clear()  what was compiled so far"""


def phrase(kind: str, function: Any, names: Sequence[str], argnums: Sequence[int | str]) -> str:
    """Which derivative of which function, in words.

    >>> phrase("grad", len, ["obj"], [0])
    'the gradient with respect to obj of len(obj)'
    """
    inner = getattr(function, "__srcgrad_phrase__", None)
    of = inner or f"{getattr(function, '__name__', type(function).__name__)}({', '.join(names)})"
    if kind == "jit":
        return f"{_WHAT[kind]} of {of}"
    along = [names[n] if isinstance(n, int) and -len(names) <= n < len(names) else
             n if isinstance(n, str) else f"argument {n}" for n in argnums]
    return f"{_WHAT[kind]} with respect to {' and '.join(along)} of {of}"


def helptext(said: str, function: Any, methods: str = "") -> str:
    """The docstring of a derivative, after that of the function.

    >>> print(helptext("the gradient with respect to x of f(x)", lambda x: x))
    The gradient with respect to x of f(x).
    """
    while hasattr(function, "__srcgrad_phrase__"):
        function = function.__wrapped__
    own = inspect.cleandoc(getattr(function, "__doc__", None) or "")
    parts = [own, f"{said[0].upper()}{said[1:]}.", methods]
    return "\n\n".join(part for part in parts if part)
