"""`sgmem units`: amounts by unit, and the rows that would decide the unknown ones."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import jsonschema
import pytest

from sgmem.config.errors import UsageError
from sgmem.config.settings import NO_OWN_MODELS, OwnModels
from sgmem.queries.units.query import units
from sgmem.report.json import render_units_json, schema_text
from sgmem.report.units.terminal import render_units_text
from sgmem.report.view import View
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from sgmem.queries.results.units import UnitsResult

VENDOR = """
def free_vram(card):
    return vendor_library.ask(card)

class Limits:
    def __init__(self, settings):
        self.headroom = settings.pick("headroom")
"""

SIZING = """
import torch
from pkg.vendor import Limits, free_vram

def budget(card, limits: Limits):
    free_gib = torch.cuda.mem_get_info()[0] / (1 << 30)
    return free_gib - free_vram(card)

def second(card, limits: Limits):
    free_gib = torch.cuda.mem_get_info()[0] / (1 << 30)
    left = free_vram(card)
    return min(free_gib, left)

def third(card, limits: Limits, spare):
    free_gib = torch.cuda.mem_get_info()[0] / (1 << 30)
    if free_gib < limits.headroom:
        raise ValueError
    return free_gib - spare * 1024

def both(card, limits: Limits):
    free_gib = torch.cuda.mem_get_info()[0] / (1 << 30)
    return free_gib - (free_vram(card) + limits.headroom)

def known(card):
    total_bytes = torch.cuda.get_device_properties(card).total_memory
    return total_bytes - torch.cuda.memory_allocated()
"""


def tree(**more: str) -> SourceTree:
    return SourceTree.from_texts({"pkg/__init__.py": "", "pkg/vendor.py": VENDOR, "pkg/sizing.py": SIZING, **more}, package="pkg")


def rows(result: UnitsResult) -> dict[str, tuple[int, int, str | None]]:
    return {one.name: (one.alone, one.shared, one.unit) for one in result.suggestions}


def test_what_decides_the_most_comes_first() -> None:
    result = units(tree(), NO_OWN_MODELS, suggest=True)
    assert list(rows(result).items()) == [
        ("pkg.vendor:free_vram", (2, 1, "GiB")),
        ("pkg.vendor:Limits.headroom", (1, 1, "GiB")),
        ("pkg.sizing:third.spare", (1, 0, None)),
    ]
    assert [one.kind for one in result.suggestions] == ["result", "field", "parameter"]


def test_known_amounts_are_counted_by_unit() -> None:
    result = units(tree(), NO_OWN_MODELS)
    assert result.known["bytes"] == 2
    assert result.known["GiB"] >= 4
    assert result.amounts == sum(result.known.values()) + len(result.unknown)
    assert result.suggestions == ()


def test_every_suggested_row_decides_what_it_says() -> None:
    before = units(tree(), NO_OWN_MODELS, suggest=True)
    for one in before.suggestions:
        row = tomllib.loads(one.toml)["model"]["unit"][0] | ({} if one.unit else {"unit": "MiB"})
        after = units(tree(), OwnModels(rows={"unit": (row,)}), suggest=True)
        decided = {(at.path, at.line, at.column) for at in before.unknown if at.because == (one.name,)}
        assert len(decided) == one.alone
        assert not decided & {(at.path, at.line, at.column) for at in after.unknown}, one.name
        assert one.name not in rows(after)


def test_a_unit_that_is_not_needed_alike_is_left_to_the_reader() -> None:
    more = (
        "import torch\nfrom pkg.vendor import free_vram\ndef other(card):\n    return torch.cuda.memory_allocated() - free_vram(card)\n"
    )
    found = units(tree(**{"pkg/more.py": more}), NO_OWN_MODELS, suggest=True).suggestions[0]
    assert (found.alone, found.unit, found.contested) == (3, "GiB", True)
    assert "# not what all of them need" in found.toml


def test_most_bounds_the_rows() -> None:
    assert len(units(tree(), NO_OWN_MODELS, suggest=True, most=1).suggestions) == 1


@pytest.mark.parametrize(
    "line",
    [
        "chunk_bytes = stream.read()",  # the bytes themselves
        "used_bytes = len(data) + len(more)",  # what Python itself counts
        "free_gib = 3",
        "free_gib = steps * 2",  # a factor that is no conversion: no row of `steps` would make that an amount
        "count = steps + vendor.steps()",
        "free_gib = data.tp_size * stream.dp_size",  # ranks, as the models know, are a factor
    ],
)
def test_what_is_no_unknown_amount(line: str) -> None:
    source = f"def work(stream, data, more, steps, vendor):\n    {line}\n    return 0\n"
    result = units(SourceTree.from_texts({"pkg/__init__.py": "", "pkg/a.py": source}, package="pkg"), NO_OWN_MODELS, suggest=True)
    assert result.suggestions == ()


def test_the_json_satisfies_its_schema() -> None:
    schema = json.loads(schema_text("units-1"))
    jsonschema.Draft202012Validator.check_schema(schema)
    result = units(tree(), NO_OWN_MODELS, suggest=True)
    jsonschema.Draft202012Validator(schema).validate(json.loads(render_units_json(result)))


def test_the_text_shows_rows_or_else_the_amounts() -> None:
    text = render_units_text(units(tree(), NO_OWN_MODELS, suggest=True), View())
    assert "# decides 2 amounts alone, with others 1 more: result pkg.vendor:free_vram" in text
    assert 'names = ["**.vendor:free_vram"]' in text
    plain = render_units_text(units(tree(), NO_OWN_MODELS), View())
    assert "pkg/sizing.py:7  taken for GiB; comes from pkg.vendor:free_vram" in plain


def test_a_source_that_cannot_be_parsed_is_no_crash() -> None:
    result = units(tree(**{"pkg/broken.py": "free_gib = torch.cuda.mem_get_info(:\n"}), NO_OWN_MODELS, suggest=True)
    assert any(row.path == "pkg/broken.py" for row in result.source.unreadable)


def test_a_row_that_is_not_sound_is_an_error_of_use() -> None:
    with pytest.raises(UsageError):
        units(tree(), OwnModels(rows={"unit": ({"kind": "field", "names": ["x"], "unit": "GiB", "why": "test"},)}))
