"""`sgmem check` for people: each finding as a frame that shows its steps in order, across files, as compilers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from sgmem.report import style
from sgmem.report.console import print_lines
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import escape, plural
from sgmem.report.wrap import cut

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding, Step
    from sgmem.queries.results.check import CheckResult
    from sgmem.report.view import View

FLUSH = Indent("", "  ")


def render_check_full(result: CheckResult, view: View) -> str:
    """Return every finding in full and a line that counts them."""
    page = Page(view, result.source.root)
    for finding in result.findings:
        draw_finding(page, finding)
        page.lines.append(Text())
    draw_unread(page, result)
    draw_stale(page, result)
    page.note(FLUSH, "", summary(result), style.TITLE)
    return print_lines(page.lines, view)


def draw_finding(page: Page, finding: Finding) -> None:
    """The message, the frame of steps, then what helps."""
    head = f"{finding.severity}[{escape(finding.code)}]:"
    page.note(FLUSH, head, finding.message, style.TITLE, style.SEVERITY_STYLE[finding.severity])
    margin = max((len(str(step.line)) for step in finding.steps), default=3)
    prefix = prefix_of(finding)
    lead = " " * (margin + 1)
    page.lines.append(position(page, Place(finding.path, finding.line), finding.column, prefix, f"{lead}at "))
    if finding.symbol:
        page.note(Indent(lead, lead), "in", finding.symbol)
    path = None
    for number, step in enumerate(finding.steps, 1):
        if step.path != path:
            draw_file(page, step, prefix, margin, opening=path is None)
            path = step.path
        draw_step(page, step, number, len(finding.steps), margin)
    draw_tail(page, finding, margin)


def prefix_of(finding: Finding) -> str:
    """What leads from the repository or working folder to the paths; nothing where the source lies elsewhere."""
    prefix = finding.uri.removesuffix(finding.path) if finding.uri.endswith(finding.path) else ""
    return "" if prefix.startswith("/") else prefix


def position(page: Page, place: Place, column: int, prefix: str, lead: str) -> Text:
    """`path:line:column`, the path as seen from the working folder."""
    return Text(lead, style=style.FAINT).append(escape(prefix)).append_text(page.link(place)).append(f":{column}")


def draw_file(page: Page, step: Step, prefix: str, margin: int, *, opening: bool) -> None:
    """The line that names a file: an arrow for the first, a crossing for those that follow."""
    glyphs = page.glyphs
    if not opening:
        gutter(page, margin)
    lead = " " * (margin + 1) + (glyphs.corner if opening else glyphs.tee) + " "
    page.lines.append(position(page, Place(step.path, step.line), step.column, prefix, lead))


def draw_step(page: Page, step: Step, number: int, steps: int, margin: int) -> None:
    """The line of source, underlined, and what happens there; the last step is the sink."""
    glyphs = page.glyphs
    final = number == steps
    accent = style.BAD if final else style.REFERENCE
    gutter(page, margin)
    lead = margin + 3
    code = escape(step.code.strip())
    room = page.view.width - lead - 1
    if cell_len(code) > room:
        code = cut(code, room, glyphs.more)
    if code:
        line = Text(f"{step.line:>{margin}} ", style=style.FAINT).append(f"{glyphs.frame} ")
        page.lines.append(line.append(code, style="not dim"))
        mark = "^" if final else "-"
        rule = Text(" " * (margin + 1)).append(glyphs.frame, style=style.FAINT).append(" ")
        page.lines.append(rule.append(mark * max(1, min(cell_len(code), room)), style=accent))
    if step.message or not code:
        word = f"{number}." if steps > 1 else ""
        edge = " " * (margin + 1) + f"{glyphs.frame} "
        where = "" if code else f"line {step.line} "
        page.note(Indent(edge, edge), word, f"{where}{step.message}".strip(), "", accent)


def draw_tail(page: Page, finding: Finding, margin: int) -> None:
    """A fix if there is one, how sure the rule is, and where to read more."""
    if finding.steps:
        gutter(page, margin)
    indent = Indent(" " * (margin + 1) + "= ", " " * (margin + 3))
    if finding.fix:
        page.note(indent, "help:", finding.fix)
    page.note(indent, "", f"{finding.confidence} confidence; more: sgmem rule {finding.rule}", style.FAINT)


def gutter(page: Page, margin: int) -> None:
    page.lines.append(Text(" " * (margin + 1)).append(page.glyphs.frame, style=style.FAINT))


def draw_unread(page: Page, result: CheckResult) -> None:
    """Files that were not analysed are named: silence about them would read as a clean bill."""
    unread = result.unreadable or result.source.unreadable
    for item in unread:
        page.note(FLUSH, "not read:", f"{item.path}: {item.why}", word_style=style.WARNING)
    if unread:
        page.lines.append(Text())


def draw_stale(page: Page, result: CheckResult) -> None:
    """Entries of the baseline that are no longer needed, so that it cannot hide a finding that comes back."""
    for entry in result.stale:
        page.note(
            FLUSH, "stale in the baseline:", f"{entry.rule} in {entry.symbol or entry.path}: {entry.message}", word_style=style.WARNING
        )
    if result.stale:
        page.note(FLUSH, "", "sgmem baseline prune drops what is stale", style.FAINT)
        page.lines.append(Text())


def summary(result: CheckResult) -> str:
    """Count what was found, what was held back, and what was looked at."""
    found = plural(len(result.findings), "finding") if result.findings else "No findings"
    held = [f"{result.suppressed} suppressed"] * bool(result.suppressed)
    held += [f"{result.baselined} in the baseline"] * bool(result.baselined)
    if result.against is not None:
        other = escape(result.against.source.version or result.against.source.root)
        held.append(f"{result.against.unchanged} that {other} has too, {result.against.gone} of its own gone")
    fixable = sum(bool(one.edits) for one in result.findings)
    safe = sum(bool(one.edits) and all(edit.safe for edit in one.edits) for one in result.findings)
    if fixable:
        held.append(f"{safe} fixable with --fix" if safe == fixable else f"{safe} fixable with --fix, {fixable - safe} unsafely")
    looked = f"{plural(result.source.analysed, 'file')} of {result.source.files} analysed"
    return f"{', '.join([found, *held])}. {looked}."
