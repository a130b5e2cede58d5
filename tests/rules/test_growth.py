"""The work of derivatives grows as that of the functions does: for long arrays about as many lines of Python are run as
for short ones, and there is no memory for all pairs of elements."""

from __future__ import annotations

import itertools
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.interpolate as sip
import scipy.linalg as sl
import scipy.ndimage as nd
import scipy.signal as ss
import scipy.special as sp
import scipy.stats as st
from compiled import CONSTANTS, function_of

import srcgrad as sg

OF_VECTORS = """np.cumsum(x) np.cumprod(1+x/100) np.prod(1+x/100) np.sort(x) np.median(x) np.quantile(x,[.1,.7])
np.nanmedian(x) np.percentile(x,30.) np.convolve(x,x[:9]) np.correlate(x,x[:9],'full') np.diff(x,2) np.gradient(x)
np.trapezoid(x) np.pad(x,5,mode='reflect') np.pad(x,5,mode='wrap') np.roll(x,3) np.tile(x,3) np.repeat(x,3)
np.maximum.accumulate(x) np.multiply.accumulate(1+x/100) np.logaddexp.accumulate(x) np.add.accumulate(x)
np.add.reduceat(x,np.arange(0,len(x),7)) np.multiply.reduceat(x,np.arange(0,len(x),7))
np.maximum.reduceat(x,np.arange(0,len(x),7)) np.logaddexp.reduce(x) np.bincount(np.arange(len(x))%10,weights=x)
np.interp(x,np.linspace(-3,3,9),np.linspace(0,1,9)) np.fft.fft(x).real np.fft.irfft(np.fft.rfft(x))
x[np.arange(len(x))//2] x[x>0] np.where(x>0,x,x**2) np.var(x) np.std(x) np.max(x) np.ptp(x) np.unwrap(x*3)
np.clip(x,-1,1) np.outer(x[:5],x) np.vander(x,4) np.polyval(x[:5],x/9) np.insert(x,3,1.) np.delete(x,3)
np.lib.stride_tricks.sliding_window_view(x,9).mean(axis=1) np.kron(x,np.ones(3)) np.cov(x,x**2) np.corrcoef(x,x**2)
np.einsum('i,i->i',x,x) np.polynomial.chebyshev.chebval(x/5,x[:5])
ss.lfilter([1.,.5],[1.,-.9],x) ss.filtfilt([.2,.2],[1.,-.6],x) ss.fftconvolve(x,x[:9],'same') ss.savgol_filter(x,9,3)
ss.detrend(x) ss.hilbert(x).imag ss.resample(x,len(x)//2) ss.medfilt(x,5) nd.gaussian_filter1d(x,3.)
nd.uniform_filter1d(x,7) nd.convolve1d(x,x[:9]) nd.maximum_filter1d(x,5) nd.shift(x,2.5)
nd.map_coordinates(x,[np.linspace(0,9,9)]) nd.spline_filter1d(x) sip.CubicSpline(np.arange(len(x)),x)(np.linspace(0,5,9))
sip.make_interp_spline(np.arange(len(x)),x)(np.linspace(0,5,len(x)))
sp.logsumexp(x) sp.softmax(x) sl.solve_banded((1,1),np.stack([x,x*0+5,x]),x) st.zscore(x) st.skew(x)""".split()
LIBRARIES = {"ss": ss, "nd": nd, "sip": sip, "sp": sp, "sl": sl, "st": st}
SIZES = 150, 2400


def steps_in(function, *args):
    """How many lines of Python one call runs."""
    counted = 0

    def count(frame, event, argument):
        nonlocal counted
        counted += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        function(*args)
    finally:
        sys.settrace(before)
    return counted


def peak_in(function, *args):
    """How many bytes one call has at most."""
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("expression", OF_VECTORS)
def test_gradients_grow_as_functions_do(expression):
    text = f"np.sum({expression} ** 2)"
    gradient = sg.grad(function_of(text, {**CONSTANTS, **LIBRARIES}, ("x",)))
    steps, peaks = [], []
    for size in SIZES:
        x = np.random.default_rng(0).normal(size=size)
        gradient(x)
        steps.append(steps_in(gradient, x))
        peaks.append(peak_in(gradient, x))
    assert steps[1] <= 3 * steps[0]
    assert peaks[1] <= 2 * SIZES[1] / SIZES[0] * peaks[0]


PRODUCTS = {
    "ij,jk,kl,lm->im": [(12, 12)] * 4,
    "ai,bj,ck,dl,abcd->ijkl": [(6, 6)] * 4 + [(6, 6, 6, 6)],
}


@pytest.mark.parametrize("settings", ["optimize=True", "optimize='greedy'", "optimize='optimal'"])
@pytest.mark.parametrize("script", PRODUCTS)
def test_adjoints_of_einstein_sums_have_the_order_of_their_products(script, settings):
    names = [f"x{i}" for i in range(len(PRODUCTS[script]))]
    text = f"np.sum(np.einsum('{script}', {', '.join(names)}, {settings}) ** 2)"
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in PRODUCTS[script]]
    gradient = sg.grad(function_of(text, CONSTANTS, tuple(names)), argnums=tuple(range(len(arrays))))
    found = gradient(*arrays)
    for line in gradient.source(*arrays).splitlines():
        assert "np.einsum(" not in line.partition("#")[0] or settings in line
    slow = sg.grad(function_of(text.replace(settings, "optimize=False"), CONSTANTS, tuple(names)),
                   argnums=tuple(range(len(arrays))))
    for one, other in itertools.zip_longest(found, slow(*arrays)):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * np.max(np.abs(other)))
