"""`torch.backends.mkldnn`: not available."""

from __future__ import annotations

from srcgrad.eager.backends.switches import flags_of, never

enabled = True
deterministic = False
allow_tf32 = True
fp32_precision = "none"
set_flags, flags = flags_of(globals(), ("enabled", "deterministic", "allow_tf32", "fp32_precision"))
is_available = never
