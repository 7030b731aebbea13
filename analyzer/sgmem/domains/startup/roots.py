"""Where a start-up begins: the function that was asked for, or the first of the models whose call tree looks like one."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from sgmem.models.patterns import last_name, matches
from sgmem.program.entities import Class, Function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.domains.startup.expansion import Expander
    from sgmem.domains.startup.steps import Startup

Root = tuple[Function, Class | None]


def chosen(expander: Expander, facts: ProgramFacts) -> Startup | None:
    """The first start-up that has what its row asks for, one of a row that asks for nothing as it is; None where there is none."""
    for row in facts.models.roots.rows:
        for pattern in row.names:
            for root in roots_of(facts, pattern):
                startup = expander.expand(*root)
                if not row.contains:
                    return startup
                kinds = {step.kind for step in startup.walk()}
                if kinds.issuperset(row.contains) and "measurement" in kinds:
                    return startup
    return None


def own_roots(facts: ProgramFacts) -> Iterator[Root]:
    """The functions that the project itself says a start-up begins with: those of rows that ask for nothing."""
    for row in facts.models.roots.rows:
        for pattern in row.names if not row.contains else ():
            yield from roots_of(facts, pattern)


def named(facts: ProgramFacts, name: str) -> list[Root]:
    """The functions that a user may mean: `Class`, `Class.method`, `function`, or any of them after `module:`."""
    module, colon, qualname = name.rpartition(":")
    pattern = f"**.{module}:{qualname}" if colon else f"**:{qualname}"
    found = list(roots_of(facts, pattern))
    return found or list(roots_of(facts, f"{pattern}.__init__"))


def roots_of(facts: ProgramFacts, pattern: str) -> Iterator[Root]:
    """Every function that matches a pattern; a class stands for its constructor."""
    program, last = facts.program, last_name(pattern)
    seen: set[Root] = set()
    for spelled in sorted(name for name in program.files.class_names if fnmatchcase(name, last)):
        for path in program.files.class_names[spelled]:
            file = program.files.get(path)
            index = file.child(0, spelled) if file is not None else None
            if file is None or index is None or file.scope(index).kind != "class":
                continue
            owner = Class(file, index)
            constructor = program.classes.method(owner, "__init__")
            if constructor is not None and (matches(pattern, owner.qualified) or matches(pattern, f"{owner.qualified}.__init__")):
                seen.add((constructor, owner))
                yield constructor, owner
    if "*" in last or pattern.endswith(".__init__"):
        return
    for function in facts.occurrences.functions(last):
        if matches(pattern, function.qualified) and (function, function.owner) not in seen:
            yield function, function.owner


__all__ = ["Root", "chosen", "named", "own_roots", "roots_of"]
