"""Results of checks in every state, for the formats that other tools read."""

from __future__ import annotations

import msgspec
from report.samples import CHECKED, CLEAN, FINDINGS, NASTY, SOURCE

from sgmem.findings.baseline import BaselineEntry
from sgmem.findings.finding import Step
from sgmem.queries.results.check import CheckResult, Compared, Held
from sgmem.queries.results.trace import Unreadable

NEGATIVE, MISMATCH = FINDINGS

FULL = msgspec.structs.replace(
    CHECKED,
    suppressed=1,
    baselined=1,
    held=(
        Held(msgspec.structs.replace(MISMATCH, fingerprint="5a", line=7, end_line=7), "suppressed", "the caller converts"),
        Held(msgspec.structs.replace(MISMATCH, fingerprint="5b", line=8, end_line=8), "baselined"),
        Held(msgspec.structs.replace(MISMATCH, fingerprint="5c", line=9, end_line=9), "unchanged"),
    ),
    stale=(BaselineEntry("unit-mismatch", "serving.a:f", "serving/a.py", "GiB meets MiB", "77"),),
    against=Compared(SOURCE, 1, 2),
    source=msgspec.structs.replace(SOURCE, unreadable=(Unreadable("a.py", "nested too deep"),)),
)
"""Findings, and one held back for every reason there is."""

HOSTILE = CheckResult(
    findings=(
        msgspec.structs.replace(
            NEGATIVE, message=NASTY, rule="negative-budget", code="SGM201", path=f"{NASTY}.py", uri="a%20b/%F0.py",
            symbol=NASTY, fix=NASTY, steps=(Step(f"{NASTY}.py", 3, NASTY, 1, NASTY, "/abs/x y.py"), Step("b.py", 12345, "", 1, "")),
        ),
        msgspec.structs.replace(MISMATCH, rule=NASTY, code=NASTY, uri="/absolute/path.py"),
    ),
    suppressed=1,
    baselined=0,
    source=msgspec.structs.replace(SOURCE, unreadable=(Unreadable(NASTY, NASTY),)),
    held=(Held(NEGATIVE, "suppressed", NASTY),),
    stale=(BaselineEntry(NASTY, NASTY, NASTY, NASTY, "1"),),
)  # fmt: skip
"""Every text is one that some format gives a meaning to."""

RESULTS = {"full": FULL, "plain": CHECKED, "clean": CLEAN, "hostile": HOSTILE}
