"""Lists whose arrays change in place: views of one array, and arrays of their own."""

from __future__ import annotations

import numpy as np

rng = np.random.default_rng(11)
SQUARE = rng.normal(size=(4, 4))
WIDE = rng.normal(size=(3, 5))
CASES = []
ONE_TEXT = []  # programs with the same text for any number of rows


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


def one_text(fn):
    ONE_TEXT.append(fn)
    for given in (SQUARE, WIDE):
        CASES.append((fn, (given,)))
    return fn


# ---- views ---------------------------------------------------------------------------------------
@one_text
def eliminated_rows(A):
    A = A.copy()
    rows = list(A)
    for i in range(len(rows)):
        for j in range(i + 1, len(rows)):
            rows[j] -= rows[i] * 0.1
    return np.sum(A ** 2)


@one_text
def one_array_many_times(A):
    v, held = A[0].copy(), []
    for k in range(len(A)):
        held.append(v)
        v[k] = v[k] * 2
    return sum(np.sum(one) for one in held)


@one_text
def blocks(A):
    A = A.copy()
    parts = [A[i:i + 2] for i in range(len(A) - 1)]
    for part in parts:
        part *= 1.5
    A[0] = 2.0
    return np.sum(parts[0] * A[:2]) + np.sum(parts[-1])


@one_text
def swapped_views(A):
    A = A.copy()
    rows = [A[i] for i in range(len(A))]
    for i in range(len(rows) - 1):
        if rows[i][0] < rows[i + 1][0]:
            rows[i], rows[i + 1] = rows[i + 1], rows[i]
    A *= 2
    return sum(i * row[0] for i, row in enumerate(rows))


@one_text
def some_rows(A):
    A, kept = A.copy(), []
    for i in range(len(A)):
        if A[i, 0] > 0.0:
            kept.append(A[i])
    for row in kept:
        row /= 1.0 + np.sum(row) ** 2
    return np.sum(A * A)


@one_text
def orthogonal_columns(A):
    U = A.copy()
    columns = [U[:, j] for j in range(3)]
    more = [U[:, -1 - j] for j in range(len(A) - 1)]
    for j in range(len(more)):
        more[j] -= columns[0] * 0.1
        more[j] /= 1.0 + more[j] @ more[j]
    return np.sum(U * A)


@case(SQUARE)
def rows_of_two_arrays(A):
    B, C, rows = A.copy(), A * 2.0, []
    for i in range(len(A)):
        if A[i, 0] > 0:
            rows.append(B[i])
        else:
            rows.append(C[i])
    for row in rows:
        row += 1.0
    return np.sum(B * C)


@case(SQUARE)
def the_same_view(A):
    A, same = A.copy(), 0
    rows = [A[i] for i in range(len(A))]
    first = rows[0]
    for i in range(len(rows)):
        rows[i] += 1.0
        if rows[i] is first:
            same += 1
    return same * np.sum(A)


# ---- arrays of their own -------------------------------------------------------------------------
@one_text
def a_population(A):
    held = [A[i].copy() for i in range(len(A))]
    best = held[0]
    for i in range(len(held)):
        if np.sum(held[i]) < np.sum(best):
            best = held[i]
    for one in held:
        one += 0.1 * (best - one)
    return np.sum(best) + np.sum(held[0] * held[-1])


@one_text
def none_is_best_at_first(A):
    held = [A[i] * 1.0 for i in range(len(A))]
    best = None
    for one in held:
        if best is None or np.sum(one) < np.sum(best):
            best = one
    for one in held:
        one += 0.1 * best
    best *= 2
    return np.sum(best) + np.sum(held[0] * held[-1])


@one_text
def pairs_of_arrays(A):
    bodies = [(A[i] * 1.0, np.zeros(A.shape[1])) for i in range(len(A))]
    for _ in range(3):
        for position, velocity in bodies:
            velocity += -0.1 * position
            position += 0.5 * velocity
    return sum(np.sum(p ** 2) + np.sum(v) for p, v in bodies)


@one_text
def put_on_some_paths(A):
    kept = []
    for i in range(len(A)):
        row = A[i] * 2.0
        if row[0] > 0:
            kept.append(row)
            row[1] = 3.0
    for row in kept:
        row *= 0.5
    return sum(np.sum(row ** 2) for row in kept)


@one_text
def changed_after_it_was_put(A):
    rows = []
    for i in range(len(A)):
        row = np.zeros(A.shape[1])
        rows.append(row)
        row[i % A.shape[1]] = A[i, 0]
        row += 0.1
    return np.sum(np.array(rows) * A)


@one_text
def a_stack_of_arrays(A):
    held, total = [], 0.0
    for i in range(len(A)):
        held.append(A[i] + 1.0)
    while held:
        last = held.pop()
        last *= 2.0
        total = total + np.sum(last)
        if len(held) > 0:
            held[0] += 0.1 * last
    return total


@one_text
def merged_in_pairs(A):
    held = [A[i].copy() for i in range(len(A))]
    while len(held) > 1:
        first = held.pop(0)
        first += held.pop()
        held.append(first)
        if len(held) > 2:
            held[1] *= 0.5
    return np.sum(held[0] ** 2)


