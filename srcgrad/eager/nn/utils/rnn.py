"""Sequences of unlike lengths: padded, packed, and back."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse

_Fields = namedtuple("_Fields", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])


class PackedSequence(_Fields):
    """Steps of several sequences one after the other, longest sequences first.

    ``batch_sizes[t]`` sequences have a step ``t``; ``data`` holds the steps in that order.
    """

    __slots__ = ()
    def __new__(cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None,
                unsorted_indices: Any = None) -> PackedSequence:
        if batch_sizes is None:  # the pair of PyTorch's first packed sequences
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        refuse(batch_sizes.device.type != "cpu", "batch_sizes should always be on CPU. Instances "
               "of PackedSequence should never be created manually. They should be instantiated by "
               "functions like pack_sequence and pack_padded_sequences in nn.utils.rnn.",
               kind=ValueError)
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def __repr__(self) -> str:
        return super().__repr__().replace("_Fields(", "PackedSequence(", 1)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same steps with ``data.to(...)``: itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else PackedSequence(data, *self[1:])

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Itself: everything is on the CPU."""
        return self.to(*args, device="cpu", **kwargs)

    @property
    def is_cuda(self) -> bool:
        """False: everything is on the CPU."""
        return False

    def is_pinned(self) -> bool:
        """False: memory is never pinned."""
        return False


def _converting(name: str, dtype: Any) -> Any:
    def convert(self: PackedSequence) -> PackedSequence:
        return self.to(dtype=dtype)

    convert.__name__, convert.__qualname__ = name, f"PackedSequence.{name}"
    convert.__doc__ = f"The same steps as numbers of the dtype ``{dtype}``."
    return convert


for _name, _dtype in {
    "double": torch.float64, "float": torch.float32, "half": torch.float16, "long": torch.int64,
    "int": torch.int32, "short": torch.int16, "char": torch.int8, "byte": torch.uint8,
}.items():
    setattr(PackedSequence, _name, _converting(_name, _dtype))


def invert_permutation(permutation: Any) -> Any:
    """The permutation that undoes another (None: nothing to undo)."""
    return None if permutation is None else torch.argsort(permutation)


def pack_padded_sequence(input: Any, lengths: Any, batch_first: bool = False,
                         enforce_sorted: bool = True) -> PackedSequence:
    """Padded sequences ``(L, N, ...)`` without their padding."""
    if batch_first:
        input = input.transpose(0, 1)
    refuse(not input.numel(), "Cannot pack empty tensors.")
    sizes = [int(n) for n in (lengths.tolist() if isinstance(lengths, torch.Tensor) else lengths)]
    if len(sizes) != input.size(1):
        raise RuntimeError("Expected `len(lengths)` to be equal to batch_size, but got "
                           f"{len(sizes)} (batch_size={input.size(1)})")
    refuse(any(n <= 0 for n in sizes), "Length of all samples has to be greater than 0, but found "
           "an element in 'lengths' that is <= 0")
    order = None
    if enforce_sorted:
        refuse(sizes != sorted(sizes, reverse=True), "`lengths` array must be sorted in decreasing "
               "order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to "
               "pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do "
               "not need ONNX exportability.")
    else:
        places = sorted(range(len(sizes)), key=lambda i: -sizes[i])
        order = torch.tensor(places)
        sizes = [sizes[i] for i in places]
        input = input.index_select(1, order)
    batches = [sum(n > t for n in sizes) for t in range(sizes[0])]
    if sizes[0] > input.size(0):
        raise RuntimeError("Expected all lengths to be at most the longest sequence of the input, "
                           f"{input.size(0)}, but got {sizes[0]}")
    data = torch.cat([input[t, :count] for t, count in enumerate(batches)])
    return PackedSequence(data, torch.tensor(batches), order)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False,
                        padding_value: float = 0.0,
                        total_length: int | None = None) -> tuple[Any, Any]:
    """Packed sequences padded again, and their lengths."""
    batches = sequence.batch_sizes.tolist()
    steps = len(batches)
    refuse(total_length is not None and total_length < steps, "Expected total_length to be at "
           "least the length of the longest sequence in input, but got total_length={} and max "
           "sequence length being {}", total_length, steps, kind=ValueError)
    counts = batches + [0] * ((total_length or steps) - steps)
    padded = pad_sequence(sequence.data.split(counts), True, padding_value)
    lengths = torch.tensor([sum(n > i for n in batches) for i in range(batches[0])])
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded, lengths


def pad_sequence(sequences: Iterable[Any], batch_first: bool = False, padding_value: float = 0.0,
                 padding_side: str = "right") -> Any:
    """Sequences of unlike lengths stacked, ``(L, N, ...)``, short ones padded."""
    refuse(not isinstance(sequences, (Iterable, torch.Tensor)), "pad_sequence: Expected iterable "
           "for input sequences, but got arg of type: {}", type(sequences))
    refuse(padding_side not in ("left", "right"), "Expected padding_side to be one of left or "
           "right, but got {}.", padding_side)
    given = list(sequences.unbind(0) if isinstance(sequences, torch.Tensor) else sequences)
    refuse(not given, "received an empty list of sequences")
    longest = max(s.size(0) for s in given)
    rows = []
    for s in given:
        fill = s.new_full((longest - s.size(0), *s.shape[1:]), padding_value)
        rows.append(torch.cat([s, fill] if padding_side == "right" else [fill, s]))
    return torch.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences of a padded tensor without their padding."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [torch.cat([row[:int(n)]]) for row, n in zip(rows, lengths)]


def pack_sequence(sequences: list[Any], enforce_sorted: bool = True) -> PackedSequence:
    """:func:`pack_padded_sequence` of a list of sequences."""
    lengths = [s.size(0) for s in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The sequences of a packed one."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
