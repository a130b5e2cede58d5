"""As found in real code: imports, NumPy idioms, numbers."""

from __future__ import annotations

import math
import warnings
from bisect import bisect, bisect_left, bisect_right, insort

import numpy
import numpy as np
from numpy import arange, cos, dot, exp, linspace, sin, sqrt, sum, zeros
from numpy.lib.stride_tricks import as_strided
from numpy.linalg import norm, solve
from table import construct

RNG = np.random.default_rng(7)
R = RNG.normal
U = RNG.uniform


@construct("`from numpy import dot, zeros`", R(size=5), 0.4)
def legendre_fit(y, damping):
    x = linspace(-1, 1, 5)
    P = zeros((4, 5))
    P[0], P[1] = 1.0, x
    for k in arange(2, 4):
        P[k] = ((2 * k - 1) * x * P[k - 1] - (k - 1) * P[k - 2]) / k
    c = solve(dot(P, P.T) + damping * numpy.eye(4), dot(P, y))
    left = y - dot(c, P)
    return sum(left ** 2) + norm(c) if left[0] > 0 else sqrt(sum(c ** 2))


@construct("`from numpy import dot, zeros`", R(size=4), R(size=(4, 4)))
def conjugate_directions(b, A):
    A = dot(A, A.T) + 4 * numpy.identity(4)
    x, r = zeros(4), b.copy()
    p = r
    for _ in range(3):
        Ap = dot(A, p)
        a = dot(r, r) / dot(p, Ap)
        x = x + a * p
        new = r - a * Ap
        if sqrt(dot(new, new)) < 1e-10:
            break
        p = new + dot(new, new) / dot(r, r) * p
        r = new
    return sum(x) + dot(x, b)


@construct("`from numpy import dot, zeros`", R(size=3), 0.1)
def pendulum_chain(theta, dt):
    omega = zeros(theta.shape)
    for _ in range(4):
        torque = -sin(theta)
        torque[1:] += cos(theta[1:] - theta[:-1]) * omega[:-1] ** 2
        omega += dt * torque
        theta += dt * omega
    return dot(omega, omega) + sum(exp(-theta ** 2))


@construct("`import numpy`", R(size=(3, 3)))
def condition_by_powers(A):
    M = numpy.dot(A.T, A)
    v = numpy.ones(3)
    for _ in range(6):
        v = numpy.dot(M, v)
        v /= numpy.linalg.norm(v)
    largest = numpy.dot(v, numpy.dot(M, v))
    return numpy.trace(M) / largest + numpy.abs(v).max()


@construct("`import numpy`", U(0.1, 1, 6), 2.0)
def renyi_entropy(p, order):
    p = p / numpy.sum(p)
    if numpy.isclose(order, 1.0):
        return -numpy.sum(p * numpy.log(p))
    moments = numpy.empty(3)
    for k in range(3):
        moments[k] = numpy.sum(p ** (order + k))
    return numpy.log(moments[0]) / (1.0 - order) + numpy.prod(moments)


@construct("`import numpy`", R(size=8))
def haar_transform(x):
    out = numpy.array(x, dtype=float)
    n = len(x)
    while n > 1:
        half = n // 2
        low = (out[:n:2] + out[1:n:2]) / numpy.sqrt(2.0)
        high = (out[:n:2] - out[1:n:2]) / numpy.sqrt(2.0)
        out[:half], out[half:n] = low, numpy.where(numpy.abs(high) > 0.3, high, 0.0)
        n = half
    return numpy.sum(numpy.abs(out) ** 1.5)


@construct("chained assignment `c[i, j] = c[j, i] = v`", R(size=(4, 2)), 0.7)
def covariance_kernel(points, scale):
    n = len(points)
    K = np.empty((n, n))
    total = low = 0.0
    for i in range(n):
        K[i, i] = 1.0 + scale
        for j in range(i):
            d = np.sum((points[i] - points[j]) ** 2)
            K[i, j] = K[j, i] = v = np.exp(-d / scale)
            total += v
            if v < 0.1:
                low = last = v
                total += last
    return np.linalg.slogdet(K)[1] + total + low


@construct("chained assignment `c[i, j] = c[j, i] = v`", R(size=6), R(size=6))
def ends_and_copies(x, y):
    a = b = x * 2.0
    a[0] += 1.0
    c = b[1:] = y[1:] ** 2
    c = c + 1.0
    x[0] = x[-1] = m = y.mean()
    (p, q), r = s, _ = (b[0], b[1]), m
    return a.sum() + c @ x[1:] + p * q * r + s[0]


