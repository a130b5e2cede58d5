"""Programs that sort what they are given into groups, which they fill by the groups' own names: they
have one text for every number of items."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field

import numpy as np

CASES = []


def case(program):
    CASES.append(program)
    return program


# ---- lists in lists ------------------------------------------------------------------------------
@case
def runs_that_rise(x):
    """The last run is changed by its own name, before and after it lies in the list."""
    runs, run = [], [x[0]]
    for v in np.sin(3 * x[1:]):
        if v > run[-1]:
            run.append(v)
        else:
            runs.append(run)
            run = [v]
    runs.append(run)
    return sum(sum(r) ** 2 for r in runs)


@case
def filled_by_the_last_item(x):
    groups = [[]]
    for v in x:
        if np.cos(7 * v) > 0.5:
            groups.append([])
        groups[-1].append(v)
    return sum(sum(g) * len(g) for g in groups)


@case
def filled_in_time(x):
    parts, part = [], []
    for v in x:
        part.append(v * v)
        if len(part) == 3:
            parts.append(part)
            part = []
    if part:
        parts.append(part)
    return sum(sum(p) ** 1.5 for p in parts)


@case
def begun_when_needed(x):
    groups, group = [], None
    for v in x:
        if group is None or np.cos(5 * v) > 0.2:
            group = []
            groups.append(group)
        group.append(v)
    return sum(g[0] * len(g) for g in groups)


@case
def merged_intervals(x):
    merged = []
    for v in np.sort(np.sin(4 * x)):
        if merged and v <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], v + 0.3)
        else:
            merged.append([v, v + 0.3])
    return sum((b - a) ** 2 for a, b in merged)


@case
def merged_pairs(x):
    pairs = [[v, v + 0.7 * np.sin(v) ** 2] for v in x]
    merged = [pairs[0]]
    for low, high in pairs[1:]:
        if low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    return sum((b - a) * a for a, b in merged)


@case
def the_longest_run(x):
    best, run = [], []
    for v in np.sin(5 * x):
        if not run or v > run[-1]:
            run.append(v)
        else:
            run = [v]
        if len(run) > len(best):
            best = run
    return sum(v * (i + 1) for i, v in enumerate(best))


@case
def runs_made_anew(x):
    best, run = [], []
    for v in np.sin(5 * x):
        run = [*run, v] if run and v > run[-1] else [v]
        if len(run) >= len(best):
            best = run
    return sum(v * v for v in best)


@case
def two_names_for_one(x):
    first = [x[0]]
    second = first
    groups = [first]
    for v in x:
        if np.cos(6 * v) > 0:
            second = [v]
            groups.append(second)
        second.append(v * 0.5)
        if second is first:
            first.append(1.0)
    return sum(sum(g) ** 2 for g in groups) + sum(first)


@case
def running_means(x):
    """Each group is its mean and how many it has, of which one is an integer."""
    groups = []
    for v in np.sin(3 * x):
        if groups and abs(groups[-1][0] - v) < 0.6:
            groups[-1][1] += 1
            groups[-1][0] += (v - groups[-1][0]) / groups[-1][1]
        else:
            groups.append([v, 1])
    return sum(mean * count for mean, count in groups)


# ---- objects that hold lists ---------------------------------------------------------------------
class Bag:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def put(self, v):
        self.items.append(v)
        self.total += v


@dataclass
class Track:
    weight: float
    points: list = field(default_factory=list)


@case
def bags_of_two(x):
    bags = [Bag()]
    for v in x:
        if len(bags[-1].items) >= 2:
            bags.append(Bag())
        bags[-1].put(v * v)
    return sum(bag.total * bag.items[0] for bag in bags)


@case
def tracks(x):
    known, track = [], None
    for v in x:
        if track is None or np.sin(9 * v) > 0:
            track = Track(v)
            known.append(track)
        track.points.append(v * track.weight)
    return sum(sum(t.points) for t in known)


class Window:
    def __init__(self, first):
        self.last = deque([first], maxlen=3)

    def mean(self):
        return sum(self.last) / len(self.last)


class Station:
    def __init__(self):
        self.waiting = deque()

    def serve(self):
        return self.waiting.popleft() if self.waiting else 0.0


@case
def moving_means(x):
    windows = [Window(v) for v in x]
    for k in range(4):
        for v, window in zip(np.sin(x * k), windows):
            window.last.append(v)
    return sum(w.mean() * w.last[0] for w in windows)


@case
def stations_in_turn(x):
    stations, total = [Station() for _ in x], 0.0
    for k in range(3):
        for i, station in enumerate(stations):
            total += station.serve() * (k + 1)
            station.waiting.append(x[i] + 0.1 * total)
            if i > 0:
                stations[i - 1].waiting.append(x[i])
    return total + sum(len(s.waiting) for s in stations)


@case
def which_deque_it_is(x):
    windows = [Window(v) for v in x]
    first, same = windows[0].last, 0.0
    for i, window in enumerate(windows):
        same += 1.0 if window.last is first else x[i]
        window.last.append(x[i] * 2)
    first.append(5.0)
    return same + sum(w.mean() for w in windows) + len(first)


@case
def clusters(x):
    """The nearest cluster is found among objects, which hold their members."""
    found = []
    for v in np.sin(4 * x):
        for cluster in found:
            if abs(cluster["mean"] - v) < 0.4:
                cluster["members"].append(v)
                cluster["mean"] = sum(cluster["members"]) / len(cluster["members"])
                break
        else:
            found.append({"mean": v, "members": [v]})
    return sum(c["mean"] ** 2 * len(c["members"]) for c in found)


# ---- arrays --------------------------------------------------------------------------------------
class Cell:
    def __init__(self, content):
        self.content = content


@case
def arrays_by_name(x):
    sums, last = [], np.zeros(2)
    sums.append(last)
    for v in x:
        if np.cos(5 * v) > 0.3:
            last = np.zeros(2)
            sums.append(last)
        last[0] += v
        last[1] -= v * v
    return sum(np.sum(one ** 2) for one in sums)


@case
def arrays_by_place(x):
    parts = [np.zeros(3)]
    for v in x:
        if np.cos(5 * v) > 0.3:
            parts.append(np.full(3, v))
        parts[-1] += v
    return sum(np.sum(p * p) for p in parts)


@case
def arrays_in_objects(x):
    cells, cell = [], Cell(np.zeros(2))
    for v in x:
        if np.cos(5 * v) > 0.3:
            cell = Cell(np.zeros(2))
            cells.append(cell)
        cell.content[0] += v
    return sum(np.sum(c.content) ** 2 for c in cells) + cell.content[0]


@case
def one_of_two_arrays(x):
    """After the branch, the name is the array that the list held, or the one that it holds now."""
    current = np.array([x[0], 0.5])
    held = [np.array([0.3, 0.5])]
    if np.sin(11 * x[0]) > 0.3:
        current = held[-1]
    else:
        held.append(current)
    current[1] = x[-1] * 0.5
    return sum(np.sum(one) for one in held) + len(held)


@case
def a_size_that_only_some_have(x):
    """An array that an inner loop may take from an earlier iteration of the outer one."""
    total = 0.0
    for i in range(len(x)):
        for j in range(2):
            if x[i] > 0.2:
                for _ in range(3):
                    some = x[x > 0.2 * j]
                    if some[0] > 0.4:
                        some = some * some
                total = total + np.max(some)
    return total


@case
def sorted_by_number(x):
    """Groups under keys that only the run knows, in the order of the keys."""
    groups = defaultdict(list)
    for v in x:
        groups[int(v * 1.7) % 4].append(v)
    return sum(sum(group) ** 2 * (key + 1) for key, group in sorted(groups.items()))


# ---- lists in tuples and records of a list, which are changed, compared and sorted ---------------
@case
def pairs_with_lists_that_grow_after(x):
    """A list that a tuple of a list holds is changed by its own name."""
    rows = []
    for v in np.sin(3 * x):
        smaller = []
        for w in np.sin(3 * x):
            if w < v:
                smaller.append(w)
        rows.append((v, smaller))
        smaller.append(v * v)
    return sum(k * sum(smaller) for k, (_, smaller) in enumerate(rows))


@case
def arrays_and_lists_in_pairs(x):
    rows = []
    for v in x:
        place, path = np.zeros(2), []
        for w in x:
            if w > v:
                path.append(w)
        rows.append((place, path))
        place[0] = v
        path.append(v)
    return sum(k * sum(path) + place[0] for k, (place, path) in enumerate(rows))


@case
def the_last_pair_by_name(x):
    rows, path = [], []
    for v in np.sin(3 * x):
        if v > 0.1:
            path = []
            rows.append((v, path))
        path.append(v)
    return sum(k * sum(path) for k, (_, path) in enumerate(rows))


@case
def beams(x):
    beams = [(0.0, [])]
    for v in x:
        more = []
        for score, path in beams:
            more.append((score + v, path + [v]))
            more.append((score - v * v, path + [-v]))
        beams = more[:3]
    return sum(k * score * sum(path) for k, (score, path) in enumerate(beams, 1))


@case
def pairs_in_order(x):
    rows = []
    for v in np.sin(3 * x):
        rows.append((v, [v, v * v]))
    rows.sort(key=lambda row: -row[0])
    return sum(k * row[1][1] for k, row in enumerate(rows))


@case
def rows_in_order(x):
    rows = [[v, v * v, i] for i, v in enumerate(np.sin(3 * x))]
    rows.sort()
    return sum(row[1] * k + row[2] for k, row in enumerate(rows))


@case
def greatest_row_of_changed_ones(x):
    rows = [[i % 2, v] for i, v in enumerate(np.sin(3 * x))]
    rows.sort()
    rows[0][1] += 2.0
    return sum(row[1] * k for k, row in enumerate(rows)) + max(rows)[1]


@case
def lists_compared(x):
    low, high = [], []
    for v in np.sin(3 * x):
        if v > 0.1:
            high.append(v)
        else:
            low.append(v)
    rows = [[v, v * v] for v in x]
    total = sum(high) * (2.0 if low < high else 3.0) + (max(rows)[1] if rows else 0.0)
    if high == [v for v in np.sin(3 * x) if v > 0.1] and low != [0.25, 1.0]:
        total += x[0]
    return total * (1.0 if low == [0.25] else 2.0)


@case
def states_in_dicts(x):
    """Each object holds a dict of texts."""

    class Body:
        def __init__(self, place):
            self.state = {"place": place, "speed": 0.0}

        def step(self, force):
            self.state["speed"] += force * 0.1
            self.state["place"] += self.state["speed"]

    bodies = [Body(v) for v in x]
    for _ in range(4):
        for body in bodies:
            body.step(-body.state["place"])
    return sum(body.state["place"] ** 2 for body in bodies)


@case
def lists_of_pairs_in_another_list(x):
    """They are changed as items of the other list."""
    pairs = []
    for k, v in enumerate(x):
        run = [v, v * 0.5]
        pairs.append((k, run))
    for run, v in zip([pair[1] for pair in pairs], x):
        run[1:] = [v, v * v, 0.5]
    return sum(sum(pair[1]) * pair[0] for pair in pairs)


@case
def slices_of_rows_of_unlike_lengths(x):
    rows = [[v] * (i % 3) for i, v in enumerate(np.sin(3 * x))]
    nested = [[[v] * (i % 3), [v]] for i, v in enumerate(x)]
    total = sum(sum(row) for row in rows[-2:]) + sum(k * sum(row) for k, row in enumerate(rows[::-2]))
    total += sum(k * sum(row) for k, row in enumerate(rows[:1] + rows[2:]))
    return total + sum(sum(one) * k + two[0] for k, (one, two) in enumerate(nested[1:]))
