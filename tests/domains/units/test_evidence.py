"""Evidence: what names and labels prove, and when two claims contradict each other."""

from __future__ import annotations

import itertools

import pytest

from sgmem.domains.units.evidence import (
    Evidence,
    Strength,
    mismatch,
    model_evidence,
    stronger,
    suffix_evidence,
)
from sgmem.domains.units.unit import parse_unit


def claim(unit: str, strength: Strength = Strength.FUNCTION, scope: str | None = None, weak: bool = False) -> Evidence:
    return Evidence(parse_unit(unit, scope), strength, "a test", None, weak)


@pytest.mark.parametrize(
    ("name", "unit", "loose"),
    [
        ("slack_gb", "GB", True),
        ("pool_size_bytes", "bytes", False),
        ("cache_vram_mib", "MiB", False),
        ("limit_GiB", "GiB", False),
        ("size_in_mb", "MB", True),
        ("requested_nbytes", "bytes", False),
        ("num_bytes", "bytes", False),
    ],
)
def test_suffixes_that_spell_a_unit(name: str, unit: str, loose: bool):
    found = suffix_evidence(name)
    assert found is not None
    assert (str(found.unit), found.unit.loose, found.strength) == (unit, loose, Strength.SUFFIX)


@pytest.mark.parametrize(
    "name",
    [
        "page_size",
        "context_len",
        "rest_memory",
        "capacity",
        "gb",
        "GB",
        "_GB",
        "BYTES_PER_GB",
        "bytes_to_gb",
        "max_bs",
        "bytes",
        "rgb",
        "num_tokens",
        "is_gb",
    ],
)
def test_names_that_prove_nothing(name: str):
    assert suffix_evidence(name) is None


@pytest.mark.parametrize(
    ("left", "right", "kind", "text"),
    [
        ("GiB", "MiB", "scale", "GiB and MiB differ by a factor of 1024"),
        ("GiB", "bytes", "scale", "GiB and bytes differ by a factor of 2**30"),
        ("GiB", "GB", "scale", "GiB and GB differ by a factor of 1.074"),
        ("bytes", "tokens", "dimension", "bytes and tokens are different things"),
        ("GiB", "fraction", "dimension", "GiB and fraction are different things"),
        ("GiB", "bytes/token", "dimension", "GiB and bytes/token are different things"),
        ("tokens", "bytes/token", "dimension", "tokens and bytes/token are different things"),
    ],
)
def test_contradictions(left: str, right: str, kind: str, text: str):
    found = mismatch(claim(left), claim(right))
    assert found is not None
    assert (found.kind, found.text) == (kind, text)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (claim("GiB"), claim("GiB")),
        (claim("GB?"), claim("GiB")),
        (claim("GB?"), claim("GB")),
        (claim("fraction"), claim("number")),
        (claim("bytes"), claim("bytes/token")),
        (claim("tokens"), claim("tokens/page")),
        (claim("GiB"), claim("MiB", weak=True)),
        (claim("GiB"), claim("MiB", Strength.LABEL)),
        (claim("GiB"), claim("MiB", Strength.DOCSTRING)),
        (claim("GiB", scope="this rank"), claim("GiB")),
        (claim("GiB"), None),
        (None, None),
    ],
)
def test_no_contradiction_without_two_strong_claims(left: Evidence | None, right: Evidence | None):
    assert mismatch(left, right) is None
    assert mismatch(right, left) is None


def test_scopes_contradict_when_both_are_known():
    found = mismatch(claim("GiB", scope="this rank"), claim("GiB", scope="the whole machine"))
    assert found is not None
    assert found.kind == "scope"


def test_strength_ranks_the_sources_of_evidence():
    order = [Strength.DOCSTRING, Strength.LABEL, Strength.SUFFIX, Strength.CONVERSION, Strength.FUNCTION]
    for weaker, better in itertools.pairwise(order):
        a, b = claim("MiB", weaker), claim("GiB", better)
        assert stronger(a, b) is b
        assert stronger(b, a) is b
    weak = claim("GiB", Strength.FUNCTION, weak=True)
    suffix = claim("MiB", Strength.SUFFIX)
    assert stronger(weak, suffix) is suffix


def test_weakening_keeps_the_chain():
    start = claim("GiB")
    weak = start.weakened("times something")
    assert not weak.strong
    assert weak.chain() == (weak, start)


def test_a_model_with_an_unreadable_unit_proves_nothing():
    assert model_evidence("gigabytes", "a test") is None


@pytest.mark.parametrize(
    ("evidence", "shown"),
    [
        (claim("GiB"), "GiB"),
        (claim("GiB", weak=True), "GiB?"),
        (claim("bytes/element").times_unknown("times a count of unknown things"), "bytes?"),
        (claim("GiB/request").times_unknown("times a count of unknown things"), "GiB?"),
        (claim("bytes/token", weak=True), "bytes/token?"),
    ],
)
def test_what_unknown_counts_leave_of_a_quotient_is_not_shown(evidence: Evidence, shown: str) -> None:
    assert evidence.shown == shown
