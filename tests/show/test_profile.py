"""Time and memory by the user's lines."""

from __future__ import annotations

import json

import numpy as np
import pytest

import srcgrad as sg

X = np.linspace(0.1, 0.9, 2000)


def gain(v):
    return np.tanh(v) * 1.1


def rollout(x, n):
    y = np.exp(x)
    for _ in range(n):
        y = np.sin(gain(y)) + x
    return np.sum(y * y)


@sg.checkpoint
def step(x):
    return np.tanh(np.exp(np.sin(x)))


def checkpointed(x, n):
    for _ in range(n):
        x = step(x)
    return np.sum(x)


def line_of(found, text):
    return next(c for c in found.lines if text in c.source)


def test_times_and_bytes_stand_at_their_lines():
    found = sg.value_and_grad(rollout).profile(X, 20)
    assert found.seconds > 0 and found.forward > 0 and found.adjoint > 0
    inner = line_of(found, "np.tanh(v)")
    assert inner.function == "gain" and inner.executions == 20
    assert inner.forward > 0 and inner.adjoint > 0 and inner.forward_bytes >= X.nbytes
    assert found.lines[0].function == "rollout"  # the function itself comes first
    assert "def rollout" not in {c.source for c in found.lines}
    assert found.peak_bytes > 20 * X.nbytes


def test_what_is_kept_agrees_with_what_memory_says_before():
    df = sg.grad(rollout)
    before = df.memory(X, 20)
    assert before.complete and not df.cache_info().hits  # it did not run
    found = df.profile(X, 20)
    assert found.kept_bytes == sum(k.bytes for k in found.kept) >= 20 * X.nbytes
    assert before.kept_bytes == pytest.approx(found.kept_bytes, rel=0.1)
    assert sum(c.kept_bytes for c in found.lines) == found.kept_bytes
    assert any(str(held.where.text).strip().startswith(("for", "y =", "return")) for held in before.kept)
    assert df.memory(X[:1000], 40).kept_bytes == pytest.approx(before.kept_bytes, rel=0.1)


def test_an_array_of_which_only_the_size_is_read_is_not_kept():
    df = sg.grad(lambda x: np.mean((x - 1.0) ** 2))
    assert df.memory(X).kept_bytes == df.profile(X).kept_bytes == X.nbytes


def test_a_loop_that_counts_no_iterations_is_said_to_be_unknown():
    def until(x):
        while np.sum(x) < 50.0:
            x = x * np.exp(0.1 * x)
        return np.sum(x)

    found = sg.grad(until).memory(np.ones(3))
    assert not found.complete and "run time only" in repr(found) and "at least" in repr(found)


def test_text_page_and_data(tmp_path):
    found = sg.value_and_grad(rollout).profile(X, 5)
    text = repr(found)
    assert "rollout    (test_profile.py)" in text and "kept for the backward part" in text
    data = json.loads(json.dumps(found.data()))
    assert {"lines", "kept", "seconds", "forward", "adjoint"} <= data.keys()
    page = found.save(tmp_path / "profile.html").read_text()
    assert page.startswith("<!doctype html>") and "np.tanh(v)" in page
    assert found.save(tmp_path / "profile.txt").read_text() == text + "\n"
    assert json.dumps(sg.grad(rollout).memory(X, 5).data())


def test_adjoints_of_called_functions_are_adjoints():
    found = sg.grad(checkpointed).profile(X, 6)
    inner = line_of(found, "np.tanh(np.exp(")
    assert inner.adjoint > 0 and inner.forward > 0
    rows = {r.source.strip(): r for r in sg.grad(checkpointed).show(X, 6).rows}
    assert rows["return np.tanh(np.exp(np.sin(x)))"].adjoint


def test_arguments_are_written_to_once():
    def shifted(x, log):
        log[0] += 1.0
        return np.sum(x * x)

    log = np.zeros(1)
    sg.grad(shifted).profile(X, log)
    assert log[0] == 1.0


@pytest.mark.parametrize("asked", ["profile", "memory"])
def test_arguments_are_needed(asked):
    df = sg.grad(rollout)
    df(X, 2)
    with pytest.raises(sg.StructureError, match=f"{asked} needs the arguments"):
        getattr(df, asked)()


def test_without_a_derivative():
    found = sg.jit(rollout).profile(X, 3)
    assert found.adjoint == 0.0 and not found.kept and found.forward > 0


def test_sizes_that_print_alike_are_told_apart():
    def powers(a, b, n):
        w = np.outer(np.tanh(a), b)
        for _ in range(n):
            w = np.sin(w)
        return np.sum(w)

    text = repr(sg.grad(powers).memory(np.ones(30), np.ones(40), 5))
    assert "8*m*max(0, n)*a.shape[0]" in text or "8*a.shape[0]*m*max(0, n)" in text
    assert "46.88 KiB" in text
