"""Views or copies as the run finds them, axes that are loop indices, parts of different sizes,
and writes to what an operation may or may not have returned a view of."""

from __future__ import annotations

from bisect import insort

import numpy as np
import pytest
from chain import check, check_orders

import srcgrad as sg

R = np.random.default_rng(0).normal
A34 = R(size=(3, 4))


def flat_of_a_transpose(A, v):
    flat = A.T.reshape(-1)
    flat += v
    A[0] *= 2.0
    return A.sum() + flat @ v


def flat_of_a_part(A, v):
    flat = A[:, :2].ravel()
    flat.sort()
    flat[0] = A[0, 0]
    A[0] *= 2.0
    return A.sum() + flat @ flat + v[0]


def contiguous_or_not(A, v):
    B = np.ascontiguousarray(A.T)
    for k in range(2):
        B[k] += A[0, k]
        w = B.reshape(-1)
        w[0] = A[k, 0] * v[k]
        A[1] *= 2.0
    return A.sum() + np.sum(B ** 2)


@pytest.mark.parametrize("A", [A34, np.asfortranarray(A34), A34[:, ::-1], A34[:1]],
                         ids=["c", "f", "reversed", "row"])
@pytest.mark.parametrize("program", [flat_of_a_transpose, flat_of_a_part, contiguous_or_not],
                         ids=lambda f: f.__name__)
def test_view_or_copy(program, A):
    if program is contiguous_or_not and len(A) < 2:
        A = np.asfortranarray(R(size=(2, 2)))
    check(program, (A, R(size=A.size)), oracle=False)


def moved_axes(x, d):
    for axis in range(x.ndim):
        lines = np.moveaxis(x, axis, 0)
        for k in range(1, len(lines)):
            lines[k] += d * lines[k - 1]
    return np.sum(x ** 2)


def reduced_axes(x, d):
    total = 0.0
    for axis in range(x.ndim):
        total += np.max(np.sum(x, axis)) * d + np.swapaxes(x, axis, 0)[0].sum()
    return total


def split_axes(x, d):
    total = 0.0
    for axis in range(x.ndim - 1):
        for part in np.split(x[1:], 2, axis + 1):
            total += np.sum(part ** 3) * d
    return total


@pytest.mark.parametrize("program", [moved_axes, reduced_axes, split_axes],
                         ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(3, 2, 4), (2, 2, 2), (1, 4, 2)], ids=str)
def test_the_index_of_a_loop_as_an_axis(program, shape):
    check(program, (R(size=shape), 0.5), oracle=False)


def shares_of_groups(x, ends):
    total = 0.0
    for i in range(len(ends)):
        g = x[:ends[i]]
        if g.size == 0:
            continue
        g *= g[0]
        total += np.sum(np.exp(0.1 * g))
    return total


def test_saved_parts_of_different_sizes():
    args = (R(size=10), np.array([3, 0, 7]))
    check(shares_of_groups, args, oracle=False)
    check_orders(shares_of_groups, args)


def test_a_write_of_the_users_is_on_his_array():
    """The contraction may be a view for all that is known: the copy of ``m`` that its update asks
    for is not what the last line writes to."""

    def power(M, v):
        m = M * 2.0
        for _ in range(3):
            v = np.einsum("ij,j->i", m, v)
            v /= 2.0
        m.T[0] = v
        return v[0] + np.trace(m)

    args = (R(size=(3, 3)), R(size=3))
    check(power, args, oracle=False)
    check_orders(power, args)


def test_the_tangent_of_an_update_through_a_transpose():
    def scaled(M, v):
        m = M * 2.0
        turned = m.T
        turned *= v
        return np.sum(m ** 2)

    check_orders(scaled, (R(size=(3, 3)), R(size=3)))


@pytest.mark.parametrize("order", ["C", "F"])
def test_strides_of_what_is_made_contiguous(order):
    def windows(A, v):
        B = np.ascontiguousarray(A)
        pairs = np.lib.stride_tricks.as_strided(B, (2, 3, 2, 2), B.strides * 2)
        return np.sum(pairs ** 2) * v[0] + B.ravel()[1:].strides[0] * v[1]

    args = (np.asarray(A34, order=order), R(size=3))
    check(windows, args, oracle=False)
    check_orders(windows, args)


def test_a_mask_selects_no_element_twice():
    def chosen(P, v):
        return np.sum(P[P > 0.5] ** 2) + np.sum(P[1:, v > 0])

    source = sg.grad(chosen).source(R(size=(3, 3)), R(size=3))
    assert "np.add.at" not in source and "d_P[" in source


def places_from_a_list(K, n):
    free = [i for i in range(5) if i % n]
    held = np.setdiff1d(np.arange(5), free)
    u = np.zeros(5)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], np.arange(1.0, 6.0)[free])
    return u @ u + np.sum(K[np.ix_(held, free)] @ u[free])


def slots_made_when_needed(W, x):
    slots = {}
    for _ in range(3):
        m = slots.setdefault("m", np.zeros_like(W))
        m *= 0.9
        m += np.outer(x, x @ W) + 0.1 * W
        W -= 0.5 * m
    return np.sum(W ** 2)


def sorted_insertion(x):
    kept = [x[0]]
    for v in x[1:]:
        insort(kept, v)
    return kept[0] * kept[-1] + kept[1]


def pairs_of_a_common_shape(a, b):
    shape = np.broadcast_shapes(a[:, None].shape[:-1], b.shape[:-1])
    found = []
    for i, j in np.ndindex(*shape):
        found.append(np.sum((a[i] - b[j]) ** 2))
    return np.sum(np.reshape(np.array(found), shape)[0] ** 2)


@pytest.mark.parametrize("program, args", [
    (places_from_a_list, (R(size=(5, 5)) + 5 * np.eye(5), 3)),
    (slots_made_when_needed, (0.1 * R(size=(2, 3)), R(size=2))),
    (sorted_insertion, (R(size=6),)),
    (pairs_of_a_common_shape, (R(size=(3, 4)), R(size=(3, 4)))),
], ids=lambda f: getattr(f, "__name__", ""))
def test_lists_of_places_and_numbers(program, args):
    check(program, args, oracle=False)
    check_orders(program, args)
    assert sg.vjp(lambda *a: program(*a, *args[1:]), *args[:1])[1](1.0)[0].shape == args[0].shape


def test_products_with_a_hessian_of_a_function_with_defaults():
    def cost(x, scale, out=None):
        out = np.multiply(x, scale, out=out)
        return np.sum(out ** 3)

    x, v = R(size=3), R(size=3)
    assert np.allclose(sg.hvp(cost)(x, 2.0, np.zeros(3), v), 48.0 * x * v)


class Samples(np.ndarray):
    def energy(self):
        return np.sum(np.asarray(self) ** 2)


def test_views_as_a_class_over_ndarray_have_its_methods():
    def energy(x):
        return x.view(Samples).energy()

    check(energy, (R(size=3),), oracle=False)


def through_fortran_order(x):
    y = x.copy()
    flat = np.asfortranarray(y).reshape(-1)  # a copy of a copy
    flat[0] = 3.0
    return np.sum(y ** 2) + np.sum(flat * np.arange(flat.size))


def test_a_copy_keeps_the_order_of_what_it_stands_for():
    for shape in ((4, 3), (2, 2), (1, 3)):
        x = np.linspace(0.2, 1.1, 3 * 4)[:shape[0] * shape[1]].reshape(shape)
        assert sg.value_and_grad(through_fortran_order)(x.copy())[0] == through_fortran_order(x.copy())
