"""Every format names a renderer that exists and takes what it is called with."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from sgmem.report.registry import FORMATS, Format, find_format, format_names


@pytest.mark.parametrize("format", [one for formats in FORMATS.values() for one in formats], ids=lambda one: one.renderer)
def test_the_renderer_takes_the_result_and_for_people_a_view(format: Format) -> None:
    module, _, function = format.renderer.partition(":")
    parameters = list(inspect.signature(getattr(import_module(f"sgmem.report.{module}"), function)).parameters)
    assert (parameters[1:] == ["view"]) is format.for_people
    assert len(parameters) == (2 if format.for_people else 1)


@pytest.mark.parametrize("kind", FORMATS)
def test_names_are_unique_and_found(kind: str) -> None:
    names = format_names(kind)
    assert len(set(names)) == len(names)
    assert [find_format(kind, name) for name in names] == list(FORMATS[kind])
    assert find_format(kind, "nonsense") is None
