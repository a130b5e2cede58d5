"""The source with the generated code beside it."""

from __future__ import annotations

import numpy as np

import srcgrad as sg
from srcgrad.cli import main

X = np.arange(1.0, 5.0)


def smooth(x, rate):
    u = x.copy()
    for _ in range(3):
        u[1:-1] += rate * (u[2:] - u[:-2])
    return np.sum(u * u)


def test_each_line_stands_beside_what_was_made_of_it():
    table = sg.value_and_grad(smooth).show(X, 0.1)
    rows = {r.source.strip(): r for r in table.rows}
    row = rows["u[1:-1] += rate * (u[2:] - u[:-2])"]
    assert any("u[1:-1] += rate" in line for line in row.forward)
    assert any("d_u[2:] += " in line for line in row.adjoint)
    assert any("range(3)" in line for line in rows["for _ in range(3):"].forward)
    assert rows["return np.sum(u * u)"].adjoint
    text = repr(table)
    assert "source" in text and "adjoint" in text and "test_beside.py" in text
    assert all(len(line) < 140 for line in text.splitlines())


def test_html(tmp_path):
    table = sg.grad(smooth).show(X, 0.1)
    page = table._repr_html_()
    assert page.startswith("<div") and "d_u</span>[" in page
    file = table.save(tmp_path / "smooth.html")
    assert file.read_text().startswith("<!doctype html>")
    assert "adjoint" in table.save(tmp_path / "smooth.txt").read_text()


def test_without_arguments_the_latest_and_no_derivative():
    df = sg.jit(smooth)
    df(X, 0.1)
    assert all(not row.adjoint for row in df.show().rows)


def test_the_command(capsys, tmp_path):
    what = ["show", "examples.quickstart:rosenbrock", "--args", "x=f8[3]"]
    assert main(what) == 0
    assert "adjoint" in capsys.readouterr().out
    assert main([*what, "--output", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").exists()
