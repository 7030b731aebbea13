"""Numbers that are worked out of a quantity before something else takes its place, and used after: they fit what was there before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import is_told, may_both_run, mentions, reachable
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.defects.order.snapshots import keeps_earlier, reads
from sgmem.flow.aside import is_aside
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.decisions import Decision
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File


class StaleResult(msgspec.Struct, frozen=True):
    """`result` was worked out of `source` at `made`, and is `used` after `source` was `replaced`. `known`: to the models."""

    source: str
    result: str
    made: Location
    replaced: Location
    used: Location
    known: bool


def stale_results(facts: ProgramFacts) -> Iterator[StaleResult]:
    """Every local that is worked out of a field before the same function puts something in its place that has nothing to do with it."""
    for name, paths in facts.quantities.paths.items():
        for path in paths:
            seen: set[int] = set()
            for decision in facts.decisions(name, path):
                source = _replaced(decision, name)
                if source is None or is_aside(decision.file, decision.statement):
                    continue
                for found in _before(facts, decision, source):
                    if found.made.statement not in seen:
                        seen.add(found.made.statement)
                        yield found


def _replaced(decision: Decision, name: str) -> str | None:
    """The field, as it is spelled, in whose place a statement puts another value."""
    if decision.how != "replaced" or decision.aside:
        return None
    targets = (dotted(b.target) for b in decision.file.statement(decision.statement).bindings if isinstance(b.target, ir.Attribute))
    return next((text for text in targets if text is not None and text.rpartition(".")[2] == name), None)


def _before(facts: ProgramFacts, decision: Decision, source: str) -> Iterator[StaleResult]:
    file, replaced = decision.file, decision.statement
    scope = file.outline.statements[replaced].scope
    for index in file.mentions_in(scope, source.rpartition(".")[2]):
        result = _worked_out(file, index, source) if index < replaced else None
        if result is None or keeps_earlier(result) or index not in facts.order.reaching(file, scope, result, replaced):
            continue
        if not may_both_run(facts, file, index, replaced) or (decision.value is not None and mentions(decision.value, result)):
            continue
        again = frozenset(facts.order.definitions(file, scope, result))
        onward = reachable(facts.order.graph(file, scope), replaced, again)
        for at in sorted(onward.intersection(file.mentions_in(scope, result))):
            if not is_told(file, at) and reads(file, at, result) and may_both_run(facts, file, replaced, at):
                made, put = of_statement(file, index), of_statement(file, replaced)
                known = facts.quantities.is_modelled(source.rpartition(".")[2])
                yield StaleResult(source, result, made, put, of_statement(file, at), known)
                break


def _worked_out(file: File, index: int, source: str) -> str | None:
    """The local that a statement sets to a product or quotient with the field in it."""
    if file.outline.statements[index].kind not in ("assign", "annotate"):
        return None
    for binding in file.statement(index).bindings:
        if isinstance(binding.target, ir.Name) and binding.value is not None:
            products = (node for node in ir.walk(binding.value) if isinstance(node, ir.Binary) and node.operator in ("*", "/", "//"))
            if any(mentions(node, source) for node in products):
                return binding.target.id
    return None
