"""What `sgmem explain` returns. Field names are the JSON contract `sgmem/explain/1`: fields may be added, never changed in
meaning.

Numbers are exact in the engine; here they are integers, or the nearest floating-point number. `low` and `high` bound a
value whose inputs were given as rounded decimals.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from sgmem.queries.results.trace import SourceInfo

Number = int | float
Relation = Literal["above", "below"]


class Result(msgspec.Struct, frozen=True):
    """The value of the target; None where an input is missing, or where it cannot be calculated (`why`)."""

    value: Number | None
    unit: str | None = None
    low: Number | None = None
    high: Number | None = None
    why: str = ""


class CodePlace(msgspec.Struct, frozen=True):
    """A place in the source, and the conditions under which it is reached."""

    path: str
    uri: str
    line: int
    symbol: str
    code: str
    when: tuple[str, ...] = ()


class ExplainStep(msgspec.Struct, frozen=True):
    """One assignment that was followed: its source, the same with numbers, and what it gives. `level` counts the calls
    between it and the function of the target.
    """

    text: str
    value: Number | str | bool | None
    unit: str | None
    path: str
    uri: str
    line: int
    symbol: str
    target: str
    arithmetic: str
    level: int = 0


class ExplainInput(msgspec.Struct, frozen=True):
    """A value that the formula starts from. `origin`: given by the user, a declared default, or missing.

    `role`: whether the formula calculates with it, it only decides a branch, or it has no effect. `meaning` says what
    it is, `log` which line of a server's log prints it (`log_text`: its words around
    the value; `log_note`: what it prints, where that is not the input itself), `flag` which option sets it.
    """

    name: str
    value: Number | str | bool | None
    unit: str | None
    given: bool
    origin: Literal["given", "default", "missing"]
    role: Literal["operand", "branch", "none"]
    low: Number | None = None
    high: Number | None = None
    meaning: str | None = None
    flag: str | None = None
    log: CodePlace | None = None
    log_text: str = ""
    log_note: str = ""
    place: CodePlace | None = None


class Assumption(msgspec.Struct, frozen=True):
    """A test that the inputs do not decide. `holds` is what was assumed; `otherwise` what the value would be, None
    where that needs inputs (`needs`) that are missing.
    """

    text: str
    holds: bool
    path: str
    line: int
    otherwise: Number | None = None
    needs: tuple[str, ...] = ()


class ThresholdRow(msgspec.Struct, frozen=True):
    """All else equal, the target is positive where the input is above (below) `value`. `controlled`: a user sets it."""

    input: str
    relation: Relation
    value: Number
    text: str
    controlled: bool
    flag: str | None = None
    holds: bool | None = None


class GuardRow(msgspec.Struct, frozen=True):
    """A check that the value meets. `fires`: whether it stops these numbers, None where that is not known."""

    text: str
    path: str
    uri: str
    line: int
    symbol: str
    fires: bool | None
    raises: CodePlace | None = None
    message: str | None = None


class Explanation(msgspec.Struct, frozen=True):
    """One input that would make all the numbers true, the others as given. `written_at` are the constants of the source
    that lie in its interval, with the conditions under which they are used.
    """

    input: str
    value: Number
    low: Number
    high: Number
    unit: str | None
    written_at: tuple[CodePlace, ...] = ()
    plausible: bool = True
    note: str = ""


class Observed(msgspec.Struct, frozen=True):
    """What was observed, and whether it agrees with what the inputs give (None: they give nothing to compare)."""

    value: Number
    low: Number
    high: Number
    unit: str | None
    consistent: bool | None
    explanations: tuple[Explanation, ...] = ()
    without_solution: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Explain(msgspec.Struct, frozen=True):
    """The result of `sgmem explain TARGET`."""

    target: str
    source: SourceInfo
    function: CodePlace
    formula: str
    result: Result
    steps: tuple[ExplainStep, ...]
    inputs: tuple[ExplainInput, ...]
    assumptions: tuple[Assumption, ...]
    thresholds: tuple[ThresholdRow, ...]
    guards: tuple[GuardRow, ...]
    adjustments: tuple[CodePlace, ...]
    observed: Observed | None = None
    notes: tuple[str, ...] = ()
    schema: str = "sgmem/explain/1"
