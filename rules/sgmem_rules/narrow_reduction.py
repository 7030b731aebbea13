"""SGM115: a reading that all ranks must agree on, combined only when a smaller group has several ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, LoneDecision, NarrowReduction, UnreducedCount

_ALL = "all ranks"


class NarrowReductionRule(Rule):
    name = "narrow-reduction"
    code = "SGM115"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.narrow_reductions():
            yield report(found)
        for lone in facts.ranks.lone_decisions():
            yield lone_report(lone)
        for count in facts.ranks.unreduced_counts():
            yield count_report(count)


def report(found: NarrowReduction) -> Report:
    reduction = found.reduction
    test = reduction.test.code if reduction.test is not None else ""
    missing = " and the ".join(found.missing)
    if reduction.guard not in (None, reduction.over):
        message = (
            f"the value is combined over {_ranks(reduction.over)} only if {test}, which asks for the {reduction.guard}: ranks of the "
            f"{missing} do not agree on it when that group has one rank"
        )
    else:
        message = f"the value is combined over {_ranks(reduction.over)} only: ranks of the {missing} do not agree on it"
    world = (Point(found.world.at, "all ranks: the product of these groups"),) if found.world is not None else ()
    tested = (Point(reduction.test, f"asks for the {reduction.guard} only"),) if reduction.test is not None else ()
    return Report(
        location=reduction.call,
        message=message,
        confidence="high" if found.world is not None else "medium",
        steps=(*world, *tested, Point(reduction.call, f"not combined over the {missing}")),
        fix="ask for the size of the group over which the value is combined, and combine it over all ranks that must agree",
    )


def lone_report(found: LoneDecision) -> Report:
    return Report(
        location=found.reading,
        message=f"{found.name} is what one rank reads, and decides {found.choice.code}: ranks that read differently go different ways, "
        "and wait for each other in the next collective",
        confidence="medium",
        steps=(
            Point(found.reading, f"read by each rank for itself, without {found.when}"),
            Point(found.test, "compared here"),
            Point(found.choice, "and this goes by it"),
        ),
        fix=f"take the least over the ranks that must agree ({found.when}=...), and decide by that",
    )


def count_report(found: UnreducedCount) -> Report:
    return Report(
        location=found.quotient,
        message=f"{found.quotient.code} counts by the layers of this pipeline stage, and no minimum over the stages is taken: stages "
        "with other layers keep another count than the one that all must go by",
        confidence="medium",
        steps=(
            Point(found.world.at, "all ranks: there may be several pipeline stages"),
            Point(found.layers, "the layers of this stage"),
            Point(found.quotient, f"divided by {found.per_token}, which grows with them"),
            Point(found.kept, "kept without asking the other stages"),
        ),
        fix="combine the count over all stages by minimum before anything is sized by it",
    )


def _ranks(group: str) -> str:
    return group if group == _ALL else f"the {group}"
