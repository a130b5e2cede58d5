import numpy as np


# rosenbrock(x: f8[n]) -> f8;  d/dx
def rosenbrock_value_and_grad(x):
    # ---- forward
    x_part = x[:-1]
    t1 = x[1:] - x_part ** 2
    t2 = 1 - x[:-1]
    out = np.sum(100.0 * t1 ** 2 + t2 ** 2)
    # ---- backward
    # return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    d_x = np.zeros_like(x)
    t1 = 200.0 * t1
    d_x[:-1] = -(2 * t2) - t1 * (2 * x_part)
    d_x[1:] += t1
    return out, (d_x,)
