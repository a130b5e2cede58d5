"""Programs for type checkers: mypy and pyright agree with every ``assert_type``, and find an error
in each line that ends in ``# E`` (and mypy's code for it), and in no other."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import srcgrad as sg

Array = npt.NDArray[np.float64]
Aux = dict[str, int]
x: Array = np.ones(3)


def loss(w: Array, b: float, n: int = 3) -> float:
    return float(np.sum(w)) * b ** n


def with_aux(w: Array, b: float) -> tuple[float, Aux]:
    return b, {"n": len(w)}


def field(x: Array) -> Array:
    return x * x


def parts(x: Array) -> dict[str, Array]:
    return {"x": x}


def of_dict(p: dict[str, Array]) -> float:
    return float(np.sum(p["x"]))


# ---- grad ------------------------------------------------------------------------------------
df = sg.grad(loss)
assert_type(df(x, 1.0), Array)
assert_type(df(x, 1.0, n=2), Array)
assert_type(df(w=x, b=1.0), Array)
assert_type(sg.grad(df)(x, 1.0), Array)
assert_type(sg.grad(loss, argnums=(0, 1))(x, 1.0), tuple[Array, float])
assert_type(sg.grad(loss, (0, 1))(x, 1.0), tuple[Array, float])
assert_type(sg.grad(loss, argnums="b")(x, b=1.0), Any)
assert_type(sg.grad(loss, argnums=[1, 0])(x, 1.0), Any)
assert_type(sg.grad(with_aux, has_aux=True)(x, 1.0), tuple[Array, Aux])
assert_type(sg.grad(lambda v: loss(v, 2.0))(x), Any)
df(x)  # E: call-overload
df(x, 1.0, 2, 3)  # E: call-overload
df("text", 1.0)  # E: call-overload
df.sorce(x, 1.0)  # E: attr-defined
sg.grad(loss, argnums="b")(x)  # E: call-arg
sg.grad(loss, argnum=1)  # E: call-overload
sg.grad(3.0)  # E: call-overload

# ---- what a compiled function has ----------------------------------------------------------------
assert_type(df.source(x, 1.0), str)
assert_type(df.signatures, list[str])
assert_type(df.graph().to_dot(), str)
assert_type(df.cache_info().hits, int)

# ---- value_and_grad, jit ---------------------------------------------------------------------
assert_type(sg.value_and_grad(loss)(x, 1.0), tuple[float, Array])
assert_type(sg.value_and_grad(loss, argnums=(0, 1))(x, 1.0), tuple[float, tuple[Array, float]])
assert_type(sg.value_and_grad(loss, argnums=1)(x, 1.0), tuple[float, Any])
assert_type(sg.value_and_grad(with_aux, has_aux=True)(x, 1.0), tuple[tuple[float, Aux], Array])
sg.value_and_grad(loss)(x)  # E: call-overload
assert_type(sg.jit(loss)(x, 1.0), float)
assert_type(sg.jit(loss)(w=x, b=1.0), float)
sg.jit(loss)(w=x, c=1.0)  # E: call-arg
kept: sg.Compiled[[Array], Array] = sg.jit(field)


# ---- decorators ------------------------------------------------------------------------------
@sg.grad
def plain(x: float, n: int) -> float:
    return x ** n


@sg.value_and_grad(has_aux=True)
def pair(x: Array, n: int) -> tuple[float, Aux]:
    return float(np.sum(x)), {"n": n}


@sg.grad(argnums=(0, 1))
def two(a: float, b: Array) -> float:
    return a * float(np.sum(b))


@sg.grad(argnums="k")
def named(a: Array, k: float) -> float:
    return k * float(np.sum(a))


@sg.jit()
def itself(x: Array) -> Array:
    return x


@sg.value_and_grad
def untyped(a, b):  # type: ignore[no-untyped-def]
    return a * b


assert_type(plain(1.0, 2), float)
assert_type(pair(x, 3), tuple[tuple[float, Aux], Array])
assert_type(two(1.0, x), tuple[float, Array])
assert_type(named(x, 1.0), Any)
assert_type(itself(x), Array)
plain(1.0)  # E: call-overload
two(1.0)  # E: call-overload
itself(x, x)  # E: call-arg
untyped(1.0)  # E: call-overload
untyped.sorce()  # E: attr-defined


class Model:
    scale = 2.0

    @sg.value_and_grad(argnums=1)
    def loss(self, x: Array) -> float:
        return self.scale * float(np.sum(x))

    @sg.jit
    def run(self, x: Array) -> Array:
        return self.scale * x

    def __call__(self, x: Array, n: int) -> float:
        return float(np.sum(x)) * n


model = Model()
assert_type(model.loss(x), tuple[float, Any])
assert_type(model.run(x), Array)
assert_type(Model.run(model, x), Array)
assert_type(sg.grad(model)(x, 2), Array)
model.run()  # E: call-arg

# ---- pullbacks and pushforwards -----------------------------------------------------------------
value, pullback = sg.vjp(loss, x, 1.0)
assert_type(value, float)
assert_type(pullback(1.0), tuple[Any, ...])
pullback("text")  # E: arg-type
sg.vjp(loss, x)  # E: arg-type
assert_type(sg.vjp(with_aux, x, 1.0, has_aux=True)[2], Aux)
assert_type(sg.jvp(loss, (x, 1.0), (x, 0.0)), tuple[float, float])
assert_type(sg.linearize(field, x)[0], Array)
assert_type(sg.jvp(with_aux, (x, 1.0), (x, 0.0), has_aux=True), tuple[float, float, Aux])
assert_type(sg.linearize(with_aux, x, 1.0, has_aux=True)[2], Aux)

# ---- Jacobians and products -------------------------------------------------------------------
Matrix = np.ndarray[Any, np.dtype[Any]]
assert_type(sg.jacobian(field)(x), Matrix)
assert_type(sg.jacobian(field, mode="fwd")(x), Matrix)
assert_type(sg.jacrev(field)(x), Matrix)
assert_type(sg.jacfwd(field)(x), Matrix)
assert_type(sg.hessian(loss)(x, 1.0), Matrix)
assert_type(sg.hvp(loss)(x, 1.0, x), Array)
assert_type(sg.gnvp(field)(x, x), Array)
assert_type(sg.elementwise_grad(field)(x), Array)
assert_type(sg.elementwise_grad(np.tanh)(x), Any)
assert_type(sg.jacobian(field)(x=x), Matrix)
assert_type(sg.jacobian(with_aux, has_aux=True)(x, 1.0), tuple[Any, Aux])
assert_type(sg.jacobian(parts)(x), Any)
assert_type(sg.hessian(of_dict)({"x": x}), Any)
assert_type(sg.jacobian(of_dict, has_aux=False)({"x": x}), Any)
assert_type(sg.hessian(loss, allow_int=True)(x, 1.0), Matrix)
assert_type(sg.gnvp(with_aux, has_aux=True)(x, 1.0, x), Any)
assert_type(sg.hessian(loss, argnums=(0, 1))(x, 1.0), Any)
assert_type(sg.hessian(with_aux, has_aux=True)(x, 1.0), tuple[Any, Aux])
assert_type(sg.grad(loss, argnums=(0, "n"), allow_int=True)(x, 1.0), Any)
sg.jacobian(field)(x, x)  # E: call-overload
sg.hessian(loss)(x)  # E: call-overload
sg.hessian(loss).sorce(x, 1.0)  # E: attr-defined

# ---- batches, memory, derivatives of one's own --------------------------------------------------
assert_type(sg.vmap(loss, in_axes=(0, None))(x, 1.0), Matrix)
assert_type(sg.vmap(with_aux)(x, 1.0), Any)


@sg.checkpoint
def step(x: Array, n: int = 2) -> Array:
    return x * n


@sg.custom_vjp
def clipped(x: Array) -> Array:
    return np.clip(x, 0.0, 1.0)


assert_type(step(x), Array)
step(x, "text")  # E: arg-type
assert_type(sg.grad(step)(x, 3), Array)
assert_type(clipped(x), Array)
clipped(x, x)  # E: call-arg
assert_type(sg.stop_gradient(x), Array)
assert_type(sg.name(2.0, "h"), float)

# ---- minimisers ------------------------------------------------------------------------------
assert_type(sg.optimize.adam(lambda p: float(p["w"][0]), {"w": x}, steps=2).x, dict[str, Array])
assert_type(sg.optimize.sgd(field, x, rate=sg.optimize.cosine(0.1, 5), steps=2).fun, float)
sg.optimize.adam(field, x, step=2)  # E: call-arg
sg.optimize.sgd(field, x, steps=2)  # E: call-arg
assert_type(sg.linear_solve(field, x, method="cg"), Array)
sg.linear_solve(field)  # E: call-arg
sg.bridges.to_torch(3.0)  # E: arg-type

chunked = sg.parallel.value_and_grad(loss, over="w")
assert_type(chunked(x, 1.0)[0], float)
chunked(x)  # E: call-arg
chunked.sorce  # E: attr-defined
