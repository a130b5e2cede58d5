"""The earth: climate, water, soil, seismology."""

from __future__ import annotations

import numpy as np

CASES = []
R = np.random.default_rng(2)


def case(*arguments):
    def register(program):
        CASES.append((program, arguments))
        return program

    return register


@case(np.array([1361.0, 0.3, 0.61, 0.55]), 60)
def energy_balance(theta, years):
    names = ("solar", "albedo", "emissivity", "transport")
    p = dict(zip(names, theta))
    lat = np.linspace(-0.95, 0.95, 18)
    insolation = p["solar"] / 4 * (1.0 - 0.48 * 0.5 * (3 * lat ** 2 - 1))
    T = np.full(18, 280.0)
    for _ in range(years):
        alpha = np.where(T < 263.0, 0.6, p["albedo"])
        out = p["emissivity"] * 5.67e-8 * T ** 4
        T = T + 0.05 * (insolation * (1 - alpha) - out + p["transport"] * (T.mean() - T))
    return np.mean((T - 287.0) ** 2)


@case(np.array([120.0, 0.6, 0.05, 0.3]), R.gamma(0.5, 6.0, 200), R.uniform(1, 4, 200),
      R.gamma(1.0, 1.0, 200))
def bucket_model(params, rain, demand, observed):
    capacity, shape, k_slow, k_fast = params
    soil, slow, fast = 0.5 * capacity, 0.0, 0.0
    flow = []
    for r, e in zip(rain, demand):
        wet = (soil / capacity) ** shape
        excess = r * wet
        soil = soil + r - excess
        loss = min(e * soil / capacity, soil)
        soil -= loss
        if soil > capacity:
            excess += soil - capacity
            soil = capacity
        slow += 0.3 * excess
        fast += 0.7 * excess
        q = k_slow * slow + k_fast * fast
        slow -= k_slow * slow
        fast -= k_fast * fast
        flow.append(q)
    flow = np.array(flow)
    return 1.0 - np.sum((flow - observed) ** 2) / np.sum((observed - observed.mean()) ** 2)


@case(R.uniform(2.0, 4.0, (10, 12)), [(0, 0), (3, 4)], [(9, 11), (8, 2)])
def travel_times(velocity, sources, receivers):
    total = 0.0
    for sx, sz in sources:
        for rx, rz in receivers:
            t = 0.0
            for k in range(20):
                f = (k + 0.5) / 20
                x, z = sx + f * (rx - sx), sz + f * (rz - sz)
                i, j = min(int(x), 8), min(int(z), 10)
                a, b = x - i, z - j
                v = ((1 - a) * (1 - b) * velocity[i, j] + a * (1 - b) * velocity[i + 1, j]
                     + (1 - a) * b * velocity[i, j + 1] + a * b * velocity[i + 1, j + 1])
                t += 1.0 / v
            t *= np.hypot(rx - sx, rz - sz) / 20
            total += (t - 3.0) ** 2
    return total


@case(np.array([0.1, 0.4, 0.02, 1.5]), np.linspace(-3.0, -0.1, 30), 24)
def richards(theta, head, steps):
    names = ["theta_r", "theta_s", "alpha", "n"]
    p = dict(zip(names, theta))
    m = 1 - 1 / p["n"]
    h = head.copy()
    for _ in range(steps):
        s = (1 + (p["alpha"] * np.abs(h)) ** p["n"]) ** (-m)
        k = np.sqrt(s) * (1 - (1 - s ** (1 / m)) ** m) ** 2
        k_mid = 0.5 * (k[1:] + k[:-1])
        flux = -k_mid * (np.diff(h) / 0.1 + 1)
        h[1:-1] -= 0.001 * np.diff(flux)
        h[0] = h[1]
    water = p["theta_r"] + (p["theta_s"] - p["theta_r"]) * s
    return np.sum(water) * 0.1


@case(R.normal(size=(16, 16)), R.normal(size=(16, 16)), 8)
def shallow_water(h0, u0, steps):
    g, dt, dx = 9.8, 0.01, 1.0
    h = 10.0 + 0.1 * h0
    u = 0.1 * u0
    v = np.zeros_like(u)

    def ddx(f):
        return (np.roll(f, -1, axis=1) - np.roll(f, 1, axis=1)) / (2 * dx)

    def ddy(f):
        return (np.roll(f, -1, axis=0) - np.roll(f, 1, axis=0)) / (2 * dx)

    for _ in range(steps):
        u_new = u - dt * (u * ddx(u) + v * ddy(u) + g * ddx(h))
        v_new = v - dt * (u * ddx(v) + v * ddy(v) + g * ddy(h))
        h = h - dt * (ddx(h * u) + ddy(h * v))
        u, v = u_new, v_new
    return np.mean(h ** 2) + np.mean(u ** 2 + v ** 2)


@case(R.uniform(10, 100, 5), R.uniform(1, 8, 4), np.logspace(-2, 2, 15))
def magnetotelluric(rho, thickness, periods):
    mu = 4e-7 * np.pi
    misfit = 0.0
    for T in periods:
        omega = 2 * np.pi / T
        Z = np.sqrt(1j * omega * mu * rho[-1])
        for k in range(len(thickness) - 1, -1, -1):
            dj = np.sqrt(1j * omega * mu / rho[k])
            wj = dj * rho[k]
            ej = np.exp(-2 * thickness[k] * 1e3 * dj)
            re = (wj - Z) / (wj + Z)
            Z = wj * (1 - re * ej) / (1 + re * ej)
        apparent = abs(Z) ** 2 / (mu * omega)
        misfit += (np.log10(apparent) - 1.5) ** 2
    return misfit


@case(R.normal(size=40), np.array([0.6, 0.3]), 0.2)
def glacier(bed, smb, slide):
    thickness = np.maximum(0.0, 1.0 - np.linspace(0, 1.4, 40) ** 2)
    for step in range(15):
        surface = 0.05 * bed + thickness
        slope = np.diff(surface)
        mid = 0.5 * (thickness[1:] + thickness[:-1])
        D = 2.0 / 5.0 * mid ** 5 * slope ** 2 + slide * mid
        flux = np.zeros(41)
        flux[1:-1] = -D * slope
        rate = smb[0] - smb[1] * step / 15
        thickness = np.maximum(thickness - 0.1 * np.diff(flux) + 0.01 * rate, 0.0)
    return np.sum(thickness)
