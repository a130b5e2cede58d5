"""The page of refusals is the one that the error classes make."""

from __future__ import annotations

from pathlib import Path

from srcgrad import errors
from srcgrad.cli import main
from srcgrad.show.refusals import page

PAGE = Path(__file__).parents[2] / "docs" / "refusals.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page()


def test_the_command_prints_it(capsys):
    assert main(["refusals"]) == 0
    assert capsys.readouterr().out == page()


def test_every_error_class_is_on_the_page():
    found = [c for c in vars(errors).values() if isinstance(c, type)
             and issubclass(c, errors.SrcgradError) and c is not errors.SrcgradError]
    assert len(found) == 11
    for cls in found:
        assert f"## {cls.__name__}" in page() and cls.refuses and cls.__doc__
