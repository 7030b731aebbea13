"""What all executions over one program share."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.domains.accounting.options import Options
from sgmem.domains.execution.literals import Literals
from sgmem.domains.execution.slice import Relevance

if TYPE_CHECKING:
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.program import Program


class Context:
    """The facts of a program, with what executions look up again and again."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts

    @property
    def program(self) -> Program:
        return self.facts.program

    @cached_property
    def relevance(self) -> Relevance:
        return Relevance(self.program)

    @cached_property
    def literals(self) -> Literals:
        return Literals(self.program, self.facts.units.constants)

    @cached_property
    def options(self) -> Options:
        return Options(self.program)
