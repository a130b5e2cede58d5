"""What people write that has no gradient, or none that srcgrad can find."""

from __future__ import annotations

import array
import asyncio
import concurrent.futures
import ctypes
import functools
import hashlib
import json
import pickle
import re
import struct
import subprocess
import threading
import weakref
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import scipy.interpolate
import scipy.sparse

import srcgrad as sg
import srcgrad.eager as eager

X = np.array([1.0, 2.0, 3.0])
A = np.array([[2.0, 0.5], [0.5, 1.0]])
CASES = []


def mistake(*args, transform=sg.grad, **options):
    """Register a function: ``transform(function, **options)(*args)`` is refused."""

    def register(function):
        CASES.append((function, transform, args, options))
        return function

    return register


# ---- arguments and results -------------------------------------------------------------------
@mistake(scipy.sparse.csr_array(np.eye(3)))
def sparse_argument(x):
    return np.sum(x**2)


@mistake(scipy.interpolate.make_interp_spline(X, X**2, 2))
def spline_argument(x):
    return float(x(1.5))


@mistake(3)
def int_argument(x):
    return x * 2.0


@mistake(True)
def bool_argument(x):
    return x * 2.0


@mistake("3.0")
def text_argument(x):
    return len(x)


@mistake(None)
def none_argument(x):
    return 1.0


@mistake(np.arange(3))
def int_array_argument(x):
    return np.sum(x) * 1.0


@mistake([1, 2, 3])
def list_of_ints_argument(x):
    return x[0] * 1.0


@mistake(np.array([1.0, None]))
def object_array_argument(x):
    return np.sum(x)


@mistake(np.array([Fraction(1, 2), Fraction(1, 3)]))
def fractions_in_an_array(x):
    return np.sum(x)


@mistake(np.zeros(2, dtype=[("mass", float), ("place", float)]))
def structured_argument(x):
    return np.sum(x["mass"])


@mistake(np.zeros(2, dtype=[("mass", float), ("place", float)]).view(np.recarray))
def record_array_argument(x):
    return np.sum(x.mass)


@mistake(np.ma.array([1.0, 2.0], mask=[0, 1]))
def masked_argument(x):
    return np.sum(x)


@mistake(np.array(["2020-01-01"], dtype="datetime64[D]"))
def dates_argument(x):
    return np.sum(x)


@mistake(Decimal("1.5"))
def decimal_argument(x):
    return x * 2


@mistake({"a": "text"})
def dict_without_numbers(p):
    return 1.0


@mistake(np.array([1.0 + 2.0j]))
def complex_result(x):
    return np.sum(x)


@mistake(X)
def vector_result(x):
    return x * 2


@mistake(X)
def tuple_result(x):
    return np.sum(x), np.sum(x * x)


@mistake(X)
def no_result(x):
    np.sum(x)


@mistake(X)
def int_result(x):
    return int(np.sum(x > 1))


@mistake(X)
def printed_result(x):
    return print(np.sum(x))


@mistake(X)
def bool_result(x):
    return np.all(x > 0)


@mistake(X)
def one_element_result(x):
    return x[:1]


@mistake(X, has_aux=True)
def aux_without_aux(x):
    return np.sum(x)


@mistake(X, argnums=1)
def argnums_out_of_range(x):
    return np.sum(x)


@mistake(X, argnums="w")
def argnums_of_no_parameter(x):
    return np.sum(x)


@mistake(X, argnums=(0, 0))
def argnums_twice(x):
    return np.sum(x)


@mistake(X, 2, argnums=1)
def argnums_of_an_int(x, n):
    return np.sum(x) * n


@mistake(X, backend="cuda")
def unknown_backend(x):
    return np.sum(x)


# ---- constructs ------------------------------------------------------------------------------
@mistake(X)
async def coroutine(x):
    await asyncio.sleep(0)
    return np.sum(x)


@mistake(X)
def generator_function(x):
    yield np.sum(x)


@mistake(X)
def generator_with_traced_control(x):
    def positive():
        for v in x:
            if v > 1.5:
                yield v

    items = positive()
    return next(items) * next(items)


@mistake(X)
def exec_of_text(x):
    exec("y = 2.0")
    return np.sum(x)


@mistake(X)
def eval_of_text(x):
    return eval("np.sum(x)")


@mistake(X)
def local_names(x):
    y = [locals() for _ in range(2)]
    return np.sum(x) * len(y)


