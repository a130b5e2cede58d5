import numpy as np


# cholesky(A: f8[n,m]) -> f8;  d/dA
# uses scatter_diagonal of srcgrad.rules.broadcast
def cholesky_value_and_grad(A):
    # ---- forward
    n = A.shape[0]
    L = np.zeros((n, n))
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    diag_L = np.diag(L)
    out = np.sum(np.log(diag_L))
    # ---- backward
    # return np.sum(np.log(np.diag(L)))
    d_L = scatter_diagonal(1.0 / diag_L, L.shape)
    d_A = np.zeros_like(A)
    for j in reversed(range(n)):
        L_part = L[j, :j]
        L_jj = L[j, j]
        for i in reversed(range(j + 1, n)):
            # L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            t1 = d_L[i, j] / L_jj
            d_L[i, j] = 0.0
            d_L[j, j] -= t1 * L[i, j]
            d_L[j, :j] -= t1 * L[i, :j]
            d_L[i, :j] -= t1 * L_part
            d_A[i, j] += t1
        # L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        d_L_jj = d_L[j, j]
        d_L[j, j] = 0.0
        t1 = 0.5 * d_L_jj / L_jj
        d_L[j, :j] -= 2.0 * t1 * L_part
        d_A[j, j] += t1
    return out, (d_A,)
