"""Arguments that ``argnums`` names, of functions behind wrappers that take ``*args`` and ``**kwargs``."""

import functools

import numpy as np
import pytest

import srcgrad as sg

X, Y = np.array([1.0, 2.0]), np.array([0.5, 1.5])


def by_both(function):
    @functools.wraps(function)
    def doubled(*args, **kwargs):
        return function(*args, **kwargs) * 2.0
    return doubled


def by_first(function):
    @functools.wraps(function)
    def doubled(x, *args, **kwargs):
        return function(x, *args, **kwargs) * 2.0
    return doubled


def by_keyword(function):
    @functools.wraps(function)
    def doubled(**kwargs):
        return function(**kwargs) * 2.0
    return doubled


def by_another(function):
    return by_first(functools.wraps(function)(lambda *args, **kwargs: function(*args, **kwargs)))


def plain(x, y):
    return np.sum(x * y ** 3)


def with_default(x, y=Y):
    return np.sum(x * y ** 3)


def keyword_only(x, *, y):
    return np.sum(x * y ** 3)


CALLS = {"both by position": ((X, Y), {}), "y by keyword": ((X,), {"y": Y}),
         "both by keyword": ((), {"x": X, "y": Y})}
FIRST, SECOND = 6 * X * Y ** 2, np.diag(12 * X * Y)
ALL = {sg.grad: FIRST, sg.value_and_grad: FIRST, sg.jacobian: FIRST, sg.jacfwd: FIRST,
       sg.jacrev: FIRST, sg.hessian: SECOND}


def is_call_of(function, way):
    args, kwargs = CALLS[way]
    try:
        function(*args, **kwargs)
    except TypeError:
        return False
    return True


CASES = [(wrapper, function, way) for wrapper in (by_both, by_first, by_keyword, by_another)
         for function in (plain, with_default, keyword_only) for way in CALLS
         if is_call_of(wrapper(function), way)]


def test_all_ways_but_nine_are_calls():
    assert len(CASES) == 27


@pytest.mark.parametrize(("wrapper", "function", "way"), CASES)
def test_every_transform_finds_a_name(wrapper, function, way):
    wrapped, (args, kwargs) = wrapper(function), CALLS[way]
    for transform, want in ALL.items():
        found = transform(wrapped, argnums="y")(*args, **kwargs)
        np.testing.assert_allclose(found[1] if transform is sg.value_and_grad else found, want)
        both = transform(wrapped, argnums=("y",))(*args, **kwargs)
        both = both[1] if transform is sg.value_and_grad else both
        np.testing.assert_allclose(both[0][0] if transform is sg.hessian else both[0], want)
    if "y" in kwargs and len(kwargs) == 1 or not kwargs:
        found = sg.hvp(wrapped, argnums="y")(*args, Y, **kwargs)
        np.testing.assert_allclose(found, SECOND @ Y)


def test_names_inside_a_traced_function():
    wrapped = by_first(with_default)

    def total(x, y):
        return (np.sum(sg.grad(wrapped, argnums="y")(x, y=y)) + np.sum(sg.hessian(wrapped, argnums="y")(x, y=y))
                + np.sum(sg.grad(wrapped, argnums="y")(x, y)))

    np.testing.assert_allclose(sg.grad(total, argnums="y")(X, Y), 24 * X * Y + 12 * X)


@pytest.mark.parametrize("transform", ALL)
def test_what_a_call_does_not_give(transform):
    with pytest.raises(sg.StructureError, match="argnums names 'y', which this call of with_default does not give"):
        transform(by_both(with_default), argnums="y")(X)
    with pytest.raises(sg.StructureError, match="argnums names 'z', but"):
        transform(by_both(with_default), argnums="z")(X, Y)
