"""Decides whether a formula can be negative: a proof that it cannot, or numbers at which it is, or neither.

The verdict is about the value itself, whatever is checked afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.algebra.branches import Branch, Choice, branches
from sgmem.domains.algebra.forms import Ratio, Unsupported
from sgmem.domains.algebra.lift import Lifted, SymbolOf, lift
from sgmem.domains.algebra.solve import Threshold, derivative_sign, negative_when
from sgmem.domains.ranges.facts import CONTROL_ORDER, Fact, Facts, constant_fact
from sgmem.domains.ranges.intervals import interval_of
from sgmem.domains.ranges.proof import never_negative, signs
from sgmem.domains.ranges.witness import Witness, find_witness
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from fractions import Fraction

Verdict = Literal["yes", "no", "unknown"]


class NegativeVerdict(msgspec.Struct, frozen=True):
    """`condition`: when the value is negative, in the caller's names. `witness`: numbers and the arithmetic. `because`:
    the reason for "no" or "unknown".
    """

    verdict: Verdict
    condition: str | None = None
    witness: str | None = None
    values: tuple[tuple[str, Fraction], ...] = ()
    result: Fraction | None = None
    thresholds: tuple[Threshold, ...] = ()
    because: str = ""


class _Case(msgspec.Struct, frozen=True):
    """What was found for one alternative of the expression."""

    verdict: Verdict
    condition: str | None = None
    needed: tuple[tuple[str, str], ...] = ()
    """The choices under which this alternative applies, each with its opposite."""
    threshold: Threshold | None = None
    witness: Witness | None = None
    because: str = ""


def negative_verdict(expr: ir.Expr, symbol: SymbolOf, facts: Facts) -> NegativeVerdict:
    """Whether `expr` can be negative.

    "yes" needs a verified witness in which every name may be chosen independently of the others; "no" needs a proof.
    `symbol` names the leaves as the user knows them; names without facts can be anything, but prove nothing.
    """
    if interval_of(expr, symbol, facts).never_negative:
        return NegativeVerdict("no", because="no part of it can be negative")
    try:
        alternatives = branches(expr)
    except Unsupported as error:
        return NegativeVerdict("unknown", because=error.reason)
    cases = [_case(branch, symbol, facts) for branch in alternatives]
    open_cases = [case for case in cases if case.verdict != "no"]
    if not open_cases:
        return NegativeVerdict("no", because="it is never negative under the known bounds")
    found = [case for case in open_cases if case.verdict == "yes"]
    told = found or open_cases
    witness = next((case.witness for case in found if case.witness is not None), None)
    return NegativeVerdict(
        "yes" if found else "unknown",
        " or ".join(_conditions(told)) or None,
        witness.text if witness is not None else None,
        witness.values if witness is not None else (),
        witness.result if witness is not None else None,
        tuple(case.threshold for case in told if case.threshold is not None),
        "" if found else open_cases[0].because,
    )


def _case(branch: Branch, symbol: SymbolOf, facts: Facts) -> _Case:
    if interval_of(branch.expr, symbol, facts).never_negative:
        return _Case("no")
    try:
        lifted = lift(branch.expr, symbol)
        value = lifted.value
    except Unsupported as error:
        return _Case("unknown", because=error.reason)
    known = facts.extended(_rounding_facts(lifted), _constraints(branch.choices, symbol))
    if never_negative(lifted.exact, known):
        return _Case("no")
    threshold = _threshold(value, facts)

    def names(node: ir.Expr) -> str | None:
        named = symbol(node)
        return named if isinstance(named, str) else None

    condition = threshold.text if threshold is not None else f"{text_of(branch.expr, names)} < 0"
    open_choices = [choice for choice in branch.choices if not _implied(choice, value, symbol, facts)]
    needed = tuple((one.written(names), Choice(one.test, not one.holds).written(names)) for one in open_choices)
    unknown = [name for name in value.symbols if not facts.fact(name).independent]
    best = _at_their_best(unknown, value, branch.choices, symbol, facts)
    witness = find_witness(branch, value, symbol, best) if best is not None else None
    if witness is None and unknown:
        return _Case("unknown", condition, needed, threshold, because=f"nothing bounds {', '.join(unknown)}")
    if witness is None:
        return _Case("unknown", condition, needed, threshold, because="no numbers were found at which it is negative")
    return _Case("yes", condition, needed, threshold, witness)


def _conditions(cases: list[_Case]) -> list[str]:
    """When the value is negative, by alternatives; a choice that makes no difference to one condition is left out of it."""
    found: dict[str, list[tuple[tuple[str, str], ...]]] = {}
    for case in cases:
        if case.condition is not None:
            found.setdefault(case.condition, []).append(case.needed)
    texts: dict[str, None] = {}
    for condition, ways in found.items():
        for needed in _merged(ways):
            when = f" (when {' and '.join(written for written, _ in needed)})" if needed else ""
            texts[f"{condition}{when}"] = None
    return list(texts)


def _merged(ways: list[tuple[tuple[str, str], ...]]) -> list[tuple[tuple[str, str], ...]]:
    """Choices, two that differ in one being so or not so made one without it."""
    merged = list(dict.fromkeys(ways))
    for first in merged:
        for at, (written, opposite) in enumerate(first):
            other = (*first[:at], (opposite, written), *first[at + 1 :])
            if other in merged:
                rest = (*first[:at], *first[at + 1 :])
                return _merged([rest if way == first else way for way in merged if way != other])
    return [()] if () in merged else merged


def _at_their_best(unknown: list[str], value: Ratio, choices: tuple[Choice, ...], symbol: SymbolOf, facts: Facts) -> Facts | None:
    """The facts with each name that cannot be chosen held at the bound where the value is greatest: what is negative there is negative
    whatever that name is. None where a name has no such bound, or decides which alternative applies."""
    tested = {named for choice in choices for node in ir.walk(choice.test) if isinstance(named := symbol(node), str)}
    held: dict[str, Fact] = {}
    for name in unknown:
        fact = facts.fact(name)
        try:
            direction = derivative_sign(value, name, signs(facts))
        except Unsupported:
            return None
        bound = fact.low if direction == -1 else fact.high if direction == 1 else None
        if bound is None or name in tested:
            return None
        held[name] = constant_fact(bound)
    return facts.extended(held)


def _threshold(value: Ratio, facts: Facts) -> Threshold | None:
    """The condition in terms of the name that the user controls most; among equals, the first in the formula."""
    order = sorted(value.symbols, key=lambda name: CONTROL_ORDER.index(facts.fact(name).control))
    for known in (facts, facts.as_usual()):
        for name in order:
            threshold = negative_when(value, name, signs(known))
            if threshold is not None:
                return threshold
    return None


def _rounding_facts(lifted: Lifted) -> dict[str, Fact]:
    return {step.name: Fact(step.low, step.high) for step in lifted.roundings}


def _constraints(choices: tuple[Choice, ...], symbol: SymbolOf) -> tuple[Ratio, ...]:
    """What the choices say, as ratios that are not negative."""
    found: list[Ratio] = []
    for choice in choices:
        found += _constraint(choice, symbol)
    return tuple(found)


def _constraint(choice: Choice, symbol: SymbolOf) -> list[Ratio]:
    test, holds = choice.test, choice.holds
    if isinstance(test, ir.Unary) and test.operator == "not":
        return _constraint(Choice(test.operand, not holds), symbol)
    if isinstance(test, ir.Boolean) and (test.operator == "and") == holds:
        return [ratio for value in test.values for ratio in _constraint(Choice(value, holds), symbol)]
    if not isinstance(test, ir.Compare) or (len(test.operators) > 1 and not holds):
        return []
    found: list[Ratio] = []
    for operator, left, right in zip(test.operators, test.operands, test.operands[1:], strict=False):
        try:
            low, high = lift(left, symbol), lift(right, symbol)
        except Unsupported:
            continue
        if low.approximate or high.approximate:
            continue
        difference = high.value - low.value
        if operator == "==" and holds:
            found += [difference, -difference]
        elif operator in ("<", "<=", ">", ">="):
            found.append(difference if (operator in ("<", "<=")) == holds else -difference)
    return found


def _implied(choice: Choice, value: Ratio, symbol: SymbolOf, facts: Facts) -> bool:
    """Whether a negative value makes the choice by itself: `min(limit, a - b)` is a - b whenever that is negative."""
    if not isinstance(choice.test, ir.Compare) or len(choice.test.operators) != 1:
        return False
    if choice.test.operators[0] not in ("<", "<=", ">", ">="):
        return False
    constraint = _constraint(choice, symbol)
    try:
        return bool(constraint) and never_negative(constraint[0] + value, facts)
    except Unsupported:
        return False
