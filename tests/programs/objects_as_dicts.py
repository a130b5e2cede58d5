"""Programs over dicts as records: from outside or made, changed, linked, copied, born."""

from __future__ import annotations

import numpy as np

DRAWS = np.random.default_rng(3)


def make_ag(n):
    return [{"id": i, "e": float(DRAWS.normal()) + 1, "state": "s" if i % 2 else "i", "log": [], "best": None} for i in range(n)]


def make_link(n):
    ds = [{"w": float(DRAWS.normal()), "next": None, "near": []} for _ in range(n)]
    for i in range(n):
        ds[i]["next"] = ds[i + 1] if i + 1 < n else None
        ds[i]["near"] = [ds[(i * 2 + 1) % n]]
    return ds


def make_none(n):
    return n


def make_arr(n):
    return [{"W": DRAWS.normal(size=(3, 3)), "b": np.zeros(3), "act": "tanh" if i % 2 else "id"} for i in range(n)]


def make_pos(n):
    return [{"pos": DRAWS.normal(size=2), "vel": np.zeros(2)} for i in range(n)]


def dicts_with_states(x, ds):
    for _ in range(2):
        for d in ds:
            d["e"] = d["e"] * x[0]
            d["log"].append(d["e"])
            if d["e"] > 0.9 and d["state"] == "s":
                d["state"] = "i"
            if d["best"] is None or d["e"] > d["best"]:
                d["best"] = d["e"]
    return sum((d["e"] ** 2 for d in ds if d["state"] == "i")) + sum((d["best"] * x[1] for d in ds)) + sum((len(d["log"]) for d in ds))


def chain_of_dicts(x, ds):
    d = ds[0]
    s = 0.0
    while d is not None:
        d["w"] *= x[0]
        s += d["w"] * x[1]
        d = d["next"]
    return s


def dicts_with_neighbours(x, ds):
    for d in ds:
        for o in d["near"]:
            d["w"] += 0.1 * x[0] * o["w"]
    return sum((d["w"] ** 2 for d in ds))


def dicts_born(x, ds):
    for d in list(ds):
        d["e"] *= x[0]
        if d["e"] > 0.8:
            ds.append({"id": d["id"] + 100, "e": d["e"] * 0.5, "state": "s", "log": [], "best": None})
    return sum((d["e"] ** 2 for d in ds))


def methods_of_dicts(x, ds):
    t = 0.0
    for d in ds:
        d.update(e=d["e"] * x[0], best=1.0)
        t += d.get("e") * x[1] + d.get("zz", 0.5) + len(d)
        if "e" in d:
            t += 1.0
        for k, v in d.items():
            if k == "e":
                t += v
    return t


def layers_as_dicts(x, layers):
    h = x
    for l in layers:
        h = l["W"] @ h + l["b"]
        if l["act"] == "tanh":
            h = np.tanh(h)
    return np.sum(h ** 2)


def arrays_in_dicts(x, ps):
    for _ in range(3):
        for p in ps:
            p["vel"] = p["vel"] - x[0] * p["pos"]
            p["pos"] = p["pos"] + 0.1 * p["vel"]
    return sum((np.sum(p["pos"] ** 2) for p in ps)) * x[1]


def arrays_in_place(x, ps):
    for _ in range(3):
        for p in ps:
            p["vel"] -= x[0] * p["pos"]
            p["pos"] += 0.1 * p["vel"]
    return sum((np.sum(p["pos"] ** 2) for p in ps)) * x[1]


def history(x, n):
    rec = []
    for i in range(n):
        rec.append({"t": i, "v": x[0] * i, "tag": "a"})
    for r in rec:
        r["v"] = r["v"] + x[1]
    rec = sorted(rec, key=lambda r: -r["v"])
    return sum((r["v"] ** 2 for r in rec)) + rec[0]["t"]