class Watched:
    def __init__(self, x):
        self.x = x

    def __del__(self):
        pass


@mistake(X)
def finalizer(x):
    w = Watched(x)
    return np.sum(w.x)


@mistake(X)
def weak_reference(x):
    w = weakref.ref(x)
    return np.sum(w())


@mistake(X)
def try_around_recursion(x):
    def total(y):
        if y > 4.0:
            return 1.0 / (y - 5.0)
        return total(2.0 * y)

    try:
        return total(float(x[1]))
    except ZeroDivisionError:
        return x[0]


@mistake(X)
def delete_global(x):
    global LEFTOVER
    del LEFTOVER
    return np.sum(x)


LEFTOVER = 1


# ---- numbers that are needed while compiling -------------------------------------------------
@mistake(X)
def axis_from_data(x):
    return np.sum(np.outer(x, x), axis=int(x[0]))[0]


@mistake(X)
def list_index_from_data(x):
    return np.sum([np.sin, np.cos, np.tan, np.exp, np.sqrt, np.cbrt][int(x[0]):][0](x))


KNOWN = {0: 1.0}


@mistake(X)
def new_key_from_data(x):
    for v in x:
        KNOWN[int(v)] = [2.0]
    return np.sum(x) * len(KNOWN)


@mistake(X)
def set_of_traced_numbers(x):
    return sum({float(v) for v in x})


@mistake(X)
def rank_from_data(x):
    return np.sum(np.ones((2,) * int(x[0])) * x[0])


@mistake(X)
def changed_among_unlike_objects(x):
    items = [Body(v) for v in x] + [deque([v]) for v in x] * 6
    items.sort(key=lambda b: b.mass if isinstance(b, Body) else b[0])
    if not isinstance(items[2], Body):
        items[2][0] = 1.0
    return sum(b.mass if isinstance(b, Body) else b[0] for b in items)


class Body:
    def __init__(self, mass):
        self.mass = mass


# ---- library functions -----------------------------------------------------------------------
@mistake(X)
def vectorized_by_frompyfunc(x):
    return np.sum(np.frompyfunc(lambda v: v * v, 1, 1)(x))


@mistake(X)
def bytes_of_an_array(x):
    return np.sum(np.frombuffer(x.tobytes()))


@mistake(X)
def struct_of_a_number(x):
    return struct.unpack("d", struct.pack("d", x[0]))[0]


@mistake(X)
def json_round_trip(x):
    return json.loads(json.dumps(float(x[0]))) * 1.0


@mistake(X)
def pickle_round_trip(x):
    return np.sum(pickle.loads(pickle.dumps(x)))


@mistake(X)
def text_round_trip(x):
    return float(str(x[0])) * 2


@mistake(X)
def formatted_round_trip(x):
    return float(f"{x[0]:.3f}")


@mistake(X)
def regular_expression(x):
    return float(re.sub("a", "", repr(float(x[0]))))


@mistake(X)
def pointer(x):
    return x.ctypes.data * np.sum(x)


@mistake(X)
def external_program(x):
    return float(subprocess.check_output(["echo", str(x[0])]))


@mistake(X)
def decimal_of_a_number(x):
    return float(Decimal(float(x[0])) * 2)


@mistake(X)
def fraction_of_a_number(x):
    return float(Fraction(float(x[0])) * 2)


@mistake(X)
def members_of_a_set(x):
    return sum(set(x)) * np.sum(x)


@mistake(X)
def masked_array_made_inside(x):
    return np.ma.masked_less(x, 2.0).sum()


@mistake(X)
def object_array_made_inside(x):
    return np.sum(np.array([x[0], None, x[1]], dtype=object)[0])


@mistake(X)
def structured_array_made_inside(x):
    y = np.zeros(3, dtype=[("a", float)])
    y["a"] = x
    return np.sum(y["a"])


@mistake(X, np.random.default_rng(0))
def draws_by_a_shape(x, rng):
    return np.sum(rng.gamma(x))


@mistake(X)
def nothing_is_known_of_it(x):
    return np.sum(np.lib.array_utils.normalize_axis_index(int(x[0]), 3) * x)


SUPPLY = iter([1.0, 2.0, 3.0])


@mistake(X)
def items_of_a_captured_iterator(x):
    return sum(v * w for v, w in zip(x, SUPPLY))


@mistake(X)
def generator_with_a_finally_left_early(x):
    def rows():
        try:
            for i in range(3):
                yield x[i]
        finally:
            print("closed")

    total = 0.0
    for v in rows():
        total += v
        if total > 2.0:
            break
    return total


