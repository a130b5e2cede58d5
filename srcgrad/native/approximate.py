"""Elementary functions as polynomials, within one unit in the last place, for ``precision="fast"``.

A loop of them becomes vector instructions, which calls of the system's library prevent.  Numbers
are reduced to a short interval (Cody and Waite 1980, "Software Manual for the Elementary
Functions"), where a polynomial interpolates the function at Chebyshev's nodes.  Kernels call
compiled forms, in which a product and a sum may be one instruction.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.graph.ir import Node
from srcgrad.graph.parts import LoopParts
from srcgrad.types.kinds import SCALARS


def fast_exp(x: Any) -> Any:
    """The exponential function: ``2**k * exp(r)`` where ``r`` is within ``log(2) / 2`` of 0.

    >>> float(fast_exp(0.0)), float(fast_exp(1.0)), float(fast_exp(-np.inf))
    (1.0, 2.7182818284590455, 0.0)
    """
    clipped = 711.0 if x > 711.0 else (-747.0 if x < -747.0 else (x if x == x else 0.0))
    shifted = clipped * 1.4426950408889634 + 6755399441055744.0  # the last bits are k
    k = shifted - 6755399441055744.0
    r = (clipped - k * 0.6931471803691238) - k * 1.9082149292705877e-10  # k * log(2) in two parts
    q = 0.5 + r * (0.1666666666666667 + r * (0.04166666666666667 + r * (
        0.008333333333326136 + r * (0.0013888888888883748 + r * (0.00019841269874820627 + r * (
        2.4801587325547743e-05 + r * (2.7557255400206422e-06 + r * (2.75572736431103e-07 + r * (
        2.5105217004720745e-08 + r * 2.0914686968086876e-09)))))))))
    p = 1.0 + (r + r * r * q)
    apart = 1000.0 if k > 900.0 else (-1000.0 if k < -900.0 else 0.0)  # beyond the normal numbers
    scale = 2.0 ** 1000 if k > 900.0 else (2.0 ** -1000 if k < -900.0 else 1.0)
    bits = np.float64((k - apart) + 6755399441055744.0).view(np.int64)
    power = np.int64((bits + 1023) << 52).view(np.float64)
    return p * power * scale if x == x else x


def fast_log(x: Any) -> Any:
    """The natural logarithm: ``k * log(2) + 2 * arctanh((m - 1) / (m + 1))`` for
    ``x == 2**k * m`` where ``m`` is within a factor ``sqrt(2)`` of 1.

    >>> float(fast_log(1.0)), float(fast_log(0.0)), float(fast_log(-1.0))
    (0.0, -inf, nan)
    """
    scaled = x * 2.0 ** 54 if x < 2.0 ** -1000 else x
    bits = np.float64(scaled).view(np.int64)
    exponent = (bits - 4604544271217802189) >> 52  # the number is the bits of sqrt(0.5)
    m = np.int64(bits - (exponent << 52)).view(np.float64)
    k = float(exponent) - (54.0 if x < 2.0 ** -1000 else 0.0)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    q = 0.6666666666666666 + z * (0.4000000000000088 + z * (0.2857142857080323 + z * (
        0.2222222239180047 + z * (0.18181795630884748 + z * (0.1538624020581371 + z * (
        0.13268759668555402 + z * 0.13086767009995384))))))
    half = 0.5 * f * f
    found = k * 0.6931471803691238 - (
        (half - (s * (half + z * q) + k * 1.9082149292705877e-10)) - f)
    if x > 0.0:
        return found if x < np.inf else x
    return -np.inf if x == 0.0 else np.nan


def fast_tanh(x: Any) -> Any:
    """The hyperbolic tangent: a polynomial near 0, else ``1 - 2 / (exp(2 * abs(x)) + 1)``.

    >>> float(fast_tanh(0.0)), float(fast_tanh(-30.0)), float(fast_tanh(np.inf))
    (0.0, -1.0, 1.0)
    """
    z = x * x
    q = -0.3333333333333333 + z * (0.1333333333333309 + z * (-0.05396825396804637 + z * (
        0.02186948852912909 + z * (-0.008863235404578283 + z * (0.003592126679366341 + z * (
        -0.001455824692096494 + z * (0.0005899792946300043 + z * (-0.00023895705228738016 + z * (
        9.646277743312773e-05 + z * (-3.8389607893141526e-05 + z * (1.4606131676709432e-05 + z * (
        -4.987760317516079e-06 + z * (1.3791814499062982e-06 + z * (
        -2.633077223290133e-07 + z * 2.5155023659307467e-08))))))))))))))
    far = 1.0 - 2.0 / (fast_exp(min(2.0 * abs(x), 50.0)) + 1.0)
    return x + x * (z * q) if 0.0 < abs(x) < 1.0 else (far if x > 0.0 else (-far if x < 0.0 else x))


def fast_erf(x: Any) -> Any:
    """The error function: a polynomial near 0, else ``1 - erfc(abs(x))`` with ``erfc(x) *
    exp(x * x)`` as a polynomial in ``(x - 3) / (x + 3)``.

    >>> float(fast_erf(0.0)), float(fast_erf(-7.0)), float(fast_erf(np.inf))
    (0.0, -1.0, 1.0)
    """
    z = x * x
    q = 0.1283791670955126 + z * (-0.3761263890318375 + z * (0.11283791670954879 + z * (
        -0.026866170645076792 + z * (0.0052239776248180145 + z * (-0.000854832698083379 + z * (
        0.0001205533111164271 + z * (-1.4925595266831182e-05 + z * (1.6461000484121368e-06 + z * (
        -1.6350312701054695e-07 + z * (1.4659775274047431e-08 + z * (
        -1.1372848856791657e-09 + z * 5.957176147748883e-11)))))))))))
    bounded = min(abs(x), 6.0)
    t = (bounded - 3.0) / (bounded + 3.0)
    tail = 0.17900115118138996 + t * (-0.3262335600430372 + t * (0.24560380171233487 + t * (
        -0.15011593650077898 + t * (0.07166583719747308 + t * (-0.024392499318915004 + t * (
        0.004269136356961225 + t * (0.0007077464666941425 + t * (-0.0005970624964924544 + t * (
        4.525434558991009e-05 + t * (6.406279226046039e-05 + t * (-1.2845780030775907e-05 + t * (
        -8.00978093907608e-06 + t * (2.0135111426447427e-06 + t * (
        1.2755818949624478e-06 + t * 3.381355142042904e-09))))))))))))))
    far = 1.0 - tail * fast_exp(-bounded * bounded)
    return x + x * q if 0.0 < abs(x) < 1.0 else (far if x > 0.0 else (-far if x < 0.0 else x))


APPROXIMATIONS: dict[Any, Callable[[Any], Any]] = {
    np.exp: fast_exp, np.log: fast_log, np.tanh: fast_tanh, math.tanh: fast_tanh,
    math.erf: fast_erf}


def approximated(node: Node) -> Node:
    """A loop with polynomials where they become vector instructions: in innermost loops without
    branches, of float64 that does not follow from a number which the loop carries on.  (Elsewhere
    the system's library is as fast.)"""
    inner = [n for block in node.blocks for n in block.nodes if n.blocks]
    if inner or node.op != "loop" or node.loop.kind != "for":
        return node.but(blocks=tuple(b.but(nodes=tuple(map(approximated, b.nodes)))
                                     for b in node.blocks)) if node.blocks else node
    (body,) = node.blocks
    carried = {v for v in LoopParts(node).carried if v.aval.kind in SCALARS}
    nodes = []
    for n in body.nodes:
        if carried.intersection(n.inputs):
            carried.update(n.outputs)
        elif n.op == "apply" and len(n.inputs) == 1 and n.out.aval.dtype == np.float64:
            fast = APPROXIMATIONS.get(n.params["fn"])
            n = n if fast is None else n.but(params={**n.params, "fn": fast})
        nodes.append(n)
    return node.but(blocks=(body.but(nodes=tuple(nodes)),))
