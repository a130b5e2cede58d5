"""Schedules with a simple law: by function, by steps, exponential, linear, polynomial, cosine."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ...calling_errors import refuse
from ..optimizer import Optimizer
from .base import LambdaState, LRScheduler


class LambdaLR(LambdaState):
    """Initial rate times ``lr_lambda(epoch)``."""

    def _rates(self) -> list[Any]:
        return [base * factor(self.last_epoch)
                for factor, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LambdaState):
    """Present rate times ``lr_lambda(epoch)``."""

    def _rates(self) -> list[Any]:
        if self._is_initial:
            for factor in self.lr_lambdas:
                refuse(not callable(factor), "lr_lambda should be a function, but got {}",
                       type(factor).__name__, kind=TypeError)
            return self._current()
        return [group["lr"] * factor(self.last_epoch)
                for factor, group in zip(self.lr_lambdas, self.optimizer.param_groups)]


class StepLR(LRScheduler):
    """Times ``gamma`` every ``step_size`` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1,
                 last_epoch: int = -1) -> None:
        self._begin(optimizer, last_epoch, step_size=step_size, gamma=gamma)

    def _rates(self) -> list[Any]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current()
        return self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [base * factor for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Times ``gamma`` at each of the ``milestones``."""

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1,
                 last_epoch: int = -1) -> None:
        self._begin(optimizer, last_epoch, milestones=Counter(milestones), gamma=gamma)

    def _rates(self) -> list[Any]:
        if self.last_epoch not in self.milestones:
            return self._current()
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Times ``factor`` until ``total_iters`` epochs have passed."""

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5,
                 last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self._begin(optimizer, last_epoch, factor=factor, total_iters=total_iters)

    def _rates(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        if self.last_epoch != self.total_iters:
            return self._current()
        return self._scaled(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [base * (self.factor + over * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """From ``start_factor`` to ``end_factor`` of the rate over ``total_iters`` epochs."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
                 total_iters: int = 5, last_epoch: int = -1) -> None:
        refuse(start_factor > 1.0 or start_factor <= 0, "Starting multiplicative factor expected "
               "to be greater than 0 and less or equal to 1.", kind=ValueError)
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self._begin(optimizer, last_epoch, start_factor=start_factor, end_factor=end_factor,
                    total_iters=total_iters)

    def _rates(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        change = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * change
        return self._scaled(1.0 + change / before)

    def _get_closed_form_lr(self) -> list[Any]:
        change = self.end_factor - self.start_factor
        part = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + change * part) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Times ``gamma`` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self._begin(optimizer, last_epoch, gamma=gamma)

    def _rates(self) -> list[Any]:
        return self._current() if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """``(1 - epoch / total_iters) ** power`` of the rate, then zero."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0,
                 last_epoch: int = -1) -> None:
        self._begin(optimizer, last_epoch, total_iters=total_iters, power=power)

    def _rates(self) -> list[Any]:
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._scaled((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the rate down to ``eta_min`` over ``T_max`` epochs, and back
    (Loshchilov and Hutter 2017, without restarts)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0,
                 last_epoch: int = -1) -> None:
        self._begin(optimizer, last_epoch, T_max=T_max, eta_min=eta_min)

    def _rates(self) -> list[Any]:
        epoch, period, floor = self.last_epoch, self.T_max, self.eta_min
        groups = self.optimizer.param_groups
        if self._is_initial:
            return self._current()
        if self._step_count == 1 and epoch > 0:
            part = 1 + math.cos(epoch * math.pi / period)
            return [floor + (base - floor) * part / 2 for base in self.base_lrs]
        if (epoch - 1 - period) % (2 * period) == 0:
            rise = 1 - math.cos(math.pi / period)
            return [group["lr"] + (base - floor) * rise / 2
                    for base, group in zip(self.base_lrs, groups)]
        ratio = ((1 + math.cos(math.pi * epoch / period))
                 / (1 + math.cos(math.pi * (epoch - 1) / period)))
        return [ratio * (group["lr"] - floor) + floor for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        part = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (base - self.eta_min) * part / 2 for base in self.base_lrs]
