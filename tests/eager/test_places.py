"""In-place errors name the line that saved and the line that wrote, also through libraries."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import srcgrad.eager as torch


def line() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


def notes_of(run: Any) -> list[str]:
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        run()
    return caught.value.__notes__


def test_saved_and_modified_lines() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = y * y; saved = line()
    y.add_(1); written = line()
    notes = notes_of(lambda: z.sum().backward())
    assert f"line {saved}, in test_saved_and_modified_lines" in notes[0]
    assert "saved for backward" in notes[0]
    assert f"line {written}, in test_saved_and_modified_lines" in notes[1]
    assert "modified in place" in notes[1]
    assert all(__file__ in n for n in notes)


def test_saved_results_and_item_assignment() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.exp(); saved = line()
    y[0] = 5.0; written = line()
    notes = notes_of(lambda: y.sum().backward())
    assert f"line {saved}," in notes[0] and f"line {written}," in notes[1]


def test_through_a_module_the_users_line_is_named() -> None:
    layer = torch.nn.Linear(2, 2)
    x = torch.ones(1, 2)
    out = layer(x); saved = line()
    x.mul_(3); written = line()
    notes = notes_of(lambda: out.sum().backward())
    assert f"line {saved}," in notes[0] and f"line {written}," in notes[1]


def test_custom_functions() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            a, = ctx.saved_tensors
            return 2 * a * g

    t = torch.ones(2, requires_grad=True) * 1
    y = Square.apply(t); saved = line()
    t.zero_(); written = line()
    notes = notes_of(lambda: y.sum().backward())
    assert f"line {saved}," in notes[0] and f"line {written}," in notes[1]
