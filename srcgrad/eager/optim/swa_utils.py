"""Averages of models over training steps, and the learning rate that goes with them."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any

from .. import basis as torch
from ..calling_errors import refuse
from ..nn import Module
from ..nn.modules.normalization import _BatchNorm
from .lr_scheduler.base import LRScheduler, per_group
from .optimizer import Optimizer

Single = Callable[[Any, Any, Any], Any]
Several = Callable[[list[Any], list[Any], Any], None]


def _checked_decay(decay: float) -> float:
    refuse(not 0.0 <= decay <= 1.0, "Invalid decay value {} provided. Please provide a value in "
           "[0,1] range.", decay, kind=ValueError)
    return decay


def get_ema_avg_fn(decay: float = 0.999) -> Single:
    """``decay * average + (1 - decay) * current``."""
    _checked_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Single:
    """The mean of all models so far."""

    @torch.no_grad()
    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Several:
    """:func:`get_ema_avg_fn` in place on lists of parameters."""
    _checked_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param_list: list[Any], current_param_list: list[Any], _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Several:
    """:func:`get_swa_avg_fn` in place on lists of parameters."""

    @torch.no_grad()
    def swa_update(averaged_param_list: list[Any], current_param_list: list[Any],
                   num_averaged: Any) -> None:
        share = 1 / (float(num_averaged) + 1)
        for average, current in zip(averaged_param_list, current_param_list):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, share)
            else:
                average.add_(((current - average) * share).to(average.dtype))

    return swa_update


class AveragedModel(Module):
    """A copy of ``model`` that holds the average of its parameters over calls of
    :meth:`update_parameters`: the mean, or what ``avg_fn`` or ``multi_avg_fn`` makes of it."""

    n_averaged: Any

    def __init__(self, model: Module, device: Any = None, avg_fn: Single | None = None,
                 multi_avg_fn: Several | None = None, use_buffers: bool = False) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.int64))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def _tensors(self, model: Module) -> list[Any]:
        found = list(model.parameters())
        return [t.detach() for t in found + (list(model.buffers()) if self.use_buffers else [])]

    def update_parameters(self, model: Module) -> None:
        """Take the parameters of ``model`` into the average."""
        averages, currents = self._tensors(self.module), self._tensors(model)
        with torch.no_grad():
            if self.n_averaged == 0:
                for average, current in zip(averages, currents):
                    average.copy_(current)
            elif self.avg_fn is None:
                (self.multi_avg_fn or get_swa_multi_avg_fn())(averages, currents, self.n_averaged)
            else:
                for average, current in zip(averages, currents):
                    average.copy_(self.avg_fn(average, current, self.n_averaged))
            if not self.use_buffers:
                for mine, theirs in zip(self.module.buffers(), model.buffers()):
                    mine.detach().copy_(theirs.detach())
            self.n_averaged += 1


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch norms anew, in one pass over ``loader``."""
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    with torch.no_grad():
        for batch in loader:
            model(batch[0] if isinstance(batch, list | tuple) else batch)
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Anneal each group's rate to ``swa_lr`` over ``anneal_epochs``, then keep it."""

    def __init__(self, optimizer: Optimizer, swa_lr: Any, anneal_epochs: int = 10,
                 anneal_strategy: str = "cos", last_epoch: int = -1) -> None:
        for rate, group in zip(per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups):
            group["swa_lr"] = rate
        refuse(anneal_strategy not in ("cos", "linear"), "anneal_strategy must be one of 'cos' or "
               "'linear', instead got {}", anneal_strategy, kind=ValueError)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._begin(optimizer, last_epoch, _anneal_strategy=anneal_strategy,
                    anneal_epochs=anneal_epochs)

    def _share(self, epoch: int) -> float:
        t = max(0.0, min(1.0, epoch / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def _rates(self) -> list[Any]:
        step = self._step_count - 1
        before, after = self._share(max(0, step - 1)), self._share(step)
        if self.anneal_epochs == 0:
            before = after = 1.0
        rates = []
        for group in self.optimizer.param_groups:
            start = group["swa_lr"] if before == 1 else (
                group["lr"] - before * group["swa_lr"]) / (1 - before)
            rates.append(group["swa_lr"] * after + start * (1 - after))
        return rates
