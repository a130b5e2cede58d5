"""`torch.special`: functions of mathematical physics and statistics."""

from __future__ import annotations

from typing import Any

from srcgrad.eager.dispatch import NAMESPACE, Space, unary, within
from srcgrad.eager.ops.arguments import refusing
from srcgrad.eager.ops.pairs import with_numbers
from srcgrad.rules.nn import bessel, error_function, gamma_functions, special_functions

SPECIAL = Space("special")

# Functions that torch itself has under this or another name.
for _name, _theirs in {
    "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "exp2": "exp2", "expit": "sigmoid",
    "expm1": "expm1", "gammaln": "lgamma", "digamma": "digamma", "psi": "digamma", "i0": "i0",
    "log1p": "log1p", "logit": "logit", "sinc": "sinc", "round": "round", "xlogy": "xlogy",
    "logsumexp": "logsumexp", "softmax": "softmax", "log_softmax": "log_softmax",
    "polygamma": "polygamma", "multigammaln": "mvlgamma", "gammainc": "igamma",
    "gammaincc": "igammac",
}.items():
    SPECIAL[_name] = NAMESPACE[_theirs]


_NO_HALF = ("erfcx", "log_ndtr", "ndtri")


def _one(name: str, function: Any, node: str) -> None:
    kernel = "erf_vml_cpu" if name == "ndtr" else name + "_cpu"
    unary("special_" + name, function, node=node, method=False, inplace=False,
          primal=refusing(dict.fromkeys("ce" if name in _NO_HALF else "c", kernel), function))
    SPECIAL[name] = NAMESPACE.pop("special_" + name)


for _name, _function, _node in (
    ("entr", special_functions.entr, "SpecialEntrBackward0"),
    ("erfcx", error_function.erfcx, "SpecialErfcxBackward0"),
    ("i0e", bessel.i0e, "SpecialI0EBackward0"),
    ("i1", bessel.i1, "SpecialI1Backward0"),
    ("i1e", bessel.i1e, "SpecialI1EBackward0"),
    ("log_ndtr", special_functions.log_ndtr, "SpecialLogNdtrBackward0"),
    ("ndtr", special_functions.ndtr, "MulBackward1"),
    ("ndtri", special_functions.ndtri, "SpecialNdtriBackward0"),
    ("bessel_j0", bessel.bessel_j0, "SpecialBesselJ0Backward0"),
    ("bessel_j1", bessel.bessel_j1, "SpecialBesselJ1Backward0"),
    ("modified_bessel_i0", bessel.i0, "SpecialModifiedBesselI0Backward0"),
    ("modified_bessel_i1", bessel.i1, "SpecialModifiedBesselI1Backward0"),
):  # fmt: skip
    _one(_name, _function, _node)


for _name, _function, _node, _text in (
    ("xlog1py", special_functions.xlog1py, "SpecialXlog1Py",
     "``input * log1p(other)``, 0 where ``input`` is 0."),
    ("zeta", gamma_functions.zeta, "SpecialZeta", "The zeta function of Hurwitz."),
):
    with_numbers(_name, _function, _node, "tio", _text, floats=True,
                 declare=within(SPECIAL, _name))
