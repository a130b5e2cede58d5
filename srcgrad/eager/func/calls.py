"""Modules as functions of their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import NAMESPACE
from srcgrad.eager.tensor import Tensor


def functional_call(module: Any, parameter_and_buffer_dicts: Any, args: Any = None,
                    kwargs: Any = None, *, tie_weights: bool = True, strict: bool = False) -> Any:
    """Call ``module`` with tensors of a dict in place of its parameters and buffers."""
    parts = parameter_and_buffer_dicts
    parts = [parts] if isinstance(parts, dict) else parts
    refuse(not isinstance(parts, Sequence), "Expected parameter_and_buffer_dicts to be a dict, or "
           "a list/tuple of dicts, but got {}", type(parts), kind=ValueError)
    if not all(isinstance(part, dict) for part in parts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    keys = Counter(key for part in parts for key in part)
    repeated = [key for key, count in keys.items() if count > 1]
    refuse(repeated, "{} appeared in multiple dictionaries; behavior of functional call is "
           "ambiguous", repeated, kind=ValueError)
    given: dict[str, Tensor] = {key: t for part in parts for key, t in part.items()}
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
        problems.append(f"Unexpected key(s): {', '.join(map(repr, sorted(unknown)))}.")
    if missing:
        problems.append(f"Missing key(s): {', '.join(map(repr, sorted(missing)))}.")
    if problems:
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t"
                           + "\n\t".join(problems))


def _places(module: Any, given: dict[str, Tensor], tie: bool) -> list[tuple[Any, str, Any, Any]]:
    """(table, key, new, old) for each tensor to be replaced, tied ones included."""
    found = []
    modules = dict(module.named_modules())
    by_identity: dict[int, Tensor] = {}
    for name, value in given.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{value} is not an instance of torch.Tensor")
        path, _, key = name.rpartition(".")
        owner = modules.get(path)
        if owner is None:
            continue
        table = next((t for t in (owner._parameters, owner._buffers) if key in t), None)
        if table is None:
            continue  # as PyTorch, unless ``strict``
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
    refuse(not models, "stack_module_state: Expected at least one model, got 0.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    refuse(any(m.training != models[0].training for m in models), "stack_module_state: Expected "
           "all models to have the same training/eval mode.")
    stack = NAMESPACE["stack"]
    names = [dict(m.named_parameters()) for m in models]
    for k in names[0]:
        if len({n[k].requires_grad for n in names}) > 1:
            raise RuntimeError(f"Expected {k} from each model to have the same .requires_grad")
    params = {k: stack([n[k].detach() for n in names]).requires_grad_(names[0][k].requires_grad)
              for k in names[0]}
    buffers_of = [dict(m.named_buffers()) for m in models]
    buffers = {k: stack([b[k] for b in buffers_of]) for k in buffers_of[0]}
    return params, buffers
