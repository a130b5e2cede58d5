"""Loss layers: the functions of the same names with their options kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .. import functional as F
from ..functional.loss import reduction_of
from .options import Layer
from .vision import PairwiseDistance

__all__ = ["BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss",
           "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss",
           "MarginRankingLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss",
           "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss",
           "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss"]


class _Loss(Layer):
    """Takes what the function has no default for; weights are buffers."""

    reduction: str

    def __init_subclass__(cls, of: Callable[..., Any] | None = None, **more: Any) -> None:
        if of is not None:
            given = inspect.signature(of).parameters
            more["takes"] = " ".join(n for n, p in given.items() if p.default is p.empty)
        super().__init_subclass__(of, **more)

    def _keep(self, *, size_average: bool | None = None, reduce: bool | None = None,
              reduction: str = "mean", **options: Any) -> None:
        if size_average is not None or reduce is not None:
            reduction = reduction_of(size_average, reduce, reduction)
        weights = {n: options.pop(n) for n in ("weight", "pos_weight") if n in options}
        super()._keep(reduction=reduction, **options)
        for name, weight in weights.items():
            self.register_buffer(name, weight)

    def _refuse_margin(self, margin: float) -> None:
        if margin <= 0:
            raise ValueError(f"{type(self).__name__}: expected margin to be greater than 0, got "
                             f"{margin} instead")


class L1Loss(_Loss, of=F.l1_loss, without="weight"):
    """The absolute error."""


class MSELoss(_Loss, of=F.mse_loss, without="weight"):
    """The squared error."""


class NLLLoss(_Loss, of=F.nll_loss):
    """Minus the log-probability of the target class."""


class NLLLoss2d(NLLLoss):
    """The old name of :class:`NLLLoss` for images."""


class PoissonNLLLoss(_Loss, of=F.poisson_nll_loss):
    """The Poisson likelihood."""

    def forward(self, log_input: Any, target: Any) -> Any:
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full,
                                  eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss, of=F.gaussian_nll_loss):
    """The Gaussian likelihood with given variances."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        self._keep(full=full, eps=eps, reduction=reduction)


class KLDivLoss(_Loss, of=F.kl_div):
    """The Kullback-Leibler divergence from log-probabilities."""


class BCELoss(_Loss, of=F.binary_cross_entropy):
    """The binary cross entropy of probabilities."""


class BCEWithLogitsLoss(_Loss, of=F.binary_cross_entropy_with_logits):
    """The binary cross entropy of ``sigmoid(input)``."""


class HingeEmbeddingLoss(_Loss, of=F.hinge_embedding_loss):
    """The input for targets 1, a hinge for targets -1."""


class MultiLabelMarginLoss(_Loss, of=F.multilabel_margin_loss):
    """Hinge between target classes and the others."""


class SmoothL1Loss(_Loss, of=F.smooth_l1_loss):
    """Quadratic for errors below ``beta``, linear above."""


class HuberLoss(_Loss, of=F.huber_loss):
    """Quadratic for errors up to ``delta``, linear above."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        self._keep(reduction=reduction, delta=delta)


class SoftMarginLoss(_Loss, of=F.soft_margin_loss):
    """``log(1 + exp(-target * input))``."""


class CrossEntropyLoss(_Loss, of=F.cross_entropy):
    """The cross entropy of ``softmax(input)`` against classes or probabilities."""


class MultiLabelSoftMarginLoss(_Loss, of=F.multilabel_soft_margin_loss):
    """The mean over classes of binary cross entropies."""


class CosineEmbeddingLoss(_Loss, of=F.cosine_embedding_loss):
    """``1 - cos`` for targets 1, a hinge on cos for targets -1."""


class MarginRankingLoss(_Loss, of=F.margin_ranking_loss):
    """Hinge on the order of two inputs."""


class MultiMarginLoss(_Loss, of=F.multi_margin_loss):
    """Hinge between the target class and every other."""

    def _keep(self, **options: Any) -> None:
        weight = options["weight"]
        if options["p"] not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError("MultiMarginLoss: expected weight to be None or 1D tensor, got "
                             f"{weight.dim()}D instead")
        super()._keep(**options)


class TripletMarginLoss(_Loss, of=F.triplet_margin_loss):
    """Hinge on the difference of two distances."""

    def _keep(self, **options: Any) -> None:
        self._refuse_margin(options["margin"])
        super()._keep(**options)


class TripletMarginWithDistanceLoss(_Loss, of=F.triplet_margin_with_distance_loss):
    """:class:`TripletMarginLoss` with a distance of one's own."""

    def _keep(self, **options: Any) -> None:
        self._refuse_margin(options["margin"])
        options["distance_function"] = options["distance_function"] or PairwiseDistance()
        super()._keep(**options)


class CTCLoss(_Loss, of=F.ctc_loss):
    """Connectionist temporal classification."""
