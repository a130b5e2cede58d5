import numpy as np


# heat(u0: f8[n], alpha: float, steps: int) -> f8;  d/d(u0, alpha)
# kept in each iteration: lap_saved, u_saved  (8*max(0, n - 2) + 8*n bytes)
def heat_value_and_grad(u0, alpha, steps):
    # ---- forward
    u = u0.copy()
    lap_saved = []
    u_saved = np.empty((len(range(steps)), *u.shape))
    cost = 0.0
    for t in range(steps):
        lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
        lap_saved.append(lap)
        u[1:-1] += alpha * lap
        u_saved[t] = u
        cost += np.sum(u * u)
    # ---- backward
    d_u = np.zeros_like(u)
    d_alpha = 0.0
    for t in reversed(range(steps)):
        # cost += np.sum(u * u)
        d_u += 2.0 * u_saved[t]
        # u[1:-1] += alpha * lap
        d_u_part = d_u[1:-1]
        d_lap = d_u_part * alpha
        d_alpha += d_u_part @ lap_saved[t]
        # lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
        d_u[:-2] += d_lap
        d_u[1:-1] -= d_lap * 2.0
        d_u[2:] += d_lap
    return cost, (d_u, float(d_alpha))
