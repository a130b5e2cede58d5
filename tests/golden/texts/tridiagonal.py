# tridiagonal(b: list[float], c: list[float], d: list[float]) -> f8;  d/d(b, c, d)
# kept in each iteration: m, t5  (16 bytes)
# kept in each iteration: saved_2  (8 bytes)
def tridiagonal_value_and_grad(b, c, d):
    # ---- forward
    n = len(b)
    cp = [0.0] * n
    dp = [0.0] * n
    t1 = b[0]
    t2 = c[0] / t1
    cp[0] = t2
    t3 = b[0]
    t4 = d[0] / t3
    dp[0] = t4
    kept = []
    for i in range(1, n):
        m = b[i] - cp[i - 1]
        cp[i] = c[i] / m
        t5 = (d[i] - dp[i - 1]) / m
        dp[i] = t5
        kept.append((m, t5))
    x = [0.0] * n
    x[-1] = dp[-1]
    t5 = n - 1 - 1
    saved_2 = []
    for i in range(t5, -1, -1):
        t6 = x[i + 1]
        saved_2.append(t6)
        x[i] = dp[i] - cp[i] * t6
    total = sum(x)
    # ---- backward
    # return sum(x)
    d_x = [1.0] * len(x)
    d_cp = [0.0] * len(cp)
    d_dp = [0.0] * len(dp)
    for i in range(t5 + 1):
        # x[i] = dp[i] - cp[i] * x[i + 1]
        t6 = d_x[i]
        d_x[i] = 0.0
        d_x[i + 1] -= t6 * cp[i]
        d_cp[i] -= t6 * saved_2[t5 - i]
        d_dp[i] += t6
    # x[-1] = dp[-1]
    d_dp[-1] += d_x[-1]
    d_d = [0.0] * len(d)
    d_c = [0.0] * len(c)
    d_b = [0.0] * len(b)
    for i in reversed(range(1, n)):
        m, t7 = kept[i - 1]
        # dp[i] = (d[i] - dp[i - 1]) / m
        t5 = d_dp[i]
        d_dp[i] = 0.0
        t5 /= m
        d_dp[i - 1] -= t5
        d_d[i] += t5
        # cp[i] = c[i] / m
        t6 = d_cp[i]
        d_cp[i] = 0.0
        t6 /= m
        d_m = -(t5 * t7) - t6 * (c[i] / m)
        d_c[i] += t6
        # m = b[i] - cp[i - 1]
        d_cp[i - 1] -= d_m
        d_b[i] += d_m
    # dp[0] = d[0] / b[0]
    t3 = d_dp[0] / t3
    d_b[0] -= t3 * t4
    d_d[0] += t3
    # cp[0] = c[0] / b[0]
    t1 = d_cp[0] / t1
    d_b[0] -= t1 * t2
    d_c[0] += t1
    return total, d_b, d_c, d_d