@construct("chained assignment `c[i, j] = c[j, i] = v`", R(size=5))
def toeplitz_by_hand(c):
    n = c.size
    T = np.zeros((n, n), order="F")
    for k in range(n):
        for i in range(n - k):
            T[i, i + k] = T[i + k, i] = c[k] / (k + 1.0)
    T[0] = T[:, 0] = row = T[1].copy()
    return np.sum(T @ row) + np.trace(T @ T)


@construct("`x.shape = (...)`", R(size=12), 0.5)
def shaped_in_place(x, w):
    y = x * 2.0
    y.shape = (3, 4)
    y[1:] += w * y[:-1]
    z = x[:6]
    z.shape = 2, 3
    z[0] = y[0, :3]
    y.shape = -1
    return y @ x + z[1].prod()


@construct("`x.shape = (...)`", R(size=(4, 3)), R(size=3))
def columns_without_newaxis(A, b):
    b = b.copy()
    b.shape = b.shape + (1,)
    c = np.dot(A, b)
    c.shape = (A.shape[0],)
    if c[0] > 0:
        c[0] = c[1] ** 2
    d = np.arange(12.0)
    d.shape = A.shape
    return c @ c + (d * A)[::2].sum() + b[0, 0]


@construct("`x.shape = (...)`", R(size=(2, 6)))
def blocks_by_shape(x):
    total = 0.0
    for row in x:
        m = row * 1.0
        for shape in ((2, 3), (3, 2), (6,)):
            m.shape = shape
            total += m[0].sum() if m.ndim > 1 else m @ m
            m[-1] *= 0.5
    return total


@construct("`np.ndarray(shape)`", R(size=4), 0.3)
def table_of_differences(f, h):
    table = np.ndarray((4, 4))
    table[:, 0] = f
    for k in range(1, 4):
        for i in range(4 - k):
            table[i, k] = (table[i + 1, k - 1] - table[i, k - 1]) / (k * h)
    return np.sum(table[0] * h ** np.arange(4.0)) + table[2, 1] ** 2


@construct("`np.ndarray(shape)`", R(size=(3, 3)))
def cofactors(A):
    C = np.ndarray(shape=A.shape, dtype=float)
    for i in range(3):
        for j in range(3):
            m = np.delete(np.delete(A, i, 0), j, 1)
            C[i, j] = (-1) ** (i + j) * (m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0])
    det = A[0] @ C[0]
    if abs(det) > 1e-3:
        C /= det
    return np.sum(C ** 2) + det


@construct("`np.ndarray(shape)`", R(size=(2, 5)), 1.5)
def spiral_order(a, g):
    out = np.ndarray(a.size)
    weights = numpy.ndarray(5, float)
    weights.fill(g)
    weights[1:] = weights[1:] ** np.arange(1, 5)
    at = 0
    for row, step in zip(a, (1, -1)):
        for v in row[::step]:
            out[at] = v * weights[at % 5]
            at += 1
    return np.cumsum(out) @ out


@construct("`np.mgrid` and `np.ogrid`", 0.4, R(size=2))
def gaussian_blob(width, centre):
    y, x = np.mgrid[-2:3, -2:3]
    blob = np.exp(-((x - centre[0]) ** 2 + (y - centre[1]) ** 2) / (2 * width ** 2 + 1))
    blob /= blob.sum()
    moments = (blob * x).sum(), (blob * y).sum()
    return moments[0] ** 2 + moments[1] + blob[0].max()


@construct("`np.mgrid` and `np.ogrid`", R(size=(4, 4)), 1.2)
def radial_profile(image, scale):
    i, j = np.ogrid[:4, :4]
    r = np.sqrt((i - 1.5) ** 2 + (j - 1.5) ** 2)
    total = 0.0
    for inner in np.mgrid[0:2.5:3j]:
        ring = (r >= inner) & (r < inner + 0.9)
        if ring.any():
            total += image[ring].mean() * scale ** inner
    return total + (image * (r / scale)).sum()


