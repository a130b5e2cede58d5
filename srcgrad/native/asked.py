"""What a dispatcher asks in front of each call, asked in machine code.

One function serves all: its table says what each thing must be.  It is compiled once, and lies
on disk.
"""

from __future__ import annotations

import builtins
import pickle
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from inspect import getsource
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core.cgutils import for_range
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from srcgrad.cache import files
from srcgrad.native import entry
from srcgrad.native.entry import DTYPE, HEAD, INT, ITEMS, OBJECT, RANK, SHAPE, WORD, Reading

CONTENT = bytes.__basicsize__ - 1  # bytes in front of those that a bytes object holds
NAME = "srcgrad_asked"
OF_TYPE, OF_CODE, HIDING = -1, -2, -3  # in the place of a rank


def asked(wanted: Sequence[Any]) -> Callable[..., bool]:
    """Are things of these types, arrays of these element types, ranks, and axes of size one, dicts
    without a name that stands for this builtin, or functions of the code that comes next
    (``"code"``)?  ``False`` may also be said of some that are."""
    rows = [len(wanted)]
    parts: list[Any] = []
    for one in wanted:
        if not isinstance(one, tuple):
            rows += [OF_CODE if one == "code" else OF_TYPE, 0]
            parts += [FunctionType if one == "code" else one, None]
        elif len(one) == 2:
            rows += [HIDING, id(one[1])]
            parts += [dict, one[0]]
        else:
            rows += [one[1], sum(1 << axis for axis in one[2])]
            parts += [np.ndarray, one[0]]
    table = (struct.pack(f"{len(rows)}q", *rows), True, False, vars(builtins), *parts, wanted)
    made: Callable[..., bool] = entry.new_function(NAME, _compiled()[0], *table)
    return made


@cache
def _compiled() -> tuple[int, Any]:
    """The address of the function, and what keeps it."""
    with global_compiler_lock:
        library = _library(cpu_target.target_context.codegen())
    return library.get_pointer_to_function(NAME), library


def _library(codegen: Any) -> Any:
    """The compiled function, from the disk if it is there."""
    place = files.directory()
    path = place and files.path_of(place, (
        numba.__version__, sys.version, getsource(entry), getsource(_build),
        codegen.magic_tuple()))
    content = path and files.read(path)
    if content:
        return codegen.unserialize_library(pickle.loads(content))
    library = codegen.create_library(NAME)
    library.enable_object_caching()
    module = library.create_ir_module(NAME)
    _build(module)
    library.add_ir_module(module)
    library.finalize()
    if path:
        with suppress(OSError):
            files.write(path, pickle.dumps(library.serialize_using_object_code()))
    return library


def _build(module: Any) -> None:
    made = ir.Function(module, ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), WORD]), NAME)
    table, given, number = made.args
    builder = ir.IRBuilder(made.append_basic_block("entry"))
    reading = Reading(builder, made.append_basic_block("no"))
    load, require = reading.load, reading.require
    code_of = ir.Function(module, ir.FunctionType(OBJECT, [OBJECT]), "PyFunction_GetCode")
    item = ir.Function(module, ir.FunctionType(OBJECT, [OBJECT, OBJECT]),
                       "PyDict_GetItemWithError")
    rows = builder.gep(load(table, ITEMS, OBJECT), [WORD(CONTENT)])
    require(number, load(rows, 0, WORD))
    with for_range(builder, number) as loop:
        one = builder.load(builder.gep(given, [loop.index]))
        sixteen = builder.mul(loop.index, WORD(16))
        parts, row = builder.gep(table, [sixteen]), builder.gep(rows, [sixteen])
        require(load(one, HEAD - 8, OBJECT), load(parts, ITEMS + 32, OBJECT))
        detail = load(parts, ITEMS + 40, OBJECT)
        rank, units = load(row, 8, WORD), load(row, 16, WORD)
        with builder.if_then(builder.icmp_signed("==", rank, WORD(OF_CODE))):
            following = builder.gep(given, [builder.add(loop.index, WORD(1))])
            require(builder.call(code_of, [one]), builder.load(following))
        with builder.if_then(builder.icmp_signed("==", rank, WORD(HIDING))):
            require(builder.call(item, [one, detail]), OBJECT(None))
            found = builder.call(item, [load(table, ITEMS + 24, OBJECT), detail])
            require(builder.ptrtoint(found, WORD), units)
        with builder.if_then(builder.icmp_signed(">=", rank, WORD(0))):
            require(load(one, DTYPE, OBJECT), detail)
            require(builder.zext(load(one, RANK, INT), WORD), rank)
            shape = load(one, SHAPE, OBJECT)
            with for_range(builder, rank) as axes:
                size = load(builder.gep(shape, [builder.mul(axes.index, WORD(8))]), 0, WORD)
                is_unit = builder.icmp_signed("==", size, WORD(1))
                require(is_unit, builder.trunc(builder.lshr(units, axes.index), ir.IntType(1)))
    counted = ir.Function(module, ir.FunctionType(ir.VoidType(), [OBJECT]), "Py_IncRef")
    for answer in (8, 16):
        found = load(table, ITEMS + answer, OBJECT)
        builder.call(counted, [found])
        builder.ret(found)
        builder.position_at_end(reading.other)
