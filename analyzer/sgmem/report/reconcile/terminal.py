"""A reconciled log for the terminal: one block for each start, with a bar of the card's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report.console import print_lines
from sgmem.report.reconcile.advice import advice
from sgmem.report.text import escape_surrogates

if TYPE_CHECKING:
    from sgmem.queries.results.reconcile import BootReport, Reconciliation
    from sgmem.report.view import View

BAR = 60
STYLES = {"consistent": "green", "capped": "cyan", "inconsistent": "red", "too-short": "yellow"}


def render_reconcile_text(result: Reconciliation, view: View) -> str:
    """Return the result as text; what comes from the log is escaped."""
    lines: list[Text] = []
    for number, boot in enumerate(result.boots, 1):
        lines += _boot(boot, number, len(result.boots), view)
    lines += [Text(f"note: {clean(note)}") for note in result.notes]
    if not result.boots:
        lines.append(Text("no line about memory that is known"))
    return print_lines(lines, view)


def clean(text: str) -> str:
    """Text of a log without control characters."""
    return escape_surrogates("".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text))


def _boot(boot: BootReport, number: int, of: int, view: View) -> list[Text]:
    name = f"sglang {boot.release.value}" if boot.release.value else "unknown release"
    fitting = boot.release.candidates
    others = f", as {len(fitting)} releases from {clean(fitting[0])} do" if len(fitting) > 1 else ""
    how = f" (a guess: its formats fit{others})" if boot.release.guessed and boot.release.value else ""
    title = f"Start {number} of {of}, lines {boot.first_line}-{boot.last_line}, {clean(name)}{how}: "
    head = Text(title)
    head.append(boot.verdict, style=STYLES[boot.verdict])
    lines = [head]
    said = advice(boot)
    if said:
        lines.append(Text(f"  {clean(said)}", style="bold"))
    found = boot.quantities
    rows = (
        ("free before the weights", found.pre_load, "GiB"), ("free after the weights", found.post_load, "GiB"),
        ("fraction", found.fraction, ""), ("budget by the formula", boot.expected_kv, "GiB"), ("budget printed", found.budget, "GiB"),
        ("pools", found.kv, "GiB"), ("tokens", found.tokens, ""), ("free after the pools", found.pool_end, "GiB"),
        ("graphs", found.captured, "GiB"), ("free at the end", found.end, "GiB"),
    )  # fmt: skip
    for label, value, unit in rows:
        if value is not None:
            shown = f"{value:.2f} {unit}" if unit else f"{value:g}" if isinstance(value, float) else str(value)
            lines.append(Text(f"  {label:<24} {shown}"))
    where = f"  {clean(boot.formula_path)}:{boot.formula_line}" if boot.formula_path else ""
    lines.append(Text(f"  formula  {clean(boot.formula)}{where}"))
    if boot.arithmetic:
        off = f" (off by {boot.difference:+.3f}, {boot.tolerance:.2f} allowed)" if boot.difference is not None else ""
        lines.append(Text(f"           {boot.arithmetic}{off}"))
    lines += [Text(f"  missing  {clean(one)}") for one in boot.missing]
    for one in boot.explanations:
        place = f"  {clean(one.path)}:{one.line}" if one.path else ""
        lines.append(Text(f"  {one.term}: {clean(one.text)}{place}"))
    if boot.oom is not None:
        told = "" if boot.oom.text.lower() in said.lower() else f": {boot.oom.text}"
        lines.append(Text(f"  out of memory (line {boot.oom.log_line}){told}"))
    lines += _range(boot)
    bar = _bar(boot, view)
    if bar:
        lines.append(Text("  " + bar))
    return [*lines, Text("")]


def _range(boot: BootReport) -> list[Text]:
    """The fractions that would work, first in short, then why."""
    chosen = boot.fraction_range
    if chosen.low is None and chosen.high is None:
        return [Text(f"  fraction that would work: {clean(chosen.text) or 'not told by this log'}")]
    ends = [f"above {chosen.low:.4f}"] if chosen.low is not None else []
    ends += [f"below {chosen.high:.4f}"] if chosen.high is not None else []
    lines = [Text(f"  fraction that would work: {' and '.join(ends)}")]
    return [*lines, *(Text(f"    {clean(part)}") for part in chosen.text.split("; ") if part)]


def _bar(boot: BootReport, view: View) -> str:
    """The memory that was free before the weights, by what took it."""
    found = boot.quantities
    if not found.pre_load or found.post_load is None:
        return ""
    parts = [("weights", found.pre_load - found.post_load), ("pools", found.kv or 0.0), ("graphs", found.captured or 0.0)]
    parts.append(("other and free", found.pre_load - sum(size for _, size in parts)))
    marks = "Wp+." if not view.unicode else "█▓▒░"
    cells = "".join(mark * max(0, round(BAR * size / found.pre_load)) for mark, (_, size) in zip(marks, parts, strict=True))
    legend = ", ".join(f"{mark} {name} {size:.1f}" for mark, (name, size) in zip(marks, parts, strict=True) if size > 0)
    return f"{cells[:BAR]}  {legend} GiB"
