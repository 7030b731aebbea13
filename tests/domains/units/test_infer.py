"""Inference of units through arithmetic, and the contradictions it reports."""

from __future__ import annotations

from fractions import Fraction

import pytest
from domains.expressions import expression

from sgmem.domains.units.evidence import Evidence, Strength, suffix_evidence
from sgmem.domains.units.infer import check, infer
from sgmem.domains.units.unit import parse_unit
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

KNOWN = {
    "free_gib": "GiB", "total_gib": "GiB", "gpu_mem": "MiB", "size": "bytes", "f": "fraction", "cell": "bytes/token",
    "tokens": "tokens", "page_size": "tokens/page", "elapsed": "seconds", "hicache": "GB", "numel": "elements",
    "itemsize": "bytes/element",
}  # fmt: skip


def unit_of(node: ir.Expr) -> Evidence | None:
    text = text_of(node)
    if text in KNOWN:
        return Evidence(parse_unit(KNOWN[text]), Strength.FUNCTION, "known", node.span)
    return suffix_evidence(node.id, node.span) if isinstance(node, ir.Name) else None


def constant_of(node: ir.Expr) -> Fraction | None:
    constants = {"GB": 1 << 30, "MB": 1 << 20, "ten_gb": 10 << 30, "WORKSPACE_MB": 512, "_GB": 1 << 30}
    return Fraction(constants[node.id]) if isinstance(node, ir.Name) and node.id in constants else None


def found(text: str) -> Evidence | None:
    return infer(expression(text), unit_of, constant_of)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("free_gib", "GiB"),
        ("free_gib - total_gib * (1 - f)", "GiB"),
        ("int((free_gib - total_gib * (1 - f)) * (1 << 30)) // cell", "tokens"),
        ("size / (1 << 30)", "GiB"),
        ("size / 1024**3", "GiB"),
        ("size / GB", "GiB"),
        ("size // 1024 // 1024", "MiB"),
        ("size / 1e9", "GB"),
        ("free_gib * (1 << 30)", "bytes"),
        ("(1 << 30) * free_gib", "bytes"),
        ("free_gib * 1024", "MiB"),
        ("gpu_mem / 1024", "GiB"),
        ("gpu_mem << 20", "bytes"),
        ("hicache * 1e9", "bytes"),
        ("slack_gb * (1 << 30)", "bytes"),
        ("slack_gb * 10**9", "bytes"),
        ("(gpu_mem - 512) / gpu_mem", "fraction"),
        ("numel * itemsize", "bytes"),
        ("tokens // page_size * page_size", "tokens"),
        ("max(0, size)", "bytes"),
        ("min(size, cap_bytes)", "bytes"),
        ("round(free_gib, 2)", "GiB"),
        ("sum([size, size])", "bytes"),
        ("size if f else 0", "bytes"),
        ("size or 0", "bytes"),
        ("-abs(size)", "bytes"),
        ("(x := size)", "bytes"),
        ("elapsed * 1000", "ms"),
        ("size - ten_gb", "bytes"),
    ],
)
def test_units_of_expressions(text: str, unit: str):
    evidence = found(text)
    assert evidence is not None
    assert str(evidence.unit) == unit


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("x / (1 << 30)", "GiB"),
        ("x // 1024 // 1024", "MiB"),
        ("x / 1024 / 1024 / 1024", "GiB"),
        ("y * (1 << 30)", "bytes"),
        ("y * 1024 * 1024", "bytes"),
        ("y * 1024 * 1024 * 1024", "bytes"),
        ("x >> 20", "MiB"),
    ],
)
def test_a_conversion_shows_what_an_unknown_value_was(text: str, unit: str):
    evidence = found(text)
    assert evidence is not None
    assert (str(evidence.unit), evidence.strength, evidence.strong) == (unit, Strength.CONVERSION, True)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("size * 2", "bytes"),
        ("free_gib * 0.9", "GiB"),
        ("size * 1024", "bytes"),
        ("size * x", "bytes"),
        ("free_gib - 1", "GiB"),
        ("free_gib - x", "GiB"),
        ("x / 1e9", "GB"),
        ("WORKSPACE_MB", "MB"),
    ],
)
def test_claims_that_are_kept_but_no_longer_strong(text: str, unit: str):
    evidence = found(text)
    assert evidence is not None
    assert str(evidence.unit) == unit
    assert not evidence.strong or text == "WORKSPACE_MB"


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x + y",
        "1 << 30",
        "512",
        "x / 1024",
        "x * 2",
        "size / x",
        "f(size)",
        "size < 3",
        "10 * 1024 * 1024",
        "MB",
        "size * 0",
    ],
)
def test_nothing_is_claimed(text: str):
    assert found(text) is None


