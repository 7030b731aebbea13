"""Free memory that is read anew for each rank in a loop whose earlier rounds have allocated: every rank finds less than the last."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import is_told
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.defects.order.snapshots import reads
from sgmem.flow.aside import is_aside
from sgmem.program.classes import assigned
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.events import EventSite
    from sgmem.domains.accounting.gauges import Gauge
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Binding, Span

_RANKS = re.compile(r"(?:^|_)(?:rank|worker|runner|stage|replica|tp|dp|pp|ep)s?(?:_|$)")
"""What a loop over ranks calls that of one round, or what it goes through."""
_LOOP = r"\n[ \t]+for [^\n]*(?:rank|worker|runner|stage|replica|[tdpe]p)s?(?:_|\b)"


class LoopReading(msgspec.Struct, frozen=True):
    """`reading`, kept as `name`, is made in each round of `loop` of the same device, `used` there, and followed by `event`."""

    name: str
    reading: Gauge
    loop: Location
    used: Location
    event: EventSite


def loop_readings(facts: ProgramFacts) -> Iterator[LoopReading]:
    """Every such reading that the loop does more with than to show it."""
    words = sorted(word for word in facts.models.measurements.words if word.isidentifier())
    looping = set(facts.program.files.with_text(_LOOP))
    for path in sorted({path for word in words for path in facts.program.files.tree.mentioning(word)} & looping):
        file = facts.program.files.get(path)
        for index in sorted({index for word in words for index in file.mentions(word)}) if file is not None else ():
            loop = _loop_around(file, index) if file is not None and not is_aside(file, index) else None
            if file is not None and loop is not None:
                found = _of_round(facts, file, index, loop)
                if found is not None:
                    yield found


def _loop_around(file: File, index: int) -> int | None:
    """The nearest loop over ranks around a statement of the same function."""
    rows = file.outline.statements
    at = rows[index].parent
    while at >= 0 and rows[at].scope == rows[index].scope:
        if rows[at].kind == "for" and any(_RANKS.search(word) for head in rows[at].heads for word in _words(file, head)):
            return at
        at = rows[at].parent
    return None


def _words(file: File, span: Span) -> list[str]:
    return re.findall(r"[a-z_]\w*", file.source.slice(span))


def _body(file: File, loop: int) -> list[int]:
    """The statements in a loop, those in its nested blocks included."""
    end = file.outline.statements[loop].span.end_line
    return [at for at in file.own_statements(file.outline.statements[loop].scope) if at > loop and _line(file, at) <= end]


def _line(file: File, index: int) -> int:
    return file.outline.statements[index].span.line


def _of_round(facts: ProgramFacts, file: File, index: int, loop: int) -> LoopReading | None:
    for binding in file.statement(index).bindings:
        if binding.value is None or binding.how not in ("assign", "annotate") or _depends_on_round(file, binding.value, index, loop):
            continue
        name, gauge = _free(facts, binding, file, index)
        if gauge is None:
            continue
        inside = [at for at in _body(file, loop) if at > index]
        used = next((at for at in inside if not is_told(file, at) and reads(file, at, name)), None)
        event = next((one for at in inside for one in facts.events.at(file, at) if one.row.effect != "frees"), None)
        if used is not None and event is not None:
            ranks = Location(file, loop, file.outline.statements[loop].heads[-1])
            return LoopReading(name, gauge, ranks, of_statement(file, used), event)
    return None


def _free(facts: ProgramFacts, binding: Binding, file: File, index: int) -> tuple[str, Gauge | None]:
    """The local that is given what is free, by itself or among other readings."""
    target, value = binding.target, binding.value
    items = target.items if isinstance(target, ir.Collection) else (target,)
    for position, item in enumerate(items):
        if isinstance(item, ir.Name) and value is not None:
            alone = facts.gauges.of(value, file, index) if item is target else None
            gauge = facts.gauges.part(value, position, file, index) if alone is None and isinstance(value, ir.Call) else alone
            if gauge is not None and gauge.frame.quantity == "free":
                return item.id, gauge
    return "", None


def _depends_on_round(file: File, value: ir.Expr, index: int, loop: int) -> bool:
    """Whether what is read is another device in every round: by the loop's variable, or something set from it in the loop."""
    names = {name for b in file.statement(loop).bindings for target in assigned(b.target) if (name := dotted(target)) is not None}
    for at in _body(file, loop):
        if at < index and file.outline.statements[at].kind in ("assign", "annotate", "expression"):
            if names & _names(*file.statement(at).expressions()):
                if file.outline.statements[at].kind == "expression":
                    return True  # it may make another device the current one
                names |= {text for b in file.statement(at).bindings if (text := dotted(b.target)) is not None}
    return bool(names & _names(value))


def _names(*roots: ir.Expr) -> set[str]:
    return {text for root in roots for node in ir.walk(root) if (text := dotted(node)) is not None}
