"""Handwritten digits: softmax regression and a multilayer perceptron in plain NumPy.

The data (1,797 images of 8 x 8 pixels) come with scikit-learn; split and seed are fixed.
SciPy's L-BFGS-B does the fitting, ``value_and_grad`` the derivatives.
Needs SciPy and scikit-learn.  Run: python examples/digits.py
"""

from __future__ import annotations

import itertools
import time

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_digits

import srcgrad as sg


def cross_entropy(scores, labels):
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_norm - shifted[np.arange(len(labels)), labels])


def softmax_regression(params, X, labels, decay):
    scores = X @ params["W"] + params["b"]
    return cross_entropy(scores, labels) + decay * np.sum(params["W"] ** 2)


def mlp_scores(params, X):
    h = X
    for W, b in params["hidden"]:
        h = np.tanh(h @ W + b)
    W, b = params["out"]
    return h @ W + b


def mlp(params, X, labels, decay):
    loss = cross_entropy(mlp_scores(params, X), labels)
    for W, _ in [*params["hidden"], params["out"]]:
        loss += decay * np.sum(W ** 2)
    return loss


def fit(loss, params, X, labels, decay, steps):
    """Minimise over all arrays of ``params``; any structure will do."""
    start, unravel = sg.ravel_tree(params)
    step = sg.value_and_grad(loss)
    history = []

    def objective(flat):
        value, gradient = step(unravel(flat), X, labels, decay)
        history.append(value)
        if len(history) % 25 == 1:
            print(f"  evaluation {len(history):4d}   loss {value:.5f}")
        return value, sg.ravel_tree(gradient)[0]

    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": steps})
    return unravel(found.x), step, history


def accuracy(scores, labels):
    return float(np.mean(np.argmax(scores, axis=1) == labels))


def main():
    began = time.perf_counter()
    rng = np.random.default_rng(0)
    images, labels = load_digits(return_X_y=True)
    order = rng.permutation(len(labels))
    images, labels = images[order] / 16.0, labels[order]
    X, y, X_test, y_test = images[:1347], labels[:1347], images[1347:], labels[1347:]

    print("Softmax regression")
    linear = {"W": np.zeros((64, 10)), "b": np.zeros(10)}
    linear, _, linear_history = fit(softmax_regression, linear, X, y, 1e-4, 150)
    linear_accuracy = accuracy(X_test @ linear["W"] + linear["b"], y_test)
    print(f"  test accuracy {linear_accuracy:.4f}")

    print("Multilayer perceptron, 64-48-32-10")
    sizes = [64, 48, 32, 10]
    layers = [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n))
              for m, n in itertools.pairwise(sizes)]
    params = {"hidden": layers[:-1], "out": layers[-1]}
    params, step, history = fit(mlp, params, X, y, 1e-4, 200)
    mlp_accuracy = accuracy(mlp_scores(params, X_test), y_test)
    print(f"  test accuracy {mlp_accuracy:.4f}")

    print("\nThe code that computed the gradients of the perceptron:\n")
    print(step.source())
    print(f"{time.perf_counter() - began:.1f} s in all, {step.cache_info()}")
    picture(linear_history, history, linear["W"])
    return linear_accuracy, mlp_accuracy


def picture(linear_history, history, weights):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(1, 2, figsize=(10, 4))
    axes[0].semilogy(linear_history, label="softmax regression")
    axes[0].semilogy(history, label="perceptron")
    axes[0].set(xlabel="evaluation", ylabel="loss")
    axes[0].legend()
    tiles = np.hstack([weights[:, k].reshape(8, 8) for k in range(10)])
    axes[1].imshow(np.vstack([tiles[:, :40], tiles[:, 40:]]), cmap="coolwarm")
    axes[1].set(title="weights of the ten classes", xticks=[], yticks=[])
    figure.savefig("digits.png", dpi=120)
    print("wrote digits.png")


if __name__ == "__main__":
    main()
