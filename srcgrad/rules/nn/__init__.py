"""Functions that NumPy lacks, of networks above all, with their rules."""

from srcgrad.rules.nn import (
    activations,
    bessel,
    blends,
    combined_products,
    complex_pairs,
    error_function,
    flat_functions,
    gamma_functions,
    matrix_functions,
    special_functions,
    tensor_norms,
)

__all__ = [
    "activations",
    "bessel",
    "blends",
    "combined_products",
    "complex_pairs",
    "error_function",
    "flat_functions",
    "gamma_functions",
    "matrix_functions",
    "special_functions",
    "tensor_norms",
]