@construct("`np.mgrid` and `np.ogrid`", R(size=(3, 3)), R(size=2))
def bilinear_warp(image, shift):
    rows, cols = np.mgrid[0:3, 0:3].astype(float)
    y = np.clip(rows + 0.3 * np.tanh(shift[0]), 0, 1.999)
    x = np.clip(cols + 0.3 * np.tanh(shift[1]), 0, 1.999)
    i, j = y.astype(int), x.astype(int)
    fy, fx = y - i, x - j
    out = (image[i, j] * (1 - fy) * (1 - fx) + image[i + 1, j] * fy * (1 - fx)
           + image[i, j + 1] * (1 - fy) * fx + image[i + 1, j + 1] * fy * fx)
    return np.sum((out - image) ** 2)


@construct("`as_strided`", R(size=8), R(size=3))
def autoregression(x, a):
    s = x.strides[0]
    lagged = as_strided(x, shape=(6, 3), strides=(s, s))
    fit = lagged @ a
    errors = x[3:] - fit[:5]
    if errors[0] > 0:
        errors = errors[1:]
    return errors @ errors + lagged[::2, 1].sum()


@construct("`as_strided`", R(size=(5, 5)), R(size=(2, 2)))
def valid_convolution(image, kernel):
    a = np.ascontiguousarray(image)
    s0, s1 = a.strides
    windows = as_strided(a, (4, 4, 2, 2), (s0, s1, s0, s1))
    out = np.einsum("ijkl,kl->ij", windows, kernel)
    out[out < 0] *= 0.1
    pooled = out.reshape(2, 2, 2, 2).max(axis=(1, 3))
    return np.sum(pooled ** 2)


@construct("`as_strided`", R(size=6), 0.5)
def diagonal_through_strides(v, w):
    A = np.zeros((4, 4))
    step = A.strides[0] + A.strides[1]
    main = as_strided(A, (4,), (step,))
    main[:] = v[:4]
    upper = as_strided(A.ravel()[1:], (3,), (step,))
    upper += w * v[3:]
    return np.linalg.det(A + np.eye(4) * 3.0) + np.sum(A @ A)


@construct("`bisect` on data", np.sort(R(size=6)), R(size=6), 0.3)
def linear_table(xs, ys, x):
    total = 0.0
    for q in (x, x / 2, -x):
        k = min(max(bisect(xs, q), 1), len(xs) - 1)
        t = (q - xs[k - 1]) / (xs[k] - xs[k - 1])
        total += (1 - t) * ys[k - 1] + t * ys[k]
    return total ** 2


@construct("`bisect` on data", R(size=7), 0.1)
def running_median(x, w):
    ordered, out = [], 0.0
    for v in x:
        insort(ordered, v)
        n = len(ordered)
        median = ordered[n // 2] if n % 2 else 0.5 * (ordered[n // 2 - 1] + ordered[n // 2])
        out += w * median ** 2
    return out + ordered[0] * ordered[-1]


@construct("`bisect` on data", U(0, 1, 5), U(0, 1, 4))
def inverse_of_a_distribution(p, u):
    edges = np.cumsum(p) / p.sum()
    total = 0.0
    for q in u:
        k = bisect_left(edges, q)
        left = edges[k - 1] if k else 0.0
        total += k + (q - left) / (edges[k] - left)
    return total + bisect_right(list(edges), 0.5) * p[0]


@construct("`sorted` on data", R(size=6), 0.3)
def gini_coefficient(x, shift):
    incomes = sorted(np.exp(x) + shift)
    n, cumulative = len(incomes), 0.0
    for rank, v in enumerate(incomes, 1):
        cumulative += rank * v
    return 2.0 * cumulative / (n * math.fsum(incomes)) - (n + 1) / n


@construct("`sorted` on data", R(size=(4, 2)), R(size=4))
def sorted_by_score(rows, score):
    ranked = sorted(zip(score, rows[:, 0], rows[:, 1]), reverse=True)
    best, second = ranked[0], ranked[1]
    top = sorted(range(4), key=lambda k: -rows[k] @ rows[k])[:2]
    total = best[0] * second[1] - best[2]
    for place, (s, a, b) in enumerate(ranked):
        total += s * a / (place + 1.0) + b ** 2
    return total + rows[top[0], 1] * score[top[1]]


@construct("`sorted` on data", R(size=5), R(size=5))
def rank_correlation(x, y):
    order = sorted(range(len(x)), key=x.__getitem__)
    carried = [y[k] for k in order]
    spread = sorted(carried, key=abs)
    total = carried[0] * carried[-1]
    for a, b in zip(carried, sorted(carried)):
        total += (a - b) ** 2
    return total + spread[-1] - spread[0]


@construct("`math` functions of elements inside `np.array`", R(size=(3, 1)), 0.1)
def unicycle_model(x, dt):
    for k in range(3):
        x = x + dt * np.array([[math.cos(x[2, 0])], [math.sin(x[2, 0])], [0.4 * k]])
        F = np.array([[1.0, 0.0, -dt * math.sin(x[2, 0])],
                      [0.0, 1.0, dt * math.cos(x[2, 0])], [0.0, 0.0, 1.0]])
        if x[0, 0] > 0:
            x = F @ x
    return (x.T @ x)[0, 0] + math.hypot(x[0, 0], x[1, 0])


@construct("`math` functions of elements inside `np.array`", R(size=2), 0.9)
def two_link_arm(q, reach):
    J = np.array([[-math.sin(q[0]) - math.sin(q[0] + q[1]), -math.sin(q[0] + q[1])],
                  [math.cos(q[0]) + math.cos(q[0] + q[1]), math.cos(q[0] + q[1])]])
    tip = np.array([math.cos(q[0]) + reach * math.cos(q[0] + q[1]), math.sin(q[0])])
    if math.fabs(np.linalg.det(J)) > 1e-3:
        step = np.linalg.solve(J, tip)
    else:
        step = J.T @ tip
    return step @ step + math.atan2(tip[1], tip[0])


@construct("`math` functions of elements inside `np.array`", R(size=4), R(size=3))
def rotated_by_quaternion(q, v):
    w, x, y, z = q / math.sqrt(sum(q * q))
    rotation = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])
    angle = 2.0 * math.acos(min(1.0, max(-1.0, w)))
    return (rotation @ v)[0] * math.exp(-angle) + np.trace(rotation) * math.pow(v[1], 2)


