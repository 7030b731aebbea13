"""What a rule is: a class with a name, a code and a `check` that reads facts and yields reports.

A rule is one module; its page is the Markdown file of the same name beside it. The page is what `sgmem rule NAME`
prints, its first paragraph is the summary in listings, and its fenced cases are the rule's tests. Nothing is written
twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.findings.finding import Persona, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.domains.program_facts import ProgramFacts

Confidence = Literal["high", "medium", "low"]


class Point(msgspec.Struct, frozen=True):
    """One step of a report: a place and what happens there. Steps run from origin to sink; the last one is the sink."""

    location: Location
    message: str


class Change(msgspec.Struct, frozen=True):
    """One change of the source that mends what is reported, written by `--fix`.

    `replace`: `text`, an expression, stands in place of the expression at `location`. `insert-after`: `text`, statements,
    stands behind the statement of `location`, indented like it. A safe change alters no behaviour, or only what is
    certainly wrong, such as a label; all others need `--unsafe-fixes`.
    """

    kind: Literal["replace", "insert-after"]
    location: Location
    text: str
    safe: bool = False


class Report(msgspec.Struct, frozen=True):
    """What a rule has to say about one place. `severity` and `persona` default to the rule's own.

    `fix` says in words what helps; `changes` do it.

    `key` tells reports apart that one symbol has several of, in terms that survive an edit elsewhere; the code at
    `location` unless given.
    """

    location: Location
    message: str
    confidence: Confidence = "high"
    steps: tuple[Point, ...] = ()
    fix: str | None = None
    severity: Severity | None = None
    persona: Persona | None = None
    key: str | None = None
    changes: tuple[Change, ...] = ()


class Rule(ABC):
    """The base of all rules.

    `name` is the module's name with dashes, `code` its short alias, `persona` the least demanding audience that wants
    to hear of it: regular (sure defects), pedantic (probable ones), auditor (everything worth a look).

    `by_file` says that it looks at each file on its own, though what it finds there may rest on any other: asked about the files of a
    program one by one it reports the same as when asked about all at once. After an edit such a rule is asked only about files for
    which something changed. A rule that compares what it found in different files must not say so.

    Rules with the same `shares` are asked together, because the same costly facts are behind them.
    """

    name: ClassVar[str]
    code: ClassVar[str]
    severity: ClassVar[Severity] = "warning"
    persona: ClassVar[Persona] = "regular"
    by_file: ClassVar[bool] = False
    shares: ClassVar[str] = ""

    @abstractmethod
    def check(self, facts: ProgramFacts) -> Iterable[Report]:
        """Yield a report for everything that is wrong, in the files that the facts are about."""
