"""Loss layers: the functions of the same names with their options kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...calling_errors import refuse
from .. import functional as F
from ..functional.loss import reduction_of
from ..options import Layer, layer
from .vision import PairwiseDistance


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
        refuse(margin <= 0, "{}: expected margin to be greater than 0, got {} instead",
               type(self).__name__, margin, kind=ValueError)


L1Loss = layer("L1Loss", F.l1_loss, _Loss, without="weight")
MSELoss = layer("MSELoss", F.mse_loss, _Loss, without="weight")
NLLLoss = layer("NLLLoss", F.nll_loss, _Loss)


NLLLoss2d = layer("NLLLoss2d", None, NLLLoss)  # its old name for images


class PoissonNLLLoss(_Loss, of=F.poisson_nll_loss):
    """The Poisson likelihood."""

    def forward(self, log_input: Any, target: Any) -> Any:
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full,
                                  eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss, of=F.gaussian_nll_loss):
    """The Gaussian likelihood with given variances."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        self._keep(full=full, eps=eps, reduction=reduction)


KLDivLoss = layer("KLDivLoss", F.kl_div, _Loss)
BCELoss = layer("BCELoss", F.binary_cross_entropy, _Loss)
BCEWithLogitsLoss = layer("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, _Loss)
HingeEmbeddingLoss = layer("HingeEmbeddingLoss", F.hinge_embedding_loss, _Loss)
MultiLabelMarginLoss = layer("MultiLabelMarginLoss", F.multilabel_margin_loss, _Loss)
SmoothL1Loss = layer("SmoothL1Loss", F.smooth_l1_loss, _Loss)


class HuberLoss(_Loss, of=F.huber_loss):
    """Quadratic for errors up to ``delta``, linear above."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        self._keep(reduction=reduction, delta=delta)


SoftMarginLoss = layer("SoftMarginLoss", F.soft_margin_loss, _Loss)
CrossEntropyLoss = layer("CrossEntropyLoss", F.cross_entropy, _Loss)
MultiLabelSoftMarginLoss = layer("MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss, _Loss)
CosineEmbeddingLoss = layer("CosineEmbeddingLoss", F.cosine_embedding_loss, _Loss)
MarginRankingLoss = layer("MarginRankingLoss", F.margin_ranking_loss, _Loss)


class MultiMarginLoss(_Loss, of=F.multi_margin_loss):
    """Hinge between the target class and every other."""

    def _keep(self, **options: Any) -> None:
        weight = options["weight"]
        refuse(options["p"] not in (1, 2), "only p == 1 and p == 2 supported", kind=ValueError)
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


CTCLoss = layer("CTCLoss", F.ctc_loss, _Loss)
