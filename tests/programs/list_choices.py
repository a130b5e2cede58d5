"""Lists of which data choose one: the best candidate so far, the longest run, the one before."""

from __future__ import annotations

import numpy as np

X = np.array([1.1, 2.2, -1.0, 3.0, 4.0, 5.0, -1.3, 2.0, -0.4])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def longest_run(x):
    best, run = [], []
    for v in x:
        if v > 0:
            run.append(v)
        else:
            if len(run) > len(best):
                best = run
            run = []
    if len(run) > len(best):
        best = run
    return sum(v * v for v in best)


@case(X)
def longest_run_of_new_lists(x):
    best, run = [], []
    for v in x:
        run = run + [v] if v > 0 else []
        if len(run) > len(best):
            best = run
    return sum(v * v for v in best)


@case(X)
def longest_run_of_an_object(x):
    class Runs:
        def __init__(self):
            self.best = []
            self.now = []

    runs = Runs()
    for v in x:
        if v > 0:
            runs.now.append(v)
        else:
            if len(runs.now) > len(runs.best):
                runs.best = runs.now
            runs.now = []
    return sum(runs.best) * x[0]


@case(X)
def longest_run_in_a_dict(x):
    runs = {"best": [], "now": []}
    for v in x:
        if v > 0:
            runs["now"].append(v)
        else:
            if sum(runs["now"]) > sum(runs["best"]):
                runs["best"] = runs["now"]
            runs["now"] = []
    return sum(runs["best"]) * x[0]


@case(X)
def best_pair(x):
    best, least = [0.0, 0.0], 1e9
    for i in range(len(x) - 1):
        pair = [x[i], x[i + 1] * 2.0]
        cost = pair[0] ** 2 + pair[1]
        if cost < least:
            least, best = cost, pair
    return best[0] * best[1]


@case(X)
def best_pair_or_none(x):
    best = None
    for i in range(len(x) - 1):
        pair = [x[i], x[i + 1] * 2.0]
        if best is None or pair[1] > best[1]:
            best = pair
    return best[0] * best[1]


@case(X)
def best_candidate(x):
    best, least = [], 1e9
    for i in range(len(x) - 1):
        candidate = []
        for j in range(i + 1):
            candidate.append(x[j] * x[i])
        cost = sum(candidate)
        if cost < least:
            least, best = cost, candidate
    return sum(v * v for v in best)


@case(X)
def best_candidate_or_none(x):
    best, least = None, 0.0
    for i in range(len(x) - 1):
        candidate = []
        for j in range(i + 1):
            candidate.append(x[j] * x[i])
        if best is None or sum(candidate) < least:
            least, best = sum(candidate), candidate
    return sum(v * v for v in best) + least


@case(X)
def swapped_by_length(x):
    a, b = [], []
    for v in x:
        if v > 0:
            a.append(v)
        else:
            b.append(v * 3)
        if len(a) > len(b) + 1:
            a, b = b, a
    return sum(a) + 2 * sum(b)


@case(X)
def the_pair_before(x):
    before, total = None, 0.0
    for v in x:
        pair = [v, v * 2.0]
        if before is not None:
            total = total + before[0] * pair[1]
        before = pair
    return total


@case(X)
def longer_of_two(x):
    def longer(p, q):
        return p if len(p) > len(q) else q

    best, run = [], []
    for v in x:
        run = run + [v * v] if v > 0 else []
        best = longer(run, best)
    return sum(best)


# Lists that have two names and change: right or refused.
CHANGED = []


def changed(fn):
    CHANGED.append(fn)
    return fn


@changed
def appended_after_it_is_the_best(x):
    best, run = [], []
    for v in x:
        run.append(v)
        if v > 2:
            best = run
    return sum(best) + 3.0 * len(best)


@changed
def written_after_it_is_the_best(x):
    best = [0.0, 0.0, 0.0]
    for i in range(len(x)):
        candidate = [x[i], x[i] * 2, 1.0]
        if x[i] > best[0]:
            best = candidate
        candidate[0] = 5.0 * x[i]
    return sum(best) * x[0]


@changed
def best_appended_after_the_loop(x):
    best, run = [], []
    for v in x:
        run = run + [v] if v > 0 else []
        if len(run) > len(best):
            best = run
    best.append(1.0)
    return sum(best) + 2 * sum(run)


@changed
def asked_whether_it_is_the_best(x):
    best, count = [0.0, 0.0], 0.0
    for i in range(len(x)):
        candidate = [x[i], x[i] * 2]
        if x[i] > best[0]:
            best = candidate
        if best is candidate:
            count = count + 1.0
    return best[1] * x[0] + count


@changed
def one_list_written_in_each_iteration(x):
    best, now = [0.0, 0.0], [1.0, 1.0]
    for v in x:
        now[0] = now[0] + v
        if v > best[1]:
            best = now
    return best[0] * x[0]


@changed
def a_row_put_twice_and_written(x):
    rows, row = [], [x[0], 1.0]
    for v in x:
        if v > 1.5:
            row = [v, v * v]
        rows.append(row)
    rows[0][0] = 7.0 * x[0]
    return sum(r[0] for r in rows)


@changed
def a_growing_row_put_twice_and_written(x):
    rows, row = [], [x[0]]
    for v in x:
        if v > 1:
            row = row + [v]
        rows.append(row)
    rows[0][0] = 7.0 * x[0]
    return sum(r[0] for r in rows)


