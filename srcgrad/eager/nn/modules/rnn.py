"""Recurrent layers over sequences: RNN, LSTM, GRU."""

from __future__ import annotations

import warnings
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from ...ops.arguments import warn_once
from .. import functional as F
from ..functional import nodes
from ..options import Layer
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .recurrent_steps import STEPS, draw_recurrent


class RNNBase(Layer):
    """Parameters, checks and the loop over layers, directions and time.

    Weights are named ``weight_ih_l0``, ``weight_hh_l0``, ``bias_ih_l0``, ``bias_hh_l0`` (and
    ``weight_hr_l0`` with a projection), ``_reverse`` appended for the second direction.
    """

    gates = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1,
                 bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
                 bidirectional: bool = False, proj_size: int = 0, device: Any = None,
                 dtype: Any = None) -> None:
        self._keep(mode=mode, input_size=input_size, hidden_size=hidden_size,
                   num_layers=num_layers, bias=bias, batch_first=batch_first,
                   dropout=float(dropout), bidirectional=bidirectional, proj_size=proj_size)
        self._check_options(dropout)
        directions = 2 if bidirectional else 1
        rows = self.gates[mode] * hidden_size
        out = proj_size if proj_size > 0 else hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else out * directions
            for direction in range(directions):
                suffix = f"l{layer}{'_reverse' if direction else ''}"
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (rows, width), "weight_hh": (rows, out)
                }
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if proj_size > 0:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    value = Parameter(torch.empty(shape, device=device, dtype=dtype))
                    self.register_parameter(f"{name}_{suffix}", value)
        self.reset_parameters()

    def _check_options(self, dropout: Any) -> None:
        number = isinstance(dropout, (int, float)) and not isinstance(dropout, bool)
        refuse(not number or not 0 <= dropout <= 1, "dropout should be a number in range [0, 1] "
               "representing the probability of an element being zeroed", kind=ValueError)
        if dropout > 0 and self.num_layers == 1:
            warnings.warn("dropout option adds dropout after all but last recurrent layer, so "
                          "non-zero dropout expects num_layers greater than 1, but got "
                          f"dropout={dropout} and num_layers={self.num_layers}", stacklevel=4)
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int),
                           ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: "
                                f"{type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        refuse(self.num_layers <= 0, "num_layers must be greater than zero", kind=ValueError)
        refuse(self.proj_size < 0, "proj_size should be a positive integer or zero to disable "
               "projections", kind=ValueError)
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        draw_recurrent(self)

    def flatten_parameters(self) -> None:
        """Accepted for compatibility: there is nothing to flatten on the CPU."""

    def _weights(self, layer: int, direction: int) -> list[Any]:
        suffix = f"l{layer}{'_reverse' if direction else ''}"
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        own = self._parameters
        return [own[key] if (key := f"{name}_{suffix}") in own else getattr(self, key, None)
                for name in names]  # a weight may be computed from others

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each layer and direction."""
        directions = 2 if self.bidirectional else 1
        return [[weight for weight in self._weights(layer, direction) if weight is not None]
                for layer in range(self.num_layers) for direction in range(directions)]

    def _checked(self, input: Any, states: tuple[Any, ...] | None) -> tuple[Any, Any, bool]:
        """Input as ``(L, N, E)``, states as ``(layers, N, H)``, and whether batched."""
        name = type(self).__name__
        if input.dim() not in (2, 3):
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got "
                             f"{input.dim()}D{' tensor' if name == 'RNN' else ''} instead")
        weight = self._weights(0, 0)[0]
        refuse(input.dtype != weight.dtype, "RNN input dtype ({}) does not match weight dtype "
               "({}). Convert input: input.to({}), or convert model: model.to({})",
               input.dtype, weight.dtype, weight.dtype, input.dtype, kind=ValueError)
        batched = input.dim() == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
        if states is not None:
            states = self._checked_rank(states, batched)
        if not input.size(1 if self.batch_first else 0):
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        if input.size(-1) != self.input_size:
            raise RuntimeError("input.size(-1) must be equal to input_size. Expected "
                               f"{self.input_size}, got {input.size(-1)}")
        count = input.size(0) if self.batch_first else input.size(1)
        states = self._states(states, count, input.dtype)
        if self.batch_first:
            input = input.transpose(0, 1)
        return input, states, batched

    def _checked_rank(self, states: tuple[Any, ...], batched: bool) -> tuple[Any, ...]:
        wanted = 3 if batched else 2
        for state in states:
            if state.dim() != wanted:
                kind = "batched 3-D" if batched else "unbatched 2-D"
                shown = "hx" if len(states) == 1 else "hx and cx"
                got = ", ".join(f"{s.dim()}-D" for s in states)
                tensors = "tensor" if len(states) == 1 else "tensors"
                raise RuntimeError(f"For {kind} input, {shown} should also be {wanted}-D but got "
                                   f"{'(' + got + ')' if len(states) > 1 else got} {tensors}")
        return states if batched else tuple(state.unsqueeze(1) for state in states)

    def _state_sizes(self, batch: int) -> list[tuple[int, int, int]]:
        layers = self.num_layers * (2 if self.bidirectional else 1)
        sizes = [(layers, batch, self.proj_size if self.proj_size > 0 else self.hidden_size)]
        if self.mode == "LSTM":
            sizes.append((layers, batch, self.hidden_size))
        return sizes

    def _states(self, states: tuple[Any, ...] | None, batch: int, dtype: Any) -> tuple[Any, ...]:
        """The given states, if their sizes are right; zeros if there are none."""
        sizes = self._state_sizes(batch)
        if states is None:
            return tuple(torch.zeros(size, dtype=dtype) for size in sizes)
        for place, (state, size) in enumerate(zip(states, sizes)):
            if tuple(state.size()) != size:
                which = "hidden size" if self.mode != "LSTM" else f"hidden[{place}] size"
                raise RuntimeError(f"Expected {which} {size}, got {list(state.size())}")
        return states

    def _forward(self, input: Any, states: tuple[Any, ...] | None) -> tuple[Any, tuple[Any, ...]]:
        """Outputs and last states for padded or packed sequences."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, states)
        input, full, batched = self._checked(input, states)
        return self._finished(*self._run(input, full), batched)

    def _forward_packed(self, packed: PackedSequence,
                        states: tuple[Any, ...] | None) -> tuple[Any, tuple[Any, ...]]:
        counts = packed.batch_sizes.tolist()
        full = self._states(states, counts[0], packed.data.dtype)
        if states is not None and packed.sorted_indices is not None:
            full = tuple(s.index_select(1, packed.sorted_indices) for s in full)
        data, finals = self._run(packed.data, full, counts)
        if packed.unsorted_indices is not None:
            finals = tuple(s.index_select(1, packed.unsorted_indices) for s in finals)
        out = PackedSequence(data, packed.batch_sizes, packed.sorted_indices,
                             packed.unsorted_indices)
        return out, finals

    def _run(self, input: Any, states: tuple[Any, ...],
             counts: list[int] | None = None) -> tuple[Any, tuple[Any, ...]]:
        """All layers over ``(L, N, E)``, or over packed steps with ``counts`` rows each:
        outputs, and the last states stacked."""
        directions = 2 if self.bidirectional else 1
        finals: list[tuple[Any, ...]] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                place = layer * directions + direction
                start = tuple(state[place] for state in states)
                weights = self._weights(layer, direction)
                rows, last = self._sweep(input, start, weights, bool(direction), counts)
                outputs.append(rows)
                finals.append(last)
            input = outputs[0] if directions == 1 else torch.cat(outputs, -1)
            if self.dropout > 0 and layer < self.num_layers - 1:
                input = F.dropout(input, self.dropout, self.training)
        return input, tuple(torch.stack(parts) for parts in zip(*finals))

    def _sweep(self, input: Any, start: tuple[Any, ...], weights: list[Any], reverse: bool,
               counts: list[int] | None) -> tuple[Any, tuple[Any, ...]]:
        """All steps of one layer; with ``counts``, step ``t`` is there for the first
        ``counts[t]`` sequences only, and the rows of all steps follow each other."""
        w_ih, w_hh, b_ih, b_hh, w_hr = weights
        if counts is None and self.mode == "LSTM" and w_hr is None and input.size(0):
            rows, hidden, cell = nodes.lstm_layer(input, w_ih, w_hh, b_ih, b_hh, *start, reverse)
            return rows, (hidden, cell)
        if counts is None and w_hr is not None:
            warn_once("LSTM with projections is not supported with oneDNN. Using default "
                      "implementation.")
        projected = F.linear(input, w_ih, b_ih)
        steps = projected.unbind(0) if counts is None else projected.split(counts)
        outputs: list[Any] = [None] * len(steps)
        ended: list[tuple[Any, ...]] = []
        state = start if counts is None or not reverse else tuple(s[:counts[-1]] for s in start)
        for t in range(len(steps))[::-1 if reverse else 1]:
            have = state[0].size(0)
            count = have if counts is None else counts[t]
            if count < have:  # some sequences ended before this step
                ended.append(tuple(s[count:] for s in state))
                state = tuple(s[:count] for s in state)
            elif count > have:  # running backwards, some begin here
                state = tuple(torch.cat([s, s0[have:count]]) for s, s0 in zip(state, start))
            state = STEPS[self.mode](steps[t], state, w_hh, b_hh)
            if w_hr is not None:
                state = (F.linear(state[0], w_hr), *state[1:])
            outputs[t] = state[0]
        if counts is None:
            return torch.stack(outputs), state
        ended.append(state)
        return torch.cat(outputs), tuple(torch.cat(parts[::-1]) for parts in zip(*ended))

    def _finished(self, out: Any, states: tuple[Any, ...],
                  batched: bool) -> tuple[Any, tuple[Any, ...]]:
        if self.batch_first:
            out = out.transpose(0, 1) if self.mode == "LSTM" else out.transpose_(0, 1)
        if batched:
            return out, states
        return out.squeeze(0 if self.batch_first else 1), tuple(s.squeeze(1) for s in states)

    def extra_repr(self) -> str:
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *self._unusual(
            proj_size=0, num_layers=1, bias=True, batch_first=False, dropout=0,
            bidirectional=False)])


class _OneState(RNNBase):
    def __init__(self, mode: str, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__(mode, *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        out, finals = self._forward(input, None if hx is None else (hx,))
        return out, finals[0]


class RNN(_OneState):
    """``h = tanh(x @ W_ih.T + b_ih + h @ W_hh.T + b_hh)``, or with ``relu``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > 3:
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        refuse(nonlinearity not in ("tanh", "relu"), "Unknown nonlinearity '{}'. Select from "
               "'tanh' or 'relu'.", nonlinearity, kind=ValueError)
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class GRU(_OneState):
    """Gated recurrent units (Cho et al. 2014); gates in the order reset, update, new."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Long short-term memory; gates in the order input, forget, cell, output."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, tuple[Any, Any]]:
        out, finals = self._forward(input, None if hx is None else (hx[0], hx[1]))
        return out, (finals[0], finals[1])