# ---- aliases and joins -----------------------------------------------------------------------
@mistake(X)
def written_after_storing_in_a_list(x):
    u, rows = x.copy(), []
    while u[0] < 5:
        rows.append(u[len(rows) % 2:])
        u[0] += 1.0
    return sum(np.sum(row) for row in rows)


BASE = np.arange(4.0)


@mistake(BASE[1:], BASE[:-1], argnums=(0, 1))
def overlapping_arguments(a, b):
    a[:] = a + b[0]
    return np.sum(a * b)


@mistake(X, X, argnums=(0, 1))
def one_array_twice(a, b):
    a[:] = a + b[0]
    return np.sum(a * b)


@mistake(X)
def unlike_results(x):
    y = x if x[0] > 0.5 else {"a": x}
    return np.sum(y)


@mistake(X)
def changing_kinds_in_a_loop(x):
    state = x[0]
    for i in range(len(x)):
        state = (state, i)
    return state[0]


# ---- what only looks like a function ---------------------------------------------------------
@mistake(X, transform=lambda f, **k: sg.grad(eval("lambda x: x.sum()")))
def lambda_without_source(x):
    pass


@mistake(X, transform=lambda f, **k: sg.grad(3.0))
def number_as_function(x):
    pass


@mistake(X, transform=lambda f, **k: sg.grad(f(X)))
def result_as_function(x):
    return np.sum(x)


@mistake(X, transform=lambda f, **k: sg.grad(Body))
def class_as_function(x):
    pass


# ---- more results, arguments and calls --------------------------------------------------------
@mistake(X)
def text_result(x):
    return "loss"


@mistake(X)
def dict_result(x):
    return {"loss": np.sum(x), "size": len(x)}


@mistake(X)
def list_result(x):
    return [np.sum(x)]


@mistake(X)
def function_result(x):
    return lambda: np.sum(x)


@mistake(X)
def formatted_result(x):
    return f"{np.sum(x):.3f}"


@mistake(X, transform=lambda f, **k: sg.grad(None))
def none_as_function(x):
    pass


@mistake(X, transform=lambda f, **k: sg.grad(len))
def gradient_of_len(x):
    pass


@mistake(X, argnums=1.0)
def argnums_as_float(x):
    return np.sum(x)


@mistake(X)
def flags_set(x):
    x.setflags(write=False)
    return np.sum(x)


@mistake(X)
def bits_of_the_numbers(x):
    return np.sum(x.view(np.float32))


@mistake(X)
def rows_as_records(x):
    return np.sum(x.view([("", x.dtype)] * 3)["f0"])


@mistake(X)
def made_an_array_of_objects(x):
    return np.sum(x.astype(object))


@mistake(X)
def resized_in_place(x):
    x.resize((3, 1))
    return np.sum(x)


@mistake(X)
def dtype_set(x):
    x.dtype = np.int64
    return np.sum(x) * 1.0


@mistake(X)
def number_of_a_printed_array(x):
    return float(np.array2string(x)[1:3])


@mistake(X)
def number_of_c(x):
    return ctypes.c_double(x[0]).value


@mistake(X)
def in_a_thread(x):
    found = []
    worker = threading.Thread(target=lambda: found.append(np.sum(x)))
    worker.start()
    worker.join()
    return found[0]


@mistake(X)
def in_a_pool(x):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return sum(pool.map(lambda v: v * v, x))


@mistake(X)
def coroutine_inside(x):
    async def total():
        return np.sum(x)

    return asyncio.run(total())


@mistake(X)
def digest_of_an_array(x):
    return float(int(hashlib.md5(x).hexdigest(), 16) % 7)


@mistake(X)
def ordered_by_a_comparison(x):
    return sorted(x, key=functools.cmp_to_key(lambda a, b: -1 if a < b else 1))[0]


@mistake(X)
def iterator_used_again(x):
    it = iter(x)
    return (2.0 in it) + sum(it)


# ---- the other transforms --------------------------------------------------------------------
@mistake(X, transform=lambda f, **k: lambda x: sg.vjp(f, x)[1](np.ones(2)))
def cotangent_of_another_shape(x):
    return x * 2


@mistake(X, transform=lambda f, **k: lambda x: sg.vjp(f, x)[1]((1.0, 2.0, 3.0)))
def cotangent_of_another_structure(x):
    return {"a": x, "b": x}


