"""Rules of linear algebra, transforms, interpolation, grids and creation."""

import operator

import numpy as np
import pytest
from checking import check, cplx, real, signed


def spd(*shape):
    a = signed(*shape)
    return a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])


def hermitian(n):
    a = cplx(n, n)
    return a + a.conj().T


def well(*shape):
    return signed(*shape) + 2 * np.eye(shape[-1])


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize(
    "function",
    [
        np.linalg.inv,
        np.linalg.det,
        np.linalg.slogdet,
        np.linalg.pinv,
        np.linalg.cholesky,
        np.linalg.eigh,
        np.linalg.eigvalsh,
        np.linalg.svdvals,
        np.linalg.qr,
        np.linalg.cond,
    ],
)
def test_of_a_matrix(function, batch):
    check(function, spd(*batch, 3, 3))


def test_triangles():
    check(np.linalg.eigh, spd(3, 3), "U")
    check(np.linalg.eigvalsh, spd(3, 3), "U")
    check(np.linalg.cholesky, spd(3, 3), upper=True)


def test_complex_matrices():
    a = well(3, 3) + 1j * signed(3, 3)
    check(np.linalg.inv, a)
    check(np.linalg.det, a)
    check(np.linalg.slogdet, a)
    check(np.linalg.pinv, cplx(4, 2))
    check(np.linalg.solve, a, cplx(3, 2))
    check(np.linalg.solve, a, signed(3))
    check(np.linalg.cholesky, cplx(3, 3) @ np.eye(3) * 0 + hermitian(3) + 8 * np.eye(3))
    check(np.linalg.eigvalsh, hermitian(3))
    check(np.linalg.svdvals, cplx(3, 2))
    check(np.linalg.eigvals, a)
    check(np.linalg.qr, a)
    check(np.linalg.matrix_power, a, 3)


def test_solutions():
    a = well(3, 3)
    check(np.linalg.solve, a, signed(3))
    check(np.linalg.solve, a, signed(3, 2))
    check(np.linalg.solve, well(2, 3, 3), signed(2, 3, 2))
    check(np.linalg.solve, well(2, 3, 3), signed(3, 2))
    check(np.linalg.solve, well(2, 3, 3), signed(3))
    check(np.linalg.solve, a, signed(4, 3, 2))
    check(np.linalg.lstsq, signed(4, 2), signed(4))
    check(np.linalg.lstsq, signed(4, 2), signed(4, 3))
    check(np.linalg.lstsq, signed(2, 4), signed(2))
    check(np.linalg.pinv, signed(4, 2))
    check(np.linalg.pinv, signed(2, 4))
    check(np.linalg.pinv, spd(3, 3), hermitian=True)
    check(np.linalg.pinv, spd(2, 3, 3), hermitian=True)
    for n in (-2, -1, 0, 1, 2, 3, 5):
        check(np.linalg.matrix_power, a, n)
    check(np.linalg.matrix_power, a, np.int64(3))
    check(np.linalg.tensorinv, well(6, 6).reshape(2, 3, 6), 2)
    check(np.linalg.tensorinv, well(6, 6).reshape(6, 2, 3), 1)
    check(np.linalg.tensorsolve, well(6, 6).reshape(2, 3, 6), signed(2, 3))
    check(np.linalg.multi_dot, [signed(2, 3), signed(3, 4), signed(4, 2)])
    check(np.linalg.multi_dot, [signed(3), signed(3, 4), signed(4)])
    check(np.linalg.multi_dot, [signed(3), signed(3, 4), signed(4, 2), signed(2, 2)])


