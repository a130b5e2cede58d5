import numpy as np


# upwind(u: f8[n], nu: float, dt: float, dx: float, steps: int) -> f8;  d/d(u, nu)
# kept in each iteration: u_saved, taken_saved, slope_saved, saved, steep_saved,
#     taken_saved_2, visc_saved, saved_2, saved_3, saved_4
def upwind_value_and_grad(u, nu, dt, dx, steps):
    # ---- forward
    n_loop = len(range(steps))
    u_saved = np.empty((n_loop, *u.shape))
    taken_saved = np.empty((n_loop, max(0, u.shape[0] - 2)), bool)
    slope_saved = np.empty((n_loop, max(0, u.shape[0] - 2)))
    saved = np.empty((n_loop, max(0, u.shape[0] - 2)))
    steep_saved = np.empty((n_loop, max(0, u.shape[0] - 2)))
    taken_saved_2 = np.empty((n_loop, max(0, u.shape[0] - 2)), bool)
    visc_saved = np.empty((n_loop, max(0, u.shape[0] - 2)))
    saved_2 = []
    saved_3 = np.empty((n_loop, max(0, u.shape[0] - 2)))
    saved_4 = np.empty((n_loop, max(0, u.shape[0] - 2)))
    for j in range(steps):
        u_saved[j] = u
        new = u.copy()
        saved_5 = [None] * (u.shape[0] - 2)
        for i in range(1, u.shape[0] - 1):
            taken = u[i] > 0.0
            taken_saved[j, i - 1] = taken
            slope = u[i] - u[i - 1] if taken else u[i + 1] - u[i]
            slope_saved[j, i - 1] = slope
            t1 = u[i + 1] - u[i - 1]
            saved[j, i - 1] = t1
            steep = abs(t1) / (2 * dx)
            steep_saved[j, i - 1] = steep
            taken = steep > 1.0
            taken_saved_2[j, i - 1] = taken
            if taken:
                taken = steep < 5.0
                saved_5[i - 1] = taken
                if taken:
                    visc = nu * (1 + steep)
                else:
                    visc = 6.0 * nu
            else:
                visc = nu
            visc_saved[j, i - 1] = visc
            t1 = u[i + 1] - 2 * u[i] + u[i - 1]
            saved_3[j, i - 1] = t1
            t2 = dx ** 2
            saved_4[j, i - 1] = t2
            new[i] -= dt * (u[i] * slope / dx - visc * t1 / t2)
        saved_2.append(saved_5)
        u = new
    out = np.sum(u ** 2)
    # ---- backward
    d_u = 2 * u
    d_nu = 0.0
    for j in reversed(range(steps)):
        u = u_saved[j]
        d_u_2 = np.zeros_like(u)
        for i in reversed(range(1, u.shape[0] - 1)):
            # new[i] -= dt * (u[i] * slope / dx - visc * (u[i + 1] - 2 * u[i] + u[i  ...
            t1 = d_u[i] * dt
            t2 = t1 / saved_4[j, i - 1]
            d_visc = t2 * saved_3[j, i - 1]
            t2 *= visc_saved[j, i - 1]
            d_u_2[i - 1] += t2
            d_u_2[i] -= t2 * 2
            d_u_2[i + 1] += t2
            t1 /= dx
            t2 = t1 * u[i]
            d_u_2[i] -= t1 * slope_saved[j, i - 1]
            if taken_saved_2[j, i - 1]:
                if saved_2[j][i - 1]:
                    # visc = nu * (1 + steep)
                    d_steep = d_visc * nu
                    d_nu += d_visc * (1 + steep_saved[j, i - 1])
                else:
                    # visc = 6.0 * nu
                    d_nu += d_visc * 6.0
                    d_steep = 0.0
            else:
                d_nu += d_visc
                d_steep = 0.0
            # steep = abs(u[i + 1] - u[i - 1]) / (2 * dx)
            t1 = d_steep / (2 * dx) * np.sign(saved[j, i - 1])
            d_u_2[i - 1] -= t1
            d_u_2[i + 1] += t1
            if taken_saved[j, i - 1]:
                # slope = u[i] - u[i - 1] if u[i] > 0.0 else u[i + 1] - u[i]
                d_u_2[i - 1] += t2
                d_u_2[i] -= t2
            else:
                d_u_2[i] += t2
                d_u_2[i + 1] -= t2
        # new = u.copy()
        d_u_2 += d_u
        d_u = d_u_2
    return out, (d_u, float(d_nu))