@construct("complex buffers filled from real values", R(size=8), 0.3)
def chirp_transform(x, rate):
    n = len(x)
    buffer = np.zeros(2 * n, dtype=complex)
    for k in range(n):
        buffer[k] = x[k]
        buffer[k] *= np.exp(-1j * rate * k * k)
    buffer[n:].real = x[::-1]
    buffer[n:].imag += rate
    spectrum = np.fft.fft(buffer)
    return np.sum(np.abs(spectrum[1:4]) ** 2) + buffer[n].real


@construct("complex buffers filled from real values", R(size=3), R(size=3))
def roots_on_a_circle(c, r):
    z = np.empty(3, np.complex128)
    z.real, z.imag = r, 0.5
    p = np.zeros(3, complex)
    for k in range(3):
        p += c[k] * z ** k
        if abs(p[0]) > 5.0:
            p /= 2
    z[0] = p[1]
    z[1:] = c[1:]
    return float((z * p.conj()).real.sum() + np.abs(p[2]))


@construct("complex buffers filled from real values", R(size=4), 0.8)
def quantum_walk(amplitude, theta):
    psi = np.zeros((2, 4), dtype=np.complex128)
    psi[0] = amplitude
    psi[1, ::2] = 1j * amplitude[::2]
    for _ in range(3):
        up, down = psi[0].copy(), psi[1].copy()
        psi[0] = np.roll(np.cos(theta) * up + 1j * np.sin(theta) * down, 1)
        psi[1] = np.roll(1j * np.sin(theta) * up + np.cos(theta) * down, -1)
    p = (psi * psi.conj()).real.sum(axis=0)
    return p @ np.arange(4.0) / p.sum()


@construct("`warnings.catch_warnings`", R(size=5), 0.0)
def quiet_logs(x, floor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.log(x)
        y[np.isnan(y)] = floor
    if y.sum() < -10.0:
        warnings.warn("low", RuntimeWarning, stacklevel=2)
    return y @ y + floor * x[0]


@construct("`warnings.catch_warnings`", R(size=4), R(size=4))
def ratio_with_errors_ignored(a, b):
    total = 0.0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        for k in range(4):
            r = a[k] / (b[k] + 2.0)
            if not np.isfinite(r):
                continue
            total += r ** 2
    return total * np.nanmean(a)


def _old_mean(x):
    warnings.warn("use np.mean", DeprecationWarning, stacklevel=2)
    return x.sum() / x.size


@construct("`warnings.catch_warnings`", R(size=6), exported=False)
def recorded_warnings(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        m = _old_mean(x)
        for part in (x[:3], x[3:]):
            m = m + _old_mean(part) ** 2 if part[0] > 0 else m * 2.0
    return m
