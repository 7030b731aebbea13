"""What all executions over one program share."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.domains.execution.literals import Literals
from sgmem.domains.execution.slice import Relevance
from sgmem.flow.places import Field

if TYPE_CHECKING:
    from sgmem.domains.accounting.options import Options
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.program import Program


class Context:
    """The facts of a program, with what executions look up again and again."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts
        self._named: dict[str, tuple[Field, ...]] = {}

    @property
    def program(self) -> Program:
        return self.facts.program

    @cached_property
    def relevance(self) -> Relevance:
        return Relevance(self.program)

    @cached_property
    def literals(self) -> Literals:
        return Literals(self.program, self.facts.units.constants)

    @property
    def options(self) -> Options:
        return self.facts.options

    def options_named(self, name: str) -> tuple[Field, ...]:
        """The options of that name, of whatever record; looked for once, since every execution asks again."""
        found = self._named.get(name)
        if found is None:
            owners = dict.fromkeys(self.facts.occurrences.owners(name))
            fields = (Field(owner, name) for owner in owners)
            found = self._named[name] = tuple(field for field in fields if self.options.is_option(field))
        return found
