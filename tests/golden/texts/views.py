import numpy as np


# views(x: f8[n]) -> f8;  d/dx
def views_value_and_grad(x):
    # ---- forward
    v = x[1:]
    v *= 2.0
    w = v[:2]
    w[0] = x[0] * 3.0
    out = np.sum(x * x) + np.sum(v)
    # ---- backward
    # return np.sum(x * x) + np.sum(v)
    d_x = 2.0 * x
    d_x[1:] += 1.0
    # w[0] = x[0] * 3.0
    d_x_part = d_x[1:][:2][0]
    d_x[1:][:2][0] = 0.0
    d_x[0] += d_x_part * 3.0
    # v *= 2.0
    d_x[1:] *= 2.0
    return out, (d_x,)
