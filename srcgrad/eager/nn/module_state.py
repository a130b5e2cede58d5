"""Saving and loading of a Module's parameters, buffers and extra state."""

from __future__ import annotations

import functools
import itertools
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from .. import basis as torch
from ..calling_errors import refuse
from ..removable import RemovableHandle, registered
from .parameter import Parameter, is_lazy

EXTRA_STATE = "_extra_state"
_UNREACHED = ("Reached a code path in Module.{}_extra_state() that should never be called. Please "
              "file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml"
              " to report this bug.")


def unserialisable(module: Any) -> NoReturn:
    """Refuse to store a module whose class was made for its parametrizations."""
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training")


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What ``load_state_dict`` returns: keys missing from and unexpected in the state."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


IncompatibleKeys.__name__ = IncompatibleKeys.__qualname__ = "_IncompatibleKeys"  # as PyTorch's


class ModulePart:
    """What belongs to modules, whose attributes are all in :class:`Module`'s hands."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class ModuleState(ModulePart):
    """The part of Module that deals with state dictionaries."""

    _version: int = 1
    _modules: dict[str, Any]

    def get_extra_state(self) -> Any:
        """Override to put something beside tensors into the state dictionary."""
        raise RuntimeError(_UNREACHED.format("get"))

    def set_extra_state(self, state: Any) -> None:
        """Override to load what :meth:`get_extra_state` gave."""
        raise RuntimeError(_UNREACHED.format("set"))

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("Cannot register the same function as the state dict post hook that "
                               "was previously registered via register_state_dict_post_hook")
        return registered(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after gathering."""
        hook._from_public_api = True
        return registered(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before gathering."""
        return registered(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any],
                                           with_module: bool = False) -> RemovableHandle:
        bound = functools.partial(hook, self) if with_module else hook
        return registered(self._load_state_dict_pre_hooks, bound)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, metadata, strict, missing, unexpected,
        errors)`` before loading."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading."""
        return registered(self._load_state_dict_post_hooks, hook)

    def _persistent(self) -> Iterator[tuple[str, Any]]:
        """Parameters and persistent buffers that are not None, by local name."""
        skip = self._non_persistent_buffers_set
        buffers = ((k, v) for k, v in self._buffers.items() if k not in skip)
        for name, value in itertools.chain(self._parameters.items(), buffers):
            if value is not None:
                yield name, value

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str,
                            keep_vars: bool) -> None:
        for name, value in self._persistent():
            destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()
        if type(self).get_extra_state is not ModuleState.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "",
                   keep_vars: bool = False) -> Any:
        """An ordered dictionary of all parameters and persistent buffers, by dotted name.

        Tensors share memory with the module; they are detached unless ``keep_vars``.
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.state_dict for details.", FutureWarning, stacklevel=2)
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and not keep_vars else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for pre_hook in self._state_dict_pre_hooks.values():
            pre_hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.",
                                  keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, metadata)
            if replaced is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = replaced
        return destination

    def _load_one(self, name: str, key: str, value: Any, target: Any, assign: bool,
                  errors: list[str]) -> None:
        if not isinstance(value, torch.Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(value)}")
            return
        if is_lazy(target):
            return  # nothing to copy into: what is given is lazy, too
        if target.dim() == 0 and tuple(value.shape) == (1,):
            value = value.reshape(())
        if value.shape != target.shape:
            errors.append(f"size mismatch for {key}: copying a param with shape {value.shape} from "
                          f"checkpoint, the shape in current model is {target.shape}.")
            return
        try:
            with torch.no_grad():
                if not assign:
                    target.copy_(value)
                    return
                if isinstance(target, Parameter):
                    if isinstance(value, Parameter):
                        value.requires_grad_(target.requires_grad)
                    else:
                        value = Parameter(value, requires_grad=target.requires_grad)
                setattr(self, name, value)
        except Exception as error:
            errors.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{target.size()} and whose dimensions in the checkpoint are {value.size()}, an "
                f"exception occurred : {error.args}.")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any],
                              strict: bool, missing_keys: list[str], unexpected_keys: list[str],
                              error_msgs: list[str]) -> None:
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                 error_msgs)
        local = dict(self._persistent())
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, target in local.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, key, state_dict[key], target, assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        if type(self).set_extra_state is not ModuleState.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if not strict:
            return
        for key in state_dict:
            if not key.startswith(prefix) or key == extra:
                continue
            head, _, rest = key[len(prefix):].partition(".")
            if head not in (self._modules if rest else local):
                unexpected_keys.append(key)

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True,
                        assign: bool = False) -> IncompatibleKeys:
        """Copy tensors from ``state_dict`` into this module and its children.

        ``RuntimeError`` lists missing and unexpected keys (if ``strict``) and wrong shapes.
        With ``assign`` the given tensors replace the module's own.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state: Any = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata

        def load(module: ModuleState, entries: Any, prefix: str) -> None:
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = assign
            module._load_from_state_dict(entries, prefix, local_metadata, True, missing, unexpected,
                                         errors)
            for name, child in module._modules.items():
                if child is not None:
                    start = f"{prefix}{name}."
                    load(child, {k: v for k, v in entries.items() if k.startswith(start)}, start)
            keys = IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                refuse(hook(module, keys) is not None, "Hooks registered with "
                       "``register_load_state_dict_post_hook`` are not expected to return new "
                       "values, if incompatible_keys need to be modified, it should be done "
                       "inplace.", kind=AssertionError)

        load(self, state, "")
        if strict:
            for title, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    quoted = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{title} key(s) in state_dict: {quoted}. ")
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(
                self.__class__.__name__, "\n\t".join(errors)))
        return IncompatibleKeys(missing, unexpected)
