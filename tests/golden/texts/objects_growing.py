import numpy as np


# growing(x: f8[n], limit: int) -> f8;  d/dx
# kept in each iteration: k, taken  (9 bytes)
def growing_value_and_grad(x, limit):
    # ---- forward
    x_2 = x[0]
    v = x[1]
    kept, particle_x, particle_v, particle_m = [], [x_2], [v], [1.0]
    k = 0
    while len(particle_x) < limit:
        particle_x[k] += 0.1 * particle_v[k]
        particle_x.append(particle_x[k] * 0.9)
        particle_v.append(particle_v[k] + 0.1 * particle_m[k])
        particle_m.append(particle_m[k] * 0.5)
        taken = particle_x[k] * particle_v[k] > 0.3
        if taken:
            particle_x.append(-particle_x[k])
            particle_v.append(0.5 * particle_v[k])
            particle_m.append(particle_m[k])
        kept.append((k, taken))
        k += 1
    t1 = [particle_x[i] * particle_v[i] * particle_m[i] for i in range(len(particle_x))]
    total = sum(t1)
    # ---- backward
    # return sum(q.x * q.v * q.m for q in cloud)
    d_particle_v = [0.0] * len(particle_v)
    d_particle_x = [0.0] * len(particle_x)
    for i in reversed(range(len(particle_x))):
        t1 = particle_m[i]
        d_particle_v[i] += t1 * particle_x[i]
        d_particle_x[i] += t1 * particle_v[i]
    for k, taken in reversed(kept):
        if taken:
            # cloud.append(Particle(-p.x, 0.5 * p.v, p.m))
            d_v = d_particle_v.pop()
            d_x = d_particle_x.pop()
            d_particle_v[k] += d_v * 0.5
            d_particle_x[k] -= d_x
        # cloud.append(Particle(p.x * 0.9, p.v + 0.1 * p.m, p.m * 0.5))
        d_v = d_particle_v.pop()
        d_x = d_particle_x.pop()
        d_particle_v[k] += d_v
        d_particle_x[k] += d_x * 0.9
        # p.x += 0.1 * p.v
        d_particle_v[k] += d_particle_x[k] * 0.1
    # cloud = [Particle(x[0], x[1], 1.0)]
    d_x = np.zeros_like(x)
    d_x[1] = d_particle_v[0]
    d_x[0] = d_particle_x[0]
    return total, d_x
