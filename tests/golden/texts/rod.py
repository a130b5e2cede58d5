import numpy as np


# rod(alpha: float, steps: int, u_0: float, u_1: float, u_2: float, u_3: float, u_4:
#     float) -> f8;  d/d(alpha, u)
# kept in each iteration: saved  (24 bytes)
def rod_value_and_grad(alpha, steps, u_0, u_1, u_2, u_3, u_4):
    # ---- forward
    u = [u_0, u_1, u_2, u_3, u_4]
    saved = np.empty((len(range(steps)), 3))
    for j in range(steps):
        new = u[:]
        for i in range(1, 4):
            t1 = saved[j, i - 1] = u[i + 1] - 2 * u[i] + u[i - 1]
            new[i] = u[i] + alpha * t1
        u = new
    t1 = [v ** 2 for v in u]
    total = sum(t1)
    # ---- backward
    # return sum(v ** 2 for v in u)
    d_u = [0.0] * len(u)
    for j in reversed(range(len(u))):
        d_u[j] += 2 * u[j]
    d_alpha = 0.0
    for j in reversed(range(steps)):
        d_new = d_u
        d_u = [0.0] * 5
        for i in reversed(range(1, 4)):
            # new[i] = u[i] + alpha * (u[i + 1] - 2 * u[i] + u[i - 1])
            t1 = d_new[i]
            d_new[i] = 0.0
            t2 = t1 * alpha
            d_alpha += t1 * saved.item(j, i - 1)
            d_u[i - 1] += t2
            d_u[i] -= t2 * 2
            d_u[i + 1] += t2
            d_u[i] += t1
        # new = u[:]
        d_u = [a + b for a, b in zip(d_u, d_new)]
    return total, (float(d_alpha),
                   [float(d_u[0]), float(d_u[1]), float(d_u[2]), float(d_u[3]),
                    float(d_u[4])])
