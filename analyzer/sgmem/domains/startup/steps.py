"""The steps of a start-up: what a root function does to device memory, and what it measures, as a tree in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.predicates import Predicate
    from sgmem.domains.accounting.gauges import Gauge
    from sgmem.domains.accounting.location import Location
    from sgmem.models.rows import EventRow


class Step(msgspec.Struct):
    """A call and what it leads to.

    `kind` is that of the event row, "measurement", "call" (a function that only leads to others) or "choice" (one call that may
    enter several functions, each a child). `when` are the conditions within the calling function, outermost first. `loop`: it
    may run more than once. `certain`: the function that is entered is known; else it is one of several or may be overridden.
    """

    kind: str
    location: Location
    name: str
    target: str | None = None
    when: tuple[str, ...] = ()
    held: tuple[Predicate, ...] = ()
    """The same conditions as predicates."""
    loop: bool = False
    certain: bool = True
    row: EventRow | None = None
    gauges: tuple[Gauge, ...] = ()
    children: list[Step] = msgspec.field(default_factory=list)

    def walk(self) -> Iterator[Step]:
        """This step and all below, in the order of time: a call before what it leads to."""
        pending = [self]
        while pending:
            step = pending.pop()
            yield step
            pending.extend(reversed(step.children))


class Startup(msgspec.Struct):
    """What happens from a root on. `complete` is false where a bound stopped the expansion."""

    root: str
    location: Location
    steps: list[Step]
    complete: bool = True

    def walk(self) -> Iterator[Step]:
        for step in self.steps:
            yield from step.walk()
