"""How Python calls a kernel of arrays and numbers.

Numba's own call finds the type of each argument, makes an object for each array that counts its
references, and takes a tuple.  The function that is made here, in the calling convention of
Python's own functions, compares the arguments with what the kernel was compiled for, reads them
where they are, and runs the kernel; where anything differs it calls Numba's.  It is compiled with
the kernel, and lies on disk with it.
"""

from __future__ import annotations

import ctypes
import struct
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import alloca_once
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.itanium_mangler import prepend_namespace
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import as_dtype

HEAD, ITEMS = object.__basicsize__, tuple.__basicsize__  # bytes in front of what objects hold
DATA, RANK, SHAPE, STRIDES, DTYPE, FLAGS = (HEAD + 8 * i for i in (0, 1, 2, 3, 5, 6))  # of arrays
PLAIN = 0x1 | 0x100 | 0x400  # flags: in C's order without gaps, aligned, may be written
FASTCALL = 0x80  # a calling convention: an array of arguments, and how many
NUMBERS = {types.int64: (int,), types.float64: (float, np.float64), types.float32: (np.float32,),
           types.boolean: (True, False)}
BYTE, INT, WORD = ir.IntType(8), ir.IntType(32), ir.IntType(64)
OBJECT = BYTE.as_pointer()


class _Method(ctypes.Structure):
    """What makes a function of Python's out of an address."""

    _fields_ = (("name", ctypes.c_char_p), ("address", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))


_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.POINTER(_Method), ctypes.py_object,
                         ctypes.py_object)(("PyCFunction_NewEx", ctypes.pythonapi))


def new_function(name: str, address: int, *held: Any) -> Any:
    """A function of Python's that is machine code at an address, which is given what it holds."""
    method = _Method(name.encode(), address, FASTCALL, None)
    return _new(method, (*held, method), __name__)


def direct(kernel: Any) -> Any:
    """The function that calls a compiled kernel of Numba's, which itself if there is none."""
    for made in kernel.overloads.values():
        wanted = _expected(made.fndesc)
        if wanted is not None and (
                address := made.library.get_pointer_to_function(_symbol(made.fndesc))):
            return new_function(kernel.py_func.__name__, address, kernel, *wanted)
    return kernel


def _symbol(about: Any) -> str:
    name: str = prepend_namespace(about.mangled_name, ns="srcgrad")
    return name


def _expected(about: Any) -> list[Any] | None:
    """What the arguments of a call are compared with, one after the other; None where a kernel
    takes or gives what is no number and no array of NumPy's usual layout."""
    given = about.restype
    parts: list[Any] = [np.ndarray]
    for kind in given.types if isinstance(given, types.BaseTuple) else [given]:
        if not isinstance(kind, types.Number | types.Boolean | types.NoneType):
            return None
    for kind in about.argtypes:
        if kind in NUMBERS:
            parts += NUMBERS[kind]
        elif type(kind) is types.Array and kind.layout == "C" and kind.mutable and kind.aligned:
            parts.append(as_dtype(kind.dtype))
        else:
            return None
    return parts if readable() else None


@cache
def readable() -> bool:
    """Do objects lie in memory as they are read here?"""
    if struct.calcsize("P") != 8 or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    array, size, real = np.ones((2, 3)), ctypes.c_ssize_t, ctypes.c_double

    def at(held: object, offset: int, kind: Any = size) -> Any:
        return kind.from_address(id(held) + offset).value

    return (at(array, HEAD - 8) == id(np.ndarray) and at(array, DATA) == array.ctypes.data
            and at(array, RANK, ctypes.c_int) == 2 and at(array, DTYPE) == id(array.dtype)
            and size.from_address(at(array, SHAPE) + 8).value == 3
            and size.from_address(at(array, STRIDES)).value == 24
            and at(array, FLAGS, ctypes.c_int) & (PLAIN | 2) == PLAIN
            and at((array,), ITEMS) == id(array)
            and at(1.5, HEAD, real) == at(np.float64(1.5), HEAD, real) == 1.5
            and at(np.float32(1.5), HEAD, ctypes.c_float) == 1.5)


class Reading:
    """Reads memory, and goes to ``other`` where that does not hold what it must."""

    def __init__(self, builder: Any, other: Any) -> None:
        self.builder, self.other = builder, other

    def load(self, at: Any, offset: int, kind: Any) -> Any:
        found = self.builder.gep(at, [WORD(offset)])
        return self.builder.load(self.builder.bitcast(found, kind.as_pointer()))

    def require(self, left: Any, *rights: Any) -> None:
        """A value is one of some others."""
        where = self.builder
        fits = [where.icmp_unsigned("==", left, right) for right in rights]
        then = where.append_basic_block()
        where.cbranch(where.or_(*fits) if len(fits) > 1 else fits[0], then, self.other)
        where.position_at_end(then)


