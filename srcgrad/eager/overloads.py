"""The overloads of PyTorch's functions, as its messages list them.

Where a function has several signatures and a call fits none, the message lists all of them.  The
table holds them for the functions that do; a method's are the same without ``Tensor input`` and
``out`` unless an entry with a dot says otherwise.  ``@`` stands for the options of new tensors, ``-``
for no arguments.  ``[a]`` is left out and put in, ``{a}`` put in and left out; of ``a|b`` each is
chosen in turn, of ``a/b`` the same in all places.
"""

# ruff: noqa: E501
from __future__ import annotations

import functools
import itertools
import re
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.device import device
from srcgrad.eager.layout import layout, memory_format

_NEW = ("torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
        "bool pin_memory = False, bool requires_grad = False")
_TABLE = """
addmm
    Tensor input, Tensor mat1, Tensor mat2, [torch.dtype out_dtype, ]*, Number beta = 1, Number alpha = 1, Tensor out = None
all any
    Tensor input, [tuple of ints dim = None|int dim, bool keepdim = False, ]*, Tensor out = None
arange
    Number end, *, Tensor out = None, @
    Number start, Number end, *, @
    Number start, Number end, Number step = 1, *, Tensor out = None, @
argsort
    Tensor input, *, bool stable, int dim = -1, bool descending = False, Tensor out = None
    Tensor input, int dim = -1, bool descending = False
bmm mm
    Tensor input, Tensor mat2, [torch.dtype out_dtype, ]*, Tensor out = None
baddbmm
    Tensor input, Tensor batch1, Tensor batch2, [torch.dtype out_dtype, ]*, Number beta = 1, Number alpha = 1, Tensor out = None
bartlett_window blackman_window hann_window
    int window_length, [bool periodic, ]*, @
bernoulli
    Tensor input, *, torch.Generator generator = None, Tensor out = None
    Tensor input, float p, *, torch.Generator generator = None
bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor remainder
    Tensor input, Tensor other, *, Tensor out = None
    Number self, Tensor other
    Tensor input, Number other, *, Tensor out = None
bucketize
    Tensor input, Tensor boundaries, *, bool out_int32 = False, bool right = False, Tensor out = None
    Number self, Tensor boundaries, *, bool out_int32 = False, bool right = False
clamp clip
    Tensor input, Tensor min = None/Number min = None, Tensor max = None/Number max = None, *, Tensor out = None
clamp_max
    Tensor input, Tensor max|Number max, *, Tensor out = None
clamp_min
    Tensor input, Tensor min|Number min, *, Tensor out = None
conv1d conv2d conv3d
    Tensor input, Tensor weight, Tensor bias = None, tuple of ints stride = 1, tuple of ints padding = 0|str padding = "valid", tuple of ints dilation = 1, int groups = 1
copysign eq fmod ge greater greater_equal gt le less less_equal lt ne not_equal
    Tensor input, Tensor other|Number other, *, Tensor out = None
count_nonzero
    Tensor input, int dim = None|tuple of ints dim
ctc_loss
    Tensor log_probs, Tensor targets, tuple of ints input_lengths/Tensor input_lengths, tuple of ints target_lengths/Tensor target_lengths, int blank = 0, int reduction = at::Reduction::Mean, bool zero_infinity = False
cumulative_trapezoid trapezoid
    Tensor y, Tensor x, *, int dim = -1
    Tensor y, *, Number dx = 1, int dim = -1
divide
    Tensor input, Tensor other, *, [str rounding_mode, ]Tensor out = None
    Tensor input, Number other[, *, str rounding_mode]
dsplit hsplit vsplit
    Tensor input, int sections|tuple of ints indices
eye
    int n, [int m, ]*, Tensor out = None, @
fill fill_
    Tensor input, Tensor value|Number value
float_power pow
    Tensor input|Number self, Tensor exponent, *, Tensor out = None
    Tensor input, Number exponent, *, Tensor out = None
floor_divide multiply true_divide
    Tensor input, Tensor other, *, Tensor out = None
    Tensor input, Number other
gradient
    Tensor input, *, tuple of ints dim, int edge_order = 1
    Tensor input, *, Number spacing, tuple of ints dim, int edge_order = 1
    Tensor input, *, Number spacing = None, int dim = None, int edge_order = 1
    Tensor input, *, tuple of Scalars spacing, int dim = None|tuple of ints dim, int edge_order = 1
    Tensor input, *, tuple of Tensors spacing, int dim = None|tuple of ints dim, int edge_order = 1
hamming_window
    int window_length, [bool periodic, [float alpha, [float beta, ]]]*, @
histogram
    Tensor input, Tensor bins, *, Tensor weight = None, bool density = False, tuple of Tensors out = None
    Tensor input, int bins = 100, *, tuple of floats range = None, Tensor weight = None, bool density = False, tuple of Tensors out = None
index_fill
    Tensor input, int dim, Tensor index, Tensor value|Number value
isin
    Tensor elements|Number element, Tensor test_elements, *, bool assume_unique = False, bool invert = False, Tensor out = None
    Tensor elements, Number test_element, *, bool assume_unique = False, bool invert = False, Tensor out = None
kaiser_window
    int window_length, [bool periodic, [float beta, ]]*, @
lerp
    Tensor input, Tensor end, Tensor weight|Number weight, *, Tensor out = None
linspace
    Tensor start|Number start, Tensor end|Number end, int steps, *, Tensor out = None, @
logspace
    Tensor start|Number start, Tensor end|Number end, int steps, float base = 10.0, *, Tensor out = None, @
masked_fill
    Tensor input, Tensor mask, Tensor value|Number value
max min
    Tensor input, *, Tensor out = None
    Tensor input, Tensor other, *, Tensor out = None
    Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None
mean
    Tensor input, [tuple of ints dim, bool keepdim = False, ]*, torch.dtype dtype = None, Tensor out = None
moveaxis movedim
    Tensor input, int source/tuple of ints source, int destination/tuple of ints destination
nanquantile quantile
    Tensor input, Tensor q|float q, int dim = None, bool keepdim = False, *, str interpolation = "linear", Tensor out = None
narrow
    Tensor input, int dim, Tensor start|int start, int length
normal
    Tensor mean, Tensor std|float std = 1, *, torch.Generator generator = None, Tensor out = None
    float mean, Tensor std, *, torch.Generator generator = None, Tensor out = None
    float mean, float std, tuple of ints size, *, torch.Generator generator = None, Tensor out = None, @
prod
    Tensor input, *, torch.dtype dtype = None
    Tensor input, int dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None
rand randn
    tuple of ints size, *, {torch.Generator generator, }Tensor out = None, @
rand_like randn_like
    Tensor input, *, {torch.Generator generator, }torch.memory_format memory_format = None, @
randint_like
    Tensor input, int low, int high, *, {torch.Generator generator, }torch.memory_format memory_format = None, @
    Tensor input, Tensor high, *, {torch.Generator generator, }torch.memory_format memory_format = None, @
    Tensor input, int high, *, {torch.Generator generator, }torch.memory_format memory_format = None, @
randperm
    int n, *, {torch.Generator generator, }Tensor out = None, @
repeat_interleave
    Tensor input, Tensor repeats, int dim = None, *, int output_size = None
    Tensor repeats, *, int output_size = None
    Tensor input, int repeats, int dim = None, *, int output_size = None
round
    Tensor input, *, [int decimals, ]Tensor out = None
rsub
    Tensor input, Tensor other, *, Number alpha = 1
    Tensor input, Number other, Number alpha = 1
scatter
    Tensor input, int dim, Tensor index, Tensor src, *, [str reduce, ]Tensor out = None
    Tensor input, int dim, Tensor index, Number value, *, [str reduce, ]Tensor out = None
searchsorted
    Tensor sorted_sequence, Tensor input|Number self, *, bool out_int32 = False, bool right = False, str side = None, Tensor sorter = None, Tensor out = None
sort
    Tensor input, *, bool stable, int dim = -1, bool descending = False, tuple of Tensors out = None
    Tensor input, int dim = -1, bool descending = False, *, tuple of Tensors out = None
squeeze
    Tensor input
    Tensor input, int dim|tuple of ints dim
std var
    Tensor input, tuple of ints dim, bool unbiased = True, bool keepdim = False, *, Tensor out = None
    Tensor input, tuple of ints dim = None, *, Number correction = None, bool keepdim = False, Tensor out = None
    Tensor input, bool unbiased = True
std_mean var_mean
    Tensor input, tuple of ints dim, bool unbiased = True, bool keepdim = False
    Tensor input, tuple of ints dim = None, *, Number correction = None, bool keepdim = False
    Tensor input, bool unbiased = True
subtract
    Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None
    Tensor input, Number other, Number alpha = 1
sum
    Tensor input, *, torch.dtype dtype = None
    Tensor input, tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None
tensor_split
    Tensor input, tuple of ints indices|Tensor tensor_indices_or_sections, int dim = 0
    Tensor input, int sections, int dim = 0
trapz
    Tensor y, *, float dx = 1, int dim = -1
    Tensor y, Tensor x, *, int dim = -1
where
    Tensor condition
    Tensor condition, Tensor input, Tensor other, *, Tensor out = None
    Tensor condition, Number self, Tensor other
    Tensor condition, Tensor input, Number other
    Tensor condition, Number self, Number other
xlogy
    Tensor input|Number self, Tensor other, *, Tensor out = None
    Tensor input, Number other, *, Tensor out = None
.bernoulli_
    Tensor p|float p = 0.5, *, torch.Generator generator = None
.div .div_
    Tensor other
    Tensor other|Number other, *, str rounding_mode
.bmm .mm
.nonzero
    -
    *, bool as_tuple
.random_
    [int from, int to, ]*, torch.Generator generator = None
    int to, *, torch.Generator generator = None
.set_
    -
    torch.Storage source[, int storage_offset, tuple of ints size, tuple of ints stride = None]
    Tensor source[, int storage_offset, tuple of ints size, tuple of ints stride = None]
.to
    torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None
    torch.dtype dtype|Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None
.view
    torch.dtype dtype|tuple of ints size
.where
    Tensor condition, Tensor other|Number other
"""


