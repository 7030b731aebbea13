"""Counts that were divided out of a budget and are raised afterwards: more is allocated than there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.order import ENTRY
from sgmem.program.classes import assigned
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_HOPS = 3


class RaisedCount(msgspec.Struct, frozen=True):
    """`name` is a field that holds a budget's count, divided out at `derived`; `sum` adds to it, `store` writes it back."""

    name: str
    derived: Location
    sum: Location
    store: Location
    added: tuple[str, ...]


def raised_counts(facts: ProgramFacts) -> Iterator[RaisedCount]:
    """Every count of tokens that a function raises after it was divided out of a budget."""
    names = {
        pattern.rpartition(".")[2]
        for row in facts.models.units.rows
        if row.kind == "field" and row.unit == "tokens"
        for pattern in row.names
    }
    for name in sorted(name for name in names if name.isidentifier()):
        for file in facts.program.files.focused(name):
            for index in file.mentions(name):
                if file.outline.statements[index].kind in ("assign", "augment") and file.may_bind(index, name):
                    yield from _in_store(facts, file, index, name)


def _in_store(facts: ProgramFacts, file: File, index: int, name: str) -> Iterator[RaisedCount]:
    for binding in file.statement(index).bindings:
        for target in assigned(binding.target):
            text = dotted(target)
            if not isinstance(target, ir.Attribute) or target.attr != name or text is None or binding.value is None:
                continue
            if binding.how == "augment" and binding.operator != "+":
                continue
            value, at = _followed(facts, binding.value, file, index)
            terms = _terms(value)
            if binding.how == "augment":
                added = [binding.value]
            elif terms is None or text not in [dotted(term) for term in terms]:
                continue
            else:
                added = [term for term in terms if dotted(term) != text]
            derived = _derived(facts, file, at, text, target)
            if derived is not None and added and not _is_alignment(added):
                shown = tuple(" ".join(file.source.slice(term.span).split()) for term in added)
                yield RaisedCount(text, derived, of_statement(file, at), of_statement(file, index), shown)


def _followed(facts: ProgramFacts, value: Expr, file: File, index: int) -> tuple[Expr, int]:
    """What a stored name was set to in the same function, and where, through a few hops."""
    for _ in range(MAX_HOPS):
        text = dotted(value)
        if text is None:
            break
        scope = file.outline.statements[index].scope
        if isinstance(value, ir.Name):
            reaching = facts.order.reaching(file, scope, value.id, index)
        else:
            reaching = facts.order.reaching_assignments(file, scope, text, index)
        if len(reaching) != 1 or ENTRY in reaching:
            break
        at = next(iter(reaching))
        found = [b.value for b in file.statement(at).bindings if dotted(b.target) == text and b.how in ("assign", "annotate")]
        if len(found) != 1 or found[0] is None:
            break
        value, index = found[0], at
    return value, index


def _terms(value: Expr) -> list[Expr] | None:
    """The terms of a sum in which nothing is subtracted; None for anything else."""
    if not isinstance(value, ir.Binary) or value.operator != "+":
        return None
    terms: list[Expr] = []
    pending: list[Expr] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Binary) and node.operator == "+":
            pending += [node.right, node.left]
        elif _is_no_count(node):
            return None
        else:
            terms.append(node)
    return terms


def _is_no_count(node: Expr) -> bool:
    """Whether a term is a difference, or text or a list that is joined and not added."""
    if isinstance(node, ir.Const):
        return isinstance(node.value, str)
    return isinstance(node, ir.Unary | ir.Format | ir.Collection) or (isinstance(node, ir.Binary) and node.operator == "-")


def _is_alignment(added: list[Expr]) -> bool:
    """Whether only one is added, for a sentinel or the null slot, which no budget feels."""
    return all(isinstance(term, ir.Const) and term.value in (0, 1) for term in added)


def _derived(facts: ProgramFacts, file: File, at: int, text: str, target: Expr) -> Location | None:
    """Where the count that is raised was divided out of something: what reaches the sum, or what the field is born of."""
    scope = file.outline.statements[at].scope
    for index in sorted(facts.order.reaching_assignments(file, scope, text, at) - {ENTRY}):
        for binding in file.statement(index).bindings:
            if binding.value is None or dotted(binding.target) != text:
                continue
            if _divides(binding.value):
                return of_statement(file, index)
            for birth in facts.births.of(binding.value, file, index):
                if birth.kind == "computed" and birth.expression is not None and _divides(birth.expression):
                    return Location(birth.file, birth.statement, birth.span)
    for birth in facts.births.of(target, file, at):
        if birth.kind == "computed" and birth.expression is not None and _divides(birth.expression):
            return Location(birth.file, birth.statement, birth.span)
    return None


def _divides(value: Expr) -> bool:
    return any(isinstance(node, ir.Binary) and node.operator in ("//", "/") for node in ir.walk(value))
