"""`torch.backends.cudnn`: not available."""

from __future__ import annotations

from srcgrad.eager.backends.switches import flags_of, never

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True
fp32_precision = "none"
set_flags, flags = flags_of(
    globals(), ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32",
                "fp32_precision"))
is_available = is_acceptable = never


def version() -> int | None:
    return None
