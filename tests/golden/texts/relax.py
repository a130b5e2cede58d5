import numpy as np


# relax(u: f8[n], f: f8[m], sweeps: int) -> f8;  d/d(u, f)
def relax_value_and_grad(u, f, sweeps):
    # ---- forward
    un = u.copy()
    for _ in range(sweeps):
        un[1:-1] = 0.5 * (u[2:] + u[:-2] - f[1:-1])
        u, un = un, u
    out = np.sum(u * u)
    # ---- backward
    # return np.sum(u * u)
    d_u = 2.0 * u
    d_un, d_f = np.zeros_like(un), np.zeros_like(f)
    for _ in range(sweeps):
        # un[1:-1] = 0.5 * (u[2:] + u[:-2] - f[1:-1])
        t1 = d_u[1:-1] * 0.5
        d_u[1:-1] = 0.0
        d_f[1:-1] -= t1
        d_un[:-2] += t1
        d_un[2:] += t1
        d_u, d_un = d_un, d_u
    # un = u.copy()
    d_u += d_un
    return out, (d_u, d_f)
