"""Learning and images: networks, attention, registration."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

CASES = []
R = np.random.default_rng(6)


def case(*arguments):
    def register(program):
        CASES.append((program, arguments))
        return program

    return register


def network(*sizes):
    return [(R.normal(size=(a, b)) / np.sqrt(a), np.zeros(b)) for a, b in pairwise(sizes)]


@case(network(4, 16, 16, 3), R.normal(size=(32, 4)), R.integers(0, 3, 32))
def classifier(layers, X, labels):
    h = X
    for W, b in layers[:-1]:
        h = np.maximum(h @ W + b, 0.0)
    W, b = layers[-1]
    logits = h @ W + b
    logits = logits - logits.max(axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    loss = -np.mean(logp[np.arange(len(labels)), labels])
    return loss + 1e-3 * sum(np.sum(W ** 2) for W, _ in layers)


@case({"Wf": R.normal(size=(8, 12)) * 0.3, "Wi": R.normal(size=(8, 12)) * 0.3,
       "Wo": R.normal(size=(8, 12)) * 0.3, "Wc": R.normal(size=(8, 12)) * 0.3,
       "b": np.zeros((4, 8))}, R.normal(size=(15, 4)))
def lstm(p, xs):
    def sigmoid(a):
        return 1.0 / (1.0 + np.exp(-a))

    h = np.zeros(8)
    c = np.zeros(8)
    loss = 0.0
    for x in xs:
        v = np.concatenate([h, x])
        f = sigmoid(p["Wf"] @ v + p["b"][0])
        i = sigmoid(p["Wi"] @ v + p["b"][1])
        o = sigmoid(p["Wo"] @ v + p["b"][2])
        c = f * c + i * np.tanh(p["Wc"] @ v + p["b"][3])
        h = o * np.tanh(c)
        loss += np.sum((h[:4] - x) ** 2)
    return loss


@case(R.normal(size=(3, 16, 16)) * 0.2, R.normal(size=(12, 16)))
def attention(W, X):
    q, k, v = X @ W[0], X @ W[1], X @ W[2]
    heads = []
    for h in range(4):
        s = slice(4 * h, 4 * h + 4)
        scores = q[:, s] @ k[:, s].T / np.sqrt(4.0)
        scores = np.where(np.tri(len(X), dtype=bool), scores, -1e9)
        w = np.exp(scores - scores.max(axis=-1, keepdims=True))
        w = w / w.sum(axis=-1, keepdims=True)
        heads.append(w @ v[:, s])
    out = np.concatenate(heads, axis=1)
    mu = out.mean(axis=1, keepdims=True)
    var = out.var(axis=1, keepdims=True)
    out = (out - mu) / np.sqrt(var + 1e-5)
    return np.mean((out - X) ** 2)


@case(R.normal(size=(3, 3)), R.normal(size=(14, 14)), R.normal(size=(12, 12)))
def convolution(kernel, image, wanted):
    rows, cols = image.shape
    out = np.zeros((rows - 2, cols - 2))
    for i in range(3):
        for j in range(3):
            out += kernel[i, j] * image[i:i + rows - 2, j:j + cols - 2]
    out = np.maximum(out, 0.1 * out)
    pooled = out.reshape(6, 2, 6, 2).max(axis=(1, 3))
    return np.mean((pooled - wanted[:6, :6]) ** 2)


@case(np.array([0.1, 0.5, -0.3]), R.normal(size=(16, 16)), R.normal(size=(16, 16)))
def image_registration(pose, fixed, moving):
    angle, tx, ty = pose
    yy, xx = np.mgrid[0:16, 0:16]
    c, s = np.cos(angle), np.sin(angle)
    x = c * (xx - 8) - s * (yy - 8) + 8 + tx
    y = s * (xx - 8) + c * (yy - 8) + 8 + ty
    x, y = np.clip(x, 0, 14.99), np.clip(y, 0, 14.99)
    i, j = np.floor(y).astype(int), np.floor(x).astype(int)
    a, b = y - i, x - j
    warped = ((1 - a) * (1 - b) * moving[i, j] + a * (1 - b) * moving[i + 1, j]
              + (1 - a) * b * moving[i, j + 1] + a * b * moving[i + 1, j + 1])
    f, w = fixed - fixed.mean(), warped - warped.mean()
    return -np.sum(f * w) / np.sqrt(np.sum(f ** 2) * np.sum(w ** 2))


@case(R.normal(size=(20, 20)), R.normal(size=(20, 20)), 0.1)
def total_variation(image, noisy, weight):
    dx = np.zeros_like(image)
    dy = np.zeros_like(image)
    dx[:, :-1] = image[:, 1:] - image[:, :-1]
    dy[:-1, :] = image[1:, :] - image[:-1, :]
    tv = np.sum(np.sqrt(dx ** 2 + dy ** 2 + 1e-6))
    smooth = 0.0
    for ox, oy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        shifted = np.roll(image, (ox, oy), axis=(0, 1))
        smooth += np.mean((image - shifted) ** 2)
    return np.sum((image - noisy) ** 2) + weight * (tv + smooth)


@case(R.normal(size=(10, 4)), R.random((10, 10)) < 0.3)
def graph_network(features, adjacency):
    W = np.linspace(-1, 1, 16).reshape(4, 4)
    h = features
    for _ in range(3):
        new = []
        for i in range(10):
            neighbours = np.nonzero(adjacency[i])[0]
            message = np.zeros(4)
            for j in neighbours:
                message = message + h[j]
            if len(neighbours) > 0:
                message = message / len(neighbours)
            new.append(np.tanh(message @ W + h[i]))
        h = np.array(new)
    return np.sum(h ** 2)


class BatchNorm:
    def __init__(self, size, momentum):
        self.gamma, self.beta = np.ones(size), np.zeros(size)
        self.momentum = momentum

    def __call__(self, x):
        mean, var = x.mean(axis=0), x.var(axis=0)
        self.running = (1 - self.momentum) * mean + self.momentum * var
        return self.gamma * (x - mean) / np.sqrt(var + 1e-5) + self.beta


@case(R.normal(size=(6, 5)), R.normal(size=(20, 6)), R.normal(size=20))
def normalised_regression(W, X, y):
    norm = BatchNorm(5, 0.9)
    h = np.tanh(norm(X @ W))
    pred = h.sum(axis=1) + 0.1 * norm.running.sum()
    huber = 0.0
    for p, t in zip(pred, y):
        r = abs(p - t)
        if r < 1.0:
            huber += 0.5 * r ** 2
        else:
            huber += r - 0.5
    return huber / len(y)
