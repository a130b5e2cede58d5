import numpy as np


# loss(W1: f8[n,m], b1: f8[k], W2: f8[p,q], b2: f8[r], X: f8[s,n_1], y: f8[m_1,k_1]) ->
#     f8;  d/d(W1, b1, W2, b2)
def loss_value_and_grad(W1, b1, W2, b2, X, y):
    # ---- forward
    h = np.tanh(X @ W1 + b1)
    pred = h @ W2 + b2
    err = pred - y
    out = np.mean(err ** 2)
    # ---- backward
    # return np.mean(err ** 2)
    d_err = 2.0 / max(X.shape[0] * W2.shape[1], 1) * err
    # pred = h @ W2 + b2
    d_b2 = d_err.sum(axis=0)
    d_h = d_err @ W2.T
    d_W2 = h.T @ d_err
    # h = np.tanh(X @ W1 + b1)
    d_h *= 1 - h * h
    d_b1 = d_h.sum(axis=0)
    d_W1 = X.T @ d_h
    return out, (d_W1, d_b1, d_W2, d_b2)
