import numpy as np


# gradient_norm(x: f8[n]) -> f8;  d/dx
def gradient_norm_value_and_grad(x):
    # ---- forward
    x_0 = x[0]
    x_1 = x[1]
    np.sum(x ** 4) + x_0 * x_1
    # energy: return np.sum(x ** 4) + x[0] * x[1]
    t1 = x * x
    d_x = 4.0 * (t1 * x)
    d_x[1] += x_0
    d_x[0] += x_1
    out = np.sum(d_x * d_x)
    # ---- backward
    # return np.sum(g * g)
    d2_x = 2.0 * d_x
    # energy: return np.sum(x ** 4) + x[0] * x[1]
    d2_x_2 = 12.0 * d2_x * t1
    d2_x_2[1] += d2_x[0]
    d2_x_2[0] += d2_x[1]
    return out, (d2_x_2,)
