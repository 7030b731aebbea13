"""Readings of one gauge that are not taken alike, and free memory that is called the total."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.accounting.events import CHARGED
from sgmem.domains.accounting.location import Location
from sgmem.flow.order import ENTRY
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.gauges import Gauge
    from sgmem.domains.program_facts import Formula, Input, ProgramFacts
    from sgmem.program.file import File
    from sgmem.syntax.ir import Expr

    Named = tuple[str, Gauge]

_CARE = ("collect", "empty-cache")
"""What a reading of free or reserved memory depends on: blocks that are cached, or held by objects in cycles, count as taken."""
_FELT_BY = {"free": frozenset(_CARE), "reserved": frozenset(_CARE), "used": frozenset(_CARE), "allocated": frozenset({"collect"})}
_MAX_COPIES = 3
_ORDERS = frozenset({"<", "<=", ">", ">="})
_TOTAL = re.compile(r"(?:^|_)total(?:_|$)")
_TIMED = re.compile(r"(?:^|_)(?:free|avail|available|before|pre|initial)(?:_|$)")


class UnevenReadings(msgspec.Struct, frozen=True):
    """A difference of two readings of one kind; `cared`, the first or the second, has `care` before it and the other has not, or is a
    peak beside a current value.
    """

    formula: Location
    target: str
    plain: Location
    plain_name: str
    cared: Location
    cared_name: str
    how: Literal["hygiene", "peak"]
    care: tuple[str, ...]


class SameReading(msgspec.Struct, frozen=True):
    """A difference of two variables, `names`, that hold one reading: it is always zero; or, with `compared`, a comparison of them or of
    constant shares of them, which always comes out the same."""

    formula: Location
    names: tuple[str, str]
    reading: Location
    compared: bool = False


class FreeTotal(msgspec.Struct, frozen=True):
    """`name` is used as a total in a formula, and was read off as free memory."""

    name: str
    used: Location
    reading: Location
    when: str


def uneven_readings(facts: ProgramFacts) -> Iterator[UnevenReadings]:
    """Every difference of two readings of one gauge that were not taken alike."""
    for where, target, node in (*_kept_differences(facts), *_printed_differences(facts)):
        first = minuend(node)
        left, right = (_reading(facts, side, where.file, where.statement) for side in (first, node.right))
        if left is not None and right is not None:
            found = _uneven(facts, (where, target), (_text(first, where), left), (_text(node.right, where), right))
            if found is not None:
                yield found


def _kept_differences(facts: ProgramFacts) -> Iterator[tuple[Location, str, ir.Binary]]:
    """The differences in formulas, with the place and the target of the formula."""
    for formula in facts.formulas:
        for node in _differences(formula):
            yield formula.location, formula.target, node


def _printed_differences(facts: ProgramFacts) -> Iterator[tuple[Location, str, ir.Binary]]:
    """The differences of variables in texts that are put together."""
    for file, statement in facts.statements:
        if "-" not in file.own_text(statement):
            continue
        for root in file.statement(statement).expressions():
            for node, above in ir.paths(root):
                named = isinstance(node, ir.Binary) and node.operator == "-" and _variable(node.left) and _variable(node.right)
                if isinstance(node, ir.Binary) and named and any(isinstance(one, ir.Format) for one in above):
                    yield Location(file, statement, node.span), "what is printed", node


def same_readings(facts: ProgramFacts) -> Iterator[SameReading]:
    """Every difference of two variables of a function, and comparison of one with a share of the other, that hold one reading, taken
    once."""
    for file, statement in facts.statements:
        for root in file.statement(statement).expressions():
            for node in ir.walk(root):
                left, right = _held_against(node)
                if left and right and left != right:
                    one, other = (_read_once(facts, name, file, statement, 0) for name in (left, right))
                    if one is not None and one == other:
                        compared = isinstance(node, ir.Compare)
                        yield SameReading(Location(file, statement, node.span), (left, right), one, compared)


def _held_against(node: Expr) -> tuple[str, str]:
    """The two variables whose difference is taken, or of which one is compared with the other or a share of it."""
    if isinstance(node, ir.Binary) and node.operator == "-":
        return _variable(minuend(node)), _variable(node.right)
    if isinstance(node, ir.Compare) and len(node.operands) == 2 and node.operators[0] in _ORDERS:
        left, right = map(_share_of, node.operands)
        return _variable(left), _variable(right)
    return "", ""


def minuend(difference: ir.Binary) -> Expr:
    """What something is taken off: of a sum (`used + before - after`) its last part."""
    node = difference.left
    while isinstance(node, ir.Binary) and node.operator == "+":
        node = node.right
    return node


def _share_of(node: Expr) -> Expr:
    """What a value is a constant share of."""
    if isinstance(node, ir.Binary) and node.operator in ("*", "/"):
        if isinstance(node.right, ir.Const):
            return node.left
        if isinstance(node.left, ir.Const) and node.operator == "*":
            return node.right
    return node


def _variable(node: Expr) -> str:
    return node.id if isinstance(node, ir.Name) else ""


def _read_once(facts: ProgramFacts, name: str, file: File, statement: int, depth: int) -> Location | None:
    """The one reading that a variable holds, itself or as a copy of another variable; None where it may be read several times."""
    scope = file.outline.statements[statement].scope
    reaching = facts.order.reaching(file, scope, name, statement)
    if len(reaching) != 1 or ENTRY in reaching or depth > _MAX_COPIES:
        return None
    at = next(iter(reaching))
    values = [b.value for b in file.statement(at).bindings if dotted(b.target) == name and b.how == "assign" and b.value is not None]
    if len(values) != 1 or not facts.activations.tree(file, scope).dominates(at, statement):
        return None
    if isinstance(values[0], ir.Name):
        return _read_once(facts, values[0].id, file, at, depth + 1)
    gauge = facts.gauges.of(values[0], file, at)
    return gauge.location if gauge is not None else None


def _differences(formula: Formula) -> Iterator[ir.Binary]:
    """The plain differences of two names, or of two readings, in the formula's own statement."""
    at = formula.location
    for root in at.file.statement(at.statement).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Binary) and node.operator == "-" and at.span.contains(node.span):
                yield node


