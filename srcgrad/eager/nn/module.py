"""Module: a tree of parameters, buffers and submodules with a forward."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Self

from srcgrad.eager.calling_errors import refuse

from .. import basis as torch
from .global_hooks import EVERYWHERE, replaced
from .module_call import ModuleCall
from .module_state import ModuleState
from .parameter import Buffer, Parameter, is_lazy, zero_grads


def indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *("  " + line for line in rest)])


def empty_tables() -> dict[str, Any]:
    """The tables that every module has, all empty."""
    return {
        "_parameters": {},
        "_buffers": {},
        "_non_persistent_buffers_set": set(),
        "_backward_pre_hooks": OrderedDict(),
        "_backward_hooks": OrderedDict(),
        "_is_full_backward_hook": None,
        **{f"_{name}": OrderedDict() for name in (
            "forward_hooks", "forward_hooks_with_kwargs", "forward_hooks_always_called",
            "forward_pre_hooks", "forward_pre_hooks_with_kwargs", "state_dict_hooks",
            "state_dict_pre_hooks", "load_state_dict_pre_hooks", "load_state_dict_post_hooks")},
        "_modules": {},
    }


def _casting(name: str) -> Any:
    """The method that converts to a floating-point type by the tensors' method of its name."""
    def cast(self: Module) -> Module:
        return self._apply(lambda t: getattr(t, name)() if t.is_floating_point() else t)

    cast.__name__, cast.__qualname__ = name, f"Module.{name}"
    cast.__doc__ = f"Convert floating-point parameters and buffers by ``tensor.{name}()``."
    return cast


