import numpy as np


# garch(theta: f8[3], returns: f8[m]) -> f8;  d/dtheta
# kept in each iteration: variance_saved  (8 bytes)
def garch_value_and_grad(theta, returns):
    # ---- forward
    omega, alpha, beta = theta
    variance = np.mean(returns ** 2)
    variance_saved = np.empty(returns.shape[0])
    total = 0.0
    for i, r in enumerate(returns):
        variance_saved[i] = variance
        total += np.log(variance) + r * r / variance
        news = alpha * r * r
        if r < 0.0:
            news *= 1.5
        variance = omega + news + beta * variance
    # ---- backward
    d_variance = d_beta = d_omega = d_alpha = 0.0
    for i in reversed(range(returns.shape[0])):
        variance = variance_saved[i]
        r = returns[i]
        # variance = omega + news + beta * variance
        d_beta += d_variance * variance
        d_omega += d_variance
        if r < 0.0:
            # news *= 1.5
            d_news = d_variance * 1.5
        else:
            d_news = d_variance
        # news = alpha * r * r
        d_alpha += d_news * r * r
        # total += np.log(variance) + r * r / variance
        d_variance = d_variance * beta - r * r / variance / variance + 1.0 / variance
    # omega, alpha, beta = theta
    d_theta = np.array([d_omega, d_alpha, d_beta])
    return total, (d_theta,)
