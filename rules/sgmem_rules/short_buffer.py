"""SGM127: a buffer for the largest batch is cut to more rows than it was made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, long_buffers, short_buffers, tokens_by_request, uneven_cuts, uneven_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class ShortBufferRule(Rule):
    name = "short-buffer"
    code = "SGM127"
    persona = "pedantic"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        cut = list(short_buffers(facts))
        for found in cut:
            yield Report(
                location=found.made,
                message=f"{found.buffer} is made with {found.made.code} rows and cut to {found.cut.code}: {found.factor} counts where "
                "it is used and not where it is made, so the largest batch does not fit",
                steps=(
                    Point(found.cut, f"{found.factor} times as many rows are taken here"),
                    Point(found.made, f"made here without {found.factor}"),
                ),
                fix=f"multiply by {found.factor} where the buffer is made, or take as many rows as it has",
                confidence="medium",
                key=f"{found.buffer} {found.factor}",
            )
        for rows in uneven_rows(facts):
            if any(rows.few == found.made for found in cut):
                continue
            yield Report(
                location=rows.few,
                message=f"{rows.name} has a row for each request, {rows.few.code}, and {rows.other} one for each token, "
                f"{rows.many.code}, though both hold {rows.same}",
                steps=(
                    Point(rows.many, f"{rows.other}: a row for each token"),
                    Point(rows.few, f"{rows.name}: a row for each request"),
                ),
                fix=f"make it with {rows.many.code} rows",
                confidence="medium",
                key=f"rows {rows.name}",
            )
        for taken in uneven_cuts(facts):
            yield Report(
                location=taken.few,
                message=f"{taken.name} is cut to the requests, {taken.few.code}, and {taken.other} to the tokens, {taken.many.code}: "
                "where a request has several tokens the two do not go together",
                steps=(
                    Point(taken.many, f"{taken.other}: the rows of the tokens"),
                    Point(taken.few, f"{taken.name}: the rows of the requests"),
                ),
                fix="cut it to the tokens too",
                confidence="medium",
                key=f"cut {taken.name}",
            )
        for long in long_buffers(facts):
            yield Report(
                location=long.made,
                message=f"{long.name} has a row for each token, {long.made.code}, and only rows for requests are taken of it: the "
                "rest is never used",
                steps=(Point(long.taken, "rows for requests are taken"), Point(long.made, "a row for each token")),
                fix="make it with a row for each request",
                confidence="medium",
                key=f"long {long.name}",
            )
        for counted in tokens_by_request(facts.program):
            yield Report(
                location=counted.given,
                message=f"{counted.given.code}, a number of requests, becomes {counted.tokens} without the tokens that each of them "
                f"has, which {counted.usual} multiplies with",
                steps=(
                    Point(counted.value, f"{counted.tokens}, worked out of what is handed in"),
                    Point(counted.given, "a number of requests is handed in"),
                ),
                fix="multiply it by the tokens of a request",
                confidence="medium",
                key=f"tokens {counted.tokens} {counted.given.code}",
            )