def _text(node: Expr, at: Location) -> str:
    return dotted(node) or Location(at.file, at.statement, node.span).code


def _reading(facts: ProgramFacts, node: Expr, file: File, statement: int) -> Gauge | None:
    """The one reading that a value is, or is a converted form of."""
    found = facts.gauges.of(node, file, statement)
    if found is not None:
        return found
    if isinstance(node, ir.Name):
        inner = {gauge.location: gauge for gauge in _held(facts, node.id, file, statement)}
        if len(inner) == 1:
            return next(iter(inner.values()))
    births = facts.births.of(node, file, statement)
    return facts.gauges.of_birth(births[0]) if births else None


def _held(facts: ProgramFacts, name: str, file: File, statement: int) -> Iterator[Gauge]:
    """The readings in the one assignment that a local has its value from."""
    reaching = facts.order.reaching(file, file.outline.statements[statement].scope, name, statement)
    if len(reaching) != 1 or ENTRY in reaching:
        return
    at = next(iter(reaching))
    for binding in file.statement(at).bindings:
        if binding.value is not None and dotted(binding.target) == name:
            found = (facts.gauges.of(node, file, at) for node in ir.walk(binding.value))
            yield from (gauge for gauge in found if gauge is not None)


def _gauge(one: Input) -> Gauge | None:
    return one.origins[0].gauge if one.origins else None


