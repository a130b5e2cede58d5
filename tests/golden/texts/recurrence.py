import numpy as np


# recurrence(a: f8[n], b: f8[m], n: int) -> f8;  d/d(a, b)
def recurrence_value_and_grad(a, b, n):
    # ---- forward
    y = np.zeros(n)
    y[0] = b[0]
    for i in range(1, n):
        y[i] = a[i] * y[i - 1] + b[i]
    out = np.sum(y * y)
    # ---- backward
    # return np.sum(y * y)
    d_y = 2.0 * y
    d_b, d_a = np.zeros_like(b), np.zeros_like(a)
    for i in reversed(range(1, n)):
        # y[i] = a[i] * y[i - 1] + b[i]
        d_y_i = d_y[i]
        d_b[i] = d_y_i
        d_y[i - 1] += d_y_i * a[i]
        d_a[i] = d_y_i * y[i - 1]
    # y[0] = b[0]
    d_b[0] += d_y[0]
    return out, (d_a, d_b)
