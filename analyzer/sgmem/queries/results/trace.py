"""What a query returns: plain, typed result objects. Reports render them, nothing else looks into them.

The field names are the JSON contract (`sgmem/trace/1`): fields may be added, never changed in meaning. Lines and columns are 1-based,
`end_column` is one past the last character.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Role = Literal[
    "declaration", "write", "pass", "store", "read", "formula", "measurement", "event", "guard", "sink"
]  # fmt: skip
Confidence = Literal["high", "medium", "low"]
FlowKind = Literal[
    "assign", "argument", "return", "store", "load", "operand", "keyword", "overlay", "alias"
]  # fmt: skip


MADE = frozenset({"pool", "tensor", "allocator", "buffer"})
"""The kinds of sinks that allocate, as a model row says; other sinks are objects that take a computed value."""


class Unreadable(msgspec.Struct, frozen=True):
    """A file that could not be analysed, and why, in one line."""

    path: str
    why: str


class SourceInfo(msgspec.Struct, frozen=True):
    """What was analysed. `files` counts the Python files of the package, `analysed` those that the query had to parse."""

    root: str
    version: str | None
    files: int
    analysed: int
    unreadable: tuple[Unreadable, ...] = ()


class Site(msgspec.Struct, frozen=True):
    """One place in the source that the parameter, or a value computed from it, passes.

    `path` is relative to the folder that holds the package; `uri` to the repository root or working folder. `code` is one line of
    source, control characters escaped. `when` are the conditions, outermost first. `slot` is the abstract place the site concerns.
    `kind` refines the role: for writes one of declared, default, flag, derived, conditional, scoped, constructor, copy, dynamic;
    for reads direct or indirect.
    """

    id: str
    role: Role
    path: str
    uri: str
    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    code: str
    when: tuple[str, ...]
    slot: str | None
    derived: bool
    confidence: Confidence
    unit: str | None = None
    frame: str | None = None
    note: str | None = None
    kind: str | None = None


class Flow(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """The value at site `source` reaches site `target` in one step."""

    source: str
    target: str
    kind: FlowKind
    confidence: Confidence


class FormulaInput(msgspec.Struct, frozen=True):
    """One value that a formula combines; `origin` is the site where it was born, `via` the sites on the way, nearest first."""

    name: str
    origin: str | None
    unit: str | None = None
    frame: str | None = None
    via: tuple[str, ...] = ()


class Negative(msgspec.Struct, frozen=True):
    """Can the value be negative, whatever happens after; `condition` in the formula's own names, `witness` with its arithmetic."""

    verdict: Literal["yes", "no", "unknown"]
    condition: str | None = None
    witness: str | None = None


class Formula(msgspec.Struct, frozen=True):
    """Arithmetic in which the parameter, or a value computed from it, meets other values. `guard` is the first check that stops it."""

    site: str
    target: str
    text: str
    unit: str | None
    inputs: tuple[FormulaInput, ...]
    negative: Negative
    guard: str | None = None


class AfterConstruction(msgspec.Struct, frozen=True):
    """Whether anything writes `slot` once its owner is constructed; `sites` are those writes."""

    slot: str
    verdict: Literal["none", "some", "unknown"]
    sites: tuple[str, ...] = ()


class Unresolved(msgspec.Struct, frozen=True):
    """A flow that the analysis could not follow, or a budget that stopped it."""

    path: str
    line: int
    why: str


class Trace(msgspec.Struct, frozen=True):
    """The result of `sgmem trace NAME`. `home` is the variable that the name means first: of several records that declare it the field
    of the one that has an anchor of the source; `records` are the fields of the others. None, empty: no record tells."""

    parameter: str
    source: SourceInfo
    sites: tuple[Site, ...]
    flows: tuple[Flow, ...]
    formulas: tuple[Formula, ...]
    after_construction: tuple[AfterConstruction, ...]
    unresolved: tuple[Unresolved, ...]
    home: str | None = None
    records: tuple[str, ...] = ()
    schema: str = "sgmem/trace/1"
