"""Native code on disk: a second process finds it, and nothing that was not written whole is run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.cache.files import directory


def total_of_squares(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    return np.sum(y)


X = np.arange(300.0)


def compiled(monkeypatch: pytest.MonkeyPatch, place: Path) -> tuple[Any, int]:
    """The gradient, and how many kernels Numba compiled for it."""
    pytest.importorskip("numba")
    from numba.core.dispatcher import _FunctionCompiler

    made: list[Any] = []
    plain = _FunctionCompiler.compile
    with monkeypatch.context() as patch:
        patch.setenv("SRCGRAD_CACHE_DIR", str(place))
        patch.setattr(_FunctionCompiler, "compile", lambda self, args, result: (
            made.append(self.py_func.__name__), plain(self, args, result))[1])
        df = sg.grad(total_of_squares, backend="numba")
        df.cache_clear()
        found = df(X)
    return found, sum("kernel" in name for name in made)


@pytest.mark.sweep
def test_code_is_found_again_unless_a_file_was_damaged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    pytest.importorskip("numba")
    from srcgrad.native.asked import asked
    asked([])  # which is compiled once in a process, and has a file of its own
    for expected in (1, 0):
        found, count = compiled(monkeypatch, place)
        assert found.tolist() == (2 * X).tolist()
        assert count == expected
    (file,) = place.glob("*.native")
    whole = file.read_bytes()
    for damaged in (b"", whole[:-1], b"x" + whole[1:], b"cos\nsystem\n"):
        file.write_bytes(damaged)
        assert compiled(monkeypatch, place)[1] == 1
        assert compiled(monkeypatch, place)[1] == 0
    if hasattr(os, "geteuid"):
        file.chmod(0o666)  # somebody else may have written it
        assert compiled(monkeypatch, place)[1] == 1
        place.chmod(0o777)
        assert compiled(monkeypatch, place)[1] == 1


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import numba.core.dispatcher as d
from test_disk import X, sg, total_of_squares
plain, made = d._FunctionCompiler.compile, []
d._FunctionCompiler.compile = lambda s, a, r: (made.append(s.py_func.__name__), plain(s, a, r))[1]
assert (sg.value_and_grad(total_of_squares, backend="numba")(X)[0] == (X * X).sum())
print(len(made))
"""


@pytest.mark.sweep
def test_another_process_compiles_nothing(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    text = PROGRAM.format(folder=str(Path(__file__).parent))
    counts = [subprocess.run([sys.executable, "-c", text], env=environment(tmp_path), check=True,
                             capture_output=True, text=True).stdout.strip() for _ in range(2)]
    assert int(counts[0]) > 0 and counts[1] == "0"


def environment(place: Path) -> dict[str, str]:
    return dict(os.environ, SRCGRAD_CACHE_DIR=str(place), PYTHONPATH=str(Path(__file__).parents[2]))


def started(text: str, place: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", text], env=environment(place), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.sweep
def test_two_processes_at_once(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    text = PROGRAM.format(folder=str(Path(__file__).parent))
    both = [started(text, tmp_path) for _ in range(2)]
    for process in both:
        out, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
        assert int(out) >= 0
    third = started(text, tmp_path)
    assert third.communicate(timeout=120)[0].strip() == "0"
    assert {f.suffix for f in tmp_path.iterdir()} == {".native"}


KILLED = "import os, signal\nos.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)\n"


@pytest.mark.sweep
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="signals of POSIX")
def test_a_process_that_is_killed_while_it_writes(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    text = PROGRAM.format(folder=str(Path(__file__).parent))
    killed = started(KILLED + text, tmp_path)
    killed.communicate(timeout=120)
    assert killed.returncode == -9
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".part"
    os.utime(left, (0, 0))
    counts = [started(text, tmp_path).communicate(timeout=120)[0].strip() for _ in range(2)]
    assert int(counts[0]) > 0 and counts[1] == "0"
    assert not left.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners of POSIX")
def test_what_somebody_else_wrote_is_not_read(tmp_path: Path) -> None:
    from srcgrad.cache import files

    file = tmp_path / "code.native"
    files.write(file, b"content")
    assert files.read(file) == b"content"
    link = tmp_path / "link.native"
    link.symlink_to(file)
    assert files.read(link) is None
    if os.geteuid() == 0:
        os.chown(file, 12345, 12345)
        assert files.read(file) is None
        os.chown(file, 0, 0)
        os.chown(tmp_path, 12345, 12345)
        assert files.read(file) is None
        files.write(tmp_path / "new.native", b"content")
        assert not (tmp_path / "new.native").exists()


def test_where_code_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    assert directory() == tmp_path
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", "")
    assert directory() is None
    monkeypatch.delenv("SRCGRAD_CACHE_DIR")
    found = directory()
    assert found is None or found.name == "srcgrad"
