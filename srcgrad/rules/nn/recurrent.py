"""One direction of one LSTM layer as a single function, with its rule.

Hochreiter and Schmidhuber 1997 with forget gates; gates in the order input, forget, cell,
output.  The rule runs the recurrence again, then backwards in time; the gradients of the weights
are one matrix product each, over all times at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.activations import sigmoid


def _projected(input: Array, w_ih: Array, b_ih: Array, b_hh: Array) -> Array:
    out = np.matmul(input, np.swapaxes(w_ih, 0, 1))
    return out if b_ih is None else out + (b_ih + b_hh)


@runtime
def lstm_layer(input: Array, w_ih: Array, w_hh: Array, b_ih: Array, b_hh: Array, h0: Array,
               c0: Array, reverse: bool) -> tuple[Array, Array, Array]:
    """Outputs ``(L, N, H)`` and the last hidden and cell states ``(N, H)``.

    ``input`` is ``(L, N, E)``; with ``reverse`` time runs from the end.
    """
    steps, size = input.shape[0], h0.shape[-1]
    projected = _projected(input, w_ih, b_ih, b_hh)
    turned = np.ascontiguousarray(w_hh.T)
    out = np.empty((*projected.shape[:-1], size), projected.dtype)
    h, c = h0, c0
    for t in range(steps - 1, -1, -1) if reverse else range(steps):
        gates = projected[t]
        gates += h @ turned
        s = sigmoid(gates)
        c = s[:, size:2 * size] * c
        c += s[:, :size] * np.tanh(gates[:, 2 * size:3 * size])
        h = np.multiply(s[:, 3 * size:], np.tanh(c), out=out[t])
    return out, np.array(h), np.array(c)


def _unrolled(projected: Array, w_hh: Array, h0: Array, c0: Array,
              order: list[int]) -> list[tuple[Array, ...]]:
    """Per time in ``order``: the state before, the four gates, and ``tanh`` of the new cell."""
    size = np.shape(h0)[-1]
    turned = np.swapaxes(w_hh, 0, 1)
    h, c, records = h0, c0, []
    for t in order:
        gates = projected[t] + np.matmul(h, turned)
        s = sigmoid(gates)
        i, f, o = s[:, :size], s[:, size:2 * size], s[:, 3 * size:]
        g = np.tanh(gates[:, 2 * size:3 * size])
        before = (h, c)
        c = f * c + i * g
        squashed = np.tanh(c)
        h = o * squashed
        records.append((*before, i, f, g, o, squashed))
    return records


def _sum(a: Any, b: Any) -> Any:
    """The sum of two cotangents, either of which may be absent."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


@vjp(lstm_layer, "input", "w_ih", "w_hh", "b_ih", "b_hh", "h0", "c0")
def lstm_layer_all(ct: Any, input: Array, w_ih: Array, w_hh: Array, b_ih: Array, b_hh: Array,
                   h0: Array, c0: Array, reverse: bool) -> tuple[Any, ...]:
    steps = np.shape(input)[0]
    order = list(range(steps - 1, -1, -1)) if reverse else list(range(steps))
    records = _unrolled(_projected(input, w_ih, b_ih, b_hh), w_hh, h0, c0, order)
    d_out, d_h, d_c = ct
    d_gates: list[Any] = [None] * steps
    states: list[Any] = [None] * steps
    for t, (h, c, i, f, g, o, squashed) in zip(reversed(order), reversed(records)):
        d_h = _sum(d_h, None if d_out is None else d_out[t])
        through = None if d_h is None else d_h * o * (1 - squashed * squashed)
        d_c = _sum(d_c, through)
        d_o = np.zeros_like(o) if d_h is None else d_h * squashed * (o * (1 - o))
        d_gates[t] = np.concatenate([
            d_c * g * (i * (1 - i)), d_c * c * (f * (1 - f)), d_c * i * (1 - g * g), d_o,
        ], axis=-1)
        states[t] = h
        d_c = d_c * f
        d_h = np.matmul(d_gates[t], w_hh)
    stacked = np.stack(d_gates)
    rows = np.reshape(stacked, (-1, stacked.shape[-1]))
    turned = np.swapaxes(rows, 0, 1)
    d_input = np.matmul(stacked, w_ih)
    d_w_ih = np.matmul(turned, np.reshape(input, (-1, np.shape(input)[-1])))
    d_w_hh = np.matmul(turned, np.reshape(np.stack(states), (-1, np.shape(h0)[-1])))
    d_bias = np.sum(rows, axis=0)
    return d_input, d_w_ih, d_w_hh, d_bias, d_bias, d_h, d_c
