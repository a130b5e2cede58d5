"""The classes of NumPy's manual, vectors and quaternions."""

from __future__ import annotations

import math

import numpy as np
from array_classes import A, X, Y

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class InfoArray(np.ndarray):
    def __new__(subtype, shape, dtype=float, buffer=None, offset=0, strides=None, order=None, info=None):
        obj = super().__new__(subtype, shape, dtype, buffer, offset, strides, order)
        obj.info = info
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.info = getattr(obj, "info", None)


@case(X)
def info_array(v):
    a = InfoArray((4,), info={"scale": v[0]})
    a[:] = v
    b = a[1:] * 2
    c = v.view(InfoArray)
    assert c.info is None
    return b.sum() * b.info["scale"] + c.sum()


class RealisticInfoArray(np.ndarray):
    def __new__(cls, input_array, info=None):
        obj = np.asarray(input_array).view(cls)
        obj.info = info
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.info = getattr(obj, "info", None)


@case(X)
def realistic_info_array(v):
    obj = RealisticInfoArray(v * 1.0, info="information")
    w = obj[1:]
    w[0] = 3.0
    assert w.info == "information" and type(w) is RealisticInfoArray
    return (obj * w.sum()).sum()


class A_(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        args = []
        in_no = []
        for i, input_ in enumerate(inputs):
            if isinstance(input_, A_):
                in_no.append(i)
                args.append(input_.view(np.ndarray))
            else:
                args.append(input_)
        outputs = out
        out_no = []
        if outputs:
            out_args = []
            for j, output in enumerate(outputs):
                if isinstance(output, A_):
                    out_no.append(j)
                    out_args.append(output.view(np.ndarray))
                else:
                    out_args.append(output)
            kwargs["out"] = tuple(out_args)
        else:
            outputs = (None,) * ufunc.nout
        info = {}
        if in_no:
            info["inputs"] = in_no
        if out_no:
            info["outputs"] = out_no
        results = super().__array_ufunc__(ufunc, method, *args, **kwargs)
        if results is NotImplemented:
            return NotImplemented
        if method == "at":
            if isinstance(inputs[0], A_):
                inputs[0].info = info
            return
        if ufunc.nout == 1:
            results = (results,)
        results = tuple((np.asarray(result).view(A_) if output is None else output)
                        for result, output in zip(results, outputs))
        if results and isinstance(results[0], A_):
            results[0].info = info
        return results[0] if len(results) == 1 else results


@case(X)
def ufunc_of_the_manual(v):
    a = v.view(A_)
    b = np.sin(a)
    assert b.info == {"inputs": [0]}
    c = np.sin(v, out=(b * 1.0)) if False else np.add(v, a)
    assert c.info == {"inputs": [1]}
    a2 = v.copy().view(A_)
    a2 += b
    assert a2.info == {"inputs": [0, 1], "outputs": [0]}
    return (a2 * c).sum() + np.add.reduce(b)


class MySubClass(np.ndarray):
    def __new__(cls, input_array, info=None):
        obj = np.asarray(input_array).view(cls)
        obj.info = info
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.info = getattr(obj, "info", None)

    def __array_wrap__(self, out_arr, context=None, return_scalar=False):
        return super().__array_wrap__(out_arr, context, return_scalar)


@case(X)
def wrap_of_the_manual(v):
    obj = MySubClass(np.arange(4), info="spam")
    arr2 = np.arange(4) + 1 + v
    ret = np.add(arr2, obj)
    assert type(ret) is MySubClass and ret.info == "spam"
    return (ret * v).sum()


class Vector3(np.ndarray):
    def __new__(cls, x, y=None, z=None):
        return np.array([x, y, z] if y is not None else x, dtype=float).view(cls)

    x = property(lambda self: self[0])
    y = property(lambda self: self[1])
    z = property(lambda self: self[2])

    def cross(self, other):
        return Vector3(self.y * other.z - self.z * other.y, self.z * other.x - self.x * other.z,
                       self.x * other.y - self.y * other.x)

    def length(self):
        return math.sqrt(self.dot(self))

    def normalized(self):
        return self / np.linalg.norm(self)

    def __repr__(self):
        return f"Vector3({self.x}, {self.y}, {self.z})"


@case(X, Y)
def vectors_in_space(v, w):
    a, b = Vector3(v[0], v[1], v[2]), Vector3(w[:3])
    c = a.cross(b)
    return c.length() + a.normalized() @ b + np.cross(a, b).sum() + (A @ c).sum()


class Quaternion(np.ndarray):
    def __new__(cls, w=1.0, x=0.0, y=0.0, z=0.0):
        obj = np.empty(4).view(cls)
        obj[:] = [w, x, y, z]
        return obj

    def __mul__(self, other):
        if not isinstance(other, Quaternion):
            return super().__mul__(other)
        a, b, c, d = self
        e, f, g, h = other
        return Quaternion(a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
                          a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e)

    @property
    def conj(self):
        return Quaternion(self[0], *(-self[1:]))

    @classmethod
    def rotation(cls, angle, axis):
        return cls(np.cos(angle / 2), *(np.sin(angle / 2) * axis))

    def rotate(self, v):
        return (self * Quaternion(0.0, *v) * self.conj)[1:]


@case(0.8, X)
def quaternions(angle, v):
    q = Quaternion.rotation(angle, v[:3] / np.sqrt((v[:3] ** 2).sum()))
    r = q * q * 1.5
    turned = r.rotate(np.array([1.0, 2.0, 0.5]))
    return turned.sum() * turned[1]


