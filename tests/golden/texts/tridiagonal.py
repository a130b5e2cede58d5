# tridiagonal(b_0: float, b_1: float, b_2: float, b_3: float, c_0: float, c_1: float,
#     c_2: float, c_3: float, d_0: float, d_1: float, d_2: float, d_3: float) -> f8;
#     d/d(b, c, d)
# kept in each iteration: m, t1  (16 bytes)
# kept in each iteration: saved_2  (8 bytes)
def tridiagonal_value_and_grad(b_0, b_1, b_2, b_3, c_0, c_1, c_2, c_3, d_0, d_1, d_2,
                               d_3):
    # ---- forward
    cp_0 = c_0 / b_0
    dp_0 = d_0 / b_0
    b = [b_0, b_1, b_2, b_3]
    cp = [cp_0, 0.0, 0.0, 0.0]
    c = [c_0, c_1, c_2, c_3]
    d = [d_0, d_1, d_2, d_3]
    dp = [dp_0, 0.0, 0.0, 0.0]
    kept = []
    for i in range(1, 4):
        m = b[i] - cp[i - 1]
        cp[i] = c[i] / m
        t1 = (d[i] - dp[i - 1]) / m
        dp[i] = t1
        kept.append((m, t1))
    x = dp[-1]
    x = [0.0, 0.0, 0.0, x]
    saved_2 = []
    for i in range(2, -1, -1):
        t1 = x[i + 1]
        saved_2.append(t1)
        x[i] = dp[i] - cp[i] * t1
    total = sum(x)
    # ---- backward
    # return sum(x)
    d_x = [1.0] * len(x)
    d_cp = [0.0] * len(cp)
    d_dp = [0.0] * len(dp)
    for i in range(3):
        # x[i] = dp[i] - cp[i] * x[i + 1]
        t1 = d_x[i]
        d_x[i] = 0.0
        d_x[i + 1] -= t1 * cp[i]
        d_cp[i] -= t1 * saved_2[2 - i]
        d_dp[i] += t1
    d_x = d_x[3]
    # x[-1] = dp[-1]
    d_dp[-1] += d_x
    d_d = [0.0] * len(d)
    d_c = [0.0] * len(c)
    d_b = [0.0] * len(b)
    for i in reversed(range(1, 4)):
        m, t3 = kept[i - 1]
        # dp[i] = (d[i] - dp[i - 1]) / m
        t1 = d_dp[i]
        d_dp[i] = 0.0
        t1 /= m
        d_dp[i - 1] -= t1
        d_d[i] += t1
        # cp[i] = c[i] / m
        t2 = d_cp[i]
        d_cp[i] = 0.0
        t2 /= m
        d_m = -(t1 * t3) - t2 * (c[i] / m)
        d_c[i] += t2
        # m = b[i] - cp[i - 1]
        d_cp[i - 1] -= d_m
        d_b[i] += d_m
    # dp[i] = (d[i] - dp[i - 1]) / m
    d_dp_0 = d_dp[0]
    d_d_0 = d_d[0]
    # cp[i] = c[i] / m
    d_c_0 = d_c[0]
    # m = b[i] - cp[i - 1]
    d_cp_0 = d_cp[0]
    d_b_0 = d_b[0]
    # dp[0] = d[0] / b[0]
    t1 = d_dp_0 / b_0
    d_d_0 += t1
    # cp[0] = c[0] / b[0]
    t2 = d_cp_0 / b_0
    d_c_0 += t2
    d_b_0 = d_b_0 - t1 * dp_0 - t2 * cp_0
    return total, ([float(d_b_0), float(d_b[1]), float(d_b[2]), float(d_b[3])],
                   [float(d_c_0), float(d_c[1]), float(d_c[2]), float(d_c[3])],
                   [float(d_d_0), float(d_d[1]), float(d_d[2]), float(d_d[3])])
