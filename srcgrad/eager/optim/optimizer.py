"""The optimizer base class: parameter groups, state, hooks, state_dict, closures."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, TypeVar, cast

import numpy as np

from srcgrad.eager.calling_errors import refuse

from .. import basis as torch
from ..dtype import round_bfloat16
from ..nn.parameter import zero_grads
from ..removable import RemovableHandle, registered

Params = Iterable[Any]
Group = dict[str, Any]
Closure = Callable[[], Any]
Array = np.ndarray[Any, Any]
Constructor = TypeVar("Constructor", bound=Callable[..., None])


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def scalar(value: Any) -> Any:
    """The Python number in a one-element tensor; anything else as it is."""
    return value.item() if isinstance(value, torch.Tensor) else value


def checked_lr(lr: Any) -> None:
    """Refuse learning rates that are negative or have several elements (``ValueError``)."""
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    refuse(lr < 0.0 or lr != lr, "Invalid learning rate: {}", lr, kind=ValueError)


def nonnegative(**values: Any) -> None:
    """Refuse negative options with PyTorch's text, for instance ``Invalid alpha value: -1``."""
    for name, value in values.items():
        refuse(not value >= 0.0, "Invalid {} value: {}", name, value, kind=ValueError)


def checked_flags(differentiable: bool, foreach: bool | None, fused: bool | None) -> None:
    """Refuse the combinations of implementation flags that PyTorch refuses."""
    refuse(differentiable, "`differentiable=True` is not available: optimizer steps update raw "
           "buffers. Differentiate through an update by writing it with tensor operations and "
           "`func.functional_call`.")
    refuse(fused and foreach, "`fused` and `foreach` cannot be `True` together.")


_LASTING = ("decoupled_weight_decay", "foreach", "fused")  # the default, not False
_FLAGS = {"amsgrad", "capturable", "decoupled_weight_decay", "differentiable", "foreach", "fused",
          "maximize", "nesterov"}
_PRE_HOOKS: OrderedDict[int, Any] = OrderedDict()
_POST_HOOKS: OrderedDict[int, Any] = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before each step of every optimizer."""
    return registered(_PRE_HOOKS, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after each step of every optimizer."""
    return registered(_POST_HOOKS, hook)


def _hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """``step`` with the registered pre and post hooks around it."""

    @functools.wraps(step)
    def wrapper(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        for pre_hook in (*_PRE_HOOKS.values(), *self._optimizer_step_pre_hooks.values()):
            result = pre_hook(self, (self, *args), kwargs)
            if result is None:
                continue
            if not (isinstance(result, tuple) and len(result) == 2):
                raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), "
                                   f"but got {result}.")
            (_, *args), kwargs = result
        out = step(self, *args, **kwargs)
        for post_hook in (*self._optimizer_step_post_hooks.values(), *_POST_HOOKS.values()):
            post_hook(self, (self, *args), kwargs)
        return out

    wrapper.hooked = True  # type: ignore[attr-defined]
    return wrapper