def test_decompositions():
    a = signed(4, 3)
    for b in (a, a.T, well(3, 3), np.stack([a, 2 * a + 1])):
        check(np.linalg.svd, b, full_matrices=False, tol=1e-5)
        check(np.linalg.svd, b, compute_uv=False)
        check(np.linalg.qr, b, tol=1e-5)
    check(np.linalg.svd, well(3, 3), tol=1e-5)
    check(np.linalg.qr, a, mode="r")
    check(np.linalg.eig, np.diag([1.0, 2.0, 4.0]) + 0.3 * signed(3, 3), tol=1e-5)
    check(np.linalg.eigvals, np.diag([1.0, 2.0, 4.0]) + 0.3 * signed(3, 3))
    check(np.linalg.eigvals, np.array([[0.0, 1.0], [-2.0, 0.3]]))


def test_phases_of_eigenvectors():
    """LAPACK says which they are: the largest component of an eigenvector is real, or the first (or
    last) of one of a Hermitian matrix."""
    turning = np.array([[3.0, 1.0, 0.3], [-2.0, 1.5, 0.1], [0.3, 0.4, 0.5]])
    for a in (turning, np.stack([turning, turning.T, well(3, 3)]), turning + 0.4j * signed(3, 3)):
        check(np.linalg.eig, a, tol=1e-5)
    for a in (hermitian(3), np.stack([hermitian(3), hermitian(3) + np.diag([1.0, 2.0, 3.0])])):
        check(np.linalg.eigh, a, tol=1e-5)
        check(np.linalg.eigh, a, "U", tol=1e-5)


def test_completed_bases_are_refused():
    from srcgrad.rules import lookup

    a = signed(3, 2)
    u, s, vh = np.linalg.svd(a)
    body = lookup(np.linalg.svd).rules["a"].body
    with pytest.raises(ValueError, match="full_matrices=False"):
        body((np.ones((3, 3)), None, None), (u, s, vh), a, a.dtype, True)


VECTOR = [None, 2, 1, 3, 2.5, np.inf, -np.inf, 0, -1]
MATRIX = [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]


@pytest.mark.parametrize("ord", VECTOR)
def test_vector_norms(ord):
    check(np.linalg.norm, signed(4), ord)
    check(np.linalg.norm, signed(2, 3), ord, -1)
    check(np.linalg.norm, signed(2, 3), ord, 0, True)
    check(np.linalg.vector_norm, signed(2, 3), ord=2 if ord is None else ord)
    check(np.linalg.norm, cplx(4), ord)


@pytest.mark.parametrize("ord", MATRIX)
def test_matrix_norms(ord):
    check(np.linalg.norm, signed(3, 2), ord)
    check(np.linalg.norm, signed(2, 3, 4), ord, (0, 2))
    check(np.linalg.norm, signed(2, 3, 4), ord, (-1, 1), True)
    check(np.linalg.matrix_norm, signed(2, 3, 3), ord="fro" if ord is None else ord)
    check(np.linalg.norm, cplx(3, 2), ord)


def test_other_norms():
    check(np.linalg.norm, signed(2, 3, 2))
    for p in (1, -1, "fro", np.inf, 2, -2):
        check(np.linalg.cond, well(3, 3), p)
    from srcgrad.rules.numpy import norms

    zero = np.zeros(3)
    with np.errstate(all="raise"):
        for p in (None, 1, 3, np.inf):
            d = norms.norm_x(1.0, 0.0, zero, 1, zero.dtype, p, None, False)
            np.testing.assert_array_equal(d, zero)


EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ij->ji", (2, 3)),
    ("ij->i", (2, 3)),
    ("ij->", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("i,i", (3,), (3,)),
    ("i,j->ij", (2,), (3,)),
    ("...ij,...jk->...ik", (4, 2, 3), (3, 2)),
    ("...ij,jk", (4, 2, 3), (3, 2)),
    ("bij,bjk->ik", (2, 2, 3), (2, 3, 2)),
    ("ij,kj,k->i", (2, 3), (4, 3), (4,)),
    ("ij,kl->il", (2, 3), (4, 2)),
    ("iji->j", (2, 3, 2)),
    ("ij,i j -> i", (2, 3), (2, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
]


@pytest.mark.parametrize("case", EINSUMS, ids=lambda c: c[0])
def test_einsum(case):
    script, *shapes = case
    check(np.einsum, script, *(signed(*s) for s in shapes))
    check(np.einsum, script, *(cplx(*s) for s in shapes))


def test_einsum_with_lists():
    check(np.einsum, signed(2, 3), [0, 1], signed(3, 4), [1, 2], [0, 2])
    check(np.einsum, signed(2, 3), [0, 1], signed(3, 4), [1, 2])


def test_kron_and_cross():
    check(np.kron, signed(2, 3), signed(3, 2))
    check(np.kron, signed(2), signed(3, 2))
    check(np.kron, signed(2, 1, 2), signed(3))
    check(np.cross, signed(3), signed(3))
    check(np.cross, signed(4, 3), signed(3))
    check(np.cross, signed(3, 4), signed(4, 3), axisa=0, axisc=0)
    check(np.cross, signed(3, 2), signed(3, 2), axis=0)
    check(np.linalg.cross, signed(2, 3), signed(3))


FFT = np.fft


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 3, 6])
@pytest.mark.parametrize("function", [FFT.fft, FFT.ifft, FFT.rfft, FFT.irfft, FFT.hfft, FFT.ihfft])
def test_fft(function, n, norm):
    make = signed if function in (FFT.rfft, FFT.ihfft) else cplx
    check(function, make(5), n, norm=norm)
    check(function, make(4, 2), n, 0, norm)
    if make is cplx:
        check(function, signed(4), n, norm=norm)


@pytest.mark.parametrize("s", [None, (3, 4), (6, 2)])
@pytest.mark.parametrize(
    "function",
    [FFT.fft2, FFT.ifft2, FFT.fftn, FFT.ifftn, FFT.rfft2, FFT.rfftn, FFT.irfft2, FFT.irfftn],
)
def test_fft_of_several_axes(function, s):
    make = signed if function in (FFT.rfft2, FFT.rfftn) else cplx
    check(function, make(2, 4, 3), s, axes=(0, 1))
    check(function, make(4, 3), s, norm="ortho")


def test_fftshift():
    check(FFT.fftshift, signed(3, 4))
    check(FFT.ifftshift, signed(3, 4), axes=1)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("n, m", [(5, 3), (5, 2), (3, 5), (2, 5), (4, 5), (1, 1), (4, 4)])
def test_convolutions(n, m, mode):
    check(np.convolve, signed(n), signed(m), mode)
    check(np.correlate, signed(n), signed(m), mode)
    check(np.convolve, cplx(n), cplx(m), mode)
    check(np.correlate, cplx(n), cplx(m), mode)
    check(np.correlate, cplx(n), signed(m), mode)


def test_interpolation():
    xp = np.array([0.0, 1.0, 1.5, 3.0])
    x = np.array([-0.5, 0.2, 1.2, 2.0, 2.9, 4.0])
    check(np.interp, x, xp, signed(4))
    check(np.interp, x.reshape(2, 3), xp, signed(4))
    check(np.interp, np.array(0.3), xp, signed(4))
    check(np.interp, x, xp, signed(4), np.array(0.5), np.array(-0.5))
    check(np.interp, x, [0.0, 1.0, 1.5, 3.0], signed(4))


