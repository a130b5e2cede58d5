"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.eager.dispatch import NAMESPACE
from srcgrad.eager.tensor import Tensor


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:
    """Call ``module`` with tensors of a dict in place of its parameters and buffers."""
    given: dict[str, Tensor] = {}
    if isinstance(parameter_and_buffer_dicts, dict):
        given = dict(parameter_and_buffer_dicts)
    else:
        for part in parameter_and_buffer_dicts:
            for key in part:
                if key in given:
                    raise ValueError(f"{key} appears in multiple dictionaries; behavior of "
                                     "functional call is ambiguous")
            given.update(part)
    if strict:
        _check_names(module, given)
    swapped = _places(module, given, tie_weights)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        for table, key, value, _ in swapped:
            table[key] = value
        return module(*args, **(kwargs or {}))
    finally:
        for table, key, _, before in swapped:
            table[key] = before


def _check_names(module: Any, given: dict[str, Tensor]) -> None:
    known = {n for n, _ in module.named_parameters()} | {n for n, _ in module.named_buffers()}
    unknown, missing = set(given) - known, known - set(given)
    problems = []
    if unknown:
        problems.append(f"Unexpected key(s): {', '.join(sorted(unknown))}.")
    if missing:
        problems.append(f"Missing key(s): {', '.join(sorted(missing))}.")
    if problems:
        raise RuntimeError("Error(s) in reparametrizing:\n\t" + "\n\t".join(problems))


def _places(module: Any, given: dict[str, Tensor], tie: bool) -> list[tuple[Any, str, Any, Any]]:
    """(table, key, new, old) for each tensor to be replaced, tied ones included."""
    found = []
    modules = dict(module.named_modules())
    by_identity: dict[int, Tensor] = {}
    for name, value in given.items():
        path, _, key = name.rpartition(".")
        owner = modules.get(path)
        table = None if owner is None else next(
            (t for t in (owner._parameters, owner._buffers) if key in t), None)
        if table is None:
            raise AttributeError(
                f"{type(module).__name__} has no parameter or buffer named {name!r}")
        by_identity[id(table[key])] = value
        found.append((table, key, value, table[key]))
    if tie:
        done = {(id(t), k) for t, k, _, _ in found}
        for owner in modules.values():
            for table in (owner._parameters, owner._buffers):
                for key, old in table.items():
                    if id(old) in by_identity and (id(table), key) not in done:
                        found.append((table, key, by_identity[id(old)], old))
    return found


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters and buffers of several like modules, stacked by name."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    stack = NAMESPACE["stack"]
    names = [dict(m.named_parameters()) for m in models]
    params = {k: stack([n[k].detach() for n in names]).requires_grad_(names[0][k].requires_grad)
              for k in names[0]}
    buffers_of = [dict(m.named_buffers()) for m in models]
    buffers = {k: stack([b[k] for b in buffers_of]) for k in buffers_of[0]}
    return params, buffers