def spread(x, n):
    ps = [{"a": x[0] * i, "b": 1.0} for i in range(n)]
    qs = [{**p, "b": p["a"] * 2.0} for p in ps]
    for q in qs:
        q["a"] += x[1]
    return sum((q["a"] * q["b"] for q in qs)) + sum((p["a"] for p in ps))


def copies(x, n):
    ps = [{"a": x[0] * i, "b": 1.0} for i in range(n)]
    qs = [dict(p) for p in ps]
    rs = [p.copy() for p in ps]
    for q in qs:
        q["a"] += x[1]
    for r in rs:
        r["b"] = 3.0
    return sum((q["a"] * r["b"] for q, r in zip(qs, rs))) + sum((p["a"] * p["b"] for p in ps))


def one_dict(x, n):
    state = {"x": x[0], "v": x[1], "t": 0}
    for i in range(n):
        state["v"] -= 0.1 * state["x"]
        state["x"] += 0.1 * state["v"]
        state["t"] += 1
    return state["x"] ** 2 + state["t"]


def dicts_swapped(x, n):
    ps = [{"a": x[0] * i, "k": i} for i in range(n)]
    for i in range(n - 1):
        if ps[i]["a"] < ps[i + 1]["a"]:
            ps[i], ps[i + 1] = (ps[i + 1], ps[i])
    best = ps[0]
    for p in ps:
        if p["a"] > best["a"]:
            best = p
    best["a"] *= x[1]
    return sum((p["a"] * p["k"] for p in ps))


def make_dicts(n):
    return [{"x": float(DRAWS.normal()), "v": 0.0, "m": 1.0 + i} for i in range(n)]


def dicts_changed(x, ds):
    for _ in range(3):
        for d in ds:
            f = -x[0] * d["x"]
            d["v"] += 0.1 * f / d["m"]
            d["x"] += 0.1 * d["v"]
    return sum((d["x"] ** 2 for d in ds)) * x[1]


def dicts_pairs(x, ds):
    e = 0.0
    for i in range(len(ds)):
        for j in range(i):
            e = e + ds[i]["m"] * ds[j]["m"] / (abs(ds[i]["x"] - ds[j]["x"]) + x[0])
    return e


def made_dicts(x, n):
    ps = [{"x": x[0] * i, "v": x[1], "age": 0} for i in range(n)]
    for _ in range(3):
        for p in ps:
            p["x"] += 0.1 * p["v"]
            p["age"] += 1
        ps = [p for p in ps if p["x"] < 20.0]
    return sum((p["x"] ** 2 * p["age"] for p in ps))


def comprehended(x, n):
    """Dicts of comprehensions follow one another until they no longer change."""
    rank = {name: v for name, v in zip("abc", (x[0], x[1], 2.0))}
    for _ in range(20 + n):
        new = {name: 0.1 * x[0] for name in rank}
        new["a"] += rank["b"] * 0.5
        new["b"] += rank["c"] * 0.3 + rank["a"] * 0.1
        if max(abs(new[name] - rank[name]) for name in rank) < 1e-2:
            break
        rank = new
    return rank["a"] + rank["c"] ** 2


def better_of_comprehended(x, n):
    best = {name: x[1] * i for i, name in enumerate(("low", "high"))}
    for i in range(n):
        tried = {name: value * 0.9 + x[0] * i for name, value in best.items()}
        if tried["high"] - tried["low"] < x[1]:
            best = tried
    return best["high"] * best["low"]


MADE_BY = {
    dicts_with_states: make_ag,
    chain_of_dicts: make_link,
    dicts_with_neighbours: make_link,
    dicts_born: make_ag,
    methods_of_dicts: make_ag,
    layers_as_dicts: make_arr,
    arrays_in_dicts: make_pos,
    arrays_in_place: make_pos,
    history: make_none,
    spread: make_none,
    copies: make_none,
    one_dict: make_none,
    dicts_swapped: make_none,
    dicts_changed: make_dicts,
    dicts_pairs: make_dicts,
    made_dicts: make_none,
    comprehended: make_none,
    better_of_comprehended: make_none,
}
