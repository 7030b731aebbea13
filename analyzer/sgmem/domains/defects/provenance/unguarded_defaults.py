"""Defaults that are set whether or not a value was given, where the other branches of the same choice ask."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.control.rendering import render
from sgmem.domains.accounting.changes import may_both_run
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File

_GUARDED = re.compile(r"\bif ((?:\w+\.)+\w+) is None:\s*(?:#[^\n]*\n\s*)*\1 = [\d(]")
MIN_GUARDED = 2
"""So many branches must ask before one that does not is called odd."""


class UnguardedDefault(msgspec.Struct, frozen=True):
    """`name` is set to `value` at `location` without a question; `guarded` are other branches, which ask whether it is None."""

    name: str
    value: str
    location: Location
    guarded: tuple[Location, ...]


def unguarded_defaults(facts: ProgramFacts) -> Iterator[UnguardedDefault]:
    """Every number that is given to a field in one branch as it is, and in others of the same function only where it is None."""
    for path in facts.program.files.with_text(_GUARDED.pattern, begins=("if ",)):
        file = facts.program.files.get(path)
        names = dict.fromkeys(_GUARDED.findall(file.source.text)) if file is not None else ()
        for name in names:
            if file is not None:
                yield from _of_field(facts, file, name)


def _of_field(facts: ProgramFacts, file: File, name: str) -> Iterator[UnguardedDefault]:
    last = name.rpartition(".")[2]
    by_scope: dict[int, dict[int, str]] = {}
    for index in file.mentions(last):
        scope = file.outline.statements[index].scope
        if scope not in by_scope and file.scope(scope).kind == "function" and file.may_bind(index, last):
            assigned = facts.order.assignments(file, scope, name)
            by_scope[scope] = {at: text for at in assigned if (text := _number(file, at, name)) is not None}
    for writes in by_scope.values():
        guarded = [at for at in writes if _asks(facts, file, at, last)]
        for at, text in writes.items():
            if at in guarded:
                continue
            others = [one for one in guarded if not may_both_run(facts, file, at, one)]
            if len(others) >= MIN_GUARDED and len(guarded) > len(writes) - len(guarded):
                yield UnguardedDefault(last, text, of_statement(file, at), tuple(of_statement(file, one) for one in others))


def _number(file: File, index: int, name: str) -> str | None:
    """The positive number that a statement gives a field."""
    for binding in file.statement(index).bindings:
        value = binding.value
        if dotted(binding.target) == name and binding.how == "assign" and isinstance(value, ir.Const):
            if isinstance(value.value, int | float) and not isinstance(value.value, bool) and value.value > 0:
                return value.text
    return None


def _asks(facts: ProgramFacts, file: File, index: int, last: str) -> bool:
    """Whether a condition of a statement looks at the field."""
    word = re.compile(rf"\b{re.escape(last)}\b")
    return any(word.search(render(one.predicate)) is not None for one in facts.conditions.own(file, index))
