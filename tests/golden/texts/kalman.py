import numpy as np


# kalman(a: float, q: float, r: float, observed: f8[n]) -> f8;  d/d(a, q, r)
# kept in each iteration: spread, mean  (16 bytes)
def kalman_value_and_grad(a, q, r, observed):
    # ---- forward
    kept = []
    mean, spread, score = 0.0, 1.0, 0.0
    for y in observed:
        kept.append((spread, mean))
        mean = a * mean
        t1 = a * a
        spread = t1 * spread + q
        error = y - mean
        total = spread + r
        gain = spread / total
        mean = mean + gain * error
        spread = (1.0 - gain) * spread
        score += np.log(total) + error * error / total
    # ---- backward
    d_mean = d_spread = d_r = d_q = d_a = 0.0
    for i in reversed(range(observed.shape[0])):
        spread, mean = kept[i]
        spread_2 = t1 * spread + q
        error = observed[i] - a * mean
        total = spread_2 + r
        gain = spread_2 / total
        # score += np.log(total) + error * error / total
        t2 = 1.0 / total
        d_total = t2 - error * error / total / total
        # mean = mean + gain * error
        d_error = 2.0 * t2 * error + d_mean * gain
        # spread = (1.0 - gain) * spread
        # gain = spread / total
        t2 = (d_mean * error - d_spread * spread_2) / total
        d_total -= t2 * gain
        # total = spread + r
        d_spread_2 = d_spread * (1.0 - gain) + t2 + d_total
        d_r += d_total
        # error = y - mean
        d_mean -= d_error
        # spread = a * a * spread + q
        d_q += d_spread_2
        d_spread = d_spread_2 * t1
        # mean = a * mean
        d_a += 2.0 * a * (d_spread_2 * spread) + d_mean * mean
        d_mean = d_mean * a
    return score, (float(d_a), float(d_q), float(d_r))
