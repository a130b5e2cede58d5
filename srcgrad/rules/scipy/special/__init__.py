"""Functions of ``scipy.special`` by family; registered when the user has imported it.

Formulas: NIST Digital Library of Mathematical Functions.
"""

from importlib import import_module

for _family in (
    "bessel", "distributions", "elementary", "errors", "gamma", "integrals", "polynomials",
    "reductions",
):
    import_module(f"srcgrad.rules.scipy.special.{_family}")
