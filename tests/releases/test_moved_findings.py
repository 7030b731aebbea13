"""Findings on consecutive releases, where classes moved between modules, were renamed, and formulas were rewritten."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sgmem.findings.baseline import baseline_of
from sgmem.queries.check.query import check, everything
from sgmem.queries.options import CheckOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.source.tree import SourceTree

ASKED = CheckOptions(select=("mixed-measurement-times",), persona="auditor")


@pytest.mark.parametrize(("before", "after"), [("0.5.10", "0.5.11"), ("0.5.15", "0.5.16")])
def test_what_moved_is_not_new(release: Callable[[str], SourceTree], before: str, after: str) -> None:
    old, new = everything(release(before), ASKED), everything(release(after), ASKED)
    assert old.findings
    places = [{(one.path, one.symbol) for one in checked.findings} for checked in (old, new)]
    if before == "0.5.15":
        assert places[0].isdisjoint(places[1]), "this pair is here because the code moved"
    options = CheckOptions(select=ASKED.select, persona="auditor", baseline=baseline_of(old.findings))
    result = check(release(after), [], options)
    assert (result.findings, result.baselined) == ((), len(new.findings))


@pytest.mark.parametrize(("before", "after"), [("0.2.9", "0.2.12"), ("0.3.0", "0.3.1"), ("0.4.0", "0.4.1")])
def test_of_all_rules_nothing_is_gone_here_and_new_there(release: Callable[[str], SourceTree], before: str, after: str) -> None:
    asked = CheckOptions(persona="auditor")
    old = everything(release(before), asked)
    assert old.findings
    result = check(release(after), [], CheckOptions(persona="auditor", baseline=baseline_of(old.findings)))
    assert result.baselined
    told = [(entry.rule, names_in(entry.message)) for entry in result.stale]
    again = [
        f"{one.rule} {one.path}:{one.line}"
        for one in result.findings
        if any(one.rule == rule and names & names_in(one.message) for rule, names in told)
    ]
    assert again == []


def names_in(message: str) -> set[str]:
    """The compound names of the source that a message speaks of."""
    return set(re.findall(r"[A-Za-z]\w*[_.]\w+", message))
