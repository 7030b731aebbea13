"""The names that model rows give, for looks at the text of files; and that the engine spells none of them itself."""

from __future__ import annotations

import re
from pathlib import Path

import sgmem.domains
from sgmem.domains.accounting.model_words import any_of, words_in, words_of_group
from sgmem.models.load import load_models

MODELS = load_models(own_rows={"unit": [{"names": ["**:Pool.token_cost"], "kind": "field", "unit": "KiB/token", "why": "test"}]})


def test_words_are_those_of_rows_of_the_dimension_whatever_the_scale() -> None:
    words = words_in(MODELS, "bytes/token")
    assert {"token_cost", "size_per_token"} <= words
    assert not words & words_in(MODELS, "tokens", "GiB")


def test_words_of_a_group_are_those_of_the_kind() -> None:
    assert "pp_size" in words_of_group(MODELS, "pipeline group", "size")
    assert "pp_rank" not in words_of_group(MODELS, "pipeline group", "size")
    assert "pp_rank" in words_of_group(MODELS, "pipeline group", "rank")


def test_a_pattern_finds_words_within_names_and_nothing_where_there_are_none() -> None:
    assert any_of(frozenset({"token_cost"})).search("self._token_cost_mla") is not None
    assert any_of(frozenset({"token_cost"}), "_per_").search("bytes_per_page") is not None
    assert any_of(frozenset()).search("token_cost") is None


def test_the_domains_spell_no_name_of_a_row() -> None:
    """Text filters take names from the rows, so that a fork that renames things needs rows only."""
    own = {*words_in(MODELS, "bytes/token", "tokens"), *words_of_group(MODELS, "pipeline group", "size")}
    spelled = re.compile(rf"\b(?:{'|'.join(sorted(own))})\b")
    for path in sorted(Path(sgmem.domains.__file__).parent.rglob("*.py")):
        filters = [line for line in path.read_text(encoding="utf-8").splitlines() if "re.compile(" in line or 'b"' in line]
        assert [line for line in filters if spelled.search(line)] == [], path
