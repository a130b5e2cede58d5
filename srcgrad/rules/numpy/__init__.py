"""Rules of NumPy's functions, by family."""

from importlib import import_module

for _family in (
    "arithmetic", "cofactors", "creation", "cumulative", "decompositions", "differences",
    "elementary", "fft", "histograms", "indexing", "interpolation", "joining", "linear_algebra",
    "norms", "polynomials", "products", "reductions", "segments", "selection", "shapes",
    "splitting", "statistics", "tensor_algebra", "ufunc_forms", "windows",
):
    import_module(f"srcgrad.rules.numpy.{_family}")
