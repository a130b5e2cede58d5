"""Schedules made of schedules, and the one that watches a metric."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Sequence
from math import inf
from typing import Any

from ...calling_errors import refuse
from ..optimizer import Optimizer
from .base import EPOCH_DEPRECATION_WARNING, LRScheduler, checked_optimizer, group_values, set_value


class ReduceLROnPlateau(LRScheduler):
    """Times ``factor`` when the metric given to ``step`` has not improved for ``patience``
    epochs."""

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1,
                 patience: int = 10, threshold: float = 1e-4, threshold_mode: str = "rel",
                 cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8) -> None:
        refuse(factor >= 1.0, "Factor should be < 1.0.", kind=ValueError)
        self.factor = factor
        self.optimizer = checked_optimizer(optimizer)
        count = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != count:
                raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * count
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = group_values(optimizer, "lr")
        self._set_mode(mode, threshold, threshold_mode)
        self._reset()

    def _set_mode(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in {"min", "max"}:
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = inf if mode == "min" else -inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        """Forget bad epochs, cooldown and the best value."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Record the epoch's metric and reduce the rate if it stopped improving."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._current()

    def _reduce(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(f"The number of param groups in the `optimizer` ({len(groups)}) "
                                   "differs from when `ReduceLROnPlateau` was initialized "
                                   f"({len(self.min_lrs)}), usually due to a new param group being "
                                   "added to the optimizer. Please modify the `min_lrs` field to "
                                   "match the length of the `optimizer` param groups.")
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, smallest in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, smallest)
            if old - new > self.eps:
                set_value(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction was made less than ``cooldown`` epochs ago."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        change = -self.threshold if self.mode == "min" else self.threshold
        bound = best * (1.0 + change) if self.threshold_mode == "rel" else best + change
        return a < bound if self.mode == "min" else a > bound

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what ``state_dict`` gave."""
        self.__dict__.update(state_dict)
        self._set_mode(self.mode, self.threshold, self.threshold_mode)


class _Composed(LRScheduler):
    """State handling and argument checks of schedules made of schedules."""

    _schedulers: list[Any]

    def _checked(self, optimizer: Optimizer, schedulers: Sequence[Any]) -> None:
        name = self.__class__.__name__
        for place, schedule in enumerate(schedulers):
            refuse(not hasattr(schedule, "optimizer"), "{} at index {} should have `optimizer` as "
                   "its attribute.", name, place, kind=TypeError)
            if isinstance(schedule, ReduceLROnPlateau):
                raise ValueError(f"{name} does not support `ReduceLROnPlateau` scheduler as it "
                                 "requires additional kwargs to be specified when calling `step`, "
                                 f"but got one at index {place} in the given schedulers sequence.")
            if optimizer != schedule.optimizer:
                raise ValueError(f"{name} expects all schedulers to belong to the same optimizer, "
                                 f"but got scheduler {schedule.__class__.__name__} at index "
                                 f"{place} has {schedule.optimizer}, which is different from "
                                 f"{optimizer.__class__.__name__}.")

    def state_dict(self) -> dict[str, Any]:
        """The own state with the parts' states under ``_schedulers``."""
        parts = [schedule.state_dict() for schedule in self._schedulers]
        return super().state_dict() | {"_schedulers": parts}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what :meth:`state_dict` gave."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for schedule, state in zip(self._schedulers, state_dict["_schedulers"]):
            schedule.load_state_dict(state)


class SequentialLR(_Composed):
    """One schedule after the other, changing at ``milestones``."""

    def __init__(self, optimizer: Optimizer, schedulers: list[Any], milestones: list[int],
                 last_epoch: int = -1) -> None:
        refuse(len(schedulers) < 1, "{} expects at least one scheduler, but got no scheduler.",
               self.__class__.__name__, kind=ValueError)
        self._checked(optimizer, schedulers)
        refuse(len(milestones) != len(schedulers) - 1, "Sequential Schedulers expects number of "
               "schedulers provided to be one more than the number of milestone points, but got "
               "number of schedulers {} and the number of milestones to be equal to {}",
               len(schedulers), len(milestones), kind=ValueError)
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        _undo_step(self)
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Advance one epoch of the schedule whose turn it is."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            schedule._update_lr(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


def _undo_step(schedule: Any) -> None:
    """Take back the step that every leaf schedule made when it was constructed."""
    if hasattr(schedule, "_schedulers"):
        for part in schedule._schedulers:
            _undo_step(part)
    elif hasattr(schedule, "last_epoch"):
        schedule.last_epoch -= 1


class ChainedScheduler(_Composed):
    """Several chainable schedules applied one upon the other at every step."""

    def __init__(self, schedulers: Sequence[Any], optimizer: Optimizer | None = None) -> None:
        refuse(len(schedulers) < 1, "{} expects at least one scheduler to be chained, but got no "
               "scheduler.", self.__class__.__name__, kind=ValueError)
        optimizer = optimizer or schedulers[0].optimizer
        self._checked(optimizer, schedulers)
        self._schedulers = list(schedulers)
        self.optimizer = optimizer
        self._last_lr = group_values(optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Step every schedule."""
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = self._current()
