"""Slices and indices."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(0)
R = RNG.normal


@construct("slices with negative steps", np.linspace(1, 2, 9), 0.3)
def parabolic_smoothing_from_both_ends(u, k):
    w = u[::-1].copy()
    for sweep in range(3):
        v = w if sweep % 2 else w[::-1]
        for i in range(1, len(v)):
            v[i] = (v[i] + k * v[i - 1]) / (1.0 + k)
    tail = w[-1:-6:-2]
    tail *= 2.0
    if tail[0] > w[2]:
        tail[-1:] -= w[:1] ** 2
    return np.sum(w[::-2] * np.arange(w[::-2].size))


@construct("slices with negative steps", R(size=8), np.array([0.5, 0.3, 0.2]))
def palindromic_filter(x, h):
    full = np.concatenate((x[h.size - 1:0:-1], x, x[-2:-h.size - 1:-1]))
    y = np.zeros_like(x)
    for i in range(x.size):
        window = full[i + h.size - 1::-1][:h.size]
        y[i] = window @ h
    peak = np.argmax(np.abs(y))
    if y[peak] < 0.0:
        y = -y
    return float(np.sum(y[::-1] * x) / (1.0 + y[peak]))


@construct("slices with negative steps", R(size=(6, 6)), 0.7)
def rotate_blocks(image, angle):
    n = image.shape[0] // 2
    quarter = image[n - 1::-1, :n]
    other = image[:n - 1:-1, ::-2]
    turned = np.rot90(image[::2, ::-1], -1)
    image = image.copy()
    image[::-2, ::-1] += np.cos(angle) * image[::2, :]
    return np.sum(turned[:, -1] ** 2) + np.sum(quarter * other.sum()) + image[-1, ::-3].prod()


@construct("`Ellipsis`", R(size=(2, 3, 2, 4)), 1.5, 0.3)
def batch_norm_any_rank(x, gamma, beta):
    def normalise(a):
        m = a.mean(axis=-1)[..., None]
        return (a - m) / np.sqrt(((a - m) ** 2).mean(axis=-1)[..., np.newaxis] + 1e-3)

    y = gamma * normalise(x) + beta
    y[..., 0] *= 2.0
    y[0, ...] += x[..., ::-1][-1]
    flat = normalise(x[0, 0])
    return np.sum(y[..., 1:] * y[..., :-1]) + flat[..., -1].sum() + x[1, 2, 0, 1, ...]


@construct("`Ellipsis`", np.abs(R(size=(2, 3, 5))), 0.2, 3)
def transport_along_last_axis(field, speed, steps):
    f = np.asfortranarray(field)
    for _ in range(steps):
        flux = speed * f[..., :-1]
        f[..., 1:] += flux
        f[..., :-1] -= flux
        if f[..., 0].max() < 0.2:
            f[..., 0] = f[..., -1]
    return (f[..., -2:] ** 2).sum()


@construct("`Ellipsis`", R(size=(2, 3, 2, 4)), 0.8)
def pick_corners(t, w):
    total = 0.0
    for pick in (np.index_exp[..., 0], np.index_exp[0, ..., -1], np.index_exp[-1, 0, ...]):
        corner = t[pick]
        total = total + w * np.max(corner) - np.linalg.norm(corner)
    empty = t[..., :0]
    z = t[0, 0, 0, 1, ...]
    return total + empty.sum() + z * 3.0


@construct("`np.newaxis` and `None`", R(size=(4, 3)), np.array([1.0, -2.0, 1.5, 0.5]))
def pairwise_forces(r, charge):
    d = r[:, None, :] - r[None, :, :]
    dist = np.sqrt((d ** 2).sum(-1) + np.eye(len(r)))
    pair = charge[:, np.newaxis] * charge[np.newaxis, :] / dist ** 3
    np.fill_diagonal(pair, 0.0)
    force = (pair[..., None] * d).sum(axis=1)
    strongest = int(np.argmax((force ** 2).sum(1)))
    return float(force[strongest, 0] + 0.1 * np.sum(force[:, 1] ** 2))


@construct(
    "`np.newaxis` and `None`",
    np.array([1.0, 2.5]), np.array([0.5, 2.0]), np.array([1.2, 0.8])
)
def separable_gaussian(x, y, s):
    gx = np.exp(-0.5 * (np.arange(5.0)[:, None] - x) ** 2 / s[0] ** 2)
    gy = np.exp(-0.5 * (np.arange(4.0) - y[:, None]) ** 2 / s[1] ** 2)[:, None, :]
    cube = gx.T[:, :, None] * gy
    cube = cube / cube.sum(axis=(1, 2))[:, None, None]
    return np.sum(cube[:, :, 1] * np.log(cube[:, :, 1] + 0.1)) + s[0][None].sum()


@construct("`np.newaxis` and `None`", np.array([1.3]), np.array([0.5, -0.7, 1.1]))
def scalar_to_column(a, v):
    col = a[0][None, None]
    for k in range(3):
        col = np.vstack((col, v[k][None, np.newaxis] * col[-1:]))
    grown = col[:, 0, None, None] + v[None, :, None]
    if grown.ndim == 3:
        grown[1, None] *= 2.0
    return grown.sum(axis=(0, 2)) @ v


@construct(
    "mixed basic and advanced indexing",
    R(size=(3, 4, 5)), np.array([0, 2, 1]), np.array([4, 0, 0])
)
def gather_patches(img, rows, cols):
    patches = img[rows[:, None], :, cols]
    left = img[:, rows, 1]
    left = left * 0.5
    both = img[rows, 1:4, cols[::-1]]
    far = img[0, :, cols]
    if far.mean() > left.mean():
        far = far - left.mean()
    return (patches.sum(axis=0) * both[0].sum()).sum() + far.var() + left[0, -1]


@construct(
    "mixed basic and advanced indexing",
    R(size=(5, 3)), np.array([[0, 1, 1], [4, 2, 0]]), np.array([3, 1]), 0.6
)
def embed_and_mask(table, ids, lengths, scale):
    out = np.zeros((len(ids), table.shape[1], 2))
    for b in range(len(ids)):
        n = lengths[b]
        out[b, :, 0] = table[ids[b, :n]].sum(axis=0)
        out[b, [0, 2], 1] = table[ids[b, n - 1], 1:3] * scale
    out[[0, 1], 1:, [1, 0]] *= 3.0
    return np.sum(np.tanh(out)) + out[..., [0, 0, 1]].max()


@construct("mixed basic and advanced indexing", R(size=(3, 4, 2)), R(size=(3, 4)), 1)
def scatter_planes(vol, plane, k):
    vol = vol.copy()
    keep = np.array([True, False, True])
    vol[keep, :, 1] += plane[keep]
    vol[:, [3, 0], None, 0] = plane[:, :2].T[:, :, None]
    vol[1, np.append(keep, False), ...] **= 2
    index = [2, 0]
    vol[index, k, :] -= vol[k, index, ::-1]
    return (vol * np.arange(vol.size).reshape(vol.shape)).sum()


@construct("chained stores `B[i][j] = v`", R(size=(4, 4)) + 4 * np.eye(4), R(size=4))
def lu_by_chained_indices(A, b):
    A = A.copy()
    n = len(A)
    for k in range(n):
        for i in range(k + 1, n):
            A[i][k] = A[i][k] / A[k][k]
            A[i][k + 1:] -= A[i][k] * A[k][k + 1:]
    y = b.copy()
    for i in range(n):
        y[i] -= A[i][:i] @ y[:i]
    for i in range(n - 1, -1, -1):
        y[i:][0] = (y[i] - A[i][i + 1:] @ y[i + 1:]) / A[i][i]
    return y[0] + y[-1] ** 2


@construct("chained stores `B[i][j] = v`", np.abs(R(size=(3, 4))), 0.2)
def game_of_intensity(grid, rate):
    new = np.zeros(grid.shape)
    rows, cols = grid.shape
    for i in range(rows):
        for j in range(cols):
            around = grid[(i + 1) % rows][j] + grid[i - 1][j] + grid[i][(j + 1) % cols]
            if around > 1.5 * grid[i][j]:
                new[i][j] = grid[i][j] + rate * around
            else:
                new[i][j] = 0.5 * grid[i][j]
            new[i][j] *= 1.0 + rate
    return np.sum(new ** 2) + new[-1][-1]


@construct("chained stores `B[i][j] = v`", R(size=(2, 3, 4)), np.array([0.4, -1.2]))
def layers_of_a_cube(cube, w):
    for k in range(cube.shape[0]):
        plane = cube[k]
        plane[0][:] = w[k] * plane[1]
        cube[k][1:][0][::2] += w[k] ** 2
        cube[k].T[0][-1] = plane.sum()
    return np.sum(cube[:, 0][:, 1] * cube[:, -1][:, 0])


@construct("overlapping slices", np.linspace(0.5, 1.4, 7), 0.1, 3)
def lax_wendroff(u, c, steps):
    for _ in range(steps):
        half = 0.5 * (u[1:] + u[:-1]) - 0.5 * c * (u[1:] ** 2 - u[:-1] ** 2)
        u[1:-1] -= c * (half[1:] ** 2 - half[:-1] ** 2)
        u[1:] = 0.9 * u[1:] + 0.1 * u[:-1]
        u[:-1] = u[1:]
        if u[0] > 1.0:
            u[0] = 1.0 / u[0]
    return np.sum(u * np.linspace(0, 1, u.size))


@construct("overlapping slices", R(size=6), np.array([0.5, -0.2, 0.8, 0.1]))
def shift_register(signal, taps):
    reg = np.zeros(taps.size)
    out = []
    for s in signal:
        reg[1:] = reg[:-1]
        reg[0] = s
        reg[:2] += 0.1 * reg[1:3]
        out.append(reg @ taps)
        if out[-1] > 1.0:
            reg[::-1][1:] *= 0.5
    return np.mean(np.square(out)) + reg[-1]


@construct("overlapping slices", np.abs(R(size=(4, 5))), 1.3)
def seam(energy, a):
    e = energy * a
    for i in range(1, e.shape[0]):
        best = np.minimum(e[i - 1, 1:-1], np.minimum(e[i - 1, :-2], e[i - 1, 2:]))
        e[i, 1:-1] += best
        e[i, 0] += min(e[i - 1, 0], e[i - 1, 1])
        e[i, -1] += min(e[i - 1, -1], e[i - 1, -2])
        e[1:i + 1, ::2] = e[:i, ::2] * 0.5 + e[1:i + 1, ::2] * 0.5
    return e[-1].min() + 0.01 * e.sum()
