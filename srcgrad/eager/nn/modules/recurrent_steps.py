"""One time step of each kind of recurrent layer, and the cells that make single steps.

A step takes the projected input ``x @ W_ih.T + b_ih``, the state (a tuple) and the recurrent
weights, and returns the new state, hidden part first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ... import basis as torch
from .. import functional as F
from .. import init
from ..options import Layer

State = tuple[Any, ...]


def rnn_step(activation: Any, projected: Any, state: State, w_hh: Any, b_hh: Any) -> State:
    """``activation(projected + h @ W_hh.T + b_hh)``."""
    return (activation(projected + F.linear(state[0], w_hh, b_hh)),)


def lstm_step(projected: Any, state: State, w_hh: Any, b_hh: Any) -> State:
    """Hidden and cell state of an LSTM."""
    gates = projected + F.linear(state[0], w_hh, b_hh)
    i, f, g, o = gates.chunk(4, -1)
    cell = torch.sigmoid(f) * state[1] + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


def gru_step(projected: Any, state: State, w_hh: Any, b_hh: Any) -> State:
    """Hidden state of a GRU."""
    h = state[0]
    x_reset, x_update, x_new = projected.chunk(3, -1)
    h_reset, h_update, h_new = F.linear(h, w_hh, b_hh).chunk(3, -1)
    reset = torch.sigmoid(x_reset + h_reset)
    update = torch.sigmoid(x_update + h_update)
    new = torch.tanh(x_new + reset * h_new)
    return ((h - new) * update + new,)


STEPS: dict[str, Callable[[Any, State, Any, Any], State]] = {
    "RNN_TANH": partial(rnn_step, torch.tanh), "RNN_RELU": partial(rnn_step, torch.relu),
    "LSTM": lstm_step, "GRU": gru_step,
}


def draw_recurrent(module: Any) -> None:
    """Uniform parameters, the bound by the hidden size."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNNCellBase(Layer):
    """Parameters of a single step."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int,
                 device: Any = None, dtype: Any = None) -> None:
        self._keep(input_size=input_size, hidden_size=hidden_size, bias=bias)
        rows = num_chunks * hidden_size
        self._register((rows, input_size), device, dtype, weight_ih=True)
        self._register((rows, hidden_size), device, dtype, weight_hh=True)
        self._register(rows, device, dtype, bias_ih=bias, bias_hh=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        draw_recurrent(self)

    def extra_repr(self) -> str:
        own = {"nonlinearity": "tanh"} if hasattr(self, "nonlinearity") else {}
        return ", ".join(
            [f"{self.input_size}, {self.hidden_size}", *self._unusual(bias=True, **own)])

    def _step(self, mode: str, input: Any, states: Any, parts: int) -> State:
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.shape[-1]} "
                               f"expected {self.input_size}")
        batched = input.dim() == 2
        if states is not None:
            for place, state in enumerate(states):
                if state.dim() not in (1, 2):
                    which = "hidden" if parts == 1 else f"hx[{place}]"
                    raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {state.dim()}D "
                                     "instead")
        if not batched:
            input = input.unsqueeze(0)
        if states is None:
            zeros = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype)
            states = (zeros,) * parts
        elif not batched:
            states = tuple(state.unsqueeze(0) for state in states)
        for place, state in enumerate(states):
            if input.size(0) != state.size(0):
                raise RuntimeError(f"Input batch size {input.size(0)} doesn't match "
                                   f"hidden{place} batch size {state.size(0)}")
            if state.size(1) != self.hidden_size:
                raise RuntimeError(f"hidden{place} has inconsistent hidden_size: got "
                                   f"{state.size(1)}, expected {self.hidden_size}")
        projected = F.linear(input, self.weight_ih, self.bias_ih)
        new = STEPS[mode](projected, tuple(states), self.weight_hh, self.bias_hh)
        return new if batched else tuple(state.squeeze(0) for state in new)


class RNNCell(RNNCellBase):
    """One step of an RNN."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True,
                 nonlinearity: str = "tanh", device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        mode = f"RNN_{self.nonlinearity.upper()}"
        return self._step(mode, input, None if hx is None else (hx,), 1)[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        hidden, cell = self._step("LSTM", input, hx, 2)
        return hidden, cell


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self._step("GRU", input, None if hx is None else (hx,), 1)[0]
