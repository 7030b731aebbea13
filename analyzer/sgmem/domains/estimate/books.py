"""Both sides of a program's books: what estimates charge, and what building the pools allocates. Worked out once, when asked for."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sgmem.domains.estimate.construction import Constructing
from sgmem.domains.estimate.divisions import Divisions
from sgmem.domains.estimate.estimates import Estimates
from sgmem.domains.estimate.pools import Pools
from sgmem.program.classes import assigned
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.construction import Allocation
    from sgmem.domains.estimate.divisions import Division
    from sgmem.domains.estimate.own_estimates import OwnUncharged
    from sgmem.domains.estimate.pools import Construction
    from sgmem.domains.estimate.short_cells import ShortCell
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.models.load import Models
    from sgmem.program.program import Program

Counted = Literal["token", "request"]
_COUNTS: dict[str, Counted] = {"tokens": "token", "requests": "request"}
_REQUEST = re.compile(r"req(?:uest)?s?(?![a-z])")


class Books:
    """The estimates and the pools of one program."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.models = models
        self.pools = Pools(program, models)
        self.divisions = Divisions(program, models)
        self.estimates = Estimates(program, self.divisions, self.pools)
        self.sizes = tuple(dict.fromkeys(size for row in models.sinks.rows if row.kind == "tensor" for size in row.sizes))
        """The arguments of an allocating call that spell its shape."""
        self._allocations: dict[Construction, list[Allocation]] = {}

    def allocations(self, construction: Construction) -> list[Allocation]:
        """The tensors that building one pool allocates on the device."""
        found = self._allocations.get(construction)
        if found is None:
            made = Constructing(self.program, self.models).allocations(construction)
            found = self._allocations[construction] = [one for one in made if not _is_on_host(one.call)]
        return found

    def short_cells(self, facts: ProgramFacts) -> Iterator[ShortCell]:
        """Sizes of a token that lack what another one of the same class charges; `facts` are those of the same program."""
        from sgmem.domains.estimate.short_cells import short_cells

        return short_cells(facts)

    @cached_property
    def _counts(self) -> dict[str, Counted]:
        """The names of counts: those that models know, and those that estimates divide out of a budget."""
        found: dict[str, Counted] = {}
        for row in self.models.units.rows:
            counted = _COUNTS.get(row.unit)
            if counted is not None:
                found |= dict.fromkeys((pattern.rpartition(".")[2].rpartition(":")[2] for pattern in row.names), counted)
        for one in self.estimates.divisions:
            divisor = one.file.source.slice(one.node.right.span)
            found |= dict.fromkeys(named(one), "request" if _REQUEST.search(divisor) else "token")
        return found

    @cached_property
    def own_uncharged(self) -> tuple[OwnUncharged, ...]:
        """Dimensions of what a class allocates that its own bytes per token leave out."""
        from sgmem.domains.estimate.own_estimates import own_uncharged

        return tuple(own_uncharged(self))

    def is_count(self, name: str) -> bool:
        """Whether a name is that of a count of tokens or requests, be it a part of the pool's."""
        return self.counted(name) is not None

    def counted(self, name: str) -> Counted | None:
        """What a name counts, if it is a count's."""
        return next((what for count, what in self._counts.items() if name == count or name.endswith(f"_{count}")), None)


def named(division: Division) -> list[str]:
    """What receives a quotient for good: the fields that its statement assigns, or the keyword that it is handed on as."""
    statement = division.file.statement(division.statement)
    names: list[str] = []
    for root in statement.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call):
                for argument in node.args:
                    if argument.keyword is not None and argument.span.contains(division.node.span):
                        names.append(argument.keyword)
    for binding in statement.bindings:
        if binding.value is not None and binding.value.span.contains(division.node.span):
            targets = assigned(binding.target)
            names += [target.attr for target in targets if isinstance(target, ir.Attribute)]
    return list(dict.fromkeys(names))


def _is_on_host(call: ir.Call) -> bool:
    """Whether an allocation says that it is in host memory."""
    return any(
        isinstance(argument.value, ir.Const)
        and (
            (argument.keyword == "device" and argument.value.value == "cpu")
            or (argument.keyword == "pin_memory" and argument.value.value is True)
        )
        for argument in call.args
    )
