import numpy as np


# robust(x: f8[n], scale: float) -> f8;  d/d(x, scale)
def robust_value_and_grad(x, scale):
    # ---- forward
    r = r_1 = np.linalg.norm(x)
    taken = r < scale
    if taken:
        out = 0.5 * r * r
    else:
        n_while = 0
        while r > 10.0 * scale:
            n_while += 1
            r = 0.5 * r
        t1 = r - 0.5 * scale
        out = scale * t1
    # ---- backward
    if taken:
        d_r, d_scale = r_1, 0.0
    else:
        # return scale * (r - 0.5 * scale)
        d_scale = t1 - scale * 0.5
        d_r = scale
        for _ in range(n_while):
            # r = 0.5 * r
            d_r *= 0.5
    # r = np.linalg.norm(x)
    d_x = d_r * x / (1.0 if r_1 == 0 else r_1)
    return out, (d_x, float(d_scale))