@one_text
def sorted_then_changed(A):
    held = [A[i].copy() for i in range(len(A))]
    held.sort(key=lambda v: v[0])
    for i in range(len(held) - 1):
        held[i] += held[i + 1]
    held[0], held[1] = held[1], held[0]
    held[0] *= 3.0
    return np.sum(held[0]) + np.sum(held[1] ** 2)


@one_text
def in_two_lists(A):
    held, again = [A[i].copy() for i in range(len(A))], []
    for one in held:
        again.append(one)
    for one in again:
        one += 1.0
    return sum(np.sum(one ** 2) for one in held)


@one_text
def tables(A):
    grid = [np.zeros(A.shape[1]) for _ in range(len(A))]
    for i in range(len(A)):
        for j in range(A.shape[1]):
            grid[i][j] = A[i, j] + (grid[i - 1][j] if i > 0 else 0.0)
    return grid[-1][-1] + np.sum(grid[0])


@one_text
def layers(A):
    weights, h = [], A[0]
    for i in range(len(A)):
        W = np.eye(A.shape[1])
        W[0] = A[i]
        weights.append(W)
    for W in weights:
        W -= 0.1
        h = np.tanh(W @ h)
    return np.sum(h)


@one_text
def slices_share_arrays(A):
    held = [A[i] * 1.0 for i in range(len(A))]
    rest = held[1:]
    for one in rest:
        one += 1.0
    held[1] *= 2.0
    both = held + rest
    both[-1] -= 3.0
    return sum(np.sum(one * one) for one in held)


@one_text
def helpers_change_them(A):
    def made(i):
        z = A[i] * 1.0
        z[0] = 0.0
        return z

    def bump(z, c):
        z += c

    held = [made(i) for i in range(len(A))]
    for i, z in enumerate(held):
        bump(z, i * 0.1)
    return np.mean(held) + np.max(np.stack(held))


@one_text
def which_it_is(A):
    held, same = [A[i] * 1.0 for i in range(len(A))], 0
    for i in range(len(held)):
        one = held[i - 1] if A[i, 0] > 0 else held[i]
        if one is held[i]:
            same += 1
        one += 0.3
    return same * np.sum(held[0]) + np.sum(held[1])


@one_text
def the_last_of_a_loop(A):
    held = []
    for i in range(len(A)):
        v = A[i] * 1.0
        held.append(v)
    last = v
    last *= 5.0
    return np.sum(held[-1])


@one_text
def read_after_some_paths_put_it(A):
    held, other = [], []
    for i in range(len(A)):
        row = A[i] * 2.0
        if A[i, 0] > 0:
            held.append(row)
        if A[i, 1] > 0:
            other.append(row)
        total = np.sum(row)
        for one in held:
            one += total
    for one in other:
        one *= 2.0
    return sum(np.sum(one ** 2) for one in held) + sum(np.sum(one) for one in other)


@one_text
def a_swarm(A):
    class Swarm:
        def __init__(self, start):
            self.at = [start[i].copy() for i in range(len(start))]
            self.speed = [np.zeros(start.shape[1]) for _ in range(len(start))]
            self.best = self.at[0]

        def step(self, inertia):
            for i in range(len(self.at)):
                self.speed[i] *= inertia
                self.speed[i] += 0.1 * (self.best - self.at[i])
                self.at[i] += self.speed[i]
                if np.sum(self.at[i]) < np.sum(self.best):
                    self.best = self.at[i].copy()

    swarm = Swarm(A)
    for _ in range(4):
        swarm.step(0.9)
    return np.sum(swarm.best) + sum(np.sum(one ** 2) for one in swarm.at)


@one_text
def before_and_now(A):
    held = [A[i] * 1.0 for i in range(len(A))]
    now = held[0]
    for one in held:
        before, now = now, one
        now += 0.1 * before
        before *= 0.9
    return np.sum(now) + np.sum(held[0])


@case(SQUARE)
def starts_with_one(A):
    held = [A[0] * 1.0]
    for i in range(1, len(A)):
        held.append(held[-1] * A[i])
        held[i - 1] += 1.0
    return np.sum(held[-1]) + np.sum(held[0])


@case(SQUARE)
def one_array_repeated(A):
    held = [np.zeros(A.shape[1])] * len(A)
    for i in range(len(A)):
        held[i] += A[i]
    return np.sum(held[0] * A[0])


@case(WIDE)
def returned_lists(A):
    rows = [A[i] for i in range(len(A))]
    doubled = [row * 2 for row in rows]
    for row in doubled:
        row += rows[0]
    return sum(float(np.sum(d)) * i for i, d in enumerate(doubled)) + np.sum(doubled[-1] ** 2)


@case(SQUARE)
def one_array_in_several_objects(A):
    class Body:
        def __init__(self, at):
            self.at = at

    shared, same = A[0] * 1.0, 0
    bodies = [Body(shared if A[i, 0] > 0 else A[i] * 2.0) for i in range(len(A))]
    for one in bodies:
        for other in bodies:
            if one.at is other.at:
                same += 1
    return same * np.sum(A)
