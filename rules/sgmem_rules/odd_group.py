"""SGM113: one rank's part of a count by another group's size than the other places that size memory take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, ShortProduct, SiblingGroup

_SHOWN = 2


class OddGroupRule(Rule):
    name = "odd-group"
    code = "SGM113"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in (*facts.ranks.sibling_groups(), *facts.ranks.sibling_modules()):
            yield report(found)
        for short in facts.ranks.short_sizes():
            yield short_report(short)
        for share in facts.ranks.short_shares():
            yield Report(
                location=share.share,
                message=f"{share.amount} is divided among the ranks of one stage; {share.stages.path}:{share.stages.line} knows of "
                "several stages, and each of them takes the whole again",
                confidence="medium",
                steps=(
                    Point(share.stages, "there may be several stages"),
                    Point(share.ranks, "the ranks of one"),
                    Point(share.share, f"{share.amount} divided by them"),
                ),
                fix="divide by the number of stages too",
            )


def report(found: SiblingGroup) -> Report:
    odd, usual = found.odd, found.siblings[0].group
    others = len(found.siblings)
    siblings = tuple(Point(one.size, f"{one.count}: the {one.group}") for one in found.siblings[:_SHOWN])
    where = "the modules beside this one" if found.in_folder else "most places that size memory"
    inside = (
        ()
        if odd.call.span.contains(odd.size.span) or found.in_folder
        else (Point(odd.call, f"{odd.count} divides the {found.things} by it here"),)
    )
    return Report(
        location=odd.size,
        message=f"{odd.size.code} is the size of the {odd.group}; {where} divide the {found.things} by the size of the {usual}",
        confidence="high" if others > _SHOWN and not found.in_folder else "medium",
        steps=(*siblings, *inside, Point(odd.size, f"the size of the {odd.group}, by which {found.things} are divided here")),
        fix=f"take the size of the {usual}",
    )


def short_report(found: ShortProduct) -> Report:
    name, full = found.short.name, found.full.value
    if found.switch:
        return Report(
            location=found.short.value,
            message=f"{name} is divided by {found.missing} here whatever is set, in {full.path}:{full.line} only with "
            f"{found.switch}: without it the ranks are one group, and what is divided by this number is too large",
            confidence="medium",
            steps=(
                Point(full, f"{name}, divided only with {found.switch}"),
                Point(found.short.value, f"{name}, divided always"),
            ),
            fix=f"divide only with {found.switch}, or take the size that is known already",
        )
    return Report(
        location=found.short.value,
        message=f"{name} is worked out without {found.missing} here, and with it in {full.path}:{full.line}: with several ranks of "
        "that kind the two differ",
        confidence="medium",
        steps=(
            Point(full, f"{name}, divided by {found.missing} too"),
            Point(found.short.value, f"{name}, not divided by {found.missing}"),
        ),
        fix=f"divide by {found.missing} too, or take the size that is known already",
    )
