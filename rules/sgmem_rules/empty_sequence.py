"""SGM211: an element of a list that may hold nothing: the least of filtered values, the first line of a tool's output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, empty_sequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts

_WHY = {
    "filtered": "the filter may leave nothing",
    "found": "nothing may be found",
    "output": "the program may print nothing",
    "collected": "it is filled under a condition only, which may never hold",
}


class EmptySequenceRule(Rule):
    name = "empty-sequence"
    code = "SGM211"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in empty_sequences(facts):
            where = "" if found.producer.path == found.use.path else f" of {found.producer.path}"
            hops = [Point(hop, "it is handed on here") for hop in found.hops]
            yield Report(
                location=found.use,
                message=f"{found.word} of {found.name} is taken although it may be empty: {_WHY[found.reason]}, "
                f"line {found.producer.line}{where}; the error that follows says nothing of memory",
                steps=(
                    Point(found.producer, _WHY[found.reason]),
                    *hops,
                    Point(found.use, f"{found.word} is taken here, asked or not"),
                ),
                fix=f"say what holds when {found.name} is empty, or give a default",
                confidence="medium",
                persona="auditor" if found.weak else "regular",
            )
