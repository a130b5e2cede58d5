"""Functions that NumPy lacks, of networks above all, with their rules."""

from importlib import import_module

for _family in (
    "activations", "bessel", "blends", "combined_products", "complex_pairs", "error_function",
    "flat_functions", "gamma_functions", "matrix_functions", "special_functions",
    "tensor_norms",
):
    import_module(f"srcgrad.rules.nn.{_family}")
