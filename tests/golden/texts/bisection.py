# bisection(f0: float, target: float) -> float;  d/d(f0, target)
# kept in each iteration: taken_saved  (8 bytes)
def bisection_value_and_grad(f0, target):
    # ---- forward
    n_while = 0
    taken_saved = []
    low = 0.0
    high = f0
    while high - low > 0.001:
        n_while += 1
        middle = 0.5 * (low + high)
        taken = middle * middle < target
        taken_saved.append(taken)
        if taken:
            low = middle
        else:
            high = middle
    t1 = 2.0 * low
    t2 = (target - low * low) / t1
    out = low + t2
    # ---- backward
    # return low + (target - low * low) / (2.0 * low)
    d_target = 1.0 / t1
    d_out = 1.0 - t2 / t1 * 2.0 - 2.0 * d_target * low
    d_low = d_out
    d_high = 0.0
    for i in reversed(range(n_while)):
        if taken_saved[i]:
            d_middle, d_low = d_low, 0.0
        else:
            d_middle, d_high = d_high, 0.0
        # middle = 0.5 * (low + high)
        t1 = d_middle * 0.5
        d_low += t1
        d_high += t1
    return out, (float(d_high), float(d_target))
