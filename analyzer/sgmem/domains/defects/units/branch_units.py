"""Values whose unit depends on the way taken: what a function gives back, and variables that several branches set."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.defects.units.mismatches import Side, side_of
from sgmem.domains.units.evidence import Mismatch, disagreement
from sgmem.flow.order import ENTRY
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.domains.accounting.units import Units
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.domains.units.evidence import Evidence
    from sgmem.flow.order import Order
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_MAX_USES = 12
_TARGET = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w.\[(])")


class BranchUnit(msgspec.Struct, frozen=True):
    """`subject` is in the unit of `first` on one way and of `second` on another."""

    subject: str
    first: Side
    second: Side
    details: Mismatch


class _Given(msgspec.Struct, frozen=True):
    value: Expr
    evidence: Evidence
    statement: int


def branch_units(facts: ProgramFacts) -> Iterator[BranchUnit]:
    """The functions and variables of the statements that have to do with amounts."""
    units, order = facts.units, facts.order
    returned: dict[tuple[File, int, int], list[_Given]] = {}
    stored: dict[tuple[File, int, str], list[_Given]] = {}
    for file, statement in _repeated(facts.candidates.touched):
        row = file.outline.statements[statement]
        if row.kind == "return":
            for place, given in _returned(units, file, statement):
                returned.setdefault((file, row.scope, place), []).append(given)
        elif row.kind in ("assign", "annotate"):
            for name, given in _stored(units, file, statement):
                stored.setdefault((file, row.scope, name), []).append(given)
    for (file, scope, _), found in returned.items():
        subject = f"what {file.scope(scope).name}() gives"
        yield from _differing(subject, found, file, units)
    for (file, scope, name), found in stored.items():
        if len(found) > 1:
            yield from _at_one_use(name, found, file, scope, units, order)


def _repeated(statements: Iterable[tuple[File, int]]) -> Iterator[tuple[File, int]]:
    """The statements that give something back, or give a variable a value, as another one of the same function seems to do too."""
    found: dict[tuple[File, int], dict[str, list[int]]] = {}
    for file, statement in statements:
        row = file.outline.statements[statement]
        of_scope = found.setdefault((file, row.scope), {})
        if row.kind == "return":
            of_scope.setdefault("return", []).append(statement)
        elif row.kind in ("assign", "annotate"):
            for name in dict.fromkeys(_TARGET.findall(file.target_text(statement).partition(":")[0])):
                of_scope.setdefault(name, []).append(statement)
    for (file, _), by_name in found.items():
        for statement in sorted({one for statements in by_name.values() if len(statements) > 1 for one in statements}):
            yield file, statement


def _returned(units: Units, file: File, statement: int) -> Iterator[tuple[int, _Given]]:
    for value in file.statement(statement).values:
        for place, part in enumerate(value.items if isinstance(value, ir.Collection) and value.kind == "tuple" else (value,)):
            given = _amount(units, part, file, statement)
            if given is not None:
                yield place, given


def _stored(units: Units, file: File, statement: int) -> Iterator[tuple[str, _Given]]:
    for binding in file.statement(statement).bindings:
        if isinstance(binding.target, ir.Name) and binding.value is not None and binding.how in ("assign", "annotate"):
            name = binding.target.id
            # Converted in place: what has no size to convert, zero or None, may go around it.
            in_place = any(isinstance(node, ir.Name) and node.id == name for node in ir.walk(binding.value))
            given = _amount(units, binding.value, file, statement) if not in_place else None
            if given is not None:
                yield name, given


def _amount(units: Units, value: Expr, file: File, statement: int) -> _Given | None:
    evidence = units.infer(value, file, statement)
    strong = evidence is not None and evidence.strong and evidence.unit.is_amount
    return _Given(value, evidence, statement) if evidence is not None and strong else None


def _at_one_use(name: str, found: list[_Given], file: File, scope: int, units: Units, order: Order) -> Iterator[BranchUnit]:
    """Definitions in different units that reach one use of a variable."""
    by_statement = {one.statement: one for one in found}
    for use in list(file.mentions_in(scope, name))[-_MAX_USES:]:
        reaching = order.reaching(file, scope, name, use) - {ENTRY}
        met = [by_statement[index] for index in sorted(reaching) if index in by_statement]
        wrong = next(_differing(name, met, file, units), None)
        if wrong is not None:
            yield wrong
            return


def _differing(subject: str, found: list[_Given], file: File, units: Units) -> Iterator[BranchUnit]:
    for one, other in pairwise(found):
        details = disagreement(one.evidence, other.evidence)
        if details is not None and details.kind == "scale":
            first = side_of(units, one.value, one.evidence, file, one.statement)
            second = side_of(units, other.value, other.evidence, file, other.statement)
            yield BranchUnit(subject, first, second, details)
            return
