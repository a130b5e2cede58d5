"""Views and copies."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(3)
R = RNG.normal
U = RNG.uniform


@construct("writes through `.T`", R(size=(3, 4)), R(size=3))
def columns_as_rows(A, b):
    AT = A.T
    for j, column in enumerate(AT):
        column -= column.mean() * b
        if column[0] > 0.5:
            AT[j] = column[::-1]
    AT[1:, 0] += AT[:-1, 2]
    return (A ** 2).sum() + AT[0] @ b


@construct("writes through `.T`", R(size=(4, 4)), 0.3)
def alternating_directions(u, k):
    for step in range(4):
        v = u if step % 2 else u.T
        v[1:-1] += k * (v[2:] - 2.0 * v[1:-1] + v[:-2])
        v[0], v[-1] = v[1], v[-2]
    u.T[0, :2] = u.T.T[1, :2]
    return np.sum(u[1] * u[:, 1]) + u[0, 0]


@construct("writes through `.T`", R(size=(2, 3, 2)), R(size=2))
def symmetrised_in_place(stack, w):
    for plane in stack.T:
        plane.T[:] *= w[:, None]
    flipped = stack.transpose(2, 0, 1)
    flipped[0] += flipped[1] ** 2
    np.transpose(stack, (1, 2, 0))[0, 0] = w
    return stack.sum() + (flipped[:, 1] ** 2).sum()


@construct("`swapaxes`, `moveaxis` and `rollaxis`", R(size=(2, 3, 4)), 0.5)
def scan_along_any_axis(x, decay):
    for axis in range(x.ndim):
        lines = np.moveaxis(x, axis, 0)
        for k in range(1, len(lines)):
            lines[k] += decay * lines[k - 1]
        decay = decay * 0.5 if lines[-1].sum() > 0 else decay
    return np.sum(x.swapaxes(0, -1)[1] ** 2)


@construct("`swapaxes`, `moveaxis` and `rollaxis`", R(size=(2, 3, 3)), R(size=3))
def batched_power_iteration(M, v):
    sym = M + M.swapaxes(-1, -2)
    vs = np.tile(v, (2, 1))
    for _ in range(5):
        vs = np.einsum("bij,bj->bi", sym, vs)
        norm = np.sqrt((vs.swapaxes(0, 1) ** 2).sum(axis=0))
        vs.swapaxes(0, 1)[...] /= norm
    sym.swapaxes(1, 2)[0, 0] = vs[0]
    return np.sum(vs[:, 0] ** 2) + np.trace(sym[0])


@construct("`swapaxes`, `moveaxis` and `rollaxis`", R(size=(4, 2, 3)))
def channels_first(image):
    planes = np.rollaxis(image, 2)
    planes[0] *= 0.3
    planes[1] += 0.6 * planes[0]
    bright = np.ascontiguousarray(planes)
    bright[2] = planes[:2].max(axis=0)
    packed = np.swapaxes(bright, 0, 2)
    if np.median(packed) < packed.mean():
        packed[0, 0] = 0.0
    return np.sum(image * np.moveaxis(bright, 0, -1)) + bright[0, 0, 0]


@construct("`np.split` and its relatives", R(size=11), R(size=3))
def unpacked_network(theta, x):
    w, b, v = np.split(theta, [6, 8])
    w = w.reshape(2, 3)
    b *= 0.5
    h = np.tanh(w @ x + b)
    v[:2] -= h
    for part in np.array_split(theta, 3):
        part[0] = part[-1] * h[0]
    return np.sum(theta ** 2) + v[1] * h[1]


@construct("`np.split` and its relatives", R(size=(4, 6)), 0.4)
def blocks_of_a_matrix(A, shift):
    top, bottom = np.vsplit(A, 2)
    left, middle, right = np.hsplit(top, 3)
    left += shift * right
    np.split(bottom, 2, axis=1)[1][:] = middle[:, :1] ** 2
    for block in np.hsplit(bottom, 2):
        if block.sum() > 0:
            block *= -1.0
    halves = np.dsplit(A.reshape(2, 2, 6), [2])
    return np.sum(halves[0] * halves[1][..., :2]) + top[0] @ bottom[1]


@construct("`np.split` and its relatives", R(size=10), np.array([3, 3, 7]))
def ragged_softmax(scores, ends):
    total = 0.0
    for group in np.split(scores, ends):
        if group.size == 0:
            continue
        group -= group.max()
        np.exp(group, out=group)
        group /= group.sum()
        total += group[0] - group[-1] ** 2
    return total + scores @ np.arange(10.0)


@construct("rows in a `for`", R(size=(4, 3)), R(size=3))
def gram_schmidt(V, w):
    basis = []
    for row in V:
        for b in basis:
            row -= (row @ b) * b
        norm = np.sqrt(row @ row)
        if norm > 1e-8:
            row /= norm
        if norm > 0.1:
            basis.append(row.copy())
    V[-1] = w
    return sum(b @ w for b in basis) + V[0, 1] * V[-1, 2]


@construct("rows in a `for`", R(size=(3, 4)), R(size=(3, 4)))
def rows_of_two_tables(A, B):
    total = 0.0
    for k, (a, b) in enumerate(zip(A, B[::-1])):
        a[k:] += b[k:]
        b *= 0.5
        for cell in a[1:]:
            total = total + cell ** 2 if cell > 0 else total - cell
    for first, *rest in A:
        total += first * rest[-1]
    return total + B.sum()


@construct("rows in a `for`", R(size=(2, 3, 2)), 0.7)
def rows_in_any_order(cube, g):
    for plane in reversed(cube):
        for row in plane[::-1]:
            row[0], row[1] = row[1] * g, row[0]
        plane[0] = plane[1:].sum(axis=0)
    out = [plane.max() for plane in cube]
    for plane in cube.T:
        plane += out[0]
    return cube.prod() * 1e2 + np.sum(cube * np.arange(12).reshape(2, 3, 2)) + out[1]


@construct("`reshape` that gives a view", R(size=12), 0.6)
def grid_over_a_vector(state, k):
    grid = state.reshape(3, 4)
    for _ in range(3):
        grid[1:-1, 1:-1] += k * (grid[2:, 1:-1] - grid[:-2, 1:-1])
        state[0] = grid[-1, -1]
        blocks = grid.reshape(3, 2, 2)
        blocks[:, 0] *= 0.9
    state[::5] **= 2
    return grid.sum(axis=1).prod() + blocks[0, 1, 1]


@construct("`reshape` that gives a view", R(size=(4, 4)), 2)
def average_pooling(image, size):
    n = image.shape[0] // size
    blocks = image.reshape(n, size, n, size)
    blocks[0, :, 0] -= blocks.mean(axis=(1, 3))[0, 0]
    blocks[:, 0][..., 0] = 1.0
    tall = image.reshape(-1, 1)
    tall[3] = 2.0 * tall[7]
    flat = np.reshape(image, -1)
    if flat[0] > flat[1]:
        flat[:2] = flat[1::-1].copy()
    return np.sum(image ** 2) + blocks.max(axis=(1, 3)).sum()


@construct("`reshape` that gives a view", R(size=(1, 5)), R(size=()))
def row_column_scalar(row, z):
    column = row.reshape(5, 1)
    column[1:] *= column[:-1]
    row.reshape(-1)[0] = z
    cell = z.reshape(1, 1)
    cell += row[:, :1]
    z[()] = z * 2.0
    empty = row[:, :0].reshape(0, 3)
    return float((column @ row).sum() + cell[0, 0] + empty.sum() + z)


@construct("`reshape` that copies", R(size=(3, 4)), R(size=12))
def transposed_then_flat(A, v):
    flat = A.T.reshape(-1)
    flat += v
    flat[0] = 0.0
    A[0] *= 2.0
    again = A[:, ::2].reshape(2, 3)
    again[0] = flat[:3]
    if again[1, 0] > 0.0:
        again *= -1.0
    return A.sum() + flat @ v + np.sum(again ** 2)


@construct("`reshape` that copies", R(size=(4, 4)), R(size=(2, 2)))
def im2col(image, kernel):
    windows = np.lib.stride_tricks.sliding_window_view(image, (2, 2))
    columns = windows.reshape(-1, 4).copy()
    columns -= columns.mean(axis=1, keepdims=True)
    image[0, 0] = 5.0
    scores = columns @ kernel.reshape(-1)
    best = scores.reshape(3, 3)
    best[1:] += best[:-1]
    return (best ** 2).sum() + image[0] @ columns[0]


@construct("`reshape` that copies", R(size=(2, 3, 4)), 0.3)
def batches_merged(x, s):
    merged = np.swapaxes(x, 0, 1).reshape(3, -1)
    merged[:, 0] = s
    x[0, 0] = merged[0, :4]
    by_columns = x.reshape(4, 6, order="F")
    by_columns[0] *= s
    tiled = np.broadcast_to(x[0, :2], (3, 2, 4)).reshape(3, 2, 2, 2).reshape(4, -1).copy()
    tiled[0] += 1.0
    return np.sum(x ** 2) + by_columns[0, 0] + merged[1, :6] @ tiled[1] + tiled[0, 1]


@construct("`ravel` and `flatten`", R(size=(3, 3)), R(size=9))
def ravel_or_not(A, p):
    view = A.ravel()
    view -= 0.1 * p
    copy = A.T.ravel()
    copy *= 10.0
    own = A.flatten()
    own[4] = view[4] ** 2
    by_columns = A.ravel(order="F")
    by_columns[1] = 0.0
    return view @ p + np.sin(copy).sum() + own.sum() + by_columns[:2].sum() * A[1, 0]


@construct("`ravel` and `flatten`", np.asfortranarray(R(size=(2, 4))), R(size=8))
def fortran_parameters(W, step):
    flat = W.ravel(order="F")
    for k in range(3):
        g = np.cos(flat) * step
        flat -= 0.1 * g
        if np.abs(g).max() < 0.1 * k:
            break
    lost = W.ravel()
    lost[1] = 100.0
    W[:, 1] *= 2.0
    return np.sum(W ** 2) + lost[2] * flat[-1]


@construct("`ravel` and `flatten`", R(size=(3, 2)), 1.1)
def vectorised_objective(W, scale):
    def cost(theta):
        M = theta.reshape(3, 2)
        M[0] = M[1] * scale
        return np.sum(np.outer(M.ravel(), M.flatten()) ** 2)

    total = cost(W.ravel())
    total += 0.1 * cost(W.flatten())
    part = np.ravel(W[1:, ::-1])
    part[0] = 0.0
    return total + W[0, 0] + np.ravel([part, part * scale]).sum()
