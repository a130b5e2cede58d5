import numpy as np


# kalman(a: float, q: float, r: float, observed: f8[n]) -> f8;  d/d(a, q, r)
# kept in each iteration: total_saved, saved, error_saved, spread_saved, spread_saved_2,
#     mean_saved  (48 bytes)
def kalman_value_and_grad(a, q, r, observed, d_score=1.0):
    # ---- forward
    total_saved = []
    saved = []
    error_saved = []
    spread_saved = []
    spread_saved_2 = []
    mean_saved = []
    mean = 0.0
    spread = 1.0
    score = 0.0
    for i in range(observed.shape[0]):
        spread_saved_2.append(spread)
        mean_saved.append(mean)
        y = observed[i]
        mean = a * mean
        spread = a * a * spread + q
        spread_saved.append(spread)
        error = y - mean
        error_saved.append(error)
        total = spread + r
        total_saved.append(total)
        gain = spread / total
        mean = mean + gain * error
        spread = (1.0 - gain) * spread
        t1 = error * error / total
        saved.append(t1)
        score += np.log(total) + t1
    # ---- backward
    d_mean = 0.0
    d_spread = 0.0
    d_r = 0.0
    d_q = 0.0
    d_a = 0.0
    for i in reversed(range(observed.shape[0])):
        total = total_saved[i]
        error = error_saved[i]
        spread = spread_saved[i]
        gain = spread / total
        # score += np.log(total) + error * error / total
        t1 = d_score / total
        d_total = -(t1 * saved[i])
        d_error = 2.0 * t1 * error
        d_total += t1
        # spread = (1.0 - gain) * spread
        d_spread_2 = d_spread * (1.0 - gain)
        d_gain = -(d_spread * spread)
        # mean = mean + gain * error
        d_gain += d_mean * error
        d_error += d_mean * gain
        # gain = spread / total
        t1 = d_gain / total
        d_spread_2 += t1
        d_total -= t1 * gain
        # total = spread + r
        d_spread_2 += d_total
        d_r += d_total
        # error = y - mean
        d_mean -= d_error
        # spread = a * a * spread + q
        d_q += d_spread_2
        d_spread = d_spread_2 * (a * a)
        d_a += 2.0 * a * (d_spread_2 * spread_saved_2[i])
        # mean = a * mean
        d_mean_2 = d_mean * a
        d_a += d_mean * mean_saved[i]
        d_mean = d_mean_2
    return score, (float(d_a), float(d_q), float(d_r))
