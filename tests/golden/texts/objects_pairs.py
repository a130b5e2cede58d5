import math
import numpy as np


# pairs(theta: float, n: int, steps: int) -> f8;  d/dtheta
# kept in each iteration: d_saved  (8*max(0, n)**2 bytes)
def pairs_value_and_grad(theta, n, steps):
    # ---- forward
    particle_x, particle_v, particle_m = [], [], []
    for i in range(n):
        particle_x.append(math.sin(i * theta))
        particle_v.append(0.1 * theta * i / n)
        particle_m.append(1.0 + 0.01 * i)
    d_saved = np.empty((len(range(steps)), max(0, n), max(0, n)))
    for k in range(steps):
        for i in range(n):
            force = 0.0
            for j in range(n):
                if i != j:
                    d = d_saved[k, i, j] = particle_x[j] - particle_x[i]
                    force += particle_m[j] * d / (d * d + 0.1) ** 1.5
            particle_v[i] += 0.01 * force
        for k_2 in range(len(particle_m)):
            particle_x[k_2] += 0.01 * particle_v[k_2]
    t1 = [particle_m[k] * particle_v[k] ** 2 for k in range(len(particle_m))]
    total = sum(t1)
    # ---- backward
    # return sum(p.m * p.v ** 2 for p in ps)
    d_particle_v = [0.0] * len(particle_v)
    for k in reversed(range(len(particle_m))):
        d_particle_v[k] += particle_m[k] * (2 * particle_v[k])
    d_particle_x = [0.0] * len(particle_x)
    for k in reversed(range(steps)):
        for k_2 in reversed(range(len(particle_m))):
            # p.x += 0.01 * p.v
            d_particle_v[k_2] += d_particle_x[k_2] * 0.01
        for i in reversed(range(n)):
            # ps[i].v += 0.01 * force
            d_force = d_particle_v[i] * 0.01
            for j in reversed(range(n)):
                d = d_saved.item(k, i, j)
                if i != j:
                    t1 = particle_m[j]
                    t2 = d * d + 0.1
                    t3 = t2 ** 1.5
                    # force += ps[j].m * d / (d * d + 0.1) ** 1.5
                    t4 = d_force / t3
                    d_d = -3.0 * t4 * (t1 * d / t3) * math.pow(t2, 0.5) * d + t4 * t1
                    # d = ps[j].x - ps[i].x
                    d_particle_x[i] -= d_d
                    d_particle_x[j] += d_d
    # ps = [Particle(math.sin(i * theta), 0.1 * theta * i / n, 1.0 + 0.01 * i) for i ...
    d_theta = 0.0
    for i in reversed(range(n)):
        d_theta += d_particle_v[i] / n * i * 0.1
        d_theta += d_particle_x[i] * math.cos(i * theta) * i
    return total, float(d_theta)
