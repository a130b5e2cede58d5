"""Sparse matrices of traced numbers: SciPy's values, derivatives of each order, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from chain import check, check_exported, check_orders

import srcgrad as sg

sp = pytest.importorskip("scipy.sparse")
spl = pytest.importorskip("scipy.sparse.linalg")
import sparse_matrices as programs  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
NAMES = [fn.__name__ for fn, _ in programs.CASES]
K = np.arange(1.0, 6.0)
IDENTITY = sp.lil_matrix(np.eye(5))


@pytest.mark.parametrize(("fn", "args"), programs.CASES, ids=NAMES)
def test_program(fn, args):
    check(fn, args, staged=False)


@pytest.mark.parametrize(("fn", "args"), programs.CASES, ids=NAMES)
def test_orders(fn, args):
    check_orders(fn, args)


@pytest.mark.parametrize("fn", [
    programs.diffusion_in_layers, programs.triples_in_lists, programs.filled_by_connectivity,
    programs.conjugate_gradients, programs.what_is_stored, programs.products_with_incidences,
    programs.newmark])
def test_exported(fn, tmp_path):
    check_exported(fn, next(args for f, args in programs.CASES if f is fn), tmp_path)


@pytest.mark.parametrize("fn", [
    programs.triples_in_lists, programs.filled_by_connectivity, programs.factors_kept_over_steps])
def test_loops_stay_loops(fn):
    args = next(args for f, args in programs.CASES if f is fn)
    assert "for " in sg.value_and_grad(fn).source(*args)


def elements(k):
    n = len(k) + 1
    K = sp.lil_matrix((n, n))
    for e in range(len(k)):
        K[e, e] += k[e]
        K[e, e + 1] -= k[e]
        K[e + 1, e] -= k[e]
        K[e + 1, e + 1] += k[e]
    K[0, 0] += 1.0
    return np.sum(spl.spsolve(K.tocsr(), np.ones(n)))


def test_one_text_for_any_number_of_elements():
    derivative = sg.value_and_grad(elements)
    assert len({derivative.source(np.ones(n)) for n in (4, 5, 9)}) == 1
    for n in (1, 4, 9):
        k = np.linspace(1.0, 2.0, n)
        value, slope = derivative(k)
        assert value == elements(k)
        np.testing.assert_allclose(slope, [(elements(k + h) - elements(k - h)) / 2e-6 for h in (
            1e-6 * np.eye(n))], rtol=1e-5)


def solution(k):
    A = sp.diags([k + 3, -0.3 * k[1:], -0.2 * k[1:]], [0, 1, -1], format="csc")
    return spl.spsolve(A, np.ones(len(k)))


def test_transforms():
    rows = np.stack([K, 2 * K])
    forward, backward = sg.jacfwd(solution)(K), sg.jacrev(solution)(K)
    np.testing.assert_allclose(forward, backward, rtol=1e-12)
    assert np.array_equal(sg.vmap(solution)(rows), [solution(row) for row in rows])
    slope = sg.grad(lambda k: np.sum(solution(k) ** 2))
    np.testing.assert_allclose(slope(K), 2 * solution(K) @ backward, rtol=1e-12)
    np.testing.assert_allclose(sg.vmap(slope)(rows), [slope(row) for row in rows], rtol=1e-12)


def test_native_text():
    pytest.importorskip("numba")
    slope, native = (sg.grad(lambda k: np.sum(solution(k) ** 2), backend=backend)
                     for backend in ("numpy", "numba"))
    np.testing.assert_allclose(native(K), slope(K), rtol=1e-12)


def test_a_matrix_is_a_snapshot():
    def program(k):
        d = 2 * k
        A = sp.coo_matrix((d, (np.arange(5), np.arange(5)))).tocsr()
        d[0] = 0.0
        return A.sum() + d.sum()

    value, slope = sg.value_and_grad(program)(K)
    assert value == program(K)
    assert list(slope) == [2.0, 4.0, 4.0, 4.0, 4.0]


def test_indices_out_of_range_raise():
    def program(k):
        return sp.csr_matrix(np.diag(k))[7, 0]

    with pytest.raises(IndexError):
        sg.grad(program)(K)


def test_a_search_that_has_not_converged_has_no_derivative():
    def program(k):
        A = sp.diags([k, 0.5 * np.ones(4), 0.5 * np.ones(4)], [0, 1, -1], format="csr")
        return np.sum(spl.cg(A, np.ones(5), maxiter=1)[0])

    assert sg.jit(program)(K) == program(K)
    with pytest.raises(np.linalg.LinAlgError, match="more iterations"):
        sg.grad(program)(K)


def test_stored_numbers_that_are_not_told_apart_raise():
    def program(k):
        return np.sum(sp.coo_matrix((k, ([0, 0, 1, 1, 1], [0, 0, 1, 1, 0]))).data ** 2)

    with pytest.raises(ValueError, match="sum_duplicates"):
        sg.grad(program)(K)


def shared(k):
    d = 2 * k
    A = sp.csr_matrix((d, np.arange(5), np.arange(6)))
    d[0] = 0.0
    return A.sum()


def transposed_before(k):
    A = sp.diags(k).tocsr()
    C = A.T
    A *= 2
    return C.sum()


def written_through_data(k):
    A = sp.diags(k).tocsr()
    A.data[0] = 7.0
    return A.sum()


def written_outside(k):
    IDENTITY[0, 0] = k[0]
    return IDENTITY.sum()


@pytest.mark.parametrize(("fn", "match"), [
    (shared, "after 'd' has changed"),
    (transposed_before, "changed in place"),
    (written_through_data, "written to"),
    (written_outside, "sparse matrix"),
    (lambda k: np.sum(sp.diags(k)), "A.sum"),
    (lambda k: np.sqrt(sp.diags(k)).sum(), "A.toarray"),
    (lambda k: np.asarray(sp.diags(k)).sum(), "A.toarray"),
    (lambda k: sp.diags(k).tocsr().sqrt().sum(), "csr_matrix.sqrt"),
    (lambda k: (sp.diags(k) > 0).sum(), "__gt__"),
    (lambda k: (sp.diags(k) == sp.diags(k)).sum(), "__eq__"),
    (lambda k: k[0] if sp.diags(k) else k[1], "__bool__"),
    (lambda k: sum(row.sum() for row in sp.diags(k).tocsr()), "__iter__"),
    (lambda k: sp.csr_array(np.diag(k))[1].sum(), "gives a vector"),
    (lambda k: spl.eigsh(sp.diags(k).tocsr(), k=2)[0].sum(), "linalg.eigsh"),
    (lambda k: spl.inv(sp.diags(k).tocsc()).sum(), "linalg.inv"),
    (lambda k: spl.spsolve(sp.diags(k).tocsc(), sp.eye(5).tocsc()).sum(), "right-hand side"),
    (lambda k: spl.splu(sp.diags(k).tocsc()).L.sum(), "SuperLU.L"),
    (lambda k: f"{sp.diags(k)}" and k[0], "dia_matrix"),
    (lambda k: (k[0], sp.diags(k)), "dia_matrix that holds traced values is returned"),
])
def test_refused(fn, match):
    with pytest.raises(sg.SrcgradError, match=match):
        sg.jit(fn)(K)
