"""SGM201: a budget, size, token count or fraction that can be negative, and nothing stops it in time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.api import Change, Point, Report, Rule, of_statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Check, Confidence, Facts, Formula, Input, Persona, Reach, Sink

LONGEST_CONDITION = 240
_NAME = re.compile(r"(?:self\.)?[^\W\d]\w*")
_SINKS = {
    "allocation": "sizes the allocation {name}",
    "tokens": "becomes the token count {name}",
    "divisor": "divides in {name}",
    "stored": "is kept as {name}",
}


class NegativeBudget(Rule):
    name = "negative-budget"
    code = "SGM201"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for formula in facts.formulas:
            if not formula.is_budget or formula.only_measured:
                continue
            verdict = formula.negative
            if verdict.verdict == "no" or verdict.condition is None or len(verdict.condition) > LONGEST_CONDITION:
                continue
            sink = worst(formula.reach)
            if sink is not None:
                yield report(formula, sink)


def worst(reach: Reach) -> Sink | None:
    """What the value does unchecked: an allocation before a count, a count before a divisor, a field last."""
    order = list(_SINKS)
    return min(reach.sinks, key=lambda sink: order.index(sink.kind), default=None)


def report(formula: Formula, sink: Sink) -> Report:
    verdict, late = formula.negative, formula.reach.late_check
    condition = plain(verdict.condition or "")
    example = f" ({verdict.witness})" if verdict.witness else ""
    harm = _SINKS[sink.kind].format(name=sink.name)
    checked = f"before the first check, {late.text}" if late is not None else "and no check of it was found"
    return Report(
        location=formula.location,
        message=f"{formula.target} is negative when {condition}{example}; it {harm} {checked}",
        confidence=confidence(formula),
        steps=steps(formula, sink),
        fix=fix(formula, late),
        persona=persona(formula, sink),
        key=formula.text,
        changes=guard(formula),
    )


def steps(formula: Formula, sink: Sink) -> tuple[Point, ...]:
    """The inputs where they were born, the formula, what is calculated from it, the sink."""
    born = [point for one in formula.inputs if (point := birth(one)) is not None]
    condition = plain(formula.negative.condition or "")
    here = Point(formula.location, f"{formula.target} is negative when {condition}")
    onward = [Point(hop, "it is carried on here") for hop in sink.hops if hop != formula.location]
    end = Point(sink.location, f"the value {_SINKS[sink.kind].format(name=sink.name)}")
    return (*born, here, *onward, *([end] if sink.location != formula.location else []))


def birth(one: Input) -> Point | None:
    origin = next(iter(one.origins), None)
    if origin is None:
        return None
    if origin.gauge is not None:
        return Point(origin.location, f"{plain(one.name)} is measured here: {origin.gauge.frame.text}")
    if origin.kind == "declaration":
        return Point(origin.location, f"{plain(one.name)} is declared here, for the user to set")
    return None


def confidence(formula: Formula) -> Confidence:
    if formula.negative.verdict != "yes":
        return "low"
    single = all(len({origin.kind for origin in one.origins} - {"constant"}) <= 1 for one in formula.inputs)
    return "high" if single else "medium"


def persona(formula: Formula, sink: Sink) -> Persona:
    """Unproven ones are for auditors; a value that is only kept may be meant to be negative."""
    if formula.negative.verdict != "yes":
        return "auditor"
    return "pedantic" if sink.kind == "stored" else "regular"


def fix(formula: Formula, late: Check | None) -> str:
    before = f", before {late.text} can only tell that something went wrong" if late is not None else ""
    return f"check {formula.target} where it is calculated{before}, and say by how much it is short"


def guard(formula: Formula) -> tuple[Change, ...]:
    """A check behind the formula, where its result has a name of its own. It changes what the program does."""
    name, at = formula.target, formula.location
    statement = of_statement(at.file, at.statement)
    if not _NAME.fullmatch(name) or not statement.code.startswith(f"{name} = ") or formula.negative.verdict != "yes":
        return ()
    said = plain(formula.negative.condition or "").replace("\\", "\\\\").replace('"', "'").replace("{", "{{").replace("}", "}}")
    text = f'if {name} < 0:\n    raise ValueError(f"{plain(name)} is {{{name}}}, below 0, because {said}")'
    return (Change("insert-after", at, text),)


def plain(text: str) -> str:
    """Names as the user knows them: without the receiver."""
    return text.replace("self.", "")
