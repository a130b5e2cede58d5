import numpy as np


# rows(X: f8[n,m], w: f8[k]) -> f8;  d/d(X, w)
def rows_value_and_grad(X, w):
    # ---- forward
    total = 0.0
    d_w, d_X = np.zeros_like(w), np.zeros_like(X)
    for i, row in enumerate(X):
        t1 = np.sum(row * w)
        total += t1 ** 2
        # ---- backward
        # total += np.sum(row * w) ** 2
        t1 = 2 * t1
        d_w += t1 * row
        d_X[i] = t1 * w
    return total, (d_X, d_w)
