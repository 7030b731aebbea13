"""SGM133: requests and tokens are taken for one another where one limit, list or number of ranks is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, mixed_lookups, uneven_shares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class MixedCountRule(Rule):
    name = "mixed-count"
    code = "SGM133"
    persona = "pedantic"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in mixed_lookups(facts.program):
            yield Report(
                location=found.tokens,
                message=f"{found.function} asks {found.capacity} for a number of tokens here and for one of requests in line "
                f"{found.requests.line}; a request has {found.per}",
                steps=(
                    Point(found.requests, f"requests are looked up in {found.capacity}"),
                    Point(found.tokens, "and here tokens, undivided"),
                ),
                fix=f"divide by {found.per}",
                confidence="medium",
                key=f"{found.function} {found.capacity}",
            )
        for share in uneven_shares(facts.program):
            yield Report(
                location=share.remainder,
                message=f"the remainder is that of another number than is divided: {share.quotient.code} and {share.remainder.code} "
                "are added, and the shares do not make up the whole",
                steps=(
                    Point(share.quotient, f"divided by {share.divisor}"),
                    Point(share.remainder, "the remainder of another number"),
                ),
                fix="take quotient and remainder of the same number",
                confidence="medium",
                key=f"{share.quotient.code} {share.remainder.code}",
            )
