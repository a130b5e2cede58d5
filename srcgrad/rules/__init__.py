"""The rule book: every derivative, by library and family, and the decorators that declare them.

Rules of libraries beside NumPy are read once the program has imported these.
"""

from srcgrad.rules import numpy, python
from srcgrad.rules.book import (
    Entry,
    Rule,
    alias,
    elementwise,
    functions,
    inactive,
    jvp,
    linear,
    lookup,
    nondiff,
    sequence,
    static,
    variant,
    vjp,
    when_imported,
)
from srcgrad.rules.methods import resolve

__all__ = [
    "Entry",
    "Rule",
    "alias",
    "elementwise",
    "functions",
    "inactive",
    "jvp",
    "linear",
    "lookup",
    "nondiff",
    "numpy",
    "python",
    "resolve",
    "sequence",
    "static",
    "variant",
    "vjp",
    "when_imported",
]

when_imported("statistics", "srcgrad.rules.python.statistics")
for _library, _modules in {
    "fft": ("fft",), "fftpack": ("fftpack",), "integrate": ("integrate",),
    "interpolate": ("interpolate",), "linalg": ("linalg", "banded"), "optimize": ("optimize",),
    "ndimage": ("ndimage", "ndimage_ranks", "ndimage_sampling", "ndimage_labels"),
    "signal": ("signal",), "spatial.distance": ("distance",), "special": ("special",),
    "stats": ("stats",),
}.items():
    for _module in _modules:
        when_imported(f"scipy.{_library}", f"srcgrad.rules.scipy.{_module}")
