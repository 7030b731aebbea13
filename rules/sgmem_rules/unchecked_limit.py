"""SGM212: a limit of requests or tokens is divided or subtracted down by a setting, and nothing keeps it above zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, unchecked_limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import EmptyShare, Facts, Location, Persona


class UncheckedLimitRule(Rule):
    name = "unchecked-limit"
    code = "SGM212"

    def check(self, facts: Facts) -> Iterator[Report]:
        limits = list(unchecked_limits(facts))
        known = {(found.shrunk.path, found.shrunk.line) for found in limits}
        shares: dict[tuple[str, str, str], list[EmptyShare]] = {}
        for one in facts.ranks.empty_shares():
            if (one.share.path, one.share.line) not in known:
                shares.setdefault((one.share.path, one.count, one.by), []).append(one)
        scaled = {(one.location.path, one.location.statement) for one in facts.setting_changes if one.in_place and one.again}

        def persona(at: Location) -> Persona:
            """A setting that is scaled in place is told of by repeated-scaling: one mistake, one report, unless more is asked for."""
            return "pedantic" if (at.path, at.statement) in scaled else "regular"

        yield from (self._shares(alike, persona(alike[0].share)) for alike in shares.values())
        for found in limits:
            when = f"{found.by} is not below {found.smaller}" if found.negative else f"{found.smaller} is less than {found.by}"
            what = "0 or less" if found.negative else "0"
            yield Report(
                location=found.stored,
                message=f"{found.name} is {what} when {when}, and nothing checks it: a server with such a limit takes no request, "
                "and does not say why",
                steps=(
                    Point(found.shrunk, f"{what} when {when}"),
                    Point(found.stored, f"it is kept as {found.name}"),
                ),
                fix=f"check {found.name} where it is set, and name the settings that make it too small",
                confidence="medium",
                persona=persona(found.shrunk),
            )

    @staticmethod
    def _shares(alike: list[EmptyShare], persona: Persona) -> Report:
        """One report for a file that divides the same count by the same size again and again: there is one mistake in it."""
        found, *again = alike
        elsewhere = f", here and {len(again)} more time{'s' if len(again) > 1 else ''}" if again else ""
        return Report(
            location=found.share,
            message=f"no rank gets any of the {found.things} when {found.count} is less than {found.by}{elsewhere}: what is sized by "
            "it has room for nothing",
            steps=(
                *(Point(one.share, f"the same division{_kept(one)}") for one in again),
                Point(found.share, f"0 when {found.count} is less than {found.by}{_kept(found)}"),
            ),
            fix="give every rank one at least, max(1, ...), or refuse such settings where they are read",
            confidence="medium",
            persona=persona,
        )


def _kept(found: EmptyShare) -> str:
    return f"; it is kept as {found.kept}" if found.kept else ""