@mistake(X, transform=lambda f, **k: lambda x: sg.jvp(f, (x,), (np.ones(2),)))
def tangent_of_another_shape(x):
    return x * 2


@mistake(X, transform=lambda f, **k: lambda x: sg.jvp(f, (x,), (x, x)))
def too_many_tangents(x):
    return x * 2


@mistake(X, transform=lambda f, **k: sg.jacobian(f, argnums=(0, 0)))
def jacobian_of_an_argument_twice(x):
    return x * 2


@mistake(X, transform=lambda f, **k: sg.jacobian(f, mode="both"))
def unknown_jacobian_mode(x):
    return x * 2


@mistake([X, X], transform=lambda f, **k: sg.jacobian(f, sparsity=np.eye(2)))
def sparse_jacobian_of_a_list(xs):
    return xs[0] * 2


@mistake(X, transform=lambda f, **k: sg.jacobian(f))
def jacobian_of_nothing(x):
    pass


@mistake(X, transform=lambda f, **k: lambda x: sg.jvp(f, x, x))
def primals_without_a_tuple(x):
    return np.sum(x)


@mistake(X, transform=lambda f, **k: lambda x: sg.jvp(f, (x,), (1.0,)))
def tangent_that_is_a_number(x):
    return np.sum(x)


@mistake(X, transform=lambda f, **k: sg.hvp(f))
def product_without_a_vector(x):
    return np.sum(x * x)


@mistake(X, transform=lambda f, **k: lambda x: sg.check_grads(f, (x,), modes=("both",)))
def unknown_mode_of_checking(x):
    return np.sum(x)


@mistake(X, transform=lambda f, **k: sg.hessian(f))
def hessian_of_a_vector(x):
    return x * 2


# ---- tangents, cotangents, batches ---------------------------------------------------------------
@mistake(X, transform=lambda f, **k: lambda x: sg.jvp(f, (x,), (x * 1j,)))
def complex_tangent_of_a_real(x):
    return np.sum(x)


@mistake(X, transform=lambda f, **k: lambda x: sg.jvp(f, (x,), ("up",)))
def text_as_tangent(x):
    return np.sum(x)


@mistake(X, 2, transform=lambda f, **k: lambda x, n: sg.jvp(f, (x, n), (x, 1.0)))
def tangent_of_an_int(x, n):
    return np.sum(x) * n


@mistake(X, transform=lambda f, **k: lambda x: sg.vjp(f, x)[1](x * 1j))
def complex_cotangent_of_a_real(x):
    return x * 2


@mistake(X, transform=lambda f, **k: lambda x: sg.vjp(f, x)[1](1.0, 2.0))
def two_cotangents_for_a_pair(x):
    return np.sum(x), x[0]


@mistake(X, transform=lambda f, **k: lambda x: sg.hvp(f)(x, np.ones(2)))
def vector_of_another_shape(x):
    return np.sum(x * x)


@mistake(X, transform=lambda f, **k: sg.jacobian(f))
def jacobian_of_a_text(x):
    return "steep"


@mistake(X, transform=lambda f, **k: sg.elementwise_grad(f))
def elementwise_gradient_of_a_pair(x):
    return x, x * 2


@mistake(A, transform=lambda f, **k: sg.vmap(f, in_axes=2))
def batch_over_an_axis_that_is_not_there(x):
    return np.sum(x)


@mistake(A, X, transform=lambda f, **k: sg.vmap(f))
def batches_of_unlike_length(x, y):
    return np.sum(x) * y


@mistake(A - 1.0, transform=lambda f, **k: sg.vmap(f))
def batch_of_unlike_results(x):
    return x[x > 0]


@mistake(A, transform=lambda f, **k: sg.vmap(f, out_axes=3))
def results_along_an_axis_that_is_not_there(x):
    return x * 2


@mistake(A, A, transform=lambda f, **k: sg.vmap(f, in_axes=(0,)))
def too_few_axes_of_batches(x, y):
    return np.sum(x * y)


@mistake(X, transform=lambda f, **k: lambda x: sg.check_grads(f, x))
def checked_without_a_tuple(x):
    return np.sum(x)


@mistake(X, transform=lambda f, **k: lambda x: sg.check_grads(f, (x,), order=0))
def checked_up_to_order_zero(x):
    return np.sum(x)


@mistake({"a": X, "b": "text"}, transform=lambda f, **k: sg.ravel_tree)
def texts_in_a_vector(x):
    pass


