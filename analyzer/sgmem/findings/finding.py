"""A finding: what a rule reports. Fields are the JSON contract `sgmem/check/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "note"]
Persona = Literal["regular", "pedantic", "auditor"]


class Step(msgspec.Struct, frozen=True):
    """One place on the way from origin to sink, with what happens there; the last step of a finding is its sink."""

    path: str
    line: int
    message: str
    column: int = 1
    code: str = ""


class Finding(msgspec.Struct, frozen=True):
    """Where, what, how sure, and the evidence. `fingerprint` is built from symbols, never from lines."""

    rule: str
    code: str
    message: str
    severity: Severity
    confidence: Literal["high", "medium", "low"]
    persona: Persona
    path: str
    uri: str
    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    steps: tuple[Step, ...]
    fingerprint: str
    fix: str | None = None
