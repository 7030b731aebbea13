"""SGM501: a pool allocates a dimension per token that the estimate of its bytes does not charge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, copied_rows, idle_terms, lone_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts

SHOWN = 3


class UnchargedAllocation(Rule):
    name = "uncharged-allocation"
    code = "SGM501"
    shares = "books"

    def check(self, facts: Facts) -> Iterator[Report]:
        yield from self._between(facts)
        yield from self._within(facts)
        yield from self._beside(facts)
        yield from self._copied(facts)
        yield from self._idle(facts)
        yield from self._halved(facts)

    def _between(self, facts: Facts) -> Iterator[Report]:
        """An estimate of one object and a pool that another builds."""
        for found in facts.uncharged:
            if found.per != "token":
                continue  # see uncharged-state
            pools, s = " and ".join(found.pools[:SHOWN]), "s" if len(found.pools) == 1 else ""
            charged = ", ".join(found.charged[:SHOWN])
            yield Report(
                location=found.estimate,
                message=f"the estimate does not charge {found.name}, which decides what {pools} allocate{s} "
                f"per token: it knows {charged}, so the pool takes more, or less, than its budget",
                steps=(
                    Point(found.estimate, f"charged here are {charged}; {found.name} is mentioned nowhere in the estimate"),
                    Point(found.argument, f"{found.name} is handed to the pool here"),
                    Point(found.buffer, "and sizes this buffer, for every token"),
                ),
                fix=f"charge the buffer that {found.name} sizes, best by one function that both the pool and the estimate call",
                key=found.name,
            )

    def _within(self, facts: Facts) -> Iterator[Report]:
        """A class that says what its own tokens take."""
        for own in facts.books.own_uncharged:
            charged = ", ".join(own.charged[:SHOWN])
            yield Report(
                location=own.estimate,
                message=f"the bytes per token of {own.owner} do not charge {own.name}, which its own buffer has as a dimension: they "
                f"know {charged}, so what is checked, or divided out of a size, is not what is allocated",
                steps=(
                    Point(own.estimate, f"charged here are {charged}; {own.name} is not"),
                    Point(own.buffer, f"the buffer has the dimension {own.name}"),
                ),
                fix=f"multiply by {own.name}, or take the bytes from the buffer's own shape",
                key=f"{own.owner} {own.name}",
            )

    def _beside(self, facts: Facts) -> Iterator[Report]:
        """Two ways to divide the budget in one class."""
        for found in facts.books.short_cells(facts):
            short, full = found.short, found.full
            yield Report(
                location=short.value,
                message=f"{short.name} does not charge {found.term}, and {full.name} of the same class does: by it a budget "
                "gives more tokens than fit",
                steps=(
                    Point(found.charged, f"{full.name} charges {found.term}"),
                    Point(short.value, f"{short.name} has all else of it, but not that"),
                ),
                fix=f"add {found.term} here too, best by one method that both go by",
                key=f"{short.owner.name} {short.name} {found.term}",
                confidence="medium",
            )

    def _copied(self, facts: Facts) -> Iterator[Report]:
        """A pool that copies the rows of another one."""
        for found in copied_rows(facts.books):
            parts = " and ".join(found.parts)
            yield Report(
                location=found.estimate,
                message=f"{found.owner} copies rows of {found.source}, which are {found.dimension} long, and works their bytes out "
                f"from {parts}: where {found.dimension} is something else, rows are longer, or shorter, than what is charged",
                steps=(
                    Point(found.decided, f"{found.dimension} is the sum of {parts} only on one side of this choice"),
                    Point(found.buffer, f"the rows of {found.source}"),
                    Point(found.estimate, f"charged by {parts}"),
                ),
                fix=f"take {found.dimension} of the pool that is copied",
                confidence="medium",
                key=f"{found.owner} {found.dimension}",
            )

    def _idle(self, facts: Facts) -> Iterator[Report]:
        """What a function works out and adds to nothing."""
        for found in idle_terms(facts):
            names = " and ".join(found.names[-SHOWN:])
            yield Report(
                location=found.value,
                message=f"{found.function} works out {names} and charges it nowhere: the size that it is for lacks it, or the line is "
                "idle",
                steps=(Point(found.value, "nothing reads it"),),
                fix="add it to the size, or drop the line",
                key=f"{found.function} {names}",
                confidence="medium",
            )

    def _halved(self, facts: Facts) -> Iterator[Report]:
        """One of two widths that belong together."""
        for found in lone_parts(facts):
            yield Report(
                location=found.product,
                message=f"{found.part} is charged without {found.partner} here, and with it where else the same is multiplied: "
                "the size is too small for what has both",
                steps=(
                    Point(found.pair, f"{found.part} and {found.partner} are charged together"),
                    Point(found.product, f"{found.part} alone"),
                ),
                fix=f"add {found.partner}, best by one function for both",
                key=f"{found.part} {found.partner} {found.product.code}",
                confidence="medium",
            )