def _uneven(facts: ProgramFacts, formula: tuple[Location, str], one: Named, other: Named) -> UnevenReadings | None:
    left, right = one[1], other[1]
    if left.location == right.location or left.frame.quantity != right.frame.quantity or left.frame.scope != right.frame.scope:
        return None
    if left.frame.statistic != right.frame.statistic:
        peak, now = (one, other) if left.frame.statistic == "peak" else (other, one)
        if _counts_anew(facts, now[1].location, peak[1].location):
            return None
        return _found(formula, now, peak, "peak", ())
    felt = _FELT_BY.get(left.frame.quantity, frozenset())
    if left.frame.hygiene == right.frame.hygiene and not _charged_between(facts, left.location, right.location):
        return None  # only what frees stands in between: its effect is what is measured
    before, after = (felt & {*gauge.frame.hygiene, *_care(facts, gauge.location)} for gauge in (left, right))
    if before > after:
        return _found(formula, other, one, "hygiene", tuple(sorted(before - after)))
    if after > before:
        return _found(formula, one, other, "hygiene", tuple(sorted(after - before)))
    return None


def _counts_anew(facts: ProgramFacts, now: Location, peak: Location) -> bool:
    """Whether the peak was reset where the current value was read: the difference is the most that was held in between."""
    for file, scope in {(at.file, at.file.outline.statements[at.statement].scope) for at in (now, peak)}:
        for index in file.own_statements(scope):
            if "reset_" in file.own_text(index) and not (file is peak.file and index >= peak.statement):
                calls = (node for root in file.statement(index).expressions() for node in ir.walk(root) if isinstance(node, ir.Call))
                rows = (facts.events.row(node, file, scope) for node in calls)
                if any(row is not None and row.kind == "reset-peak" for row in rows):
                    return not _charged_between(facts, now, Location(file, index, peak.span))
    return False


def _charged_between(facts: ProgramFacts, one: Location, other: Location) -> bool:
    """Whether something that allocates much stands between two places of one function; true where they are in two."""
    file, scope = one.file, one.file.outline.statements[one.statement].scope
    if other.file is not file or file.outline.statements[other.statement].scope != scope:
        return True
    first, last = sorted((one.statement, other.statement))
    for index in file.own_statements(scope):
        if first < index < last and "(" in file.own_text(index):
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    row = facts.events.row(node, file, scope) if isinstance(node, ir.Call) else None
                    if row is not None and row.kind in CHARGED:
                        return True
    return False


def _found(
    formula: tuple[Location, str], plain: Named, cared: Named, how: Literal["hygiene", "peak"], care: tuple[str, ...]
) -> UnevenReadings:
    where, target = formula
    return UnevenReadings(where, target, plain[1].location, plain[0], cared[1].location, cared[0], how, care)


def _care(facts: ProgramFacts, at: Location) -> set[str]:
    """What stands before a reading in its function with nothing that allocates in between."""
    file, scope = at.file, at.file.outline.statements[at.statement].scope
    tree = facts.events.activations.tree(file, scope)
    found: set[str] = set()
    before = [index for index in file.own_statements(scope) if index < at.statement and tree.dominates(index, at.statement)]
    for index in reversed(before):
        if "(" not in file.own_text(index):
            continue
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                row = facts.events.row(node, file, scope) if isinstance(node, ir.Call) else None
                if row is not None and row.kind in CHARGED:
                    return found
                if row is not None and row.kind in _CARE:
                    found.add(row.kind)
    return found


def free_totals(facts: ProgramFacts) -> Iterator[FreeTotal]:
    """Every value of a formula that is called total and was read as what is free."""
    seen: set[tuple[str, Location]] = set()
    for formula in facts.formulas:
        for one in formula.inputs:
            last = one.name.rpartition(".")[2]
            if not _TOTAL.search(last) or _TIMED.search(last):
                continue
            gauge = _gauge(one)
            if gauge is None or gauge.frame.quantity != "free":
                continue
            if (last, gauge.location) not in seen:
                seen.add((last, gauge.location))
                yield FreeTotal(last, formula.location, gauge.location, gauge.frame.text)