class Optimizer:
    """Base of all optimizers: holds ``param_groups`` and per-parameter ``state``.

    ``params`` is an iterable of tensors, of ``(name, tensor)`` pairs, or of dicts with a
    ``"params"`` entry and per-group options; ``defaults`` are the options of groups that do
    not give their own.

    >>> from srcgrad.eager import nn, optim
    >>> optim.SGD(nn.Linear(2, 1).parameters(), lr=0.5).param_groups[0]["lr"]
    0.5
    """

    _HOOK_TABLES = (
        "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks",
        "_optimizer_state_dict_pre_hooks", "_optimizer_state_dict_post_hooks",
        "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
    )
    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        step = cls.__dict__.get("step")
        if step is not None and not getattr(step, "hooked", False):
            cls.step = _hooked(step)  # type: ignore[method-assign]

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for table in self._HOOK_TABLES:
            setattr(self, table, OrderedDict())
        if isinstance(params, torch.Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of "
                            f"Tensors or dicts, but got {params.type()}")
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        refuse(not groups, "optimizer got an empty parameter list", kind=ValueError)
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for table in self._HOOK_TABLES:
            self.__dict__.setdefault(table, OrderedDict())
        for group in self.param_groups:  # those that older versions stored lack some options
            for name in _FLAGS & self.defaults.keys():
                group.setdefault(name, self.defaults[name] if name in _LASTING else False)
        for own in self.state.values():
            if isinstance(own, dict) and isinstance(own.get("step"), int | float):
                own["step"] = torch.tensor(float(own["step"]), dtype=torch.float32)

    def __repr__(self) -> str:
        text = self.__class__.__name__ + " ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"

    # -- hooks ---------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return both anew."""
        return registered(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return registered(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any],
                                     prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before :meth:`state_dict` gathers."""
        return registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any],
                                      prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)``; what it returns replaces the dict."""
        return registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any],
                                          prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before loading; it may return a new dict."""
        return registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any],
                                           prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after loading."""
        return registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # -- state ---------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """``{"state": ..., "param_groups": ...}`` with parameters replaced by numbers.

        Tensors in it are the optimizer's own, not copies.
        """
        for pre_hook in self._optimizer_state_dict_pre_hooks.values():
            pre_hook(self)
        numbers: dict[int, int] = {}
        start = 0
        groups = []
        for group in self.param_groups:
            for offset, p in enumerate(group["params"]):
                numbers.setdefault(id(p), start + offset)
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, torch.Tensor) else key: value
                 for key, value in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for post_hook in self._optimizer_state_dict_post_hooks.values():
            replaced = post_hook(self, result)
            if replaced is not None:
                result = replaced
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what :meth:`state_dict` gave, cast to each parameter's dtype.

        ``ValueError`` if groups or their sizes differ.
        """
        state_dict = state_dict.copy()
        for pre_hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = pre_hook(self, state_dict)
            if replaced is not None:
                state_dict = replaced
        groups = self.param_groups
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for group, saved in zip(groups, saved_groups):
            if len(group["params"]) != len(saved["params"]):
                raise ValueError("loaded state dict contains a parameter group that doesn't match "
                                 "the size of optimizer's group")
        owners = {number: p
                  for group, saved in zip(groups, saved_groups)
                  for number, p in zip(saved["params"], group["params"])}
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owners:
                state[owners[key]] = _cast(owners[key], value)
            else:
                state[key] = value
        for group, saved in zip(groups, saved_groups):
            saved["params"] = group["params"]
            if "param_names" in group and "param_names" not in saved:
                saved["param_names"] = group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for post_hook in self._optimizer_load_state_dict_post_hooks.values():
            post_hook(self)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or with ``set_to_none=False`` set them to zero in place."""
        for group in self.param_groups:
            zero_grads(group["params"], set_to_none)

    def step(self, closure: Closure | None = None) -> Any:
        """One update of all parameters; ``closure`` recomputes the loss and is returned."""
        raise NotImplementedError(f"{type(self).__name__} must define step(closure=None)")

    def add_param_group(self, param_group: Group) -> None:
        """Add a group of parameters with its own options to those being optimized."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, torch.Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but "
                            "the ordering of tensors in sets will change between runs. Please use "
                            "a list instead.")
        params = list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        param_group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
        if names:
            refuse(len(names) != len(params), "all optimizer params should be with/without names. "
                   "Some param names are missing", kind=ValueError)
            param_group["param_names"] = names
        for p in param_group["params"]:
            if not isinstance(p, torch.Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is "
                                f"{torch.typename(p)}")
            if not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            refuse(default is required and name not in param_group, "parameter group didn't "
                   "specify a value of required optimization parameter {}", name, kind=ValueError)
            param_group.setdefault(name, default)
        self._refuse_overlap(param_group)
        self.param_groups.append(param_group)

    def _refuse_overlap(self, param_group: Group) -> None:
        own = {id(p) for p in param_group["params"]}
        if len(own) != len(param_group["params"]):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in "
                          "future, this will cause an error; see "
                          "github.com/pytorch/pytorch/issues/40967 for more information",
                          stacklevel=4)
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                text = "with names" if "param_names" in param_group else "without names"
                raise ValueError("all optimizer param groups should be with/without names. cannot "
                                 f"add param group {text} to the optimizer")
        if any(id(p) in own for group in self.param_groups for p in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")


def _cast(param: Any, value: Any, key: Any = None) -> Any:
    """A loaded state value with the parameter's dtype (``step`` keeps its own)."""
    if isinstance(value, torch.Tensor):
        if key != "step" and param.is_floating_point():
            return value.to(dtype=param.dtype)
        return value
    if isinstance(value, dict):
        return {k: _cast(param, v, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(param, v) for v in value)
    return value


def numbers(tensor: Any) -> Array:
    """The tensor's buffer as an array to update in place; complex numbers as real pairs."""
    array = torch.raw(tensor)
    if array.dtype.kind == "c":
        real = array.real.dtype
        return array.reshape(-1).view(real) if array.ndim == 0 else array.view(real)
    return array


def mean_square(squares: Array, g: Array, weight: float, scratch: Array) -> None:
    """Move the running mean of ``g * g`` in place: ``weight`` is that of the past."""
    squares *= weight
    np.multiply(g, g, out=scratch)
    scratch *= 1 - weight
    squares += scratch


def round_storage(tensor: Any) -> None:
    """bfloat16 is stored as float32: take away the bits it does not have."""
    if isinstance(tensor, torch.Tensor) and tensor.dtype is torch.bfloat16:
        buffer = torch.raw(tensor)
        np.copyto(buffer, round_bfloat16(buffer))


def keeps_options(check: Constructor) -> Constructor:
    """A constructor of an :class:`ArrayOptimizer` that checks its options: they become the defaults
    of groups, after the checks that all share."""
    signature = inspect.signature(check)

    @functools.wraps(check)
    def construct(self: ArrayOptimizer, *args: Any, **kwargs: Any) -> None:
        try:
            given = signature.bind(self, *args, **kwargs)
        except TypeError:
            check(self, *args, **kwargs)  # refuses the call in Python's words
            raise
        given.apply_defaults()
        _, params, *_ = given.args
        options = {n: given.arguments[n] for n in dict.fromkeys((*self.order, *given.arguments))
                   if n not in ("self", "params")}
        checked_lr(options["lr"])
        check(self, *args, **kwargs)
        checked_flags(options["differentiable"], options["foreach"], options.get("fused"))
        self._begin(params, options)

    return cast(Constructor, construct)


class ArrayOptimizer(Optimizer):
    """An optimizer whose update is arithmetic on one parameter's buffers at a time.

    Subclasses give :attr:`_zeros` (what starts in the ``state`` as zeros) or :meth:`_start` (fill
    a fresh one) and :meth:`_update`, which changes the array ``p`` in place; ``g`` is the gradient
    with ``maximize`` and coupled ``weight_decay`` applied and must not be changed.  Complex
    parameters arrive as pairs of reals.
    """

    def _begin(self, params: Params, options: dict[str, Any]) -> None:
        Optimizer.__init__(self, params, options)

    _zeros: tuple[str, ...] = ()
    order: tuple[str, ...] = ()  # options that groups list first; the others follow as declared

    def _start(self, param: Any, state: dict[str, Any], group: Group) -> None:
        """Fill the state of a parameter that is updated for the first time."""
        for name in self._zeros:
            state[name] = torch.zeros_like(param)

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: Group) -> None:
        raise NotImplementedError(f"{type(self).__name__} must define _update")

    def step(self, closure: Closure | None = None) -> Any:
        """One update of every parameter that has a gradient; returns the closure's loss."""
        loss = None
        with torch.no_grad():
            if closure is not None:
                with torch.enable_grad():
                    loss = closure()
            with np.errstate(all="ignore"):
                for group in self.param_groups:
                    for param in group["params"]:
                        if param.grad is not None:
                            self._step_one(param, param.grad, group)
        return loss

    def _step_one(self, param: Any, grad: Any, group: Group) -> None:
        state = self.state[param]
        if not state:
            state["step"] = torch.tensor(0.0, dtype=torch.float32)
            self._start(param, state, group)
        counter = torch.raw(state["step"])
        counter += 1
        p, g = self._decayed(param, grad, group)
        self._update(p, g, state, group)
        if param.dtype is torch.bfloat16:
            for tensor in (param, *state.values()):
                round_storage(tensor)
        torch.increment_version(param)

    def _decayed(self, param: Any, grad: Any, group: Group) -> tuple[Array, Array]:
        """The parameter's buffer and the gradient with ``maximize`` and decay applied."""
        p, g = numbers(param), numbers(grad)
        if group["maximize"]:
            g = np.negative(g)
        decay = scalar(group.get("weight_decay", 0))
        if decay != 0:
            if group.get("decoupled_weight_decay", False):
                p *= 1 - scalar(group["lr"]) * decay
            else:
                g = g + decay * p
        return p, g
