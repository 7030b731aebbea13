"""Whether two statements of one function both run in one go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sgmem.control.cfg import EXIT, RAISED

if TYPE_CHECKING:
    from sgmem.control.conditions import Condition
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Span

_NAME = re.compile(r"[A-Za-z_]\w*\b(?!\s*\.)")
_WORDS = frozenset({"is", "not", "None", "and", "or", "in", "isinstance", "True", "False"})
"""What stands in many tests and is asked about in none."""


class Step(NamedTuple):
    """A statement of a function."""

    file: File
    statement: int

    @property
    def scope(self) -> int:
        return self.file.outline.statements[self.statement].scope


def follows(facts: ProgramFacts, first: Step, second: Step) -> bool:
    """Whether a path leads from the first to the second that is not another round of a loop."""
    graph = facts.order.graph(first.file, first.scope)
    seen, pending = {first.statement}, [first.statement]
    while pending:
        node = pending.pop()
        for target, label in graph.out(node):
            if label in ("loop", "exception") or target in (EXIT, RAISED):
                continue
            if target == second.statement:
                return True
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return False


def go_together(facts: ProgramFacts, first: Step, second: Step) -> bool:
    """Whether one of them only runs where the other does, by the tests around them."""
    tests = [{condition.predicate for condition in _tests(facts, one)} for one in (first, second)]
    return tests[0] <= tests[1] or tests[1] <= tests[0]


def share_a_subject(facts: ProgramFacts, first: Step, second: Step) -> bool:
    """Whether their tests ask about one thing, so that they may be the sides of one choice."""
    asked = [{name for condition in _tests(facts, one) for name in _names_at(one.file, condition.span)} for one in (first, second)]
    return not asked[0].isdisjoint(asked[1])


def _tests(facts: ProgramFacts, one: Step) -> list[Condition]:
    return [condition for condition in facts.conditions.own(one.file, one.statement) if condition.how != "check"]


def _names_at(file: File, span: Span) -> set[str]:
    return {name for name in _NAME.findall(file.source.slice(span)) if name not in _WORDS}
