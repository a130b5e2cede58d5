"""Schedules that rise as well as fall: warm restarts, one cycle, triangular cycles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...calling_errors import refuse
from ..optimizer import Optimizer
from .base import LRScheduler, checked_optimizer, kept_of, per_group, set_value


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine annealing that restarts after ``T_0`` epochs, periods growing by ``T_mult``
    (Loshchilov and Hutter 2017).  ``step`` accepts fractional epochs."""

    T_cur: Any
    T_i: Any

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0,
                 last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        refuse(not isinstance(eta_min, (float, int)), "Expected float or int eta_min, but got {} "
               "of type {}", eta_min, type(eta_min), kind=ValueError)
        self._begin(optimizer, last_epoch, T_0=T_0, T_i=T_0, T_mult=T_mult, eta_min=eta_min,
                    T_cur=last_epoch)

    def _rates(self) -> list[Any]:
        part = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * part / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Advance one epoch, or to ``epoch`` (may be fractional)."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            grown = epoch / self.T_0 * (self.T_mult - 1) + 1
            n = int(math.log(grown, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        with self._within_step():
            values = self.get_lr()
        self._write(values)


class _Momentum(LRScheduler):
    """Schedules that move the momentum (or Adam's first beta) against the rate."""

    cycle_momentum: bool
    use_beta1: bool

    def _start_momentum(self, base_momentums: list[Any], max_momentums: list[Any],
                        fresh: bool) -> None:
        defaults = self.optimizer.defaults
        refuse("momentum" not in defaults and "betas" not in defaults, "optimizer must support "
               "momentum or beta1 with `cycle_momentum` option enabled", kind=ValueError)
        self.use_beta1 = "betas" in defaults
        if fresh:
            groups = self.optimizer.param_groups
            for low, high, group in zip(base_momentums, max_momentums, groups):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low

    def _set_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


_BETWEEN: dict[str, Callable[[Any, Any, float], Any]] = {  # from a start to an end, by a part
    "cos": lambda start, end, part: end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1),
    "linear": lambda start, end, part: (end - start) * part + start,
}


def _positive_int(name: str, value: Any) -> int:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


class OneCycleLR(_Momentum):
    """One rise to ``max_lr`` and one fall far below the start (Smith and Topin 2017)."""

    def __init__(self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None,
                 epochs: int | None = None, steps_per_epoch: int | None = None,
                 pct_start: float = 0.3, anneal_strategy: str = "cos", cycle_momentum: bool = True,
                 base_momentum: Any = 0.85, max_momentum: Any = 0.95, div_factor: float = 25.0,
                 final_div_factor: float = 1e4, three_phase: bool = False,
                 last_epoch: int = -1) -> None:
        self.optimizer = checked_optimizer(optimizer)
        if total_steps is not None:
            self.total_steps = _positive_int("total_steps", total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            self.total_steps = _positive_int("epochs", epochs) * _positive_int("steps_per_epoch",
                                                                               steps_per_epoch)
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self._schedule_phases = self._phases(pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        refuse(anneal_strategy not in list(_BETWEEN), "anneal_strategy must be one of 'cos' or "
               "'linear', instead got {}", anneal_strategy, kind=ValueError)
        self._anneal_func_type = anneal_strategy
        if last_epoch == -1:
            for top, group in zip(per_group("max_lr", optimizer, max_lr), optimizer.param_groups):
                group["initial_lr"] = top / div_factor
                group["max_lr"] = top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(per_group("base_momentum", optimizer, base_momentum),
                                 per_group("max_momentum", optimizer, max_momentum),
                                 last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _phases(self, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
        def phase(end: float, lrs: str, momentums: str) -> dict[str, Any]:
            (start_lr, end_lr), (start_m, end_m) = lrs.split(), momentums.split()
            return {
                "end_step": end, "start_lr": f"{start_lr}_lr", "end_lr": f"{end_lr}_lr",
                "start_momentum": f"{start_m}_momentum", "end_momentum": f"{end_m}_momentum",
            }

        rise, last = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        phases = [phase(rise, "initial max", "max base")]
        if three_phase:
            fall = float(2 * pct_start * self.total_steps) - 2
            phases.append(phase(fall, "max initial", "base max"))
            return [*phases, phase(last, "initial min", "max max")]
        return [*phases, phase(last, "max min", "base max")]

    def _rates(self) -> list[Any]:
        step = self.last_epoch
        refuse(step > self.total_steps, "Tried to step {} times. The specified number of total "
               "steps is {}", step, self.total_steps, kind=ValueError)
        start = 0.0
        last = self._schedule_phases[-1]
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is last:
                break
            start = phase["end_step"]
        part = (step - start) / (phase["end_step"] - start)
        between = _BETWEEN[self._anneal_func_type]
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                self._set_momentum(group, between(group[phase["start_momentum"]],
                                                  group[phase["end_momentum"]], part))
        return rates


class CyclicLR(_Momentum):
    """Triangles between ``base_lr`` and ``max_lr`` (Smith 2017), constant or shrinking."""

    def __init__(self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
                 step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
                 cycle_momentum: bool = True, base_momentum: Any = 0.8, max_momentum: Any = 0.9,
                 last_epoch: int = -1) -> None:
        self.optimizer = checked_optimizer(optimizer)
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                set_value(group, "lr", lr)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ["triangular", "triangular2", "exp_range"] and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums = per_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = per_group("max_momentum", optimizer, max_momentum)
            self._start_momentum(self.base_momentums, self.max_momentums, last_epoch == -1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The height of a triangle: of cycle ``x``, or at iteration ``x``."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return float(1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x)

    def _rates(self) -> list[Any]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        rising = x <= self.step_ratio
        part = x / self.step_ratio if rising else (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        scale = self.scale_fn(at)
        if self.cycle_momentum:
            for low, high, group in zip(self.base_momentums, self.max_momentums,
                                        self.optimizer.param_groups):
                self._set_momentum(group, high - (high - low) * part * scale)
        return [low + (high - low) * part * scale for low, high in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self) -> dict[str, Any]:
        """As the base's; without a scale function, of a callable object its ``__dict__``."""
        state = super().state_dict()
        return state | {"_scale_fn_custom": kept_of(state.pop("_scale_fn_custom"))}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load all but a scale function, which stays as constructed."""
        attributes = state_dict.get("_scale_fn_custom")
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)
