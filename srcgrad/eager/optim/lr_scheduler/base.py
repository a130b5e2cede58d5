"""The scheduler base class: counts epochs and writes learning rates into the groups."""

from __future__ import annotations

import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

from ... import basis as torch
from ..optimizer import Optimizer, scalar

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
ADJUST = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def own(value: Any) -> Any:
    """A copy of a tensor; other values as they are."""
    return value.clone() if isinstance(value, torch.Tensor) else value


def group_values(optimizer: Optimizer, key: str) -> list[Any]:
    """The option ``key`` of every group, tensors copied."""
    return [own(group[key]) for group in optimizer.param_groups]


def set_value(group: dict[str, Any], key: str, value: Any) -> None:
    """Write an option; a tensor in the group keeps its identity and is filled."""
    if isinstance(group[key], torch.Tensor):
        group[key].fill_(scalar(value))
    else:
        group[key] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """One value per group from a single one or a list of the right length (``ValueError``)."""
    count = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} "
                             f"has {len(value)} values, param_groups has {count}.")
        return [own(v) for v in value]
    return [own(value) for _ in range(count)]


def checked_optimizer(optimizer: Any) -> Optimizer:
    """The optimizer, or PyTorch's ``TypeError``."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def _track_steps(optimizer: Optimizer) -> None:
    """Let the optimizer remember that ``step`` was called (for the order warning)."""
    step = optimizer.step
    if hasattr(step, "_wrapped_by_lr_sched"):
        return
    function = step.__func__  # type: ignore[attr-defined]
    reference = weakref.ref(optimizer)

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        target = reference()
        target._opt_called = True  # type: ignore[union-attr]
        return function(target, *args, **kwargs)

    wrapper._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = wrapper  # type: ignore[method-assign]


class LRScheduler:
    """Base of learning-rate schedules.

    Subclasses define ``get_lr()``, the list of new rates for ``self.last_epoch``, mostly in a
    chainable form (computed from the groups' present rates), and may define
    ``_get_closed_form_lr()`` used by the deprecated ``step(epoch)``.

    >>> import srcgrad.eager as torch
    >>> w = torch.zeros(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    _get_lr_called_within_step = False
    _is_initial = False
    _last_lr: list[Any]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = checked_optimizer(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", own(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{number}] "
                               "when resuming scheduler with last_epoch >= 0.\nThis typically "
                               "happens when:\n1. You're trying to resume training from a "
                               "checkpoint but haven't properly loaded the optimizer state\n2. "
                               "You're using last_epoch >= 0 for a fresh training run (not "
                               "recommended)")
        self.base_lrs: list[Any] = group_values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _track_steps(optimizer)
        self._initial_step()

    if TYPE_CHECKING:  # the attributes made of options

        def __getattr__(self, name: str) -> Any: ...

    def _begin(self, optimizer: Optimizer, last_epoch: int, **options: Any) -> None:
        """Start with these options as attributes."""
        self.__dict__.update(options)
        LRScheduler.__init__(self, optimizer, last_epoch)

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what :meth:`state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates written by the last step, one per group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates for ``self.last_epoch``; called within :meth:`step`."""
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, please use "
                          "`get_last_lr()`.", UserWarning, stacklevel=2)
        return self._rates()

    def _rates(self) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} must define get_lr()")

    def _current(self) -> list[Any]:
        return group_values(self.optimizer, "lr")

    def _scaled(self, factor: float) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:
        """Advance one epoch (call it after ``optimizer.step()``)."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn("Seems like `optimizer.step()` has been overridden after learning "
                              "rate scheduler initialization. Please, make sure to call "
                              f"`optimizer.step()` before `lr_scheduler.step()`. {ADJUST}",
                              UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. "
                              "In PyTorch 1.1.0 and later, you should call them in the opposite "
                              "order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                              "do this will result in PyTorch skipping the first value of the "
                              f"learning rate schedule. {ADJUST}", UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._within_step():
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
                values = closed_form()
        self._write(values)

    @contextmanager
    def _within_step(self) -> Iterator[None]:
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _write(self, values: list[Any]) -> None:
        for group, lr in zip(self.optimizer.param_groups, values):
            set_value(group, "lr", lr)
        self._last_lr = self._current()


def kept_of(function: Any) -> dict[str, Any] | None:
    """What is stored of a function: nothing, but of a callable object its ``__dict__``."""
    plain = function is None or isinstance(function, types.FunctionType)
    return None if plain else function.__dict__.copy()


class LambdaState(LRScheduler):
    """Schedules given by a function for each group; of these only callable objects are stored."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * count
        if len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas: list[Callable[[int], float]] = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """As the base's; functions are ``None``, callable objects their ``__dict__``."""
        state = super().state_dict()
        return state | {"lr_lambdas": [kept_of(f) for f in state.pop("lr_lambdas")]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load all but functions, which stay as constructed."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for f, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if attributes is not None:
                f.__dict__.update(attributes)
