import numpy as np


# upwind(u: f8[n], nu: float, dt: float, dx: float, steps: int) -> f8;  d/d(u, nu)
# kept in each iteration: u_saved, slope_saved, taken_saved, visc_saved, saved, saved_2
def upwind_value_and_grad(u, nu, dt, dx, steps):
    # ---- forward
    n_loop = len(range(steps))
    saved = []
    u_saved = np.empty((n_loop, *u.shape))
    slope_saved, visc_saved = np.empty((2, n_loop, max(0, u.shape[0] - 2)))
    saved_2 = np.empty((n_loop, max(0, u.shape[0] - 2)))
    taken_saved = np.empty((n_loop, max(0, u.shape[0] - 2)), bool)
    for j in range(steps):
        u_saved[j] = u
        new = u.copy()
        saved_3 = [None] * (u.shape[0] - 2)
        for i in range(1, u.shape[0] - 1):
            slope = u[i] - u[i - 1] if u[i] > 0.0 else u[i + 1] - u[i]
            slope_saved[j, i - 1] = slope
            steep = abs(u[i + 1] - u[i - 1]) / (2 * dx)
            taken = taken_saved[j, i - 1] = steep > 1.0
            if taken:
                taken = saved_3[i - 1] = steep < 5.0
                if taken:
                    t1 = saved_2[j, i - 1] = 1 + steep
                    visc = nu * t1
                else:
                    visc = 6.0 * nu
            else:
                visc = nu
            visc_saved[j, i - 1] = visc
            new[i] -= (dt
                       * (u[i] * slope / dx
                          - visc * (u[i + 1] - 2 * u[i] + u[i - 1]) / dx ** 2))
        saved.append(saved_3)
        u = new
    out = np.sum(u ** 2)
    # ---- backward
    d_u = 2 * u
    d_nu = 0.0
    for j in reversed(range(steps)):
        u = u_saved[j]
        d_u_2 = np.zeros_like(u)
        for i in reversed(range(1, u.shape[0] - 1)):
            u_i = u[i]
            t1 = i + 1
            t2 = i - 1
            u_t1 = u[t1]
            u_t2 = u[t2]
            # new[i] -= dt * (u[i] * slope / dx - visc * (u[i + 1] - 2 * u[i] + u[i  ...
            t3 = d_u[i] * dt
            t4 = t3 / dx ** 2
            d_visc = t4 * (u_t1 - 2 * u_i + u_t2)
            t4 *= visc_saved[j, i - 1]
            d_u_2[t2] += t4
            t3 /= dx
            t5 = t3 * u_i
            d_u_2[i] -= t4 * 2 + t3 * slope_saved[j, i - 1]
            d_u_2[t1] += t4
            if taken_saved[j, i - 1]:
                if saved[j][i - 1]:
                    # visc = nu * (1 + steep)
                    d_nu += d_visc * saved_2[j, i - 1]
                    # steep = abs(u[i + 1] - u[i - 1]) / (2 * dx)
                    t3 = d_visc * nu / (2 * dx) * np.sign(u_t1 - u_t2)
                    d_u_2[t2] -= t3
                    d_u_2[t1] += t3
                else:
                    # visc = 6.0 * nu
                    d_nu += d_visc * 6.0
            else:
                d_nu += d_visc
            if u_i > 0.0:
                # slope = u[i] - u[i - 1] if u[i] > 0.0 else u[i + 1] - u[i]
                d_u_2[t2] += t5
                d_u_2[i] -= t5
            else:
                d_u_2[i] += t5
                d_u_2[t1] -= t5
        # new = u.copy()
        d_u_2 += d_u
        d_u = d_u_2
    return out, (d_u, float(d_nu))
