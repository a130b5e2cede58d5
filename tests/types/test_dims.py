"""Symbolic sizes agree with the numbers they stand for."""

import itertools

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from srcgrad.types import dims
from srcgrad.types.dims import Poly, evaluate, is_varying, substitute, symbol, symbols

N, M = symbol("n"), symbol("m")
K = symbol("k", low=None)  # an integer argument: of any sign
I = symbol("i", low=0, high=N - 1, varying=True)
ATOMS = {d: d.atoms()[0] for d in (N, M, K, I)}

BINARY = [(dims.add, lambda a, b: a + b), (dims.multiply, lambda a, b: a * b),
          (dims.maximum, max), (dims.minimum, min), (lambda a, b: a - b, lambda a, b: a - b)]


@st.composite
def pairs(draw):
    """A dim and a plain function from the symbols' numbers to its own."""
    def leaf():
        choice = draw(st.sampled_from([N, M, K, I, "number"]))
        if choice == "number":
            number = draw(st.integers(-3, 5))
            return number, lambda v, number=number: number
        return choice, lambda v, a=ATOMS[choice]: v[a]

    def grow(depth):
        if depth == 0 or draw(st.booleans()):
            return leaf()
        (a, f), (b, g) = grow(depth - 1), grow(depth - 1)
        symbolic, plain = draw(st.sampled_from(BINARY))
        return symbolic(a, b), lambda v: plain(f(v), g(v))

    return grow(3)


@st.composite
def numbers(draw):
    n = draw(st.integers(1, 7))
    return {ATOMS[N]: n, ATOMS[M]: draw(st.integers(0, 7)), ATOMS[K]: draw(st.integers(-5, 6)),
            ATOMS[I]: draw(st.integers(0, n - 1))}


@given(pairs(), numbers())
@settings(max_examples=400, deadline=None)
def test_arithmetic(pair, values):
    dim, plain = pair
    assert evaluate(dim, values) == plain(values)


@pytest.mark.long
@given(pairs(), pairs(), numbers())
@settings(max_examples=400, deadline=None)
def test_division(first, second, values):
    (a, f), (b, g) = first, second
    assume(g(values) != 0)
    assert evaluate(dims.floor_divide(a, b), values) == f(values) // g(values)
    assert evaluate(dims.remainder(a, b), values) == f(values) % g(values)


@pytest.mark.long
@given(st.one_of(st.none(), pairs()), st.one_of(st.none(), pairs()),
       st.sampled_from([None, 1, 2, 3, -1, -2, "symbol"]), pairs(), numbers())
@settings(max_examples=600, deadline=None)
def test_slices_and_ranges(start, stop, step, size, values):
    (s, f), (e, g) = (p or (None, lambda v: None) for p in (start, stop))
    n, h = size
    step = K if step == "symbol" else step
    stride = evaluate(step, values)
    assume(h(values) >= 0 and stride != 0)
    length = dims.slice_length(s, e, step, n)
    assert evaluate(length, values) == len(range(h(values))[slice(f(values), g(values), stride)])
    if None not in (s, e, step):
        length = dims.range_length(s, e, step)
        assert evaluate(length, values) == len(range(f(values), g(values), stride))


@given(pairs(), numbers())
@settings(max_examples=500, deadline=None)
def test_proofs(pair, values):
    dim, plain = pair
    if dims.proves_nonnegative(dim):
        assert plain(values) >= 0
    if dims.proves_positive(dim):
        assert plain(values) >= 1


@given(pairs(), pairs(), numbers())
@settings(max_examples=300, deadline=None)
def test_substitution(pair, replacement, values):
    (dim, _), (by, g) = pair, replacement
    assume(g(values) >= 0)  # what replaces a size is one
    replaced = substitute(dim, {ATOMS[M]: by})
    assert evaluate(replaced, values) == evaluate(dim, values | {ATOMS[M]: g(values)})


@given(pairs(), pairs())
@settings(max_examples=200, deadline=None)
def test_equal_dims_hash_alike_and_print_alike(first, second):
    a, b = first[0], second[0]
    if a == b:
        assert hash(a) == hash(b) and str(a) == str(b)


def test_canonical_forms():
    assert (N + 1) - 1 == N
    assert N * M == M * N
    assert (N + M) * (N - M) == N * N - M * M
    assert N - N == 0 and isinstance(N - N, int)
    assert 2 * N // 2 == N and (N * 3) % 3 == 0
    assert dims.slice_length(1, -1, None, N) == dims.maximum(0, N - 2)
    assert dims.slice_length(None, None, -1, N) == N
    assert dims.slice_length(I, None, None, N) == N - I
    assert dims.slice_length(None, I, None, N) == I
    assert dims.range_length(0, N, 1) == N


def test_kinds_of_symbols():
    assert not is_varying(N * M + 1) and is_varying(N - I)
    assert symbols(dims.maximum(N, M - 1) + I) == symbols(dims.maximum(N, M - 1) + I)
    assert set(symbols(dims.maximum(N, M - 1) + I)) == {ATOMS[N], ATOMS[M], ATOMS[I]}
    assert symbol("n", serial=1) != N and str(symbol("n", serial=1)) == "n_1"


def test_a_missing_number_is_named():
    with pytest.raises(KeyError):
        evaluate(N + M, {ATOMS[N]: 1})


@pytest.mark.parametrize("order", list(itertools.permutations([N, M, K])))
def test_text_does_not_depend_on_the_order_of_operations(order):
    total = 1
    for d in order:
        total = total + d
    assert str(total) == "k + m + n + 1"
    assert isinstance(total, Poly)
