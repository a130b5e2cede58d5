"""Programs that draw while they compute: at each call, the numbers of that call."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed():
    plt.close("all")  # what pages that were run have drawn
    yield
    plt.close("all")


def drawn():
    """What the lines and titles of all figures show; the figures are closed."""
    found = [(ax.get_title(), [line.get_ydata().tolist() for line in ax.lines])
             for number in plt.get_fignums() for ax in plt.figure(number).axes]
    plt.close("all")
    return found


def descent(x, steps):
    for i in range(steps):
        x = x - 0.2 * x
        plt.plot(x, label=f"step {i}")
    plt.legend()
    plt.title(f"sum {np.sum(x):.3f}")
    return np.sum(x * x)


def in_several_axes(x, steps):
    figure, axes = plt.subplots(1, 2)
    colours = plt.cm.viridis(np.linspace(0.0, 1.0, steps))
    for ax in axes.flat:
        ax.set_xlabel("x")
    for i in range(steps):
        x = np.sin(x)
        axes[0].plot(x, color=colours[i])
    if x[0] > 0.0:
        axes[1].set_title("up")
    (line,) = axes[1].plot(x)
    line.set_ydata(x * 2.0)
    figure.tight_layout()
    return np.sum(x)


@pytest.mark.parametrize("program", [descent, in_several_axes])
def test_each_call_draws(program):
    gradient = sg.value_and_grad(program)
    assert gradient.source(np.array([1.0, 2.0]), 2)
    assert drawn() == []
    for x, steps in ((np.array([1.0, 2.0]), 2), (np.array([-0.5, 0.3, 0.1]), 3)):
        value = program(x, steps)
        want = drawn()
        found, slope = gradient(x, steps)
        assert (found, drawn()) == (value, want)
        ahead, behind = (program(x + step * np.cos(x), steps) for step in (1e-6, -1e-6))
        assert np.isclose(slope @ np.cos(x), (ahead - behind) / 2e-6)
        drawn()


def test_what_a_plot_gives_back_has_no_silent_zero_gradient():
    def counted(x):
        counts, edges, _ = plt.hist(x, 3)
        return np.sum(counts * edges[1:])

    with pytest.raises(sg.UnsupportedOperation):
        sg.grad(counted)(np.array([0.1, 0.5, 0.7]))