def _rows(pattern: str) -> list[str]:
    """The signatures that a line of the table stands for."""
    for opening, closing, order in ("[", "]", 1), ("{", "}", -1):
        start, found, rest = pattern.partition(opening)
        if found:
            inner, _, end = rest.rpartition(closing)
            return [row for part in (start + end, start + inner + end)[::order]
                    for row in _rows(part)]
    places = pattern.strip("- ").split(", ")
    if "/" in pattern:
        return [row for k in (0, -1) for row in _rows(", ".join(p.split("/")[k] for p in places))]
    chosen = itertools.product(*(p.split("|") for p in reversed(places)))
    return [f"({', '.join(reversed(row))})".replace("@", _NEW) for row in chosen]


@functools.cache
def _signatures() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in _TABLE.strip("\n").split("\n"):
        if line.startswith("    "):
            for name in names:
                found[name] += _rows(line)
        else:
            names = line.split()
            found.update({name: [] for name in names})
    return found


def overloads(title: str, bound: bool) -> list[str]:
    """The signatures of a function or method; none if it has only one."""
    table = _signatures()
    if bound and "." + title in table:
        return table["." + title]
    rows = table.get(title) or table.get(title.removesuffix("_"), [])
    if bound or title.endswith("_"):  # the first is the tensor itself, and there is no ``out=``
        rows = [re.sub(r"(, )?(\*, )?(Tensor|tuple of Tensors) out = None\)", ")", row)
                for row in rows if row.startswith("(Tensor input")]
    if bound:
        rows = [re.sub(r"^\(Tensor input(, )?", "(", row) for row in rows]
    return ["()" if row == "(*)" else row for row in rows]


