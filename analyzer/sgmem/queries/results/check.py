"""What `sgmem check` and `sgmem rule` return. Field names are the JSON contract `sgmem/check/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

from sgmem.findings.baseline import BaselineEntry
from sgmem.findings.finding import Finding, Persona, Severity
from sgmem.queries.results.trace import SourceInfo, Unreadable


class RuleInfo(msgspec.Struct, frozen=True):
    """A rule as its users see it. `page_markdown` is the whole page, `summary` its one-line gist."""

    name: str
    code: str
    summary: str
    page_markdown: str
    severity: Severity
    persona: Persona


class Held(msgspec.Struct, frozen=True):
    """A finding that is not reported: a comment suppresses it (`reason` is the comment's), the baseline knows it, or the
    source that is compared with has it too.
    """

    finding: Finding
    why: Literal["suppressed", "baselined", "unchanged"]
    reason: str = ""


class Checked(msgspec.Struct, frozen=True):
    """Everything that the rules found in a source, before anything is left out. Kept between runs.

    `rules` are those that were run, `all_rules` says that no choice was made among them.
    """

    findings: tuple[Finding, ...]
    suppressed: tuple[Held, ...]
    source: SourceInfo
    rules: tuple[str, ...] = ()
    all_rules: bool = True

    def ran(self, rule: str) -> bool:
        """Whether a rule was run; one that is not installed any more was, if no choice was made."""
        return self.all_rules or rule in self.rules


class Compared(msgspec.Struct, frozen=True):
    """What a source was compared with: how many findings both have, and how many only the other has."""

    source: SourceInfo
    unchanged: int
    gone: int


class CheckResult(msgspec.Struct, frozen=True):
    """The result of `sgmem check`. `suppressed` and `baselined` count findings that are not in `findings`; `held` are those
    findings, and those that the source compared with has too.

    `stale` are entries of the baseline that match nothing. `unreadable` stands beside `source.unreadable` in the contract;
    left empty, reports fill it from there.
    """

    findings: tuple[Finding, ...]
    suppressed: int
    baselined: int
    source: SourceInfo
    unreadable: tuple[Unreadable, ...] = ()
    schema: str = "sgmem/check/1"
    held: tuple[Held, ...] = ()
    stale: tuple[BaselineEntry, ...] = ()
    against: Compared | None = None
