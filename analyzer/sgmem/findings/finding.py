"""A finding: what a rule reports. Fields are the JSON contract `sgmem/check/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "note"]
Persona = Literal["regular", "pedantic", "auditor"]


class Step(msgspec.Struct, frozen=True):
    """One place on the way from origin to sink, with what happens there; the last step of a finding is its sink.

    `end_line` and `end_column`, one past the last character, are 0 where the place is known by its beginning only.
    """

    path: str
    line: int
    message: str
    column: int = 1
    code: str = ""
    uri: str = ""
    end_line: int = 0
    end_column: int = 0


class Edit(msgspec.Struct, frozen=True):
    """One change that mends a finding, at a place in a file (1-based, characters, the end exclusive).

    `replace`: the expression there becomes `text`. `insert-after`: the statements of `text` come behind the statement
    there. `comment`: the comment there becomes `text`, or goes if that is empty. `safe`: it changes no behaviour, or only
    what is certainly wrong.
    """

    kind: Literal["replace", "insert-after", "comment"]
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    safe: bool = True


class Finding(msgspec.Struct, frozen=True):
    """Where, what, how sure, and the evidence. `fingerprint` is built from symbols, never from lines.

    `likenesses` are weaker fingerprints, from the finest to the coarsest, by which the finding is known again after the
    code was moved or renamed. `edits` together are what `--fix` does. `byte_column` and
    `end_byte_column` count bytes of UTF-8 where `column` and `end_column` count characters; 0: the same.
    """

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
    likenesses: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    byte_column: int = 0
    end_byte_column: int = 0
