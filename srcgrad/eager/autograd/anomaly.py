"""Anomaly mode: backward errors and NaN gradients name the forward call that caused them."""

from __future__ import annotations

import traceback
import warnings
from typing import Any

from srcgrad.eager import engine, primitive
from srcgrad.eager.grad_mode import set_detect_anomaly
from srcgrad.eager.nodes import extra

_PACKAGE = __name__.rpartition(".autograd")[0].replace(".", "/")


def _remember(node: Any) -> None:
    """Keep the stack of the forward call, without this package's own frames."""
    frames = traceback.extract_stack()
    kept = [f for f in frames if _PACKAGE not in f.filename.replace("\\", "/")]
    extra(node).trace = "".join(traceback.format_list(kept))


def _report(node: Any) -> None:
    """Warn with the forward stack of ``node``."""
    trace = node._ex.trace if node._ex is not None else None
    if trace is None:
        warnings.warn(f"Error detected in {node.plain_name()}. No forward pass information "
                      "available. Enable detect anomaly during forward pass for more information.",
                      UserWarning, stacklevel=4)
        return
    warnings.warn(f"Error detected in {node.plain_name()}. Traceback of forward call that caused "
                  f"the error:\n{trace}", UserWarning, stacklevel=4)


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode for the duration of a ``with`` block."""

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(True, check_nan)
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime "
                      "and should only be enabled for debugging.", UserWarning, stacklevel=2)


primitive.tracer.append(_remember)
engine.anomaly_report.append(_report)