class _Reader(Reading):
    """Reads the arguments of a kernel."""

    def __init__(self, context: Any, builder: Any, wanted: Any, other: Any) -> None:
        super().__init__(builder, other)
        self.context, self.wanted = context, wanted
        self.api = context.get_python_api(builder)
        self.place: Iterator[int] = count(ITEMS + 8, 8)
        self.array_type = self.next_wanted()

    def next_wanted(self) -> Any:
        return self.load(self.wanted, next(self.place), OBJECT)

    def argument(self, kind: Any, given: Any) -> Any:
        """An argument as a kernel takes it."""
        of = self.load(given, HEAD - 8, OBJECT)
        if kind not in NUMBERS:
            self.require(of, self.array_type)
            return self.array(kind, given)
        wanted = [self.next_wanted() for _ in NUMBERS[kind]]
        if kind == types.boolean:
            self.require(given, *wanted)
            return self.builder.icmp_unsigned("==", given, wanted[0])
        self.require(of, *wanted)
        if kind != types.int64:
            return self.load(given, HEAD, self.context.get_value_type(kind))
        found = self.api.long_as_longlong(given)
        odd = self.builder.icmp_signed("==", found, WORD(-1))  # or too large
        with self.builder.if_then(odd, likely=False):
            self.api.err_clear()
            self.builder.branch(self.other)
        return found

    def array(self, kind: Any, given: Any) -> Any:
        self.require(self.load(given, DTYPE, OBJECT), self.next_wanted())
        self.require(self.load(given, RANK, INT), INT(kind.ndim))
        flags = self.builder.and_(self.load(given, FLAGS, INT), INT(PLAIN))
        self.require(flags, INT(PLAIN))
        shape, strides = ([self.load(self.load(given, where, OBJECT), 8 * i, WORD)
                           for i in range(kind.ndim)] for where in (SHAPE, STRIDES))
        made = make_array(kind)(self.context, self.builder)
        of = self.context.get_data_type(kind.dtype).as_pointer()
        populate_array(made, self.load(given, DATA, of), shape, strides,
                       as_dtype(kind.dtype).itemsize, None)
        return made._getvalue()


def _build(context: Any, library: Any, about: Any) -> None:
    """Add the function that calls a kernel to what is compiled with it."""
    if _expected(about) is None:
        return
    conventions, module = context.call_conv, context.create_module("entry")
    kernel = ir.Function(module, conventions.get_function_type(about.restype, about.argtypes),
                         about.llvm_func_name)
    made = ir.Function(module, ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), WORD]),
                       _symbol(about))
    wanted, given, number = made.args
    builder = ir.IRBuilder(made.append_basic_block("entry"))
    other = made.append_basic_block("other")
    reader = _Reader(context, builder, wanted, other)
    reader.require(number, WORD(len(about.argtypes)))
    values = [reader.argument(kind, builder.load(builder.gep(given, [WORD(i)])))
              for i, kind in enumerate(about.argtypes)]
    state, shared = alloca_once(builder, OBJECT), builder.icmp_unsigned(
        "!=", _other_thread(module, builder), OBJECT(None))
    with builder.if_then(shared):  # a kernel runs without the lock of Python
        builder.store(reader.api.save_thread(), state)
    status, result = conventions.call_function(builder, kernel, about.restype, about.argtypes,
                                               values, attrs=("noinline",))
    with builder.if_then(shared):
        reader.api.restore_thread(builder.load(state))
    with builder.if_then(status.is_ok, likely=True):
        builder.ret(reader.api.from_native_return(about.restype, result, None))
    conventions.raise_error(builder, reader.api, status)
    builder.ret(OBJECT(None))
    builder.position_at_end(other)
    call = ir.Function(module, ir.FunctionType(
        OBJECT, [OBJECT, OBJECT.as_pointer(), WORD, OBJECT]), "PyObject_Vectorcall")
    builder.ret(builder.call(call, [reader.load(wanted, ITEMS, OBJECT), given, number,
                                    OBJECT(None)]))
    library.add_ir_module(module)


def _other_thread(module: Any, builder: Any) -> Any:
    """A thread of Python's beside another one; null if there is one thread only."""
    found: list[Any] = []
    for name in ("PyInterpreterState_Get", "PyInterpreterState_ThreadHead", "PyThreadState_Next"):
        asked = ir.Function(module, ir.FunctionType(OBJECT, [OBJECT] * len(found)), name)
        found = [builder.call(asked, found)]
    return found[0]


class _Lower(Lower):  # type: ignore[misc]
    def create_cfunc_wrapper(self) -> None:
        """In place of a function for callers in C, which a kernel has not."""
        _build(self.context, self.library, self.fndesc)


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):  # type: ignore[misc]
    _name = "srcgrad_native_lowering"
    lowering_class = _Lower


class Compiled(Compiler):  # type: ignore[misc]
    """How Numba compiles a kernel: as always, with the function that calls it."""

    def define_pipelines(self) -> Sequence[Any]:
        found: Sequence[Any] = super().define_pipelines()
        for passes in found:
            passes.passes = [(_Lowering if one is NativeLowering else one, text)
                             for one, text in passes.passes]
        return found
