import numpy as np


# cross_entropy(X: f8[n,m], labels: i8[k], params_W: f8[p,q], params_b: f8[r]) -> f8;
#     d/dparams
def cross_entropy_value_and_grad(X, labels, params_W, params_b):
    # ---- forward
    scores = X @ params_W + params_b
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    exp_shifted = np.exp(shifted)
    t1 = np.sum(exp_shifted, axis=1)
    log_norm = np.log(t1)
    t2 = np.arange(labels.shape[0])
    out = np.mean(log_norm - shifted[t2, labels])
    # ---- backward
    # return np.mean(log_norm - shifted[np.arange(len(labels)), labels])
    t3 = 1.0 / max(X.shape[0], 1)
    # log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    d_shifted = (t3 / t1)[:, None] * exp_shifted
    d_shifted[t2, labels] -= t3
    # scores = X @ params["W"] + params["b"]
    d_params_b = d_shifted.sum(axis=0)
    d_params_W = X.T @ d_shifted
    return out, ({'W': d_params_W, 'b': d_params_b},)
