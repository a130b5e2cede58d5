"""Physics: optics, fields, molecules, waves."""

from __future__ import annotations

import numpy as np

CASES = []
R = np.random.default_rng(1)


def case(*arguments):
    def register(program):
        CASES.append((program, arguments))
        return program

    return register


@case(np.array([0.02, -0.015, 0.01]), np.array([1.0, 0.4, 5.0]), np.linspace(0.1, 1.0, 12))
def lens_system(curvatures, distances, heights):
    indices = (1.0, 1.5168, 1.62, 1.0)
    spread = 0.0
    for h in heights:
        y, slope, z = h, 0.0, 0.0
        lost = False
        for k in range(3):
            c = curvatures[k]
            sag = c * y * y / (1.0 + np.sqrt(1.0 - (c * y) ** 2))
            angle = np.arctan(slope)
            normal = np.arcsin(c * y)
            ratio = indices[k] / indices[k + 1]
            s = ratio * np.sin(angle + normal)
            if abs(s) > 1.0:
                lost = True
                break
            slope = np.tan(np.arcsin(s) - normal)
            y = y + slope * (distances[k] - sag)
            z = z + distances[k]
        if lost:
            spread += 1.0
        else:
            spread += y * y
    return spread / len(heights)


@case(R.normal(size=(6, 3)) * 1.5, 9.0)
def lennard_jones(positions, box):
    n = len(positions)
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            for ox in (-1, 0, 1):
                for oy in (-1, 0, 1):
                    d = positions[i] - positions[j] + np.array([ox * box, oy * box, 0.0])
                    r2 = d @ d
                    if r2 < 16.0 and r2 > 0.01:
                        s6 = (1.0 / r2) ** 3
                        energy += 4.0 * (s6 * s6 - s6)
    return energy


@case(R.normal(size=(24, 24)), 0.44, 0.1)
def ising_field(phi, coupling, mass):
    action = 0.0
    for axis in (0, 1):
        action -= coupling * np.sum(phi * np.roll(phi, 1, axis=axis))
    action += np.sum(0.5 * mass * phi ** 2 + 0.25 * phi ** 4)
    padded = np.pad(phi, 1, mode="wrap")
    lap = (padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2]
           - 4.0 * phi)
    return action + 0.01 * np.sum(lap ** 2)


@case(R.normal(size=(20, 20)), 0.2, 20)
def wave_equation(u0, c, steps):
    u_prev = u0.copy()
    u = u0.copy()
    energy = 0.0
    for _ in range(steps):
        lap = np.zeros_like(u)
        lap[1:-1, 1:-1] = (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
                           - 4.0 * u[1:-1, 1:-1])
        u_next = 2.0 * u - u_prev + c * c * lap
        u_next[0, :] = 0.0
        u_next[-1, :] = 0.0
        u_prev, u = u, u_next
        energy += np.mean((u - u_prev) ** 2)
    return energy


@case(np.array([1.0, 0.0, 0.0, 0.9]), 0.05, 60)
def kepler_orbit(state, dt, steps):
    def acceleration(q):
        return -q / np.sum(q * q) ** 1.5

    q, p = state[:2], state[2:]
    path = []
    for _ in range(steps):
        p = p + 0.5 * dt * acceleration(q)
        q = q + dt * p
        p = p + 0.5 * dt * acceleration(q)
        path.append(q)
    path = np.array(path)
    radius = np.sqrt(np.sum(path ** 2, axis=1))
    return np.var(radius) + 0.5 * p @ p - 1.0 / radius[-1]


@case(R.uniform(0.5, 2.0, size=16), 1.1)
def schroedinger_levels(potential, mass):
    n = len(potential)
    dx = 1.0 / (n + 1)
    H = np.diag(potential)
    for i in range(n):
        H[i, i] += 1.0 / (mass * dx ** 2)
        if i > 0:
            H[i, i - 1] = -0.5 / (mass * dx ** 2)
            H[i - 1, i] = -0.5 / (mass * dx ** 2)
    levels, states = np.linalg.eigh(H)
    filled = states[:, :3]
    density = np.sum(filled ** 2, axis=1)
    return np.sum(levels[:3]) + 0.5 * np.sum(density ** 2) / dx


@case(np.array([1.5, 2.1, 1.38]), np.array([0.12, 0.08, 0.1]), np.linspace(0.4, 0.8, 20))
def thin_film(n_layers, d_layers, wavelengths):
    total = 0.0
    for lam in wavelengths:
        M = np.eye(2, dtype=complex)
        for n, d in zip(n_layers, d_layers):
            delta = 2 * np.pi * n * d / lam
            layer = np.array([[np.cos(delta), 1j * np.sin(delta) / n],
                              [1j * n * np.sin(delta), np.cos(delta)]])
            M = M @ layer
        B = M[0, 0] + M[0, 1] * 1.52
        C = M[1, 0] + M[1, 1] * 1.52
        r = (B - C) / (B + C)
        total += abs(r) ** 2
    return total / len(wavelengths)


@case(np.concatenate([np.full(20, 1.0), np.full(20, 0.2)]), 0.1, 25)
def shock_tube(rho0, cfl, steps):
    gamma = 1.4
    rho = rho0.copy()
    mom = np.zeros_like(rho)
    ene = rho0 / (gamma - 1.0)
    for _ in range(steps):
        u = mom / rho
        p = (gamma - 1.0) * (ene - 0.5 * rho * u ** 2)
        c = np.sqrt(gamma * p / rho)
        a = np.maximum(np.abs(u[1:]) + c[1:], np.abs(u[:-1]) + c[:-1])
        new = []
        for q, f in ((rho, mom), (mom, mom * u + p), (ene, u * (ene + p))):
            flux = 0.5 * (f[1:] + f[:-1]) - 0.5 * a * (q[1:] - q[:-1])
            q = q.copy()
            q[1:-1] -= cfl * (flux[1:] - flux[:-1])
            new.append(q)
        rho, mom, ene = new
    return np.sum(rho ** 2) + np.sum(mom ** 2) + np.sum(ene)