@changed
def one_of_two_appended(x):
    a, b = [], []
    for v in x:
        one = a if v > 1 else b
        one.append(v)
        if len(a) > len(b):
            b = a
    return sum(a) + 2 * sum(b)


@changed
def the_one_before_written(x):
    before, now, total = None, [0.0, 0.0], 0.0
    for v in x:
        if v > 1.2:
            now = [v, v * 2.0]
        if before is not None:
            total = total + before[0] * now[1]
        before = now
        now[0] = now[0] + 1.0
    return total


@changed
def made_where_it_is_first_needed(x):
    best = None
    for v in x:
        if v > 1.5:
            if best is None:
                best = []
            best.append(v)
    return 0.0 * x[0] if best is None else sum(best)


# Lists made on one path that have a name there only, and another one that every path binds.
@case(X)
def also_named_on_one_path(x):
    up = down = None
    if x[0] > x[1]:
        up = kept = []
    else:
        down = kept = []
    kept.append(x[0])
    return sum(down) * 2.0 if up is None else sum(up) * 3.0


@case(X)
def also_held_on_one_path(x):
    held = {}
    if x[2] > 0:
        kept = held["up"] = []
    else:
        kept = held["down"] = []
    kept.append(x[0] * x[1])
    return sum(sum(one) for one in held.values()) + len(held) * x[2]


@case(X)
def also_an_attribute_on_one_path(x):
    run = Run()
    if x[3] > 0:
        kept = run.up = []
    else:
        kept = run.down = []
    kept.append(x[0] * x[1])
    return sum(run.up if x[3] > 0 else run.down) * x[2]


class Run:
    pass


# Things that two names hold, and that a loop replaces.
@case(X)
def list_of_two_names(x):
    one = two = [x[0]]
    for v in x:
        if v > 3:
            one = two = [x[0]]
        one.append(v)
    one.append(x[1])
    return sum(two) * (2.0 if one is two else 1.0)


@case(X)
def list_of_a_name_and_an_attribute(x):
    run = Run()
    one = [x[0]]
    run.up = one
    for v in x:
        if v > 3:
            one = [x[0]]
            run.up = one
        one[0] += v
    one.append(x[1])
    return sum(run.up) * x[2]


@case(X)
def dict_of_two_names(x):
    one = two = {"s": x[0]}
    for v in x:
        if v > 3:
            one = two = {"s": x[0]}
        one["s"] += v
    one["s"] *= 3.0
    return two["s"]


@case(X)
def object_of_two_names(x):
    one = two = Run()
    one.s = x[0]
    for v in x:
        if v > 3:
            one = two = Run()
            one.s = x[1]
        one.s += v
    one.s *= 3.0
    return two.s


@changed
def changed_after_it_lies_in_a_list(x):
    held = []
    one = [x[0], 1.0]
    held.append(one)
    for v in x:
        if v > 3:
            one = [x[0], 1.0]
            held.append(one)
        one[0] = v
    return held[-1][0] * 2 + one[0]


@changed
def changed_after_one_arm_has_put_it_into_a_list(x):
    held, one = [], [x[0]]
    held.append(one)
    if x[0] > x[1]:
        one = [x[1]]
        held.append(one)
    one.append(x[1])
    return sum(held[-1]) * 2 + sum(one)


@changed
def changed_after_it_lies_at_a_place_that_data_choose(x):
    held, k = [None, None, None], int(x[0] * 5) % 3
    one = [x[0]]
    held[k] = one
    for v in x:
        if v > 3:
            one = [x[0]]
        one.append(v)
    return sum(held[k]) * 2 + sum(one)


@changed
def changed_where_one_arm_has_put_it_at_a_place_that_data_choose(x):
    held, k = [None, None, None], int(x[0] * 5) % 3
    if x[0] < 5:
        one = []
        held[k] = one
    else:
        one = []
        held[k] = [x[1]]
    one.append(x[1])
    return sum(held[k]) * 2 + sum(one)


@changed
def dict_that_changes_after_it_lies_under_a_key_that_data_choose(x):
    held, k = {}, int(x[0] * 5) % 3
    one = {}
    held[k] = one
    one["s"] = x[1]
    return sum(held[k].values()) * x[0]


@case(X)
def rows_at_places_that_data_choose(x):
    held, k = [None, None, None], int(x[0] * 5) % 3
    held[k] = [x[0]]
    held[k] = [x[0], x[1]]
    for i in range(k):
        held[i] = [x[2]]
    return sum(held[k]) * x[3]


def best_or_none(x):
    best, least = None, 0.0
    for i in range(len(x) - 1):
        candidate = []
        for j in range(i + 1):
            candidate.append(x[j] * x[i])
        if best is None or sum(candidate) < least:
            least, best = sum(candidate), candidate
    return best


@case(X)
def gone_through_where_it_may_be_none(x):
    best = best_or_none(x)
    total = sum([v * v for v in best]) + sum(i * v for i, v in enumerate(best))
    for v, w in zip(best, x):
        total += v * w
    return total + max(best) * best[0] * len(best)


@case(X)
def changed_after_it_was_chosen(x):
    best = best_or_none(x)
    best.append(x[0])
    run = best_or_none(x * 2.0)
    if sum(best) < 0.0:
        run = best
    run[0] += x[1]
    return sum(v * v for v in best) + sum(run)


@case(X)
def found_in_what_may_be_none(x):
    best = None
    for v in x:
        if v > 0.32:
            best = [v, 2.0]
    return x[0] * (2.0 if 2.0 in best else 3.0) + [*best, 1.0][-1]
