"""The baseline: a file of findings that are known and not reported, without line numbers.

An entry holds a finding's identity and, for people, what it says and where. Entries are sorted and written one field per
line, so that a merge of two branches seldom conflicts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import UsageError
from sgmem.findings.matching import matched

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from sgmem.findings.finding import Finding

SCHEMA = "sgmem/baseline/1"


class BaselineEntry(msgspec.Struct, frozen=True):
    """A known finding. Only `fingerprint` and `likenesses` decide; the rest says what it was when it was written."""

    rule: str
    symbol: str
    path: str
    message: str
    fingerprint: str
    likenesses: tuple[str, ...] = ()


class Baseline(msgspec.Struct, frozen=True):
    """The content of a baseline file."""

    schema: str = SCHEMA
    findings: tuple[BaselineEntry, ...] = ()


def entry_of(finding: Finding) -> BaselineEntry:
    return BaselineEntry(finding.rule, finding.symbol, finding.path, finding.message, finding.fingerprint, finding.likenesses)


def baseline_of(findings: Iterable[Finding]) -> Baseline:
    return Baseline(findings=tuple(sorted(map(entry_of, findings), key=_order)))


def known_from(findings: Sequence[Finding], baseline: Baseline) -> tuple[dict[int, BaselineEntry], tuple[BaselineEntry, ...]]:
    """The findings that the baseline knows, by their index, and the entries that match none of them."""
    pairs = matched(findings, baseline.findings)
    known = {index: entry for index, (_, entry) in enumerate(pairs) if entry is not None}
    used = {id(entry) for entry in known.values()}
    return known, tuple(entry for entry in baseline.findings if id(entry) not in used)


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file. Raises UsageError where it is missing or is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no baseline {path}", hint="sgmem baseline update writes it") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        found = msgspec.json.decode(data, type=Baseline)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no baseline: {error}", hint="sgmem baseline update writes a new one") from None
    if found.schema != SCHEMA:
        raise UsageError(f"{path} is no baseline of this version: it says {found.schema!r}, expected {SCHEMA!r}")
    return found


def written(baseline: Baseline) -> str:
    """The text of a baseline file."""
    ordered = Baseline(baseline.schema, tuple(sorted(baseline.findings, key=_order)))
    return msgspec.json.format(msgspec.json.encode(ordered), indent=2).decode() + "\n"


def _order(entry: BaselineEntry) -> tuple[str, str, str, str]:
    return entry.path, entry.rule, entry.symbol, entry.fingerprint
