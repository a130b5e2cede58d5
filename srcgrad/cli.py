"""The command line: ``python -m srcgrad source MODULE:FUNCTION --args "x=f8[3,4], n=5"``."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import math
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__
from .check.checks import check_grads
from .errors import SrcgradError, StructureError
from .public.api import grad, jit, value_and_grad
from .public.compiled import Compiled
from .public.versions import checks, versions
from .show.completion import SHELLS, completion_for
from .show.refusals import classes, page, section
from .show.terminal import for_terminal, in_colour, marked

_ARRAY = re.compile(r"^([biufc]\d+)\[([\d,\s]*)\]$")
_MOST = 2 ** 27  # elements of an example argument
_MODES: dict[str, Callable[..., Any]] = {"grad": grad, "value_and_grad": value_and_grad}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        text = options.run(options)
        is_code = options.run in (_source, _show) and in_colour(sys.stdout)
        print(for_terminal(text) if is_code else text, flush=True)
    except (SrcgradError, AssertionError) as error:
        name = type(error).__name__
        print(f"{marked(name) if in_colour(sys.stderr) else name}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader (such as head) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="srcgrad", description="Gradients of NumPy programs, as source code.",
        epilog="Example arguments: x=f8[3,4] (random numbers), n=5, mode='fast', w=[1.0, 2.0], "
               "params={'W': f8[3,2], 'b': f8[2]}.  python -m srcgrad does the same as srcgrad.")
    parser.add_argument("--version", action="version", version=f"srcgrad {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, text in (
            ("source", _source, "print the generated code"),
            ("graph", _graph, "print the static graph"),
            ("show", _show, "print the source with the generated code beside it"),
            ("explain", _explain, "print what the code relies on and what it keeps"),
            ("check", _check, "compare with finite differences"),
            ("export", _export, "write a module that needs NumPy only"),
            ("time", _time, "measure first call, later calls and the function itself")):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("function", metavar="MODULE:FUNCTION")
        command.add_argument("--args", default="", help="example arguments, by name")
        command.add_argument("--argnums", default="0", help="number or name, or several: 0,2")
        command.add_argument("--mode", choices=[*_MODES, "jit"], default="value_and_grad")
        if name == "show":
            command.add_argument("--output", default="", help="HTML file to write")
        if name == "export":
            command.add_argument("--output", default="gradient.py", help="file to write")
        command.set_defaults(run=run)
    doctor = commands.add_parser("doctor", help="versions and a self-test")
    doctor.set_defaults(run=_doctor)
    refusals = commands.add_parser("refusals", help="print the page that lists what is refused")
    refusals.set_defaults(run=lambda options: page().rstrip("\n"))
    known = {name: cls for cls in classes() for name in (cls.code, cls.__name__)}
    error = commands.add_parser("error", help="what an error means, by its code or class")
    error.add_argument("error", metavar="CODE", choices=known, help=", ".join(known))
    error.set_defaults(run=lambda options: section(known[options.error]).rstrip("\n"))
    completion = commands.add_parser("completion", help="print the completion for a shell")
    completion.add_argument("shell", choices=SHELLS,
                            help='write: eval "$(srcgrad completion bash)"')
    completion.set_defaults(run=lambda options: completion_for(
        options.shell, {name: _words(p) for name, p in commands.choices.items()}))
    return parser


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """What may follow a command."""
    return [word for action in parser._actions
            for word in (*action.option_strings, *map(str, action.choices or ()))]


# ---- what commands work on ---------------------------------------------------------------------
def find_function(text: str) -> Callable[..., Any]:
    """The function that ``MODULE:FUNCTION`` names."""
    module, _, name = text.partition(":")
    if not name:
        raise StructureError(f"{text!r} names no function", fix="write MODULE:FUNCTION")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise StructureError(f"{text} cannot be found", why=str(error),
                             fix="write MODULE:FUNCTION, as seen from this folder") from None
    function: Callable[..., Any] = getattr(found, "__wrapped__", found)
    return function


def parse_arguments(text: str) -> dict[str, Any]:
    """Example arguments by name.

    >>> parse_arguments("x=f4[2], n=3, s='a'")["n"]
    3
    """
    rng = np.random.default_rng(0)
    try:
        call = ast.parse(f"arguments({text})", mode="eval").body
    except SyntaxError:
        raise _no_arguments(text) from None
    if not isinstance(call, ast.Call) or call.args or any(k.arg is None for k in call.keywords):
        raise _no_arguments(text)
    return {str(k.arg): _value(k.value, rng) for k in call.keywords}


def _no_arguments(text: str) -> StructureError:
    return StructureError(f"{text!r} cannot be read as arguments",
                          fix='write for instance "x=f8[3,4], n=5, mode=\'fast\'"')


def _value(node: ast.expr, rng: np.random.Generator) -> Any:
    match = _ARRAY.match(ast.unparse(node))
    if match is None:
        return _plain_value(node, rng)
    shape = tuple(int(n) for n in match[2].split(",") if n.strip())
    if math.prod(shape) > _MOST:
        raise StructureError(
            f"{ast.unparse(node)} has {math.prod(shape)} elements", where="--args",
            why="example arguments are made in memory",
            fix="give a small array: the code that is generated serves all sizes")
    try:
        dtype = np.dtype(match[1])
    except TypeError:
        raise _no_arguments(ast.unparse(node)) from None
    if dtype.kind in "iu":
        return rng.integers(0, 3, shape).astype(dtype)
    return (rng.random(shape) + 0.5).astype(dtype)


def _plain_value(node: ast.expr, rng: np.random.Generator) -> Any:
    """A literal (a list of numbers is an array), or a container that may hold arrays."""
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {_value(k, rng): _value(v, rng)
                for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    if isinstance(node, ast.Tuple):
        return tuple(_value(item, rng) for item in node.elts)
    try:
        value = ast.literal_eval(node)
        return np.array(value) if type(value) is list else value
    except ValueError:
        if isinstance(node, ast.List):
            return [_value(item, rng) for item in node.elts]
        raise _no_arguments(ast.unparse(node)) from None


def _argnums(text: str) -> Any:
    found = tuple(int(p) if p.strip().lstrip("-").isdigit() else p.strip()
                  for p in text.split(","))
    return found[0] if len(found) == 1 else found


def _made(options: argparse.Namespace) -> tuple[Compiled[..., Any], dict[str, Any]]:
    function = find_function(options.function)
    arguments = parse_arguments(options.args)
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        names = ", ".join(inspect.signature(function).parameters)
        raise StructureError(
            f"the example arguments do not fit: {error}", where="--args",
            why=f"the parameters of {options.function} are {names}",
            fix='give one for each by name, for instance --args "x=f8[3,4], n=5"') from None
    compiled: Compiled[..., Any] = (jit(function) if options.mode == "jit" else
                          _MODES[options.mode](function, argnums=_argnums(options.argnums)))
    return compiled, arguments


# ---- commands ------------------------------------------------------------------------------
def _source(options: argparse.Namespace) -> str:
    compiled, arguments = _made(options)
    return compiled.source(**arguments)


def _graph(options: argparse.Namespace) -> str:
    compiled, arguments = _made(options)
    return str(compiled.graph(**arguments))


def _show(options: argparse.Namespace) -> str:
    compiled, arguments = _made(options)
    table = compiled.show(**arguments)
    return f"wrote {table.save(options.output)}" if options.output else repr(table)


def _explain(options: argparse.Namespace) -> str:
    compiled, arguments = _made(options)
    return compiled.explain(**arguments)


def _check(options: argparse.Namespace) -> str:
    compiled, arguments = _made(options)
    bound = compiled.__signature__.bind(**arguments)
    check_grads(compiled.__wrapped__, bound.args, order=1)
    return f"the gradients of {compiled.__name__} agree with finite differences"


def _export(options: argparse.Namespace) -> str:
    compiled, arguments = _made(options)
    return f"wrote {compiled.export(Path(options.output), **arguments)}"


def _time(options: argparse.Namespace) -> str:
    compiled, arguments = _made(options)
    began = time.perf_counter()
    compiled(**arguments)
    first = time.perf_counter() - began
    later = _best(lambda: compiled(**arguments))
    primal = _best(lambda: compiled.__wrapped__(**arguments))
    return (f"first call {1e3 * first:8.2f} ms\nlater calls {1e6 * later:7.1f} us\n"
            f"function   {1e6 * primal:8.1f} us\nratio      {later / primal:8.2f}")


def _best(call: Callable[[], Any]) -> float:
    """The shortest of several times of one call, in seconds."""
    times = []
    for _ in range(7):
        began = time.perf_counter()
        for _ in range(20):
            call()
        times.append((time.perf_counter() - began) / 20)
    return min(times)


def _doctor(options: argparse.Namespace) -> str:
    return "\n".join(f"{name}: {found}" for name, found in {**versions(), **checks()}.items())