class Module(ModuleState, ModuleCall):
    """Base of all layers and models.

    Attributes that are Parameters, Modules or registered buffers are found by
    :meth:`parameters`, :meth:`state_dict`, :meth:`to` and so on.

    >>> from srcgrad.eager import nn
    >>> nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    training: bool
    call_super_init: bool = False
    dump_patches: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            if kwargs:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword "
                                f"argument '{next(iter(kwargs))}'")
            refuse(args, "{}.__init__() takes 1 positional argument but {} were given",
                   type(self).__name__, len(args) + 1, kind=TypeError)
        self.__dict__.update({"training": True} | empty_tables())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**empty_tables(), **self.__dict__, **state})

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; every subclass defines it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required '
                                  '"forward" function')

    # -- registration --------------------------------------------------------------------

    def _check_name(self, kind: str, name: Any, table: dict[str, Any], got: str = "") -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {torch.typename(name)}")
        refuse("." in name, "{} name can't contain \".\"{}", kind, got, kind=KeyError)
        refuse(name == "", "{} name can't be empty string \"\"", kind, kind=KeyError)
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a tensor that is not trained; with ``persistent`` it is part of the state."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"cannot assign '{torch.typename(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        self._buffers[name] = replaced(EVERYWHERE.buffer, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a Parameter (or None) under a name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{torch.typename(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        refuse(param is not None and param.grad_fn is not None, "Cannot assign non-leaf Tensor to "
               "parameter '{}'. Model parameters must be created explicitly. To express '{}' as a "
               "function of another Tensor, compute the value in the forward() method.",
               name, name, kind=ValueError)
        if param is not None:
            param = replaced(EVERYWHERE.parameter, self, name, param)
        self._parameters[name] = param

    def add_module(self, name: str, module: Any) -> None:
        """Add a child module (or None) under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        self._check_name("module", name, self._modules, f", got: {name}")
        self._modules[name] = replaced(EVERYWHERE.module, self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """The same as :meth:`add_module`."""
        self.add_module(name, module)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in own and name in own[table]:
                return own[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _forget(self, name: str, *keep: str) -> None:
        """Remove ``name`` from the attribute tables other than ``keep``."""
        self.__dict__.pop(name, None)
        for table in ("_parameters", "_buffers", "_modules"):
            if table not in keep:
                self.__dict__[table].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        params = own.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{torch.typename(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if params is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            self._modules[name] = replaced(EVERYWHERE.module, self, name, value)
        elif params is not None and name in self._modules:
            if value is not None:
                raise TypeError(f"cannot assign '{torch.typename(value)}' as child module '{name}' "
                                "(torch.nn.Module or None expected)")
            self._modules[name] = replaced(EVERYWHERE.module, self, name, value)
        elif isinstance(value, Buffer) or (params is not None and name in self._buffers):
            if value is not None and not isinstance(value, torch.Tensor):
                raise TypeError(f"cannot assign '{torch.typename(value)}' as buffer '{name}' "
                                "(torch.nn.Buffer, torch.Tensor or None expected)")
            persistent = getattr(value, "persistent", name not in self._non_persistent_buffers_set)
            self.register_buffer(name, value, persistent)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        keys = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules}
        return sorted(key for key in keys | set(self._buffers) if not key[0].isdigit())

    # -- the tree ------------------------------------------------------------------------

    def get_submodule(self, target: str) -> Any:
        """The descendant with a dotted name."""
        module: Any = self
        for item in target.split(".") if target else []:
            if not hasattr(module, item):
                raise AttributeError(module._get_name() + " has no attribute `" + item + "`")
            module = getattr(module, item)
            if not isinstance(module, Module):
                raise AttributeError("`" + item + "` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Replace the descendant with a dotted name."""
        refuse(target == "", "Cannot set the submodule without a target name!", kind=ValueError)
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, last = target.rpartition(".")
        parent = self.get_submodule(path)
        if not hasattr(parent, last):
            if strict:
                raise AttributeError(parent._get_name() + " has no attribute `" + last + "`")
        elif not isinstance(getattr(parent, last), Module):
            raise AttributeError("`" + last + "` is not an nn.Module")
        setattr(parent, last, module)

    def _get_member(self, target: str) -> tuple[Any, str, Any]:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(module._get_name() + " has no attribute `" + name + "`")
        return module, name, getattr(module, name)

    def get_parameter(self, target: str) -> Any:
        """The parameter with a dotted name."""
        _, name, value = self._get_member(target)
        if not isinstance(value, Parameter):
            raise AttributeError("`" + name + "` is not an nn.Parameter")
        return value

    def get_buffer(self, target: str) -> Any:
        """The buffer with a dotted name."""
        module, name, value = self._get_member(target)
        if name not in module._buffers:
            raise AttributeError("`" + name + "` is not a buffer")
        return value

    def _named_members(self, table: str, prefix: str, recurse: bool,
                       remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = (self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
                   if recurse else [(prefix, self)])
        for path, module in modules:
            for name, value in getattr(module, table).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """Parameters with dotted names, each once."""
        yield from self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        """Parameters of this module and, with ``recurse``, of its descendants."""
        for _, value in self.named_parameters(recurse=recurse):
            yield value

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """Buffers with dotted names, each once."""
        yield from self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        """Buffers of this module and, with ``recurse``, of its descendants."""
        for _, value in self.named_buffers(recurse=recurse):
            yield value

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Immediate submodules with names, each once."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        """Immediate submodules."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo: set[Any] | None = None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """This module and all descendants with dotted names, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Any]:
        """This module and all descendants."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    # -- changes to the whole tree -------------------------------------------------------

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            if is_lazy(param):
                param.converted(fn)
                continue
            grad = param.grad
            with torch.no_grad():
                param.data = fn(param)
                if grad is not None:
                    param.grad = fn(grad).detach().requires_grad_(grad.requires_grad)
        for name, buffer in self._buffers.items():
            if is_lazy(buffer):
                buffer.converted(fn)
            elif buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def apply(self, fn: Callable[[Any], None]) -> Self:
        """Call ``fn`` on every descendant and then on this module (for initialisation)."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating-point parameters and buffers: ``to(dtype)``, ``to(device)``,
        ``to(tensor)``, keywords of the same names.  Integers keep their dtype."""
        form = kwargs.pop("memory_format", None)
        kwargs.pop("non_blocking", None)
        if form is not None:
            self._apply(lambda t: t.to(memory_format=form) if t.dim() in (4, 5) else t)
            if not args and not kwargs:
                return self
        target = torch.empty(0).to(*args, **kwargs)
        names_dtype = any(isinstance(a, (torch.dtype, torch.Tensor)) for a in args) or any(
            kwargs.get(key) is not None for key in ("dtype", "tensor")
        )
        if not names_dtype:
            return self
        dtype = target.dtype
        refuse(not (dtype.is_floating_point or dtype.is_complex), "nn.Module.to only accepts "
               "floating point or complex dtypes, but got desired dtype={}", dtype, kind=TypeError)
        if dtype.is_complex:
            warnings.warn("Complex modules are a new feature under active development whose design "
                          "may change, and some modules might not work as expected when using "
                          "complex tensors as parameters or buffers. Please file an issue at "
                          "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
                          "if a complex module does not work as expected.", stacklevel=2)
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() or t.is_complex() else t)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers."""
        return self._apply(lambda t: t.type(dst_type))

    float, double, half, bfloat16 = map(_casting, ("float", "double", "half", "bfloat16"))

    def cpu(self) -> Self:
        """Parameters and buffers on the CPU, where they are."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Refused as for tensors: there is only the CPU."""
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Replace parameters and buffers by uninitialised ones."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Accepted for compatibility: there are no other processes to share with."""
        return self

    def train(self, mode: bool = True) -> Self:
        """Set training mode (dropout, batch statistics) here and in all descendants."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Whether autograd records operations on the parameters."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or with ``set_to_none=False`` set them to zero in place."""
        zero_grads(self.parameters(), set_to_none)

    # -- text ----------------------------------------------------------------------------

    def _get_name(self) -> str:
        return self.__class__.__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses of the repr before the children."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [
            f"({name}): {indented(repr(module))}" for name, module in self._modules.items()
        ]
        if not extra_lines and not child_lines:
            return self._get_name() + "()"
        if len(extra_lines) == 1 and not child_lines:
            return f"{self._get_name()}({extra_lines[0]})"
        lines = "\n  ".join(extra_lines + child_lines)
        return f"{self._get_name()}(\n  {lines}\n)"
