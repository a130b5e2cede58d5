"""A model made of objects: layers are classes, the gradient has the model's structure.

The task is the classification of two interleaved spirals.  Plain gradient descent with momentum
updates the attributes of the layers.
Needs NumPy only.  Run: python examples/layers.py
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

import srcgrad as sg


@dataclass
class Dense:
    W: np.ndarray
    b: np.ndarray
    activation: str

    def __call__(self, x):
        z = x @ self.W + self.b
        if self.activation == "tanh":
            return np.tanh(z)
        return z


@dataclass
class Scale:
    """Per-feature scaling to mean 0 and deviation 1, with a learned gain."""

    gain: np.ndarray

    def __call__(self, x):
        centred = x - x.mean(axis=0)
        return self.gain * centred / (x.std(axis=0) + 1e-6)


@dataclass
class Model:
    layers: list

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def loss(self, x, labels):
        scores = self(x)[:, 0]
        return np.mean(np.logaddexp(0.0, -labels * scores))


def loss(model, x, labels):
    return model.loss(x, labels)


def spirals(count, rng):
    angle = np.sqrt(rng.random(count)) * 9.0
    side = rng.integers(0, 2, count) * 2 - 1
    radius = angle / 9.0 * side
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return points + 0.02 * rng.normal(size=points.shape), side.astype(float)


def main():
    rng = np.random.default_rng(3)
    x, labels = spirals(600, rng)
    sizes = [2, 48, 32, 1]
    layers = []
    for i, (m, n) in enumerate(itertools.pairwise(sizes)):
        last = i == len(sizes) - 2
        layers.append(Dense(rng.normal(size=(m, n)) * (3.0 if i == 0 else 1.0) / np.sqrt(m),
                            rng.normal(size=n) * 0.1, "linear" if last else "tanh"))
        if i == 0:
            layers.append(Scale(np.ones(n)))
    model = Model(layers)
    step = sg.value_and_grad(loss)
    velocity = sg.tree_map(np.zeros_like, [vars_of(layer) for layer in model.layers])
    history = []
    for i in range(2001):
        value, gradient = step(model, x, labels)
        history.append(value)
        for layer, d_layer, moving in zip(model.layers, gradient.layers, velocity):
            for name, v in moving.items():
                v *= 0.9
                v -= 0.1 * getattr(d_layer, name)
                setattr(layer, name, getattr(layer, name) + v)
        if i % 400 == 0:
            right = float(np.mean(np.sign(model(x)[:, 0]) == labels))
            print(f"  step {i:5d}   loss {value:.5f}   accuracy {right:.3f}")
    print("\nThe gradient is a", type(gradient).__name__, "of",
          [type(layer).__name__ for layer in gradient.layers])
    print("\nThe code that computed it:\n")
    print(step.source())
    picture(model, x, labels)
    return right


def vars_of(layer):
    """The arrays among a layer's attributes."""
    return {k: v for k, v in vars(layer).items() if isinstance(v, np.ndarray)}


def picture(model, x, labels):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(figsize=(5, 5))
    axes.scatter(*x.T, c=labels, cmap="coolwarm", s=8)
    axes.set(title="two spirals", xticks=[], yticks=[])
    figure.savefig("layers.png", dpi=120)
    print("wrote layers.png")


if __name__ == "__main__":
    main()
