"""What a query is asked: typed options, filled by the command line or by a caller in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from sgmem.cache.store import Store
from sgmem.config.settings import DEFAULT_SOURCE_SETTINGS, NO_OWN_MODELS, OwnModels
from sgmem.findings.baseline import Baseline
from sgmem.findings.finding import Persona, Severity
from sgmem.queries.results.trace import Confidence

Direction = Literal["back", "forward", "both"]
Hops = Literal["default", "all"]


class TraceOptions(msgspec.Struct, frozen=True):
    """`to` keeps paths that end in an argument of that callee; `depth` limits the hops from the parameter (None: none).

    `store` keeps facts between runs (None: nothing is kept). `progress` is called with one short line per stage. `own` is
    what the project adds to the models. `anchors` tell which record a bare name means where several declare it.
    """

    to: str | None = None
    direction: Direction = "both"
    writes: bool = False
    depth: int | None = None
    hops: Hops = "default"
    min_confidence: Confidence = "low"
    store: Store | None = None
    progress: Callable[[str], None] | None = None
    own: OwnModels = NO_OWN_MODELS
    anchors: tuple[str, ...] = DEFAULT_SOURCE_SETTINGS.anchors


class NamedRule(msgspec.Struct, frozen=True):
    """A rule as someone named it, by name or code, and the place in the settings where; "" for the command line."""

    name: str
    origin: str = ""


class FileIgnores(msgspec.Struct, frozen=True):
    """Rules, by name or code, that are left out in the files that a pattern, as in .gitignore, matches."""

    pattern: str
    rules: tuple[str, ...]


class CheckOptions(msgspec.Struct, frozen=True):
    """`select` and `ignore` hold rule names or codes; an empty `select` means every rule of the persona.

    `levels` give a rule, by name or code, another severity. `named` are the rules that the settings name, to be checked
    for spelling. Only the findings at or above `fail_on` make a check fail, and entries of the `baseline` that match
    nothing if `stale` says so.
    """

    persona: Persona = "regular"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_confidence: Confidence = "low"
    levels: tuple[tuple[str, Severity], ...] = ()
    file_ignores: tuple[FileIgnores, ...] = ()
    named: tuple[NamedRule, ...] = ()
    fail_on: Severity = "note"
    baseline: Baseline | None = None
    stale: Literal["ignore", "report", "fail"] = "report"
    own: OwnModels = NO_OWN_MODELS
    store: Store | None = None
    progress: Callable[[str], None] | None = None


class ExplainOptions(msgspec.Struct, frozen=True):
    """`given` and `observed` are spelled NAME=VALUE; `exact`: numbers with a decimal point are not rounded ones."""

    given: tuple[str, ...] = ()
    observed: str | None = None
    exact: bool = False
    own: OwnModels = NO_OWN_MODELS
    store: Store | None = None
    progress: Callable[[str], None] | None = None


class TimelineOptions(msgspec.Struct, frozen=True):
    """`own` is what the project adds to the models, `store` and `progress` are as for a trace."""

    store: Store | None = None
    progress: Callable[[str], None] | None = None
    own: OwnModels = NO_OWN_MODELS
