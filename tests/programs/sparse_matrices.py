"""Programs over sparse matrices whose numbers have derivatives: they assemble, multiply, solve."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

CASES = []


def case(*args):
    def keep(fn):
        CASES.append((fn, args))
        return fn
    return keep


V = np.array([1.43, 1.36, 1.14, 1.93, 1.75, 1.22, 1.61, 1.32, 1.57, 1.18])
B = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])
SQUARE = np.array([[1.5, 0.3, -0.2], [0.4, 1.9, 0.1], [-0.6, 0.2, 1.2]])
ENDS = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [0, 2], [1, 4]])


# ---- finite differences ------------------------------------------------------------------------
@case(V[:7])
def diffusion_in_layers(k):
    A = sp.diags([-k[1:-1], k[:-1] + k[1:], -k[1:-1]], [-1, 0, 1], format="csr")
    return np.sum(spl.spsolve(A, np.ones(6)) ** 2)


@case(1.3)
def crank_nicolson(alpha):
    r = 0.1 * alpha
    A = sp.diags([-r, 1 + 2 * r, -r], [-1, 0, 1], shape=(6, 6)).tocsc()
    D = sp.diags([r, 1 - 2 * r, r], [-1, 0, 1], shape=(6, 6)).tocsr()
    u = np.sin(np.linspace(0, 3, 6))
    for _ in range(5):
        u = spl.spsolve(A, D @ u)
    return np.sum(u * u)


@case(1.3, B)
def factors_kept_over_steps(alpha, u):
    L = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(6, 6))
    solve = spl.factorized((sp.identity(6) - 0.1 * alpha * L).tocsc())
    for t in range(7):
        u = solve(u + 0.01 * t)
    return np.sum(u * u)


@case(V[:4], np.sin(np.arange(16.0)))
def laplacian_of_two_axes(c, f):
    D = sp.diags([-c[1:], 2 * c, -c[:-1]], [-1, 0, 1])
    A = sp.kron(sp.eye(4), D) + sp.kron(D, sp.eye(4))
    return np.sum(np.sin(spl.spsolve(A.tocsc(), f)))


@case(V[:4], np.cos(np.arange(12.0)))
def kronecker_sum(k, f):
    D = sp.diags([-k[1:], 2 * k, -k[1:]], [-1, 0, 1])
    E = sp.diags([2.0 * np.ones(3), -np.ones(2), -np.ones(2)], [0, 1, -1])
    return np.sum(spl.spsolve(sp.kronsum(E, D, format="csc"), f) ** 2)


@case(V[:5])
def spdiags_of_rows(d):
    A = sp.spdiags(np.array([d, 4 + d, -d]), np.array([-1, 0, 1]), 5, 5)
    return np.sum((A @ np.arange(5.0)) ** 2) + A.diagonal().sum()


@case(0.5, 2.0)
def advection_diffusion(D, v):
    n, h, e = 8, 1 / 9, np.ones(8)
    L = sp.spdiags([e, -2 * e, e], [-1, 0, 1], n, n) / h ** 2
    G = sp.spdiags([-e, e], [-1, 1], n, n) / (2 * h)
    return np.sum(spl.spsolve((-D * L + v * G).tocsc(), np.ones(n))) * h


@case(V[:5])
def offsets_in_an_array(k):
    A = sp.diags([-k[1:], 2 * k, -k[1:]], np.array([-1, 0, 1]))
    C = sp.dia_matrix((np.array([k, 2 * k]), np.array([0, 1])), shape=(5, 5))
    return (A @ np.arange(5.0)) @ k + C.tocsr()[1:4, :].sum()


@case(V[:9])
def poisson_with_a_coefficient(c):
    n = 3
    A, b = sp.lil_matrix((n * n, n * n)), np.zeros(n * n)
    for i in range(n):
        for j in range(n):
            p, total = i * n + j, 0.0
            for k, m in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                if 0 <= k < n and 0 <= m < n:
                    mean = 2 * c[p] * c[k * n + m] / (c[p] + c[k * n + m])
                    A[p, k * n + m] = -mean
                    total += mean
                else:
                    total += c[p]
            A[p, p], b[p] = total, 1.0
    return np.sum(spl.spsolve(A.tocsr(), b) ** 2)


@case(V[:6])
def periodic_stencil(k):
    n = len(k)
    A = sp.lil_matrix((n, n))
    for i in range(n):
        A[i, i] = 2 * k[i] + 1
        A[i, i - 1] -= k[i]
        A[i, (i + 1) % n] -= k[(i + 1) % n]
    A = A.tocsr()
    for i in range(2):
        A[i - 1, :] = 0.5 * k[i]
    return np.sum(A @ k)


@case(V[:6])
def rows_of_the_boundary(k):
    A = sp.diags([-k[1:], 2 * k, -k[:-1]], [-1, 0, 1]).tolil()
    b = np.ones(6)
    for end, value in ((0, 0.0), (5, 2.0)):
        A[end, :] = 0
        A[end, end] = 1
        b[end] = value
    return np.sum(spl.spsolve(A.tocsr(), b) ** 2)


# ---- finite elements ---------------------------------------------------------------------------
@case(V[:5])
def triples_in_lists(k):
    rows, cols, vals = [], [], []
    for e in range(len(k)):
        ke = k[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
        for a in range(2):
            for b in range(2):
                rows.append(e + a)
                cols.append(e + b)
                vals.append(ke[a, b])
    K = sp.coo_matrix((vals, (rows, cols)), shape=(6, 6)).tocsr()
    free = np.arange(1, 6)
    u = spl.spsolve(K[free][:, free], np.ones(5))
    return u @ u


@case(V[:5])
def triples_at_once(k):
    e = np.arange(5)
    rows = np.stack([e, e, e + 1, e + 1], 1).ravel()
    cols = np.stack([e, e + 1, e, e + 1], 1).ravel()
    data = (k[:, None] * np.array([1.0, -1.0, -1.0, 1.0])).ravel()
    K = sp.csr_matrix((data, (rows, cols)), shape=(6, 6))
    free, u = np.arange(1, 6), np.zeros(6)
    u[free] = spl.spsolve(K[np.ix_(free, free)], np.ones(5))
    return 0.5 * u @ (K @ u) - np.sum(u)


@case(V[:6])
def buffers_of_triples(k):
    rows, cols, vals, c = np.zeros(24, dtype=int), np.zeros(24, dtype=int), np.zeros(24), 0
    for e in range(6):
        ke = k[e] * np.array([[2.0, -1.0], [-1.0, 2.0]])
        for a in range(2):
            for b in range(2):
                rows[c], cols[c], vals[c] = ENDS[e, a], ENDS[e, b], ke[a, b]
                c += 1
    K = sp.coo_matrix((vals, (rows, cols)), shape=(5, 5)).tocsr()
    return np.sum(spl.spsolve(K, np.ones(5)))


@case(V[:6])
def filled_by_connectivity(k):
    K = sp.lil_matrix((5, 5))
    for e in range(len(ENDS)):
        ke = k[e] * np.array([[2.0, -1.0], [-1.0, 2.0]])
        for a in range(2):
            for b in range(2):
                K[ENDS[e, a], ENDS[e, b]] += ke[a, b]
    return np.sum(spl.spsolve(K.tocsr(), np.ones(5)))


@case(V[:4])
def filled_by_blocks(k):
    K = sp.lil_matrix((5, 5))
    for e in range(4):
        nodes = [e, e + 1]
        K[np.ix_(nodes, nodes)] += k[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return np.sum(spl.spsolve(K.tocsr()[1:, 1:], np.ones(4)))


@case(V[:4])
def a_dictionary_of_keys(k):
    K = sp.dok_matrix((5, 5), dtype=np.float64)
    for e in range(4):
        for a in range(2):
            for b in range(2):
                K[e + a, e + b] += k[e] if a == b else -k[e]
    return np.sum(spl.spsolve(K.tocsr()[1:, 1:], np.ones(4)))


@case(V[:4])
def products_with_incidences(k):
    K = sp.csr_matrix((5, 5))
    for e in range(4):
        G = sp.csr_matrix((np.ones(2), ([0, 1], [e, e + 1])), shape=(2, 5))
        K = K + G.T @ sp.csr_matrix(k[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])) @ G
    return np.sum(spl.spsolve((K + sp.eye(5)).tocsc(), np.arange(5.0)))


@case(V[:4])
def newmark(k):
    K = sp.lil_matrix((4, 4))
    for i in range(4):
        K[i, i] += k[i]
        if i < 3:
            K[i, i] += k[i + 1]
            K[i, i + 1] = -k[i + 1]
            K[i + 1, i] = -k[i + 1]
    K, M, dt = K.tocsc(), 2.0 * sp.eye(4), 0.1
    C = 0.1 * K + 0.05 * M
    lu = spl.splu((M + 0.5 * dt * C + 0.25 * dt * dt * K).tocsc())
    u, v, a, f = np.zeros(4), np.zeros(4), np.zeros(4), np.array([0, 0, 0, 1.0])
    for _ in range(6):
        ahead, speed = u + dt * v + 0.25 * dt * dt * a, v + 0.5 * dt * a
        a = lu.solve(f - C @ speed - K @ ahead)
        u, v = ahead + 0.25 * dt * dt * a, speed + 0.5 * dt * a
    return u @ u


@case(V[:5], 0.7)
def newton_with_a_jacobian(k, c):
    u = np.ones(5)
    L = sp.diags([2.0 + 0 * k, -k[1:] / 3, -k[1:] / 3], [0, 1, -1], format="csr")
    for _ in range(20):
        r = L @ u + c * u ** 3 - 1
        if np.linalg.norm(r) < 1e-13:
            break
        u = u - spl.spsolve((L + sp.diags(3 * c * u ** 2)).tocsc(), r)
    return np.sum(u)


# ---- graphs and estimators ---------------------------------------------------------------------
@case(V[:6], B[:5])
def normalised_laplacian(w, x):
    W = sp.coo_matrix((w, (ENDS[:, 0], ENDS[:, 1])), shape=(5, 5))
    W = W + W.T
    degrees = np.array(W.sum(axis=1)).flatten()
    D = sp.diags(1 / np.sqrt(degrees))
    return x @ ((D @ (sp.diags(degrees) - W) @ D) @ x)


@case(V[:6])
def random_walk(w):
    i, j = ENDS[:, 0], ENDS[:, 1]
    A = sp.coo_matrix((np.r_[w, w], (np.r_[i, j], np.r_[j, i])), shape=(5, 5)).tocsr()
    P = sp.diags(1.0 / np.asarray(A.sum(1)).flatten()) @ A
    x = np.ones(5) / 5
    for _ in range(30):
        x = 0.85 * (P.T @ x) + 0.03
    return x @ np.arange(5.0)


@case(V[:6], B[:5])
def graph_convolution(w, x):
    A = sp.coo_matrix((w, (ENDS[:, 0], ENDS[:, 1])), shape=(5, 5)).tocsr()
    A = A + A.T + sp.identity(5)
    D = sp.diags(np.power(np.asarray(A.sum(1)), -0.5).flatten())
    return np.sum(np.tanh(D.dot(A).dot(D).dot(np.outer(x, [1.0, 2.0]))) ** 2)


@case(V[:5], B[:5])
def weighted_least_squares(weights, y):
    X = sp.csr_matrix(np.arange(15.0).reshape(5, 3) % 4)
    A = X.T @ sp.diags(weights) @ X + 0.1 * sp.eye(3)
    return np.sum((X @ spl.spsolve(A.tocsc(), X.T @ (weights * y)) - y) ** 2)


@case(V[:3], B[:4])
def saddle_point(k, b):
    C = sp.csr_matrix(np.array([[1.0, 1.0, 0.5]]))
    A = sp.bmat([[sp.diags(k), C.T], [C, None]], format="csc")
    return np.sum(spl.spsolve(A, b) ** 2)


@case(V[:6])
def inverse_iteration(k):
    A = sp.diags([k, -0.2 * np.ones(5), -0.2 * np.ones(5)], [0, -1, 1], format="csc")
    lu, x = spl.splu(A), np.ones(6)
    for _ in range(10):
        x = lu.solve(x)
        x = x / np.sqrt(x @ x)
    return x @ A.dot(x)


@case(V[:5], B[:5])
def conjugate_gradients(k, b):
    A = sp.diags([k + 3, -0.3 * k[1:], -0.3 * k[1:]], [0, 1, -1], format="csr")
    x, info = spl.cg(A, b, rtol=1e-13)
    y, _ = spl.gmres(A, x, rtol=1e-13, atol=0)
    return np.sum(x ** 2) + np.sum(y) if info == 0 else 0.0


@case(np.sin(np.arange(12.0)) + 1.0, 20.0)
def asymmetric_smoothing(y, lam):
    n, w = len(y), np.ones(len(y))
    D = sp.csc_matrix(np.diff(np.eye(n), 2))
    for _ in range(4):
        z = spl.spsolve(sp.spdiags(w, 0, n, n) + lam * D.dot(D.transpose()), w * y)
        w = 0.1 * (y > z) + 0.9 * (y < z)
    return np.sum(z ** 2)


@case(np.sin(np.arange(9.0)))
def differences_of_an_order(y):
    steps = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    for _ in range(2):
        steps = steps[:-1] - steps[1:]
    D = sp.diags(steps, np.arange(3), (len(y) - 2, len(y)), format="csc")
    return np.sum(spl.splu((sp.identity(len(y)) + 3.0 * D.T @ D).tocsc()).solve(y) ** 3)


@case(V[:4])
def power_flow(b):
    i, j = np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3])
    y = 1 / (0.02 + 0.1j * b)
    Y = sp.csr_matrix((np.r_[y, y, -y, -y], (np.r_[i, j, i, j], np.r_[i, j, j, i])), shape=(4, 4))
    angle, size, buses = np.zeros(4), np.ones(4), np.arange(4)
    S, free = np.array([0, -0.3 - 0.1j, 0.2, -0.4 - 0.2j]), np.array([1, 2, 3])
    for _ in range(6):
        u = size * np.exp(1j * angle)
        I = Y * u
        miss = u * np.conj(I) - S
        U, C = sp.csr_matrix((u, (buses, buses))), sp.csr_matrix((I, (buses, buses)))
        N = sp.csr_matrix((u / np.abs(u), (buses, buses)))
        by_size = U * (Y * N).conj() + C.conj() * N
        by_angle = 1j * U * (C - Y * U).conj()
        rows = np.array([free]).T
        J = sp.vstack([sp.hstack([by_angle[rows, free].real, by_size[rows, free].real]),
                       sp.hstack([by_angle[rows, free].imag, by_size[rows, free].imag])],
                      format="csr")
        step = -spl.spsolve(J, np.r_[miss[free].real, miss[free].imag])
        angle[free] = angle[free] + step[:3]
        size[free] = size[free] + step[3:]
    return np.sum(size) + np.sum(angle ** 2)


@case(V[:5])
def product_written_out(k):
    A = sp.csr_matrix(np.diag(k) + np.diag(k[1:], 1))
    x, y = np.arange(5.0), np.zeros(5)
    for i in range(5):
        for p in range(A.indptr[i], A.indptr[i + 1]):
            y[i] += A.data[p] * x[A.indices[p]]
    return y @ y


@case(V[:5])
def complex_admittances(k):
    Y = sp.lil_matrix((5, 5), dtype=complex)
    for e in range(4):
        y = 1 / (k[e] + 0.3j)
        Y[e, e] += y
        Y[e + 1, e + 1] += y
        Y[e, e + 1] -= y
        Y[e + 1, e] -= y
    Y[0, 0] += 1.0
    return np.sum(np.abs(spl.spsolve(Y.tocsc(), np.ones(5) + 0j)) ** 2)


@case(V[:5])
def arguments_by_name(k):
    A = sp.diags(diagonals=[k, k[1:]], offsets=[0, 1], format="csc")
    C = sp.csr_matrix(arg1=(k, (np.arange(5), np.arange(5))), shape=(5, 5), dtype=float)
    return (spl.spsolve(A=A, b=k).sum() + sp.bmat(blocks=[[A, None], [None, C]]).sum()
            + sp.kron(A=A, B=sp.eye(2)).tocsr().sum() + sp.vstack(blocks=[A, C]).sum())


# ---- what is asked of a matrix -----------------------------------------------------------------
@case(SQUARE)
def sums_and_laplacian(W):
    A = sp.csr_matrix(W)
    L = sp.diags(np.asarray(A.sum(axis=1)).ravel()) - A
    x = np.arange(3.0)
    return x @ (L @ x) + A.sum() + np.sum(np.asarray(A.sum(0)) ** 2) + A.mean() + A.trace()


@case(SQUARE)
def matrices_of_numpy(W):
    A = sp.csr_matrix(W)
    column = A * A.sum(1)
    row = A.sum(0) * A
    return (column.T * column)[0, 0] + (row * column)[0, 0] + np.sum((A + A.todense()) * column)


@case(V[:3])
def blocks(k):
    K = sp.diags(k)
    A, C = sp.vstack([K, 2 * K]), sp.hstack([K, K.T * 3.0])
    D = sp.block_diag([K, np.outer(k, k)])
    return np.sum((A @ np.arange(3.0)) ** 2) + np.sum(C @ np.arange(6.0)) + np.sum(
        D.toarray() ** 3)


@case(SQUARE)
def element_by_element(W):
    A, M = sp.csr_matrix(W), sp.csr_matrix(np.array([[1.0, 0, 2], [0, 3, 0], [1, 1, 0]]))
    return (A.multiply(M).sum() + np.sum(A.multiply(M).multiply(A).toarray())
            + A.multiply(2.0)[1, 2] + np.sum(A.multiply(np.arange(3.0)).toarray() ** 2))


@case(V[:5], B[:3])
def three_arrays(d, x):
    A = sp.csr_matrix((d, np.array([0, 2, 1, 0, 2]), np.array([0, 2, 3, 5])), shape=(3, 3))
    return (np.sum((A.T @ x) ** 2) + np.sum(A.dot(x)) + np.sum(A * x) + np.sum((A @ A).toarray())
            + np.sum((x @ A) ** 2) + np.sum(np.asarray(A + np.ones((3, 3))) ** 2))


@case(V[:5])
def triangles_and_slices(k):
    A = sp.csr_matrix(np.outer(k, k))
    return ((sp.tril(A, -1) @ k).sum() + sp.triu(A).sum() + A[1:3, :].sum() + A[2].sum()
            + A[:, [0, 3]].sum(axis=0).A1[1] + A[-1, -2])


@case(V[:5])
def masks_and_pairs(k):
    A, m = sp.csr_matrix(np.outer(k, k)), np.array([True, False, True, True, False])
    pairs = np.asarray(A[[0, 1, 1], [1, 1, -1]]).ravel()
    return A[m][:, m].sum() + A[m, :].sum(0).A1[2] + pairs @ np.array([1.0, 2.0, 3.0])


@case(V[:5])
def what_is_stored(k):
    A = sp.diags([k, k[1:]], [0, 1], format="csr")
    C = A.copy()
    C.data = C.data ** 2
    return np.sum(A.data ** 3) + np.sum(C @ np.arange(5.0)) + spl.norm(A) + (A ** 3).trace()


@case(V[:5])
def powers(k):
    A = sp.csr_matrix(np.diag(k) - 0.1)
    return np.sum(A.power(2).toarray() * np.arange(5.0)) + np.sum(abs(A) @ k)


@case(V[:5])
def written_to(k):
    A = sp.csr_matrix(np.diag(k) + 0.1)
    A[0, :] = 0.0
    A[0, 0] = k[1]
    A[2:4, 1] = k[3]
    A.setdiag(2.0 * k[1:], 1)
    A.sum_duplicates()
    return np.sum(spl.spsolve(A.tocsc(), np.ones(5)))


@case(V[:5])
def filled_by_columns(k):
    A = sp.lil_matrix((5, 5))
    A.setdiag(k)
    A[:, 0] = k
    A[2, :] = 2 * k
    A[3, 1:3] = [k[0], k[1]]
    return np.sum(A.tocsc().toarray() * np.arange(25.0).reshape(5, 5))


@case(V[:5])
def changed_in_place(k):
    A = sp.diags(k).tocsr()
    A *= 2.0
    A += sp.eye(5)
    A /= k[0]
    return A.sum() + np.sum(A.diagonal() ** 2)


@case(V[:5])
def zeros_by_chance(k):
    A, C = sp.diags(k).tocsr(), sp.csr_matrix(np.diag([1.0, 2.0, 3.0, 4.0, 5.0]))
    D = (A - sp.diags(np.array(k)).tocsr()) + C
    return np.sum(D @ k) + np.sum((A - A) @ np.ones(5)) + np.sum((A * 0.0 + C) @ k)


@case(V[:5])
def arrays_in_place_of_matrices(k):
    A, C = sp.csr_array(np.diag(k)), sp.diags_array(k, offsets=0, shape=(5, 5))
    return (np.sum((A * C).toarray()) + np.sum((A @ C).toarray()) + np.sum(A.sum(axis=0) ** 2)
            + (A * 2).trace() + np.sum((A + C.T).diagonal()) + np.sum((A ** 2).toarray()))


@case(V[:6])
def asked_for_its_kind(k):
    A = sp.coo_matrix((k, ([0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0])))
    if not sp.issparse(A):
        return 0.0
    if isinstance(A, sp.coo_matrix):
        A = A.tocsr()
    return 0.0 if A.format != "csr" else (A @ np.ones(3)) @ np.arange(3.0) + A.shape[0] * k[0]


# ---- control flow ------------------------------------------------------------------------------
@case(V[:5])
def kinds_by_branch(k):
    if k[0] > 1.2:
        A = sp.csr_matrix(np.diag(k))
    else:
        A = sp.diags([k, k[1:]], [0, 1], format="csc")
    return np.sum(spl.spsolve(A, np.ones(5))) + (A @ k).sum()


@case(V[:5])
def one_in_each_step(k):
    u = np.ones(5)
    for t in range(4):
        u = spl.spsolve(sp.diags([k * u, 0.1 * k[1:]], [0, 1], format="csc"), u + t)
    return np.sum(u)


@case(V[:5], 0.3)
def grown_in_a_loop(k, dt):
    A, D, u = sp.diags(k).tocsr(), sp.diags([k[1:]], [1]).tocsr(), np.ones(5)
    for _ in range(4):
        A = A + dt * D
        u = A @ u
    return u.sum()


@case(V[:5])
def in_lists_and_objects(k):
    class Operator:
        def __init__(self, k):
            self.K = sp.diags([k, k[1:]], [0, -1]).tocsr()

        def solve(self, b):
            return spl.spsolve(self.K, b)

    mats, x = [sp.diags(k * i) for i in range(1, 4)], np.ones(5)
    for M in mats:
        x = M @ x
    return sum(mats).sum() + np.sum(Operator(k).solve(x)) + np.sum(Operator(k).K.T.dot(x))


@case(V[:5], B[:5])
def several_right_hand_sides(k, b):
    A = sp.diags([k, 0.1 * k[1:]], [0, 1], format="csc")
    C, lu = np.outer(b, k[:3]), spl.splu(A)
    return (np.sum(spl.spsolve(A, C) ** 2) + np.sum((A @ C) ** 3) + np.sum(lu.solve(C))
            + np.sum(lu.solve(b, "T") * k) + np.sum(spl.spsolve(A, b.reshape(-1, 1))))


@case(SQUARE, B[:3])
def complex_numbers(W, b):
    A = sp.csr_matrix(W + 1j * np.eye(3))
    return np.sum(np.abs(spl.spsolve(A.tocsc(), b + 0j)) ** 2)
