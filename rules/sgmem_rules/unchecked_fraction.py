"""SGM206: a share of memory is calculated and stored although nothing keeps it between 0 and 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, unchecked_shares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class UncheckedFractionRule(Rule):
    name = "unchecked-fraction"
    code = "SGM206"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in unchecked_shares(facts):
            points = [Point(found.origin, f"{found.whole} is measured here")] if found.origin is not None else []
            points.append(Point(found.formula, f"negative when {found.taken} > {found.whole}"))
            points.append(Point(found.stored, f"{found.target} is kept, checked by nothing"))
            yield Report(
                location=found.formula,
                message=f"{found.target} is no share of {found.whole} any more when {found.taken} > {found.whole}: what is taken off "
                "is an estimate that knows nothing of how much there is, and the result is kept unchecked",
                steps=tuple(points),
                fix=f"where {found.taken} is not below {found.whole}, say by how much, or keep the result above 0",
            )
