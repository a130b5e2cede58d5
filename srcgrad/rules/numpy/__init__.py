"""Rules of NumPy's functions, by family."""

from importlib import import_module

for _family in (
    "arithmetic", "cofactors", "complex_numbers", "creation", "cumulative", "decompositions",
    "differences", "exponential", "fft", "histograms", "indexing", "interpolation", "joining",
    "linear_algebra", "norms", "placing", "polynomials", "products", "reductions", "rounding",
    "selection", "shapes", "sorting", "splitting", "statistics", "tensor_algebra",
    "trigonometric", "ufunc_forms", "windows",
):
    import_module(f"srcgrad.rules.numpy.{_family}")
