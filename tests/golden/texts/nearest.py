import numpy as np


# nearest(points: f8[n,m], centers: f8[k,p]) -> f8;  d/dpoints
# kept in each iteration: k_saved  (8 bytes)
def nearest_value_and_grad(points, centers):
    # ---- forward
    sums = np.zeros_like(centers)
    k_saved = []
    for p in points:
        if centers.shape[0] == 0:
            raise ValueError('min() iterable argument is empty')
        best_key = np.sum((p - centers[0]) ** 2)
        k = 0
        for k_2 in range(1, centers.shape[0]):
            best_key_2 = np.sum((p - centers[k_2]) ** 2)
            if best_key_2 < best_key:
                k, best_key = k_2, best_key_2
        k_saved.append(k)
        sums[k] += p
    t1 = []
    d_sums, d_points = np.zeros_like(sums), np.zeros_like(points)
    for i, p in enumerate(points):
        t2 = [np.sum((p - c) ** 2) for c in sums]
        least = min(range(len(t2)), key=t2.__getitem__)
        t1.append(t2[least])
        # ---- backward
        # return sum(min(np.sum((p - c) ** 2) for c in sums) for p in points)
        t2 = [0.0] * centers.shape[0]
        t2[least] += 1.0
        d_p = np.zeros_like(p)
        for i_2 in reversed(range(centers.shape[0])):
            t3 = 2 * t2[i_2] * (p - sums[i_2])
            d_p += t3
            d_sums[i_2] -= t3
        d_points[i] = d_p
    total = sum(t1)
    # ---- backward
    for i in reversed(range(points.shape[0])):
        # sums[k] += p
        d_points[i] += d_sums[k_saved[i]]
    return total, (d_points,)
