"""What `sgmem check` and `sgmem rule` return. Field names are the JSON contract `sgmem/check/1`."""

from __future__ import annotations

import msgspec

from sgmem.findings.finding import Finding, Persona, Severity
from sgmem.queries.results import SourceInfo, Unreadable


class RuleInfo(msgspec.Struct, frozen=True):
    """A rule as its users see it. `page_markdown` is the whole page, `summary` its one-line gist."""

    name: str
    code: str
    summary: str
    page_markdown: str
    severity: Severity
    persona: Persona


class CheckResult(msgspec.Struct, frozen=True):
    """The result of `sgmem check`. `suppressed` and `baselined` count findings that are not in `findings`.

    `unreadable` stands beside `source.unreadable` in the contract; left empty, reports fill it from there.
    """

    findings: tuple[Finding, ...]
    suppressed: int
    baselined: int
    source: SourceInfo
    unreadable: tuple[Unreadable, ...] = ()
    schema: str = "sgmem/check/1"
