"""The reports of explain: the JSON contract, and the page for people."""

from __future__ import annotations

import json

import jsonschema
import msgspec
import pytest
from queries.explained import BUDGET, OPTIONS, asked

from sgmem.queries.results.explain import Explain
from sgmem.report.explain.terminal import render_explain_text
from sgmem.report.json import render_explain_json, schema_text
from sgmem.report.view import View

SCHEMA = json.loads(schema_text("explain-1"))
CONTRADICTION = asked(OPTIONS, "rest", "share=0.55", "total=94", "free=21.7", "wide=true", observed="rest=-1.8")
RESULTS = {
    "contradiction": CONTRADICTION,
    "missing": asked(BUDGET, "rest", "share=0.5"),
    "guarded": asked(BUDGET, "rest", "share=0.5", "total=100", "free=20"),
    "steps": asked(OPTIONS, "share", "card=2000"),
}


def shown(result: Explain, **view: object) -> str:
    return render_explain_text(result, View(**{"width": 100, **view}))  # type: ignore[arg-type]


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_every_result_satisfies_the_schema(result: Explain) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(render_explain_json(result)))


def test_a_field_that_is_missing_or_of_another_type_does_not() -> None:
    document = json.loads(render_explain_json(CONTRADICTION))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for key in document:
        assert not validator.is_valid({**document, key: {"not": ["what", "is", "expected"]}}), key
        assert not validator.is_valid({other: value for other, value in document.items() if other != key}), key
    assert validator.is_valid({**document, "later": [1]})


def test_the_page_says_that_the_numbers_contradict_and_where_the_right_one_is_written() -> None:
    text = shown(CONTRADICTION)
    assert "these numbers cannot all be true" in text
    first = text.index("share = 0.75 [")
    assert first < text.index("free = 40.5")
    assert "written as  0.75" in text
    assert "when self.share is None\n      and card is None" in text


def test_the_page_names_what_is_missing() -> None:
    text = shown(RESULTS["missing"])
    assert "rest  not known" in text
    assert "missing: free, total" in text


def test_the_page_names_the_check_that_stops_the_value() -> None:
    text = shown(RESULTS["guarded"])
    assert "stops it  rest <= 0" in text
    assert "“no room, share={self.share}”" in text


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_any_width_and_character_set_will_do(result: Explain, width: int) -> None:
    assert shown(result, width=width, unicode=False).isascii()
    assert shown(result, width=width, color=True)


def test_control_characters_in_the_source_are_spelled_out() -> None:
    step = msgspec.structs.replace(RESULTS["steps"].steps[0], text="x = '\x1b[31m'")
    assert "\x1b" not in shown(msgspec.structs.replace(RESULTS["steps"], steps=(step,)))
