"""Functions of ``scipy.special`` by family; registered when the user has imported it.

Formulas: NIST Digital Library of Mathematical Functions.
"""

from srcgrad.rules.scipy.special import (
    bessel,
    distributions,
    elementary,
    errors,
    gamma,
    integrals,
    polynomials,
    reductions,
)

__all__ = ["bessel", "distributions", "elementary", "errors", "gamma", "integrals", "polynomials",
           "reductions"]
