"""`sgmem units` for people: amounts by unit, those of which nothing is known, and the rows that would decide the most of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.console import print_lines
from sgmem.report.text import escape, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.queries.results.units import UnitsResult, UnitSuggestion, UnknownAmount
    from sgmem.report.view import View

AMOUNTS_SHOWN = 12
ROOTS_SHOWN = 3


def render_units_text(result: UnitsResult, view: View) -> str:
    """Return the amounts as text for `view`, with a newline at the end."""
    version = f", version {result.source.version}" if result.source.version else ""
    found = plural(result.amounts, "amount of memory", "amounts of memory")
    lines = [Text(escape(f"{found} in {plural(result.source.files, 'file')}{version}, {len(result.unknown)} of unknown unit"))]
    lines += [Text(escape(f"  {count:>5}  {unit}")) for unit, count in result.known.items()]
    if result.unknown and not result.suggestions:
        lines += [Text(), Text("Of unknown unit", style=style.TITLE), *_unknown(result.unknown, view)]
    if result.suggestions:
        told = "Rows that would decide the most  read each place before you say the unit"
        lines += [Text(), Text(told, style=style.TITLE)]
        for one in result.suggestions:
            lines += [*_suggestion(one), Text()]
    return print_lines(lines, view)


def _unknown(amounts: tuple[UnknownAmount, ...], view: View) -> Iterator[Text]:
    shown = amounts if view.verbose else amounts[:AMOUNTS_SHOWN]
    for one in shown:
        yield Text(escape(f"  {one.code}"))
        because = ", ".join(one.because[:ROOTS_SHOWN]) or "nothing that a row could name"
        yield Text(escape(f"    {one.path}:{one.line}  taken for {one.needed}; comes from {because}"), style=style.FAINT)
    if len(shown) < len(amounts):
        yield Text(f"  and {len(amounts) - len(shown)} more; -v shows all", style=style.FAINT)


def _suggestion(one: UnitSuggestion) -> Iterator[Text]:
    more = f", with others {one.shared} more" if one.shared else ""
    yield Text(escape(f"  # decides {plural(one.alone, 'amount')} alone{more}: {one.kind} {one.name}"))
    yield Text(escape(f"  # {one.path}:{one.line}; amounts at {', '.join(one.places)}"), style=style.FAINT)
    for line in one.toml.splitlines():
        yield Text(escape(f"  {line}"))
