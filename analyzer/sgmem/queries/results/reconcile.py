"""What `sgmem reconcile` returns. The field names are the JSON contract `sgmem/reconcile/1`; amounts are GiB."""

from __future__ import annotations

from typing import Literal

import msgspec

from sgmem.queries.results.trace import SourceInfo

Verdict = Literal["consistent", "capped", "inconsistent", "too-short"]


class ReleaseInfo(msgspec.Struct, frozen=True):
    """The release that the log was read as. `how`: "source", "named" in the log, "format" (guessed by the formats that fit), "unknown".
    `candidates` are all releases that fit equally well."""

    value: str | None
    guessed: bool
    how: str = "unknown"
    candidates: tuple[str, ...] = ()


class Quantities(msgspec.Struct, frozen=True):
    """The figures of one start: free memory before and after the weights (minimum over ranks), the fraction in effect, the allocated
    pools together, tokens, free memory after the pools and at the end, what else was printed."""

    pre_load: float | None = None
    post_load: float | None = None
    fraction: float | None = None
    kv: float | None = None
    tokens: int | None = None
    pool_end: float | None = None
    end: float | None = None
    budget: float | None = None
    profiled_tokens: int | None = None
    requests: int | None = None
    context: int | None = None
    communicators: float | None = None
    captured: float | None = None
    draft_weights: float | None = None
    cap_tokens: int | None = None


class Value(msgspec.Struct, frozen=True):
    """One printed figure: which quantity, its value, rank, line of the log with its text, and the variable and place in the source that
    printed it."""

    kind: str
    value: float
    rank: str
    log_line: int
    text: str
    name: str = ""
    proof: str = ""
    path: str = ""
    line: int = 0


class Allocation(msgspec.Struct, frozen=True):
    """A pool, or what was taken for one: GiB, tokens if printed; `draft` for a draft model's."""

    name: str
    value: float
    tokens: int | None = None
    draft: bool = False
    log_line: int = 0


class Explanation(msgspec.Struct, frozen=True):
    """A term that would explain a difference; `value` is what it would have to be. `path` and `line`: where the source has it."""

    term: str
    value: float | None
    text: str
    path: str = ""
    line: int = 0


class FractionRange(msgspec.Struct, frozen=True):
    """Fractions that would work: `low` so that the weights and the needed tokens fit, `high` so that what runs outside the static part
    fits. None on a side that the log does not tell, or, with `none`, because no fraction works on this card."""

    low: float | None
    high: float | None
    text: str
    none: bool = False


class OutOfMemory(msgspec.Struct, frozen=True):
    """Which of the opposite cases a failure is: "pool" (raise the fraction), "runtime" (lower it), "weights" (neither helps)."""

    case: Literal["pool", "runtime", "weights"]
    text: str
    log_line: int


class RankFigures(msgspec.Struct, frozen=True):
    """What one rank printed, in order."""

    rank: str
    values: tuple[Value, ...]


class BootReport(msgspec.Struct, frozen=True):
    """One start of the server."""

    release: ReleaseInfo
    quantities: Quantities
    expected_kv: float | None
    allocations: tuple[Allocation, ...]
    difference: float | None
    verdict: Verdict
    explanations: tuple[Explanation, ...]
    fraction_range: FractionRange
    oom: OutOfMemory | None = None
    formula: str = ""
    formula_path: str = ""
    formula_line: int = 0
    arithmetic: str = ""
    tolerance: float | None = None
    missing: tuple[str, ...] = ()
    ranks: tuple[RankFigures, ...] = ()
    first_line: int = 0
    last_line: int = 0


class Reconciliation(msgspec.Struct, frozen=True):
    """The result of `sgmem reconcile LOG`."""

    log: str
    boots: tuple[BootReport, ...]
    source: SourceInfo | None = None
    notes: tuple[str, ...] = ()
    schema: str = "sgmem/reconcile/1"
