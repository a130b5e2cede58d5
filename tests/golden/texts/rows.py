import numpy as np


# rows(X: f8[n,m], w: f8[k]) -> f8;  d/d(X, w)
# kept in each iteration: saved  (8 bytes)
def rows_value_and_grad(X, w):
    # ---- forward
    saved = np.empty(X.shape[0])
    total = 0.0
    for i, row in enumerate(X):
        t1 = saved[i] = np.sum(row * w)
        total += t1 ** 2
    # ---- backward
    d_w, d_X = np.zeros_like(w), np.zeros_like(X)
    for i in reversed(range(X.shape[0])):
        # total += np.sum(row * w) ** 2
        t1 = 2 * saved[i]
        d_w += t1 * X[i]
        d_X[i] = t1 * w
    return total, (d_X, d_w)
