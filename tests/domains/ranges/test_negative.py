"""Verdicts on the formulas that real releases contain: condition, witness, proof, and silence where nothing is known."""

from __future__ import annotations

from fractions import Fraction

import pytest
from domains.expressions import by_text, expression
from domains.formulas import NAMES, Formula, anything
from domains.ranges.test_proof import facts_and_values
from hypothesis import given, settings

from sgmem.domains.algebra.lift import lift
from sgmem.domains.ranges.facts import Fact, Facts, at_most, fact_for
from sgmem.domains.ranges.negative import NegativeVerdict, negative_verdict
from sgmem.domains.units.unit import BYTES, FRACTION, GIB, parse_unit
from sgmem.syntax import ir

FREE = fact_for(GIB, "free", "measured")
FACTS = Facts(
    {
        "available_gpu_memory": FREE,
        "total_gpu_memory": FREE,
        "mem_fraction_static": fact_for(FRACTION, control="user"),
        "free": FREE,
        "total": fact_for(GIB, "total", "measured"),
        "reserved": fact_for(GIB, control="config"),
        "extra": fact_for(GIB, control="config"),
        "state_bytes": fact_for(BYTES, control="config"),
        "gpu_mem": fact_for(parse_unit("MiB"), "total", "measured"),
        "reserved_mem": fact_for(parse_unit("MiB"), control="config"),
        "cell_size": fact_for(parse_unit("bytes/token"), control="config"),
        "page_size": fact_for(parse_unit("tokens/page"), control="user", positive=True),
        "tokens": fact_for(parse_unit("tokens"), control="user"),
        "slack": fact_for(GIB, control="computed"),
    }
)


def names(node: ir.Expr) -> str | None:
    text = by_text(node)
    return text if text is not None and not isinstance(node, ir.Call) else None


def verdict(text: str, facts: Facts = FACTS) -> NegativeVerdict:
    return negative_verdict(expression(text), names, facts)


def test_the_golden_formula():
    found = verdict("available_gpu_memory - total_gpu_memory * (1 - self.mem_fraction_static)")
    assert found.verdict == "yes"
    assert found.condition == "mem_fraction_static < 1 - available_gpu_memory / total_gpu_memory"
    assert found.witness == "21.7 - 94 * (1 - 0.55) = -20.6"
    assert found.result == Fraction("-20.6")
    assert dict(found.values) == {
        "available_gpu_memory": Fraction("21.7"),
        "total_gpu_memory": Fraction(94),
        "mem_fraction_static": Fraction("0.55"),
    }


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("free - reserved", "reserved > free"),
        ("(gpu_mem - reserved_mem) / gpu_mem", "reserved_mem > gpu_mem"),
        (
            "round((gpu_mem - reserved_mem) / gpu_mem, 3) if gpu_mem is not None else 0.88",
            "reserved_mem > gpu_mem (when gpu_mem is not None)",
        ),
        ("free - state_bytes / (1 << 30)", "state_bytes > 2**30 * free"),
        ("int((free - reserved) * (1 << 30)) // cell_size", "reserved > free"),
        ("free * mem_fraction_static", "mem_fraction_static < 0"),
        ("free * (1 - mem_fraction_static)", "mem_fraction_static > 1"),
        (
            "free - max(reserved, extra)",
            "reserved > free (when reserved >= extra) or extra > free (when extra > reserved)",
        ),
        ("min(extra, free - reserved)", "reserved > free"),
        ("free - reserved if flag else free", "reserved > free (when flag)"),
        ("tokens - page_size", "tokens < page_size"),
        ("1 / (free - reserved)", "1 / (free - reserved) < 0"),
    ],
)
def test_what_can_be_negative(text: str, condition: str):
    found = verdict(text)
    assert (found.verdict, found.condition) == ("yes", condition)
    assert found.result is not None
    assert found.result < 0
    assert found.witness is not None
    assert found.witness.partition("= ")[2] or "≈" in found.witness


@pytest.mark.parametrize(
    "text",
    [
        "max(0, free - reserved)",
        "free + reserved",
        "free * reserved",
        "free - reserved if free > reserved else 0",
        "0 if reserved >= free else free - reserved",
        "abs(free - reserved)",
        "free // (page_size or 1)",
        "int(free * (1 << 30)) // cell_size",
        "tokens // page_size * page_size",
        "tokens % page_size",
        "round(free, 2)",
        "min(free, reserved)",
        "free - min(free, reserved)",
    ],
)
def test_what_cannot(text: str):
    found = verdict(text)
    assert (found.verdict, found.condition, found.witness) == ("no", None, None)
    assert found.because


