import numpy as np


# springs(x: f8[n], links_a: list[int], links_b: list[int], links_k: list[float],
#     links_length: list[float]) -> f8;  d/dx
def springs_value_and_grad(x, links_a, links_b, links_k, links_length):
    # ---- forward
    t1 = len(links_a)
    e = 0.0
    for i, t2 in enumerate(links_a):
        t3 = links_b[i]
        t4 = links_k[i]
        t5 = links_length[i]
        d = abs(x[t3] - x[t2])
        e += 0.5 * t4 * (d - t5) ** 2
    # ---- backward
    d_x = np.zeros_like(x)
    for i in reversed(range(t1)):
        t1 = links_a[i]
        t2 = links_b[i]
        t3 = x[t2] - x[t1]
        # e += 0.5 * s.k * (d - s.length) ** 2
        # d = abs(x[s.b] - x[s.a])
        t3 = links_k[i] * (abs(t3) - links_length[i]) * np.sign(t3)
        d_x[t1] -= t3
        d_x[t2] += t3
    return e, d_x