def kind_of(value: Any) -> str:
    """The type of an argument as messages name it."""
    if isinstance(value, np.ndarray | np.generic):
        return f"numpy.{type(value).__name__}"
    if isinstance(value, dt.dtype | device | layout | memory_format):
        return f"torch.{type(value).__name__}"
    return type(value).__name__


def _parts(value: Any) -> str:
    """The type of an argument with those of its items."""
    if isinstance(value, tuple | list):
        inner = ", ".join(kind_of(v) for v in value)
        return f"list of [{inner}]" if isinstance(value, list) else f"tuple of ({inner})"
    return kind_of(value)


def _compared(signature: str, args: tuple[Any, ...]) -> str:
    """The arguments' types, those that the signature has no place for between marks."""
    wanted = [p.partition(" = ")[0].rpartition(" ")[0] for p in signature[1:-1].split(", ")]
    return ", ".join(kind if kind == declared else f"!{kind}!"
                     for kind, declared in zip(map(_parts, args), wanted))


def _plausible(signature: str, count: int) -> bool:
    """Whether a call with so many arguments may mean ``signature``."""
    places = [p for p in signature[1:-1].split(", ") if p not in ("", "*")]
    return sum("=" not in p for p in places) <= count <= len(places)


def combination_error(title: str, args: tuple[Any, ...], kwargs: dict[str, Any],
                      bound: bool) -> TypeError | None:
    """PyTorch's message for a call that fits none of several overloads, else None."""
    rows = overloads(title, bound)
    given = args[1:] if bound else args
    if sum(_plausible(row, len(given) + len(kwargs)) for row in rows) == 1 or not rows:
        return None  # the message is about the one signature that may be meant
    named = sorted(kwargs) if given else [*reversed(kwargs)]
    got = [kind_of(v) for v in given] + [f"{k}={kind_of(kwargs[k])}" for k in named]
    text = ", ".join(got) + (", " if kwargs and not given else "")
    lines = [f"{title}() received an invalid combination of arguments - got ({text}), but expected "
             "one of:"]
    for row in rows:
        lines.append(f" * {row}")
        count = len(row.split(", "))  # "()" is read as one empty place
        wrong = ", ".join(k for k in named if not re.search(rf" {k}\b", row))
        if wrong and count == len(given) + len(kwargs):
            lines.append(f"      didn't match because some of the keywords were incorrect: {wrong}")
        if not kwargs and count == len(given):
            compared = _compared(row, given)
            lines.append("      didn't match because some of the arguments have invalid types: "
                         f"({compared})")
    return TypeError("\n".join(lines) + "\n")
