"""Parameters computed from others at each access: `register_parametrization` and its kin."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from ..containers import ModuleDict, ModuleList
from ..module import Module
from ..module_state import unserialisable
from ..parameter import Parameter

_cache: dict[tuple[int, str], Any] = {}
_depth = [0]


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Within, each parametrized tensor is computed once."""
    _depth[0] += 1
    try:
        yield
    finally:
        _depth[0] -= 1
        if not _depth[0]:
            _cache.clear()


class ParametrizationList(ModuleList):
    """The original tensors of one parameter, and the modules applied to them in turn."""

    def __init__(self, modules: Any, original: Any, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        value = _inverted(list(self), original)
        if isinstance(value, torch.Tensor) and not unsafe:
            _check_inverse(value, original)
        self.is_tensor = isinstance(value, torch.Tensor)
        if self.is_tensor:
            original.data = value.data
            _register(self, "original", original)
            return
        self.ntensors = len(value)
        for i, part in enumerate(value):
            refuse(not isinstance(part, torch.Tensor), "'right_inverse' must return a Tensor or a "
                   "Sequence of tensors (list, tuple...). Got element {} of the sequence with type "
                   "{}.", i, type(part).__name__, kind=ValueError)
            _register(self, f"original{i}", Parameter(
                part, original.requires_grad and part.is_floating_point())
                if isinstance(original, Parameter) else part)

    def right_inverse(self, value: Any) -> None:
        """Store what gives ``value`` when the modules are applied."""
        with torch.no_grad():
            for module in reversed(list(self)):
                inverse = getattr(module, "right_inverse", None)
                if inverse is None:
                    raise RuntimeError(f"parametrization {type(module).__name__} does not "
                                       "implement right_inverse.")
                value = inverse(value)
            if self.is_tensor:
                refuse(not isinstance(value, torch.Tensor), "`right_inverse` should return a "
                       "tensor. Got {}", type(value).__name__, kind=ValueError)
                self.original.copy_(value)
            else:
                for i, part in enumerate(value):
                    getattr(self, f"original{i}").copy_(part)

    def forward(self) -> Any:
        refuse(not len(self), "ParametrizationList is empty.")
        given = (self.original,) if self.is_tensor else tuple(
            getattr(self, f"original{i}") for i in range(self.ntensors))
        first, *rest = self
        value = first(*given)
        for module in rest:
            value = module(value)
        return value


def _register(module: Module, name: str, tensor: Any) -> None:
    """``tensor`` as a parameter if it is one, else as a buffer."""
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _inverted(modules: list[Any], original: Any) -> Any:
    """What the modules' ``right_inverse`` make of ``original``, the last module first."""
    value = original.detach()
    with torch.no_grad():
        for module in reversed(modules):
            try:
                value = module.right_inverse(value) if hasattr(module, "right_inverse") else value
            except NotImplementedError:
                pass  # what is stored is taken as it is
    if not isinstance(value, (torch.Tensor, Sequence)):
        raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, "
                         f"tuple...). Got {type(value).__name__}")
    return value


def _check_inverse(value: Any, original: Any) -> None:
    refuse(value.dtype != original.dtype, "When `right_inverse` outputs one tensor, it may not "
           "change the dtype.\noriginal.dtype: {}\nright_inverse(original).dtype: {}",
           original.dtype, value.dtype, kind=ValueError)
    if value.device != original.device:
        raise ValueError("When `right_inverse` outputs one tensor, it may not change the device.")


def _accessor(name: str) -> property:
    def read(self: Any) -> Any:
        parametrization = self.parametrizations[name]
        if not _depth[0]:
            return parametrization()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def write(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


def _copied(self: Any, memo: dict[int, Any]) -> Any:
    replica = memo[id(self)] = object.__new__(type(self))
    replica.__dict__ = copy.deepcopy(self.__dict__, memo)
    return replica


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether ``module`` has parametrizations, or one for ``tensor_name``."""
    lists = module._modules.get("parametrizations")
    if not isinstance(lists, ModuleDict):
        return False
    return len(lists) > 0 if tensor_name is None else tensor_name in lists


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *,
                             unsafe: bool = False) -> Any:
    """Compute ``module.<tensor_name>`` by ``parametrization`` from what is stored instead."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            current = getattr(module, tensor_name)
            value = parametrization(current)
            _check_kind(value, current, "the ", f"module.{tensor_name}.",
                        f"parametrization(module.{tensor_name}).")
            _check_back(parametrization, value, current, tensor_name)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
        return module
    original = module._parameters.get(tensor_name, module._buffers.get(tensor_name))
    refuse(original is None, "Module '{}' does not have a parameter, a buffer, or a parametrized "
           "element with name '{}'", module, tensor_name, kind=ValueError)
    before = original.detach()  # the list changes what the parameter holds
    parts = ParametrizationList([parametrization], original, unsafe)
    if not unsafe:
        with torch.no_grad():
            _check_kind(parts(), before, "", "unparametrized ", "parametrized ")
    delattr(module, tensor_name)
    if not is_parametrized(module):
        cls = type(module)  # the module gets a class of its own, for the properties
        module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), {
            "__module__": "torch.nn.utils.parametrize", "__getstate__": unserialisable,
            "__deepcopy__": _copied})
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _accessor(tensor_name))
    module.parametrizations[tensor_name] = parts
    return module


def _check_kind(value: Any, original: Any, the: str, was: str, now: str) -> None:
    """Refuse a parametrization that changes dtype or shape; the rest is for the message."""
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
    for what in ("dtype", "shape"):
        before, after = getattr(original, what), getattr(value, what)
        refuse(before != after, "Registering a parametrization may not change the {} of the "
               "tensor, unless {}`unsafe` flag is enabled.\n{}{}: {}\n{}{}: {}",
               what, the, was, what, before, now, what, after, kind=ValueError)


def _check_back(parametrization: Any, value: Any, current: Any, name: str) -> None:
    """Refuse a ``right_inverse`` that gives another kind of tensor than it was made of."""
    try:
        back = parametrization.right_inverse(value)
    except (AttributeError, NotImplementedError):
        return  # there is none
    refuse(not isinstance(back, torch.Tensor), "parametrization.right_inverse must return a "
           "tensor. Got: {}", type(back).__name__, kind=ValueError)
    for what in ("dtype", "shape"):
        was, now = getattr(current, what), getattr(back, what)
        refuse(was != now, "The tensor returned by parametrization.right_inverse must have the "
               "same {} as module.{}, unless the `unsafe` flag is enabled.\nmodule.{}.{}: "
               "{}\nreturned {}: {}", what, name, name, what, was, what, now, kind=ValueError)


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make ``tensor_name`` an ordinary parameter again: the present value, or the stored one."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parts = module.parametrizations[tensor_name]
    if not parts.is_tensor and not leave_parametrized:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that "
                         "is parametrized in terms of a sequence of tensors.")
    if parts.is_tensor:
        kept = parts.original
        if leave_parametrized:
            with torch.no_grad():
                kept.data = parts().detach().clone()
    else:
        with torch.no_grad():
            value = parts()
        kept = Parameter(value, any(p.requires_grad for p in parts.parameters())) if (
            list(parts.parameters())) else value
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, kept)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class of ``module`` without its parametrizations."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