def test_one_reading_of_free_and_total_keeps_its_order():
    assert verdict("total - free", FACTS.extended({}, (at_most("free", "total"),))).verdict == "no"
    assert verdict("total - free").verdict == "yes"


def test_a_guard_that_the_caller_knows_of_counts():
    guard = lift(expression("available_gpu_memory - total_gpu_memory * (1 - mem_fraction_static)"), names).value
    text = "(available_gpu_memory - total_gpu_memory * (1 - mem_fraction_static)) * (1 << 30)"
    assert verdict(text).verdict == "yes"
    assert verdict(text, FACTS.extended({}, (guard,))).verdict == "no"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("free - unknown", "nothing bounds unknown"),
        ("free - slack", "nothing bounds slack"),
        ("f(x) - g(y)", "without a name"),
        ("free - 'x'", "without a name"),
    ],
)
def test_nothing_is_claimed_without_facts(text: str, why: str):
    found = verdict(text)
    assert (found.verdict, found.witness) == ("unknown", None)
    assert why in found.because


def test_what_is_negative_without_a_computed_deduction_is_negative_with_any():
    found = verdict("available_gpu_memory - total_gpu_memory * (1 - mem_fraction_static) - slack")
    assert (found.verdict, found.witness) == ("yes", "21.7 - 94 * (1 - 0.55) - 0 = -20.6")
    # Added, it may make up for the rest.
    assert verdict("available_gpu_memory - total_gpu_memory * (1 - mem_fraction_static) + slack").verdict == "unknown"


def test_a_condition_is_given_even_where_the_verdict_is_open():
    assert verdict("free - slack").condition == "slack > free"


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("free - odd if flag else free - odd", "odd > free"),
        ("(free - odd if a else free - odd) if b else odd * 0", "odd > free (when b)"),
        ("free - odd if a else (free - odd if b else 0 * odd)", "odd > free (when a) or odd > free (when not a and b)"),
    ],
)
def test_a_choice_that_makes_no_difference_is_left_out_of_the_condition(text: str, condition: str):
    found = verdict(text)
    assert (found.verdict, found.condition) == ("unknown", condition)


def test_no_fraction_is_assumed_below_one():
    assert verdict("1 - mem_fraction_static").verdict == "yes"
    bounded = FACTS.extended({"mem_fraction_static": Fact(Fraction(0), Fraction(1), "user")})
    assert verdict("1 - mem_fraction_static", bounded).verdict == "no"


def test_a_witness_respects_bounds_that_make_it_rare():
    near = FACTS.extended({"mem_fraction_static": Fact(Fraction("0.9"), Fraction(1), "user")})
    found = verdict("available_gpu_memory - total_gpu_memory * (1 - mem_fraction_static)", near)
    assert found.verdict == "yes"
    values = dict(found.values)
    assert Fraction("0.9") <= values["mem_fraction_static"] <= 1
    assert values["available_gpu_memory"] >= 0


def test_whole_numbers_stay_whole():
    found = verdict("tokens - page_size * 100")
    assert found.verdict == "yes"
    assert all(value.denominator == 1 for _, value in found.values)


@settings(max_examples=300)
@given(anything, facts_and_values())
def test_verdicts_are_never_wrong(formula: Formula, drawn: tuple[Facts, dict[str, Fraction]]):
    drawn_facts, values = drawn
    facts = Facts({name: Fact(f.low, f.high, "measured", usual=f.usual) for name, f in drawn_facts.of.items()})
    found = negative_verdict(expression(formula.text), lambda n: text if (text := by_text(n)) in NAMES else None, facts)
    try:
        if found.verdict == "no":
            assert formula.compute(values) >= 0
        if found.verdict == "yes":
            chosen = {**values, **dict(found.values)}
            assert formula.compute(chosen) == found.result
            assert found.result is not None
            assert found.result < 0
            assert all(facts.fact(name).allows(value) for name, value in found.values)
    except ZeroDivisionError:
        assert found.verdict != "yes"
