import numpy as np


# first_above(x: f8[n], limit: float) -> f8;  d/dx
# kept in each iteration: s_saved  (8 bytes)
def first_above_value_and_grad(x, limit):
    # ---- forward
    exit_at = 0
    s_saved = []
    s = 0.0
    for i in range(x.shape[0]):
        s = s + x[i] ** 2
        s_saved.append(s)
        if s > limit:
            out = s * x[0]
            exit_at = 3
            break
    if exit_at == 0:
        out = s
    # ---- backward
    if exit_at == 0:
        d_s, d_out = 1.0, 0.0
    else:
        d_s, d_out = 0.0, 1.0
    d_x = np.zeros_like(x)
    for i in reversed(range(len(s_saved))):
        s = s_saved[i]
        if s > limit:
            # return s * x[0]
            d_s += d_out * x[0]
            d_x[0] += d_out * s
            d_out = 0.0
        # s = s + x[i] ** 2
        d_x[i] += d_s * (2 * x[i])
    return out, (d_x,)
