"""Overriding methods that forget a deduction: what the parent takes off a budget, the subclass, which works the budget out anew,
does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import inputs
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.estimate.estimates import text_of
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_TAKES_OFF = re.compile(r"[\w)\]]\s*-=?\s*[\w(]")
_ABSTRACT = re.compile(r"raise\s+NotImplementedError|@abstractmethod|@\w+\.abstractmethod")


class DroppedSubtraction(msgspec.Struct, frozen=True):
    """`parent` takes `term` off `budget` at `deduction`; the method of `child` that overrides it, with its `result`, does not."""

    method: str
    parent: str
    child: str
    budget: str
    term: str
    deduction: Location
    result: Location


def dropped_subtractions(facts: ProgramFacts) -> Iterator[DroppedSubtraction]:
    """Every override of a program that drops a subtraction of its parent."""
    seen: set[tuple[Function, str]] = set()
    for file, statement in facts.statements:
        function = Function(file, file.outline.statements[statement].scope)
        if file.scope(function.index).kind != "function" or function.owner is None or function.name.startswith("__"):
            continue
        if _TAKES_OFF.search(file.own_text(statement)) is None:
            continue
        overrides = facts.program.classes.overrides(function.owner, function.name)
        if not overrides or _ABSTRACT.search(text_of(function)) is not None:
            continue
        for budget, taken in _deductions(facts, file, statement):
            for override in overrides:
                found = _dropped(facts, function, override, file, statement, budget, taken)
                if found is not None and (override, found.term) not in seen:
                    seen.add((override, found.term))
                    yield found


def _deductions(facts: ProgramFacts, file: File, statement: int) -> Iterator[tuple[Expr, Expr]]:
    """What a statement takes off an amount of memory: the amount, and the term."""
    lowered = file.statement(statement)
    pairs = [(b.target, b.value) for b in lowered.bindings if b.how == "augment" and b.operator == "-" and b.value is not None]
    for root in lowered.expressions():
        pairs += [(node.left, node.right) for node in ir.walk(root) if isinstance(node, ir.Binary) and node.operator == "-"]
    for budget, taken in pairs:
        evidence = facts.units.infer(budget, file, statement, deep=True)
        if evidence is not None and evidence.unit.is_amount and _names(taken):
            yield budget, taken


def _dropped(
    facts: ProgramFacts, parent: Function, child: Function, file: File, statement: int, budget: Expr, taken: Expr
) -> DroppedSubtraction | None:
    text = text_of(child)
    if re.search(r"\bsuper\(", text) or _ABSTRACT.search(text) is not None or parent.owner is None or child.owner is None:
        return None
    if re.search(rf"\b{parent.owner.name}\.{parent.name}\(", text):
        return None
    mentioned = set(_IDENTIFIER.findall(text)) | {name for each in _called(facts, child) for name in _IDENTIFIER.findall(text_of(each))}
    if not _names(budget) & mentioned or _names(taken) & mentioned:
        return None
    result = _result(child)
    if result is None:
        return None
    return DroppedSubtraction(
        parent.name, parent.owner.name, child.owner.name, _code(file, budget), _code(file, taken), of_statement(file, statement),
        result,
    )  # fmt: skip


def _names(expr: Expr) -> set[str]:
    """The last names of what an amount is made of."""
    found: set[str] = set()
    for leaf in inputs(expr):
        node = leaf.func if isinstance(leaf, ir.Call) else leaf
        text = dotted(node)
        if text is not None:
            found.add(text.rpartition(".")[2])
    return found


def _called(facts: ProgramFacts, function: Function) -> Iterator[Function]:
    """What a method calls on its own object."""
    for name in dict.fromkeys(re.findall(r"\bself\.(\w+)\(", text_of(function))):
        method = facts.program.classes.method(function.owner, name) if function.owner is not None else None
        if method is not None:
            yield method


def _result(child: Function) -> Location | None:
    """What an override gives back: its last return of something that is worked out."""
    file, found = child.file, None
    for index in file.own_statements(child.index):
        if file.outline.statements[index].kind == "return" and file.statement(index).values:
            value = file.statement(index).values[0]
            if not isinstance(value, ir.Const):
                found = of_statement(file, index)
    return found


def _code(file: File, expr: Expr) -> str:
    return " ".join(file.source.slice(expr.span).split())
