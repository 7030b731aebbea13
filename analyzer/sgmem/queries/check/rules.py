"""The rules as their users see them: for `sgmem rule` and for choosing which ones a check runs."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from sgmem.config.errors import UsageError
from sgmem.findings.registry import InstalledRule, close_rules, first_paragraph, installed_rules
from sgmem.queries.results.check import RuleInfo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.queries.options import NamedRule

SUPPRESSION = "suppression"
SUPPRESSION_CODE = "SGM001"


def all_rules() -> list[RuleInfo]:
    """Every rule, by code. The engine's own, about suppression comments, is there even if no others are installed."""
    infos = [RuleInfo(one.name, one.code, one.summary, one.page, one.severity, one.persona) for one in installed_rules()]
    return sorted([*infos, suppression_rule()], key=lambda one: one.code)


def suppression_rule() -> RuleInfo:
    """The rule that looks after suppression comments; it belongs to the engine, since it needs all others' results."""
    page = resources.files("sgmem.findings").joinpath(f"{SUPPRESSION}.md").read_text(encoding="utf-8")
    return RuleInfo(SUPPRESSION, SUPPRESSION_CODE, first_paragraph(page), page, "warning", "regular")


def chosen_rules(select: Iterable[str], ignore: Iterable[str], named: Iterable[NamedRule] = ()) -> tuple[list[InstalledRule], bool]:
    """The rules to run, and whether suppression comments are judged too; all, unless some are named.

    Raises UsageError for a name that no rule has, those `named` in the settings included, and where no rules are
    installed: a check by none would find nothing and read as a clean bill.
    """
    installed = installed_rules()
    if not installed:
        raise UsageError(
            "no rules are installed",
            hint="install sgmem itself, its rules come with it: pip install sgmem, or pip install -e .",
        )
    check_names(named)
    selected, ignored = (_resolved(names, installed) for names in (select, ignore))
    names = (selected or {*(one.name for one in installed), SUPPRESSION}) - ignored
    return [one for one in installed if one.name in names], SUPPRESSION in names


def check_names(named: Iterable[NamedRule]) -> None:
    """Raises UsageError, with its place, for a rule that the settings name and that does not exist."""
    installed = installed_rules()
    for one in named:
        _resolved([one.name], installed, one.origin)


def _resolved(names: Iterable[str], installed: Iterable[InstalledRule], origin: str = "") -> set[str]:
    """The names of the rules that are named by name or code; `origin` is where."""
    known = {spelling.lower(): one.name for one in installed for spelling in (one.name, one.code)}
    known |= {SUPPRESSION: SUPPRESSION, SUPPRESSION_CODE.lower(): SUPPRESSION}
    found = set()
    for name in names:
        if name.lower() not in known:
            close = close_rules(name, known)
            hint = f"did you mean {' or '.join(close)}?" if close else "sgmem rule lists them all"
            raise UsageError(f"{origin}: no rule {name!r}" if origin else f"no rule {name!r}", hint=hint)
        found.add(known[name.lower()])
    return found
