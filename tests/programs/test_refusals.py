"""Mistakes: what is refused, where, why, and how to mend it; nothing is left changed."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0])


def total(x):
    return np.sum(x)


@pytest.mark.parametrize(("argument", "error", "words"), [
    (3, sg.NonDifferentiable, "pass a float"),
    (True, sg.NonDifferentiable, "bool"),
    ("a", sg.NonDifferentiable, "str"),
    (None, sg.NonDifferentiable, "which is None"),
    (np.arange(3), sg.NonDifferentiable, "astype(float)"),
    (np.array([True]), sg.NonDifferentiable, "astype(float)"),
    (np.ma.array([1.0]), sg.UnsupportedType, "masked"),
    (np.array([1.0, None]), sg.UnsupportedType, "object"),
    (np.zeros(2, dtype=[("a", float)]), sg.UnsupportedType, "structured"),
    (np.array(["a"]), sg.UnsupportedType, "dtype"),
], ids=str)
def test_arguments(argument, error, words):
    gradient = sg.grad(total)
    with pytest.raises(error) as caught:
        gradient(argument)
    assert words in str(caught.value)
    assert gradient.cache_info().currsize == 0


def vector(x):
    return x * 2


def pair(x):
    return np.sum(x), 1.0


def nothing(x):
    np.sum(x)


def whole(x):
    return len(x)


def complex_result(x):
    return np.sum(x) * 1j


@pytest.mark.parametrize("function", [vector, pair, nothing, whole, complex_result])
def test_results(function):
    with pytest.raises(sg.NonScalarOutput) as caught:
        sg.grad(function)(X)
    assert isinstance(caught.value, TypeError)
    text = str(caught.value)
    assert function.__name__ in text and "Why:" in text and "Fix:" in text


def test_place_of_the_error():
    with pytest.raises(sg.NonScalarOutput) as caught:
        sg.grad(vector)(X)
    assert "return x * 2" in str(caught.value) and "^^^^^" in str(caught.value)


@pytest.mark.parametrize("argnums", [5, -7, "nope", (0, 0), (), 1.5, (True,)])
def test_argnums(argnums):
    with pytest.raises(sg.StructureError):
        sg.grad(total, argnums=argnums)(X)


def test_no_source():
    with pytest.raises(sg.SourceNotFound) as caught:
        sg.grad(eval("lambda x: x * x"))(2.0)
    assert isinstance(caught.value, OSError)


async def waiting(x):
    return x


def uses_exec(x):
    exec("y = 1")
    return x


def data_length(x):
    items = [np.sin] * int(x[0])
    return np.sum(items[0](x))


def converted(x):
    return float.__float__(x[0])


def no_rule(x):
    return np.sum(np.linalg.matrix_rank(np.outer(x, x)) * np.nancumprod(x)) + np.sum(
        np.histogram(x)[0])


def through_a_text(x):
    return np.sum(x) * float(f"{x[0]:.3f}")


def user_catches(x):
    try:
        return windows(x).sum()
    except Exception:
        return np.sum(x)


def windows(x):
    return np.histogram2d(x, x)[1]


@pytest.mark.parametrize("function", [waiting, uses_exec, data_length, through_a_text, user_catches])
def test_constructs(function):
    with pytest.raises(sg.SrcgradError) as caught:
        sg.grad(function)(X)
    text = str(caught.value)
    assert "Why:" in text and "Fix:" in text and __file__ in text


def test_users_own_exceptions_come_through():
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sg.grad(f)(X)

    def g(x):
        return np.sum(x @ np.ones(4))

    with pytest.raises(ValueError, match="matmul|shapes|mismatch"):
        sg.grad(g)(X)


def test_none_on_one_path():
    def f(x):
        if x[0] > 5:
            return np.sum(x)

    gradient = sg.grad(f)
    np.testing.assert_array_equal(gradient(X * 6), [1, 1, 1])
    with pytest.raises(sg.NonScalarOutput, match="None"):
        gradient(X)


def test_cotangents_that_do_not_fit():
    _, pullback = sg.vjp(lambda x: {"a": x * 2, "b": np.sum(x)}, X)
    for wrong in (1.0, {"a": X}, {"a": np.ones(2), "b": 1.0}):
        with pytest.raises(sg.StructureError):
            pullback(wrong)


def falls_back(a, b):
    try:
        z = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        z = 2 * b
    else:
        z = z * 3
    return np.sum(z * z)


def test_try_around_a_solve():
    gradient = sg.value_and_grad(falls_back, argnums=1)
    regular, singular, b = np.diag([2.0, 4.0]), np.ones((2, 2)), np.array([1.0, 3.0])
    value, slope = gradient(regular, b)
    assert value == falls_back(regular, b)
    np.testing.assert_allclose(slope, 18 * b / np.array([4.0, 16.0]))
    value, slope = gradient(singular, b)
    assert value == falls_back(singular, b)
    np.testing.assert_allclose(slope, 8 * b)
    assert gradient.cache_info().misses == 1


def raised_in_a_branch(x):
    try:
        if x[0] > 0.5:
            raise ValueError("large")
        total = np.sum(x)
    except ValueError:
        total = np.sum(x * x)
    return total


def raised_in_a_loop(x):
    total = 0.0
    try:
        for v in x:
            if v > 2.5:
                raise ValueError("too large")
            total += v
    except ValueError:
        total = total * 2
    return total


@pytest.mark.parametrize("function", [raised_in_a_branch, raised_in_a_loop])
def test_the_users_own_raise_in_a_try(function):
    """Caught as Python does, or refused: never let through."""
    for x in (X, X / 10):
        try:
            value = sg.value_and_grad(function)(x)[0]
        except sg.UnsupportedSyntax as error:
            assert "ValueError" in str(error)
            continue
        assert value == function(x)


def through_a_text(x):
    return float(str(x[0])) * 2


def through_a_format(x):
    return float(f"{x[0]:.3f}") + np.sum(x)


def in_a_loop(x):
    total = 0.0
    for v in x:
        label = str(v)
        total += float(label)
    return total


def through_two_texts(x):
    y = float(str(x[0])) * 2.0
    return float(f"{y}")


def counted_again(x):
    counts = {}
    counts.update(Counter(x))
    return np.asarray(list(counts.keys()))[0]


@pytest.mark.parametrize("function", [through_two_texts, through_a_text, through_a_format, in_a_loop])
def test_numbers_that_go_through_texts_have_no_silent_zero_gradient(function):
    with pytest.raises(sg.UnsupportedOperation, match="text"):
        sg.grad(function)(X)
    assert sg.jit(function)(X) == function(X)


def test_texts_that_are_only_shown_are_no_matter(capsys):
    def f(x):
        total = np.sum(x)
        print(f"total {total:.1f}", str(x[0]))
        return total

    assert sg.grad(f)(X).tolist() == [1.0, 1.0, 1.0]
    assert capsys.readouterr().out == "total 6.0 1.0\n"


def test_members_of_sets_have_no_silent_zero_gradient():
    def function(x):
        return sum({float(v) for v in x})

    with pytest.raises(sg.UnsupportedOperation, match="object of what is differentiated"):
        sg.grad(function)(X)
    assert sg.jit(function)(X) == function(X)


def keys_without_one(x):
    counts = {v: 1 for v in x}
    del counts[x[0]]
    return sum(counts)


@pytest.mark.parametrize(("function", "slopes"), [
    (lambda x: max({v: 1 for v in x}) * 2.0, [0.0, 0.0, 2.0]),
    (counted_again, [1.0, 0.0, 0.0]),
    (lambda x: sum(k * n for k, n in {v: 1 for v in x}.items()), [1.0, 1.0, 1.0])])
def test_keys_carry_derivatives(function, slopes):
    assert sg.jit(function)(X) == function(X)
    assert sg.grad(function)(X).tolist() == slopes


def test_keys_beside_those_taken_away_have_no_silent_zero_gradient():
    assert sg.jit(keys_without_one)(X) == keys_without_one(X)
    with pytest.raises(sg.UnsupportedOperation, match="object of what is differentiated"):
        sg.grad(keys_without_one)(X)


def test_a_variable_without_a_value_on_the_path_taken():
    def f(x):
        if x[0] > 5:
            y = x
        return np.sum(y)

    for transform in (sg.grad, sg.value_and_grad, sg.jit):
        df = transform(f)
        df(X * 6)
        with pytest.raises(UnboundLocalError, match="'y'"):
            df(X)


def test_vectorize_cut_off_to_ints():
    """NumPy makes an array of ints where the first result is one; that is said, not computed."""
    f = sg.grad(lambda x: np.vectorize(lambda v: v * 2.5 if v < 0.5 else 1)(x).sum())
    assert np.allclose(f(np.array([0.25, 1.0])), [2.5, 0.0])
    with pytest.raises(TypeError, match="give otypes"):
        f(np.array([1.0, 0.25]))


def unlike_dicts(x):
    if np.sum(x) > 0:
        return {"scaled": x / np.sum(x)}
    return {"error": "the sum is not positive"}


def exception_returned(x):
    return np.sum(x) / x[0] if x[0] > 0 else ValueError("not positive")


@pytest.mark.parametrize("function", [unlike_dicts, exception_returned])
def test_results_without_a_common_form(function):
    with pytest.raises(sg.JoinError, match="unlike things"):
        sg.jit(function)(X)


def test_iterators_of_which_an_unknown_part_was_taken():
    def program(x):
        it = iter(x)
        return (2.0 in it) + sum(it)

    with pytest.raises(sg.UnsupportedOperation, match="used again"):
        sg.grad(program)(X)


def test_a_named_generator_expression_reads_variables_when_its_items_are_taken():
    def program(x):
        scale = 2.0
        items = (scale * v for v in x)
        scale = 3.0
        return sum(items)

    np.testing.assert_array_equal(sg.grad(program)(X), np.full(np.shape(X), 3.0))


class Held:
    def __init__(self, x):
        self.x = x


def held_objects(x):
    first, v = Held(x[1] + 9.0), x[0]
    objects = [first]
    while v < 3.0:
        v = v * 1.2 + 0.1
        objects.append(Held(v))
    return first, objects


@pytest.mark.parametrize("asked", [
    lambda first, objects: sum(2.0 if o is first else 1.0 for o in objects),
    lambda first, objects: sum(2.0 if o == first else 1.0 for o in objects),
    lambda first, objects: sum(2.0 if o is not p else 1.0 for o in objects for p in objects),
    lambda first, objects: sum(2.0 if o in [first] else 1.0 for o in objects),
    lambda first, objects: [first].count(objects[0]),
    lambda first, objects: [first].index(objects[0]),
    lambda first, objects: (objects[0], 1) == (first, 1),
])
def test_objects_in_a_list_whose_length_depends_on_data_are_told_apart(asked):
    def program(x):
        return x[0] * asked(*held_objects(x))

    value, slope = sg.value_and_grad(program)(X)
    assert value == program(X)
    np.testing.assert_array_equal(slope[1:], 0.0)


@pytest.mark.parametrize("asked", [
    lambda first, objects: sum({first: 2.0}.get(o, 1.0) for o in objects),
    lambda first, objects: sum(2.0 if o in {first} else 1.0 for o in objects),
    lambda first, objects: len({first}.union([objects[0]])),
    lambda first, objects: len({first, objects[0]}),
    lambda first, objects: id(objects[0]) == id(first),
])
def test_the_identity_of_objects_in_a_list_whose_length_depends_on_data(asked):
    with pytest.raises(sg.UnsupportedOperation, match="the identity of an object in a list"):
        sg.grad(lambda x: x[0] * asked(*held_objects(x)))(X)


@pytest.mark.parametrize("put", [
    lambda w, x: np.putmask(w, x > 1.0, x), lambda w, x: np.place(w, x > 1.0, x),
    lambda w, x: np.copyto(w, x * 1j)], ids=["putmask", "place", "copyto"])
def test_what_numpy_does_not_cast_is_not_cast(put):
    def program(x):
        w = x.astype(np.float32)
        put(w, x)
        return np.sum(w)

    for fn in (program, sg.grad(program)):
        with pytest.raises(TypeError, match="Cannot cast"):
            fn(X)


@pytest.mark.parametrize("function", [np.mean, np.std, np.ptp, np.median])
def test_what_is_rounded_in_between_is_refused_with_another_precision(function):
    def program(x):
        w = np.zeros(3)
        function(np.outer(x, x).astype(np.float32), axis=0, out=w)
        return np.sum(w)

    with pytest.raises(sg.UnsupportedOperation, match="out= of another type"):
        sg.grad(program)(X)


@dataclasses.dataclass(frozen=True)
class Sample:
    level: float
    weight: float


@pytest.mark.parametrize("make", [lambda v: Sample(v, v * 2), lambda v: dict(level=v, weight=1.0)])
def test_objects_in_a_list_as_an_array(make):
    """NumPy makes an array of the objects themselves."""
    def f(x):
        found = []
        for v in x:
            if v > 0.3:
                found.append(make(v))
        return np.sum(np.array(found))

    with pytest.raises(sg.UnsupportedOperation, match="and that holds objects"):
        sg.grad(f)(np.array([0.4, 0.1, 0.9]))


def objects_in_a_loop(x):
    held = np.empty(len(x), object)
    for i, v in enumerate(x):
        held[i] = v
    return np.inner(held - 1.0, np.ones(len(x)))


def written_when_protected(x):
    y = x * 2.0
    y.setflags(write=False)
    part = y[1:]
    part[0] = 1.0
    return np.sum(y)


@pytest.mark.parametrize(("function", "error", "words"), [
    (objects_in_a_loop, sg.UnsupportedType, "an array of objects"),
    (written_when_protected, sg.AliasError, r"setflags\(write=False\)")])
def test_numbers_do_not_leave_sight(function, error, words):
    with pytest.raises(error, match=words):
        sg.grad(function)(X)
