"""`torch.backends`: what programs ask before they choose a device or a library.

None of PyTorch's backends is here; their switches can be set and read back without effect.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any


def never(*_: Any, **__: Any) -> bool:
    """False: nothing of it exists here."""
    return False


def _backend(name: str, *questions: str, **switches: Any) -> Any:
    """The module ``torch.backends.<name>``: answers no to ``questions``, and has ``switches`` that
    can be set together and restored."""
    module = ModuleType(f"{__name__}.{name}", f"`torch.backends.{name}`: not available.")
    own = vars(module)
    own.update(switches, **dict.fromkeys(questions, never))
    names = tuple(switches)

    def set_flags(*values: Any, **named: Any) -> tuple[Any, ...]:
        """Set the switches that are given; returns what all of them were."""
        before = tuple(own[name] for name in names)
        for name, value in (dict(zip(names, values)) | named).items():
            if name not in names:
                raise TypeError(f"set_flags() got an unexpected keyword argument '{name}'")
            if value is not None:
                own[name] = value
        return before

    @contextmanager
    def flags(*values: Any, **named: Any) -> Iterator[None]:
        """Set switches within a ``with`` statement."""
        before = set_flags(*values, **named)
        try:
            yield
        finally:
            own.update(zip(names, before))

    if names:
        own.update(set_flags=set_flags, flags=flags)
    sys.modules[module.__name__] = module
    return module


cuda = _backend("cuda", "is_built")
cuda.matmul = SimpleNamespace(allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
                              allow_bf16_reduced_precision_reduction=True)
cudnn = _backend("cudnn", "is_available", "is_acceptable", enabled=True, benchmark=False,
                 benchmark_limit=10, deterministic=False, allow_tf32=True, fp32_precision="none")
cudnn.version = lambda: None
mkldnn = _backend("mkldnn", "is_available", enabled=True, deterministic=False, allow_tf32=True,
                  fp32_precision="none")
mkl, openmp = _backend("mkl", "is_available"), _backend("openmp", "is_available")
mps = _backend("mps", "is_available", "is_built")

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