# ---- rules of one's own --------------------------------------------------------------------------
def with_rule(forward, backward):
    rule = sg.custom_vjp(lambda x: np.sum(x * x))
    rule.defvjp(forward, backward)
    return lambda f, **k: sg.grad(lambda x: rule(x))


@mistake(X, transform=with_rule(lambda x: np.sum(x), lambda x, ct: (ct * x,)))
def forward_rule_without_residuals(x):
    pass


@mistake(X, transform=with_rule(lambda x: (np.sum(x), x), lambda x, ct: ct * x))
def backward_rule_without_a_tuple(x):
    pass


@mistake(X, transform=with_rule(lambda x: (np.sum(x), x), lambda x, ct: (ct,)))
def backward_rule_of_another_shape(x):
    pass


@mistake(X, transform=lambda f, **k: sg.custom_vjp(3.0))
def rule_of_a_number(x):
    pass


@mistake(X, transform=lambda f, **k: sg.implicit(3.0, f))
def solver_that_is_a_number(x):
    pass


@mistake(X, transform=lambda f, **k: sg.checkpoint(f(X)))
def checkpoint_of_a_result(x):
    return np.sum(x)


# ---- decorators, inspection ----------------------------------------------------------------------
@mistake(X, transform=lambda f, **k: sg.grad(staticmethod(f)))
def gradient_above_staticmethod(x):
    pass


@mistake(X, transform=lambda f, **k: sg.grad(argnums=1)(classmethod(f)))
def gradient_above_classmethod(x):
    pass


@mistake(X, transform=lambda f, **k: sg.grad(property(f)))
def gradient_above_property(x):
    pass


@mistake(X, transform=lambda f, **k: sg.grad(max))
def function_without_a_signature(x):
    pass


@mistake(X, transform=lambda f, **k: lambda x: sg.grad(f).source())
def source_before_the_first_call(x):
    return np.sum(x)


@mistake(X, transform=lambda f, **k: lambda x: sg.grad(f).export("gradient.py"))
def export_before_the_first_call(x):
    return np.sum(x)


def endless(x):
    return endless(x * 0.5) + 1.0


@mistake(X)
def recursion_without_end(x):
    return np.sum(endless(x))


@mistake(A, transform=sg.jit)
def chunks_out_of_order(x):
    return sum(np.sum(c**2) for c in np.nditer(x, flags=["external_loop"], order="F"))


@mistake(X)
def memory_view(x):
    return np.sum(np.asarray(memoryview(x)) ** 2)


@mistake(X)
def concatenated_into_itself(x):
    parts = [x, 2.0 * x]
    parts.append(parts)
    return np.sum(np.concatenate(parts))


@mistake(X)
def text_of_a_list_in_itself(x):
    parts = [x]
    parts.append(parts)
    return np.sum(x) * len(str(parts))


@mistake(X)
def printed_list_in_itself(x):
    parts = [x]
    parts.append(parts)
    print(parts)
    return np.sum(x)


@mistake(X, transform=sg.jit)
def returned_list_in_itself(x):
    parts = [x]
    parts.append(parts)
    return parts


# ---- what would leave the program with traced values inside --------------------------------------
@mistake(X, transform=sg.jit)
def returned_closure(x):
    return np.sum(x), lambda: x * 2


@mistake(X, transform=sg.jit)
def returned_generator(x):
    yield x
    yield x * 2


@mistake(X, transform=sg.jit)
def returned_method(x):
    return x.sum


@mistake(X, transform=sg.jit)
def returned_slice(x):
    return slice(0, len(x))


KEPT: list = []


@mistake(X)
def closure_kept_outside(x):
    KEPT.append(lambda: x * 2)
    return np.sum(x)


@mistake(X)
def changed_after_a_branch_kept_it(x):
    row = []
    if x[0] > 0:
        KEPT.append(row)
    row.append(x[0])
    return np.sum(x)


@mistake(X)
def buffer_made_while_compiling(x):
    numbers = array.array("d")
    numbers.append(1.0)
    return np.sum(x) * numbers[0]


@mistake(X, np.array(["a", "b", "a"]))
def labels_as_texts(x, labels):
    return np.sum(x[labels == "a"])


TENSOR = eager.tensor([1.0, 2.0, 3.0])


@mistake(X)
def tensor_of_the_eager_mode(x):
    return np.sum(x * TENSOR)


@mistake(X)
def function_of_the_eager_mode(x):
    return eager.sum(x * x)