def test_a_name_bound_to_a_literal_number_of_bytes_is_in_bytes_whatever_its_name():
    evidence = found("ten_gb")
    assert evidence is not None
    assert str(evidence.unit) == "bytes"


def test_zero_does_not_weaken():
    evidence = found("max(0, free_gib)")
    assert evidence is not None
    assert evidence.strong


def test_conflicting_sides_give_no_unit():
    assert found("free_gib + gpu_mem") is None


@pytest.mark.parametrize(
    ("text", "operation", "kind"),
    [
        ("free_gib - gpu_mem", "free_gib - gpu_mem", "scale"),
        ("free_gib - size / 1024 / 1024", "free_gib - size / 1024 / 1024", "scale"),
        ("x if size < gpu_mem else y", "size < gpu_mem", "scale"),
        ("min(free_gib, cap_bytes)", "min(free_gib, cap_bytes)", "scale"),
        ("int(size + tokens)", "size + tokens", "dimension"),
        ("free_gib - f", "free_gib - f", "dimension"),
        ("hicache + free_gib", "hicache + free_gib", "scale"),
        ("total_gib * (1 << 30) - free_gib", "total_gib * (1 << 30) - free_gib", "scale"),
        ("free_gib - ten_gb", "free_gib - ten_gb", "scale"),
        ("a + (free_gib - gpu_mem) * 2", "free_gib - gpu_mem", "scale"),
    ],
)
def test_contradictions_are_found_at_their_operation(text: str, operation: str, kind: str):
    (checked,) = check(expression(text), unit_of, constant_of)
    assert (text_of(checked.operation), checked.mismatch.kind) == (operation, kind)


@pytest.mark.parametrize(
    "text",
    [
        "free_gib - total_gib * (1 - f)",
        "free_gib - slack_gb",
        "hicache - slack_gb",
        "free_gib - gpu_mem / 1024",
        "size - free_gib * (1 << 30)",
        "gpu_mem < 20 * 1024",
        "gpu_mem > 60 * 1024 and free_gib > 1",
        "free_gib <= 0",
        "size - 512 * 1024 * 1024",
        "free_gib - x_unknown",
        "free_gib * 2 - gpu_mem",
        "free_gib - gpu_mem * 0.001",
        "size == 0",
        "tokens * cell - size",
        "max(0, free_gib)",
        "f + 0.05",
        "size in (gpu_mem, free_gib)",
    ],
)
def test_sound_arithmetic_is_not_reported(text: str):
    assert check(expression(text), unit_of, constant_of) == ()


def test_the_chain_leads_to_the_source_of_the_claim():
    evidence = found("free_gib * (1 << 30) // cell")
    assert evidence is not None
    assert {link.why for link in evidence.chain()} >= {"known", "* 2**30 makes it bytes"}


def test_deep_and_long_expressions_end():
    span = ir.Span(1, 1, 1, 2)
    deep: ir.Expr = ir.Name(span, "size")
    for _ in range(3000):
        deep = ir.Unary(span, "-", deep)
    assert infer(deep, unit_of, constant_of) is None
    long = expression(" + ".join(["size"] * 80))
    assert found_unit(long) == "bytes"


def found_unit(node: ir.Expr) -> str:
    return str(getattr(infer(node, unit_of, constant_of), "unit", None))


def test_a_share_or_a_count_of_unknown_things_is_in_no_unit_that_is_known() -> None:
    assert found("(1 - f) * unknown") is None
    assert found("page_size * unknown") is None
    assert found("size * unknown") is not None


def test_a_part_of_a_share_is_a_share() -> None:
    part = found("f * 0.85")
    assert part is not None
    assert part.unit.fraction
    assert part.strong