def test_polynomials():
    check(np.polyval, signed(3), signed(4))
    check(np.polyval, signed(1), signed(2))
    check(np.polyval, [2.0, 1.0, 3.0], signed(2, 2))
    check(np.polyval, [signed(), 1.0, signed()], signed(2))
    check(np.polyder, signed(4))
    check(np.polyder, signed(4), 2)
    check(np.polyadd, signed(4), signed(2))
    check(np.polysub, signed(2), signed(4))
    check(np.polymul, signed(2), signed(4))
    for sizes in ((0, 1), (0, 3), (2, 0), (0, 0)):
        check(np.polymul, *map(signed, sizes))
    check(np.polyint, signed(4))
    check(np.polyint, signed(3), 2)
    check(np.roots, np.array([1.0, 0.2, -3.0, 0.4]))
    x = np.linspace(-1, 1, 6)
    check(np.polyfit, x, signed(6), 2)
    check(np.polyfit, x, signed(6, 2), 2)
    check(np.polyfit, x, signed(6), 2, w=real(6))
    check(np.polyfit, x, signed(6, 2), 1, None, False, real(6))
    check(np.vander, signed(3))
    check(np.vander, signed(3), 4, increasing=True)


def test_grids():
    check(np.diff, signed(5))
    check(np.diff, signed(3, 5), 2)
    check(np.diff, signed(3, 5), 1, 0)
    check(np.diff, signed(3, 5), 2, -1, signed(), signed(3, 2))
    check(np.diff, signed(3, 5), 1, 0, np._NoValue, signed(1, 5))
    check(np.ediff1d, signed(2, 3))
    check(np.ediff1d, signed(4), signed(2), signed(1))
    check(np.ediff1d, signed(4), 99.0, -99.0)
    check(np.gradient, signed(5))
    check(np.gradient, signed(5), 0.3, edge_order=2)
    check(np.gradient, signed(4, 5))
    check(np.gradient, signed(4, 5), 0.5, 2.0, edge_order=2)
    check(np.gradient, signed(4, 5), axis=0)
    check(np.gradient, signed(4, 5), axis=(1, 0))
    check(np.gradient, signed(5), np.array([0.0, 0.3, 1.0, 1.2, 2.0]), fixed=(1,))
    check(np.gradient, signed(5), np.array([0.0, 0.3, 1.0, 1.2, 2.0]), fixed=(1,), edge_order=2)


PADS = [
    ("constant", {}),
    ("edge", {}),
    ("reflect", {}),
    ("symmetric", {}),
    ("wrap", {}),
    ("linear_ramp", {}),
    ("mean", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {"reflect_type": "odd"}),
    ("constant", {"constant_values": 3.0}),
    ("mean", {"stat_length": 2}),
    ("empty", {}),
]


@pytest.mark.parametrize("mode, options", PADS)
def test_pad(mode, options):
    if mode == "empty":
        from srcgrad.rules.numpy.differences import pad_array

        assert pad_array(np.ones(5), None, (3,), 1, "empty", None, "even").shape == (3,)
        return
    check(np.pad, signed(3, 4), ((1, 2), (0, 3)), mode, **options)
    check(np.pad, signed(4), 2, mode, **options)
    check(np.pad, signed(4), (1, 2), mode, **options)
    check(np.pad, signed(3, 4), ((1, 2),), mode, **options)


def test_sorting():
    a = signed(3, 4)
    check(np.sort, a)
    check(np.sort, a, 0)
    check(np.sort, a, None)
    check(np.partition, a, 2)
    check(np.partition, a, 1, 0)
    check(np.partition, a, 5, None)
    check(np.unique, np.array([0.3, 0.1, 0.2]))
    check(np.sort_complex, cplx(4))


def test_creation():
    check(np.full, (2, 3), signed())
    check(np.full, (2, 3), signed(3))
    check(np.full_like, signed(2, 2), signed())
    check(np.linspace, signed(), signed() + 2, 5)
    check(np.linspace, signed(2), signed(), 5, endpoint=False)
    check(np.linspace, signed(2), signed(2, 2), 4, axis=-1)
    check(np.linspace, signed(), signed(), 5, retstep=True)
    check(np.linspace, signed(), signed(), 1)
    check(np.geomspace, real(), real() + 3, 5)
    check(np.logspace, signed(), signed(), 5)
    check(np.i0, signed(3))
    check(np.i0, 3 * signed(3))
    check(operator.getitem, signed(4), slice(1, None, 2))
